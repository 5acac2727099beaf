package memory

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Atomics replaces an atomic operation of many lanes on one address by a scalar one with the combined
// operand. If the result of each lane is used, it is computed from the scalar result and the operands
// of lower lanes: for the addition of one value, their count.
//
// Of lanes that compare and exchange, usually only one succeeds: they run in a loop while lanes are left
// that could.
//
// Inactive lanes do not take part; if no lane is active, memory is not accessed.
//
// A lane that is not active takes no part; if none is, memory is not touched.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes; a reducible graph stays so
func Atomics(f *vir.Func, stats edit.Stats) {
	var uses [][]analysis.Use
	n := 0
	found := map[*vir.Value]*vir.Value{}
	for i := 0; i < len(f.Blocks); i++ { // blocks are split meanwhile
		for j, v := range f.Blocks[i].Values {
			if v.Op != vir.VAtomic && v.Op != vir.VCmpXchg {
				continue
			}
			if uses == nil {
				uses = analysis.UsesOf(f)
			}
			u := &uniformAtomic{f: f, v: v, found: found, used: len(uses[v.ID]) > 0}
			if !u.fits() {
				continue
			}
			u.replace(i, j)
			n++
			break // the rest of the block is a new block
		}
	}
	if n == 0 {
		return
	}
	edit.ReplaceAll(f, found)
	stats.Add("uniform atomics", n)
	f.Renumber()
}

// uniformAtomic is an atomic operation with one address for all lanes.
type uniformAtomic struct {
	f     *vir.Func
	v     *vir.Value
	found map[*vir.Value]*vir.Value // replacements of results
	used  bool                      // the result is used
	block *vir.Block
	back  *vir.Edge // back edge of the loop, without the results
}

// uniformValue returns the scalar that x holds in every lane, or nil.
func (u *uniformAtomic) uniformValue(x *vir.Value) *vir.Value {
	switch x.Op {
	case vir.Const:
		return u.f.Const(vir.Scalar(x.Type.Elem), x.Const)
	case vir.Splat:
		return x.Args[0]
	}
	return nil
}

func (u *uniformAtomic) fits() bool {
	if mask := u.v.Args[len(u.v.Args)-1]; analysis.IsZero(mask) || u.uniformValue(u.v.Args[1]) == nil {
		return false
	}
	if u.v.Op == vir.VCmpXchg {
		return u.v.Type.Lanes <= 64
	}
	// An exchange would have to return the last active lane's operand.
	return u.v.RMW().Info().Fold != alu.Invalid || u.uniformValue(u.v.Args[2]) != nil && !u.used
}

func (u *uniformAtomic) op(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
	x := u.block.Append(op, t, args...)
	x.Pos = u.v.Pos
	return x
}

// replace splits block i at its value j and inserts the scalar operation.
func (u *uniformAtomic) replace(i, j int) {
	before, v := u.f.Blocks[i], u.v
	body, after := u.f.NewBlock("atomic"), u.f.NewBlock("")
	u.f.Blocks = u.f.Blocks[:len(u.f.Blocks)-2]
	after.Values = append(after.Values, before.Values[j+1:]...)
	after.Kind, after.Cond, after.Edges, after.Pos = before.Kind, before.Cond, before.Edges, before.Pos
	before.Values = before.Values[:j:j]
	none := u.f.Const(v.Type, 0)
	mask := v.Args[len(v.Args)-1]
	var skip []*vir.Value
	if u.used {
		skip = []*vir.Value{none}
	}
	if mask.Op == vir.Const {
		before.Jump(body)
	} else {
		u.block = before
		some := u.op(vir.Any, vir.Scalar(alu.I1), mask)
		before.Branch(some, vir.Edge{To: body}, vir.Edge{To: after, Args: skip})
	}
	before.Pos, body.Pos = v.Pos, v.Pos
	u.block = body
	blocks := append([]*vir.Block(nil), u.f.Blocks[:i+1]...)
	blocks = append(blocks, body)
	var found *vir.Value
	if v.Op == vir.VCmpXchg {
		found = u.exchange()
		blocks = append(blocks, u.block)
	} else {
		found = u.run(mask)
	}
	if u.used {
		p := after.NewParam(v.Type, v.Name)
		u.leave(after, found)
		u.found[v] = p
	} else {
		u.leave(after)
	}
	u.f.Blocks = append(append(blocks, after), u.f.Blocks[i+1:]...)
}

