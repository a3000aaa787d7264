package scd2_test

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/scd2"
)

// This file has the forms a second time, written from their definitions, over values instead of buffers.

// refXXH64 is XXH64, from its public specification: four lanes of stripes of 32 bytes, then what is left in words of 8, 4 and 1.
func refXXH64(data []byte, seed uint64) uint64 {
	const p1, p2, p3, p4, p5 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
	round := func(acc, lane uint64) uint64 { return bits.RotateLeft64(acc+lane*p2, 31) * p1 }
	n := uint64(len(data))
	acc := seed + p5
	if n >= 32 {
		lanes := [4]uint64{seed + p1, seed + p2, seed, seed}
		lanes[0] += p2
		lanes[3] -= p1
		for ; len(data) >= 32; data = data[32:] {
			for k := range lanes {
				lanes[k] = round(lanes[k], binary.LittleEndian.Uint64(data[8*k:]))
			}
		}
		acc = bits.RotateLeft64(lanes[0], 1) + bits.RotateLeft64(lanes[1], 7) + bits.RotateLeft64(lanes[2], 12) + bits.RotateLeft64(lanes[3], 18)
		for _, l := range lanes {
			acc = (acc^round(0, l))*p1 + p4
		}
	}
	acc += n
	for ; len(data) >= 8; data = data[8:] {
		acc = bits.RotateLeft64(acc^round(0, binary.LittleEndian.Uint64(data)), 27)*p1 + p4
	}
	if len(data) >= 4 {
		acc = bits.RotateLeft64(acc^uint64(binary.LittleEndian.Uint32(data))*p1, 23)*p2 + p3
		data = data[4:]
	}
	for _, b := range data {
		acc = bits.RotateLeft64(acc^uint64(b)*p5, 11) * p1
	}
	acc = (acc ^ acc>>33) * p2
	acc = (acc ^ acc>>29) * p3
	return acc ^ acc>>32
}

// refLittleEndian writes a whole number in so many bytes, two's complement.
func refLittleEndian(n *big.Int, size int) []byte {
	n = new(big.Int).And(n, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(8*size)), big.NewInt(1)))
	b := n.FillBytes(make([]byte, size))
	slices.Reverse(b)
	return b
}

func bigNumber(n int64) *big.Int { return big.NewInt(n) }

// refFewest writes a whole number in as few bytes as hold it, two's complement, the highest first.
func refFewest(n *big.Int) []byte {
	size := 1
	for limit := bigNumber(128); n.Cmp(limit) >= 0 || n.Cmp(new(big.Int).Neg(limit)) < 0; size++ {
		limit = new(big.Int).Lsh(limit, 8)
	}
	b := refLittleEndian(n, size)
	slices.Reverse(b)
	return b
}

func bigInteger(v any) *big.Int {
	if u, ok := v.(uint64); ok {
		return new(big.Int).SetUint64(u)
	}
	return bigNumber(v.(int64))
}

func refNanos(sec int64, nano int32) *big.Int {
	n := new(big.Int).Mul(bigNumber(sec), bigNumber(1_000_000_000))
	return n.Add(n, bigNumber(int64(nano)))
}

// refCanonical is a cell as CanonicalHash hashes it.
func refCanonical(v any) []byte {
	tagged := func(tag byte, parts ...[]byte) []byte { return append([]byte{tag}, slices.Concat(parts...)...) }
	length := func(n int) []byte { return refLittleEndian(bigNumber(int64(n)), 8) }
	switch v := v.(type) {
	case nil:
		return []byte{0}
	case bool:
		if v {
			return []byte{1, 1}
		}
		return []byte{1, 0}
	case int64:
		return tagged(2, refLittleEndian(bigNumber(v), 8))
	case uint64:
		return tagged(3, refLittleEndian(bigInteger(v), 8))
	case arrowtest.Float:
		switch {
		case v.IsNaN():
			v = 0x7ff8000000000000
		case v.Float64() == 0:
			v = 0
		}
		return tagged(4, refLittleEndian(bigInteger(uint64(v)), 8))
	case arrowtest.Decimal:
		text, exp := strings.TrimPrefix(string(v), "-"), 0
		if whole, frac, ok := strings.Cut(text, "."); ok {
			text, exp = whole+frac, -len(frac)
		}
		for text != "0" && strings.HasSuffix(text, "0") {
			text, exp = text[:len(text)-1], exp+1
		}
		c, _ := new(big.Int).SetString(text, 10)
		if v[0] == '-' {
			c.Neg(c)
		}
		b := refFewest(c)
		return tagged(5, refLittleEndian(bigNumber(int64(exp)), 4), []byte{byte(len(b))}, b)
	case string:
		return tagged(6, length(len(v)), []byte(v))
	case arrowtest.Bytes:
		return tagged(7, length(len(v)), []byte(v))
	case arrowtest.Date:
		return tagged(8, refLittleEndian(bigNumber(int64(v)), 8))
	case arrowtest.TimeOfDay:
		return tagged(9, refLittleEndian(refNanos(v.Sec, v.Nano), 16))
	case arrowtest.Timestamp:
		tag := byte(10)
		if v.Zoned {
			tag = 11
		}
		return tagged(tag, refLittleEndian(refNanos(v.Sec, v.Nano), 16))
	case arrowtest.Duration:
		return tagged(12, refLittleEndian(refNanos(v.Sec, v.Nano), 16))
	case arrowtest.Struct:
		b := tagged(13, length(len(v)))
		for _, m := range v {
			b = append(b, refCanonical(m.Value)...)
		}
		return b
	case arrowtest.List:
		b := tagged(14, length(len(v)))
		for _, e := range v {
			b = append(b, refCanonical(e)...)
		}
		return b
	}
	panic(fmt.Sprintf("no such value: %T", v))
}

