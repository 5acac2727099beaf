package iterations

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// thread threads jumps past blocks that only compare two integers, along edges where
// earlier branches imply the result: after a search that ended at a differing byte, the
// test for the end of the search is known. Lanes that exit along such an edge need not
// pass the compared values. It returns the number of threaded edges.
//
// requires: no unreachable blocks; maintains: SSA; breaks: canonical loops, LCSSA
func thread(f *kernel.Func) int {
	in, loops := opt.InEdges(f), cfg.Cycles(f.Graph())
	shared := definesForOthers(f)
	n := 0
	for _, b := range f.Blocks {
		// Threading into a loop past its header would make it irreducible.
		if !comparesOnly(b) || shared[b.ID] || loops.IsHeader(b.ID) {
			continue
		}
		for _, e := range in[b.ID] {
			if e.From == b {
				continue
			}
			holds, known := decided(b, e, in)
			if !known {
				continue
			}
			to := b.Edges[1]
			if holds {
				to = b.Edges[0]
			}
			args := make([]*kernel.Value, len(to.Args))
			for i, a := range to.Args {
				args[i] = passed(b, e, a)
			}
			e.Edge().To, e.Edge().Args = to.To, args
			n++
		}
	}
	return n
}

// comparesOnly reports whether b has one operation, a comparison of integers whose only
// use in b is its branch.
func comparesOnly(b *kernel.Block) bool {
	if b.Kind != kernel.Branch || len(b.Values) != 1 || b.Cond != b.Values[0] {
		return false
	}
	c := b.Cond
	if _, ok := alu.OrderOf(c.Op); !ok || !c.Args[0].Type.IsInt() {
		return false
	}
	return !slices.ContainsFunc(b.Edges, func(e kernel.Edge) bool { return slices.Contains(e.Args, c) || e.To == b })
}

// definesForOthers returns, by block ID, whether other blocks use a value that the block
// defines. Such a block must dominate them, so that no edge may bypass it.
func definesForOthers(f *kernel.Func) []bool {
	shared := make([]bool, len(f.Blocks))
	for _, b := range f.Blocks {
		use := func(v *kernel.Value) {
			if v != nil && v.Block != nil && v.Block != b {
				shared[v.Block.ID] = true
			}
		}
		for _, v := range b.Values {
			for _, a := range v.Args {
				use(a)
			}
		}
		use(b.Cond)
		for _, e := range b.Edges {
			for _, a := range e.Args {
				use(a)
			}
		}
	}
	return shared
}

// passed returns the value of v when b is entered through e.
func passed(b *kernel.Block, e opt.InEdge, v *kernel.Value) *kernel.Value {
	if v.Op == kernel.Param && v.Block == b {
		return e.Edge().Args[v.Index]
	}
	return v
}

// maxBranches limits the branches before an edge that are inspected.
const maxBranches = 4

// decided returns the result of b's comparison when b is entered through e, if it is known.
func decided(b *kernel.Block, e opt.InEdge, in [][]opt.InEdge) (holds, known bool) {
	x, y := passed(b, e, b.Cond.Args[0]), passed(b, e, b.Cond.Args[1])
	have := alu.AnyOrder
	for range maxBranches {
		if from := e.From; from.Kind == kernel.Branch && from.Edges[0].To != from.Edges[1].To {
			o, ok := alu.OrderOf(from.Cond.Op)
			if e.N == 1 {
				o = o.Without()
			}
			switch a := from.Cond.Args; {
			case !ok:
			case a[0] == x && a[1] == y:
				have = have.And(o)
			case a[0] == y && a[1] == x:
				have = have.And(o.Swapped())
			}
		}
		if len(in[e.From.ID]) != 1 {
			break
		}
		e = in[e.From.ID][0]
	}
	wanted, _ := alu.OrderOf(b.Cond.Op)
	return have.Decides(wanted)
}
