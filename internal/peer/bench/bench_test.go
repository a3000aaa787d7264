package bench

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/peer/duck"
)

func TestMain(m *testing.M) {
	if child, err := Child(context.Background(), os.Args[1:]); child {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// needDuckDB skips the test where there is no DuckDB, or fails it where it is required.
func needDuckDB(t *testing.T) *duck.DB {
	t.Helper()
	db, err := duck.Open(t.Context(), 1)
	if err != nil {
		if os.Getenv("ONEROW_REQUIRE_ENGINES") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// Both sides give the same for every workload, at sizes that are not round, in every form.
func TestWorkloadsAgree(t *testing.T) {
	needDuckDB(t)
	for _, w := range workloads() {
		for _, rows := range []int{4, 1237} {
			for _, threads := range []int{1, 2} {
				task := w.make(rows)
				m, err := task.measure(t.Context(), threads, 1)
				if err != nil {
					t.Fatalf("%s, %d rows: %v", w.id, rows, err)
				}
				if len(m.ours) != 1 || len(m.peer) != 1 || len(m.forms) != len(task.forms) || len(m.beside) != len(task.beside) {
					t.Errorf("%s, %d rows: %+v", w.id, rows, m)
				}
			}
		}
	}
}

func TestMicroBatchAgrees(t *testing.T) {
	needDuckDB(t)
	for _, keys := range []int{1, 1500} {
		m, err := makeMicroBatch(keys).measure(t.Context(), 1, 1)
		if err != nil {
			t.Fatalf("%d keys: %v", keys, err)
		}
		if len(m.ours[0]) != batchCalls || len(m.peer[0]) != batchCalls {
			t.Errorf("%d keys: %d and %d calls", keys, len(m.ours[0]), len(m.peer[0]))
		}
	}
}

// The model of C1 agrees with the verb, at sizes that are not round, and not when a row is another.
func TestGrowthAgrees(t *testing.T) {
	for _, rows := range []int{1, 9, 1237} {
		keys := max(1, rows/10)
		c := makeChanges(rows, keys, intKey, nil)
		want, err := c.newest(keys)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.latest(keys).check(t.Context(), 2)
		if err != nil || !maps.Equal(got, want) || want["latest rows"] == 0 {
			t.Errorf("%d rows: ours %v, the model's %v, %v", rows, got, want, err)
		}
		c.at[rows/2]++ // the record shares it
		if got, err = c.latest(keys).check(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		if other, err := c.newest(keys); err != nil || !maps.Equal(got, other) {
			t.Errorf("%d rows, one of them later: ours %v, the model's %v, %v", rows, got, other, err)
		}
	}
}

// A result that differs stops the run.
func TestDifferenceIsAnError(t *testing.T) {
	needDuckDB(t)
	task := latest(1000, 100, intKey, nil)
	task.forms = append(task.forms, form{name: "oldest", results: []string{"r"}, figures: task.forms[0].figures,
		sql: "CREATE OR REPLACE TEMP TABLE r AS SELECT * FROM t QUALIFY row_number() OVER (PARTITION BY id ORDER BY updated_at, seq) = 1"})
	if _, err := task.measure(t.Context(), 1, 1); err == nil || !strings.Contains(err.Error(), "results differ") {
		t.Errorf("the oldest rows pass for the latest: %v", err)
	}
	task = latestInt(1000)
	task.beside = []yardstick{{mapName, func() int64 { return 3 }, "latest rows"}}
	if _, err := task.measure(t.Context(), 1, 1); err == nil || !strings.Contains(err.Error(), "latest rows is 3") {
		t.Errorf("a map that counts wrong passes: %v", err)
	}
}

func TestRunAndReport(t *testing.T) {
	needDuckDB(t)
	out, err := Run(t.Context(), Config{Suites: []string{"L1", "batch", "growth"}, Rows: 2000, Threads: 2, Runs: 2, Memory: true})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range out.Records {
		ids = append(ids, r.Workload)
		alone := r.Workload == "C1"
		if !r.Checked || r.OursS <= 0 || r.NSPerRow <= 0 || (r.PeerS <= 0 || r.Peer == "" || r.Objects <= 0) != alone || r.RatioMin > r.Ratio || r.Ratio > r.RatioMax {
			t.Errorf("%+v", r)
		}
	}
	if want := []string{"L1", "B1", "C1", "C1"}; !slices.Equal(ids, want) {
		t.Errorf("records of %v, want %v", ids, want)
	}
	l1, b1 := out.Records[0], out.Records[1]
	if b1.P50S <= 0 || b1.P50S > b1.P99S || b1.PeerP50S <= 0 || b1.PeerP50S > b1.PeerP99S || b1.P50S != b1.OursS || b1.PeerP50S != b1.PeerS {
		t.Errorf("B1 lacks a latency: %+v", b1)
	}
	if l1.PeerPeakMiB <= 0 || l1.FloorS <= 0 || l1.GoMapS <= 0 || l1.OneWorkerS <= 0 {
		t.Errorf("L1 lacks a figure: %+v", l1)
	}
	if about, err := Machine(t.Context()); err != nil || !strings.Contains(about, "DuckDB v") {
		t.Errorf("%q, %v", about, err)
	}
	var text strings.Builder
	WriteTable(&text, out.Records)
	WriteForms(&text, out.Records)
	for _, v := range out.Verdicts {
		text.WriteString(v.String())
	}
	for _, want := range []string{"L1 latest-int", "micro-batch", "ours/floor", "go map", "DuckDB p50", "better of two", "objects allocated", "VmHWM", " objects", "bytes a row", "C1 ns a row", "workers against one"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	file := filepath.Join(t.TempDir(), "out.json")
	if err := WriteJSON(file, out.Records); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"workload", "rows", "keys", "ours_s", "peer", "peer_s", "ratio", "ratio_min", "ratio_max", "ns_per_row", "peer_peak_mib", "objects", "p50_s", "peer_p50_s", "p99_s", "peer_p99_s", "checked"} {
		if !strings.Contains(string(written), `"`+name+`":`) {
			t.Errorf("the JSON has no %q", name)
		}
	}
	if _, err := Run(t.Context(), Config{Suites: []string{"L99"}, Threads: 1, Runs: 1}); err == nil {
		t.Error("an unknown suite is run")
	}
}

// A child process measures what the call holds at its peak, and what DuckDB does.
func TestPeak(t *testing.T) {
	needDuckDB(t)
	const rows = 400_000
	ours, err := peak(t.Context(), "L1", rows, 1, oursSide)
	if err != nil {
		t.Fatal(err)
	}
	if ours.output < rows/10*30 || ours.over < ours.output || ours.over > 200*rows || ours.allocations < 10 {
		t.Errorf("ours: %+v", ours)
	}
	peer, err := peak(t.Context(), "L1", rows, 1, "window")
	if err != nil {
		t.Fatal(err)
	}
	if peer.over <= 0 || peer.over > rows*1000 {
		t.Errorf("DuckDB: %+v", peer)
	}
	if _, err := peak(t.Context(), "L1", rows, 1, "no such form"); err == nil {
		t.Error("an unknown form has a peak")
	}
}

func TestChecksum(t *testing.T) {
	rec := table(int64s("id", []int64{1, 2, 3}), ends([]int64{5, -1, 7}))
	other := table(int64s("id", []int64{3, 1, 2}), ends([]int64{7, 5, -1}))
	changed := table(int64s("id", []int64{1, 2, 3}), ends([]int64{5, 7, -1}))
	columns := []string{"id", "valid_to"}
	sum := func(recs ...arrow.Record) string {
		f, err := rowFigures("r", recs, columns, nil)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(f)
	}
	want := sum(rec)
	for name, got := range map[string]string{"another order": sum(other), "two batches": sum(rec.NewSlice(0, 1), rec.NewSlice(1, 3))} {
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if sum(changed) == want {
		t.Error("a NULL in another row has the same checksum")
	}
	if _, err := rowFigures("r", []arrow.Record{rec}, []string{"no"}, nil); err == nil {
		t.Error("a column that isn't there is summed")
	}
}

func TestFigures(t *testing.T) {
	if m := median([]float64{3, 1, 2}); m != 2 {
		t.Errorf("median %v", m)
	}
	if m := median([]float64{4, 1, 2, 3}); m != 2.5 {
		t.Errorf("median %v", m)
	}
	l := latencies{5, 1, 2, 4, 3}
	if l.quantile(0.5) != 3 || l.quantile(0.99) != 5 || l.quantile(0) != 1 {
		t.Errorf("quantiles %v %v %v", l.quantile(0.5), l.quantile(0.99), l.quantile(0))
	}
	for _, sizes := range []struct {
		of   Config
		want []int
	}{
		{Config{Rows: 5_000_000}, []int{1_000_000, 3_000_000}},
		{Config{Rows: 20_000}, []int{2000, 20_000}},
		{Config{}, growthSizes},
		{Config{Sizes: []int{7, 70}}, []int{7, 70}},
		{Config{Sizes: []int{7, 70}, Rows: 50}, []int{7}},
	} {
		if got := sizes.of.growthRows(); !slices.Equal(got, sizes.want) {
			t.Errorf("%+v: sizes %v, want %v", sizes.of, got, sizes.want)
		}
	}
	for _, n := range []int{0, 1, 12345, 100_000_000} {
		if got := gather(spread(n)); got != n {
			t.Errorf("%d comes back as %d", n, got)
		}
	}
}

// Bars are held where they are reached, exactly too.
func TestVerdicts(t *testing.T) {
	r := &run{Config: Config{Threads: 2}}
	r.Records = []Record{
		{Workload: "L1", What: "latest-int", Ratio: 8, OursS: 0.8, FloorS: 0.1, OneWorkerS: 1.2},
		{Workload: "G1", What: "grain-int", Ratio: 4.99},
		{Workload: "C1", NSPerRow: 10}, {Workload: "C1", NSPerRow: 18},
	}
	r.judge()
	var got []string
	for _, v := range r.Verdicts {
		got = append(got, strings.Fields(v.String())[0]+" "+v.What)
	}
	want := []string{"PASS L1 latest-int ratio", "FAIL G1 grain-int ratio", "PASS L1 against the floor", "FAIL L1 with 2 workers against one", "PASS C1 ns a row, largest against smallest"}
	if !slices.Equal(got, want) {
		t.Errorf("verdicts %q, want %q", got, want)
	}
	r.Threads, r.limits, r.Verdicts = 1, nil, nil
	if r.judge(); len(r.Verdicts) != 1 {
		t.Errorf("with one thread there are verdicts of what two should reach: %v", r.Verdicts)
	}
	for _, w := range workloads() {
		if _, ok := bars[w.id]; !ok {
			t.Errorf("%s has no bar", w.id)
		}
	}
}
