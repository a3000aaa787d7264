package spill_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/spill"
	"github.com/onerow-go/onerow/internal/spill/faultfs"
)

// everyColumn has a column of every type that a table of tests can have.
func everyColumn(t *testing.T, mem memory.Allocator) []arrow.Record {
	long := strings.Repeat("long ", 9)
	columns := []string{"a:null", "b:bool", "c:int8", "d:uint64", "e:float16", "f:float64", "g:string", "h:large_string", "i:string_view", "j:binary",
		"k:fsb(3)", "l:date32", "m:timestamp[us,UTC]", "n:decimal(10,2)", "o:decimal256(50,9)", "p:dict<int8,string>", "q:ree<int32>",
		"r:list<struct<a:int8,b:string>>", "s:fsl<int16,2>", "t:struct<a:dict<int16,string>,b:ree<bool>>", "u:large_list<string_view>"}
	row := func(n int) []any {
		return []any{nil, n%2 == 0, n, n, float64(n), float64(n) / 4, long[:n*5], fmt.Sprint(n), long[n*4:], arrowtest.Bytes("\xff\x00"), arrowtest.Bytes("abc"),
			n, n, fmt.Sprint(n), fmt.Sprint(n), fmt.Sprint(n % 2), n / 2, []any{map[string]any{"a": n, "b": "x"}, nil},
			[]any{n, nil}, map[string]any{"a": "y", "b": true}, []any{long, "", nil}[:n%4]}
	}
	var rows [][]any
	for n := range 7 {
		r := row(n)
		if n%3 == 1 {
			r = make([]any, len(columns))
		}
		rows = append(rows, r)
	}
	return arrowtest.Table(t, mem, columns, rows)
}

// TestRoundTrip: records come back as they were, in order, each from its partition, of every type and in every form.
func TestRoundTrip(t *testing.T) {
	mem := arrowtest.Allocator(t)
	variants := arrowtest.Variants(mem, everyColumn(t, mem))
	defer variants.Release()
	for _, slow := range []bool{false, true} {
		fs := &faultfs.FS{Slow: slow}
		folder := spill.NewFolder(fs, t.TempDir())
		for _, v := range variants {
			set := folder.NewSet("left", v.Batches[0].Schema(), 3)
			for i, b := range v.Batches {
				if err := set.Append(i%2*2, b); err != nil {
					t.Fatal(err)
				}
			}
			if err := set.Seal(); err != nil {
				t.Fatal(err)
			}
			for part := range set.Len() {
				var want []arrow.Record
				rows := int64(0)
				for i, b := range v.Batches {
					if i%2*2 == part {
						want = append(want, b)
						rows += b.NumRows()
					}
				}
				if set.Rows(part) != rows || (set.Bytes(part) > 0) != (len(want) > 0) {
					t.Errorf("%s: partition %d has %d rows in %d bytes, of %d rows", v.Name, part, set.Rows(part), set.Bytes(part), rows)
				}
				err := set.Each(part, mem, func(rec arrow.Record) error {
					if d := cmp.Diff(arrowtest.Cells(want[0]), arrowtest.Cells(rec)); d != "" || !rec.Schema().Equal(want[0].Schema()) {
						t.Fatalf("%s (-want +got): %s", v.Name, d)
					}
					want = want[1:]
					return nil
				})
				if err != nil || len(want) > 0 {
					t.Fatalf("%s: %d records left, error %v", v.Name, len(want), err)
				}
				if err := set.Remove(part); err != nil {
					t.Fatal(err)
				}
			}
		}
		info, err := os.Stat(fs.Folders[0])
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the folder has mode %v, error %v", info.Mode(), err)
		}
		if left, err := os.ReadDir(fs.Folders[0]); err != nil || len(left) != 0 || fs.Handles() != 0 {
			t.Errorf("%v is left, %d files are open, error %v", left, fs.Handles(), err)
		}
		if err := folder.Remove(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(fs.Folders[0]); !errors.Is(err, os.ErrNotExist) || len(fs.Folders) != 1 {
			t.Errorf("%v: error %v", fs.Folders, err)
		}
	}
}

