package bench

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Config says what to run.
type Config struct {
	// Suites are names of suites or workloads; none is all, but O1 only where Rows caps it: at full size it takes some 30 GB of disk.
	Suites []string
	// Rows caps the rows of each workload's main table. 0: the sizes of the workloads.
	Rows int
	// Sizes are those of C1. None: from 1 M to 100 M rows.
	Sizes []int
	// Threads is the number of DuckDB's threads and of our workers.
	Threads int
	// Runs is the number of runs of each side; O1 has at most three.
	Runs int
	// Budget is O1's, in bytes. 0: 1 GiB for 200 M rows, and as much a row for fewer.
	Budget int64
	// Memory says that peak memory is measured too, in processes of their own.
	Memory bool
	// Log gets a line for each workload when it is done.
	Log io.Writer
}

// Outcome is what a run gave.
type Outcome struct {
	Records  []Record
	Verdicts []Verdict
}

const (
	batchSuite     = "batch"
	batchID        = "B1"
	growthSuite    = "growth"
	growthID       = "C1"
	outOfCoreSuite = "outofcore"
	outOfCoreID    = "O1"
)

// Suites lists the suites.
func Suites() []string {
	var all []string
	for _, w := range workloads() {
		if !slices.Contains(all, w.suite) {
			all = append(all, w.suite)
		}
	}
	return append(all, batchSuite, growthSuite, outOfCoreSuite)
}

// run is a run as it goes on.
type run struct {
	Config
	Outcome
	// limits are what is found of memory, for the end of the verdicts.
	limits []Verdict
}

// Run measures workloads and holds them against their bars.
func Run(ctx context.Context, c Config) (*Outcome, error) {
	if err := c.known(); err != nil {
		return nil, err
	}
	r := &run{Config: c}
	for _, w := range workloads() {
		if !r.asked(w.id, w.suite) {
			continue
		}
		if err := r.workload(ctx, w); err != nil {
			return nil, fmt.Errorf("%s: %w", w.id, err)
		}
	}
	if r.asked(batchID, batchSuite) {
		if err := r.microBatch(ctx); err != nil {
			return nil, fmt.Errorf("B1: %w", err)
		}
	}
	if r.asked(growthID, growthSuite) {
		if err := r.growth(ctx); err != nil {
			return nil, err
		}
	}
	if r.askedOutOfCore() {
		if err := r.outOfCore(ctx); err != nil {
			return nil, fmt.Errorf("O1: %w", err)
		}
	}
	r.judge()
	return &r.Outcome, nil
}

// known says whether all suites that are asked for exist.
func (c Config) known() error {
	names := append(Suites(), batchID, growthID, outOfCoreID)
	for _, w := range workloads() {
		names = append(names, w.id)
	}
	for _, s := range c.Suites {
		if !slices.Contains(names, s) {
			return fmt.Errorf("no suite %q; there are %s, and their workloads by id", s, strings.Join(Suites(), ", "))
		}
	}
	return nil
}

// asked says whether a workload is to be run.
func (r *run) asked(id, suite string) bool {
	return len(r.Suites) == 0 || slices.Contains(r.Suites, id) || slices.Contains(r.Suites, suite)
}

// askedOutOfCore says whether O1 is to be run: at full size only by name.
func (r *run) askedOutOfCore() bool {
	return r.asked(outOfCoreID, outOfCoreSuite) && (len(r.Suites) > 0 || r.Rows > 0)
}

// size is the number of rows of a workload under the cap.
func (r *run) size(rows int) int {
	if r.Rows > 0 {
		rows = min(rows, r.Rows)
	}
	return rows
}

func (r *run) workload(ctx context.Context, w workload) error {
	rows := r.size(w.rows)
	rec, err := r.timed(ctx, w, rows)
	if err != nil {
		return err
	}
	if r.Memory {
		if err := r.memory(ctx, w.id, rows, &rec); err != nil {
			return err
		}
	}
	r.add(rec)
	return nil
}

func (r *run) timed(ctx context.Context, w workload, rows int) (Record, error) {
	t := w.make(rows)
	m, err := t.measure(ctx, r.Threads, r.Runs)
	if err != nil {
		return Record{}, err
	}
	return r.record(w.id, w.what, t.rows, t.keys, m), nil
}

// memory measures the peaks of both sides. It judges L1's, and whether the objects that L1, G1 and J1 allocate are more with more rows.
func (r *run) memory(ctx context.Context, id string, rows int, rec *Record) error {
	ours, err := peak(ctx, id, rows, r.Threads, oursSide)
	if err != nil {
		return err
	}
	peer, err := peak(ctx, id, rows, r.Threads, rec.Peer)
	if err != nil {
		return err
	}
	rec.PeakMiB, rec.PeerPeakMiB, rec.Objects = mebibytes(ours.over), mebibytes(peer.over), ours.allocations
	if id == "L1" {
		perRow := float64(ours.over-ours.output) / float64(rows)
		r.limits = append(r.limits, Verdict{What: "L1 peak memory over input and output", Value: fmt.Sprintf("%.1f bytes a row", perRow),
			Bar: fmt.Sprintf("at most %d", mostRowBytes), Pass: perRow <= mostRowBytes})
	}
	if id != "L1" && id != "G1" && id != "J1" {
		return nil
	}
	few, err := peak(ctx, id, max(1, rows/10), r.Threads, oursSide)
	if err != nil {
		return err
	}
	more := float64(ours.allocations) / float64(max(1, few.allocations))
	r.limits = append(r.limits, Verdict{What: id + " objects allocated, against a tenth of the rows",
		Value: fmt.Sprintf("%d against %d, %.2f times", ours.allocations, few.allocations, more), Bar: fmt.Sprintf("at most %.1f", mostMoreObjects),
		Pass: more <= mostMoreObjects})
	return nil
}

