package spill_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/spill"
	"github.com/onerow-go/onerow/internal/spill/faultfs"
)

// numbered writes partitions of as many records as given, each with a number and a text of its own, and rows enough to tell records apart.
func numbered(t *testing.T, mem memory.Allocator, fs spill.FS, records ...int) *spill.Set {
	t.Helper()
	folder := spill.NewFolder(fs, t.TempDir())
	t.Cleanup(func() {
		if err := folder.Remove(); err != nil {
			t.Error(err)
		}
	})
	columns := []string{"n:int32", "s:string"}
	set := folder.NewSet("left", arrowtest.Table(t, mem, columns, nil)[0].Schema(), len(records))
	for part, n := range records {
		for i := range n {
			rows := make([][]any, i%3) // records without rows among them
			for k := range rows {
				rows[k] = []any{part*100 + i, strings.Repeat("x", part+i+k)}
			}
			if err := set.Append(part, arrowtest.Table(t, mem, columns, rows)[0]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := set.Seal(); err != nil {
		t.Fatal(err)
	}
	return set
}

// checkNumbered says whether rec is record i of a partition of numbered, and releases it.
func checkNumbered(t *testing.T, rec arrow.Record, part, i int) {
	t.Helper()
	defer rec.Release()
	if rec.NumRows() != int64(i%3) {
		t.Errorf("partition %d, record %d: %d rows", part, i, rec.NumRows())
	}
	for k, row := range arrowtest.Cells(rec) {
		if row[0] != int64(part*100+i) || row[1] != strings.Repeat("x", part+i+k) {
			t.Errorf("partition %d, record %d: row %d is %v", part, i, k, row)
		}
	}
}

// TestCursors reads all partitions at a time, one of them by two cursors, in any order.
func TestCursors(t *testing.T) {
	for seed := range uint64(20) {
		mem := arrowtest.Allocator(t)
		rnd := rand.New(rand.NewPCG(seed, 7))
		fs := &faultfs.FS{Slow: seed%5 == 0}
		records := []int{4, 0, 1, 7, 3}
		set := numbered(t, mem, fs, records...)
		type reading struct {
			*spill.Cursor
			part, read int
		}
		var all []*reading
		for _, part := range []int{0, 1, 2, 3, 4, 3} {
			all = append(all, &reading{set.Open(part, mem), part, 0})
		}
		if fs.Handles() != 0 {
			t.Errorf("%d files are open before anything is read", fs.Handles())
		}
		for left := all; len(left) > 0; {
			at := rnd.IntN(len(left))
			r := left[at]
			rec, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			if rec != nil {
				checkNumbered(t, rec, r.part, r.read)
				r.read++
				continue
			}
			if r.read != records[r.part] {
				t.Errorf("partition %d ends after %d records, of %d", r.part, r.read, records[r.part])
			}
			left = append(left[:at:at], left[at+1:]...)
		}
		if fs.Handles() != 5 { // one has no file
			t.Errorf("%d files are open", fs.Handles())
		}
		for _, r := range all {
			for range 2 {
				if rec, err := r.Next(); rec != nil || err != nil {
					t.Errorf("partition %d: after the end comes %v, error %v", r.part, rec, err)
				}
			}
			if err := errors.Join(r.Close(), r.Close()); err != nil {
				t.Error(err)
			}
		}
		if fs.Handles() != 0 {
			t.Errorf("%d files are open", fs.Handles())
		}
	}
}

// TestCursorClosedEarly: a cursor may be closed wherever it is; the partition can be read again, and removed.
func TestCursorClosedEarly(t *testing.T) {
	mem := arrowtest.Allocator(t)
	fs := &faultfs.FS{}
	set := numbered(t, mem, fs, 3, 0)
	for read := range 4 {
		c := set.Open(0, mem)
		for i := range read {
			rec, err := c.Next()
			if err != nil || rec == nil {
				t.Fatalf("record %d: error %v", i, err)
			}
			checkNumbered(t, rec, 0, i)
		}
		if fs.Handles() != min(read, 1) {
			t.Errorf("after %d records %d files are open", read, fs.Handles())
		}
		if err := errors.Join(c.Close(), c.Close()); err != nil || fs.Handles() != 0 {
			t.Errorf("after %d records: error %v, %d files are open", read, err, fs.Handles())
		}
	}
	if fs.Done[faultfs.Open] != 3 { // a cursor that isn't asked for anything opens nothing
		t.Errorf("%d files were opened", fs.Done[faultfs.Open])
	}
	if err := set.Remove(0); err != nil {
		t.Fatal(err)
	}
	for part := range 2 { // one that is empty now, one that was all the time
		c := set.Open(part, mem)
		if rec, err := c.Next(); rec != nil || err != nil {
			t.Errorf("partition %d: %v, error %v", part, rec, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestCursorFaults: what fails comes back with its path and the sentinel, and closing the cursor leaves no file open.
func TestCursorFaults(t *testing.T) {
	for _, test := range []struct {
		op    faultfs.Op
		after []int64
		says  string
	}{
		{faultfs.Open, []int64{0}, "open"},
		{faultfs.Read, []int64{0, 1, 2, 3, 4, 7, 12}, "read"}, // 12: the look for more behind the last of 3 frames
		{faultfs.CloseRead, []int64{0}, "read"},
	} {
		for _, after := range test.after {
			mem := arrowtest.Allocator(t)
			fs := &faultfs.FS{Fails: test.op, Err: syscall.EIO, After: after}
			set := numbered(t, mem, fs, 1, 3)
			c := set.Open(1, mem)
			var err error
			for i := 0; err == nil; i++ {
				var rec arrow.Record
				if rec, err = c.Next(); rec == nil {
					break
				}
				checkNumbered(t, rec, 1, i)
			}
			if err = errors.Join(err, c.Close()); !errors.Is(err, onerow.ErrSpill) || !errors.Is(err, syscall.EIO) {
				t.Errorf("%s after %d: error %v", test.op, after, err)
			}
			if text := fmt.Sprint(err); !strings.Contains(text, test.says+" /") || strings.Count(text, "left-1") != 1 {
				t.Errorf("%s after %d: error %v", test.op, after, err)
			}
			if fs.Handles() != 0 || c.Close() != nil {
				t.Errorf("%s after %d: %d files are open", test.op, after, fs.Handles())
			}
			if err := set.Each(1, mem, func(rec arrow.Record) error { return nil }); !errors.Is(err, syscall.EIO) || fs.Handles() != 0 {
				t.Errorf("%s after %d: Each returns %v, %d files are open", test.op, after, err, fs.Handles())
			}
		}
	}
}

// TestCursorOnDamage: records before the damage come out whole, the damage is an error, and other cursors go on.
func TestCursorOnDamage(t *testing.T) {
	mem := arrowtest.Allocator(t)
	fs := &faultfs.FS{Damage: func(path string, b []byte) []byte {
		if strings.HasSuffix(path, "left-0") {
			b[len(b)-1] ^= 1 // the checksum of the last frame
		}
		return b
	}}
	set := numbered(t, mem, fs, 4, 2)
	bad, good := set.Open(0, mem), set.Open(1, mem)
	for i := range 4 {
		rec, err := bad.Next()
		if i == 3 {
			if rec != nil || !errors.Is(err, onerow.ErrSpill) || !strings.Contains(fmt.Sprint(err), "frame 3") {
				t.Errorf("the damaged record: %v, error %v", rec, err)
			}
			break
		}
		if err != nil || rec == nil {
			t.Fatalf("record %d: error %v", i, err)
		}
		checkNumbered(t, rec, 0, i)
	}
	if err := bad.Close(); err != nil || fs.Handles() != 0 {
		t.Errorf("error %v, %d files are open", err, fs.Handles())
	}
	for i := range 2 {
		rec, err := good.Next()
		if err != nil || rec == nil {
			t.Fatalf("record %d of the other partition: error %v", i, err)
		}
		checkNumbered(t, rec, 1, i)
	}
	if rec, err := good.Next(); rec != nil || err != nil {
		t.Errorf("at the end: %v, error %v", rec, err)
	}
	if err := good.Close(); err != nil || fs.Handles() != 0 {
		t.Errorf("error %v, %d files are open", err, fs.Handles())
	}
}
