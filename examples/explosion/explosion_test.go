package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/join"
)

var update = flag.Bool("update", false, "write the output to testdata/output.txt")

// runs is the output of a run that holds on to nothing.
func runs(t *testing.T, args ...string) (string, error) {
	t.Helper()
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer alloc.AssertSize(t, 0)
	var out, complaints bytes.Buffer
	err := run(context.Background(), args, &out, &complaints, alloc)
	return out.String(), err
}

func TestOutput(t *testing.T) {
	got, err := runs(t, shipped...)
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/output.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	wantLines, gotLines := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range max(len(wantLines), len(gotLines)) {
		w, g := slices.Concat(wantLines, []string{""})[min(i, len(wantLines))], slices.Concat(gotLines, []string{""})[min(i, len(gotLines))]
		if w != g {
			t.Fatalf("line %d (run with -update to accept):\nwant %s\ngot  %s", i+1, w, g)
		}
	}
}

// The formats say the same, alone and mixed.
func TestFormats(t *testing.T) {
	want, err := runs(t, shipped...)
	if err != nil {
		t.Fatal(err)
	}
	for _, left := range []string{"csv", "parquet"} {
		for _, right := range []string{"csv", "parquet"} {
			got, err := runs(t, "-left", "testdata/orders."+left, "-right", "testdata/customers."+right, "-on", "customer_id", "-time", "order_date")
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.ReplaceAll(got, ".parquet", ".csv"); got != want {
				t.Errorf("%s and %s say\n%s", left, right, got)
			}
		}
	}
}

// row is a row of a CSV file by column.
type row map[string]string

func readRows(t *testing.T, path string) (out []row) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range all[1:] {
		r := row{}
		for i, name := range all[0] {
			r[name] = cells[i]
		}
		out = append(out, r)
	}
	return out
}

// pairs joins for real: every row with every row. It returns the rows of the inner and the left join, and the most that one left row has.
func pairs(left, right []row, meet func(l, r row) bool) (inner, outer uint64, most int64) {
	for _, l := range left {
		var n int64
		for _, r := range right {
			if meet(l, r) {
				n++
			}
		}
		inner, outer, most = inner+uint64(n), outer+uint64(max(1, n)), max(most, n)
	}
	return inner, outer, most
}

// answerFiles joins two files on their first common column; the time is that of the left file that holds days.
func answerFiles(t *testing.T, alloc memory.Allocator, left, right string) *result {
	t.Helper()
	ctx := context.Background()
	var tables [2]*table
	for i, path := range []string{left, right} {
		var err error
		if tables[i], err = read(ctx, path, nil, alloc); err != nil {
			t.Fatal(err)
		}
		defer tables[i].release()
	}
	q := question{left: tables[0], right: tables[1]}
	for _, f := range tables[0].batches[0].Schema().Fields() {
		if slices.Contains(tables[1].columns(), f.Name) && len(q.on.Left) == 0 {
			q.on = join.On(f.Name)
		}
		if f.Type.ID() == arrow.DATE32 {
			q.time = f.Name
		}
	}
	a, err := answer(ctx, q, alloc)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestBruteForce compares each step with a join that is run, on rows that are chosen by loops over the cells of the files.
func TestBruteForce(t *testing.T) {
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer alloc.AssertSize(t, 0)
	a := answerFiles(t, alloc, "testdata/orders.csv", "testdata/customers.csv")
	orders, customers := readRows(t, "testdata/orders.csv"), readRows(t, "testdata/customers.csv")
	sameKey := func(l, r row) bool { return l["customer_id"] != "" && l["customer_id"] == r["customer_id"] }
	known := func(rows []row) []row {
		return slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r["customer_id"] == "" || r["customer_id"] == "-1" })
	}
	someOrders, someCustomers := known(orders), known(customers)
	seen := map[string]bool{}
	distinct := slices.DeleteFunc(slices.Clone(someCustomers), func(r row) bool {
		id := strings.Join([]string{r["customer_id"], r["name"], r["city"], r["segment"], r["valid_from"], r["valid_to"]}, "\x00")
		defer func() { seen[id] = true }()
		return seen[id]
	})
	during := func(l, r row) bool {
		return sameKey(l, r) && r["valid_from"] <= l["order_date"] && (r["valid_to"] == "" || l["order_date"] < r["valid_to"])
	}
	type counts struct {
		left, right  int
		inner, outer uint64
		most         int64
	}
	joined := func(left, right []row, meet func(l, r row) bool) counts {
		inner, outer, most := pairs(left, right, meet)
		return counts{len(left), len(right), inner, outer, most}
	}
	want := []counts{joined(orders, customers, sameKey), joined(someOrders, someCustomers, sameKey), joined(someOrders, distinct, sameKey),
		joined(someOrders, distinct, during)}
	one := counts{left: len(someOrders), right: len(distinct), outer: uint64(len(someOrders)), most: 1}
	for _, l := range someOrders {
		if inner, _, _ := pairs([]row{l}, distinct, during); inner == 1 {
			one.inner++
		}
	}
	want = append(want, one)
	if len(a.Steps) != len(want) {
		t.Fatalf("steps %v", a.Steps)
	}
	for i, s := range a.Steps {
		got := counts{int(s.LeftRows), int(s.RightRows), s.Inner.Big().Uint64(), s.LeftJoin.Big().Uint64(), s.Most}
		if got != want[i] {
			t.Errorf("%v: %+v, a join that was run makes %+v", s, got, want[i])
		}
	}

	// The parts of the growth are those of the join that was run.
	var sum float64
	for _, p := range chartsOf(a).Growth {
		sum += p.Extra
	}
	if extra := float64(want[0].outer) - float64(len(orders)); sum != extra {
		t.Errorf("the parts of the growth add up to %g rows of %g", sum, extra)
	}
}

