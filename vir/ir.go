// Package vir defines the masked vector IR: SSA with block parameters and uniform control
// flow. Both linearizers produce it and both targets consume it.
//
// A value is a scalar, a vector of W lanes or a mask of W lanes. Pure operations are
// never masked; memory operations take a mask. One Func runs CtxCount work-items along
// dimension 0, Items of them at a time.
//
// The package is independent of linearization and of the encoding of any target.
package vir

import (
	"fmt"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/internal/grouped"
	"github.com/simtc/simtc/internal/ssa"
)

// Op is that of package alu; the operations specific to vir are in ops.go.
type Op = alu.Op

// Type is Lanes lanes of type Elem. One lane is a scalar; I1 in several lanes is a mask.
// Pointers are I64.
type Type struct {
	Elem alu.Type
	// MaskBits is the number of bits of a lane of a mask that is kept in a vector, where all
	// of them are equal. It is 0 for other types, and in functions without VectorMasks.
	MaskBits uint8
	Lanes    int
}

// Scalar, Vec and Mask make types.
func Scalar(e alu.Type) Type        { return Type{Elem: e, Lanes: 1} }
func Vec(e alu.Type, w int) Type    { return Type{Elem: e, Lanes: w} }
func Mask(w int) Type               { return Type{Elem: alu.I1, Lanes: w} }
func VectorMask(bits, w int) Type   { return Type{Elem: alu.I1, Lanes: w, MaskBits: uint8(bits)} }
func (t Type) IsScalar() bool       { return t.Lanes == 1 }
func (t Type) IsMask() bool         { return t.Elem == alu.I1 && t.Lanes > 1 }
func (t Type) IsVec() bool          { return t.Elem != alu.I1 && t.Lanes > 1 }
func (t Type) With(e alu.Type) Type { return Type{Elem: e, Lanes: t.Lanes} }

// Part returns the type of n lanes of a value of type t.
func (t Type) Part(n int) Type {
	if n == 1 {
		t.MaskBits = 0
	}
	t.Lanes = n
	return t
}

// LaneBits returns the size of a lane in bits.
func (t Type) LaneBits() int {
	if t.MaskBits > 0 {
		return int(t.MaskBits)
	}
	return t.Elem.Bits()
}

// Bits returns the size of the whole value in bits.
func (t Type) Bits() int { return t.LaneBits() * t.Lanes }

// String formats a scalar as "i32", a vector as "i32x16", a mask as "i1x16", and a mask kept in
// a vector with 32 bits per lane as "m32x16".
func (t Type) String() string {
	switch {
	case t.Lanes == 1:
		return t.Elem.String()
	case t.MaskBits > 0:
		return fmt.Sprintf("m%dx%d", t.MaskBits, t.Lanes)
	}
	return fmt.Sprintf("%sx%d", t.Elem, t.Lanes)
}

// Func is a vectorized kernel.
type Func struct {
	Name   string
	Width  int // lanes: work-items that run together, but see Iterations
	Blocks []*Block

	// Scratch is the number of bytes at CtxScratch that the code uses for the private
	// memory of all Width lanes. With Phases it is the size for each strip of the group.
	Scratch int
	// Local is the number of bytes at CtxLocal that belong to the kernel. Local memory of
	// arguments follows.
	Local int
	// Iterations reports that the lanes are iterations of loops of one work-item: a strip is
	// one work-item, not Width.
	Iterations bool
	// Groups reports that a run consists of whole work-groups, CtxGroups along dimension
	// 0 of the size in CtxLocalSize; otherwise it is a row of work-items.
	Groups bool
	// Defers reports that a run consists of chunks: after its strips, each chunk runs
	// strips of the work-items that they deferred.
	Defers bool
	// LaneDim is the dimension along which the lanes lie. Dimension 0 of the function and of
	// its Context is this one, and the reverse.
	LaneDim int
	// Phases reports that a group runs in several phases, whose state is in the Context.
	Phases bool
	// VectorMasks reports that masks are kept in vectors, whose types have MaskBits: the lanes
	// of the masks that comparisons make, and that select and access lanes, have the size of
	// those of their operands. Package legalize introduces them.
	VectorMasks bool
	// Objects are the disjoint objects of private memory, in functions of one lane.
	Objects []Object
	// NoAlias lists the offsets, in the argument block, of pointers to objects that do not
	// overlap each other.
	NoAlias []int64
	Pos     diag.Pos

	values []*Value
	room   []Value // backing array for new values
	consts map[constKey]*Value
}

