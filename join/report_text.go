package join

import (
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/tally"
)

// String is the size as text: the relationship, the rows of each kind of join, both sides, and a table of the worst keys. Lines that are rarely
// used are left out when they are 0, long values are cut. It ends without a newline.
func (s *Size) String() string {
	parts := []string{s.verdict(), s.rowsTable(), "", s.sidesTable()}
	if len(s.Worst) > 0 {
		parts = append(parts, "", s.keysTable(s.Worst))
	}
	if len(s.Placeholders.Keys) > 0 {
		parts = append(parts, "", s.placeholderText())
	}
	return strings.Join(parts, "\n")
}

// LogValue makes the size a group: the key, the verdicts and the counts, under their JSON names. The keys aren't logged: they are data.
func (s *Size) LogValue() slog.Value {
	relationship, _ := s.Relationship.MarshalText()
	attrs := []slog.Attr{slog.String("on", s.On.String()), slog.String("relationship", string(relationship))}
	var rows []any
	for _, r := range s.Rows.list() {
		rows = append(rows, r.count.attr(r.key))
	}
	attrs = append(attrs, slog.Group("rows", rows...), slog.Int64("matched_keys", s.MatchedKeys))
	for i, name := range sideNames {
		attrs = append(attrs, slog.Group(name, s.side(i).attrs()...))
	}
	if p := s.Placeholders; p.Left > 0 || p.Right > 0 {
		attrs = append(attrs, slog.Group("placeholders", slog.Int64("left", p.Left), slog.Int64("right", p.Right), p.Inner.attr("inner")))
	}
	return slog.GroupValue(attrs...)
}

func (d *Side) attrs() []any {
	counts := tally.Counts{{Key: "rows", N: d.Rows}, {Key: "keys", N: d.Keys}, {Key: "null_rows", N: d.NullRows, Rare: true},
		{Key: "unmatched_rows", N: d.UnmatchedRows}, {Key: "max_fan_out", N: d.MaxFanOut}}
	out := []any{slog.Bool("unique", d.Unique)}
	for _, a := range counts.Attrs() {
		out = append(out, a)
	}
	return out
}

// attr is the count as a number where it fits one, else as text.
func (c Count) attr(key string) slog.Attr {
	if c.hi == 0 && c.lo <= math.MaxInt64 {
		return slog.Int64(key, int64(c.lo))
	}
	return slog.String(key, c.String())
}

func (s *Size) verdict() string {
	if s.Relationship == None {
		return fmt.Sprintf("no row matches on %v", s.On)
	}
	return fmt.Sprintf("%v on %v", s.Relationship, s.On)
}

// namedCount is one of the sizes.
type namedCount struct {
	key, label string
	count      Count
}

func (r *Sizes) list() []namedCount {
	return []namedCount{
		{"inner", "inner join", r.Inner}, {"left", "left join", r.Left}, {"right", "right join", r.Right}, {"full", "full join", r.Full},
		{"left_semi", "left semi join", r.LeftSemi}, {"left_anti", "left anti join", r.LeftAnti},
		{"right_semi", "right semi join", r.RightSemi}, {"right_anti", "right anti join", r.RightAnti},
	}
}

func (s *Size) rowsTable() string {
	var table [][]string
	for _, r := range s.Rows.list() {
		table = append(table, []string{r.label, r.count.String()})
	}
	return tally.Table(table, 1)
}

func (s *Size) sidesTable() string {
	l, r := &s.Left, &s.Right
	table := [][]string{{"", "left", "right"}}
	add := func(label string, rare bool, left, right string) {
		if !rare || left != "0" || right != "0" {
			table = append(table, []string{label, left, right})
		}
	}
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	withShare := func(n int64, part float64) string {
		if n == 0 {
			return "0"
		}
		return number(n) + " (" + percent(part) + ")"
	}
	add("rows", false, number(l.Rows), number(r.Rows))
	add("keys", false, number(l.Keys), number(r.Keys))
	add("unique", false, yes(l.Unique), yes(r.Unique))
	add("rows with NULL in key", true, withShare(l.NullRows, l.NullShare), withShare(r.NullRows, r.NullShare))
	add("rows of placeholders", true, withShare(s.Placeholders.Left, l.PlaceholderShare), withShare(s.Placeholders.Right, r.PlaceholderShare))
	add("rows without a match", false, withShare(l.UnmatchedRows, share(float64(l.UnmatchedRows), float64(l.Rows))),
		withShare(r.UnmatchedRows, share(float64(r.UnmatchedRows), float64(r.Rows))))
	add("rows met by a matched row, mean", true, decimal(l.FanOut), decimal(r.FanOut))
	add("rows met by a matched row, most", true, number(l.MaxFanOut), number(r.MaxFanOut))
	add("matched keys that repeat", true, number(l.RepeatedKeys), number(r.RepeatedKeys))
	return tally.Table(table, 1, 2)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// percent writes a share, small ones not as 0.
func percent(part float64) string {
	p := 100 * part
	if p > 0 && p < 0.1 {
		return "< 0.1 %"
	}
	if p < 100 && p > 99.9 {
		return "> 99.9 %"
	}
	return decimal(p) + " %"
}

// decimal writes at most two digits behind the point.
func decimal(f float64) string {
	text := strings.TrimRight(strconv.FormatFloat(f, 'f', 2, 64), "0")
	return strings.TrimSuffix(text, ".")
}

// keysTable has a line for each key: its rows on both sides, what they make, its values, and its first rows.
func (s *Size) keysTable(keys []KeySize) string {
	head := []string{"left", "right", "rows", "share"}
	for i, name := range s.On.Left {
		if name != s.On.Right[i] {
			name += " = " + s.On.Right[i]
		}
		head = append(head, tally.Name(name))
	}
	table := [][]string{append(head, "left rows", "right rows")}
	for _, m := range keys {
		line := []string{strconv.FormatInt(m.Left, 10), strconv.FormatInt(m.Right, 10), m.Inner.String(), percent(m.Share)}
		for _, v := range m.Values {
			line = append(line, tally.Cut(v))
		}
		table = append(table, append(line, tally.Rows(m.LeftRows, m.Left), tally.Rows(m.RightRows, m.Right)))
	}
	return tally.Table(table, 0, 1, 2, 3)
}

// placeholderText names the placeholders with the most rows.
func (s *Size) placeholderText() string {
	const most = 5
	p := &s.Placeholders
	var list []string
	for _, m := range p.Keys[:min(len(p.Keys), most)] {
		list = append(list, onerow.FormatKey(s.On.Left, m.Values))
	}
	if more := len(p.Keys) - most; more > 0 {
		list = append(list, fmt.Sprintf("… (%d more)", more))
	}
	return fmt.Sprintf("placeholders make %v rows (%s): %s", p.Inner, percent(share(p.Inner.Float64(), s.Rows.Inner.Float64())), strings.Join(list, "; "))
}
