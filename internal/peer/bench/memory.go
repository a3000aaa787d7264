package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
)

// Peak memory is that of a process which runs one side once: the greatest resident size while it runs, less the size just before, when the
// input was loaded and what loading left was given back. So it is what a call takes over its input, the output included, garbage included. What
// DuckDB's allocator keeps from loading for later counts as input, to its advantage.

// oursSide names our side to a child process; other sides are forms.
const oursSide = "ours"

// childFlag makes a process measure memory and print bytes: -memory-child ID, then rows, workers and the side.
const childFlag = "-memory-child"

// peak runs a side of a workload in a process of its own.
func peak(ctx context.Context, id string, rows, workers int, side string) (peakBytes, error) {
	self, err := os.Executable()
	if err != nil {
		return peakBytes{}, err
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, self, childFlag, id, strconv.Itoa(rows), strconv.Itoa(workers), side)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return peakBytes{}, fmt.Errorf("memory of %s, %s: %w: %s", id, side, err, stderr.Bytes())
	}
	var p peakBytes
	_, err = fmt.Sscan(string(out), &p.over, &p.output, &p.allocations)
	return p, err
}

// peakBytes is what a child process measured.
type peakBytes struct {
	// over is the peak over the input, in bytes, output included.
	over int64
	// output is the size of our output in bytes, and allocations the number of objects that the call made; 0 for DuckDB.
	output, allocations int64
}

// Child measures one side if the process was started for that, prints what it took, and says so.
func Child(ctx context.Context, args []string) (bool, error) {
	if len(args) == 2 && args[0] == streamFlag {
		return true, streamChild(ctx, args[1])
	}
	if len(args) != 5 || args[0] != childFlag {
		return false, nil
	}
	rows, err := strconv.Atoi(args[2])
	if err != nil {
		return true, err
	}
	workers, err := strconv.Atoi(args[3])
	if err != nil {
		return true, err
	}
	for _, w := range append(workloads(), workload{id: batchID, make: func(rows int) task { return makeMicroBatch(rows).task() }}) {
		if w.id == args[1] {
			p, err := w.make(rows).peakOf(ctx, workers, args[4])
			if err == nil {
				_, err = fmt.Println(p.over, p.output, p.allocations)
			}
			return true, err
		}
	}
	return true, fmt.Errorf("no workload %q", args[1])
}

func (t task) peakOf(ctx context.Context, workers int, side string) (p peakBytes, err error) {
	if side == oursSide {
		var before, after runtime.MemStats
		var r result
		p.over, err = peakDuring(func() error {
			runtime.ReadMemStats(&before)
			r, err = t.ours(ctx, workers)
			runtime.ReadMemStats(&after)
			return err
		})
		if err != nil {
			return p, err
		}
		defer r.release()
		p.output, p.allocations = r.bytes, int64(after.Mallocs-before.Mallocs)
		return p, nil
	}
	db, err := t.load(ctx, workers)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for name := range t.tables {
		delete(t.tables, name)
	}
	t.ours, t.beside = nil, nil // they hold the records
	for _, f := range t.forms {
		if f.name == side {
			p.over, err = peakDuring(func() error { return db.Exec(ctx, f.sql) })
			return p, err
		}
	}
	return p, fmt.Errorf("no form %q", side)
}

// peakDuring gives the greatest resident size of this process while a function runs, less that before.
func peakDuring(run func() error) (int64, error) {
	before, peak, err := residentDuring(run)
	return max(0, peak-before), err
}

// residentDuring gives the resident size of this process before a function runs, and the greatest while it does.
func residentDuring(run func() error) (before, peak int64, err error) {
	debug.FreeOSMemory()
	if before, err = resident("VmRSS"); err != nil {
		return 0, 0, err
	}
	// 5 resets the high-water mark of the resident size.
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return 0, 0, err
	}
	if err := run(); err != nil {
		return 0, 0, err
	}
	peak, err = resident("VmHWM")
	return before, peak, err
}

// resident reads a size of this process, in bytes.
func resident(name string) (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	lines := bufio.NewScanner(bytes.NewReader(status))
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), name+":"); ok {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(value, "kB")), 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("/proc/self/status has no %s", name)
}

// sizeOf is the number of bytes in the buffers of records.
func sizeOf(recs ...arrow.Record) int64 {
	var n int64
	for _, rec := range recs {
		for _, col := range rec.Columns() {
			for _, b := range col.Data().Buffers() {
				if b != nil {
					n += int64(b.Len())
				}
			}
		}
	}
	return n
}
