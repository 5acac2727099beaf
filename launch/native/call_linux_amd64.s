#include "go_asm.h"
#include "textflag.h"
#include "funcdata.h"

// MXCSR: the default value, and the bits that are not exception status flags.
#define MXCSR_DEFAULT 0x1F80
#define MXCSR_CONTROL 0xFFC0

// func call(fn, argument, area, rows uintptr)
//
// The frame makes the assembler save and restore BP; fn sees 0 in it, which ends a frame
// pointer walk if fn faults. While fn runs, the word above the return address holds the
// address of the area, or 0, where onFault finds it. The caller's ABI0 wrapper restores R14
// (g) and X15. NO_LOCAL_POINTERS lets the runtime walk this frame when a fault in fn
// becomes a panic.
TEXT ·call(SB), 0, $24-32
	NO_LOCAL_POINTERS
	STMXCSR saved-8(SP)
	MOVL    saved-8(SP), AX
	ANDL    $MXCSR_CONTROL, AX
	CMPL    AX, $MXCSR_DEFAULT
	JEQ     enter
	MOVL    $MXCSR_DEFAULT, now-16(SP)
	LDMXCSR now-16(SP)

enter:
	MOVQ area+16(FP), AX
	MOVQ AX, area-24(SP)

row:
	MOVQ fn+0(FP), AX
	MOVQ argument+8(FP), DI
	XORL BP, BP
	CALL AX
	MOVQ rows+24(FP), DI
	TESTQ DI, DI
	JEQ  leave
	MOVQ area-24(SP), AX
	TESTQ AX, AX
	JEQ  count
	CMPQ const_statusOffset(AX), $const_done
	JNE  leave

count:
	DECQ const_rowsOffset(DI)
	JEQ  leave
	INCQ const_rowOffset(DI)
	JMP  row

leave:
	MOVQ $0, area-24(SP)
	VZEROUPPER
	STMXCSR now-16(SP)
	MOVL    now-16(SP), AX
	XORL    saved-8(SP), AX
	ANDL    $MXCSR_CONTROL, AX
	JEQ     done
	LDMXCSR saved-8(SP)

done:
	RET
