package join

// SetBufferRows sets how many rows of a stream are counted at a time at least, until the returned function is called.
func SetBufferRows(n int64) (restore func()) {
	old := bufferRows
	bufferRows = n
	return func() { bufferRows = old }
}
