package grain

// SetTableValues lets Keys deal the rows of a column out once it has so many values, until undo.
func SetTableValues(n int) (undo func()) {
	was := tableValues
	tableValues = n
	return func() { tableValues = was }
}
