package dedupe

import "github.com/onerow-go/onerow/internal/spill"

// SetStreamFS puts a file system in place of the machine's.
func SetStreamFS(fs spill.FS) (restore func()) {
	was := streamFS
	streamFS = fs
	return func() { streamFS = was }
}

// SetSettleRows sets the least number of rows among which streams without a budget look for those that lost.
func SetSettleRows(n int64) (restore func()) {
	was := settleRows
	settleRows = n
	return func() { settleRows = was }
}

// SetLeastRoom sets how little room the smallest budget gives.
func SetLeastRoom(n int64) (restore func()) {
	was := leastRoom
	leastRoom = n
	return func() { leastRoom = was }
}
