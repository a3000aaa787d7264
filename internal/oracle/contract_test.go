package oracle_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/oracle"
)

// contractColumns are the columns of the tables below: the key, the key before, the order, the op, a column to fill, content.
var contractColumns = []string{"k:int64", "was:int64", "seq:int64", "op:string", "doc:string", "v:string"}

func row(k, seq int, op, doc, v string) []any        { return []any{k, nil, seq, op, doc, v} }
func moved(k, was, seq int, op, doc, v string) []any { return []any{k, was, seq, op, doc, v} }

type contract struct {
	name         string
	ties         dedupe.Ties
	rows, target [][]any
	fates        string
	ended        string
	docs         string
	counts       string
	err          error
}

// contracts are the corners of the contract, each with the fate of every row: k kept, s superseded, d duplicate, t stale,
// a set aside; the rows that end a key; the docs of the kept rows; and counts.
var contracts = []contract{
	{name: "the key change ends the key before", rows: [][]any{row(1, 1, "u", "", "a"), moved(2, 1, 5, "u", "", "a")},
		fates: "sk", ended: "1", counts: "EndedKeys:1 Deletes:0 DeleteTies:0"},
	{name: "a newer row of the key before stays", rows: [][]any{moved(2, 1, 5, "u", "", "a"), row(1, 6, "u", "", "b")},
		fates: "kk", counts: "EndedKeys:0"},
	{name: "a key change beats an upsert equal in order, as a delete would", rows: [][]any{row(1, 5, "u", "", "a"), moved(2, 1, 5, "u", "", "a")},
		fates: "sk", ended: "1", counts: "EndedKeys:1 DeleteTies:1 TiedKeys:0"},
	{name: "a delete row says it already", rows: [][]any{row(1, 5, "d", "", "a"), moved(2, 1, 5, "u", "", "a")},
		fates: "kk", counts: "EndedKeys:0 Deletes:1 DeleteTies:0"},
	{name: "two rows end one key", rows: [][]any{moved(2, 1, 5, "u", "", "a"), moved(3, 1, 5, "u", "", "a")},
		fates: "kk", ended: "1", counts: "EndedKeys:1"},
	{name: "a swap at one point ends both", rows: [][]any{moved(2, 1, 5, "u", "", "a"), moved(1, 2, 5, "u", "", "b")},
		fates: "ss", ended: "0,1", counts: "EndedKeys:2 DeleteTies:2"},
	{name: "a superseded row still ends its key before", rows: [][]any{row(1, 1, "u", "", "a"), moved(2, 1, 5, "u", "", "a"), row(2, 6, "u", "", "b")},
		fates: "ssk", ended: "1"},
	{name: "the same key before is no change", rows: [][]any{row(1, 1, "u", "", "a"), moved(1, 1, 5, "u", "", "a")}, fates: "sk"},

	{name: "greatest delete stays", rows: [][]any{row(1, 5, "d", "", "a"), row(1, 5, "d", "", "b"), row(1, 5, "u", "", "c"), row(1, 5, "d", "", "b"), row(1, 4, "u", "", "d")},
		fates: "sksds", counts: "Deletes:1 DeleteTies:1 Duplicates:1"},
	{name: "copies of a loser are superseded", ties: dedupe.TiesByContent, rows: [][]any{row(1, 5, "u", "", "a"), row(1, 5, "u", "", "a"), row(1, 5, "u", "", "b"), row(1, 5, "u", "", "b")},
		fates: "sskd", counts: "TiedKeys:1 Duplicates:1 Superseded:2"},
	{name: "the last arrival stays, its copies are duplicates", ties: dedupe.LastTied, rows: [][]any{row(1, 5, "u", "", "a"), row(1, 5, "u", "", "b"), row(1, 5, "u", "", "a")},
		fates: "dsk"},
	{name: "the first arrival stays", ties: dedupe.FirstTied, rows: [][]any{row(1, 5, "u", "", "a"), row(1, 5, "u", "", "b"), row(1, 5, "u", "", "a")},
		fates: "ksd"},
	{name: "a tie sets older rows aside too", ties: dedupe.SetAsideTies, rows: [][]any{row(1, 5, "u", "", "a"), row(1, 5, "u", "", "b"), row(1, 4, "d", "", "c"), row(2, 1, "u", "", "")},
		fates: "aaak", counts: "TiedRows:3 TiedKeys:1 SetAside:3"},

	{name: "carried from the nearest older row", rows: [][]any{row(1, 1, "u", "old", ""), row(1, 2, "u", "D", ""), row(1, 3, "u", "?", ""), row(1, 4, "u", "?", "")},
		fates: "sssk", docs: "D", counts: "Filled:1 Unfilled:0"},
	{name: "not across a delete", rows: [][]any{row(1, 1, "u", "D", ""), row(1, 2, "d", "", ""), row(1, 3, "u", "?", "")},
		fates: "ssk", docs: "?", counts: "Filled:0 Unfilled:1"},
	{name: "not across a delete equal in order to an upsert", rows: [][]any{row(1, 2, "u", "D", ""), row(1, 2, "d", "", ""), row(1, 3, "u", "?", "")},
		fates: "ssk", docs: "?"},
	{name: "not across the key's end", rows: [][]any{row(1, 1, "u", "D", ""), moved(2, 1, 2, "u", "E", ""), row(1, 3, "u", "?", "")},
		fates: "skk", docs: "E,?", counts: "Filled:0 Unfilled:1 EndedKeys:0"},
	{name: "not from a tie", rows: [][]any{row(1, 1, "u", "D", "a"), row(1, 2, "u", "D", "a"), row(1, 2, "u", "D", "b"), row(1, 3, "u", "?", "")},
		fates: "sssk", docs: "?"},
	{name: "from copies", rows: [][]any{row(1, 2, "u", "D", "a"), row(1, 2, "u", "D", "a"), row(1, 3, "u", "?", "")}, fates: "ssk", docs: "D"},
	{name: "not into a delete", rows: [][]any{row(1, 1, "u", "D", ""), row(1, 2, "d", "?", "")}, fates: "sk", docs: "?", counts: "Filled:0 Unfilled:0"},
	{name: "across a key change", rows: [][]any{row(1, 1, "u", "D", ""), row(2, 1, "u", "other life", ""), moved(2, 1, 5, "u", "?", ""), row(2, 6, "u", "?", "")},
		fates: "sssk", ended: "2", docs: "D"},
	{name: "across two key changes", rows: [][]any{moved(3, 2, 6, "u", "?", ""), moved(2, 1, 5, "u", "?", ""), row(1, 1, "u", "D", "")},
		fates: "kss", ended: "0,1", docs: "D"},
	{name: "the winner of a tie takes older values", ties: dedupe.TiesByContent, rows: [][]any{row(1, 5, "u", "?", "b"), row(1, 5, "u", "!", "z"), row(1, 3, "u", "D", "")},
		fates: "kss", docs: "D", counts: "TiedKeys:1 Filled:1"},
	{name: "a winner with copies takes older values", rows: [][]any{row(1, 5, "u", "?", "b"), row(1, 5, "u", "?", "b"), row(1, 3, "u", "D", "")},
		fates: "kds", docs: "D", counts: "Filled:1"},
	{name: "across a key change beside rows equal in order", rows: [][]any{moved(2, 1, 5, "u", "?", ""), row(1, 5, "u", "X", ""), row(1, 5, "d", "Y", ""), row(1, 3, "u", "D", "")},
		fates: "ksks", docs: "D,Y", counts: "Filled:1 EndedKeys:0 DeleteTies:1"},
	{name: "from a snapshot read", rows: [][]any{row(1, 9, "r", "D", ""), row(1, 2, "u", "?", "")}, fates: "sk", docs: "D"},

	{name: "older than the target", rows: [][]any{row(1, 4, "u", "", "a"), row(1, 3, "d", "", "a")}, target: [][]any{row(1, 5, "u", "", "b")},
		fates: "tt", counts: "Stale:2 Replays:0"},
	{name: "a replay", rows: [][]any{row(1, 5, "u", "?", "a"), row(1, 3, "u", "", "a")}, target: [][]any{row(1, 5, "u", "D", "a")},
		fates: "tt", counts: "Stale:2 Replays:1 TiedKeys:0"},
	{name: "newer than the target", rows: [][]any{row(1, 5, "u", "", "b"), row(1, 5, "u", "", "a"), row(1, 6, "u", "", "c"), row(1, 7, "u", "", "d")}, target: [][]any{row(1, 5, "u", "", "a")},
		fates: "ttsk", counts: "Replays:1 TiedKeys:0"},
	{name: "the target's delete stays", rows: [][]any{row(1, 5, "u", "", "a"), row(1, 5, "d", "", "b")}, target: [][]any{row(1, 5, "d", "", "b")},
		fates: "tt", counts: "Replays:1 Deletes:0 TiedKeys:0"},
	{name: "a delete beats the target's upsert", rows: [][]any{row(1, 5, "u", "", "a"), row(1, 5, "d", "", "b"), row(1, 4, "u", "", "b")}, target: [][]any{row(1, 5, "u", "", "a")},
		fates: "skt", counts: "DeleteTies:1 Deletes:1 Replays:0"},
	{name: "a tie with the target is refused", rows: [][]any{row(1, 5, "u", "", "a")}, target: [][]any{row(1, 5, "u", "", "b")}, err: onerow.ErrTie},
	{name: "the target came first", ties: dedupe.FirstTied, rows: [][]any{row(1, 5, "u", "", "z")}, target: [][]any{row(1, 5, "u", "", "b")},
		fates: "t", counts: "TiedKeys:1 Replays:0"},
	{name: "the batch came last", ties: dedupe.LastTied, rows: [][]any{row(1, 5, "u", "", "z"), row(1, 5, "u", "", "a"), row(1, 1, "u", "", "a")}, target: [][]any{row(1, 5, "u", "", "b")},
		fates: "skt", counts: "TiedKeys:1"},
	{name: "the last is the target's row again", ties: dedupe.LastTied, rows: [][]any{row(1, 5, "u", "", "z"), row(1, 5, "u", "", "b")}, target: [][]any{row(1, 5, "u", "", "b")},
		fates: "tt", counts: "TiedKeys:1 Replays:1"},
	{name: "greater by content than the target", ties: dedupe.TiesByContent, rows: [][]any{row(1, 5, "u", "", "a"), row(1, 5, "u", "", "z"), row(1, 5, "u", "", "b")}, target: [][]any{row(1, 5, "u", "", "b")},
		fates: "sks", counts: "TiedKeys:1 Replays:0"},
	{name: "less by content than the target", ties: dedupe.TiesByContent, rows: [][]any{row(1, 5, "u", "", "a")}, target: [][]any{row(1, 5, "u", "", "b")},
		fates: "t", counts: "TiedKeys:1 Replays:0"},
	{name: "a tie above the target", ties: dedupe.SetAsideTies, rows: [][]any{row(1, 5, "u", "", "a"), row(1, 5, "u", "", "b"), row(1, 4, "u", "", "c"), row(1, 2, "u", "", "c")}, target: [][]any{row(1, 3, "u", "", "b")},
		fates: "aaat", counts: "TiedRows:3"},
	{name: "an end newer than the target", rows: [][]any{moved(2, 1, 5, "u", "", "a"), row(1, 2, "u", "", "")}, target: [][]any{row(1, 3, "u", "", "a")},
		fates: "kt", ended: "0"},
	{name: "an end older than the target", rows: [][]any{moved(2, 1, 5, "u", "", "a")}, target: [][]any{row(1, 6, "u", "", "a")}, fates: "k"},
	{name: "an end equal in order to the target's upsert", rows: [][]any{moved(2, 1, 5, "u", "", "a")}, target: [][]any{row(1, 5, "u", "", "a")},
		fates: "k", ended: "0", counts: "DeleteTies:1"},
	{name: "carried from the target", rows: [][]any{row(1, 5, "u", "?", ""), row(1, 2, "u", "stale", "")}, target: [][]any{row(1, 3, "u", "T", "")},
		fates: "kt", docs: "T", counts: "Filled:1"},
	{name: "not past the target", rows: [][]any{row(1, 5, "u", "?", ""), row(1, 2, "u", "stale", "")}, target: [][]any{row(1, 3, "u", "?", "")},
		fates: "kt", docs: "?", counts: "Unfilled:1"},
	{name: "not from the target's delete", rows: [][]any{row(1, 5, "u", "?", "")}, target: [][]any{row(1, 3, "d", "T", "")}, fates: "k", docs: "?"},
	{name: "from the target across a key change", rows: [][]any{moved(2, 1, 5, "u", "?", "")}, target: [][]any{row(1, 3, "u", "T", "")},
		fates: "k", ended: "0", docs: "T"},
	{name: "from the target's row that comes again", rows: [][]any{row(1, 5, "u", "?", ""), row(1, 3, "u", "?", ""), row(1, 3, "u", "T", "")}, target: [][]any{row(1, 3, "u", "T", "")},
		fates: "ktt", docs: "T", counts: "Replays:2 Filled:1"},
	{name: "not from a tie with the target", rows: [][]any{row(1, 5, "u", "?", ""), row(1, 3, "u", "X", "b")}, target: [][]any{row(1, 3, "u", "T", "a")},
		fates: "kt", docs: "?", counts: "TiedKeys:0 Filled:0"},
	{name: "not from the target's row beside a delete", rows: [][]any{row(1, 5, "u", "?", ""), row(1, 3, "d", "", "b")}, target: [][]any{row(1, 3, "u", "T", "a")},
		fates: "kt", docs: "?", counts: "DeleteTies:0 Filled:0"},
	{name: "not from the target's row beside an end", rows: [][]any{row(1, 5, "u", "?", ""), moved(2, 1, 3, "u", "", "b")}, target: [][]any{row(1, 3, "u", "T", "a")},
		fates: "kk", docs: "?,", counts: "Filled:0"},
	{name: "a winner over the target takes its value", ties: dedupe.LastTied, rows: [][]any{row(1, 5, "u", "?", "b"), row(1, 3, "u", "X", "")}, target: [][]any{row(1, 5, "u", "T", "a")},
		fates: "kt", docs: "T", counts: "TiedKeys:1 Filled:1"},
	{name: "rows set aside for a tie end the key before", ties: dedupe.SetAsideTies, rows: [][]any{moved(2, 1, 5, "u", "", "a"), moved(2, 1, 5, "u", "", "b"), row(1, 3, "u", "", "")},
		fates: "aas", ended: "1"},
	{name: "stale rows end nothing that is newer", rows: [][]any{moved(2, 1, 5, "u", "", "a"), row(1, 3, "u", "", "")}, target: [][]any{row(2, 6, "u", "", "")},
		fates: "ts", ended: "0"},
	{name: "a delete row can change a key", rows: [][]any{moved(2, 1, 5, "d", "", "a"), row(1, 3, "u", "", "")}, fates: "ks", ended: "0"},
	{name: "a snapshot read of the target is older", rows: [][]any{row(1, 1, "u", "", "a")}, target: [][]any{row(1, 9, "r", "", "b")}, fates: "k"},
}

