//go:build !purego

#include "textflag.h"

// What cells and spans begin with: the base in R0, the size in R1, the list and its length in R2 and R3.
#define LIST \
	MOVD base+0(FP), R0; \
	MOVD size+8(FP), R1; \
	MOVD at+16(FP), R2; \
	MOVD n+24(FP), R3; \
	CMP  $0, R3

// HOW is the kind of fetching.
#define CELLS(HOW) \
	LIST; \
	BLE  done; \
next: \
	MOVWU.P 4(R2), R4; \
	MADD R1, R0, R4, R5; \
	PRFM (R5), HOW; \
	SUBS $1, R3; \
	BNE  next; \
done: \
	RET

#define SPANS(HOW) \
	MOVD last+32(FP), R6; \
	LIST; \
	BLE  done; \
next: \
	MOVWU.P 4(R2), R4; \
	MADD R1, R0, R4, R5; \
	PRFM (R5), HOW; \
	ADD  R6, R5; \
	PRFM (R5), HOW; \
	SUBS $1, R3; \
	BNE  next; \
done: \
	RET

// func Read(p unsafe.Pointer, lines int)
TEXT ·Read(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD lines+8(FP), R1
	CMP  $0, R1
	BLE  done
next:
	PRFM (R0), PLDL1KEEP
	ADD  $64, R0
	SUBS $1, R1
	BNE  next
done:
	RET

// func Write(p unsafe.Pointer)
TEXT ·Write(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	PRFM (R0), PSTL1KEEP
	RET

// func cells(base, size uintptr, at *uint32, n int)
TEXT ·cells(SB), NOSPLIT, $0-32
	CELLS(PLDL1KEEP)

// func cellsOnce(base, size uintptr, at *uint32, n int)
TEXT ·cellsOnce(SB), NOSPLIT, $0-32
	CELLS(PLDL1STRM)

// func spans(base, size uintptr, at *uint32, n int, last uintptr)
TEXT ·spans(SB), NOSPLIT, $0-40
	SPANS(PLDL1KEEP)

// func spansOnce(base, size uintptr, at *uint32, n int, last uintptr)
TEXT ·spansOnce(SB), NOSPLIT, $0-40
	SPANS(PLDL1STRM)
