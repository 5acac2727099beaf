package memory

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Tiles replaces gathers and scatters whose lanes each walk a row of their own, such as a[i*n+k], by
// vector accesses of rows. For a chunk of iterations it loads n elements of each row, transposes the
// n*n tiles in registers, and keeps them in scratch memory, one vector for each element of a row:
//
//	chunk(k):  enough iterations left? fill : loop
//	fill:      for n rows at a time: load, transpose, keep
//	round:     the loop's body, with vectors for gathers and scatters
//	write:     for n rows at a time: transpose the kept vectors, store; chunk(k+iterations)
//	loop:      the original loop, for the remainder
//
// A gather or scatter costs more per element than a load and the about four shuffles of a tile. All
// iterations of a chunk are executed, so no element is accessed that the loop would not access. Loads
// move up and stores move down: stored elements must not be loaded, except for an element that is
// updated in place. Stores require a full mask.
//
// requires: no unreachable blocks
// maintains: what f computes; a reducible graph stays so
// breaks: Func.Scratch grows
func Tiles(f *vir.Func, stats edit.Stats) {
	if f.Width < minRows || f.Phases { // scratch memory of a strip moves from phase to phase
		return
	}
	g := f.Graph()
	cycles := cfg.Cycles(g)
	var dom *cfg.DomTree
	var in [][]analysis.InEdge
	var all []*rowLoop
	objects := analysis.NewObjects(f)
	for _, c := range cycles.Cycles {
		if len(c.Children) > 0 || !indexedIn(f, c) {
			continue
		}
		if dom == nil {
			dom, in = cfg.Dominators(g), analysis.InEdges(f)
		}
		if l := findRows(f, cycles, dom, analysis.FindLoop(f, cycles, in, c), objects); l != nil {
			all = append(all, l)
		}
	}
	if len(all) == 0 {
		return
	}
	start := (f.Scratch + 63) &^ 63
	scratch := scratchOf(f)
	for _, l := range all {
		l.scratch = scratch
		f.Scratch = max(f.Scratch, l.tile(start))
		for _, r := range l.loads {
			stats.Add("tiled gathers", len(r.members))
		}
		for _, r := range l.stores {
			stats.Add("tiled scatters", len(r.members))
		}
	}
	f.Renumber()
}

const (
	minRows       = 4  // of a tile
	maxRows       = 16 // of a tile, which takes maxRows*log2(maxRows) shuffles
	maxRowBytes   = 64 // maximum size of a row of a tile
	minRowBytes   = 16 // minimum size in bytes
	minIterations = 4  // iterations of a chunk
	maxTiledRows  = 4  // rows per lane
	maxRowBody    = 96 // operations of a loop, which is copied
	maxRowStep    = 64 // change of a subscript per iteration
)

func indexedIn(f *vir.Func, c *cfg.Cycle) bool {
	// indexedIn reports whether c has a gather or scatter.
	for _, id := range c.Blocks {
		for _, v := range f.Blocks[id].Values {
			if v.Op == vir.Gather || v.Op == vir.Scatter {
				return true
			}
		}
	}
	return false
}

// rowLoop is an innermost counting loop with gathers and scatters along rows.
type rowLoop struct {
	f   *vir.Func
	dom *cfg.DomTree
	lp  *analysis.SimpleLoop
	analysis.Counting
	size         int // of an element in bytes
	n            int // rows and columns of a tile
	perIteration int // elements of a row per iteration
	loads        []*row
	stores       []*row
	slopes       map[*vir.Value]slope
	scratch      *vir.Value
}

// row is a set of loads or stores that differ only in their displacements: adjacent elements in each
// lane.
type row struct {
	members []*vir.Value
	first   int64 // lowest displacement
	last    int64
	pointer int // offset of the lanes' addresses in scratch memory
	place   int // offset of the tiles
}

func (r *row) mask() *vir.Value { return maskOf(r.members[0]) }

func maskOf(v *vir.Value) *vir.Value { return v.Args[vir.InfoOf(v.Op).Mask] }

// sameAddress reports whether v has the same base and index as the members of r.
func (r *row) sameAddress(v *vir.Value) bool {
	x := r.members[0]
	return vir.Indexed(v.Op) && v.Args[0] == x.Args[0] && v.Args[1] == x.Args[1] && v.Scale == x.Scale
}

