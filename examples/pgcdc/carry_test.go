package main

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// note1 is a row of customers with a note.
func note1(op string, lsn uint64, seq int64, id string, notes cell) row {
	return row{op: op, at: position{lsn, seq}, cells: []cell{text("t"), text(id), notes}}
}

// moved1 is a change that gave the row another key, and didn't touch its note.
func moved1(lsn uint64, seq int64, from, to string) row {
	r := note1("u", lsn, seq, to, text(unavailable))
	r.previous = []cell{text("t"), text(from)}
	return r
}

func customersTable(t *testing.T) *table {
	t.Helper()
	tab, err := newTable("customers")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tenant_id", "customer_id", "notes"} {
		tab.addColumn(name)
	}
	return tab
}

func TestCarry(t *testing.T) {
	blind := text(unavailable)
	deleted := func(lsn uint64, id string) row {
		return customersTable(t).tombstone([]cell{text("t"), text(id)}, position{commitLSN: lsn})
	}
	for _, test := range []struct {
		name    string
		batches [][]row
		want    []cell // the notes of the last batch
	}{
		{"from the same batch, in any order", [][]row{
			{note1("u", 3, 1, "1", blind), note1("u", 2, 1, "1", text("b")), note1("c", 1, 1, "1", text("a"))},
		}, []cell{text("b"), text("b"), text("a")}},
		{"from an earlier batch; NULL is a value", [][]row{
			{note1("r", 1, 0, "1", cell{}), note1("r", 1, 0, "2", text(""))},
			{note1("u", 2, 1, "1", blind), note1("u", 2, 2, "2", blind)},
		}, []cell{{}, text("")}},
		{"to an event that comes again after newer ones", [][]row{
			{note1("c", 1, 1, "1", text("a")), note1("u", 2, 1, "1", blind)},
			{note1("u", 3, 1, "1", text("b"))},
			{note1("u", 2, 1, "1", blind), note1("u", 4, 1, "1", blind)},
		}, []cell{text("a"), text("b")}},
		{"from the key before, whatever the new key had", [][]row{
			{note1("c", 1, 1, "1", text("a")), note1("c", 1, 2, "2", text("b")), deleted(2, "2")},
			{moved1(3, 1, "1", "2"), note1("u", 4, 1, "2", blind)},
		}, []cell{text("a"), text("a")}},
		{"through a swap", [][]row{
			{note1("c", 1, 1, "1", text("a")), note1("c", 1, 2, "2", text("b"))},
			{moved1(3, 1, "1", "9"), moved1(3, 2, "2", "1"), moved1(3, 3, "9", "2"), note1("u", 4, 1, "1", blind), note1("u", 4, 2, "2", blind)},
		}, []cell{text("a"), text("b"), text("a"), text("b"), text("a")}},
		{"to the rest of a transaction that comes again without its begin", [][]row{
			{note1("c", 1, 1, "1", text("a")), note1("u", 2, 1, "1", text("b")), moved1(2, 2, "1", "2"), note1("u", 2, 3, "2", text("c"))},
			{moved1(2, 2, "1", "2")},
		}, []cell{text("b")}},
		{"to a key that is used again", [][]row{
			{note1("c", 1, 1, "1", text("a")), deleted(2, "1"), note1("c", 3, 1, "1", text("b"))},
			{note1("u", 4, 1, "1", blind), deleted(2, "1"), {op: opTruncate, at: position{5, 1}}},
		}, []cell{text("b"), {}, {}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCarrier(customersTable(t))
			var got []cell
			for _, rows := range test.batches {
				if err := c.fill(rows); err != nil {
					t.Fatal(err)
				}
				got = nil
				for _, r := range rows {
					got = append(got, r.cell(2))
				}
			}
			if diff := cmp.Diff(test.want, got, opaque); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCarryRefuses(t *testing.T) {
	tab := customersTable(t)
	for name, rows := range map[string][]row{
		"never seen": {note1("c", 1, 1, "2", text("a")), note1("u", 7, 2, "1", text(unavailable))},
		"only later": {note1("u", 8, 1, "1", text("a")), note1("u", 7, 2, "1", text(unavailable))},
		"deleted":    {note1("c", 1, 1, "1", text("a")), tab.tombstone([]cell{text("t"), text("1")}, position{2, 1}), note1("u", 7, 2, "1", text(unavailable))},
		"moved":      {note1("c", 1, 1, "1", text("a")), moved1(2, 1, "1", "2"), note1("u", 7, 2, "1", text(unavailable))},
	} {
		err := newCarrier(tab).fill(rows)
		if err == nil || !strings.Contains(err.Error(), `commit_lsn 7, seq_in_tx 2: column "notes" was left out, and the row [t 1]`) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestFormatDouble(t *testing.T) {
	for want, x := range map[string]float64{
		"0": 0, "-0": math.Copysign(0, -1), "NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1),
		"11": 11, "77.3": 77.3, "1.6687457055324595": 1.6687457055324595, "0.0001": 1e-4, "1e-05": 1e-5, "-1.5e-05": -1.5e-5,
		"100000000000000": 1e14, "123456789012345.67": 123456789012345.67, "1e+15": 1e15, "1.2345678901234568e+15": 1234567890123456.8,
		"1.7976931348623157e+308": math.MaxFloat64, "5e-324": math.SmallestNonzeroFloat64,
	} {
		if got := formatDouble(x); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
