// Package kernel defines the kernel IR: the scalar SSA form of one work-item, with block
// parameters in place of φs. A kernel is one Func; helper functions have been inlined
// into it.
//
// The package is independent of the number of lanes that run in parallel: it contains no
// vectors, masks or targets. Analyses keep their results in tables indexed by Value.ID
// and Block.ID, outside the IR.
package kernel

import (
	"encoding/binary"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/clprintf"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/internal/grouped"
	"github.com/simtc/simtc/internal/ssa"
)

// Op and Type are those of package alu; the operations of the kernel IR alone are listed in
// ops.go.
type (
	Op   = alu.Op
	Type = alu.Type
)

// Module is the translation of one source file.
type Module struct {
	Funcs    []*Func
	Data     []*Data
	Warnings []*diag.Error // about the source
}

// Data is program data: __constant arrays and string literals, or all variables of the program.
type Data struct {
	Name  string
	Align int // bytes, a power of two
	Bytes []byte
	// Addresses are stored in Bytes, which is zero there; ordered by position, disjoint.
	Addresses []DataAddress

	// Variables marks the program's variables, whose initial values are Bytes. A program has
	// at most one such Data. Kernels receive it in an argument of kind ArgVariables; launches
	// preserve it.
	Variables bool
	// Pointers are the offsets in Variables that hold pointers, ascending.
	Pointers []int
}

// Func is one kernel.
type Func struct {
	Name   string
	Args   []Arg
	Blocks []*Block // Blocks[0] is the entry; Blocks[i].ID == i after Renumber
	Data   []*Data  // the data of the module, indexed by DataAddr's Index
	Locals []Local  // objects in local memory, indexed by LocalAddr's Index
	// Formats are the printf formats that records refer to (see Printf...).
	Formats []clprintf.Format
	Pos     diag.Pos

	// Prepared reports that the scalar passes have run: a kernel read back from its text is
	// the same.
	Prepared bool

	// Reassociate allows sums and products of floats to be computed in another order.
	Reassociate bool

	// ReqdWorkGroupSize is the attribute's value, zero when absent.
	ReqdWorkGroupSize [3]int

	// LaneDim is the number in the source of dimension 0, which is exchanged with it: see
	// Exchanged. It is not part of the text form.
	LaneDim int

	// Joined is the size of work-groups whose rows are joined into one, or 0: see the function Joined.
	// It is not part of the text form.
	Joined [3]int

	// NonUniform allows smaller work-groups than ReqdWorkGroupSize at the end of a
	// dimension.
	NonUniform bool

	// ReqdSubGroupSize is the required number of work-items of a sub-group, 0 if there is
	// none.
	ReqdSubGroupSize int

	// Hints are the attributes of the source that only queries return, as they are written:
	// "vec_type_hint(float4)". Like positions, they are not part of the text form.
	Hints []string

	// Requests are those of the source for the vectorization of loops.
	Requests []LoopRequest

	// Barriers are the source positions of the barriers that the kernel was split at; the
	// index is the number of the following phase, less one.
	Barriers []diag.Pos

	// Kept are the private objects that hold values across barriers. Like positions, they are
	// not part of the text form.
	Kept []Kept

	// Notes are the results of passes that a remark should mention.
	Notes []Note

	values []*Value // by ID; nil if removed
	room   []Value  // storage for new values
	consts map[constKey]*Value
}

// Kept is a private object made for a value of the source.
type Kept struct {
	Object   *Value     // its Alloca
	Pos      diag.Pos   // where the value is computed; may be unknown
	Barriers []diag.Pos // across which it is kept; none: the object records which work-items have returned
}

// KeptIn returns the row of f.Kept for the object that p points into, nil if there is none.
func (f *Func) KeptIn(p *Value) *Kept {
	for p.Op == PtrAdd {
		p = p.Args[0]
	}
	for i := range f.Kept {
		if f.Kept[i].Object == p {
			return &f.Kept[i]
		}
	}
	return nil
}

