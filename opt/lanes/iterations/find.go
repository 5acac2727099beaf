package iterations

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/dependence"
)

// maxOperations limits the operations of a loop.
const maxOperations = 300

// maxDistances limits the distances that are tested when a loop is entered.
const maxDistances = 8

// loop is a loop whose iterations may be lanes.
type loop struct {
	f      *kernel.Func
	o      Options
	loops  *cfg.CycleForest
	dom    *cfg.DomTree
	cycle  *cfg.Cycle
	header *kernel.Block
	in     [][]opt.InEdge
	entry  opt.InEdge // the edge into the loop
	back   opt.InEdge // the back edge

	step        map[*kernel.Value]int64 // counter -> its increment per iteration
	own         map[*kernel.Value]bool  // objects of which each iteration has its own
	shared      map[*kernel.Value]bool  // other private objects that iterations write
	rows        []*kernel.Value         // iterations are independent if these are below dependence.MaxRow
	distances   []dependence.Distance   // and if these are no conflicts
	sums        []*sum
	records     []*record
	serial      serial
	recurrences []*recurrence
	exits       []opt.InEdge // the edges out of the loop

	entries, backs int // the number of such edges

	// certain means that no iteration is speculative: the test of a counter in the header
	// is the only exit.
	certain bool

	// twice means that iterations are first decided and then run: a copy of the loop without
	// effects finds the first lane that exits, and the lanes up to it run a complete one.
	// deciding are the values of the first copy.
	twice    bool
	deciding map[*kernel.Value]bool

	// tested are the loads that speculative iterations execute.
	tested []*kernel.Value

	// mayStop means that speculative iterations may stop, so that the original loop has to
	// continue.
	mayStop bool

	deps    *dependence.Loop
	carried []dependence.Dependence // that prevent iterations as lanes
	ordered []dependence.Dependence // that hold if lanes run each operation together
	refusal string                  // the reason why iterations cannot be lanes; "": they can

	builder
}

// newLoop describes c, a loop whose iterations may be lanes if refusal is empty.
func newLoop(f *kernel.Func, loops *cfg.CycleForest, dom *cfg.DomTree, c *cfg.Cycle, in [][]opt.InEdge, o Options) *loop {
	l := &loop{f: f, o: o, loops: loops, dom: dom, cycle: c, header: f.Blocks[c.Header], in: in, step: map[*kernel.Value]int64{}}
	if !c.Reducible() {
		return l.refuse("it has several entries")
	}
	if l.edges(); !l.suits() || !l.classifyParams() || !l.independent() {
		return l
	}
	if !l.movable() {
		return l.refuse("a value that the next iteration uses is loaded after a store that may change it")
	}
	if !l.exitValuesReadable() {
		return l.refuse("a value that is used after it has a type that lanes cannot pass")
	}
	if l.certain = l.endsByCount(); l.certain {
		return l
	}
	checked := l.loads()
	if l.stores() || !l.checkable(checked) {
		if !l.decides() {
			return l
		}
		l.twice, checked = true, slices.DeleteFunc(checked, func(v *kernel.Value) bool { return !l.deciding[v] })
	}
	if !l.checkable(checked) {
		return l.refuse("loads of later iterations, before it is known whether they run, may be outside of their objects")
	}
	l.tested = checked
	l.mayStop = len(checked) > 0 || slices.ContainsFunc(c.Blocks, func(id int) bool { return l.unbounded(f.Blocks[id]) })
	return l
}

// refuse sets the reason why iterations cannot be lanes, and returns l.
func (l *loop) refuse(format string, args ...any) *loop {
	l.refusal = fmt.Sprintf(format, args...)
	return l
}

// checkable reports whether it can be tested that loads stay in their objects, or in a page.
func (l *loop) checkable(loads []*kernel.Value) bool {
	return !slices.ContainsFunc(loads, func(v *kernel.Value) bool { return !l.sized(v) && !l.inPage(v) })
}

func (l *loop) inside(b *kernel.Block) bool { return b != nil && l.loops.Contains(l.cycle, b.ID) }

