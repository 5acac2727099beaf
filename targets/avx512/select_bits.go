package avx512

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/avx512/asm"
	"github.com/simtc/simtc/vir"
)

// Sets of small numbers are the bits of a word. Bit instructions count from the
// operand's size, as shifts do (SDM, BT: a bit offset in a register).

// oneBit matches 1 << n, which is computed for nothing else.
func (s *selector) oneBit(v *vir.Value) (n *vir.Value, ok bool) {
	if v.Op != alu.Shl || v.Type.Elem.Bits() < 32 || v.Args[0].Op != vir.Const || v.Args[0].Const != 1 || v.Args[1].Op == vir.Const || !s.ownOperation(v) {
		return nil, false
	}
	return v.Args[1], true
}

// changeBit emits what sets, clears or flips a bit whose number is computed.
func (s *selector) changeBit(v *vir.Value, d asm.Reg, sz asm.Size) bool {
	for i, x := range v.Args {
		bit := v.Args[1-i]
		op := asm.BTS
		switch {
		case v.Op == alu.Or:
		case v.Op == alu.Xor:
			op = asm.BTC
		case v.Op == alu.And && bit.Op == alu.Xor && bit.Args[1].Op == vir.Const && bit.Args[1].Const == bit.Type.Elem.Mask() && s.ownOperation(bit):
			op, bit = asm.BTR, bit.Args[0]
		default:
			continue
		}
		if n, ok := s.oneBit(bit); ok {
			number := s.reg(n)
			s.move(d, s.reg(x))
			s.emit(asm.Make(op, d, number).Bits(sz))
			return true
		}
	}
	return false
}

// testBit emits the question whether v, an and, is zero that looks at one bit whose
// number is computed, and leaves the bit in the carry flag.
func (s *selector) testBit(v *vir.Value, sz asm.Size) bool {
	for i, x := range v.Args {
		y := v.Args[1-i]
		n, ok := s.oneBit(y)
		if !ok && y.Op == vir.Const && y.Const == 1 && (x.Op == alu.LShr || x.Op == alu.AShr) && x.Args[1].Op != vir.Const && s.ownOperation(x) {
			x, n, ok = x.Args[0], x.Args[1], true
		}
		if ok {
			s.emit(asm.Make(asm.BT, s.reg(x), s.reg(n)).Bits(sz))
			return true
		}
	}
	return false
}
