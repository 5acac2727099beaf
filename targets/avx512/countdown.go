package avx512

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/isel"
	"github.com/simtc/simtc/vir"
)

// A loop of one block that continues while some lane is active and a counter is below
// a limit has a known maximum trip count. It counts that down
// instead: one DEC, which preserves CF, and one jump then test both the lanes and the
// counter:
//
//	loop:  …; ktest; dec left; ja loop

// countdown is the end of such a loop.
type countdown struct {
	mask      *vir.Value // the loop continues if a lane is set
	remaining *vir.Value // i64 parameter: remaining iterations, including the current one
	left      *vir.Value // remaining - 1
}

// countDown converts all such loops of f.
func countDown(f *vir.Func) map[*vir.Block]*countdown {
	out := map[*vir.Block]*countdown{}
	uses := isel.CountUsers(f)
	for _, h := range slices.Clone(f.Blocks) {
		if x := findCountedLoop(h, uses); x != nil {
			out[h] = x.make(f)
		}
	}
	if len(out) > 0 {
		f.Renumber()
	}
	return out
}

// countedLoop is a loop of one block h that continues if any lane is active
// and next, which is n+1, is below limit.
type countedLoop struct {
	h       *vir.Block
	cond    *vir.Value // any and test
	any     *vir.Value
	test    *vir.Value // next < limit
	n, next *vir.Value
	limit   *vir.Value
	alone   bool // n has no other use
}

func findCountedLoop(h *vir.Block, uses map[*vir.Value]int) *countedLoop {
	if h.Kind != vir.Branch || h.Edges[0].To != h || h.Edges[1].To == h || h.Cond.Op != alu.And || h.Cond.Block != h || uses[h.Cond] != 1 {
		return nil
	}
	x := &countedLoop{h: h, cond: h.Cond, any: h.Cond.Args[0], test: h.Cond.Args[1]}
	if x.any.Op != vir.Any {
		x.any, x.test = x.test, x.any
	}
	if x.any.Op != vir.Any || x.any.Block != h || uses[x.any] != 1 || x.test.Block != h || uses[x.test] != 1 || x.test.Op != alu.Slt && x.test.Op != alu.Ult {
		return nil
	}
	x.next, x.limit = x.test.Args[0], x.test.Args[1]
	if x.limit.Block == h && x.limit.Op != vir.Const || x.next.Op != alu.Add || x.next.Block != h || x.next.Type.Elem.Bits() > 32 {
		return nil
	}
	by := x.next.Args[1]
	x.n = x.next.Args[0]
	if by.Op != vir.Const || by.Const != 1 || x.n.Op != vir.Param || x.n.Block != h || h.Edges[0].Args[x.n.Index] != x.next {
		return nil
	}
	x.alone = uses[x.n] == 1 && uses[x.next] == 2
	return x
}

// make adds an iteration counter to the loop. A new block before it computes the
// maximum trip count: one, plus the distance from the first tested number to the limit
// if that is positive. No number up to the limit wraps.
func (x *countedLoop) make(f *vir.Func) *countdown {
	h := x.h
	i64 := vir.Scalar(alu.I64)
	enter := f.NewBlock("")
	for _, b := range f.Blocks {
		for i := range b.Edges {
			if b != h && b.Edges[i].To == h {
				b.Edges[i].To = enter
			}
		}
	}
	var args []*vir.Value
	for _, p := range h.Params {
		args = append(args, enter.NewParam(p.Type, p.Name))
	}
	wide := alu.SExt
	if x.test.Op == alu.Ult {
		wide = alu.ZExt
	}
	first := enter.Append(alu.Add, x.n.Type, args[x.n.Index], x.next.Args[1])
	more := enter.Append(alu.Sub, i64, extend(f, enter, wide, x.limit), extend(f, enter, wide, first))
	more = enter.Append(alu.SMax, i64, more, f.Const(i64, 0))
	all := enter.Append(alu.Add, i64, more, f.Const(i64, 1))
	enter.Jump(h, append(args, all)...)
	enter.Pos = h.Pos
	for _, v := range enter.Values {
		v.Pos = x.test.Pos
	}

	end := &countdown{mask: x.any.Args[0], remaining: h.NewParam(i64, "iterations")}
	end.left = h.Append(alu.Sub, i64, end.remaining, f.Const(i64, 1))
	end.left.Pos = x.test.Pos
	h.Edges[0].Args = append(slices.Clone(h.Edges[0].Args), end.left)
	unfinished := h.Append(alu.Ne, vir.Scalar(alu.I1), end.left, f.Const(i64, 0))
	h.Cond = h.Append(alu.And, vir.Scalar(alu.I1), x.any, unfinished)
	h.Values = slices.DeleteFunc(h.Values, func(v *vir.Value) bool { return v == x.test || v == x.cond })
	if x.alone {
		h.Values = slices.DeleteFunc(h.Values, func(v *vir.Value) bool { return v == x.next })
		i := x.n.Index
		h.Params = slices.Delete(h.Params, i, i+1)
		for j, p := range h.Params {
			p.Index = j
		}
		for _, e := range []*vir.Edge{&enter.Edges[0], &h.Edges[0]} {
			e.Args = slices.Delete(slices.Clone(e.Args), i, i+1)
		}
	}
	return end
}

// extend returns v, which has at most 32 bits, extended to an i64.
func extend(f *vir.Func, b *vir.Block, by vir.Op, v *vir.Value) *vir.Value {
	i64 := vir.Scalar(alu.I64)
	switch {
	case v.Op == vir.Const && by == alu.SExt:
		return f.Const(i64, uint64(v.Signed()))
	case v.Op == vir.Const:
		return f.Const(i64, v.Const)
	}
	return b.Append(by, i64, v)
}

// countDown emits the end of such a loop and returns the condition on which it
// continues. The mask test sets CF if the mask is empty.
func (s *selector) countDown(x *countdown) asm.Cond {
	op := maskDisjoint.exactly(x.mask.Type.Lanes)
	none := s.NewReg(x.mask.Type)
	s.maskInto(none, x.mask.Type.Lanes, false)
	s.Emit(asm.Make(op, none, s.Reg(x.mask)))
	left := s.Reg(x.left)
	s.Move(left, s.Reg(x.remaining))
	s.Emit(asm.Make(asm.DEC, left).Bits(asm.Size64))
	return asm.CondA
}
