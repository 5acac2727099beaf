package avx2

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/isel"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/legalize"
)

const registerBits = 256

// Legal describes processors with AVX2, FMA, F16C, BMI2 and LZCNT (x86-64-v3) to package legalize,
// with masked stores that are as fast as others. See legalFor.
var Legal = legalize.Target{
	RegisterBits: registerBits, Lanes: 32, VectorMasks: true,
	Has: has, HasImmediate: hasImmediate, HasUniform: hasUniform,
	Masked:         masked,
	HasScatter:     func(value, index vir.Type) bool { return false },
	SimpleShuffles: 8,
	// Bytes and shorts are shuffled within 16 bytes.
	ShuffleLanes: func(t alu.Type) int {
		if t.Size() < 4 {
			return 16 / t.Size()
		}
		return registerBits / t.Bits()
	},
	HasAtomic: isel.HasAtomic,
}

// masked accesses of 32 and 64 bits are instructions. Masked loads of bytes and shorts are short
// sequences, see loadSmall.
func masked(op vir.Op, t vir.Type) legalize.Masked {
	switch {
	case t.Elem.Size() >= 4:
		return legalize.Selected
	case op == vir.VLoad:
		return legalize.InPage
	}
	return legalize.Lanewise
}

// maskedStoresSlow is masked for processors whose masked stores take many operations.
func maskedStoresSlow(op vir.Op, t vir.Type) legalize.Masked {
	if op == vir.VStore && t.Elem.Size() >= 4 {
		return legalize.Tested
	}
	return masked(op, t)
}

// legalFor returns Legal for a processor.
func legalFor(o Options) legalize.Target {
	t := Legal
	if !o.StoresFast {
		t.Masked = maskedStoresSlow
	}
	return t
}

// has reports whether selection supports a pure operation: those of scalars that package isel does,
// and those of vectors with an instruction for the type or a short sequence (select*.go).
func has(op vir.Op, t, to vir.Type) bool {
	class := alu.InfoOf(op).Class
	if class == alu.Convert && (t.Elem == alu.F16 && to.Elem == alu.F64 || t.Elem == alu.F64 && to.Elem == alu.F16) {
		return false
	}
	computes := class == alu.Unary || class == alu.Binary || class == alu.Ternary
	switch {
	case op == vir.Prefix, op == vir.Compress, op == vir.Expand:
		return false
	case op == vir.Rank, op == vir.Splat:
		return true
	case t.Elem.IsFloat() && computes:
		return isel.VectorFloat[op] != [2]asm.Op{} || slices.Contains(isel.ComposedFloat, op)
	case t.Lanes == 1 && computes:
		return isel.HasInt(op)
	case t.Lanes == 1:
		return op != alu.FPToUI && (op != alu.UIToFP || t.Elem != alu.I64)
	case t.IsMask():
		return op == alu.And || op == alu.Or || op == alu.Xor || op == alu.ZExt || op == alu.SExt
	case !computes:
		return hasOther(op, t, to)
	}
	e := t.Elem.Size()
	switch op {
	case alu.And, alu.Or, alu.Xor, alu.Add, alu.Sub:
		return true
	case alu.Mul:
		return e >= 2
	case alu.UMulHi, alu.SMulHi:
		return e == 2 || e == 4
	case alu.SMin, alu.SMax, alu.UMin, alu.UMax, alu.Abs:
		return e < 8
	case alu.UAddSat, alu.SAddSat, alu.USubSat, alu.SSubSat:
		return e <= 2
	case alu.Shl, alu.LShr:
		return e >= 4
	case alu.AShr:
		return e == 4
	}
	return false
}

// hasOther is has for conversions, comparisons and selects of vectors.
func hasOther(op vir.Op, t, to vir.Type) bool {
	switch op {
	case alu.UIToFP, alu.FPToUI:
		return false
	case alu.SIToFP:
		return t.Elem == alu.I32
	case alu.FPToSI:
		return to.Elem == alu.I32
	case alu.Bitcast:
		return t.Elem != alu.F16 || to.Elem != alu.F16
	}
	return true
}

// hasImmediate reports whether shifts of vectors by constants are supported in addition.
func hasImmediate(op vir.Op, t vir.Type) bool {
	if t.Lanes == 1 {
		return false
	}
	switch op {
	case alu.Shl, alu.LShr:
		return true
	case alu.AShr:
		return t.Elem.Size() < 8
	}
	return false
}

// hasUniform reports whether shifts of vectors by one amount are supported in addition.
func hasUniform(op vir.Op, t vir.Type) bool {
	return t.Lanes > 1 && t.Elem.Size() == 2 && wordShifts[op] != 0
}

// wordShifts are the shifts of words by one amount.
var wordShifts = map[vir.Op]asm.Op{alu.Shl: asm.VPSLLW, alu.LShr: asm.VPSRLW, alu.AShr: asm.VPSRAW}

var (
	compareEqual   = isel.ElementOps{asm.VPCMPEQBV, asm.VPCMPEQWV, asm.VPCMPEQDV, asm.VPCMPEQQV}
	compareGreater = isel.ElementOps{asm.VPCMPGTBV, asm.VPCMPGTWV, asm.VPCMPGTDV, asm.VPCMPGTQV}
	blendVariable  = isel.ElementOps{asm.VPBLENDVB, asm.VPBLENDVB, asm.VBLENDVPS, asm.VBLENDVPD}
)
