package join

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/cespare/xxhash/v2"

	"github.com/onerow-go/onerow"
)

// goldenSketchFiles are the bytes of testdata/sketch_*.bin.
func goldenSketchFiles(t testing.TB) map[string][]byte {
	names, err := filepath.Glob("testdata/sketch_*.bin")
	if err != nil || len(names) == 0 {
		t.Fatal("no golden files", err)
	}
	files := map[string][]byte{}
	for _, n := range names {
		if files[strings.TrimSuffix(filepath.Base(n)[len("sketch_"):], ".bin")], err = os.ReadFile(n); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// sealed is a file with the sum that it should have.
func sealed(file []byte) []byte {
	file = bytes.Clone(file[:max(0, len(file)-8)])
	return binary.LittleEndian.AppendUint64(file, xxhash.Sum64(file))
}

// use does with a sketch that was read what a caller may do.
func use(t testing.TB, s *Sketch, file []byte) {
	t.Helper()
	written, err := s.MarshalBinary()
	if err != nil || !bytes.Equal(written, file) {
		t.Fatalf("read and written again:\n%q\n%q\n%v", file, written, err)
	}
	_, _ = s.Side(), s.String()
	small := &Sketch{columns: s.columns, nulls: s.nulls, size: MinSketchKeys}
	for _, o := range []*Sketch{s, small} {
		if m, err := s.Merge(o); err == nil {
			if why := m.check(); why != nil {
				t.Fatalf("merged: %v", why)
			}
		} else if !errors.Is(err, onerow.ErrTooManyRows) {
			t.Fatal(err)
		}
		if _, err := s.MergeDisjoint(o); err != nil && !errors.Is(err, onerow.ErrTooManyRows) && !errors.Is(err, onerow.ErrDuplicateKey) {
			t.Fatal(err)
		}
		e, err := EstimateSketches(s, o)
		if err != nil {
			t.Fatal(err)
		}
		_, _, _ = e.String(), e.MaxGrowth(1.5), e.LogValue()
		if _, err := json.Marshal(e); err != nil {
			t.Fatal(err)
		}
	}
}

// refused reads what isn't to be read, into a sketch that keeps what it has.
func refused(t *testing.T, what string, file []byte) {
	t.Helper()
	s := &Sketch{rows: 7}
	if err := s.UnmarshalBinary(file); !errors.Is(err, onerow.ErrSketch) || s.rows != 7 {
		t.Errorf("%s: %v", what, err)
	}
}

// Every truncation, every damaged byte, and bytes behind the end are errors; with the sum put right, nothing worse.
func TestSketchDamaged(t *testing.T) {
	for name, file := range goldenSketchFiles(t) {
		for n := range file {
			refused(t, name+" cut off", file[:n])
			mask := []byte{1, 0x80, 0xff}[n%3]
			bad := bytes.Clone(file)
			bad[n] ^= mask
			refused(t, name+" damaged", bad)
			for _, f := range [][]byte{sealed(bad), sealed(file[:n])} {
				var s Sketch
				switch err := s.UnmarshalBinary(f); {
				case err == nil:
					use(t, &s, f)
				case !errors.Is(err, onerow.ErrSketch):
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		refused(t, name+" and more", append(bytes.Clone(file), 0))
		refused(t, name+" and more, sealed", sealed(append(bytes.Clone(file), 0)))
		later := bytes.Clone(file)
		later[8] = SketchVersion + 1
		refused(t, name+" of a later version", sealed(later))
		later[8] = 0
		refused(t, name+" of version 0", sealed(later))
	}
	refused(t, "nothing", nil)
	refused(t, "Parquet", []byte("PAR1 and so on, longer than a head"))
	if err := (*Sketch)(nil).UnmarshalBinary(nil); !errors.Is(err, onerow.ErrOption) {
		t.Error(err)
	}
}

// readSketch reads a golden file.
func readSketch(t *testing.T, name string) *Sketch {
	t.Helper()
	s := &Sketch{}
	if err := s.UnmarshalBinary(goldenSketchFiles(t)[name]); err != nil {
		t.Fatal(err)
	}
	return s
}

// Sketches whose numbers contradict each other are refused, and say in what.
func TestSketchContradicts(t *testing.T) {
	for what, c := range map[string]struct {
		file string
		do   func(s *Sketch)
		why  string
	}{
		"too small a sample":        {"integer", func(s *Sketch) { s.size = 63 }, "63 keys, of 64"},
		"too large a sample":        {"integer", func(s *Sketch) { s.size = MaxSketchKeys + 1 }, "1048577 keys"},
		"a column twice":            {"composite", func(s *Sketch) { s.columns[1].name = s.columns[0].name }, "twice"},
		"too many rows":             {"null", func(s *Sketch) { s.rows = 1 << 63 }, "9223372036854775808 rows"},
		"more NULLs than rows":      {"null", func(s *Sketch) { s.nullRows = 3 }, "of which 3"},
		"rows without keys":         {"null", func(s *Sketch) { s.nullRows = 1 }, "0 rows, of 1"},
		"fewer rows than keys":      {"integer", func(s *Sketch) { s.sample[0].low += 5 }, "rows"},
		"a key without rows":        {"integer", func(s *Sketch) { s.sample[0].low = 0 }, "has 0 rows"},
		"keys in disorder":          {"integer", func(s *Sketch) { s.sample[0], s.sample[1] = s.sample[1], s.sample[0] }, "in its place"},
		"a key twice":               {"integer", func(s *Sketch) { s.sample[1].keyRef = s.sample[0].keyRef }, "in its place"},
		"a key of too many bytes":   {"integer", func(s *Sketch) { s.sample[0].id = strings.Repeat("a", 65) }, "in its place"},
		"a key of too few":          {"composite", func(s *Sketch) { s.sample[0].id = "a" }, "in its place"},
		"a digest of too few":       {"integer", func(s *Sketch) { s.sample[0].id = "\xff" }, "in its place"},
		"too long a text":           {"integer", func(s *Sketch) { s.sample[0].texts[0] = strings.Repeat("a", 161) }, "in its place"},
		"a sample that isn't full":  {"full", func(s *Sketch) { s.sample = s.sample[:63] }, "has 63"},
		"a sample that is too full": {"full", func(s *Sketch) { s.full, s.size = false, 64; s.sample = append(s.sample, s.sample[0]) }, "has 65"},
		"too many heavy keys":       {"full", func(s *Sketch) { s.heavy = append(s.heavy, s.sample[0]) }, "5 heavy keys"},
		"heavy keys in disorder":    {"full", func(s *Sketch) { s.heavy[0], s.heavy[1] = s.heavy[1], s.heavy[0] }, "heavy key 1"},
		"a heavy key twice":         {"full", func(s *Sketch) { s.heavy[3] = s.heavy[2]; s.heavy[3].low-- }, "heavy key 3"},
		"a heavy key of one row":    {"full", func(s *Sketch) { s.heavy[3].low, s.heavy[3].high = 1, 1 }, "1 to 1 rows"},
		"a heavy key of too many":   {"full", func(s *Sketch) { s.heavy[0].high = s.rows + 1 }, "heavy key 0"},
		"a heavy key of all":        {"full", func(s *Sketch) { s.heavy[0].high = math.MaxUint64 }, "heavy key 0"},
		"other rows in the sample": {"full", func(s *Sketch) {
			s.heavy = nil
			s.heavy = append(s.heavy, s.sample[0])
			s.heavy[0].low, s.heavy[0].high = 9, 9
		}, "in the sample"},
		"too few buckets":            {"full", func(s *Sketch) { s.buckets = s.buckets[:32] }, "32 buckets, of 64"},
		"a bucket of all rows":       {"full", func(s *Sketch) { s.buckets[3].rows = s.rows }, "bucket"},
		"a bucket of too few":        {"full", func(s *Sketch) { s.buckets[bucketOf(s.heavy[0].hash, 64)].rows = 3 }, "less than its keys"},
		"a bucket without keys":      {"full", func(s *Sketch) { s.buckets[bucketOf(s.sample[0].hash, 64)].keys = 0 }, "its keys"},
		"a bucket of too many keys":  {"full", func(s *Sketch) { s.buckets[0].keys = s.buckets[0].rows + 1 }, "more rows or keys"},
		"a bucket of lighter keys":   {"full", func(s *Sketch) { s.buckets[bucketOf(s.sample[0].hash, 64)].most = 0 }, "its keys"},
		"a bucket of heavier keys":   {"full", func(s *Sketch) { s.buckets[0].most = s.buckets[0].rows + 1 }, "more rows or keys"},
		"a bucket of lesser squares": {"full", func(s *Sketch) { s.buckets[bucketOf(s.sample[0].hash, 64)].squares = Count{} }, "its keys"},
		"rows that are in no bucket": {"full", func(s *Sketch) { s.rows++ }, "its buckets have"},
		"too few distinct keys":      {"full", func(s *Sketch) { s.least = 64 }, "64 to 200 distinct keys"},
		"too many distinct keys":     {"full", func(s *Sketch) { s.least = 201 }, "201 to 200 distinct keys"},
	} {
		s := readSketch(t, c.file)
		c.do(s)
		file, err := s.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var read Sketch
		if err := read.UnmarshalBinary(file); !errors.Is(err, onerow.ErrSketch) || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Counts that would take more memory than there is are refused before it is taken.
func TestSketchAbsurd(t *testing.T) {
	head := func(numbers ...uint64) []byte {
		return appendNumbers(append([]byte(sketchMagic), SketchVersion, flagFull), numbers...)
	}
	var lists []byte
	for range 5000 {
		lists = append(lists, listShape)
	}
	var structs []byte
	for range 3000 {
		structs = append(structs, structShape, 1, 0)
	}
	column := func(shape ...byte) []byte { return append(append(head(64, 1), 1, 'k'), shape...) }
	wide := appendNumbers(column(structShape), 500_000)
	wide = append(wide, make([]byte, 1_000_000)...)
	for what, file := range map[string][]byte{
		"columns":           head(64, math.MaxUint64),
		"columns that fit":  append(head(64, 500), make([]byte, 990)...),
		"no columns":        head(64, 0, 0, 0, 0, 65, 0, 6),
		"a long name":       head(64, 1, math.MaxInt64),
		"fields":            appendNumbers(column(structShape), math.MaxUint64),
		"half a million":    wide,
		"deep lists":        column(lists...),
		"deep structs":      column(structs...),
		"a strange family":  column(listShape + 1),
		"keys":              appendNumbers(column(2), 10, 0, math.MaxUint64),
		"more keys":         append(appendNumbers(column(2), 10, 0, 1<<40), make([]byte, 1000)...),
		"buckets":           append(appendNumbers(column(2), 0, 0, 0, 65, 0, 60), make([]byte, 100)...),
		"2^20 buckets":      append(appendNumbers(column(2), 0, 0, 0, 65, 0, 20), make([]byte, 100)...),
		"an endless number": append(column(2), bytes.Repeat([]byte{0x80}, 20)...),
		"a number too long": append(column(2), 0x81, 0x00, 0, 0),
		"65 bits":           append(column(2), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0),
	} {
		file = sealed(append(file, make([]byte, 8)...))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		refused(t, what, file)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 40*uint64(len(file))+2<<20 {
			t.Errorf("%s: %d bytes took %d", what, len(file), took)
		}
	}
	long := goldenSketchFiles(t)["null"]
	at := bytes.Index(long, []byte("key\x00\x02\x02")) + 4
	if bad := sealed(slices.Insert(bytes.Clone(long), at+1, 0)); at < 4 {
		t.Error("the number of rows isn't where it should be")
	} else {
		bad[at] |= 0x80 // the number of rows in two bytes
		bad = sealed(bad)
		if err := new(Sketch).UnmarshalBinary(bad); err == nil || !strings.Contains(err.Error(), "too long") {
			t.Errorf("a number in another form: %v", err)
		}
	}
	flags := head(64)
	flags[9] = flagsEnd
	refused(t, "flags", sealed(append(flags, make([]byte, 40)...)))
}

// A key of more types than a file may hold is refused when the sketch is made.
func TestSketchOfManyTypes(t *testing.T) {
	var typ arrow.DataType = arrow.PrimitiveTypes.Int8
	for range maxShapes {
		typ = arrow.ListOf(typ)
	}
	if ok, why := sketchable(family(typ)); ok || !strings.Contains(why, "4096") {
		t.Error(ok, why)
	}
}

// hugeSketch is one of nearly 2^63 rows of the keys of a golden one, times a factor.
func hugeSketch(t *testing.T) *Sketch {
	s := readSketch(t, "full")
	by := uint64(math.MaxInt64) / s.rows
	s.rows *= by
	for _, keys := range [][]sketchKey{s.sample, s.heavy} {
		for i := range keys {
			keys[i].low *= by
			keys[i].high *= by
		}
	}
	for i := range s.buckets {
		b := &s.buckets[i]
		b.rows, b.most = b.rows*by, b.most*by
		squares := b.squares.lo
		b.squares = Count{}
		for range squares {
			b.squares = b.squares.plus(product(by, by))
		}
	}
	return s
}

// Sides of nearly 2^63 rows make counts of 126 bits, and nothing overflows.
func TestSketchHuge(t *testing.T) {
	s := hugeSketch(t)
	file, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var read Sketch
	if err := read.UnmarshalBinary(file); err != nil {
		t.Fatal(err)
	}
	use(t, &read, file)
	small := readSketch(t, "full")
	want, err := EstimateSketches(small, small)
	if err != nil {
		t.Fatal(err)
	}
	got, err := EstimateSketches(&read, s)
	if err != nil {
		t.Fatal(err)
	}
	by := float64(s.rows / small.rows)
	for i, a := range got.Rows.list()[:1] {
		b := want.Rows.list()[i]
		for _, pair := range [][2]float64{{a.Low.Float64(), b.Low.Float64()}, {a.High.Float64(), b.High.Float64()}} {
			if f := pair[0] / (pair[1] * by * by); f < 0.99 || f > 1.01 {
				t.Errorf("%s %v, not %v times by², by %v", a.key, a.Approx, b.Approx, f)
			}
		}
		if a.StdErr <= 0 || math.IsInf(a.StdErr, 0) || math.IsNaN(a.StdErr) {
			t.Errorf("%s: %v", a.key, a.StdErr)
		}
	}
	if _, err := s.Merge(small); !errors.Is(err, onerow.ErrTooManyRows) {
		t.Error(err)
	}
	if _, err := s.Merge(s); !errors.Is(err, onerow.ErrTooManyRows) {
		t.Error(err)
	}
}

// The greatest hash that there is as the last of a sample leaves no key beyond, and no NaN.
func TestSketchReachesAll(t *testing.T) {
	s := readSketch(t, "full")
	last := &s.sample[len(s.sample)-1]
	last.hash = math.MaxUint64 - 1
	s.heavy, s.least = nil, 65
	for i := range s.buckets {
		s.buckets[i] = bucket{}
	}
	for _, k := range append(s.sample[:64:64], sketchKey{keyRef: keyRef{hash: math.MaxUint64, id: "z"}, low: 1}) {
		b := &s.buckets[bucketOf(k.hash, len(s.buckets))]
		b.rows += k.low
		b.addLight(k.low)
	}
	s.rows = 0
	for _, b := range s.buckets {
		s.rows += b.rows
	}
	file, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var read Sketch
	if err := read.UnmarshalBinary(file); err != nil {
		t.Fatal(err)
	}
	use(t, &read, file)
}

// FuzzSketch reads bytes as a sketch: one that is read is written as the same bytes, and can be used.
func FuzzSketch(f *testing.F) {
	for _, file := range goldenSketchFiles(f) {
		f.Add(file[:len(file)-8])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var s Sketch
		if err := s.UnmarshalBinary(body); err != nil && !errors.Is(err, onerow.ErrSketch) {
			t.Fatal(err)
		}
		file := sealed(append(bytes.Clone(body), make([]byte, 8)...))
		switch err := s.UnmarshalBinary(file); {
		case err == nil:
			use(t, &s, file)
		case !errors.Is(err, onerow.ErrSketch):
			t.Fatal(err)
		}
	})
}

// Heavy keys whose rows add up to more than 64 bits don't pass for few.
func TestSketchWraps(t *testing.T) {
	s := readSketch(t, "full")
	n := uint64(1) << 62
	s.rows = math.MaxInt64
	for i := range s.heavy {
		s.heavy[i] = sketchKey{keyRef: keyRef{hash: s.sample[63].hash&63 | uint64(i)<<6 | 1<<63, id: "heavy"}, low: n, high: n, texts: []string{""}}
	}
	at := bucketOf(s.heavy[0].hash, 64)
	for i := range s.buckets {
		if s.buckets[i] = (bucket{}); i == at {
			s.buckets[i] = bucket{rows: s.rows, keys: 100, most: n, squares: product(n, n)}
		}
	}
	for _, k := range s.sample {
		if b := &s.buckets[bucketOf(k.hash, 64)]; bucketOf(k.hash, 64) != at {
			b.rows += k.low
			b.addLight(k.low)
			s.buckets[at].rows -= k.low
		}
	}
	file, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var read Sketch
	if err := read.UnmarshalBinary(file); !errors.Is(err, onerow.ErrSketch) || !strings.Contains(err.Error(), "less than its keys") {
		t.Error(err)
	}
}

// The roots of bounds are rounded to the safe side, by floats as by big numbers.
func TestSketchRoots(t *testing.T) {
	for _, x := range []uint64{0, 1, 2, 3, 15, 16, 17, 1<<25 - 1, 1 << 25, 1<<26 - 1, 1 << 26, 1<<32 - 1, 1 << 40, math.MaxUint64} {
		for _, y := range []uint64{0, 1, 2, x, x - 1, x + 1} {
			p := new(big.Int).Mul(CountOf(x).Big(), CountOf(y).Big())
			down, up := rootOfProduct(CountOf(x), CountOf(y)).Big(), twiceRoot(CountOf(x), CountOf(y)).Big()
			next := new(big.Int).Add(down, big.NewInt(1))
			if new(big.Int).Mul(down, down).Cmp(p) > 0 || next.Mul(next, next).Cmp(p) <= 0 {
				t.Errorf("the root of %d times %d is %v", x, y, down)
			}
			p.Lsh(p, 2)
			less := new(big.Int).Sub(up, big.NewInt(1))
			if new(big.Int).Mul(up, up).Cmp(p) < 0 || less.Sign() >= 0 && less.Mul(less, less).Cmp(p) >= 0 {
				t.Errorf("twice the root of %d times %d is %v", x, y, up)
			}
		}
	}
}
