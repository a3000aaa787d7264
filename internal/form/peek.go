package form

// Peek returns a Reader that prepares nothing, for a few rows: it reads dictionaries cell by cell.
func Peek(chunks []*Array, mode Mode) *Reader { return &Reader{chunks: chunks, mode: mode} }

// DigestOf returns the two hashes of row i that [Digest] has: the stable one, and the one under a secret of this process.
func DigestOf(a *Array, i int) (stable, secret uint64) {
	if constantHash.Load() {
		return 0, 0
	}
	return hasher{}.cell(a, i), hasher{secret: true}.cell(a, i)
}
