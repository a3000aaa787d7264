package engines_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

// versions is a history with every kind of row that a merge touches, staged rows as scd2.Merge.Staged would make them, and what comes of
// them: closes with and without a version that follows, a moved start whose old start another row takes, a removed version, and rows nobody touches.
var versions = struct {
	columns              []string
	history, staged, new [][]any
}{
	columns: []string{"id:int64", "name:string", "valid_from:int64", "valid_to:int64"},
	history: [][]any{
		{1, "a", 10, nil},
		{2, "b", 10, 20},
		{2, "c", 20, nil},
		{3, "d", 10, nil},
		{4, "e", 10, 20},
		{4, "f", 20, nil},
		{5, "g", 10, nil},
		{nil, "h", 10, nil},
	},
	staged: [][]any{ // action, merge id, merge valid_from, then the columns
		{"close", 1, 10, 1, "a", 10, 30},
		{"insert", nil, nil, 1, "a'", 30, nil},
		{"rewrite", 2, 20, 2, "c", 15, nil},
		{"rewrite", 2, 10, 2, "b", 10, 15},
		{"close", 3, 10, 3, "d", 10, 40},
		{"remove", 4, 20, 4, "f", 20, nil},
		{"rewrite", 4, 10, 4, "e", 5, nil},
		{"insert", nil, nil, 4, "e0", 1, 5},
		{"insert", nil, nil, 6, "i", 10, nil},
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
		{6, "i", 10, nil},
		{nil, "h", 10, nil},
	},
}

var versionsTarget = scd2.Target{
	Name: []string{"made", "versions"}, Key: []string{"id"}, ValidFrom: "valid_from",
	Columns: []string{"id", "name", "valid_from", "valid_to"},
}

// stagedColumns are those of the staged rows of columns written "name:type".
func stagedColumns(columns []string, merge ...string) []string {
	out := []string{scd2.ActionColumn + ":string"}
	for _, c := range merge {
		out = append(out, scd2.MergeKeyPrefix+c)
	}
	return append(out, columns...)
}

// A merge of staged rows made by hand does what each says, and touches no other row.
func TestStatement(t *testing.T) {
	onEach(t, func(t *testing.T, e *engine) {
		for _, nullKeys := range []bool{false, true} {
			t.Run(fmt.Sprintf("nullKeys=%t", nullKeys), func(t *testing.T) {
				mem := arrowtest.Allocator(t)
				target := versionsTarget
				target.NullKeys = nullKeys
				staged, want := versions.staged, versions.new
				if nullKeys {
					staged = append(slices.Clone(staged), []any{"close", nil, 10, nil, "h", 10, 50})
					want = append(slices.Clone(want[:len(want)-1]), []any{nil, "h", 10, 50})
				}
				history := arrowtest.Table(t, mem, versions.columns, versions.history)
				e.schema(t, "made")
				e.create(t, history[0].Schema(), target.Name...)
				e.insert(t, history, target.Name...)
				rows := arrowtest.Table(t, mem, stagedColumns(versions.columns, "id:int64", "valid_from:int64"), staged)
				e.create(t, rows[0].Schema(), "made", "staged")
				e.insert(t, rows, "made", "staged")

				if n := execute(t, e.db, e.merge(t, target, "made", "staged")); n != int64(len(staged)) {
					t.Errorf("%d rows are touched, want %d", n, len(staged))
				}
				wanted, err := arrowtest.Values(history[0].Schema(), want)
				if err != nil {
					t.Fatal(err)
				}
				if diff := arrowtest.DiffRows(wanted, e.read(t, e.db, history[0].Schema(), target.Name...)); diff != "" {
					t.Error(diff)
				}
			})
		}
	})
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
