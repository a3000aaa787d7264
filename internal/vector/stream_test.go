package vector_test

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/onerow-go/onerow/internal/vector"
)

// TestStream: it is a copy, wherever both begin in a line, and what lies before and behind is as it was.
func TestStream(t *testing.T) {
	const line = 64
	from, room := make([]byte, 5*line), make([]byte, 8*line)
	for i := range from {
		from[i] = byte(i*7 + 1)
	}
	lead := -int(uintptr(unsafe.Pointer(&room[0]))) & (line - 1)
	for _, n := range []int{0, 1, line - 1, line, line + 1, 3 * line, 4*line - 1} {
		for _, at := range []int{0, 1, 16, 32, line - 1} {
			for _, off := range []int{0, 1, 8, 33} {
				clear(room)
				to := room[lead+line+at:]
				vector.Stream(to[:n], from[off:off+n])
				vector.Settle()
				if !bytes.Equal(to[:n], from[off:off+n]) {
					t.Fatalf("%d bytes from %d to %d of a line: %v", n, off, at, to[:n])
				}
				if bytes.Count(room[:lead+line+at], []byte{0}) != lead+line+at || bytes.Count(to[n:], []byte{0}) != len(to)-n {
					t.Fatalf("%d bytes from %d to %d of a line: others are written too", n, off, at)
				}
			}
		}
	}
}

// TestStreamIntoTooFew: it writes nothing if there is no room.
func TestStreamIntoTooFew(t *testing.T) {
	room := make([]byte, 512)
	defer func() {
		if recover() == nil || bytes.Count(room, []byte{0}) != len(room) {
			t.Error("bytes were written where there is no room")
		}
	}()
	vector.Stream(room[:64:64], bytes.Repeat([]byte{1}, 128))
}
