// Command cut makes the small change feed of the examples out of the whole one: it keeps some rows of each table, with all
// that ever happened to them, in the same files and formats.
//
//	go run ./examples/pgcdc/cut -from DIR -to examples/testdata/pgcdc -debezium examples/quickstart/feed.jsonl.gz
//
// Rows are chosen by family: the keys that a row had in its life, one after the other, by key changes. A family is kept or
// left out as a whole, so what the cut files hold of the table in the end (final_TABLE), and at any time (history_TABLE,
// versions_TABLE), is as exact as in the whole ones. The choice is by rule, never random: the same files come out each time.
//
// With -debezium it also writes the cut feed of customers in the form in which Debezium sends it.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	from := flag.String("from", "", "the `folder` that holds the whole feed")
	to := flag.String("to", "", "the `folder` to write to")
	debezium := flag.String("debezium", "", "the `file` for the feed in Debezium's form; default: none")
	flag.Parse()
	if *from == "" || *to == "" {
		fmt.Fprintln(os.Stderr, "cut: -from and -to are needed")
		os.Exit(2)
	}
	if err := run(*from, *to, *debezium, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "cut:", err)
		os.Exit(1)
	}
}

func run(from, to, debezium string, log io.Writer) error {
	delivered, err := readEvents(filepath.Join(from, "replayed.jsonl.gz"))
	if err != nil {
		return err
	}
	chosen := choose(delivered, wants, log)
	if err := cutFeeds(from, to, chosen); err != nil {
		return err
	}
	if err := cutTables(from, to, chosen); err != nil {
		return err
	}
	if debezium == "" {
		return nil
	}
	return writeDebezium(from, debezium, chosen)
}

// cutFeeds copies the lines of the feed that are about chosen keys, byte by byte.
func cutFeeds(from, to string, chosen *choice) error {
	for _, name := range []string{"changes.jsonl.gz", "replayed.jsonl.gz"} {
		events, err := readEvents(filepath.Join(from, name))
		if err != nil {
			return err
		}
		var kept []byte
		for _, e := range events {
			if chosen.has(e) {
				kept = append(kept, e.line...)
			}
		}
		if err := writeGzip(filepath.Join(to, name), kept); err != nil {
			return err
		}
	}
	return nil
}

// cutTables copies the rows of chosen keys out of the snapshot and of the files that say what is true.
func cutTables(from, to string, chosen *choice) error {
	for table, key := range keyColumns {
		for _, kind := range []string{"initial", "final", "history", "versions"} {
			name := kind + "_" + table + ".csv.gz"
			rows, err := readCSV(filepath.Join(from, name))
			if os.IsNotExist(err) && kind == "versions" {
				continue // flags have none
			}
			if err != nil {
				return err
			}
			places, err := columnPlaces(rows[0], key)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			kept := rows[:1]
			for _, row := range rows[1:] {
				values := make([]string, len(places))
				for i, p := range places {
					values[i] = row[p]
				}
				if chosen.keys[joinKey(table, values)] || chosen.untouched(table, values) {
					kept = append(kept, row)
				}
			}
			if err := writeCSV(filepath.Join(to, name), kept); err != nil {
				return err
			}
		}
	}
	return nil
}

func columnPlaces(header, names []string) ([]int, error) {
	var places []int
	for _, name := range names {
		found := -1
		for i, h := range header {
			if h == name {
				found = i
			}
		}
		if found < 0 {
			return nil, fmt.Errorf("no column %q among %s", name, strings.Join(header, ", "))
		}
		places = append(places, found)
	}
	return places, nil
}
