package vector

// Stream is copy(to, from), of which the caches keep nothing where processors can: what is written once, and more of it than caches hold, need not be
// brought there first. Only whole lines go so, and none of a to that begins within one. [Settle] comes before others read what was written.
func Stream(to, from []byte) {
	to = to[:len(from)]
	done := stream(to, from)
	copy(to[done:], from[done:])
}