// TestContract checks the corners, in the oracle and in dedupe.Latest.
func TestContract(t *testing.T) {
	for _, c := range contracts {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			alloc := arrowtest.Allocator(t)
			batches := arrowtest.Table(t, alloc, contractColumns, c.rows)
			opts := dedupe.Options{Ties: c.ties,
				Op:   dedupe.Op{Column: "op", Delete: []onerow.Value{"d"}, Snapshot: []onerow.Value{"r"}, PreviousKey: []string{"was"}},
				Fill: []dedupe.Fill{{Column: "doc", Unavailable: "?"}}}
			if c.target != nil {
				opts.Against = arrowtest.Table(t, alloc, contractColumns, c.target)
			}
			order := []onerow.Order{onerow.Desc("seq")}

			want, err := oracle.Latest(batches, []string{"k"}, order, opts)
			if !errors.Is(err, c.err) {
				t.Fatalf("oracle: error %v, want %v", err, c.err)
			}
			if err == nil {
				c.compare(t, "oracle", want.Rows, want.SetAside, want.Stale, want.Ended, want.Report, want.Taken)
			}
			got, err := dedupe.Latest(context.Background(), batches, []string{"k"}, order, opts)
			if !errors.Is(err, c.err) {
				t.Fatalf("Latest: error %v, want %v", err, c.err)
			}
			if err != nil {
				return
			}
			taken, err := got.Take(context.Background(), alloc)
			if err != nil {
				t.Fatal(err)
			}
			defer taken.Release()
			c.compare(t, "Latest", got.Rows, got.SetAside, got.Stale, got.Ended, got.Report, oracle.Rows(taken))
		})
	}
}

