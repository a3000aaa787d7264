package scd2_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/onerowtest"
	"github.com/onerow-go/onerow/scd2"
)

// exampleT stands in for the *testing.T that onerowtest makes tables for.
type exampleT struct{ cleanups []func() }

func (t *exampleT) Helper()                           {}
func (t *exampleT) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (t *exampleT) Fatalf(format string, args ...any) { log.Fatalf(format, args...) }
func (t *exampleT) Cleanup(f func())                  { t.cleanups = append(t.cleanups, f) }

func (t *exampleT) end() {
	for i := len(t.cleanups) - 1; i >= 0; i-- {
		t.cleanups[i]()
	}
}

// customerHistory is the history of the examples.
const customerHistory = `
	id:int64  city:string  valid_from:date32  valid_to:date32
	1         Rome         2026-01-01         2026-03-01
	1         Oslo         2026-03-01         -
	2         Lima         2026-01-01         -`

// byDay is how the changes of the examples are ordered.
var byDay = scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("day")}, Op: scd2.Op{Column: "op", Delete: []onerow.Value{"d"}}}

func planned(t *exampleT, history, changes string, opts scd2.Options) *scd2.Merge {
	m, err := scd2.Plan(context.Background(), scd2.Table{Batches: onerowtest.Records(t, history), Key: []string{"id"}},
		onerowtest.Records(t, changes), opts)
	if err != nil {
		log.Fatal(err)
	}
	return m
}

// A late event splits the version it falls in, a delete ends one, and an event that says nothing new makes none.
func ExamplePlan() {
	t := &exampleT{}
	defer t.end()
	history := scd2.Table{Batches: onerowtest.Records(t, customerHistory), Key: []string{"id"}}
	changes := onerowtest.Records(t, `
		id:int64  day:date32  op:string  city:string
		1         2026-02-01  u          Kyiv
		2         2026-04-01  d          -
		1         2026-04-01  u          Oslo
		3         2026-04-01  u          Bonn`)

	m, err := scd2.Plan(context.Background(), history, changes, scd2.Options{
		Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("day")}, Op: scd2.Op{Column: "op", Delete: []onerow.Value{"d"}}})
	if err != nil {
		log.Fatal(err)
	}
	next, err := m.Apply(context.Background(), nil, history.Batches)
	if err != nil {
		log.Fatal(err)
	}
	onerowtest.Release(t, next...)
	fmt.Print(onerowtest.Text(next))
	// Output:
	// id:int64  city:string  valid_from:date32  valid_to:date32
	// 1         Rome         2026-01-01         2026-02-01
	// 1         Oslo         2026-03-01         -
	// 2         Lima         2026-01-01         2026-04-01
	// 1         Kyiv         2026-02-01         2026-03-01
	// 3         Bonn         2026-04-01         -
}

// In a snapshot, absence says something; how many versions it may close has to be said.
func ExamplePlan_snapshot() {
	t := &exampleT{}
	defer t.end()
	snapshot := onerowtest.Records(t, "id:int64 city:string\n 1 Bern")
	opts := scd2.Options{Mode: scd2.Snapshot, Now: "2026-05-01", Absent: scd2.AbsentCloses}
	history := scd2.Table{Batches: onerowtest.Records(t, customerHistory), Key: []string{"id"}}

	_, err := scd2.Plan(context.Background(), history, snapshot, opts)
	fmt.Println(errors.Is(err, onerow.ErrTooManyClosed), err)

	opts.MaxClose = 0.5
	m, err := scd2.Plan(context.Background(), history, snapshot, opts)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range m.Closes {
		fmt.Println("close row", c.Row, c.Reason)
	}
	for _, in := range m.Inserts {
		fmt.Println("insert row", in.Row, "of", in.From, in.Reason)
	}
	// Output:
	// true too many versions closed: 1 of 2 open versions are absent from the snapshot, and Options.MaxClose allows a share of 0
	// close row 1 changed
	// close row 2 was_absent
	// insert row 0 of changes changed
}

