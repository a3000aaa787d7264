//go:build !purego

#include "textflag.h"

// A state is the second word of an entry or slot: its payload over its row, so that the greater state is the greater row.

// func keepEntries(slots *Kept, starts uint64, entries *Kept, n int, left *uint8) (m, free int)
TEXT ·keepEntries(SB), NOSPLIT, $0-56
	MOVQ slots+0(FP), BX
	MOVQ starts+8(FP), DX
	MOVQ entries+16(FP), SI
	MOVQ n+24(FP), R9
	MOVQ left+32(FP), DI
	SHLQ $4, DX
	XORL R8, R8   // entries done,
	XORL R10, R10 // left,
	XORL R14, R14 // and free slots taken
next:
	MOVQ (SI), AX
	MOVQ 8(SI), R12
	MOVB R8, (DI)(R10*1)
	MOVQ AX, CX
	SHRQ $19, CX
	ANDQ DX, CX
	MOVQ 8(BX)(CX*1), R11
	MOVQ (BX)(CX*1), R15
	MOVQ R11, R13
	XORQ R12, R13
	SHRQ $32, R13
	CMPQ R11, $1         // carries if the slot is free
	CMOVQCS R12, R13
	CMOVQCS AX, R15
	ADCQ $0, R14
	MOVQ R15, (BX)(CX*1)
	XORQ R15, AX
	CMPQ R13, $1         // carries if payloads are equal
	SBBQ R13, R13        // then all bits
	ORQ  R13, AX         // 0 unless it is left
	CMPQ R12, R11
	CMOVQCS R11, R12
	CMPQ AX, $1          // carries unless it is left
	CMOVQCC R11, R12
	SBBQ $-1, R10
	MOVQ R12, 8(BX)(CX*1)
	ADDQ $16, SI
	INCQ R8
	CMPQ R8, R9
	JNE  next
	MOVQ R10, m+40(FP)
	MOVQ R14, free+48(FP)
	RET

// func keepNextEntries(slots *Kept, starts, mask uint64, entries *Kept, n int, left *uint8) (m, free int)
TEXT ·keepNextEntries(SB), NOSPLIT, $8-64
	MOVQ slots+0(FP), BX
	MOVQ starts+8(FP), AX
	MOVQ mask+16(FP), R14
	MOVQ entries+24(FP), SI
	MOVQ left+40(FP), DI
	SHLQ $4, AX
	MOVQ AX, starts-8(SP)
	SHLQ $4, R14
	XORL R8, R8
	XORL R10, R10
	XORL DX, DX
next:
	MOVBQZX (DI)(R8*1), R13
	MOVB R13, (DI)(R10*1)
	SHLQ $4, R13
	MOVQ (SI)(R13*1), AX
	MOVQ 8(SI)(R13*1), R12
	MOVQ AX, CX
	SHRQ $19, CX
	ANDQ starts-8(SP), CX
	MOVQ (BX)(CX*1), R13
	ADDQ $16, CX
	ANDQ R14, CX
	MOVQ 8(BX)(CX*1), R11
	MOVQ (BX)(CX*1), R15
	XORQ AX, R13
	CMPQ R13, $1         // carries if the key is at its start
	SBBQ R13, R13        // then all bits
	MOVQ R11, R9
	ORQ  R13, R9
	CMPQ R9, $1          // carries if it is not, and the slot is free
	CMOVQCS AX, R15
	SBBQ R9, R9          // then all bits, and it still carries
	ADCQ $0, DX
	MOVQ R15, (BX)(CX*1)
	XORQ R15, AX
	MOVQ R11, R15
	XORQ R12, R15
	SHRQ $32, R15
	ORQ  R9, R15
	CMPQ R15, $1         // carries if payloads are equal, and the slot wasn't free
	SBBQ R15, R15
	ORQ  R15, AX
	ORQ  R13, AX         // 0 unless it is left
	CMPQ R12, R11
	CMOVQCS R11, R12
	CMPQ AX, $1
	CMOVQCC R11, R12
	SBBQ $-1, R10
	MOVQ R12, 8(BX)(CX*1)
	INCQ R8
	CMPQ R8, n+32(FP)
	JNE  next
	MOVQ R10, m+48(FP)
	MOVQ DX, free+56(FP)
	RET
