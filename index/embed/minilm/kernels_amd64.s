#include "textflag.h"

// ADD_UP writes two rows of out, of two sums each, at DI; A, B, C and D hold eight parts of one each. XA and XB are the
// lower halves of A and B.
#define ADD_UP(A, B, C, D, XA, XB) \
	VHADDPS B, A, A; \
	VHADDPS D, C, C; \
	VHADDPS C, A, A; \
	VEXTRACTF128 $1, A, XB; \
	VADDPS XB, XA, XA; \
	VMOVLPS XA, (DI); \
	VMOVHPS XA, (DI)(R8*1)

// func multiply(out, x, w *float32, ofOut, ofX, ofW, n int)
TEXT ·multiply(SB), NOSPLIT, $0-56
	MOVQ out+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ w+16(FP), DX
	MOVQ ofOut+24(FP), R8
	MOVQ ofX+32(FP), R9
	MOVQ ofW+40(FP), R10
	MOVQ n+48(FP), CX
	SHLQ $2, R8 // bytes from row to row
	SHLQ $2, R9
	SHLQ $2, R10
	LEAQ (SI)(R9*2), R11 // the third row of x
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7

eight:
	VMOVUPS (DX), Y8
	VMOVUPS (DX)(R10*1), Y9
	VMOVUPS (SI), Y10
	VMOVUPS (SI)(R9*1), Y11
	VMOVUPS (R11), Y12
	VMOVUPS (R11)(R9*1), Y13
	VFMADD231PS Y8, Y10, Y0
	VFMADD231PS Y9, Y10, Y1
	VFMADD231PS Y8, Y11, Y2
	VFMADD231PS Y9, Y11, Y3
	VFMADD231PS Y8, Y12, Y4
	VFMADD231PS Y9, Y12, Y5
	VFMADD231PS Y8, Y13, Y6
	VFMADD231PS Y9, Y13, Y7
	ADDQ $32, DX
	ADDQ $32, SI
	ADDQ $32, R11
	SUBQ $8, CX
	JGT eight

	// Two rows of out at a time.
	ADD_UP(Y0, Y1, Y2, Y3, X0, X1)
	LEAQ (DI)(R8*2), DI
	ADD_UP(Y4, Y5, Y6, Y7, X4, X5)
	VZEROUPPER
	RET

// func multiplyRounded(out *float32, x, w *int16, ofOut, ofX, ofW, n int)
TEXT ·multiplyRounded(SB), NOSPLIT, $0-56
	MOVQ out+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ w+16(FP), DX
	MOVQ ofOut+24(FP), R8
	MOVQ ofX+32(FP), R9
	MOVQ ofW+40(FP), R10
	MOVQ n+48(FP), CX
	SHLQ $2, R8 // bytes from row to row
	SHLQ $1, R9
	SHLQ $1, R10
	LEAQ (SI)(R9*2), R11 // the third row of x
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7

sixteen:
	VMOVDQU (DX), Y8
	VMOVDQU (DX)(R10*1), Y9
	VMOVDQU (SI), Y10
	VMOVDQU (SI)(R9*1), Y11
	VPMADDWD Y8, Y10, Y12
	VPMADDWD Y9, Y10, Y13
	VPMADDWD Y8, Y11, Y14
	VPMADDWD Y9, Y11, Y15
	VPADDD Y12, Y0, Y0
	VPADDD Y13, Y1, Y1
	VPADDD Y14, Y2, Y2
	VPADDD Y15, Y3, Y3
	VMOVDQU (R11), Y10
	VMOVDQU (R11)(R9*1), Y11
	VPMADDWD Y8, Y10, Y12
	VPMADDWD Y9, Y10, Y13
	VPMADDWD Y8, Y11, Y14
	VPMADDWD Y9, Y11, Y15
	VPADDD Y12, Y4, Y4
	VPADDD Y13, Y5, Y5
	VPADDD Y14, Y6, Y6
	VPADDD Y15, Y7, Y7
	ADDQ $32, DX
	ADDQ $32, SI
	ADDQ $32, R11
	SUBQ $16, CX
	JGT sixteen

	// Each of Y0 to Y7 holds eight parts of a sum, which is too large for a whole number.
	VCVTDQ2PS Y0, Y0
	VCVTDQ2PS Y1, Y1
	VCVTDQ2PS Y2, Y2
	VCVTDQ2PS Y3, Y3
	VCVTDQ2PS Y4, Y4
	VCVTDQ2PS Y5, Y5
	VCVTDQ2PS Y6, Y6
	VCVTDQ2PS Y7, Y7
	ADD_UP(Y0, Y1, Y2, Y3, X0, X1)
	LEAQ (DI)(R8*2), DI
	ADD_UP(Y4, Y5, Y6, Y7, X4, X5)
	VZEROUPPER
	RET

// func round(to *int16, from *float32, n int) (most float32)
TEXT ·round(SB), NOSPLIT, $0-28
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ n+16(FP), CX
	VPCMPEQD Y15, Y15, Y15
	VPSRLD $1, Y15, Y15 // all but the sign
	VXORPS Y0, Y0, Y0
	LEAQ (SI)(CX*4), DX

largest:
	VANDPS (SI), Y15, Y1
	VMAXPS Y1, Y0, Y0
	ADDQ $32, SI
	CMPQ SI, DX
	JLT largest

	VEXTRACTF128 $1, Y0, X1
	VMAXPS X1, X0, X0
	VPERMILPS $0x4e, X0, X1
	VMAXPS X1, X0, X0
	VPERMILPS $0xb1, X0, X1
	VMAXPS X1, X0, X0
	VMOVSS X0, most+24(FP)
	MOVL $0x44ffe000, AX // 2047
	VMOVD AX, X1
	VDIVSS X0, X1, X1
	VBROADCASTSS X1, Y1
	MOVQ from+8(FP), SI

rounded:
	VMULPS (SI), Y1, Y2
	VMULPS 32(SI), Y1, Y3
	VCVTPS2DQ Y2, Y2
	VCVTPS2DQ Y3, Y3
	VPACKSSDW Y3, Y2, Y2
	VPERMQ $0xd8, Y2, Y2
	VMOVDQU Y2, (DI)
	ADDQ $64, SI
	ADDQ $32, DI
	CMPQ SI, DX
	JLT rounded
	VZEROUPPER
	RET

// func unpackRounded(to *int16, from *byte, n int) (most float32)
TEXT ·unpackRounded(SB), NOSPLIT, $0-28
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ n+16(FP), CX
	VXORPS X0, X0, X0

scale:
	PREFETCHT0 1024(SI)
	VMAXSS (SI), X0, X0
	ADDQ $36, SI
	SUBQ $1, CX
	JGT scale

	VMOVSS X0, most+24(FP)
	MOVL $0x46fffe00, AX // 32767
	VMOVD AX, X1
	VDIVSS X0, X1, X1
	MOVQ from+8(FP), SI
	MOVQ n+16(FP), CX

group:
	VMULSS (SI), X1, X2
	VCVTPS2DQ X2, X2
	VPBROADCASTW X2, Y2 // the scale as a share of the largest
	VPMOVSXBW 4(SI), Y3
	VPMOVSXBW 20(SI), Y4
	VPSLLW $5, Y3, Y3
	VPSLLW $5, Y4, Y4
	VPMULHRSW Y2, Y3, Y3
	VPMULHRSW Y2, Y4, Y4
	VMOVDQU Y3, (DI)
	VMOVDQU Y4, 32(DI)
	ADDQ $36, SI
	ADDQ $64, DI
	SUBQ $1, CX
	JGT group
	VZEROUPPER
	RET