// refText is a value cast to text, as Spark does in ANSI mode under Java 19, in UTC.
func refText(t arrow.DataType, v any) string {
	switch v := v.(type) {
	case string:
		return v
	case arrowtest.Bytes:
		return string(v)
	case arrowtest.Float:
		return refJava(v, form.Logical(t).ID() == arrow.FLOAT32)
	case arrowtest.Decimal:
		r, _ := new(big.Rat).SetString(string(v))
		return r.FloatString(int(form.Logical(t).(arrow.DecimalType).GetScale()))
	case arrowtest.Date:
		return refSigned(time.UnixMilli(int64(v)).UTC(), time.DateOnly)
	case arrowtest.Timestamp:
		return refSigned(time.Unix(v.Sec, int64(v.Nano)).UTC(), "2006-01-02 15:04:05.999999")
	}
	return fmt.Sprint(v)
}

// refSigned formats a time; years of five digits have a sign.
func refSigned(at time.Time, layout string) string {
	if at.Year() > 9999 {
		return "+" + at.Format(layout)
	}
	return at.Format(layout)
}

// refJava prints a float by its definition in Java 19: it tries more and more digits until they are the float again.
func refJava(v arrowtest.Float, single bool) string {
	f, size := v.Float64(), 64
	if single {
		size = 32
	}
	switch {
	case v.IsNaN():
		return "NaN"
	case math.IsInf(f, 0):
		return strings.Replace(fmt.Sprintf("%.0f", f), "Inf", "Infinity", 1)[strings.Count(fmt.Sprintf("%.0f", f), "+"):]
	case f == 0:
		return strings.TrimPrefix(fmt.Sprintf("%+.1f", f), "+")
	}
	sign := ""
	if f < 0 {
		sign, f = "-", -f
	}
	exact, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', 1100, 64), "e")
	exact = strings.Replace(exact, ".", "", 1)
	exp, _ := strconv.Atoi(exponent)
	for n := 2; ; n++ {
		// The numbers of n digits on both sides, those that are the float again, the nearer first, or the even one.
		below, _ := new(big.Int).SetString(exact[:n], 10)
		above := new(big.Int).Add(below, bigNumber(1))
		both := []*big.Int{below, above}
		if rest := exact[n:] + "0"; rest[0] > '5' || rest[0] == '5' && (strings.Trim(rest[1:], "0") != "" || below.Bit(0) == 1) {
			slices.Reverse(both)
		}
		for _, c := range both {
			if back, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", c, exp-n+1), size); back == f {
				return sign + refLay(c.String(), exp+len(c.String())-n)
			}
		}
	}
}

// refLay lays digits, d.ddd × 10^exp, out as Java does.
func refLay(digits string, exp int) string {
	switch {
	case exp < -3 || exp >= 7:
		return digits[:1] + "." + refFraction(digits[1:]) + "E" + strconv.Itoa(exp)
	case exp < 0:
		return "0." + refFraction(strings.Repeat("0", -exp-1)+digits)
	}
	digits += strings.Repeat("0", 7)
	return digits[:exp+1] + "." + refFraction(digits[exp+1:])
}

func refFraction(digits string) string {
	if digits = strings.TrimRight(digits, "0"); digits == "" {
		return "0"
	}
	return digits
}

// refJoined is concat_ws.
func refJoined(sep string, types []arrow.DataType, row []any) string {
	var parts []string
	for i, v := range row {
		switch v := v.(type) {
		case nil:
		case arrowtest.List:
			for _, e := range v {
				if e != nil {
					parts = append(parts, refText(form.Logical(types[i]).(interface{ Elem() arrow.DataType }).Elem(), e))
				}
			}
		default:
			parts = append(parts, refText(types[i], v))
		}
	}
	return strings.Join(parts, sep)
}

