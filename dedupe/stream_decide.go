package dedupe

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

// job is a call of Latest on the rows that are held.
func (p *pool) job() (*job, func(), error) {
	var recs []arrow.Record
	for _, rec := range p.held {
		recs = append(recs, p.content(rec))
	}
	j, err := newJob(recs, p.key, p.order, p.opts)
	return j, func() { release(recs) }, err
}

// unbeaten lists the rows that no other of their key is greater than; nil: all, as they aren't to be dropped.
func (p *pool) unbeaten(ctx context.Context) (rows onerow.Rows, err error) {
	if !p.dropsLosers() {
		return nil, nil
	}
	err = keyset.Guard(func() error {
		j, release, err := p.job()
		defer release()
		if err != nil {
			return err
		}
		j.undecided = true
		plan, err := j.latest(ctx)
		if err != nil {
			return err
		}
		rows = plan.Rows
		return nil
	})
	return rows, err
}

// decide finds the winners among the rows that are held, and hands them on, with those that are set aside.
func (p *pool) decide(ctx context.Context) error {
	if p.rows == 0 {
		return nil
	}
	return keyset.Guard(func() error {
		j, done, err := p.job()
		defer done()
		if err != nil {
			return err
		}
		plan, err := j.latest(ctx)
		p.progress.Add(p.rows)
		var tied *onerow.KeysError
		if errors.Is(err, onerow.ErrTie) && errors.As(err, &tied) {
			p.tie(tied)
			return nil
		}
		if err != nil || p.ties != nil {
			return err
		}
		p.report.add(plan.Report)
		p.report.Deletes += plan.Report.Deletes
		if err := p.handOn(ctx, plan.SetAside, p.aside.add, p.takeKept); err != nil {
			return err
		}
		if p.level == 0 && len(p.opts.Fill) == 0 {
			p.won.hold(p.held, plan.Rows)
			p.held = nil
			return nil
		}
		if len(p.opts.Fill) == 0 {
			return p.handOn(ctx, plan.Rows, p.won.add, p.takeKept)
		}
		numbers := p.numbers()
		return p.handOn(ctx, plan.Rows, p.won.add, func(ctx context.Context, rows []uint32) (arrow.Record, error) {
			return p.takeFilled(ctx, plan, rows, numbers)
		})
	})
}

// handOn takes rows, piece by piece.
func (p *pool) handOn(ctx context.Context, rows onerow.Rows, to func(context.Context, arrow.Record) error,
	taken func(context.Context, []uint32) (arrow.Record, error)) error {
	if len(rows) == 0 {
		return nil
	}
	cut, err := newPieces(p.held, p.pieceBytes())
	if err != nil {
		return err
	}
	return cut.each(rows, func(some []uint32) error {
		rec, err := taken(ctx, some)
		if err != nil {
			return err
		}
		return to(ctx, rec)
	})
}

func (p *pool) takeKept(ctx context.Context, rows []uint32) (arrow.Record, error) {
	return onerow.Take(ctx, p.held, rows, p.opts.Resources)
}

// takeFilled takes some of a plan's winners, with the values that carry-forward found.
func (p *pool) takeFilled(ctx context.Context, plan *Plan, rows, numbers []uint32) (arrow.Record, error) {
	some := *plan
	some.Rows = rows
	rec, err := some.Take(ctx, p.mem)
	if err != nil {
		return nil, err
	}
	defer rec.Release()
	return p.numbered(rec, func(to []uint32) {
		for i, row := range rows {
			to[i] = numbers[row]
		}
	}), nil
}

// numbers are those of the rows that are held.
func (p *pool) numbers() []uint32 {
	all := make([]uint32, 0, p.rows)
	for _, rec := range p.held {
		all = append(all, numbersOf(rec)...)
	}
	return all
}

// tie adds the ties of the rows that are held to those of the call, with the numbers that the rows have in the stream.
func (p *pool) tie(e *onerow.KeysError) {
	numbers := p.numbers()
	for _, k := range e.Keys {
		for i, row := range k.Rows {
			k.Rows[i] = numbers[row]
		}
	}
	if p.ties == nil {
		p.ties = e
		return
	}
	all := append(slices.Clone(p.ties.Keys), e.Keys...)
	slices.SortFunc(all, func(a, b onerow.KeyRows) int { return cmp.Compare(a.Rows[0], b.Rows[0]) })
	p.ties.Keys = all[:min(len(all), onerow.MaxSampleKeys)]
	p.ties.Total += e.Total
}
