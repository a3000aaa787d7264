package grain

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/tally"
)

// Tolerance says by how much figures may change. The zero value allows no change.
type Tolerance struct {
	// Growth and Loss are shares of what was before: 0.1 allows a growth or loss of a tenth, itself included. Growth may be math.Inf(1), which allows any,
	// and figures that weren't there before; Loss of 1 or more allows figures to be gone. A figure that was 0 grows, or shrinks, beyond any
	// share. Default 0: none.
	Growth float64
	Loss   float64

	// Figures has the tolerances of single figures by name: rows, keys, duplicate_rows, null_key_rows, nulls(COLUMN), sum(COLUMN). Default none.
	Figures map[string]Share
}

// Share is the tolerance of one figure: see [Tolerance].
type Share struct {
	Growth float64
	Loss   float64
}

// Figure is one number of two profiles.
type Figure struct {
	// Name is rows, keys, duplicate_rows, null_key_rows, nulls(COLUMN), sum(COLUMN) or key.
	Name string `json:"name"`
	// Before and After are the figure as text; "" where there is none.
	Before string `json:"before"`
	After  string `json:"after"`
	// Change is the change as a share of what was before, rounded for reading: "+12.5%", "-3%", "new", "gone"; "" if there is none.
	Change string `json:"change,omitempty"`
	// Refused says that it changed by more than is allowed.
	Refused bool `json:"refused,omitempty"`
}

// Comparison is two profiles side by side.
type Comparison struct {
	// Figures are all figures, in the order of the names above, and columns in the order of the table before, then new ones.
	Figures []Figure `json:"figures"`
}

// Compare compares two profiles of a table, and refuses figures that grew or shrank by more than the tolerance allows. It is made for a gate between the
// runs of a job, and between a table and its copy, with no tolerance.
//
// Shares are compared as the decimal numbers that they are written as: of 100 rows, a loss of 0.3 allows 30. Sums that aren't numbers (NaN, an infinity) are
// refused unless they are the same. Profiles of different keys, or under another rule for NULL in the key, are refused by a figure named key; the types
// of columns aren't compared. Columns that share a name are compared in the order of the table.
//
// A refusal is no error of Compare: see [Comparison.Err]. Errors wrap [onerow.ErrOption]: a profile is nil, a share is negative or no number, or Figures
// names a figure that neither profile has.
func Compare(before, after *TableProfile, tolerance Tolerance) (*Comparison, error) {
	if before == nil || after == nil {
		return nil, fmt.Errorf("%w: a profile is nil", onerow.ErrOption)
	}
	c := &Comparison{}
	if !slices.Equal(before.Key, after.Key) {
		c.Figures = append(c.Figures, Figure{Name: "key", Before: columnList(before.Key), After: columnList(after.Key), Change: "other columns", Refused: true})
	} else if before.NullsEqual != after.NullsEqual {
		c.Figures = append(c.Figures, Figure{Name: "key", Before: before.nullRule(), After: after.nullRule(), Change: "other keys", Refused: true})
	}
	c.join(before.figures(), after.figures())
	if err := tolerance.check(c); err != nil {
		return nil, err
	}
	for i := range c.Figures {
		if f := &c.Figures[i]; f.Name != "key" {
			f.judge(tolerance.of(f.Name))
		}
	}
	return c, nil
}

// join puts figures of one name side by side: those of several columns that share a name in the order of the table.
func (c *Comparison) join(before, after []namedValue) {
	now := map[string][]string{}
	for _, f := range after {
		now[f.name] = append(now[f.name], f.value)
	}
	known := map[string]int{}
	for _, f := range before {
		figure := Figure{Name: f.name, Before: f.value}
		if n := known[f.name]; n < len(now[f.name]) {
			figure.After = now[f.name][n]
		}
		known[f.name]++
		c.Figures = append(c.Figures, figure)
	}
	for _, f := range after {
		if known[f.name]--; known[f.name] < 0 {
			c.Figures = append(c.Figures, Figure{Name: f.name, After: f.value})
		}
	}
}

// nullRule says what NULL is in the key.
func (p *TableProfile) nullRule() string {
	if p.NullsEqual {
		return "NULL equals NULL"
	}
	return "NULL equals nothing"
}

type namedValue struct{ name, value string }

func (p *TableProfile) figures() []namedValue {
	count := func(name string, n int64) namedValue { return namedValue{name, strconv.FormatInt(n, 10)} }
	out := []namedValue{count("rows", p.Rows)}
	if len(p.Key) > 0 {
		out = append(out, count("keys", p.Keys), count("duplicate_rows", p.DuplicateRows), count("null_key_rows", p.NullKeyRows))
	}
	for _, c := range p.Columns {
		out = append(out, count("nulls("+c.Name+")", c.Nulls))
	}
	for _, s := range p.Sums {
		out = append(out, namedValue{"sum(" + s.Column + ")", s.Sum})
	}
	return out
}

func (t Tolerance) of(name string) Share {
	if s, ok := t.Figures[name]; ok {
		return s
	}
	return Share{Growth: t.Growth, Loss: t.Loss}
}

