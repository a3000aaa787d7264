package bench

// barThreads is the number of threads and workers that the bars are for.
const barThreads = 2

// bar is what a workload is to reach: the peer's time over ours, with two workers and two threads.
type bar struct {
	// least is needed, aim is where the field ends.
	least, aim float64
}

// bars are the bars by workload.
var bars = map[string]bar{
	"L1": {8, 14}, "L2": {8, 14}, "L3": {8, 14}, "L4": {6, 10}, "L5": {8, 15}, "L5z": {8, 15}, "L6": {15, 30},
	"G1": {5, 8}, "G2": {4, 7},
	"J1": {4, 8}, "J2": {4, 8}, "J3": {8, 15},
	"S1": {2, 4}, "S2": {5, 10}, "R1": {5, 10}, "B1": {20, 50},
}

// plainForms are the statements that most would write first. The others are those that a study of DuckDB's plans led to: order columns packed
// into one integer, two aggregations, staged joins.
var plainForms = map[string]bool{
	"window": true, "arg_max struct, rowid": true, "totals": true, "totals, worst": true, "count-multiply": true, "count of the join": true,
	"asof left join": true, "range join": true, "two joins": true, "rebuild of touched keys": true, "lead": true, "running max": true, "window, left join": true,
	"window" + ofStream: true, "window" + ofParquet: true,
}

// limits are what else is to hold; each is the most, but for leastSpeedup.
const (
	mostOverFloor = 8   // L1 against one pass over its key and order columns
	aimOverFloor  = 5   // the same, where the field ends
	leastSpeedup  = 1.6 // L1 with two workers against one
	mostGrowth    = 1.8 // C1: ns a row at the largest size against the smallest
	mostRowBytes  = 24  // L1: peak memory over input and output, a row
	// mostMoreObjects is for the objects that L1, G1 and J1 allocate against those of a tenth of the rows: not more with rows, but that more partitions may be made.
	mostMoreObjects = 1.5
)
