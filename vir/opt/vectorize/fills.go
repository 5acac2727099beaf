package vectorize

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Limits of the straight-line code that replaces a loop.
const (
	fillBytes = 64 // size of a vector
	maxFills  = 32 // stores
	maxMade   = 96 // operations to compute the stored values
)

// Fills recognizes loops of scalar code that only store to consecutive elements between constant
// bounds, such as the initialization of private arrays, and replaces them by vector stores. The
// stored values are invariant, the counter, loaded from consecutive elements, or computed from
// such values. The last store overlaps the one before it if needed.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes; removes loops
func Fills(f *vir.Func, stats edit.Stats) {
	if f.Width != 1 {
		return
	}
	// The code that replaces a loop may make another loop recognizable.
	for replaced := fillAll(f); replaced > 0; replaced = fillAll(f) {
		stats.Add("fill loops replaced", replaced)
		vir.RemoveUnreachable(f)
		f.Renumber()
	}
}

// fillAll replaces the loops that are recognized, and returns their number. It leaves their latches
// unreachable.
func fillAll(f *vir.Func) int {
	cycles := cfg.Cycles(f.Graph())
	var in [][]analysis.InEdge
	var uses [][]analysis.Use
	var objects *analysis.Objects
	replaced := 0
	for _, c := range cycles.Cycles {
		if len(c.Blocks) != 2 || len(c.Children) > 0 {
			continue
		}
		if in == nil {
			in, uses, objects = analysis.InEdges(f), analysis.UsesOf(f), analysis.NewObjects(f)
		}
		lp := analysis.FindLoop(f, cycles, in, c)
		if lp == nil || len(lp.Entry) != 1 || len(lp.Head.Params) != 1 {
			continue
		}
		x := filling{f: f, lp: lp, uses: uses, Objects: objects}
		if x.counts() && x.onlyStores() {
			x.replace()
			// The exit is the only edge of the head now.
			for i, e := range in[lp.Head.Edges[0].To.ID] {
				if e.From == lp.Head {
					in[lp.Head.Edges[0].To.ID][i].N = 0
				}
			}
			replaced++
		}
	}
	return replaced
}

type filling struct {
	f    *vir.Func
	lp   *analysis.SimpleLoop
	uses [][]analysis.Use
	*analysis.Objects

	i        *vir.Value // the counter
	from, to int64      // its initial value and the one that ends the loop
	stores   []fill
}

// counts reports whether the loop tests at its head and counts by one from a constant to a
// constant.
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
	// Small values are the same truncated or extended, signed or unsigned.
	const highest = 1 << 30
	x.from, x.to = int64(first.Const), int64(t.Args[1].Const)
	x.to += last
	if n != x.i || n.Type.Elem.Bits() < 32 || t.Args[0].Type.Elem.Bits() < 32 || uint64(x.from) > highest || uint64(x.to) > highest || x.from >= x.to {
		return false
	}
	for _, v := range append([]*vir.Value{x.i}, h.Values...) {
		for _, u := range x.uses[v.ID] {
			if u.Block != h && u.Block != b || u.By == nil && v != t {
				return false // used elsewhere
			}
		}
	}
	return true
}

// onlyStores reports whether the loop does nothing but store values that can be computed for
// several iterations at once, to consecutive elements. It collects the stores.
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
		n := storedValue{largest: size, ops: map[*vir.Value]bool{}}
		if v.base, v.step = x.place(v.Args[0]); v.step != size || !x.inLanes(v.Args[1], &n) {
			return false
		}
		v.lanes = fillBytes / n.largest
		times := (x.to - x.from + v.lanes - 1) / v.lanes
		total += times
		made += times * int64(len(n.ops))
	}
	// Stores must not overlap: their order would change.
	for i, v := range x.stores {
		for _, w := range x.stores[:i] {
			if v.base != w.base || v.Disp < w.Disp+x.size(w) && w.Disp < v.Disp+x.size(v) {
				return false
			}
		}
	}
	return len(x.stores) > 0 && total <= maxFills && made <= maxMade
}

// fill is a store of the loop: to base, at step more bytes in each iteration, as vectors of at most
// the given lanes.
type fill struct {
	*vir.Value
	base        *vir.Value
	step, lanes int64
}

// storedValue collects the operations that compute a value.
type storedValue struct {
	largest int64               // size of the widest value in bytes
	ops     map[*vir.Value]bool // operations of the loop
}

