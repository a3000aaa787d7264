package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/peer/duck"
)

// keyKind says how the key of a change is written.
type keyKind uint8

const (
	intKey  keyKind = iota // id: int64
	textKey                // id: cust-0000123456
	pairKey                // tenant, one of 97 texts; id: int64
	dictKey                // id: cust-0000123456, as a dictionary
)

// spread takes numbers apart over 64 bits, each to another.
func spread(n int) int64 { return int64(uint64(n+1) * 0x9e3779b97f4a7c15) }

// gather gives the number back that was spread: the two factors' product is 1, modulo 2^64.
func gather(id int64) int { return int(uint64(id)*0xf1de83e19937733d) - 1 }

func latestWorkloads() []workload {
	ten := 10_000_000
	uniform := func(share float64, kind keyKind) func(rows int) task {
		return func(rows int) task { return latest(rows, max(1, int(float64(rows)*share)), kind, nil) }
	}
	return []workload{
		{"L1", "latest", "latest-int", ten, latestInt},
		{"L2", "latest", "latest-text", ten, uniform(0.1, textKey)},
		{"L3", "latest", "latest-pair", ten, uniform(0.1, pairKey)},
		{"L4", "latest", "latest-unique", ten, uniform(0.9, intKey)},
		{"L5", "latest", "latest-few", ten, func(rows int) task { return latest(rows, min(1000, rows), intKey, nil) }},
		{"L5z", "latest", "latest-zipf", ten, func(rows int) task { return latest(rows, max(2, rows/10), intKey, zipf) }},
		{"L6", "latest", "latest-dict", ten, uniform(0.1, dictKey)},
	}
}

// zipf gives numbers below keys, n with a probability that falls as (n+1)^-1.1.
func zipf(rng *rand.Rand, keys int) func() int {
	z := rand.NewZipf(rng, 1.1, 1, uint64(keys-1))
	return func() int { return int(z.Uint64()) }
}

// changes is the table of L1 to L6 and C1, and some of its columns as Go has them.
type changes struct {
	rec          arrow.Record
	key          []string
	ids, at, seq []int64
}

// makeChanges makes a table of changes: keys drawn uniformly or by draw, a day of microseconds, a unique sequence, two columns of payload.
func makeChanges(rows, keys int, kind keyKind, draw func(rng *rand.Rand, keys int) func() int) changes {
	rng := rand.New(rand.NewPCG(1, 2))
	next := func() int { return rng.IntN(keys) }
	if draw != nil {
		next = draw(rng, keys)
	}
	ids, at, seq, amount := make([]int64, rows), make([]int64, rows), make([]int64, rows), make([]float64, rows)
	name := newTexts(rows, 11)
	var text, tenant *textData
	var index []int32
	switch kind {
	case textKey:
		text = newTexts(rows, 15)
	case pairKey:
		tenant = newTexts(rows, 9)
	case dictKey:
		index = make([]int32, rows)
	}
	for i := range rows {
		k := next()
		ids[i], at[i], seq[i] = spread(k), rng.Int64N(86_400_000_000), int64(i)
		amount[i] = float64(rng.IntN(10_000_000)) / 100
		name.bytes = append(name.bytes, "name-"...)
		n := rng.IntN(1_000_000)
		name.digits(n, width(n))
		name.end()
		switch kind {
		case textKey:
			customer(text, k)
		case pairKey:
			tenant.bytes = append(tenant.bytes, "tenant-"...)
			tenant.digits(k%97, 2)
			tenant.end()
		case dictKey:
			index[i] = int32(k)
		}
	}
	id := int64s("id", ids)
	switch kind {
	case textKey:
		id = text.column("id")
	case dictKey:
		values := newTexts(keys, 15)
		for k := range keys {
			customer(values, k)
		}
		id = dictionary("id", index, values.column("id"))
	}
	columns, key := []column{id}, []string{"id"}
	if tenant != nil {
		columns, key = []column{tenant.column("tenant"), id}, []string{"tenant", "id"}
	}
	columns = append(columns, times("updated_at", at), int64s("seq", seq), float64s("amount", amount), name.column("name"))
	return changes{table(columns...), key, ids, at, seq}
}

func customer(t *textData, k int) {
	t.bytes = append(t.bytes, "cust-"...)
	t.digits(k, 10)
	t.end()
}

// width is the number of digits of n.
func width(n int) int {
	w := 1
	for ; n >= 10; n /= 10 {
		w++
	}
	return w
}

var latestOrder = []onerow.Order{onerow.Desc("updated_at"), onerow.Desc("seq")}

func latest(rows, keys int, kind keyKind, draw func(rng *rand.Rand, keys int) func() int) task {
	return makeChanges(rows, keys, kind, draw).latest(keys)
}

// latestInt is L1, with its yardsticks.
func latestInt(rows int) task {
	keys := max(1, rows/10)
	c := makeChanges(rows, keys, intKey, nil)
	t := c.latest(keys)
	t.shares, t.beside = true, []yardstick{{floorName, c.floor, ""}, {mapName, c.goMap, "latest rows"}}
	return t
}

