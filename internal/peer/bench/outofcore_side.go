package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/peer/duck"
)

// streamFlag makes a process do a streamJob, which follows as JSON, and print its streamUse.
const streamFlag = "-stream-child"

// Sides of O1 beside oursSide and the forms.
const (
	generateSide = "generate" // reads the stream and does nothing with it
	inputSide    = "input"    // writes the Parquet file
)

// streamJob is what a process of O1 is to do.
type streamJob struct {
	Rows, Keys int64
	Workers    int
	// Memory is our budget and PeerMemory DuckDB's, in bytes: as many, though its "1GB" would be 7 % less.
	Memory, PeerMemory int64
	// Side is oursSide, a form, or one of the sides beside.
	Side string
	// Input is the Parquet file, Output the file for the result.
	Input, Output string
}

// streamUse is what it took.
type streamUse struct {
	Seconds float64
	// Over is the greatest resident size of the process while it ran, less that before; Peak isn't less that.
	Over, Peak int64
	// Written is the number of bytes that went to files, the output included; 0 where the system doesn't say.
	Written int64
	// Failed says why DuckDB came to no end for want of space; "" if it did.
	Failed string
}

// most has the greater of both sizes.
func (u streamUse) most(other streamUse) streamUse {
	return streamUse{Over: max(u.Over, other.Over), Peak: max(u.Peak, other.Peak), Written: max(u.Written, other.Written)}
}

func (j streamJob) source() changeSource { return changeSource{j.Rows, j.Keys} }

// stream is the input: records of 65,536 rows, or smaller ones of which there are many.
func (j streamJob) stream() *changeStream {
	return newChangeStream(j.source(), int(min(1<<16, max(1, j.Rows/64))), memory.DefaultAllocator)
}

// do does the job.
func (j streamJob) do(ctx context.Context) (u streamUse, err error) {
	switch j.Side {
	case oursSide:
		return j.measured(func() error { return j.ours(ctx) })
	case generateSide:
		s := j.stream()
		defer s.Release()
		return j.measured(func() error {
			for s.Next() {
				continue
			}
			return s.Err()
		})
	}
	db, err := duck.Open(ctx, j.Workers)
	if err != nil {
		return u, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if j.Side == inputSide {
		return j.overStream(ctx, db, copyInto("SELECT * FROM t", j.Input))
	}
	// Without its insertion order, which nobody asks for, DuckDB takes less memory.
	if err := db.Exec(ctx, fmt.Sprintf("SET memory_limit = '%dB'; SET preserve_insertion_order = false", j.PeerMemory)); err != nil {
		return u, err
	}
	for _, f := range j.forms() {
		if f.name != j.Side {
			continue
		}
		if strings.HasSuffix(f.name, ofStream) {
			u, err = j.overStream(ctx, db, f.sql)
		} else {
			u, err = j.measured(func() error { return db.Exec(ctx, f.sql) })
		}
		if duck.NoSpace(err) {
			first, _, _ := strings.Cut(err.Error(), "\n")
			return streamUse{Failed: first}, nil
		}
		return u, err
	}
	return u, fmt.Errorf("no form %q", j.Side)
}

// measured measures a call.
func (j streamJob) measured(run func() error) (u streamUse, err error) {
	writtenBefore := written()
	before, peak, err := residentDuring(func() error {
		start := time.Now()
		err := run()
		u.Seconds = time.Since(start).Seconds()
		return err
	})
	u.Over, u.Peak, u.Written = max(0, peak-before), peak, written()-writtenBefore
	return u, err
}

// overStream measures statements that read the stream as t.
func (j streamJob) overStream(ctx context.Context, db *duck.DB, sql string) (u streamUse, err error) {
	s := j.stream()
	defer s.Release()
	err = db.WithView(s, "t", func() error {
		u, err = j.measured(func() error { return db.Exec(ctx, sql) })
		return err
	})
	return u, err
}

// ours writes the latest row of each key to a file.
func (j streamJob) ours(ctx context.Context) (err error) {
	s := j.stream()
	defer s.Release()
	r, err := dedupe.NewReader(ctx, s, []string{"id"}, latestOrder, dedupe.Options{Resources: onerow.Resources{Workers: j.Workers, Memory: j.Memory}})
	if err != nil {
		return err
	}
	defer r.Release()
	f, err := os.Create(j.Output)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(r.Schema()))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for r.Next() {
		if err := w.Write(r.Record()); err != nil {
			return err
		}
	}
	return r.Err()
}

// written is the number of bytes that this process had written to files, as far as the system knows.
func written() int64 {
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(text) {
		if value, ok := bytes.CutPrefix(line, []byte("write_bytes:")); ok {
			n, err := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
			if err != nil {
				return 0
			}
			return n
		}
	}
	return 0
}

// streamChild does a job and prints what it took.
func streamChild(ctx context.Context, arg string) error {
	var j streamJob
	if err := json.Unmarshal([]byte(arg), &j); err != nil {
		return err
	}
	u, err := j.do(ctx)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(u)
}
