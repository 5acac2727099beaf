//go:build linux || windows

#include "go_asm.h"
#include "textflag.h"

// The code's registers except AX and R14, which hold addresses of their save slots.
#define GPRS \
	GPR(CX, 1); \
	GPR(DX, 2); \
	GPR(BX, 3); \
	GPR(BP, 5); \
	GPR(SI, 6); \
	GPR(DI, 7); \
	GPR(R8, 8); \
	GPR(R9, 9); \
	GPR(R10, 10); \
	GPR(R11, 11); \
	GPR(R12, 12); \
	GPR(R13, 13); \
	GPR(R15, 15);

#define MASKS \
	MASK(K0, 0); \
	MASK(K1, 1); \
	MASK(K2, 2); \
	MASK(K3, 3); \
	MASK(K4, 4); \
	MASK(K5, 5); \
	MASK(K6, 6); \
	MASK(K7, 7);

// The vector registers of processors without AVX-512.
#define NARROW \
	VECTOR(Y0, 0); \
	VECTOR(Y1, 1); \
	VECTOR(Y2, 2); \
	VECTOR(Y3, 3); \
	VECTOR(Y4, 4); \
	VECTOR(Y5, 5); \
	VECTOR(Y6, 6); \
	VECTOR(Y7, 7); \
	VECTOR(Y8, 8); \
	VECTOR(Y9, 9); \
	VECTOR(Y10, 10); \
	VECTOR(Y11, 11); \
	VECTOR(Y12, 12); \
	VECTOR(Y13, 13); \
	VECTOR(Y14, 14); \
	VECTOR(Y15, 15);

#define VECTORS \
	VECTOR(Z0, 0); \
	VECTOR(Z1, 1); \
	VECTOR(Z2, 2); \
	VECTOR(Z3, 3); \
	VECTOR(Z4, 4); \
	VECTOR(Z5, 5); \
	VECTOR(Z6, 6); \
	VECTOR(Z7, 7); \
	VECTOR(Z8, 8); \
	VECTOR(Z9, 9); \
	VECTOR(Z10, 10); \
	VECTOR(Z11, 11); \
	VECTOR(Z12, 12); \
	VECTOR(Z13, 13); \
	VECTOR(Z14, 14); \
	VECTOR(Z15, 15); \
	VECTOR(Z16, 16); \
	VECTOR(Z17, 17); \
	VECTOR(Z18, 18); \
	VECTOR(Z19, 19); \
	VECTOR(Z20, 20); \
	VECTOR(Z21, 21); \
	VECTOR(Z22, 22); \
	VECTOR(Z23, 23); \
	VECTOR(Z24, 24); \
	VECTOR(Z25, 25); \
	VECTOR(Z26, 26); \
	VECTOR(Z27, 27); \
	VECTOR(Z28, 28); \
	VECTOR(Z29, 29); \
	VECTOR(Z30, 30); \
	VECTOR(Z31, 31);

#define GPR(name, n) MOVQ name, (const_gprsOffset+8*n)(R14)
#define MASK(k, n) KMOVQ k, (const_masksOffset+8*n)(R14)
#define VECTOR(z, n) VMOVDQA64 z, (const_vectorsOffset+64*n)(R14)

// interrupt saves the code's registers in its area and returns from the code.
TEXT ·interrupt(SB), NOSPLIT|NOFRAME, $0
	GPR(AX, 0)
	GPRS
	MOVQ $const_interrupted, const_statusOffset(R14)
	CMPB ·wide(SB), $0
	JEQ  narrow
	MASKS
	VECTORS
	RET

#undef VECTOR
#define VECTOR(y, n) VMOVDQA y, (const_vectorsOffset+64*n)(R14)
narrow:
	NARROW
	RET

#undef GPR
#undef MASK
#undef VECTOR
#define GPR(name, n) MOVQ (const_gprsOffset+8*n)(R14), name
#define MASK(k, n) KMOVQ (const_masksOffset+8*n)(R14), k
#define VECTOR(z, n) VMOVDQA64 (const_vectorsOffset+64*n)(R14), z

// resume continues interrupted code; DI is the address of its area. The register restored
// last holds the address of the others, so the address to continue at lies below the stack
// for a moment. No handler overwrites it: all handlers run on their own stacks.
TEXT ·resume(SB), NOSPLIT|NOFRAME, $0
	MOVQ DI, R14
	CMPB ·wide(SB), $0
	JEQ  narrow
	VECTORS
	MASKS
	JMP  others

#undef VECTOR
#define VECTOR(y, n) VMOVDQA (const_vectorsOffset+64*n)(R14), y
narrow:
	NARROW

others:
	GPRS
	MOVQ const_resumeOffset(R14), AX
	MOVQ AX, -16(SP)
	PUSHQ const_flagsOffset(R14)
	POPFQ
	GPR(AX, 0)
	GPR(R14, 14)
	JMP  -16(SP)

// findReturn is code that stores its return address where its argument points.
TEXT ·findReturn(SB), NOSPLIT|NOFRAME, $0
	MOVQ 0(SP), AX
	MOVQ AX, (DI)
	RET

// func registerAddresses() (interrupt, resume, findReturn uintptr)
TEXT ·registerAddresses(SB), NOSPLIT, $0-24
	LEAQ ·interrupt(SB), AX
	MOVQ AX, interrupt+0(FP)
	LEAQ ·resume(SB), AX
	MOVQ AX, resume+8(FP)
	LEAQ ·findReturn(SB), AX
	MOVQ AX, findReturn+16(FP)
	RET
