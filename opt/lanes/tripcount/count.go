package tripcount

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// builder adds a trip counter to a loop in a clone.
type builder struct {
	*loop
	f    *kernel.Func
	at   *kernel.Block // where new operations are appended
	made map[*kernel.Value]*kernel.Value
}

// count adds the counter in f, a clone of the kernel in which the loop was found. It lists
// the new blocks by the block that they precede:
//
//	before   tests whether to enter, and computes the trip count
//	restart    sets the counter to 0
//	header   compares the counter with the trip count
//	ended    restarts lanes whose test never fails
func (l *loop) count(f *kernel.Func, placed map[*kernel.Block][]*kernel.Block) {
	b := &builder{loop: l, f: f, made: map[*kernel.Value]*kernel.Value{}}
	h, t := f.Blocks[l.header.ID], l.counter.Type
	b.at = f.NewBlock("before")
	enter := &f.Blocks[l.enter.From.ID].Edges[l.enter.N]
	first, leave := enter.Args, h.Edges[1-l.stay]

	trips := b.sum()
	if l.endless != nil { // 0 means endless: one iteration per restart
		trips = b.at.Append(alu.UMax, t, trips, f.Const(t, 1))
	}
	placed[h] = append(placed[h], b.at)
	restart, zero := h, f.Const(t, 0)
	entered := append(slices.Clone(first), zero)
	if l.endless != nil {
		restart = f.NewBlock("restart")
		placed[h] = append(placed[h], restart)
		for _, p := range h.Params {
			restart.NewParam(p.Type, p.Name)
		}
		restart.Jump(h, append(slices.Clone(restart.Params), zero)...)
		entered = first
	}
	if l.test.op == alu.Ne {
		b.at.Jump(restart, entered...)
	} else {
		x, y := first[l.counter.Index], b.now(l.bound)
		if l.test.boundOnX {
			x, y = y, x
		}
		cond := b.at.Append(l.test.op, alu.I1, x, y)
		past := kernel.Edge{To: leave.To, Rare: len(l.trips.Values()) == 0}
		for _, a := range l.header.Edges[1-l.stay].Args {
			past.Args = append(past.Args, b.now(a))
		}
		b.at.Branch(cond, kernel.Edge{To: restart, Args: entered}, past)
	}
	b.at.Pos = h.Pos
	enter.To, enter.Args = b.at, nil

	trip := h.NewParam(t, "trip")
	trip.Pos = l.counter.Pos
	for _, e := range l.back {
		from := f.Blocks[e.From.ID]
		next := from.Append(alu.Add, t, trip, f.Const(t, 1))
		next.Pos = l.header.Cond.Pos
		from.Edges[e.N].Args = append(from.Edges[e.N].Args, next)
	}
	op, x, y := alu.Ult, trip, trips
	if l.stay == 1 {
		op, x, y = alu.Ule, trips, trip
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
	ended.Branch(forever, kernel.Edge{To: restart, Args: slices.Clone(h.Params[:len(h.Params)-1]), Rare: true}, leave)
	h.Edges[1-l.stay] = kernel.Edge{To: ended, Rare: leave.Rare}
}

// sum computes the trip count of the loop.
func (b *builder) sum() *kernel.Value {
	t := b.counter.Type
	op := func(op kernel.Op, x, y *kernel.Value) *kernel.Value { return b.at.Append(op, t, x, y) }
	return b.trips.Make(t, b.f, op, b.now)
}

// now returns the value of v, from the kernel in which the loop was found, at loop entry.
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
