package onerow_test

import (
	"testing"

	"github.com/onerow-go/onerow"
)

func TestOrder(t *testing.T) {
	tests := []struct {
		got, want onerow.Order
	}{
		{onerow.Desc("lsn"), onerow.Order{Column: "lsn"}},
		{onerow.Asc("lsn"), onerow.Order{Column: "lsn", Ascending: true}},
		{onerow.Desc("lsn").NullsLowest(), onerow.Order{Column: "lsn", Nulls: onerow.NullsAreLowest}},
		{onerow.Desc("lsn").NullsHighest(), onerow.Order{Column: "lsn", Nulls: onerow.NullsAreHighest}},
		{onerow.Asc("lsn").NullsLowest(), onerow.Order{Column: "lsn", Ascending: true, Nulls: onerow.NullsAreLowest}},
		{onerow.Asc("lsn").NullsHighest(), onerow.Order{Column: "lsn", Ascending: true, Nulls: onerow.NullsAreHighest}},
		{onerow.Asc("lsn").NullsHighest().NullsLowest(), onerow.Order{Column: "lsn", Ascending: true, Nulls: onerow.NullsAreLowest}},
	}
	for _, test := range tests {
		if test.got != test.want {
			t.Errorf("got %+v, want %+v", test.got, test.want)
		}
	}
}

// An order is a value: where NULL stands is said of a copy.
func TestOrderIsAValue(t *testing.T) {
	plain := onerow.Desc("lsn")
	if lowest := plain.NullsLowest(); lowest == plain || plain.Nulls != onerow.RejectNulls {
		t.Errorf("NullsLowest of %+v gave %+v", plain, lowest)
	}
}
