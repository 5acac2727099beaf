package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// SimplifyControl folds branches on constants, merges a block with its only successor if
// that has no other predecessor, and bypasses blocks that only jump.
//
// requires: no unreachable blocks; maintains: SSA
func SimplifyControl(f *kernel.Func, st Stats) {
	n := 0
	for {
		changed := foldBranches(f)
		if changed > 0 {
			dropUnreachable(f)
		}
		if k := skipEmpty(f); k > 0 {
			changed += k
			dropUnreachable(f)
		}
		changed += JoinBlocks(f)
		n += changed
		if changed == 0 {
			break
		}
		// A parameter that has become a constant may decide a branch.
		removeTrivialParams(f)
	}
	st.Add("branches and blocks simplified", n)
	RemoveTrivialParams(f, nil)
}

// foldBranches turns branches on constants and branches with equal edges into jumps.
func foldBranches(f *kernel.Func) int {
	n := 0
	for _, b := range f.Blocks {
		if len(b.Edges) < 2 {
			continue
		}
		take := -1
		switch {
		case b.Cond.Op == kernel.Const && b.Kind == kernel.Branch:
			take = 1 - int(b.Cond.Const)
		case b.Cond.Op == kernel.Const:
			take = slices.Index(b.Cases, b.Cond.Const) + 1
		case !slices.ContainsFunc(b.Edges[1:], func(e kernel.Edge) bool { return !sameEdge(e, b.Edges[0]) }):
			take = 0
		}
		if take >= 0 {
			e := b.Edges[take]
			b.Jump(e.To, e.Args...)
			n++
		}
	}
	return n
}

// skipEmpty redirects edges around blocks that only jump. An edge bypasses a block with
// parameters only if it can pass the successor's arguments itself. In kernels with
// convergent operations the headers of cycles stay: without one, two cycles may become one.
func skipEmpty(f *kernel.Func) int {
	n := 0
	var loops *cfg.CycleForest
	if f.Uses(kernel.Ballot, kernel.Shuffle) {
		loops = cfg.Cycles(f.Graph())
	}
	var used []bool // by value ID; nil until there is a block to bypass
	for _, b := range f.Blocks {
		for i := range b.Edges {
			e := &b.Edges[i]
			for hops := 0; hops < 8; hops++ {
				to := e.To
				if to.Kind != kernel.Jump || len(to.Values) > 0 || to.Edges[0].To == to || loops != nil && loops.IsHeader(to.ID) {
					break
				}
				if used == nil {
					used = usedBeyond(f)
				}
				if slices.ContainsFunc(to.Params, func(p *kernel.Value) bool { return used[p.ID] }) {
					break
				}
				args := make([]*kernel.Value, len(to.Edges[0].Args))
				for j, a := range to.Edges[0].Args {
					args[j] = a
					if a.Op == kernel.Param && a.Block == to {
						args[j] = e.Args[a.Index]
					}
					if args[j].Block != b {
						used[args[j].ID] = true
					}
				}
				e.To, e.Args = to.Edges[0].To, args
				n++
			}
		}
	}
	return n
}

// usedBeyond marks the values with uses other than the edges of their own block.
func usedBeyond(f *kernel.Func) []bool {
	used := make([]bool, f.NumValues())
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for _, a := range v.Args {
				used[a.ID] = true
			}
		}
		if b.Cond != nil {
			used[b.Cond.ID] = true
		}
		for _, e := range b.Edges {
			for _, a := range e.Args {
				if a.Block != b {
					used[a.ID] = true
				}
			}
		}
	}
	return used
}

// JoinBlocks merges a block into its only predecessor if that only jumps.
func JoinBlocks(f *kernel.Func) int {
	preds := make([]int, len(f.Blocks))
	for _, b := range f.Blocks {
		for _, e := range b.Edges {
			preds[e.To.ID]++
		}
	}
	// below returns the block to merge into b, or nil.
	below := func(b *kernel.Block) *kernel.Block {
		if b.Kind != kernel.Jump {
			return nil
		}
		if to := b.Edges[0].To; to != b && to != f.Blocks[0] && preds[to.ID] == 1 {
			return to
		}
		return nil
	}
	// Only the heads of chains absorb other blocks, all at once, so that every operation
	// moves at most once.
	inner := make([]bool, len(f.Blocks))
	any := false
	for _, b := range f.Blocks {
		if to := below(b); to != nil {
			inner[to.ID], any = true, true
		}
	}
	if !any {
		return 0
	}
	r := NewReplacer(f)
	gone := make([]bool, len(f.Blocks))
	n := 0
	for _, b := range f.Blocks {
		if inner[b.ID] {
			continue
		}
		for to := below(b); to != nil; to = below(b) {
			for i, p := range to.Params {
				r.Set(p, b.Edges[0].Args[i])
			}
			for _, v := range to.Values {
				v.Block = b
			}
			b.Values = append(b.Values, to.Values...)
			b.Kind, b.Cond, b.Cases, b.Edges, b.Pos = to.Kind, to.Cond, to.Cases, to.Edges, to.Pos
			gone[to.ID] = true
			n++
		}
	}
	if n == 0 {
		return 0
	}
	f.Blocks = slices.DeleteFunc(f.Blocks, func(b *kernel.Block) bool { return gone[b.ID] })
	r.Apply(f)
	f.Renumber()
	return n
}

