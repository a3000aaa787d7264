package engines_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

// shape is a table for random histories: what its columns are, and how an event's cells are drawn.
type shape struct {
	name string
	// key and values are the columns but those of time and flags; position is the type of the boundaries.
	key, values []string
	position    string
	table       scd2.Table
	opts        scd2.Options

	drawKey, drawValues func(r *rand.Rand) []any
	drawPosition        func(r *rand.Rand) any
}

// few draws one of some cells.
func few(r *rand.Rand, cells ...any) any { return cells[r.IntN(len(cells))] }

var shapes = []shape{
	{
		name: "positions", position: "int64",
		key: []string{"id:int64"}, values: []string{"name:string", "n:int32"},
		drawKey:      func(r *rand.Rand) []any { return []any{r.IntN(4)} },
		drawValues:   func(r *rand.Rand) []any { return []any{few(r, "a", "b", nil), few(r, 1, 2)} },
		drawPosition: func(r *rand.Rand) any { return r.IntN(30) },
	},
	{
		name: "times", position: "timestamp[us]",
		key: []string{"tenant:string", "id:int64"}, values: []string{"f:float64", "d:decimal(10,3)"},
		table:   scd2.Table{ValidFrom: "From", ValidTo: "to", Current: "current", Deleted: "gone", OpenEnd: "9999-12-31T00:00:00"},
		opts:    scd2.Options{Deletes: scd2.DeletesAsRows, NullKey: onerow.EqualNullKeys},
		drawKey: func(r *rand.Rand) []any { return []any{few(r, "", "O'x", nil), few(r, 1, nil)} },
		drawValues: func(r *rand.Rand) []any {
			return []any{few(r, math.NaN(), 0.0, math.Copysign(0, -1), nil), few(r, "1.5", "1.500", "-2", nil)}
		},
		drawPosition: func(r *rand.Rand) any { return time.Date(2026, 1, 1, 0, 0, 0, r.IntN(40)*1000, time.UTC).UnixMicro() },
	},
	{
		name: "days", position: "date32",
		key: []string{"k:float64"}, values: []string{"b:bool", "raw:binary"},
		table:        scd2.Table{Current: "is current"},
		opts:         scd2.Options{NullKey: onerow.EqualNullKeys, Unchanged: scd2.KeepUnchanged},
		drawKey:      func(r *rand.Rand) []any { return []any{few(r, math.NaN(), 0.0, math.Copysign(0, -1), 1e-300, nil)} },
		drawValues:   func(r *rand.Rand) []any { return []any{few(r, true, false, nil), few(r, []byte{}, []byte{0}, nil)} },
		drawPosition: func(r *rand.Rand) any { return 20000 + r.IntN(40) },
	},
}

const (
	randomHistories = 14
	randomMerges    = 10
)

// After each of a series of random merges, with late events, deletes and deletion rows among them, the engine's table is what Apply makes.
func TestRandomPlans(t *testing.T) {
	onEach(t, func(t *testing.T, e *engine) {
		for _, s := range shapes {
			t.Run(s.name, func(t *testing.T) {
				var sum counts
				for seed := range uint64(randomHistories) {
					s.live(t, e, seed, &sum)
					if t.Failed() {
						t.Fatalf("seed %d", seed)
					}
				}
				if t.Logf("%+v", sum); slices.Contains(sum[:], 0) {
					t.Error("an action never came up")
				}
			})
		}
	})
}

// live takes a history through a series of merges.
func (s shape) live(t *testing.T, e *engine, seed uint64, sum *counts) {
	t.Helper()
	mem := arrowtest.Allocator(t)
	r := rand.New(rand.NewPCG(seed, 3))
	table := s.table
	if table.ValidFrom == "" {
		table.ValidFrom, table.ValidTo = scd2.DefaultValidFrom, scd2.DefaultValidTo
	}
	columns := append(append([]string{}, s.key...), s.values...)
	changes := append(append([]string{}, columns...), "at:"+s.position, "seq:int64", "op:string")
	columns = append(columns, table.ValidFrom+":"+s.position, table.ValidTo+":"+s.position)
	for _, flag := range []string{table.Current, table.Deleted} {
		if flag != "" {
			columns = append(columns, flag+":bool")
		}
	}
	batch := arrowtest.Table(t, mem, columns, nil)
	for i := range s.key {
		table.Key = append(table.Key, batch[0].ColumnName(i))
	}
	table.Batches = batch
	opts := s.opts
	opts.Mode = scd2.Changes
	opts.At = []onerow.Order{onerow.Desc("at"), onerow.Desc("seq")}
	opts.Op = scd2.Op{Column: "op", Delete: []onerow.Value{"d"}}

	h := newHistory(t, e, mem, fmt.Sprintf("%s_%d", s.name, seed), table)
	seq := r.Perm(1000) // events arrive in any order
	for range randomMerges {
		rows := make([][]any, r.IntN(8))
		for i := range rows {
			op := few(r, nil, nil, nil, "u", "d")
			rows[i] = append(append(s.drawKey(r), s.drawValues(r)...), s.drawPosition(r), seq[0], op)
			seq = seq[1:]
		}
		for i, n := range countsOf(h.merge(t, arrowtest.Table(t, mem, changes, rows), opts)) {
			sum[i] += n
		}
	}
}
