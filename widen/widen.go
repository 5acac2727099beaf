// Package widen translates operations of one work-item to operations of W lanes, for both
// linearizers. The lanes are W work-items, or iterations of one work-item's loops. A
// uniform or strided value stays a scalar (the value in lane 0); a varying one becomes a
// vector; a memory access becomes scalar, contiguous or a gather, depending on the shape
// of its address.
//
// The package is independent of linearization: the linearizers decide the order of blocks
// and their masks.
package widen

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/vir"
)

// Widener translates one kernel at one width.
type Widener struct {
	K    *kernel.Func
	Info *divergence.Info
	W    int
	F    *vir.Func
	SSA  *vir.Variables

	Report Report // written by the linearizer

	vars       []int // kernel value ID -> its first variable, -1 none yet
	frame      frame
	fields     map[int64]*vir.Value // context fields loaded in the entry block
	entry      *vir.Block
	ctx        *vir.Value
	strip      *vir.Value    // scalar i64: work-items of the row before this strip
	group      *vir.Value    // scalar i64: groups of the run before this one
	groupStart *vir.Value    // scalar i64: global id along dimension 0 where it begins
	row        [3]*vir.Value // scalar i64: local ids along dimensions 1 and 2 in a group
	rowFrame   *vir.Value    // scalar i64: private memory of the row's first strip, if each strip has its own
	stripMask  *vir.Value    // the lanes of this strip that are in the range

	block *vir.Block // where operations are appended
	made  map[vecKey]*vir.Value
	at    *kernel.Value // the value being translated: gives new operations their position
	idle  bool          // the mask of that value may be empty
	err   error         // the first error

	counting bool // Count adds code
}

type vecKey struct {
	id   int
	elem alu.Type
}

// Options configures a translation.
type Options struct {
	Width int // lanes
	// Iterations: all lanes are one work-item, whose iterations run in them.
	Iterations bool
	// Count adds code that counts executions of blocks and their active lanes, in counters
	// that the launch provides (vir.ProfileSlot).
	Count bool
}

// New starts the vir function of k: an entry block that loads fields of the launch context.
// Prologue continues.
func New(k *kernel.Func, info *divergence.Info, opt Options) *Widener {
	width := opt.Width
	f := &vir.Func{Name: k.Name, Width: width, Pos: k.Pos}
	w := &Widener{
		K: k, Info: info, W: width, F: f, SSA: vir.NewVariables(f),
		counting: opt.Count, vars: make([]int, k.NumValues()),
		fields: map[int64]*vir.Value{},
	}
	for i := range w.vars {
		w.vars[i] = -1
	}
	w.frame = layoutFrame(k, info, width)
	w.Report.Private = w.frame.objects(k)
	f.Scratch, f.Local = w.frame.size, k.LocalSize()
	if width == 1 {
		for _, p := range w.Report.Private {
			f.Objects = append(f.Objects, vir.Object{At: int64(w.frame.offset[p.Object.ID]), Bytes: int64(p.Object.Size)})
		}
	}
	f.Phases = k.Uses(kernel.GroupState)
	f.Groups, f.LaneDim = k.ByGroup(), k.LaneDim
	if f.Iterations = opt.Iterations; f.Iterations {
		f.Groups = false // the kernel has lane numbers, and no work-groups
	}
	w.entry = f.NewBlock("entry")
	w.SSA.Seal(w.entry)
	w.ctx = w.entry.Append(vir.Context, vir.Scalar(alu.I64))
	return w
}

// BlockOf makes a block for kb.
func (w *Widener) BlockOf(kb *kernel.Block) *vir.Block {
	b := w.F.NewBlock(kb.Name)
	b.At = kb.At
	return b
}

// SetBlock selects the block where operations are appended.
func (w *Widener) SetBlock(b *vir.Block) {
	w.block = b
	w.made = map[vecKey]*vir.Value{}
}

