package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// CSE replaces an operation by an equal one that dominates it: pure operations and loads of
// constant memory everywhere, other loads if no path between them may store to the same
// memory. A condition that a branch decided is constant in the blocks that the edge dominates.
//
// A value of a loop is not reused after the loop if recomputing it is cheaper than keeping
// it for the lanes that exit in other iterations.
//
// requires: no unreachable blocks; maintains: SSA
func CSE(f *kernel.Func, st Stats) {
	dom := cfg.Dominators(f.Graph())
	r := NewReplacer(f)
	known := make(map[Key]*kernel.Value, f.NumValues())
	shared := 0 // loads
	memory := newMemory(f)
	loops := afterLoops{f: f}
	// Preorder over the dominator tree; leaving a subtree removes its values.
	type entry struct {
		key    Key
		before *kernel.Value // the value that key had in known
	}
	var keys []entry // changes of known, oldest first
	type scope struct{ block, keys, facts int }
	var stack []scope
	in := InEdges(f)
	facts := decided{f: f, is: map[*kernel.Value]*kernel.Value{}}
	for _, id := range dom.Preorder {
		for len(stack) > 0 && !dom.Dominates(stack[len(stack)-1].block, id) {
			top := stack[len(stack)-1]
			for _, k := range slices.Backward(keys[top.keys:]) {
				if k.before == nil {
					delete(known, k.key)
				} else {
					known[k.key] = k.before
				}
			}
			keys, stack = keys[:top.keys], stack[:len(stack)-1]
			facts.forget(top.facts)
		}
		stack = append(stack, scope{id, len(keys), len(facts.order)})
		if len(in[id]) == 1 {
			facts.enter(in[id][0], r)
		}
		b := f.Blocks[id]
		memory.enter(id, in[id])
		kept := b.Values[:0]
		for _, v := range b.Values {
			r.Args(v)
			facts.args(v)
			memory.changed(written(v))
			effect := kernel.InfoOf(v.Op).Effect
			if effect == kernel.Writes || v.Volatile || v.Op == kernel.Alloca {
				kept = append(kept, v)
				continue
			}
			k := KeyOf(v)
			if effect == kernel.Reads && v.Args[0].Type != alu.PtrConstant {
				k.memory = memory.now[v.Args[0].Type]
			}
			same := known[k]
			if same != nil && !loops.recompute(same, v, b) {
				if k.memory != 0 && same.Block != b {
					shared++
				}
				if !same.Pos.IsValid() { // inserted by a pass
					same.Pos = v.Pos
				}
				r.Set(v, same)
				continue
			}
			known[k] = v
			keys = append(keys, entry{k, same})
			kept = append(kept, v)
		}
		clear(b.Values[len(kept):])
		b.Values = kept
		if b.Cond != nil {
			b.Cond = facts.find(r.Find(b.Cond))
		}
		memory.leave(id)
	}
	r.Apply(f)
	st.Add("common subexpressions removed", r.n)
	st.Add("loads shared between blocks", shared)
	st.Add("values recomputed after loops", loops.n)
	f.Renumber()
}

// afterLoops selects the values that are recomputed after a loop.
type afterLoops struct {
	f     *kernel.Func
	loops *cfg.CycleForest // nil until it is needed
	n     int              // number of values recomputed
}

// recompute reports whether v, in block b after a loop, must not be replaced by same, which
// the loop computes: it is cheap, and at most one of its operands is computed in the loop, so
// that the replacement would not reduce the number of live values.
func (l *afterLoops) recompute(same, v *kernel.Value, b *kernel.Block) bool {
	if same.Block == b || !v.Op.Pure() || len(v.Args) == 0 {
		return false
	}
	switch v.Op {
	case alu.UDiv, alu.SDiv, alu.URem, alu.SRem, alu.FDiv, alu.FSqrt:
		return false
	}
	if l.loops == nil {
		l.loops = cfg.Cycles(l.f.Graph())
	}
	c := l.loops.InnermostCycle(same.Block.ID)
	if c == nil || l.loops.Contains(c, b.ID) {
		return false
	}
	inside := 0
	for i, a := range v.Args {
		if a.Op != kernel.Const && l.loops.Contains(c, a.Block.ID) && !slices.Contains(v.Args[:i], a) {
			inside++
		}
	}
	if inside > 1 {
		return false
	}
	l.n++
	return true
}

