package dedupe

import (
	"cmp"
	"slices"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/order"
)

// tie is a key with a tie for the winner: rows equal in order, different in content, in ascending order.
type tie struct {
	rows   []uint32
	target bool // they tie with the target's row
}

// whyTied says what ties have in common.
func whyTied(ties []tie) string {
	const choose = "; add an order column, or choose a rule for ties"
	target := 0
	for _, t := range ties {
		if t.target {
			target++
		}
	}
	switch target {
	case 0:
		return "rows are equal in order and differ in content" + choose
	case len(ties):
		return "rows are equal in order to the target's row and differ from it in content" + choose
	}
	return "rows are equal in order, to each other or to the target's row, and differ in content" + choose
}

// firstTies returns the ties of the keys that appear first.
func firstTies(ties []tie) []tie {
	ties = slices.Clone(ties)
	slices.SortFunc(ties, func(a, b tie) int { return cmp.Compare(a.rows[0], b.rows[0]) })
	return ties[:min(len(ties), onerow.MaxSampleKeys)]
}

// verdict is what becomes of rows of one key that are equal in order and greater than all others.
type verdict struct {
	winner    uint32
	copies    int64 // of the winner, itself not counted
	tied      bool  // a tie among upserts, however it was resolved
	unsettled bool  // no winner: the policy rejects or sets aside
	deleteTie bool  // a delete won over an upsert
}

// settle decides between at least two rows of the batches, in ascending order.
func (j *job) settle(w *keyset.Watch, rows []uint32) verdict {
	var v verdict
	var deletes []uint32
	for _, r := range rows {
		if j.isDelete(r) {
			deletes = append(deletes, r)
		}
	}
	if len(deletes) > 0 {
		v.deleteTie = len(deletes) < len(rows)
		v.winner = j.greatest(w, deletes)
		v.copies = j.copies(w, v.winner, deletes)
		return v
	}
	v.winner = j.greatest(w, rows)
	v.copies = j.copies(w, v.winner, rows)
	if v.copies == int64(len(rows))-1 {
		return v
	}
	v.tied = true
	switch j.opts.Ties {
	case RejectTies, SetAsideTies:
		v.unsettled = true
	case FirstTied:
		v.winner = rows[0]
		v.copies = j.copies(w, v.winner, rows)
	case LastTied:
		v.winner = rows[len(rows)-1]
		v.copies = j.copies(w, v.winner, rows)
	}
	return v
}

// count adds what a verdict counts.
func (r *Report) count(v verdict) {
	if v.deleteTie {
		r.DeleteTies++
	}
	if v.tied {
		r.TiedKeys++
	}
	if !v.unsettled {
		r.Duplicates += v.copies
	}
}

// greatest returns the row that is greatest by content; of rows equal by content, the greatest by bits, and of copies to the bit the
// first.
func (j *job) greatest(w *keyset.Watch, rows []uint32) uint32 {
	best := rows[0]
	for _, r := range rows[1:] {
		if w.Over() {
			return best
		}
		c := order.Content(j.content, r, best, form.ByContent)
		if c == 0 {
			c = order.Content(j.content, r, best, form.ByBits)
		}
		if c > 0 {
			best = r
		}
	}
	return best
}

// copies counts the rows, other than row itself, that are equal to it in every column.
func (j *job) copies(w *keyset.Watch, row uint32, rows []uint32) (n int64) {
	for _, r := range rows {
		if w.Over() {
			return n
		}
		if r != row && order.Content(j.content, r, row, form.ByValue) == 0 {
			n++
		}
	}
	return n
}
