package vir

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
// every edge, or themselves. A parameter is looked at after those that it gets
// where that is possible, so that few rounds are needed even in long code.
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
	for changed := true; changed; {
		changed = false
		for _, id := range f.Graph().ReversePostOrder() {
			for i, p := range f.Blocks[id].Params {
				if id == 0 || to[first[id]+i] != nil {
					continue
				}
				if x := onlyValue(p, in[id], resolve); x != nil {
					to[first[id]+i] = x
					removed++
					changed = true
				}
			}
		}
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

// onlyValue returns the one value that parameter p gets on the edges, besides
// itself; nil if there are several, or none.
func onlyValue(p *Value, in []*Edge, resolve func(*Value) *Value) *Value {
	var same *Value
	for _, e := range in {
		a := resolve(e.Args[p.Index])
		if a == p || a == same {
			continue
		}
		if same != nil {
			return nil
		}
		same = a
	}
	return same
}
