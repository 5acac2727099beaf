package loops

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// CountedExits replaces the test of a scalar loop counter by a test of the lanes' own counters.
// If the vector count equals the scalar n in every lane of the loop's mask, a test of n is
// equivalent to the comparison of count under the mask:
//
//	branch n < limit, body, done      mask1 = mask & (count < splat limit)
//
// With an empty mask the body's own test leaves to the same place; up to there it must have no
// side effects. One masked comparison replaces an addition, a comparison and a jump.
//
// If LatchTests may move the test of n back out of the mask, to the loop's end, the scalar test
// enters the mask. LaneTests replaces it if it is still there.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes; a reducible graph stays so
func CountedExits(f *vir.Func, stats edit.Stats) { countedExits(f, stats, (*counter).leaveEarly) }

// LaneTests replaces tests of scalar counters that LatchTests has left in the masks of loops by
// tests of the lanes' counters, as CountedExits does.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes; a reducible graph stays so
func LaneTests(f *vir.Func, stats edit.Stats) { countedExits(f, stats, (*counter).leaveLate) }

func countedExits(f *vir.Func, stats edit.Stats, leave func(*counter) bool) {
	cycles := cfg.Cycles(f.Graph())
	changed := false
	var in [][]analysis.InEdge
	for _, c := range cycles.Cycles {
		if in == nil {
			in = analysis.InEdges(f)
		}
		lp := analysis.FindLoop(f, cycles, in, c)
		if lp == nil {
			continue
		}
		// A change invalidates the edge lists, which are rebuilt for the next loop; few
		// loops change.
		if k := findCounter(f, cycles, lp); k != nil && leave(k) {
			changed, in = true, nil
			stats.Add("counted exits under masks", 1)
		}
	}
	if changed {
		vir.RemoveUnreachable(f)
		f.Renumber()
		edit.Dead(f, stats)
	}
}

// wideCount is the size in bits of the vector count from which comparing it costs more than the
// scalar test that it replaces.
const wideCount = 2048

func (k *counter) wide() bool { return k.count.Type.Bits() >= wideCount }

// leaveEarly moves the head's test into the mask, or replaces the loop's scalar tests if the loop
// has too many blocks for LatchTests.
func (k *counter) leaveEarly() bool {
	c := k.lp.Head.Cond
	first := c != nil && k.scalarTest(c, k.n) && k.canDropExit() // head and body will be one block
	blocks := len(k.lp.Cycle.Blocks)
	short := blocks <= 2 || first && blocks == 3 // Rotate will make it one block
	if first && (k.wide() || short) {
		k.replaceExit(c, k.n, nil)
		return true
	}
	return !short && k.leaveLate()
}

// leaveLate replaces the loop's scalar tests by tests of lanes.
func (k *counter) leaveLate() bool {
	if k.wide() || !k.convertible() {
		return false
	}
	k.convert()
	return true
}

// maxCountedBody bounds the operations that run once more, with an empty mask, when the counter
// ends a loop.
const maxCountedBody = 32

// counter is a scalar counter n of a loop, with the vector count that equals n in every lane of
// mask.
type counter struct {
	f           *vir.Func
	cycles      *cfg.CycleForest
	lp          *analysis.SimpleLoop
	uses        [][]analysis.Use
	mask, n     *vir.Value
	count, step *vir.Value // step is count's next value before the select by lanes
	counted     *vir.Value // count's next value
	everyLane   bool       // count is stepped in every lane of mask
}

func findCounter(f *vir.Func, cycles *cfg.CycleForest, lp *analysis.SimpleLoop) *counter {
	for _, n := range lp.Head.Params {
		if !n.Type.IsScalar() || !n.Type.Elem.IsInt() {
			continue
		}
		by := analysis.StepOf(lp, n)
		if by == nil {
			continue
		}
		for _, v := range lp.Head.Params {
			next := lp.Next(v)
			if v.Type.Elem != n.Type.Elem || !v.Type.IsVec() || next.Op != alu.Select || next.Args[2] != v {
				continue
			}
			sum := next.Args[1]
			if s := analysis.Other(sum, alu.Add, v); s == nil || !isSplatOf(s, by) {
				continue
			}
			for _, m := range lp.Head.Params {
				k := &counter{f: f, cycles: cycles, lp: lp, mask: m, n: n, count: v, step: sum, counted: next, everyLane: next.Args[0] == m}
				if m.Type == next.Args[0].Type && lp.Next(m) != m && k.countsFromStart() && lp.MaskLogic.Within(lp.Next(m), next.Args[0]) && lp.MaskLogic.Within(lp.Next(m), m) {
					k.uses = analysis.UsesOf(f)
					return k
				}
			}
		}
	}
	return nil
}