// Local is an object in local memory: one for each work-group.
type Local struct {
	Name   string
	Size   int // bytes
	Align  int // bytes, a power of two
	Offset int // in the group's local memory
}

// MaxLocal bounds the local memory of a work-group in bytes.
const MaxLocal = 64 << 20

// MaxPrivate bounds the private memory of a work-item in bytes.
const MaxPrivate = 64 << 20

// LayoutLocals sets every Offset, in order.
func (f *Func) LayoutLocals() {
	at := 0
	for i := range f.Locals {
		l := &f.Locals[i]
		at = (at + l.Align - 1) &^ (l.Align - 1)
		l.Offset = at
		at += l.Size
	}
}

// LocalSize returns the size of all Locals in bytes. The local memory of arguments follows.
func (f *Func) LocalSize() int {
	n := 0
	for _, l := range f.Locals {
		n = max(n, l.Offset+l.Size)
	}
	return n
}

// ByGroup reports whether a kernel depends on its work-group, so that it has to run group by
// group.
func (f *Func) ByGroup() bool {
	return f.Uses(GroupState, Barrier, LocalID, GroupID, LocalSize, LocalAddr) || f.SubGroups() ||
		slices.ContainsFunc(f.Args, func(a Arg) bool { return a.Kind == ArgLocal })
}

// InAnyOrder reports whether the order of work-items is unobservable, unless they access the same
// memory.
func (f *Func) InAnyOrder() bool {
	isVolatile := func(b *Block) bool {
		return slices.ContainsFunc(b.Values, func(v *Value) bool { return v.Volatile })
	}
	return f.PrintfArg() < 0 && !f.Uses(Atomic, CmpXchg, Fence) && !slices.ContainsFunc(f.Blocks, isVolatile)
}

// Buffers lists the offsets of the arguments that point to buffers.
func (f *Func) Buffers() []int64 {
	var out []int64
	for _, a := range f.Args {
		if a.Kind == ArgBuffer || a.Kind == ArgVariables || a.Kind == ArgReport {
			out = append(out, int64(a.Offset))
		}
	}
	return out
}

// Unaliased lists the offsets of the buffers that do not overlap one another, unless nothing writes
// them, even if launches do not check that: those of restrict pointers and of constant memory.
func (f *Func) Unaliased() []int64 {
	var out []int64
	for _, a := range f.Args {
		if a.Kind == ArgBuffer && (a.Restrict || a.Type == alu.PtrConstant) {
			out = append(out, int64(a.Offset))
		}
	}
	return out
}

// SubGroups reports whether the results of f depend on the number of lanes.
func (f *Func) SubGroups() bool { return f.Uses(Lane, Lanes, SpanRows, Ballot, Shuffle) }

// Uses reports whether an operation of f is one of ops.
func (f *Func) Uses(ops ...Op) bool {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if slices.Contains(ops, v.Op) {
				return true
			}
		}
	}
	return false
}

// Note is the result of a pass at a source position.
type Note struct {
	Pos  diag.Pos
	Kind string // a kind of package remarks: "unrolled", "melded"
	Text string
}

// Note records the result of a pass.
func (f *Func) Note(pos diag.Pos, kind, text string) {
	f.Notes = append(f.Notes, Note{pos, kind, text})
}

// ArgKind is how a launch passes an argument.
type ArgKind uint8

const (
	ArgScalar    ArgKind = iota // one value, or a vector of Count components
	ArgBuffer                   // a pointer to __global or __constant memory
	ArgLocal                    // a pointer to __local memory; a launch gives its size
	ArgBytes                    // a struct or union by value, Size bytes
	ArgImage                    // a pointer to launch.Image's representation of an image; Elem is the image's type
	ArgVariables                // a pointer to the program's variables (Data.Variables); the launch provides it
	ArgPrintf                   // a pointer to the buffer for printf records; the launch provides it, not its caller
	ArgReport                   // a pointer to the report of package boundscheck, likewise; it is the last
)

