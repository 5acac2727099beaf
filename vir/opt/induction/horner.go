package induction

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Horner shortens the way from round to round through what is multiplied by the same
// number in each, as the hashes of strings are (Horner's rule):
//
//	(h - x)*257 + y    h<<8 + ((y - x*257) + h)
//	h*31 + y           h<<5 + (y - h)
//
// What does not depend on the round before is multiplied beside it, and for a factor
// next to a power of two there is a shift and an addition, which take less time one
// after the other than a multiplication.
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
		stats.Add("multiplications shortened from round to round", h.shortened)
		f.Renumber()
		edit.Dead(f, nil)
	}
}

type horner struct {
	f         *vir.Func
	uses      [][]analysis.Use // nil if nobody has asked
	ring      []int            // see rings
	shortened int
}

// inRing reports whether x and v depend on each other.
func (h *horner) inRing(x, v *vir.Value) bool {
	return x.Op != vir.Const && x.ID < len(h.ring) && h.ring[x.ID] == h.ring[v.ID]
}

// scales reports whether v is a multiplication by a constant of what depends on it.
func (h *horner) scales(v *vir.Value) bool {
	if v.Op != alu.Mul || v.Args[1].Op != vir.Const || !v.Type.IsScalar() || v.Type.Elem.Bits() < 32 {
		return false
	}
	if h.uses == nil {
		h.uses, h.ring = analysis.UsesOf(h.f), rings(h.f)
	}
	return h.inRing(v.Args[0], v)
}

// sum returns the one addition that uses v, and what it adds, if that does not depend
// on it.
func (h *horner) sum(v *vir.Value) (sum, y *vir.Value) {
	us := h.uses[v.ID]
	if len(us) != 1 || us[0].By == nil || us[0].By.Op != alu.Add || us[0].By.Block != v.Block {
		return nil, nil
	}
	sum = us[0].By
	if y = sum.Args[0]; y == v {
		y = sum.Args[1]
	}
	if h.inRing(y, v) {
		return nil, nil
	}
	return sum, y
}

// rewrite changes v if it is such a multiplication, or adds to one, and returns what
// goes before it.
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
		k, beside := besidePower(v)
		if sum, _ := h.sum(v); sum != nil || beside == alu.Invalid {
			return nil // as part of the sum, or not
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
		k, beside := besidePower(m)
		own, other := h.parts(x)
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

// parts takes x, which depends on itself, apart into an operand that does, too, and one
// that it is added to or taken from it, if nothing else uses x.
func (h *horner) parts(x *vir.Value) (own, other *vir.Value) {
	if x.Op != alu.Add && x.Op != alu.Sub || len(h.uses[x.ID]) != 1 {
		return nil, nil
	}
	a, b := x.Args[0], x.Args[1]
	switch {
	case h.inRing(a, x) && !h.inRing(b, x):
		return a, b
	case x.Op == alu.Add && h.inRing(b, x) && !h.inRing(a, x):
		return b, a
	}
	return nil, nil
}

// besidePower takes the factor of v for 2^k + 1 or 2^k - 1, and returns what x is added
// to x<<k by; alu.Invalid if it is neither, or small enough for an address.
func besidePower(v *vir.Value) (k int, by vir.Op) {
	switch c := v.Args[1].Const; {
	case c > 9 && (c-1)&(c-2) == 0:
		return bits.Len64(c) - 1, alu.Add
	case c > 6 && c&(c+1) == 0 && c != v.Type.Elem.Mask():
		return bits.Len64(c), alu.Sub
	}
	return 0, alu.Invalid
}
