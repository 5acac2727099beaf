// Package legalize rewrites vir for a target so that all values fit its registers and all
// operations are supported: wide vectors are split into parts, and missing operations are
// expanded to others.
//
// It uses only the Target descriptor and is independent of the names of targets.
package legalize

import (
	"fmt"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// Target describes registers and operations.
type Target struct {
	// Whole means that the target takes values of any size and all operations that are not
	// pure: only missing pure operations and permutations of several registers are expanded. Of the
	// fields below, only Has, SimpleShuffles and those of vector masks (VectorMasks, RegisterBits) are
	// used.
	Whole bool

	RegisterBits int // bits of a vector register, at least 128
	Lanes        int // maximum number of lanes of a mask, and so of any vector; at least 2
	// VectorMasks reports that masks are kept in vectors, see VectorMasks.
	VectorMasks bool
	// Has reports whether the target selects the pure operation op on type t (the type T
	// of its class, for conversions the source type; to is the result type). It is also
	// called for Splat of an i1, Prefix, Rank, Compress and Expand. Every target has the other lane
	// operations, and and, or and xor of masks.
	Has func(op vir.Op, t, to vir.Type) bool

	// HasImmediate reports whether the target selects the operation, which Has lacks, if its
	// last operand is a constant; nil means that it does not.
	HasImmediate func(op vir.Op, t vir.Type) bool

	// HasUniform reports whether the target selects the operation, which Has lacks, if its last
	// operand is a Splat; nil means that it does not.
	HasUniform func(op vir.Op, t vir.Type) bool

	// Masked returns how the target does contiguous accesses of type t with a mask that is not
	// constant; nil means Selected.
	Masked func(op vir.Op, t vir.Type) Masked

	// HasGather and HasScatter report whether the target selects these operations for the
	// given value and index types; nil means all.
	HasGather  func(value, index vir.Type) bool
	HasScatter func(value, index vir.Type) bool

	// HasShuffle reports whether the target selects a shuffle of two values of type t, or
	// of one value with itself; nil means all.
	HasShuffle func(t vir.Type, lanes []int, one bool) bool

	// SimpleShuffles is the maximum size of elements for which shuffles of two registers take more
	// than one instruction, except those of which networks consist.
	SimpleShuffles int

	// ShuffleLanes returns the maximum number of lanes of a shuffled vector with elements
	// of type t; nil means no limit.
	ShuffleLanes func(t alu.Type) int

	// HasAtomic reports whether the target has this scalar read-modify-write; used
	// reports whether its result is used; nil means all. Every target has
	// compare-exchange.
	HasAtomic func(k alu.RMW, t alu.Type, used bool) bool
}

// Masked is the form of masked contiguous accesses.
type Masked uint8

// Forms of masked accesses.
const (
	Selected Masked = iota // the target selects them
	Tested                 // it does, but a branch to an unmasked access if all lanes are active pays off
	Lanewise               // lane by lane, unless all lanes are active
	InPage                 // it selects loads of which all lanes are readable; a branch to one pays off where a page contains all lanes
)

// pageSize is a number of bytes, a power of two, such that aligned blocks of that size are readable as
// a whole: it divides the page sizes of processors.
const pageSize = 4096

// Func returns f in a form that the target supports. An error names an operation that the
// target lacks and that cannot be expanded.
//
// maintains: f
func Func(f *vir.Func, t Target) (*vir.Func, error) {
	if !t.Whole && (f.Width < 1 || f.Width&(f.Width-1) != 0 || t.RegisterBits < 128 || t.Lanes < 2) {
		return nil, fmt.Errorf("legalize: width %d does not fit registers of %d bits and %d lanes", f.Width, t.RegisterBits, t.Lanes)
	}
	if t.VectorMasks && !f.VectorMasks {
		f = VectorMasks(f, t.RegisterBits)
	}
	l := &legalizer{
		t: t, used: usedValues(f), extended: extendedLoads(f), parts: make([][]*vir.Value, f.NumValues()), blocks: make([]*vir.Block, len(f.Blocks)),
		out: &vir.Func{Name: f.Name, Width: f.Width, Scratch: f.Scratch, Local: f.Local, Groups: f.Groups, LaneDim: f.LaneDim, Phases: f.Phases, NoAlias: f.NoAlias, VectorMasks: f.VectorMasks, Pos: f.Pos},
	}
	if t.Whole {
		l.out.Iterations, l.out.Defers, l.out.Objects = f.Iterations, f.Defers, f.Objects
	}
	for i, b := range f.Blocks {
		l.blocks[i] = l.out.NewBlock(b.Name)
		l.blocks[i].Over, l.blocks[i].At = b.Over, b.At
		for _, p := range b.Params {
			for range l.count(p.Type) {
				l.parts[p.ID] = append(l.parts[p.ID], l.blocks[i].NewParam(l.part(p.Type), p.Name))
			}
		}
	}
	// Definitions come before uses only along dominance, not by block number.
	chains := make([][]*vir.Block, len(f.Blocks))
	for _, id := range f.Graph().ReversePostOrder() {
		first := len(l.out.Blocks)
		if err := l.block(f.Blocks[id]); err != nil {
			return nil, err
		}
		chains[id] = append([]*vir.Block{l.blocks[id]}, l.out.Blocks[first:]...)
	}
	// What a block was split into follows it.
	l.out.Blocks = nil
	for _, chain := range chains {
		l.out.Blocks = append(l.out.Blocks, chain...)
	}
	l.out.Renumber()
	return l.out, nil
}

// legalizer translates old values, those of the function it is given and those
// that expansions make, into parts: values of the new function that fit a
// register each.
type legalizer struct {
	out   *vir.Func
	t     Target
	parts [][]*vir.Value // by ID of the old value
	used  []bool         // by ID of the old function's value
	// extended has the type to which all users of a load extend it.
	extended map[*vir.Value]vir.Type
	blocks   []*vir.Block
	context  *vir.Value // of the new function, in its entry block; nil if it has none
	b        builder
	depth    int   // nesting of expansions
	err      error // the first error of an expansion
}

// part returns the type of one part of t.
func (l *legalizer) part(t vir.Type) vir.Type {
	if t.Lanes == 1 {
		return t
	}
	return t.Part(l.lanes(t))
}

// lanes returns the number of lanes of t in one register.
func (l *legalizer) lanes(t vir.Type) int {
	if l.t.Whole {
		return t.Lanes
	}
	n := min(t.Lanes, l.t.Lanes)
	switch {
	case t.Elem != alu.I1 || t.MaskBits > 0:
		n = min(n, l.t.RegisterBits/t.LaneBits())
	}
	return n
}

func (l *legalizer) count(t vir.Type) int { return t.Lanes / l.lanes(t) }

// of returns the parts of an old value.
func (l *legalizer) of(v *vir.Value) []*vir.Value {
	if v.Op == vir.Const {
		out := make([]*vir.Value, l.count(v.Type))
		for i := range out {
			out[i] = l.out.Const(l.part(v.Type), v.Const)
		}
		return out
	}
	return l.parts[v.ID]
}

// in returns v in parts of n lanes, by joining or splitting registers.
func (l *legalizer) in(v *vir.Value, n int) []*vir.Value {
	parts := l.of(v)
	if v.Type.Lanes == 1 {
		return parts
	}
	return l.b.regroup(parts, n)
}

func (l *legalizer) block(b *vir.Block) error {
	nb := l.blocks[b.ID]
	l.b = builder{}
	l.b.enter(nb)
	for _, v := range b.Values {
		l.b.pos = v
		parts, err := l.value(v)
		if err != nil {
			return fmt.Errorf("legalize: %s: %w", vir.FormatValue(v), err)
		}
		for _, p := range parts {
			if p.Name == "" && p.Op != vir.Const {
				p.Name = v.Name
			}
		}
		l.parts[v.ID] = parts
	}
	nb = l.b.block // expansions may have split it
	nb.Kind, nb.Pos = b.Kind, b.Pos
	if b.Cond != nil {
		nb.Cond = l.of(b.Cond)[0]
	}
	for _, e := range b.Edges {
		ne := vir.Edge{To: l.blocks[e.To.ID], Rare: e.Rare && l.t.Whole}
		for _, a := range e.Args {
			ne.Args = append(ne.Args, l.of(a)...)
		}
		nb.Edges = append(nb.Edges, ne)
	}
	return nil
}

func (l *legalizer) value(v *vir.Value) ([]*vir.Value, error) {
	if v.Op.Pure() {
		return l.pure(v)
	}
	if v.Op == vir.Compress || v.Op == vir.Expand {
		return l.rearrange(v), l.err
	}
	if l.t.Whole {
		if v.Op == vir.Shuffle {
			if n := min(l.t.RegisterBits/v.Type.Elem.Bits(), v.Args[0].Type.Lanes); n > 1 {
				if out := l.network(v, slices.Concat(l.in(v.Args[0], n), l.in(v.Args[1], n)), n); out != nil {
					return out, nil
				}
			}
		}
		return l.keep(v), nil
	}
	switch v.Op {
	case vir.Load, vir.Store, vir.VLoad, vir.VStore, vir.Gather, vir.Scatter:
		return l.memory(v)
	case vir.Atomic, vir.CmpXchg, vir.VAtomic, vir.VCmpXchg:
		return l.atomics(v), l.err
	case vir.Bits:
		var all *vir.Value
		at := 0
		for _, m := range l.of(v.Args[0]) {
			op := vir.Bits
			if m.Type.Lanes == 1 {
				op = alu.ZExt
			}
			x := l.b.op(op, v.Type, m)
			if all == nil {
				all = x
			} else {
				x = l.b.op(alu.Shl, v.Type, x, l.out.Const(v.Type, uint64(at)))
				all = l.b.op(alu.Or, v.Type, all, x)
			}
			at += m.Type.Lanes
		}
		return []*vir.Value{all}, nil
	case vir.Unbits:
		out := make([]*vir.Value, l.count(v.Type))
		t := l.part(v.Type)
		for i := range out {
			x := l.of(v.Args[0])[0]
			if i > 0 {
				x = l.b.op(alu.LShr, x.Type, x, l.out.Const(x.Type, uint64(i*t.Lanes)))
			}
			op := vir.Unbits
			if t.Lanes == 1 {
				op = alu.Trunc
			}
			out[i] = l.b.op(op, t, x)
		}
		return out, nil
	case vir.Rank:
		return l.rank(v), l.err
	case vir.Context:
		l.context = l.b.op(v.Op, v.Type)
		return []*vir.Value{l.context}, nil
	case vir.Fence:
		return []*vir.Value{l.b.op(v.Op, v.Type)}, nil
	case vir.Splat, vir.Iota, vir.Prefix:
		return l.spread(v), nil
	case vir.Any, vir.All:
		op := alu.Or
		if v.Op == vir.All {
			op = alu.And
		}
		all := l.reduce(op, l.of(v.Args[0]))
		if all.Type.Lanes > 1 {
			all = l.b.op(v.Op, v.Type, all)
		}
		return []*vir.Value{all}, nil
	case vir.Count:
		var sum *vir.Value
		for _, m := range l.of(v.Args[0]) {
			op := vir.Count
			if m.Type.Lanes == 1 {
				op = alu.ZExt
			}
			n := l.b.op(op, v.Type, m)
			if sum == nil {
				sum = n
			} else {
				sum = l.b.op(alu.Add, v.Type, sum, n)
			}
		}
		return []*vir.Value{sum}, nil
	case vir.Extract:
		n := l.lanes(v.Args[0].Type)
		if n == 1 {
			return l.of(v.Args[0])[v.Index : v.Index+1], nil
		}
		x := l.b.op(vir.Extract, v.Type, l.of(v.Args[0])[v.Index/n])
		x.Index = v.Index % n
		return []*vir.Value{x}, nil
	case vir.Insert:
		n := l.lanes(v.Type)
		parts := append([]*vir.Value(nil), l.of(v.Args[0])...)
		x := l.b.op(vir.Insert, l.part(v.Type), parts[v.Index/n], l.of(v.Args[1])[0])
		x.Index = v.Index % n
		parts[v.Index/n] = x
		return parts, nil
	case vir.First:
		return l.first(v), nil
	case vir.Part:
		n := min(v.Type.Lanes, l.lanes(v.Args[0].Type))
		all := l.in(v.Args[0], n)
		k := v.Type.Lanes / n
		return l.b.regroup(all[v.Index*k:v.Index*k+k], l.lanes(v.Type)), nil
	case vir.Concat:
		var all []*vir.Value
		for _, a := range v.Args {
			all = append(all, l.of(a)...)
		}
		return l.b.regroup(all, l.lanes(v.Type)), nil
	case vir.Shuffle:
		return l.shuffle(v), nil
	case vir.Resize:
		return l.resize(v), nil
	}
	return nil, fmt.Errorf("no rule")
}

// keep copies an operation with its attributes.
func (l *legalizer) keep(v *vir.Value) []*vir.Value {
	x := l.b.op(v.Op, v.Type)
	id, block, pos := x.ID, x.Block, x.Pos
	*x = *v
	x.ID, x.Block, x.Pos, x.Args = id, block, pos, nil
	for _, a := range v.Args {
		x.Args = append(x.Args, l.of(a)[0])
	}
	return []*vir.Value{x}
}

// spread splits Splat, Iota and Prefix.
func (l *legalizer) spread(v *vir.Value) []*vir.Value {
	t := l.part(v.Type)
	if v.Op == vir.Splat && t.Lanes == 1 {
		return slices.Repeat(l.of(v.Args[0]), l.count(v.Type))
	}
	if v.Op == vir.Prefix && !l.t.Has(vir.Prefix, vir.Scalar(alu.I64), t) {
		return l.of(l.prefix(v.Type, v.Args[0], v.Index))
	}
	if v.Op == vir.Splat && t.IsMask() && !l.t.Has(vir.Splat, vir.Scalar(alu.I1), t) {
		return l.of(l.splatMask(v.Type, v.Args[0]))
	}
	parts := make([]*vir.Value, l.count(v.Type))
	for i := range parts {
		if v.Op == vir.Splat && i > 0 {
			parts[i] = parts[0]
			continue
		}
		var args []*vir.Value
		for _, a := range v.Args {
			args = append(args, l.of(a)[0])
		}
		parts[i] = l.b.op(v.Op, t, args...)
		if v.Op != vir.Splat {
			parts[i].Index = v.Index + i*t.Lanes
		}
	}
	return parts
}

// pure splits an elementwise operation into parts for the narrowest of its registers and
// expands operations that the target lacks.
func (l *legalizer) pure(v *vir.Value) ([]*vir.Value, error) {
	operands := v.Args
	if v.Op == alu.Select && v.Type.Lanes > 1 && operands[0].Type.Lanes == 1 && !(l.t.Whole && l.t.Has(v.Op, v.Type, v.Type)) {
		mask := l.make(vir.Splat, l.maskOf(v.Type), operands[0])
		operands = []*vir.Value{mask, operands[1], operands[2]}
	}
	n := l.lanes(v.Type)
	for _, a := range operands {
		if !l.t.Whole { // else a condition may be a scalar
			n = min(n, l.lanes(a.Type))
		}
	}
	args := make([][]*vir.Value, len(operands))
	for i, a := range operands {
		args[i] = l.in(a, n)
	}
	t := v.Type.Part(n)
	out := make([]*vir.Value, v.Type.Lanes/n)
	for k := range out {
		xs := make([]*vir.Value, len(args))
		for i, a := range args {
			xs[i] = a[k]
		}
		if l.has(v.Op, t, xs...) {
			out[k] = l.b.op(v.Op, t, xs...)
			continue
		}
		x, err := l.expand(v.Op, t, xs)
		if err != nil {
			return nil, err
		}
		out[k] = x
	}
	return l.b.regroup(out, l.lanes(v.Type)), nil
}

// memory splits accesses; the parts of a gather are limited by the wider of index and
// value.
func (l *legalizer) memory(v *vir.Value) ([]*vir.Value, error) {
	value, data := v.Type, -1 // the type accessed, and the index of that operand
	switch v.Op {
	case vir.Store, vir.VStore:
		value, data = v.Args[1].Type, 1
	case vir.Scatter:
		value, data = v.Args[2].Type, 2
	}
	n := l.lanes(value)
	if v.Op == vir.Gather || v.Op == vir.Scatter {
		n = min(n, l.lanes(v.Args[1].Type))
	}
	if l.t.VectorMasks && value.Lanes > 1 {
		n = min(n, l.lanes(v.Args[len(v.Args)-1].Type))
	}
	if t, ok := l.extended[v]; ok && v.Op == vir.VLoad && v.Args[1].Op == vir.Const {
		n = min(n, l.lanes(t))
	}
	args := make([][]*vir.Value, len(v.Args))
	lanewise := false
	for i, a := range v.Args {
		args[i] = l.in(a, n)
	}
	var out []*vir.Value
	part := vir.Type{Elem: value.Elem, Lanes: n}
	switch {
	case v.Op == vir.Gather && l.t.HasGather != nil:
		lanewise = lanewise || !l.t.HasGather(part, args[1][0].Type)
	case v.Op == vir.Scatter && l.t.HasScatter != nil:
		lanewise = lanewise || !l.t.HasScatter(part, args[1][0].Type)
	}
	form := Selected
	if (v.Op == vir.VLoad || v.Op == vir.VStore) && l.t.Masked != nil && !lanewise {
		form = l.t.Masked(v.Op, part)
	}
	if form == InPage && !slices.ContainsFunc(args[1], func(m *vir.Value) bool { return m.Op == vir.Const }) {
		return l.b.regroup(l.pageLoad(v, part, args[0][0], args[1]), l.lanes(value)), nil
	}
	for k := range value.Lanes / n {
		var xs []*vir.Value
		for _, a := range args {
			xs = append(xs, a[k%len(a)])
		}
		if lanewise {
			if x := l.lanewise(v, part, k*n, xs); data < 0 {
				out = append(out, x)
			}
			continue
		}
		if m := xs[len(xs)-1]; form != Selected && m.Op != vir.Const {
			if x := l.testedAccess(v, part, k*n, xs, form); data < 0 {
				out = append(out, x)
			}
			continue
		}
		out = append(out, l.access(v, part, k*n, xs))
	}
	if data >= 0 || value.Lanes == 1 {
		return out, nil
	}
	return l.b.regroup(out, l.lanes(value)), nil
}

// extendedLoads finds the loads of vectors that are only extended, to one type. They are loaded in parts
// for the registers of the results, as extensions from memory are instructions.
func extendedLoads(f *vir.Func) map[*vir.Value]vir.Type {
	out := map[*vir.Value]vir.Type{}
	other := map[*vir.Value]bool{}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for _, a := range v.Args {
				switch {
				case a.Op != vir.VLoad:
				case v.Op != alu.ZExt && v.Op != alu.SExt, out[a].Lanes > 0 && out[a] != v.Type:
					other[a] = true
				default:
					out[a] = v.Type
				}
			}
		}
		for _, e := range b.Edges {
			for _, a := range e.Args {
				other[a] = true
			}
		}
	}
	for v := range other {
		delete(out, v)
	}
	return out
}

