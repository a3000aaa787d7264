// Package arrowtest makes, reads and compares the small tables of tests. It shares no code with the library under
// test: its cell reader is its own.
//
// # Columns
//
// A column is written "name:type", with "!" at the end where it isn't nullable. The types are
//
//	null bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64
//	string large_string string_view binary large_binary binary_view fsb(N)
//	date32 date64 time32[s|ms] time64[us|ns] timestamp[UNIT] timestamp[UNIT,ZONE] duration[UNIT]
//	decimal(P,S) decimal256(P,S)
//	dict<INDEX,VALUE> ree<VALUE> list<T> large_list<T> fsl<T,N> struct<a:T,b:T> map<K,V>
//
// # Cells
//
// A cell of a table is a plain Go value or what encoding/json makes of a case file (numbers as json.Number):
//
//	NULL            nil
//	bool            true
//	integer         7, int8(7), {"i": "9007199254740993"}
//	float           1.5, 1, {"f": "NaN"}, {"f": "NaN#1"} (other NaN bits), {"f": "-0"}, {"f": "Infinity"}
//	text            "a", {"x": "ff"} (what isn't UTF-8)
//	binary          []byte{255}, {"x": "ff"}, and as a Go string in hand-written tables: Bytes("\xff")
//	decimal         {"d": "1.50"}, "1.50", 7
//	date            "2026-01-31", or the raw number
//	timestamp       "2026-01-31T09:00:00.000001" if naive, with Z or an offset if zoned, or the raw number
//	time of day     "09:00:00.000001", or the raw number
//	duration        the raw number, time.Duration
//	list            []any{1, nil}
//	struct          map[string]any{"a": 1}: a field left out is an error
//	map             a list of structs of key and value
//
// # Values
//
// A value is what a cell means, whatever the encoding of its column. Values of one logical type are equal if and only if
// they are equal as Go values (==; for [List] and [Struct] reflect.DeepEqual or cmp.Equal), and any two values are equal
// if and only if [Format] prints them alike:
//
//	NULL nil; bool bool; integers int64, and uint64 above its range; floats [Float]; text string; binary [Bytes];
//	decimals [Decimal]; dates [Date]; timestamps [Timestamp]; times of day [TimeOfDay]; durations [Duration];
//	lists and maps [List]; structs [Struct]
//
// So int8 7 equals uint64 7, 1.20 equals 1.2000, and one instant equals itself in another unit; NaN equals NaN, whatever
// the bits, and -0 differs from 0. [Bits] gives values that keep the bits of a NaN; [Key] makes -0 and 0 equal too, as
// in a key.
//
// # Ownership
//
// Records belong to the caller, who releases them, but for those of [Table], which the test releases.
package arrowtest
