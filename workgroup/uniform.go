package workgroup

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// uniformity determines which values are the same for all work-items of a group that compute them
// in the same iteration of every cycle, for any number of lanes.
type uniformity struct {
	f         *kernel.Func
	g         *cfg.Graph
	ends      *cfg.PostDomTree
	varying   []bool // by value ID
	mixed     []bool // by block ID: work-items may reach it in different iterations of a cycle
	divergent []bool // by block ID: work-items may diverge at its end

	// By block ID, sets of edges to it, as indices into in, by which work-items may arrive that
	// diverged at one branch.
	joins [][][]int
	in    [][]inEdge
}

type inEdge struct {
	from int
	args []*kernel.Value
}

// findUniform starts from the assumption that all values are uniform.
//
// requires: dense IDs; maintains: f
func findUniform(f *kernel.Func) *uniformity {
	g := f.Graph()
	n := len(f.Blocks)
	u := &uniformity{
		f: f, g: g, ends: cfg.PostDominators(g), varying: make([]bool, f.NumValues()),
		mixed: make([]bool, n), divergent: make([]bool, n), joins: make([][][]int, n), in: make([][]inEdge, n),
	}
	for _, b := range f.Blocks {
		for _, e := range b.Edges {
			u.in[e.To.ID] = append(u.in[e.To.ID], inEdge{b.ID, e.Args})
		}
	}
	for changed := true; changed; {
		changed = false
		mark := func(v *kernel.Value) {
			if !u.varying[v.ID] {
				u.varying[v.ID], changed = true, true
			}
		}
		for _, b := range f.Blocks {
			for i, v := range b.Params {
				if u.mixes(b.ID, i) {
					mark(v)
				}
			}
			for _, v := range b.Values {
				if u.varies(v) {
					mark(v)
				}
			}
			if b.Cond != nil && u.Varies(b.Cond) && !u.divergent[b.ID] {
				u.divergent[b.ID], changed = true, true
				u.diverge(b.ID)
			}
		}
	}
	return u
}

// Varies reports whether v may differ between work-items.
func (u *uniformity) Varies(v *kernel.Value) bool { return v.Op != kernel.Const && u.varying[v.ID] }

// mixes is the rule for parameter i of b: it varies if an argument does, or if diverged
// work-items pass different values.
func (u *uniformity) mixes(b, i int) bool {
	if u.mixed[b] {
		return true
	}
	for _, e := range u.in[b] {
		if u.Varies(e.args[i]) {
			return true
		}
	}
	for _, join := range u.joins[b] {
		for _, e := range join {
			if u.in[b][e].args[i] != u.in[b][join[0]].args[i] {
				return true
			}
		}
	}
	return false
}

// varies is the rule for the result of an operation.
func (u *uniformity) varies(v *kernel.Value) bool {
	switch v.Op {
	case kernel.Argument, kernel.ArgAddr, kernel.DataAddr, kernel.LocalAddr,
		kernel.GroupID, kernel.GlobalSize, kernel.LocalSize, kernel.NumGroups, kernel.GlobalOffset, kernel.WorkDim:
		return false
	case kernel.PtrAdd, kernel.Component:
	case kernel.Load:
		if v.Volatile || !readOnly(v.Args[0]) {
			return true // work-items execute this one after another, and memory may change in between
		}
	default:
		if !v.Op.Pure() {
			return true
		}
	}
	for _, a := range v.Args {
		if u.Varies(a) {
			return true
		}
	}
	return false
}

// readOnly reports whether p points to memory that a kernel does not write.
func readOnly(p *kernel.Value) bool {
	if p.Type == alu.PtrConstant {
		return true
	}
	for p.Op == kernel.PtrAdd {
		p = p.Args[0]
	}
	return p.Op == kernel.Argument && p.Block.Func.Args[p.Index].ReadOnly
}

// diverge records where work-items reconverge that diverge at the end of b: at blocks with several
// paths from b, and in later iterations of a cycle that some of them have left. A block with a
// single edge receives the same values from all work-items, unless the values themselves differ.
func (u *uniformity) diverge(b int) {
	until := u.ends.IPDom(b)
	seen := make([]int, u.g.Len()) // the last successor of b with a path to the block, counted from 1
	var join []int
	for i, s := range u.g.Succs[b] {
		u.walk(s, until, func(x int) bool {
			if seen[x] == i+1 {
				return false
			}
			if seen[x] > 0 {
				join = append(join, x)
			}
			seen[x] = i + 1
			return true
		})
	}
	if seen[b] > 0 {
		for x, s := range seen {
			u.mixed[x] = u.mixed[x] || s > 0 && len(u.in[x]) > 1
		}
	}
	if until >= 0 && until != u.ends.Exit {
		join = append(join, until)
	}
	for _, x := range join {
		var edges []int
		for i, e := range u.in[x] {
			if e.from == b || seen[e.from] > 0 {
				edges = append(edges, i)
			}
		}
		u.joins[x] = append(u.joins[x], edges)
	}
}

// walk visits blocks from b on, up to a block that control always reaches; visit returns
// whether to continue from a block.
func (u *uniformity) walk(b, until int, visit func(int) bool) {
	work := []int{b}
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if x != until && visit(x) {
			work = append(work, u.g.Succs[x]...)
		}
	}
}

// together reports whether all work-items that begin p end it in the same way: they reach
// one barrier, or all return.
func (u *uniformity) together(p *phase, phaseOf map[*kernel.Block]int) bool {
	at := map[*kernel.Block]int{p.start: 0}
	for _, b := range p.blocks {
		if b != p.start {
			at[b] = len(at)
		}
	}
	succs := make([][]int, len(at)+1)
	returned := len(at)
	for _, b := range p.blocks {
		n := at[b]
		switch {
		case phaseOf[b] > 0:
		case b.Kind == kernel.Return:
			succs[n] = []int{returned}
		default:
			for _, e := range b.Edges {
				succs[n] = append(succs[n], at[e.To])
			}
		}
	}
	ends := cfg.PostDominators(cfg.NewGraph(succs))
	for _, b := range p.blocks {
		if phaseOf[b] == 0 && b.Cond != nil && u.Varies(b.Cond) && ends.IPDom(at[b]) == ends.Exit {
			return false
		}
	}
	return true
}
