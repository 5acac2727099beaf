package vir

import "github.com/simtc/simtc/cfg"

// RemoveUnreachable drops the blocks that control never reaches.
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

// RemoveTrivialParams removes the block parameters that get the same value on
// every edge, or themselves and each other, round cycles of any form: where a
// strongly connected set of parameters gets one value from outside, all of them are that
// value, and where it gets several, those of them that get none may still be one (Braun
// et al., CC 2013, section 3.2).
//
// requires: no unreachable blocks
func RemoveTrivialParams(f *Func) {
	first := make([]int, len(f.Blocks)+1) // number of a block's first parameter
	for i, b := range f.Blocks {
		b.ID = i
		first[i+1] = first[i] + len(b.Params)
	}
	in := make([][]*Edge, len(f.Blocks))
	for _, b := range f.Blocks {
		for i := range b.Edges {
			e := &b.Edges[i]
			in[e.To.ID] = append(in[e.To.ID], e)
		}
	}
	to := make([]*Value, first[len(f.Blocks)]) // what a parameter stands for, nil: itself
	number := func(p *Value) int { return first[p.Block.ID] + p.Index }
	resolve := func(v *Value) *Value {
		last := v
		for last.Op == Param && to[number(last)] != nil {
			last = to[number(last)]
		}
		for v != last { // the next one finds it at once
			n := number(v)
			v, to[n] = to[n], last
		}
		return last
	}
	removed := 0
	var remove func(among []*Value)
	remove = func(among []*Value) {
		at := make(map[*Value]int, len(among)) // node 0 leads to all
		succs := make([][]int, len(among)+1)
		for i, p := range among {
			at[p] = i + 1
			succs[0] = append(succs[0], i+1)
		}
		for i, p := range among {
			for _, e := range in[p.Block.ID] {
				if from := at[resolve(e.Args[p.Index])]; from > 0 && from != i+1 {
					succs[i+1] = append(succs[i+1], from)
				}
			}
		}
		component, count := cfg.NewGraph(succs).StronglyConnected()
		sets := make([][]*Value, count)
		for i, p := range among {
			c := component[i+1]
			sets[c] = append(sets[c], p)
		}
		for c, set := range sets { // a set after those that it gets values from
			var outside *Value
			var inner []*Value
			several := false
			for _, p := range set {
				is := true
				for _, e := range in[p.Block.ID] {
					a := resolve(e.Args[p.Index])
					if n := at[a]; n > 0 && component[n] == c {
						continue
					}
					is, several = false, several || outside != nil && outside != a
					outside = a
				}
				if is {
					inner = append(inner, p)
				}
			}
			switch {
			case several:
				if len(inner) > 0 {
					remove(inner)
				}
			case outside != nil:
				for _, p := range set {
					to[number(p)] = outside
				}
				removed += len(set)
			}
		}
	}
	var all []*Value
	for _, b := range f.Blocks[1:] {
		all = append(all, b.Params...)
	}
	remove(all)
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
