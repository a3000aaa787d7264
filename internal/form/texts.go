package form

// Text returns the bytes of row i of a text or binary array, which isn't NULL; encoded ones are followed down. They are the array's own: not to
// be written to.
func (a *Array) Text(i int) []byte {
	a, i = a.leaf(i)
	return a.bytes(i)
}

// Leaf returns the array below dictionary, run-end and extension that holds row i, which isn't NULL, and the row there. Rows with one leaf have
// one value, so what is made of a value need be made only once.
func (a *Array) Leaf(i int) (*Array, int) { return a.leaf(i) }

// Float returns row i of a float array, which isn't NULL.
func (a *Array) Float(i int) float64 {
	a, i = a.leaf(i)
	return a.float(i)
}

// A Rewriter makes text arrays whose cells are those of others, rewritten. A dictionary that several arrays share is rewritten once.
type Rewriter struct {
	// Cell appends what becomes of a cell.
	Cell func(dst, cell []byte) []byte
	// Over is asked now and then whether to stop; what comes of it then means nothing. Nil: never.
	Over func() bool

	done map[*Array]*Array
}

// Rewrite returns an array with the rows of a, which holds text or NULL. It has the encoding of a, and its own memory for the cells.
func (w *Rewriter) Rewrite(a *Array) *Array {
	switch a.Kind {
	case KindNull:
		return a
	case KindDict, KindRuns:
		out, last := *a, len(a.kids)-1
		if last >= 0 {
			out.kids = append(out.kids[:last:last], w.once(a.kids[last]))
		}
		return &out
	}
	out := &Array{Kind: KindBytes64, Family: a.Family, Type: a.Type, Len: a.Len, mul: 1, rows: a.rows, i64: make([]int64, a.Len+1)}
	if a.valid != nil {
		out.valid = make([]byte, (a.Len+7)/8)
	}
	for i := range a.Len {
		if i&0xfff == 0xfff && w.Over != nil && w.Over() {
			return out
		}
		if !a.Null(i) {
			out.data = w.Cell(out.data, a.bytes(i))
			if out.valid != nil {
				out.valid[i>>3] |= 1 << (i & 7)
			}
		}
		out.i64[i+1] = int64(len(out.data))
	}
	return out
}

func (w *Rewriter) once(a *Array) *Array {
	if out := w.done[a]; out != nil {
		return out
	}
	if w.done == nil {
		w.done = map[*Array]*Array{}
	}
	w.done[a] = w.Rewrite(a)
	return w.done[a]
}
