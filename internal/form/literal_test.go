package form

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

var (
	east    = time.FixedZone("east", 2*3600)
	west    = time.FixedZone("", -(3600 + 90))
	morning = time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC)
	day     = time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)
)

// A time.Time is a day, a wall clock or an instant, as the type says; a time.Duration is a duration.
func TestMatcherOfGoTimes(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for _, m := range []struct {
		typ      string
		accepted map[any]any
		refused  []any
	}{
		{"date32", map[any]any{day: "2026-01-31", day.In(time.FixedZone("", 86_400)).AddDate(0, 0, -1): "2026-01-31", time.Date(2026, 1, 31, 0, 0, 0, 0, east): "2026-01-31",
			time.Date(2026, 1, 31, 0, 0, 0, 0, west): "2026-01-31", time.Date(1969, 12, 31, 0, 0, 0, 0, west): "1969-12-31", time.Time{}: "0001-01-01"},
			[]any{morning, day.In(east), day.Add(1), day.Add(-1), day.Add(time.Second), time.Date(6_000_000, 1, 1, 0, 0, 0, 0, time.UTC), time.Hour, &day}},
		{"date64", map[any]any{day: "2026-01-31", time.Date(6_000_000, 1, 1, 0, 0, 0, 0, time.UTC): i64(time.Date(6_000_000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli())},
			[]any{day.Add(time.Millisecond), time.Unix(math.MaxInt64/2/86_400*86_400, 0).UTC()}},
		{"timestamp[s]", map[any]any{morning: "2026-01-31T09:00:00", morning.In(east): "2026-01-31T11:00:00", morning.In(west): "2026-01-31T07:58:30",
			time.Date(2026, 1, 31, 9, 0, 0, 0, east): "2026-01-31T09:00:00", time.Time{}: "0001-01-01T00:00:00", time.Unix(math.MaxInt64, 0).UTC(): i64(math.MaxInt64)},
			[]any{morning.Add(1), morning.Add(time.Millisecond), time.Duration(0), time.Unix(math.MaxInt64, 0).In(east)}},
		{"timestamp[ns]", map[any]any{morning.Add(-1): "2026-01-31T08:59:59.999999999", time.Unix(0, math.MaxInt64).UTC(): i64(math.MaxInt64), time.Unix(0, math.MinInt64).UTC(): i64(math.MinInt64),
			time.Unix(-1, 5).UTC(): i64(-999_999_995)}, []any{time.Unix(0, math.MaxInt64).Add(1).UTC(), time.Unix(0, math.MinInt64).Add(-1).UTC(), time.Time{}}},
		{"timestamp[us,America/New_York]", map[any]any{morning: "2026-01-31T09:00:00Z", morning.In(east): "2026-01-31T09:00:00Z", morning.In(west).Add(time.Microsecond): "2026-01-31T09:00:00.000001Z"},
			[]any{morning.Add(1), time.Unix(math.MaxInt64, 0)}},
		{"duration[s]", map[any]any{time.Minute: 60, -time.Second: -1, time.Duration(0): 0}, []any{time.Millisecond, time.Duration(1), morning}},
		{"duration[ns]", map[any]any{time.Duration(math.MaxInt64): i64(math.MaxInt64), time.Duration(math.MinInt64): i64(math.MinInt64)}, []any{5}},
		{"dict<int8,duration[ms]>", map[any]any{time.Second: 1000}, []any{time.Microsecond}},
		{"time64[ns]", nil, []any{morning, time.Hour}},
		{"string", nil, []any{morning, time.Hour}},
		{"float64", nil, []any{morning, time.Hour}},
		{"decimal(38,0)", nil, []any{morning, time.Hour}},
		{"int64", nil, []any{morning}},
	} {
		typ, err := arrowtest.Type(m.typ)
		if err != nil {
			t.Fatal(err)
		}
		for v, cell := range m.accepted {
			rec := arrowtest.Table(t, mem, []string{"c:" + m.typ}, [][]any{{nil}, {cell}})[0]
			checkMatch(t, v, typ, m.typ, cell, read(t, rec.Columns())[0])
		}
		for _, v := range m.refused {
			if got, err := NewMatcher(typ, []any{v}); err == nil {
				t.Errorf("%s accepts %v: %+v", m.typ, v, got)
			}
		}
	}
}

// A Literal is what the buffers hold. Decimals have as many digits as the type says.
func TestLiteral(t *testing.T) {
	nines := strings.Repeat("9", 76)
	for _, l := range []struct {
		typ  string
		v    any
		cell []byte // nil: refused
	}{
		{"string", "", []byte("")}, {"dict<int8,large_string>", "ab", []byte("ab")}, {"fsb(2)", []byte{1, 2}, []byte{1, 2}}, {"fsb(2)", []byte{1}, nil},
		{"bool", true, []byte{1}}, {"ree<bool>", false, []byte{0}},
		{"int8", -2, []byte{0xfe}}, {"int16", uint8(255), []byte{255, 0}}, {"uint32", int64(1<<32 - 1), []byte{255, 255, 255, 255}}, {"uint32", int64(1 << 32), nil},
		{"uint64", uint64(math.MaxUint64), []byte{255, 255, 255, 255, 255, 255, 255, 255}}, {"int64", uint64(1 << 63), nil},
		{"float16", 1.5, []byte{0, 0x3e}}, {"float16", math.Inf(-1), []byte{0, 0xfc}}, {"float16", math.NaN(), []byte{0, 0x7e}}, {"float16", math.Copysign(0, -1), []byte{0, 0x80}},
		{"float16", 65504.0, []byte{0xff, 0x7b}}, {"float16", math.Ldexp(-1023, -24), []byte{0xff, 0x83}}, {"float16", math.Ldexp(1, -14), []byte{0, 4}},
		{"float32", float32(-1), []byte{0, 0, 0x80, 0xbf}}, {"float32", math.NaN(), []byte{0, 0, 0xc0, 0x7f}}, {"float64", 1.0, []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f}},
		{"date32", "1970-01-02", []byte{1, 0, 0, 0}}, {"date64", "1970-01-02", []byte{0, 0x5c, 0x26, 5, 0, 0, 0, 0}}, {"time32[ms]", "00:00:01", []byte{0xe8, 3, 0, 0}},
		{"timestamp[s]", "1969-12-31T23:59:59", []byte{255, 255, 255, 255, 255, 255, 255, 255}},
		{"decimal(3,1)", "-0.1", append([]byte{255}, []byte(strings.Repeat("\xff", 15))...)}, {"decimal(3,1)", "99.9", append([]byte{0xe7, 3}, make([]byte, 14)...)},
		{"decimal(3,1)", "100", nil}, {"decimal(3,1)", "-100", nil}, {"decimal(3,-2)", "99900", append([]byte{0xe7, 3}, make([]byte, 14)...)}, {"decimal(3,-2)", "100000", nil},
		{"decimal256(1,0)", "9", append([]byte{9}, make([]byte, 31)...)}, {"decimal256(76,0)", nines + "0", nil}, {"decimal(38,0)", nines[:39], nil},
		{"null", 1, nil}, {"struct<a:int8>", 1, nil}, {"list<int8>", []int8{1}, nil}, {"int8", nil, nil},
	} {
		typ, err := arrowtest.Type(l.typ)
		if err != nil {
			t.Fatal(err)
		}
		cell, err := Literal(typ, l.v)
		if (err == nil) != (l.cell != nil) || err == nil && cmp.Diff(l.cell, cell) != "" {
			t.Errorf("%s of %v: %v, %v, want %v", l.typ, l.v, cell, err, l.cell)
		}
		if err != nil && l.v != nil && !strings.Contains(err.Error(), Logical(typ).String()) {
			t.Errorf("%s of %v: %v", l.typ, l.v, err)
		}
	}
}

