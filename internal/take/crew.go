package take

import "sync"

// crew is the goroutines of one call. Each gathers columns of its own as long as there are any that nobody has begun; then it helps with the
// parts of the columns that are in work, so that all end together whatever their columns cost.
type crew struct {
	mu sync.Mutex
	// changed is signaled when a job comes, when the last part of one is done, and when no column is in work any more.
	changed sync.Cond
	// jobs are those that have parts which nobody has begun.
	jobs []*job
	// busy is the number of columns in work.
	busy int
}

// job is one pass over the parts of a column's rows. The lock of the crew guards what changes.
type job struct {
	owner *gather
	picks *picks
	do    func(g *gather, part int, segs []segment) error

	next, parts, running int
	// err is the error of the first part that has one, failed. No part before it is left undone, so that it doesn't depend on the number of
	// goroutines.
	err    error
	failed int
}

func newCrew() *crew {
	c := &crew{}
	c.changed.L = &c.mu
	return c
}

// each calls do for the segments of each part of the picks, for several parts at once if the call has goroutines to spare. What do writes is
// of its part alone; g is not shared, and serves its ticks.
func (g *gather) each(p *picks, do func(g *gather, part int, segs []segment) error) error {
	n := p.parts()
	if g.crew == nil || n < 2 {
		for part := range n {
			if err := do(g, part, p.part(part)); err != nil {
				return err
			}
		}
		return nil
	}
	return g.crew.share(&job{owner: g, picks: p, do: do, parts: n})
}

// share works on a job, with whoever comes to help, until it is done.
func (c *crew) share(j *job) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.jobs = append(c.jobs, j)
	c.changed.Broadcast()
	for j.next < j.parts {
		c.step(j, j.owner)
	}
	for j.running > 0 {
		c.changed.Wait()
	}
	return j.err
}

// help works on the jobs of others until no column is in work.
func (c *crew) help() {
	c.mu.Lock()
	defer c.mu.Unlock()
	g := &gather{}
	for c.busy > 0 {
		if len(c.jobs) == 0 {
			c.changed.Wait()
			continue
		}
		j := c.jobs[0]
		g.ctx, g.typ = j.owner.ctx, j.owner.typ
		c.step(j, g)
	}
}

// step does the next part of a job, without the lock that it is called with.
func (c *crew) step(j *job, g *gather) {
	part := j.next
	if j.next++; j.next == j.parts {
		c.close(j)
	}
	j.running++
	c.mu.Unlock()
	err := j.part(g, part)
	c.mu.Lock()
	if err != nil && (j.err == nil || part < j.failed) {
		j.err, j.failed = err, part
		if j.next < j.parts {
			j.next = j.parts
			c.close(j)
		}
	}
	if j.running--; j.running == 0 && j.next == j.parts {
		c.changed.Broadcast()
	}
}

// part does one part. A panic is the column's error, whoever's goroutine it is on.
func (j *job) part(g *gather, part int) (err error) {
	defer broken(g.typ, &err)
	if err := g.ctx.Err(); err != nil {
		return err
	}
	return j.do(g, part, j.picks.part(part))
}

// close takes a job out of those that have parts to begin.
func (c *crew) close(j *job) {
	for i, o := range c.jobs {
		if o == j {
			c.jobs = append(c.jobs[:i], c.jobs[i+1:]...)
			return
		}
	}
}

// begin notes that a column is in work.
func (c *crew) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy++
}

// end notes that a column is in work no more.
func (c *crew) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy--; c.busy == 0 {
		c.changed.Broadcast()
	}
}
