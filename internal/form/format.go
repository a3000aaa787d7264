package form

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
)

// maxText bounds how many bytes of a text Format quotes.
const maxText = 120

// Format writes a cell for people: NULL, true, 7, 1.50, "text" quoted as in Go, bytes as 0x…, 2026-01-31, {a: 1}, [1, 2].
// Exact for every type: no number goes through a float.
func Format(a *Array, i int) string {
	if a.Null(i) {
		return "NULL"
	}
	a, i = a.leaf(i)
	switch a.Family {
	case BoolFamily:
		return strconv.FormatBool(bit(a.bits, a.off+i))
	case FloatFamily:
		return a.formatFloat(i)
	case DecimalFamily:
		return formatDecimal(bigOf(a.limbs(i)).String(), a.scale)
	case TextFamily:
		b := a.bytes(i)
		if len(b) > maxText {
			return strconv.Quote(string(b[:cutAt(b)])) + fmt.Sprintf("… (%d bytes)", len(b))
		}
		return strconv.Quote(string(b))
	case BinaryFamily:
		b := a.bytes(i)
		if len(b) > maxText {
			return "0x" + hex.EncodeToString(b[:maxText]) + fmt.Sprintf("… (%d bytes)", len(b))
		}
		return "0x" + hex.EncodeToString(b)
	case DateFamily, TimeFamily, NaiveFamily, InstantFamily, DurationFamily:
		return a.formatTime(i)
	case StructFamily:
		return a.formatStruct(i)
	case ListFamily, MapFamily:
		return a.formatList(i)
	case UnionFamily:
		k, j := a.variant(i)
		return Format(k, j)
	case IntervalFamily:
		return a.formatInterval(i)
	}
	return a.formatInt(i)
}

// cutAt returns where a long text is cut: at most at maxText, and not inside a character.
func cutAt(b []byte) int {
	for n := maxText; n > maxText-utf8.UTFMax; n-- {
		if utf8.RuneStart(b[n]) {
			return n
		}
	}
	return maxText
}

func (a *Array) formatInt(i int) string {
	v := a.intAt(a.Kind, a.off+i)
	if a.Kind == KindU64 {
		return strconv.FormatUint(uint64(v), 10)
	}
	return strconv.FormatInt(v, 10)
}

func (a *Array) formatFloat(i int) string {
	size := 64
	if a.Kind != KindF64 {
		size = 32
	}
	return strconv.FormatFloat(a.float(i), 'g', -1, size)
}

func formatDecimal(digits string, scale int32) string {
	neg := strings.HasPrefix(digits, "-")
	digits = strings.TrimPrefix(digits, "-")
	switch {
	case scale < 0 && digits != "0":
		digits += strings.Repeat("0", int(-scale))
	case scale > 0:
		if pad := int(scale) + 1 - len(digits); pad > 0 {
			digits = strings.Repeat("0", pad) + digits
		}
		digits = digits[:len(digits)-int(scale)] + "." + digits[len(digits)-int(scale):]
	}
	if neg {
		return "-" + digits
	}
	return digits
}

// formatTime writes dates as 2026-01-31, times of day as 09:00:00.5, timestamps as both with a T and, when they have a zone, a
// Z (the instant in UTC), durations as a number with its unit.
func (a *Array) formatTime(i int) string {
	v := a.intAt(a.Kind, a.off+i)
	if a.Family == DateFamily {
		days := v
		if a.mul == 1 {
			days = floorDiv(v, 86_400_000)
			if rest := v - days*86_400_000; rest != 0 {
				return formatDay(days) + "T" + formatClock(rest, 1000)
			}
		}
		return formatDay(days)
	}
	perSecond := int64(1_000_000_000 / a.mul)
	switch a.Family {
	case TimeFamily:
		return formatClock(v, perSecond)
	case DurationFamily:
		return strconv.FormatInt(v, 10) + unitName(perSecond)
	}
	secs := floorDiv(v, perSecond)
	days := floorDiv(secs, 86_400)
	clock := formatClock((secs-days*86_400)*perSecond+v-secs*perSecond, perSecond)
	if a.Family == InstantFamily {
		clock += "Z"
	}
	return formatDay(days) + "T" + clock
}

func unitName(perSecond int64) string {
	switch perSecond {
	case 1:
		return arrow.Second.String()
	case 1000:
		return arrow.Millisecond.String()
	case 1_000_000:
		return arrow.Microsecond.String()
	}
	return arrow.Nanosecond.String()
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// formatDay writes a day number since 1970-01-01 in the proleptic Gregorian calendar, for every int64: whole 400-year cycles are
// taken off first.
func formatDay(days int64) string {
	const cycle = 146_097
	cycles := floorDiv(days, cycle)
	d := days - cycles*cycle // 0 to cycle-1 days after 1970-01-01
	year := int64(1970)
	for {
		n := int64(365)
		if leap(year) {
			n = 366
		}
		if d < n {
			break
		}
		d -= n
		year++
	}
	month := 1
	for ; ; month++ {
		n := int64(monthDays[month-1])
		if month == 2 && leap(year) {
			n = 29
		}
		if d < n {
			break
		}
		d -= n
	}
	year += 400 * cycles
	sign := ""
	if year < 0 {
		sign, year = "-", -year
	}
	return fmt.Sprintf("%s%04d-%02d-%02d", sign, year, month, d+1)
}

var monthDays = [12]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

func leap(y int64) bool { return y%4 == 0 && (y%100 != 0 || y%400 == 0) }

func formatClock(v, perSecond int64) string {
	sign, n, per := "", uint64(v), uint64(perSecond)
	if v < 0 {
		sign, n = "-", -n
	}
	secs := n / per
	s := fmt.Sprintf("%s%02d:%02d:%02d", sign, secs/3600, secs/60%60, secs%60)
	if frac := n % per; frac != 0 {
		digits := int(math.Round(math.Log10(float64(perSecond))))
		s += "." + strings.TrimRight(fmt.Sprintf("%0*d", digits, frac), "0")
	}
	return s
}

func (a *Array) formatStruct(i int) string {
	var b strings.Builder
	b.WriteByte('{')
	fields := Logical(a.Type).(*arrow.StructType).Fields()
	for k, kid := range a.kids {
		if k > 0 {
			b.WriteString(", ")
		}
		b.WriteString(fields[k].Name + ": " + Format(kid, a.off+i))
	}
	b.WriteByte('}')
	return b.String()
}

func (a *Array) formatList(i int) string {
	var b strings.Builder
	b.WriteByte('[')
	lo, hi := a.span(i)
	for j := lo; j < hi; j++ {
		if j > lo {
			b.WriteString(", ")
		}
		if j-lo == 20 {
			fmt.Fprintf(&b, "… (%d elements)", hi-lo)
			break
		}
		b.WriteString(Format(a.kids[0], j))
	}
	b.WriteByte(']')
	return b.String()
}

func (a *Array) formatInterval(i int) string {
	if a.Kind != KindFixed {
		return a.formatInt(i) + " months"
	}
	b := a.bytes(i)
	if len(b) == 8 {
		return fmt.Sprintf("%d days %d ms", int32(le32(b)), int32(le32(b[4:])))
	}
	return fmt.Sprintf("%d months %d days %d ns", int32(le32(b)), int32(le32(b[4:])), le64(b[8:]))
}