// Block returns the block where operations are appended.
func (w *Widener) Block() *vir.Block { return w.block }

func (w *Widener) append(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
	v := w.block.Append(op, t, args...)
	if w.at != nil {
		v.Pos, v.Origin = w.at.Pos, w.at.ID+1
	}
	return v
}

// fail records an error and returns a value so that translation can continue.
func (w *Widener) fail(t vir.Type, format string, args ...any) *vir.Value {
	if w.err == nil {
		w.err = fmt.Errorf("widen: kernel %s: %w", w.K.Name, fmt.Errorf(format, args...))
	}
	return w.F.Const(t, 0)
}

// Err returns the first error of the translation, nil if there was none.
func (w *Widener) Err() error { return w.err }

// True is the mask of all lanes.
func (w *Widener) True() *vir.Value { return w.F.Const(vir.Mask(w.W), 1) }

// False is the empty mask.
func (w *Widener) False() *vir.Value { return w.F.Const(vir.Mask(w.W), 0) }

// field loads a field of the launch context, once, in the entry block.
func (w *Widener) field(offset int64) *vir.Value {
	v := w.fields[offset]
	if v == nil {
		v = w.entry.Append(vir.Load, vir.Scalar(alu.I64), w.ctx)
		v.Disp, v.Align, v.Invariant = offset, 8, true
		w.fields[offset] = v
	}
	return v
}

// scalarForm reports whether v is kept as the scalar of lane 0.
func (w *Widener) scalarForm(v *kernel.Value) bool {
	return w.W == 1 || w.Info.Shape(v).IsStrided()
}

// elem maps pointers to i64.
func elem(t kernel.Type) alu.Type {
	if t.IsPtr() {
		return alu.I64
	}
	return t
}

// TypeOf returns the vir type in which v is kept.
func (w *Widener) TypeOf(v *kernel.Value) vir.Type {
	if w.scalarForm(v) {
		return vir.Scalar(elem(v.Type))
	}
	return vir.Vec(elem(v.Type), w.W)
}

// Var returns the variable that holds component i of v across blocks.
func (w *Widener) Var(v *kernel.Value, i int) int {
	if w.vars[v.ID] < 0 {
		n := max(v.Count, 1)
		if v.Type == alu.Void {
			n = 0
		}
		for j := range n {
			x := w.SSA.Declare(w.TypeOf(v), v.Name)
			if j == 0 {
				w.vars[v.ID] = x
			}
		}
	}
	return w.vars[v.ID] + i
}

// Value returns v in the form it is kept in: lane 0's scalar or a vector.
func (w *Widener) Value(v *kernel.Value) *vir.Value {
	if v.Op == kernel.Const {
		return w.F.Const(vir.Scalar(elem(v.Type)), v.Const)
	}
	if v.Op == kernel.Component {
		return w.SSA.Read(w.block, w.Var(v.Args[0], v.Index))
	}
	return w.SSA.Read(w.block, w.Var(v, 0))
}

// Scalar returns lane 0's value of a uniform or strided v.
func (w *Widener) Scalar(v *kernel.Value) *vir.Value {
	if !w.scalarForm(v) {
		return w.fail(vir.Scalar(elem(v.Type)), "varying %s has no scalar", kernel.Ref(v))
	}
	return w.Value(v)
}

// Vec returns v in all lanes, as a vector, or for an i1 as a mask. At width 1
// both are scalars.
func (w *Widener) Vec(v *kernel.Value) *vir.Value {
	if w.W == 1 || !w.scalarForm(v) {
		return w.Value(v)
	}
	t := vir.Vec(elem(v.Type), w.W)
	if v.Op == kernel.Const {
		return w.F.Const(t, v.Const)
	}
	key := vecKey{v.ID, t.Elem}
	if x := w.made[key]; x != nil {
		return x
	}
	x := w.spread(w.Scalar(v), w.Info.Shape(v).Stride)
	w.made[key] = x
	return x
}

