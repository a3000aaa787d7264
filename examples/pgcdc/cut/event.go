package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// keyColumns are the primary keys of the tables.
var keyColumns = map[string][]string{
	"customers": {"tenant_id", "customer_id"},
	"orders":    {"order_id"},
	"flags":     {"key"},
}

// event is a line of the feed, with what is needed to choose by.
type event struct {
	Batch     int                `json:"batch"`
	CommitLSN uint64             `json:"commit_lsn"`
	LSN       uint64             `json:"lsn"`
	XID       uint64             `json:"xid"`
	CommitTS  string             `json:"commit_ts"`
	SeqInTx   int                `json:"seq_in_tx"`
	Table     string             `json:"table"`
	Op        string             `json:"op"`
	Key       map[string]*string `json:"key"`
	OldKey    map[string]*string `json:"old_key"`
	After     map[string]*string `json:"after"`
	Unchanged []string           `json:"unchanged"`

	line []byte
	// key and oldKey are the table and the key values in one string; oldKey is empty unless the key changed.
	key, oldKey string
	// again: the same event came before.
	again bool
}

// position is the place of an event in the order of truth.
type position struct {
	commitLSN uint64
	seqInTx   int
}

func (e *event) at() position { return position{e.CommitLSN, e.SeqInTx} }

func (p position) before(q position) bool {
	return p.commitLSN < q.commitLSN || p.commitLSN == q.commitLSN && p.seqInTx < q.seqInTx
}

// readEvents reads a feed. Lines end at LF only: values hold other line breaks.
func readEvents(path string) ([]*event, error) {
	data, err := readGzip(path)
	if err != nil {
		return nil, err
	}
	var events []*event
	seen := map[position]bool{}
	for line := range strings.Lines(string(data)) {
		e := &event{line: []byte(line)}
		if err := json.Unmarshal(e.line, e); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, len(events)+1, err)
		}
		e.key = eventKey(e.Table, e.Key)
		e.oldKey = eventKey(e.Table, e.OldKey)
		e.again = seen[e.at()]
		seen[e.at()] = true
		events = append(events, e)
	}
	return events, nil
}

func eventKey(table string, values map[string]*string) string {
	if values == nil {
		return ""
	}
	var key []string
	for _, name := range keyColumns[table] {
		key = append(key, *values[name])
	}
	return joinKey(table, key)
}

// joinKey packs a key into a string, with lengths, so that no two keys are alike.
func joinKey(table string, values []string) string {
	s := table
	for _, v := range values {
		s += "/" + strconv.Itoa(len(v)) + ":" + v
	}
	return s
}

// value is the text of a column after the change; NULL and what was left out are empty.
func (e *event) value(column string) string {
	if v := e.After[column]; v != nil {
		return *v
	}
	return ""
}

func (e *event) has(column string) bool { _, ok := e.After[column]; return ok }
