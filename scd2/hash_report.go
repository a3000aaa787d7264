package scd2

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/tally"
)

// Err is nil when no rows are confused, else a [*onerow.KeysError] with Kind ErrDuplicateKey: the hash, taken as a key, stands for rows that
// differ. Its keys are the first of these rows, as far as the report lists them, at most [onerow.MaxSampleKeys].
func (r *ConfusionReport) Err() error {
	if r.Texts == 0 {
		return nil
	}
	e := &onerow.KeysError{Kind: onerow.ErrDuplicateKey, Columns: r.Columns, Total: r.Distinct}
	e.Why = fmt.Sprintf("%v gives rows that differ one hash", r.Form)
	for _, f := range r.Findings {
		for _, s := range f.Samples {
			if len(e.Keys) < onerow.MaxSampleKeys {
				s.Why = "hashed as " + f.Text
				e.Keys = append(e.Keys, s)
			}
		}
	}
	return e
}

// shownConfusions is the number of texts that String shows.
const shownConfusions = 20

// String is the report as text: whether rows are confused, the counts, and a table of the first texts with their rows. Long values are
// cut. It ends without a newline.
func (r *ConfusionReport) String() string {
	verdict := fmt.Sprintf("%v tells all rows apart", r.Form)
	if r.Texts > 0 {
		verdict = fmt.Sprintf("%v confuses rows that differ", r.Form)
	}
	parts := []string{verdict, r.counts().String()}
	if len(r.Findings) > 0 {
		parts = append(parts, "", r.findings())
	}
	return strings.Join(parts, "\n")
}

// LogValue makes the report a group: the form, the columns and the counts. Findings aren't logged: they are data.
func (r *ConfusionReport) LogValue() slog.Value {
	return slog.GroupValue(append([]slog.Attr{slog.String("form", r.Form.String()), slog.Any("columns", r.Columns)}, r.counts().Attrs()...)...)
}

func (r *ConfusionReport) counts() tally.Counts {
	return tally.Counts{
		{Key: "rows", Label: "rows", N: r.Rows},
		{Key: "texts", Label: "texts of rows that differ", N: r.Texts},
		{Key: "distinct", Label: "different rows with such a text", Depth: 1, N: r.Distinct, Rare: true},
		{Key: "confused", Label: "rows with such a text", Depth: 1, N: r.Confused, Rare: true},
	}
}

// findings has a line for each of the different rows of a text.
func (r *ConfusionReport) findings() string {
	table := [][]string{append(append([]string{"hashed"}, r.Columns...), "rows")}
	for _, f := range r.Findings[:min(len(r.Findings), shownConfusions)] {
		text := tally.Cut(f.Text)
		for _, s := range f.Samples {
			line := []string{text}
			for _, v := range s.Values {
				line = append(line, tally.Cut(v))
			}
			table = append(table, append(line, tally.Rows(s.Rows, s.Count)))
			text = ""
		}
		if more := f.Distinct - int64(len(f.Samples)); more > 0 {
			table = append(table, []string{"", fmt.Sprintf("… (%d more)", more)})
		}
	}
	return tally.Table(table)
}

// show writes what is hashed of a row for people.
func (f HashForm) show(row []byte) string {
	const most = 200
	if f == SparkXXHash64 {
		var b strings.Builder
		for len(row) > 0 && b.Len() < 2*most {
			n := binary.LittleEndian.Uint64(row)
			value := row[8 : 8+n]
			row = row[8+n:]
			b.WriteString(" 0x" + hex.EncodeToString(value[:min(len(value), most)]))
		}
		if len(row) > 0 {
			b.WriteString(" …")
		}
		return strings.TrimPrefix(b.String(), " ")
	}
	if len(row) <= most {
		return strconv.Quote(string(row))
	}
	return strconv.Quote(string(row[:most])) + fmt.Sprintf("… (%d bytes)", len(row))
}
