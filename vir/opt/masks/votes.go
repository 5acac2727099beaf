package masks

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
	"github.com/simtc/simtc/vir/opt/loops"
)

// Votes asks scalars whether all lanes are on where lanes count up, as ids do, and are
// compared with what is the same for all of them:
//
//	all(splat i + {0, 1, …, W-1} < splat n)   =   i + W-1 < n
//
// So a guard such as if (i < n) takes vectors only where it divides lanes: what is needed
// there alone goes there. Sums that wrap are answered, too, if that takes no more than a
// comparison.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes, its blocks and their edges
func Votes(f *vir.Func, stats edit.Stats) {
	if f.Width == 1 {
		return
	}
	answered := map[*vir.Value]bool{}
	for _, b := range f.Blocks {
		for at := 0; at < len(b.Values); at++ {
			x := b.Values[at]
			if x.Op != vir.All {
				continue
			}
			v := &vote{f: f, b: b, at: at}
			if v.all(x.Args[0], false) && len(v.ballots) > 0 {
				at = v.answer(x)
				answered[x] = true
			}
		}
	}
	if len(answered) == 0 {
		return
	}
	stats.Add("votes of counting lanes", len(answered))
	f.Renumber()
	edit.Dead(f, nil)
	stats.Add("sunk to where lanes part", sinkVotes(f, answered))
	f.Renumber()
	loops.Hoist(f, nil)
}

// vote is a question to all lanes that scalars are to answer.
type vote struct {
	f       *vir.Func
	b       *vir.Block
	at      int // where in b
	ballots []ballot
}

// ballot makes a scalar in front of the vote: a condition for all lanes to be on, or a
// number that it compares.
type ballot func() *vir.Value

// mostBallots bounds what one vote takes.
const mostBallots = 8

// answer makes x the conjunction of the ballots, and returns where it is then.
func (v *vote) answer(x *vir.Value) int {
	all, last := v.ballots[0](), len(v.ballots)-1
	for i, made := range v.ballots[1:] {
		if c := made(); i+1 == last {
			x.Op, x.Args = alu.And, []*vir.Value{all, c}
		} else {
			all = v.add(alu.And, alu.I1, all, c)
		}
	}
	switch {
	case last > 0:
	case v.at > 0 && v.b.Values[v.at-1] == all: // made for x: x is that
		x.Op, x.Args = all.Op, all.Args
		v.at--
		v.b.Values = slices.Delete(v.b.Values, v.at, v.at+1)
	default:
		x.Op, x.Args = alu.And, []*vir.Value{all, v.f.Const(x.Type, 1)}
	}
	return v.at
}

// add makes a scalar operation in front of the vote.
func (v *vote) add(op vir.Op, t alu.Type, args ...*vir.Value) *vir.Value {
	return edit.InsertValue(v.b, &v.at, op, vir.Scalar(t), args...)
}

// is gives a scalar that there is, number a constant.
func is(x *vir.Value) ballot { return func() *vir.Value { return x } }

func (v *vote) number(t alu.Type, bits uint64) ballot {
	return is(v.f.Const(vir.Scalar(t), bits))
}

// ask adds the condition x op y.
func (v *vote) ask(op vir.Op, x, y ballot) bool {
	v.ballots = append(v.ballots, func() *vir.Value { return v.add(op, alu.I1, x(), y()) })
	return true
}

// all adds what tells whether m, or its complement, has all lanes; false says that nothing
// simple does.
func (v *vote) all(m *vir.Value, not bool) bool {
	switch {
	case len(v.ballots) > mostBallots:
		return false
	case m.Op == alu.And && !not, m.Op == alu.Or && not:
		return v.all(m.Args[0], not) && v.all(m.Args[1], not)
	case m.Op == alu.Xor && analysis.IsConst(m.Args[1], 1):
		return v.all(m.Args[0], !not)
	case m.Op == vir.Const:
		return (m.Const&1 != 0) != not
	case m.Op == vir.Splat && not:
		return v.ask(alu.Xor, is(m.Args[0]), v.number(alu.I1, 1))
	case m.Op == vir.Splat:
		v.ballots = append(v.ballots, is(m.Args[0]))
		return true
	case m.Op == vir.Prefix && !not:
		return v.ask(alu.Slt, v.number(alu.I64, uint64(m.Index+m.Type.Lanes-1)), is(m.Args[0]))
	}
	return v.compared(m, not)
}