func (r *run) microBatch(ctx context.Context) error {
	rows := r.size(1_000_000)
	m := makeMicroBatch(rows)
	t, err := m.measure(ctx, r.Threads, r.Runs)
	if err != nil {
		return err
	}
	rec := Record{Workload: batchID, What: "micro-batch p50", Threads: r.Threads, Rows: int(m.batches[0].NumRows()), Keys: rows, Peer: t.form, Checked: true, Forms: t.forms}
	var ours, peer, ratios, p99, peerP99 []float64
	for i := range t.ours {
		ours, peer = append(ours, t.ours[i].quantile(0.5)), append(peer, t.peer[i].quantile(0.5))
		ratios = append(ratios, peer[i]/ours[i])
		p99, peerP99 = append(p99, t.ours[i].quantile(0.99)), append(peerP99, t.peer[i].quantile(0.99))
	}
	rec.times(ours, peer, ratios)
	rec.P50S, rec.PeerP50S, rec.P99S, rec.PeerP99S = rec.OursS, rec.PeerS, median(p99), median(peerP99)
	if r.Memory {
		if err := r.memory(ctx, rec.Workload, rows, &rec); err != nil {
			return err
		}
	}
	r.add(rec)
	return nil
}

// record makes a record of a timing.
func (r *run) record(id, what string, rows, keys int, m timing) Record {
	rec := Record{Workload: id, What: what, Threads: r.Threads, Rows: rows, Keys: keys, Peer: m.form, Checked: true, Forms: m.forms}
	if m.form == "" {
		rec.oursAlone(m.ours)
		return rec
	}
	ratios := make([]float64, len(m.ours))
	for i := range ratios {
		ratios[i] = m.peer[i] / m.ours[i]
	}
	rec.times(m.ours, m.peer, ratios)
	if len(m.oneWorker) > 0 {
		rec.OneWorkerS = median(m.oneWorker)
	}
	if floor := m.beside[floorName]; len(floor) > 0 {
		rec.FloorS = median(floor)
	}
	if goMap := m.beside[mapName]; len(goMap) > 0 {
		rec.GoMapS = median(goMap)
	}
	return rec
}

func (rec *Record) times(ours, peer, ratios []float64) {
	rec.oursAlone(ours)
	rec.PeerS = median(peer)
	rec.Ratio, rec.RatioMin, rec.RatioMax = median(ratios), slices.Min(ratios), slices.Max(ratios)
}

func (rec *Record) oursAlone(ours []float64) {
	rec.OursS = median(ours)
	rec.NSPerRow = rec.OursS * 1e9 / float64(rec.Rows)
}

func mebibytes(n int64) float64 { return float64(n) / (1 << 20) }

// plain finds the fastest of the plain forms.
func (rec *Record) plain() {
	for name, s := range rec.Forms {
		if plainForms[name] && (rec.Plain == "" || s < rec.PlainS) {
			rec.Plain, rec.PlainS, rec.PlainRatio = name, s, s/rec.OursS
		}
	}
}

func (r *run) add(rec Record) {
	rec.plain()
	r.Records = append(r.Records, rec)
	switch {
	case r.Log == nil:
	case rec.Peer == "":
		fmt.Fprintf(r.Log, "%s %s: ours %s, %d rows, %.1f ns a row\n", rec.Workload, rec.What, seconds(rec.OursS), rec.Rows, rec.NSPerRow)
	default:
		fmt.Fprintf(r.Log, "%s %s: ours %s, DuckDB %s (%s), ratio %.2f\n", rec.Workload, rec.What, seconds(rec.OursS), seconds(rec.PeerS), rec.Peer, rec.Ratio)
	}
}

// judge holds the records against the bars: those of two threads only if there are two.
func (r *run) judge() {
	var smallest, largest float64
	for _, rec := range r.Records {
		if b, ok := bars[rec.Workload]; ok && r.Threads == barThreads {
			r.Verdicts = append(r.Verdicts, Verdict{What: rec.Workload + " " + rec.What + " ratio", Value: fmt.Sprintf("%.2f", rec.Ratio),
				Bar: fmt.Sprintf("at least %g", b.least), Aim: fmt.Sprint(b.aim), Pass: rec.Ratio >= b.least})
		}
		if rec.Workload == "L1" && r.Threads == barThreads {
			over, speedup := rec.OursS/rec.FloorS, rec.OneWorkerS/rec.OursS
			r.limits = append(r.limits,
				Verdict{What: "L1 against the floor", Value: fmt.Sprintf("%.1f times", over), Bar: fmt.Sprintf("at most %d", mostOverFloor),
					Aim: fmt.Sprint(aimOverFloor), Pass: over <= mostOverFloor},
				Verdict{What: fmt.Sprintf("L1 with %d workers against one", r.Threads), Value: fmt.Sprintf("%.2f times", speedup),
					Bar: fmt.Sprintf("at least %.1f", leastSpeedup), Pass: speedup >= leastSpeedup})
		}
		if rec.Workload == growthID {
			if smallest == 0 {
				smallest = rec.NSPerRow
			}
			largest = rec.NSPerRow
		}
	}
	if smallest > 0 {
		r.limits = append(r.limits, Verdict{What: "C1 ns a row, largest against smallest", Value: fmt.Sprintf("%.2f times", largest/smallest),
			Bar: fmt.Sprintf("at most %.1f", mostGrowth), Pass: largest/smallest <= mostGrowth})
	}
	r.Verdicts = append(r.Verdicts, r.limits...)
}