// Object is an object of private memory: its offset from the start of that memory, and
// its size.
type Object struct{ At, Bytes int64 }

// MaskType returns the type of the result of comparisons of type t in f.
func (f *Func) MaskType(t Type) Type {
	if f.VectorMasks && t.Lanes > 1 {
		return VectorMask(t.LaneBits(), t.Lanes)
	}
	return t.With(alu.I1)
}

// Items returns the number of work-items of a strip.
func (f *Func) Items() int {
	if f.Iterations {
		return 1
	}
	return f.Width
}

// Value is the result of an operation, a block parameter or a constant. Op determines
// which attributes are used; see the table in ops.go.
type Value struct {
	ID    int
	Op    Op
	Type  Type
	Args  []*Value
	Block *Block // nil for constants, which are interned and belong to no block

	Const uint64 // Const: the bits of every lane
	Index int    // Iota, Prefix: number of lane 0; Part, Extract, Insert: the index; Param: position; Atomic, VAtomic: the alu.RMW
	Disp  int64  // memory operations: bytes added to the address
	Scale int    // operations with an index: bytes per index unit: 1, 2, 4 or 8
	Align int    // memory operations: known alignment in bytes of every lane's address; 0 unknown
	Lanes []int  // Shuffle: for each result lane, the lane in the concatenation of the two operands

	// Invariant marks a Load from memory that nothing writes during a launch and whose
	// address is always valid, so it may be moved and merged freely.
	Invariant bool
	Volatile  bool
	// Readable marks a VLoad for which the memory of all lanes can be read, whatever its mask. It may
	// then load all lanes at once; its result does not change, inactive lanes are zero.
	Readable bool
	// Object is the offset of the object of private memory that an access refers to, as
	// in Func.Objects; 0 if unknown.
	Object int64
	// Local marks an atomic access, a VStore or a Scatter to memory that no other thread
	// accesses.
	Local bool
	Name  string // a name for readers; may be empty
	Pos   diag.Pos
	// Origin is the number, from 1, of the kernel value that this one was made for; 0 if
	// unknown. Like positions, it is for diagnostics only and not part of the text form.
	Origin int
}

// RMW returns the read-modify-write operation of an Atomic or VAtomic.
func (v *Value) RMW() alu.RMW { return alu.RMW(v.Index) }

// TermKind is the kind of a block's terminator.
type TermKind uint8

const (
	NoTerm TermKind = iota // under construction
	Jump                   // Edges[0]
	Branch                 // Cond (scalar i1): Edges[0] when true, else Edges[1]
	Return
)

// Block is a basic block; all running lanes execute it together.
type Block struct {
	ID     int
	Name   string
	Params []*Value
	Values []*Value
	Kind   TermKind
	Cond   *Value
	Edges  []Edge
	Pos    diag.Pos // of the terminator
	At     diag.Pos // of the source loop or label that begins here; invalid if there is none
	Over   Over
	Func   *Func
}

// Over is the iteration space of a loop that the compiler added; its header has it. Like
// positions, it is for diagnostics only and not part of the text form.
type Over uint8

const (
	OverNothing Over = iota
	OverStrips       // Width work-items at a time
	OverRows         // units that contain strips: rows, groups, phases, numbers of work-items
	OverLanes        // the lanes of one operation
)

// Edge passes control to To, with Args for its Params.
type Edge = ssa.Edge[*Block, *Value]

type constKey struct {
	typ  Type
	bits uint64
}