// spread makes the vector base + lane*stride.
func (w *Widener) spread(base *vir.Value, stride int64) *vir.Value {
	t := vir.Vec(base.Type.Elem, w.W)
	var x *vir.Value
	if base.Op == vir.Const {
		x = w.F.Const(t, base.Const)
	} else {
		x = w.append(vir.Splat, t, base)
	}
	if stride == 0 {
		return x
	}
	steps := w.append(vir.Iota, t)
	if stride != 1 {
		steps = w.append(alu.Mul, t, steps, w.F.Const(t, uint64(stride)))
	}
	return w.append(alu.Add, t, x, steps)
}

// pieces makes the vector of a piecewise value from lane 0's. Passes over vir recognize pieces by
// their distances from lane 0, which are constants (memory.Pieces).
func (w *Widener) pieces(base *vir.Value, s divergence.Shape) *vir.Value {
	t := vir.Vec(base.Type.Elem, w.W)
	x := w.append(vir.Splat, t, base)
	lanes := w.append(vir.Iota, t)
	for _, part := range []struct {
		op   vir.Op
		by   uint64
		step int64
	}{{alu.And, uint64(s.Piece - 1), s.Stride}, {alu.LShr, uint64(bits.TrailingZeros64(uint64(s.Piece))), s.Step}} {
		if part.step == 0 {
			continue
		}
		steps := w.append(part.op, t, lanes, w.F.Const(t, part.by))
		if part.step != 1 {
			steps = w.append(alu.Mul, t, steps, w.F.Const(t, uint64(part.step)))
		}
		x = w.append(alu.Add, t, x, steps)
	}
	return x
}

// inFormOf returns a in the form of v. The analysis may find v varying though a is not: joins
// do not record that two values are equal.
func (w *Widener) inFormOf(v, a *kernel.Value) *vir.Value {
	if w.scalarForm(v) {
		return w.Scalar(a)
	}
	return w.Vec(a)
}

// Define sets the current definition of v to x, which must have the type TypeOf(v).
func (w *Widener) Define(v *kernel.Value, x *vir.Value) {
	if t := w.TypeOf(v); x.Type != t {
		x = w.fail(t, "%s of type %s is defined as %s", kernel.Ref(v), t, x.Type)
	}
	if x.Name == "" && x.Op != vir.Const {
		x.Name = v.Name
	}
	w.SSA.Write(w.block, w.Var(v, 0), x)
}

// Emit translates one operation under mask, which is not empty.
func (w *Widener) Emit(v *kernel.Value, mask *vir.Value) {
	w.at = v
	defer func() { w.at = nil }()
	switch {
	case v.Op.Pure():
		w.pure(v)
	case v.Op == kernel.Load:
		w.load(v, mask)
	case v.Op == kernel.Store:
		w.store(v, mask)
	case v.Op == kernel.Atomic, v.Op == kernel.CmpXchg:
		w.atomic(v, mask)
	case v.Op == kernel.Fence:
		w.append(vir.Fence, vir.Type{})
	case v.Op == kernel.Ballot:
		w.ballot(v, mask)
	case v.Op == kernel.Shuffle:
		w.shuffle(v, mask)
	case v.Op == kernel.AllLanes:
		w.allLanes(v, mask)
	case v.Op == kernel.FewLanes:
		w.fewLanes(v, mask)
	case v.Op == kernel.ActiveLane:
		w.activeLane(v, mask)
	case v.Op == kernel.FirstLane:
		w.Define(v, w.inFormOf(v, v.Args[0])) // the scalar of lane 0, where there is one
	case v.Op == kernel.Component:
		// An alias: Value reads the load's variable.
	case v.Op == kernel.PtrAdd:
		w.arith(v, alu.Add)
	case v.Op == kernel.InLocal, v.Op == kernel.InPrivate:
		w.inSpace(v)
	default:
		w.Define(v, w.query(v))
	}
}

