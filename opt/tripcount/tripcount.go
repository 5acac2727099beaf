// Package tripcount has the pass that lets lanes leave loops together which each of them
// runs over a stretch of its own, where all stretches are of one length.
//
//	for (k = b; k < b+n; k++)     if (b < b+n)
//	    ...                           for (j = 0, k = b; j < n; j++, k++)
//	                                      ...
//
// The bounds differ from lane to lane, and so does whether a counter is below its bound,
// as b+n may wrap in one lane and not in another; how often the loop goes round, once it
// is entered, does not. Where that is a small constant, the loop is unrolled then, which is
// worth it for one lane, too.
package tripcount

import (
	"fmt"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/polynomial"
)

// mostTerms is what a number of rounds is the sum of at most.
const mostTerms = 4

// mostShort is how many rounds may be worth unrolling.
const mostShort = 64

// Count returns f with the rounds counted of loops whose headers part lanes that go round
// equally often, as info has it of f, and of those that go round few times, a constant
// number; f itself, which stays as it is, where there are none.
// What it returns may have more of them: loops that follow others at once.
//
// requires: a prepared kernel; maintains: f; the result is prepared
func Count(f *kernel.Func, info *divergence.Info, st opt.Stats) *kernel.Func {
	found := find(f, info)
	if len(found) == 0 {
		return f
	}
	made := kernel.Clone(f)
	placed := map[*kernel.Block][]*kernel.Block{}
	for _, l := range found {
		l.count(made, placed)
	}
	made.Blocks = made.Blocks[:len(f.Blocks)]
	for i := len(made.Blocks) - 1; i >= 0; i-- {
		made.Blocks = slices.Insert(made.Blocks, i, placed[made.Blocks[i]]...)
	}
	made.Renumber()
	opt.RemoveUnreachable(made, nil)
	made.Renumber()
	nested := slices.ContainsFunc(found, func(l *loop) bool { return l.endless != nil })
	for _, pass := range opt.Resize {
		if !nested || pass.Name != "control" { // that would make one loop of two
			pass.Run(made, nil)
		}
	}
	for _, l := range found {
		made.Note(l.header.Cond.Pos, "counted", l.told())
	}
	st.Add("loops counted", len(found))
	return made
}

// told is the note about a loop.
func (l *loop) told() string {
	text := "by its rounds: where they begin and end differs between lanes, how many there are does not"
	if n, ok := l.constant(); ok {
		text = fmt.Sprintf("by its rounds, %d wherever they begin", n)
	}
	if l.test.op != alu.Ne {
		text += "; lanes ask before it whether to go round, as the end may wrap"
	}
	if l.endless != nil {
		text += ", and behind it whether theirs is a number that ends no loop"
	}
	return text
}

// loop is one whose rounds are to be counted. Its values and blocks are those of the
// kernel it was found in, and stand for those of the same IDs in a clone.
type loop struct {
	header  *kernel.Block
	enter   opt.InEdge
	back    []opt.InEdge
	stay    int            // the edge of header that stays
	test    relation       // what lanes that stay have
	counter *kernel.Value  // parameter of header
	first   *kernel.Value  // what it begins with
	bound   *kernel.Value  // the other side of the test
	rounds  polynomial.Sum // how often the loop goes round if it is entered, modulo 2^bits
	endless *uint64        // the bound for which it does not end by this test, if lanes may have it
	cycle   *cfg.Cycle
	cycles  *cfg.CycleForest
}

// relation is lanes' counter op bound, or bound op counter.
type relation struct {
	op       kernel.Op
	boundOnX bool // the bound is the first operand
}

func find(f *kernel.Func, info *divergence.Info) []*loop {
	loops := cfg.Cycles(f.Graph())
	var in [][]opt.InEdge
	var out []*loop
	for _, c := range loops.Cycles {
		h := f.Blocks[c.Header]
		if !c.Reducible() || h.Kind != kernel.Branch || info.Divergent[h.ID] && info.Asynchronous[h.ID] {
			continue
		}
		if in == nil {
			in = opt.InEdges(f)
		}
		l := &loop{header: h, cycle: c, cycles: loops}
		if l.ways(in[h.ID]) && l.tested() && l.counted() && (info.Divergent[h.ID] && l.even(info) || l.short(info)) && l.avoidable() {
			out = append(out, l)
		}
	}
	// The way from one loop to the next is changed at both ends: the next time.
	return slices.DeleteFunc(out, func(l *loop) bool {
		return slices.ContainsFunc(out, func(k *loop) bool { return k.header == l.enter.From })
	})
}

// outside reports whether b is not in the loop.
func (l *loop) outside(b *kernel.Block) bool { return !l.cycles.Contains(l.cycle, b.ID) }

// ways finds the edges to the header: one enters.
func (l *loop) ways(in []opt.InEdge) bool {
	enter := 0
	for _, e := range in {
		if l.outside(e.From) {
			l.enter = e
			enter++
		} else {
			l.back = append(l.back, e)
		}
	}
	return enter == 1
}

