package main

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// tableColumns is the number of the columns of the table, the first ones of schema.
const tableColumns = 9

var utcMicroseconds = &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}

// schema has the columns of the table, then those that say what a message does and when.
var schema = arrow.NewSchema([]arrow.Field{
	{Name: "tenant_id", Type: arrow.BinaryTypes.String},
	{Name: "customer_id", Type: arrow.PrimitiveTypes.Int64},
	{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "city", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "segment", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "credit", Type: arrow.BinaryTypes.String, Nullable: true}, // a numeric that may be NaN: text is exact
	{Name: "notes", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "updated_at", Type: utcMicroseconds, Nullable: true},
	{Name: "loyalty_tier", Type: arrow.BinaryTypes.String, Nullable: true},

	{Name: "op", Type: arrow.BinaryTypes.String},
	{Name: "after_commit", Type: arrow.PrimitiveTypes.Int64},
	{Name: "total_order", Type: arrow.PrimitiveTypes.Int64},
	{Name: "old_tenant_id", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "old_customer_id", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
}, nil)

// makeRecord makes a record of messages. It leaves out the first half of a key change, the delete of the old key: the second
// half names the old key, and that says as much. The caller releases the record.
func makeRecord(messages []*message, alloc memory.Allocator) (arrow.Record, error) {
	b := array.NewRecordBuilder(alloc, schema)
	defer b.Release()
	for _, m := range messages {
		if m.Headers.NewKey != nil {
			continue
		}
		if err := appendMessage(b, m); err != nil {
			return nil, err
		}
	}
	return b.NewRecord(), nil
}

func appendMessage(b *array.RecordBuilder, m *message) error {
	key, row := m.key(), customer{}
	if m.After != nil {
		row = *m.After
	}
	if err := appendRow(b, key, row); err != nil {
		return err
	}
	b.Field(9).(*array.StringBuilder).Append(m.Op)
	b.Field(10).(*array.Int64Builder).Append(m.afterCommit)
	b.Field(11).(*array.Int64Builder).Append(m.Transaction.TotalOrder)
	if old := m.Headers.OldKey; old != nil {
		b.Field(12).(*array.StringBuilder).Append(old.TenantID)
		b.Field(13).(*array.Int64Builder).Append(old.CustomerID)
	} else {
		b.Field(12).AppendNull()
		b.Field(13).AppendNull()
	}
	return nil
}

// appendRow appends to the columns of the table.
func appendRow(b *array.RecordBuilder, key customerKey, row customer) error {
	b.Field(0).(*array.StringBuilder).Append(key.TenantID)
	b.Field(1).(*array.Int64Builder).Append(key.CustomerID)
	for i, value := range []*string{row.Name, row.City, row.Segment, row.Credit, row.Notes, row.UpdatedAt, row.LoyaltyTier} {
		field := b.Field(2 + i)
		if value == nil {
			field.AppendNull()
		} else if err := field.AppendValueFromString(*value); err != nil {
			return fmt.Errorf("column %q: %w", schema.Field(2+i).Name, err)
		}
	}
	return nil
}
