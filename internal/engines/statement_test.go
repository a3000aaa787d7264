package engines_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

// made is a merge whose staged rows were made by hand, as scd2.Merge.Staged would make them.
type made struct {
	columns []string
	target  scd2.Target
	// merge are the columns of the merge key, and staged the rows: action, merge key, columns.
	merge                []string
	history, staged, new [][]any
}

// versions has every kind of row that a merge touches: closes with and without a version that follows, a moved start whose old start
// another row takes, a moved start that an inserted row takes, a removed version, and rows that nobody touches.
func versions() made {
	return made{
		columns: []string{"id:int64", "name:string", "valid_from:int64", "valid_to:int64"},
		target: scd2.Target{
			Name: []string{"made", "versions"}, Key: []string{"id"}, ValidFrom: "valid_from",
			Columns: []string{"id", "name", "valid_from", "valid_to"},
		},
		merge: []string{"id:int64", "valid_from:int64"},
		history: [][]any{
			{1, "a", 10, nil},
			{2, "b", 10, 20},
			{2, "c", 20, nil},
			{3, "d", 10, nil},
			{4, "e", 10, 20},
			{4, "f", 20, nil},
			{5, "g", 10, nil},
			{6, "h", 20, 30},
			{6, "i", 30, nil},
		},
		staged: [][]any{
			{"insert", nil, nil, 1, "a'", 30, nil},
			{"close", 1, 10, 1, "a", 10, 30},
			{"rewrite", 2, 10, 2, "b", 10, 15},
			{"rewrite", 2, 20, 2, "c", 15, nil},
			{"close", 3, 10, 3, "d", 10, 40},
			{"insert", nil, nil, 4, "e0", 1, 5},
			{"rewrite", 4, 10, 4, "e", 5, nil},
			{"remove", 4, 20, 4, "f", 20, nil},
			{"insert", nil, nil, 6, "h1", 20, 30},
			{"rewrite", 6, 20, 6, "h", 10, 20},
			{"insert", nil, nil, 7, "j", 10, nil},
		},
		new: [][]any{
			{1, "a", 10, 30},
			{1, "a'", 30, nil},
			{2, "b", 10, 15},
			{2, "c", 15, nil},
			{3, "d", 10, 40},
			{4, "e0", 1, 5},
			{4, "e", 5, nil},
			{5, "g", 10, nil},
			{6, "h", 10, 20},
			{6, "h1", 20, 30},
			{6, "i", 30, nil},
			{7, "j", 10, nil},
		},
	}
}

// load makes the two tables of a merge in an engine.
func (m made) load(t testing.TB, e *engine) {
	t.Helper()
	mem := arrowtest.Allocator(t)
	e.schema(t, m.target.Name[0])
	history := arrowtest.Table(t, mem, m.columns, m.history)
	e.create(t, history[0].Schema(), m.target.Name...)
	e.insert(t, rowsOf(history...), m.target.Name...)
	columns := []string{scd2.ActionColumn + ":string"}
	for _, c := range m.merge {
		columns = append(columns, scd2.MergeKeyPrefix+c)
	}
	staged := arrowtest.Table(t, mem, slices.Concat(columns, m.columns), m.staged)
	e.create(t, staged[0].Schema(), m.target.Name[0], "staged")
	e.insert(t, rowsOf(staged...), m.target.Name[0], "staged")
}

// statement writes the merge for an engine.
func (m made) statement(t testing.TB, e *engine) string {
	t.Helper()
	return e.merge(t, m.target, m.target.Name[0], "staged")
}

// expect compares the target table with rows.
func (m made) expect(t testing.TB, e *engine, rows [][]any) {
	t.Helper()
	want := arrowtest.Table(t, arrowtest.Allocator(t), m.columns, rows)
	if diff := arrowtest.DiffRows(arrowtest.All(want), e.read(t, e.db, want[0].Schema(), m.target.Name...)); diff != "" {
		t.Error(diff)
	}
}

func (m made) run(t testing.TB, e *engine) {
	t.Helper()
	m.load(t, e)
	if n := execute(t, e.db, m.statement(t, e)); n != int64(len(m.staged)) {
		t.Errorf("%d rows are touched, want %d", n, len(m.staged))
	}
	m.expect(t, e, m.new)
}

// merge writes the statement for the engine.
func (e *engine) merge(t testing.TB, target scd2.Target, staged ...string) string {
	t.Helper()
	statement, err := scd2.MergeSQL(e.dialect, target, staged...)
	if err != nil {
		t.Fatal(err)
	}
	return statement
}

// A merge does what each staged row says, and touches no other row.
func TestStatement(t *testing.T) {
	onEach(t, func(t *testing.T, e *engine) { versions().run(t, e) })
}

