package scd2

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/form"
)

// hashCoder turns cells into the bytes that a form hashes. It belongs to one goroutine.
//
// The bytes of a row are those of its cells, one after the other. In the forms that join text, each text has the separator in front; the
// first one is cut off in the end. In SparkXXHash64 each value is its length in 8 bytes, then what is hashed.
type hashCoder struct {
	form     HashForm
	sep      []byte
	null     string // the text of NULL, in dbt's forms
	zone     *time.Location
	decimals SparkDecimals
	floats   SparkFloats
	java     javaFloats

	// why is set when a value has no text or hash: it says what it is, and why.
	why string
}

func newHashCoder(o HashOptions) *hashCoder {
	c := &hashCoder{form: o.Form, zone: o.Zone, decimals: o.Decimals, floats: o.Floats}
	switch o.Form {
	case SparkSHA2, SparkMD5:
		c.sep = []byte(o.Separator)
	case DBTKey:
		c.sep, c.null, c.decimals = []byte("-"), "_dbt_utils_surrogate_key_null_", PlainDecimals
	case DBTLegacyKey:
		c.sep, c.decimals = []byte("-"), PlainDecimals
	}
	return c
}

// cell appends what the form makes of row i.
func (c *hashCoder) cell(dst []byte, a *hashArray, i int) []byte {
	switch c.form {
	case SparkSHA2, SparkMD5:
		return c.joined(dst, a, i)
	case SparkXXHash64:
		return c.chained(dst, a, i)
	case DBTKey, DBTLegacyKey:
		dst = append(dst, c.sep...)
		if a, i = a.leaf(i); a == nil {
			return append(dst, c.null...)
		}
		return c.text(dst, a, i)
	}
	return form.AppendCanonical(dst, a.cells, i)
}

// refuse notes why a value can't be hashed.
func (c *hashCoder) refuse(dst []byte, value any, why string) []byte {
	if c.why == "" {
		c.why = fmt.Sprintf("holds %v: %s", value, why)
	}
	return dst
}

// joined appends the texts that a cell is for concat_ws: one, none for NULL, those of its elements for a list.
func (c *hashCoder) joined(dst []byte, a *hashArray, i int) []byte {
	if a, i = a.leaf(i); a == nil {
		return dst
	}
	if a.family != form.ListFamily {
		return c.text(append(dst, c.sep...), a, i)
	}
	lo, hi := a.elements(i)
	for ; lo < hi; lo++ {
		if e, k := a.kids[0].leaf(lo); e != nil {
			dst = c.text(append(dst, c.sep...), e, k)
		}
	}
	return dst
}

// text appends a value cast to text.
func (c *hashCoder) text(dst []byte, a *hashArray, i int) []byte {
	switch a.family {
	case form.BoolFamily:
		return strconv.AppendBool(dst, a.bit(i))
	case form.IntFamily:
		if a.signed {
			return strconv.AppendInt(dst, a.int(i), 10)
		}
		return strconv.AppendUint(dst, uint64(a.int(i)), 10)
	case form.FloatFamily:
		text, ok := c.java.append(dst, a.float(i), 8*a.width, c.floats)
		if !ok {
			return c.refuse(dst, a.float(i), "older and newer Javas print it in different ways; say which in Floats")
		}
		return text
	case form.DecimalFamily:
		return c.decimal(dst, a, i)
	case form.DateFamily:
		days := c.days(a, i)
		if year, _, _ := civilDay(days); (year < 1 || year > 9999) && c.form != SparkSHA2 && c.form != SparkMD5 {
			return c.refuse(dst, string(appendDay(nil, days)), "engines print years before 1 and after 9999 in different ways")
		}
		return appendDay(dst, days)
	case form.NaiveFamily, form.InstantFamily:
		return c.timestamp(dst, a, i)
	}
	return append(dst, a.bytes(i)...)
}

// unscaled returns the magnitude of a decimal, which has no more digits than its type says.
func (c *hashCoder) unscaled(a *hashArray, i int) (abs [4]uint64, negative bool) {
	abs, negative = absLimbs(a.limbs(i))
	if !lessLimbs(abs, tensOf[a.digits]) {
		c.refuse(nil, string(appendPlain(nil, appendDigits(nil, abs), int(a.scale))), "it has more digits than its type")
	}
	return abs, negative
}

func (c *hashCoder) decimal(dst []byte, a *hashArray, i int) []byte {
	abs, negative := c.unscaled(a, i)
	if negative {
		dst = append(dst, '-')
	}
	var room [80]byte
	digits, scale := appendDigits(room[:0], abs), int(a.scale)
	exp := len(digits) - 1 - scale
	if exp >= -6 || c.decimals == PlainDecimals {
		return appendPlain(dst, digits, scale)
	}
	if c.decimals == SameDecimals {
		return c.refuse(dst, string(appendPlain(nil, digits, scale)), "Spark prints it in different ways with and without ANSI mode; say which in Decimals")
	}
	dst = append(dst, digits[0])
	if len(digits) > 1 {
		dst = append(append(dst, '.'), digits[1:]...)
	}
	return strconv.AppendInt(append(dst, 'E'), int64(exp), 10)
}

