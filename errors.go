package onerow

import (
	"errors"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/keyset"
)

// The sentinels that every error of the library wraps.
var (
	// ErrNoKey: a call got no key columns.
	ErrNoKey = errors.New("no key columns")
	// ErrNoColumn: a named column isn't in the input, or more than one column has the name. See [ColumnError].
	ErrNoColumn = errors.New("no such column")
	// ErrType: a column's type can't do what was asked of it, or two columns are of different families. See [TypeError].
	ErrType = errors.New("type")
	// ErrSchema: the batches of one input don't have one schema. See [SchemaError].
	ErrSchema = errors.New("batches differ in schema")
	// ErrNoBatches: a record was asked for, and there is no batch that says what its columns are.
	ErrNoBatches = errors.New("no batches")
	// ErrNullKey: key columns hold NULL. See [NullError].
	ErrNullKey = errors.New("NULL in key")
	// ErrNullOrder: order columns hold NULL. See [NullError].
	ErrNullOrder = errors.New("NULL in order")
	// ErrTie: rows of one key are equal in order and differ in content. See [KeysError].
	ErrTie = errors.New("tie")
	// ErrDuplicateKey: a key that should be unique repeats. See [KeysError].
	ErrDuplicateKey = errors.New("duplicate key")
	// ErrGrain: rows were deduped at another grain than that of the ON clause.
	ErrGrain = errors.New("grain differs")
	// ErrMergeConflict: two or more rows of a source act on one row of the target. See [KeysError].
	ErrMergeConflict = errors.New("merge conflict")
	// ErrCompare: figures of a table changed by more than is allowed.
	ErrCompare = errors.New("figures differ")
	// ErrOption: an option has a value that it can't have. The message names the option.
	ErrOption = errors.New("option")
	// ErrTooLarge: an output column would hold more bytes or elements than its type can address. See [SizeError].
	ErrTooLarge = errors.New("output too large")
	// ErrTooManyRows: the input has more than [MaxRows] rows.
	ErrTooManyRows = errors.New("too many rows")
	// ErrMalformed: an array's buffers contradict its shape, such as offsets beyond the data.
	ErrMalformed = keyset.ErrMalformed
	// ErrRow: a row number lies outside the batches. See [RowError].
	ErrRow = errors.New("no such row")
	// ErrValue: a value can't be held by the column that it is to go into. See [ValueError].
	ErrValue = errors.New("value does not fit")
	// ErrMode: it wasn't said whether the source is a set of changes or a snapshot, or what absence from a snapshot means.
	ErrMode = errors.New("mode not said")
	// ErrBrokenHistory: versions of one key overlap, are inverted, or two of them are open. See [KeysError].
	ErrBrokenHistory = errors.New("broken history")
	// ErrLate: events come before the last boundary of their key, and that is refused. See [KeysError].
	ErrLate = errors.New("late event")
	// ErrPartialHistory: events need versions that were not given. See [KeysError].
	ErrPartialHistory = errors.New("history not given")
	// ErrTooManyClosed: more open versions would be closed by absence than is allowed.
	ErrTooManyClosed = errors.New("too many versions closed")
	// ErrEmptySource: a snapshot has no rows, and that isn't allowed.
	ErrEmptySource = errors.New("empty source")
	// ErrNoChange: nothing changed, and the caller requires a change.
	ErrNoChange = errors.New("nothing changed")
	// ErrStaleBase: a plan was made for another history than the one it is applied to, or for another state of a guard.
	ErrStaleBase = errors.New("stale base")
	// ErrRelationship: the rows of two sides meet in more ways than was allowed. See [KeysError].
	ErrRelationship = errors.New("relationship")
	// ErrGrowth: a join makes more rows than was allowed. See [KeysError].
	ErrGrowth = errors.New("too many rows in join")
	// ErrSketch: bytes that were to be read as a sketch are none, are damaged, or of a later version.
	ErrSketch = errors.New("not a sketch")
	// ErrSpill: the files that hold what a memory budget has no room for can't be written, read or removed, or were changed meanwhile. What
	// the system says is wrapped too: errors.Is(err, syscall.ENOSPC) is true of a full disk.
	ErrSpill = errors.New("spill")
)