// Arg is one parameter of a kernel. A launch lays out the arguments in one block of memory; Offset is
// the argument's offset in it, in bytes.
type Arg struct {
	Name  string
	CType string // its spelling in OpenCL C, for messages: "__global float4*"
	// Declared is the type as declared if it names a typedef, without qualifiers: "vec*". Like
	// positions, it is not part of the text form.
	Declared string
	Kind     ArgKind
	Type     Type   // ArgScalar with Count 1: its IR type; pointers: the pointer type
	Elem     string // scalar type name of the value or the pointee: "uint"; "" for structs and void
	Count    int    // vector components of the value or the pointee, 1 for scalars
	Size     int    // bytes in the argument block
	Align    int
	Offset   int

	Pointee int // size in bytes of a struct, union or array that a pointer points to, 0 if Elem names the type

	ReadOnly bool // pointee is const or __constant
	Restrict bool // memory written through the pointer is accessed only through it
}

// The buffer of an ArgPrintf. Its header is three words of 64 bits. Records follow, each a multiple
// of 8 bytes long: the number of its format plus one, the linear id of the work-item in the range,
// and the arguments, with sizes by clprintf.Arg.Size, followed by the strings of
// clprintf.Format.Extra. A work-item allocates space by adding to the first word; a record that does
// not fit is only counted.
const (
	PrintfUsed   = 0  // bytes requested, including the header
	PrintfRoom   = 8  // bytes available
	PrintfLost   = 16 // number of records that did not fit
	PrintfHeader = 24
	PrintfRecord = 16 // bytes before the arguments of a record
)

// PrintfArg returns the index of the argument of kind ArgPrintf, or -1.
func (f *Func) PrintfArg() int {
	return slices.IndexFunc(f.Args, func(a Arg) bool { return a.Kind == ArgPrintf })
}

// VariablesArg returns the index of the argument of kind ArgVariables, or -1. Only arguments of the
// kinds ArgPrintf and ArgReport follow it.
func (f *Func) VariablesArg() int {
	return slices.IndexFunc(f.Args, func(a Arg) bool { return a.Kind == ArgVariables })
}

// ParamCount is the number of arguments that the source declares, which come first.
func (f *Func) ParamCount() int {
	if i := slices.IndexFunc(f.Args, func(a Arg) bool { return a.Kind >= ArgVariables }); i >= 0 {
		return i
	}
	return len(f.Args)
}

// VariablesIn returns the address of the program's variables in an argument block of f, 0 if f does
// not use them.
func (f *Func) VariablesIn(block []byte) uint64 {
	if i := f.VariablesArg(); i >= 0 && f.Args[i].Offset+AddressSize <= len(block) {
		return binary.LittleEndian.Uint64(block[f.Args[i].Offset:])
	}
	return 0
}

// UsesVariables reports whether f can access the program's variables.
func (f *Func) UsesVariables() bool {
	arg := f.VariablesArg()
	if arg < 0 {
		return false
	}
	held := slices.ContainsFunc(f.Data, func(d *Data) bool {
		return !d.Variables && slices.ContainsFunc(d.Addresses, func(a DataAddress) bool { return f.Data[a.Data].Variables })
	})
	if held && f.Uses(DataAddr) {
		return true
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == Argument && v.Index == arg {
				return true
			}
		}
	}
	return false
}

// ArgBlockSize returns the size of the argument block in bytes.
func (f *Func) ArgBlockSize() int {
	n := 0
	for _, a := range f.Args {
		n = max(n, a.Offset+a.Size)
	}
	return n
}

// ExtentOffset returns the offset in the argument block of the size in bytes of argument i's
// memory: after the arguments, one word of 64 bits each. Launches provide it; other callers need
// not.
func (f *Func) ExtentOffset(i int) int { return (f.ArgBlockSize()+7)&^7 + 8*i }

// LayoutArgs sets every Offset, in order, naturally aligned.
func (f *Func) LayoutArgs() {
	at := 0
	for i := range f.Args {
		a := &f.Args[i]
		at = (at + a.Align - 1) &^ (a.Align - 1)
		a.Offset = at
		at += a.Size
	}
}

