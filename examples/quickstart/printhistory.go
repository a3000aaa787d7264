package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/onerow-go/onerow/scd2"
)

func (p *printer) history(steps []step, open int) {
	p.heading("What scd2.Plan does: the history, poll by poll")
	p.printf("One poll waits for a retry until two newer ones are through, and the last one comes twice.\n\n")
	var rows [][]string
	var late scd2.Report
	for _, s := range steps {
		r := s.plan
		if r.Late > late.Late {
			late = r
		}
		rows = append(rows, []string{count(s.poll), count(r.Events), count(r.Late), count(r.Insert), count(r.Close), count(r.Rewrite), count(r.Remove),
			count(s.versions), count(s.broken), count(r.Remembered)})
	}
	p.table([]string{"poll", "rows", "late", "insert", "close", "rewrite", "remove", "versions", "broken keys", "rows of state"}, rows)
	p.printf("\nThe poll again changes nothing. The open versions are the %s rows that dedupe.Latest keeps, value by value.\n", count(open))
	p.printf("Outside the late poll, a rewrite notes the total_order of an update that says nothing new.\n")
	p.printf("The plan of the late poll:\n\n%s\n", indent(late.String()))
}

func (p *printer) naiveHistory(proof *scd2.CheckReport) {
	p.heading("What \"close, then append\" would do")
	p.printf("An UPDATE closes the open versions of the keys in the poll, if they are older; an INSERT appends the rows of\n")
	p.printf("the poll. What scd2.Check says of that:\n\n")
	_, counts, _ := strings.Cut(proof.String(), "\n")
	p.printf("%s\n", indent(counts))
}

// pictures draws the versions of one key in both histories on one axis.
func (p *printer) pictures(k customerKey, a axis, right, naive *picture) {
	p.heading(fmt.Sprintf("The versions of one key: tenant_id %q, customer_id %d", k.TenantID, k.CustomerID))
	p.picture(right, a)
	p.printf("\nThe same by \"close, then append\":\n\n")
	p.picture(naive, a)
	p.printf("\nA bar is the time in which a version is valid; a stroke is less than a character of it, an arrow an open end.\n")
	p.printf("Below is how many versions are valid at once; where there is none, the row was gone. Time is the position in\n")
	p.printf("the log: the snapshot is from 0 on, and the axis goes from the first change to the last. Versions that look\n")
	p.printf("alike differ in other columns.\n")
}

func (p *printer) picture(pic *picture, a axis) {
	var rows [][]string
	for i, s := range pic.spans {
		row := []string{strconv.Itoa(i)}
		for _, name := range []string{"segment", "credit", "loyalty_tier"} {
			row = append(row, value(cell(pic.versions, name, i)))
		}
		row = append(row, strconv.FormatInt(s.from, 10), fmt.Sprintf("%9s", value(cell(pic.versions, "valid_to", i))), a.bar(s))
		rows = append(rows, row)
	}
	rows = append(rows, []string{"", "", "", "", "", "", a.count(pic.spans)})
	p.table([]string{"row", "segment", "credit", "tier", "valid_from", " valid_to", a.scale()}, rows)
	if len(pic.proof.Findings) == 0 {
		p.printf("\nscd2.Check finds nothing.\n")
		return
	}
	p.printf("\nscd2.Check:\n")
	for _, f := range pic.proof.Findings {
		p.printf("  %v: %v\n", f.Kind, f)
	}
}
