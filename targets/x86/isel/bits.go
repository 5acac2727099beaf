package isel

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// Operations on a bit with a variable number. Bit instructions on registers take the number
// modulo the operand size, as shifts do (SDM, BT).

// oneBit matches 1 << n without other uses.
func (s *Selector) oneBit(v *vir.Value) (n *vir.Value, ok bool) {
	if v.Op != alu.Shl || v.Type.Elem.Bits() < 32 || v.Args[0].Op != vir.Const || v.Args[0].Const != 1 || v.Args[1].Op == vir.Const || !s.Own(v) {
		return nil, false
	}
	return v.Args[1], true
}

// changeBit emits an or, and or xor that sets, clears or flips a bit with a variable number.
func (s *Selector) changeBit(v *vir.Value, d asm.Reg, sz asm.Size) bool {
	for i, x := range v.Args {
		bit := v.Args[1-i]
		op := asm.BTS
		switch {
		case v.Op == alu.Or:
		case v.Op == alu.Xor:
			op = asm.BTC
		case v.Op == alu.And && bit.Op == alu.Xor && bit.Args[1].Op == vir.Const && bit.Args[1].Const == bit.Type.Elem.Mask() && s.Own(bit):
			op, bit = asm.BTR, bit.Args[0]
		default:
			continue
		}
		if n, ok := s.oneBit(bit); ok {
			number := s.Reg(n)
			s.Move(d, s.Reg(x))
			s.Emit(asm.Make(op, d, number).Bits(sz))
			return true
		}
	}
	return false
}

// testBit emits a test of the and v for zero that tests one bit with a variable number. The
// bit is in CF.
func (s *Selector) testBit(v *vir.Value, sz asm.Size) bool {
	for i, x := range v.Args {
		y := v.Args[1-i]
		n, ok := s.oneBit(y)
		if !ok && y.Op == vir.Const && y.Const == 1 && (x.Op == alu.LShr || x.Op == alu.AShr) && x.Args[1].Op != vir.Const && s.Own(x) {
			x, n, ok = x.Args[0], x.Args[1], true
		}
		if ok {
			s.Emit(asm.Make(asm.BT, s.Reg(x), s.Reg(n)).Bits(sz))
			return true
		}
	}
	return false
}
