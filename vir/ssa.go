package vir

import (
	"slices"

	"github.com/simtc/simtc/internal/sparse"
)

// Variables constructs SSA form for variables that are written and read in any block
// while the graph is being built (Braun et al., "Simple and Efficient Construction of
// Static Single Assignment Form", CC 2013). A block whose predecessors are all known is
// sealed; reads in unsealed blocks make parameters that are completed when the block is
// sealed.
//
// A variable that is read before any write is zero: such a value belongs to lanes whose
// results are unused.
type Variables struct {
	f          *Func
	types      []Type
	names      []string
	defs       []sparse.Map[Value] // variable -> block ID -> value at the block's end
	blocks     []*Block            // by ID
	preds      [][]*Block
	sealed     []bool
	incomplete []map[int]*Value // unsealed blocks: variable -> parameter
	owner      map[*Value]int   // parameters made by Variables -> their variable

	writers [][]int // variable -> blocks that write it; at most fewWriters + 1 are recorded
	dom     dominance
}

// NewVariables returns a builder for f.
func NewVariables(f *Func) *Variables {
	return &Variables{f: f, owner: map[*Value]int{}}
}

// Declare makes a variable; name is for readers.
func (s *Variables) Declare(t Type, name string) int {
	s.types = append(s.types, t)
	s.names = append(s.names, name)
	s.defs = append(s.defs, sparse.Map[Value]{})
	s.writers = append(s.writers, nil)
	return len(s.types) - 1
}

// Type returns the type variable x was declared with.
func (s *Variables) Type(x int) Type { return s.types[x] }

// grow makes room for b.
func (s *Variables) grow(b *Block) {
	for len(s.blocks) <= b.ID {
		s.blocks = append(s.blocks, nil)
		s.preds = append(s.preds, nil)
		s.sealed = append(s.sealed, false)
		s.incomplete = append(s.incomplete, nil)
	}
	s.blocks[b.ID] = b
}

// Write sets variable x at the current end of b.
func (s *Variables) Write(b *Block, x int, v *Value) {
	s.keep(b, x, v)
	s.writes(b, x)
}

// writes records that b writes x.
func (s *Variables) writes(b *Block, x int) {
	if !slices.Contains(s.writers[x], b.ID) && len(s.writers[x]) <= fewWriters {
		s.writers[x] = append(s.writers[x], b.ID)
	}
}

// unwrite records that the parameter p of b for x, whose arguments are known, equals one value from
// before b: reads after b may look past it. Without this, a variable that is read in many loops
// would get a parameter in each.
func (s *Variables) unwrite(b *Block, x int, p *Value) {
	if len(s.writers[x]) > fewWriters || s.defs[x].Get(b.ID) != p {
		return // not all are recorded, or b also writes x
	}
	var one *Value
	for _, from := range s.preds[b.ID] {
		switch v := s.defs[x].Get(from.ID); {
		case v == p:
		case v == nil || v == pending || one != nil && v != one:
			return
		default:
			one = v
		}
	}
	s.writers[x] = slices.DeleteFunc(s.writers[x], func(w int) bool { return w == b.ID })
}

// keep records the value of x at the end of b.
func (s *Variables) keep(b *Block, x int, v *Value) { s.defs[x].Set(b.ID, v) }

// Connect records an edge from -> to. It must be called once for every edge, before to is
// sealed; the caller makes the terminator.
func (s *Variables) Connect(from, to *Block) {
	s.grow(from)
	s.grow(to)
	if s.sealed[to.ID] {
		panic("vir: an edge to a block that is sealed")
	}
	s.preds[to.ID] = append(s.preds[to.ID], from)
}

// Read returns the value of x at the current end of b.
func (s *Variables) Read(b *Block, x int) *Value {
	s.grow(b)
	if v := s.defs[x].Get(b.ID); v != nil {
		return s.known(b, x, v)
	}
	// A chain of blocks with one predecessor each can be long. Walk it iteratively, and
	// record the value in all its blocks to shorten later walks.
	var walked []*Block
	at, v := b, (*Value)(nil)
	for {
		if v = s.defs[x].Get(at.ID); v != nil {
			v = s.known(at, x, v)
			break
		}
		if from := s.source(at, x); from != at {
			at = from
		} else if walked = append(walked, at); s.sealed[at.ID] && len(s.preds[at.ID]) == 1 {
			at = s.preds[at.ID][0]
		} else {
			v = s.begin(at, x)
			break
		}
	}
	for _, b := range walked {
		s.keep(b, x, v)
	}
	return v
}

