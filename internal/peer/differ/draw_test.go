package differ

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/peer/duck"
)

var (
	tables = flag.Int("tables", 25, "random tables a test")
	first  = flag.Uint64("first", 0, "seed of the first")
)

// each runs a test on so many random tables as the flag says. All share one database.
func each(t *testing.T, test func(t *testing.T, q *question)) {
	t.Helper()
	db, err := duck.Open(t.Context(), 1)
	if err != nil {
		if os.Getenv("ONEROW_REQUIRE_ENGINES") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	// Every other table goes the ways that are for many rows.
	bare, trial := keyset.MinBareRows, keyset.HotTrial
	defer func() { keyset.MinBareRows, keyset.HotTrial = bare, trial }()
	for i := range *tables {
		seed := *first + uint64(i)
		keyset.MinBareRows, keyset.HotTrial = bare, trial
		if seed%2 == 1 {
			keyset.MinBareRows, keyset.HotTrial = 0, int(seed/2%3)*10
		}
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		q := &question{T: t, db: db, mem: mem, Rand: rand.New(rand.NewPCG(seed, 1))}
		test(t, q)
		for _, rec := range q.made {
			rec.Release()
		}
		mem.AssertSize(t, 0)
		if t.Failed() {
			t.Fatalf("-first %d; %s", seed, strings.Join(q.told, "; "))
		}
	}
}

// question is one random table, or several, and what is asked of them.
type question struct {
	*rand.Rand
	*testing.T
	db   *duck.DB
	mem  *memory.CheckedAllocator
	made []arrow.Record
	told []string // what was drawn, for a reader
}

// tell notes what was drawn.
func (q *question) tell(format string, args ...any) {
	q.told = append(q.told, fmt.Sprintf(format, args...))
}

// chance is true so many times of a hundred.
func (q *question) chance(percent int) bool { return q.IntN(100) < percent }

// one picks one of several.
func one[T any](r *question, of ...T) T { return of[r.IntN(len(of))] }

// family is a set of types whose values compare, and how to draw one of few values that all of them hold.
type family struct {
	name  string
	types []string
	draw  func(q *question) any
	// sums says that grain.Profile sums them.
	sums bool
}

const dayMillis = 86_400_000

var families = []family{
	{"integer", []string{"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "dict<int8,int32>"},
		func(q *question) any { return one(q, 0, 1, 2, 7, 100, 127) }, true},
	{"signed", []string{"int8", "int16", "int32", "int64"}, func(q *question) any { return one(q, -128, -1, 0, 1, 127) }, true},
	{"wide", []string{"int64"}, func(q *question) any { return one(q, math.MinInt64, -1, 0, 1, math.MaxInt64-1, math.MaxInt64) }, true},
	{"unsigned", []string{"uint64"}, func(q *question) any { return one[uint64](q, 0, 1, math.MaxInt64, 1<<63, math.MaxUint64) }, true},
	{"float", []string{"float32", "float64"}, func(q *question) any {
		if q.chance(20) {
			return arrowtest.FloatOf(math.Float64frombits(one[uint64](q, 0x7ff8000000000000, 0xfff8000000000000, 0x7ff8000020000000)))
		}
		return one(q, 0, math.Copysign(0, -1), 1.5, -1.5, math.Inf(1), math.Inf(-1), 0x1p-100, 0x1p100)
	}, true},
	{"decimal", []string{"decimal(10,3)", "decimal(38,4)", "decimal(18,2)", "decimal(5,2)"}, func(q *question) any { return one(q, "0", "1.5", "-1.5", "-0.25", "999.99", "1.50") }, true},
	{"text", []string{"string", "large_string", "dict<int8,string>", "dict<uint16,string>"}, func(q *question) any {
		return one(q, "", "a", "A", "ab", "a ", "é", "e\u0301", "\U0001F600", "ß", "a longer text than twelve bytes", "a longer text than twelve bytes!", "a\x00", "a\x00b")
	}, false},
	{"binary", []string{"binary", "large_binary"}, func(q *question) any {
		return one(q, []byte{}, []byte{0}, []byte{0, 0}, []byte{255}, []byte("a"), []byte("sixteen bytes and more"))
	}, false},
	{"fixed binary", []string{"fsb(3)"}, func(q *question) any { return one(q, []byte{0, 0, 0}, []byte{0, 0, 255}, []byte{255, 0, 0}) }, false},
	{"bool", []string{"bool"}, func(q *question) any { return q.chance(50) }, true},
	{"date", []string{"date32", "date64"}, func(q *question) any {
		return arrowtest.Date(one[int64](q, -719162, -1, 0, 1, 20000, 2932896) * dayMillis)
	}, false},
	{"naive", []string{"timestamp[s]", "timestamp[ms]", "timestamp[us]", "timestamp[ns]"}, func(q *question) any {
		return arrowtest.Timestamp{Sec: one[int64](q, -1, 0, 1, 1_700_000_000, -9_000_000_000, 9_000_000_000)}
	}, false},
	{"micros", []string{"timestamp[us]", "timestamp[ns]"}, func(q *question) any {
		return arrowtest.Timestamp{Sec: one[int64](q, -1, 0, 1_700_000_000), Nano: one[int32](q, 0, 1000, 999_999_000)}
	}, false},
	{"zoned", []string{"timestamp[s,UTC]", "timestamp[ms,UTC]", "timestamp[us,UTC]", "timestamp[us,Europe/Berlin]"}, func(q *question) any {
		return arrowtest.Timestamp{Sec: one[int64](q, -1, 0, 1, 1_700_000_000, -9_000_000_000, 9_000_000_000), Zoned: true}
	}, false},
	{"time of day", []string{"time32[s]", "time32[ms]", "time64[us]"}, func(q *question) any { return arrowtest.TimeOfDay{Sec: one[int64](q, 0, 1, 43200, 86399)} }, false},
}

// column is a column of a random table.
type column struct {
	name, typ string
	family    family
	// nulls is the percentage of NULLs.
	nulls int
}

func (c column) String() string { return c.name + ":" + c.typ }

// column draws a column of any family, or of the given one.
func (q *question) column(name string, of ...family) column {
	if len(of) == 0 {
		of = families
	}
	f := one(q, of...)
	return column{name, one(q, f.types...), f, one(q, 0, 0, 10, 40)}
}

func (q *question) cell(c column) any {
	if q.chance(c.nulls) {
		return nil
	}
	return c.family.draw(q)
}

// familyNamed is the family of a name.
func familyNamed(name string) family {
	for _, f := range families {
		if f.name == name {
			return f
		}
	}
	panic(name)
}

// columns draws up to most columns, at least one, with a letter and a number for a name.
func (q *question) columns(letter string, most int) []column {
	out := make([]column, 1+q.IntN(most))
	for i := range out {
		out[i] = q.column(fmt.Sprintf("%s%d", letter, i))
	}
	return out
}

// rows draws so many rows. Some are copies of others.
func (q *question) rows(n int, columns []column) [][]any {
	rows := make([][]any, n)
	for i := range rows {
		if i > 0 && q.chance(15) {
			rows[i] = rows[q.IntN(i)]
			continue
		}
		for _, c := range columns {
			rows[i] = append(rows[i], q.cell(c))
		}
	}
	return rows
}

// load makes batches of rows, cut anywhere, and a table of DuckDB's of that name.
func (q *question) load(name string, columns []column, rows [][]any) []arrow.Record {
	specs := make([]string, len(columns))
	for i, c := range columns {
		specs[i] = c.String()
	}
	schema, err := arrowtest.Schema(specs)
	if err != nil {
		q.Fatal(err)
	}
	var batches []arrow.Record
	for from := 0; from < len(rows) || from == 0; {
		to := min(len(rows), from+1+q.IntN(max(1, len(rows))))
		rec, err := arrowtest.Record(q.mem, schema, rows[from:to])
		if err != nil {
			q.Fatal(err)
		}
		batches = append(batches, rec)
		if from = to; from == 0 {
			break
		}
	}
	q.made = append(q.made, batches...)
	q.tell("%s(%s), %d rows", name, strings.Join(specs, ", "), len(rows))
	if err := q.db.Load(q.Context(), name, batches...); err != nil {
		q.Fatal(err)
	}
	return batches
}

// ask gives the rows of a query as values.
func (q *question) ask(query string, args ...any) [][]any {
	q.Helper()
	recs, err := q.db.Query(context.Background(), fmt.Sprintf(query, args...))
	if err != nil {
		q.Fatal(err)
	}
	defer arrowtest.Release(recs)
	return arrowtest.All(recs)
}

// counts gives the one row of a query of integers. NULL is 0.
func (q *question) counts(query string, args ...any) []int64 {
	q.Helper()
	rows := q.ask(query, args...)
	if len(rows) != 1 {
		q.Fatalf("%d rows of %s", len(rows), query)
	}
	out := make([]int64, len(rows[0]))
	for i, v := range rows[0] {
		switch v := v.(type) {
		case nil:
		case int64:
			out[i] = v
		case arrowtest.Decimal: // a HUGEINT
			if _, err := fmt.Sscan(string(v), &out[i]); err != nil {
				q.Fatal(err)
			}
		default:
			q.Fatalf("%T in %s", v, query)
		}
	}
	return out
}

// same compares what both sides say.
func same[T comparable](q *question, what string, ours, theirs T) {
	q.Helper()
	if ours != theirs {
		q.Errorf("%s: onerow %v, DuckDB %v", what, ours, theirs)
	}
}

func names(columns []column) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = c.name
	}
	return out
}

// list writes columns of a table as SQL.
func list(columns []column) string { return strings.Join(names(columns), ", ") }

// anyNull is a condition: one of the columns is NULL.
func anyNull(columns []column) string {
	return "(" + strings.Join(names(columns), " IS NULL OR ") + " IS NULL)"
}
