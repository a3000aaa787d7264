package join

import (
	"cmp"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/tally"
)

// Approx is a number of rows or keys that sketches tell.
type Approx struct {
	// Estimate lies between Low and High.
	Estimate Count `json:"estimate"`
	// StdErr is the standard error of Estimate, in its unit; 0 where it is exact.
	StdErr float64 `json:"std_err"`
	// Low and High hold whatever the data.
	Low  Count `json:"low"`
	High Count `json:"high"`
}

// Exact says that the number is known.
func (a Approx) Exact() bool { return a.Low == a.High }

// String is the estimate with its relative error, and the bounds: 1203 ±4 % (980 to 2400); the number alone where it is exact.
func (a Approx) String() string {
	if a.Exact() {
		return a.Low.String()
	}
	return fmt.Sprintf("%v ±%s (%v to %v)", a.Estimate, a.relative(), a.Low, a.High)
}

// relative is the error in percent of the estimate.
func (a Approx) relative() string {
	if a.Estimate == (Count{}) {
		return decimal(a.StdErr)
	}
	return percent(a.StdErr / a.Estimate.Float64())
}

func exactly(c Count) Approx { return Approx{Estimate: c, Low: c, High: c} }

func upTo(n uint64) Approx { return Approx{High: CountOf(n)} }

// around sets the estimate and its error, inside the bounds.
func (a Approx) around(value, stdErr float64) Approx {
	if a.Exact() {
		return exactly(a.Low)
	}
	return a.at(countOfFloat(value), stdErr)
}

func (a Approx) at(estimate Count, stdErr float64) Approx {
	a.Estimate = lesser(greater(estimate, a.Low), a.High)
	a.StdErr = min(stdErr, max(a.High.minus(a.Estimate).Float64(), a.Estimate.minus(a.Low).Float64()))
	return a
}

// plus adds an exact number.
func (a Approx) plus(c Count) Approx {
	return Approx{a.Estimate.plus(c), a.StdErr, a.Low.plus(c), a.High.plus(c)}
}

// from subtracts it from an exact number.
func (a Approx) from(c Count) Approx {
	return Approx{c.minus(a.Estimate), a.StdErr, c.minus(a.High), c.minus(a.Low)}
}

// and adds another one; errors are taken to be independent.
func (a Approx) and(b Approx) Approx {
	return Approx{a.Estimate.plus(b.Estimate), math.Hypot(a.StdErr, b.StdErr), a.Low.plus(b.Low), a.High.plus(b.High)}
}

// sum makes the estimate that of the parts, as far as its bounds let it. The first part is the inner join: what is made of it errs as much, but
// for what the others may err against it.
func (a Approx) sum(parts ...Approx) Approx {
	var c Count
	err := 2 * parts[0].StdErr
	for _, p := range parts {
		c, err = c.plus(p.Estimate), err-p.StdErr
	}
	return a.at(c, max(a.StdErr, err))
}

// within narrows the bounds to those that b has as well.
func (a Approx) within(b Approx) Approx {
	a.Low, a.High = greater(a.Low, b.Low), lesser(a.High, b.High)
	return a.around(a.Estimate.Float64(), a.StdErr)
}

// SketchedSize is what [EstimateSketches] says of a join.
type SketchedSize struct {
	On Key `json:"on"`
	// Exact says that both sketches hold all keys of their side, so that all numbers are exact.
	Exact bool `json:"exact"`
	// Rows are the numbers of rows that each kind of join makes.
	Rows SketchedSizes `json:"rows"`
	// MatchedKeys is the number of keys that both sides have.
	MatchedKeys Approx       `json:"matched_keys"`
	Left        SketchedSide `json:"left"`
	Right       SketchedSide `json:"right"`
	// Worst are the known keys that make the most rows, at most DefaultWorst of them, only keys that make two or more, worst first.
	Worst []SketchedKey `json:"worst,omitempty"`
}

// SketchedSizes are the numbers of rows of each kind of join, as in [Sizes].
type SketchedSizes struct {
	Inner     Approx `json:"inner"`
	Left      Approx `json:"left"`
	Right     Approx `json:"right"`
	Full      Approx `json:"full"`
	LeftSemi  Approx `json:"left_semi"`
	LeftAnti  Approx `json:"left_anti"`
	RightSemi Approx `json:"right_semi"`
	RightAnti Approx `json:"right_anti"`
}