// Value is an operation's result, a block parameter or a constant. The meaning of the attributes after
// Args depends on Op; see the ops table.
type Value struct {
	ID    int // dense in the Func
	Op    Op
	Type  Type
	Args  []*Value
	Block *Block // nil for constants, which are interned and belong to no block

	Const    uint64 // Const: the bits, zero-extended
	Index    int    // Component: which one; work-item queries: the dimension; Arg, ArgAddr, DataAddr, LocalAddr: which; Param: position; Atomic: the alu.RMW; PtrAdd: see Size; Alloca: the Loop whose iterations bound its lifetime, 0 if there is none
	Count    int    // Load, Store: components accessed, at least 1; Alloca: the bytes of Size that are padding around the object
	Size     int    // Alloca: bytes; PtrAdd: the range that contains all accesses through the result, at Index from the first operand; 0: unknown
	Align    int    // Alloca, Load, Store: bytes known to divide the address
	Volatile bool   // Load, Store
	Shared   bool   // Alloca: all lanes have one copy. They are iterations of one work-item; the address is used for accesses, and differences of it for tests
	Name     string // a hint for readers, from the source variable; may be empty
	Pos      diag.Pos

	// Members are the named parts of an Alloca, in order, or the variables that an Argument points
	// to; nil if the object has no parts. They are used in messages only; like positions, they
	// are not part of the text form.
	Members []Member

	// Was describes v's source expression if several operations replaced it or if its variables
	// have other names in the source; else nil. It is used in messages only; like positions, it
	// is not part of the text form.
	Was *Replacement
}

// Member is a part of a private object, at offset At in bytes.
type Member struct {
	At      int
	Name    string // suffix to the name of the object: ".x"
	Element bool   // an element of an array, named like the array
}

// PartName is the name of the part of v, an Alloca, at an offset in bytes.
func (v *Value) PartName(at int) string {
	if m := v.member(at); m != nil && v.Name != "" {
		return v.Name + m.Name
	}
	return v.Name
}

func (v *Value) member(at int) *Member {
	if i, ok := slices.BinarySearchFunc(v.Members, at, func(m Member, at int) int { return m.At - at }); ok {
		return &v.Members[i]
	}
	return nil
}

// RMW is the operation of an Atomic.
func (v *Value) RMW() alu.RMW { return alu.RMW(v.Index) }

// Accessed is the component type that v, a Load or Store, accesses; for other operations the type of
// the result.
func (v *Value) Accessed() Type {
	if v.Op == Store {
		return v.Args[1].Type
	}
	return v.Type
}

// TermKind is the kind of a terminator.
type TermKind uint8

const (
	NoTerm TermKind = iota // under construction
	Jump                   // Edges[0]
	Branch                 // Cond (i1): Edges[0] when true, else Edges[1]
	Switch                 // Cond (integer): Edges[i+1] if it equals Cases[i], else Edges[0]
	Return
)

// Block is a basic block.
type Block struct {
	ID     int
	Name   string // a hint for readers; may be empty
	Params []*Value
	Values []*Value // in order, without Params
	Kind   TermKind
	Cond   *Value
	Cases  []uint64
	Edges  []Edge
	Pos    diag.Pos // of the terminator
	At     diag.Pos // of the source loop or label that begins here, invalid if there is none
	Func   *Func

	// Unroll is the unroll count of the loop with this header: 0 leaves it to the compiler, 1
	// forbids unrolling, UnrollFull requests complete unrolling.
	Unroll int

	// ByLanes means that lanes run the block with different values, in a kernel whose lanes are
	// iterations. It is not part of the text.
	ByLanes bool

	// Loop is the number of the source loop with this header, 0 if there is none. Objects
	// declared in a loop live for one iteration.
	Loop int
}

// LoopRequest requires or forbids that iterations of the loops whose headers are at At run as lanes.
type LoopRequest struct {
	At        diag.Pos
	Forbidden bool
}

