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

// shadowLanes is how many elements a shadow has at least, mostLanes how many at most.
const shadowLanes, mostLanes = 16, 32

// mostShadows is how many of them a loop may ask.
const mostShadows = 2

// mostAsked bounds the operations of a loop that asks elements.
const mostAsked = 32

// Shadows keeps small private arrays in a vector besides memory, in functions of one
// lane, and asks all elements at once what loops ask one after the other:
//
//	for (r = 0; r < row; r++) {                d = shadow - splat c
//	    d = pos[r] - c;                        any(r < row & (d == 0 | d == row - r))
//	    if (d == 0 || d == row - r) goto hit;
//	}
//
// How often such a loop goes round is what processors cannot guess, and a vector that was
// stored element by element would be loaded only when all of the stores are done. What is
// stored at a place that is computed is put into the lane whose number that is.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes; a reducible graph stays so
func Shadows(f *vir.Func, stats edit.Stats) {
	if f.Width != 1 || len(f.Objects) == 0 || f.Groups || f.Phases {
		return
	}
	found := 0
	tried := map[*vir.Block]bool{}
	for s := findShadows(f, tried); s != nil; s = findShadows(f, tried) {
		s.ask()
		s.keep()
		found += len(s.questions)
		edit.Params(f, nil)
		combine.Redundancy(f, nil)
		edit.Dead(f, nil)
	}
	stats.Add("loops that ask all elements at once", found)
}

// shadows are arrays and the loops that ask their elements.
type shadows struct {
	f         *vir.Func
	arrays    []array
	width     int // lanes
	questions []*question
	changes   map[*vir.Block]bool // what stores to objects they are in
	start     *vir.Block          // the head of the loop over strips: where nothing is stored yet
}

// array is what a loop looks at: elements of one type, from a place in private memory on,
// of an object.
type array struct {
	object, from int64
	elem         alu.Type
}

// question is a loop that does nothing but to ask elements one after the other whether
// there is one of a kind.
type question struct {
	arrays   []array
	width    int // lanes
	head     *vir.Block
	blocks   []*vir.Block // the others, in reverse postorder
	r, first *vir.Value   // the counter, and where it starts
	numbers  []*vir.Value // values that are the counter's
	limit    *vir.Value   // which it stays below, or at
	less     vir.Op
	inside   *vir.Block // where a round goes on behind the head's test
	yes, no  vir.Edge
	tells    bool // where the counter stops is needed

	block   *vir.Block // that asks at once
	lanes   map[*vir.Value]*vir.Value
	shadows []*vir.Value // by array
	found   *vir.Value   // the elements of the kind
}

// findShadows returns arrays that can have shadows, with all questions about just these; nil
// if there are none but those whose loops, by their heads, have been tried.
func findShadows(f *vir.Func, tried map[*vir.Block]bool) *shadows {
	g := f.Graph()
	cycles := cfg.Cycles(g)
	in, uses := analysis.InEdges(f), analysis.UsesOf(f)
	position := cfg.Positions(g.ReversePostOrder(), len(f.Blocks))
	var s *shadows
	for _, c := range cycles.Cycles {
		head := f.Blocks[c.Header]
		if c.Depth < 3 || len(c.Children) > 0 || tried[head] || len(head.Params) != 1 {
			continue
		}
		q := questionOf(f, analysis.FindLoop(f, cycles, in, c), uses)
		if q == nil || s != nil && (q.tells || s.questions[0].tells || !slices.Equal(q.arrays, s.arrays)) {
			continue // what one tells, another may depend on
		}
		if s == nil {
			strips := c
			for strips.Parent != nil {
				strips = strips.Parent
			}
			s = &shadows{f: f, arrays: q.arrays, width: q.width, start: f.Blocks[strips.Header]}
			if tried[head] = true; !s.findChanges(cycles, c) {
				s = nil
				continue
			}
		}
		slices.SortFunc(q.blocks, func(a, b *vir.Block) int { return position[a.ID] - position[b.ID] })
		s.questions = append(s.questions, q)
	}
	return s
}

