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

// Votes replaces votes over all lanes by scalar comparisons if the lanes hold consecutive
// values, such as IDs, that are compared with a uniform value:
//
//	all(splat i + {0, 1, …, W-1} < splat n)   =   i + W-1 < n
//
// A guard such as if (i < n) then takes vector operations only where it is divergent: values
// that are needed only there move there. Sums that may wrap are handled if that takes no more
// than another comparison.
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
				at = v.replaceByBallots(x)
				answered[x] = true
			}
		}
	}
	if len(answered) == 0 {
		return
	}
	stats.Add("votes on consecutive lanes", len(answered))
	f.Renumber()
	edit.Dead(f, nil)
	stats.Add("sunk to divergent paths", sinkVotes(f, answered))
	f.Renumber()
	loops.Hoist(f, nil)
}

// vote is a vote over all lanes that scalar operations are to replace.
type vote struct {
	f       *vir.Func
	b       *vir.Block
	at      int // index in b.Values
	ballots []ballot
}

// ballot creates a scalar in front of the vote: one of the conditions that together mean all
// lanes, or an operand of one.
type ballot func() *vir.Value

// maxBallots bounds the conditions of one vote.
const maxBallots = 8

// replaceByBallots replaces x by the conjunction of the ballots, and returns its index in the block.
func (v *vote) replaceByBallots(x *vir.Value) int {
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
	case v.at > 0 && v.b.Values[v.at-1] == all: // created for x: x takes its place
		x.Op, x.Args = all.Op, all.Args
		v.at--
		v.b.Values = slices.Delete(v.b.Values, v.at, v.at+1)
	default:
		x.Op, x.Args = alu.And, []*vir.Value{all, v.f.Const(x.Type, 1)}
	}
	return v.at
}

// add creates a scalar operation in front of the vote.
func (v *vote) add(op vir.Op, t alu.Type, args ...*vir.Value) *vir.Value {
	return edit.InsertValue(v.b, &v.at, op, vir.Scalar(t), args...)
}

// existing returns a scalar of the function as a ballot, number a constant.
func existing(x *vir.Value) ballot { return func() *vir.Value { return x } }

func (v *vote) number(t alu.Type, bits uint64) ballot {
	return existing(v.f.Const(vir.Scalar(t), bits))
}

// addCompare adds the condition x op y.
func (v *vote) addCompare(op vir.Op, x, y ballot) bool {
	v.ballots = append(v.ballots, func() *vir.Value { return v.add(op, alu.I1, x(), y()) })
	return true
}

// all adds conditions that together mean that m, or its complement, is set in all lanes. It
// returns false if there are no simple ones.
func (v *vote) all(m *vir.Value, not bool) bool {
	switch {
	case len(v.ballots) > maxBallots:
		return false
	case m.Op == alu.And && !not, m.Op == alu.Or && not:
		return v.all(m.Args[0], not) && v.all(m.Args[1], not)
	case m.Op == alu.Xor && analysis.IsConst(m.Args[1], 1):
		return v.all(m.Args[0], !not)
	case m.Op == vir.Const:
		return (m.Const&1 != 0) != not
	case m.Op == vir.Splat && not:
		return v.addCompare(alu.Xor, existing(m.Args[0]), v.number(alu.I1, 1))
	case m.Op == vir.Splat:
		v.ballots = append(v.ballots, existing(m.Args[0]))
		return true
	case m.Op == vir.Prefix && !not:
		return v.addCompare(alu.Slt, v.number(alu.I64, uint64(m.Index+m.Type.Lanes-1)), existing(m.Args[0]))
	}
	return v.compared(m, not)
}

// compared does so for a comparison of consecutive values, first to first + last, with a
// scalar u.
func (v *vote) compared(m *vir.Value, not bool) bool {
	if alu.InfoOf(m.Op).Class != alu.Compare || m.Args[0].Type.Elem != alu.I32 && m.Args[0].Type.Elem != alu.I64 {
		return false
	}
	t := m.Args[0].Type.Elem
	counts := 0 // the operand with consecutive values
	first := v.firstOfConsecutive(m.Args[0])
	if first == nil {
		counts, first = 1, v.firstOfConsecutive(m.Args[1])
	}
	u := v.scalar(m.Args[1-counts])
	if first == nil || u == nil {
		return false
	}
	last := uint64(m.Type.Lanes - 1)
	between := func() bool { // u is not in first to first + last
		return v.addCompare(alu.Ult, v.number(t, last), func() *vir.Value { return v.add(alu.Sub, t, u(), first()) })
	}
	less, extend, lowest, highest := alu.Slt, alu.SExt, uint64(1)<<(t.Bits()-1), uint64(1)<<(t.Bits()-1)-1
	switch m.Op {
	case alu.Eq, alu.Ne:
		return (m.Op == alu.Ne) != not && between()
	case alu.Ult, alu.Ule:
		less, extend, lowest, highest = alu.Ult, alu.ZExt, 0, t.Mask()
	}
	// If the values wrap, both the greatest and the lowest value are among them.
	strict := m.Op == alu.Slt || m.Op == alu.Ult
	switch {
	case strict != not && (counts == 0) == strict: // lane < u
		if t == alu.I32 { // 64 bits do not wrap, and u - last is invariant over the strips
			lane := func() *vir.Value { return v.add(extend, alu.I64, first()) }
			limit := func() *vir.Value {
				return v.add(alu.Add, alu.I64, v.add(extend, alu.I64, u()), v.f.Const(vir.Scalar(alu.I64), -last))
			}
			return v.addCompare(alu.Slt, lane, limit)
		}
		return v.addCompare(less, first, u) && between()
	case strict != not: // u < lane
		return v.addCompare(less, u, first) && v.addCompare(less, first, v.number(t, highest-last+1))
	case (counts == 0) == strict: // u <= lane, which is false for the lowest value if u is greater
		if c := u(); c.Op != vir.Const || c.Const == lowest {
			return false
		}
		return v.addCompare(less, v.number(t, u().Const-1), first) && v.addCompare(less, first, v.number(t, highest-last+1))
	}
	return false // lane <= u
}

// firstOfConsecutive returns the value of lane 0 if x grows by one from lane to lane, else nil.
func (v *vote) firstOfConsecutive(x *vir.Value) ballot {
	t := x.Type.Elem
	switch x.Op {
	case vir.Iota:
		return v.number(t, uint64(x.Index))
	case alu.Sub:
		if first, u := v.firstOfConsecutive(x.Args[0]), v.scalar(x.Args[1]); first != nil && u != nil {
			return func() *vir.Value { return v.add(alu.Sub, t, first(), u()) }
		}
	case alu.Add:
		for i, a := range x.Args {
			first, u := v.firstOfConsecutive(a), v.scalar(x.Args[1-i])
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

// scalar returns the value of all lanes of x, nil if they may differ.
func (v *vote) scalar(x *vir.Value) ballot {
	switch x.Op {
	case vir.Splat:
		return existing(x.Args[0])
	case vir.Const:
		return v.number(x.Type.Elem, x.Const)
	}
	return nil
}

// sinkVotes moves vector operations to the divergent side of a branch on a vote if only that
// side uses them. It returns how many.
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
		var moved []*vir.Value // in reverse order
		kept := len(b.Values)
		for i := len(b.Values) - 1; i >= 0; i-- {
			v := b.Values[i]
			there := vir.InfoOf(v.Op).Effect == vir.Pure && !v.Type.IsScalar()
			for _, u := range uses[v.ID] {
				at := u.Block
				if u.By != nil {
					at = u.By.Block // it may have moved
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
