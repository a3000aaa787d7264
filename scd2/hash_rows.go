package scd2

import (
	"context"
	"crypto/fips140"
	"crypto/md5"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/cespare/xxhash/v2"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// hashJob is one call: the columns to hash.
type hashJob struct {
	opts   HashOptions
	table  *frame.Table
	cols   []*form.Column
	arrays [][]*hashArray // of each batch, by column
	spans  []keyset.Span
}

func newHashJob(ctx context.Context, batches []arrow.Record, columns []string, opts HashOptions) (*hashJob, error) {
	errs := opts.check()
	f, err := frame.New("batches", batches)
	if err = errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	j := &hashJob{opts: opts, arrays: make([][]*hashArray, len(batches))}
	if j.table, err = frame.NewTable(frame.Part{Frame: f}); err != nil || len(batches) == 0 {
		return j, errors.Join(err, ctx.Err())
	}
	if err := j.addColumns(f, columns); err != nil {
		return nil, err
	}
	j.spans = keyset.Spans(j.table.Lens(), j.table.Start)
	return j, j.remember(ctx)
}

// addColumns reads the named columns, or all.
func (j *hashJob) addColumns(f *frame.Frame, columns []string) error {
	var errs []error
	use := hashTypes(j.opts.Form)
	add := func(c *form.Column, i int, err error) {
		if err != nil {
			errs = append(errs, err)
			return
		}
		j.cols = append(j.cols, c)
		dicts := map[arrow.ArrayData]*hashArray{}
		for b, arr := range f.Chunks(i) {
			j.arrays[b] = append(j.arrays[b], newHashArray(arr.Data(), dicts))
		}
	}
	for _, name := range columns {
		i, err := f.Index(name)
		var c *form.Column
		if err == nil {
			c, err = j.table.Column(name, use)
		}
		add(c, i, err)
	}
	for i := range f.Schema.NumFields() {
		if len(columns) > 0 {
			break
		}
		field := f.Schema.Field(i)
		if ok, why := use(field.Type); !ok {
			errs = append(errs, &onerow.TypeError{Column: field.Name, Type: field.Type, Input: f.Input, Why: why})
			continue
		}
		c, err := j.table.ColumnAt(i)
		add(c, i, err)
	}
	return errors.Join(errs...)
}

// hashMemo is what a form makes of the values of a dictionary or of runs: of each value once.
type hashMemo struct {
	data []byte
	ends []int
	bad  map[int]bool // values that have no hash
}

// remember makes the memos of dictionaries and runs that have no more values than rows.
func (j *hashJob) remember(ctx context.Context) error {
	rows := map[*hashArray]int{}
	for _, batch := range j.arrays {
		for _, a := range batch {
			if v := a.values(); v != nil {
				rows[v] += len(a.rows)
			}
		}
	}
	c := newHashCoder(j.opts)
	for v, n := range rows {
		if len(v.rows) > n {
			continue
		}
		m := &hashMemo{ends: make([]int, len(v.rows)), bad: map[int]bool{}}
		for i := range v.rows {
			if i%keyset.BlockRows == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			m.data = c.cell(m.data, v, i)
			m.ends[i] = len(m.data)
			if c.why != "" {
				m.bad[i], c.why = true, ""
			}
		}
		v.memo = m
	}
	return ctx.Err()
}

// get returns what the form makes of value i, or says that it has no hash.
func (m *hashMemo) get(i int) ([]byte, bool) {
	if len(m.bad) > 0 && m.bad[i] {
		return nil, false
	}
	lo := 0
	if i > 0 {
		lo = m.ends[i-1]
	}
	return m.data[lo:m.ends[i]], true
}

// hashReader reads the rows of a job. It belongs to one goroutine.
type hashReader struct {
	*hashCoder
	job  *hashJob
	buf  []byte
	xxh  xxhash.Digest
	work int // since the context was last looked at
}

func (j *hashJob) reader() *hashReader { return &hashReader{hashCoder: newHashCoder(j.opts), job: j} }

// row returns the bytes that are hashed of a row. They are valid until the next call.
func (r *hashReader) row(chunk, i int) ([]byte, error) {
	dst := r.buf[:0]
	for k, a := range r.job.arrays[chunk] {
		dst = r.column(dst, a, i)
		if r.why != "" {
			col := r.job.cols[k]
			why := fmt.Sprintf("row %d %s", r.job.table.Start(chunk)+uint32(i), r.why)
			r.why = ""
			return nil, &onerow.TypeError{Column: col.Name, Type: col.Type, Input: "batches", Why: why}
		}
	}
	r.buf = dst
	return dst[min(len(dst), len(r.sep)):], nil
}

// column appends a cell, by way of what is remembered of the value that it stands for.
func (r *hashReader) column(dst []byte, a *hashArray, i int) []byte {
	v := a.values()
	if v == nil || v.memo == nil {
		return r.cell(dst, a, i)
	}
	var at int
	switch {
	case a.id == arrow.RUN_END_ENCODED:
		at = a.run(i)
	case a.valid != nil && a.valid[(a.off+i)>>3]>>((a.off+i)&7)&1 == 0:
		return r.cell(dst, a, i)
	default:
		at = a.entry(i)
	}
	if b, ok := v.memo.get(at); ok {
		return append(dst, b...)
	}
	return r.cell(dst, a, i)
}

// due notes the hashing of some bytes, and says when it is time to look at the context again.
func (r *hashReader) due(bytes int) bool {
	if r.work += bytes + 64; r.work < 1<<18 {
		return false
	}
	r.work = 0
	return true
}

// hashWidths are the bytes of a hash of each form.
var hashWidths = map[HashForm]int{CanonicalHash: 16, SparkSHA2: 64, SparkMD5: 32, SparkXXHash64: 8, DBTKey: 32, DBTLegacyKey: 32}

// put writes the hash of a row's bytes.
func (r *hashReader) put(row, to []byte) {
	switch r.form {
	case SparkSHA2:
		sum := sha256.Sum256(row)
		hex.Encode(to, sum[:])
	case SparkMD5, DBTKey, DBTLegacyKey:
		sum := md5.Sum(row)
		hex.Encode(to, sum[:])
	case SparkXXHash64:
		binary.LittleEndian.PutUint64(to, r.fold(row))
	default:
		sum := sha256.Sum256(row)
		copy(to, sum[:])
	}
}

// sparkSeed is the seed of xxhash64.
const sparkSeed = 42

// fold hashes a chain of values, each with the hash of those before it as its seed.
func (r *hashReader) fold(row []byte) uint64 {
	h := uint64(sparkSeed)
	for len(row) > 0 {
		n := binary.LittleEndian.Uint64(row)
		value := row[8 : 8+n]
		row = row[8+n:]
		switch n {
		case 4:
			h = xxh4(binary.LittleEndian.Uint32(value), h)
		case 8:
			h = xxh8(binary.LittleEndian.Uint64(value), h)
		default:
			r.xxh.ResetWithSeed(h)
			_, _ = r.xxh.Write(value) // never fails
			h = r.xxh.Sum64()
		}
	}
	return h
}

// hash makes the arrays.
func (j *hashJob) hash(ctx context.Context) (out []arrow.Array, err error) {
	width := hashWidths[j.opts.Form]
	mem := j.opts.Resources.Allocator
	if mem == nil {
		mem = memory.DefaultAllocator
	}
	sums := make([]*memory.Buffer, len(j.arrays))
	defer func() {
		for _, b := range sums {
			if b != nil {
				b.Release()
			}
		}
	}()
	for i, n := range j.table.Lens() {
		limit := int64(math.MaxInt)
		if width >= 32 { // text, behind offsets of 32 bits
			limit = math.MaxInt32
		}
		if size := int64(n) * int64(width); size > limit {
			return nil, &onerow.SizeError{Column: j.opts.Form.String(), Type: hashType(j.opts.Form), Size: size, Limit: limit, Unit: "bytes"}
		}
		sums[i] = memory.NewResizableBuffer(mem)
		sums[i].Resize(n * width)
	}
	if err := j.each(ctx, onerow.StageEncode, func(r *hashReader, chunk, i int, _ uint32, row []byte) {
		r.put(row, sums[chunk].Bytes()[i*width:(i+1)*width])
	}); err != nil {
		return nil, err
	}
	for i, n := range j.table.Lens() {
		out = append(out, hashesOf(mem, j.opts.Form, sums[i], n))
	}
	return out, nil
}

// each calls do for the bytes of every row, on several goroutines. The error is that of the first row that has one, whatever their
// number.
func (j *hashJob) each(ctx context.Context, stage onerow.Stage, do func(r *hashReader, chunk, i int, number uint32, row []byte)) error {
	readers := make([]*hashReader, max(1, min(j.opts.Resources.WorkerCount(), len(j.spans))))
	for w := range readers {
		readers[w] = j.reader()
	}
	progress := frame.NewProgress(j.opts.Resources)
	progress.Start(stage, int64(j.table.Rows()))
	errs := make([]error, len(j.spans)) // Run tells of any of them
	task := func(w, task int) error {
		s := j.spans[task]
		for i := range s.N {
			row, err := readers[w].row(s.Chunk, s.Lo+i)
			if err != nil {
				errs[task] = err
				return err
			}
			do(readers[w], s.Chunk, s.Lo+i, s.Row+uint32(i), row)
			if readers[w].due(len(row)) && ctx.Err() != nil {
				return ctx.Err()
			}
		}
		progress.Add(int64(s.N))
		return nil
	}
	err := keyset.Run(ctx, len(readers), len(j.spans), func(w, t int) (err error) {
		// MD5 is no secret's guard here.
		fips140.WithoutEnforcement(func() { err = task(w, t) })
		return err
	})
	if err == nil || ctx.Err() != nil {
		return err
	}
	for _, e := range errs {
		if e != nil {
			return e
		}
	}
	return err
}

// hashType is the type of a form's hashes.
func hashType(f HashForm) arrow.DataType {
	switch f {
	case CanonicalHash:
		return &arrow.FixedSizeBinaryType{ByteWidth: hashWidths[f]}
	case SparkXXHash64:
		return arrow.PrimitiveTypes.Int64
	}
	return arrow.BinaryTypes.String
}

func hashesOf(mem memory.Allocator, f HashForm, sums *memory.Buffer, n int) arrow.Array {
	t := hashType(f)
	buffers := []*memory.Buffer{nil, sums}
	if t.ID() == arrow.STRING {
		offsets := memory.NewResizableBuffer(mem)
		defer offsets.Release()
		offsets.Resize(4 * (n + 1))
		for i := range n + 1 {
			binary.LittleEndian.PutUint32(offsets.Bytes()[4*i:], uint32(i*hashWidths[f]))
		}
		buffers = []*memory.Buffer{nil, offsets, sums}
	}
	data := array.NewData(t, n, buffers, nil, 0, 0)
	defer data.Release()
	return array.MakeFromData(data)
}
