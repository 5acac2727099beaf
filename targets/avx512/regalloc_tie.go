package avx512

import "github.com/simtc/simtc/targets/x86/asm"

// Choice of the overwritten operand. A two-address instruction arrives as
// a copy d = x followed by d = x op y. If y ends there and x does not, and there is a
// form that overwrites y, the copy reads y instead. It then
// is free, as d and y get the same register.

// retied is an instruction changed by this choice.
type retied struct {
	block, index int32
	inst         asm.Inst
}

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

// retie changes the instruction at i of a block and the copy before it, if
// overwriting another operand saves a move. current holds the next uses after it.
func (a *allocator) retie(bi int, i int32, current []int32) {
	insts := a.f.blocks[bi].insts
	in := &insts[i]
	k := i - 1
	for k >= 0 && insts[k].Op == asm.INVALID {
		k--
	}
	if k < 0 || in.K != asm.NoReg || !insts[k].IsCopy() || insts[k].Args[0] != in.Args[0] || !insts[k].Args[1].IsVirtual() {
		return
	}
	if _, _, fma := fmaForm(in.Op); !fma && !commutes[in.Op] && in.Op != asm.CMOVCC && in.Op != asm.VPTERNLOGD && in.Op != asm.VPTERNLOGQ &&
		(in.Op < asm.VPERMI2W || in.Op > asm.VPERMT2PD) {
		return
	}
	d, x := in.Args[0], insts[k].Args[1]
	score := func(r asm.Reg) int {
		v, n := a.val(r), 0
		for _, arg := range in.Args {
			if arg.IsVirtual() && a.val(arg) == v {
				n++
			}
		}
		if in.Mem.Base == r || in.Mem.Index == r || r == x && n > 0 || r != x && (n > 1 || v == a.val(x)) {
			return -1 // it is also read by another operand
		}
		s := 0
		if current[v] == never {
			s = 4
		}
		for _, to := range a.vals[a.val(d)].to {
			if to == v {
				s += 2
			}
		}
		return s
	}
	best, bestScore := 0, score(x)
	for j := 1; j <= 2; j++ {
		if y := in.Args[j]; y.IsVirtual() && y != d {
			if s := score(y); s > bestScore {
				if _, ok := tieing(*in, j, x); ok {
					best, bestScore = j, s
				}
			}
		}
	}
	if best == 0 {
		return
	}
	y := in.Args[best]
	*in, _ = tieing(*in, best, x)
	insts[k].Args[1] = y
	a.addHint(a.val(d), a.val(y), a.freq[bi])
	a.retied = append(a.retied, retied{int32(bi), i, *in}, retied{int32(bi), k, insts[k]})
}