// access emits a part of the access v, of the given type and starting at lane first of v.
func (l *legalizer) access(v *vir.Value, part vir.Type, first int, xs []*vir.Value) *vir.Value {
	if vir.InfoOf(v.Op).Effect == vir.Writes {
		part.Elem, part.Lanes = alu.Void, 0
	}
	x := l.b.op(v.Op, part, xs...)
	x.Disp, x.Scale, x.Align, x.Invariant = v.Disp, v.Scale, v.Align, v.Invariant
	x.Volatile, x.Local, x.Readable = v.Volatile, v.Local, v.Readable
	if v.Op == vir.VLoad || v.Op == vir.VStore {
		x.Disp += int64(first * v.Accessed().Elem.Size())
	}
	return x
}

// resize changes the size of a mask's lanes.
func (l *legalizer) resize(v *vir.Value) []*vir.Value {
	n := min(l.lanes(v.Type), l.lanes(v.Args[0].Type))
	var out []*vir.Value
	for _, x := range l.in(v.Args[0], n) {
		out = append(out, l.b.op(vir.Resize, v.Type.Part(n), x))
	}
	return l.b.regroup(out, l.lanes(v.Type))
}

// maskOf returns the type of masks that select lanes of type t.
func (l *legalizer) maskOf(t vir.Type) vir.Type { return l.out.MaskType(t) }

