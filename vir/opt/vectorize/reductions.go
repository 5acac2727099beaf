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

// Reductions vectorizes loops of scalar code that only combine integers by associative and
// commutative operations: sums, products, bitwise operations, minima and maxima. The lanes are
// consecutive iterations.
//
//	                      few iterations left: the original loop, else
//	for (; k < end; k++)  n at a time: sums = sums + vload p+k
//	    sum += p[k]       remainder:   sums = m ? sums + vload p+k under m : sums
//	                      sum += each of sums
//
// A term may be conditional. Floating-point sums are not vectorized, as their order matters.
// Loads must be consecutive, in either direction, or invariant.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes; a reducible graph stays so
func Reductions(f *vir.Func, stats edit.Stats) {
	stats.Add("reductions", reduceAll(f, false))
}

// reduceAll vectorizes the loops with or without loads at computed indices, and returns how many.
func reduceAll(f *vir.Func, gathers bool) int {
	if f.Width != 1 {
		return 0
	}
	made := map[*vir.Block]bool{} // by head
	for work := 0; work < reductionWork && reduceOne(f, made, gathers); {
		f.Renumber()
		work += f.NumValues()
	}
	if len(made) > 0 {
		combine.Redundancy(f, nil)
		edit.Dead(f, nil)
	}
	return len(made)
}

// reduceOne vectorizes one loop that is not in made, and adds it.
func reduceOne(f *vir.Func, made map[*vir.Block]bool, gathers bool) bool {
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
		undo := selectsToMinMax(lp, uses)
		r := findReduction(f, lp, uses, gathers)
		if r == nil {
			undo()
		} else {
			made[r.lp.Head] = true
			if gathers {
				r.widenGathering()
			} else {
				r.widen()
			}
			return true
		}
	}
	return false
}

// reductionWork bounds the work for loops that are vectorized, each of which visits all values:
// code unrolled to thousands of loops would take minutes.
const reductionWork = 2 << 20

const (
	reducedBytes    = 64 // size of vectors of the widest values
	gatheringLanes  = 4  // lanes with scalar loads: more take longer to assemble
	maxReduced      = 48 // operations of a loop
	minReducedLanes = 4  // lanes
	minIterations   = 8  // iterations, or half of the lanes if that is less
	maxReduceStep   = 64 // step of the loop counter
)

// reduction is a loop of a head with the test and one other block.
type reduction struct {
	f  *vir.Func
	lp *analysis.SimpleLoop
	analysis.Counting
	exact bool // the loop ends when K equals the limit, in whatever order they start
	down  bool // K decreases by Step; implies exact
	uses  [][]analysis.Use

	counters []*vir.Value // parameters with an invariant step
	sums     []sum
	lanes    int

	gathers     bool // has loads at computed indices, which stay scalar
	strides     map[*vir.Value]stride
	independent map[*vir.Value]bool
}

// sum is a parameter of the loop's head that every iteration adds terms to.
type sum struct {
	p     *vir.Value
	op    vir.Op // Add for subtractions, too
	terms []added
}

// added is a term, added in all iterations or depending on a condition.
type added struct {
	x      *vir.Value
	minus  bool
	when   *vir.Value // nil: always
	unless bool       // added if the condition is false
}

// findReduction matches lp as a reduction; nil if it is none.
func findReduction(f *vir.Func, lp *analysis.SimpleLoop, uses [][]analysis.Use, gathers bool) *reduction {
	if lp == nil || lp.Head == lp.Latch || lp.Latch.Kind != vir.Jump || len(lp.Latch.Params) > 0 {
		return nil
	}
	r := &reduction{f: f, lp: lp, Counting: lp.Counting(), uses: uses, gathers: gathers, strides: map[*vir.Value]stride{}, independent: map[*vir.Value]bool{}}
	if r.K == nil {
		r.countTo()
	}
	if r.K == nil || r.Step > maxReduceStep || bits.OnesCount64(uint64(r.Step)) != 1 || len(lp.Head.Values)+len(lp.Latch.Values) > maxReduced {
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
	if n := r.constantTripCount(); len(r.sums) == 0 || !r.isLanewise() || n > 0 && n < r.minIterations() {
		return nil
	}
	return r
}

// countTo matches a test that continues the loop while k, which changes by a constant step,
// differs from the limit.
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

// constantTripCount returns the trip count if it is constant, else 0.
func (r *reduction) constantTripCount() int64 {
	if !r.exact {
		return r.TripCount(r.lp)
	}
	start := r.Start(r.lp)
	if start == nil || r.Limit.Op != vir.Const {
		return 0
	}
	distance := r.Limit.Signed() - start.Signed()
	if r.down {
		distance = -distance
	}
	return max(0, distance/r.Step)
}

// minIterations returns the minimum number of iterations to use vectors for. If the original loop runs the
// remainder, there are two exits to predict.
func (r *reduction) minIterations() int64 {
	if r.gathers {
		return minIterations
	}
	return int64(min(minIterations, r.lanes/2))
}

// isLanewise reports whether all values that the sums depend on can be computed for several
// iterations at once, and sets the number of lanes.
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
				return true
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
		if !v.Op.Pure() { // the head also runs when the loop ends
			return false
		}
	}
	for _, v := range r.lp.Latch.Values {
		if !v.Op.Pure() && !seen[v] && !(r.gathers && analysis.IsVectorizableAccess(v, vir.Load)) {
			return false
		}
	}
	if r.gathers {
		r.lanes = gatheringLanes
		return gathers > 0
	}
	r.lanes = reducedBytes / largest
	return rows > 0 && r.lanes >= minReducedLanes
}
