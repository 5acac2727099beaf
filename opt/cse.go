package opt

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// CSE replaces an operation by an equal one that dominates it: pure
// operations and loads of constant memory anywhere, other loads within a block
// as long as nothing is stored between to memory that could be the same. Where
// a branch has decided a condition, its uses below become constant.
//
// requires: no unreachable blocks; maintains: SSA
func CSE(f *kernel.Func, st Stats) {
	dom := cfg.Dominators(f.Graph())
	r := NewReplacer(f)
	known := make(map[Key]*kernel.Value, f.NumValues())
	var loads loadTable
	// Preorder over the dominator tree; leaving a subtree forgets its values.
	var keys []Key // in known, oldest first
	type scope struct{ block, keys, facts int }
	var stack []scope
	in := InEdges(f)
	facts := decided{f: f, is: map[*kernel.Value]*kernel.Value{}}
	for _, id := range dom.Preorder {
		for len(stack) > 0 && !dom.Dominates(stack[len(stack)-1].block, id) {
			top := stack[len(stack)-1]
			for _, k := range keys[top.keys:] {
				delete(known, k)
			}
			keys, stack = keys[:top.keys], stack[:len(stack)-1]
			facts.forget(top.facts)
		}
		stack = append(stack, scope{id, len(keys), len(facts.order)})
		if len(in[id]) == 1 {
			facts.enter(in[id][0], r)
		}
		loads.clear()
		b := f.Blocks[id]
		kept := b.Values[:0]
		for _, v := range b.Values {
			r.Args(v)
			facts.args(v)
			effect := kernel.InfoOf(v.Op).Effect
			if effect == kernel.Writes || v.Volatile { // a volatile load may have waited for another thread
				loads.written(v)
			}
			if effect == kernel.Writes || v.Volatile || v.Op == kernel.Alloca {
				kept = append(kept, v)
				continue
			}
			table := known
			local := effect == kernel.Reads && v.Args[0].Type != alu.PtrConstant
			if local {
				table = loads.of(v.Args[0].Type)
			}
			k := KeyOf(v)
			if same := table[k]; same != nil {
				r.Set(v, same)
				continue
			}
			table[k] = v
			if !local {
				keys = append(keys, k)
			}
			kept = append(kept, v)
		}
		clear(b.Values[len(kept):])
		b.Values = kept
		if b.Cond != nil {
			b.Cond = facts.find(r.Find(b.Cond))
		}
	}
	r.Apply(f)
	st.Add("common subexpressions removed", r.n)
	f.Renumber()
}

// loadTable has the loads of a block by the type of their address, which is
// the address space.
type loadTable [alu.NumTypes]map[Key]*kernel.Value

func (t *loadTable) of(space kernel.Type) map[Key]*kernel.Value {
	if t[space] == nil {
		t[space] = map[Key]*kernel.Value{}
	}
	return t[space]
}

func (t *loadTable) clear() {
	for _, m := range t {
		clear(m)
	}
}

// written forgets what an operation that writes memory may change. Address
// spaces share no memory, but the generic one is all of them.
func (t *loadTable) written(v *kernel.Value) {
	if kernel.Convergent(v.Op) {
		return
	}
	if v.Op != kernel.Store || v.Args[0].Type == alu.PtrGeneric {
		t.clear()
		return
	}
	clear(t[v.Args[0].Type])
	clear(t[alu.PtrGeneric])
}

// decided has the values that branches above the current block have decided.
type decided struct {
	f     *kernel.Func
	is    map[*kernel.Value]*kernel.Value
	order []*kernel.Value // keys of is, the oldest first
}

// enter adds what is known in a block that only e leads to.
func (d *decided) enter(e InEdge, r *Replacer) {
	b := e.From
	switch b.Kind {
	case kernel.Branch:
		if b.Edges[0].To != b.Edges[1].To {
			d.learn(r.Find(b.Cond), e.N == 0, 4)
		}
	case kernel.Switch:
		if e.N > 0 {
			d.add(r.Find(b.Cond), d.f.Const(b.Cond.Type, b.Cases[e.N-1]))
		}
	}
}

// learn adds a condition and what follows from it.
func (d *decided) learn(c *kernel.Value, truth bool, depth int) {
	bit := uint64(0)
	if truth {
		bit = 1
	}
	d.add(c, d.f.Const(alu.I1, bit))
	if depth == 0 || len(c.Args) != 2 {
		return
	}
	x, y := c.Args[0], c.Args[1]
	switch {
	case c.Op == alu.And && truth, c.Op == alu.Or && !truth:
		d.learn(x, truth, depth-1)
		d.learn(y, truth, depth-1)
	case c.Op == alu.Xor && isConst(y, 1):
		d.learn(x, !truth, depth-1)
	case (c.Op == alu.Eq && truth || c.Op == alu.Ne && !truth) && x.Type.IsInt() && y.Op == kernel.Const:
		d.add(x, y)
	}
}

func (d *decided) add(v, is *kernel.Value) {
	if v.Op != kernel.Const && d.is[v] == nil {
		d.is[v] = is
		d.order = append(d.order, v)
	}
}

// forget drops all but the oldest n.
func (d *decided) forget(n int) {
	for _, v := range d.order[n:] {
		delete(d.is, v)
	}
	d.order = d.order[:n]
}

func (d *decided) find(v *kernel.Value) *kernel.Value {
	if is := d.is[v]; is != nil {
		return is
	}
	return v
}

func (d *decided) args(v *kernel.Value) {
	if len(d.order) == 0 {
		return
	}
	for i, a := range v.Args {
		if is := d.is[a]; is != nil {
			v.Args[i] = is
		}
	}
}

// Key is equal for operations that compute the same.
type Key struct {
	op                   kernel.Op
	typ, arg             kernel.Type
	count                uint8
	index, Align         int32
	first, second, third int32 // operands by ID, -1 for none
}

// KeyOf makes the Key of an operation of at most three operands.
func KeyOf(v *kernel.Value) Key {
	k := Key{
		op: v.Op, typ: v.Type, count: uint8(v.Count), index: int32(v.Index), Align: int32(v.Align),
		first: -1, second: -1, third: -1,
	}
	switch len(v.Args) {
	case 3:
		k.third = int32(v.Args[2].ID)
		fallthrough
	case 2:
		k.second = int32(v.Args[1].ID)
		fallthrough
	case 1:
		k.first = int32(v.Args[0].ID)
		k.arg = v.Args[0].Type
	}
	if k.first > k.second && k.second >= 0 && alu.InfoOf(v.Op).Commutative {
		k.first, k.second = k.second, k.first
	}
	return k
}
