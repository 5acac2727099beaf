package vectorize

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// What a loop that fills memory becomes at most: stores one after the other.
const (
	fillBytes = 64 // of a vector
	maxFills  = 32
	mostMade  = 96 // operations for what is stored
)

// Fills makes loops of scalar code that do nothing but to store numbers at all places
// from a constant one to a constant one stores of vectors, as arrays in private
// memory are set up. The numbers stay the same, count, lie side by side elsewhere, or
// are computed from such. The last store overlaps the one before it where it must.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes; removes loops
func Fills(f *vir.Func, stats edit.Stats) {
	if f.Width != 1 {
		return
	}
	for fillOne(f) {
		stats.Add("loops that fill", 1)
		vir.RemoveUnreachable(f)
		f.Renumber()
	}
}

// fillOne replaces one loop, if there is any such.
func fillOne(f *vir.Func) bool {
	cycles := cfg.Cycles(f.Graph())
	var in [][]analysis.InEdge
	var uses [][]analysis.Use
	for _, c := range cycles.Cycles {
		if len(c.Blocks) != 2 || len(c.Children) > 0 {
			continue
		}
		if in == nil {
			in, uses = analysis.InEdges(f), analysis.UsesOf(f)
		}
		lp := analysis.FindLoop(f, cycles, in, c)
		if lp == nil || len(lp.Entry) != 1 || len(lp.Head.Params) != 1 {
			continue
		}
		x := filling{f: f, lp: lp, uses: uses, Objects: analysis.NewObjects(f)}
		if x.counts() && x.onlyStores() {
			x.replace()
			return true
		}
	}
	return false
}

type filling struct {
	f    *vir.Func
	lp   *analysis.SimpleLoop
	uses [][]analysis.Use
	*analysis.Objects

	i        *vir.Value // the counter
	from, to int64      // its first value and that for which the loop is left
	stores   []fill
}

// counts reports whether the loop, which tests at its head, lets its parameter
// count by one from a constant to a constant.
func (x *filling) counts() bool {
	h, b := x.lp.Head, x.lp.Latch
	if h == b || h.Kind != vir.Branch || b.Kind != vir.Jump || h.Edges[0].To != b || h.Edges[1].To == h || len(b.Params) > 0 {
		return false
	}
	x.i = h.Params[0]
	first, by := x.lp.Entry[0].Edge().Args[0], analysis.StepOf(x.lp, x.i)
	if first.Op != vir.Const || by == nil || !analysis.IsConst(by, 1) {
		return false
	}
	t := h.Cond
	last := int64(0)
	switch t.Op {
	case alu.Slt, alu.Ult:
	case alu.Sle, alu.Ule:
		last = 1
	default:
		return false
	}
	if t.Args[1].Op != vir.Const || t.Block != h {
		return false
	}
	n := t.Args[0]
	if n.Op == alu.Trunc {
		n = n.Args[0]
	}
	// Small numbers are the same, cut or not, signed or not.
	const most = 1 << 30
	x.from, x.to = int64(first.Const), int64(t.Args[1].Const)
	x.to += last
	if n != x.i || n.Type.Elem.Bits() < 32 || t.Args[0].Type.Elem.Bits() < 32 || uint64(x.from) > most || uint64(x.to) > most || x.from >= x.to {
		return false
	}
	for _, v := range append([]*vir.Value{x.i}, h.Values...) {
		for _, u := range x.uses[v.ID] {
			if u.Block != h && u.Block != b || u.By == nil && v != t {
				return false // passed on
			}
		}
	}
	return true
}

