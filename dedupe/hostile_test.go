package dedupe_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// hostile are arrays of three rows whose buffers contradict their type, in ways that Arrow lets through. Those that are seen, any
// call that reads all of the array refuses; others may also be read as some value or other.
func hostile() map[string]struct {
	data arrow.ArrayData
	seen bool
} {
	p, s := arrow.PrimitiveTypes, arrow.BinaryTypes
	int32s := func(v ...int32) *memory.Buffer { return memory.NewBufferBytes(arrow.GetBytes(v)) }
	int64s := func(v ...int64) *memory.Buffer { return memory.NewBufferBytes(arrow.GetBytes(v)) }
	raw := func(b ...byte) *memory.Buffer { return memory.NewBufferBytes(b) }
	data := func(typ arrow.DataType, children []arrow.ArrayData, buffers ...*memory.Buffer) *array.Data {
		return array.NewData(typ, 3, buffers, children, 0, 0)
	}
	header := func(size, buffer, offset int32) *memory.Buffer {
		return int32s(size, 0, buffer, offset, 1, 'a', 0, 0, 1, 'b', 0, 0)
	}
	ints := array.NewData(p.Int32, 2, []*memory.Buffer{nil, int32s(1, 2)}, nil, 0, 0)
	child := []arrow.ArrayData{ints}
	dict := func(typ *arrow.DictionaryType, indices *memory.Buffer, values *array.Data) *array.Data {
		return array.NewDataWithDictionary(typ, 3, []*memory.Buffer{nil, indices}, 0, 0, values)
	}
	small := &arrow.DictionaryType{IndexType: p.Int8, ValueType: p.Int32}
	wide := &arrow.DictionaryType{IndexType: p.Uint64, ValueType: p.Int32}
	many := array.NewData(p.Int32, 9, []*memory.Buffer{nil, int32s(1, 2, 3, 4, 5, 6, 7, 8, 9)}, nil, 0, 0)
	runs := func(ends ...int32) *array.Data {
		e := array.NewData(p.Int32, len(ends), []*memory.Buffer{nil, int32s(ends...)}, nil, 0, 0)
		return data(arrow.RunEndEncodedOf(p.Int32, p.Int32), []arrow.ArrayData{e, ints})
	}
	all := map[string]struct {
		data arrow.ArrayData
		seen bool
	}{}
	add := func(name string, seen bool, d arrow.ArrayData) {
		all[name] = struct {
			data arrow.ArrayData
			seen bool
		}{d, seen}
	}
	add("no values", true, data(p.Int64, nil, nil, nil))
	add("short bitmap", true, array.NewData(p.Int8, 3, []*memory.Buffer{raw(255), raw(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)}, nil, array.UnknownNullCount, 7))
	add("short bits", true, array.NewData(arrow.FixedWidthTypes.Boolean, 3, []*memory.Buffer{nil, raw(255)}, nil, 0, 7))
	add("short bytes", true, data(&arrow.FixedSizeBinaryType{ByteWidth: 3}, nil, nil, raw(1, 2, 3, 4)))
	add("falling offsets", true, data(s.String, nil, nil, int32s(0, 3, 1, 3), raw(1, 2, 3)))
	add("negative offset", true, data(s.String, nil, nil, int32s(-1, 0, 1, 1), raw(1, 2, 3)))
	add("offset outside", true, data(s.String, nil, nil, int32s(0, 9, 9, 3), raw(1, 2, 3)))
	add("large offset outside", true, data(s.LargeString, nil, nil, int64s(0, 1<<60, 1<<61, 3), raw(1, 2, 3)))
	add("negative view", true, data(s.StringView, nil, nil, header(-3, 0, 0), raw(1)))
	add("view buffer", true, data(s.StringView, nil, nil, header(20, 7, 0), raw(1)))
	add("view outside", true, data(s.StringView, nil, nil, header(20, 0, 1), raw(make([]byte, 20)...)))
	add("list outside", true, data(arrow.ListOf(p.Int32), child, nil, int32s(0, 3, 3, 3)))
	add("short list offsets", true, data(arrow.ListOf(p.Int32), child, nil, int32s(0, 1)))
	add("falling list", false, data(arrow.ListOf(p.Int32), child, nil, int32s(0, 2, 1, 1)))
	add("short list elements", true, data(arrow.FixedSizeListOf(3, p.Int32), child, nil))
	add("dictionary index", true, dict(small, raw(0, 1, 2), ints))
	add("negative index", true, dict(small, raw(0, 1, 255), ints))
	add("huge index", true, dict(wide, int64s(0, 1, -1), ints))
	add("index into many", true, dict(small, raw(0, 1, 9), many))
	add("missing run", true, runs(1, 2))
	add("falling runs", false, runs(3, 1))
	add("negative run", true, runs(-1, -2))
	return all
}

