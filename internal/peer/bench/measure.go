package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/onerow-go/onerow/internal/peer/duck"
)

// timing is what alternating runs of a task gave, in seconds.
type timing struct {
	ours, peer []float64
	// form is the form of DuckDB's that was the fastest in the warm-up; forms has the better time of each there.
	form  string
	forms map[string]float64
	// oneWorker is ours with one worker, where the task shares work; beside are the yardsticks, by name.
	oneWorker []float64
	beside    map[string][]float64
}

// load makes a database with the tables of a task.
func (t task) load(ctx context.Context, threads int) (db *duck.DB, err error) {
	if db, err = duck.Open(ctx, threads); err != nil {
		return nil, err
	}
	for name, rec := range t.tables {
		if err := db.Load(ctx, name, rec); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	return db, nil
}

// measure runs ours, DuckDB's and the yardsticks in turns, after a warm-up in which all results are checked and DuckDB's best form is chosen.
func (t task) measure(ctx context.Context, threads, runs int) (m timing, err error) {
	db, err := t.load(ctx, threads)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	want, err := t.check(ctx, threads)
	if err != nil {
		return m, err
	}
	best, err := t.choose(ctx, db, want, &m)
	if err != nil {
		return m, err
	}
	m.beside = map[string][]float64{}
	for _, y := range t.beside {
		for range runs {
			s, n := y.time()
			if y.figure != "" && n != int64(want[y.figure]) {
				return m, fmt.Errorf("%s: %s is %d, want %d", y.name, y.figure, n, want[y.figure])
			}
			m.beside[y.name] = append(m.beside[y.name], s)
		}
	}
	return m, t.alternate(ctx, db, best, threads, runs, &m)
}

// alternate runs ours and DuckDB's in turns. Our garbage is collected before DuckDB's turn, once, as it would be sooner or later, so that pools keep
// what they hold between calls.
func (t task) alternate(ctx context.Context, db *duck.DB, peer form, threads, runs int, m *timing) error {
	for range runs {
		s, err := t.timeOurs(ctx, threads)
		if err != nil {
			return err
		}
		m.ours = append(m.ours, s)
		if t.shares {
			if s, err = t.timeOurs(ctx, 1); err != nil {
				return err
			}
			m.oneWorker = append(m.oneWorker, s)
		}
		runtime.GC()
		if s, err = peer.time(ctx, db); err != nil {
			return err
		}
		m.peer = append(m.peer, s)
	}
	return nil
}

// check gives the figures of our result, after it warmed our side up.
func (t task) check(ctx context.Context, workers int) (figures, error) {
	if _, err := t.timeOurs(ctx, workers); err != nil {
		return nil, err
	}
	r, err := t.ours(ctx, workers)
	if err != nil {
		return nil, err
	}
	defer r.release()
	return r.figures()
}

// choose finds the fastest form, by the better of two runs each, and checks what each gives.
func (t task) choose(ctx context.Context, db *duck.DB, want figures, m *timing) (best form, err error) {
	m.forms = map[string]float64{}
	for _, f := range t.forms {
		if err := db.Exec(ctx, f.sql); err != nil {
			return best, err
		}
		got, err := f.figures(ctx, db)
		if err != nil {
			return best, err
		}
		if !maps.Equal(got, want) {
			return best, fmt.Errorf("%w: ours %v, %s of DuckDB %v", errDiffer, want, f.name, got)
		}
		m.forms[f.name] = math.Inf(1)
		for range 2 {
			s, err := f.time(ctx, db)
			if err != nil {
				return best, err
			}
			m.forms[f.name] = min(m.forms[f.name], s)
		}
		if best.name == "" || m.forms[f.name] < m.forms[best.name] {
			best = f
		}
	}
	m.form = best.name
	return best, nil
}

// timeOurs is the time of one call.
func (t task) timeOurs(ctx context.Context, workers int) (float64, error) {
	start := time.Now()
	r, err := t.ours(ctx, workers)
	s := time.Since(start).Seconds()
	if err != nil {
		return 0, err
	}
	r.release()
	return s, nil
}

// time is the time of a form's statements. Tables that an earlier run left are dropped before.
func (f form) time(ctx context.Context, db *duck.DB) (float64, error) {
	for _, r := range f.results {
		if err := db.Exec(ctx, "DROP TABLE IF EXISTS "+r); err != nil {
			return 0, err
		}
	}
	start := time.Now()
	err := db.Exec(ctx, f.sql)
	return time.Since(start).Seconds(), err
}

func (y yardstick) time() (float64, int64) {
	runtime.GC()
	start := time.Now()
	n := y.run()
	return time.Since(start).Seconds(), n
}

// median of at least one number; of an even number of them the mean of the two in the middle.
func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
