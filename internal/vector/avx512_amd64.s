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

DATA lane<>+0(SB)/8, $0x0003000200010000
DATA lane<>+8(SB)/8, $0x0007000600050004
GLOBL lane<>(SB), RODATA|NOPTR, $16

// What both loops over slots begin with: the rows are in X8, eight more in X9.
#define BEGIN \
	MOVQ list+0(FP), R9; \
	MOVQ m+8(FP), R10; \
	MOVQ keys+16(FP), SI; \
	MOVQ orders+24(FP), DI; \
	MOVQ i+32(FP), AX; \
	MOVQ rows+40(FP), CX; \
	VPBROADCASTQ flip+48(FP), Z2; \
	VPBROADCASTQ by+56(FP), Z0; \
	VMOVQ        shift+64(FP), X3; \
	VPBROADCASTQ mask+72(FP), Z1; \
	MOVQ slots+80(FP), BX; \
	VPBROADCASTW AX, X8; \
	VPADDW       lane<>(SB), X8, X8; \
	MOVL         $8, AX; \
	VPBROADCASTW AX, X9

// Eight keys in Z4, and the numbers of their slots, twice, in Z5.
#define FIND \
	VMOVDQU64  (SI), Z4; \
	VPMULLQ    Z0, Z4, Z5; \
	VPSRLQ     $32, Z5, Z6; \
	VPXORQ     Z6, Z5, Z5; \
	VPMULLQ    Z0, Z5, Z5; \
	VPSRLQ     X3, Z5, Z5; \
	VPANDQ     Z1, Z5, Z5

// Rows with their bit in K3 and in K4 are done with, the others are listed; eight rows on, and how many are left decides.
#define LIST \
	KANDB      K3, K4, K3; \
	KNOTB      K3, K3; \
	KMOVB      K3, AX; \
	VPCOMPRESSW.Z X8, K3, X11; \
	VMOVDQU    X11, (R9)(R10*2); \
	POPCNTL    AX, AX; \
	ADDQ       AX, R10; \
	VPADDW     X9, X8, X8; \
	ADDQ $64, SI; \
	ADDQ $64, DI; \
	SUBQ $8, CX

// func unbeaten512(list *uint16, m int, keys, orders *uint64, i, rows int, flip, by, shift, mask uint64, slots unsafe.Pointer) (n int)
TEXT ·unbeaten512(SB), NOSPLIT, $0-96
	BEGIN
next:
	FIND
	KXNORB     K1, K1, K1
	KXNORB     K2, K2, K2
	VPXORQ     Z6, Z6, Z6 // gathers need not wait for what was in them
	VPXORQ     Z7, Z7, Z7
	VPGATHERQQ (BX)(Z5*8), K1, Z6
	VPGATHERQQ 8(BX)(Z5*8), K2, Z7
	VPXORQ     (DI), Z2, Z10
	VPCMPEQQ   Z6, Z4, K3
	VPCMPUQ    $1, Z7, Z10, K4 // order < rank
	LIST
	JNZ  next
	MOVQ R10, n+88(FP)
	VZEROUPPER
	RET

// func above512(list *uint16, m int, keys, orders *uint64, i, rows int, flip, by, shift, mask uint64, slots unsafe.Pointer, least uint64) (n int)
TEXT ·above512(SB), NOSPLIT, $0-104
	BEGIN
	VPBROADCASTQ least+88(FP), Z7
next:
	FIND
	KXNORB     K1, K1, K1
	VPXORQ     Z6, Z6, Z6 // the gather need not wait for what was in them
	VPGATHERQQ (BX)(Z5*8), K1, Z6
	VPXORQ     (DI), Z2, Z10
	VPCMPEQQ   Z6, Z4, K3
	VPCMPUQ    $1, Z7, Z10, K4 // order < least
	LIST
	JNZ  next
	MOVQ R10, n+96(FP)
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
