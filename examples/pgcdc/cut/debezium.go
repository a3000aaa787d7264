package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"time"
)

// message is what a consumer of a Debezium topic gets for a change: the envelope, with the message's headers beside it. The
// connector is one with column.include.list (see sentColumns), decimal.handling.mode=string,
// provide.transaction.metadata=true and tombstones.on.delete=false; the table has REPLICA IDENTITY DEFAULT.
type message struct {
	// Headers is set on the two messages of a key change.
	Headers map[string]map[string]any `json:"headers,omitempty"`
	Before  map[string]any            `json:"before"`
	After   map[string]any            `json:"after"`
	Source  source                    `json:"source"`
	// Transaction is null for a snapshot read.
	Transaction *transaction `json:"transaction"`
	Op          string       `json:"op"`
	TsMs        int64        `json:"ts_ms"`
}

type source struct {
	Connector string `json:"connector"`
	Name      string `json:"name"`
	TsMs      int64  `json:"ts_ms"`
	Snapshot  string `json:"snapshot"`
	DB        string `json:"db"`
	// Sequence is a JSON array in a string: the position of the last commit before this transaction, and that of the change.
	Sequence string  `json:"sequence"`
	Schema   string  `json:"schema"`
	Table    string  `json:"table"`
	TxID     *uint64 `json:"txId"`
	LSN      uint64  `json:"lsn"`
}

type transaction struct {
	ID         string `json:"id"`
	TotalOrder int    `json:"total_order"`
}

// sentColumns are the columns of customers that the feed has: some are left out, for brevity.
var sentColumns = []string{"tenant_id", "customer_id", "name", "city", "segment", "credit", "notes", "updated_at", "loyalty_tier"}

// debeziumUnavailable is what Debezium sends for a large value that didn't change.
const debeziumUnavailable = "__debezium_unavailable_value"

// writeDebezium writes the snapshot and the feed of the chosen customers as messages, one a line.
func writeDebezium(from, to string, chosen *choice) error {
	changes, err := readEvents(filepath.Join(from, "changes.jsonl.gz"))
	if err != nil {
		return err
	}
	delivered, err := readEvents(filepath.Join(from, "replayed.jsonl.gz"))
	if err != nil {
		return err
	}
	var w messageWriter
	if err := w.snapshot(filepath.Join(from, "initial_customers.csv.gz"), chosen); err != nil {
		return err
	}
	w.plan(changes)
	for _, e := range delivered {
		if e.Table == "customers" && chosen.has(e) {
			if err := w.change(e); err != nil {
				return err
			}
		}
	}
	return writeGzip(to, w.out.Bytes())
}

type messageWriter struct {
	out bytes.Buffer
	// clock is the connector's, which doesn't go back when it sends something again.
	clock int64
	// lastCommit is the newest commit before each transaction, by the transaction's commit; totalOrder the place of each
	// change in its transaction. A key change is two messages and takes two places.
	lastCommit map[uint64]uint64
	totalOrder map[position]int
	firstLSN   uint64
}

func (w *messageWriter) plan(changes []*event) {
	w.lastCommit = map[uint64]uint64{}
	w.totalOrder = map[position]int{}
	last, current, place := w.firstLSN, uint64(0), 0
	for _, e := range changes {
		if e.CommitLSN != current {
			if current != 0 {
				last = current
			}
			current, place = e.CommitLSN, 0
			w.lastCommit[current] = last
		}
		place++
		w.totalOrder[e.at()] = place
		if e.oldKey != "" {
			place++
		}
	}
}

func (w *messageWriter) snapshot(path string, chosen *choice) error {
	rows, err := readCSV(path)
	if err != nil {
		return err
	}
	header := rows[0]
	for _, row := range rows[1:] {
		cells := map[string]*string{}
		for i, name := range header {
			if row[i] != `\N` {
				cells[name] = &row[i]
			}
		}
		key := []string{*cells["tenant_id"], *cells["customer_id"]}
		if !chosen.keys[joinKey("customers", key)] && !chosen.untouched("customers", key) {
			continue
		}
		if w.firstLSN, err = strconv.ParseUint(*cells["lsn"], 10, 64); err != nil {
			return err
		}
		at, err := millis(*cells["snapshot_ts"])
		if err != nil {
			return err
		}
		after := map[string]any{}
		for _, name := range sentColumns[:len(sentColumns)-1] { // loyalty_tier is younger
			if after[name], err = value(name, cells[name]); err != nil {
				return err
			}
		}
		m := message{After: after, Op: "r", Source: w.source(at, "true", w.firstLSN)}
		m.Source.Sequence = fmt.Sprintf(`[null,"%d"]`, w.firstLSN)
		if err := w.write(m); err != nil {
			return err
		}
	}
	return nil
}

