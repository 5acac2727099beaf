package opt

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/alu/interval"
	"github.com/simtc/simtc/kernel"
)

// Bounds applies the results of value range propagation: it folds comparisons with a single
// possible outcome and removes limits, masks and remainders that have no effect. Signed
// divisions of nonnegative numbers by powers of two become shifts and masks; those by other
// constants need no addition after the multiplication. (Patterson, "Accurate Static Branch
// Prediction by Value Range Propagation", PLDI'95; see interval.Flow.)
//
// requires: no unreachable blocks; maintains: everything
func Bounds(f *kernel.Func, st Stats) { bound(f, true, st) }

// Near returns f simplified under the assumption that global ids are below
// kernel.NearItems, as in nearly all ranges: they are nonnegative as ints, so that divisions
// by constants need no sign correction. It returns f itself if no division gets cheaper.
//
// requires: no unreachable blocks; maintains: f; the result has the form of f
func Near(f *kernel.Func, st Stats) *kernel.Func {
	if !f.Uses(kernel.GlobalID) || !f.Uses(alu.AShr, alu.SMulHi, alu.UMulHi, alu.SDiv, alu.SRem) {
		return f
	}
	made, own := kernel.Clone(f), Stats{}
	if bound(made, false, own); len(own) == 0 {
		return f
	}
	CSE(made, own)
	RemoveDead(made, own)
	st.Add("divisions of narrow ids", own["values simplified by ranges"]+own["divisions of nonnegative numbers"])
	return made
}

// bound is Bounds; wideIDs means that global ids may have any value.
func bound(f *kernel.Func, wideIDs bool, st Stats) {
	k := boundsOf(f, wideIDs)
	if k == nil {
		return
	}
	r, reduced, uses := NewReplacer(f), 0, UsesOf(f)
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if !v.Op.Pure() || !v.Type.IsInt() && v.Type != alu.I1 {
				continue
			}
			if c, ok := k.Of(v.ID).Constant(); ok {
				r.Set(v, f.Const(v.Type, c))
			} else if x := k.unchanged(v); x != nil {
				r.Set(v, x)
			} else if k.reduceDivision(v) || k.reduceHighProduct(v) || k.halveMultiplier(v, uses) {
				reduced++
			}
		}
	}
	st.Add("values simplified by ranges", r.n)
	st.Add("divisions of nonnegative numbers", reduced)
	if r.n+reduced > 0 {
		r.Apply(f)
		Fold(f, st)
	}
}

// unchanged returns the operand that v always equals, or nil.
func (k *valueBounds) unchanged(v *kernel.Value) *kernel.Value {
	if len(v.Args) == 0 {
		return nil
	}
	x := k.at(v.Args[0], v.Block)
	if v.Op == alu.Abs && x.Nonnegative() {
		return v.Args[0]
	}
	if len(v.Args) != 2 {
		return nil
	}
	y := k.at(v.Args[1], v.Block)
	first, second := false, false
	switch v.Op {
	case alu.SMin:
		first, second = x.SHi <= y.SLo, y.SHi <= x.SLo
	case alu.SMax:
		first, second = x.SLo >= y.SHi, y.SLo >= x.SHi
	case alu.UMin:
		first, second = x.UHi <= y.ULo, y.UHi <= x.ULo
	case alu.UMax:
		first, second = x.ULo >= y.UHi, y.ULo >= x.UHi
	case alu.URem:
		first = x.UHi < y.ULo
	case alu.SRem:
		first = x.Nonnegative() && y.Nonnegative() && x.SHi < y.SLo
	case alu.And:
		first, second = keeps(x, y), keeps(y, x)
	}
	switch {
	case first:
		return v.Args[0]
	case second:
		return v.Args[1]
	}
	return nil
}

// keeps reports whether the mask does not change numbers within b.
func keeps(b, mask interval.Bounds) bool {
	m, ok := mask.Constant()
	return ok && (uint64(1)<<bits.Len64(b.UHi)-1)&^m == 0
}

// reduceDivision turns v, a signed division of a nonnegative number by a power of two, into
// a shift or a mask.
func (k *valueBounds) reduceDivision(v *kernel.Value) bool {
	if v.Op != alu.SDiv && v.Op != alu.SRem || v.Args[1].Op != kernel.Const {
		return false
	}
	d := v.Args[1].Const
	if d&(d-1) != 0 || v.Type.Signed(d) <= 0 || !k.at(v.Args[0], v.Block).Nonnegative() {
		return false
	}
	by := d - 1
	if v.Op == alu.SRem {
		v.Op = alu.And
	} else {
		v.Op, by = alu.LShr, uint64(bits.TrailingZeros64(d))
	}
	v.Args = []*kernel.Value{v.Args[0], v.Block.Func.Const(v.Type, by)}
	return true
}

// reduceHighProduct turns v, the high half of a signed product plus a correction, into an
// unsigned high product if the variable factor is nonnegative. Divisions by constants such
// as 7 need the correction because the sign bit of their multiplier is set.
func (k *valueBounds) reduceHighProduct(v *kernel.Value) bool {
	if v.Op != alu.Add {
		return false
	}
	for i, p := range v.Args {
		x := v.Args[1-i]
		if p.Op != alu.SMulHi || p.Args[0] != x || p.Args[1].Op != kernel.Const || v.Type.Signed(p.Args[1].Const) >= 0 {
			continue
		}
		if k.at(x, v.Block).Nonnegative() {
			v.Op, v.Args = alu.UMulHi, []*kernel.Value{x, p.Args[1]}
			return true
		}
	}
	return false
}

// halveMultiplier shortens v, a 32-bit division by a constant whose reciprocal has 33 bits:
// half of the reciprocal suffices if it is exact for the range of the dividend.
//
//	t = x * (m - 2^32) >> 32; ((x - t)/2 + t) >> s    becomes    (x * m/2 >> 32) >> s
func (k *valueBounds) halveMultiplier(v *kernel.Value, uses []int) bool {
	if v.Op != alu.LShr || v.Type != alu.I32 || v.Args[1].Op != kernel.Const || v.Args[0].Op != alu.Add || uses[v.Args[0].ID] != 1 {
		return false
	}
	sum, s := v.Args[0], v.Args[1].Const
	for i, t := range sum.Args {
		half := sum.Args[1-i]
		if t.Op != alu.UMulHi || t.Args[1].Op != kernel.Const || half.Op != alu.LShr || half.Args[1] != v.Block.Func.Const(v.Type, 1) || s > 28 {
			continue
		}
		x := t.Args[0]
		if rest := half.Args[0]; rest.Op != alu.Sub || rest.Args[0] != x || rest.Args[1] != t {
			continue
		}
		m := 1<<32 + t.Args[1].Const
		d := 1<<(33+s)/m + 1
		isQuotient := func(m uint64, by uint64) bool { // whether x*m >> by equals x/d
			hi, lo := bits.Mul64(m*d-1<<by, k.at(x, v.Block).UHi)
			return hi == 0 && lo < 1<<by
		}
		if exact := isQuotient(m, 33+s); exact && m < 1<<33-1 && isQuotient((m+1)/2, 32+s) {
			m = (m + 1) / 2
			sum.Op, sum.Args = alu.UMulHi, []*kernel.Value{x, v.Block.Func.Const(v.Type, m)}
			return true
		}
	}
	return false
}