// convertCost limits the cost of the operations that IfConvert executes speculatively.
const convertCost = 6

// IfConvert replaces a branch around a few cheap, pure operations by selects:
// short-circuit conditions become one value, and masks would cost more than small arms.
//
// requires: no unreachable blocks; maintains: SSA
func IfConvert(f *kernel.Func, st Stats) {
	n := 0
	for changed := true; changed; {
		changed = false
		in := InEdges(f)
		touched := make([]bool, len(f.Blocks)) // whose entries of in are out of date
		for _, b := range f.Blocks {
			at := b.Pos
			if b.Kind == kernel.Branch && convert(b, in, touched) {
				f.Note(at, "converted", "to selects: the guarded operations are cheap and run in all lanes")
				changed = true
				n++
			}
		}
		if changed {
			dropUnreachable(f)
			JoinBlocks(f)
		}
	}
	st.Add("branches converted to selects", n)
	RemoveTrivialParams(f, nil)
}

// convert converts the triangle or diamond that starts at b.
func convert(b *kernel.Block, in [][]InEdge, touched []bool) bool {
	if touched[b.ID] {
		return false
	}
	arm := func(i int) *kernel.Block {
		x := b.Edges[i].To
		if !touched[x.ID] && len(in[x.ID]) == 1 && len(x.Params) == 0 && x.Kind == kernel.Jump && x.Edges[0].To != x && cheap(x) {
			return x
		}
		return nil
	}
	yes, no := arm(0), arm(1)
	var join *kernel.Block
	switch {
	case yes != nil && no != nil && yes.Edges[0].To == no.Edges[0].To:
		join = yes.Edges[0].To
	case yes != nil && yes.Edges[0].To == b.Edges[1].To:
		join, no = b.Edges[1].To, nil
	case no != nil && no.Edges[0].To == b.Edges[0].To:
		join, yes = b.Edges[0].To, nil
	case b.Edges[0].To == b.Edges[1].To:
		join, yes, no = b.Edges[0].To, nil, nil
	default:
		return false
	}
	if join == b {
		return false
	}
	args := func(arm *kernel.Block, i int) []*kernel.Value {
		if arm == nil {
			return b.Edges[i].Args
		}
		return arm.Edges[0].Args
	}
	x, y := args(yes, 0), args(no, 1)
	out := make([]*kernel.Value, len(x))
	differ := 0
	for i := range x {
		if x[i] != y[i] {
			differ++
		}
	}
	if differ > 3 {
		return false
	}
	for _, a := range []*kernel.Block{yes, no} {
		if a == nil {
			continue
		}
		for _, v := range a.Values {
			v.Block = b
		}
		b.Values = append(b.Values, a.Values...)
		a.Values = nil
	}
	for i := range x {
		out[i] = x[i]
		if x[i] != y[i] {
			out[i] = b.Append(alu.Select, x[i].Type, b.Cond, x[i], y[i])
			out[i].Pos, out[i].Name = b.Pos, join.Params[i].Name
		}
	}
	b.Jump(join, out...)
	for _, x := range []*kernel.Block{b, yes, no, join} {
		if x != nil {
			touched[x.ID] = true
		}
	}
	return true
}

// cheap reports whether the operations of a block may execute speculatively.
func cheap(b *kernel.Block) bool {
	cost := 0
	for _, v := range b.Values {
		if !v.Op.Pure() && v.Op != kernel.PtrAdd {
			return false
		}
		switch v.Op {
		case alu.UDiv, alu.SDiv, alu.URem, alu.SRem, alu.FDiv, alu.FSqrt:
			return false
		case alu.Mul, alu.UMulHi, alu.SMulHi:
			cost += 2
		default:
			cost++
		}
	}
	return cost <= convertCost
}
