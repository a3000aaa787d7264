package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/onerow-go/onerow/internal/peer/duck"
)

// O1: the changes of L1, 200 M of them, as a stream that neither side has room for. Each side runs in a process of its own, from a stream that is made as
// it is read, or from a Parquet file in DuckDB's case, to a file: Arrow IPC ours, Parquet DuckDB's. Results are read from the files, outside the
// clock and outside the processes that are measured, and compared with a model's.

const (
	streamRows   = 200_000_000
	streamBudget = 1 << 30 // for streamRows; fewer rows have their share
	// leastPeerBudget is what DuckDB takes for a million rows or fewer: with 24 MiB all of its forms run out of memory.
	leastPeerBudget = 32 << 20
	// mostStreamRuns caps the runs of each side, which take minutes and vary less than the short ones.
	mostStreamRuns = 3
	// A form is given up when it takes so many times as long as the fastest before it, with its process and its check; but not before so long.
	patience      = 3
	leastPatience = time.Minute
)

// outOfCore is the run of O1.
type outOfCore struct {
	*run
	streamJob
	dir  string
	want figures
	// patience and leastPatience are those of the constants, but in tests.
	patience      float64
	leastPatience time.Duration
	// fails are the forms that didn't come to an end, and why.
	fails map[string]string
}

func (r *run) outOfCore(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "peer-outofcore-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	rec, err := r.makeOutOfCore(dir).measure(ctx)
	if err != nil {
		return err
	}
	r.add(rec)
	return nil
}

func (r *run) makeOutOfCore(dir string) *outOfCore {
	rows, budget := r.size(streamRows), r.Budget
	if budget == 0 {
		budget = max(1, int64(float64(rows)/streamRows*streamBudget))
	}
	return &outOfCore{run: r, dir: dir, fails: map[string]string{}, patience: patience, leastPatience: leastPatience, streamJob: streamJob{
		Rows: int64(rows), Keys: max(1, int64(rows)/10), Workers: r.Threads, Memory: budget, PeerMemory: max(budget, leastPeerBudget),
		Input: filepath.Join(dir, "input.parquet")}}
}

func (o *outOfCore) measure(ctx context.Context) (rec Record, err error) {
	if o.want, err = o.source().newest(); err != nil {
		return rec, err
	}
	debug.FreeOSMemory() // the model's array
	generate, err := o.side(ctx, generateSide)
	if err != nil {
		return rec, err
	}
	input, err := o.side(ctx, inputSide)
	if err != nil {
		return rec, err
	}
	if err := sync(o.Input); err != nil {
		return rec, err
	}
	var m timing
	if err := o.choose(ctx, &m); err != nil {
		return rec, err
	}
	ours, peer, err := o.alternate(ctx, &m)
	if err != nil {
		return rec, err
	}
	rec = o.record(outOfCoreID, "out-of-core", int(o.Rows), int(o.Keys), m)
	rec.GenerateS, rec.InputS, rec.FailedForms = generate.Seconds, input.Seconds, o.fails
	rec.BudgetMiB, rec.PeerBudgetMiB = mebibytes(o.Memory), mebibytes(o.PeerMemory)
	rec.PeakMiB, rec.PeerPeakMiB = mebibytes(ours.Over), mebibytes(peer.Over)
	rec.ProcessMiB, rec.PeerProcessMiB = mebibytes(ours.Peak), mebibytes(peer.Peak)
	rec.WrittenMiB, rec.PeerWrittenMiB = mebibytes(ours.Written), mebibytes(peer.Written)
	return rec, nil
}

// alternate runs both sides in turns. A form that is near its limit may run out of memory though it didn't when it was chosen: then all begins anew
// with the next.
func (o *outOfCore) alternate(ctx context.Context, m *timing) (ours, peer streamUse, err error) {
	for len(m.ours) < min(o.Runs, mostStreamRuns) {
		u, err := o.side(ctx, oursSide)
		if err != nil {
			return ours, peer, err
		}
		ours = ours.most(u)
		m.ours = append(m.ours, u.Seconds)
		if m.form == "" {
			continue
		}
		if u, err = o.side(ctx, m.form); err != nil {
			return ours, peer, err
		}
		if u.Failed != "" {
			o.fails[m.form] = "in a later run: " + u.Failed
			delete(m.forms, m.form)
			m.form, m.ours, m.peer, peer = fastest(m.forms), nil, nil, streamUse{}
			continue
		}
		peer = peer.most(u)
		m.peer = append(m.peer, u.Seconds)
	}
	return ours, peer, nil
}

