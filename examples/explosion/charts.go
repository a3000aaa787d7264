package main

import (
	"math/big"
	"slices"
	"strings"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/join"
)

// charts is what page.js draws. Counts are floats, since a chart has no use for more than 53 bits of them.
type charts struct {
	Growth   []part     `json:"growth"`
	FanOut   []fan      `json:"fan_out"`
	Steps    []stepBar  `json:"steps"`
	Versions []keyLine  `json:"versions"`
	Names    chartNames `json:"names"`
}

type chartNames struct {
	Left  string `json:"left"`
	Right string `json:"right"`
	On    string `json:"on"`
}

// part is what a key, or all keys that aren't listed, adds to the left join beyond one row for each left row.
type part struct {
	Key   string  `json:"key"`
	Extra float64 `json:"extra"`
	Share float64 `json:"share"`
	// Kind is placeholder, key, or rest.
	Kind string `json:"kind"`
}

// fan is a key with its rows on both sides.
type fan struct {
	Key         string  `json:"key"`
	Left        int64   `json:"left"`
	Right       int64   `json:"right"`
	Rows        float64 `json:"rows"`
	Placeholder bool    `json:"placeholder"`
}

type stepBar struct {
	Name     string  `json:"name"`
	LeftJoin float64 `json:"left_join"`
	LeftRows int64   `json:"left_rows"`
	Growth   string  `json:"growth"`
}

func chartsOf(a *result) charts {
	c := charts{Growth: growthParts(a.Size), Names: chartNames{a.Left, a.Right, a.On.String()}}
	for _, k := range fanOut(a.Size) {
		c.FanOut = append(c.FanOut, fan{keyLabel(k.Values), k.Left, k.Right, k.Inner.Float64(), isPlaceholder(a.Size, k)})
	}
	for _, s := range a.Steps {
		c.Steps = append(c.Steps, stepBar{s.Name, s.LeftJoin.Float64(), s.LeftRows, factor(s.Growth)})
	}
	if a.Versions != nil {
		c.Versions = a.Versions.Keys
	}
	return c
}

// fanOut lists the keys that fan out: those with several right rows that make the most rows, or, when there are none, those that make the most rows.
func fanOut(size *join.Size) []join.KeySize {
	if len(size.Right.Repeats) > 0 {
		return size.Right.Repeats
	}
	return size.Worst[:min(len(size.Worst), onerow.MaxSampleKeys)]
}

// growthParts divides the rows that the left join makes beyond the left rows among the keys that make most of them, and the rest.
func growthParts(size *join.Size) []part {
	total := new(big.Int).Sub(size.Rows.Left.Big(), big.NewInt(size.Left.Rows))
	if total.Sign() == 0 {
		return nil
	}
	rest := new(big.Int).Set(total)
	type extra struct {
		key  join.KeySize
		rows *big.Int
	}
	var extras []extra
	for _, k := range size.Right.Repeats {
		extras = append(extras, extra{k, new(big.Int).Sub(k.Inner.Big(), big.NewInt(k.Left))})
	}
	slices.SortStableFunc(extras, func(a, b extra) int { return b.rows.Cmp(a.rows) })
	var out []part
	for _, e := range extras {
		kind := "key"
		if isPlaceholder(size, e.key) {
			kind = "placeholder"
		}
		out = append(out, part{keyLabel(e.key.Values), float(e.rows), share(e.rows, total), kind})
		rest.Sub(rest, e.rows)
	}
	if rest.Sign() > 0 {
		others := size.Right.RepeatedKeys - int64(len(extras))
		out = append(out, part{count(others, "other key"), float(rest), share(rest, total), "rest"})
	}
	return out
}

func float(n *big.Int) float64 {
	f, _ := new(big.Float).SetInt(n).Float64()
	return f
}

func share(n, total *big.Int) float64 { return float(n) / float(total) }

func isPlaceholder(size *join.Size, k join.KeySize) bool {
	return slices.ContainsFunc(size.Placeholders.Keys, func(p join.KeySize) bool { return slices.Equal(p.Values, k.Values) })
}

func keyLabel(values []string) string { return strings.Join(values, ", ") }
