package rounds

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// mostOperations bounds those of a loop.
const mostOperations = 300

// loop is one whose rounds may be lanes.
type loop struct {
	f      *kernel.Func
	o      Options
	loops  *cfg.CycleForest
	dom    *cfg.DomTree
	cycle  *cfg.Cycle
	header *kernel.Block
	in     [][]opt.InEdge
	entry  opt.InEdge // the edge into the loop
	back   opt.InEdge // the edge back to the header

	step   map[*kernel.Value]int64 // by counter: what a round adds to it
	sums   []*sum
	serial serial
	exits  []opt.InEdge // the edges out of the loop

	// certain tells that a round takes place if the header's test says so, and all
	// before it do: the test alone ends the loop, and it is of a counter.
	certain bool

	builder
}

// newLoop returns c as a loop whose rounds may be lanes, nil if it is none.
func newLoop(f *kernel.Func, loops *cfg.CycleForest, dom *cfg.DomTree, c *cfg.Cycle, in [][]opt.InEdge, o Options) *loop {
	l := &loop{f: f, o: o, loops: loops, dom: dom, cycle: c, header: f.Blocks[c.Header], in: in, step: map[*kernel.Value]int64{}}
	if !c.Reducible() || !l.edges() || !l.onlyComputes() || !l.carries() || !l.leavesWith() || !l.ownObjects() {
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
	return entries == 1 && backs == 1 && len(l.exits) > 0 && len(l.exits) <= mostExits
}

// onlyComputes reports whether the loop does nothing but to compute, load and store.
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
	return n <= mostOperations && len(l.loads()) > 0
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

// carries reports whether each parameter of the header counts or is put together.
func (l *loop) carries() bool {
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
	return len(l.step) > 0 && l.inSeries(others)
}

// next is what the next round gets for a parameter of the header.
func (l *loop) next(p *kernel.Value) *kernel.Value { return l.back.Edge().Args[p.Index] }

// leavesWith reports whether what the loop is left with can be taken from a lane.
func (l *loop) leavesWith() bool {
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

// endsByCount reports whether nothing but the header's test ends the loop, by a counter
// that goes up to what stays the same, and before anything is loaded.
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

// ends are where the counter that the header tests starts and the limit of it, neither
// of which may be so far that the counter wraps in the lanes behind it.
func (l *loop) ends() [2]*kernel.Value {
	k, limit, _ := l.count()
	if k == nil {
		return [2]*kernel.Value{}
	}
	return [2]*kernel.Value{l.entry.Edge().Args[k.Index], limit}
}

// near reports whether the constant v is not too far.
func (l *loop) near(v *kernel.Value) bool {
	op, far := l.nearest()
	return alu.Eval(op, alu.I1, v.Type, v.Const, far, 0) != 0
}

// nearest is what tells that a number is not too far: the comparison with another.
func (l *loop) nearest() (op kernel.Op, far uint64) {
	k, _, signed := l.count()
	op, most := alu.Ule, k.Type.Mask()
	if signed {
		op, most = alu.Sle, most>>1
	}
	return op, most - uint64(l.step[k])*uint64(l.o.Width+1)
}

// count takes the header's test apart: it goes on while k is below the limit, or at it.
func (l *loop) count() (k, limit *kernel.Value, signed bool) {
	c := l.header.Cond
	if c == nil || c.Op != alu.Slt && c.Op != alu.Ult && c.Op != alu.Sle && c.Op != alu.Ule {
		return nil, nil, false
	}
	k, limit, signed = c.Args[0], c.Args[1], c.Op == alu.Slt || c.Op == alu.Sle
	if l.exits[0].N == 0 { // left if limit < k
		k, limit = limit, k
	}
	if l.step[k] <= 0 || !k.Type.IsInt() || l.inside(limit.Block) {
		return nil, nil, false
	}
	return k, limit, signed
}