// covers reports whether v accesses the same elements of r as the members, in the same iteration.
func (r *row) covers(v *vir.Value) bool {
	return r.sameAddress(v) && v.Disp >= r.first && v.Disp <= r.last && v.Accessed().Elem.Size() == r.members[0].Accessed().Elem.Size()
}

// slope is the change of a value per iteration, modulo its type.
type slope struct {
	by    int64
	known bool
}

// findRows returns the loop if it can be tiled, else nil.
func findRows(f *vir.Func, cycles *cfg.CycleForest, dom *cfg.DomTree, lp *analysis.SimpleLoop, objects *analysis.Objects) *rowLoop {
	if lp == nil || lp.Head == lp.Latch {
		return nil
	}
	l := &rowLoop{f: f, dom: dom, lp: lp, slopes: map[*vir.Value]slope{}}
	if l.Counting = lp.Counting(); l.K == nil || l.Step > maxRowStep {
		return nil
	}
	body := 0
	var memory []*vir.Value
	for _, id := range lp.Cycle.Blocks {
		b := f.Blocks[id]
		for _, e := range b.Edges {
			if b != lp.Head && !cycles.Contains(lp.Cycle, e.To.ID) {
				return nil
			}
		}
		body += len(b.Values)
		for _, v := range b.Values {
			switch effect := vir.InfoOf(v.Op).Effect; {
			case b == lp.Head && (effect == vir.Writes || v.Volatile):
				return nil // the head runs once more after each chunk
			case effect != vir.Pure:
				memory = append(memory, v)
			}
		}
	}
	if body > maxRowBody {
		return nil
	}
	for _, v := range memory {
		if v.Volatile || v.Block == lp.Head || !dom.Dominates(v.Block.ID, lp.Latch.ID) {
			continue // not executed in every iteration
		}
		all := vir.Indexed(v.Op) && analysis.IsConst(maskOf(v), 1)
		switch {
		case v.Op == vir.Gather && (all || maskOf(v).Op != vir.Const):
			l.loads = l.add(l.loads, v)
		case v.Op == vir.Scatter && all:
			l.stores = l.add(l.stores, v)
		}
	}
	// All elements between the first and the last one of a row are accessed, so each iteration must
	// advance by as many.
	l.loads = slices.DeleteFunc(l.loads, func(r *row) bool {
		return r.last-r.first != int64((l.perIteration-1)*l.size) || !l.canLoadEarly(r, memory, objects)
	})
	l.stores = slices.DeleteFunc(l.stores, func(r *row) bool {
		return r.last-r.first != int64((l.perIteration-1)*l.size) || !l.canStoreLate(r, memory, objects)
	})
	if n := len(l.loads) + len(l.stores); n == 0 || n > maxTiledRows {
		return nil
	}
	return l
}

// add adds v to its row of rows, if it is along one.
func (l *rowLoop) add(rows []*row, v *vir.Value) []*row {
	if !l.alongRow(v) {
		return rows
	}
	for _, r := range rows {
		if apart := v.Disp - r.first; r.sameAddress(v) && r.mask() == maskOf(v) && apart%int64(l.size) == 0 {
			if first, last := min(r.first, v.Disp), max(r.last, v.Disp); last-first < int64(l.perIteration*l.size) {
				r.first, r.last = first, last
				r.members = append(r.members, v)
				return rows
			}
		}
	}
	return append(rows, &row{members: []*vir.Value{v}, first: v.Disp, last: v.Disp})
}

// canLoadEarly reports whether r may be loaded some iterations before its members.
func (l *rowLoop) canLoadEarly(r *row, memory []*vir.Value, objects *analysis.Objects) bool {
	for _, w := range memory {
		if vir.InfoOf(w.Op).Effect != vir.Writes || objects.Accessed(r.members[0]).Distinct(objects.Accessed(w)) {
			continue
		}
		if w.Op != vir.Scatter || !r.covers(w) || slices.ContainsFunc(r.members, func(v *vir.Value) bool { return !l.before(v, w) }) {
			return false
		}
	}
	return true
}