// tested finds the test: one edge of the header leaves the loop, and whether lanes take it
// is a comparison of a parameter with what is the same in all rounds.
func (l *loop) tested() bool {
	h := l.header
	l.stay = slices.IndexFunc(h.Edges, func(e kernel.Edge) bool { return !l.outside(e.To) })
	if l.stay < 0 || !l.outside(h.Edges[1-l.stay].To) {
		return false
	}
	c := h.Cond
	if alu.InfoOf(c.Op).Class != alu.Compare || !c.Args[0].Type.IsInt() {
		return false
	}
	x, y, op := c.Args[0], c.Args[1], c.Op
	if l.stay == 1 { // lanes stay where the comparison does not hold
		switch op {
		case alu.Eq:
			op = alu.Ne
		case alu.Ne:
			return false
		default:
			op, x, y = alu.Exchanged[op], y, x
		}
	}
	if op == alu.Eq {
		return false
	}
	l.test = relation{op, false}
	l.counter, l.bound = x, y
	if !l.counts(x) || !l.same(y) {
		l.test.boundOnX = true
		l.counter, l.bound = y, x
	}
	return l.counts(l.counter) && l.same(l.bound)
}

func (l *loop) counts(v *kernel.Value) bool { return v.Op == kernel.Param && v.Block == l.header }

// same reports whether v is the same in all rounds, and can be computed before the loop.
func (l *loop) same(v *kernel.Value) bool {
	if v.Block == nil || l.outside(v.Block) {
		return true
	}
	return v.Op.Pure() && !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !l.same(a) })
}

// counted finds how far the counter goes in a round, and whether it comes upon the bound:
// by steps of one, or by larger ones that a constant distance is a multiple of.
func (l *loop) counted() bool {
	t := l.counter.Type
	l.first = l.enter.Edge().Args[l.counter.Index]
	step := int64(0)
	for i, e := range l.back {
		by := l.step(e.Edge().Args[l.counter.Index])
		if i > 0 && by != step || by == 0 {
			return false
		}
		step = by
	}
	up := step > 0
	most, least := t.Mask(), uint64(0) // the largest and the smallest number
	if l.test.op == alu.Slt || l.test.op == alu.Sle {
		most, least = t.Mask()>>1, t.Mask()>>1+1
	}
	// Upwards, lanes stay below the bound, downwards above it.
	if l.test.op != alu.Ne && l.test.boundOnX == up {
		return false
	}
	from, to := polynomial.Of(l.first), polynomial.Of(l.bound)
	if !up {
		from, to = to, from
	}
	l.rounds = to.Minus(from, t)
	if n := uint64(max(step, -step)); n > 1 {
		distance, ok := l.constant()
		if !ok || distance%n != 0 || l.test.op == alu.Sle || l.test.op == alu.Ule {
			return false
		}
		l.rounds = polynomial.Constant(distance / n)
	}
	if l.test.op == alu.Sle || l.test.op == alu.Ule {
		l.rounds = l.rounds.Plus(polynomial.Constant(1), t)
		l.endless = &most
		if !up {
			l.endless = &least
		}
	}
	return true
}

// constant is the number in rounds, if no other value is in it.
func (l *loop) constant() (n uint64, ok bool) {
	switch {
	case l.rounds == nil || len(l.rounds.Values()) > 0:
		return 0, false
	case len(l.rounds) == 0:
		return 0, true
	}
	return l.rounds[0].Factor, true
}

// step is by what constant v is more than the counter, 0 if it is not.
func (l *loop) step(v *kernel.Value) int64 {
	if len(v.Args) != 2 || v.Args[0] != l.counter || v.Args[1].Op != kernel.Const {
		return 0
	}
	by := v.Type.Signed(v.Args[1].Const)
	switch {
	case v.Op == alu.Sub:
		by = -by
	case v.Op != alu.Add:
		return 0
	}
	return by
}

// even reports whether all lanes go round equally often, from numbers of their own on.
func (l *loop) even(info *divergence.Info) bool {
	if info.Uniform(l.first) && info.Uniform(l.bound) {
		return false // as where rounds are counted already: what parts lanes is something else
	}
	if l.rounds == nil || len(l.rounds) > mostTerms || slices.ContainsFunc(l.rounds.Values(), func(v *kernel.Value) bool { return !info.Uniform(v) }) {
		return false
	}
	if info.Shapes[l.bound.ID].Kind == divergence.Strided && l.ends(info) {
		l.endless = nil
	}
	return true
}

// ends reports whether the bound is never the number for which the loop does not end.
func (l *loop) ends(info *divergence.Info) bool {
	if l.endless == nil {
		return true
	}
	known, signed := info.Bounds[l.bound.ID], l.bound.Type.Signed(*l.endless)
	return *l.endless < known.ULo || *l.endless > known.UHi || signed < known.SLo || signed > known.SHi
}

// short reports whether there are so few rounds, a constant number, that they may be
// unrolled, from a number on that is none.
func (l *loop) short(info *divergence.Info) bool {
	n, ok := l.constant()
	if !ok || n > mostShort || l.first.Op == kernel.Const || !l.ends(info) {
		return false
	}
	l.endless = nil
	return true
}

// avoidable reports whether lanes that go round not even once can do without the header.
func (l *loop) avoidable() bool {
	for _, v := range l.header.Values {
		if kernel.InfoOf(v.Op).Effect != kernel.Pure && (v.Op != kernel.Load || v.Volatile) {
			return false
		}
	}
	return l.test.op == alu.Ne || !slices.ContainsFunc(l.header.Edges[1-l.stay].Args, func(a *kernel.Value) bool { return !l.early(a) })
}

// early reports whether v, as it is in the first round, can be computed before the loop.
func (l *loop) early(v *kernel.Value) bool {
	if v.Block == nil || l.outside(v.Block) || l.counts(v) {
		return true
	}
	return v.Op.Pure() && v.Op != kernel.Param && !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !l.early(a) })
}