// beside makes a record of the hostile column and two sound ones: n, which tells rows apart, and one, which doesn't.
func beside(t *testing.T, d arrow.ArrayData) arrow.Record {
	t.Helper()
	n := array.MakeFromData(array.NewData(arrow.PrimitiveTypes.Int32, 3, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.GetBytes([]int32{1, 2, 3}))}, nil, 0, 0))
	one := array.MakeFromData(array.NewData(arrow.PrimitiveTypes.Int32, 3, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.GetBytes([]int32{1, 1, 1}))}, nil, 0, 0))
	bad := array.MakeFromData(d)
	schema := arrow.NewSchema([]arrow.Field{{Name: "bad", Type: bad.DataType(), Nullable: true}, {Name: "n", Type: n.DataType()}, {Name: "one", Type: one.DataType()}}, nil)
	return array.NewRecord(schema, []arrow.Array{bad, n, one}, 3)
}

// TestHostile gives hostile arrays to every call, in every role: an error that says so, or an answer; never a panic.
func TestHostile(t *testing.T) {
	for name, h := range hostile() {
		t.Run(name, func(t *testing.T) {
			rec := beside(t, h.data)
			batches, sound := []arrow.Record{rec}, soundRows(t)
			desc := func(c string) []onerow.Order { return []onerow.Order{onerow.Desc(c)} }
			latest := func(batches []arrow.Record, key string, order []onerow.Order, opts dedupe.Options) error {
				opts.Resources.Workers = 2
				_, err := dedupe.Latest(t.Context(), batches, []string{key}, order, opts)
				return err
			}
			typ := rec.Column(0).DataType()
			for role, call := range map[string]struct {
				seen bool // the call reads all of the array
				call func() error
			}{
				"key": {true, func() error { return latest(batches, "bad", desc("n"), dedupe.Options{}) }},
				"key with NULL": {true, func() error {
					return latest(batches, "bad", desc("n"), dedupe.Options{NullKey: onerow.EqualNullKeys})
				}},
				"order":     {true, func() error { return latest(batches, "one", desc("bad"), dedupe.Options{}) }},
				"tied":      {true, func() error { return latest(batches, "one", nil, dedupe.Options{Ties: dedupe.TiesByContent}) }},
				"set aside": {true, func() error { return latest(batches, "one", nil, dedupe.Options{Ties: dedupe.SetAsideTies}) }},
				"content":   {false, func() error { return latest(batches, "n", desc("n"), dedupe.Options{}) }},
				"guarded": {true, func() error {
					return latest(batches, "bad", desc("n"), dedupe.Options{Ties: dedupe.LastTied, Against: batches})
				}},
				"guarded content": {false, func() error {
					return latest(batches, "n", desc("one"), dedupe.Options{Ties: dedupe.LastTied, Against: batches})
				}},
				"previous key": {true, func() error {
					return latest(batches, "bad", desc("n"), dedupe.Options{Op: dedupe.Op{PreviousKey: []string{"bad"}}})
				}},
				"target": {false, func() error { return latest(sound, "n", desc("n"), dedupe.Options{Against: batches}) }},
				"check": {true, func() error {
					_, err := grain.Check(t.Context(), batches, []string{"bad"}, grain.Options{Resources: onerow.Resources{Workers: 2}})
					return err
				}},
				"check beside": {true, func() error {
					_, err := grain.Check(t.Context(), batches, []string{"n", "bad"}, grain.Options{Nulls: grain.NullsEqual})
					return err
				}},
				"align": {true, func() error {
					_, err := grain.Align(t.Context(), batches, []string{"bad"}, []string{"n"}, grain.Options{})
					return err
				}},
				"partition": {true, func() error { _, err := onerow.Partition(t.Context(), batches, []string{"bad"}, 4); return err }},
				"take": {true, func() error {
					mem := arrowtest.Allocator(t)
					got, err := onerow.Take(t.Context(), batches, onerow.Rows{2, 1, 0}, onerow.Resources{Allocator: mem})
					if err == nil {
						got.Release()
					}
					return err
				}},
				"plan": {true, func() error {
					mem := arrowtest.Allocator(t)
					p, err := dedupe.Latest(t.Context(), batches, []string{"n"}, desc("n"), dedupe.Options{})
					if err != nil {
						return err
					}
					got, err := p.Take(t.Context(), mem)
					if err == nil {
						got.Release()
					}
					return err
				}},
				"union": {false, func() error {
					mem := arrowtest.Allocator(t)
					out, err := dedupe.Union(mem, []dedupe.Source{{Batches: batches}, {Batches: sound}}, dedupe.UnionOptions{Missing: dedupe.NullMissing, RankColumn: "rank"})
					arrowtest.Release(out)
					return err
				}},
			} {
				panicked, err := catch(call.call)
				wantError := call.seen && h.seen
				if _, dict := typ.(*arrow.DictionaryType); dict && (role == "take" || role == "plan") {
					wantError = false // a dictionary is kept as it is, with its indices
				}
				switch {
				case panicked != nil:
					t.Errorf("%s: panic: %v", role, panicked)
				case err == nil && wantError:
					t.Errorf("%s: no error", role)
				case err != nil && !errors.Is(err, onerow.ErrMalformed) && (role != "order" || !errors.Is(err, onerow.ErrType)):
					t.Errorf("%s: %v", role, err)
				}
			}
		})
	}
}

