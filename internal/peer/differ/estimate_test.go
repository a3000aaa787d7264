package differ

import (
	"fmt"
	"strings"
	"testing"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/join"
)

// keyPair draws the key of two tables: columns of the same families, of types that may differ.
func (q *question) keyPair(left, right string) (l, r []column, on join.Key) {
	for i := range 1 + q.IntN(3) {
		a := q.column(fmt.Sprintf("%s%d", left, i))
		b := q.column(fmt.Sprintf("%s%d", right, i), a.family)
		l, r = append(l, a), append(r, b)
		on.Left, on.Right = append(on.Left, a.name), append(on.Right, b.name)
	}
	return l, r, on
}

// condition is that of a join, with a table's name before each column.
func condition(left string, l []column, right string, r []column, equal bool) string {
	op := " = "
	if equal {
		op = " IS NOT DISTINCT FROM "
	}
	terms := make([]string, len(l))
	for i := range l {
		terms[i] = left + "." + l[i].name + op + right + "." + r[i].name
	}
	return strings.Join(terms, " AND ")
}

func TestEstimate(t *testing.T) {
	explosions := 0
	each(t, func(t *testing.T, q *question) {
		l, r, on := q.keyPair("a", "b")
		left, right := q.load("l", l, q.rows(q.IntN(40), l)), q.load("r", r, q.rows(q.IntN(40), r))
		opts := join.Options{Nulls: one(q, join.NullsNever, join.NullsEqual), Worst: one(q, 0, 0, 2), Resources: onerow.Resources{Workers: 1 + q.IntN(3)}}
		q.tell("options %+v", opts)
		s, err := join.Estimate(t.Context(), left, right, on, opts)
		if err != nil {
			t.Fatal(err)
		}
		equal := opts.Nulls == join.NullsEqual
		match := condition("l", l, "r", r, equal)
		sizes := q.counts(`SELECT (SELECT count(*) FROM l JOIN r ON %[1]s), (SELECT count(*) FROM l LEFT JOIN r ON %[1]s), (SELECT count(*) FROM l RIGHT JOIN r ON %[1]s),
  (SELECT count(*) FROM l FULL JOIN r ON %[1]s), (SELECT count(*) FROM l SEMI JOIN r ON %[1]s), (SELECT count(*) FROM l ANTI JOIN r ON %[1]s),
  (SELECT count(*) FROM r SEMI JOIN l ON %[1]s), (SELECT count(*) FROM r ANTI JOIN l ON %[1]s)`, match)
		z := s.Rows
		same(q, "rows", fmt.Sprint(z.Inner, z.Left, z.Right, z.Full, z.LeftSemi, z.LeftAnti, z.RightSemi, z.RightAnti), strings.Trim(fmt.Sprint(sizes), "[]"))
		q.compareSide("left", s.Left, "l", l, "r", match, equal)
		q.compareSide("right", s.Right, "r", r, "l", match, equal)
		q.compareWorst(s, l, r, match, opts)
		explosions += len(s.Worst)
	})
	t.Logf("%d keys that explode", explosions)
}

// compareSide compares what is said of one side.
func (q *question) compareSide(what string, ours join.Side, table string, key []column, other, match string, equal bool) {
	q.Helper()
	whole := "NOT " + anyNull(key)
	if equal {
		whole = "true"
	}
	n := q.counts(`WITH met AS (SELECT %[1]s.rowid AS n, count(*) AS c FROM %[1]s JOIN %[2]s ON %[3]s GROUP BY ALL),
  k AS (SELECT count(*) AS c, count(met.n) AS m FROM %[1]s LEFT JOIN met ON %[1]s.rowid = met.n WHERE %[4]s GROUP BY %[5]s)
SELECT (SELECT count(*) FROM %[1]s), (SELECT count(*) FROM k), (SELECT count(*) FROM %[1]s WHERE %[6]s), (SELECT count(*) FROM met),
  (SELECT coalesce(max(c), 0) FROM met), (SELECT count(*) FROM k WHERE m > 1), (SELECT coalesce(max(c), 0) FROM k)`,
		table, other, match, whole, list(key), anyNull(key))
	same(q, what, fmt.Sprint(ours.Rows, ours.Keys, ours.NullRows, ours.MatchedRows, ours.MaxFanOut, ours.RepeatedKeys, ours.Unique),
		strings.Trim(fmt.Sprint(n[:6]), "[]")+fmt.Sprint(" ", n[6] <= 1))
}

// compareWorst compares the keys that make two rows or more, the worst first.
func (q *question) compareWorst(s *join.Size, l, r []column, match string, opts join.Options) {
	q.Helper()
	limit := opts.Worst
	if limit == 0 {
		limit = join.DefaultWorst
	}
	var ours, theirs []string
	for _, w := range s.Worst {
		ours = append(ours, fmt.Sprint(w.Inner, w.Left, w.Right, w.LeftRows, w.RightRows))
	}
	for _, w := range q.ask(`WITH p AS (SELECT l.rowid AS a, r.rowid AS b, dense_rank() OVER (ORDER BY %s) AS g FROM l JOIN r ON %s)
SELECT count(*), count(DISTINCT a), count(DISTINCT b), array_to_string(list(DISTINCT a ORDER BY a)[:10], ' '), array_to_string(list(DISTINCT b ORDER BY b)[:10], ' ')
FROM p GROUP BY g HAVING count(*) > 1 ORDER BY count(*) DESC, min(a) LIMIT %d`, "l."+strings.Join(names(l), ", l."), match, limit) {
		theirs = append(theirs, fmt.Sprintf("%v %v %v [%v] [%v]", w...))
	}
	same(q, "worst keys", strings.Join(ours, "; "), strings.Join(theirs, "; "))
	keys := q.counts("SELECT count(*) FROM (SELECT DISTINCT %s FROM l JOIN r ON %s)", "l."+strings.Join(names(l), ", l."), match)[0]
	same(q, "matched keys", s.MatchedKeys, keys)
	want := join.None
	for _, rel := range []struct {
		manyLeft, manyRight bool
		is                  join.Relationship
	}{{false, false, join.OneToOne}, {false, true, join.OneToMany}, {true, false, join.ManyToOne}, {true, true, join.ManyToMany}} {
		if keys > 0 && rel.manyLeft == (s.Right.MaxFanOut > 1) && rel.manyRight == (s.Left.MaxFanOut > 1) {
			want = rel.is
		}
	}
	same(q, "relationship", s.Relationship, want)
}
