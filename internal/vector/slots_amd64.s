//go:build !purego

#include "textflag.h"

// Rows of keys and orders are fetched 1,024 ahead. Beyond the columns' ends there may be no memory: that is passed over.
#define COLUMNS 8192

DATA lane<>+0(SB)/8, $0x0003000200010000
DATA lane<>+8(SB)/8, $0x0007000600050004
GLOBL lane<>(SB), RODATA|NOPTR, $16

// What both loops over rows begin with.
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
	MOVQ slots+80(FP), BX

// The places of the eight keys in Z4, in Z5.
#define FIND \
	VPMULLQ    Z0, Z4, Z5; \
	VPSRLQ     $32, Z5, Z6; \
	VPXORQ     Z6, Z5, Z5; \
	VPMULLQ    Z0, Z5, Z5; \
	VPSRLQ     X3, Z5, Z5; \
	VPANDQ     Z1, Z5, Z5

// The loop over lines keeps the places of 64 rows on the stack, at R11: from R13 on those of the next eight rows, from R12 on those of eight
// that come later, by 56 at most, whose lines are fetched.
#define PLACES 512
#define LATER 56

#define FETCH(n) \
	MOVQ       (n*8)(R11)(R12*1), DX; \
	PREFETCHT0 (BX)(DX*1)

// AHEAD finds the lines of eight rows, whose keys are at R8, and fetches them.
#define AHEAD \
	VMOVDQU64  (R8), Z4; \
	FIND; \
	VMOVDQU64  Z5, (R11)(R12*1); \
	FETCH(0); \
	FETCH(1); \
	FETCH(2); \
	FETCH(3); \
	FETCH(4); \
	FETCH(5); \
	FETCH(6); \
	FETCH(7); \
	ADDQ $64, R8; \
	ADDQ $64, R12; \
	ANDQ $(PLACES-1), R12

// Row n of eight, AX, which Zn takes from their keys and orders: it is done with if its key is in its line, which has keys where K5 has
// ones, and its order is less than the rank beside that.
#define LOOK(n, Zn) \
	MOVQ         (n*8)(R11)(R13*1), DX; \
	VMOVDQU64    (BX)(DX*1), Z14; \
	VPERMQ       Z4, Zn, Z12; \
	VPERMQ       Z10, Zn, Z13; \
	VPCMPEQQ     Z14, Z12, K5, K1; \
	KADDB        K1, K1, K1; \
	VPCMPUQ      $1, Z14, Z13, K1, K2; \
	KMOVB        K2, DX; \
	MOVW         AX, (R9)(R10*2); \
	INCL         AX; \
	CMPL         DX, $1; \
	ADCQ         $0, R10

#define TAKES(n, Zn) \
	MOVL         $n, DX; \
	VPBROADCASTQ DX, Zn

// func unbeaten512(list *uint16, m int, keys, orders *uint64, i, rows int, flip, by, shift, mask uint64, slots unsafe.Pointer) (n int)
TEXT ·unbeaten512(SB), NOSPLIT, $576-96
	BEGIN
	TAKES(0, Z16)
	TAKES(1, Z17)
	TAKES(2, Z18)
	TAKES(3, Z19)
	TAKES(4, Z20)
	TAKES(5, Z21)
	TAKES(6, Z22)
	TAKES(7, Z23)
	LEAQ  63(SP), R11
	ANDQ  $~63, R11
	MOVL  $0x55, DX
	KMOVB DX, K5
	MOVQ  SI, R8
	XORL  R12, R12
	XORL  R13, R13
	MOVL  $LATER, R14
	CMPQ  CX, R14
	CMOVQLT CX, R14
first:
	AHEAD
	SUBQ $8, R14
	JNZ  first
next:
	CMPQ CX, $LATER
	JLE  look
	AHEAD
