// Package regpromote keeps memory that each iteration of a loop updates in registers (Cooper and Lu,
// "Register Promotion in C Programs", PLDI 1997):
//
//	for (k = 0; k < n; k++)       if (0 < n) {
//	    c[i] += a[k] * b[k];          x = c[i];
//	                                  for (k = 0; k < n; k++)
//	                                      x += a[k] * b[k];
//	                                  c[i] = x;
//	                              }
//
// The location must be accessed in every iteration, so that no access is added to work-items that have
// none, and no other access of the loop may overlap it. Other work-items do not access it meanwhile: without
// barriers and atomic operations, which such loops do not have, that is a data race (OpenCL C 2.0
// §6.13.11).
package regpromote

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// maxLoops limits the loops that are changed, as each is followed by another analysis.
const maxLoops = 16

// Promote returns a version of f in which locations that loops update are in registers, or f if there
// are none. disjoint lists the offsets of the arguments that point to buffers that do not overlap one
// another.
//
// requires: a prepared kernel
// maintains: f, what it computes; the result is prepared
func Promote(f *kernel.Func, disjoint []int64, st opt.Stats) *kernel.Func {
	p := &promotion{f: f, disjoint: disjoint}
	l := p.find()
	if l == nil {
		return f
	}
	p.f = kernel.Clone(f)
	for n := 0; n < maxLoops; n++ {
		if l = p.find(); l == nil {
			break
		}
		st.Add("memory locations kept in registers in loops", len(l.cells))
		p.f.Note(l.cells[0].store.Pos, "register", "memory that the loop updates is in a register in it")
		opt.PromoteObjects(p.f, l.promote(), nil)
		for _, pass := range opt.Canonicalize {
			pass.Run(p.f, nil)
		}
	}
	for _, pass := range opt.Resize {
		pass.Run(p.f, nil)
	}
	return p.f
}

type promotion struct {
	f        *kernel.Func
	disjoint []int64
}

// loop is a loop with locations to promote. It has one exit, from the header or from the latch.
type loop struct {
	*promotion
	header *kernel.Block
	enter  opt.InEdge
	exit   opt.InEdge
	same   *opt.Invariants
	// testsFirst means that the exit is from the header, which is executed once more than the rest.
	testsFirst bool
	inside     func(*kernel.Block) bool
	cells      []cell
}

// cell is a location: the accesses at one address.
type cell struct {
	address *kernel.Value
	uses    []*kernel.Value // loads and stores
	store   *kernel.Value   // executed in every iteration
}

// find returns a loop with locations to promote, an inner one before its outer ones, or nil.
func (p *promotion) find() *loop {
	g := p.f.Graph()
	loops := cfg.Cycles(g)
	if len(loops.Cycles) == 0 {
		return nil
	}
	dom := cfg.Dominators(g)
	in := opt.InEdges(p.f)
	for _, c := range slices.Backward(loops.Cycles) {
		if !c.Reducible() || len(c.Latches) != 1 {
			continue
		}
		l := &loop{promotion: p, header: p.f.Blocks[c.Header], same: opt.NewInvariants(loops, c)}
		l.inside = func(b *kernel.Block) bool { return loops.Contains(c, b.ID) }
		latch := c.Latches[0]
		if !l.edges(c, in) || l.exit.From != l.header && l.exit.From.ID != latch {
			continue
		}
		l.testsFirst = l.exit.From == l.header && l.header.ID != latch
		if l.testsFirst && !l.testable() {
			continue
		}
		if l.collect(c, func(v *kernel.Value) bool { return dom.Dominates(v.Block.ID, latch) }) {
			return l
		}
	}
	return nil
}

// edges finds the edge that enters the loop and its only exit.
func (l *loop) edges(c *cfg.Cycle, in [][]opt.InEdge) bool {
	exits := 0
	for _, id := range c.Blocks {
		b := l.f.Blocks[id]
		for n, e := range b.Edges {
			if !l.inside(e.To) {
				l.exit = opt.InEdge{From: b, N: n}
				exits++
			}
		}
	}
	enter := 0
	for _, e := range in[c.Header] {
		if !l.inside(e.From) {
			l.enter = e
			enter++
		}
	}
	return exits == 1 && enter == 1 && l.exit.From.Kind == kernel.Branch
}