// edges finds the edges into the loop, back to its header and out of it.
func (l *loop) edges() {
	for _, e := range l.in[l.header.ID] {
		if l.inside(e.From) {
			l.back = e
			l.backs++
		} else {
			l.entry = e
			l.entries++
		}
	}
	for _, id := range l.cycle.Blocks {
		b := l.f.Blocks[id]
		for n, e := range b.Edges {
			if !l.inside(e.To) {
				l.exits = append(l.exits, opt.InEdge{From: b, N: n})
			}
		}
	}
}

// suits reports whether the loop has one entering and one back edge, few exits and no effects but
// loads and stores, and is small.
func (l *loop) suits() bool {
	switch {
	case l.entries != 1 || l.backs != 1:
		l.refuse("it has %s and %s", diag.Count(l.entries, "entering edge"), diag.Count(l.backs, "back edge"))
	case len(l.exits) == 0:
		l.refuse("it has no exit")
	case len(l.exits) > maxExits:
		l.refuse("it has more than %d exits", maxExits)
	case len(l.accessed()) == 0:
		l.refuse("it accesses no memory")
	}
	n := 0
	for _, id := range l.cycle.Blocks {
		for _, v := range l.f.Blocks[id].Values {
			n++
			switch {
			case v.Volatile:
				l.refuse("it has a volatile access in line %d", v.Pos.Line)
			case kernel.InfoOf(v.Op).Effect == kernel.Writes && v.Op != kernel.Store:
				l.refuse("the operation %s in line %d must run in order", kernel.InfoOf(v.Op).Name, v.Pos.Line)
			}
		}
	}
	if n > maxOperations {
		l.refuse("it has more than %d operations", maxOperations)
	}
	return l.refusal == ""
}

// independent reports whether iterations access memory independently of each other, apart from
// objects of which each has its own.
func (l *loop) independent() bool {
	l.findOwn()
	if !l.stores() {
		return true
	}
	for _, v := range l.accessed() {
		if v.Op != kernel.Store || l.storesOwn(v) || !private(v.Args[0]) {
			continue
		}
		if !l.share(v) {
			l.refuse("the store in line %d is to private memory that lanes cannot share", v.Pos.Line)
			return false
		}
	}
	l.deps = dependence.NewLoop(l.f, l.loops, l.cycle, l.in, l.o.Overlap)
	l.deps.Increasing = l.increasing()
	r := l.deps.Dependences(func(object *kernel.Value) bool { return l.own[object] })
	l.rows, l.distances, l.carried, l.ordered = r.Rows, r.Distances, r.Carried, r.Ordered
	if len(r.Distances) > maxDistances {
		d := r.Distances[maxDistances]
		r.Carried = append(r.Carried, dependence.Dependence{From: d.From, To: d.To})
		l.carried = r.Carried
	}
	if len(r.Carried) > 0 {
		l.refuse("%v", r.Carried[0])
		return false
	}
	return true
}

// stores reports whether there is a store in the loop.
func (l *loop) stores() bool {
	return slices.ContainsFunc(l.accessed(), func(v *kernel.Value) bool { return v.Op == kernel.Store })
}

// private reports whether p is an address in private memory, as far as is known.
func private(p *kernel.Value) bool {
	return root(p).Type == alu.PtrPrivate
}

// accessed lists the loads and stores of the loop.
func (l *loop) accessed() (out []*kernel.Value) {
	for _, id := range l.cycle.Blocks {
		for _, v := range l.f.Blocks[id].Values {
			if v.Op == kernel.Load || v.Op == kernel.Store {
				out = append(out, v)
			}
		}
	}
	return out
}

func (l *loop) loads() []*kernel.Value {
	return slices.DeleteFunc(l.accessed(), func(v *kernel.Value) bool { return v.Op != kernel.Load })
}

// classifyParams reports whether each parameter of the header is a counter, a reduction or serial.
func (l *loop) classifyParams() bool {
	var others []*kernel.Value
	for _, p := range l.header.Params {
		if by, ok := kernel.Step(p, l.passed(p)); ok && by != 0 && by == int64(int16(by)) {
			l.step[p] = by
		} else if s := l.sum(p); s != nil {
			l.sums = append(l.sums, s)
		} else {
			others = append(others, p)
		}
	}
	if len(l.step) == 0 {
		l.refuse("it has no counter")
	} else if others = l.takeRecurrences(l.takeRecords(others)); !l.makeSerial(others) {
		l.refuse("its iterations pass %s to the next in a way that is no reduction", strings.Join(names(others), ", "))
	}
	return l.refusal == ""
}

