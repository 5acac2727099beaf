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
// vector, if there is one: it interleaves elements of both in each 16 bytes, selects two dwords of
// each, or concatenates groups of 16 bytes of one with groups of the other.
func JoinOf(lanes []int, n, size int, vl asm.VL) (op asm.Op, imm int64, ok bool) {
	if len(lanes) != n || n*size != vl.Bytes() {
		return 0, 0, false
	}
	for ; size <= 8; lanes, n, size = PairsOf(lanes), n/2, size*2 {
		if lanes == nil {
			return 0, 0, false
		}
		if op, ok := unpackOf(lanes, n, size); ok {
			return op, 0, true
		}
		if size == 4 {
			if imm, ok := dwordsOf(lanes, n); ok {
				return asm.VSHUFPS, imm, true
			}
		}
	}
	if len(lanes) <= 1 {
		return 0, 0, false
	}
	for i, from := range lanes { // parts of 16 bytes
		if (from >= n) != (i >= n/2) {
			return 0, 0, false
		}
		imm |= int64(from%n) << (i * (n / 2)) // two bits, or one of two parts
	}
	return asm.VSHUFI32X4, imm, true
}

// PairsOf returns the lanes of a shuffle in elements of twice the size, nil if it separates them.
func PairsOf(lanes []int) []int {
	out := make([]int, len(lanes)/2)
	for i := range out {
		if out[i] = lanes[2*i] / 2; lanes[2*i]%2 != 0 || lanes[2*i+1] != lanes[2*i]+1 {
			return nil
		}
	}
	return out
}

// unpackOf returns the instruction that interleaves the low or high halves of each 16 bytes.
func unpackOf(lanes []int, n, size int) (op asm.Op, ok bool) {
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
			return ops[Log2(size)], true
		}
	}
	return 0, false
}

// dwordsOf returns the immediate operand of vshufps, which takes two dwords of the first operand and
// two of the second in each 16 bytes.
func dwordsOf(lanes []int, n int) (imm int64, ok bool) {
	for i, from := range lanes {
		from -= i / 4 * 4
		if i%4 >= 2 {
			from -= n
		}
		if from < 0 || from >= 4 || i >= 4 && int64(from) != imm>>(i%4*2)&3 {
			return 0, false
		}
		if i < 4 {
			imm |= int64(from) << (2 * i)
		}
	}
	return imm, true
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
