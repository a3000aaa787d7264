package form

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
)

// textData are texts whose offsets begin at some byte, in buffers that end right after the last.
func textData(large bool, before string, texts []string) arrow.ArrayData {
	data, offs := []byte(before), []byte(nil)
	offset := func() {
		if large {
			offs = binary.LittleEndian.AppendUint64(offs, uint64(len(data)))
		} else {
			offs = binary.LittleEndian.AppendUint32(offs, uint32(len(data)))
		}
	}
	offset()
	for _, t := range texts {
		data = append(data, t...)
		offset()
	}
	typ := arrow.DataType(arrow.BinaryTypes.String)
	if large {
		typ = arrow.BinaryTypes.LargeString
	}
	return raw(typ, len(texts), [][]byte{nil, offs, bytes.Clone(data)})
}

// inlined reads rows of an array with Inline, where it may.
func inlined[O Offset](t *testing.T, a *Array, texts Texts[O], lo int) (short int) {
	t.Helper()
	for i := range len(texts.Offs) - 1 {
		want0, want1 := textKey(a.bytes(lo + i))
		if k0, k1 := texts.Words(i); k0 != want0 || k1 != want1 {
			t.Fatalf("row %d, %q: words %x %x, want %x %x", lo+i, a.bytes(lo+i), k0, k1, want0, want1)
		}
		start := uint64(texts.Offs[i])
		n := uint64(texts.Offs[i+1] - texts.Offs[i])
		if n > MaxInline || start >= texts.Last {
			continue
		}
		short++
		if start+16 > uint64(len(a.data)) {
			t.Fatalf("row %d: two words from byte %d of %d", lo+i, start, len(a.data))
		}
		if k0, k1 := Inline(unsafe.Add(texts.Base, start), n); k0 != want0 || k1 != want1 {
			t.Fatalf("row %d, %q: inlined %x %x, want %x %x", lo+i, a.bytes(lo+i), k0, k1, want0, want1)
		}
	}
	return short
}

// TestRawTexts: texts of all lengths, read from memory, are those of Mode Text, up to the last byte of their buffer.
func TestRawTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, large := range []bool{false, true} {
		for range 300 {
			texts := make([]string, 1+r.IntN(40))
			for i := range texts {
				texts[i] = strings.Repeat(string([]byte{byte(1 + r.IntN(255))}), r.IntN(MaxInline+1))
				if r.IntN(8) == 0 {
					texts[i] += "\x00beyond"
				}
			}
			cut := r.IntN(len(texts))
			a, err := OfData(part(textData(large, strings.Repeat("~", r.IntN(20)), texts), int64(cut), int64(len(texts))))
			texts = texts[cut:]
			if err != nil {
				t.Fatal(err)
			}
			lo := r.IntN(len(texts))
			n := 1 + r.IntN(len(texts)-lo)
			var short, want int
			if large {
				short = inlined(t, a, a.RawLargeTexts(lo, n), lo)
			} else {
				short = inlined(t, a, a.RawTexts(lo, n), lo)
			}
			end := len(a.data)
			for i := lo + n - 1; i >= lo; i-- {
				if size := len(a.bytes(i)); size <= MaxInline && start(a, i)+16 <= end {
					want++
				}
			}
			if short != want {
				t.Fatalf("%d texts are read from memory, want %d", short, want)
			}
			if a.RawTexts(lo, 0).Offs != nil || a.RawLargeTexts(lo, 0).Offs != nil {
				t.Fatal("no rows have offsets")
			}
		}
	}
}

func start(a *Array, i int) int {
	if a.Kind == KindBytes64 {
		return int(a.i64[a.off+i])
	}
	return int(a.i32[a.off+i])
}

// TestRawTextsMalformed: what offsets that point outside, or back, lead to is never read; nor are negative ones places in a buffer of more bytes than
// offsets can count.
func TestRawTextsMalformed(t *testing.T) {
	data := bytes.Repeat([]byte("x"), 64)
	for _, offs := range [][2]int64{{-1, 3}, {-16, -3}, {49, 52}, {63, 64}, {64, 64}, {70, 75}, {5, 3}, {5, -5}, {1<<31 - 1, -1 << 31}, {-1 << 31, -1 << 31}} {
		small := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(offs[0])), uint32(offs[1]))
		wide := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(offs[0])), uint64(offs[1]))
		a := &Array{Kind: KindBytes32, Len: 1, data: data, i32: arrow.Int32Traits.CastFromBytes(small)}
		if x := a.RawTexts(0, 1); uint64(x.Offs[1]-x.Offs[0]) <= MaxInline && uint64(x.Offs[0]) < x.Last {
			t.Errorf("%d: read from memory", offs)
		}
		b := &Array{Kind: KindBytes64, Len: 1, data: data, i64: arrow.Int64Traits.CastFromBytes(wide)}
		if x := b.RawLargeTexts(0, 1); x.Offs[1]-x.Offs[0] <= MaxInline && x.Offs[0] < x.Last {
			t.Errorf("%d: read from memory with offsets of 64 bits", offs)
		}
	}
	for _, c := range []struct{ size, want uint64 }{{0, 0}, {15, 0}, {16, 1}, {100, 85}, {1<<31 - 1, 1<<31 - 16}, {1 << 32, 1<<31 - 16}} {
		if got := lastOf(c.size, 1<<31-1); got != c.want {
			t.Errorf("of %d bytes, texts before %d are read from memory, want %d", c.size, got, c.want)
		}
	}
}