// inLanes reports whether v can be computed for several iterations at once, and adds its operations
// to n.
func (x *filling) inLanes(v *vir.Value, n *storedValue) bool {
	if v.Type.Elem != alu.I1 {
		n.largest = max(n.largest, int64(v.Type.Elem.Size()))
	}
	if _, counts := x.matchCounter(v); counts || x.isInvariant(v) || n.ops[v] {
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

// unwritten reports whether no store of the loop may write the memory that the load v reads.
func (x *filling) unwritten(v *vir.Value) bool {
	return analysis.IsVectorizableAccess(v, vir.Load) && !slices.ContainsFunc(x.lp.Latch.Values, func(s *vir.Value) bool {
		return s.Op == vir.Store && !x.Accessed(v).Distinct(x.Accessed(s))
	})
}

// isInvariant reports whether v is invariant.
func (x *filling) isInvariant(v *vir.Value) bool {
	return x.lp.Outside(v) || (v.Op.Pure() && v.Op != vir.Param || v.Op == vir.Load && x.unwritten(v)) &&
		!slices.ContainsFunc(v.Args, func(a *vir.Value) bool { return !x.isInvariant(a) })
}

// matchCounter matches v as the counter, possibly truncated or extended, plus a constant.
func (x *filling) matchCounter(v *vir.Value) (plus int64, ok bool) {
	if v.Op == alu.Add && v.Args[1].Op == vir.Const {
		plus, v = v.Args[1].Signed(), v.Args[0]
	}
	if (v.Op == alu.Trunc || v.Op == alu.ZExt || v.Op == alu.SExt) && v.Args[0] == x.i {
		v = x.i
	}
	return plus, v == x.i && plus == int64(int32(plus))
}

// size returns the number of bytes that the store v writes in all iterations.
func (x *filling) size(v fill) int64 { return (x.to - x.from) * v.step }

// place splits an address into an invariant base and the bytes by which it grows per iteration; 0
// if it has another form.
func (x *filling) place(a *vir.Value) (base *vir.Value, step int64) {
	if a.Op != alu.Add || x.isInvariant(a) {
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
		if index == x.i && x.isInvariant(base) {
			return base, step
		}
	}
	return nil, 0
}

// replace turns the head of the loop into a block with the vector stores.
func (x *filling) replace() {
	h := x.lp.Head
	var kept []*vir.Value
	for _, v := range slices.Concat(h.Values, x.lp.Latch.Values) {
		if v.Op != vir.Store && x.isInvariant(v) {
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
			w := fillLanes{x, at, int(lanes), same, map[*vir.Value]*vir.Value{}}
			w.store(v)
			at += lanes
		}
	}
	h.Jump(out.To, out.Args...)
}

// fillLanes computes consecutive iterations in lanes, starting with counter value at.
type fillLanes struct {
	*filling
	at    int64
	lanes int
	same  map[vir.Type]map[*vir.Value]*vir.Value // splats of invariant values
	made  map[*vir.Value]*vir.Value
}

// access sets the attributes of x, the vector form of the access v.
func (w fillLanes) access(x, v *vir.Value, step int64) *vir.Value {
	x.Disp, x.Align, x.Invariant, x.Object, x.Pos, x.Origin = v.Disp+w.at*step, v.Align, v.Invariant, v.Object, v.Pos, v.Origin
	return x
}

// store emits the vector form of the store v.
func (w fillLanes) store(v fill) {
	h, num := w.lp.Head, w.number(v.Args[1])
	if w.lanes == 1 {
		w.access(h.Append(vir.Store, v.Type, v.base, num), v.Value, v.step)
		return
	}
	w.access(h.Append(vir.VStore, v.Type, v.base, num, w.f.Const(vir.Mask(w.lanes), 1)), v.Value, v.step)
}

// number returns the vector of v.
func (w fillLanes) number(v *vir.Value) *vir.Value {
	if x := w.made[v]; x != nil {
		return x
	}
	h, t := w.lp.Head, vir.Vec(v.Type.Elem, w.lanes)
	var x *vir.Value
	plus, counts := w.matchCounter(v)
	switch {
	case counts && w.lanes == 1:
		return w.f.Const(t, uint64(w.at+plus))
	case counts:
		x = h.Append(vir.Iota, t)
		x.Index = int(w.at + plus)
	case v.Op == vir.Const:
		return w.f.Const(t, v.Const)
	case w.isInvariant(v) && w.lanes == 1:
		return v
	case w.isInvariant(v):
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