// names returns the names of values in the source.
func names(values []*kernel.Value) (out []string) {
	for _, v := range values {
		out = append(out, cmp.Or(v.Name, "a value"))
	}
	return out
}

// passed returns the argument of the back edge for a parameter of the header.
func (l *loop) passed(p *kernel.Value) *kernel.Value { return l.back.Edge().Args[p.Index] }

// exitValuesReadable reports whether the arguments of the exits can be read from a lane.
func (l *loop) exitValuesReadable() bool {
	for _, x := range l.exits {
		of := map[*sum]*kernel.Value{}
		for _, a := range x.Edge().Args {
			if s := l.sumOf(a); s != nil {
				if of[s] != nil && of[s] != a {
					return false
				}
				of[s] = a
				continue
			}
			if r, _ := l.recordOf(a); r != nil {
				continue
			}
			if l.inside(a.Block) && l.step[a] == 0 && !l.serial.of[a] && !a.Type.IsFloat() && !(a.Type.IsInt() && a.Type.Bits() >= 8) {
				return false
			}
		}
	}
	return true
}

// endsByCount reports whether the only exit is the header's test of an increasing counter
// against an invariant limit, and no access precedes it.
func (l *loop) endsByCount() bool {
	if len(l.exits) != 1 || l.exits[0].From != l.header {
		return false
	}
	if slices.ContainsFunc(l.header.Values, func(v *kernel.Value) bool { return v.Op == kernel.Load || v.Op == kernel.Store }) {
		return false
	}
	for _, v := range l.ends() {
		if v == nil || v.Op == kernel.Const && !l.near(v) {
			return false
		}
	}
	return true
}

// maxLimit bounds the depth of the expression of a limit.
const maxLimit = 8

// invariant reports whether v is computed outside of the loop, or by few operations from such
// values.
func (l *loop) invariant(v *kernel.Value, depth int) bool {
	if !l.inside(v.Block) {
		return true
	}
	return depth > 0 && v.Op.Pure() && !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !l.invariant(a, depth-1) })
}

// ends returns the start of the counter that the header tests, and its limit. The counters
// of the last lanes must not wrap beyond either.
func (l *loop) ends() [2]*kernel.Value {
	k, limit, _ := l.count()
	if k == nil {
		return [2]*kernel.Value{}
	}
	return [2]*kernel.Value{l.entry.Edge().Args[k.Index], limit}
}

// near reports whether counters started at or limited by the constant v cannot wrap.
func (l *loop) near(v *kernel.Value) bool {
	op, far := l.wrapTest()
	return alu.Eval(op, alu.I1, v.Type, v.Const, far, 0) != 0
}

// wrapTest returns the comparison, and the bound, that a start or limit passes if counters
// cannot wrap.
func (l *loop) wrapTest() (op kernel.Op, far uint64) {
	k, _, signed := l.count()
	op, most := alu.Ule, k.Type.Mask()
	if signed {
		op, most = alu.Sle, most>>1
	}
	return op, most - uint64(l.step[k])*uint64(l.o.Width+1)
}

// count decomposes the header's test: the loop continues while k is below or at the limit.
func (l *loop) count() (k, limit *kernel.Value, signed bool) {
	c := l.header.Cond
	if c == nil || c.Op != alu.Slt && c.Op != alu.Ult && c.Op != alu.Sle && c.Op != alu.Ule {
		return nil, nil, false
	}
	k, limit, signed = c.Args[0], c.Args[1], c.Op == alu.Slt || c.Op == alu.Sle
	if l.exits[0].N == 0 { // exit if limit < k
		k, limit = limit, k
	}
	if l.step[k] <= 0 || !k.Type.IsInt() || !l.invariant(limit, maxLimit) {
		return nil, nil, false
	}
	return k, limit, signed
}
