//go:build !amd64 || purego

package vector

func stream(to, from []byte) (done int) { return 0 }

// Settle ends what Stream began on this goroutine.
func Settle() {}