// leave continues after the operation, from its loop when no lane is left.
func (u *uniformAtomic) leave(after *vir.Block, found ...*vir.Value) {
	if u.back == nil {
		u.block.Jump(after, found...)
		return
	}
	u.back.Args = append(u.back.Args, found...)
	more := u.op(alu.Ne, vir.Scalar(alu.I1), u.back.Args[0], u.f.Const(u.back.Args[0].Type, 0))
	u.block.Branch(more, *u.back, vir.Edge{To: after, Args: found})
	u.block.Pos = u.v.Pos
}

// exchange builds the loop of a compare-exchange. Each iteration handles the lanes up to the first with
// another expected value than the first lane. Of these, the first lane with a new value decides: lanes
// after it find that value, and those before it leave memory unchanged.
func (u *uniformAtomic) exchange() *vir.Value {
	v, t := u.v, u.v.Type
	i64, one, mask := vir.Scalar(alu.I64), vir.Scalar(t.Elem), v.Args[4]
	zero, low := u.f.Const(i64, 0), u.f.Const(i64, 1)
	expected, x := v.Args[2], v.Args[3]
	lowest := func(a *vir.Value) *vir.Value { return u.op(alu.And, i64, a, u.op(alu.Sub, i64, zero, a)) }
	upTo := func(a *vir.Value) *vir.Value { return u.op(alu.Or, i64, a, u.op(alu.Sub, i64, a, low)) }
	not := func(a *vir.Value) *vir.Value { return u.op(alu.Xor, i64, a, u.f.Const(i64, ^uint64(0))) }

	addr := u.address()
	enter, loop := u.block, u.f.NewBlock("exchange")
	loop.Over = vir.OverLanes
	u.f.Blocks = u.f.Blocks[:len(u.f.Blocks)-1]
	first := []*vir.Value{u.op(vir.Bits, i64, mask)}
	left := loop.NewParam(i64, "")
	var acc *vir.Value
	if u.used {
		first = append(first, u.f.Const(t, 0))
		acc = loop.NewParam(t, "")
	}
	enter.Jump(loop, first...)
	u.block = loop
	lanes := u.op(vir.Unbits, mask.Type, left)
	want := u.op(vir.First, one, expected, lanes)
	all := u.op(vir.Splat, t, want)
	others := u.op(alu.And, i64, left, u.op(vir.Bits, i64, u.op(alu.Ne, mask.Type, expected, all)))
	// The bits below the lowest of the others, or all if there are none.
	group := u.op(alu.And, i64, left, u.op(alu.And, i64, not(others), u.op(alu.Sub, i64, others, low)))
	fresh := u.op(alu.And, i64, group, u.op(vir.Bits, i64, u.op(alu.Ne, mask.Type, x, all)))
	some := u.op(alu.Ne, vir.Scalar(alu.I1), fresh, zero)
	decides := lowest(u.op(alu.Select, i64, some, fresh, group))
	now := u.op(vir.First, one, x, u.op(vir.Unbits, mask.Type, decides))
	old := u.op(vir.CmpXchg, one, addr, want, now)
	old.Disp, old.Align, old.Volatile, old.Local = v.Disp, v.Align, v.Volatile, v.Local
	u.back = &vir.Edge{To: loop, Args: []*vir.Value{u.op(alu.And, i64, left, not(group))}}
	if !u.used {
		return nil
	}
	done := u.op(alu.Eq, vir.Scalar(alu.I1), old, want)
	behind := u.op(alu.Select, one, done, now, old)
	acc = u.op(alu.Select, t, u.op(vir.Unbits, mask.Type, group), u.op(vir.Splat, t, behind), acc)
	before := u.op(alu.And, i64, group, upTo(decides))
	return u.op(alu.Select, t, u.op(vir.Unbits, mask.Type, before), u.op(vir.Splat, t, old), acc)
}

