package memory

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/combine"
	"github.com/simtc/simtc/vir/opt/edit"
)

// minLanes and maxLanes bound the lanes of a cached array.
const minLanes, maxLanes = 16, 32

// maxArrays bounds the arrays that a loop may search.
const maxArrays = 2

// maxSearchOps bounds the operations of a search loop.
const maxSearchOps = 32

// ArrayCache keeps small private arrays in a vector register in addition to memory, in scalar code,
// and evaluates loops that search them for all elements at once:
//
//	for (r = 0; r < row; r++) {                d = cached - splat c
//	    d = pos[r] - c;                        any(r < row & (d == 0 | d == row - r))
//	    if (d == 0 || d == row - r) goto hit;
//	}
//
// The trip count of such a loop is hard to predict, and a vector load after scalar stores to the
// array would wait for all of them. A store to a computed element inserts into the lane with that
// number.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes; a reducible graph stays so
func ArrayCache(f *vir.Func, stats edit.Stats) {
	if f.Width != 1 || len(f.Objects) == 0 || f.Groups || f.Phases {
		return
	}
	found := 0
	tried := map[*vir.Block]bool{}
	for s := findArrays(f, tried); s != nil; s = findArrays(f, tried) {
		s.replaceLoops()
		s.mirrorStores()
		found += len(s.searches)
		edit.Params(f, nil)
		combine.Redundancy(f, nil)
		edit.Dead(f, nil)
	}
	stats.Add("array searches vectorized", found)
}

// arrayCaches is a set of arrays with the loops that search them.
type arrayCaches struct {
	f        *vir.Func
	arrays   []array
	width    int // lanes
	searches []*search
	changes  map[*vir.Block]bool // blocks that store to the arrays' objects
	start    *vir.Block          // head of the loop over strips, where nothing is stored yet
}

// array is an array of private memory: the elements of one type from an offset on, within an object.
type array struct {
	object, from int64
	elem         alu.Type
}

// search is a loop that only tests elements in sequence for a condition.
type search struct {
	arrays                  []array
	width                   int // lanes
	head                    *vir.Block
	blocks                  []*vir.Block // the others, in reverse post-order
	r, first                *vir.Value   // the counter and its initial value
	counters                []*vir.Value // values equal to the counter
	limit                   *vir.Value   // the counter's bound
	compare                 vir.Op       // continues while r less limit
	inside                  *vir.Block   // successor of the head in the loop
	foundEdge, notFoundEdge vir.Edge     // exits: found, not found
	usesCounter             bool         // the counter's final value is used

	block  *vir.Block // evaluates the search
	lanes  map[*vir.Value]*vir.Value
	cached []*vir.Value // cached arrays, in the order of arrays
	found  *vir.Value   // mask of the elements found
}

// findArrays returns arrays that can be cached, with all searches of just these; nil if there are
// none except those whose loop heads are in tried.
func findArrays(f *vir.Func, tried map[*vir.Block]bool) *arrayCaches {
	g := f.Graph()
	cycles := cfg.Cycles(g)
	in, uses := analysis.InEdges(f), analysis.UsesOf(f)
	position := cfg.Positions(g.ReversePostOrder(), len(f.Blocks))
	var s *arrayCaches
	for _, c := range cycles.Cycles {
		head := f.Blocks[c.Header]
		if c.Depth < 3 || len(c.Children) > 0 || tried[head] || len(head.Params) != 1 {
			continue
		}
		q := searchOf(f, analysis.FindLoop(f, cycles, in, c), uses)
		if q == nil || s != nil && (q.usesCounter || s.searches[0].usesCounter || !slices.Equal(q.arrays, s.arrays)) {
			continue // a search may depend on the result of another one
		}
		if s == nil {
			strips := c
			for strips.Parent != nil {
				strips = strips.Parent
			}
			s = &arrayCaches{f: f, arrays: q.arrays, width: q.width, start: f.Blocks[strips.Header]}
			if tried[head] = true; !s.findChanges(cycles, c) {
				s = nil
				continue
			}
		}
		slices.SortFunc(q.blocks, func(a, b *vir.Block) int { return position[a.ID] - position[b.ID] })
		s.searches = append(s.searches, q)
	}
	return s
}

