package dedupe_test

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/spill/faultfs"
)

var byTime = []onerow.Order{onerow.Desc("updated_at"), onerow.Desc("seq")}

// latestOf are the numbers of the latest rows of a changeStream, by a map.
func latestOf(rows, keys int) (out onerow.Rows) {
	best := map[uint64]int{}
	at := func(i int) uint64 { return mixed(i) >> 20 % 86_400_000_000 }
	for i := range rows {
		k := mixed(i) % uint64(keys)
		if old, ok := best[k]; !ok || at(i) >= at(old) {
			best[k] = i
		}
	}
	for _, i := range best {
		out = append(out, uint32(i))
	}
	slices.Sort(out)
	return out
}

// TestReaderMemory: the heap stays within the budget, whatever the number of rows, and the rows are right.
func TestReaderMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	rows := 4_000_000
	if testing.Short() {
		rows = 600_000
	}
	for _, test := range []struct {
		keys   int
		budget int64
		spills bool
	}{
		{rows / 10, 32 << 20, true},
		{rows, 32 << 20, true},
		{1000, 16 << 20, false},
		{rows / 10, 1 << 20, true},
	} {
		t.Run(fmt.Sprintf("%d keys, %d MiB", test.keys, test.budget>>20), func(t *testing.T) {
			want := latestOf(rows, test.keys)
			dir := t.TempDir()
			w := arrowtest.NewHeapWatch(arrowtest.Allocator(t))
			fs := &faultfs.FS{Did: func(faultfs.Op) { w.Look() }}
			defer dedupe.SetStreamFS(fs)()
			in := &changeStream{mem: w, rows: rows, keys: test.keys, step: 8192, came: w.Look}
			r, err := dedupe.NewReader(t.Context(), in, []string{"id"}, byTime, dedupe.Options{Resources: onerow.Resources{Memory: test.budget, Workers: 2, Allocator: w, Dir: dir}})
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for r.Next() {
				got := r.Rows()
				if !slices.Equal(got, want[min(n, len(want)):min(n+len(got), len(want))]) {
					t.Fatalf("rows %d to %d differ", n, n+len(got))
				}
				n += len(got)
			}
			if r.Err() != nil || n != len(want) || r.Report().Kept != int64(n) || r.Report().Superseded != int64(rows-n) {
				t.Errorf("%d rows, want %d, error %v, %v", n, len(want), r.Err(), r.Report())
			}
			if r.Next() {
				t.Error("there is more after the end")
			}
			r.Release()
			t.Logf("%d MiB: %.1f MiB more heap, %d MB written", test.budget>>20, float64(w.Over())/(1<<20), fs.Done[faultfs.Write]/1e6)
			const batch = 4 << 20 // the one that was read last, and a record of the output
			if w.Over() > test.budget+arrowtest.FixedMemory(2)+2*batch {
				t.Errorf("%d bytes more heap, of %d", w.Over(), test.budget)
			}
			if spilled := len(fs.Folders) > 0; spilled != test.spills {
				t.Errorf("something went to files: %v", spilled)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("%v is left, error %v", left, err)
			}
		})
	}
}

// TestReaderLongValues has values of 1 MiB, plain and behind a dictionary, far more than the budget together.
func TestReaderLongValues(t *testing.T) {
	const long = 1 << 20
	for _, typ := range []string{"plain", "dictionary"} {
		mem := arrowtest.Allocator(t)
		dir := t.TempDir()
		fs := &faultfs.FS{}
		restore := dedupe.SetStreamFS(fs)
		texts := array.NewStringBuilder(mem)
		for n := range 12 {
			texts.Append(strings.Repeat(fmt.Sprint(n, " "), long)[:long])
		}
		values := texts.NewArray()
		texts.Release()
		n := values.Len()
		if typ == "dictionary" {
			n = 300
			index := array.NewInt8Builder(mem)
			for i := range n {
				index.Append(int8(i % 12))
			}
			indices := index.NewArray()
			index.Release()
			coded := array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, indices, values)
			indices.Release()
			values.Release()
			values = coded
		}
		b := array.NewInt64Builder(mem)
		for i := range n {
			b.Append(int64(i))
		}
		ids := b.NewArray()
		b.Release()
		rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "id", Type: ids.DataType()}, {Name: "v", Type: values.DataType()}}, nil), []arrow.Array{ids, values}, int64(n))
		in, err := array.NewRecordReader(rec.Schema(), []arrow.Record{rec, rec, rec})
		if err != nil {
			t.Fatal(err)
		}
		r, err := dedupe.NewReader(t.Context(), in, []string{"id"}, nil, dedupe.Options{Resources: onerow.Resources{Memory: 40 << 20, Allocator: mem, Dir: dir}})
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for r.Next() {
			v := r.Record().Column(1).(*array.String)
			for i := range v.Len() {
				if got := v.Value(i); len(got) != long || !strings.HasPrefix(got, fmt.Sprint(at%12, " ")) || r.Rows()[i] != uint32(at) {
					t.Fatalf("%s: row %d is %.10s…, of %d bytes", typ, at, got, len(got))
				}
				at++
			}
		}
		if r.Err() != nil || at != n || r.Report().Duplicates != int64(2*n) {
			t.Errorf("%s: %d rows, error %v, %v", typ, at, r.Err(), r.Report())
		}
		if len(fs.Folders) == 0 {
			t.Errorf("%s: nothing went to files", typ)
		}
		for _, o := range []interface{ Release() }{r, in, rec, ids, values} {
			o.Release()
		}
		restore()
	}
}

