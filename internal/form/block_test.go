package form

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// chunksOf reads some columns of one family as the chunks of one.
func chunksOf(t *testing.T, cols ...column) ([]*Array, []any) {
	var arrs []arrow.Array
	var vals []any
	for _, c := range cols {
		arrs = append(arrs, c.arrs...)
		for _, v := range c.vals {
			vals = append(vals, v...)
		}
	}
	return read(t, arrs), vals
}

// modesOf returns the modes that can read the chunks of a family.
func modesOf(chunks []*Array) []Mode {
	modes := []Mode{Digest}
	if FitsWord(chunks) {
		modes = append(modes, Word)
	}
	switch FamilyOf(chunks[0].Type) {
	case TextFamily, BinaryFamily:
		return append(modes, Text, Ordinal)
	case StructFamily, ListFamily:
		return modes
	}
	return append(modes, Ordinal)
}

// dirtyBlock returns a block that an earlier read has left behind.
func dirtyBlock(n int) *Block {
	b := NewHashBlock(n)
	b.soil(n)
	return b
}

// soil leaves a block as a read of n rows may have left it.
func (b *Block) soil(n int) {
	b.Grow(n)
	for i := range n {
		b.K0[i], b.K1[i], b.Null[i] = 0xdead, 0xbeef, 1
	}
	for i := range b.H {
		b.H[i] = 0xf00d
	}
	b.AnyNull = true
}

// readAll reads all rows, cut into blocks of at most a size, into one block.
func readAll(r *Reader, chunks []*Array, size int) *Block {
	return readInto(r, chunks, size, NewHashBlock(size))
}

// readInto is readAll by way of a block.
func readInto(r *Reader, chunks []*Array, size int, b *Block) *Block {
	all := &Block{}
	for c, a := range chunks {
		for lo := 0; lo < a.Len; lo += size {
			b.soil(min(size, a.Len-lo))
			r.Read(c, lo, min(size, a.Len-lo), b)
			all.K0, all.K1, all.H, all.Null = append(all.K0, b.K0...), append(all.K1, b.K1...), append(all.H, b.H...), append(all.Null, b.Null...)
			if found := slices.Contains(b.Null, 1); found != b.AnyNull {
				panic(fmt.Sprintf("AnyNull is %v over %v", b.AnyNull, b.Null))
			}
		}
	}
	return all
}

// Each mode of a Reader, over each type and form of a family, says of blocks what the cells say.
func TestBlocksAgreeWithCells(t *testing.T) {
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			mem := arrowtest.Allocator(t)
			for _, typ := range f.types {
				for _, col := range columns(t, mem, typ, f.cells) {
					chunks, vals := chunksOf(t, col)
					checkBlocks(t, typ+", "+col.name, chunks, vals, modesOf(chunks)...)
				}
			}
		})
	}
}

// Chunks of different types of a family, as the two sides of a comparison have them.
func TestBlocksOfTwoTypes(t *testing.T) {
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			mem := arrowtest.Allocator(t)
			var cols [][]column
			for _, typ := range f.types {
				cols = append(cols, columns(t, mem, typ, f.cells))
			}
			for i := range cols {
				for j := range cols {
					a, b := cols[i][(i+7*j)%len(cols[i])], cols[j][(5*i+j)%len(cols[j])]
					chunks, vals := chunksOf(t, a, b)
					modes := slices.DeleteFunc(modesOf(chunks), func(m Mode) bool { return m == Ordinal })
					checkBlocks(t, fmt.Sprintf("%s, %s and %s, %s", a.typ, a.name, b.typ, b.name), chunks, vals, modes...)
				}
			}
		})
	}
}