// TestOtherTypes: unions, maps, list views and intervals.
func TestOtherTypes(t *testing.T) {
	mem := arrowtest.Allocator(t)
	int8s, texts := arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String
	fields := []arrow.Field{{Name: "a", Type: int8s, Nullable: true}, {Name: "b", Type: texts, Nullable: true}}
	var columns []arrow.Field
	for i, typ := range []arrow.DataType{arrow.MapOf(texts, int8s), arrow.ListViewOf(texts), arrow.LargeListViewOf(int8s),
		arrow.SparseUnionOf(fields, []arrow.UnionTypeCode{5, 9}), arrow.DenseUnionOf(fields, []arrow.UnionTypeCode{5, 9}), arrow.FixedWidthTypes.MonthDayNanoInterval} {
		columns = append(columns, arrow.Field{Name: fmt.Sprint(i), Type: typ, Nullable: true})
	}
	schema := arrow.NewSchema(columns, nil)
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	json := `{"0": [{"key": "k", "value": 1}], "1": ["x", null], "2": [1, 2], "3": [5, 7], "4": [9, "text"], "5": {"months": 1, "days": 2, "nanoseconds": 3}}`
	if err := b.UnmarshalJSON([]byte(json)); err != nil {
		t.Fatal(err)
	}
	for _, f := range b.Fields() {
		f.AppendNull()
	}
	rec := b.NewRecord()
	defer rec.Release()
	folder := spill.NewFolder(spill.OS{}, t.TempDir())
	defer folder.Remove()
	set := folder.NewSet("x", schema, 1)
	if err := errors.Join(set.Append(0, rec), set.Seal()); err != nil {
		t.Fatal(err)
	}
	err := set.Each(0, mem, func(got arrow.Record) error {
		if !array.RecordEqual(rec, got) {
			t.Errorf("want %v, got %v", rec, got)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// write puts some records into one partition.
func write(t *testing.T, mem memory.Allocator, fs spill.FS, dir string) (*spill.Folder, *spill.Set, error) {
	folder := spill.NewFolder(fs, dir)
	batches := everyColumn(t, mem)
	set := folder.NewSet("left", batches[0].Schema(), 2)
	defer set.Close()
	for range 3 {
		if err := set.Append(1, batches[0]); err != nil {
			return folder, set, err
		}
	}
	return folder, set, set.Seal()
}

// TestFaults: each call of the file system fails once, and what comes back is its error, the path and the sentinel; nothing stays open.
func TestFaults(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for _, test := range []struct {
		op    faultfs.Op
		after []int64
		says  string
	}{
		{faultfs.Mkdir, []int64{0}, "make a folder in"},
		{faultfs.Create, []int64{0}, "create"},
		{faultfs.Write, []int64{0, 1, 1000, 8000}, "write"},
		{faultfs.Close, []int64{0}, "write"},
		{faultfs.Open, []int64{0}, "open"},
		{faultfs.Read, []int64{0, 1, 2, 5, 12}, "read"},
		{faultfs.Remove, []int64{0}, "remove"},
		{faultfs.RemoveAll, []int64{0}, "remove"},
	} {
		for _, after := range test.after {
			dir := t.TempDir()
			fs := &faultfs.FS{Fails: test.op, Err: syscall.ENOSPC, After: after}
			folder, set, err := write(t, mem, fs, dir)
			if err == nil {
				err = set.Each(1, mem, func(arrow.Record) error { return nil })
			}
			if err == nil {
				err = set.Remove(1)
			}
			if err == nil {
				err = folder.Remove()
			}
			if !errors.Is(err, onerow.ErrSpill) || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(fmt.Sprint(err), test.says+" "+dir) {
				t.Errorf("%s after %d: error %v", test.op, after, err)
			}
			if strings.Count(fmt.Sprint(err), dir) != 1 {
				t.Errorf("%s: the path is told more than once: %v", test.op, err)
			}
			if fs.Handles() != 0 {
				t.Errorf("%s after %d: %d files are open", test.op, after, fs.Handles())
			}
			if err := folder.Remove(); err != nil {
				t.Errorf("%s: removing the folder afterwards: %v", test.op, err)
			}
		}
	}
}

// TestDamage: whatever becomes of a file, reading it gives what was written or an error.
func TestDamage(t *testing.T) {
	mem := arrowtest.Allocator(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	var damage func([]byte) []byte
	fs := &faultfs.FS{Damage: func(_ string, b []byte) []byte { return damage(b) }}
	folder, set, err := write(t, mem, fs, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Remove()
	size := int(set.Bytes(1))
	frame := size / 3
	read := func(what string, do func([]byte) []byte) {
		t.Helper()
		damage = do
		err := set.Each(1, mem, func(arrow.Record) error { return nil })
		if !errors.Is(err, onerow.ErrSpill) || !strings.Contains(fmt.Sprint(err), "left-1") {
			t.Errorf("%s: error %v", what, err)
		}
	}
	for i := 0; i < size; i += 1 + rnd.IntN(20) {
		read(fmt.Sprintf("a bit of byte %d", i), func(b []byte) []byte { b[i] ^= 1 << rnd.IntN(8); return b })
		read(fmt.Sprintf("%d bytes", i), func(b []byte) []byte { return b[:i] })
	}
	for i := range 16 { // sizes that lie
		read(fmt.Sprintf("0xff at %d", i), func(b []byte) []byte { b[i] = 0xff; return b })
		read(fmt.Sprintf("0 from %d", i), func(b []byte) []byte { clear(b[:i+1]); return b })
	}
	read("a byte more", func(b []byte) []byte { return append(b, 0) })
	read("a frame more", func(b []byte) []byte { return append(b, b[:frame]...) })
	read("a frame less", func(b []byte) []byte { return b[frame:] })
	read("the first frame three times", func(b []byte) []byte { return slices.Concat(b[:frame], b[:frame], b[:frame]) })
	read("nothing", func([]byte) []byte { return nil })
	if fs.Handles() != 0 {
		t.Errorf("%d files are open", fs.Handles())
	}
}

// TestEnd: the caller's error ends the reading; what is asked of nothing is nothing.
func TestEnd(t *testing.T) {
	mem := arrowtest.Allocator(t)
	fs := &faultfs.FS{}
	folder, set, err := write(t, mem, fs, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	if err := set.Each(1, mem, func(arrow.Record) error { return stop }); !errors.Is(err, stop) || fs.Handles() != 0 {
		t.Errorf("error %v, %d files are open", err, fs.Handles())
	}
	if err := errors.Join(set.Each(0, mem, nil), set.Remove(0), folder.Remove(), folder.Remove(), spill.NewFolder(fs, "/no/such/folder").Remove()); err != nil {
		t.Error(err)
	}
	if folder.Bytes() != set.Bytes(1) || set.Bytes(1) == 0 {
		t.Errorf("%d bytes of %d", folder.Bytes(), set.Bytes(1))
	}
	if _, _, err := write(t, mem, spill.OS{}, "/no/such/folder"); !errors.Is(err, onerow.ErrSpill) || !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "/no/such/folder") {
		t.Errorf("error %v", err)
	}
}