// appendPlain appends digits with a point before the last ones.
func appendPlain(dst, digits []byte, scale int) []byte {
	if scale == 0 {
		return append(dst, digits...)
	}
	if whole := len(digits) - scale; whole > 0 {
		dst, digits = append(dst, digits[:whole]...), digits[whole:]
	} else {
		dst = append(dst, '0')
	}
	dst = append(dst, '.')
	for range scale - len(digits) {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}

// days returns the day of a date, counted from 1970-01-01.
func (c *hashCoder) days(a *hashArray, i int) (days int64) {
	v := a.int(i)
	if a.id == arrow.DATE32 {
		return v
	}
	const day = 86_400_000
	if days = v / day; v%day != 0 {
		c.refuse(nil, fmt.Sprint(v, " milliseconds"), "it isn't at midnight, and no date")
		return 0
	}
	if days != int64(int32(days)) {
		c.refuse(nil, fmt.Sprint(days, " days"), "dates have 32 bits elsewhere")
		return 0
	}
	return days
}

// micros returns a timestamp in microseconds, as Spark has it.
func (c *hashCoder) micros(a *hashArray, i int) int64 {
	v := a.int(i)
	if a.tick < 1000 {
		if v%1000 != 0 {
			c.refuse(nil, fmt.Sprint(v, " nanoseconds"), "Spark's timestamps are of microseconds")
		}
		return v / 1000
	}
	by := a.tick / 1000
	if v > math.MaxInt64/by || v < math.MinInt64/by {
		c.refuse(nil, fmt.Sprint(v, " ", a.typ.(*arrow.TimestampType).Unit), "Spark's timestamps are microseconds in 64 bits")
	}
	return v * by
}

// timestamp appends 2026-01-31 09:00:00.25, in the session's zone if it is an instant.
func (c *hashCoder) timestamp(dst []byte, a *hashArray, i int) []byte {
	us := c.micros(a, i)
	secs, frac := floorDivide(us, 1_000_000)
	if a.family == form.InstantFamily && c.zone != nil {
		_, off := time.Unix(secs, 0).In(c.zone).Zone()
		secs += int64(off)
	}
	days, rest := floorDivide(secs, 86_400)
	dst = append(appendDay(dst, days), ' ')
	dst = append(appendTwo(dst, rest/3600), ':')
	dst = append(appendTwo(dst, rest/60%60), ':')
	dst = appendTwo(dst, rest%60)
	if frac == 0 {
		return dst
	}
	dst = append(dst, '.')
	for p := int64(100_000); frac > 0; p /= 10 {
		dst = append(dst, byte('0'+frac/p))
		frac %= p
	}
	return dst
}

func floorDivide(a, b int64) (quo, rem int64) {
	if quo, rem = a/b, a%b; rem < 0 {
		quo, rem = quo-1, rem+b
	}
	return quo, rem
}

func appendTwo(dst []byte, n int64) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }

// appendDay appends 2026-01-31; the year has four digits at least, and a sign when it is negative or has more.
func appendDay(dst []byte, days int64) []byte {
	year, month, day := civilDay(days)
	switch {
	case year < 0:
		dst, year = append(dst, '-'), -year
	case year > 9999:
		dst = append(dst, '+')
	}
	for p := int64(1000); p > max(year, 1); p /= 10 {
		dst = append(dst, '0')
	}
	dst = strconv.AppendInt(dst, year, 10)
	return appendTwo(append(appendTwo(append(dst, '-'), month), '-'), day)
}

// civilDay gives the day of the proleptic Gregorian calendar. Its years are counted from March on, so that a leap day is a year's last.
func civilDay(days int64) (year, month, day int64) {
	era, d := floorDivide(days+719_468, 146_097) // of 400 years each
	y := (d - d/1460 + d/36_524 - d/146_096) / 365
	d -= 365*y + y/4 - y/100
	m := (5*d + 2) / 153
	year, month, day = era*400+y, m+3, d-(153*m+2)/5+1
	if month > 12 {
		year, month = year+1, month-12
	}
	return year, month, day
}

// chained appends the values that xxhash64 hashes of a cell, one after the other.
func (c *hashCoder) chained(dst []byte, a *hashArray, i int) []byte {
	if a, i = a.leaf(i); a == nil {
		return dst
	}
	le := binary.LittleEndian
	at := len(dst)
	switch a.family {
	case form.StructFamily:
		for _, k := range a.kids {
			dst = c.chained(dst, k, a.off+i)
		}
		return dst
	case form.ListFamily:
		for lo, hi := a.elements(i); lo < hi; lo++ {
			dst = c.chained(dst, a.kids[0], lo)
		}
		return dst
	}
	dst = le.AppendUint64(dst, 0)
	switch a.family {
	case form.BoolFamily:
		var v uint32
		if a.bit(i) {
			v = 1
		}
		dst = le.AppendUint32(dst, v)
	case form.IntFamily:
		if a.width == 8 || a.id == arrow.UINT32 {
			dst = le.AppendUint64(dst, uint64(a.int(i)))
		} else {
			dst = le.AppendUint32(dst, uint32(a.int(i)))
		}
	case form.FloatFamily:
		switch f := a.float(i); {
		case a.width == 8:
			dst = le.AppendUint64(dst, canonicalFloat(f))
		case f != f:
			dst = le.AppendUint32(dst, 0x7fc00000)
		case f == 0: // -0 too
			dst = le.AppendUint32(dst, 0)
		default:
			dst = le.AppendUint32(dst, math.Float32bits(float32(f)))
		}
	case form.DateFamily:
		days := c.days(a, i)
		dst = le.AppendUint32(dst, uint32(days))
	case form.NaiveFamily, form.InstantFamily:
		dst = le.AppendUint64(dst, uint64(c.micros(a, i)))
	case form.DecimalFamily:
		abs, negative := c.unscaled(a, i)
		if negative {
			abs = negateLimbs(abs)
		}
		if a.digits <= 18 {
			dst = le.AppendUint64(dst, abs[0])
		} else {
			dst = form.AppendBigEndian(dst, abs)
		}
	default:
		dst = append(dst, a.bytes(i)...)
	}
	le.PutUint64(dst[at:], uint64(len(dst)-at-8))
	return dst
}
