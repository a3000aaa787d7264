package differ

import (
	"fmt"
	"strings"
	"testing"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
)

// mergeCase is a target t and a source s, with an ON clause and an acting condition.
type mergeCase struct {
	*question
	target, source []column // the key's columns
	opts           grain.MergeOptions
	on, acts       string // as SQL
}

func (q *question) drawMerge() *mergeCase {
	c := &mergeCase{question: q}
	c.target, c.source, _ = q.keyPair("a", "b")
	c.opts = grain.MergeOptions{Nulls: one(q, grain.NullsDistinct, grain.NullsEqual), Worst: one(q, 0, 0, 1, 3, -1), Resources: onerow.Resources{Workers: 1 + q.IntN(3)},
		SourceNames: map[string]string{}}
	for i := range c.target {
		c.opts.SourceNames[c.target[i].name] = c.source[i].name
	}
	c.on, c.acts = condition("t", c.target, "s", c.source, c.opts.Nulls == grain.NullsEqual), "true"
	return c
}

// ask makes both tables, of the key's columns and two more that a condition may name, and asks both sides.
func (c *mergeCase) ask() *grain.MergeReport {
	target, source := c.target, c.source
	for i := range 2 {
		a := c.column(fmt.Sprintf("v%d", i))
		b := c.column(fmt.Sprintf("w%d", i), a.family)
		target, source = append(target[:len(target):len(target)], a), append(source[:len(source):len(source)], b)
	}
	if c.chance(60) {
		n := len(target) - c.IntN(3)
		var acts []string
		for i := n - 1; i < len(target); i++ {
			c.opts.Acts = append(c.opts.Acts, target[i].name)
			c.opts.SourceNames[target[i].name] = source[i].name
			acts = append(acts, "t."+target[i].name+" IS DISTINCT FROM s."+source[i].name)
		}
		c.acts = strings.Join(acts, " OR ")
	}
	ts := c.load("t", target, c.rows(c.IntN(30), target))
	ss := c.load("s", source, c.rows(c.IntN(30), source))
	c.tell("options %+v", c.opts)
	r, err := grain.MergeConflicts(c.Context(), ts, ss, names(c.target), c.opts)
	if err != nil {
		c.Fatal(err)
	}
	c.compareCounts(r)
	c.compareConflicts(r)
	c.compareDuplicates(r)
	return r
}

func TestMergeConflicts(t *testing.T) {
	conflicts, repeats := int64(0), int64(0)
	each(t, func(_ *testing.T, q *question) {
		r := q.drawMerge().ask()
		conflicts, repeats = conflicts+r.Conflicts, repeats+r.UnmatchedDuplicateKeys
	})
	t.Logf("%d target rows in conflict, %d new keys that come twice", conflicts, repeats)
}

// compareCounts makes the tables hits, of each target row that source rows act on, and lone, of source rows that match nothing and may be duplicates.
func (c *mergeCase) compareCounts(r *grain.MergeReport) {
	c.Helper()
	whole := "NOT " + anyNull(c.source)
	if r.NullSafe {
		whole = "true"
	}
	if err := c.db.Exec(c.Context(), fmt.Sprintf(`CREATE OR REPLACE TEMP TABLE hits AS
SELECT p.t, k.g, count(*) AS c, array_to_string(list(p.s ORDER BY p.s)[:%[1]d], ' ') AS s FROM (SELECT t.rowid AS t, s.rowid AS s FROM t JOIN s ON %[2]s WHERE %[3]s) p
JOIN (SELECT rowid AS t, dense_rank() OVER (ORDER BY %[4]s) AS g FROM t) k USING (t) GROUP BY ALL HAVING count(*) > 1;
CREATE OR REPLACE TEMP TABLE lone AS SELECT count(*) AS c, min(n) AS first, array_to_string(list(n ORDER BY n)[:%[1]d], ' ') AS rows
FROM (SELECT rowid AS n, dense_rank() OVER (ORDER BY %[5]s) AS g FROM s WHERE %[6]s AND NOT EXISTS (FROM t WHERE %[2]s)) GROUP BY g HAVING count(*) > 1`,
		onerow.MaxSampleRows, c.on, c.acts, list(c.target), list(c.source), whole)); err != nil {
		c.Fatal(err)
	}
	n := c.counts(`SELECT (SELECT count(*) FROM t), (SELECT count(*) FROM s), (SELECT count(*) FROM s WHERE EXISTS (FROM t WHERE %[1]s)),
  (SELECT count(*) FROM s WHERE NOT EXISTS (FROM t WHERE %[1]s)), (SELECT count(*) FROM hits), (SELECT count(DISTINCT g) FROM hits),
  (SELECT sum(c - 1)::BIGINT FROM lone), (SELECT count(*) FROM lone), (SELECT count(*) FROM s WHERE %[2]s),
  (SELECT count(*) FROM s WHERE %[2]s AND EXISTS (FROM t WHERE %[3]s))`, c.on, anyNull(c.source), condition("t", c.target, "s", c.source, true))
	same(c.question, "counts", fmt.Sprint(r.TargetRows, r.SourceRows, r.MatchedRows, r.UnmatchedRows, r.Conflicts, r.ConflictKeys, r.UnmatchedDuplicates,
		r.UnmatchedDuplicateKeys, r.NullKeyRows, r.NullKeyRepeats), strings.Trim(fmt.Sprint(n), "[]"))
	c.compareNulls(r.Nulls, "s", c.source)
}

func (c *mergeCase) worst() int {
	if c.opts.Worst == 0 {
		return grain.DefaultWorst
	}
	return max(0, c.opts.Worst)
}

func (c *mergeCase) compareConflicts(r *grain.MergeReport) {
	c.Helper()
	var ours, theirs []string
	for _, w := range r.WorstConflicts {
		ours = append(ours, fmt.Sprint(w.Conflicts, " ", numbers(w.Target), " ", w.Hits, " ", numbers(w.Source)))
	}
	for _, w := range c.question.ask(`SELECT count(*), array_to_string(list(t ORDER BY t)[:%d], ' '), arg_min(c, t), arg_min(s, t) FROM hits GROUP BY g
ORDER BY arg_min(c, t) DESC, min(t) LIMIT %d`, onerow.MaxSampleRows, c.worst()) {
		theirs = append(theirs, fmt.Sprintf("%v [%v] %v [%v]", w...))
	}
	same(c.question, "worst conflicts", strings.Join(ours, "; "), strings.Join(theirs, "; "))
}

func (c *mergeCase) compareDuplicates(r *grain.MergeReport) {
	c.Helper()
	var ours, theirs []string
	for _, w := range r.WorstDuplicates {
		ours = append(ours, fmt.Sprint(w.Count, " ", numbers(w.Rows)))
	}
	for _, w := range c.question.ask("SELECT c, rows FROM lone ORDER BY c DESC, first LIMIT %d", c.worst()) {
		theirs = append(theirs, fmt.Sprintf("%v [%v]", w...))
	}
	same(c.question, "worst duplicates", strings.Join(ours, "; "), strings.Join(theirs, "; "))
}
