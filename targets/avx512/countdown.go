package avx512

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/avx512/asm"
	"github.com/simtc/simtc/vir"
)

// A loop of one block that goes on while lanes are left and a counter is below
// a limit knows beforehand how many rounds it makes at most. The fuel's register
// counts them instead of the fuel, so that one DEC and one jump look at the lanes
// and at the counter:
//
//	strip: fuel' = fuel - rounds; r15 = rounds
//	loop:  …; ktest; dec r15; ja loop
//	after: r15 += fuel'
//
// The rounds are at most mostCounted, for nobody looks at the fuel meanwhile; if
// more are left, it is the strip's turn again, by a back edge like all others.

// mostCounted bounds the rounds between two looks at the fuel.
const mostCounted = 8192

// countdown is such a loop.
type countdown struct {
	strip, loop, after *vir.Block
	rounds             *vir.Value // i64, at least 1
}

// countDown gives such loops their form: blocks around them that say how many
// rounds there are, and an end that asks for lanes only.
func countDown(f *vir.Func) []*countdown {
	var out []*countdown
	uses := countUsers(f)
	for _, h := range slices.Clone(f.Blocks) {
		if x := findRoundTest(h, uses); x != nil {
			out = append(out, x.make(f))
		}
	}
	if len(out) > 0 {
		f.Renumber()
	}
	return out
}

// roundTest is the end of a loop of one block h: it goes on if any lane is left
// and next, which is n+1, is below limit.
type roundTest struct {
	h       *vir.Block
	any     *vir.Value
	test    *vir.Value // next < limit
	n, next *vir.Value
	limit   *vir.Value
	alone   bool // n serves for nothing else
}

func findRoundTest(h *vir.Block, uses map[*vir.Value]int) *roundTest {
	if h.Kind != vir.Branch || h.Edges[0].To != h || h.Edges[1].To == h || h.Cond.Op != alu.And || h.Cond.Block != h || uses[h.Cond] != 1 {
		return nil
	}
	x := &roundTest{h: h, any: h.Cond.Args[0], test: h.Cond.Args[1]}
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

// make puts the blocks around the loop.
func (x *roundTest) make(f *vir.Func) *countdown {
	h := x.h
	enter, strip, after := f.NewBlock(""), f.NewBlock(""), f.NewBlock("")
	i64 := vir.Scalar(alu.I64)
	pass := func(b *vir.Block) (args []*vir.Value) {
		for _, p := range h.Params {
			args = append(args, b.NewParam(p.Type, p.Name))
		}
		return args
	}
	for _, b := range f.Blocks {
		for i := range b.Edges {
			if b != h && b.Edges[i].To == h {
				b.Edges[i].To = enter
			}
		}
	}
	// What is below the limit reaches it without a wrap.
	first := pass(enter)
	wide := alu.SExt
	if x.test.Op == alu.Ult {
		wide = alu.ZExt
	}
	left := enter.Append(alu.Sub, i64, extend(f, enter, wide, x.limit), extend(f, enter, wide, first[x.n.Index]))
	enter.Jump(strip, append(slices.Clone(first), left)...)

	args := pass(strip)
	rest := strip.NewParam(i64, "")
	rounds := strip.Append(alu.SMin, i64, rest, f.Const(i64, mostCounted))
	rounds = strip.Append(alu.SMax, i64, rounds, f.Const(i64, 1)) // it is left at the end of the first
	strip.Jump(h, args...)

	rest = after.Append(alu.Sub, i64, rest, rounds)
	more := after.Append(alu.Slt, vir.Scalar(alu.I1), f.Const(i64, 0), rest)
	lanes := after.Append(vir.Any, vir.Scalar(alu.I1), x.any.Args[0])
	again := vir.Edge{To: strip, Args: append(slices.Clone(h.Edges[0].Args), rest)}
	after.Branch(after.Append(alu.And, vir.Scalar(alu.I1), more, lanes), again, h.Edges[1])
	for _, b := range []*vir.Block{enter, strip, after} {
		b.Pos = h.Pos
		for _, v := range b.Values {
			v.Pos = x.test.Pos
		}
	}

	h.Values = slices.DeleteFunc(h.Values, func(v *vir.Value) bool { return v == h.Cond || v == x.test })
	h.Branch(x.any, h.Edges[0], vir.Edge{To: after})
	if x.alone {
		h.Values = slices.DeleteFunc(h.Values, func(v *vir.Value) bool { return v == x.next })
		i := x.n.Index
		for _, b := range []*vir.Block{strip, h} {
			b.Params = slices.Delete(b.Params, i, i+1)
			for j, p := range b.Params {
				p.Index = j
			}
		}
		for _, e := range []*vir.Edge{&enter.Edges[0], &strip.Edges[0], &h.Edges[0], &after.Edges[0]} {
			e.Args = slices.Delete(slices.Clone(e.Args), i, i+1)
		}
	}
	return &countdown{strip: strip, loop: h, after: after, rounds: rounds}
}

// extend returns v, of at most 32 bits, as an i64.
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

// countDowns emits what the blocks around such loops do with the fuel's register.
//
// A run that takes more than the fuel leaves 1, so that the next back edge that
// counts gives up.
func (s *selector) countDowns(all []*countdown) {
	for _, x := range all {
		strip, after := s.m.blocks[x.strip.ID], s.m.blocks[x.after.ID]
		rounds, one, rest := s.regs[x.rounds.ID], s.m.newReg(asm.ClassGPR), s.m.newReg(asm.ClassGPR)
		wide := func(op asm.Op, d, r asm.Reg) asm.Inst { return asm.Make(op, d, r).Bits(asm.Size64) }
		strip.insts = append(strip.insts, wide(asm.MOV, rest, asm.R15), wide(asm.SUB, rest, rounds), wide(asm.MOV, asm.R15, rounds))
		after.insts = slices.Concat([]asm.Inst{
			asm.Make(asm.MOV, one, asm.InImm).WithImm(1).Bits(asm.Size32),
			wide(asm.ADD, asm.R15, rest),
			wide(asm.CMOVCC, asm.R15, one).If(asm.CondLE),
		}, after.insts)
		s.m.blocks[x.loop.ID].term.counted = true
		s.freeEdges(x.loop.ID, x.loop.ID)
	}
}
