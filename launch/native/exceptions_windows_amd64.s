#include "go_asm.h"
#include "textflag.h"

// Offsets in EXCEPTION_POINTERS, EXCEPTION_RECORD and CONTEXT of Windows on x86-64.
#define POINTERS_RECORD 0
#define POINTERS_CONTEXT 8
#define RECORD_CODE 0
#define RECORD_ADDRESS 40
#define CONTEXT_FLAGS 0x30
#define CONTEXT_EFLAGS 0x44
#define CONTEXT_RSP 0x98
#define CONTEXT_R14 0xE8
#define CONTEXT_RIP 0xF8
#define CONTEXT_CONTROL_INTEGER 0x100003

// Offset of the thread's ID in the thread environment block, to which GS points.
#define TEB_THREAD 0x48

#define EXCEPTION_CONTINUE_EXECUTION -1
#define EXCEPTION_CONTINUE_SEARCH 0
#define EXCEPTION_BREAKPOINT 0x80000003
#define EXCEPTION_SINGLE_STEP 0x80000004
#define EXCEPTION_ILLEGAL_INSTRUCTION 0xC000001D

// onException is a vectored exception handler: CX is the address of EXCEPTION_POINTERS. If the
// thread runs code with an area, which the stack pointer shows, the exception is recorded
// there, and the thread continues behind the call of the code.
TEXT ·onException(SB), NOSPLIT|NOFRAME, $0
	MOVQ POINTERS_RECORD(CX), R8
	MOVQ POINTERS_CONTEXT(CX), DX
	MOVL RECORD_CODE(R8), AX
	CMPL AX, $EXCEPTION_BREAKPOINT
	JEQ  search
	CMPL AX, $EXCEPTION_SINGLE_STEP
	JEQ  search
	CMPL AX, $EXCEPTION_ILLEGAL_INSTRUCTION
	JEQ  search
	MOVL TEB_THREAD(GS), R9
	LEAQ ·slots(SB), R10
	MOVL ·slotCount(SB), R11

next:
	DECL R11
	JLT  search
	CMPL slot_thread(R10), R9
	JNE  other
	MOVQ slot_area(R10), CX
	TESTQ CX, CX
	JEQ  other
	MOVQ (const_gprsOffset+8*4)(CX), AX
	CMPQ AX, CONTEXT_RSP(DX)
	JEQ  found

other:
	ADDQ $slot__size, R10
	JMP  next

found:
	MOVQ CONTEXT_RIP(DX), AX
	MOVQ AX, const_faultOffset(CX)
	MOVL RECORD_CODE(R8), AX
	MOVQ AX, const_exceptionOffset(CX)
	MOVQ RECORD_ADDRESS(R8), AX
	MOVQ AX, const_addressOffset(CX)
	MOVQ $const_faulted, const_statusOffset(CX)
	MOVQ ·codeReturn(SB), AX
	MOVQ AX, CONTEXT_RIP(DX)
	ADDQ $8, CONTEXT_RSP(DX)
	MOVL $EXCEPTION_CONTINUE_EXECUTION, AX
	RET

search:
	XORL AX, AX
	RET

// The ticker's frame: space for the callees' register arguments, and
// a CONTEXT of 0x4D0 bytes, aligned to 16.
#define FRAME 0x528
#define CONTEXT 0x30

// ticker is a thread of the operating system that Go does not know. Every few milliseconds it
// visits all slots. It suspends a slot's thread, and if the thread runs the area's code, it
// has it continue in interrupt, with the address of the area in R14.
TEXT ·ticker(SB), NOSPLIT|NOFRAME, $0
	SUBQ $FRAME, SP

again:
	CMPL ·running(SB), $0
	JNE  sleep
	MOVQ ·wake(SB), CX
	MOVL $-1, DX
	MOVQ ·waitForSingleObject(SB), AX
	CALL AX

sleep:
	MOVL ·period(SB), CX
	MOVQ ·sleep(SB), AX
	CALL AX
	LEAQ ·slots(SB), BX
	MOVL ·slotCount(SB), SI

next:
	DECL SI
	JLT  again
	CMPQ slot_area(BX), $0
	JEQ  free
	MOVL $1, AX
	XCHGL AX, slot_lock(BX)
	TESTL AX, AX
	JNE  free
	MOVQ slot_area(BX), R12
	TESTQ R12, R12
	JEQ  unlock
	MOVQ slot_handle(BX), CX
	MOVQ ·suspendThread(SB), AX
	CALL AX
	CMPL AX, $-1
	JEQ  unlock
	MOVL $CONTEXT_CONTROL_INTEGER, (CONTEXT+CONTEXT_FLAGS)(SP)
	MOVQ slot_handle(BX), CX
	LEAQ CONTEXT(SP), DX
	MOVQ ·getThreadContext(SB), AX
	CALL AX
	TESTL AX, AX
	JEQ  continue
	MOVQ (CONTEXT+CONTEXT_RIP)(SP), CX
	MOVQ CX, DX
	SUBQ const_baseOffset(R12), DX
	CMPQ DX, const_sizeOffset(R12)
	JAE  continue
	MOVQ CX, const_resumeOffset(R12)
	MOVL (CONTEXT+CONTEXT_EFLAGS)(SP), CX
	MOVQ CX, const_flagsOffset(R12)
	MOVQ (CONTEXT+CONTEXT_R14)(SP), CX
	MOVQ CX, (const_gprsOffset+8*14)(R12)
	MOVQ R12, (CONTEXT+CONTEXT_R14)(SP)
	LEAQ ·interrupt(SB), CX
	MOVQ CX, (CONTEXT+CONTEXT_RIP)(SP)
	MOVQ slot_handle(BX), CX
	LEAQ CONTEXT(SP), DX
	MOVQ ·setThreadContext(SB), AX
	CALL AX

continue:
	MOVQ slot_handle(BX), CX
	MOVQ ·resumeThread(SB), AX
	CALL AX

unlock:
	MOVL $0, slot_lock(BX)

free:
	ADDQ $slot__size, BX
	JMP  next

// func exceptionAddresses() (onException, ticker uintptr)
TEXT ·exceptionAddresses(SB), NOSPLIT, $0-16
	LEAQ ·onException(SB), AX
	MOVQ AX, onException+0(FP)
	LEAQ ·ticker(SB), AX
	MOVQ AX, ticker+8(FP)
	RET
