package join

import "github.com/onerow-go/onerow/internal/spill"

// SetBufferRows sets how many rows of a stream are counted at a time at least, until the returned function is called.
func SetBufferRows(n int64) (restore func()) {
	old := bufferRows
	bufferRows = n
	return func() { bufferRows = old }
}

// SetSpillFS puts another file system in the place of the machine's, until the returned function is called.
func SetSpillFS(fs spill.FS) (restore func()) {
	old := spillFS
	spillFS = fs
	return func() { spillFS = old }
}
