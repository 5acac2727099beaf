package induction

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Horner shortens the dependence chain between iterations through a multiplication by a constant,
// as in string hashes (Horner's rule):
//
//	(h - x)*257 + y    h<<8 + ((y - x*257) + h)
//	h*31 + y           h<<5 + (y - h)
//
// Terms that do not depend on the previous iteration are multiplied separately. A factor adjacent
// to a power of two becomes a shift and an addition, which have less latency than a
// multiplication.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func Horner(f *vir.Func, stats edit.Stats) {
	cycles := cfg.Cycles(f.Graph())
	h := horner{f: f}
	for _, b := range f.Blocks {
		if cycles.InnermostCycle(b.ID) != nil {
			edit.InsertBefore(b, h.rewrite)
		}
	}
	if h.shortened > 0 {
		stats.Add("recurrent multiplications shortened", h.shortened)
		f.Renumber()
		edit.Dead(f, nil)
	}
}

type horner struct {
	f         *vir.Func
	uses      [][]analysis.Use // nil until needed
	component []int            // see rings
	shortened int
}

// inSameCycle reports whether x and v depend on each other.
func (h *horner) inSameCycle(x, v *vir.Value) bool {
	return x.Op != vir.Const && x.ID < len(h.component) && h.component[x.ID] == h.component[v.ID]
}

// scales reports whether v multiplies a value that depends on v by a constant.
func (h *horner) scales(v *vir.Value) bool {
	if v.Op != alu.Mul || v.Args[1].Op != vir.Const || !v.Type.IsScalar() || v.Type.Elem.Bits() < 32 {
		return false
	}
	if h.uses == nil {
		h.uses, h.component = analysis.UsesOf(h.f), dependenceCycles(h.f)
	}
	return h.inSameCycle(v.Args[0], v)
}

// sum returns the only use of v if it is an addition, and its other operand y, which must not
// depend on v.
func (h *horner) sum(v *vir.Value) (sum, y *vir.Value) {
	us := h.uses[v.ID]
	if len(us) != 1 || us[0].By == nil || us[0].By.Op != alu.Add || us[0].By.Block != v.Block {
		return nil, nil
	}
	sum = us[0].By
	if y = sum.Args[0]; y == v {
		y = sum.Args[1]
	}
	if h.inSameCycle(y, v) {
		return nil, nil
	}
	return sum, y
}

// rewrite rewrites v if it is such a multiplication or the addition after one, and returns the
// operations to insert before it.
func (h *horner) rewrite(v *vir.Value) []*vir.Value {
	var before []*vir.Value
	op := func(op vir.Op, x, y *vir.Value) *vir.Value {
		z := v.Block.NewValue(op, v.Type, x, y)
		z.Pos = v.Pos
		before = append(before, z)
		return z
	}
	num := func(n int) *vir.Value { return h.f.Const(v.Type, uint64(n)) }
	if h.scales(v) {
		k, beside := nearPowerOfTwo(v)
		if sum, _ := h.sum(v); sum != nil || beside == alu.Invalid {
			return nil // handled with the sum, or not at all
		}
		x := v.Args[0]
		v.Op, v.Args = beside, []*vir.Value{op(alu.Shl, x, num(k)), x}
		h.shortened++
		return before
	}
	if v.Op != alu.Add {
		return nil
	}
	for _, m := range v.Args {
		if !h.scales(m) {
			continue
		}
		sum, y := h.sum(m)
		if sum != v {
			continue
		}
		x, c := m.Args[0], m.Args[1]
		k, beside := nearPowerOfTwo(m)
		own, other := h.splitRecurrent(x)
		if own == nil && beside == alu.Invalid {
			continue
		}
		if own != nil {
			y, x = op(x.Op, y, op(alu.Mul, other, c)), own
		}
		if beside == alu.Invalid {
			v.Args = []*vir.Value{op(alu.Mul, x, c), y}
		} else {
			y = op(beside, y, x)
			v.Args = []*vir.Value{op(alu.Shl, x, num(k)), y}
		}
		h.shortened++
		return before
	}
	return nil
}

// splitRecurrent splits x, which has one use and depends on itself, into an operand that does as well and
// one that does not.
func (h *horner) splitRecurrent(x *vir.Value) (own, other *vir.Value) {
	if x.Op != alu.Add && x.Op != alu.Sub || len(h.uses[x.ID]) != 1 {
		return nil, nil
	}
	a, b := x.Args[0], x.Args[1]
	switch {
	case h.inSameCycle(a, x) && !h.inSameCycle(b, x):
		return a, b
	case x.Op == alu.Add && h.inSameCycle(b, x) && !h.inSameCycle(a, x):
		return b, a
	}
	return nil, nil
}

// nearPowerOfTwo matches the factor of v with 2^k + 1 or 2^k - 1, and returns the operation that
// combines x<<k with x. It returns alu.Invalid for other factors and those that fit addressing
// modes.
func nearPowerOfTwo(v *vir.Value) (k int, by vir.Op) {
	switch c := v.Args[1].Const; {
	case c > 9 && (c-1)&(c-2) == 0:
		return bits.Len64(c) - 1, alu.Add
	case c > 6 && c&(c+1) == 0 && c != v.Type.Elem.Mask():
		return bits.Len64(c), alu.Sub
	}
	return 0, alu.Invalid
}
