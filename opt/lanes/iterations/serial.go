package iterations

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// serial is the part of the loop that runs in iteration order: parameters of the header
// and the operations that compute their next values from them and from values of the
// lanes. At the end of a chunk these operations run for one lane after another, which
// keeps sums of floats exact.
type serial struct {
	params []*kernel.Value
	ops    []*kernel.Value // in program order
	of     map[*kernel.Value]bool
	inputs []*kernel.Value // values of the lanes
}

// maxSerial limits the serial operations of an iteration.
const maxSerial = 8

// makeSerial makes the parameters serial, and reports whether it can. It requires an inner
// loop: in a loop without one, serial work would be as much as parallel work.
func (l *loop) makeSerial(params []*kernel.Value) bool {
	if len(params) == 0 {
		return true
	}
	if len(l.cycle.Children) == 0 {
		return false
	}
	s := &l.serial
	s.params, s.of = params, map[*kernel.Value]bool{}
	for _, p := range params {
		s.of[p] = true
	}
	for _, id := range l.cycle.Blocks {
		b := l.f.Blocks[id]
		for _, v := range b.Values {
			if !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return s.of[a] }) {
				continue
			}
			if !v.Op.Pure() {
				return false
			}
			s.of[v] = true
			s.ops = append(s.ops, v)
		}
		if b.Cond != nil && s.of[b.Cond] {
			return false
		}
	}
	for _, id := range l.cycle.Blocks {
		for n, e := range l.f.Blocks[id].Edges {
			exit := slices.IndexFunc(l.exits, func(x opt.InEdge) bool { return x.From.ID == id && x.N == n })
			for i, a := range e.Args {
				switch {
				case !s.of[a]:
				case exit >= 0 && slices.Contains(params, a):
				case e.To == l.header && slices.Contains(params, e.To.Params[i]):
				default:
					return false
				}
			}
		}
	}
	for _, v := range s.ops {
		for _, a := range v.Args {
			s.input(l, a)
		}
	}
	for _, p := range params {
		s.input(l, l.passed(p))
	}
	return len(s.ops) <= maxSerial && !slices.ContainsFunc(s.inputs, func(v *kernel.Value) bool {
		return v.Type.IsPtr() || !l.dom.Dominates(v.Block.ID, l.back.From.ID)
	})
}

// input records v as an input if the lanes compute it.
func (s *serial) input(l *loop, v *kernel.Value) {
	if l.inside(v.Block) && !s.of[v] && !slices.Contains(s.inputs, v) {
		s.inputs = append(s.inputs, v)
	}
}

// inOrder runs the serial operations for the lanes of a chunk, up to the first that left
// the loop. It returns the block after them and the new values of the parameters.
func (l *loop) inOrder(some *kernel.Value) (*kernel.Block, map[*kernel.Value]*kernel.Value) {
	s, f := &l.serial, l.f
	fold, round, done := f.NewBlock("inorder"), f.NewBlock("lane"), f.NewBlock("folded")
	before := l.ended.Append(alu.UMin, alu.I64, l.lanesBelow(l.ended, some), f.Const(alu.I64, uint64(l.o.Width)))
	lanes := l.ended.Append(alu.Trunc, alu.I32, before)
	n := fold.NewParam(alu.I32, "lane")
	start, now := []*kernel.Value{f.Const(alu.I32, 0)}, map[*kernel.Value]*kernel.Value{}
	after := map[*kernel.Value]*kernel.Value{}
	for _, p := range s.params {
		after[p] = fold.NewParam(p.Type, p.Name)
		now[p] = after[p]
		start = append(start, l.now[p])
	}
	l.ended.Jump(fold, start...)
	fold.Branch(fold.Append(alu.Ult, alu.I1, n, lanes), kernel.Edge{To: round}, kernel.Edge{To: done})
	for i, v := range s.inputs {
		now[v] = l.inLaneOf(round, l.inputs[i], n)
	}
	of := func(v *kernel.Value) *kernel.Value {
		if x := now[v]; x != nil {
			return x
		}
		return v
	}
	for _, v := range s.ops {
		args := make([]*kernel.Value, len(v.Args))
		for i, a := range v.Args {
			args[i] = of(a)
		}
		x := round.Append(v.Op, v.Type, args...)
		x.Name, x.Pos = v.Name, v.Pos
		now[v] = x
	}
	next := []*kernel.Value{round.Append(alu.Add, alu.I32, n, f.Const(alu.I32, 1))}
	for _, p := range s.params {
		next = append(next, of(l.passed(p)))
	}
	round.Jump(fold, next...)
	return done, after
}
