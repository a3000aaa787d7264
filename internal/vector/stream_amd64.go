//go:build !purego

package vector

import "unsafe"

const line = 64

func stream(to, from []byte) (done int) {
	p, n := unsafe.Pointer(unsafe.SliceData(to)), len(from)/line
	if n == 0 || uintptr(p)%line != 0 {
		return 0
	}
	streamLines(p, unsafe.Pointer(unsafe.SliceData(from)), n)
	return n * line
}

// Settle ends what Stream began on this goroutine.
//
//go:noescape
func Settle()

//go:noescape
func streamLines(to, from unsafe.Pointer, n int)