// ColumnError says which column is missing from which input, or ambiguous in it. It wraps [ErrNoColumn].
type ColumnError struct {
	// Column is the name that was asked for.
	Column string
	// Input says where it was looked for: "batches", "against", a source's name.
	Input string
	// Found is the number of columns of that name: 0, or more than 1.
	Found int
	// Have lists the names that the input has.
	Have []string
}

func (e *ColumnError) Error() string {
	if e.Found > 1 {
		return fmt.Sprintf("column %q: %d columns of %s have this name", e.Column, e.Found, e.Input)
	}
	return fmt.Sprintf("column %q: %v in %s (%s)", e.Column, ErrNoColumn, e.Input, e.have())
}

// have names what there is, the first columns of a wide table.
func (e *ColumnError) have() string {
	const most = 20
	switch n := len(e.Have); {
	case n == 0:
		return "it has no columns"
	case n > most:
		return fmt.Sprintf("it has %s, … %d more", strings.Join(e.Have[:most], ", "), n-most)
	}
	return "it has " + strings.Join(e.Have, ", ")
}

func (e *ColumnError) Unwrap() error { return ErrNoColumn }

// TypeError says which column's type doesn't fit, and what it doesn't fit with. It wraps [ErrType].
type TypeError struct {
	// Column and Type are the column that was looked at.
	Column string
	Type   arrow.DataType
	// Input says which input it is in: "batches", "against"; "" where there is only one.
	Input string
	// OtherColumn, OtherType and OtherInput are set when two columns don't fit together: the other one.
	OtherColumn string
	OtherType   arrow.DataType
	OtherInput  string
	// Why says what can't be done, in words.
	Why string
}

func (e *TypeError) Error() string {
	s := typedColumn(e.Column, e.Input, e.Type)
	if e.OtherType != nil {
		s += " and " + typedColumn(e.OtherColumn, e.OtherInput, e.OtherType)
	}
	return s + ": " + e.Why
}

func typedColumn(name, input string, t arrow.DataType) string {
	if input != "" {
		input = " in " + input
	}
	return fmt.Sprintf("column %q of type %v%s", name, t, input)
}

func (e *TypeError) Unwrap() error { return ErrType }

// SchemaError says where two batches of one input differ. It wraps [ErrSchema].
type SchemaError struct {
	// Input says which input it is: "batches", "against".
	Input string
	// Batch is the number of the batch that differs from batch 0.
	Batch int
	// Why says how, naming the column and both types.
	Why string
}

func (e *SchemaError) Error() string {
	return fmt.Sprintf("%s: batch %d differs in schema from batch 0: %s", e.Input, e.Batch, e.Why)
}

func (e *SchemaError) Unwrap() error { return ErrSchema }

// ColumnNulls counts the rows in which one column is NULL.
type ColumnNulls struct {
	Column string `json:"column"`
	Rows   int64  `json:"rows"`
	// First is the number of the first such row.
	First uint32 `json:"first"`
}

// NullError lists the columns that hold NULL where none may be, with the number of rows of each. It wraps [ErrNullKey]
// or [ErrNullOrder].
type NullError struct {
	// Kind is ErrNullKey or ErrNullOrder.
	Kind error
	// Input says which input it is: "batches", "against".
	Input string
	// Columns are those with at least one NULL, in the order in which they were asked for.
	Columns []ColumnNulls
}

func (e *NullError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v of %s:", e.Kind, e.Input)
	for i, c := range e.Columns {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " column %q in %d %s (first: row %d)", c.Column, c.Rows, plural(c.Rows, "row", "rows"), c.First)
	}
	return b.String()
}

func (e *NullError) Unwrap() error { return e.Kind }

// KeyRows is one key, and rows that have it.
type KeyRows struct {
	// Values are the values of the key columns as text, in the order of the key: NULL as NULL, text in quotes, bytes
	// in hex, as the first of Rows has them.
	Values []string `json:"values"`
	// Count is the number of rows that the key has, or that are tied.
	Count int64 `json:"count"`
	// Rows are the first of them, at most [MaxSampleRows], in ascending order; none where only their number is known.
	Rows Rows `json:"rows"`
	// Why says what is wrong with this key, where that differs from key to key.
	Why string `json:"why,omitempty"`
}