func checkBlocks(t *testing.T, what string, chunks []*Array, vals []any, modes ...Mode) {
	t.Helper()
	place := places(distinct(vals), ByValue)
	at := make([]int, len(vals))
	for i, v := range vals {
		at[i] = place[arrowtest.Format(v)]
	}
	for _, mode := range modes {
		r := NewReader(chunks, mode)
		b := readAll(r, chunks, 300)
		for _, size := range []int{1, 13} {
			c := readAll(r, chunks, size)
			if !slices.Equal(b.H, c.H) && mode != Ordinal || !slices.Equal(b.Null, c.Null) || !slices.Equal(b.K0, c.K0) && mode != Digest ||
				!slices.Equal(b.K1, c.K1) && (mode == Text || mode == Digest) {
				t.Fatalf("%s, mode %d: blocks of %d rows differ", what, mode, size)
			}
		}
		for _, c := range []*Block{readInto(r, chunks, 13, NewBlock(13)), readAll(Peek(chunks, mode), chunks, 1)} {
			if !slices.Equal(b.Null, c.Null) || !slices.Equal(b.K0, c.K0) && mode != Digest || !slices.Equal(b.K1, c.K1) && (mode == Text || mode == Digest) {
				t.Fatalf("%s, mode %d: blocks without hashes, or read without tables, differ", what, mode)
			}
		}
		what := fmt.Sprintf("%s, mode %d", what, mode)
		if len(b.Null) != len(vals) {
			t.Fatalf("%s: %d rows, want %d", what, len(b.Null), len(vals))
		}
		checkNulls(t, what, b, vals)
		if mode != Ordinal {
			checkHashes(t, what, b, chunks)
		}
		switch mode {
		case Word:
			checkWords(t, what, b, at, WordBytes(chunks))
		case Text:
			checkTexts(t, what, b, vals, at)
		case Digest:
			checkDigests(t, what, b, chunks)
		case Ordinal:
			checkRanks(t, what, b, vals, at)
		}
	}
}

// A NULL row has Null 1, K0 and K1 0, and the hash of NULL, in every mode.
func checkNulls(t *testing.T, what string, b *Block, vals []any) {
	t.Helper()
	for i, v := range vals {
		if (v == nil) != (b.Null[i] == 1) || b.Null[i] > 1 {
			t.Fatalf("%s: row %d, %s, has Null %d", what, i, arrowtest.Format(v), b.Null[i])
		}
		if v == nil && (b.K0[i] != 0 || b.K1[i] != 0 || b.H[i] != nullHash) {
			t.Fatalf("%s: row %d, NULL, has K0 %#x, K1 %#x, H %#x", what, i, b.K0[i], b.K1[i], b.H[i])
		}
	}
}

func checkHashes(t *testing.T, what string, b *Block, chunks []*Array) {
	t.Helper()
	row := 0
	for _, a := range chunks {
		for i := range a.Len {
			want, secret := DigestOf(a, i)
			if want != (hasher{}).cell(a, i) || secret != (hasher{secret: true}).cell(a, i) {
				t.Fatalf("%s: row %d, %s, has the digest %#x, %#x", what, row, Format(a, i), want, secret)
			}
			if b.H[row] != want {
				t.Fatalf("%s: row %d, %s, has H %#x, want %#x", what, row, Format(a, i), b.H[row], want)
			}
			row++
		}
	}
}

// checkWords: K0 is one word a value, and its low bytes suffice.
func checkWords(t *testing.T, what string, b *Block, at []int, width int) {
	t.Helper()
	words, places := map[uint64]int{}, map[int]uint64{}
	mask := ^uint64(0) >> (64 - 8*max(width, 1))
	for i, p := range at {
		if b.Null[i] == 1 {
			continue
		}
		if w, ok := places[p]; ok && w != b.K0[i] {
			t.Fatalf("%s: row %d: equal cells, words %#x and %#x", what, i, w, b.K0[i])
		}
		if q, ok := words[b.K0[i]&mask]; ok && q != p {
			t.Fatalf("%s: row %d: other cells, one word %#x of %d bytes", what, i, b.K0[i], width)
		}
		places[p], words[b.K0[i]&mask] = b.K0[i], p
	}
}

// checkTexts: K0 and K1 are the bytes of short texts, and equal for equal texts.
func checkTexts(t *testing.T, what string, b *Block, vals []any, at []int) {
	t.Helper()
	keys, places := map[[2]uint64]int{}, map[int][2]uint64{}
	for i, p := range at {
		if b.Null[i] == 1 {
			continue
		}
		text, ok := vals[i].(string)
		if !ok {
			text = string(vals[i].(arrowtest.Bytes))
		}
		k := [2]uint64{b.K0[i], b.K1[i]}
		if len(text) <= MaxInline {
			var want [2]uint64
			for j := range len(text) {
				want[j/8] |= uint64(text[j]) << (8 * (j % 8))
			}
			if want[1] |= uint64(len(text)) << 56; k != want {
				t.Fatalf("%s: row %d, %q, has %#x, want %#x", what, i, text, k, want)
			}
		} else if k[1]>>56 != LongText {
			t.Fatalf("%s: row %d, %q, has %#x", what, i, text, k)
		}
		if w, ok := places[p]; ok && w != k {
			t.Fatalf("%s: row %d: equal texts, %#x and %#x", what, i, w, k)
		}
		if q, ok := keys[k]; ok && q != p {
			t.Fatalf("%s: row %d: other texts, one key %#x", what, i, k)
		}
		places[p], keys[k] = k, p
	}
}