func (w *messageWriter) source(at int64, snapshot string, lsn uint64) source {
	w.clock = max(w.clock, at)
	return source{Connector: "postgresql", Name: "shop", TsMs: at, Snapshot: snapshot, DB: "shop",
		Schema: "public", Table: "customers", LSN: lsn}
}

// change writes the messages of a change: two for a key change, a delete of the old key and a create of the new one, each
// with a header that names the other.
func (w *messageWriter) change(e *event) error {
	at, err := millis(e.CommitTS)
	if err != nil {
		return err
	}
	m := message{Op: e.Op, Source: w.source(at, "false", e.LSN)}
	m.Source.TxID = &e.XID
	m.Source.Sequence = fmt.Sprintf(`["%d","%d"]`, w.lastCommit[e.CommitLSN], e.LSN)
	place := transaction{ID: fmt.Sprintf("%d:%d", e.XID, e.CommitLSN), TotalOrder: w.totalOrder[e.at()]}
	m.Transaction = &place
	key, err := keyValues(e.Key)
	if err != nil {
		return err
	}
	if e.Op == "d" {
		m.Before = beforeDelete(key)
		return w.write(m)
	}
	if e.oldKey != "" {
		oldKey, err := keyValues(e.OldKey)
		if err != nil {
			return err
		}
		gone := m
		gone.Op, gone.Before = "d", beforeDelete(oldKey)
		gone.Headers = map[string]map[string]any{"__debezium.newkey": key}
		if err := w.write(gone); err != nil {
			return err
		}
		m.Op, m.Transaction = "c", &transaction{place.ID, place.TotalOrder + 1}
		m.Headers = map[string]map[string]any{"__debezium.oldkey": oldKey}
	}
	if m.After, err = afterValues(e); err != nil {
		return err
	}
	return w.write(m)
}

func (w *messageWriter) write(m message) error {
	m.TsMs = w.clock
	enc := json.NewEncoder(&w.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(m)
}

func keyValues(key map[string]*string) (map[string]any, error) {
	values := map[string]any{}
	for name, text := range key {
		v, err := value(name, text)
		if err != nil {
			return nil, err
		}
		values[name] = v
	}
	return values, nil
}

// beforeDelete is what is sent of a deleted row: its key, and NULL for the rest.
func beforeDelete(key map[string]any) map[string]any {
	before := map[string]any{}
	for _, name := range sentColumns {
		before[name] = key[name]
	}
	return before
}

func afterValues(e *event) (map[string]any, error) {
	after := map[string]any{}
	for _, name := range sentColumns {
		if text, ok := e.After[name]; ok {
			v, err := value(name, text)
			if err != nil {
				return nil, err
			}
			after[name] = v
		}
	}
	for _, name := range e.Unchanged {
		after[name] = debeziumUnavailable
	}
	return after, nil
}

// value turns PostgreSQL's text into what Debezium sends: bigint as a number, timestamptz in ISO 8601.
func value(column string, text *string) (any, error) {
	switch {
	case text == nil:
		return nil, nil
	case column == "customer_id":
		return strconv.ParseInt(*text, 10, 64)
	case column == "updated_at":
		t, err := time.Parse("2006-01-02 15:04:05-07", *text)
		if err != nil {
			return nil, err
		}
		return t.UTC().Format("2006-01-02T15:04:05.000000Z"), nil
	}
	return *text, nil
}

func millis(rfc3339 string) (int64, error) {
	t, err := time.Parse(time.RFC3339, rfc3339)
	if err != nil {
		return 0, err
	}
	return t.UnixMilli(), nil
}