// isSplatOf reports whether every lane of v is x.
func isSplatOf(v, x *vir.Value) bool {
	return v.Op == vir.Splat && v.Args[0] == x || v.Op == vir.Const && x.Op == vir.Const && v.Const == x.Const
}

// countsFromStart reports whether count equals n when lanes enter the loop.
func (k *counter) countsFromStart() bool {
	for _, e := range k.lp.Entry {
		args := e.Edge().Args
		v := args[k.count.Index]
		if v.Op == alu.Select && v.Args[0] == args[k.mask.Index] {
			v = v.Args[1]
		}
		if !isSplatOf(v, args[k.n.Index]) {
			return false
		}
	}
	return true
}

func isScalarTest(v *vir.Value) bool {
	switch v.Op {
	case alu.Eq, alu.Ne, alu.Slt, alu.Sle, alu.Ult, alu.Ule:
		return v.Type.IsScalar()
	}
	return false
}

// convertible reports whether n is used only by tests that lanes can make, and by at least one.
func (k *counter) convertible() bool {
	next := k.lp.Next(k.n)
	tests := 0
	for _, x := range []*vir.Value{k.n, next} {
		for _, u := range k.uses[x.ID] {
			switch {
			case u.By != nil && u.By == next && x == k.n:
			case u.Edge >= 0 && u.Block == k.lp.Latch && &u.Block.Edges[u.Edge] == k.lp.Back.Edge() && x == next:
			case u.By != nil && k.isReplaceableTest(u.By, x):
				tests++
			default:
				return false
			}
		}
	}
	return tests > 0
}

// isReplaceableTest reports whether c compares x, n or its next value, with an invariant, and is used only
// where a test of lanes is equivalent.
func (k *counter) isReplaceableTest(c, x *vir.Value) bool {
	if !k.scalarTest(c, x) {
		return false
	}
	for _, u := range k.uses[c.ID] {
		switch {
		case u.By != nil && u.By.Op == vir.Splat && k.cycles.InnermostCycle(u.Block.ID) == k.lp.Cycle:
			if !k.unobservedOutsideMask(u.By, 4) {
				return false
			}
		case u.By == nil && u.Edge < 0 && u.Block == k.lp.Head && (x == k.n || k.everyLane) && k.canDropExit():
		default:
			return false
		}
	}
	return true
}

