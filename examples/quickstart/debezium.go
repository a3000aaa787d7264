package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// feed is what a consumer got from a Debezium topic, one message a line, as JSON: first the rows that the connector read in
// its snapshot, then the changes. Some messages come twice, since delivery is at least once.
//
//go:embed feed.jsonl.gz
var feed []byte

// unavailable is what Debezium sends for a large value that a change didn't touch.
const unavailable = "__debezium_unavailable_value"

// message is a change event, and the two headers that the messages of a key change have. Debezium sends a key change as a
// delete of the old key, whose header names the new one, and a create of the new key, whose header names the old one.
type message struct {
	Headers struct {
		OldKey *customerKey `json:"__debezium.oldkey"`
		NewKey *customerKey `json:"__debezium.newkey"`
	} `json:"headers"`
	Before *customer `json:"before"`
	After  *customer `json:"after"`
	Op     string    `json:"op"`
	Source struct {
		TsMs int64 `json:"ts_ms"`
		LSN  int64 `json:"lsn"`
		// Sequence is a JSON array of two positions in the log, as text: the last commit before the transaction, and the change.
		Sequence string `json:"sequence"`
	} `json:"source"`
	Transaction struct {
		// TotalOrder is the place of the change in its transaction. A snapshot read has none: 0.
		TotalOrder int64 `json:"total_order"`
	} `json:"transaction"`

	// afterCommit is the first position of Sequence. It grows from transaction to transaction, in the order of their commits.
	// A snapshot read has none: 0.
	afterCommit int64
}

type customerKey struct {
	TenantID   string `json:"tenant_id"`
	CustomerID int64  `json:"customer_id"`
}

type customer struct {
	customerKey
	Name        *string `json:"name"`
	City        *string `json:"city"`
	Segment     *string `json:"segment"`
	Credit      *string `json:"credit"`
	Notes       *string `json:"notes"`
	UpdatedAt   *string `json:"updated_at"`
	LoyaltyTier *string `json:"loyalty_tier"` // added half-way: older messages don't have it
}

// key is the key that the message is about.
func (m *message) key() customerKey {
	if m.After != nil {
		return m.After.customerKey
	}
	return m.Before.customerKey
}

// compare compares the places of two messages in the order of commits.
func (m *message) compare(other *message) int {
	return cmp.Or(cmp.Compare(m.afterCommit, other.afterCommit), cmp.Compare(m.Transaction.TotalOrder, other.Transaction.TotalOrder))
}

func (m *message) olderThan(other *message) bool { return m.compare(other) < 0 }

// readFeed decodes a compressed feed.
func readFeed(compressed []byte) ([]*message, error) {
	zip, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, fmt.Errorf("feed: %w", err)
	}
	var messages []*message
	for lines := json.NewDecoder(zip); ; {
		m := new(message)
		err := lines.Decode(m)
		if errors.Is(err, io.EOF) {
			return messages, nil
		}
		if err == nil {
			err = m.complete()
		}
		if err != nil {
			return nil, fmt.Errorf("feed: message %d: %w", len(messages)+1, err)
		}
		messages = append(messages, m)
	}
}

// complete checks that the message has a row, and reads its place in the order of commits.
func (m *message) complete() error {
	if m.After == nil && m.Before == nil {
		return errors.New("neither before nor after")
	}
	var positions [2]*string
	if err := json.Unmarshal([]byte(m.Source.Sequence), &positions); err != nil {
		return fmt.Errorf("source.sequence: %w", err)
	}
	if positions[0] == nil {
		return nil
	}
	if _, err := fmt.Sscan(*positions[0], &m.afterCommit); err != nil {
		return fmt.Errorf("source.sequence: %w", err)
	}
	return nil
}
