package iterations

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// splitSums moves the operation with which a loop combines a variable on some paths through its body
// after their join: the paths only choose the operand, which is neutral on the others. The variable is then
// combined in every iteration, as a scan across lanes requires.
//
//	if (i > 0 && a[i-1] > a[i])        x = 0; if (i > 0 && a[i-1] > a[i]) x = a[i];
//	    s += a[i];                     s += x;
//
// One branch or select is left to recurrence, which needs no operand. The result is the number of
// such variables.
//
// requires: a prepared kernel; maintains: what f computes
func splitSums(f *kernel.Func) int {
	n := 0
	loops, in := cfg.Cycles(f.Graph()), opt.InEdges(f)
	for _, c := range loops.Cycles {
		l := &loop{f: f, loops: loops, cycle: c, header: f.Blocks[c.Header], in: in, step: map[*kernel.Value]int64{}}
		if l.edges(); !c.Reducible() || l.backs != 1 {
			continue
		}
		for _, p := range l.header.Params {
			v := l.passed(p)
			q := operand{l: l, p: p}
			if q.choices(v) && (q.depth > 1 || q.arms > 2) && q.op != alu.Invalid && loops.InnermostCycle(v.Block.ID) == c && l.sum(p) == nil {
				q.split(v)
				n++
			}
		}
	}
	if n > 0 {
		opt.RemoveDead(f, nil) // the sums on the paths
		f.Renumber()
	}
	return n
}

// operand is that of the operation with which paths through a loop combine p.
type operand struct {
	l     *loop
	p     *kernel.Value
	op    kernel.Op
	depth int // of nested choices
	arms  int // maximum of a choice
	of    map[*kernel.Value]*kernel.Value
}

// choices reports whether v is p, p combined with an operand by the same operation everywhere, or a
// choice of such values.
func (q *operand) choices(v *kernel.Value) bool {
	if q.l.scans(q.p, v) != nil {
		same := q.op == alu.Invalid || q.op == v.Op
		q.op = v.Op
		return same
	}
	var of []*kernel.Value
	switch {
	case v == q.p:
		return true
	case q.depth >= maxChoices || !q.l.inside(v.Block) || v.Block == q.l.header:
		return false
	case v.Op == alu.Select:
		of = v.Args[1:]
	case v.Op == kernel.Param && !q.l.loops.IsHeader(v.Block.ID):
		for _, e := range q.l.in[v.Block.ID] {
			of = append(of, e.Edge().Args[v.Index])
		}
	}
	depth := q.depth + 1
	most := depth
	for _, a := range of {
		q.depth = depth
		if !q.choices(a) {
			return false
		}
		most = max(most, q.depth)
	}
	q.depth, q.arms = most, max(q.arms, len(of))
	return len(of) > 0
}

// maxChoices limits the nested choices.
const maxChoices = 6

// value returns the operand where v is the next value of p.
func (q *operand) value(v *kernel.Value) *kernel.Value {
	x := q.of[v]
	switch {
	case x != nil:
	case v == q.p:
		x = q.l.f.Const(v.Type, alu.Neutral(q.op, v.Type))
	case v.Op == alu.Select && q.l.scans(q.p, v) == nil:
		x = v.Block.NewValue(alu.Select, v.Type, v.Args[0], q.value(v.Args[1]), q.value(v.Args[2]))
		x.Pos = v.Pos
		v.Block.Values = slices.Insert(v.Block.Values, slices.Index(v.Block.Values, v), x)
	case v.Op == kernel.Param:
		x = v.Block.NewParam(v.Type, v.Name)
		x.Pos = v.Pos
		for _, e := range q.l.in[v.Block.ID] {
			e.Edge().Args = append(slices.Clip(e.Edge().Args), q.value(e.Edge().Args[v.Index]))
		}
	default:
		return q.l.scans(q.p, v)
	}
	q.of[v] = x
	return x
}

// split replaces v by p combined with the operand.
func (q *operand) split(v *kernel.Value) {
	q.of = map[*kernel.Value]*kernel.Value{}
	x := q.value(v)
	sum := v.Block.NewValue(q.op, v.Type, q.p, x)
	sum.Name, sum.Pos = v.Name, v.Pos
	uses := opt.NewReplacer(q.l.f)
	uses.Set(v, sum)
	uses.Apply(q.l.f)
	at := 0
	if v.Op != kernel.Param {
		at = slices.Index(v.Block.Values, v) + 1
	}
	v.Block.Values = slices.Insert(v.Block.Values, at, sum)
}
