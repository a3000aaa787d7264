package arrowtest

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
)

const (
	secondsPerDay = 24 * 60 * 60
	millisPerDay  = 1000 * secondsPerDay
)

// ticks returns how many ticks of the unit a second has, and how many nanoseconds a tick.
func ticks(unit arrow.TimeUnit) (perSecond, nanos int64) {
	perSecond = [...]int64{1, 1e3, 1e6, 1e9}[unit]
	return perSecond, 1e9 / perSecond
}

// fromTicks splits a count of ticks into whole seconds, rounded down, and nanoseconds.
func fromTicks(raw int64, unit arrow.TimeUnit) (sec int64, nano int32) {
	per, nanos := ticks(unit)
	sec, rest := floorDiv(raw, per)
	return sec, int32(rest * nanos)
}

// toTicks is the inverse of fromTicks. It is an error when the unit can't hold the time exactly.
func toTicks(sec int64, nano int32, unit arrow.TimeUnit) (int64, error) {
	per, nanos := ticks(unit)
	if int64(nano)%nanos != 0 {
		return 0, fmt.Errorf("finer than the unit %v", unit)
	}
	n := new(big.Int).Mul(big.NewInt(sec), big.NewInt(per))
	n.Add(n, big.NewInt(int64(nano)/nanos))
	if !n.IsInt64() {
		return 0, fmt.Errorf("out of the range of the unit %v", unit)
	}
	return n.Int64(), nil
}

func floorDiv(a, b int64) (quo, rem int64) {
	quo, rem = a/b, a%b
	if rem < 0 {
		quo, rem = quo-1, rem+b
	}
	return quo, rem
}

func parseDate(text string) (Date, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return 0, err
	}
	return Date(t.Unix() * 1000), nil
}

func parseTimestamp(text string, zoned bool) (Timestamp, error) {
	if err := checkFraction(text); err != nil {
		return Timestamp{}, err
	}
	layout := "2006-01-02T15:04:05"
	if zoned {
		layout += "Z07:00"
	}
	t, err := time.Parse(layout, text)
	if err != nil {
		return Timestamp{}, err
	}
	return Timestamp{t.Unix(), int32(t.Nanosecond()), zoned}, nil
}

func parseTimeOfDay(text string) (TimeOfDay, error) {
	if err := checkFraction(text); err != nil {
		return TimeOfDay{}, err
	}
	t, err := time.Parse(time.TimeOnly, text)
	if err != nil {
		return TimeOfDay{}, err
	}
	return TimeOfDay{int64(t.Hour()*3600 + t.Minute()*60 + t.Second()), int32(t.Nanosecond())}, nil
}

// checkFraction refuses digits below a nanosecond, which time.Parse drops.
func checkFraction(text string) error {
	_, frac, _ := strings.Cut(text, ".")
	digits := len(frac) - len(strings.TrimLeft(frac, "0123456789"))
	if digits > 9 || strings.Contains(text, ",") {
		return fmt.Errorf("%q has more than nine digits below a second", text)
	}
	return nil
}

func formatDate(d Date) string {
	day, ms := floorDiv(int64(d), millisPerDay)
	text := formatDay(day)
	if ms != 0 {
		text += fmt.Sprintf("+%dms", ms)
	}
	return text
}

func formatTimestamp(t Timestamp) string {
	day, sec := floorDiv(t.Sec, secondsPerDay)
	text := formatDay(day) + "T" + formatClock(sec, t.Nano)
	if t.Zoned {
		text += "Z"
	}
	return text
}

// formatDay prints a day counted from 1970-01-01, of any year.
func formatDay(day int64) string {
	const cycle, cycleYears = 146097, 400 // the calendar repeats
	cycles, rest := floorDiv(day, cycle)
	t := time.Unix(rest*secondsPerDay, 0).UTC()
	return fmt.Sprintf("%04d-%02d-%02d", int64(t.Year())+cycles*cycleYears, t.Month(), t.Day())
}

// formatClock prints a time of day, and one outside the day as a count of seconds.
func formatClock(sec int64, nano int32) string {
	if sec < 0 || sec >= secondsPerDay {
		return "clock " + formatSpan(sec, nano)
	}
	return fmt.Sprintf("%02d:%02d:%02d%s", sec/3600, sec/60%60, sec%60, fraction(nano))
}

// formatSpan prints seconds and nanoseconds above them as one decimal number.
func formatSpan(sec int64, nano int32) string {
	if sec < 0 && nano > 0 {
		sec, nano = sec+1, 1e9-nano
		if sec == 0 {
			return "-0" + fraction(nano)
		}
	}
	return fmt.Sprint(sec) + fraction(nano)
}

func fraction(nano int32) string {
	if nano == 0 {
		return ""
	}
	return strings.TrimRight(fmt.Sprintf(".%09d", nano), "0")
}