// TestReaderSmallBatches: batches of one row cost what larger ones do, not a record each.
func TestReaderSmallBatches(t *testing.T) {
	mem := arrowtest.Allocator(t)
	const rows, keys = 20_000, 3000
	one := &changeStream{mem: mem, rows: rows, keys: keys}
	if !one.Next() {
		t.Fatal("no batch")
	}
	defer one.Release()
	var cut []arrow.Record
	for i := range int64(rows) {
		cut = append(cut, one.Record().NewSlice(i, i+1))
	}
	defer arrowtest.Release(cut)
	for _, budget := range []int64{0, 8 << 20} {
		in, err := array.NewRecordReader(changeSchema, cut)
		if err != nil {
			t.Fatal(err)
		}
		r, err := dedupe.NewReader(t.Context(), in, []string{"id"}, byTime, dedupe.Options{Resources: onerow.Resources{Memory: budget, Allocator: mem, Dir: t.TempDir()}})
		if err != nil {
			t.Fatal(err)
		}
		var got onerow.Rows
		records := 0
		for ; r.Next(); records++ {
			got = append(got, r.Rows()...)
		}
		if r.Err() != nil || !slices.Equal(got, latestOf(rows, keys)) || records > 2 {
			t.Errorf("%d bytes: %d rows in %d records, error %v", budget, len(got), records, r.Err())
		}
		r.Release()
		in.Release()
	}
}

