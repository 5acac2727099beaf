package slp

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/combine"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Packs makes scalar operations of one kind, on elements that lie side by side,
// operations on vectors, in functions of one lane: superword-level parallelism
// (Larsen and Amarasinghe, "Exploiting Superword Level Parallelism with Multimedia
// Instruction Sets", PLDI 2000). These are mostly the components of what was a
// vector in the source.
//
//	x0 = load p           x = vload p
//	x1 = load p+4         y = add x, splat a
//	y0 = add x0, a        vstore q, y
//	y1 = add x1, a
//	store q, y0
//	store q+4, y1
//
// A tree of packs grows from stores side by side, from what a loop carries, or from
// what is computed out of loads side by side, to the operands, until those are of
// several kinds. It is made if it saves instructions, those counted that put scalars
// into vectors and take them out.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph, and what each number is
func Packs(f *vir.Func, stats edit.Stats) {
	if f.Width != 1 || !mayPack(f) {
		return
	}
	trees := 0
	for trees < maxTrees && packOne(f, stats) {
		trees++
	}
	if trees > 0 {
		stats.Add("trees of packs", trees)
		combine.Redundancy(f, nil)
		edit.Dead(f, nil)
	}
}

const (
	maxTrees    = 16 // of a function
	maxSeeds    = 512
	mostClimbed = 64 // rows above the numbers of a run
	maxPacks    = 96 // of a tree
	packBytes   = 64 // of a pack
	packLanes   = 16
)

// mayPack reports whether some block has as many accesses, or parameters, of one type
// as a pack needs.
func mayPack(f *vir.Func) bool {
	for _, b := range f.Blocks {
		var params, loads, stores [alu.NumTypes]int
		enough := func(n *[alu.NumTypes]int, t alu.Type) bool {
			n[t]++
			return n[t] >= fewest(t)
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

// packOne makes the first tree that pays.
func packOne(f *vir.Func, stats edit.Stats) bool {
	g := f.Graph()
	p := packer{f: f, cycles: cfg.Cycles(g), in: analysis.InEdges(f), uses: analysis.UsesOf(f), place: make([]int, f.NumValues()),
		objects: analysis.NewObjects(f), beside: map[*vir.Block]map[*vir.Value][]*vir.Value{},
		lanewise: map[*vir.Value]map[usage][]*vir.Value{}}
	for _, b := range f.Blocks {
		for i, v := range b.Values {
			p.place[v.ID] = i
		}
	}
	seeds := p.seeds()
	for _, seed := range seeds[:min(len(seeds), maxSeeds)] {
		t := p.grow(seed)
		if t == nil || !t.pays() || !t.schedule() {
			continue
		}
		t.make()
		stats.Add("packs", len(t.packs))
		f.Renumber()
		edit.Dead(f, nil)
		return true
	}
	return false
}

type packer struct {
	f       *vir.Func
	cycles  *cfg.CycleForest
	in      [][]analysis.InEdge
	uses    [][]analysis.Use
	place   []int // by value ID: in its block
	objects *analysis.Objects

	beside   map[*vir.Block]map[*vir.Value][]*vir.Value // by load: those that lie side by side with it
	lanewise map[*vir.Value]map[usage][]*vir.Value      // by value: what uses it
}

// besides returns the loads in v's block that lie side by side with it, v included.
func (p *packer) besides(v *vir.Value) []*vir.Value {
	of, ok := p.beside[v.Block]
	if !ok {
		of = map[*vir.Value][]*vir.Value{}
		for _, run := range runs(v.Block, vir.Load) {
			for _, x := range run {
				of[x] = run
			}
		}
		p.beside[v.Block] = of
	}
	return of[v]
}

// fewest is of how many elements a pack is made at least. Floats are in registers of
// vectors already.
func fewest(t alu.Type) int {
	if t.Bits() == 64 || t == alu.F32 {
		return 2
	}
	return 4
}

// most is of how many at most.
func most(t alu.Type) int { return min(packLanes, packBytes/t.Size()) }
