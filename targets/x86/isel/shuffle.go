package isel

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// Shuffles and insertions of vector elements that need no more than AVX2.

// InsertShort returns the instruction that sets d to x, of at most 16 bytes, with an element
// replaced by y.
func InsertShort(elem alu.Type, d, x, y asm.Reg, at int) asm.Inst {
	switch {
	case elem == alu.F32:
		return asm.Make(asm.VINSERTPS, d, x, y, asm.InImm).WithImm(int64(at << 4))
	case elem == alu.F64 && at == 0:
		return asm.Make(asm.VMOVSDR, d, x, y)
	case elem == alu.F64:
		return asm.Make(asm.VUNPCKLPD, d, x, y).Len(asm.V128)
	}
	op := ElementOps{asm.VPINSRB, asm.VPINSRW, asm.VPINSRD, asm.VPINSRQ}[Log2(elem.Size())]
	return asm.Make(op, d, x, y, asm.InImm).WithImm(int64(at))
}

// WithinSixteen returns the immediate operand with which vpshufd permutes n elements of one
// vector by lanes, if the permutation is the same in each 16 bytes.
func WithinSixteen(lanes []int, n, size int) (imm int64, ok bool) {
	parts := size / 4 // elements of vpshufd per element
	per := 4 / parts
	var from [4]int
	for i, l := range lanes {
		l = l%n - i/per*per
		if l < 0 || l >= per || i >= per && from[i%per*parts] != l*parts {
			return 0, false
		}
		for k := range parts {
			from[i%per*parts+k] = l*parts + k
		}
	}
	for i, f := range from {
		imm |= int64(f) << (2 * i)
	}
	return imm, true
}

// JoinOf returns the instruction that joins two full registers by lanes without an index
// vector, if there is one: it interleaves elements of both in each 16 bytes, or concatenates
// groups of 16 bytes of one with groups of the other.
func JoinOf(lanes []int, n, size int, vl asm.VL) (op asm.Op, imm int64, ok bool) {
	if len(lanes) != n || n*size != vl.Bytes() {
		return 0, 0, false
	}
	per := 16 / size
	for half, ops := range []ElementOps{
		{asm.VPUNPCKLBW, asm.VPUNPCKLWD, asm.VPUNPCKLDQ, asm.VPUNPCKLQDQ},
		{asm.VPUNPCKHBW, asm.VPUNPCKHWD, asm.VPUNPCKHDQ, asm.VPUNPCKHQDQ},
	} {
		ok = true
		for i, from := range lanes {
			at := i % per
			ok = ok && from == i-at+half*per/2+at/2+at%2*n
		}
		if ok {
			return ops[Log2(size)], 0, true
		}
	}
	parts := n / per
	if parts == 1 {
		return 0, 0, false
	}
	for i, from := range lanes {
		whole := from%per == i%per && (i%per == 0 || from == lanes[i-1]+1)
		if !whole || (from >= n) != (i >= n/2) {
			return 0, 0, false
		}
		if i%per == 0 { // two bits, or one of two parts
			imm |= int64(from/per%parts) << (i / per * (parts / 2))
		}
	}
	return asm.VSHUFI32X4, imm, true
}

// ShuffleBytes extracts the bytes of d from x and from y, with zeros in place of the bytes
// of the other, and combines them.
func (s *Selector) ShuffleBytes(v *vir.Value, d, x, y asm.Reg) {
	const none = 0x80
	n, size := v.Args[0].Type.Lanes, v.Type.Elem.Size()
	var parts []asm.Reg
	for i, from := range []asm.Reg{x, y} {
		index, any := make([]uint64, 16), false
		for l := range index {
			index[l] = none
			if l/size >= len(v.Lanes) {
				continue
			}
			lane := v.Lanes[l/size]
			if x == y {
				lane %= n
			}
			if lane/n == i {
				index[l], any = uint64(lane%n*size+l%size), true
			}
		}
		if !any {
			continue
		}
		t := d
		if len(parts) > 0 {
			t = s.M.NewReg(asm.ClassVec)
		}
		s.Emit(asm.Make(asm.VPSHUFB, t, from, asm.InMem).WithMem(s.PooledLanes(1, index)).Len(asm.V128))
		parts = append(parts, t)
	}
	if len(parts) == 2 {
		s.Emit(asm.Make(asm.VPORD, d, parts[0], parts[1]).Len(asm.V128))
	}
}