func (c contract) compare(t *testing.T, who string, kept, aside, stale, ended onerow.Rows, report dedupe.Report, taken [][]oracle.Value) {
	t.Helper()
	fates := []byte(strings.Repeat("-", len(c.rows)))
	for letter, rows := range map[byte]onerow.Rows{'k': kept, 'a': aside, 't': stale} {
		for _, r := range rows {
			fates[r] = letter
		}
	}
	want := strings.NewReplacer("s", "-", "d", "-").Replace(c.fates)
	if string(fates) != want || report.Duplicates != int64(strings.Count(c.fates, "d")) {
		t.Errorf("%s: fates %s with %d duplicates, want %s", who, fates, report.Duplicates, c.fates)
	}
	list := strings.ReplaceAll(strings.Trim(fmt.Sprint([]uint32(ended)), "[]"), " ", ",")
	if list != c.ended {
		t.Errorf("%s: ended %q, want %q", who, list, c.ended)
	}
	for _, count := range strings.Fields(c.counts) {
		name, n, _ := strings.Cut(count, ":")
		if got := fmt.Sprint(reflect.ValueOf(report).FieldByName(name)); got != n {
			t.Errorf("%s: %s is %s, want %s", who, name, got, n)
		}
	}
	if c.docs == "" {
		return
	}
	var docs []string
	for _, r := range taken {
		docs = append(docs, strings.Trim(r[4].String(), `"`))
	}
	if got := strings.Join(docs, ","); got != c.docs {
		t.Errorf("%s: docs %q, want %q", who, got, c.docs)
	}
}
