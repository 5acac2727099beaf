#include "go_asm.h"
#include "textflag.h"

// Offsets in the arguments of a signal handler: siginfo_t and ucontext_t of Linux on x86-64.
#define SIGINFO_CODE 8
#define SIGINFO_VALUE 24
#define UCONTEXT_R14 88
#define UCONTEXT_RSP 160
#define UCONTEXT_RIP 168
#define UCONTEXT_FLAGS 176
#define SI_TIMER -2
#define SYS_RT_SIGPROCMASK 14
#define SYS_RT_SIGRETURN 15
#define EFAULT 14

// onTick handles a clock's signal. DI is its number, SI the siginfo_t, whose value is the
// address of an area, DX the ucontext_t. If the thread was running the area's code, it
// continues in interrupt, with the address in R14; otherwise nothing happens.
TEXT ·onTick(SB), NOSPLIT|NOFRAME, $0
	CMPL SIGINFO_CODE(SI), $SI_TIMER
	JNE  other
	MOVQ SIGINFO_VALUE(SI), AX
	MOVQ UCONTEXT_RIP(DX), CX
	MOVQ CX, R8
	SUBQ const_baseOffset(AX), R8
	CMPQ R8, const_sizeOffset(AX)
	JAE  other
	MOVQ CX, const_resumeOffset(AX)
	MOVQ UCONTEXT_FLAGS(DX), CX
	MOVQ CX, const_flagsOffset(AX)
	MOVQ UCONTEXT_R14(DX), CX
	MOVQ CX, (const_gprsOffset+8*14)(AX)
	MOVQ AX, UCONTEXT_R14(DX)
	LEAQ ·interrupt(SB), CX
	MOVQ CX, UCONTEXT_RIP(DX)

other:
	RET

// afterSignal is the return address of a handler.
TEXT ·afterSignal(SB), NOSPLIT|NOFRAME, $0
	MOVL $SYS_RT_SIGRETURN, AX
	SYSCALL

// onFault handles fault signals in front of the previous handlers, with the same arguments.
// If the stack pointer has its value during call, and the fault is in the code of call's
// area, the address of the fault is recorded in the area. The stack pointer may be
// arbitrary, so a system call that always fails first probes whether memory is mapped there.
TEXT ·onFault(SB), NOSPLIT|NOFRAME, $0
	LEAQ ·before(SB), BX
	JMP  ·findFault(SB)

// onFaultAgain is onFault in front of a handler that was installed after it. Only other faults
// go to that handler, which may continue with onFault.
TEXT ·onFaultAgain(SB), NOSPLIT|NOFRAME, $0
	LEAQ ·after(SB), BX
	JMP  ·findFault(SB)

// findFault is the common part. BX is the table of the handlers for other faults.
TEXT ·findFault(SB), NOSPLIT|NOFRAME, $0
	MOVQ DI, R8
	MOVQ SI, R9
	MOVQ DX, R12
	MOVQ UCONTEXT_RSP(DX), R13
	MOVQ $-1, DI
	MOVQ R13, SI
	XORL DX, DX
	MOVL $8, R10
	MOVL $SYS_RT_SIGPROCMASK, AX
	SYSCALL
	MOVQ R8, DI
	MOVQ R9, SI
	MOVQ R12, DX
	CMPQ AX, $-EFAULT
	JEQ  handled
	MOVQ (R13), AX
	CMPQ AX, ·codeReturn(SB)
	JNE  handled
	MOVQ 8(R13), AX
	TESTQ AX, AX
	JEQ  handled
	MOVQ UCONTEXT_RIP(DX), CX
	MOVQ CX, R8
	SUBQ const_baseOffset(AX), R8
	CMPQ R8, const_sizeOffset(AX)
	JAE  handled
	MOVQ CX, const_faultOffset(AX)
	LEAQ ·before(SB), BX

handled:
	MOVQ (BX)(DI*8), AX
	JMP  AX

// findReturn is code that stores its return address where its argument points.
TEXT ·findReturn(SB), NOSPLIT|NOFRAME, $0
	MOVQ 0(SP), AX
	MOVQ AX, (DI)
	RET

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

// func addresses() (onTick, afterSignal, resume uintptr)
TEXT ·addresses(SB), NOSPLIT, $0-24
	LEAQ ·onTick(SB), AX
	MOVQ AX, onTick+0(FP)
	LEAQ ·afterSignal(SB), AX
	MOVQ AX, afterSignal+8(FP)
	LEAQ ·resume(SB), AX
	MOVQ AX, resume+16(FP)
	RET

// func faultAddresses() (onFault, onFaultAgain, findReturn uintptr)
TEXT ·faultAddresses(SB), NOSPLIT, $0-24
	LEAQ ·onFault(SB), AX
	MOVQ AX, onFault+0(FP)
	LEAQ ·onFaultAgain(SB), AX
	MOVQ AX, onFaultAgain+8(FP)
	LEAQ ·findReturn(SB), AX
	MOVQ AX, findReturn+16(FP)
	RET
