package regalloc

import "github.com/simtc/simtc/targets/mach"

// Reload folding: an instruction that accepts a memory operand reads a
// spilled value from its slot, which saves a register and an instruction.

// fold turns one operand of the instruction at i, whose value is not in a register,
// into a memory operand, if there is such a form and worthRegister rejects the value.
// It returns the value, or -1. ops and after are updated for the
// changed instruction.
func (a *allocator[I]) fold(in *I, i int32, ops *operands, after []int32) (int32, []int32) {
	w := &a.walk
	for k := range ops.n {
		o := ops.list[k]
		val := &a.vals[o.v]
		if o.role != mach.Read || w.reg[o.v] != noPhys || val.constant || !w.mem[o.v] || !a.m.Classes[val.class].Folds ||
			a.worthRegister(o.v, i, after[k]) || ops.repeats(k) {
			continue
		}
		before := *in
		other, ok := a.m.Fold(in, o.reg, int(val.size))
		if !ok {
			continue
		}
		if other != before {
			a.retied = append(a.retied, retied[I]{int32(w.block), i, other})
		}
		w.next[o.v] = after[k]
		old := *ops
		a.gather(in, ops)
		fresh := make([]int32, ops.n)
		for n := range ops.n {
			for m := range old.n {
				if old.list[m].v == ops.list[n].v && old.list[m].role == ops.list[n].role {
					fresh[n] = after[m]
				}
			}
		}
		return o.v, fresh
	}
	return -1, after
}

// repeats reports whether another operand is the value of operand k.
func (ops *operands) repeats(k int) bool {
	for n := range ops.n {
		if n != k && ops.list[n].v == ops.list[k].v {
			return true
		}
	}
	return false
}

// worthRegister reports whether a value that is not in a register should get one
// at i, given its next use after i.
func (a *allocator[I]) worthRegister(v, i, next int32) bool {
	if next == never || next-i > 100 {
		return false
	}
	w := &a.walk
	can := a.allowed(v) & w.available(readTime(i)) &^ w.pinned
	if can&w.free != 0 {
		return true
	}
	p := a.victim(can)
	return p != noPhys && w.next[w.holder[p]] > next
}
