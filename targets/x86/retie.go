package x86

import (
	"github.com/simtc/simtc/targets/mach"
	"github.com/simtc/simtc/targets/x86/asm"
)

// commutes contains two-address instructions with commutative operands, except byte
// forms: the upper bits of their result come from the overwritten register.
var commutes = map[asm.Op]bool{asm.ADD: true, asm.AND: true, asm.OR: true, asm.XOR: true, asm.IMUL: true}

// fmaKinds lists the first op of each kind of fused multiply-add: a kind
// has the forms 132, 213 and 231 of four types, in this order.
var fmaKinds = [...]asm.Op{asm.VFMADD132PS, asm.VFMSUB132PS, asm.VFNMADD132PS, asm.VFNMSUB132PS}

// fmaForm splits a fused multiply-add into the first op of its kind and type,
// and its form: 0 for 132, 1 for 213, 2 for 231.
func fmaForm(op asm.Op) (base asm.Op, form int, ok bool) {
	for _, first := range fmaKinds {
		if op >= first && op < first+12 {
			return first + (op-first)%4, int(op-first) / 4, true
		}
	}
	return 0, 0, false
}

// tieing returns in with operand i as the overwritten one, instead of x; ok is false if
// there is no such form. Operand 0 is unchanged: it must become a copy of the old
// operand i.
func tieing(in asm.Inst, i int, x asm.Reg) (out asm.Inst, ok bool) {
	out = in
	if commutes[in.Op] {
		out.Args[1] = x
		return out, i == 1 && in.Size >= asm.Size32
	}
	switch op := in.Op; {
	case op == asm.CMOVCC:
		out.Args[1], out.Cond = x, in.Cond.Negate()
		return out, i == 1
	case op == asm.VPTERNLOGD || op == asm.VPTERNLOGQ:
		if i != 1 && i != 2 {
			return out, false
		}
		out.Args[i] = x
		out.Imm = exchangeInputs(uint8(in.Imm), i)
		return out, true
	case op >= asm.VPERMI2W && op <= asm.VPERMI2PD:
		out.Op = op - asm.VPERMI2W + asm.VPERMT2W
		out.Args[1] = x
		return out, i == 1
	case op >= asm.VPERMT2W && op <= asm.VPERMT2PD:
		out.Op = op - asm.VPERMT2W + asm.VPERMI2W
		out.Args[1] = x
		return out, i == 1
	}
	base, form, ok := fmaForm(in.Op)
	if !ok || i != 1 && i != 2 {
		return out, false
	}
	// The factors and the addend; x replaces operand 0.
	operand := [3]asm.Reg{x, in.Args[1], in.Args[2]}
	addend := [3]int{1, 2, 0}[form]
	if i == addend { // d = m*n + d
		m, n := x, operand[3-i]
		if m == asm.InMem {
			m, n = n, m
		}
		out.Op, out.Args[1], out.Args[2] = base+8, m, n
		return out, true
	}
	n, c := asm.NoReg, operand[addend]
	for k := range operand {
		if k != i && k != addend {
			n = operand[k]
		}
	}
	if n == asm.InMem { // d = d*n + c
		out.Op, out.Args[1], out.Args[2] = base, c, n
	} else { // d = n*d + c
		out.Op, out.Args[1], out.Args[2] = base+4, n, c
	}
	return out, true
}

// exchangeInputs returns the truth table of VPTERNLOG with input 0, the overwritten
// one, and input i exchanged.
func exchangeInputs(table uint8, i int) int64 {
	var out int64
	for k := range 8 {
		a, b, c := k>>2&1, k>>1&1, k&1
		if i == 1 {
			a, b = b, a
		} else {
			a, c = c, a
		}
		out |= int64(table>>(a<<2|b<<1|c)&1) << k
	}
	return out
}

// reties reports whether tieing has forms for some operands of op.
func reties(op asm.Op) bool {
	_, _, fma := fmaForm(op)
	return fma || commutes[op] || op == asm.CMOVCC || op == asm.VPTERNLOGD || op == asm.VPTERNLOGQ ||
		op >= asm.VPERMI2W && op <= asm.VPERMT2PD
}

// retie is tieing for the operand y.
func retie(in *asm.Inst, y *mach.Reg, x mach.Reg) (asm.Inst, bool) {
	for i := 1; i <= 2; i++ {
		if (*mach.Reg)(&in.Args[i]) == y {
			return tieing(*in, i, asm.Reg(x))
		}
	}
	return *in, false
}
