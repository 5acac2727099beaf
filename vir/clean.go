package vir

import "github.com/simtc/simtc/cfg"

// RemoveUnreachable removes the unreachable blocks.
//
// maintains: everything
func RemoveUnreachable(f *Func) {
	reached := make([]bool, len(f.Blocks))
	for i, b := range f.Blocks {
		b.ID = i
	}
	work := []*Block{f.Blocks[0]}
	reached[0] = true
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range b.Edges {
			if !reached[e.To.ID] {
				reached[e.To.ID] = true
				work = append(work, e.To)
			}
		}
	}
	kept := f.Blocks[:0]
	for i, b := range f.Blocks {
		if reached[i] {
			kept = append(kept, b)
		}
	}
	f.Blocks = kept
}

// RemoveTrivialParams removes the block parameters that receive the same value on every
// edge, also if they additionally receive themselves or each other in cycles of any form.
// If every path from definitions to a parameter passes through one value, the parameter
// equals it: that value dominates the parameter in the graph from values to the
// parameters that receive them.
//
// requires: no unreachable blocks
func RemoveTrivialParams(f *Func) {
	first := make([]int, len(f.Blocks)+1) // number of a block's first parameter
	for i, b := range f.Blocks {
		b.ID = i
		first[i+1] = first[i] + len(b.Params)
	}
	number := func(p *Value) int { return first[p.Block.ID] + p.Index }
	// Node 0 is the predecessor of values that are not parameters, and of the entry
	// block's parameters, which are numbered after the other parameters.
	from := len(f.Blocks[0].Params)
	params := first[len(f.Blocks)] - from
	succs := make([][]int, 1+params)
	var made []*Value
	nodes := map[*Value]int{}
	node := func(v *Value) int {
		if v.Op == Param && v.Block != f.Blocks[0] {
			return 1 + number(v) - from
		}
		n, ok := nodes[v]
		if !ok {
			n = len(succs)
			nodes[v], made, succs = n, append(made, v), append(succs, nil)
			succs[0] = append(succs[0], n)
		}
		return n
	}
	values := make([]*Value, params)
	for _, b := range f.Blocks {
		for i := range b.Edges {
			e := &b.Edges[i]
			for j, a := range e.Args {
				if n, p := node(a), 1+first[e.To.ID]+j-from; n != p {
					succs[n] = append(succs[n], p)
				}
			}
		}
		if b != f.Blocks[0] {
			copy(values[first[b.ID]-from:], b.Params)
		}
	}
	values = append(values, made...)
	to := make([]*Value, first[len(f.Blocks)]) // the replacement of a parameter; nil: itself
	removed := 0
	if params > 0 {
		tree := cfg.Dominators(cfg.NewGraph(succs))
		for _, n := range tree.Preorder[1:] {
			up := tree.IDom[n]
			if up == 0 {
				continue
			}
			v := values[up-1]
			if up <= params && to[from+up-1] != nil {
				v = to[from+up-1]
			}
			to[from+n-1] = v
			removed++
		}
	}
	resolve := func(v *Value) *Value {
		if v.Op == Param && to[number(v)] != nil {
			return to[number(v)]
		}
		return v
	}
	if removed == 0 {
		return
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for i, a := range v.Args {
				v.Args[i] = resolve(a)
			}
		}
		if b.Cond != nil {
			b.Cond = resolve(b.Cond)
		}
		for i := range b.Edges {
			e := &b.Edges[i]
			args := e.Args[:0]
			for j, a := range e.Args {
				if to[first[e.To.ID]+j] == nil {
					args = append(args, resolve(a))
				}
			}
			e.Args = args
		}
	}
	for i, b := range f.Blocks {
		kept := b.Params[:0]
		for j, p := range b.Params {
			if to[first[i]+j] == nil {
				p.Index = len(kept)
				kept = append(kept, p)
			}
		}
		b.Params = kept
	}
}
