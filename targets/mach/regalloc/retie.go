package regalloc

import "github.com/simtc/simtc/targets/mach"

// Choice of the overwritten operand. A two-address instruction arrives as
// a copy d = x followed by d = x op y. If y ends there and x does not, and there is a
// form that overwrites y, the copy reads y instead. It then
// is free, as d and y get the same register.

// retied is an instruction changed by this choice.
type retied[I comparable] struct {
	block, index int32
	inst         I
}

// retie changes the instruction at i of a block and the copy before it, if
// overwriting another operand saves a move. current holds the next uses after it.
func (a *allocator[I]) retie(bi int, i int32, current []int32) {
	insts := a.f.Blocks[bi].Insts
	in := &insts[i]
	k := i - 1
	for k >= 0 && a.m.Info(&insts[k]).Props&mach.Removed != 0 {
		k--
	}
	if k < 0 {
		return
	}
	d, x, ok := a.m.Copy(&insts[k])
	if !ok || !x.IsVirtual() {
		return
	}
	ops := &a.ops
	a.gather(in, ops)
	if ops.n == 0 || *ops.list[0].reg != d || ops.list[0].role != mach.ReadWrite {
		return
	}
	for _, o := range ops.virtual() {
		if o.kind == mach.Predicate {
			return
		}
	}
	score := func(r mach.Reg) int {
		v, n, addressed := a.val(r), 0, false
		for _, o := range ops.virtual() {
			if o.kind == mach.Address {
				addressed = addressed || *o.reg == r
			} else if o.v == v {
				n++
			}
		}
		if addressed || r == x && n > 0 || r != x && (n > 1 || v == a.val(x)) {
			return -1 // it is also read by another operand
		}
		s := 0
		if current[v] == never {
			s = 4
		}
		for _, to := range a.vals[a.val(d)].to {
			if to == v {
				s += 2
			}
		}
		return s
	}
	best, bestScore := -1, score(x)
	var changed I
	for j, o := range ops.virtual() {
		if j == 0 || o.kind != mach.Value || *o.reg == d {
			continue
		}
		if s := score(*o.reg); s > bestScore {
			if form, ok := a.m.Retie(in, o.reg, x); ok {
				best, bestScore, changed = j, s, form
			}
		}
	}
	if best < 0 {
		return
	}
	y := *ops.list[best].reg
	*in = changed
	a.gather(&insts[k], ops)
	for _, o := range ops.virtual() {
		if o.role == mach.Read {
			*o.reg = y
		}
	}
	a.addHint(a.val(d), a.val(y), a.freq[bi])
	a.retied = append(a.retied, retied[I]{int32(bi), i, *in}, retied[I]{int32(bi), k, insts[k]})
}