// versions numbers the states of memory by the type of an address, which implies the
// address space.
type versions [alu.NumTypes]int32

// memory distinguishes states of memory: loads of one address in one state are equal. (It
// resembles memory SSA, but any join of different states starts a new one.)
type memory struct {
	f       *kernel.Func
	now     versions
	out     []versions // at the ends of the visited blocks
	visited []bool
	last    int32

	loops  *cfg.CycleForest // nil until a back edge is found
	writes []spaces         // by loop
}

func newMemory(f *kernel.Func) *memory {
	return &memory{f: f, out: make([]versions, len(f.Blocks)), visited: make([]bool, len(f.Blocks))}
}

// spaces is a set of address spaces.
type spaces uint32

func (s spaces) has(t kernel.Type) bool { return s>>t&1 != 0 }

const everySpace = ^spaces(0)

// changed starts new states of address spaces.
func (m *memory) changed(which spaces) {
	if which == 0 {
		return
	}
	m.last++
	for s := range m.now {
		if which.has(kernel.Type(s)) {
			m.now[s] = m.last
		}
	}
}

// enter computes the state at the start of a block: that at the ends of its predecessors,
// where they agree. A back edge changes only the address spaces that its loop writes.
func (m *memory) enter(id int, in []InEdge) {
	first, new := true, spaces(0)
	for _, e := range in {
		switch from := e.From.ID; {
		case !m.visited[from]:
			new |= m.around(id, from)
		case first:
			m.now, first = m.out[from], false
		default:
			for s, state := range m.out[from] {
				if m.now[s] != state {
					new |= 1 << s
				}
			}
		}
	}
	if first {
		new = everySpace
	}
	m.changed(new)
}

func (m *memory) leave(id int) { m.out[id], m.visited[id] = m.now, true }

// around returns the address spaces that may be written before the edge to head from a
// block not yet visited: those that the loop writes, if it is a back edge.
func (m *memory) around(head, from int) spaces {
	if m.loops == nil {
		m.loops = cfg.Cycles(m.f.Graph())
		m.writes = make([]spaces, len(m.loops.Cycles))
		for i, c := range m.loops.Cycles {
			for _, id := range c.Blocks {
				for _, v := range m.f.Blocks[id].Values {
					m.writes[i] |= written(v)
				}
			}
		}
	}
	for c := m.loops.InnermostCycle(head); c != nil; c = c.Parent {
		if c.Header == head && c.Reducible() && m.loops.Contains(c, from) {
			return m.writes[c.ID]
		}
	}
	return everySpace
}

// written returns the address spaces in which v may write, or wait for the writes of another
// thread. Address spaces are disjoint, but the generic one covers all of them.
func written(v *kernel.Value) spaces {
	switch {
	case v.Volatile:
		return everySpace
	case kernel.InfoOf(v.Op).Effect != kernel.Writes || kernel.Convergent(v.Op):
		return 0
	case v.Op != kernel.Store || v.Args[0].Type == alu.PtrGeneric:
		return everySpace
	}
	return 1<<v.Args[0].Type | 1<<alu.PtrGeneric
}

// decided holds the values that the branches above the current block imply.
type decided struct {
	f     *kernel.Func
	is    map[*kernel.Value]*kernel.Value
	order []*kernel.Value // keys of is, the oldest first
}

// enter adds the facts that hold in a block whose only incoming edge is e.
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

// learn adds a condition and its consequences.
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

// forget drops all but the n oldest facts.
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

// Key is equal for operations with equal results.
type Key struct {
	op                   kernel.Op
	typ, arg             kernel.Type
	count                uint8
	index, Align         int32
	first, second, third int32 // operands by ID, -1 for none
	memory               int32 // the state of memory that a load reads; 0 for constant memory
}

// KeyOf returns the Key of an operation with at most three operands.
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
