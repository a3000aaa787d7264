package scd2

// NeverSettle switches off what is settled without working a key off, and returns what switches it on again.
func NeverSettle() (again func()) {
	neverSettle = true
	return func() { neverSettle = false }
}

// Settled is the number of keys that a plan settled, Spliced of those whose events it spliced into their versions.
func Settled(m *Merge) int64 { return m.out.settled }
func Spliced(m *Merge) int64 { return m.out.spliced }
