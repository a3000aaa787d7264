// Package arrow18 is onerow for programs on arrow-go/v18: Arrow data of v18 for the verbs of onerow, which speak v15, and what they
// return back as v18. The bytes are shared, never copied.
//
//	[]arrow.RecordBatch (v18) ─► FromBatches ─► Records ─► verb ─► Move ─► arrow.RecordBatch (v18)
//	array.RecordReader  (v18) ─► FromReader  ─► verb that reads streams
//
// # One line
//
// The question that each package answers is one call: [Latest] (dedupe), [Apply] (scd2), [Check] (grain), [Estimate] (join).
//
//	latest, report, err := arrow18.Latest(ctx, batches, []string{"id"}, []onerow.Order{onerow.Desc("lsn")}, dedupe.Options{})
//
// # Every verb
//
// Every other verb is called as it is, with [Records] in the place of its batches and [Move] around what it returns:
//
//	in, err := arrow18.FromBatches(batches)
//	if err != nil {
//		return err
//	}
//	defer in.Release()
//
//	plan, err := dedupe.Latest(ctx, in, key, order, dedupe.Options{Against: target})  // target: Records too
//	latest, err := arrow18.Move(plan.Take(ctx, nil))
//	ended, err := arrow18.Move(plan.TakeEnded(ctx, nil))
//	found, err := grain.Diagnose(ctx, in, key, grain.DiagnoseOptions{})
//	hashes, err := arrow18.MoveArrays(scd2.RowHash(ctx, in, columns, scd2.HashOptions{}))
//	after, err := arrow18.MoveAll(merge.Apply(ctx, nil, history))
//
// Options, keys, orders, reports, row lists and errors are those of onerow. An allocator of v18 is one of v15 too, as it is: the
// interfaces are alike.
//
// # Ownership
//
// Each converted buffer holds one reference to the buffer that its bytes are of, until its own last reference goes. So a batch and what was
// made of it are released each on its own, in any order, and a plan borrows the Records, as it borrows any batches. A buffer that
// went there and comes back is the one that it was. Bytes that are shared must not be written, by either side.
//
// Several goroutines may convert and read one batch at once. (Not beside that is the first call of an array's NullN, by which Arrow itself
// writes down the count.)
//
// # Types
//
// Every type that both versions have goes over with its names, nullability, metadata, units, zones, scales and codes: views, list
// views, run ends, dictionaries, unions and intervals too. NULL counts that aren't known, missing buffers and slices stay what they are.
// v18's decimal32 and decimal64 have no counterpart in v15, and are a [*TypeError]: cast them to decimal128 before.
//
// An extension type becomes the type that is registered under its name with the other version, if that takes the storage; else its
// storage, with the name and what it serializes to in the field's metadata, under ARROW:extension:name and ARROW:extension:metadata as in
// Arrow's IPC files, from where it comes back. Where there is no field (values of dictionaries and of run ends, arrays by themselves), the
// storage goes alone. The verbs treat an extension type as its storage either way.
//
// # Malformed data
//
// A conversion looks at lengths, offsets, numbers of buffers and children, and types, not at values. What it finds wrong is an error that
// wraps onerow.ErrMalformed and names the column. What is wrong with values, such as offsets that go down, goes over as it
// is: the verbs check what they read.
package arrow18