// first chains over the registers: the first one with an active lane determines the
// result.
func (l *legalizer) first(v *vir.Value) []*vir.Value {
	n := l.lanes(v.Args[0].Type)
	vecs, masks := l.of(v.Args[0]), l.in(v.Args[1], n)
	last := len(vecs) - 1
	var x *vir.Value
	for k := last; k >= 0; k-- {
		y := l.b.op(vir.First, v.Type, vecs[k], masks[k])
		if x == nil {
			x = y
			continue
		}
		some := l.b.op(vir.Any, vir.Scalar(alu.I1), masks[k])
		x = l.b.op(alu.Select, v.Type, some, y, x)
	}
	if last > 0 { // no active lane: lane 0 of the whole vector
		lane0 := l.b.op(vir.Extract, v.Type, vecs[0])
		any := l.b.op(vir.Any, vir.Scalar(alu.I1), masks[last])
		for k := range last {
			any = l.b.op(alu.Or, any.Type, any, l.b.op(vir.Any, vir.Scalar(alu.I1), masks[k]))
		}
		x = l.b.op(alu.Select, v.Type, any, x, lane0)
	}
	return []*vir.Value{x}
}

// shuffle builds a permutation register by register: from one or two source registers
// with one shuffle, from more with a chain of shuffles that blend them.
func (l *legalizer) shuffle(v *vir.Value) []*vir.Value {
	n, t := l.lanes(v.Args[0].Type), l.part(v.Type)
	if l.t.ShuffleLanes != nil {
		most := l.t.ShuffleLanes(t.Elem)
		n, t.Lanes = min(n, most), min(t.Lanes, most)
	}
	sources := slices.Concat(l.in(v.Args[0], n), l.in(v.Args[1], n))
	if out := l.network(v, sources, n); out != nil {
		return out
	}
	out := make([]*vir.Value, v.Type.Lanes/t.Lanes)
	for k := range out {
		lanes := append([]int(nil), v.Lanes[k*t.Lanes:(k+1)*t.Lanes]...)
		for len(lanes) < n { // blends need operands of one type
			lanes = append(lanes, lanes[0])
		}
		var used []int // source registers in order of first use
		for _, from := range lanes {
			found := false
			for _, u := range used {
				found = found || u == from/n
			}
			if !found {
				used = append(used, from/n)
			}
		}
		var acc *vir.Value
		for i := 0; i < len(used); i++ {
			next := sources[used[i]]
			if acc == nil {
				// Take the first two registers at once.
				second := next
				if len(used) > 1 {
					second = sources[used[1]]
				}
				acc = l.permute(next, second, pick(lanes, n, used[i], used[min(1, len(used)-1)]))
				if len(used) > 1 {
					i++
				}
				continue
			}
			acc = l.permute(acc, next, pick(lanes, n, -1, used[i]))
		}
		if acc.Type != t {
			acc = l.b.part(acc, t.Lanes, 0)
		}
		out[k] = acc
	}
	return l.b.regroup(out, l.lanes(v.Type))
}