// onlyStores reports whether the loop stores what can be computed for several rounds
// at once one behind the other and does nothing else, and notes the stores.
func (x *filling) onlyStores() bool {
	for _, v := range x.lp.Head.Values {
		if !v.Op.Pure() {
			return false
		}
	}
	for _, v := range x.lp.Latch.Values {
		switch {
		case v.Op.Pure() || analysis.IsVectorizableAccess(v, vir.Load):
		case !analysis.IsVectorizableAccess(v, vir.Store):
			return false
		default:
			x.stores = append(x.stores, fill{Value: v})
		}
	}
	total, made := int64(0), int64(0)
	for i := range x.stores {
		v := &x.stores[i]
		size := int64(v.Args[1].Type.Elem.Size())
		n := numbersOf{largest: size, ops: map[*vir.Value]bool{}}
		if v.base, v.step = x.place(v.Args[0]); v.step != size || !x.inLanes(v.Args[1], &n) {
			return false
		}
		v.lanes = fillBytes / n.largest
		times := (x.to - x.from + v.lanes - 1) / v.lanes
		total += times
		made += times * int64(len(n.ops))
	}
	// Nothing may be stored in two ways: the order would change.
	for i, v := range x.stores {
		for _, w := range x.stores[:i] {
			if v.base != w.base || v.Disp < w.Disp+x.size(w) && w.Disp < v.Disp+x.size(v) {
				return false
			}
		}
	}
	return len(x.stores) > 0 && total <= maxFills && made <= mostMade
}

// fill is a store of a loop that fills: from base on, step bytes further in each round,
// of at most so many lanes at once.
type fill struct {
	*vir.Value
	base        *vir.Value
	step, lanes int64
}

// numbersOf is what it takes to compute a number in lanes.
type numbersOf struct {
	largest int64               // bytes of the largest number
	ops     map[*vir.Value]bool // of the loop
}

// inLanes reports whether v can be computed for several rounds at once, and adds what
// that takes to n.
func (x *filling) inLanes(v *vir.Value, n *numbersOf) bool {
	if v.Type.Elem != alu.I1 {
		n.largest = max(n.largest, int64(v.Type.Elem.Size()))
	}
	if _, counts := x.counting(v); counts || x.steady(v) || n.ops[v] {
		return v.Type.IsScalar()
	}
	n.ops[v] = true
	switch {
	case v.Op == vir.Load:
		_, step := x.place(v.Args[0])
		return step == int64(v.Type.Elem.Size()) && x.unwritten(v)
	case v.Op == vir.Param || !analysis.CheapOnVectors(v.Op) || !v.Type.IsScalar():
		return false
	}
	return !slices.ContainsFunc(v.Args, func(a *vir.Value) bool { return !x.inLanes(a, n) })
}

// unwritten reports whether the loop stores nothing where the load v reads.
func (x *filling) unwritten(v *vir.Value) bool {
	return analysis.IsVectorizableAccess(v, vir.Load) && !slices.ContainsFunc(x.lp.Latch.Values, func(s *vir.Value) bool {
		return s.Op == vir.Store && !x.Accessed(v).Distinct(x.Accessed(s))
	})
}

// steady reports whether v is the same in all rounds.
func (x *filling) steady(v *vir.Value) bool {
	return x.lp.Outside(v) || (v.Op.Pure() && v.Op != vir.Param || v.Op == vir.Load && x.unwritten(v)) &&
		!slices.ContainsFunc(v.Args, func(a *vir.Value) bool { return !x.steady(a) })
}

// counting reports whether v is the counter, cut or extended, and a constant.
func (x *filling) counting(v *vir.Value) (plus int64, ok bool) {
	if v.Op == alu.Add && v.Args[1].Op == vir.Const {
		plus, v = v.Args[1].Signed(), v.Args[0]
	}
	if (v.Op == alu.Trunc || v.Op == alu.ZExt || v.Op == alu.SExt) && v.Args[0] == x.i {
		v = x.i
	}
	return plus, v == x.i && plus == int64(int32(plus))
}

// size is how many bytes the store v fills in all.
func (x *filling) size(v fill) int64 { return (x.to - x.from) * v.step }