// questionOf returns lp as a question, nil if it is none.
func questionOf(f *vir.Func, lp *analysis.SimpleLoop, uses [][]analysis.Use) *question {
	if lp == nil {
		return nil
	}
	q := &question{head: lp.Head, r: lp.Head.Params[0], lanes: map[*vir.Value]*vir.Value{}}
	next := lp.Next(q.r)
	stays := lp.Stays()
	if t := q.r.Type.Elem; stays < 0 || t != alu.I32 && t != alu.I64 || next.Op != alu.Add || next.Args[0] != q.r || next.Args[1].Op != vir.Const || next.Args[1].Const != 1 {
		return nil
	}
	q.numbers = []*vir.Value{q.r}
	q.inside, q.no = lp.Head.Edges[stays].To, lp.Head.Edges[1-stays]
	for i, e := range lp.Entry {
		a := e.Edge().Args[0]
		if a.Op != vir.Const || a.Signed() < 0 || a.Signed() > mostLanes || i > 0 && a != q.first {
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
			if !q.lanewise(f, v) || !q.isNumber(v) && slices.ContainsFunc(uses[v.ID], outside) {
				return nil
			}
		}
		for i, e := range b.Edges {
			leaves := !lp.MaskLogic.Cycles.Contains(lp.Cycle, e.To.ID)
			for _, a := range e.Args {
				if leaves && !lp.Outside(a) && !q.isNumber(a) {
					return nil
				}
				q.tells = q.tells || leaves && q.isNumber(a)
			}
			switch {
			case !leaves || b == lp.Head && i == 1-stays:
			case q.yes.To == nil:
				q.yes = e
			case q.yes.To != e.To || !slices.Equal(q.yes.Args, e.Args):
				return nil
			}
		}
	}
	if q.yes.To == nil || len(q.arrays) == 0 || operations > mostAsked || !q.below(lp, stays) {
		return nil
	}
	for _, v := range q.numbers {
		q.tells = q.tells || slices.ContainsFunc(uses[v.ID], outside)
	}
	// Only a number of 32 bits has lanes.
	if len(uses[lp.Head.Cond.ID]) > 1 {
		return nil
	}
	for _, b := range append(q.blocks, lp.Head) {
		for _, v := range b.Values {
			if v.Op.Pure() && !q.isNumber(v) && v != next && v != lp.Head.Cond && slices.ContainsFunc(v.Args, func(a *vir.Value) bool {
				return a.Type.Elem == alu.I1 && a.Op != vir.Const && lp.Outside(a) || q.isNumber(a) && a.Type.Elem == alu.I64
			}) && !isAddress(v, uses) {
				return nil
			}
		}
	}
	return q
}

// isAddress reports whether v serves to access memory alone.
func isAddress(v *vir.Value, uses [][]analysis.Use) bool {
	return !slices.ContainsFunc(uses[v.ID], func(u analysis.Use) bool {
		return u.By == nil || u.By.Op != vir.Load && (!u.By.Op.Pure() || !isAddress(u.By, uses))
	})
}

// below takes the head's test apart, which lets rounds go on in which the counter is
// below a limit, or at it.
func (q *question) below(lp *analysis.SimpleLoop, stays int) bool {
	c := lp.Head.Cond
	left, ok := alu.Exchanged[c.Op] // where a loop is left, as opposed to where it goes on
	if !ok {
		return false
	}
	k := c.Args[0]
	if q.less, q.limit = c.Op, c.Args[1]; stays == 1 {
		q.less, k, q.limit = left, c.Args[1], c.Args[0]
	}
	if k.Type.Elem == alu.I64 && q.limit.Op == alu.SExt && q.limit.Args[0].Type.Elem == alu.I32 {
		q.limit = q.limit.Args[0]
	} else if k.Type.Elem != alu.I32 {
		return false
	}
	return q.isNumber(k) && lp.Outside(q.limit)
}

func (q *question) isNumber(v *vir.Value) bool { return slices.Contains(q.numbers, v) }

// lanewise reports whether v can be computed for all elements at once.
func (q *question) lanewise(f *vir.Func, v *vir.Value) bool {
	if v.Op == vir.Load {
		x := array{v.Object, v.Disp, v.Type.Elem}
		i, ok := x.place(v)
		if !ok || v.Volatile || !q.isNumber(i) || !x.elem.IsInt() || x.elem.Size() > 4 {
			return false
		}
		if !slices.Contains(q.arrays, x) {
			q.arrays = append(q.arrays, x)
		}
		k := slices.IndexFunc(f.Objects, func(o vir.Object) bool { return o.At == v.Object })
		if k < 0 || len(q.arrays) > mostShadows {
			return false
		}
		for q.width = max(q.width, shadowLanes); x.end(q.width) < f.Objects[k].At+f.Objects[k].Bytes; q.width *= 2 {
			if q.width == mostLanes {
				return false
			}
		}
		return true
	}
	if len(v.Args) == 1 && q.isNumber(v.Args[0]) && (v.Op == alu.Trunc && v.Type.Elem == alu.I32 || (v.Op == alu.SExt || v.Op == alu.ZExt) && v.Type.Elem == alu.I64) {
		q.numbers = append(q.numbers, v)
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

// place returns the number i of the element that v accesses, if its displacement is that
// of the array; nil is 0.
func (x array) place(v *vir.Value) (i *vir.Value, ok bool) {
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

// lane returns in which lane of the shadow the element is that v stores: plus, and i if
// it is not nil.
func (x array) lane(v *vir.Value) (i *vir.Value, plus int64, ok bool) {
	if i, ok = x.place(v); !ok || v.Op != vir.Store {
		return nil, 0, false
	}
	size := int64(x.elem.Size())
	return i, (v.Disp - x.from) / size, (v.Disp-x.from)%size == 0
}

// findChanges finds the stores to the arrays and reports whether the shadows can follow, and
// it is worth it: no loop that c, which asks, is not in stores oftener than c asks.
func (s *shadows) findChanges(cycles *cfg.CycleForest, c *cfg.Cycle) bool {
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

// loadable reports whether a shadow of so many lanes can be loaded after v, which stores
// more than an element.
func (x array) loadable(f *vir.Func, v *vir.Value, lanes int) bool {
	return v.Op == vir.VStore && vir.IsPrivateBase(privateBase(v.Args[0])) && x.end(lanes) <= int64(f.Scratch)
}

// end is where so many elements end.
func (x array) end(lanes int) int64 { return x.from + int64(lanes*x.elem.Size()) }