func (t Tolerance) check(c *Comparison) error {
	var errs []error
	share := func(where string, s Share) {
		if !(s.Growth >= 0) || !(s.Loss >= 0) {
			errs = append(errs, fmt.Errorf("%w: tolerance%s: growth %v, loss %v", onerow.ErrOption, where, s.Growth, s.Loss))
		}
	}
	share("", Share{t.Growth, t.Loss})
	var names []string
	for name := range t.Figures {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		share(" of "+name, t.Figures[name])
		if !slices.ContainsFunc(c.Figures, func(f Figure) bool { return f.Name == name }) {
			errs = append(errs, fmt.Errorf("%w: tolerance of %s: neither profile has this figure", onerow.ErrOption, name))
		}
	}
	return errors.Join(errs...)
}

// judge says what changed, and whether that is allowed.
func (f *Figure) judge(allowed Share) {
	if f.Before == f.After {
		return
	}
	before, ok1 := new(big.Rat).SetString(f.Before)
	after, ok2 := new(big.Rat).SetString(f.After)
	switch {
	case f.Before == "":
		f.Change, f.Refused = "new", !math.IsInf(allowed.Growth, 1)
		return
	case f.After == "":
		f.Change, f.Refused = "gone", allowed.Loss < 1
		return
	case !ok1 || !ok2:
		f.Change, f.Refused = "no number", true
		return
	}
	change := after.Sub(after, before)
	sign, share := change.Sign(), allowed.Growth
	if sign == 0 { // 1.5 and 1.50
		return
	}
	mark := "+"
	if sign < 0 {
		mark, share = "-", allowed.Loss
	}
	change.Abs(change)
	if before.Sign() == 0 {
		f.Change, f.Refused = mark+"∞", !math.IsInf(share, 1)
		return
	}
	change.Quo(change, before.Abs(before))
	percent, _ := new(big.Rat).Mul(change, big.NewRat(100, 1)).Float64()
	f.Change = mark + strconv.FormatFloat(percent, 'g', 3, 64) + "%"
	if !math.IsInf(share, 1) {
		f.Refused = change.Cmp(decimal(share)) > 0
	}
}

// decimal is a share as the decimal number that it is written as: 0.29 is 29 of 100, while the float64 is a little less.
func decimal(share float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(share, 'g', -1, 64))
	return r
}

// shareOf is the whole part of a share of some rows.
func shareOf(rows int64, share float64) int64 {
	r := decimal(share)
	r.Mul(r, new(big.Rat).SetInt64(rows))
	return new(big.Int).Quo(r.Num(), r.Denom()).Int64()
}

// Err is nil when no figure is refused, else an error that wraps [onerow.ErrCompare] and names each with both values.
func (c *Comparison) Err() error {
	var list []string
	for _, f := range c.Figures {
		if f.Refused {
			list = append(list, fmt.Sprintf("%s was %s, is %s (%s)", f.Name, orNone(f.Before), orNone(f.After), f.Change))
		}
	}
	if list == nil {
		return nil
	}
	return fmt.Errorf("%w: %s", onerow.ErrCompare, strings.Join(list, "; "))
}

func orNone(value string) string {
	if value == "" {
		return "none"
	}
	return value
}

// refused counts the figures that are refused.
func (c *Comparison) refused() (n int64) {
	for _, f := range c.Figures {
		if f.Refused {
			n++
		}
	}
	return n
}

// String is the comparison as text: the verdict, and a table of the figures that changed. It ends without a newline.
func (c *Comparison) String() string {
	table := [][]string{{"figure", "before", "after", "change", ""}}
	for _, f := range c.Figures {
		if f.Change == "" {
			continue
		}
		verdict := ""
		if f.Refused {
			verdict = "refused"
		}
		table = append(table, []string{tally.Name(f.Name), orNone(f.Before), orNone(f.After), f.Change, verdict})
	}
	verdict := tally.Number(int64(len(table)-1), "figure", "figures") + " of " + strconv.Itoa(len(c.Figures)) + " changed, none by more than is allowed"
	switch n := c.refused(); {
	case len(table) == 1:
		return "no figure of " + strconv.Itoa(len(c.Figures)) + " changed"
	case n > 0:
		verdict = tally.Number(n, "figure", "figures") + " of " + strconv.Itoa(len(c.Figures)) + " changed by more than is allowed"
	}
	return verdict + "\n\n" + tally.Table(table, 1, 2, 3)
}

// LogValue makes the comparison a group: the numbers of figures, and of those refused, and the figures that are refused, as text.
func (c *Comparison) LogValue() slog.Value {
	attrs := []slog.Attr{slog.Int("figures", len(c.Figures)), slog.Int64("refused", c.refused())}
	for _, f := range c.Figures {
		if f.Refused {
			attrs = append(attrs, slog.String(f.Name, orNone(f.Before)+" → "+orNone(f.After)))
		}
	}
	return slog.GroupValue(attrs...)
}