// The report counts the events, and the rows of the history.
func ExampleReport() {
	t := &exampleT{}
	defer t.end()
	m := planned(t, customerHistory, "id:int64 day:date32 op:string city:string\n 1 2026-02-01 u Kyiv\n 2 2026-04-01 u Lima", byDay)
	fmt.Println(m.Report)
	// Output:
	// events                                       2
	//   applied                                    1
	//     late                                     1
	//       without a state to know what followed  1
	//   unchanged                                  1
	// rows of the history                          3
	//   open                                       2
	// inserted                                     1
	// closed                                       0
	// rewritten                                    1
	// removed                                      0
	// keys touched                                 2
	// rows of the state                            1
}

func ExampleMerge_Empty() {
	t := &exampleT{}
	defer t.end()
	said := "id:int64 day:date32 op:string city:string\n 1 2026-03-01 u Oslo"
	fmt.Println(planned(t, customerHistory, said, byDay).Empty())

	byDay := byDay
	byDay.RequireChange = true
	_, err := scd2.Plan(context.Background(), scd2.Table{Batches: onerowtest.Records(t, customerHistory), Key: []string{"id"}}, onerowtest.Records(t, said), byDay)
	fmt.Println(err)
	// Output:
	// true
	// nothing changed: the plan is empty; events: 1
}

// A plan is applied to the history that it was made for, and no other.
func ExampleMerge_Apply() {
	t := &exampleT{}
	defer t.end()
	m := planned(t, customerHistory, "id:int64 day:date32 op:string city:string\n 2 2026-04-01 u Bonn", byDay)

	next, err := m.Apply(context.Background(), nil, onerowtest.Records(t, customerHistory)) // read again: the same rows
	if err != nil {
		log.Fatal(err)
	}
	onerowtest.Release(t, next...)
	fmt.Print(onerowtest.Text(next))

	_, err = m.Apply(context.Background(), nil, next) // somebody else has been there
	fmt.Println(errors.Is(err, onerow.ErrStaleBase))
	// Output:
	// id:int64  city:string  valid_from:date32  valid_to:date32
	// 1         Rome         2026-01-01         2026-03-01
	// 1         Oslo         2026-03-01         -
	// 2         Lima         2026-01-01         2026-04-01
	// ---
	// 2         Bonn         2026-04-01         -
	// true
}

