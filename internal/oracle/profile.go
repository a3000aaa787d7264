package oracle

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/grain"
)

// Profile answers what grain.Profile answers. Sums are made of exact fractions.
func Profile(batches []arrow.Record, key []string, opts grain.ProfileOptions) (*grain.TableProfile, error) {
	t, err := readTable("batches", batches)
	if err != nil {
		return nil, err
	}
	p := &grain.TableProfile{Rows: int64(len(t.rows))}
	if len(key) > 0 {
		r, err := Check(batches, key, opts.Nulls)
		if err != nil {
			return nil, err
		}
		p.Key, p.Keys, p.DuplicateRows, p.NullKeyRows = key, r.Keys, r.DuplicateRows, r.NullKeyRows
	}
	for c, name := range t.names {
		stat := grain.ColumnProfile{Name: name, Type: t.types[c].String()}
		for _, row := range t.rows {
			stat.Nulls += int64(truth(row[c].Null()))
		}
		p.Columns = append(p.Columns, stat)
	}
	for _, name := range opts.Sums {
		c, err := t.column(name)
		if err != nil {
			return nil, err
		}
		p.Sums = append(p.Sums, t.sum(c))
	}
	return p, nil
}

func (t *table) sum(c int) grain.Sum {
	s := grain.Sum{Column: t.names[c]}
	exact := new(big.Rat)
	special := 0.0
	for _, row := range t.rows {
		v := row[c]
		switch {
		case v.Null():
			continue
		case v.exact != nil:
			exact.Add(exact, v.exact)
		case math.IsNaN(v.float) || math.IsInf(v.float, 0):
			special += v.float
		default:
			exact.Add(exact, new(big.Rat).SetFloat64(v.float))
		}
		s.Rows++
	}
	s.Sum = sumText(plain(t.types[c]), exact, special)
	return s
}

func sumText(typ arrow.DataType, exact *big.Rat, special float64) string {
	scale := 0
	switch typ := typ.(type) {
	case *arrow.Float16Type, *arrow.Float32Type, *arrow.Float64Type:
		f, _ := exact.Float64()
		if special != 0 {
			f = special
		}
		text := strconv.FormatFloat(f, 'g', -1, 64)
		return strings.Replace(strings.TrimPrefix(text, "+"), "Inf", "Infinity", 1)
	case arrow.DecimalType:
		scale = max(0, int(typ.GetScale()))
	case *arrow.DurationType:
		scale = 9
	}
	return exact.FloatString(scale)
}
