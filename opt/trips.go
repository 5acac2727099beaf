package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// counted is a loop whose iterations can be enumerated: some of the
// parameters of its header start as constants and are stepped by pure
// operations on themselves and constants, and they decide a branch of every iteration
// that may exit. In a nest the constants may also be counters of the
// enclosing loops.
type counted struct {
	cycle  *cfg.Cycle
	header *kernel.Block
	start  []*kernel.Value   // argument of the entering edges, by parameter; nil if it is no counter
	step   [][]*kernel.Value // the distinct arguments of the back edges
	tests  []loopTest
	own    int // operations outside inner loops, terminators included
}

// loopTest is a branch that exits the loop.
type loopTest struct {
	block *kernel.Block
	exit  [2]bool // which edges exit
}

// counting holds the counted loops of a function.
type counting struct {
	f     *kernel.Func
	loops *cfg.CycleForest
	by    []*counted // by cycle ID; nil for loops that are not counted
	own   []int      // by cycle ID: operations outside inner loops
	size  []int      // by cycle ID: operations
	iv    []*counted // by value ID: the loop of which the parameter is a counter
}

func countLoops(f *kernel.Func) *counting {
	g := f.Graph()
	loops := cfg.Cycles(g)
	n := len(loops.Cycles)
	c := &counting{f: f, loops: loops, by: make([]*counted, n), own: make([]int, n), size: make([]int, n)}
	if n == 0 {
		return c
	}
	c.iv = make([]*counted, f.NumValues())
	for _, b := range f.Blocks {
		if x := loops.InnermostCycle(b.ID); x != nil {
			c.own[x.ID] += len(b.Values) + 1
		}
	}
	for i := n - 1; i >= 0; i-- { // inner before outer
		x := loops.Cycles[i]
		c.size[i] += c.own[i]
		if x.Parent != nil {
			c.size[x.Parent.ID] += c.size[i]
		}
	}
	dom := cfg.Dominators(g)
	in := InEdges(f)
	for i, x := range loops.Cycles { // outer before inner
		c.by[i] = c.count(x, dom, in[x.Header])
	}
	return c
}

// count describes one loop, or returns nil if it is not counted.
func (c *counting) count(x *cfg.Cycle, dom *cfg.DomTree, in []InEdge) *counted {
	if !x.Reducible() {
		return nil
	}
	l := &counted{cycle: x, header: c.f.Blocks[x.Header], own: c.own[x.ID]}
	n := len(l.header.Params)
	l.start, l.step = make([]*kernel.Value, n), make([][]*kernel.Value, n)
	found := false
	for i, p := range l.header.Params {
		if !p.Type.IsInt() {
			continue
		}
		same := true
		for _, e := range in {
			a := e.Edge().Args[i]
			if !c.loops.Contains(x, e.From.ID) {
				same = same && (l.start[i] == nil || l.start[i] == a)
				l.start[i] = a
			} else if !slices.Contains(l.step[i], a) {
				l.step[i] = append(l.step[i], a)
			}
		}
		if same && c.countable(l.start[i]) {
			c.iv[p.ID], found = l, true
		}
	}
	if !found {
		return nil
	}
	// A step may use other parameters of the header: a parameter that is no counter
	// disqualifies those that depend on it.
	for repeat := true; repeat; {
		repeat = false
		for i, p := range l.header.Params {
			if c.iv[p.ID] == l && slices.ContainsFunc(l.step[i], func(v *kernel.Value) bool { return !c.countable(v) }) {
				c.iv[p.ID], repeat = nil, true
			}
		}
	}
	for i, p := range l.header.Params {
		if c.iv[p.ID] != l {
			l.start[i], l.step[i] = nil, nil
		}
	}
	for _, id := range x.Blocks {
		b := c.f.Blocks[id]
		if b.Kind != kernel.Branch || c.loops.InnermostCycle(id) != x {
			continue
		}
		t := loopTest{block: b}
		for i := range t.exit {
			t.exit[i] = !c.loops.Contains(x, b.Edges[i].To.ID)
		}
		always := t.exit[0] != t.exit[1]
		for _, latch := range x.Latches {
			always = always && dom.Dominates(id, latch)
		}
		if always && c.countable(b.Cond) {
			l.tests = append(l.tests, t)
		}
	}
	if len(l.tests) == 0 {
		return nil
	}
	return l
}

// maxExpr limits the operations of an expression that is analyzed or evaluated.
const maxExpr = 24

// countable reports whether v is a pure expression of constants and counters, whose loops
// need not contain v.
func (c *counting) countable(v *kernel.Value) bool {
	left := maxExpr
	return c.leaves(v, &left, nil)
}

