//go:build !purego

#include "textflag.h"

// What cells and spans begin with: the base in AX, the size in BX, the list and its length in SI and CX.
#define LIST \
	MOVQ base+0(FP), AX; \
	MOVQ size+8(FP), BX; \
	MOVQ at+16(FP), SI; \
	MOVQ n+24(FP), CX; \
	TESTQ CX, CX

#define CELLS(FETCH) \
	LIST; \
	JLE  done; \
next: \
	MOVL  (SI), DX; \
	IMULQ BX, DX; \
	FETCH (AX)(DX*1); \
	ADDQ $4, SI; \
	DECQ CX; \
	JNZ  next; \
done: \
	RET

#define SPANS(FETCH) \
	LIST; \
	JLE  done; \
	MOVQ last+32(FP), DI; \
	ADDQ AX, DI; \
next: \
	MOVL  (SI), DX; \
	IMULQ BX, DX; \
	FETCH (AX)(DX*1); \
	FETCH (DI)(DX*1); \
	ADDQ $4, SI; \
	DECQ CX; \
	JNZ  next; \
done: \
	RET

// func Read(p unsafe.Pointer, lines int)
TEXT ·Read(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), AX
	MOVQ lines+8(FP), CX
	TESTQ CX, CX
	JLE  done
next:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	DECQ CX
	JNZ  next
done:
	RET

// func Write(p unsafe.Pointer)
TEXT ·Write(SB), NOSPLIT, $0-8
	MOVQ p+0(FP), AX
	BYTE $0x0f; BYTE $0x0d; BYTE $0x08 // PREFETCHW (AX), which the assembler doesn't know
	RET

// func cells(base, size uintptr, at *uint32, n int)
TEXT ·cells(SB), NOSPLIT, $0-32
	CELLS(PREFETCHT0)

// func cellsOnce(base, size uintptr, at *uint32, n int)
TEXT ·cellsOnce(SB), NOSPLIT, $0-32
	CELLS(PREFETCHNTA)

// func spans(base, size uintptr, at *uint32, n int, last uintptr)
TEXT ·spans(SB), NOSPLIT, $0-40
	SPANS(PREFETCHT0)

// func spansOnce(base, size uintptr, at *uint32, n int, last uintptr)
TEXT ·spansOnce(SB), NOSPLIT, $0-40
	SPANS(PREFETCHNTA)
