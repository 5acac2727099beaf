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
// every edge, or themselves.
//
// requires: no unreachable blocks
func RemoveTrivialParams(f *Func) {
	type incoming struct {
		from *Block
		edge int
	}
	preds := make(map[*Block][]incoming, len(f.Blocks))
	for _, b := range f.Blocks {
		for i, e := range b.Edges {
			preds[e.To] = append(preds[e.To], incoming{b, i})
		}
	}
	forward := map[*Value]*Value{}
	resolve := func(v *Value) *Value {
		for {
			to, ok := forward[v]
			if !ok {
				return v
			}
			v = to
		}
	}
	users := map[*Value][]*Value{} // parameter -> parameters it is passed to
	var work []*Value
	for _, b := range f.Blocks {
		for i, p := range b.Params {
			work = append(work, p)
			for _, in := range preds[b] {
				if a := in.from.Edges[in.edge].Args[i]; a.Op == Param {
					users[a] = append(users[a], p)
				}
			}
		}
	}
	for len(work) > 0 {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		if _, gone := forward[p]; gone || p.Block == f.Blocks[0] {
			continue
		}
		var same *Value
		trivial := true
		for _, in := range preds[p.Block] {
			a := resolve(in.from.Edges[in.edge].Args[p.Index])
			if a == p || a == same {
				continue
			}
			if same != nil {
				trivial = false
				break
			}
			same = a
		}
		if !trivial || same == nil {
			continue
		}
		forward[p] = same
		work = append(work, users[p]...)
		if same.Op == Param {
			users[same] = append(users[same], users[p]...)
			work = append(work, same)
		}
	}
	if len(forward) == 0 {
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
				if _, gone := forward[e.To.Params[j]]; !gone {
					args = append(args, resolve(a))
				}
			}
			e.Args = args
		}
	}
	for _, b := range f.Blocks {
		kept := b.Params[:0]
		for _, p := range b.Params {
			if _, gone := forward[p]; !gone {
				p.Index = len(kept)
				kept = append(kept, p)
			}
		}
		b.Params = kept
	}
}