// Request returns the request for the loop with header b, nil if there is none.
func (f *Func) Request(b *Block) *LoopRequest {
	for i := range f.Requests {
		if b.At.IsValid() && f.Requests[i].At == b.At {
			return &f.Requests[i]
		}
	}
	return nil
}

// Requires reports whether iterations of a loop must run as lanes.
func (f *Func) Requires() bool {
	return slices.ContainsFunc(f.Requests, func(r LoopRequest) bool { return !r.Forbidden })
}

// UnrollFull requests complete unrolling.
const UnrollFull = 1 << 30

// Edge passes control to To with Args for its Params.
type Edge = ssa.Edge[*Block, *Value]

// Const returns the interned constant of type t with the given bits.
func (f *Func) Const(t Type, bits uint64) *Value {
	k := constKey{t, bits & t.Mask()}
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

type constKey struct {
	typ  Type
	bits uint64
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

// Value returns the value with an ID; a clone has the same IDs as the original.
func (f *Func) Value(id int) *Value { return f.values[id] }

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

// Append appends an operation to b and returns its value; the caller sets attributes on
// the result.
func (b *Block) Append(op Op, t Type, args ...*Value) *Value {
	v := b.Func.newValue(op, t, args)
	v.Block = b
	b.Values = append(b.Values, v)
	return v
}

// NewValue makes an operation that belongs to b without appending it to b.Values; a pass that
// rebuilds the list inserts it.
func (b *Block) NewValue(op Op, t Type, args ...*Value) *Value {
	v := b.Func.newValue(op, t, args)
	v.Block = b
	return v
}

// NewLike is NewValue for the operation of v, with its attributes and new operands.
func (b *Block) NewLike(v *Value, args ...*Value) *Value {
	x := b.NewValue(v.Op, v.Type, args...)
	x.Index, x.Count, x.Size, x.Align, x.Volatile = v.Index, v.Count, v.Size, v.Align, v.Volatile
	x.Name, x.Pos, x.Was = v.Name, v.Pos, v.Was
	return x
}

// AppendLike is Append for the operation of v, with its attributes and new operands.
func (b *Block) AppendLike(v *Value, args ...*Value) *Value {
	x := b.NewLike(v, args...)
	b.Values = append(b.Values, x)
	return x
}

// Jump ends b with a jump.
func (b *Block) Jump(to *Block, args ...*Value) {
	b.Kind, b.Cond, b.Cases, b.Edges = Jump, nil, nil, []Edge{{To: to, Args: args}}
}

// Branch ends b with a conditional branch.
func (b *Block) Branch(cond *Value, t, f Edge) {
	b.Kind, b.Cond, b.Cases, b.Edges = Branch, cond, nil, []Edge{t, f}
}

// Return ends b.
func (b *Block) Return() { b.Kind, b.Cond, b.Cases, b.Edges = Return, nil, nil, nil }

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

// Renumber makes block IDs equal to positions in Blocks and value IDs dense: a block's parameters,
// then its operations, block by block, then constants in the order of their old IDs. Passes that
// remove values or blocks call it last.
func (f *Func) Renumber() {
	old := f.values
	f.values = make([]*Value, 0, len(old))
	used := make([]bool, len(old)) // constants, by their old IDs
	use := func(vs []*Value) {
		for _, v := range vs {
			if v.Op == Const {
				used[v.ID] = true
			}
		}
	}
	for i, b := range f.Blocks {
		b.ID = i
		for j, p := range b.Params {
			p.Index, p.ID = j, len(f.values)
			f.values = append(f.values, p)
		}
		for _, v := range b.Values {
			v.Block, v.ID = b, len(f.values)
			f.values = append(f.values, v)
			use(v.Args)
		}
		if b.Cond != nil && b.Cond.Op == Const {
			used[b.Cond.ID] = true
		}
		for _, e := range b.Edges {
			use(e.Args)
		}
	}
	for _, v := range old {
		if v == nil || v.Op != Const {
			continue
		}
		if used[v.ID] {
			v.ID = len(f.values)
			f.values = append(f.values, v)
		} else {
			delete(f.consts, constKey{v.Type, v.Const})
		}
	}
}
