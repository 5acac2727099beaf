package lower

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/sparse"
	"github.com/simtc/simtc/kernel"
)

// variable is the number of a scalar in SSA form: a private variable or one component of
// a vector.
type variable int

// ssa is the state of SSA construction. A block is sealed once all its predecessors are
// known. Until then, reading a variable that the block does not define creates a
// parameter whose arguments are added by seal.
type ssa struct {
	vars   []varInfo
	blocks []blockInfo // by Block.ID
}

type varInfo struct {
	typ  alu.Type
	name string
	defs sparse.Map[kernel.Value] // by block ID
}

type blockInfo struct {
	preds  []edgeRef
	sealed bool
	open   []openParam // parameters made before the block was sealed
}

// edgeRef is an edge. Reading a variable needs only its source.
type edgeRef struct {
	from *kernel.Block
	n    int
}

type openParam struct {
	v     variable
	param *kernel.Value
}

// visiting marks a block whose definition of a variable is being looked up.
var visiting = &kernel.Value{}

func (l *lowerer) newVariable(t alu.Type, name string) variable {
	l.ssa.vars = append(l.ssa.vars, varInfo{typ: t, name: l.variableName(name)})
	return variable(len(l.ssa.vars) - 1)
}

func (l *lowerer) newBlock(name string) *kernel.Block {
	b := l.f.NewBlock(name)
	l.ssa.blocks = append(l.ssa.blocks, blockInfo{})
	return b
}

// start makes b the current block. The previous one must have been terminated.
func (l *lowerer) start(b *kernel.Block) {
	l.cur = b
	l.order = append(l.order, b)
}

// startSealed starts a block whose predecessors are all known. If the only one does
// nothing but jump to b, its code continues in place of b.
func (l *lowerer) startSealed(b *kernel.Block) {
	l.seal(b)
	info := &l.ssa.blocks[b.ID]
	if len(info.preds) == 1 && len(b.Params) == 0 && info.preds[0].from.Kind == kernel.Jump {
		from := info.preds[0].from
		from.Kind, from.Edges = kernel.NoTerm, nil
		info.preds = nil
		l.cur = from
		return
	}
	l.start(b)
}

// isDead reports whether the current block is unreachable.
func (l *lowerer) isDead() bool {
	info := &l.ssa.blocks[l.cur.ID]
	return info.sealed && len(info.preds) == 0 && l.cur != l.entry
}

// dead starts an unreachable block for code after a jump.
func (l *lowerer) dead() { l.startSealed(l.newBlock("")) }

func (l *lowerer) jump(to *kernel.Block) {
	if l.isDead() {
		return
	}
	l.cur.Jump(to)
	l.cur.Pos = l.pos
	l.addPred(to, l.cur, 0)
}

func (l *lowerer) branch(cond *kernel.Value, t, f *kernel.Block) {
	if l.isDead() {
		return
	}
	if cond.Op == kernel.Const {
		if cond.Const == 0 {
			t = f
		}
		l.jump(t)
		return
	}
	l.cur.Branch(cond, kernel.Edge{To: t, Rare: t == l.rare}, kernel.Edge{To: f, Rare: f == l.rare})
	l.cur.Pos = l.here()
	l.addPred(t, l.cur, 0)
	l.addPred(f, l.cur, 1)
}

func (l *lowerer) addPred(to, from *kernel.Block, n int) {
	info := &l.ssa.blocks[to.ID]
	info.preds = append(info.preds, edgeRef{from, n})
}

// seal declares that all predecessors of b are known.
func (l *lowerer) seal(b *kernel.Block) {
	info := &l.ssa.blocks[b.ID]
	if info.sealed {
		return
	}
	info.sealed = true
	// Reading must not add parameters to b any more: it is sealed, and each open
	// parameter is the block's definition of its variable.
	for _, o := range info.open {
		l.addArgs(b, o.v, o.param)
	}
	info.open = nil
}

// addArgs adds the argument for b's newest parameter, the value of v, to every edge into
// b.
func (l *lowerer) addArgs(b *kernel.Block, v variable, param *kernel.Value) {
	for _, e := range l.ssa.blocks[b.ID].preds {
		a := l.readIn(v, e.from)
		args := &e.from.Edges[e.n].Args
		for len(*args) <= param.Index {
			*args = append(*args, nil)
		}
		(*args)[param.Index] = a
	}
}

func (l *lowerer) write(v variable, x *kernel.Value) { l.define(l.cur, v, x) }

func (l *lowerer) define(b *kernel.Block, v variable, x *kernel.Value) {
	l.ssa.vars[v].defs.Set(b.ID, x)
}

// readVar reads v in the current block and records the value's source name here.
func (l *lowerer) readVar(v variable) *kernel.Value {
	x := l.readIn(v, l.cur)
	switch name := l.ssa.vars[v].name; {
	case name == x.Name:
		delete(l.called, x)
	case name != "" && x.Name != "" && !l.frame.fixed:
		l.called[x] = name
	}
	return x
}

// readIn returns the value of v at the current end of b.
func (l *lowerer) readIn(v variable, b *kernel.Block) *kernel.Value {
	// Walk up chains of single predecessors without recursion.
	first := b
	for steps := 0; ; steps++ {
		x := l.ssa.vars[v].defs.Get(b.ID)
		if x == visiting { // around a cycle: this block needs a parameter
			x = l.param(b, v)
		}
		if x == nil {
			info := &l.ssa.blocks[b.ID]
			if info.sealed && len(info.preds) == 1 {
				b = info.preds[0].from
				if steps > len(l.ssa.blocks) { // an unreachable loop
					return l.f.Const(l.ssa.vars[v].typ, 0)
				}
				continue
			}
			x = l.readJoin(v, b)
		}
		if b != first {
			l.define(first, v, x)
		}
		return x
	}
}

func (l *lowerer) param(b *kernel.Block, v variable) *kernel.Value {
	in := l.ssa.vars[v]
	p := b.NewParam(in.typ, in.name)
	p.Pos = l.pos
	if l.frame.fixed {
		l.ofBuiltins[p] = true
	}
	l.define(b, v, p)
	return p
}

// readJoin reads v at the start of a block that has no single predecessor.
func (l *lowerer) readJoin(v variable, b *kernel.Block) *kernel.Value {
	info := &l.ssa.blocks[b.ID]
	if !info.sealed {
		p := l.param(b, v)
		info.open = append(info.open, openParam{v, p})
		return p
	}
	if len(info.preds) == 0 {
		return l.f.Const(l.ssa.vars[v].typ, 0) // uninitialized, or unreachable
	}
	l.define(b, v, visiting)
	preds := info.preds
	args := make([]*kernel.Value, len(preds))
	same := true
	for i, e := range preds {
		args[i] = l.readIn(v, e.from)
		same = same && args[i] == args[0]
	}
	p := l.ssa.vars[v].defs.Get(b.ID)
	if p == visiting {
		if same {
			l.define(b, v, args[0])
			return args[0]
		}
		p = l.param(b, v)
	}
	for i, e := range preds {
		at := &e.from.Edges[e.n].Args
		for len(*at) <= p.Index {
			*at = append(*at, nil)
		}
		(*at)[p.Index] = args[i]
	}
	return p
}
