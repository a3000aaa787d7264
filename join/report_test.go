package join_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/join"
)

// counted reads a count, which may be beyond 64 bits.
func counted(t *testing.T, text string) (c join.Count) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCount(t *testing.T) {
	const most = "340282366920938463463374607431768211455"
	for text, want := range map[string]string{"0": "0", "9007199254740992": "9007199254740992", "9007199254740993": `"9007199254740993"`,
		"18446744073709551616": `"18446744073709551616"`, `"7"`: "7", `"` + most + `"`: `"` + most + `"`} {
		c := counted(t, text)
		got, err := json.Marshal(c)
		if err != nil || string(got) != want || c.String() != strings.Trim(want, `"`) || c.Big().String() != c.String() {
			t.Errorf("%s: %s, %v, %v", text, got, c, err)
		}
		if f, _ := new(big.Float).SetInt(c.Big()).Float64(); f != c.Float64() {
			t.Errorf("%s as a float: %v", text, c.Float64())
		}
	}
	for _, text := range []string{"-1", "1.5", `""`, `"x"`, "340282366920938463463374607431768211456", "[]"} {
		var c join.Count
		if err := json.Unmarshal([]byte(text), &c); err == nil {
			t.Errorf("%s is the count %v", text, c)
		}
	}
	if c := counted(t, "null"); c != join.CountOf(0) {
		t.Errorf("null is %v", c)
	}
	order := []string{"0", "1", "18446744073709551615", "18446744073709551616", "36893488147419103232", most}
	for i, a := range order {
		for j, b := range order {
			if got := counted(t, a).Cmp(counted(t, b)); got != cmp2(i, j) {
				t.Errorf("%s against %s: %d", a, b, got)
			}
		}
	}
}

func cmp2(i, j int) int {
	switch {
	case i < j:
		return -1
	case i > j:
		return 1
	}
	return 0
}

// TestSizeJSON: a size that went through JSON guards as it did before.
func TestSizeJSON(t *testing.T) {
	size := estimated()
	text, err := json.Marshal(size)
	if err != nil {
		t.Fatal(err)
	}
	var back join.Size
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(size, &back, plainCounts); d != "" {
		t.Error(d)
	}
	if a, b := size.Require(join.OneToOne).Error(), back.Require(join.OneToOne).Error(); a != b || !strings.Contains(string(text), `"relationship":"many_to_many"`) {
		t.Errorf("%s\n%s\n%s", a, b, text)
	}
}

// TestRequireBothSides: under OneToOne the keys that repeat on either side are listed, each with its rows there.
func TestRequireBothSides(t *testing.T) {
	mem := arrowtest.Allocator(t)
	left := arrowtest.Table(t, mem, []string{"k:string"}, [][]any{{"a"}, {"a"}, {"b"}, {"c"}, {"c"}})
	right := arrowtest.Table(t, mem, []string{"k:string"}, [][]any{{"b"}, {"b"}, {"a"}, {"d"}, {"d"}})
	s, err := join.Estimate(t.Context(), left, right, join.On("k"), join.Options{Worst: -1})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Require(join.OneToOne)
	var first *onerow.KeysError
	if !errors.As(err, &first) || first.Input != "left" || first.Total != 1 || !slices.Equal(first.Keys[0].Rows, onerow.Rows{0, 1}) {
		t.Errorf("%+v", first)
	}
	for _, says := range []string{`k="a" in 2 rows of left (rows 0, 1), meets 1 right row: 2 rows, 50 %`, `k="b" in 2 rows of right (rows 0, 1), meets 1 left row`} {
		if !strings.Contains(err.Error(), says) {
			t.Errorf("%v doesn't say %s", err, says)
		}
	}
	if err := s.Require(join.None); !errors.Is(err, onerow.ErrRelationship) || !strings.Contains(err.Error(), "3 left rows match") {
		t.Errorf("%v", err)
	}
	if s.Worst != nil {
		t.Errorf("listed: %+v", s.Worst)
	}
}