// run emits the scalar operation and returns the result of each lane.
func (u *uniformAtomic) run(mask *vir.Value) *vir.Value {
	v, t := u.v, u.v.Type
	in := v.RMW().Info()
	one := vir.Scalar(t.Elem)
	x := u.uniformValue(v.Args[2])
	var total, below *vir.Value
	switch {
	case x != nil && in.Fold == alu.Add:
		total = u.op(alu.Mul, one, x, u.count(mask))
		if u.used {
			below = u.op(alu.Mul, t, u.rank(mask), u.splat(x))
		}
	case x != nil && !u.used && in.Fold == alu.Xor:
		odd := u.op(alu.And, one, u.count(mask), u.f.Const(one, 1))
		total = u.op(alu.Mul, one, x, odd)
	case x != nil && !u.used:
		total = x
	default:
		total, below = u.fold(mask)
	}
	a := u.op(vir.Atomic, one, u.address(), total)
	a.Index, a.Disp, a.Align, a.Volatile, a.Local = v.Index, v.Disp, v.Align, v.Volatile, v.Local
	if !u.used {
		return nil
	}
	found := u.op(in.Op, t, u.op(vir.Splat, t, a), below)
	if mask.Op == vir.Const {
		return found
	}
	return u.op(alu.Select, t, mask, found, u.f.Const(t, 0))
}

func (u *uniformAtomic) address() *vir.Value {
	i64 := vir.Scalar(alu.I64)
	x := u.uniformValue(u.v.Args[1])
	if x.Op == vir.Const {
		c := x.Const
		if x.Type != i64 {
			c = uint64(int64(int32(c)))
		}
		if c == 0 {
			return u.v.Args[0]
		}
		return u.op(alu.Add, i64, u.v.Args[0], u.f.Const(i64, c*uint64(u.v.Scale)))
	}
	if x.Type != i64 {
		x = u.op(alu.SExt, i64, x)
	}
	if n := bits.TrailingZeros(uint(u.v.Scale)); n > 0 {
		x = u.op(alu.Shl, i64, x, u.f.Const(i64, uint64(n)))
	}
	return u.op(alu.Add, i64, u.v.Args[0], x)
}

func (u *uniformAtomic) splat(x *vir.Value) *vir.Value {
	if x.Op == vir.Const {
		return u.f.Const(u.v.Type, x.Const)
	}
	return u.op(vir.Splat, u.v.Type, x)
}

// count returns the number of active lanes.
func (u *uniformAtomic) count(mask *vir.Value) *vir.Value {
	one := vir.Scalar(u.v.Type.Elem)
	if mask.Op == vir.Const {
		return u.f.Const(one, mask.Const*uint64(mask.Type.Lanes))
	}
	n := u.op(vir.Count, vir.Scalar(alu.I64), mask)
	if n.Type != one {
		n = u.op(alu.Trunc, one, n)
	}
	return n
}

// rank returns for each lane the number of active lanes below it.
func (u *uniformAtomic) rank(mask *vir.Value) *vir.Value {
	if mask.Op == vir.Const {
		return u.op(vir.Iota, u.v.Type)
	}
	r := u.op(vir.Rank, vir.Vec(alu.I32, mask.Type.Lanes), mask)
	if r.Type != u.v.Type {
		r = u.op(alu.ZExt, u.v.Type, r)
	}
	return r
}

// fold combines the operands of all active lanes in log2(lanes) steps, and for each lane those of lower
// lanes, if results are used.
func (u *uniformAtomic) fold(mask *vir.Value) (total, below *vir.Value) {
	t, op := u.v.Type, u.v.RMW().Info().Fold
	none := u.f.Const(t, u.v.RMW().Identity(t.Elem))
	x := u.v.Args[2]
	if mask.Op != vir.Const {
		x = u.op(alu.Select, t, mask, x, none)
	}
	one := vir.Scalar(t.Elem)
	extract := func(x *vir.Value, i int) *vir.Value {
		y := u.op(vir.Extract, one, x)
		y.Index = i
		return y
	}
	if !u.used {
		for x.Type.Lanes > 2 {
			half := vir.Vec(t.Elem, x.Type.Lanes/2)
			low, high := u.op(vir.Part, half, x), u.op(vir.Part, half, x)
			high.Index = 1
			x = u.op(op, half, low, high)
		}
		return u.op(op, one, extract(x, 0), extract(x, 1)), nil
	}
	shifted := func(x *vir.Value, by int) *vir.Value {
		y := u.op(vir.Shuffle, t, x, none)
		y.Lanes = make([]int, t.Lanes)
		for i := range y.Lanes {
			if y.Lanes[i] = i - by; i < by {
				y.Lanes[i] = t.Lanes // a lane of the identity
			}
		}
		return y
	}
	for by := 1; by < t.Lanes; by *= 2 {
		x = u.op(op, t, x, shifted(x, by))
	}
	return extract(x, t.Lanes-1), shifted(x, 1)
}