// files writes CSV files and returns their paths.
func files(t *testing.T, texts ...string) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	for i, text := range texts {
		paths = append(paths, filepath.Join(dir, string(rune('a'+i))+".csv"))
		if err := os.WriteFile(paths[i], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

// Without a time, the latest version is what is left to join; other causes have their remedies too.
func TestRemedies(t *testing.T) {
	const orders = "id,line,day\n1,1,2026-03-01\n1,2,2026-03-01\n2,1,2026-03-01\n3,1,2026-03-01\n"
	for _, c := range []struct {
		name, right string
		args        []string
		want        []string
	}{
		{"versions without a time", "id,plan,from,to\n1,a,2026-01-01,2026-02-01\n1,b,2026-02-01,\n2,a,2026-01-01,\n", nil,
			[]string{"6 4 as it is", "4 1 keep the latest version of each key"}},
		{"retries", "id,plan,loaded\n1,a,2026-01-01 10:00\n1,a,2026-01-02 10:00\n2,a,2026-01-01 10:00\n", nil,
			[]string{"6 4 as it is", "4 1 keep the last load of each row"}},
		{"missing column", "id,line,text\n1,1,x\n1,2,y\n2,1,z\n2,2,x\n", nil,
			[]string{"7 3 as it is", "4 1 join by line too"}},
		{"copies", "id,plan\n1,a\n1,a\n2,b\n", nil,
			[]string{"6 4 as it is", "4 1 keep one of exact copies"}},
		{"NULLs that are equal", "id,plan\n,a\n,b\n2,b\n", []string{"-nulls-equal"},
			[]string{"4 1 as it is"}},
		{"nothing", "id,plan\n1,a\n2,b\n", nil, []string{"4 1 as it is"}},
		{"given columns of versions", "id,plan,from,to\n1,a,1,5\n1,b,5,\n2,a,1,\n", []string{"-valid-from", "from", "-valid-to", "to"},
			[]string{"6 4 as it is", "4 1 keep the latest version of each key"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			paths := files(t, orders, c.right)
			got, err := runs(t, append([]string{"-left", paths[0], "-right", paths[1], "-on", "id"}, c.args...)...)
			if err != nil {
				t.Fatal(err)
			}
			_, remedy, _ := strings.Cut(got, "REMEDY")
			for _, want := range c.want {
				fields := strings.SplitN(want, " ", 3)
				if !slices.ContainsFunc(strings.Split(remedy, "\n"), func(line string) bool {
					f := strings.Fields(line)
					return len(f) > 6 && f[3] == fields[0] && strings.Contains(line, fields[2])
				}) {
					t.Errorf("no step has a left join of %s rows for %q:\n%s", fields[0], fields[2], remedy)
				}
			}
			if n := strings.Count(remedy, "\n") - 5; n < len(c.want) {
				t.Errorf("%d steps", n)
			}
		})
	}
}

func TestMaxGrowth(t *testing.T) {
	for _, c := range []struct {
		factor string
		want   error
	}{{"41", nil}, {"40", onerow.ErrGrowth}, {"1.0", onerow.ErrGrowth}, {"0.5", onerow.ErrOption}} {
		out, err := runs(t, append(shipped, "-max-growth", c.factor)...)
		if !errors.Is(err, c.want) {
			t.Errorf("-max-growth %s: %v, want %v", c.factor, err, c.want)
		}
		if !strings.Contains(out, "REMEDY") {
			t.Errorf("-max-growth %s: the answer isn't printed", c.factor)
		}
	}
}

func TestErrors(t *testing.T) {
	paths := files(t, "id,zip\n1,01234\n2,5678\n", "id,zip,day\n1,1234,2026-01-01\n", "", "id,zip\n1,2\n3\n", "id,id\n1,2\n", "id\n\"1\n")
	torn := filepath.Join(t.TempDir(), "torn.parquet")
	whole, err := os.ReadFile("testdata/orders.parquet")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(torn, whole[:len(whole)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args, want string
	}{
		{"-left A -right B", "-left, -right and -on are needed"},
		{"-left A -right B -on id x", `unexpected argument "x"`},
		{"-left A -right B -on id,", `-on "id,": a column has no name`},
		{"-left A -right B -on id -valid-from day", "-valid-from and -valid-to go together"},
		{"-left A -right B -on nothing", `column "nothing": no such column in left (it has id, zip)`},
		{"-left A -right B -on id=day", "type"},
		{"-left A -right B -on zip", "a.csv: zip is text because of line 2: \"01234\"\n  write both in one type"},
		{"-left A -right B -on id -time when", `-time: column "when": no such column in left (it has id, zip)`},
		{"-left A -right B -on id -text zap", `-text: neither file has a column "zap"`},
		{"-left A -right B -on id -valid-from from -valid-to day", `column "from": no such column`},
		{"-left A -right C -on id", "c.csv: the file is empty: there is no header"},
		{"-left A -right D -on id", "d.csv: line 3: 1 cells, and the header has 2"},
		{"-left A -right E -on id", `e.csv: line 1: two columns are named "id"`},
		{"-left A -right F -on id", "f.csv: parse error on line 2"},
		{"-left A -right none.csv -on id", "none.csv: open none.csv: no such file"},
		{"-left A -right x.xlsx -on id", "x.xlsx: the name ends neither in .csv, .csv.gz nor .parquet"},
		{"-left A -right torn.parquet -on id", "torn.parquet: "},
	} {
		args := strings.Fields(c.args)
		for i, arg := range args {
			if len(arg) == 1 && arg[0] >= 'A' && arg[0] <= 'F' {
				args[i] = paths[arg[0]-'A']
			}
			if arg == "torn.parquet" {
				args[i] = torn
			}
		}
		if _, err := runs(t, args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.args, err, c.want)
		}
	}
	// As text, the two go together.
	if _, err := runs(t, "-left", paths[0], "-right", paths[1], "-on", "zip", "-text", "zip"); err != nil {
		t.Error(err)
	}
}

// What can't be worked out is said, and the rest is.
func TestOpen(t *testing.T) {
	left := "id,at\n1,2026-01-05T10:00\n1,2026-01-06\n"
	for _, c := range []struct{ right, want string }{
		{"id,v,from,to\n1,a,2026-01-01,2026-01-06\n1,b,2026-01-06,\n", "open: versions isn't worked out: "},
		{"id,v\n1,a\n1,a\n", "open: nothing is joined by at: b.csv has no versions"},
		{"id,v,w\n1,a,1\n1,b,2\n2,a,1\n2,b,1\n", "open: missing_column (2 keys): a.csv has no column v"},
		{"id,v\n1,a\n1,b\n", "open: conflict (1 key): Find out which row holds"},
	} {
		paths := files(t, left, c.right)
		got, err := runs(t, "-left", paths[0], "-right", paths[1], "-on", "id", "-time", "at")
		if err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%v, no %q in\n%s", err, c.want, got)
		}
	}
}

// Keys of one right row make many rows, but no growth: they don't hide those that do.
func TestGrowthOfFewRows(t *testing.T) {
	left, right := "id\n99\n", "id,v\n99,a\n99,b\n99,c\n"
	for i := range 30 {
		left += strings.Repeat(strconv.Itoa(i)+"\n", 50)
		right += strconv.Itoa(i) + ",x\n"
	}
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer alloc.AssertSize(t, 0)
	paths := files(t, left, right)
	c := chartsOf(answerFiles(t, alloc, paths[0], paths[1]))
	if want := []part{{"99", 2, 1, "key"}}; !slices.Equal(c.Growth, want) {
		t.Errorf("growth %v, want %v", c.Growth, want)
	}
	if want := []fan{{"99", 1, 3, 3, false}}; !slices.Equal(c.FanOut, want) {
		t.Errorf("fan-out %v, want %v", c.FanOut, want)
	}
}

// Files without rows, or without values in the key, are files like others.
func TestEmptyFiles(t *testing.T) {
	paths := files(t, "id,v\n", "id,w\n1,a\n1,b\n", "id,w\n,a\n,b\n")
	for _, c := range []struct{ left, right, want string }{
		{paths[0], paths[1], "a left join makes 0 rows of 0, 1 times as many"},
		{paths[1], paths[0], "a left join makes 2 rows of 2, 1 times as many"},
		{paths[0], paths[0], "a left join makes 0 rows of 0, 1 times as many"},
		{paths[1], paths[2], "a left join makes 2 rows of 2, 1 times as many"},
		{paths[2], paths[2], "a left join makes 2 rows of 2, 1 times as many"},
	} {
		page := filepath.Join(t.TempDir(), "page.html")
		got, err := runs(t, "-left", c.left, "-right", c.right, "-on", "id", "-html", page)
		if err != nil {
			t.Error(err)
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("no %q in\n%s", c.want, got)
		}
	}
}
