package slp

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/combine"
	"github.com/simtc/simtc/vir/opt/edit"
)

// SLP combines equal scalar operations on adjacent elements into vector operations, in scalar
// code: superword-level parallelism (Larsen and Amarasinghe, "Exploiting Superword Level
// Parallelism with Multimedia Instruction Sets", PLDI 2000). Mostly these are the components of
// vectors in the source.
//
//	x0 = load p           x = vload p
//	x1 = load p+4         y = add x, splat a
//	y0 = add x0, a        vstore q, y
//	y1 = add x1, a
//	store q, y0
//	store q+4, y1
//
// A tree of groups grows from a seed (adjacent stores, loop-carried parameters, or operations on
// adjacent loads) to the operands, until these differ in kind. It is emitted if it saves
// instructions, including those that insert scalars into vectors and extract them. Loads and stores may be
// interleaved, if they are of different objects or adjacent elements.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph, and every value
func SLP(f *vir.Func, stats edit.Stats) {
	if f.Width != 1 || !mayGroup(f) {
		return
	}
	trees := 0
	for trees < maxTrees && groupOne(f, stats) {
		trees++
	}
	if trees > 0 {
		stats.Add("SLP trees", trees)
		combine.Redundancy(f, nil)
		edit.Dead(f, nil)
	}
}

const (
	maxTrees   = 16 // per function
	maxSeeds   = 512
	maxRows    = 64 // rows of operations above a run
	maxGroups  = 96 // per tree
	groupBytes = 64 // vector size
	groupLanes = 16
)

// mayGroup reports whether some block has enough accesses, or parameters, of one type for a group.
func mayGroup(f *vir.Func) bool {
	for _, b := range f.Blocks {
		var params, loads, stores [alu.NumTypes]int
		enough := func(n *[alu.NumTypes]int, t alu.Type) bool {
			n[t]++
			return n[t] >= minLanes(t)
		}
		for _, p := range b.Params {
			if p.Type.IsScalar() && enough(&params, p.Type.Elem) {
				return true
			}
		}
		for _, v := range b.Values {
			switch {
			case analysis.IsVectorizableAccess(v, vir.Load) && !v.Invariant:
				if enough(&loads, v.Type.Elem) {
					return true
				}
			case analysis.IsVectorizableAccess(v, vir.Store):
				if enough(&stores, v.Args[1].Type.Elem) {
					return true
				}
			}
		}
	}
	return false
}

// groupOne emits the first tree that is profitable.
func groupOne(f *vir.Func, stats edit.Stats) bool {
	g := f.Graph()
	p := grouper{f: f, cycles: cfg.Cycles(g), in: analysis.InEdges(f), uses: analysis.UsesOf(f), position: make([]int, f.NumValues()),
		objects: analysis.NewObjects(f), adjacent: map[*vir.Block]map[*vir.Value][]*vir.Value{},
		elementwise: map[*vir.Value]map[usage][]*vir.Value{}}
	for _, b := range f.Blocks {
		for i, v := range b.Values {
			p.position[v.ID] = i
		}
	}
	seeds := p.seeds()
	for _, seed := range seeds[:min(len(seeds), maxSeeds)] {
		t := p.grow(seed)
		if t == nil || !t.isProfitable() || !t.schedule() {
			continue
		}
		t.make()
		stats.Add("SLP groups", len(t.groups))
		f.Renumber()
		edit.Dead(f, nil)
		return true
	}
	return false
}

type grouper struct {
	f        *vir.Func
	cycles   *cfg.CycleForest
	in       [][]analysis.InEdge
	uses     [][]analysis.Use
	position []int // by value ID: its index in the block
	objects  *analysis.Objects

	adjacent    map[*vir.Block]map[*vir.Value][]*vir.Value // by load: its run of adjacent loads
	elementwise map[*vir.Value]map[usage][]*vir.Value      // by value: its users, by kind
}

// adjacentTo returns the run of adjacent loads that contains v.
func (p *grouper) adjacentTo(v *vir.Value) []*vir.Value {
	of, ok := p.adjacent[v.Block]
	if !ok {
		of = map[*vir.Value][]*vir.Value{}
		for _, run := range runs(v.Block, vir.Load) {
			for _, x := range run {
				of[x] = run
			}
		}
		p.adjacent[v.Block] = of
	}
	return of[v]
}

// minLanes returns the minimum number of lanes of a group. Floats are in vector registers already.
func minLanes(t alu.Type) int {
	if t.Bits() == 64 || t == alu.F32 {
		return 2
	}
	return 4
}

// maxLanes returns the maximum number of lanes of a group.
func maxLanes(t alu.Type) int { return min(groupLanes, groupBytes/t.Size()) }
