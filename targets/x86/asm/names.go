package asm

import "strconv"

var gprNames = [4][16]string{
	{"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil", "r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b"},
	{"ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "r8w", "r9w", "r10w", "r11w", "r12w", "r13w", "r14w", "r15w"},
	{"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"},
	{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"},
}

// gprName returns the name of general-purpose register n at a size; Size0 means 64 bits.
func gprName(n int, s Size) string {
	row := 3
	switch s {
	case Size8:
		row = 0
	case Size16:
		row = 1
	case Size32:
		row = 2
	}
	if n > 15 {
		return "r" + strconv.Itoa(n) + "?"
	}
	return gprNames[row][n]
}

// vecName returns the name of vector register n at a length.
func vecName(n int, v VL) string {
	return [...]string{"xmm", "ymm", "zmm"}[v.ll()] + strconv.Itoa(n)
}