// TestRequireNone: the matched keys that make the most rows are listed, where any makes two.
func TestRequireNone(t *testing.T) {
	mem := arrowtest.Allocator(t)
	left := arrowtest.Table(t, mem, []string{"l:int8"}, [][]any{{1}, {2}, {3}, {2}})
	right := arrowtest.Table(t, mem, []string{"r:int8"}, [][]any{{1}, {2}, {2}, {4}})
	size, err := join.Estimate(t.Context(), left, right, join.Pair("l", "r"), join.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var keys *onerow.KeysError
	if err = size.Require(join.None); !errors.As(err, &keys) || keys.Total != 2 || len(keys.Keys) != 1 || !slices.Equal(keys.Keys[0].Rows, onerow.Rows{1, 3}) {
		t.Errorf("%v", err)
	}
	const says = "relationship: 2 keys: no match was allowed, and 3 left rows match; l=2 in 2 rows of left (rows 1, 3), meets 2 right rows: 4 rows, 80 % of the inner join; … (1 more)"
	if err.Error() != says {
		t.Errorf("%v", err)
	}
}

// TestDetectedPlaceholders: usual values, and far more frequent ones only.
func TestDetectedPlaceholders(t *testing.T) {
	for _, test := range []struct {
		column string
		cells  []any // each is a key of four rows beside keys of one row
		want   []string
	}{
		{"k:int64", []any{0, -1, 999, -9999, 99, 1, -2}, []string{"0", "-1", "999", "-9999"}},
		{"k:uint8", []any{0, 255, 99}, []string{"0"}},
		{"k:float64", []any{0.0, -1.0, 9999.0, 1.5, map[string]any{"f": "NaN"}}, []string{"0", "-1", "9999"}},
		{"k:decimal(10,2)", []any{"0", "-1", "999", "9.99", "1.5"}, []string{"0.00", "-1.00", "999.00"}},
		{"k:string", []any{"", " Unknown\t", "N/A", "-", "000", "00", "9999", "x", "null!", "00000000-0000-0000-0000-000000000000"},
			[]string{`""`, `" Unknown\t"`, `"N/A"`, `"-"`, `"000"`, `"9999"`, `"00000000-0000-0000-0000-000000000000"`}},
		{"k:dict<int8,large_string>", []any{"tbd", "tbx"}, []string{`"tbd"`}},
		{"k:binary", []any{[]byte{}, []byte{0, 0}, []byte{0, 1}}, []string{"0x", "0x0000"}},
		{"k:date32", []any{"1900-01-01", "1970-01-01", "9999-12-31", "2026-01-01"}, []string{"1900-01-01", "1970-01-01", "9999-12-31"}},
		{"k:timestamp[us]", []any{"1900-01-01T00:00:00", "1900-01-01T00:00:01"}, []string{"1900-01-01T00:00:00"}},
		{"k:timestamp[ms,UTC]", []any{"1970-01-01T00:00:00Z", "1970-01-01T00:00:00.5Z"}, []string{"1970-01-01T00:00:00Z"}},
		{"k:bool", []any{true, false}, nil},
	} {
		t.Run(test.column, func(t *testing.T) {
			mem := arrowtest.Allocator(t)
			var rows [][]any
			for _, c := range test.cells {
				rows = append(rows, []any{c, 1}, []any{c, 1}, []any{c, 1}, []any{c, 1})
			}
			// Other keys: those of one row, told apart by the second column.
			for i := range 40 {
				rows = append(rows, []any{test.cells[len(test.cells)-1], 2 + i})
			}
			left := arrowtest.Table(t, mem, []string{test.column, "n:int32"}, rows)
			right := arrowtest.Table(t, mem, []string{test.column, "n:int32"}, rows[:1])
			s, err := join.Estimate(t.Context(), left, right, join.On("k", "n"), join.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, k := range s.Placeholders.Keys {
				got = append(got, k.Values[0])
			}
			slices.Sort(got)
			want := slices.Sorted(slices.Values(test.want))
			if !slices.Equal(got, want) || s.Placeholders.Left != int64(4*len(want)) {
				t.Errorf("%q, %d rows; want %q", got, s.Placeholders.Left, want)
			}
			if len(want) > 0 && (s.Placeholders.Right != 1 || s.Placeholders.Inner != join.CountOf(4) || s.Left.PlaceholderShare == 0) {
				t.Errorf("%+v", s.Placeholders)
			}
		})
	}
}

// TestPlaceholderFrequency: three rows, and three times the mean of the side's other keys; detected on one side, a key is one on both.
func TestPlaceholderFrequency(t *testing.T) {
	for _, test := range []struct {
		zeros, others int // rows of 0, and of each of two other keys
		is            bool
	}{{2, 0, false}, {3, 0, true}, {3, 1, true}, {2, 1, false}, {5, 2, false}, {6, 2, true}, {8, 3, false}, {9, 3, true}} {
		mem := arrowtest.Allocator(t)
		var rows [][]any
		for range test.others {
			rows = append(rows, []any{5}, []any{6})
		}
		for range test.zeros {
			rows = append(rows, []any{0})
		}
		left, right := arrowtest.Table(t, mem, []string{"k:int32"}, rows), arrowtest.Table(t, mem, []string{"k:int64"}, [][]any{{0}, {1}})
		for _, sides := range [][2][]arrow.Record{{left, right}, {right, left}, {left, left}} {
			s, err := join.Estimate(t.Context(), sides[0], sides[1], join.On("k"), join.Options{})
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			if test.is {
				n = 1
			}
			if p := s.Placeholders; len(p.Keys) != n || test.is && (p.Keys[0].Left != p.Left || p.Keys[0].Right != p.Right || p.Left*p.Right == 0) {
				t.Errorf("%+v: %+v", test, p)
			}
		}
	}
}
