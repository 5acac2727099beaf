package plan

import (
	"math"
	"math/bits"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// probability estimates how often a condition holds, or the average share of the lanes in a
// mask, from its form (after Ball & Larus, "Branch Prediction for Free", 1993). Equality is
// rare, and rarer the more values are possible, which bit masks and remainders bound.
func (w *flow) probability(v *vir.Value) float64 {
	if p := w.probs[v.ID]; p != 0 {
		return p - 1
	}
	w.probs[v.ID] = 1 + unknown // for cyclic conditions
	p := w.computeProbability(v)
	w.probs[v.ID] = 1 + p
	return p
}

// unknown is the probability of a condition without any evidence.
const unknown = 0.5

func (w *flow) computeProbability(v *vir.Value) float64 {
	at := func(i int) float64 { return w.probability(v.Args[i]) }
	switch v.Op {
	case vir.Const:
		return float64(v.Const & 1)
	case vir.Prefix:
		return 1
	case vir.Splat, vir.Part:
		return at(0)
	case vir.Param:
		return w.paramProbability(v)
	case vir.Any:
		return w.someLane(at(0))
	case alu.And:
		if c := w.stayMask[v.ID]; c != nil {
			return w.stayingShare(v, c)
		}
		return at(0) * at(1)
	case alu.Or:
		return 1 - (1-at(0))*(1-at(1))
	case alu.Xor:
		if v.Args[1].Op == vir.Const {
			return 1 - at(0)
		}
	case alu.Select:
		p := at(0)
		return p*at(1) + (1-p)*at(2)
	case alu.Slt, alu.Sle, alu.Ult, alu.Ule:
		return w.inRange(v)
	case alu.Eq:
		return w.equalProbability(v)
	case alu.Ne:
		return 1 - w.equalProbability(v)
	case alu.FLt, alu.FLe:
		if p, ok := ranged(v); ok {
			return p
		}
		if p, ok := nearUnitBound(v); ok {
			return p
		}
	case alu.FEq:
		return genericEqual(v)
	case alu.FNe:
		return 1 - genericEqual(v)
	}
	return unknown
}

// nearUnitBound estimates a comparison with a bound close to 0 or 1: floating-point numbers
// compared with such bounds mostly lie between 0 and 1.
func nearUnitBound(v *vir.Value) (p float64, ok bool) {
	x, limit := v.Args[0], v.Args[1]
	above := x.Op == vir.Const
	if above {
		x, limit = limit, x
	}
	if limit.Op == vir.Splat {
		limit = limit.Args[0]
	}
	if limit.Op != vir.Const || !limit.Type.Elem.IsFloat() {
		return 0, false
	}
	switch y := float(limit.Type.Elem, limit.Const); {
	case y > 0 && y <= nearBound:
		p = max(y, minBeyond)
	case y < 1 && y >= 1-nearBound:
		p = 1 - max(1-y, minBeyond)
	default:
		return 0, false
	}
	if above {
		p = 1 - p
	}
	return p, true
}

// inRange estimates a comparison by order. A comparison of the work-item's ID is mostly a
// bounds check, which nearly all work-items pass.
func (w *flow) inRange(v *vir.Value) float64 {
	x, y := v.Args[0], v.Args[1]
	if p, ok := ranged(v); ok {
		return p
	}
	if p, ok := w.belowPosition(x, y); ok {
		return p
	}
	if p, ok := w.belowPosition(y, x); ok {
		return 1 - p
	}
	switch {
	case w.savedInPhases(y) && w.comparesPosition(v):
		return w.partBelow(y)
	case w.savedInPhases(x) && w.comparesPosition(v):
		return 1 - w.partBelow(x)
	// A constant that exceeds the size of groups may be an argument that a launch knows.
	case (w.alongRow(x) || isOuterID(x)) && w.uniformAcrossStrips(y) && (y.Op != vir.Const || y.Signed() >= assumedGroup), (w.isID(y) || isOuterID(y)) && x.Op == vir.Const:
		return idInRange
	case (w.alongRow(y) || isOuterID(y)) && w.uniformAcrossStrips(x):
		return 1 - idInRange
	}
	return unknown
}

// belowPosition returns the share of the work-items of a group for which x, their position, is below
// a constant.
func (w *flow) belowPosition(x, limit *vir.Value) (p float64, ok bool) {
	n, ok := w.countBelow(x, limit, false)
	return n / w.row, ok
}

// countBelow returns the number of work-items of a row for which x, their position, is below a
// constant or, with including, equals it.
func (w *flow) countBelow(x, limit *vir.Value, including bool) (n float64, ok bool) {
	each, from, known := w.position(x)
	if each == 0 || !known || limit.Op != vir.Const || !w.rowKnown || !w.f.Groups {
		return 0, false
	}
	end := float64(limit.Signed())
	if including {
		end++
	}
	return max(0, min(w.row, math.Ceil((end-from)/each))), true
}

// savedInPhases reports whether v is a number that all lanes share, computed in another phase of a
// work-group.
func (w *flow) savedInPhases(v *vir.Value) bool {
	v = saved(v)
	return len(w.phases) > 0 && v.Op == vir.Load && v.Type.IsScalar() && w.private(v)
}

// saved returns the number that v was computed from by steps with constants.
func saved(v *vir.Value) *vir.Value {
	const depth = 4
	if v.Op == vir.Splat {
		v = v.Args[0]
	}
	return origin(v, depth)
}

// partBelow is the mean share of a group's work-items below position v, which is saved between
// phases: half if each phase adds a constant, as in eliminations, else firstPart.
func (w *flow) partBelow(v *vir.Value) float64 {
	at := saved(v)
	for _, b := range w.f.Blocks {
		for _, x := range b.Values {
			if x.Op != vir.Store || x.Disp != at.Disp || !w.private(x) {
				continue
			}
			if next := x.Args[1]; next.Op == alu.Add && next.Args[1].Op == vir.Const && next.Args[0].Op == vir.Load && next.Args[0].Disp == at.Disp {
				return unknown
			}
		}
	}
	return firstPart
}

// isOuterID reports whether v is the work-item's ID along dimension 1 or 2, plus a constant
// if any.
func isOuterID(v *vir.Value) bool {
	for {
		switch v.Op {
		case alu.ZExt, alu.SExt, alu.Trunc, vir.Splat:
			v = v.Args[0]
		case alu.Add:
			if v.Args[1].Op != vir.Const {
				return false
			}
			v = v.Args[0]
		case vir.Load:
			return v.Args[0].Op == vir.Context && (v.Disp == vir.CtxStart+8 || v.Disp == vir.CtxStart+16)
		default:
			return false
		}
	}
}

// alongRow reports whether v increases along the row of work-items, by the same for each.
func (w *flow) alongRow(v *vir.Value) bool { return w.perPosition(v) > 0 }

// isID reports whether v is the work-item's ID plus a value that is uniform across strips.
func (w *flow) isID(v *vir.Value) bool { return w.affineInID(v, false) }

// affineInID reports whether v is the work-item's ID plus a uniform value; with scaled, the
// ID may also be multiplied by a uniform value.
func (w *flow) affineInID(v *vir.Value, scaled bool) bool {
	for w.strip != nil {
		switch {
		case v.Op == vir.Param:
			return v.Block.ID == w.strip.Header
		case v.Op == alu.ZExt, v.Op == alu.SExt, v.Op == alu.Trunc, v.Op == vir.Splat:
			v = v.Args[0]
		case v.Op == alu.Add && (w.uniformAcrossStrips(v.Args[1]) || v.Args[1].Op == vir.Iota):
			v = v.Args[0]
		case v.Op == alu.Add && w.uniformAcrossStrips(v.Args[0]):
			v = v.Args[1]
		case scaled && (v.Op == alu.Mul || v.Op == alu.Shl) && w.uniformAcrossStrips(v.Args[1]):
			v = v.Args[0]
		default:
			return false
		}
	}
	return false
}

// uniformAcrossStrips reports whether v is the same for all work-items: a constant, or a
// value computed before the strip loop.
func (w *flow) uniformAcrossStrips(v *vir.Value) bool {
	return v.Op == vir.Const || w.strip != nil && v.Block != nil && !w.loops.Contains(w.strip, v.Block.ID)
}

// equalProbability estimates how often the operands of a comparison are equal.
func (w *flow) equalProbability(v *vir.Value) float64 {
	minProb := 1.0 / 65536
	x, y := v.Args[0], v.Args[1]
	switch {
	case x.Type.Elem == alu.I1:
		return 0.5
	case w.pathSelector[x.ID] && y.Op == vir.Const:
		const depth = 12
		return w.selectedProbability(x, y.Const, depth)
	case x.Op == alu.And && x.Args[1].Op == vir.Const && y.Op == vir.Const:
		return max(minProb, math.Ldexp(1, -bits.OnesCount64(x.Args[1].Const&x.Type.Elem.Mask())))
	case x.Op == alu.Sub && x.Args[1].Op == alu.Mul && y.Op == vir.Const:
		return remainderProbability(x.Args[1], minProb)
	case y.Op == alu.Mul:
		return remainderProbability(y, minProb)
	case x.Op == alu.URem:
		return remainderProbability(x, minProb)
	case x.Op == alu.LShr && x.Args[1].Op == vir.Const && y.Op == vir.Const:
		return max(minProb, min(0.5, math.Ldexp(1, int(x.Args[1].Const)-x.Type.Elem.Bits())))
	}
	return genericEqual(v)
}

// genericEqual estimates equality of the operands of v from their types alone.
func genericEqual(v *vir.Value) float64 {
	switch {
	case isFarConst(v.Args[0]) || isFarConst(v.Args[1]):
		return equalFarConst
	case v.Args[1].Op == vir.Const || v.Args[0].Op == vir.Const:
		return equalConst
	case characters(v.Args[0]) || characters(v.Args[1]):
		return equalBytes
	}
	return equalValues
}

// isFarConst reports whether v is an integer constant outside the range of characters and
// small enumerations.
func isFarConst(v *vir.Value) bool {
	return v.Op == vir.Const && v.Type.Elem.IsInt() && (v.Signed() > 255 || v.Signed() < -1)
}

// remainderProbability is the probability of one remainder of a division by v's constant.
func remainderProbability(v *vir.Value, minProb float64) float64 {
	if n := v.Args[1]; n.Op == vir.Const && n.Const != 0 {
		return max(minProb, 1/float64(n.Const&n.Type.Elem.Mask()))
	}
	return equalConst
}

// findPathSelectors finds the values that encode a control-flow decision, such as the
// number of the next block: only constants reach them.
func (w *flow) findPathSelectors() {
	w.pathSelector = make([]bool, w.f.NumValues())
	ofConstants := func(vs ...*vir.Value) bool {
		for _, v := range vs {
			if v.Op != vir.Const && !w.pathSelector[v.ID] {
				return false
			}
		}
		return true
	}
	for _, b := range w.f.Blocks {
		for _, p := range b.Params {
			w.pathSelector[p.ID] = len(w.passed[p.ID]) > 0
		}
		for _, v := range b.Values {
			w.pathSelector[v.ID] = v.Op == alu.Select
		}
	}
	for changed := true; changed; {
		changed = false
		drop := func(v *vir.Value, from []*vir.Value) {
			if w.pathSelector[v.ID] && !ofConstants(from...) {
				w.pathSelector[v.ID], changed = false, true
			}
		}
		for _, b := range w.f.Blocks {
			for _, p := range b.Params {
				drop(p, w.passed[p.ID])
			}
			for _, v := range b.Values {
				if v.Op == alu.Select {
					drop(v, v.Args[1:])
				}
			}
		}
	}
}

// selectedProbability is the probability that the path selector v is the constant x.
func (w *flow) selectedProbability(v *vir.Value, x uint64, depth int) float64 {
	switch {
	case v.Op == vir.Const && v.Const == x:
		return 1
	case v.Op == vir.Const:
		return 0
	case v.Op == alu.Select && depth > 0:
		p := w.probability(v.Args[0])
		return p*w.selectedProbability(v.Args[1], x, depth-1) + (1-p)*w.selectedProbability(v.Args[2], x, depth-1)
	}
	return unknown
}

// takenProbability is the probability that b's branch takes its first edge. It combines the
// form of the condition with a preference for paths into loops.
func (w *flow) takenProbability(b *vir.Block) float64 {
	if p, ok := w.phaseProbability(b); ok {
		return p
	}
	if p, ok := w.barrierLoopProbability(b); ok {
		return p
	}
	first, second := b.Edges[0].To, b.Edges[1].To
	some := rare
	if !w.perItemBranches() {
		some = 1 - math.Pow(1-rare, float64(w.width))
	}
	switch {
	case w.defers(first) && w.defersAll:
		return 1
	case w.defers(first): // marked as rare for the layout of the code
	case b.Edges[1].Rare && w.borders(b.Cond) > 0:
		return max(0, 1-w.borders(b.Cond)*float64(w.width)/w.row)
	case b.Edges[0].Rare:
		return some
	case b.Edges[1].Rare:
		return 1 - some
	}
	p := prior{unknown, unknown}
	const depth = 4
	switch l, m := w.loopEntered(b, first, depth), w.loopEntered(b, second, depth); {
	case l != nil && m == nil:
		p = w.loopPrior(l, second)
	case m != nil && l == nil:
		p = w.loopPrior(m, first).not()
	}
	return w.condProbability(b.ID, b.Cond, p)
}

// borders counts the ends of a row away from which all lanes lie if cond holds.
func (w *flow) borders(cond *vir.Value) float64 {
	switch {
	case cond.Op == alu.And && cond.Type.IsScalar():
		return w.borders(cond.Args[0]) + w.borders(cond.Args[1])
	case cond.Op == vir.All && slices.ContainsFunc(conjuncts(nil, unlessAbsent(cond.Args[0])), w.comparesPosition):
		return 1
	}
	return 0
}

// unlessAbsent returns x of x | ~mask, which holds in lanes that are absent, too.
func unlessAbsent(m *vir.Value) *vir.Value {
	if m.Op == alu.Or && m.Args[1].Op == alu.Xor {
		return m.Args[0]
	}
	return m
}

// prior is the probability of a condition by the targets of its branch: combined is used
// together with evidence from the condition's form, alone without.
type prior struct{ combined, alone float64 }

func (p prior) not() prior { return prior{1 - p.combined, 1 - p.alone} }

// given returns the probability of a condition whose form gives it probability q.
func (p prior) given(q float64) float64 {
	if math.Abs(q-unknown) < 1e-9 {
		return p.alone
	}
	return combine(p.combined, q)
}

// loopPrior is the prior of the edge whose path enters l rather than that to other. If l
// exits to other, the branch is l's own test, made before the first iteration.
func (w *flow) loopPrior(l *cfg.Cycle, other *vir.Block) prior {
	for _, e := range w.loops.Exits(l) {
		if e.To == other.ID {
			return prior{enterLoop, enterOwnTest}
		}
	}
	return prior{enterLoop, enterLoop}
}

// condProbability is the probability that the condition of b's branch holds.
func (w *flow) condProbability(b int, cond *vir.Value, p prior) float64 {
	switch cond.Op {
	case vir.Any:
		return w.anyProbability(b, cond.Args[0], p)
	case vir.All:
		return fullMask
	case alu.Xor:
		if cond.Args[1].Op == vir.Const && onMask(cond.Args[0]) {
			return 1 - w.condProbability(b, cond.Args[0], p.not())
		}
	}
	return p.given(w.probability(cond))
}

// combine merges two independent estimates of the same probability (Wu & Larus, "Static
// Branch Frequency and Program Profile Analysis", 1994).
func combine(p, q float64) float64 { return p * q / (p*q + (1-p)*(1-q)) }

// loopEntered returns the loop not containing b that the path from b through to enters, or
// nil.
func (w *flow) loopEntered(b, to *vir.Block, depth int) *cfg.Cycle {
	l := w.blockLoop[to.ID]
	switch {
	case depth == 0 || l == nil || w.leaves(w.blockLoop[b.ID], to.ID) || l.Header == to.ID && w.loops.Contains(l, b.ID):
		return nil
	case l.Header == to.ID:
		return l
	}
	for _, e := range to.Edges {
		if l := w.loopEntered(b, e.To, depth-1); l != nil {
			return l
		}
	}
	return nil
}