// checkDigests: K1 is the hash under the secret.
func checkDigests(t *testing.T, what string, b *Block, chunks []*Array) {
	t.Helper()
	row := 0
	for _, a := range chunks {
		for i := range a.Len {
			if !a.Null(i) && b.K1[row] != (hasher{secret: true}).cell(a, i) {
				t.Fatalf("%s: row %d, %s, has K1 %#x", what, row, Format(a, i), b.K1[row])
			}
			row++
		}
	}
}

// checkRanks: along the order of the values, K0 never falls.
func checkRanks(t *testing.T, what string, b *Block, vals []any, at []int) {
	t.Helper()
	var rows []int
	for i := range at {
		if b.Null[i] == 0 {
			rows = append(rows, i)
		}
	}
	slices.SortFunc(rows, func(i, j int) int { return cmp.Or(cmp.Compare(at[i], at[j]), cmp.Compare(b.K0[i], b.K0[j])) })
	for k := 1; k < len(rows); k++ {
		i, j := rows[k-1], rows[k]
		if b.K0[i] > b.K0[j] || at[i] == at[j] && b.K0[i] != b.K0[j] {
			t.Fatalf("%s: %s has %#x, %s has %#x", what, arrowtest.Format(vals[i]), b.K0[i], arrowtest.Format(vals[j]), b.K0[j])
		}
	}
}

// Texts at the very end of the data buffer, of every length, with fewer than sixteen bytes behind them, or none.
func TestTextsAtTheEnd(t *testing.T) {
	for n := range 20 {
		for after := range 18 {
			data := make([]byte, n+after)
			for i := range data {
				data[i] = byte('a' + i)
			}
			t.Run(fmt.Sprintf("%d bytes and %d", n, after), func(t *testing.T) {
				for _, a := range oneText(t, data, n) {
					b := dirtyBlock(1)
					NewReader([]*Array{a}, Text).Read(0, 0, 1, b)
					k0, k1 := textKey(data[:n])
					if h := refBytes(data[:n]); b.K0[0] != k0 || b.K1[0] != k1 || b.H[0] != h {
						t.Errorf("%v: %#x %#x %#x, want %#x %#x %#x", a.Type, b.K0[0], b.K1[0], b.H[0], k0, k1, h)
					}
				}
			})
		}
	}
}

// oneText returns arrays of one text, the first n bytes of a buffer.
func oneText(t *testing.T, data []byte, n int) []*Array {
	short := array.NewData(arrow.BinaryTypes.String, 1, buffers(nil, arrow.Int32Traits.CastToBytes([]int32{0, int32(n)}), data), nil, 0, 0)
	long := array.NewData(arrow.BinaryTypes.LargeString, 1, buffers(nil, arrow.Int64Traits.CastToBytes([]int64{0, int64(n)}), data), nil, 0, 0)
	var out []*Array
	for _, d := range []arrow.ArrayData{short, long} {
		a, err := OfData(d)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, a)
	}
	return out
}