// begin returns the value of x at the head of b, which is unsealed or has several
// predecessors or none.
func (s *Variables) begin(b *Block, x int) *Value {
	switch {
	case !s.sealed[b.ID]:
		v := s.param(b, x)
		if s.incomplete[b.ID] == nil {
			s.incomplete[b.ID] = map[int]*Value{}
		}
		s.incomplete[b.ID][x] = v
		return v
	case len(s.preds[b.ID]) == 0:
		return s.f.Const(s.types[x], 0)
	}
	return s.merge(b, x)
}

// fewWriters bounds the number of blocks examined to find the definition of a value.
const fewWriters = 8

// source returns the last block that dominates b and at whose end x has the value it has
// at the end of b: the block writes x, or joins paths with different writes. Blocks in
// between do not need to record the value.
func (s *Variables) source(b *Block, x int) *Block {
	writers := s.writers[x]
	if len(writers) > fewWriters {
		return b
	}
	s.place(b)
	last := s.dom.nodes[b.ID].root
	for _, w := range writers {
		s.place(s.blocks[w])
		if at := s.dom.entry(w, b.ID); at != none && s.dom.dominates(last, at) {
			last = at
		}
	}
	return s.blocks[last]
}

// place enters b into the dominator trees. An unsealed block is the root of a tree, which
// becomes part of another tree when the block is sealed.
func (s *Variables) place(b *Block) {
	n := s.dom.node(b.ID)
	if !n.placed {
		s.dom.placeRoot(b.ID)
	}
	if n.settled || !s.sealed[b.ID] {
		return
	}
	n.settled = true
	idom := none
	for _, p := range s.preds[b.ID] {
		s.place(p)
		switch {
		case s.dom.dominates(b.ID, p.ID):
			continue
		case idom == none:
			idom = p.ID
		default:
			idom = s.dom.nearest(idom, p.ID)
		}
		if idom == none {
			return
		}
	}
	if idom != none {
		s.dom.join(b.ID, idom)
	}
}

// pending is a placeholder for the value of a variable at a block whose predecessors are
// being searched.
var pending = &Value{}

// merge returns the value of x at the head of b, which is sealed and has several
// predecessors. It is a parameter only if their values differ, or if the search reaches b
// again through a cycle.
func (s *Variables) merge(b *Block, x int) *Value {
	s.keep(b, x, pending)
	var one *Value
	differ := false
	for _, p := range s.preds[b.ID] {
		v := s.Read(p, x)
		s.keep(p, x, v) // its arguments are added by Finish
		differ = differ || one != nil && v != one
		one = v
	}
	switch v := s.defs[x].Get(b.ID); {
	case v != pending:
		s.unwrite(b, x, v)
		return v // the parameter made for a cycle
	case differ:
		return s.param(b, x)
	}
	return one
}

// known returns v, the recorded value of x at b. If v is the placeholder, a cycle has led
// back to b, and the result is a new parameter of b.
func (s *Variables) known(b *Block, x int, v *Value) *Value {
	if v == pending {
		v = s.param(b, x)
		s.keep(b, x, v)
	}
	return v
}

func (s *Variables) param(b *Block, x int) *Value {
	v := b.NewParam(s.types[x], s.names[x])
	s.owner[v] = x
	s.writes(b, x)
	return v
}

// complete reads x in every predecessor, so that Finish can pass it.
func (s *Variables) complete(b *Block, x int) {
	for _, p := range s.preds[b.ID] {
		s.keep(p, x, s.Read(p, x))
	}
}

// Seal declares that every edge to b is connected.
func (s *Variables) Seal(b *Block) {
	s.grow(b)
	if s.sealed[b.ID] {
		return
	}
	s.sealed[b.ID] = true
	s.place(b)
	for _, v := range append([]*Value(nil), b.Params...) {
		if x, ok := s.owner[v]; ok && s.incomplete[b.ID][x] == v {
			s.complete(b, x)
			s.unwrite(b, x, v)
		}
	}
	s.incomplete[b.ID] = nil
}

// SealAll declares that every edge of a complete function is connected, before variables are read.
// Dominators are found later: each block is placed after its predecessors.
func (s *Variables) SealAll() {
	for _, b := range s.f.Blocks {
		s.grow(b)
		s.sealed[b.ID] = true
	}
}

// Finish adds to every edge the arguments for the parameters made by Variables. All
// blocks must be sealed and terminated. RemoveTrivialParams removes redundant parameters
// afterwards.
func (s *Variables) Finish() {
	for _, b := range s.f.Blocks {
		for i := range b.Edges {
			e := &b.Edges[i]
			for _, p := range e.To.Params {
				if x, ok := s.owner[p]; ok {
					e.Args = append(e.Args, s.Read(b, x))
				}
			}
		}
	}
}
