package scd2

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
)

// Fingerprint identifies the content of the history that the plan was made for: 32 hexadecimal digits, the same for the same rows, whatever
// their order, batches and encodings. It is the sum modulo 2^128 of the canonical hashes of the rows ([RowHash], read as big-endian
// numbers) over all columns in the order of the schema, but for columns of map, union and interval types, which have none. Of a history
// without rows it is 0.
//
// It reads all columns of the history once, and is computed when asked for: compare it with that of the table read again to find out
// whether somebody else wrote in between.
func (m *Merge) Fingerprint(ctx context.Context) (string, error) {
	if m.job == nil {
		return "", fmt.Errorf("%w: the merge isn't one of Plan", onerow.ErrNoBatches)
	}
	j := m.job
	var columns []string
	for _, f := range j.history.Schema.Fields() {
		if ok, _ := form.IsKey(f.Type); ok {
			columns = append(columns, f.Name)
		}
	}
	hashes, err := RowHash(ctx, j.history.Batches, columns, HashOptions{Resources: onerow.Resources{Workers: j.opts.Resources.Workers}})
	if err != nil {
		return "", err
	}
	var hi, lo uint64
	for _, h := range hashes {
		rows := h.(*array.FixedSizeBinary)
		for i := range rows.Len() {
			b := rows.Value(i)
			var carry uint64
			lo, carry = bits.Add64(lo, binary.BigEndian.Uint64(b[8:]), 0)
			hi, _ = bits.Add64(hi, binary.BigEndian.Uint64(b), carry)
		}
		h.Release()
	}
	sum := binary.BigEndian.AppendUint64(nil, hi)
	return hex.EncodeToString(binary.BigEndian.AppendUint64(sum, lo)), nil
}