// MaxSampleKeys and MaxSampleRows bound the samples in errors: so many keys, and so many rows of each.
const (
	MaxSampleKeys = 10
	MaxSampleRows = 10
)

// KeysError lists the first few keys that stand in the way, each with its first rows. It wraps its Kind.
type KeysError struct {
	// Kind is ErrTie, ErrDuplicateKey, ErrMergeConflict, ErrBrokenHistory, ErrLate, ErrPartialHistory, ErrValue,
	// ErrRelationship or ErrGrowth.
	Kind error
	// Input says which input the row numbers are of: "changes", "history"; "" where there is only one.
	Input string
	// Columns are the key columns.
	Columns []string
	// Total is the number of such keys; Keys holds at most [MaxSampleKeys] of them.
	Total int64
	Keys  []KeyRows
	// Why says what is wrong with them, in words.
	Why string
}

func (e *KeysError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v: %d %s: %s", e.Kind, e.Total, plural(e.Total, "key", "keys"), e.Why)
	shown := e.Keys[:min(len(e.Keys), 3)]
	for _, k := range shown {
		b.WriteString("; ")
		b.WriteString(FormatKey(e.Columns, k.Values))
		if k.Count > 0 {
			fmt.Fprintf(&b, " in %d %s%s%s", k.Count, plural(k.Count, "row", "rows"), of(e.Input), rowList(k))
		}
		if k.Why != "" {
			b.WriteString(", " + k.Why)
		}
	}
	if more := e.Total - int64(len(shown)); more > 0 {
		fmt.Fprintf(&b, "; … (%d more)", more)
	}
	return b.String()
}

func (e *KeysError) Unwrap() error { return e.Kind }

func of(input string) string {
	if input == "" {
		return ""
	}
	return " of " + input
}

// FormatKey writes a key as errors and reports do: tenant_id="acme", customer_id=7.
func FormatKey(columns, values []string) string {
	var b strings.Builder
	for i, c := range columns[:min(len(columns), len(values))] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c)
		b.WriteByte('=')
		b.WriteString(values[i])
	}
	return b.String()
}

// rowList is empty where the rows aren't known.
func rowList(k KeyRows) string {
	if len(k.Rows) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(" (")
	b.WriteString(plural(int64(len(k.Rows)), "row", "rows"))
	for i, r := range k.Rows {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %d", r)
	}
	if int64(len(k.Rows)) < k.Count {
		b.WriteString(", …")
	}
	return b.String() + ")"
}

func plural(n int64, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// SizeError says which output column would grow beyond what its type can address. It wraps [ErrTooLarge].
type SizeError struct {
	Column string
	Type   arrow.DataType
	// Size is what the column would hold, in Unit; Limit is what its type can address.
	Size, Limit int64
	// Unit is "bytes", "elements", "dictionary values" or "rows".
	Unit string
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("column %q of type %v: %v: %d %s, of at most %d; take fewer rows at a time, or use a large type",
		e.Column, e.Type, ErrTooLarge, e.Size, e.Unit, e.Limit)
}

func (e *SizeError) Unwrap() error { return ErrTooLarge }

// RowError says which row number lies outside its input. It wraps [ErrRow].
type RowError struct {
	Row uint32
	// Rows is the number of rows that the input has.
	Rows int64
}

func (e *RowError) Error() string {
	return fmt.Sprintf("row %d: %v: the batches have %d %s", e.Row, ErrRow, e.Rows, plural(e.Rows, "row", "rows"))
}

func (e *RowError) Unwrap() error { return ErrRow }

// ValueError says which value can't be held by the column it is to go into: out of range, too fine for its unit or scale. It
// wraps [ErrValue].
type ValueError struct {
	// Column, Type, Input and Row say where the value is; Type is that of the column. Row counts across the input's batches.
	Column string
	Type   arrow.DataType
	Input  string
	Row    uint32
	// Value is the value as text.
	Value string
	// Into is the column that can't hold it, and IntoType its type.
	Into     string
	IntoType arrow.DataType
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("row %d of %s: %v: column %q of type %v holds %s, which column %q of type %v can't hold exactly",
		e.Row, e.Input, ErrValue, e.Column, e.Type, e.Value, e.Into, e.IntoType)
}

func (e *ValueError) Unwrap() error { return ErrValue }
