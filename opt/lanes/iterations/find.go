package iterations

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// maxOperations limits the operations of a loop.
const maxOperations = 300

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

	step   map[*kernel.Value]int64 // counter -> its increment per iteration
	sums   []*sum
	serial serial
	exits  []opt.InEdge // the edges out of the loop

	// certain means that no iteration is speculative: the test of a counter in the header
	// is the only exit.
	certain bool

	builder
}

// newLoop returns c as a loop whose iterations may be lanes, or nil.
func newLoop(f *kernel.Func, loops *cfg.CycleForest, dom *cfg.DomTree, c *cfg.Cycle, in [][]opt.InEdge, o Options) *loop {
	l := &loop{f: f, o: o, loops: loops, dom: dom, cycle: c, header: f.Blocks[c.Header], in: in, step: map[*kernel.Value]int64{}}
	if !c.Reducible() || !l.edges() || !l.onlyComputes() || !l.classifyParams() || !l.exitValuesReadable() || !l.ownObjects() {
		return nil
	}
	if l.certain = l.endsByCount(); l.certain {
		return l
	}
	if l.stores() || !o.Extents || slices.ContainsFunc(l.loads(), func(v *kernel.Value) bool { return !l.extent(v).known }) {
		return nil
	}
	return l
}

func (l *loop) inside(b *kernel.Block) bool { return b != nil && l.loops.Contains(l.cycle, b.ID) }

// edges finds the edges into the loop, back to its header and out of it.
func (l *loop) edges() bool {
	entries, backs := 0, 0
	for _, e := range l.in[l.header.ID] {
		if l.inside(e.From) {
			l.back = e
			backs++
		} else {
			l.entry = e
			entries++
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
	return entries == 1 && backs == 1 && len(l.exits) > 0 && len(l.exits) <= maxExits
}

// onlyComputes reports whether the loop has no effects but loads and stores, and is small.
func (l *loop) onlyComputes() bool {
	n := 0
	for _, id := range l.cycle.Blocks {
		for _, v := range l.f.Blocks[id].Values {
			n++
			if kernel.InfoOf(v.Op).Effect == kernel.Writes && v.Op != kernel.Store || v.Volatile {
				return false
			}
		}
	}
	return n <= maxOperations && len(l.loads()) > 0
}

// stores reports whether there is a store in the loop.
func (l *loop) stores() bool {
	return slices.ContainsFunc(l.cycle.Blocks, func(id int) bool {
		return slices.ContainsFunc(l.f.Blocks[id].Values, func(v *kernel.Value) bool { return v.Op == kernel.Store })
	})
}

func (l *loop) loads() (out []*kernel.Value) {
	for _, id := range l.cycle.Blocks {
		for _, v := range l.f.Blocks[id].Values {
			if v.Op == kernel.Load {
				out = append(out, v)
			}
		}
	}
	return out
}

// classifyParams reports whether each parameter of the header is a counter, a reduction or serial.
func (l *loop) classifyParams() bool {
	var others []*kernel.Value
	for _, p := range l.header.Params {
		if by, ok := kernel.Step(p, l.next(p)); ok && by != 0 && by == int64(int16(by)) {
			l.step[p] = by
		} else if s := l.sum(p); s != nil {
			l.sums = append(l.sums, s)
		} else {
			others = append(others, p)
		}
	}
	return len(l.step) > 0 && l.makeSerial(others)
}

// next returns the argument of the back edge for a parameter of the header.
func (l *loop) next(p *kernel.Value) *kernel.Value { return l.back.Edge().Args[p.Index] }

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
			if l.inside(a.Block) && l.step[a] == 0 && !l.serial.of[a] && !a.Type.IsFloat() && !(a.Type.IsInt() && a.Type.Bits() >= 8) {
				return false
			}
		}
	}
	return true
}

// endsByCount reports whether the only exit is the header's test of an increasing counter
// against an invariant limit, and no load precedes it.
func (l *loop) endsByCount() bool {
	if len(l.exits) != 1 || l.exits[0].From != l.header {
		return false
	}
	if slices.ContainsFunc(l.header.Values, func(v *kernel.Value) bool { return v.Op == kernel.Load }) {
		return false
	}
	for _, v := range l.ends() {
		if v == nil || v.Op == kernel.Const && !l.near(v) {
			return false
		}
	}
	return true
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
	if l.step[k] <= 0 || !k.Type.IsInt() || l.inside(limit.Block) {
		return nil, nil, false
	}
	return k, limit, signed
}