// EmitIdle is Emit under a mask that may be empty: loads that Elsewhere accepts then use another
// address.
func (w *Widener) EmitIdle(v *kernel.Value, mask *vir.Value) {
	w.idle = true
	w.Emit(v, mask)
	w.idle = false
}

func (w *Widener) pure(v *kernel.Value) {
	if v.Op == alu.Bitcast && v.Args[0].Type != v.Type {
		switch {
		case v.Args[0].Type == alu.PtrPrivate && v.Type == alu.PtrGeneric:
			w.betweenSpaces(v, alu.Add)
			return
		case v.Args[0].Type == alu.PtrGeneric && v.Type == alu.PtrPrivate:
			w.betweenSpaces(v, alu.Sub)
			return
		}
	}
	if v.Op == alu.Bitcast && elem(v.Type) == elem(v.Args[0].Type) {
		w.Define(v, w.inFormOf(v, v.Args[0])) // between pointers and i64
		return
	}
	w.arith(v, v.Op)
}

// arith applies a pure operation to lane 0's values, or to vectors.
func (w *Widener) arith(v *kernel.Value, op vir.Op) {
	args := make([]*vir.Value, len(v.Args))
	if s := w.Info.Shape(v); s.Kind == divergence.Piecewise && !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !w.scalarForm(a) }) {
		for i, a := range v.Args {
			args[i] = w.Scalar(a)
		}
		w.Define(v, w.pieces(w.append(op, vir.Scalar(elem(v.Type)), args...), s))
		return
	}
	for i, a := range v.Args {
		args[i] = w.inFormOf(v, a)
	}
	w.Define(v, w.append(op, w.TypeOf(v), args...))
}

// query translates a work-item function or an address that the launch provides.
func (w *Widener) query(v *kernel.Value) *vir.Value {
	i64 := vir.Scalar(alu.I64)
	dim := int64(8 * v.Index)
	switch v.Op {
	case kernel.Argument:
		args := w.field(vir.CtxArgs)
		x := w.entry.Append(vir.Load, vir.Scalar(elem(v.Type)), args)
		a := w.K.Args[v.Index]
		x.Disp, x.Align, x.Invariant, x.Name = int64(a.Offset), v.Type.Size(), true, a.Name
		if a.Kind == kernel.ArgLocal { // its place in the group's local memory
			return w.append(alu.Add, i64, w.field(vir.CtxLocal), x)
		}
		return x
	case kernel.ArgAddr:
		return w.append(alu.Add, i64, w.field(vir.CtxArgs), w.F.Const(i64, uint64(w.K.Args[v.Index].Offset)))
	case kernel.DataAddr:
		x := w.append(vir.Load, i64, w.field(vir.CtxData))
		x.Disp, x.Align, x.Invariant = dim, 8, true
		return x
	case kernel.Alloca:
		return w.F.Const(i64, uint64(w.frame.offset[v.ID]))
	case kernel.LocalAddr:
		return w.append(alu.Add, i64, w.field(vir.CtxLocal), w.const64(int64(w.K.Locals[v.Index].Offset)))
	case kernel.GroupState:
		return w.append(alu.Add, i64, w.ctx, w.const64(vir.CtxState))
	case kernel.GlobalID:
		switch {
		case v.Index == 0 && w.group != nil:
			return w.append(alu.Add, i64, w.groupStart, w.strip)
		case v.Index == 0:
			return w.append(alu.Add, i64, w.field(vir.CtxStart), w.strip)
		case w.row[v.Index] != nil:
			return w.append(alu.Add, i64, w.field(vir.CtxStart+dim), w.row[v.Index])
		default:
			return w.field(vir.CtxStart + dim)
		}
	case kernel.LocalID:
		switch { // the code runs whole groups
		case v.Index == 0:
			return w.strip
		default:
			return w.row[v.Index]
		}
	case kernel.GroupID:
		if v.Index == 0 { // the code runs whole groups
			return w.append(alu.Add, i64, w.field(vir.CtxGroup), w.group)
		}
		return w.field(vir.CtxGroup + dim)
	case kernel.GlobalSize:
		return w.field(vir.CtxGlobalSize + dim)
	case kernel.LocalSize:
		return w.field(vir.CtxLocalSize + dim)
	case kernel.NumGroups:
		return w.field(vir.CtxNumGroups + dim)
	case kernel.GlobalOffset:
		return w.field(vir.CtxGlobalOffset + dim)
	case kernel.WorkDim:
		return w.field(vir.CtxWorkDim)
	case kernel.Lane: // of lane 0
		return w.F.Const(vir.Scalar(alu.I32), 0)
	case kernel.Lanes:
		return w.F.Const(vir.Scalar(alu.I32), uint64(w.W))
	case kernel.SpanRows: // kernel.Joined has replaced it where they do
		return w.F.Const(vir.Scalar(alu.I1), 0)
	}
	return w.fail(i64, "no rule for %s", kernel.InfoOf(v.Op).Name)
}

