package onerow

// Order is one column of an order: rows are compared by its values, by the rules of the package documentation, and
// NaN is the greatest number. Text and binary compare by bytes. Struct, list, map, union and interval columns have no
// order. Make one with [Desc] or [Asc].
type Order struct {
	// Column is the name of the column.
	Column string

	// Ascending lets the smallest value win. Default false: the greatest wins.
	Ascending bool

	// Nulls says where a NULL stands. Default RejectNulls.
	Nulls NullOrder
}

// NullOrder says what a NULL in an order column means.
type NullOrder uint8

const (
	// RejectNulls refuses the call: a row without an order value can't be placed.
	RejectNulls NullOrder = iota
	// NullsAreLowest puts NULL below every value, whatever the direction.
	NullsAreLowest
	// NullsAreHighest puts NULL above every value, NaN included, whatever the direction.
	NullsAreHighest
)

// Desc orders by column, and the greatest value wins.
func Desc(column string) Order { return Order{Column: column} }

// Asc orders by column, and the smallest value wins.
func Asc(column string) Order { return Order{Column: column, Ascending: true} }

// NullsLowest returns the order with NULL below every value. The word speaks of the value, not of the outcome: with
// [Desc] such a row loses to any other, with [Asc] it wins.
func (o Order) NullsLowest() Order { o.Nulls = NullsAreLowest; return o }

// NullsHighest returns the order with NULL above every value, NaN included. With [Desc] such a row wins over any other,
// with [Asc] it loses.
func (o Order) NullsHighest() Order { o.Nulls = NullsAreHighest; return o }
