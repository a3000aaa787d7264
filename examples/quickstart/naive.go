package main

import (
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// rule is a plain way to choose among the messages of a key: the newest by one field.
type rule struct {
	name  string
	newer func(a, b *message) bool
}

// rules are those seen most in hand-written merges.
var rules = []rule{
	{"arrival: the last message", func(a, b *message) bool { return true }},
	{"updated_at, the first of equals", func(a, b *message) bool { return updatedAt(a) > updatedAt(b) }},
	{"source.ts_ms (commit time), the first of equals", func(a, b *message) bool { return a.Source.TsMs > b.Source.TsMs }},
	{"source.ts_ms (commit time), the last of equals", func(a, b *message) bool { return a.Source.TsMs >= b.Source.TsMs }},
}

// updatedAt compares as text does. A delete has none and stands above all others, as NULL does in ORDER BY updated_at DESC.
func updatedAt(m *message) string {
	if m.After == nil || m.After.UpdatedAt == nil {
		return "\xff"
	}
	return *m.After.UpdatedAt
}

// verdict says how a rule did.
type verdict struct {
	rule string
	// wrong rows have values of another message; missing rows should be there; extra rows should be gone.
	wrong, missing, extra int
	// setBack counts how often, on the way, an older message replaced a newer one.
	setBack int
	// placeholders are the rows that hold Debezium's placeholder for a value.
	placeholders int
}

func compareNaive(messages []*message, right map[customerKey]outcome) []verdict {
	var verdicts []verdict
	for _, r := range rules {
		v := verdict{rule: r.name}
		kept := map[customerKey]*message{}
		for _, m := range messages {
			best := kept[m.key()]
			if best == nil || r.newer(m, best) {
				kept[m.key()] = m
			}
			if best != nil && r.newer(m, best) && m.olderThan(best) {
				v.setBack++
			}
		}
		for k, m := range kept {
			v.judge(m, right[k].content)
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// judge compares what a rule kept with what is right; right is empty where the row is gone.
func (v *verdict) judge(kept *message, right string) {
	switch {
	case kept.After == nil && right != "":
		v.missing++
	case kept.After == nil:
		return
	case right == "":
		v.extra++
	case content(kept.After) != right:
		v.wrong++
	}
	if kept.After != nil && value(kept.After.Notes) == unavailable {
		v.placeholders++
	}
}

// compared are the columns that tell versions of a row apart: all but notes, which a plain merge has no means to fill.
var compared = []string{"name", "city", "segment", "credit", "updated_at", "loyalty_tier"}

// content writes the compared columns of a row.
func content(c *customer) string {
	var b strings.Builder
	for _, value := range []*string{c.Name, c.City, c.Segment, c.Credit, c.UpdatedAt, c.LoyaltyTier} {
		writeValue(&b, value)
	}
	return b.String()
}

// outcome is what is right of a key: its content, and its notes.
type outcome struct{ content, notes string }

// outcomes lists the rows of a record that aren't deletes. A record without ops has none.
func outcomes(rec arrow.Record) map[customerKey]outcome {
	hasOp := rec.Schema().HasField("op")
	rows := map[customerKey]outcome{}
	for i := range int(rec.NumRows()) {
		if hasOp && value(cell(rec, "op", i)) == "d" {
			continue
		}
		var b strings.Builder
		for _, name := range compared {
			writeValue(&b, cell(rec, name, i))
		}
		rows[keyAt(rec, i)] = outcome{b.String(), value(cell(rec, "notes", i))}
	}
	return rows
}

func writeValue(b *strings.Builder, value *string) {
	if value == nil {
		b.WriteString("NULL;")
		return
	}
	b.WriteString("'" + strings.ReplaceAll(*value, "'", "''") + "';")
}

func column(rec arrow.Record, name string) arrow.Array {
	return rec.Column(rec.Schema().FieldIndices(name)[0])
}

func keyAt(rec arrow.Record, i int) customerKey {
	tenant := column(rec, key[0]).(*array.String).Value(i)
	return customerKey{strings.Clone(tenant), column(rec, key[1]).(*array.Int64).Value(i)}
}

// cell returns a value as the feed writes it; nil is NULL.
func cell(rec arrow.Record, name string, i int) *string {
	c := column(rec, name)
	if c.IsNull(i) {
		return nil
	}
	var s string
	switch c := c.(type) {
	case *array.Timestamp:
		s = c.Value(i).ToTime(arrow.Microsecond).Format("2006-01-02T15:04:05.000000Z")
	default:
		s = strings.Clone(c.ValueStr(i))
	}
	return &s
}
