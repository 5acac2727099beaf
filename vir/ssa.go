package vir

import "github.com/simtc/simtc/internal/sparse"

// Variables builds SSA for variables that are written and read in any block
// while the graph is being made (Braun et al., "Simple and Efficient
// Construction of Static Single Assignment Form", CC 2013). A block whose
// predecessors are all known is sealed; reads in unsealed blocks make
// parameters that are completed at sealing.
//
// A variable that is read where it was never written is zero: such a value
// belongs to lanes that nobody asks for.
type Variables struct {
	f          *Func
	types      []Type
	names      []string
	defs       []sparse.Map[Value] // variable -> block ID -> value at the block's end
	preds      [][]*Block
	sealed     []bool
	incomplete []map[int]*Value // unsealed blocks: variable -> parameter
	owner      map[*Value]int   // parameters made here -> their variable
}

// NewVariables returns a builder for f.
func NewVariables(f *Func) *Variables {
	return &Variables{f: f, owner: map[*Value]int{}}
}

// Declare makes a variable; name is a hint for readers.
func (s *Variables) Declare(t Type, name string) int {
	s.types = append(s.types, t)
	s.names = append(s.names, name)
	s.defs = append(s.defs, sparse.Map[Value]{})
	return len(s.types) - 1
}

// Type returns the type variable x was declared with.
func (s *Variables) Type(x int) Type { return s.types[x] }

func (s *Variables) grow(id int) {
	for len(s.preds) <= id {
		s.preds = append(s.preds, nil)
		s.sealed = append(s.sealed, false)
		s.incomplete = append(s.incomplete, nil)
	}
}

// Write sets variable x at the end of b as far as b is built.
func (s *Variables) Write(b *Block, x int, v *Value) {
	s.defs[x].Set(b.ID, v)
}

// Connect records an edge from -> to. It is called once for every edge, before
// to is sealed; the terminator itself is the caller's.
func (s *Variables) Connect(from, to *Block) {
	s.grow(max(from.ID, to.ID))
	s.preds[to.ID] = append(s.preds[to.ID], from)
}

// Read returns the value of x at the end of b as far as b is built.
func (s *Variables) Read(b *Block, x int) *Value {
	s.grow(b.ID)
	if v := s.defs[x].Get(b.ID); v != nil {
		return s.known(b, x, v)
	}
	// A chain of blocks with one predecessor each can be long: walk it, and note
	// the value all along, so that nobody walks there again.
	at := b
	for s.sealed[at.ID] && len(s.preds[at.ID]) == 1 {
		at = s.preds[at.ID][0]
		if v := s.defs[x].Get(at.ID); v != nil {
			return s.note(b, at, x, s.known(at, x, v))
		}
	}
	var v *Value
	switch {
	case !s.sealed[at.ID]:
		v = s.param(at, x)
		if s.incomplete[at.ID] == nil {
			s.incomplete[at.ID] = map[int]*Value{}
		}
		s.incomplete[at.ID][x] = v
	case len(s.preds[at.ID]) == 0:
		v = s.f.Const(s.types[x], 0)
	default:
		v = s.merge(at, x)
	}
	s.Write(at, x, v)
	return s.note(b, at, x, v)
}

// note writes v as the value of x from b up the chain of predecessors to at, and
// returns it.
func (s *Variables) note(b, at *Block, x int, v *Value) *Value {
	for ; b != at; b = s.preds[b.ID][0] {
		s.Write(b, x, v)
	}
	return v
}

// asked stands for the value of a variable at a block of several predecessors
// that are being asked for it.
var asked = &Value{}

// merge returns the value of x at the head of b, which is sealed and has several
// predecessors. It is a parameter only where they differ, or where the value of
// one is the very value asked for, by way of a cycle.
func (s *Variables) merge(b *Block, x int) *Value {
	s.Write(b, x, asked)
	var one *Value
	differ := false
	for _, p := range s.preds[b.ID] {
		v := s.Read(p, x)
		differ = differ || one != nil && v != one
		one = v
	}
	switch v := s.defs[x].Get(b.ID); {
	case v != asked:
		return v // the parameter that a cycle needed
	case differ:
		return s.param(b, x)
	}
	return one
}

// known returns v, the value of x at b as noted; if it is being asked for, a
// cycle has led back to b, whose parameter it then is.
func (s *Variables) known(b *Block, x int, v *Value) *Value {
	if v == asked {
		v = s.param(b, x)
		s.Write(b, x, v)
	}
	return v
}

func (s *Variables) param(b *Block, x int) *Value {
	v := b.NewParam(s.types[x], s.names[x])
	s.owner[v] = x
	return v
}

// complete reads x in every predecessor so that Finish can pass it.
func (s *Variables) complete(b *Block, x int) {
	for _, p := range s.preds[b.ID] {
		s.Read(p, x)
	}
}

// Seal says that every edge to b is connected.
func (s *Variables) Seal(b *Block) {
	s.grow(b.ID)
	if s.sealed[b.ID] {
		return
	}
	s.sealed[b.ID] = true
	for _, v := range append([]*Value(nil), b.Params...) {
		if x, ok := s.owner[v]; ok && s.incomplete[b.ID][x] == v {
			s.complete(b, x)
		}
	}
	s.incomplete[b.ID] = nil
}

// Finish gives every edge the arguments for the parameters made here. All
// blocks must be sealed and end; RemoveTrivialParams cleans up after it.
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
