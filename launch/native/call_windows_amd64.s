#include "go_asm.h"
#include "textflag.h"
#include "funcdata.h"

// MXCSR: the default value, and the bits that are not exception status flags.
#define MXCSR_DEFAULT 0x1F80
#define MXCSR_CONTROL 0xFFC0

// ROOM is the stack in bytes below the code. Windows writes the context of an exception there,
// vector registers included, and calls the handlers below it.
#define ROOM 32768

// func call(fn, argument, area, rows uintptr)
//
// The frame is 24 bytes and the room, so that the prologue grows the stack if necessary. fn runs at
// the frame's upper end. While it runs, the area holds the stack pointer, by which onException
// recognizes its faults. The caller's ABI0 wrapper restores R14 (g) and X15.
TEXT ·call(SB), 0, $32792-32
	NO_LOCAL_POINTERS
	STMXCSR saved-8(SP)
	MOVL    saved-8(SP), AX
	ANDL    $MXCSR_CONTROL, AX
	CMPL    AX, $MXCSR_DEFAULT
	JEQ     enter
	MOVL    $MXCSR_DEFAULT, now-16(SP)
	LDMXCSR now-16(SP)

enter:
	MOVQ area+16(FP), CX
	MOVQ CX, area-24(SP)

row:
	MOVQ area-24(SP), CX
	MOVQ fn+0(FP), AX
	MOVQ argument+8(FP), DI
	ADDQ $ROOM, SP
	TESTQ CX, CX
	JEQ  start
	LEAQ -8(SP), DX
	MOVQ DX, (const_gprsOffset+8*4)(CX)

start:
	XORL BP, BP
	CALL AX
	SUBQ $ROOM, SP
	MOVQ rows+24(FP), DI
	TESTQ DI, DI
	JEQ  leave
	MOVQ area-24(SP), CX
	TESTQ CX, CX
	JEQ  count
	CMPQ const_statusOffset(CX), $const_done
	JNE  leave

count:
	DECQ const_rowsOffset(DI)
	JEQ  leave
	INCQ const_rowOffset(DI)
	JMP  row

leave:
	VZEROUPPER
	MOVQ  area-24(SP), CX
	TESTQ CX, CX
	JEQ   restore
	MOVQ  $0, (const_gprsOffset+8*4)(CX)

restore:
	STMXCSR now-16(SP)
	MOVL    now-16(SP), AX
	XORL    saved-8(SP), AX
	ANDL    $MXCSR_CONTROL, AX
	JEQ     done
	LDMXCSR saved-8(SP)

done:
	RET
