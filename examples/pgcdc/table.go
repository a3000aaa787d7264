package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// table is what the program knows of a table beforehand, and the columns that it has met so far.
type table struct {
	name string
	// key are the columns of the primary key.
	key []string
	// integers are the columns of type bigint, doubles those of type double precision. All others are kept as the text that
	// PostgreSQL prints, which is exact (a numeric may be NaN), and the same for equal values.
	integers, doubles []string
	// large are the columns that the feed leaves out when a change didn't touch them.
	large []string

	// columns are those of the snapshot, then those that turned up in the feed, in order of appearance.
	columns []string
	index   map[string]int
}

var tables = map[string]table{
	"customers": {
		key:      []string{"tenant_id", "customer_id"},
		integers: []string{"customer_id", "row_version"},
		doubles:  []string{"score"},
		large:    []string{"notes"},
	},
	"orders": {
		key:      []string{"order_id"},
		integers: []string{"order_id", "customer_id"},
	},
	"flags": {
		key: []string{"key"},
	},
}

func tableNames() string {
	return strings.Join(slices.Sorted(maps.Keys(tables)), ", ")
}

func newTable(name string) (*table, error) {
	t, ok := tables[name]
	if !ok {
		return nil, fmt.Errorf("unknown table %q; the tables are %s", name, tableNames())
	}
	t.name = name
	t.index = map[string]int{}
	return &t, nil
}

// addColumn appends a column unless the table has it. Rows from before are NULL in it.
func (t *table) addColumn(name string) {
	if _, ok := t.index[name]; !ok {
		t.index[name] = len(t.columns)
		t.columns = append(t.columns, name)
	}
}

func (t *table) isInteger(column string) bool { return slices.Contains(t.integers, column) }

func (t *table) isDouble(column string) bool { return slices.Contains(t.doubles, column) }