// TestReaderEarlyRelease: whoever stops reading leaves nothing behind, and a retained reader goes on.
func TestReaderEarlyRelease(t *testing.T) {
	mem := arrowtest.Allocator(t)
	dir := t.TempDir()
	in := &changeStream{mem: mem, rows: 200_000, keys: 100_000}
	r, err := dedupe.NewReader(t.Context(), in, []string{"id"}, byTime, dedupe.Options{Resources: onerow.Resources{Memory: 8 << 20, Allocator: mem, Dir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Next() {
		t.Fatal(r.Err())
	}
	r.Retain()
	r.Release()
	if !r.Next() {
		t.Errorf("a retained reader ends: %v", r.Err())
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v, error %v", left, err)
	}
	r.Release()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, error %v", left, err)
	}
}

// failing is a reader that fails after its batches.
type failing struct {
	array.RecordReader
	err error
}

func (f failing) Err() error { return f.err }

// TestReaderRefuses: what can't be done is an error before, or at, the batch that shows it.
func TestReaderRefuses(t *testing.T) {
	mem := memory.NewGoAllocator()
	mine := errors.New("the line is cut")
	k := arrow.Field{Name: "k", Type: arrow.PrimitiveTypes.Int64, Nullable: true}
	batch := func(json string, fields ...arrow.Field) arrow.Record { return table(json, fields...)[0] }
	rec, other := batch(`[{"k": 1}, {"k": null}]`, k), batch(`[{"l": 1}]`, arrow.Field{Name: "l", Type: arrow.PrimitiveTypes.Int64})
	reader := func(recs ...arrow.Record) array.RecordReader {
		r, err := array.NewRecordReader(recs[0].Schema(), recs)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for name, test := range map[string]struct {
		in   array.RecordReader
		key  []string
		opts dedupe.Options
		kind error
		says string
	}{
		"no reader":       {nil, []string{"k"}, dedupe.Options{}, onerow.ErrOption, "the reader is nil"},
		"negative budget": {reader(rec), []string{"k"}, dedupe.Options{Resources: onerow.Resources{Memory: -1}}, onerow.ErrOption, "Resources.Memory is -1"},
		"target":          {reader(rec), []string{"k"}, dedupe.Options{Against: []arrow.Record{rec}}, onerow.ErrOption, "Against"},
		"previous key":    {reader(rec), []string{"k"}, dedupe.Options{Op: dedupe.Op{PreviousKey: []string{"k"}}}, onerow.ErrOption, "Op.PreviousKey"},
		"no key":          {reader(rec), nil, dedupe.Options{}, onerow.ErrNoKey, ""},
		"no such column":  {reader(rec), []string{"x"}, dedupe.Options{}, onerow.ErrNoColumn, `column "x"`},
		"NULL":            {reader(rec, rec), []string{"k"}, dedupe.Options{}, onerow.ErrNullKey, `column "k" in 2 rows (first: row 1)`},
		"another schema":  {&swapped{reader(rec), other}, []string{"k"}, dedupe.Options{NullKey: onerow.EqualNullKeys}, onerow.ErrSchema, `batch 0 differs in schema`},
		"its own error":   {failing{reader(rec), mine}, []string{"k"}, dedupe.Options{NullKey: onerow.EqualNullKeys}, mine, "batches: the line is cut"},
	} {
		test.opts.Resources.Allocator = mem
		r, err := dedupe.NewReader(t.Context(), test.in, test.key, nil, test.opts)
		if r != nil || !errors.Is(err, test.kind) || !strings.Contains(fmt.Sprint(err), test.says) {
			t.Errorf("%s: %v, error %v", name, r, err)
		}
	}
}

// swapped gives another record than its schema says.
type swapped struct {
	array.RecordReader
	rec arrow.Record
}

func (s *swapped) Record() arrow.Record { return s.rec }

// TestReaderTypes: columns come decoded, and extension types stay, inside structs too.
func TestReaderTypes(t *testing.T) {
	mem := arrowtest.Allocator(t)
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	note := arrow.NewMetadata([]string{"note"}, []string{"x"})
	inner := arrow.StructOf(arrow.Field{Name: "m", Type: newMark(), Nullable: true, Metadata: note}, arrow.Field{Name: "d", Type: dict, Nullable: true})
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64, Metadata: note},
		{Name: "m", Type: newMark(), Nullable: true}, {Name: "d", Type: dict, Nullable: true}, {Name: "s", Type: inner, Nullable: true}}, nil)
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	if err := b.UnmarshalJSON([]byte(`{"k": 1, "m": 0.5, "d": "a", "s": {"m": 1.5, "d": "b"}} {"k": 2, "m": null, "d": null, "s": null}`)); err != nil {
		t.Fatal(err)
	}
	rec := b.NewRecord()
	defer rec.Release()
	in, err := array.NewRecordReader(schema, []arrow.Record{rec})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Release()
	r, err := dedupe.NewReader(t.Context(), in, []string{"k"}, nil, dedupe.Options{Resources: onerow.Resources{Allocator: mem}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	plain := arrow.StructOf(arrow.Field{Name: "m", Type: newMark(), Nullable: true, Metadata: note}, arrow.Field{Name: "d", Type: arrow.BinaryTypes.String, Nullable: true})
	want := arrow.NewSchema([]arrow.Field{schema.Field(0), schema.Field(1), {Name: "d", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "s", Type: plain, Nullable: true}}, nil)
	if !r.Schema().Equal(want) {
		t.Errorf("schema %v, want %v", r.Schema(), want)
	}
	if !r.Next() || !r.Record().Schema().Equal(want) {
		t.Fatalf("record %v, error %v", r.Record(), r.Err())
	}
	for i, c := range r.Record().Columns() {
		if !arrow.TypeEqual(c.DataType(), want.Field(i).Type, arrow.CheckMetadata()) {
			t.Errorf("column %d is of type %v, want %v", i, c.DataType(), want.Field(i).Type)
		}
	}
	got, err := r.Record().MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if all, err := rec.MarshalJSON(); err != nil || string(all) != string(got) {
		t.Errorf("%s, want %s, error %v", got, all, err)
	}
}