// permute shuffles two registers, lane by lane if the target cannot.
func (l *legalizer) permute(x, y *vir.Value, lanes []int) *vir.Value {
	t := vir.Type{Elem: x.Type.Elem, Lanes: len(lanes)}
	if l.t.HasShuffle == nil || l.t.HasShuffle(x.Type, lanes, x == y) {
		v := l.b.op(vir.Shuffle, t, x, y)
		v.Lanes = lanes
		return v
	}
	parts := make([]*vir.Value, len(lanes))
	for i, from := range lanes {
		source := x
		if from >= x.Type.Lanes {
			source = y
		}
		parts[i] = l.extract(source, from%x.Type.Lanes)
	}
	return l.b.concat(parts)
}

// pick returns the lane list of a two-register shuffle: lanes from register a select the
// first operand, lanes from b the second. If a is -1, the first operand is the partial
// result, whose other lanes are kept.
func pick(lanes []int, n, a, b int) []int {
	out := make([]int, len(lanes))
	for j, from := range lanes {
		switch {
		case a >= 0 && from/n == a:
			out[j] = from % n
		case from/n == b:
			out[j] = n + from%n
		default:
			out[j] = j // kept, or overwritten later
			if a >= 0 {
				out[j] = 0
			}
		}
	}
	return out
}
