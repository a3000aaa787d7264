package main

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// No two versions on one lane share time, and those that do are marked.
func TestLanes(t *testing.T) {
	to := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		name   string
		spans  []span
		lanes  []int
		shared []bool
	}{
		{"one after the other", []span{{From: 1, To: to(2)}, {From: 2, To: to(5)}, {From: 7}}, []int{0, 0, 0}, []bool{false, false, false}},
		{"overlap", []span{{From: 1, To: to(4)}, {From: 3, To: to(6)}, {From: 6}}, []int{0, 1, 0}, []bool{true, true, false}},
		{"one holds others", []span{{From: 1}, {From: 2, To: to(3)}, {From: 3, To: to(4)}}, []int{0, 1, 1}, []bool{true, true, true}},
		{"copies", []span{{From: 1}, {From: 1}, {From: 1}}, []int{0, 1, 2}, []bool{true, true, true}},
	} {
		n := lanes(c.spans)
		most := 0
		for i, s := range c.spans {
			most = max(most, s.Lane+1)
			if s.Lane != c.lanes[i] || s.Shared != c.shared[i] {
				t.Errorf("%s: version %d is on lane %d, shared %v; want %d, %v", c.name, i, s.Lane, s.Shared, c.lanes[i], c.shared[i])
			}
		}
		if n != most {
			t.Errorf("%s: %d lanes, want %d", c.name, n, most)
		}
	}
}

// The worst keys and those that overlap are on the line, each with all of its versions, more than a report lists.
func TestTimeline(t *testing.T) {
	left, right := "id,day\n", "id,plan,from,to\n"
	for range 3 {
		left += "1,2026-01-05\n"
	}
	left += "2,2026-01-05\n"
	right += "1,p,2026-01-02,2026-01-03\n1,p,2026-01-01,2026-01-02\n"
	for _, day := range []string{"03", "04", "05", "06", "07", "08", "09"} {
		right += "1,p,2026-01-" + day + ",2026-01-" + string([]byte{day[0], day[1] + 1}) + "\n"
	}
	right = right[:len(right)-len("2026-01-0:\n")] + "2026-01-10\n1,p,2026-01-10,2026-01-11\n1,q,2026-01-11,2026-01-12\n1,r,2026-01-12,\n"
	right += "2,p,2026-01-01,2026-01-20\n2,p,2026-01-10,\n7,p,2026-01-01,\n7,p,2026-01-02,\n"
	paths := files(t, left, right)
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer alloc.AssertSize(t, 0)
	a := answerFiles(t, alloc, paths[0], paths[1])
	if a.Versions == nil {
		t.Fatal(a.NoVersions)
	}
	want := []struct {
		key          string
		spans, lanes int
	}{{"1", 12, 1}, {"2", 2, 2}, {"7", 2, 2}}
	if len(a.Versions.Keys) != len(want) || a.Versions.Overlaps != 2 {
		t.Fatalf("%+v", a.Versions)
	}
	for i, w := range want {
		if k := a.Versions.Keys[i]; k.Key != w.key || len(k.Spans) != w.spans || k.Lanes != w.lanes {
			t.Errorf("%s: %d versions on %d lanes; want %+v", k.Key, len(k.Spans), k.Lanes, w)
		}
	}
}

func TestMillis(t *testing.T) {
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer alloc.AssertSize(t, 0)
	const day = 24 * 60 * 60 * 1000
	for unit, value := range map[arrow.TimeUnit]int64{arrow.Second: 3 * day / 1000, arrow.Millisecond: 3 * day, arrow.Microsecond: 3 * day * 1000,
		arrow.Nanosecond: 3 * day * 1000000} {
		b := array.NewTimestampBuilder(alloc, &arrow.TimestampType{Unit: unit})
		b.Append(arrow.Timestamp(value))
		b.AppendNull()
		a := b.NewArray()
		got, ok := millis(a, 0)
		_, null := millis(a, 1)
		if got != 3*day || !ok || null {
			t.Errorf("%v: %d, %v, %v", unit, got, ok, null)
		}
		a.Release()
		b.Release()
	}
}
