//go:build !purego

#include "textflag.h"

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
	MOVQ base+0(FP), AX
	MOVQ size+8(FP), BX
	MOVQ at+16(FP), SI
	MOVQ n+24(FP), CX
	TESTQ CX, CX
	JLE  done
next:
	MOVL (SI), DX
	IMULQ BX, DX
	PREFETCHT0 (AX)(DX*1)
	ADDQ $4, SI
	DECQ CX
	JNZ  next
done:
	RET