// SketchedSide says what one side of a join holds.
type SketchedSide struct {
	// Columns are the names of the key columns.
	Columns []string `json:"columns"`
	Rows    int64    `json:"rows"`
	// NullRows is the number of rows with NULL in a key column.
	NullRows int64 `json:"null_rows"`
	// Keys is the number of distinct keys, those with NULL only under NullsEqual. It is exact, but for sketches of many keys that were merged.
	Keys Approx `json:"keys"`
	// MaxRows is what no key has more rows than: 1 says that the keys are unique. A key has so many, but for sketches of many keys that were merged.
	MaxRows int64 `json:"max_rows"`
	// Exact says that the sketch holds every key with its number of rows.
	Exact bool `json:"exact"`
}

// SketchedKey is a key that a sketch knows by itself, with its rows on both sides.
type SketchedKey struct {
	// Values are the values of the key columns as text, as in [KeySize].
	Values []string `json:"values"`
	Left   Approx   `json:"left"`
	Right  Approx   `json:"right"`
	Inner  Approx   `json:"inner"`
	// Share is the part of the estimate of the inner join that the key's own is.
	Share float64 `json:"share"`
}

// fill makes the sizes of the measures.
func (e *sketchEstimate) fill(s *SketchedSize) {
	var a [measures]Approx
	for m, p := range e.parts {
		a[m] = Approx{Low: p.low, High: p.high}.around(p.value, math.Sqrt(p.variance))
	}
	left, right := CountOf(uint64(s.Left.Rows)), CountOf(uint64(s.Right.Rows))
	a[leftMatched] = a[leftMatched].within(upTo(e.sides[leftSide].keyed()))
	a[rightMatched] = a[rightMatched].within(upTo(e.sides[rightSide].keyed()))
	r := &s.Rows
	// An inner join has the rows that match and those beyond, of either side.
	r.Inner = a[innerRows].within(a[leftMatched].and(a[leftMore])).within(a[rightMatched].and(a[rightMore]))
	r.Left, r.Right = a[leftMore].plus(left), a[rightMore].plus(right)
	r.LeftSemi, r.RightSemi = a[leftMatched], a[rightMatched]
	r.LeftAnti, r.RightAnti = a[leftMatched].from(left), a[rightMatched].from(right)
	r.Full = r.Left.and(r.RightAnti)
	if other := r.Right.and(r.LeftAnti); other.StdErr < r.Full.StdErr {
		r.Full = other.within(r.Full)
	} else {
		r.Full = r.Full.within(other)
	}
	r.Left, r.Right = r.Left.sum(r.Inner, r.LeftAnti), r.Right.sum(r.Inner, r.RightAnti)
	r.Full = r.Full.sum(r.Inner, r.LeftAnti, r.RightAnti)
	s.MatchedKeys = a[matchedKeys].within(Approx{High: lesser(s.Left.Keys.High, s.Right.Keys.High)})
}

// list finds the worst keys.
func (e *sketchEstimate) list(s *SketchedSize) {
	var worst []*knownKey
	cut := func() {
		slices.SortFunc(worst, func(a, b *knownKey) int {
			return cmp.Or(cmp.Compare(b.values[innerRows], a.values[innerRows]), compareSampled(a.sketchKey, b.sketchKey))
		})
		worst = worst[:min(len(worst), DefaultWorst)]
	}
	for i := range e.known {
		k := &e.known[i]
		if k.values[innerRows] < 2 {
			continue
		}
		if worst = append(worst, k); len(worst) == 64*DefaultWorst {
			cut()
		}
	}
	cut()
	for _, k := range worst {
		low, high := amounts(k.low[leftSide], k.low[rightSide]), amounts(k.high[leftSide], k.high[rightSide])
		w := SketchedKey{Values: slices.Clone(k.texts), Inner: Approx{Low: low[innerRows], High: high[innerRows]}}
		w.Inner = w.Inner.around(k.values[innerRows], (w.Inner.High.Float64()-w.Inner.Low.Float64())/math.Sqrt(12))
		w.Left, w.Right = k.rows(leftSide), k.rows(rightSide)
		w.Share = min(1, share(w.Inner.Estimate.Float64(), s.Rows.Inner.Estimate.Float64()))
		s.Worst = append(s.Worst, w)
	}
}

// rows are those of a side: any number between the bounds is as likely.
func (k *knownKey) rows(side int) Approx {
	a := Approx{Low: CountOf(k.low[side]), High: CountOf(k.high[side])}
	return a.around(k.middle(side), float64(k.high[side]-k.low[side])/math.Sqrt(12))
}