// scalarTest reports whether c compares x with an invariant.
func (k *counter) scalarTest(c, x *vir.Value) bool {
	return isScalarTest(c) && k.cycles.InnermostCycle(c.Block.ID) == k.lp.Cycle && comparesWithInvariant(k.cycles, k.lp.Cycle, c, x)
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

// unobservedOutsideMask reports whether lanes of v outside of the mask are not observed.
func (k *counter) unobservedOutsideMask(v *vir.Value, depth int) bool {
	for _, u := range k.uses[v.ID] {
		y := (*vir.Value)(nil)
		if u.By != nil {
			y = analysis.Other(u.By, alu.And, v)
		}
		if y == nil || !k.lp.MaskLogic.Within(y, k.mask) && (depth == 0 || !k.unobservedOutsideMask(u.By, depth-1)) {
			return false
		}
	}
	return true
}

// canDropExit reports whether the head's exit can be dropped, as the next branch leaves to the
// same place with the same arguments if the mask is empty.
func (k *counter) canDropExit() bool {
	h := k.lp.Head
	stay := k.lp.Stays()
	if stay < 0 {
		return false
	}
	b, out := h.Edges[stay].To, h.Edges[1-stay]
	if b.Kind != vir.Branch || b.Cond.Op != vir.Any || b == h || len(b.Params) > 0 || len(b.Values) > maxCountedBody {
		return false
	}
	entries := 0
	for _, from := range k.f.Blocks {
		for _, e := range from.Edges {
			if e.To == b {
				entries++
			}
		}
	}
	for _, v := range b.Values {
		if !analysis.IsMovable(v) && v.Op != vir.Any {
			return false
		}
	}
	left := b.Edges[1]
	return entries == 1 && k.lp.MaskLogic.Within(b.Cond.Args[0], k.mask) && left.To == out.To && slices.Equal(left.Args, out.Args) &&
		!k.cycles.Contains(k.lp.Cycle, left.To.ID)
}

// convert replaces the tests of n by tests of lanes.
func (k *counter) convert() {
	next := k.lp.Next(k.n)
	to := map[*vir.Value]*vir.Value{}
	for _, x := range []*vir.Value{k.n, next} {
		lanes := k.count
		if x == next {
			lanes = k.step
			if k.everyLane {
				lanes = k.counted
			}
		}
		for _, u := range k.uses[x.ID] {
			if c := u.By; c != nil && c != next {
				for _, y := range k.uses[c.ID] {
					if y.By != nil {
						if !raise(lanes, y.Block, slices.Index(y.Block.Values, y.By)) {
							continue // the scalar test stays
						}
						at := slices.Index(y.Block.Values, y.By)
						to[y.By] = k.test(y.Block, &at, c.Op, c, x, lanes)
					} else {
						k.replaceExit(c, x, lanes)
					}
				}
			}
		}
	}
	edit.ReplaceAll(k.f, to)
}

// raise moves v before index at of b if its operands are available there, and reports whether
// v is.
func raise(v *vir.Value, b *vir.Block, at int) bool {
	i := slices.Index(b.Values, v)
	if i < at {
		return true
	}
	for _, a := range v.Args {
		if slices.Index(b.Values, a) >= at {
			return false
		}
	}
	b.Values = slices.Insert(slices.Delete(b.Values, i, i+1), at, v)
	return true
}

// test inserts the test c of x for lanes in place of x.
func (k *counter) test(b *vir.Block, at *int, op vir.Op, c, x, lanes *vir.Value) *vir.Value {
	var args [2]*vir.Value
	for i, a := range c.Args {
		switch {
		case a == x:
			args[i] = lanes
		case a.Op == vir.Const:
			args[i] = k.f.Const(lanes.Type, a.Const)
		default:
			args[i] = edit.InsertValue(b, at, vir.Splat, lanes.Type, a)
		}
	}
	v := edit.InsertValue(b, at, op, vir.Mask(lanes.Type.Lanes), args[0], args[1])
	v.Pos = c.Pos
	return v
}

// replaceExit replaces the head's branch on c, a test of x, by a jump to the body with a mask of
// the lanes that pass the test: c itself, or the test of lanes if given.
func (k *counter) replaceExit(c, x, lanes *vir.Value) {
	h, stay := k.lp.Head, k.lp.Stays()
	at := len(h.Values)
	var t *vir.Value
	if lanes != nil {
		t = k.test(h, &at, c.Op, c, x, lanes)
	} else {
		t = edit.InsertValue(h, &at, vir.Splat, k.mask.Type, c)
	}
	if stay == 1 {
		t = edit.InsertValue(h, &at, alu.Xor, t.Type, t, k.f.Const(t.Type, 1))
	}
	left := edit.InsertValue(h, &at, alu.And, t.Type, k.mask, t)
	left.Pos, left.Name = c.Pos, k.mask.Name
	dom := cfg.Dominators(k.f.Graph())
	body := h.Edges[stay].To
	for _, u := range k.uses[k.mask.ID] {
		if !dom.Dominates(body.ID, u.Block.ID) {
			continue
		}
		if u.By != nil {
			edit.ReplaceIn(u.By.Args, k.mask, left)
		} else if u.Edge >= 0 {
			edit.ReplaceIn(u.Block.Edges[u.Edge].Args, k.mask, left)
		}
	}
	h.Jump(body)
}