// fastest is the form that took the least, "" of none.
func fastest(forms map[string]float64) (best string) {
	for name, s := range forms {
		if best == "" || s < forms[best] {
			best = name
		}
	}
	return best
}

// sync has the system write a file to its disk now, not during what is measured.
func sync(file string) error {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// choose finds the fastest form by one run each.
func (o *outOfCore) choose(ctx context.Context, m *timing) error {
	m.forms = map[string]float64{}
	for _, f := range o.forms() {
		limited, cancel := ctx, func() {}
		if m.form != "" {
			limit := time.Duration(o.patience * m.forms[m.form] * float64(time.Second))
			limited, cancel = context.WithTimeout(ctx, max(o.leastPatience, limit))
		}
		u, err := o.side(limited, f.name)
		late := limited.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case late:
			o.fails[f.name] = fmt.Sprintf("given up: much slower than %q", m.form)
		case err != nil:
			return err
		case u.Failed != "":
			o.fails[f.name] = u.Failed
		default:
			m.forms[f.name] = u.Seconds
			m.form = fastest(m.forms)
		}
	}
	return nil
}

// side runs a side in a process of its own, and checks its result if there is one.
func (o *outOfCore) side(ctx context.Context, side string) (u streamUse, err error) {
	dir, err := os.MkdirTemp(o.dir, "side-")
	if err != nil {
		return u, err
	}
	// What a process that was stopped left behind goes too.
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	job := o.streamJob
	job.Side, job.Output = side, filepath.Join(dir, "output")
	if u, err = job.start(ctx, dir); err != nil {
		return u, err
	}
	switch {
	case o.Log == nil:
	case u.Failed != "":
		fmt.Fprintf(o.Log, "%s %s: failed: %s\n", outOfCoreID, side, u.Failed)
	default:
		fmt.Fprintf(o.Log, "%s %s: %s, peak %.0f MiB, %.0f MiB written\n", outOfCoreID, side, seconds(u.Seconds), mebibytes(u.Peak), mebibytes(u.Written))
	}
	if u.Failed != "" || side == generateSide || side == inputSide {
		return u, nil
	}
	read := peerFigures
	if side == oursSide {
		read = ourFigures
	}
	got, err := read(ctx, job.Output)
	if err == nil && !maps.Equal(got, o.want) {
		err = fmt.Errorf("%w: %s %v, the model's %v", errDiffer, side, got, o.want)
	}
	return u, err
}

// start runs the job in a process whose files for the time being go to a folder.
func (j streamJob) start(ctx context.Context, dir string) (u streamUse, err error) {
	self, err := os.Executable()
	if err != nil {
		return u, err
	}
	arg, err := json.Marshal(j)
	if err != nil {
		return u, err
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, self, streamFlag, string(arg))
	cmd.Stderr, cmd.Env = &stderr, append(os.Environ(), "TMPDIR="+dir)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() < 0 && ctx.Err() == nil {
		// The system stops a process that takes more memory than there is.
		return streamUse{Failed: exit.Error()}, nil
	}
	if err != nil {
		return u, fmt.Errorf("%s: %w: %s", j.Side, err, stderr.Bytes())
	}
	return u, json.Unmarshal(out, &u)
}

// ourFigures are those of a file of Arrow IPC.
func ourFigures(_ context.Context, file string) (_ figures, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	sum := figures{}
	for i := range r.NumRecords() {
		rec, err := r.Record(i)
		if err != nil {
			return nil, err
		}
		if err := sum.addRows(rec); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

// peerFigures are those of the Parquet files whose names begin so.
func peerFigures(ctx context.Context, file string) (_ figures, err error) {
	db, err := duck.Open(ctx, 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	sum := figures{}
	_, err = db.Each(ctx, fmt.Sprintf("SELECT * FROM read_parquet('%s*')", file), func(rec arrow.Record) error { return sum.addRows(rec) })
	return sum, err
}
