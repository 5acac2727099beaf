package lower

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// finish completes the function: it removes unreachable blocks, block parameters with a
// single incoming value and unused operations, merges straight-line blocks, and numbers
// everything in source order.
func (l *lowerer) finish() {
	for _, b := range l.f.Blocks {
		l.seal(b)
	}
	l.entry.Values = append(l.allocas, l.entry.Values...)
	l.f.Blocks = reachable(l.entry, l.order, len(l.f.Blocks))
	name := func(p *kernel.Value) string {
		if l.ofBuiltins[p] {
			return ""
		}
		return p.Name
	}
	for removeParams(l.f, name) {
	}
	l.f.Blocks = mergeLines(l.f.Blocks)
	sweep(l.f)
	l.f.Renumber()
}

// reachable returns the reachable blocks in the order of the list, each once.
func reachable(entry *kernel.Block, order []*kernel.Block, n int) []*kernel.Block {
	seen := make([]bool, n)
	seen[entry.ID] = true
	work := []*kernel.Block{entry}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range b.Edges {
			if !seen[e.To.ID] {
				seen[e.To.ID] = true
				work = append(work, e.To)
			}
		}
	}
	var out []*kernel.Block
	for _, b := range order {
		if seen[b.ID] {
			out = append(out, b)
		}
	}
	return out
}

// removeParams replaces block parameters that receive one value on all edges by that
// value. The analysis is optimistic, so that cycles of parameters that pass only each
// other and one outside value (as in irreducible graphs) are removed too. It reports
// whether it removed any. name returns the source name of a parameter;
// operations that used the parameter record that name for the operand that replaces it.
func removeParams(f *kernel.Func, name func(p *kernel.Value) string) bool {
	value := make([]*kernel.Value, f.NumValues()) // the value of a parameter; nil: not known yet
	inputs := make([][]*kernel.Value, f.NumValues())
	users := make([][]*kernel.Value, f.NumValues()) // the parameters that receive this value
	changes := make([]uint8, f.NumValues())
	var work []*kernel.Value
	for _, b := range f.Blocks {
		for _, e := range b.Edges {
			for i, a := range e.Args {
				p := e.To.Params[i]
				inputs[p.ID] = append(inputs[p.ID], a)
				if a.Op == kernel.Param {
					users[a.ID] = append(users[a.ID], p)
				}
			}
		}
		work = append(work, b.Params...)
	}
	if len(work) == 0 {
		return false
	}
	resolve := func(v *kernel.Value) *kernel.Value {
		if v.Op == kernel.Param {
			return value[v.ID]
		}
		return v
	}
	for len(work) > 0 {
		next := work[:0:0]
		for _, p := range work {
			if value[p.ID] == p {
				continue
			}
			var one *kernel.Value
			for _, a := range inputs[p.ID] {
				switch v := resolve(a); {
				case v == nil || v == one:
				case one == nil:
					one = v
				default:
					one = p
				}
				if one == p {
					break
				}
			}
			if one == value[p.ID] {
				continue
			}
			if changes[p.ID]++; changes[p.ID] > 4 {
				one = p // bounds the time; a later iteration may still remove it
			}
			value[p.ID] = one
			next = append(next, users[p.ID]...)
		}
		work = next
	}

	removed := false
	called := map[*kernel.Value]string{}
	replace := func(v *kernel.Value) *kernel.Value {
		if v != nil && v.Op == kernel.Param {
			return value[v.ID]
		}
		return v
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			clear(called)
			for i, a := range v.Args {
				v.Args[i] = replace(a)
				if x := v.Args[i]; x != a && x.Name != "" {
					called[x] = name(a)
				}
			}
			if v.Was == nil {
				v.KeepNames(func(a *kernel.Value) string { return called[a] })
			}
		}
		b.Cond = replace(b.Cond)
		for k := range b.Edges {
			e := &b.Edges[k]
			kept := e.Args[:0]
			for i, a := range e.Args {
				if p := e.To.Params[i]; value[p.ID] == p {
					kept = append(kept, replace(a))
				}
			}
			e.Args = kept
		}
	}
	for _, b := range f.Blocks {
		kept := b.Params[:0]
		for _, p := range b.Params {
			if value[p.ID] == p {
				p.Index = len(kept)
				kept = append(kept, p)
			} else {
				removed = true
			}
		}
		b.Params = kept
	}
	return removed
}

// mergeLines appends to each block its only successor if that has no other predecessor.
func mergeLines(blocks []*kernel.Block) []*kernel.Block {
	preds := map[*kernel.Block]int{}
	for _, b := range blocks {
		for _, e := range b.Edges {
			preds[e.To]++
		}
	}
	gone := map[*kernel.Block]bool{}
	for _, b := range blocks {
		if gone[b] {
			continue
		}
		for b.Kind == kernel.Jump {
			to := b.Edges[0].To
			if preds[to] != 1 || to == b || len(to.Params) > 0 || gone[to] || to == blocks[0] {
				break
			}
			b.Values = append(b.Values, to.Values...)
			b.Kind, b.Cond, b.Cases, b.Edges, b.Pos = to.Kind, to.Cond, to.Cases, to.Edges, to.Pos
			gone[to] = true
		}
	}
	var out []*kernel.Block
	for _, b := range blocks {
		if !gone[b] {
			out = append(out, b)
		}
	}
	for _, b := range out {
		for _, v := range b.Values {
			v.Block = b
		}
	}
	return out
}

// sweep removes operations and parameters whose values are unused, including non-volatile
// loads.
func sweep(f *kernel.Func) {
	live := make([]bool, f.NumValues())
	inputs := make([][]*kernel.Value, f.NumValues()) // the values passed to each parameter
	var work []*kernel.Value
	mark := func(v *kernel.Value) {
		if v != nil && !live[v.ID] {
			live[v.ID] = true
			work = append(work, v)
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if kernel.InfoOf(v.Op).Effect == kernel.Writes && !kernel.Convergent(v.Op) || v.Volatile {
				mark(v)
			}
		}
		mark(b.Cond)
		for _, e := range b.Edges {
			for i, a := range e.Args {
				p := e.To.Params[i]
				inputs[p.ID] = append(inputs[p.ID], a)
			}
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range v.Args {
			mark(a)
		}
		for _, a := range inputs[v.ID] {
			mark(a)
		}
	}
	for _, b := range f.Blocks {
		for k := range b.Edges {
			e := &b.Edges[k]
			kept := e.Args[:0]
			for i, a := range e.Args {
				if live[e.To.Params[i].ID] {
					kept = append(kept, a)
				}
			}
			e.Args = kept
		}
	}
	keep := func(list []*kernel.Value) []*kernel.Value {
		out := list[:0]
		for _, v := range list {
			if live[v.ID] || v.Type == alu.Void {
				out = append(out, v)
			}
		}
		return out
	}
	for _, b := range f.Blocks {
		b.Params, b.Values = keep(b.Params), keep(b.Values)
		for i, p := range b.Params {
			p.Index = i
		}
	}
}
