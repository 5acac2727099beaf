// Package opt optimizes vir after linearization: it simplifies and merges
// operations and masks, follows what branches imply, moves what does not change
// out of loops, and cleans the control flow up. Each pass is a function in a
// file of its own.
//
// It must not know how flow became uniform nor any target, and it never fuses,
// splits or reorders floating-point operations.
package opt

import (
	"slices"

	"github.com/simtc/simtc/internal/grouped"
	"github.com/simtc/simtc/vir"
)

// Stats counts what the passes did, by name; a nil Stats counts nothing.
type Stats map[string]int

func (s Stats) add(name string, n int) {
	if s != nil && n != 0 {
		s[name] += n
	}
}

// Pass is a row of the pass table. A pass leaves IDs dense and no unreachable
// blocks, as it requires them.
type Pass struct {
	Name string
	Run  func(*vir.Func, Stats)
}

// Passes lists the passes in their order. Redundancy shows what branches
// decide, and deciding them shows new redundancy; what left a loop may equal
// what stands before it.
var Passes = []Pass{
	{"params", Params},
	{"dead", Dead}, // what was asked of all lanes and found at the ends would hold up what it is made of
	{"redundancy", Redundancy},
	{"atomics", Atomics},
	{"control", Control},
	{"loads", Loads},
	{"redundancy", Redundancy},
	{"thread", Thread},
	{"params", Params},
	{"redundancy", Redundancy},
	{"loads", Loads}, // where a test asked again was in between
	{"interleave", Interleave},
	{"tiles", Tiles},
	{"coalesce", Coalesce},
	{"redundancy", Redundancy},
	{"dead", Dead},
	{"components", Components},
	{"control", Control},
	{"liveouts", Liveouts},
	{"control", Control},
	{"factors", Factors},
	{"countedexits", CountedExits},
	{"redundancy", Redundancy},
	{"dead", Dead},
	{"control", Control},
	{"fills", Fills},
	{"control", Control},
	{"narrow", Narrow},
	{"limits", Limits},
	{"shadows", Shadows},
	{"reductions", Reductions},
	{"gatherlanes", GatherLanes},
	{"gatherreductions", GatherReductions},
	{"packs", Packs},
	{"acrosslanes", AcrossLanes},
	{"anyof", AnyOf},
	{"peel", Peel},
	{"unroll", Unroll},
	{"induction", Induction},
	{"indices", Indices},
	{"subscripts", Subscripts},
	{"ranges", Ranges},
	{"hoist", Hoist},
	{"recurrences", Recurrences},
	{"horner", Horner},
	{"signs", Signs},
	{"dead", Dead},
	{"control", Control},
	{"rotate", Rotate},
	{"latchtests", LatchTests},
	{"lanetests", LaneTests},
	{"choices", Choices},
	{"sink", Sink},
	{"sinkrare", SinkRare},
	{"ahead", Ahead},
	{"countmasks", CountMasks},
}

// Run applies all passes to f, but those whose names are given.
//
// requires: a function that verifies
// maintains: what it computes; a reducible graph stays so
func Run(f *vir.Func, stats map[string]int, without ...string) {
	vir.RemoveUnreachable(f)
	f.Renumber()
	for _, p := range Passes {
		if !slices.Contains(without, p.Name) {
			p.Run(f, stats)
		}
	}
}

// Final lists the passes for a function that is to become code: what they make is not what
// a plan can price.
var Final = []Pass{
	{"votes", Votes},
	{"sinkrare", SinkRare},
	{"phaseloops", PhaseLoops},
	{"edgelanes", EdgeLanes},
}

// RunFinal applies the Final passes, but those whose names are given, to a copy of f, which
// stays as it is.
//
// requires: what Run leaves
// maintains: what f computes; a reducible graph stays so
func RunFinal(f *vir.Func, stats Stats, without ...string) *vir.Func {
	f = vir.Clone(f)
	for _, p := range Final {
		if !slices.Contains(without, p.Name) {
			p.Run(f, stats)
		}
	}
	return f
}

// Params removes the block parameters that have one value.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func Params(f *vir.Func, stats Stats) {
	before := countParams(f)
	mergeParams(f)
	vir.RemoveTrivialParams(f)
	stats.add("params", before-countParams(f))
	f.Renumber()
}

func countParams(f *vir.Func) int {
	n := 0
	for _, b := range f.Blocks {
		n += len(b.Params)
	}
	return n
}

// inEdge is one edge by its source.
type inEdge struct {
	from *vir.Block
	n    int
}

func (e inEdge) edge() *vir.Edge { return &e.from.Edges[e.n] }

// inEdges lists the edges to every block, by block ID, in block order.
func inEdges(f *vir.Func) [][]inEdge {
	return grouped.Lists(len(f.Blocks), func(add func(int, inEdge)) {
		for _, b := range f.Blocks {
			for i, e := range b.Edges {
				add(e.To.ID, inEdge{b, i})
			}
		}
	})
}

// mergeParams makes parameters of a block that always get the same arguments
// one parameter, by giving the later ones that of the first.
func mergeParams(f *vir.Func) {
	in := inEdges(f)
	same := map[*vir.Value]*vir.Value{}
	for _, b := range f.Blocks {
		if len(b.Params) < 2 || len(in[b.ID]) == 0 {
			continue
		}
		byFirst := map[*vir.Value][]*vir.Value{} // by the argument of the first edge
		for i, p := range b.Params {
			first := in[b.ID][0].edge().Args[i]
			for _, q := range byFirst[first] {
				equal := true
				for _, e := range in[b.ID] {
					x, y := e.edge().Args[i], e.edge().Args[q.Index]
					equal = equal && (x == y || x == p && y == q)
				}
				if equal {
					same[p] = q
					break
				}
			}
			if same[p] == nil && len(byFirst[first]) < 8 {
				byFirst[first] = append(byFirst[first], p)
			}
		}
	}
	if len(same) == 0 {
		return
	}
	replace := func(vs []*vir.Value) {
		for i, v := range vs {
			if q := same[v]; q != nil {
				vs[i] = q
			}
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			replace(v.Args)
		}
		if q := same[b.Cond]; q != nil {
			b.Cond = q
		}
		for _, e := range b.Edges {
			replace(e.Args)
		}
	}
	Dead(f, nil)
}
