//go:build !purego

#include "textflag.h"

// func permute512(to, from *uint64, n int, add, by, again uint64)
TEXT ·permute512(SB), NOSPLIT, $0-48
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ n+16(FP), CX
	VPBROADCASTQ add+24(FP), Z0
	VPBROADCASTQ by+32(FP), Z1
	VPBROADCASTQ again+40(FP), Z2
	TESTQ CX, CX
	JZ   done
next:
	VPXORQ    (SI), Z0, Z3
	VPMULLQ   Z1, Z3, Z3
	VPSRLQ    $32, Z3, Z4
	VPXORQ    Z4, Z3, Z3
	VPMULLQ   Z2, Z3, Z3
	VPSRLQ    $29, Z3, Z4
	VPXORQ    Z4, Z3, Z3
	VMOVDQU64 Z3, (DI)
	ADDQ $64, SI
	ADDQ $64, DI
	DECQ CX
	JNZ  next
done:
	VZEROUPPER
	RET

// func narrow512(to *uint32, from *uint64, n int, base, shift uint64, flip uint32) (greatest uint64)
TEXT ·narrow512(SB), NOSPLIT, $0-56
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ n+16(FP), CX
	VPBROADCASTQ base+24(FP), Z0
	VMOVQ        shift+32(FP), X1
	MOVL         flip+40(FP), AX
	VPBROADCASTD AX, Y2
	VPXORQ Z5, Z5, Z5 // the greatest of each lane
	TESTQ CX, CX
	JZ   done
next:
	VMOVDQU64 (SI), Z3
	VPSUBQ    Z0, Z3, Z3
	VPMAXUQ   Z3, Z5, Z5
	VPSRLQ    X1, Z3, Z3
	VPMOVQD   Z3, Y3
	VPXORD    Y2, Y3, Y3
	VMOVDQU   Y3, (DI)
	ADDQ $64, SI
	ADDQ $32, DI
	DECQ CX
	JNZ  next
done:
	VEXTRACTI64X4 $1, Z5, Y6
	VPMAXUQ       Y6, Y5, Y5
	VEXTRACTI128  $1, Y5, X6
	VPMAXUQ       X6, X5, X5
	VPSHUFD       $0x4e, X5, X6
	VPMAXUQ       X6, X5, X5
	VMOVQ         X5, greatest+48(FP)
	VZEROUPPER
	RET

// func cpuid(leaf, sub uint32) (a, b, c, d uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	MOVL sub+4(FP), CX
	CPUID
	MOVL AX, a+8(FP)
	MOVL BX, b+12(FP)
	MOVL CX, c+16(FP)
	MOVL DX, d+20(FP)
	RET

// func xgetbv() (low uint32)
TEXT ·xgetbv(SB), NOSPLIT, $0-4
	XORL CX, CX
	XGETBV
	MOVL AX, low+0(FP)
	RET