// Cond returns the terminator's condition: a scalar i1 if the branch is uniform, else a mask.
func (w *Widener) Cond(b *kernel.Block) *vir.Value { return w.Value(b.Cond) }

// CondMask returns the terminator's condition as a mask.
func (w *Widener) CondMask(b *kernel.Block) *vir.Value {
	if w.W > 1 && w.scalarForm(b.Cond) {
		if b.Cond.Op == kernel.Const {
			return w.F.Const(vir.Mask(w.W), b.Cond.Const)
		}
		return w.append(vir.Splat, vir.Mask(w.W), w.Scalar(b.Cond))
	}
	return w.Value(b.Cond)
}

// Arguments returns the arguments of e, in the form of the target's parameters.
func (w *Widener) Arguments(e kernel.Edge) []*vir.Value {
	values := make([]*vir.Value, len(e.Args))
	for j, p := range e.To.Params {
		values[j] = w.inFormOf(p, e.Args[j])
	}
	return values
}

// Any computes whether mask has an active lane; at width 1 that is the mask itself.
func (w *Widener) Any(mask *vir.Value) *vir.Value {
	if w.W == 1 {
		return mask
	}
	return w.append(vir.Any, vir.Scalar(alu.I1), mask)
}

// All computes whether mask has every lane.
func (w *Widener) All(mask *vir.Value) *vir.Value {
	if w.W == 1 {
		return mask
	}
	return w.append(vir.All, vir.Scalar(alu.I1), mask)
}

// IsAt returns the mask of lanes whose block IP is at.
func (w *Widener) IsAt(ip *vir.Value, at uint64) *vir.Value {
	return w.append(alu.Eq, vir.Mask(w.W), ip, w.F.Const(ip.Type, at))
}

// And and AndNot combine masks and fold constants.
func (w *Widener) And(a, b *vir.Value) *vir.Value {
	switch {
	case a == w.True() || b == w.False():
		return b
	case b == w.True() || a == w.False() || a == b:
		return a
	}
	return w.append(alu.And, a.Type, a, b)
}

// AndNot returns the lanes of a that are not in b.
func (w *Widener) AndNot(a, b *vir.Value) *vir.Value {
	if b == w.False() || a == w.False() {
		return a
	}
	return w.And(a, w.append(alu.Xor, b.Type, b, w.F.Const(b.Type, 1)))
}

// Or returns the lanes of both masks.
func (w *Widener) Or(a, b *vir.Value) *vir.Value {
	switch {
	case a == w.False() || b == w.True() || a == b:
		return b
	case b == w.False() || a == w.True():
		return a
	}
	return w.append(alu.Or, a.Type, a, b)
}

// Blend returns new in the lanes of mask and old elsewhere.
func (w *Widener) Blend(mask, new, old *vir.Value) *vir.Value {
	if mask == w.True() || new == old {
		return new
	}
	return w.append(alu.Select, new.Type, mask, new, old)
}