// Offsets under NULL may be anything, as long as those of other rows hold.
func TestGarbageOffsetsUnderNull(t *testing.T) {
	data := []byte("abcdefghijklmnopqrstuvwxyz")
	offsets := []int32{0, 3, -7, 1 << 30, 3, 26}
	// Row 1 begins at 3 and ends at -7, row 2 ends at 1<<30, row 3 begins there; rows 0 and 4 aren't NULL.
	a, err := OfData(array.NewData(arrow.BinaryTypes.String, 5, buffers([]byte{0b10001}, arrow.Int32Traits.CastToBytes(offsets), data), nil, 3, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []Mode{Text, Digest, Ordinal} {
		b := dirtyBlock(5)
		NewReader([]*Array{a}, mode).Read(0, 0, 5, b)
		checkNulls(t, fmt.Sprint("mode ", mode), b, []any{"abc", nil, nil, nil, "defghijklmnopqrstuvwxyz"})
		if mode != Ordinal {
			checkHashes(t, fmt.Sprint("mode ", mode), b, []*Array{a})
		}
	}
}

// Random columns, cut at random, and read in random blocks.
func TestRandomBlocks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	mem := arrowtest.Allocator(t)
	for _, f := range families {
		typ := f.types[rnd.IntN(len(f.types))]
		cells := make([]any, 70)
		for i := range cells {
			if cells[i] = f.cells[rnd.IntN(len(f.cells))]; rnd.IntN(4) == 0 {
				cells[i] = nil
			}
		}
		all := columns(t, mem, typ, cells)
		for range 12 {
			col := all[rnd.IntN(len(all))]
			chunks, vals := chunksOf(t, slicedColumn(t, col, rnd))
			checkBlocks(t, typ+", "+col.name, chunks, vals, modesOf(chunks)...)
		}
	}
}

// slicedColumn keeps a random stretch of each array.
func slicedColumn(t *testing.T, col column, rnd *rand.Rand) column {
	out := column{name: col.name, typ: col.typ}
	for k, arr := range col.arrs {
		lo := rnd.IntN(arr.Len() + 1)
		hi := lo + rnd.IntN(arr.Len()-lo+1)
		cut := array.NewSlice(arr, int64(lo), int64(hi))
		t.Cleanup(cut.Release)
		out.arrs, out.vals = append(out.arrs, cut), append(out.vals, col.vals[k][lo:hi])
	}
	return out
}

// A dictionary that chunks share is read once, and so are the values below it; one with more values than there are rows is
// read row by row.
func TestDictionariesAreReadOnce(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	bld := array.NewDictionaryBuilder(mem, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}).(*array.BinaryDictionaryBuilder)
	defer bld.Release()
	for i := range 100 {
		if err := bld.AppendString(fmt.Sprint("value ", i%50)); err != nil {
			t.Fatal(err)
		}
	}
	whole := bld.NewDictionaryArray()
	defer whole.Release()
	var arrs []arrow.Array
	for lo := int64(0); lo < 100; lo += 10 {
		s := array.NewSlice(whole, lo, lo+10)
		defer s.Release()
		arrs = append(arrs, s)
	}
	chunks := read(t, arrs)
	for _, a := range chunks {
		if a.kids[0] != chunks[0].kids[0] {
			t.Fatal("the shared dictionary was read twice")
		}
	}
	if n := len(NewReader(chunks, Text).tables); n != 1 {
		t.Errorf("%d tables over all chunks, want 1", n)
	}
	few := chunks[:4]
	if n := len(NewReader(few, Text).tables); n != 0 {
		t.Errorf("%d tables for 50 values and 40 rows, want none", n)
	}
	var vals []any
	for _, arr := range arrs[:4] {
		vals = append(vals, arrowtest.Column(arr)...)
	}
	checkBlocks(t, "few rows of a dictionary", few, vals, Text, Digest, Ordinal)
}

// Under the constant hash of tests all hashes are one, and words and short texts still tell cells apart.
func TestConstantHash(t *testing.T) {
	ConstantHash(true)
	defer ConstantHash(false)
	if !IsConstantHash() {
		t.Fatal("it isn't on")
	}
	mem := arrowtest.Allocator(t)
	table := arrowtest.Table(t, mem, []string{"c:string"}, [][]any{{"a"}, {"b"}, {nil}, {"longer than fifteen bytes"}, {"also longer than fifteen"}})
	chunks := read(t, []arrow.Array{table[0].Column(0)})
	b := dirtyBlock(5)
	NewReader(chunks, Text).Read(0, 0, 5, b)
	if !slices.Equal(b.H, make([]uint64, 5)) || b.K0[0] != 'a' || b.K0[1] != 'b' || b.K0[3] != b.K0[4] || b.K1[3] != b.K1[4] || b.K1[4]>>56 != LongText {
		t.Errorf("text: %+v", b)
	}
	b = dirtyBlock(5)
	NewReader(chunks, Digest).Read(0, 0, 5, b)
	if !slices.Equal(b.H, make([]uint64, 5)) || !slices.Equal(b.K1, make([]uint64, 5)) || !slices.Equal(b.Null, []uint8{0, 0, 1, 0, 0}) {
		t.Errorf("digest: %+v", b)
	}
}
