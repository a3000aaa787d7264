package bench

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/peer/duck"
)

// collect reads a stream to its end. The caller releases the records.
func collect(t *testing.T, s *changeStream) (recs []arrow.Record) {
	t.Helper()
	for s.Next() {
		s.Record().Retain()
		recs = append(recs, s.Record())
	}
	if s.Next() || s.Err() != nil || s.Record() != nil {
		t.Errorf("after the end there is %v, %v", s.Record(), s.Err())
	}
	return recs
}

func releaseAll(recs []arrow.Record) {
	for _, rec := range recs {
		rec.Release()
	}
}

// A source gives the same rows however they are cut and however often it is read, and what was retained outlives the stream.
func TestChangeStream(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	source := changeSource{rows: 1237, keys: 123}
	var want []string
	for _, recordRows := range []int{1237, 1, 100, 5000} {
		s := newChangeStream(source, recordRows, mem)
		s.Retain()
		s.Release()
		recs := collect(t, s)
		s.Release()
		var rows []string
		for _, rec := range recs {
			if n := rec.NumRows(); n < 1 || n > int64(recordRows) || !rec.Schema().Equal(s.Schema()) {
				t.Errorf("a record of %d rows, %v", n, rec.Schema())
			}
			for i := range int(rec.NumRows()) {
				var cells []string
				for _, col := range rec.Columns() {
					cells = append(cells, col.ValueStr(i))
				}
				rows = append(rows, strings.Join(cells, " "))
			}
		}
		releaseAll(recs)
		if want == nil {
			want = rows
		}
		if !slices.Equal(rows, want) || len(rows) != 1237 {
			t.Errorf("records of %d: %d rows, which aren't those of one record", recordRows, len(rows))
		}
	}
}

// A stream that is left in its middle holds nothing.
func TestChangeStreamLeft(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	s := newChangeStream(changeSource{rows: 10, keys: 3}, 4, mem)
	for range 2 {
		if !s.Next() {
			t.Error("it ends too soon")
		}
	}
	s.Retain()
	s.Release()
	if s.Record().NumRows() != 4 {
		t.Error("the stream is gone with a reference left")
	}
	s.Release()
}

// Values are what those of L1 are: keys that all come, times within a day, the sequence, amounts and names.
func TestChangeValues(t *testing.T) {
	source := changeSource{rows: 20_000, keys: 100}
	s := newChangeStream(source, 1<<16, memory.DefaultAllocator)
	defer s.Release()
	if !s.Next() {
		t.Fatal("no record")
	}
	rec, keys, day := s.Record(), map[int]int{}, int64(86_400_000_000)
	var times float64
	for i := range int(rec.NumRows()) {
		id, at := rec.Column(0).(*array.Int64).Value(i), int64(rec.Column(1).(*array.Timestamp).Value(i))
		amount, name := rec.Column(3).(*array.Float64).Value(i), rec.Column(4).(*array.String).Value(i)
		keys[gather(id)]++
		times += float64(at)
		if k := gather(id); k < 0 || k >= 100 || at < 0 || at >= day || rec.Column(2).(*array.Int64).Value(i) != int64(i) || amount < 0 || amount >= 100_000 {
			t.Fatalf("row %d: key %d, time %d, amount %v", i, k, at, amount)
		}
		var n int
		if _, err := fmt.Sscanf(name, "name-%d", &n); err != nil || n >= mostNames || name != fmt.Sprint("name-", n) {
			t.Fatalf("row %d: name %q", i, name)
		}
	}
	if mean := times / 20_000 / float64(day); len(keys) != 100 || mean < 0.48 || mean > 0.52 {
		t.Errorf("%d keys, times of %.3f days at the mean", len(keys), mean)
	}
	for k, n := range keys {
		if n < 100 || n > 300 {
			t.Errorf("key %d comes %d times", k, n)
		}
	}
}

