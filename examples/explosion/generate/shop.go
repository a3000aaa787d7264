package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

const (
	orderCount    = 4000
	customerCount = 480
	firstCustomer = 1000
	// guest is the customer of orders without an account. A load job adds a row for it each night that it sees such orders, and never looks whether
	// there is one.
	guest      = -1
	guestLoads = 312
)

var (
	firstNames = []string{"Ada", "Ben", "Chloé", "Dmitri", "Elif", "Femi", "Grace", "Hiro", "Inés", "Jonas", "Kofi", "Lena", "Mia", "Noor", "Otto", "Priya"}
	lastNames  = []string{"Abe", "Brandt", "Costa", "Dupont", "Evans", "Fischer", "Garcia", "Haas", "Ito", "Jensen", "Kaya", "Lopez", "Meyer", "Novak", "O'Neil"}
	cities     = []string{"Berlin", "Lisbon", "Lagos", "Lyon", "Oslo", "Osaka", "Porto", "Pune", "Turin", "Zürich"}
	segments   = []string{"basic", "plus", "business"}
)

// shop is where the tables come from.
type shop struct {
	rand    *rand.Rand
	history []version
}

// version is a row of the customers. Zero times are NULL.
type version struct {
	id                  int64
	noID                bool
	name, city, segment string
	from, to            time.Time
}

func newShop(seed uint64) *shop {
	s := &shop{rand: rand.New(rand.NewPCG(seed, 0))}
	for i := range customerCount {
		s.history = append(s.history, s.life(int64(firstCustomer+i))...)
	}
	s.overlap(8)
	s.copies(45)
	s.gap(12)
	for range guestLoads {
		s.history = append(s.history, version{id: guest, name: "(guest)", city: "?", segment: "?", from: s.day(2023, 730)})
	}
	for range 38 { // of an import that lost the ids
		s.history = append(s.history, version{noID: true, name: s.name(), city: pick(s, cities), segment: segments[0], from: s.day(2023, 300)})
	}
	slices.SortStableFunc(s.history, func(a, b version) int { return a.from.Compare(b.from) })
	return s
}

func pick[T any](s *shop, from []T) T { return from[s.rand.IntN(len(from))] }

func (s *shop) name() string { return pick(s, firstNames) + " " + pick(s, lastNames) }

func (s *shop) day(year, days int) time.Time {
	return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, s.rand.IntN(days))
}

// life makes the versions of a customer, one to eleven, each the end of the one before. Those who order much change more often.
func (s *shop) life(id int64) []version {
	v := version{id: id, name: s.name(), city: pick(s, cities), segment: segments[0], from: s.day(2020, 1140)}
	n := 1 + s.rand.IntN(4)
	if id-firstCustomer < 60 {
		n += 3 + s.rand.IntN(5)
	}
	var out []version
	for range n {
		out = append(out, v)
		at := &out[len(out)-1]
		v.from = v.from.AddDate(0, 0, 20+s.rand.IntN(150))
		at.to = v.from
		if s.rand.IntN(3) == 0 {
			v.segment = pick(s, segments)
		} else {
			v.city = pick(s, cities)
		}
	}
	out[len(out)-1].to = time.Time{}
	return out
}

// overlap lets the second version of some customers last beyond the next start: a correction that forgot to close it.
func (s *shop) overlap(n int) {
	for i := 2; i < len(s.history) && n > 0; i++ {
		first, second, third := &s.history[i-2], &s.history[i-1], &s.history[i]
		begins := i == 2 || s.history[i-3].id != first.id
		if begins && first.id == third.id && first.id%6 == 4 {
			second.to = second.to.AddDate(0, 0, 45)
			third.city, third.segment = second.city, second.segment
			n--
		}
	}
}

// copies loads some rows a second time.
func (s *shop) copies(n int) {
	for range n {
		s.history = append(s.history, pick(s, s.history))
	}
}

// gap lets the last version of some customers begin later: they closed their account for a while.
func (s *shop) gap(n int) {
	for i := range s.history {
		if v := &s.history[i]; n > 0 && i > 0 && v.to.IsZero() && s.history[i-1].id == v.id && v.id%9 == 4 {
			v.from = v.from.AddDate(0, 0, 60)
			n--
		}
	}
}

func (s *shop) customers(alloc memory.Allocator) arrow.Record {
	b := array.NewRecordBuilder(alloc, arrow.NewSchema([]arrow.Field{
		{Name: "customer_id", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "city", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "segment", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "valid_from", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
		{Name: "valid_to", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
	}, nil))
	defer b.Release()
	for _, v := range s.history {
		appendID(b.Field(0), v.id, v.noID)
		b.Field(1).(*array.StringBuilder).Append(v.name)
		b.Field(2).(*array.StringBuilder).Append(v.city)
		b.Field(3).(*array.StringBuilder).Append(v.segment)
		b.Field(4).(*array.Date32Builder).Append(arrow.Date32FromTime(v.from))
		if v.to.IsZero() {
			b.Field(5).AppendNull()
		} else {
			b.Field(5).(*array.Date32Builder).Append(arrow.Date32FromTime(v.to))
		}
	}
	return b.NewRecord()
}

func appendID(b array.Builder, id int64, null bool) {
	if null {
		b.AppendNull()
		return
	}
	b.(*array.Int64Builder).Append(id)
}

// orders are those of two years: an eighth by guests, some without a customer, some by customers who aren't in the table.
func (s *shop) orders(alloc memory.Allocator) arrow.Record {
	b := array.NewRecordBuilder(alloc, arrow.NewSchema([]arrow.Field{
		{Name: "order_id", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "customer_id", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "order_date", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
		{Name: "amount", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	}, nil))
	defer b.Release()
	day := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range orderCount {
		b.Field(0).(*array.Int64Builder).Append(int64(70001 + i))
		switch p := s.rand.Float64(); {
		case p < 0.12:
			appendID(b.Field(1), guest, false)
		case p < 0.135:
			appendID(b.Field(1), 0, true)
		case p < 0.147:
			appendID(b.Field(1), int64(firstCustomer+customerCount+s.rand.IntN(30)), false)
		default: // the customers of low numbers order most
			u := s.rand.Float64()
			appendID(b.Field(1), int64(firstCustomer+int(math.Pow(u, 2.2)*customerCount)), false)
		}
		b.Field(2).(*array.Date32Builder).Append(arrow.Date32FromTime(day.AddDate(0, 0, i*730/orderCount)))
		b.Field(3).(*array.Float64Builder).Append(math.Round(500+math.Exp(s.rand.NormFloat64()+8)) / 100)
	}
	return b.NewRecord()
}
