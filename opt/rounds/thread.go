package rounds

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// thread leads edges to a block that does nothing but to compare two numbers past it,
// where the branches on the way there have compared them already: behind a search that
// was left because bytes differed it need not be asked whether it has come to the end.
// In a round, lanes that leave so have nothing to keep for that question. It returns how
// many edges there were.
//
// requires: no unreachable blocks; maintains: SSA; breaks: canonical loops, LCSSA
func thread(f *kernel.Func) int {
	in, loops := opt.InEdges(f), cfg.Cycles(f.Graph())
	shared := definesForOthers(f)
	n := 0
	for _, b := range f.Blocks {
		// An edge past a loop's header would make an irreducible cycle.
		if !onlyAsks(b) || shared[b.ID] || loops.IsHeader(b.ID) {
			continue
		}
		for _, e := range in[b.ID] {
			if e.From == b {
				continue
			}
			holds, known := answered(b, e, in)
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

// onlyAsks reports whether b has one operation, a comparison of integers whose only use
// in b is the branch.
func onlyAsks(b *kernel.Block) bool {
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
// defines. The block must dominate those, so that no edge may be led past it.
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

// passed is what v is for those who come to b by e.
func passed(b *kernel.Block, e opt.InEdge, v *kernel.Value) *kernel.Value {
	if v.Op == kernel.Param && v.Block == b {
		return e.Edge().Args[v.Index]
	}
	return v
}

// waysBack bounds how many branches before an edge are looked at.
const waysBack = 4

// answered tells whether the comparison of b holds for those who come by e.
func answered(b *kernel.Block, e opt.InEdge, in [][]opt.InEdge) (holds, known bool) {
	x, y := passed(b, e, b.Cond.Args[0]), passed(b, e, b.Cond.Args[1])
	have := alu.AnyOrder
	for range waysBack {
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
	asked, _ := alu.OrderOf(b.Cond.Op)
	return have.Decides(asked)
}