// searchOf matches lp as a search, nil if it is none.
func searchOf(f *vir.Func, lp *analysis.SimpleLoop, uses [][]analysis.Use) *search {
	if lp == nil {
		return nil
	}
	q := &search{head: lp.Head, r: lp.Head.Params[0], lanes: map[*vir.Value]*vir.Value{}}
	next := lp.Next(q.r)
	stays := lp.Stays()
	if t := q.r.Type.Elem; stays < 0 || t != alu.I32 && t != alu.I64 || next.Op != alu.Add || next.Args[0] != q.r || next.Args[1].Op != vir.Const || next.Args[1].Const != 1 {
		return nil
	}
	q.counters = []*vir.Value{q.r}
	q.inside, q.notFoundEdge = lp.Head.Edges[stays].To, lp.Head.Edges[1-stays]
	for i, e := range lp.Entry {
		a := e.Edge().Args[0]
		if a.Op != vir.Const || a.Signed() < 0 || a.Signed() > maxLanes || i > 0 && a != q.first {
			return nil
		}
		q.first = a
	}
	operations := 0
	outside := func(u analysis.Use) bool { return !lp.MaskLogic.Cycles.Contains(lp.Cycle, u.Place()) }
	for _, id := range lp.Cycle.Blocks {
		b := f.Blocks[id]
		if b != lp.Head {
			q.blocks = append(q.blocks, b)
			if len(b.Params) > 0 {
				return nil
			}
		}
		operations += len(b.Values)
		for _, v := range b.Values {
			if !q.isElementwise(f, v) || !q.isCounter(v) && slices.ContainsFunc(uses[v.ID], outside) {
				return nil
			}
		}
		for i, e := range b.Edges {
			leaves := !lp.MaskLogic.Cycles.Contains(lp.Cycle, e.To.ID)
			for _, a := range e.Args {
				if leaves && !lp.Outside(a) && !q.isCounter(a) {
					return nil
				}
				q.usesCounter = q.usesCounter || leaves && q.isCounter(a)
			}
			switch {
			case !leaves || b == lp.Head && i == 1-stays:
			case q.foundEdge.To == nil:
				q.foundEdge = e
			case q.foundEdge.To != e.To || !slices.Equal(q.foundEdge.Args, e.Args):
				return nil
			}
		}
	}
	if q.foundEdge.To == nil || len(q.arrays) == 0 || operations > maxSearchOps || !q.matchTest(lp, stays) {
		return nil
	}
	for _, v := range q.counters {
		q.usesCounter = q.usesCounter || slices.ContainsFunc(uses[v.ID], outside)
	}
	// Only 32-bit values have a vector form.
	if len(uses[lp.Head.Cond.ID]) > 1 {
		return nil
	}
	for _, b := range append(q.blocks, lp.Head) {
		for _, v := range b.Values {
			if v.Op.Pure() && !q.isCounter(v) && v != next && v != lp.Head.Cond && slices.ContainsFunc(v.Args, func(a *vir.Value) bool {
				return a.Type.Elem == alu.I1 && a.Op != vir.Const && lp.Outside(a) || q.isCounter(a) && a.Type.Elem == alu.I64
			}) && !isAddress(v, uses) {
				return nil
			}
		}
	}
	return q
}

// isAddress reports whether v is used only for addresses.
func isAddress(v *vir.Value, uses [][]analysis.Use) bool {
	return !slices.ContainsFunc(uses[v.ID], func(u analysis.Use) bool {
		return u.By == nil || u.By.Op != vir.Load && (!u.By.Op.Pure() || !isAddress(u.By, uses))
	})
}

// matchTest matches the head's test, which continues the loop while the counter is below or at a limit.
func (q *search) matchTest(lp *analysis.SimpleLoop, stays int) bool {
	c := lp.Head.Cond
	left, ok := alu.Exchanged[c.Op] // the comparison for a loop that leaves if it holds
	if !ok {
		return false
	}
	k := c.Args[0]
	if q.compare, q.limit = c.Op, c.Args[1]; stays == 1 {
		q.compare, k, q.limit = left, c.Args[1], c.Args[0]
	}
	if k.Type.Elem == alu.I64 && q.limit.Op == alu.SExt && q.limit.Args[0].Type.Elem == alu.I32 {
		q.limit = q.limit.Args[0]
	} else if k.Type.Elem != alu.I32 {
		return false
	}
	return q.isCounter(k) && lp.Outside(q.limit)
}

func (q *search) isCounter(v *vir.Value) bool { return slices.Contains(q.counters, v) }

