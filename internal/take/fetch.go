package take

// Gathering one row of ten is bound by how many lines of memory a core waits for at once, as most rows are on a line of their own, and the lines
// between them make the next one hard to foretell. So the stretch that some rows lie on is read line by line first, which goes at the pace of
// memory; then the rows are gathered out of the nearest caches.

// fetchBlock is the number of rows that are fetched, then gathered.
const fetchBlock = 128

// Rows are fetched when there is one for so many bytes. With more of them, gathering reads all lines in turn anyhow; with fewer, most lines are of no
// use. Words are gathered by loops that are so short that many loads wait for memory at once, which pays longer than for text.
const minSpread, maxWordSpread, maxTextSpread = 32, 128, 256

// fetch reads the lines of data[from:to], of which rows elements are about to be gathered, if there is a row for minSpread to spread bytes.
func (g *gather) fetch(data []byte, from, to, rows, spread int) {
	if from < 0 || to > len(data) || to-from < minSpread*rows || to-from > spread*rows {
		return
	}
	sum := byte(0)
	for i := from; i < to; i += 64 {
		sum += data[i]
	}
	g.fetched += sum
}