// MaxGrowth is nil when the left join has at most factor times the rows of the left side, whatever the data. Else it is a *onerow.KeysError
// with Kind ErrGrowth that says whether the join surely makes more, or may, and lists the known keys that make the most rows. A factor
// below 1, which no left join can meet, wraps [onerow.ErrOption].
func (s *SketchedSize) MaxGrowth(factor float64) error {
	left := s.Rows.Left
	if may, err := grown(left.High, factor, s.Left.Rows); err != nil || !may {
		return err
	}
	verb := "may make"
	if surely, _ := grown(left.Low, factor, s.Left.Rows); surely {
		verb = "makes"
	}
	e := &onerow.KeysError{Kind: onerow.ErrGrowth, Input: sideNames[rightSide], Columns: s.On.Right, Total: int64(len(s.Worst)),
		Why: fmt.Sprintf("a left join %s %v rows of %d, of at most %v times as many", verb, left, s.Left.Rows, factor)}
	for _, k := range s.Worst[:min(len(s.Worst), onerow.MaxSampleKeys)] {
		e.Keys = append(e.Keys, onerow.KeyRows{Values: k.Values, Count: int64(min(k.Right.Estimate.lo, math.MaxInt64)),
			Why: fmt.Sprintf("meets %v left rows: %v rows", k.Left, k.Inner)})
	}
	return e
}

// list are the sizes in the order in which they are read.
func (r *SketchedSizes) list() []namedApprox {
	return []namedApprox{
		{"inner", "inner join", r.Inner}, {"left", "left join", r.Left}, {"right", "right join", r.Right}, {"full", "full join", r.Full},
		{"left_semi", "left semi join", r.LeftSemi}, {"left_anti", "left anti join", r.LeftAnti},
		{"right_semi", "right semi join", r.RightSemi}, {"right_anti", "right anti join", r.RightAnti},
	}
}

type namedApprox struct {
	key, label string
	Approx
}

func (a Approx) row(label string) []string {
	if a.Exact() {
		return []string{label, a.Low.String(), "exact"}
	}
	return []string{label, a.Estimate.String(), "±" + a.relative(), a.Low.String(), a.High.String()}
}

// String is the size as text: a table of the sizes, with their errors and bounds, and one of the worst keys. It ends without a newline.
func (s *SketchedSize) String() string {
	table := [][]string{{"", "estimate", "error", "at least", "at most"}}
	for _, n := range s.Rows.list() {
		table = append(table, n.row(n.label))
	}
	table = append(table, s.MatchedKeys.row("matched keys"), s.Left.Keys.row("left keys"), s.Right.Keys.row("right keys"))
	out := fmt.Sprintf("sketched sides of %d and %d rows on %v\n%s", s.Left.Rows, s.Right.Rows, s.On, tally.Table(table, 1, 2, 3, 4))
	if len(s.Worst) == 0 {
		return out
	}
	keys := [][]string{{"worst keys", "left", "right", "inner", "share"}}
	for _, k := range s.Worst {
		var values []string
		for _, v := range k.Values {
			values = append(values, tally.Cut(v))
		}
		keys = append(keys, []string{strings.Join(values, ", "), k.Left.Estimate.String(), k.Right.Estimate.String(), k.Inner.Estimate.String(), percent(k.Share)})
	}
	return out + "\n\n" + tally.Table(keys, 1, 2, 3, 4)
}

// LogValue makes the size a group: the key, and of each kind of join the estimate, the error and the bounds. The keys aren't logged: they are data.
func (s *SketchedSize) LogValue() slog.Value {
	attrs := []slog.Attr{slog.String("on", s.On.String()), slog.Bool("exact", s.Exact)}
	for _, n := range s.Rows.list() {
		attrs = append(attrs, slog.Group(n.key, n.Estimate.attr("estimate"), slog.Float64("std_err", n.StdErr), n.Low.attr("low"), n.High.attr("high")))
	}
	return slog.GroupValue(attrs...)
}

// String is the sketch in a line: the key, and how much it stands for.
func (s *Sketch) String() string {
	return fmt.Sprintf("sketch on %s: %d rows, %v keys, %d sampled", strings.Join(s.names(), ", "), s.rows, s.keys(), len(s.sample))
}

// LogValue makes the sketch a group of its counts.
func (s *Sketch) LogValue() slog.Value {
	side := s.Side()
	return slog.GroupValue(slog.Int64("rows", side.Rows), slog.Int64("null_rows", side.NullRows), side.Keys.Estimate.attr("keys"), slog.Bool("exact", side.Exact))
}