// The model of O1 agrees with the verb.
func TestStreamModelAgrees(t *testing.T) {
	for _, rows := range []int64{1, 9, 1237, 200_000} {
		source := changeSource{rows, max(1, rows/2)}
		s := newChangeStream(source, 1000, memory.DefaultAllocator)
		defer s.Release()
		recs := collect(t, s)
		defer releaseAll(recs)
		p, err := dedupe.Latest(t.Context(), recs, []string{"id"}, latestOrder, dedupe.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rec, err := p.Take(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer rec.Release()
		want, err := source.newest()
		if err != nil {
			t.Fatal(err)
		}
		got := figures{}
		if err := got.addRows(rec); err != nil || !maps.Equal(got, want) || want["latest rows"] == 0 {
			t.Errorf("%d rows: ours %v, the model's %v, %v", rows, got, want, err)
		}
	}
}

func TestOutOfCoreRun(t *testing.T) {
	needDuckDB(t)
	t.Setenv("TMPDIR", t.TempDir())
	var log strings.Builder
	out, err := Run(t.Context(), Config{Suites: []string{"outofcore"}, Rows: 4999, Threads: 2, Runs: 4, Log: &log})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Records) != 1 {
		t.Fatalf("%d records", len(out.Records))
	}
	r := out.Records[0]
	if r.Workload != "O1" || r.Rows != 4999 || r.Keys != 499 || !r.Checked || r.OursS <= 0 || r.PeerS <= 0 || r.Ratio <= 0 || r.GenerateS <= 0 || r.InputS <= 0 {
		t.Errorf("%+v", r)
	}
	if r.ProcessMiB <= r.PeakMiB || r.PeerPeakMiB <= 0 || r.PeerProcessMiB <= r.PeerPeakMiB || r.BudgetMiB <= 0 || r.PeerBudgetMiB < r.BudgetMiB {
		t.Errorf("sizes: %+v", r)
	}
	if len(r.FailedForms) > 0 || len(r.Forms) != len((streamJob{}).forms()) || r.Forms[r.Peer] <= 0 || r.PlainS <= 0 {
		t.Errorf("forms: %+v", r)
	}
	if n := strings.Count(log.String(), "O1 ours: "); n != mostStreamRuns {
		t.Errorf("%d runs of ours in\n%s", n, log.String())
	}
	var text strings.Builder
	WriteTable(&text, out.Records)
	WriteForms(&text, out.Records)
	for _, want := range []string{"O1 out-of-core", "budget", "written", "the stream alone", "from the stream itself", streamMeans, "one run: ", "window, stream", "window, Parquet", "4 parts"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Without -suite, O1 has a part only at a capped size.
func TestOutOfCoreAsked(t *testing.T) {
	for _, c := range []struct {
		of   Config
		want bool
	}{
		{Config{}, false}, {Config{Rows: 20_000}, true}, {Config{Suites: []string{"O1"}}, true}, {Config{Suites: []string{"outofcore", "L1"}}, true},
		{Config{Suites: []string{"L1"}, Rows: 20_000}, false},
	} {
		if got := (&run{Config: c.of}).askedOutOfCore(); got != c.want {
			t.Errorf("%+v: %v", c.of, got)
		}
	}
	for _, c := range []struct {
		of         Config
		ours, peer int64
	}{
		{Config{}, 1 << 30, 1 << 30}, {Config{Rows: 20_000_000}, 1 << 30 / 10, 1 << 30 / 10}, {Config{Rows: 1}, 5, leastPeerBudget},
		{Config{Rows: 1000, Budget: 1 << 33}, 1 << 33, 1 << 33},
	} {
		if o := (&run{Config: c.of}).makeOutOfCore(""); o.Memory != c.ours || o.PeerMemory != c.peer {
			t.Errorf("%+v: budgets %d and %d", c.of, o.Memory, o.PeerMemory)
		}
	}
}

// Where no form has room, ours stands alone, and the report says what became of them.
func TestOutOfCoreNoSpace(t *testing.T) {
	db := needDuckDB(t)
	if err := db.Exec(t.Context(), "SELECT no_such_column"); err == nil || duck.NoSpace(err) {
		t.Errorf("any error counts as a lack of space: %v", err)
	}
	o := (&run{Config: Config{Rows: 100_000, Threads: 1, Runs: 1}}).makeOutOfCore(t.TempDir())
	o.PeerMemory = 1 << 20
	rec, err := o.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if rec.OursS <= 0 || rec.Peer != "" || rec.PeerS != 0 || len(rec.Forms) != 0 || len(rec.FailedForms) != len(o.forms()) {
		t.Errorf("%+v", rec)
	}
	var text strings.Builder
	WriteTable(&text, []Record{rec})
	WriteForms(&text, []Record{rec})
	if !strings.Contains(text.String(), "O1  DuckDB, window, stream: Out of Memory") {
		t.Error(text.String())
	}
}

// Forms much slower than another are given up, and what their process left goes.
func TestOutOfCorePatience(t *testing.T) {
	needDuckDB(t)
	dir := t.TempDir()
	o := (&run{Config: Config{Rows: 1000, Threads: 1, Runs: 1}}).makeOutOfCore(dir)
	o.patience, o.leastPatience = 0, 1
	rec, err := o.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if rec.Peer != "window, stream" || len(rec.Forms) != 1 || !strings.Contains(rec.FailedForms["window, Parquet"], "given up") || len(rec.FailedForms) != len(o.forms())-1 {
		t.Errorf("%+v", rec)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 || left[0].Name() != "input.parquet" {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A form that fails after it was chosen makes way for the next, with runs of both sides of its own.
func TestOutOfCoreLaterFailure(t *testing.T) {
	needDuckDB(t)
	var log strings.Builder
	o := (&run{Config: Config{Rows: 100_000, Threads: 1, Runs: 2, Log: &log}}).makeOutOfCore(t.TempDir())
	o.PeerMemory = 1 << 20
	var err error
	if o.want, err = o.source().newest(); err != nil {
		t.Fatal(err)
	}
	m := timing{form: "window, stream", forms: map[string]float64{"window, stream": 1, "arg_max hugeint, row, stream": 2}}
	ours, peer, err := o.alternate(t.Context(), &m)
	if err != nil || m.form != "" || len(m.forms) != 0 || len(m.ours) != 2 || len(m.peer) != 0 || len(o.fails) != 2 || ours.Peak <= 0 || peer.Peak != 0 {
		t.Errorf("%+v, %v, %+v, %+v, %v", m, o.fails, ours, peer, err)
	}
	if n := strings.Count(log.String(), "O1 ours: "); n != 4 {
		t.Errorf("%d runs of ours, one before each failure and two after, in\n%s", n, log.String())
	}
	if best := fastest(map[string]float64{"a": 2, "b": 1, "c": 3}); best != "b" || fastest(nil) != "" {
		t.Errorf("the fastest is %q", best)
	}
}

// A result that differs from the model's stops the run, on either side.
func TestOutOfCoreDifference(t *testing.T) {
	needDuckDB(t)
	o := (&run{Config: Config{Rows: 1000, Threads: 1, Runs: 1}}).makeOutOfCore(t.TempDir())
	var err error
	if o.want, err = o.source().newest(); err != nil {
		t.Fatal(err)
	}
	for _, side := range []string{oursSide, "window, stream"} {
		if _, err := o.side(t.Context(), side); err != nil {
			t.Errorf("%s: %v", side, err)
		}
	}
	o.want["latest checksum"]++
	for _, side := range []string{oursSide, "window, stream"} {
		if _, err := o.side(t.Context(), side); !errors.Is(err, errDiffer) {
			t.Errorf("%s: a checksum that is another: %v", side, err)
		}
	}
	if _, err := o.side(t.Context(), "no such form"); err == nil {
		t.Error("an unknown form runs")
	}
}
