package scd2

import (
	"context"
	"fmt"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
)

// takes says whether a row of changes or state takes part as an event of its key.
func (d *dealer[K]) takes(row uint32, pos uint64) bool {
	j := d.p.job
	switch {
	case row > j.nothing:
		change := row - j.firstOld
		own := j.firstChg + change
		return j.keyed(change) && j.inTime(pos) && !j.beyond(pos) && !j.allNull(row) && !j.keys.Same(row, own)
	case row >= j.firstSt:
		return j.stKinds[row-j.firstSt] <= remove
	}
	change := row - j.firstChg
	switch {
	case !j.keyed(change):
		return false
	case j.beyond(pos):
		d.beyond = append(d.beyond, trouble{row: row, rows: []uint32{change}, why: "at or beyond the open end"})
		return false
	case j.opts.Mode == Snapshot:
	case j.hasLow && pos < j.lowest:
		d.out.status[change] = rejectedLow
		return false
	case j.opts.Since != nil && pos < j.since:
		d.partial = append(d.partial, trouble{row: row, rows: []uint32{change}})
		return false
	}
	return true
}

// beyond says whether a position reads as an open end.
func (j *job) beyond(pos uint64) bool { return j.hasOpen && pos >= j.openEnd }

// allNull says whether all columns of a key are NULL.
func (j *job) allNull(row uint32) bool {
	for _, c := range j.keyCols {
		if !c.Null(row) {
			return false
		}
	}
	return true
}

// inTime says whether events of a position are applied.
func (j *job) inTime(pos uint64) bool {
	return (!j.hasLow || pos >= j.lowest) && (j.opts.Since == nil || pos >= j.since)
}

// checkPrevious refuses previous keys that are NULL in part, where NULL keys are refused.
func (j *job) checkPrevious(ctx context.Context) error {
	if j.opts.Op.PreviousKey == nil || j.opts.NullKey != onerow.RejectNullKeys || len(j.keyCols) == 1 {
		return nil
	}
	found := make([]onerow.ColumnNulls, len(j.keyCols))
	for change := range uint32(j.changes.Rows) {
		if change&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row := j.firstOld + change
		if !j.keyed(change) || !j.keys.Null(row) || j.allNull(row) {
			continue
		}
		for i, c := range j.keyCols {
			if c.Null(row) {
				found[i].Column = j.opts.Op.PreviousKey[i]
				frame.CountNull(&found[i], change)
			}
		}
	}
	e := &onerow.NullError{Kind: onerow.ErrNullKey, Input: "changes"}
	for _, c := range found {
		if c.Rows > 0 {
			e.Columns = append(e.Columns, c)
		}
	}
	if e.Columns == nil {
		return nil
	}
	return fmt.Errorf("previous key: %w", e)
}