// latest is the task of finding the latest row of each key.
func (c changes) latest(keys int) task {
	batches, columns := []arrow.Record{c.rec}, c.columns()
	return task{
		rows: len(c.ids), keys: keys, tables: map[string]arrow.Record{"t": c.rec},
		ours: func(ctx context.Context, workers int) (result, error) {
			p, err := dedupe.Latest(ctx, batches, c.key, latestOrder, dedupe.Options{Resources: onerow.Resources{Workers: workers}})
			if err != nil {
				return result{}, err
			}
			rec, err := p.Take(ctx, memory.DefaultAllocator)
			if err != nil {
				return result{}, err
			}
			return recordsResult(func() (figures, error) { return rowFigures("latest", []arrow.Record{rec}, columns, nil) }, rec), nil
		},
		forms: latestForms(c.key, columns),
	}
}

func (c changes) columns() (names []string) {
	for _, f := range c.rec.Schema().Fields() {
		names = append(names, f.Name)
	}
	return names
}

// latestForms are latestQueries that leave a table.
func latestForms(key, columns []string) []form {
	queries := latestQueries(key, columns)
	forms := make([]form, len(queries))
	for i, q := range queries {
		forms[i] = form{
			name: q.name, sql: "CREATE OR REPLACE TEMP TABLE r AS " + q.sql, results: []string{"r"},
			figures: func(ctx context.Context, db *duck.DB) (figures, error) {
				return tableFigures(ctx, db, "latest", "r", columns)
			},
		}
	}
	return forms
}

type query struct{ name, sql string }

// latestQueries are the ways to write it in SQL, over a table t. The order columns are 64 bits each, so that both fit a HUGEINT that compares as they do; a join by
// it gives one row a key, as a sequence is unique. Two steps find the greatest time of each key first, and the sequence decides among the few rows of
// that time; keys and orders that are NULL would be lost, as in the other joins. DISTINCT ON took twice the window's time; a window over rowids
// alone, first(t ORDER BY …), and a join by rowid in place of IN were no faster than these.
func latestQueries(key, columns []string) []query {
	by := strings.Join(key, ", ")
	const both = "epoch_us(updated_at)::HUGEINT * 18446744073709551616 + seq"
	var each []string
	for _, c := range columns {
		if !slices.Contains(key, c) {
			each = append(each, fmt.Sprintf("arg_max(%s, o) AS %s", c, c))
		}
	}
	newest := "t JOIN (SELECT " + by + ", max(updated_at) AS updated_at FROM t GROUP BY " + by + ") AS m USING (" + by + ", updated_at)"
	return []query{
		{"window", "SELECT * FROM t QUALIFY row_number() OVER (PARTITION BY " + by + " ORDER BY updated_at DESC, seq DESC) = 1"},
		{"arg_max struct, rowid", "SELECT t.* FROM t WHERE rowid IN (SELECT arg_max(rowid, (updated_at, seq)) FROM t GROUP BY " + by + ")"},
		{"arg_max hugeint, rowid", "SELECT t.* FROM t WHERE rowid IN (SELECT arg_max(rowid, " + both + ") FROM t GROUP BY " + by + ")"},
		{"arg_max hugeint, row", "SELECT unnest(r) FROM (SELECT arg_max(t, " + both + ") AS r FROM t GROUP BY " + by + ")"},
		{"arg_max hugeint, columns", "SELECT " + by + ", " + strings.Join(each, ", ") + " FROM (SELECT *, " + both + " AS o FROM t) GROUP BY " + by},
		{"max hugeint, join", "SELECT t.* FROM t JOIN (SELECT " + by + ", max(" + both + ") AS o FROM t GROUP BY " + by + ") AS m USING (" + by +
			") WHERE " + both + " = m.o"},
		{"two steps, window", "SELECT t.* FROM " + newest + " QUALIFY row_number() OVER (PARTITION BY " + by + " ORDER BY seq DESC) = 1"},
		{"two steps, arg_max row", "SELECT unnest(r) FROM (SELECT arg_max(t, seq) AS r FROM " + newest + " GROUP BY " + by + ")"},
		{"two steps, arg_max rowid", "SELECT t.* FROM t WHERE rowid IN (SELECT arg_max(t.rowid, seq) FROM " + newest + " GROUP BY " + by + ")"},
	}
}

// floor reads the key and order columns once.
func (c changes) floor() int64 {
	var sum int64
	for i, id := range c.ids {
		sum += id + c.at[i] + c.seq[i]
	}
	return sum
}

// goMap is what a careful user would write: a map from key to the best row, then builders for the columns. It gives the number of rows.
func (c changes) goMap() int64 {
	best := map[int64]int32{}
	for i, id := range c.ids {
		old, ok := best[id]
		if !ok || c.at[i] > c.at[old] || c.at[i] == c.at[old] && c.seq[i] > c.seq[old] {
			best[id] = int32(i)
		}
	}
	rows := make([]int32, 0, len(best))
	for _, i := range best {
		rows = append(rows, i)
	}
	slices.Sort(rows)
	b := array.NewRecordBuilder(memory.DefaultAllocator, c.rec.Schema())
	defer b.Release()
	b.Reserve(len(rows))
	amount, name := c.rec.Column(3).(*array.Float64), c.rec.Column(4).(*array.String)
	for _, i := range rows {
		b.Field(0).(*array.Int64Builder).Append(c.ids[i])
		b.Field(1).(*array.TimestampBuilder).Append(arrow.Timestamp(c.at[i]))
		b.Field(2).(*array.Int64Builder).Append(c.seq[i])
		b.Field(3).(*array.Float64Builder).Append(amount.Value(int(i)))
		b.Field(4).(*array.StringBuilder).Append(name.Value(int(i)))
	}
	rec := b.NewRecord()
	defer rec.Release()
	return rec.NumRows()
}
