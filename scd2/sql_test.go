package scd2_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/scd2"
)

var update = flag.Bool("update", false, "write the statements to testdata/sql")

var dialects = []scd2.Dialect{scd2.DuckDB, scd2.PostgreSQL, scd2.Delta, scd2.Iceberg, scd2.Snowflake, scd2.BigQuery}

func customers() scd2.Target {
	return scd2.Target{
		Name:      []string{"prod", "customers"},
		Key:       []string{"tenant_id", "customer_id"},
		ValidFrom: "valid_from",
		Columns:   []string{"tenant_id", "customer_id", "name", "valid_from", "valid_to", "is_current"},
	}
}

// strange has NULLs in keys, and names that must be quoted: reserved words, capitals, spaces, dots, quotes, the aliases.
func strange() scd2.Target {
	return scd2.Target{
		Name:      []string{"My DB", "a.b", "select"},
		Key:       []string{"order", `qu"o` + "`te"},
		ValidFrom: "From",
		Columns:   []string{"order", `qu"o` + "`te", `back\slash`, "Größe", "a.b", "'; drop", "t", "s", "From", "to"},
		NullKeys:  true,
	}
}

// The statement of each dialect is the one in testdata, which has been read by eye; internal/engines runs those of DuckDB and
// PostgreSQL.
func TestMergeSQL(t *testing.T) {
	targets := []struct {
		name   string
		target scd2.Target
		staged []string
	}{
		{"customers", customers(), []string{"staged"}},
		{"strange", strange(), []string{"my temp", "st`ag\"ed"}},
	}
	for _, test := range targets {
		for _, d := range dialects {
			t.Run(test.name+"/"+d.String(), func(t *testing.T) {
				got, err := scd2.MergeSQL(d, test.target, test.staged...)
				if err != nil {
					t.Fatal(err)
				}
				file := filepath.Join("testdata", "sql", strings.ToLower(d.String())+"_"+test.name+".sql")
				if *update {
					if err := os.WriteFile(file, []byte(got+"\n"), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if got+"\n" != string(want) {
					t.Errorf("the statement isn't that of %s (-update writes it):\n%s", file, got)
				}
			})
		}
	}
}

// What is wrong with a target is said all at once, before an engine says it.
func TestMergeSQLRefuses(t *testing.T) {
	long := strings.Repeat("ä", 31) // 62 bytes
	with := func(change func(*scd2.Target)) scd2.Target {
		target := customers()
		change(&target)
		return target
	}
	columns := func(more ...string) scd2.Target {
		return with(func(target *scd2.Target) { target.Columns = append(target.Columns, more...) })
	}
	tests := []struct {
		name   string
		target scd2.Target
		staged []string
		kind   error
		// refusing are the dialects that refuse the target; the others take it.
		refusing []scd2.Dialect
		says     string
	}{
		{"no name", with(func(t *scd2.Target) { t.Name = nil }), []string{"s"}, onerow.ErrOption, dialects, "Target.Name is empty"},
		{"an empty part", with(func(t *scd2.Target) { t.Name = []string{"", "x"} }), []string{"s"}, onerow.ErrOption, dialects, "Target.Name has an empty name"},
		{"no staged table", customers(), nil, onerow.ErrOption, dialects, "staged is empty"},
		{"an empty staged table", customers(), []string{""}, onerow.ErrOption, dialects, "staged has an empty name"},
		{"no key", with(func(t *scd2.Target) { t.Key = nil }), []string{"s"}, onerow.ErrNoKey, dialects, "Target.Key is empty"},
		{"an empty key column", with(func(t *scd2.Target) { t.Key = []string{""} }), []string{"s"}, onerow.ErrOption, dialects, "Target.Key has an empty name"},
		{"a key that is no column", with(func(t *scd2.Target) { t.Key[1] = "id" }), []string{"s"}, onerow.ErrNoColumn, dialects, `column "id"`},
		{"a key column twice", with(func(t *scd2.Target) { t.Key[1] = t.Key[0] }), []string{"s"}, onerow.ErrOption, dialects, `"tenant_id" twice`},
		{"no start", with(func(t *scd2.Target) { t.ValidFrom = "" }), []string{"s"}, onerow.ErrOption, dialects, "Target.ValidFrom has an empty name"},
		{"a start that is no column", with(func(t *scd2.Target) { t.ValidFrom = "since" }), []string{"s"}, onerow.ErrNoColumn, dialects, `column "since"`},
		{"the start in the key", with(func(t *scd2.Target) { t.ValidFrom = t.Key[0] }), []string{"s"}, onerow.ErrOption, dialects, `column "tenant_id" is in Target.Key too`},
		{"no columns", with(func(t *scd2.Target) { t.Columns = nil }), []string{"s"}, onerow.ErrOption, dialects, "Target.Columns is empty"},
		{"an empty column", columns(""), []string{"s"}, onerow.ErrOption, dialects, "Target.Columns has an empty name"},
		{"a zero character", columns("a\x00b"), []string{"s"}, onerow.ErrOption, dialects, "zero character"},
		{"no UTF-8", columns("a\xff"), []string{"s"}, onerow.ErrOption, dialects, `"a\xff" isn't UTF-8`},
		{"a column twice", columns("name"), []string{"s"}, onerow.ErrOption, dialects, `"name" twice`},
		{"the action's name", columns("onerow_action"), []string{"s"}, onerow.ErrOption, dialects, `column "onerow_action": the staged table has a column "onerow_action" of its own`},
		{"a merge key's name", columns("onerow_merge_tenant_id"), []string{"s"}, onerow.ErrOption, dialects, "of its own"},
		{"the merge start's name", columns("onerow_merge_valid_from"), []string{"s"}, onerow.ErrOption, dialects, "of its own"},
		{"no merge key's name", columns("onerow_merge_name"), []string{"s"}, nil, nil, ""},
		{"the action's name in capitals", columns("ONEROW_ACTION"), []string{"s"}, onerow.ErrOption,
			[]scd2.Dialect{scd2.DuckDB, scd2.Delta, scd2.Iceberg, scd2.BigQuery}, `column "ONEROW_ACTION"`},
		{"another case", columns("Name"), []string{"s"}, onerow.ErrOption,
			[]scd2.Dialect{scd2.DuckDB, scd2.Delta, scd2.Iceberg, scd2.BigQuery}, `"name" and "Name" are one name`},
		{"another case beyond ASCII", columns("ärger", "Ärger"), []string{"s"}, onerow.ErrOption,
			[]scd2.Dialect{scd2.Delta, scd2.Iceberg, scd2.BigQuery}, `"ärger" and "Ärger" are one name`},
		{"a long name", columns(long + "ab"), []string{"s"}, nil, nil, ""},
		{"long names", columns(long+"a1", long+"a2"), []string{"s"}, onerow.ErrOption, []scd2.Dialect{scd2.PostgreSQL}, "are one name to PostgreSQL"},
		{"long names that differ in the last byte that counts", columns(long+"a", long+"b"), []string{"s"}, nil, nil, ""},
		{"long names that differ in the first byte that doesn't", columns(long+"ab", long+"ac"), []string{"s"}, onerow.ErrOption,
			[]scd2.Dialect{scd2.PostgreSQL}, "are one name to PostgreSQL"},
		{"a character that counts half", columns(long+"ä", long+"ö"), []string{"s"}, onerow.ErrOption, []scd2.Dialect{scd2.PostgreSQL}, "one name"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, d := range dialects {
				refuses := false
				for _, r := range test.refusing {
					refuses = refuses || r == d
				}
				sql, err := scd2.MergeSQL(d, test.target, test.staged...)
				switch {
				case !refuses && err != nil:
					t.Errorf("%v refuses: %v", d, err)
				case refuses && err == nil:
					t.Errorf("%v writes\n%s", d, sql)
				case refuses && (!errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.says)):
					t.Errorf("%v: %v; want %v with %q", d, err, test.kind, test.says)
				case refuses && sql != "":
					t.Errorf("%v writes a statement beside the error", d)
				}
			}
		})
	}
	_, err := scd2.MergeSQL(scd2.DuckDB, scd2.Target{Columns: []string{""}})
	for _, says := range []string{"Target.Name", "staged", "Target.Key", "Target.ValidFrom", "Target.Columns"} {
		if !strings.Contains(fmt.Sprint(err), says) {
			t.Errorf("%v says nothing of %s", err, says)
		}
	}
}

func TestDialect(t *testing.T) {
	for _, d := range []scd2.Dialect{0, 7, 255} {
		_, err := scd2.MergeSQL(d, customers(), "staged")
		if want := fmt.Sprintf("Dialect(%d)", uint8(d)); !errors.Is(err, onerow.ErrOption) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an ErrOption with %s", err, want)
		}
	}
	if got := fmt.Sprint(dialects); got != "[DuckDB PostgreSQL Delta Iceberg Snowflake BigQuery]" {
		t.Errorf("got %s", got)
	}
}
