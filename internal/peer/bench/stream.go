package bench

import (
	"math/bits"
	"strconv"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// changeSource is the table of L1 without the table: each row is a function of its number alone, so that it can be streamed at any size, twice the
// same, and a row can be made again when it is known to have won.
type changeSource struct{ rows, keys int64 }

var changeSchema = arrow.NewSchema([]arrow.Field{
	{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "updated_at", Type: micros, Nullable: true},
	{Name: "seq", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "amount", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
}, nil)

// random gives the draw-th random number of a row: splitmix64 over both.
func random(row int64, draw uint64) uint64 {
	z := (uint64(row)<<2 + draw + 1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below makes a random number one below n.
func below(random uint64, n int64) int64 {
	high, _ := bits.Mul64(random, uint64(n))
	return int64(high)
}

// key is the number of a row's key, which spread makes its id.
func (s changeSource) key(row int64) int64 { return below(random(row, 0), s.keys) }

// at is a row's time.
func (s changeSource) at(row int64) int64 { return below(random(row, 1), 86_400_000_000) }

const (
	namePrefix = "name-"
	mostNames  = 1_000_000
	nameWidth  = len(namePrefix) + 6
)

// record makes a record of rows by their numbers; the sequence is the number.
func (s changeSource) record(alloc memory.Allocator, rows []int64) arrow.Record {
	n := len(rows)
	buffers := make([]*memory.Buffer, 6)
	for i, size := range []int{8 * n, 8 * n, 8 * n, 8 * n, 4 * (n + 1), nameWidth * n} {
		buffers[i] = memory.NewResizableBuffer(alloc)
		buffers[i].Resize(size)
		defer buffers[i].Release()
	}
	id, at := arrow.Int64Traits.CastFromBytes(buffers[0].Bytes()), arrow.Int64Traits.CastFromBytes(buffers[1].Bytes())
	seq, amount := arrow.Int64Traits.CastFromBytes(buffers[2].Bytes()), arrow.Float64Traits.CastFromBytes(buffers[3].Bytes())
	offsets, text := arrow.Int32Traits.CastFromBytes(buffers[4].Bytes()), buffers[5].Bytes()[:0]
	copy(seq, rows)
	offsets[0] = 0
	for i, row := range rows {
		payload := random(row, 2)
		id[i], at[i] = spread(int(s.key(row))), s.at(row)
		amount[i] = float64(below(payload, 10_000_000)) / 100
		text = strconv.AppendUint(append(text, namePrefix...), payload%mostNames, 10)
		offsets[i+1] = int32(len(text))
	}
	buffers[5].ResizeNoShrink(len(text))
	cols := make([]arrow.Array, changeSchema.NumFields())
	for i, f := range changeSchema.Fields() {
		of := []*memory.Buffer{nil, buffers[i]}
		if f.Type == arrow.BinaryTypes.String {
			of = append(of, buffers[5])
		}
		data := array.NewData(f.Type, n, of, nil, 0, 0)
		cols[i] = array.MakeFromData(data)
		data.Release()
		defer cols[i].Release()
	}
	return array.NewRecord(changeSchema, cols, int64(n))
}

// changeStream reads a source, a record of so many rows after the other. It holds one record at a time.
type changeStream struct {
	source  changeSource
	alloc   memory.Allocator
	refs    atomic.Int64
	next    int64
	rows    []int64
	current arrow.Record
}

var _ array.RecordReader = (*changeStream)(nil)

func newChangeStream(source changeSource, recordRows int, alloc memory.Allocator) *changeStream {
	s := &changeStream{source: source, alloc: alloc, rows: make([]int64, recordRows)}
	s.refs.Store(1)
	return s
}

// Schema is that of L1.
func (s *changeStream) Schema() *arrow.Schema { return changeSchema }

// Retain adds a reference.
func (s *changeStream) Retain() { s.refs.Add(1) }

// Release gives a reference back; with the last one goes the current record.
func (s *changeStream) Release() {
	if s.refs.Add(-1) == 0 {
		s.drop()
	}
}

func (s *changeStream) drop() {
	if s.current != nil {
		s.current.Release()
		s.current = nil
	}
}

// Next makes the next record.
func (s *changeStream) Next() bool {
	s.drop()
	n := min(int64(len(s.rows)), s.source.rows-s.next)
	if n <= 0 {
		return false
	}
	for i := range s.rows[:n] {
		s.rows[i] = s.next + int64(i)
	}
	s.next += n
	s.current = s.source.record(s.alloc, s.rows[:n])
	return true
}

// Record is the current record, until Next or Release.
func (s *changeStream) Record() arrow.Record { return s.current }

// Err is nil: nothing goes wrong.
func (s *changeStream) Err() error { return nil }

// newest is the model of what both sides make of a source: the last row of each key, found in an array with a place for each, and made again.
func (s changeSource) newest() (figures, error) {
	best := make([]int64, s.keys) // the row's number and one; 0: the key has none
	for row := range s.rows {
		// A later row has the greater sequence, so that it wins a tie in time.
		if b := &best[s.key(row)]; *b == 0 || s.at(row) >= s.at(*b-1) {
			*b = row + 1
		}
	}
	sum, rows := figures{}, make([]int64, 0, 1<<16)
	flush := func() error {
		rec := s.record(memory.DefaultAllocator, rows)
		defer rec.Release()
		rows = rows[:0]
		return sum.addRows(rec)
	}
	for _, b := range best {
		if b == 0 {
			continue
		}
		if rows = append(rows, b-1); len(rows) == cap(rows) {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	err := flush()
	return sum, err
}

// addRows adds the winners in a record to the figures of those before.
func (f figures) addRows(rec arrow.Record) error {
	others, err := rowFigures("latest", []arrow.Record{rec}, batchColumns, nil)
	for name, n := range others {
		f[name] += n // sums of hashes are sums over all records
	}
	return err
}
