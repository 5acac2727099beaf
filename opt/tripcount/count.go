package tripcount

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// builder counts the rounds of a loop in a clone.
type builder struct {
	*loop
	f    *kernel.Func
	at   *kernel.Block // where what is new is computed
	made map[*kernel.Value]*kernel.Value
}

// count does so in f, a clone of the kernel in which the loop was found, and lists the new
// blocks by those that they belong in front of:
//
//	before   whether to go round, and how often
//	again    0 rounds so far
//	header   whether that is enough
//	ended    lanes whose test never fails start again
func (l *loop) count(f *kernel.Func, placed map[*kernel.Block][]*kernel.Block) {
	b := &builder{loop: l, f: f, made: map[*kernel.Value]*kernel.Value{}}
	h, t := f.Blocks[l.header.ID], l.counter.Type
	b.at = f.NewBlock("before")
	enter := &f.Blocks[l.enter.From.ID].Edges[l.enter.N]
	first, leave := enter.Args, h.Edges[1-l.stay]

	rounds := b.sum()
	if l.endless != nil { // no rounds at all are all that there are
		rounds = b.at.Append(alu.UMax, t, rounds, f.Const(t, 1))
	}
	placed[h] = append(placed[h], b.at)
	again, zero := h, f.Const(t, 0)
	entered := append(slices.Clone(first), zero)
	if l.endless != nil {
		again = f.NewBlock("again")
		placed[h] = append(placed[h], again)
		for _, p := range h.Params {
			again.NewParam(p.Type, p.Name)
		}
		again.Jump(h, append(slices.Clone(again.Params), zero)...)
		entered = first
	}
	if l.test.op == alu.Ne {
		b.at.Jump(again, entered...)
	} else {
		x, y := first[l.counter.Index], b.now(l.bound)
		if l.test.boundOnX {
			x, y = y, x
		}
		cond := b.at.Append(l.test.op, alu.I1, x, y)
		past := kernel.Edge{To: leave.To, Rare: len(l.rounds.Values()) == 0}
		for _, a := range l.header.Edges[1-l.stay].Args {
			past.Args = append(past.Args, b.now(a))
		}
		b.at.Branch(cond, kernel.Edge{To: again, Args: entered}, past)
	}
	b.at.Pos = h.Pos
	enter.To, enter.Args = b.at, nil

	round := h.NewParam(t, "round")
	round.Pos = l.counter.Pos
	for _, e := range l.back {
		from := f.Blocks[e.From.ID]
		next := from.Append(alu.Add, t, round, f.Const(t, 1))
		next.Pos = l.header.Cond.Pos
		from.Edges[e.N].Args = append(from.Edges[e.N].Args, next)
	}
	op, x, y := alu.Ult, round, rounds
	if l.stay == 1 {
		op, x, y = alu.Ule, rounds, round
	}
	cond := h.Append(op, alu.I1, x, y)
	cond.Pos = l.header.Cond.Pos
	h.Cond = cond
	if l.endless == nil {
		return
	}
	ended := f.NewBlock("ended")
	placed[leave.To] = append(placed[leave.To], ended)
	ended.Pos = h.Pos
	forever := ended.Append(alu.Eq, alu.I1, b.now(l.bound), f.Const(t, *l.endless))
	ended.Branch(forever, kernel.Edge{To: again, Args: slices.Clone(h.Params[:len(h.Params)-1]), Rare: true}, leave)
	h.Edges[1-l.stay] = kernel.Edge{To: ended, Rare: leave.Rare}
}

// sum computes how often the loop goes round.
func (b *builder) sum() *kernel.Value {
	t := b.counter.Type
	op := func(op kernel.Op, x, y *kernel.Value) *kernel.Value { return b.at.Append(op, t, x, y) }
	return b.rounds.Make(t, b.f, op, b.now)
}

// now returns v, of the kernel in which the loop was found, as it is when the loop is
// entered.
func (b *builder) now(v *kernel.Value) *kernel.Value {
	switch {
	case b.counts(v):
		return b.f.Value(b.enter.Edge().Args[v.Index].ID)
	case v.Block == nil || b.outside(v.Block):
		return b.f.Value(v.ID)
	}
	x := b.made[v]
	if x == nil {
		args := make([]*kernel.Value, len(v.Args))
		for i, a := range v.Args {
			args[i] = b.now(a)
		}
		x = b.at.AppendLike(v, args...)
		b.made[v] = x
	}
	return x
}