// The staged rows say what to do, and which row of the target to do it to.
func ExampleMerge_Staged() {
	t := &exampleT{}
	defer t.end()
	m := planned(t, customerHistory, "id:int64 day:date32 op:string city:string\n 2 2026-04-01 u Bonn", byDay)
	staged, err := m.Staged(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	onerowtest.Release(t, staged)
	fmt.Print(onerowtest.Text([]arrow.Record{staged}))
	// Output:
	// onerow_action:string!  onerow_merge_id:int64  onerow_merge_valid_from:date32  id:int64  city:string  valid_from:date32  valid_to:date32
	// close                  2                      2026-01-01                      2         Lima         2026-01-01         2026-04-01
	// insert                 -                      -                               2         Bonn         2026-04-01         -
}

func ExampleMerge_Target() {
	t := &exampleT{}
	defer t.end()
	m := planned(t, customerHistory, "id:int64 day:date32 op:string city:string\n 2 2026-04-01 u Bonn", byDay)
	fmt.Printf("%+v\n", m.Target("prod", "customers"))
	// Output: {Name:[prod customers] Key:[id] ValidFrom:valid_from Columns:[id city valid_from valid_to] NullKeys:false}
}

// A city that was said again at the end of April isn't shown by the history. The state knows of it, so that a late event doesn't last too long.
func ExampleMerge_State() {
	t := &exampleT{}
	defer t.end()
	history := scd2.Table{Batches: onerowtest.Records(t, customerHistory), Key: []string{"id"}}
	opts := byDay
	for _, changes := range []string{"id:int64 day:date32 op:string city:string\n 2 2026-04-30 u Lima", "id:int64 day:date32 op:string city:string\n 2 2026-04-01 u Bonn"} {
		m, err := scd2.Plan(context.Background(), history, onerowtest.Records(t, changes), opts)
		if err != nil {
			log.Fatal(err)
		}
		state, err := m.State(context.Background(), nil)
		if err != nil {
			log.Fatal(err)
		}
		next, err := m.Apply(context.Background(), nil, history.Batches)
		if err != nil {
			log.Fatal(err)
		}
		onerowtest.Release(t, append(next, state)...)
		history.Batches, opts.State = next, []arrow.Record{state}
		fmt.Print(onerowtest.Text(opts.State), "\n")
	}
	fmt.Print(onerowtest.Text(history.Batches))
	// Output:
	// onerow_kind:string!  onerow_at:date32!  onerow_ordered:bool!  id:int64  city:string
	// upsert               2026-04-30         true                  2         Lima
	//
	// onerow_kind:string!  onerow_at:date32!  onerow_ordered:bool!  id:int64  city:string
	//
	// id:int64  city:string  valid_from:date32  valid_to:date32
	// 1         Rome         2026-01-01         2026-03-01
	// 1         Oslo         2026-03-01         -
	// 2         Lima         2026-01-01         2026-04-01
	// 2         Bonn         2026-04-01         2026-04-30
	// 2         Lima         2026-04-30         -
}

// Nothing from before May comes any more: what the state knows of that time can go.
func ExampleCompact() {
	t := &exampleT{}
	defer t.end()
	m := planned(t, customerHistory, "id:int64 day:date32 op:string city:string\n 2 2026-04-30 u Lima\n 2 2026-05-30 u Lima", byDay)
	state, err := m.State(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	onerowtest.Release(t, state)
	small, err := scd2.Compact(context.Background(), nil, []arrow.Record{state}, "2026-05-01")
	if err != nil {
		log.Fatal(err)
	}
	onerowtest.Release(t, small)
	fmt.Print(onerowtest.Text([]arrow.Record{small}))

	opts := byDay
	opts.State = []arrow.Record{small}
	fmt.Println(planned(t, customerHistory, "id:int64 day:date32 op:string city:string\n 2 2026-04-01 u Bonn", opts).Rejected)
	// Output:
	// onerow_kind:string!  onerow_at:date32!  onerow_ordered:bool!  id:int64  city:string
	// upsert               2026-05-30         true                  2         Lima
	// watermark            2026-05-01         true                  -         -
	// [{0 below_watermark}]
}

// One line to log after each merge.
func ExampleMerge_Audit() {
	t := &exampleT{}
	defer t.end()
	opts := byDay
	opts.Base = "snapshot 8731"
	m := planned(t, customerHistory, "id:int64 day:date32 op:string city:string\n 2 2026-04-01 u Bonn", opts)
	audit, err := m.Audit(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	audit.Report = scd2.Report{} // as ExampleReport has it
	line, _ := json.Marshal(audit)
	before, _, _ := strings.Cut(string(line), `,"report"`)
	fmt.Println(before)
	// Output: {"base":"snapshot 8731","fingerprint":"09c7a2c0be7cddebf1c313794c803750","mode":"changes","key":["id"],"from":"day","at":["day"],"tracked":["city"]
}

// The fingerprint tells whether somebody else has written in between. The order of the rows doesn't matter.
func ExampleMerge_Fingerprint() {
	t := &exampleT{}
	defer t.end()
	of := func(history string) string {
		f, err := planned(t, history, "id:int64 day:date32 op:string city:string", byDay).Fingerprint(context.Background())
		if err != nil {
			log.Fatal(err)
		}
		return f
	}
	head := "id:int64 city:string valid_from:date32 valid_to:date32\n"
	fmt.Println(of(head+"1 Rome 2026-01-01 -\n2 Lima 2026-01-01 -") == of(head+"2 Lima 2026-01-01 -\n---\n1 Rome 2026-01-01 -"))
	fmt.Println(of(head+"1 Rome 2026-01-01 -") == of(head+"1 Oslo 2026-01-01 -"))
	// Output:
	// true
	// false
}