// place takes an address apart: what stays the same, and the bytes by which it grows
// from one round to the next, 0 if it is of another form.
func (x *filling) place(a *vir.Value) (base *vir.Value, step int64) {
	if a.Op != alu.Add || x.steady(a) {
		return nil, 0
	}
	for k, index := range a.Args {
		base, step := a.Args[1-k], int64(1)
		if index.Op == alu.Shl && index.Args[1].Op == vir.Const && index.Args[1].Const < 4 {
			index, step = index.Args[0], 1<<index.Args[1].Const
		}
		if (index.Op == alu.SExt || index.Op == alu.ZExt) && index.Args[0] == x.i {
			index = x.i
		}
		if index == x.i && x.steady(base) {
			return base, step
		}
	}
	return nil, 0
}

// replace makes the head of the loop a block that stores and goes on.
func (x *filling) replace() {
	h := x.lp.Head
	var kept []*vir.Value
	for _, v := range slices.Concat(h.Values, x.lp.Latch.Values) {
		if v.Op != vir.Store && x.steady(v) {
			v.Block = h
			kept = append(kept, v)
		}
	}
	out := h.Edges[1]
	h.Values, h.Params = kept, nil
	x.lp.Entry[0].Edge().Args = nil
	for _, v := range x.stores {
		same := map[vir.Type]map[*vir.Value]*vir.Value{}
		for at := x.from; at < x.to; {
			lanes := v.lanes
			for lanes > x.to-x.from {
				lanes /= 2
			}
			at = min(at, x.to-lanes)
			w := roundsAt{x, at, int(lanes), same, map[*vir.Value]*vir.Value{}}
			w.store(v)
			at += lanes
		}
	}
	h.Jump(out.To, out.Args...)
}

// roundsAt computes rounds of a loop that fills, as many as there are lanes from the
// one in which the counter is at.
type roundsAt struct {
	*filling
	at    int64
	lanes int
	same  map[vir.Type]map[*vir.Value]*vir.Value // what stays the same, in all lanes
	made  map[*vir.Value]*vir.Value
}

// access sets the attributes of x, which accesses what v does in those rounds.
func (w roundsAt) access(x, v *vir.Value, step int64) *vir.Value {
	x.Disp, x.Align, x.Invariant, x.Object, x.Pos, x.Origin = v.Disp+w.at*step, v.Align, v.Invariant, v.Object, v.Pos, v.Origin
	return x
}

// store stores what v does.
func (w roundsAt) store(v fill) {
	h, num := w.lp.Head, w.number(v.Args[1])
	if w.lanes == 1 {
		w.access(h.Append(vir.Store, v.Type, v.base, num), v.Value, v.step)
		return
	}
	w.access(h.Append(vir.VStore, v.Type, v.base, num, w.f.Const(vir.Mask(w.lanes), 1)), v.Value, v.step)
}

// number is v in all lanes.
func (w roundsAt) number(v *vir.Value) *vir.Value {
	if x := w.made[v]; x != nil {
		return x
	}
	h, t := w.lp.Head, vir.Vec(v.Type.Elem, w.lanes)
	var x *vir.Value
	plus, counts := w.counting(v)
	switch {
	case counts && w.lanes == 1:
		return w.f.Const(t, uint64(w.at+plus))
	case counts:
		x = h.Append(vir.Iota, t)
		x.Index = int(w.at + plus)
	case v.Op == vir.Const:
		return w.f.Const(t, v.Const)
	case w.steady(v) && w.lanes == 1:
		return v
	case w.steady(v):
		if w.same[t] == nil {
			w.same[t] = map[*vir.Value]*vir.Value{}
		}
		if x = w.same[t][v]; x == nil {
			x = h.Append(vir.Splat, t, v)
			w.same[t][v] = x
		}
		return x
	case v.Op == vir.Load:
		base, step := w.place(v.Args[0])
		if w.lanes == 1 {
			x = h.Append(vir.Load, t, base)
		} else {
			x = h.Append(vir.VLoad, t, base, w.f.Const(vir.Mask(w.lanes), 1))
		}
		w.access(x, v, step)
	default:
		var args []*vir.Value
		for _, a := range v.Args {
			args = append(args, w.number(a))
		}
		x = h.Append(v.Op, t, args...)
		x.Pos = v.Pos
	}
	w.made[v] = x
	return x
}