// Const returns the interned constant with bits in every lane of t.
func (f *Func) Const(t Type, bits uint64) *Value {
	k := constKey{t, bits & t.Elem.Mask()}
	if v := f.consts[k]; v != nil {
		return v
	}
	if f.consts == nil {
		f.consts = map[constKey]*Value{}
	}
	v := f.newValue(Const, t, nil)
	v.Const = k.bits
	f.consts[k] = v
	return v
}

func (f *Func) newValue(op Op, t Type, args []*Value) *Value {
	if len(f.room) == 0 {
		f.room = make([]Value, min(max(len(f.values)/4, 8), 128))
	}
	v := &f.room[0]
	f.room = f.room[1:]
	v.ID, v.Op, v.Type, v.Args = len(f.values), op, t, args
	f.values = append(f.values, v)
	return v
}

// NumValues returns one more than the largest value ID.
func (f *Func) NumValues() int { return len(f.values) }

// NewBlock appends an empty block.
func (f *Func) NewBlock(name string) *Block {
	b := &Block{ID: len(f.Blocks), Name: name, Func: f}
	f.Blocks = append(f.Blocks, b)
	return b
}

// NewParam appends a parameter to b. The caller must add an argument to every edge to b.
func (b *Block) NewParam(t Type, name string) *Value {
	v := b.Func.newValue(Param, t, nil)
	v.Block, v.Index, v.Name = b, len(b.Params), name
	b.Params = append(b.Params, v)
	return v
}

// Append appends an operation to b; the caller sets attributes on the result.
func (b *Block) Append(op Op, t Type, args ...*Value) *Value {
	v := b.NewValue(op, t, args...)
	b.Values = append(b.Values, v)
	return v
}

// NewValue makes an operation of b without adding it to b.Values. A pass that rebuilds
// the list adds it.
func (b *Block) NewValue(op Op, t Type, args ...*Value) *Value {
	v := b.Func.newValue(op, t, args)
	v.Block = b
	return v
}

// Jump ends b with a jump.
func (b *Block) Jump(to *Block, args ...*Value) {
	b.Kind, b.Cond, b.Edges = Jump, nil, []Edge{{To: to, Args: args}}
}

// Branch ends b with a conditional branch on a scalar i1.
func (b *Block) Branch(cond *Value, t, f Edge) {
	b.Kind, b.Cond, b.Edges = Branch, cond, []Edge{t, f}
}

// Return ends b.
func (b *Block) Return() { b.Kind, b.Cond, b.Edges = Return, nil, nil }

// Graph returns the control-flow graph by block ID.
func (f *Func) Graph() *cfg.Graph {
	return cfg.NewGraph(grouped.Lists(len(f.Blocks), func(add func(int, int)) {
		for i, b := range f.Blocks {
			for _, e := range b.Edges {
				add(i, e.To.ID)
			}
		}
	}))
}

// Renumber makes block IDs match positions in Blocks and value IDs dense, and removes
// unused constants. Passes that remove blocks or values end with it.
func (f *Func) Renumber() {
	old := f.values
	f.values = make([]*Value, 0, len(old))
	number := func(v *Value) {
		v.ID = len(f.values)
		f.values = append(f.values, v)
	}
	used := make([]bool, len(old)) // constants, by their old IDs
	use := func(vs []*Value) {
		for _, v := range vs {
			if v.Op == Const && v.ID < len(used) {
				used[v.ID] = true
			}
		}
	}
	for i, b := range f.Blocks {
		b.ID = i
		for j, p := range b.Params {
			p.Index = j
			number(p)
		}
		for _, v := range b.Values {
			v.Block = b
			number(v)
			use(v.Args)
		}
		if b.Cond != nil && b.Cond.Op == Const && b.Cond.ID < len(used) {
			used[b.Cond.ID] = true
		}
		for _, e := range b.Edges {
			use(e.Args)
		}
	}
	for i, v := range old {
		if v.Op != Const {
			continue
		}
		if used[i] {
			number(v)
		} else {
			delete(f.consts, constKey{v.Type, v.Const})
		}
	}
}
