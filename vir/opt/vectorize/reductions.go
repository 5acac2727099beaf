package vectorize

import (
	"math/bits"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/combine"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Reductions makes rounds of a loop the lanes of vectors, in functions of one lane,
// where all that the loop does is to put integers together in an order that does
// not matter: sums, products, bits, the least and the greatest.
//
//	                      if few rounds are left: the loop, else
//	for (; k < end; k++)  n at a time: sums = sums + vload p+k
//	    sum += p[k]       the rest:    sums = m ? sums + vload p+k under m : sums
//	                      sum += each of sums
//
// What is put together may be a choice between that and nothing. Floating-point sums
// stay: their order matters. What is loaded lies side by side,
// upwards or downwards, or is the same each round.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes; a reducible graph stays so
func Reductions(f *vir.Func, stats edit.Stats) {
	stats.Add("reductions", reduceAll(f, inRows))
}

// gathering is how loops load what does not lie in a row.
type gathering int

const (
	inRows  gathering = iota // they do not
	singly                   // number by number
	inLanes                  // by instructions that gather
)

// reduceAll widens loops that gather in a way, or those that do not, and returns how many.
func reduceAll(f *vir.Func, gathering gathering) int {
	if f.Width != 1 {
		return 0
	}
	made := map[*vir.Block]bool{} // by head
	for work := 0; work < reductionWork && reduceOne(f, made, gathering); {
		f.Renumber()
		work += f.NumValues()
	}
	if len(made) > 0 {
		combine.Redundancy(f, nil)
		edit.Dead(f, nil)
	}
	return len(made)
}

// reduceOne widens one loop that is not among those made, and adds it to them.
func reduceOne(f *vir.Func, made map[*vir.Block]bool, gathering gathering) bool {
	cycles := cfg.Cycles(f.Graph())
	var in [][]analysis.InEdge
	var uses [][]analysis.Use
	for _, c := range cycles.Cycles {
		if len(c.Children) > 0 || len(c.Blocks) != 2 || c.Depth == 1 || made[f.Blocks[c.Header]] {
			continue
		}
		if in == nil {
			in, uses = analysis.InEdges(f), analysis.UsesOf(f)
		}
		lp := analysis.FindLoop(f, cycles, in, c)
		undo := orderChoices(lp, uses)
		r := findReduction(f, lp, uses, gathering)
		if r == nil {
			undo()
		} else {
			made[r.lp.Head] = true
			if gathering == singly {
				r.widenGathering()
			} else {
				r.widen()
			}
			return true
		}
	}
	return false
}

// reductionWork bounds the loops that are widened, each of which looks at all values:
// code unrolled to thousands of loops would take minutes.
const reductionWork = 2 << 20

const (
	reducedBytes   = 64 // of a vector of the largest numbers
	gatheringLanes = 4  // where something is gathered: more take longer to put together
	mostReduced    = 48 // operations of a loop
	fewestReduced  = 4  // lanes
	leastToReduce  = 8  // rounds, or half of the lanes if that is less
	mostReduceStep = 64 // by which a counter goes up
)

// reduction is a loop of a head that tests and a block, and what it puts together.
type reduction struct {
	f  *vir.Func
	lp *analysis.SimpleLoop
	analysis.Counting
	exact bool // the loop goes on until k is the limit: what the order of both is does not matter
	down  bool // k goes down by step; exact
	uses  [][]analysis.Use

	counters []*vir.Value // parameters that go up by what stays
	sums     []sum
	lanes    int

	gathering gathering
	strides   map[*vir.Value]stride
	remakable map[*vir.Value]bool
}

// sum is a parameter of the loop's head that each round adds terms to.
type sum struct {
	p     *vir.Value
	op    vir.Op // Add where it is subtracted from, too
	terms []added
}

// added is a term that is added in the rounds in which a condition holds, or does not.
type added struct {
	x      *vir.Value
	minus  bool
	when   *vir.Value // nil: in all
	unless bool
}

// stride is by how much a number goes up from round to round.
type stride struct {
	by int64
	ok bool
}

// findReduction returns lp as a reduction, nil if it is none.
func findReduction(f *vir.Func, lp *analysis.SimpleLoop, uses [][]analysis.Use, gathering gathering) *reduction {
	if lp == nil || lp.Head == lp.Latch || lp.Latch.Kind != vir.Jump || len(lp.Latch.Params) > 0 {
		return nil
	}
	r := &reduction{f: f, lp: lp, Counting: lp.Counting(), uses: uses, gathering: gathering, strides: map[*vir.Value]stride{}, remakable: map[*vir.Value]bool{}}
	if r.K == nil {
		r.countTo()
	}
	if r.K == nil || r.Step > mostReduceStep || bits.OnesCount64(uint64(r.Step)) != 1 || len(lp.Head.Values)+len(lp.Latch.Values) > mostReduced {
		return nil
	}
	for _, p := range lp.Head.Params {
		if by := analysis.StepOf(lp, p); by != nil && by.Op == vir.Const && p.Type.Elem.IsInt() {
			r.counters = append(r.counters, p)
		} else if s, ok := r.sum(p); ok {
			r.sums = append(r.sums, s)
		} else {
			return nil
		}
	}
	if n := r.known(); len(r.sums) == 0 || !r.isLanewise() || n > 0 && n < r.leastKnown() {
		return nil
	}
	return r
}

// countTo finds a test that lets the loop go on while k, which grows or shrinks by a
// constant each round, is not the limit.
func (r *reduction) countTo() {
	stay, c := r.lp.Stays(), r.lp.Head.Cond
	if stay < 0 || c.Op != [2]vir.Op{alu.Ne, alu.Eq}[stay] {
		return
	}
	for i, k := range c.Args {
		limit := c.Args[1-i]
		if k.Op != vir.Param || k.Block != r.lp.Head || !k.Type.IsScalar() || !k.Type.Elem.IsInt() || k.Type.Elem.Bits() < 32 || !r.lp.Outside(limit) {
			continue
		}
		if by := analysis.StepOf(r.lp, k); by != nil && by.Op == vir.Const && by.Signed() != 0 {
			step := by.Signed()
			r.Counting = analysis.Counting{Stay: stay, K: k, Limit: limit, Step: max(step, -step)}
			r.exact, r.down = true, step < 0
			return
		}
	}
}

// known is how many rounds there are, 0 if that is not known.
func (r *reduction) known() int64 {
	if !r.exact {
		return r.TripCount(r.lp)
	}
	start := r.Start(r.lp)
	if start == nil || r.Limit.Op != vir.Const {
		return 0
	}
	way := r.Limit.Signed() - start.Signed()
	if r.down {
		way = -way
	}
	return max(0, way/r.Step)
}

// least is how many rounds there must be at least. Where the rest of them is left to the
// loop, the processor has to guess the ends of two.
func (r *reduction) least() int64 {
	switch r.gathering {
	case singly:
		return leastToReduce
	case inLanes:
		return 1
	}
	return int64(min(leastToReduce, r.lanes/2))
}

// leastKnown is least where the number of rounds is known.
func (r *reduction) leastKnown() int64 {
	if r.gathering == inLanes {
		return leastKnownGathers
	}
	return r.least()
}

// sum returns how p is put together.
func (r *reduction) sum(p *vir.Value) (s sum, ok bool) {
	next := r.lp.Next(p)
	s = sum{p: p, op: next.Op}
	if y, _, _ := r.conditional(next); y != nil {
		s.op = y.Op
	}
	if s.op == alu.Sub {
		s.op = alu.Add
	}
	if !alu.Combines(s.op) || !p.Type.IsScalar() || !p.Type.Elem.IsInt() {
		return s, false
	}
	combines := func(v *vir.Value) bool { return v.Op == s.op || v.Op == alu.Sub && s.op == alu.Add }
	v, users := next, 1
	for v != p {
		if r.lp.Outside(v) || r.users(v) != users {
			return s, false
		}
		if y, z, unless := r.conditional(v); y != nil && combines(y) && r.users(y) == 1 {
			x := y.Args[1]
			if x == z {
				x = y.Args[0]
			}
			s.terms = append(s.terms, added{x, y.Op == alu.Sub, v.Args[0], unless})
			v, users = z, 2 // y and the choice
			continue
		}
		own := 0 // the operand that leads to p
		switch {
		case !combines(v):
			return s, false
		case v.Op != alu.Sub && !r.leads(v.Args[0], p, s.op):
			own = 1
		}
		s.terms = append(s.terms, added{x: v.Args[1-own], minus: v.Op == alu.Sub})
		v, users = v.Args[own], 1
	}
	return s, r.users(p) == users
}

// conditional returns the arms of v if it is a choice between z and y, which puts z and
// something together, and whether it is y unless the condition holds.
func (r *reduction) conditional(v *vir.Value) (y, z *vir.Value, unless bool) {
	if v.Op != alu.Select || r.lp.Outside(v) {
		return nil, nil, false
	}
	for i, y := range v.Args[1:] {
		z := v.Args[2-i]
		if r.lp.Outside(y) || !alu.Combines(y.Op) && y.Op != alu.Sub {
			continue
		}
		if y.Args[0] == z || y.Op != alu.Sub && y.Args[1] == z {
			return y, z, i == 1
		}
	}
	return nil, nil, false
}

// orderChoices makes minima and maxima of what lp's parameters become by choosing between
// two integers by their order. Of single numbers both take as long, but one can be found
// for several rounds at once. The result makes them choices again.
func orderChoices(lp *analysis.SimpleLoop, uses [][]analysis.Use) (undo func()) {
	undo = func() {}
	if lp == nil {
		return undo
	}
	for _, p := range lp.Head.Params {
		for v := lp.Next(p); v.Op == alu.Select && !lp.Outside(v); {
			c := v.Args[0]
			if c.Op == alu.FLt || analysis.MinMax[c.Op].Min == 0 || c.Args[0].Type != v.Type || lp.Outside(c) || len(uses[c.ID]) != 1 {
				break
			}
			op, ok := analysis.MinMaxOf(v)
			if !ok {
				break
			}
			choice, args, before := v, v.Args, undo
			ofArgs := [2][]analysis.Use{uses[args[1].ID], uses[args[2].ID]}
			undo = func() {
				choice.Op, choice.Args = alu.Select, args
				uses[args[1].ID], uses[args[2].ID] = ofArgs[0], ofArgs[1]
				before()
			}
			v.Op, v.Args = op, args[1:]
			for i, a := range v.Args {
				uses[a.ID] = slices.DeleteFunc(slices.Clone(ofArgs[i]), func(u analysis.Use) bool { return u.By == c })
			}
			if v = v.Args[0]; v == p || v.Op != alu.Select {
				v = choice.Args[1]
			}
		}
	}
	return undo
}

// leads reports whether v is p, or a sum that it is in.
func (r *reduction) leads(v, p *vir.Value, op vir.Op) bool {
	for !r.lp.Outside(v) {
		if y, z, _ := r.conditional(v); y != nil {
			v = z
			continue
		}
		switch {
		case v == p:
			return true
		case v.Op == vir.Param || v.Op != op && !(v.Op == alu.Sub && op == alu.Add):
			return false
		case v.Op != alu.Sub && r.leads(v.Args[1], p, op):
			return true
		}
		v = v.Args[0]
	}
	return false
}

// users counts the places in which the loop uses v.
func (r *reduction) users(v *vir.Value) (n int) {
	for _, u := range r.uses[v.ID] {
		if u.Block == r.lp.Latch || u.Block == r.lp.Head && u.By != nil {
			n++
		}
	}
	return n
}

// isLanewise reports whether all that the sums need can be computed for several
// rounds at once, and finds for how many.
func (r *reduction) isLanewise() bool {
	largest, rows, gathers := 0, 0, 0
	seen := map[*vir.Value]bool{}
	var needs func(v *vir.Value) bool
	needs = func(v *vir.Value) bool {
		if seen[v] {
			return true
		}
		seen[v] = true
		if v.Type.Elem != alu.I1 {
			largest = max(largest, v.Type.Elem.Size())
		}
		switch {
		case r.lp.Outside(v):
			return true
		case v.Op == vir.Param:
			return slices.Contains(r.counters, v)
		case v.Op == vir.Load:
			s := r.stride(v.Args[0])
			if r.gathered(v) {
				gathers++
				if r.gathering == singly {
					return true
				}
				p := r.place(v)
				largest = max(largest, p.indexBytes())
				return needs(p.index)
			}
			if s.by != 0 {
				rows++
			}
			size := int64(v.Type.Elem.Size())
			return s.ok && (s.by == 0 || s.by == size || s.by == -size) && analysis.IsVectorizableAccess(v, vir.Load)
		case !analysis.CheapOnVectors(v.Op) || !v.Type.IsScalar():
			return false
		}
		return !slices.ContainsFunc(v.Args, func(a *vir.Value) bool { return !needs(a) })
	}
	for _, s := range r.sums {
		largest = max(largest, s.p.Type.Elem.Size())
		for _, t := range s.terms {
			if !needs(t.x) || t.when != nil && !needs(t.when) {
				return false
			}
		}
	}
	for _, v := range r.lp.Head.Values {
		if !v.Op.Pure() { // it is also run when the loop ends
			return false
		}
	}
	for _, v := range r.lp.Latch.Values {
		if !v.Op.Pure() && !seen[v] && !(r.gathering != inRows && analysis.IsVectorizableAccess(v, vir.Load)) {
			return false
		}
	}
	switch r.gathering {
	case singly:
		r.lanes = gatheringLanes
		return gathers > 0
	case inLanes:
		r.lanes = min(mostGatherLanes, reducedBytes/largest)
		return gathers > 0
	}
	r.lanes = reducedBytes / largest
	return rows > 0 && r.lanes >= fewestReduced
}

// stride finds by how much v, an address or part of one, goes up each round. An
// index that wraps would leave the object that is accessed each round.
func (r *reduction) stride(v *vir.Value) stride {
	if s, ok := r.strides[v]; ok {
		return s
	}
	s := r.newStride(v)
	if s.by != int64(int32(s.by)) {
		s.ok = false
	}
	r.strides[v] = s
	return s
}

func (r *reduction) newStride(v *vir.Value) stride {
	if r.lp.Outside(v) {
		return stride{0, true}
	}
	if v.Op == vir.Param {
		if slices.Contains(r.counters, v) {
			return stride{analysis.StepOf(r.lp, v).Signed(), true}
		}
		return stride{}
	}
	arg := func(i int) stride { return r.stride(v.Args[i]) }
	if v.Op.Pure() && !slices.ContainsFunc(v.Args, func(a *vir.Value) bool { return r.stride(a) != stride{0, true} }) {
		return stride{0, true}
	}
	switch v.Op {
	case alu.Add:
		a, b := arg(0), arg(1)
		return stride{a.by + b.by, a.ok && b.ok}
	case alu.Sub:
		a, b := arg(0), arg(1)
		return stride{a.by - b.by, a.ok && b.ok}
	case alu.Shl, alu.Mul:
		a, c := arg(0), v.Args[1]
		if c.Op != vir.Const {
			break
		}
		by := c.Signed()
		if v.Op == alu.Shl {
			by = 1 << min(c.Const, 32) // more is too far for any object
		}
		return stride{a.by * by, a.ok && by == int64(int32(by))}
	case alu.SExt, alu.ZExt:
		if v.Args[0].Type.Elem == alu.I32 {
			return arg(0)
		}
	}
	return stride{}
}
