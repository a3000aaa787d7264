package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/grain"
)

// printer writes the answer in sections. It keeps the first error, and writes nothing after it.
type printer struct {
	out io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format, args...)
	}
}

func (p *printer) heading(text string) {
	p.printf("\n%s\n%s\n\n", text, strings.Repeat("-", len(text)))
}

func (p *printer) batches(messages int, grains []*grain.Report) {
	p.printf("onerow: one key, one row\n\n")
	p.printf("The feed has %s messages about the table customers, whose key is (tenant_id, customer_id).\n", count(messages))
	p.printf("A snapshot of the table comes first, then its changes, some of them twice.\n")

	p.heading("What a MERGE would meet")
	var rows [][]string
	failed := 0
	for i, g := range grains {
		merge := "works"
		if g.DuplicateKeys > 0 {
			merge = "fails"
			failed++
		}
		rows = append(rows, []string{count(i + 1), count(g.Rows), count(g.Keys), count(g.DuplicateKeys), count(g.MaxCopies), merge})
	}
	p.table([]string{"poll", "rows", "keys", "keys that repeat", "most rows of a key", "MERGE"}, rows)
	p.printf("\nMERGE refuses a batch in which several rows match one row of the table: %d of %d polls.\n", failed, len(grains))
}

func (p *printer) naive(verdicts []verdict, keys int) {
	p.heading("What \"keep the newest\" would do")
	var rows [][]string
	for _, v := range verdicts {
		rows = append(rows, []string{v.rule, count(v.wrong), count(v.missing), count(v.extra), count(v.placeholders), count(v.setBack)})
	}
	p.table([]string{"newest by", "wrong rows", "missing", "should be gone", "notes lost", "set back"}, rows)
	p.printf("\nCompared with the %s rows that are right. Notes are lost where the kept message has the placeholder\n", count(keys))
	p.printf("%s for a value that didn't change. A row is set back when an older\n", unavailable)
	p.printf("message replaces a newer one on the way: it is wrong until the newer one comes again.\n")
}

func (p *printer) outcome(latest dedupe.Report, proof *grain.Report, live int) {
	p.heading("What dedupe.Latest does")
	p.printf("%s\n", indent(latest.String()))
	p.printf("\nThe notes are carried forward from the nearest older row, across key changes too. The deletes are among\n")
	p.printf("the kept rows, for a table to apply; without them there are %s rows.\n", count(live))

	p.heading("What grain.Check says of the kept rows")
	p.printf("%s\n", indent(proof.String()))
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

// life shows the messages of one key in order of arrival, and marks the one that is right.
func (p *printer) life(messages []*message, right map[customerKey]outcome) {
	k, life := chooseLife(messages, right)
	p.heading(fmt.Sprintf("One key: tenant_id %q, customer_id %d", k.TenantID, k.CustomerID))
	newest, latest := newestByUpdatedAt(messages, life), latestOf(messages, life)
	var rows [][]string
	for _, n := range life {
		m := messages[n]
		updated, tier, notes := "", "", ""
		if m.After != nil {
			updated, tier, notes = seconds(value(m.After.UpdatedAt)), value(m.After.LoyaltyTier), value(m.After.Notes)
		}
		mark := ""
		switch {
		case n == latest:
			mark = "<- the latest"
		case n == newest:
			mark = "<- newest by updated_at"
		case !m.olderThan(messages[latest]):
			mark = "   again"
		}
		rows = append(rows, []string{count(n + 1), m.Op, strconv.FormatInt(m.afterCommit, 10), count(m.Transaction.TotalOrder),
			updated, tier, short(notes, 17), mark})
	}
	p.table([]string{"message", "op", "commit", "place", "updated_at", "tier", "notes", ""}, rows)
	p.printf("\nCommit and place are the order of truth: source.sequence and transaction.total_order.\n")
	if after := messages[latest].After; after != nil && value(after.Notes) == unavailable {
		p.printf("The notes of the latest are carried forward: %q.\n", short(right[k].notes, 40))
	}
}

// chooseLife picks the first key with a handful of messages that goes wrong by updated_at, and lists its messages.
func chooseLife(messages []*message, right map[customerKey]outcome) (customerKey, []int) {
	lives := map[customerKey][]int{}
	for n, m := range messages {
		lives[m.key()] = append(lives[m.key()], n)
	}
	for _, m := range messages {
		k := m.key()
		life := lives[k]
		if len(life) < 5 || len(life) > 8 || right[k].content == "" {
			continue
		}
		if newest := messages[newestByUpdatedAt(messages, life)]; newest.After != nil && content(newest.After) != right[k].content {
			return k, life
		}
	}
	return messages[0].key(), lives[messages[0].key()]
}

func newestByUpdatedAt(messages []*message, life []int) int {
	return slices.MaxFunc(life, func(a, b int) int { return strings.Compare(updatedAt(messages[a]), updatedAt(messages[b])) })
}

func latestOf(messages []*message, life []int) int {
	latest := life[0]
	for _, n := range life {
		if messages[latest].olderThan(messages[n]) {
			latest = n
		}
	}
	return latest
}

func (p *printer) firstRows(latest arrow.Record) {
	const n = 8
	names := []string{"tenant_id", "customer_id", "segment", "credit", "loyalty_tier", "updated_at", "notes"}
	p.heading("The first rows of the result")
	var rows [][]string
	for i := 0; i < int(latest.NumRows()) && len(rows) < n; i++ {
		if value(cell(latest, "op", i)) == "d" {
			continue
		}
		var row []string
		for _, name := range names {
			text := value(cell(latest, name, i))
			if name == "updated_at" {
				text = seconds(text)
			}
			row = append(row, short(text, 24))
		}
		rows = append(rows, row)
	}
	p.table(names, rows)
}
