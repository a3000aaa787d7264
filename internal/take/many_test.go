package take

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// shifted hands out memory that begins anywhere in a line.
type shifted struct {
	memory.Allocator
	by int
}

func (s shifted) Allocate(n int) []byte { return s.Allocator.Allocate(n + s.by)[s.by:] }
func (s shifted) Free([]byte)           {}

// manyRows lists more rows than caches hold, in runs of several lengths, uneven steps, and some that come back.
func manyRows(n int) []uint32 {
	rows := make([]uint32, 0, 32<<20/64+5)
	for at := 0; len(rows) < cap(rows); at = (at*7 + 13) % n {
		for k := range min(at%37, cap(rows)-len(rows)) {
			rows = append(rows, uint32((at+k*(at%5))%n))
		}
		at++
	}
	return rows
}

// TestMany gathers elements of all widths that are streamed, from chunks that begin anywhere in a line of the output, into memory that does so too.
func TestMany(t *testing.T) {
	const n = 30_011
	bytesOf := make([]byte, n*32)
	for i := range bytesOf {
		bytesOf[i] = byte(i ^ i>>8*5 ^ i>>16*3)
	}
	lists := map[string][]uint32{"uneven": manyRows(n), "ascending": make([]uint32, 32<<20/64)}
	for k := range lists["ascending"] {
		lists["ascending"][k] = uint32(k / 18)
	}
	for _, width := range []int{1, 2, 4, 8, 16, 32, 3} {
		typ := &arrow.FixedSizeBinaryType{ByteWidth: width}
		d := array.NewData(typ, n, []*memory.Buffer{nil, memory.NewBufferBytes(bytesOf[:n*width])}, nil, 0, 0)
		first := array.NewSliceData(d, 0, 10_007)
		second := array.NewData(typ, n-10_007, []*memory.Buffer{nil, memory.NewBufferBytes(bytesOf[10_000*width:])}, nil, 0, 7)
		cs := []chunk{newChunk(first), newChunk(second)}
		for name, rows := range lists {
			for _, by := range []int{0, 8} {
				t.Run(fmt.Sprintf("%d bytes, %s rows, shifted by %d", width, name, by), func(t *testing.T) {
					p, err := locate([]int64{0, 10_007, n}, rows, 1)
					if err != nil || !p.many() {
						t.Fatal(err)
					}
					g := &gather{ctx: context.Background(), mem: shifted{memory.NewGoAllocator(), by}}
					got, err := g.fixed(typ, width, cs, p)
					if err != nil {
						t.Fatal(err)
					}
					out := got.Buffers()[1].Bytes()
					for k, r := range rows {
						if got, want := out[k*width:(k+1)*width], bytesOf[int(r)*width:(int(r)+1)*width]; !bytes.Equal(got, want) {
							t.Fatalf("row %d, %d: %v, not %v", k, r, got, want)
						}
					}
				})
			}
		}
	}
}

// TestManyTexts gathers text of which elements go over the end of a line, or are longer than several.
func TestManyTexts(t *testing.T) {
	for _, long := range []int{12, 300} {
		const n = 5_003
		offsets, wide := make([]int32, n+1), make([]int64, n+1)
		for i := range n {
			offsets[i+1] = offsets[i] + int32(i*i%long)
			wide[i+1] = int64(offsets[i+1])
		}
		text := make([]byte, offsets[n])
		for i := range text {
			text[i] = byte(i*31 ^ i>>9)
		}
		rows := manyRows(n)
		for _, buf := range [][]byte{arrow.GetBytes(offsets), arrow.GetBytes(wide)} {
			typ := arrow.DataType(arrow.BinaryTypes.Binary)
			if len(buf) > 4*(n+1) {
				typ = arrow.BinaryTypes.LargeBinary
			}
			d := array.NewData(typ, n, []*memory.Buffer{nil, memory.NewBufferBytes(buf), memory.NewBufferBytes(text)}, nil, 0, 0)
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			defer mem.AssertSize(t, 0)
			col, err := Column(context.Background(), mem, []arrow.Array{array.MakeFromData(d)}, rows)
			if err != nil {
				t.Fatal(err)
			}
			defer col.Release()
			values := col.(interface{ Value(int) []byte })
			for k, r := range rows {
				if want := text[offsets[r]:offsets[r+1]]; !bytes.Equal(values.Value(k), want) {
					t.Fatalf("%v, row %d, %d: %q, not %q", typ, k, r, values.Value(k), want)
				}
			}
		}
	}
}

// TestManyBroken: elements that a buffer hasn't are an error, with memory behind it too.
func TestManyBroken(t *testing.T) {
	const n = 1000
	rows := make([]uint32, 32<<20/64)
	for k := range rows {
		rows[k] = uint32(k % n)
	}
	short := memory.NewBufferBytes(make([]byte, 8*n)[:8*n-8])
	d := array.NewData(arrow.PrimitiveTypes.Int64, n, []*memory.Buffer{nil, short}, nil, 0, 0)
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	_, err := Column(context.Background(), mem, []arrow.Array{array.MakeFromData(d)}, rows)
	var data *DataError
	if !errors.As(err, &data) {
		t.Errorf("error %v", err)
	}
}
