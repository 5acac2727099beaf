package isel

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// MulHalves returns the instruction that multiplies the low halves of 64-bit elements.
func MulHalves(signed bool) asm.Op {
	if signed {
		return asm.VPMULDQ
	}
	return asm.VPMULUDQ
}

// FitsHalf reports whether the 64-bit elements of v are the extensions of their low halves.
func FitsHalf(v *vir.Value, signed bool) bool {
	switch v.Op {
	case vir.Const:
		if signed {
			return int64(v.Const) == int64(int32(v.Const))
		}
		return v.Const>>32 == 0
	case alu.ZExt:
		return !signed && v.Args[0].Type.IsVec()
	case alu.SExt:
		return signed && v.Args[0].Type.IsVec()
	case alu.And:
		return !signed && v.Args[1].Op == vir.Const && v.Args[1].Const>>32 == 0
	case alu.LShr:
		return !signed && v.Args[1].Op == vir.Const && v.Args[1].Const&63 >= 32
	case alu.AShr:
		return signed && v.Args[1].Op == vir.Const && v.Args[1].Const&63 >= 32
	case vir.Splat:
		return fitsHalf64(v.Args[0], signed)
	}
	return false
}

// fitsHalf64 is FitsHalf for a scalar.
func fitsHalf64(v *vir.Value, signed bool) bool {
	return v.Op == alu.ZExt && !signed || v.Op == alu.SExt && signed && v.Args[0].Type.Elem != alu.I1
}

// LowHalf skips an operation without other uses that only clears the high halves, which are
// not read.
func (s *Selector) LowHalf(v *vir.Value) *vir.Value {
	if v.Op == alu.And && v.Args[1].Op == vir.Const && uint32(v.Args[1].Const) == 1<<32-1 && s.Own(v) {
		return v.Args[0]
	}
	return v
}