// refDBT is the text of a surrogate key.
func refDBT(null string, types []arrow.DataType, row []any) string {
	var parts []string
	for i, v := range row {
		if v == nil {
			parts = append(parts, null)
		} else {
			parts = append(parts, refText(types[i], v))
		}
	}
	return strings.Join(parts, "-")
}

// refChain folds a value into the hash of xxhash64.
func refChain(h uint64, t arrow.DataType, v any) uint64 {
	t = form.Logical(t)
	size := 8
	switch t.ID() {
	case arrow.BOOL, arrow.INT8, arrow.INT16, arrow.INT32, arrow.UINT8, arrow.UINT16, arrow.DATE32, arrow.DATE64, arrow.FLOAT32:
		size = 4
	}
	whole := func(n *big.Int) uint64 { return refXXH64(refLittleEndian(n, size), h) }
	switch v := v.(type) {
	case nil:
		return h
	case bool:
		if v {
			return whole(bigNumber(1))
		}
		return whole(bigNumber(0))
	case int64, uint64:
		return whole(bigInteger(v))
	case arrowtest.Float:
		f := v.Float64()
		switch {
		case v.IsNaN() && size == 4:
			return whole(bigNumber(0x7fc00000))
		case v.IsNaN():
			return whole(bigNumber(0x7ff8000000000000))
		case f == 0:
			return whole(bigNumber(0))
		case size == 4:
			return whole(bigNumber(int64(math.Float32bits(float32(f)))))
		}
		return whole(bigInteger(math.Float64bits(f)))
	case arrowtest.Decimal:
		d := t.(arrow.DecimalType)
		r, _ := new(big.Rat).SetString(string(v))
		n := r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(bigNumber(10), bigNumber(int64(d.GetScale())), nil))).Num()
		if d.GetPrecision() <= 18 {
			return whole(n)
		}
		return refXXH64(refFewest(n), h)
	case arrowtest.Date:
		return whole(bigNumber(int64(v) / 86_400_000))
	case arrowtest.Timestamp:
		return whole(new(big.Int).Quo(refNanos(v.Sec, v.Nano), bigNumber(1000)))
	case string:
		return refXXH64([]byte(v), h)
	case arrowtest.Bytes:
		return refXXH64([]byte(v), h)
	case arrowtest.List:
		for _, e := range v {
			h = refChain(h, t.(interface{ Elem() arrow.DataType }).Elem(), e)
		}
		return h
	case arrowtest.Struct:
		for i, m := range v {
			h = refChain(h, t.(*arrow.StructType).Field(i).Type, m.Value)
		}
		return h
	}
	panic(fmt.Sprintf("no such value: %T", v))
}

// refHash is the hash of a row as readHashes prints it, with "|" as the separator.
func refHash(f scd2.HashForm, types []arrow.DataType, row []any) string {
	sum := func(text string) string { return fmt.Sprintf("%x", md5.Sum([]byte(text))) }
	switch f {
	case scd2.SparkSHA2:
		return fmt.Sprintf("%x", sha256.Sum256([]byte(refJoined("|", types, row))))
	case scd2.SparkMD5:
		return sum(refJoined("|", types, row))
	case scd2.DBTKey:
		return sum(refDBT("_dbt_utils_surrogate_key_null_", types, row))
	case scd2.DBTLegacyKey:
		return sum(refDBT("", types, row))
	case scd2.SparkXXHash64:
		h := uint64(42)
		for i, v := range row {
			h = refChain(h, types[i], v)
		}
		return strconv.FormatInt(int64(h), 10)
	}
	var b []byte
	for _, v := range row {
		b = append(b, refCanonical(v)...)
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:16])
}

// readHashes prints the hashes of all arrays.
func readHashes(t testing.TB, arrs []arrow.Array) []string {
	t.Helper()
	var out []string
	for _, arr := range arrs {
		if arr.NullN() != 0 {
			t.Fatalf("%d hashes are NULL", arr.NullN())
		}
		for i := range arr.Len() {
			switch a := arr.(type) {
			case *array.String:
				out = append(out, strings.Clone(a.Value(i)))
			case *array.FixedSizeBinary:
				out = append(out, hex.EncodeToString(a.Value(i)))
			case *array.Int64:
				out = append(out, strconv.FormatInt(a.Value(i), 10))
			default:
				t.Fatalf("hashes of type %v", arr.DataType())
			}
		}
	}
	return out
}
