package onerowtest

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
)

const (
	// permuted is the number of rows up to which Arrivals makes all orders.
	permuted = 4
	// shuffles is the number of orders that it makes of more rows.
	shuffles = 24
)

// Cuts yields the rows of the batches in their order, cut into batches as given, of one, two, three and all rows, and each of these
// with empty batches around and between, under a name for t.Run. A rule whose outcome depends on where batches happen to be cut
// fails for one of them.
//
// The batches belong to the test, which releases them when it ends. Batches of different schemas end the test.
func Cuts(t TB, batches []arrow.Record) iter.Seq2[string, []arrow.Record] {
	return func(yield func(string, []arrow.Record) bool) {
		t.Helper()
		if d := newDelivery(t, batches); d != nil {
			d.cuts(yield)
		}
	}
}

// Arrivals yields the rows of the batches in the ways in which they may arrive: first all of [Cuts], then in other orders, each of them
// row by row, and in batches of two, three or all rows in turn. Up to four rows come in every order there is, more of them
// reversed and in two dozen orders that are the same in each run. Handed to a rule in one call, or batch by batch, they must give
// one history.
//
// The batches belong to the test, which releases them when it ends. Batches of different schemas end the test.
func Arrivals(t TB, batches []arrow.Record) iter.Seq2[string, []arrow.Record] {
	return func(yield func(string, []arrow.Record) bool) {
		t.Helper()
		d := newDelivery(t, batches)
		if d == nil || !d.cuts(yield) {
			return
		}
		n := 0
		for name, order := range orders(len(d.rows)) {
			size := []int{2, 3, len(order)}[n%3]
			n++
			if !yield(name+", row by row", d.deal(order, 1)) || !yield(fmt.Sprintf("%s, batches of %d", name, size), d.deal(order, size)) {
				return
			}
		}
	}
}

// delivery deals the rows of batches out.
type delivery struct {
	t       TB
	mem     memory.Allocator
	batches []arrow.Record
	rows    onerow.Rows
}

// newDelivery returns nil for batches whose rows can't be dealt out, when the test has failed.
func newDelivery(t TB, batches []arrow.Record) *delivery {
	t.Helper()
	d := &delivery{t: t, mem: Allocator(t), batches: batches}
	var total int64
	for _, b := range batches {
		total += b.NumRows()
	}
	if total > onerow.MaxRows {
		t.Fatalf("onerowtest: %v", onerow.ErrTooManyRows)
		return nil
	}
	for row := range total {
		d.rows = append(d.rows, uint32(row))
	}
	if len(batches) == 0 {
		return d
	}
	rec, err := onerow.Take(context.Background(), batches, nil, onerow.Resources{Allocator: d.mem})
	if err != nil {
		t.Fatalf("onerowtest: %v", err)
		return nil
	}
	rec.Release()
	return d
}

// cuts yields the rows in their order. It says whether to go on.
func (d *delivery) cuts(yield func(string, []arrow.Record) bool) bool {
	given := d.given()
	if !yield("as given", given) || len(given) == 0 {
		return false
	}
	if !yield("as given, empty between", d.spread(given)) {
		return false
	}
	for _, size := range []int{1, 2, 3, len(d.rows)} {
		name := fmt.Sprintf("batches of %d", size)
		if size == len(d.rows) {
			name = "one batch"
		} else if size > len(d.rows) {
			continue
		}
		cut := d.deal(d.rows, size)
		if !yield(name, cut) || !yield(name+", empty between", d.spread(cut)) {
			return false
		}
		if size == len(d.rows) {
			break
		}
	}
	return true
}

// given returns the batches as they are.
func (d *delivery) given() []arrow.Record {
	for _, b := range d.batches {
		b.Retain()
	}
	Release(d.t, d.batches...)
	return slices.Clone(d.batches)
}

// deal makes batches of the given size, one at least.
func (d *delivery) deal(order onerow.Rows, size int) []arrow.Record {
	var out []arrow.Record
	for rows := range slices.Chunk(order, max(size, 1)) {
		out = append(out, d.take(rows))
	}
	if len(out) == 0 {
		out = append(out, d.take(nil))
	}
	return out
}

// spread puts empty batches around and between others.
func (d *delivery) spread(batches []arrow.Record) []arrow.Record {
	empty := d.take(nil)
	out := []arrow.Record{empty}
	for _, b := range batches {
		out = append(out, b, empty)
	}
	return out
}

// take makes a batch, which the test releases.
func (d *delivery) take(rows onerow.Rows) arrow.Record {
	d.t.Helper()
	rec, err := onerow.Take(context.Background(), d.batches, rows, onerow.Resources{Allocator: d.mem})
	if err != nil {
		d.t.Fatalf("onerowtest: %v", err)
		return nil
	}
	Release(d.t, rec)
	return rec
}

// orders yields other orders of so many rows than the given one.
func orders(rows int) iter.Seq2[string, onerow.Rows] {
	return func(yield func(string, onerow.Rows) bool) {
		order := make(onerow.Rows, rows)
		for i := range order {
			order[i] = uint32(i)
		}
		if rows <= permuted {
			for next(order) {
				if !yield(fmt.Sprintf("order %d", order), slices.Clone(order)) {
					return
				}
			}
			return
		}
		seen := map[string]bool{fmt.Sprint(order): true}
		slices.Reverse(order)
		if !yield("reversed", slices.Clone(order)) {
			return
		}
		seen[fmt.Sprint(order)] = true
		rnd := rand.New(rand.NewPCG(1, uint64(rows)))
		for n := 1; n <= shuffles; {
			rnd.Shuffle(rows, func(i, j int) { order[i], order[j] = order[j], order[i] })
			if text := fmt.Sprint(order); !seen[text] {
				seen[text] = true
				if !yield(fmt.Sprintf("shuffle %d", n), slices.Clone(order)) {
					return
				}
				n++
			}
		}
	}
}

// next turns an order into the next one, by value from left to right. It says false after the last.
func next(order onerow.Rows) bool {
	i := len(order) - 2
	for i >= 0 && order[i] >= order[i+1] {
		i--
	}
	if i < 0 {
		return false
	}
	j := len(order) - 1
	for order[j] <= order[i] {
		j--
	}
	order[i], order[j] = order[j], order[i]
	slices.Reverse(order[i+1:])
	return true
}
