// Package prefetch tells the processor what memory will be needed soon, so that it is at hand by then. It changes nothing but the time that takes:
// any address may be given, and none is read or written. With the build tag purego, and on processors that it knows no instruction of, it does
// nothing.
//
// Nothing in Go does as well. A read whose outcome isn't used is waited for all the same, as instructions end in their order.
package prefetch

// Line is the number of bytes that are fetched together.
const Line = 64
