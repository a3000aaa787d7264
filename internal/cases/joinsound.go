package cases

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/join"
)

// soundSize checks what holds for every size: the counts add up, and the worst keys are what they say. It returns these.
func (r *runner) soundSize(s *join.Size, in [2][]arrow.Record) ([]worstPair, bool) {
	a := s.Rows
	one := func(n int64) string { return join.CountOf(uint64(n)).String() }
	sum := func(x, y join.Count) string { return x.Big().Add(x.Big(), y.Big()).String() }
	for _, pair := range [][3]string{
		{"left_semi", one(s.Left.MatchedRows), a.LeftSemi.String()}, {"left_anti", one(s.Left.UnmatchedRows), a.LeftAnti.String()},
		{"right_semi", one(s.Right.MatchedRows), a.RightSemi.String()}, {"right_anti", one(s.Right.UnmatchedRows), a.RightAnti.String()},
		{"left", sum(a.Inner, a.LeftAnti), a.Left.String()}, {"right", sum(a.Inner, a.RightAnti), a.Right.String()},
		{"full", sum(a.Left, a.RightAnti), a.Full.String()},
		{"left rows", fmt.Sprint(sizeOfTable(in[0])), one(s.Left.MatchedRows + s.Left.UnmatchedRows)},
		{"right rows", fmt.Sprint(sizeOfTable(in[1])), one(s.Right.MatchedRows + s.Right.UnmatchedRows)},
	} {
		if pair[1] != pair[2] {
			r.fail(pair[0]+" "+pair[1], pair[2])
		}
	}
	if err := s.Require(s.Relationship); err != nil {
		r.fail("a relationship that holds", err.Error())
	}
	return r.worstPairs(s, in)
}

func sizeOfTable(batches []arrow.Record) (n int64) {
	for _, b := range batches {
		n += b.NumRows()
	}
	return n
}

// worstPairs reads the worst keys of a size, by their first left rows.
func (r *runner) worstPairs(s *join.Size, in [2][]arrow.Record) (out []worstPair, ok bool) {
	left, right := arrowtest.All(in[0]), arrowtest.All(in[1])
	leftKey, rightKey := keyColumns(in[0], s.On.Left), keyColumns(in[1], s.On.Right)
	for i, m := range s.Worst {
		if len(m.LeftRows) == 0 || len(m.RightRows) == 0 || len(m.Values) != len(s.On.Left) {
			r.fail("worst keys with rows of both sides and values", fmt.Sprintf("%+v", m))
			return nil, false
		}
		key := keyText(left[m.LeftRows[0]], leftKey)
		// How many rows of either side have it, by the texts of all.
		counts := [2]int64{}
		for _, row := range left {
			counts[0] += same(key, keyText(row, leftKey))
		}
		for _, row := range right {
			counts[1] += same(key, keyText(row, rightKey))
		}
		if counts != [2]int64{m.Left, m.Right} || keyText(right[m.RightRows[0]], rightKey) != key ||
			m.Inner.String() != fmt.Sprint(m.Left*m.Right) || m.Left*m.Right < 2 {
			r.fail(fmt.Sprintf("%s in %v rows", key, counts), fmt.Sprintf("%+v", m))
		}
		if i > 0 && s.Worst[i-1].Inner.Cmp(m.Inner) < 0 {
			r.fail("worst keys first", fmt.Sprintf("%+v", s.Worst))
		}
		out = append(out, worstPair{key, m.Left, m.Right})
	}
	return out, true
}

func same(a, b string) int64 {
	if a == b {
		return 1
	}
	return 0
}

// names returns which of the names aren't in the list.
func names(list string, given []string) map[string]bool {
	unknown := map[string]bool{}
	for _, name := range given {
		if !slices.Contains(strings.Fields(list), name) {
			unknown[name] = true
		}
	}
	return unknown
}