// isElementwise reports whether v can be computed for all elements at once.
func (q *search) isElementwise(f *vir.Func, v *vir.Value) bool {
	if v.Op == vir.Load {
		x := array{v.Object, v.Disp, v.Type.Elem}
		i, ok := x.index(v)
		if !ok || v.Volatile || !q.isCounter(i) || !x.elem.IsInt() || x.elem.Size() > 4 {
			return false
		}
		if !slices.Contains(q.arrays, x) {
			q.arrays = append(q.arrays, x)
		}
		k := slices.IndexFunc(f.Objects, func(o vir.Object) bool { return o.At == v.Object })
		if k < 0 || len(q.arrays) > maxArrays {
			return false
		}
		for q.width = max(q.width, minLanes); x.end(q.width) < f.Objects[k].At+f.Objects[k].Bytes; q.width *= 2 {
			if q.width == maxLanes {
				return false
			}
		}
		return true
	}
	if len(v.Args) == 1 && q.isCounter(v.Args[0]) && (v.Op == alu.Trunc && v.Type.Elem == alu.I32 || (v.Op == alu.SExt || v.Op == alu.ZExt) && v.Type.Elem == alu.I64) {
		q.counters = append(q.counters, v)
		return true
	}
	if !v.Type.Elem.IsInt() && v.Type.Elem != alu.I1 || slices.ContainsFunc(v.Args, func(a *vir.Value) bool { return a.Type.Elem.IsFloat() }) {
		return false
	}
	switch v.Op {
	case alu.Add, alu.Sub, alu.Mul, alu.And, alu.Or, alu.Xor, alu.Shl, alu.LShr, alu.AShr, alu.SMin, alu.SMax, alu.UMin, alu.UMax, alu.Abs, alu.SExt, alu.ZExt, alu.Trunc:
		return true
	case alu.Select:
		return v.Type.Elem != alu.I1
	}
	return alu.InfoOf(v.Op).Class == alu.Compare
}

// index returns the index of the element that v accesses if it has the displacement of the array; nil
// means 0.
func (x array) index(v *vir.Value) (i *vir.Value, ok bool) {
	at, size := v.Args[0], int64(x.elem.Size())
	if v.Object != x.object || v.Accessed() != vir.Scalar(x.elem) {
		return nil, false
	}
	if vir.IsPrivateBase(at) {
		return nil, true
	}
	if at.Op != alu.Add {
		return nil, false
	}
	base, off := at.Args[0], at.Args[1]
	if vir.IsPrivateBase(off) {
		base, off = off, base
	}
	switch {
	case !vir.IsPrivateBase(base):
		return nil, false
	case size == 1:
		return off, true
	case off.Op == alu.Shl && off.Args[1].Op == vir.Const && int64(1)<<(off.Args[1].Const&63) == size,
		off.Op == alu.Mul && off.Args[1].Op == vir.Const && int64(off.Args[1].Const) == size:
		return off.Args[0], true
	}
	return nil, false
}

// lane returns the lane of the element that v stores to: plus, and i if that is not nil.
func (x array) lane(v *vir.Value) (i *vir.Value, plus int64, ok bool) {
	if i, ok = x.index(v); !ok || v.Op != vir.Store {
		return nil, 0, false
	}
	size := int64(x.elem.Size())
	return i, (v.Disp - x.from) / size, (v.Disp-x.from)%size == 0
}

// findChanges finds the stores to the arrays. It reports whether they can be mirrored in the cache, and
// none is in a loop that runs more often than the search c.
func (s *arrayCaches) findChanges(cycles *cfg.CycleForest, c *cfg.Cycle) bool {
	s.changes = map[*vir.Block]bool{}
	objects := analysis.NewObjects(s.f)
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			if vir.InfoOf(v.Op).Effect != vir.Writes {
				continue
			}
			if o := objects.Accessed(v); v.Object == 0 && (o.Field == 0 || o.Field == vir.CtxScratch) {
				return false
			}
			for _, x := range s.arrays {
				if v.Object != x.object {
					continue
				}
				if _, _, ok := x.lane(v); !ok && !x.loadable(s.f, v, s.width) || v.Volatile {
					return false
				}
				if in := cycles.InnermostCycle(b.ID); in != nil && in.Depth >= c.Depth {
					return false
				}
				s.changes[b] = true
			}
		}
	}
	return true
}

// loadable reports whether the cached array can be reloaded after v, which stores more than an element.
func (x array) loadable(f *vir.Func, v *vir.Value, lanes int) bool {
	return v.Op == vir.VStore && vir.IsPrivateBase(privateBase(v.Args[0])) && x.end(lanes) <= int64(f.Scratch)
}

// end returns the offset behind the given number of elements.
func (x array) end(lanes int) int64 { return x.from + int64(lanes*x.elem.Size()) }