// leaves calls visit for every counter in the expression v and
// reports whether all of its leaves are counters or constants.
func (c *counting) leaves(v *kernel.Value, left *int, visit func(*counted)) bool {
	if *left--; *left < 0 {
		return false
	}
	switch {
	case v == nil:
		return false
	case v.Op == kernel.Const:
		return true
	case v.Op == kernel.Param:
		l := c.iv[v.ID]
		if l != nil && visit != nil {
			visit(l)
		}
		return l != nil
	case !v.Op.Pure():
		return false
	}
	for _, a := range v.Args {
		if !c.leaves(a, left, visit) {
			return false
		}
	}
	return true
}

// env holds the values of counters in one iteration.
type env map[*kernel.Value]uint64

// eval computes a countable expression. It fails if the loop of a counter was not entered.
func (e env) eval(v *kernel.Value) (uint64, bool) {
	left := maxExpr
	return e.evaluate(v, &left)
}

func (e env) evaluate(v *kernel.Value, left *int) (uint64, bool) {
	if *left--; *left < 0 {
		return 0, false
	}
	switch {
	case v.Op == kernel.Const:
		return v.Const, true
	case v.Op == kernel.Param:
		x, ok := e[v]
		return x, ok
	case !v.Op.Pure():
		return 0, false
	}
	var a [3]uint64
	for i, x := range v.Args {
		var ok bool
		if a[i], ok = e.evaluate(x, left); !ok {
			return 0, false
		}
	}
	return alu.Eval(v.Op, v.Type, v.Args[len(v.Args)-1].Type, a[0], a[1], a[2]), true
}

// enter sets the counters of l for its first iteration.
func (e env) enter(l *counted) bool {
	for i, p := range l.header.Params {
		if l.start[i] != nil {
			x, ok := e.eval(l.start[i])
			if !ok {
				return false
			}
			e[p] = x
		}
	}
	return true
}

// next sets the counters of l for its next iteration. It fails if the back edges pass
// different values.
func (e env) next(l *counted) bool {
	to := make([]uint64, len(l.header.Params))
	for i := range l.header.Params {
		for k, v := range l.step[i] {
			x, ok := e.eval(v)
			if !ok || k > 0 && x != to[i] {
				return false
			}
			to[i] = x
		}
	}
	for i, p := range l.header.Params {
		if l.step[i] != nil {
			e[p] = to[i]
		}
	}
	return true
}

func (e env) leave(l *counted) {
	for _, p := range l.header.Params {
		delete(e, p)
	}
}

// ends returns the branch that exits in this iteration, or nil.
func (e env) ends(l *counted) (by *kernel.Block, ok bool) {
	for _, t := range l.tests {
		x, ok := e.eval(t.block.Cond)
		if !ok {
			return nil, false
		}
		if t.exit[1-x&1] {
			return t.block, true
		}
	}
	return nil, true
}

// expand returns the number of operations after unrolling l, together with the inner loops
// that want selects. It fails if that exceeds limit, or one of the loops
// has more than maxTrips iterations.
func (c *counting) expand(l *counted, want func(*counted) bool, maxTrips, limit int, e env) (size int, ok bool) {
	if !e.enter(l) {
		return 0, false
	}
	defer e.leave(l)
	for trips := 1; ; trips++ {
		size += l.own
		for _, child := range l.cycle.Children {
			inner := c.by[child.ID]
			if inner == nil || !want(inner) {
				size += c.size[child.ID]
				continue
			}
			n, ok := c.expand(inner, want, maxTrips, limit-size, e)
			if !ok {
				return 0, false
			}
			size += n
		}
		if size > limit || trips > maxTrips+1 {
			return 0, false
		}
		last, ok := e.ends(l)
		switch {
		case !ok:
			return 0, false
		case last == l.header:
			return size, true // the last iteration only tests
		case last != nil:
			return size, trips <= maxTrips
		}
		if !e.next(l) {
			return 0, false
		}
	}
}

// MaxTripCount returns the largest constant trip count of the outermost loops of f, up to
// limit.
func MaxTripCount(f *kernel.Func, limit int) int {
	c := countLoops(f)
	maxTrips := 0
	for i, l := range c.by {
		if l != nil && c.loops.Cycles[i].Parent == nil {
			maxTrips = max(maxTrips, l.trips(limit))
		}
	}
	return maxTrips
}

// trips returns the trip count of l, up to limit; 0 if it is not constant.
func (l *counted) trips(limit int) int {
	e := env{}
	if !e.enter(l) {
		return 0
	}
	for n := 0; ; n++ {
		last, ok := e.ends(l)
		switch {
		case !ok:
			return 0
		case last == l.header: // the last iteration only tests
			return n
		case last != nil || n+1 >= limit:
			return n + 1
		case !e.next(l):
			return 0
		}
	}
}