// testable reports whether the test in the header can be made before the loop.
func (l *loop) testable() bool {
	ok := l.atEntry(l.header.Cond)
	for _, a := range l.exit.Edge().Args {
		ok = ok && l.atEntry(a)
	}
	return ok
}

// atEntry reports whether the value of v in the first execution of the header can be computed before it.
func (l *loop) atEntry(v *kernel.Value) bool {
	switch {
	case v.Block == nil, !l.inside(v.Block):
		return true
	case v.Block != l.header:
		return false
	case v.Op == kernel.Param:
		return true
	}
	return kernel.InfoOf(v.Op).Effect == kernel.Pure && !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !l.atEntry(a) })
}

// collect finds the locations and reports whether there are any. always reports whether an access is
// executed in every iteration.
func (l *loop) collect(c *cfg.Cycle, always func(*kernel.Value) bool) bool {
	var accesses []*kernel.Value
	for _, id := range c.Blocks {
		for _, v := range l.f.Blocks[id].Values {
			switch {
			case v.Op == kernel.Load && !v.Volatile, v.Op == kernel.Store && !v.Volatile:
				accesses = append(accesses, v)
			case kernel.InfoOf(v.Op).Effect != kernel.Pure:
				return false
			}
		}
	}
	tried := map[*kernel.Value]bool{}
	for _, s := range accesses {
		at := s.Args[0]
		if s.Op != kernel.Store || tried[at] || !always(s) {
			continue
		}
		tried[at] = true
		if x := (cell{address: at, store: s}); l.same.Has(at) && l.only(&x, accesses) {
			l.cells = append(l.cells, x)
		}
	}
	return len(l.cells) > 0
}

// only adds the uses of x and reports whether it is loaded and no other access may overlap it.
func (l *loop) only(x *cell, accesses []*kernel.Value) bool {
	loaded := false
	for _, v := range accesses {
		if v.Args[0] == x.address {
			if v.Accessed() != x.store.Accessed() || v.Count != x.store.Count || v.Block == l.header && l.testsFirst {
				return false
			}
			loaded = loaded || v.Op == kernel.Load
			x.uses = append(x.uses, v)
		} else if l.mayOverlap(v, x.store) {
			return false
		}
	}
	return loaded
}

// mayOverlap reports whether accesses of a work-item may overlap.
func (l *loop) mayOverlap(a, b *kernel.Value) bool {
	x, y := placeOf(a.Args[0]), placeOf(b.Args[0])
	if x.base == y.base {
		return x.at < y.at+size(b) && y.at < x.at+size(a)
	}
	s, t := a.Args[0].Type, b.Args[0].Type
	if s != t {
		return s == alu.PtrGeneric || t == alu.PtrGeneric
	}
	return x.object == nil || y.object == nil || x.object == y.object || !l.distinct(x.object, y.object)
}

// size returns the number of bytes of an access.
func size(v *kernel.Value) int64 { return int64(v.Accessed().Size() * v.Count) }

// distinct reports whether two objects do not overlap.
func (l *loop) distinct(a, b *kernel.Value) bool {
	if a.Op != kernel.Argument || b.Op != kernel.Argument {
		return a.Op != b.Op || a.Op == kernel.Alloca || a.Op == kernel.LocalAddr && a.Index != b.Index
	}
	x, y := l.f.Args[a.Index], l.f.Args[b.Index]
	if x.Kind == kernel.ArgLocal && y.Kind == kernel.ArgLocal {
		return a.Index != b.Index
	}
	return a.Index != b.Index && slices.Contains(l.disjoint, int64(x.Offset)) && slices.Contains(l.disjoint, int64(y.Offset))
}

// place is an address: at bytes after base, in an object.
type place struct {
	base   *kernel.Value
	at     int64
	object *kernel.Value // an Alloca, Argument, LocalAddr or DataAddr; nil: unknown
}

