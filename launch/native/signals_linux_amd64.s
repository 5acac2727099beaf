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

// func signalAddresses() (onTick, onFault, onFaultAgain, afterSignal uintptr)
TEXT ·signalAddresses(SB), NOSPLIT, $0-32
	LEAQ ·onTick(SB), AX
	MOVQ AX, onTick+0(FP)
	LEAQ ·onFault(SB), AX
	MOVQ AX, onFault+8(FP)
	LEAQ ·onFaultAgain(SB), AX
	MOVQ AX, onFaultAgain+16(FP)
	LEAQ ·afterSignal(SB), AX
	MOVQ AX, afterSignal+24(FP)
	RET

// func zeroUpper()
TEXT ·zeroUpper(SB), NOSPLIT, $0-0
	VZEROUPPER
	RET
