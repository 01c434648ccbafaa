#include "textflag.h"

// func scanAVX2(q *int16, rows *int8, dims, n int, dst *int32)
//
// Each step widens 32 bytes of a row to 16 bits, multiplies them with 32
// numbers of q and adds neighbouring products into 32-bit sums; nothing
// saturates, so the result is exact.
TEXT ·scanAVX2(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), SI
	MOVQ rows+8(FP), DI
	MOVQ dims+16(FP), DX
	MOVQ n+24(FP), CX
	MOVQ dst+32(FP), BX

row:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	MOVQ  SI, R8
	MOVQ  DX, R9

step:
	VPMOVSXBW (DI), Y2
	VPMOVSXBW 16(DI), Y3
	VPMADDWD  (R8), Y2, Y2
	VPMADDWD  32(R8), Y3, Y3
	VPADDD    Y2, Y0, Y0
	VPADDD    Y3, Y1, Y1
	ADDQ      $32, DI
	ADDQ      $64, R8
	SUBQ      $32, R9
	JNZ       step

	VPADDD       Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4E, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xB1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, (BX)
	ADDQ         $4, BX
	DECQ         CX
	JNZ          row

	VZEROUPPER
	RET

// func scanVNNI(q, rows *int8, dims, n int, less int32, dst *int32)
//
// VPDPBUSD multiplies bytes without a sign by bytes with one and adds four
// neighbouring products into a 32-bit sum; nothing saturates. A row's bytes lose
// their sign by adding 128 (a flip of the top bit), which makes each sum too
// large by 128 times the sum of q: less takes that back.
TEXT ·scanVNNI(SB), NOSPLIT, $0-48
	MOVQ q+0(FP), SI
	MOVQ rows+8(FP), DI
	MOVQ dims+16(FP), DX
	MOVQ n+24(FP), CX
	MOVL less+32(FP), AX
	MOVQ dst+40(FP), BX
	MOVL $0x80808080, R9
	VPBROADCASTD R9, Z3

row:
	VMOVD AX, X0
	MOVQ  SI, R8
	MOVQ  DX, R9

step:
	VPXORD   (DI), Z3, Z2
	VPDPBUSD (R8), Z2, Z0
	ADDQ     $64, DI
	ADDQ     $64, R8
	SUBQ     $64, R9
	JNZ      step

	VEXTRACTI64X4 $1, Z0, Y1
	VPADDD        Y1, Y0, Y0
	VEXTRACTI128  $1, Y0, X1
	VPADDD        X1, X0, X0
	VPSHUFD       $0x4E, X0, X1
	VPADDD        X1, X0, X0
	VPSHUFD       $0xB1, X0, X1
	VPADDD        X1, X0, X0
	VMOVD         X0, (BX)
	ADDQ          $4, BX
	DECQ          CX
	JNZ           row

	VZEROUPPER
	RET