func placeOf(p *kernel.Value) place {
	out := place{}
	for p.Op == kernel.PtrAdd && p.Args[1].Op == kernel.Const {
		out.at += int64(p.Args[1].Const)
		p = p.Args[0]
	}
	out.base = p
	for p.Op == kernel.PtrAdd {
		p = p.Args[0]
	}
	switch p.Op {
	case kernel.Alloca, kernel.Argument, kernel.LocalAddr, kernel.DataAddr:
		out.object = p
	}
	return out
}

// promote moves the locations of the loop to private variables, which it returns. They are loaded before
// the loop and stored after it.
func (l *loop) promote() (variables []*kernel.Value) {
	f, blocks := l.f, len(l.f.Blocks)
	load, store := f.NewBlock("load"), f.NewBlock("store")
	load.Pos, store.Pos = l.header.Pos, l.header.Pos
	enter := l.enter.Edge()
	load.Jump(l.header, enter.Args...)
	before := []*kernel.Block{load}
	if l.testsFirst {
		test := f.NewBlock("test")
		test.Pos = l.header.Pos
		l.testBefore(test, load, enter.Args)
		before = []*kernel.Block{test, load}
	}
	*enter = kernel.Edge{To: before[0], Rare: enter.Rare}
	leave := l.exit.Edge()
	for _, a := range leave.Args {
		store.NewParam(a.Type, a.Name)
	}
	store.Jump(leave.To, slices.Clone(store.Params)...)
	store.Edges[0].Rare = leave.Rare
	leave.To = store
	for _, x := range l.cells {
		variables = append(variables, l.move(x, load, store))
	}
	f.Blocks = f.Blocks[:blocks]
	f.Blocks = slices.Insert(f.Blocks, l.header.ID, before...)
	f.Blocks = slices.Insert(f.Blocks, slices.Index(f.Blocks, l.exit.From)+1, store)
	f.Renumber()
	return variables
}

// testBefore ends b with the test of the header for the first iteration.
func (l *loop) testBefore(b, load *kernel.Block, first []*kernel.Value) {
	made := map[*kernel.Value]*kernel.Value{}
	var now func(v *kernel.Value) *kernel.Value
	now = func(v *kernel.Value) *kernel.Value {
		switch {
		case v.Block == nil, !l.inside(v.Block):
			return v
		case v.Op == kernel.Param:
			return first[v.Index]
		case made[v] == nil:
			args := make([]*kernel.Value, len(v.Args))
			for i, a := range v.Args {
				args[i] = now(a)
			}
			made[v] = b.AppendLike(v, args...)
		}
		return made[v]
	}
	leave := *l.exit.Edge()
	past := kernel.Edge{To: leave.To, Rare: leave.Rare}
	for _, a := range leave.Args {
		past.Args = append(past.Args, now(a))
	}
	edges := [2]kernel.Edge{{To: load}, {To: load}}
	edges[l.exit.N] = past
	b.Branch(now(l.header.Cond), edges[0], edges[1])
}

// move replaces the location x by a private variable in the loop, which it returns.
func (l *loop) move(x cell, load, store *kernel.Block) *kernel.Value {
	t, n := x.store.Accessed(), x.store.Count
	entry := l.f.Blocks[0]
	variable := entry.NewValue(kernel.Alloca, alu.PtrPrivate)
	variable.Size, variable.Align, variable.Pos, variable.Name = t.Size()*n, max(t.Size(), x.store.Align), x.store.Pos, x.address.Name
	entry.Values = slices.Insert(entry.Values, 0, variable)
	at := l.same.CopyTo(load, x.address)
	// copied appends to b a copy of the location from one address to another.
	copied := func(b *kernel.Block, to, from *kernel.Value) {
		v := b.Append(kernel.Load, t, from)
		v.Count, v.Align, v.Pos = n, x.store.Align, x.store.Pos
		s := b.NewLike(x.store, to)
		for i := range n {
			part := v
			if n > 1 {
				part = b.Append(kernel.Component, t, v)
				part.Index, part.Pos = i, x.store.Pos
			}
			s.Args = append(s.Args, part)
		}
		b.Values = append(b.Values, s)
	}
	copied(load, variable, at)
	copied(store, at, variable)
	for _, v := range x.uses {
		v.Args[0] = variable
	}
	return variable
}