// compared is all for comparisons of lanes that count, from first to first + last, with a
// scalar u.
func (v *vote) compared(m *vir.Value, not bool) bool {
	if alu.InfoOf(m.Op).Class != alu.Compare || m.Args[0].Type.Elem != alu.I32 && m.Args[0].Type.Elem != alu.I64 {
		return false
	}
	t := m.Args[0].Type.Elem
	counts := 0 // which operand does
	first := v.counting(m.Args[0])
	if first == nil {
		counts, first = 1, v.counting(m.Args[1])
	}
	u := v.scalar(m.Args[1-counts])
	if first == nil || u == nil {
		return false
	}
	last := uint64(m.Type.Lanes - 1)
	between := func() bool { // u is none of first to first + last
		return v.ask(alu.Ult, v.number(t, last), func() *vir.Value { return v.add(alu.Sub, t, u(), first()) })
	}
	less, extend, least, most := alu.Slt, alu.SExt, uint64(1)<<(t.Bits()-1), uint64(1)<<(t.Bits()-1)-1
	switch m.Op {
	case alu.Eq, alu.Ne:
		return (m.Op == alu.Ne) != not && between()
	case alu.Ult, alu.Ule:
		less, extend, least, most = alu.Ult, alu.ZExt, 0, t.Mask()
	}
	// Where the numbers wrap, the largest and the least are among them.
	strict := m.Op == alu.Slt || m.Op == alu.Ult
	switch {
	case strict != not && (counts == 0) == strict: // lane < u
		if t == alu.I32 { // in 64 bits nothing wraps, and u - last is the same in all strips
			lane := func() *vir.Value { return v.add(extend, alu.I64, first()) }
			limit := func() *vir.Value {
				return v.add(alu.Add, alu.I64, v.add(extend, alu.I64, u()), v.f.Const(vir.Scalar(alu.I64), -last))
			}
			return v.ask(alu.Slt, lane, limit)
		}
		return v.ask(less, first, u) && between()
	case strict != not: // u < lane
		return v.ask(less, u, first) && v.ask(less, first, v.number(t, most-last+1))
	case (counts == 0) == strict: // u <= lane, which the least number is not if u is larger
		if c := u(); c.Op != vir.Const || c.Const == least {
			return false
		}
		return v.ask(less, v.number(t, u().Const-1), first) && v.ask(less, first, v.number(t, most-last+1))
	}
	return false // lane <= u
}

// counting gives the number of lane 0 if x is one more in each lane than in the one before,
// else nil.
func (v *vote) counting(x *vir.Value) ballot {
	t := x.Type.Elem
	switch x.Op {
	case vir.Iota:
		return v.number(t, uint64(x.Index))
	case alu.Sub:
		if first, u := v.counting(x.Args[0]), v.scalar(x.Args[1]); first != nil && u != nil {
			return func() *vir.Value { return v.add(alu.Sub, t, first(), u()) }
		}
	case alu.Add:
		for i, a := range x.Args {
			first, u := v.counting(a), v.scalar(x.Args[1-i])
			if first == nil || u == nil {
				continue
			}
			return func() *vir.Value {
				if n := first(); !analysis.IsConst(n, 0) {
					return v.add(alu.Add, t, u(), n)
				}
				return u()
			}
		}
	}
	return nil
}

// scalar gives what all lanes of x are, nil if they may differ.
func (v *vote) scalar(x *vir.Value) ballot {
	switch x.Op {
	case vir.Splat:
		return is(x.Args[0])
	case vir.Const:
		return v.number(x.Type.Elem, x.Const)
	}
	return nil
}

// sinkVotes moves vectors to the side of the branch on a vote where lanes part, if only that
// needs them, and returns how many.
func sinkVotes(f *vir.Func, answered map[*vir.Value]bool) (n int) {
	dom, in, uses := cfg.Dominators(f.Graph()), analysis.InEdges(f), analysis.UsesOf(f)
	for _, b := range f.Blocks {
		if b.Kind != vir.Branch || !answered[b.Cond] {
			continue
		}
		to := b.Edges[1].To
		if len(in[to.ID]) != 1 {
			continue
		}
		var moved []*vir.Value // the last first
		kept := len(b.Values)
		for i := len(b.Values) - 1; i >= 0; i-- {
			v := b.Values[i]
			there := vir.InfoOf(v.Op).Effect == vir.Pure && !v.Type.IsScalar()
			for _, u := range uses[v.ID] {
				at := u.Block
				if u.By != nil {
					at = u.By.Block // where it is by now
				}
				there = there && dom.Dominates(to.ID, at.ID)
			}
			if there {
				v.Block = to
				moved = append(moved, v)
				continue
			}
			kept--
			b.Values[kept] = v
		}
		n += len(moved)
		b.Values = b.Values[kept:]
		slices.Reverse(moved)
		to.Values = append(moved, to.Values...)
	}
	return n
}