look:
	PREFETCHT0 COLUMNS(SI)
	PREFETCHT0 COLUMNS(DI)
	VPXORQ    (DI), Z2, Z10
	VMOVDQU64 (SI), Z4
	LOOK(0, Z16)
	LOOK(1, Z17)
	LOOK(2, Z18)
	LOOK(3, Z19)
	LOOK(4, Z20)
	LOOK(5, Z21)
	LOOK(6, Z22)
	LOOK(7, Z23)
	ADDQ $64, R13
	ANDQ $(PLACES-1), R13
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $8, CX
	JNZ  next
	MOVQ R10, n+88(FP)
	VZEROUPPER
	RET

// func above512(list *uint16, m int, keys, orders *uint64, i, rows int, flip, by, shift, mask uint64, slots unsafe.Pointer, least uint64) (n int)
TEXT ·above512(SB), NOSPLIT, $0-104
	BEGIN
	VPBROADCASTQ least+88(FP), Z7
	VPBROADCASTW AX, X8 // the rows
	VPADDW       lane<>(SB), X8, X8
	MOVL         $8, AX
	VPBROADCASTW AX, X9
next:
	PREFETCHT0 COLUMNS(SI)
	PREFETCHT0 COLUMNS(DI)
	VMOVDQU64  (SI), Z4
	FIND
	KXNORB     K1, K1, K1
	VPXORQ     Z6, Z6, Z6 // the gather need not wait for what was in it
	VPGATHERQQ (BX)(Z5*8), K1, Z6
	VPXORQ     (DI), Z2, Z10
	VPCMPEQQ   Z6, Z4, K3
	VPCMPUQ    $1, Z7, Z10, K4 // order < least
	KANDB      K3, K4, K3
	KNOTB      K3, K3
	KMOVB      K3, AX
	VPCOMPRESSW.Z X8, K3, X11
	VMOVDQU    X11, (R9)(R10*2)
	POPCNTL    AX, AX
	ADDQ       AX, R10
	VPADDW     X9, X8, X8
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $8, CX
	JNZ  next
	MOVQ R10, n+96(FP)
	VZEROUPPER
	RET

// func homeless512(list, out *uint16, m int, keys *uint64, by, shift, mask uint64, slots unsafe.Pointer) (n int)
TEXT ·homeless512(SB), NOSPLIT, $0-72
	MOVQ list+0(FP), SI
	MOVQ out+8(FP), DI
	MOVQ m+16(FP), R13
	MOVQ keys+24(FP), R8
	MOVQ by+32(FP), R11
	MOVQ shift+40(FP), CX
	MOVQ mask+48(FP), R12
	MOVQ slots+56(FP), BX
	MOVL  $0x55, DX
	KMOVB DX, K5
	XORL R9, R9   // rows that stay
	XORL R10, R10 // rows in out
	LEAQ (SI)(R13*2), R13
	MOVQ SI, R14
next:
	MOVWLZX (R14), AX
	MOVQ    (R8)(AX*8), DX
	VPBROADCASTQ DX, Z12
	IMULQ R11, DX
	MOVQ  DX, R15
	SHRQ  $32, R15
	XORQ  R15, DX
	IMULQ R11, DX
	SHRQ  CX, DX
	ANDQ  R12, DX
	VMOVDQU64 (BX)(DX*1), Z14
	VPCMPEQQ  Z14, Z12, K5, K1
	VPTESTMQ  Z14, Z14, K2
	KMOVB K1, DX
	KMOVB K2, R15
	ANDL  $0xaa, R15
	XORL  $0xaa, R15
	ORL   DX, R15 // 0 if the key isn't there and no rank is 0
	MOVW  AX, (DI)(R10*2)
	MOVW  AX, (SI)(R9*2)
	XORL  DX, DX
	CMPL  R15, $1
	ADCQ  $0, R10
	CMPL  DX, R15
	ADCQ  $0, R9
	ADDQ  $2, R14
	CMPQ  R14, R13
	JNE   next
	MOVQ R10, n+64(FP)
	VZEROUPPER
	RET
