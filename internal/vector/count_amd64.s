//go:build !purego

#include "textflag.h"

// What countWords and countNextWords begin with: slots in BX, starts, for the bytes by which these are away, in DX, entries and their number in
// SI and R9, room for those left in DI. None is done (R8), left (R10), or has taken a free slot (R11).
#define COUNTS \
	MOVQ slots+0(FP), BX; \
	MOVQ starts+8(FP), DX; \
	MOVQ entries+16(FP), SI; \
	MOVQ n+24(FP), R9; \
	MOVQ left+32(FP), DI; \
	SHLQ $3, DX; \
	XORL R8, R8; \
	XORL R10, R10; \
	XORL R11, R11

// The start of entry AX in CX; then AX is its key.
#define START \
	MOVQ AX, CX; \
	SHRQ $29, CX; \
	ANDQ DX, CX; \
	ANDQ $-512, AX

#define NEXT \
	INCQ R8; \
	CMPQ R8, R9; \
	JNE  next

// func dealWords(chunks *Chunk, keys *uint64, n int, tag uint64) (done int)
TEXT ·dealWords(SB), NOSPLIT, $0-40
	MOVQ chunks+0(FP), R8
	MOVQ keys+8(FP), SI
	MOVQ n+16(FP), R9
	MOVQ tag+24(FP), R10
	XORL R11, R11
next:
	MOVQ (SI)(R11*8), AX
	MOVQ AX, BX
	SHRQ $55, BX
	SHLQ $4, BX
	MOVQ 8(R8)(BX*1), CX
	CMPQ CX, $256
	JCC  full
	MOVQ (R8)(BX*1), DX
	SHLQ $9, AX
	ORQ  R10, AX
	MOVQ AX, (DX)(CX*8)
	INCQ CX
	MOVQ CX, 8(R8)(BX*1)
	INCQ R11
	CMPQ R11, R9
	JNE  next
full:
	MOVQ R11, done+32(FP)
	RET

// func countWords(slots *uint64, starts uint64, entries *uint64, n int, left *uint8) (m, free int)
TEXT ·countWords(SB), NOSPLIT, $0-56
	COUNTS
next:
	MOVQ (SI)(R8*8), AX
	MOVB R8, (DI)(R10*1)
	START
	MOVQ (BX)(CX*1), R12
	CMPQ R12, $1         // carries if it is free
	CMOVQCS AX, R12
	ADCQ $0, R11
	MOVQ R12, R13
	SUBQ AX, R13
	CMPQ R13, $511       // carries if the slot is the key's and has room
	SBBQ $-1, R10
	CMPQ R13, $511
	ADCQ $0, R12
	MOVQ R12, (BX)(CX*1)
	NEXT
	MOVQ R10, m+40(FP)
	MOVQ R11, free+48(FP)
	RET

// func countNextWords(slots *uint64, starts uint64, entries *uint64, n int, left *uint8) (m, free int)
TEXT ·countNextWords(SB), NOSPLIT, $0-56
	COUNTS
next:
	MOVBQZX (DI)(R8*1), R13
	MOVQ (SI)(R13*8), AX
	MOVB R13, (DI)(R10*1)
	START
	MOVQ (BX)(CX*1), R13
	ADDQ $8, CX
	ANDQ DX, CX
	MOVQ (BX)(CX*1), R12
	SUBQ AX, R13
	CMPQ R13, $512       // carries if the key is at its start
	SBBQ R13, R13        // then all bits
	MOVQ R12, R15
	ORQ  R13, R15
	CMPQ R15, $1         // carries if it is not, and the slot is free
	CMOVQCS AX, R12
	ADCQ $0, R11
	MOVQ R12, R15
	SUBQ AX, R15
	ORQ  R13, R15
	CMPQ R15, $511
	SBBQ $-1, R10
	CMPQ R15, $511
	ADCQ $0, R12
	MOVQ R12, (BX)(CX*1)
	NEXT
	MOVQ R10, m+40(FP)
	MOVQ R11, free+48(FP)
	RET

// func countSecondWords(slots *uint64, second *uint8, starts uint64, entries *uint64, n int, left *uint8) (m, free int)
TEXT ·countSecondWords(SB), NOSPLIT, $0-64
	MOVQ slots+0(FP), BX
	MOVQ starts+16(FP), DX
	MOVQ entries+24(FP), SI
	MOVQ n+32(FP), R9
	MOVQ left+40(FP), DI
	XORL R8, R8
	XORL R10, R10
	XORL R11, R11
next:
	MOVQ (SI)(R8*8), AX
	MOVB R8, (DI)(R10*1)
	MOVQ AX, CX
	SHRQ $32, CX
	ANDQ DX, CX
	ANDQ $-512, AX
	MOVQ (BX)(CX*8), R12
	CMPQ AX, $1          // carries if the key is zero
	SBBQ R13, R13        // then all bits
	MOVQ R12, R15
	ORQ  R13, R15
	CMPQ R15, $1         // carries if it is not, and the slot is free
	CMOVQCS AX, R12
	ADCQ $0, R11
	MOVQ R12, (BX)(CX*8)
	SUBQ AX, R12
	ORQ  R13, R12
	ADDQ second+8(FP), CX
	MOVBQZX (CX), R13
	LEAQ 4(R13*4), R15   // 1024 if there is no room
	ANDQ $1024, R15
	ORQ  R15, R12
	CMPQ R12, $512       // carries if the slot is the key's and there is room
	SBBQ $-1, R10
	CMPQ R12, $512
	ADCQ $0, R13
	MOVB R13, (CX)
	NEXT
	MOVQ R10, m+48(FP)
	MOVQ R11, free+56(FP)
	RET
