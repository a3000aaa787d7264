package scd2

import (
	"bytes"
	"cmp"
	"context"
	"hash/maphash"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// Confusion is a text that a form makes of rows which differ: they have one hash.
type Confusion struct {
	// Text is what is hashed, in quotes as in Go; a long one is cut. For SparkXXHash64, which makes no text, it is the values that are
	// hashed, one after the other, in hex.
	Text string `json:"text"`
	// Rows is the number of rows that have the text, Distinct the number of different rows among them.
	Rows     int64 `json:"rows"`
	Distinct int64 `json:"distinct"`
	// Samples are the first of the different rows, at most [onerow.MaxSampleKeys]: the values of the hashed columns, and the rows that
	// have them.
	Samples []onerow.KeyRows `json:"samples"`
}

// ConfusionReport is the outcome of [Confusions].
type ConfusionReport struct {
	// Form is the form that was looked at, Columns are the columns that are hashed.
	Form    HashForm `json:"form"`
	Columns []string `json:"columns"`
	// Rows is the number of rows of the input.
	Rows int64 `json:"rows"`
	// Texts is the number of texts that rows which differ have in common.
	Texts int64 `json:"texts"`
	// Distinct is the number of different rows that share their text with another, Confused that of all rows that do.
	Distinct int64 `json:"distinct"`
	Confused int64 `json:"confused"`
	// Findings are the texts, by first row; at most as many as the options say.
	Findings []Confusion `json:"findings,omitempty"`
}

// Confusions reports the rows that a form of [RowHash] gives one hash although they differ in the named columns, as keys differ (see package
// onerow), where NULL equals NULL: ("a", "bc") and ("ab", "c") joined without a separator, or with one that values contain; rows whose
// NULLs are left out in different places; NULL and what is written like it. What is reported are rows of one hashed text, compared byte by byte;
// that a hash maps two texts to one is neither looked for nor likely. CanonicalHash confuses no rows.
//
// A confusion is no error of Confusions: see [ConfusionReport.Err]. The outcome depends neither on how the rows are cut into batches, nor on
// encodings, nor on the number of workers. Confusions needs 48 bytes of memory a row while it runs, and the time of sorting the rows by two
// hashes. It returns ctx.Err() soon after the context ends. Errors are those of RowHash.
func Confusions(ctx context.Context, batches []arrow.Record, columns []string, opts HashOptions) (r *ConfusionReport, err error) {
	err = keyset.Guard(func() error {
		j, err := newHashJob(ctx, batches, columns, opts)
		if err == nil {
			r, err = j.confusions(ctx)
		}
		return err
	})
	return r, err
}

// hashedRow is a row and two hashes: of its text, and of its cells.
type hashedRow struct {
	text, cells uint64
	row         uint32
}

func (h *hashedRow) compare(o *hashedRow) int {
	return cmp.Or(cmp.Compare(h.text, o.text), cmp.Compare(h.cells, o.cells), cmp.Compare(h.row, o.row))
}

// byte returns one of the 16 bytes of the hashes, the highest first.
func (h *hashedRow) byte(i int) byte {
	if i < 8 {
		return byte(h.text >> (56 - 8*i))
	}
	return byte(h.cells >> (120 - 8*i))
}

// confuser finds the groups of rows with one text.
type confuser struct {
	job  *hashJob
	ctx  context.Context
	read *hashReader

	report *ConfusionReport
	limit  int
	found  []*sameText
}

// sameText is a text in the making.
type sameText struct {
	text     []byte
	rows     int64
	distinct int64
	samples  []sampleRow // by first row
	open     sampleRow   // the row whose copies come now
	class    uint64      // of open
}

// sampleRow is one of the different rows of a text.
type sampleRow struct {
	count int64
	rows  []uint32
}

func (j *hashJob) confusions(ctx context.Context) (*ConfusionReport, error) {
	c := &confuser{job: j, ctx: ctx, read: j.reader(), limit: j.opts.MaxFindings}
	c.report = &ConfusionReport{Form: j.opts.Form, Rows: int64(j.table.Rows())}
	if c.limit == 0 {
		c.limit = DefaultMaxFindings
	}
	c.limit = max(c.limit, 0)
	for _, col := range j.cols {
		c.report.Columns = append(c.report.Columns, col.Name)
	}
	rows, err := j.hashRows(ctx)
	if err != nil {
		return nil, err
	}
	if err := sortHashed(ctx, rows, make([]hashedRow, len(rows)), 0); err != nil {
		return nil, err
	}
	for lo := 0; lo < len(rows); {
		hi := lo + 1
		for hi < len(rows) && rows[hi].text == rows[lo].text {
			hi++
		}
		if err := c.group(rows[lo:hi]); err != nil {
			return nil, err
		}
		lo = hi
	}
	c.list()
	return c.report, ctx.Err()
}

// hashRows hashes texts and cells, under a secret of this call.
func (j *hashJob) hashRows(ctx context.Context) ([]hashedRow, error) {
	rows := make([]hashedRow, j.table.Rows())
	seed := maphash.MakeSeed()
	cells := func(c *hashReader, chunk, i int) (h uint64) {
		row := c.buf[:0]
		for _, a := range j.arrays[chunk] {
			row = form.AppendCanonical(row, a.cells, i)
		}
		c.buf = row
		return maphash.Bytes(seed, row)
	}
	err := j.each(ctx, onerow.StageEncode, func(r *hashReader, chunk, i int, number uint32, row []byte) {
		h := hashedRow{text: maphash.Bytes(seed, row), row: number}
		if h.cells = cells(r, chunk, i); form.IsConstantHash() {
			h.text, h.cells = 0, 0
		}
		rows[number] = h
	})
	return rows, err
}

// sortHashed sorts rows, which are in ascending order, by their hashes, from byte number depth on. spare has their length.
func sortHashed(ctx context.Context, rows, spare []hashedRow, depth int) error {
	const few = 1 << 12
	switch {
	case depth == 16:
		return nil // all hashes are the same
	case len(rows) <= few:
		slices.SortFunc(rows, func(a, b hashedRow) int { return a.compare(&b) })
		return ctx.Err()
	}
	var counts, next [257]int
	for part := range slices.Chunk(rows, few) {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range part {
			counts[int(part[i].byte(depth))+1]++
		}
	}
	for b := range 256 {
		counts[b+1] += counts[b]
	}
	next = counts
	for part := range slices.Chunk(rows, few) {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range part {
			b := part[i].byte(depth)
			spare[next[b]] = part[i]
			next[b]++
		}
	}
	copy(rows, spare)
	for b := range 256 {
		lo, hi := counts[b], counts[b+1]
		if hi-lo > 1 {
			if err := sortHashed(ctx, rows[lo:hi], spare[lo:hi], depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// group looks at rows whose texts have one hash.
func (c *confuser) group(rows []hashedRow) error {
	if len(rows) == 1 {
		return nil
	}
	classes, err := c.classes(rows)
	if err != nil || classes == 1 {
		return err
	}
	texts := map[string]*sameText{}
	for _, h := range rows {
		text, err := c.read.row(c.job.table.At(h.row))
		if err != nil {
			return err
		}
		t := texts[string(text)]
		if t == nil {
			t = &sameText{text: bytes.Clone(text)}
			texts[string(t.text)] = t
		}
		t.add(h)
		if c.read.due(len(text)) && c.ctx.Err() != nil {
			return c.ctx.Err()
		}
	}
	for _, t := range texts {
		if t.close(); t.distinct > 1 {
			c.add(t)
		}
	}
	return nil
}

// classes numbers the different rows among some that are sorted by the hash of their cells, puts the numbers in place of the hashes, and
// sorts by them.
func (c *confuser) classes(rows []hashedRow) (n uint64, err error) {
	for lo := 0; lo < len(rows); {
		hash, first := rows[lo].cells, n
		var firsts []uint32 // of each class of this hash: more than one if rows that differ have it
		hi := lo
		for ; hi < len(rows) && (hi == lo || rows[hi].cells == hash); hi++ {
			k := slices.IndexFunc(firsts, func(row uint32) bool { return c.same(row, rows[hi].row) })
			if k < 0 {
				k = len(firsts)
				firsts = append(firsts, rows[hi].row)
				n++
			}
			rows[hi].cells = first + uint64(k)
			if c.read.due(len(firsts)*64) && c.ctx.Err() != nil {
				return 0, c.ctx.Err()
			}
		}
		if len(firsts) > 1 {
			slices.SortStableFunc(rows[lo:hi], func(a, b hashedRow) int { return cmp.Compare(a.cells, b.cells) })
		}
		lo = hi
	}
	return n, nil
}

// same says whether two rows are equal.
func (c *confuser) same(a, b uint32) bool {
	for _, col := range c.job.cols {
		if col.Compare(a, b, form.ByValue) != 0 {
			return false
		}
	}
	return true
}

// add counts a row. Rows of one class come one after the other, in ascending order.
func (t *sameText) add(h hashedRow) {
	if t.rows == 0 || h.cells != t.class {
		t.close()
		t.class, t.open = h.cells, sampleRow{}
		t.distinct++
	}
	t.rows++
	t.open.count++
	if len(t.open.rows) < onerow.MaxSampleRows {
		t.open.rows = append(t.open.rows, h.row)
	}
}

// close files the row whose copies have all come: the first ones are kept.
func (t *sameText) close() {
	if t.open.count == 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(t.samples, t.open, func(a, b sampleRow) int { return cmp.Compare(a.rows[0], b.rows[0]) })
	if at < onerow.MaxSampleKeys {
		t.samples = slices.Insert(t.samples, at, t.open)
		t.samples = t.samples[:min(len(t.samples), onerow.MaxSampleKeys)]
	}
}

// add counts a text, and keeps it if it may be listed.
func (c *confuser) add(t *sameText) {
	c.report.Texts++
	c.report.Distinct += t.distinct
	c.report.Confused += t.rows
	if c.limit == 0 {
		return
	}
	if c.found = append(c.found, t); len(c.found) >= 2*c.limit {
		c.trim()
	}
}

// trim keeps as many texts as are listed, those of the first rows.
func (c *confuser) trim() {
	slices.SortFunc(c.found, func(a, b *sameText) int { return cmp.Compare(a.samples[0].rows[0], b.samples[0].rows[0]) })
	c.found = c.found[:min(len(c.found), c.limit)]
}

// list writes the texts into the report.
func (c *confuser) list() {
	c.trim()
	for _, t := range c.found {
		f := Confusion{Text: c.job.opts.Form.show(t.text), Rows: t.rows, Distinct: t.distinct}
		for _, s := range t.samples {
			f.Samples = append(f.Samples, frame.KeyRows(c.job.cols, s.count, s.rows))
		}
		c.report.Findings = append(c.report.Findings, f)
	}
}