// With NullKeys the rows of a key with NULL are found, in every combination; without, nothing matches them. Inserts match nothing in either.
func TestStatementNullKeys(t *testing.T) {
	m := made{
		columns: []string{"a:int64", "b:string", "valid_from:date32", "valid_to:date32"},
		target: scd2.Target{
			Name: []string{"made", "nulls"}, Key: []string{"a", "b"}, ValidFrom: "valid_from",
			Columns: []string{"a", "b", "valid_from", "valid_to"}, NullKeys: true,
		},
		merge: []string{"a:int64", "b:string", "valid_from:date32"},
		history: [][]any{
			{nil, nil, "2026-01-01", nil},
			{nil, "", "2026-01-01", nil},
			{0, nil, "2026-01-01", nil},
			{0, "", "2026-01-01", nil},
		},
		staged: [][]any{
			{"close", nil, nil, "2026-01-01", nil, nil, "2026-01-01", "2026-01-02"},
			{"close", 0, nil, "2026-01-01", 0, nil, "2026-01-01", "2026-01-03"},
			{"remove", nil, "", "2026-01-01", nil, "", "2026-01-01", nil},
			{"insert", nil, nil, nil, nil, nil, "2026-01-02", nil},
		},
		new: [][]any{
			{nil, nil, "2026-01-01", "2026-01-02"},
			{nil, nil, "2026-01-02", nil},
			{0, nil, "2026-01-01", "2026-01-03"},
			{0, "", "2026-01-01", nil},
		},
	}
	onEach(t, func(t *testing.T, e *engine) {
		m := m
		m.run(t, e)
		m.target.NullKeys = false
		if n := execute(t, e.db, m.statement(t, e)); n != 1 { // the insert
			t.Errorf("without NullKeys %d rows are touched, want 1", n)
		}
	})
}

// Keys of floats are equal where they are in this library: NaN to NaN, whatever its bits, and -0 to 0.
func TestStatementFloats(t *testing.T) {
	nan, minus := math.NaN(), math.Copysign(0, -1)
	m := made{
		columns: []string{"k:float64", "v:float32", "valid_from:int64", "valid_to:int64"},
		target: scd2.Target{
			Name: []string{"made", "floats"}, Key: []string{"k"}, ValidFrom: "valid_from",
			Columns: []string{"k", "v", "valid_from", "valid_to"},
		},
		merge:   []string{"k:float64", "valid_from:int64"},
		history: [][]any{{nan, 1.5, 1, nil}, {minus, minus, 1, nil}, {1e300, nan, 1, nil}},
		staged: [][]any{
			{"close", nan, 1, nan, 1.5, 1, 2},
			{"close", 0.0, 1, minus, minus, 1, 2},
			{"close", 1e300, 1, 1e300, nan, 1, 2},
			{"insert", nil, nil, nan, minus, 2, nil},
		},
		new: [][]any{{nan, 1.5, 1, 2}, {nan, minus, 2, nil}, {minus, minus, 1, 2}, {1e300, nan, 1, 2}},
	}
	for _, m.target.NullKeys = range []bool{false, true} {
		onEach(t, func(t *testing.T, e *engine) { m.run(t, e) })
	}
}

// Names are quoted: reserved words, capitals, spaces, dots, quotes, what ends a statement, the aliases.
func TestStatementNames(t *testing.T) {
	m := made{
		columns: []string{"order:int64", "qu\"o`te:int64", `back\slash:string`, "Größe:string", "a.b:string", "'; drop:string", "t:string", "s:string", "From:int64", "to:int64"},
		target: scd2.Target{
			Name: []string{"My \"Schema\"", "a.select"}, Key: []string{"order", "qu\"o`te"}, ValidFrom: "From",
			Columns: []string{"order", "qu\"o`te", `back\slash`, "Größe", "a.b", "'; drop", "t", "s", "From", "to"},
		},
		merge:   []string{"order:int64", "qu\"o`te:int64", "From:int64"},
		history: [][]any{{1, 1, "a", "b", "c", "d", "e", "f", 10, nil}, {1, 2, "a", "b", "c", "d", "e", "f", 10, nil}},
		staged: [][]any{
			{"close", 1, 1, 10, 1, 1, "a", "b", "c", "d", "e", "f", 10, 20},
			{"insert", nil, nil, nil, 1, 1, "1", "2", "3", "4", "5", "6", 20, nil},
			{"remove", 1, 2, 10, 1, 2, "a", "b", "c", "d", "e", "f", 10, nil},
		},
		new: [][]any{{1, 1, "a", "b", "c", "d", "e", "f", 10, 20}, {1, 1, "1", "2", "3", "4", "5", "6", 20, nil}},
	}
	onEach(t, func(t *testing.T, e *engine) { m.run(t, e) })
}

// The names that MergeSQL holds for one are one to the engine, and those that it holds for two are two.
func TestNames(t *testing.T) {
	long := strings.Repeat("ä", 31) // 62 bytes
	pairs := [][2]string{
		{"name", "Name"}, {"name", "NAME"}, {"ärger", "Ärger"}, {"k", "\u212a"}, {"s", "ſ"}, {"i", "İ"}, {"ß", "ẞ"}, {"a", "a "},
		{long + "a", long + "b"}, {long + "ab", long + "ac"}, {long + "ä", long + "ö"}, {long + "ä", long},
	}
	onEach(t, func(t *testing.T, e *engine) {
		e.schema(t, "names")
		for i, p := range pairs {
			_, err := scd2.MergeSQL(e.dialect, scd2.Target{Name: []string{"x"}, Key: []string{"k0"}, ValidFrom: "f0", Columns: []string{"k0", "f0", p[0], p[1]}}, "y")
			_, fails := e.db.ExecContext(t.Context(), "CREATE TABLE "+path("names", fmt.Sprint(i))+" ("+quote(p[0])+" int, "+quote(p[1])+" int)")
			if (err != nil) != (fails != nil) {
				t.Errorf("%q and %q: MergeSQL says %v, the engine %v", p[0], p[1], err, fails)
			}
		}
	})
}
