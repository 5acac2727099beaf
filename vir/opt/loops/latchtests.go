package loops

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// LatchTests moves the test of a scalar counter from the mask of a loop to its end:
//
//	mask' = mask & splat(n < limit) & …       mask' = mask & …
//	branch any mask', loop, done              branch any mask' and n' < limit, loop, done
//
// The test of the initial n goes into the mask on entry. The loop, of one block, stops one
// iteration earlier, before one with an empty mask; values used after it must not change in that
// iteration.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func LatchTests(f *vir.Func, stats edit.Stats) {
	cycles := cfg.Cycles(f.Graph())
	in := analysis.InEdges(f)
	moved := 0
	var uses [][]analysis.Use // nil after a change
	for _, c := range cycles.Cycles {
		lp := analysis.FindLoop(f, cycles, in, c)
		if lp == nil || len(c.Blocks) != 1 || !leavesWhenEmpty(lp.Head) || lp.Head.Edges[0].To != lp.Head {
			continue
		}
		if uses == nil {
			uses = analysis.UsesOf(f)
		}
		l := latchTest{f: f, cycles: cycles, lp: lp, next: lp.Head.Cond.Args[0], uses: uses}
		if l.find() && (l.ahead && l.onlyContinues() || !l.ahead && l.unchangedWhenEmpty()) {
			l.move()
			uses = nil
			moved++
		}
	}
	if moved > 0 {
		stats.Add("tests moved to latches", moved)
		f.Renumber()
		edit.Dead(f, stats)
	}
}

type latchTest struct {
	f      *vir.Func
	cycles *cfg.CycleForest
	lp     *analysis.SimpleLoop
	uses   [][]analysis.Use
	next   *vir.Value // the mask of the next iteration
	mask   *vir.Value // its parameter
	test   *vir.Value // compares n,
	ahead  bool       // or its next value
	n      *vir.Value
	splat  *vir.Value // the test in every lane
	and    *vir.Value // the conjunction with the mask
}

// find looks for the test among the factors of the next mask.
func (l *latchTest) find() bool {
	for _, p := range l.lp.Head.Params {
		if l.lp.Next(p) == l.next {
			l.mask = p
		}
	}
	if l.mask == nil || !l.lp.MaskLogic.Within(l.next, l.mask) {
		return false
	}
	return l.factors(l.next)
}

func (l *latchTest) factors(v *vir.Value) bool {
	if v.Op != alu.And || v.Block != l.lp.Head || v != l.next && len(l.uses[v.ID]) != 1 {
		return false
	}
	for _, x := range v.Args {
		if x.Op == vir.Splat && x.Block == l.lp.Head && len(l.uses[x.ID]) == 1 && l.counts(x.Args[0]) {
			l.splat, l.and = x, v
			return true
		}
	}
	return l.factors(v.Args[0]) || l.factors(v.Args[1])
}

// counts reports whether c compares a counter with an invariant.
func (l *latchTest) counts(c *vir.Value) bool {
	if !isScalarTest(c) || c.Block != l.lp.Head {
		return false
	}
	for _, n := range l.lp.Head.Params {
		for _, x := range c.Args {
			if (x == n || x == l.lp.Next(n)) && comparesWithInvariant(l.cycles, l.lp.Cycle, c, x) {
				l.test, l.n, l.ahead = c, n, x != n
				return true
			}
		}
	}
	return false
}

func isScalarTest(v *vir.Value) bool {
	switch v.Op {
	case alu.Eq, alu.Ne, alu.Slt, alu.Sle, alu.Ult, alu.Ule:
		return v.Type.IsScalar()
	}
	return false
}

// comparesWithInvariant reports whether c compares x with a value that is invariant in the loop.
func comparesWithInvariant(cycles *cfg.CycleForest, loop *cfg.Cycle, c, x *vir.Value) bool {
	y := c.Args[0]
	if y == x {
		y = c.Args[1]
	} else if c.Args[1] != x {
		return false
	}
	return y != x && (y.Op == vir.Const || !cycles.Contains(loop, y.Block.ID))
}

// onlyContinues reports whether the next mask is used only to continue the loop.
func (l *latchTest) onlyContinues() bool {
	for _, u := range l.uses[l.next.ID] {
		if u.By != l.lp.Head.Cond && !(u.By == nil && u.Block == l.lp.Head && u.Edge == 0) {
			return false
		}
	}
	return true
}

// unchangedWhenEmpty reports whether no value that is used after the loop changes in an iteration with an
// empty mask.
func (l *latchTest) unchangedWhenEmpty() bool {
	h := l.lp.Head
	for _, vs := range [][]*vir.Value{h.Params, h.Values} {
		for _, v := range vs {
			if effect := vir.InfoOf(v.Op).Effect; effect == vir.Writes || v.Volatile {
				return false
			}
			outside := false
			for _, u := range l.uses[v.ID] {
				outside = outside || u.Block != h || u.Edge == 1
			}
			if !outside {
				continue
			}
			if v.Op != alu.Select || v.Args[0] != l.next || v.Args[2].Op != vir.Param || v.Args[2].Block != h || l.lp.Next(v.Args[2]) != v {
				return false
			}
		}
	}
	return true
}

func (l *latchTest) move() {
	h := l.lp.Head
	if l.ahead {
		l.leaveMask(l.test)
		return
	}
	for _, e := range l.lp.Entry {
		args := e.Edge().Args
		first := l.compare(e.From, args[l.n.Index])
		if analysis.IsConst(first, 1) {
			continue
		}
		all := e.From.Append(vir.Splat, l.mask.Type, first)
		enter := e.From.Append(alu.And, l.mask.Type, args[l.mask.Index], all)
		enter.Pos, enter.Name = l.test.Pos, l.mask.Name
		args[l.mask.Index] = enter
	}
	l.leaveMask(l.compare(h, l.lp.Next(l.n)))
}

// leaveMask removes the test from the mask, and makes it a condition to continue the loop.
func (l *latchTest) leaveMask(continues *vir.Value) {
	h := l.lp.Head
	rest := l.and.Args[0]
	if rest == l.splat {
		rest = l.and.Args[1]
	}
	h.Cond = h.Append(alu.And, vir.Scalar(alu.I1), h.Cond, continues)
	edit.ReplaceAll(l.f, map[*vir.Value]*vir.Value{l.and: rest})
}

// compare appends the test of x to b.
func (l *latchTest) compare(b *vir.Block, x *vir.Value) *vir.Value {
	var args [2]*vir.Value
	for i, a := range l.test.Args {
		if args[i] = a; a == l.n {
			args[i] = x
		}
	}
	if args[0].Op == vir.Const && args[1].Op == vir.Const {
		return l.f.Const(l.test.Type, alu.Eval(l.test.Op, alu.I1, args[0].Type.Elem, args[0].Const, args[1].Const, 0))
	}
	v := b.Append(l.test.Op, l.test.Type, args[0], args[1])
	v.Pos = l.test.Pos
	return v
}