// catch runs f, and returns what it panics with.
func catch(f func() error) (panicked any, err error) {
	defer func() { panicked = recover() }()
	return nil, f()
}

// soundRows are three rows without a hostile column.
func soundRows(t *testing.T) []arrow.Record {
	t.Helper()
	return arrowtest.Table(t, arrowtest.Allocator(t), []string{"n:int32!", "one:int32!"}, [][]any{{1, 1}, {2, 1}, {3, 1}})
}

// TestNilRecords: a nil record is refused like one of another schema.
func TestNilRecords(t *testing.T) {
	sound := soundRows(t)
	for at, batches := range [][]arrow.Record{{nil}, {sound[0], nil}} {
		for name, call := range map[string]func() error{
			"latest": func() error {
				_, err := dedupe.Latest(t.Context(), batches, []string{"n"}, nil, dedupe.Options{})
				return err
			},
			"against": func() error {
				_, err := dedupe.Latest(t.Context(), sound, []string{"n"}, nil, dedupe.Options{Against: batches})
				return err
			},
			"check": func() error { _, err := grain.Check(t.Context(), batches, []string{"n"}, grain.Options{}); return err },
			"union": func() error {
				_, err := dedupe.Union(nil, []dedupe.Source{{Batches: batches}}, dedupe.UnionOptions{})
				return err
			},
			"partition": func() error { _, err := onerow.Partition(t.Context(), batches, []string{"n"}, 2); return err },
			"take": func() error {
				_, err := onerow.Take(t.Context(), batches, onerow.Rows{0}, onerow.Resources{})
				return err
			},
		} {
			panicked, err := catch(call)
			var schema *onerow.SchemaError
			if panicked != nil || !errors.As(err, &schema) || schema.Batch != at {
				t.Errorf("%s: %v, panic %v", fmt.Sprintf("%s, nil at %d", name, at), err, panicked)
			}
		}
	}
}
