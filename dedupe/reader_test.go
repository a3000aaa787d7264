package dedupe_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/oracle"
)

// TestReaderProperties: a stream has the outcome of the same rows in memory, for any cut, encoding, budget and number of workers.
func TestReaderProperties(t *testing.T) { checkReader(t) }

// TestReaderUnderOneHash runs them again while every hash is the same, so that rows can't be dealt out.
func TestReaderUnderOneHash(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	checkReader(t)
}

func checkReader(t *testing.T) {
	for name, holds := range map[string]func(l *lab){"tables": streamsTables, "odd types": streamsOddTypes} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { holds(newLab(t, drawn{t})) })
		})
	}
	t.Run("larger", func(t *testing.T) {
		for seed := range uint64(60) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				l := newLab(t, random{rand.New(rand.NewPCG(seed, 5))})
				may := streamed
				may.maxRows, may.keys, may.refusals = 600, 64, seed%8 == 0
				l.stream(l.scenario(may))
			})
		}
	})
}

// TestReaderManyKeys compares streams of thousands of keys with the same rows in memory, with carry-forward and without.
func TestReaderManyKeys(t *testing.T) {
	for seed, key := range [][]string{{"k:int64"}, {"k:string"}, {"k:uint8", "l:string", "m:float64"}, {"k:dict<int32,string>"}} {
		t.Run(strings.Join(key, ","), func(t *testing.T) {
			l := newLab(t, random{rand.New(rand.NewPCG(uint64(seed), 6))})
			b := l.manyKeys(key, 4000)
			l.stream(b)
			b.opts.Fill = nil
			for _, b.opts.Ties = range []dedupe.Ties{dedupe.SetAsideTies, dedupe.RejectTies} {
				l.streamOne(l.cut(b.batches), b)
			}
		})
	}
}

// streamed are the parts of the contract that streams have.
var streamed = limits{arrival: true, refusals: true, setAside: true, maxRows: 12}

func streamsTables(l *lab) {
	b := l.scenario(streamed)
	l.stream(b)
	forms := arrowtest.Variants(l.alloc, b.batches)
	defer forms.Release()
	l.streamOne(forms[l.src.Choose("form", len(forms))].Batches, b)
}

func streamsOddTypes(l *lab) { l.stream(l.oddScenario()) }

// budgets are too small for a table of so many rows, right for some, and none.
func budgets(rows int) []int64 {
	if rows > 1000 {
		return []int64{0, 300_000, 2_000_000}
	}
	return []int64{0, 0, 1, 3_000, 40_000, 400_000}
}

// stream compares a stream with the same rows in memory.
func (l *lab) stream(b built) {
	l.t.Helper()
	l.streamOne(b.batches, b)
	l.streamOne(l.cut(b.batches), b)
}

func (l *lab) streamOne(batches []arrow.Record, b built) {
	l.t.Helper()
	defer dedupe.SetLeastRoom(1)()
	defer dedupe.SetSettleRows([]int64{1, 40, 1 << 20}[l.src.Choose("settle", 3)])()
	want, wantErr := l.latest(batches, b)
	dir, err := os.MkdirTemp("", "reader")
	if err != nil {
		l.t.Fatalf("%v", err)
	}
	defer func() {
		if err := os.Remove(dir); err != nil {
			l.t.Errorf("%v", err)
		}
	}()
	opts, memory := b.opts, budgets(len(b.batch.rows))
	opts.Resources = onerow.Resources{Workers: 1 + l.src.Choose("workers", 3), Allocator: l.alloc, Dir: dir, Memory: memory[l.src.Choose("budget", len(memory))]}
	in, err := array.NewRecordReader(batches[0].Schema(), batches)
	if err != nil {
		l.t.Fatalf("%v", err)
	}
	defer in.Release()
	r, err := dedupe.NewReader(context.Background(), in, b.key, b.order, opts)
	if wantErr != nil || err != nil {
		if fmt.Sprint(wantErr) != fmt.Sprint(err) {
			l.t.Fatalf("error: want %v, got %v, within %d bytes\n%v", wantErr, err, opts.Resources.Memory, b)
		}
		return
	}
	defer r.Release()
	if d := cmp.Diff(want.Report, r.Report()); d != "" {
		l.t.Fatalf("report within %d bytes (-want +got):\n%s\n%v", opts.Resources.Memory, d, b)
	}
	rows, deletes, recs := l.readAll(r)
	if !slices.Equal(rows, want.Rows) || !slices.Equal(deletes, want.Deletes) {
		l.t.Fatalf("within %d bytes: rows %v, deletes %v, want %v and %v\n%v", opts.Resources.Memory, rows, deletes, want.Rows, want.Deletes, b)
	}
	if d := cmp.Diff(lines(oracle.Rows(l.take(want))), lines(oracle.Rows(recs...))); d != "" {
		l.t.Fatalf("values within %d bytes (-want +got):\n%s\n%v", opts.Resources.Memory, d, b)
	}
	set := r.SetAside()
	var setRows onerow.Rows
	var setRecs []arrow.Record
	for set.Next() {
		setRows = append(setRows, set.Rows()...)
		set.Record().Retain()
		setRecs = append(setRecs, l.own(set.Record()))
	}
	if set.Err() != nil || !slices.Equal(setRows, want.SetAside) {
		l.t.Fatalf("set aside %v, error %v, want %v\n%v", setRows, set.Err(), want.SetAside, b)
	}
	if d := cmp.Diff(lines(pickRows(oracle.Rows(batches...), want.SetAside)), lines(oracle.Rows(setRecs...))); d != "" {
		l.t.Fatalf("values set aside within %d bytes (-want +got):\n%s\n%v", opts.Resources.Memory, d, b)
	}
}

// readAll reads the winners; the lab owns the records.
func (l *lab) readAll(r *dedupe.Reader) (rows, deletes onerow.Rows, recs []arrow.Record) {
	l.t.Helper()
	for r.Next() {
		for _, at := range r.Deletes() {
			deletes = append(deletes, r.Rows()[at])
		}
		rows = append(rows, r.Rows()...)
		r.Record().Retain()
		recs = append(recs, l.own(r.Record()))
	}
	if r.Err() != nil {
		l.t.Fatalf("%v", r.Err())
	}
	return rows, deletes, recs
}

// TestReaderProgress: the progress is that of the deciding, over all files, and ends with the rows that were left when the stream was read.
func TestReaderProgress(t *testing.T) {
	defer dedupe.SetLeastRoom(1)()
	mem := arrowtest.Allocator(t)
	for _, budget := range []int64{0, 400_000} {
		for ties, least := range map[dedupe.Ties]int64{dedupe.RejectTies: 1500, dedupe.SetAsideTies: 15_000} {
			last, all := int64(0), int64(0)
			res := onerow.Resources{Memory: budget, Workers: 2, Allocator: mem, Dir: t.TempDir(), Progress: func(done, total int64, stage onerow.Stage) {
				if done <= last || done > total || all != 0 && total != all || stage != onerow.StageGroup {
					t.Errorf("%s: %d of %d, after %d of %d", stage, done, total, last, all)
				}
				last, all = done, total
			}}
			in := &changeStream{mem: mem, rows: 15_000, keys: 1500}
			r, err := dedupe.NewReader(t.Context(), in, []string{"id"}, byTime, dedupe.Options{Ties: ties, Resources: res})
			if err != nil {
				t.Fatal(err)
			}
			r.Release()
			if last != all || all < least || all > 15_000 {
				t.Errorf("%d bytes: the end is at %d of %d", budget, last, all)
			}
		}
	}
}