// canStoreLate reports whether r, whose members store each element once, may be stored some iterations after
// its members.
func (l *rowLoop) canStoreLate(r *row, memory []*vir.Value, objects *analysis.Objects) bool {
	if len(r.members) != l.perIteration {
		return false
	}
	for i, v := range r.members {
		for _, w := range r.members[:i] {
			if w.Disp == v.Disp {
				return false
			}
		}
	}
	for _, x := range memory {
		if slices.Contains(r.members, x) || x.Op == vir.Load && x.Invariant || objects.Accessed(r.members[0]).Distinct(objects.Accessed(x)) {
			continue
		}
		if x.Op != vir.Gather || x.Volatile || !r.covers(x) || slices.ContainsFunc(r.members, func(v *vir.Value) bool { return !l.before(x, v) }) {
			return false
		}
	}
	return true
}

// before reports whether v precedes w in every iteration that executes both.
func (l *rowLoop) before(v, w *vir.Value) bool {
	if v.Block == w.Block {
		return slices.Index(v.Block.Values, v) < slices.Index(v.Block.Values, w)
	}
	return l.dom.Dominates(v.Block.ID, w.Block.ID)
}

// alongRow reports whether each lane of v advances by a few elements per iteration. The first such
// access determines the size and number of elements.
func (l *rowLoop) alongRow(v *vir.Value) bool {
	size, lanes := v.Accessed().Elem.Size(), v.Accessed().Lanes
	n := min(lanes, maxRowBytes/size, maxRows)
	if lanes != l.f.Width || n < minRows || n*size < minRowBytes || !l.lp.Outside(maskOf(v)) {
		return false
	}
	base, index := l.slope(v.Args[0]), l.slope(v.Args[1])
	if !base.known || !index.known || index.by < 0 {
		return false
	}
	by := base.by + index.by*int64(v.Scale)
	each := int(by) / size
	if by <= 0 || by%int64(size) != 0 || each*minIterations > n || n%each != 0 || l.size != 0 && (size != l.size || each != l.perIteration) {
		return false
	}
	l.size, l.n, l.perIteration = size, n, each
	return true
}

// iterations returns the iterations of a chunk.
func (l *rowLoop) iterations() int { return l.n / l.perIteration }

// slope finds the change of v per iteration.
func (l *rowLoop) slope(v *vir.Value) slope {
	if l.lp.Outside(v) {
		return slope{0, true}
	}
	if s, ok := l.slopes[v]; ok {
		return s
	}
	l.slopes[v] = slope{}
	s := l.slopeOf(v)
	if s.by > maxRowStep*8 || s.by < -maxRowStep*8 {
		s = slope{}
	}
	l.slopes[v] = s
	return s
}

func (l *rowLoop) slopeOf(v *vir.Value) slope {
	if v.Op == vir.Param && v.Block == l.lp.Head {
		if by := analysis.Other(l.lp.Next(v), alu.Add, v); by != nil && by.Op == vir.Const {
			return slope{by.Signed(), true} // in each lane
		}
	}
	if v.Op == vir.Param || vir.InfoOf(v.Op).Effect != vir.Pure {
		return slope{}
	}
	args := make([]slope, len(v.Args))
	same := true
	for i, a := range v.Args {
		args[i] = l.slope(a)
		if !args[i].known {
			return slope{}
		}
		same = same && args[i].by == 0
	}
	if same {
		return slope{0, true}
	}
	switch v.Op {
	case vir.Splat, alu.Trunc:
		return args[0]
	case alu.Add:
		return slope{args[0].by + args[1].by, true}
	case alu.Sub:
		return slope{args[0].by - args[1].by, true}
	case alu.Mul, alu.Shl:
		c := v.Args[1]
		if c.Op != vir.Const || c.Signed() < 0 || c.Signed() > maxRowStep {
			return slope{}
		}
		times := c.Signed()
		if v.Op == alu.Shl {
			if times > 6 {
				return slope{}
			}
			times = 1 << times
		}
		return slope{args[0].by * times, true}
	case alu.SExt, alu.ZExt:
		// A subscript of 32 bits that wrapped would lie outside of any object.
		if v.Args[0].Type.Elem == alu.I32 {
			return args[0]
		}
	}
	return slope{}
}