// What Format writes is read back, for every day that a type holds. Years above 9999 and below 0 are no exception.
func TestLiteralOfWhatFormatWrites(t *testing.T) {
	for _, text := range []string{"date32", "date64", "timestamp[s]", "timestamp[ms]", "timestamp[us,UTC]", "timestamp[ns,UTC]", "duration[s]", "duration[ns]", "time64[ns]", "time32[s]"} {
		typ, err := arrowtest.Type(text)
		if err != nil {
			t.Fatal(err)
		}
		bits := typ.(arrow.FixedWidthDataType).BitWidth()
		for k := range 2000 {
			raw := int64(mix64(uint64(k))) >> (k % 64)
			switch {
			case k < 4:
				raw = []int64{0, -1, math.MaxInt64, math.MinInt64}[k]
			case k%3 == 0:
				raw %= 400_000 * 366 // around the years that have four digits
			}
			switch FamilyOf(typ) {
			case DateFamily:
				if raw = raw << (64 - bits) >> (64 - bits); bits == 64 {
					raw = raw / 86_400_000 * 86_400_000
				}
			case TimeFamily:
				day := int64(86_400_000_000_000 / tick(typ))
				raw = (raw%day + day) % day
			}
			cell := binary.LittleEndian.AppendUint64(nil, uint64(raw))[:bits/8]
			a, err := oneRow(typ, cell)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Literal(typ, Format(a, 0))
			if err != nil || !bytes.Equal(got, cell) {
				t.Fatalf("%s: %d is written %s and read %v, %v", text, raw, Format(a, 0), got, err)
			}
		}
	}
	for _, wrong := range []string{"-0000-01-01", "12345", "-2026", "--2026-01-01", "+12026-01-01", "02026-01-01", "10000-13-01", "99999999999999999999-01-01", "-2026-02-29", "10001-02-29", "-", ""} {
		if cell, err := Literal(arrow.FixedWidthTypes.Date64, wrong); err == nil {
			t.Errorf("%q is read: %v", wrong, cell)
		}
	}
}
