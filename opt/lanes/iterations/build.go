package iterations

import (
	"fmt"
	"maps"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/dependence"
)

// builder adds the vector loop:
//
//	before     runs once: the preheader
//	whole      if loop.certain: head of the loop over chunks in which all lanes run
//	copies     of the body, without the exit
//	full       joins all lanes; continues with whole
//	chunk      head of the vector loop; counters hold the iteration of lane 0
//	decided    if loop.twice: joins all lanes after a copy of the body without effects; lanes
//	           after the first that exits skip the next copy
//	copies     a copy of the original body; each lane computes its own iteration
//	ended      joins all lanes; state is 0 where the lane continues, else its exit's number
//	left       runs when a lane left: the lowest such lane decides the exit
type builder struct {
	before, chunk, ended, left *kernel.Block
	decided                    *kernel.Block // in the first of two copies; else nil
	whole                      *kernel.Block // nil: there is no such loop
	full                       *kernel.Block // in the copy of that loop; else nil

	now    map[*kernel.Value]*kernel.Value // original value -> its copy in the vector loop
	block  map[*kernel.Block]*kernel.Block // original block -> its copy
	base   map[*kernel.Value]*kernel.Value // counter -> its value in the first lane
	last   map[*kernel.Value]*kernel.Value // counter -> its value in the last lane
	rooms  map[roomKey]*kernel.Value
	inputs []*kernel.Value                 // parameters of ended: inputs of serial operations
	slots  []*kernel.Value                 // parameters of ended: values that exits pass on
	state  *kernel.Value                   // parameter of ended
	after  map[*kernel.Value]*kernel.Value // parameter that lanes accumulate -> its value after the chunk
	number *kernel.Value                   // of the chunk, if there are records
	folded map[*kernel.Value]*kernel.Value // serial parameter -> its value after the chunk
	lane   *kernel.Value
	clamp  *clamp // nil: no loads are clamped
}

// stateType is the type of a lane's state at the end of an iteration; it has room for
// maxExits.
const (
	stateType = alu.I8
	maxExits  = 100
)

// unfinished is the state of lanes in which a load would leave its object: the number
// after the last exit's.
func (l *loop) unfinished() int { return len(l.exits) + 1 }

// maxTrips limits the trip count of inner loops in speculative iterations.
const maxTrips = 1 << 16

// build adds the vector loop in front of the original one, which becomes the fallback.
func (l *loop) build() {
	f := l.f
	l.builder = builder{rooms: map[roomKey]*kernel.Value{}}
	old := len(f.Blocks)
	l.before, l.chunk = f.NewBlock("before"), f.NewBlock("chunk")
	l.ended, l.left = f.NewBlock("ended"), f.NewBlock("left")
	start := map[*kernel.Value]*kernel.Value{}
	for _, p := range l.header.Params {
		start[p] = l.before.NewParam(p.Type, p.Name)
	}
	// In the entry block, it is no value of a loop that the code after the loop uses.
	l.lane = f.Blocks[0].Append(kernel.Lane, alu.I32)
	l.lane.Name, l.lane.Pos = "lane", l.header.Pos
	if l.certain && len(l.serial.params) == 0 {
		l.buildWhole()
	}
	l.state = l.ended.NewParam(stateType, "state")
	l.parameters(l.chunk, l.ended)
	head := l.chunk
	l.clampLoads(l.tested, start)
	if l.twice {
		head = l.decide()
	}
	l.copies()
	some := l.ended.Append(kernel.Ballot, alu.I64, l.ended.Append(alu.Ne, alu.I1, l.state, f.Const(stateType, 0)))
	ended := l.ended
	if len(l.serial.params) > 0 {
		ended, l.folded = l.inOrder(some)
	}
	if l.whole != nil { // fewer iterations than lanes remain
		ended.Jump(l.left)
	} else {
		ended.Branch(ended.Append(alu.Eq, alu.I1, some, f.Const(alu.I64, 0)),
			kernel.Edge{To: l.chunk, Args: l.next(ended)}, kernel.Edge{To: l.left})
	}
	if head == l.chunk {
		head.Jump(l.block[l.header])
	} else {
		head.Edges[0].To = l.block[l.header]
	}
	for _, b := range f.Blocks[old:] {
		b.ByLanes = b != l.before && b != l.left && b != l.whole
	}
	l.enter(l.first(start), start)
	l.leave(some, start)
	l.entry.Edge().To = l.before
	l.header.Unroll = 1 // the fallback is cold
	if at := f.Blocks[l.cycle.Header].Pos; at.IsValid() {
		f.Note(at, "iterations", fmt.Sprintf(": %d iterations run as lanes", l.o.Width))
	}
}

// buildWhole adds the loop over the chunks in which all lanes are below the limit. The chunk after
// it runs once.
func (l *loop) buildWhole() {
	l.whole, l.full = l.f.NewBlock("whole"), l.f.NewBlock("full")
	l.parameters(l.whole, l.full)
	l.copies()
	l.full.Jump(l.whole, l.next(l.full)...)
	c := l.header.Cond
	args := slices.Clone(c.Args)
	for i, a := range args {
		if args[i] = l.last[a]; args[i] == nil {
			args[i] = l.invariantIn(l.before, a)
		}
	}
	edges := [2]kernel.Edge{{To: l.block[l.header]}, {To: l.block[l.header]}}
	edges[l.exits[0].N] = kernel.Edge{To: l.chunk, Args: slices.Clone(l.whole.Params)}
	l.whole.Branch(l.whole.Append(c.Op, alu.I1, args...), edges[0], edges[1])
	l.whole.Pos = l.header.Pos
	l.full = nil
}

// parameters adds to head the parameters of a vector loop, and to end, the block that joins the
// lanes, those for the values that lanes accumulate or pass on.
func (l *loop) parameters(head, end *kernel.Block) {
	l.now, l.block = map[*kernel.Value]*kernel.Value{}, map[*kernel.Block]*kernel.Block{}
	l.base, l.last, l.after = map[*kernel.Value]*kernel.Value{}, map[*kernel.Value]*kernel.Value{}, map[*kernel.Value]*kernel.Value{}
	for _, p := range l.header.Params {
		q := head.NewParam(p.Type, p.Name)
		if by, ok := l.step[p]; ok {
			l.base[p], l.now[p] = q, l.plus(head, q, l.times(head, alu.I64, by))
			l.now[p].Name, l.now[p].Pos = p.Name, p.Pos
			l.last[p] = l.plus(head, q, l.f.Const(alu.I64, uint64(by*int64(l.o.Width-1))))
		} else if r := l.recurrenceOf(p); r != nil {
			r.carried = q
		} else {
			l.now[p] = q
		}
	}
	for _, s := range l.sums {
		l.after[s.p] = end.NewParam(s.p.Type, s.p.Name)
	}
	for _, r := range l.recurrences {
		r.after = end.NewParam(r.p.Type, r.p.Name)
	}
	for _, r := range l.records {
		for _, p := range r.params {
			l.after[p] = end.NewParam(p.Type, p.Name)
		}
		r.found, r.after = head.NewParam(alu.I32, "found"), end.NewParam(alu.I32, "found")
	}
	if len(l.records) > 0 {
		l.number = head.NewParam(alu.I32, "number")
	}
	for _, v := range l.serial.inputs {
		l.inputs = append(l.inputs, end.NewParam(v.Type, v.Name))
	}
}

// first returns the arguments of parameters for the first chunk, from those of the loop.
func (l *loop) first(start map[*kernel.Value]*kernel.Value) (first []*kernel.Value) {
	for _, p := range l.header.Params {
		if s := l.sumOf(p); s != nil {
			first = append(first, l.f.Const(p.Type, alu.Neutral(s.op, p.Type)))
		} else {
			first = append(first, start[p])
		}
	}
	for _, r := range l.records {
		first = append(first, r.none(l))
	}
	if l.number != nil {
		first = append(first, l.f.Const(alu.I32, 1))
	}
	if l.clamp != nil {
		first = append(first, l.clamp.start)
	}
	return first
}

// next appends to b the arguments of parameters for the next chunk, and returns them.
func (l *loop) next(b *kernel.Block) (next []*kernel.Value) {
	for _, p := range l.header.Params {
		if by, ok := l.step[p]; ok {
			next = append(next, l.plus(b, l.base[p], l.f.Const(alu.I64, uint64(by*int64(l.o.Width)))))
		} else if l.serial.of[p] {
			next = append(next, l.folded[p])
		} else if r := l.recurrenceOf(p); r != nil {
			next = append(next, l.inLaneOf(b, r.after, l.f.Const(alu.I32, uint64(l.o.Width-1))))
		} else {
			next = append(next, l.after[p])
		}
	}
	for _, r := range l.records {
		next = append(next, r.after)
	}
	if l.number != nil {
		next = append(next, b.Append(alu.Add, alu.I32, l.number, l.f.Const(alu.I32, 1)))
	}
	if l.clamp != nil {
		next = append(next, b.Append(alu.Add, alu.I64, l.clamp.from, l.f.Const(alu.I64, uint64(l.o.Width))))
	}
	return next
}

// enter branches from before to the vector loop, or to the original loop if its start or
// limit is so large that counters of the last lanes could wrap, rows are so long that subscripts
// could, or the distance between the addresses of two accesses makes iterations depend on each other.
func (l *loop) enter(first []*kernel.Value, start map[*kernel.Value]*kernel.Value) {
	to := l.chunk
	if l.whole != nil {
		to = l.whole
	}
	var near *kernel.Value
	test := func(x *kernel.Value) {
		if near == nil {
			near = x
		} else {
			near = l.before.Append(alu.And, alu.I1, near, x)
		}
	}
	limit := func(op kernel.Op, v *kernel.Value, far uint64) {
		if v.Op != kernel.Const {
			test(l.before.Append(op, alu.I1, l.invariantIn(l.before, v), l.f.Const(v.Type, far)))
		}
	}
	if l.certain {
		op, far := l.wrapTest()
		for _, v := range l.ends() {
			limit(op, v, far)
		}
	}
	for _, v := range l.rows {
		limit(alu.Ult, v, dependence.MaxRow)
	}
	l.testDistances(start, test)
	if near == nil {
		l.before.Jump(to, first...)
		return
	}
	l.before.Branch(near, kernel.Edge{To: to, Args: first}, kernel.Edge{To: l.header, Args: slices.Clone(l.before.Params), Rare: true})
}

// invariantIn returns the invariant value v, computed at the end of b, a block before the loop.
func (l *loop) invariantIn(b *kernel.Block, v *kernel.Value) *kernel.Value {
	if !l.inside(v.Block) {
		return v
	}
	var args []*kernel.Value
	for _, a := range v.Args {
		args = append(args, l.invariantIn(b, a))
	}
	return b.AppendLike(v, args...)
}

// times returns the lane number multiplied by a constant.
func (l *loop) times(b *kernel.Block, t kernel.Type, by int64) *kernel.Value {
	return b.Append(alu.Mul, t, b.Append(alu.ZExt, t, l.lane), l.f.Const(t, uint64(by)))
}

// plus adds the 64-bit number n to p, a number or an address.
func (l *loop) plus(b *kernel.Block, p, n *kernel.Value) *kernel.Value {
	switch {
	case p.Type.IsPtr():
		return b.Append(kernel.PtrAdd, p.Type, p, n)
	case p.Type.Bits() < 64 && n.Op == kernel.Const:
		n = l.f.Const(p.Type, n.Const)
	case p.Type.Bits() < 64:
		n = b.Append(alu.Trunc, p.Type, n)
	}
	return b.Append(alu.Add, p.Type, p, n)
}

// of returns the copy of v in the vector loop, or v if it is invariant.
func (l *loop) of(v *kernel.Value) *kernel.Value {
	if x := l.now[v]; x != nil {
		return x
	}
	return v
}

// copies copies each block of the loop.
func (l *loop) copies() {
	for _, id := range l.cycle.Blocks {
		b := l.f.Blocks[id]
		c := l.f.NewBlock(b.Name)
		l.block[b] = c
		if b == l.header {
			continue
		}
		for _, p := range b.Params {
			if l.copied(p) {
				q := c.NewParam(p.Type, p.Name)
				q.Pos, l.now[p] = p.Pos, q
			}
		}
	}
	trips := map[*kernel.Block]*kernel.Value{} // inner header -> its count of completed iterations
	for _, id := range l.cycle.Blocks {
		if b := l.f.Blocks[id]; l.speculative() && l.unbounded(b) {
			trips[b] = l.block[b].NewParam(alu.I32, "trips")
		}
	}
	// Cycle order visits definitions before uses, except for arguments of back edges.
	ends := map[*kernel.Block]*kernel.Block{}
	for _, id := range l.cycle.Blocks {
		b := l.f.Blocks[id]
		c := l.block[b]
		if n := trips[b]; n != nil {
			on := l.f.NewBlock(b.Name)
			c.Branch(c.Append(alu.Ult, alu.I1, n, l.f.Const(alu.I32, maxTrips)), kernel.Edge{To: on}, l.stop(l.unfinished(), nil))
			c = on
		}
		ends[b] = l.operations(b, c)
	}
	for _, id := range l.cycle.Blocks {
		b := l.f.Blocks[id]
		c := ends[b]
		edges := make([]kernel.Edge, len(b.Edges))
		for n, e := range b.Edges {
			exit := slices.IndexFunc(l.exits, func(x opt.InEdge) bool { return x.From == b && x.N == n })
			switch {
			case exit >= 0 && l.full != nil: // never taken
			case exit >= 0:
				edges[n] = l.stop(1+exit, e.Args)
			case e.To == l.header:
				edges[n] = l.stop(0, e.Args)
			default:
				edges[n] = kernel.Edge{To: l.block[e.To]}
				for i, a := range e.Args {
					if l.copied(e.To.Params[i]) {
						edges[n].Args = append(edges[n].Args, l.of(a))
					}
				}
				if done := trips[e.To]; done != nil {
					count := l.f.Const(alu.I32, 0)
					if l.loops.Contains(l.loops.InnermostCycle(e.To.ID), id) {
						count = c.Append(alu.Add, alu.I32, done, l.f.Const(alu.I32, 1))
					}
					edges[n].Args = append(edges[n].Args, count)
				}
			}
			edges[n].Rare = e.Rare
		}
		if l.full != nil && b == l.header {
			c.Jump(edges[1-l.exits[0].N].To, edges[1-l.exits[0].N].Args...)
			c.Pos = b.Pos
			continue
		}
		c.Kind, c.Edges, c.Pos = b.Kind, edges, b.Pos
		if b.Cond != nil {
			c.Cond = l.of(b.Cond)
		}
	}
	l.fill()
}

// speculative reports whether the copy that is being made may run iterations that the loop does not
// reach.
func (l *loop) speculative() bool { return !l.certain && (!l.twice || l.decided != nil) }

// copied reports whether the copy that is being made contains v.
func (l *loop) copied(v *kernel.Value) bool { return l.decided == nil || l.deciding[v] }

// unbounded reports whether b is the header of an inner loop whose trip count could be larger in a
// speculative iteration.
func (l *loop) unbounded(b *kernel.Block) bool {
	return b != l.header && l.loops.IsHeader(b.ID) && !l.bounded(b)
}

// decide makes the copy of the body that decides which lanes run, and returns the block that
// branches to the complete copy.
func (l *loop) decide() *kernel.Block {
	f := l.f
	start := maps.Clone(l.now)
	l.decided = f.NewBlock("decided")
	state := l.decided.NewParam(stateType, "state")
	l.copies()
	l.chunk.Jump(l.block[l.header])
	b := l.decided
	l.decided, l.now, l.block = nil, start, map[*kernel.Block]*kernel.Block{}
	some := b.Append(kernel.Ballot, alu.I64, b.Append(alu.Ne, alu.I1, state, f.Const(stateType, 0)))
	runs := b.Append(alu.Ule, alu.I1, b.Append(alu.ZExt, alu.I64, l.lane), l.lanesBelow(b, some))
	if l.mayStop {
		runs = b.Append(alu.And, alu.I1, runs, b.Append(alu.Ne, alu.I1, state, f.Const(stateType, uint64(l.unfinished()))))
	}
	b.Branch(runs, kernel.Edge{}, l.stop(l.unfinished(), nil))
	b.Pos, runs.Pos = l.exits[0].From.Pos, l.exits[0].From.Pos
	return b
}

// bounded reports whether the inner loop with header h counts from an invariant start to
// an invariant limit, so that a speculative iteration does not lengthen it.
func (l *loop) bounded(h *kernel.Block) bool {
	c := h.Cond
	if c == nil || c.Op != alu.Slt && c.Op != alu.Ult || h.Kind != kernel.Branch {
		return false
	}
	inner := l.loops.InnermostCycle(h.ID)
	k, limit, stays := c.Args[0], c.Args[1], 0
	if l.loops.Contains(inner, h.Edges[1].To.ID) { // exit if limit < k
		k, limit, stays = limit, k, 1
	}
	if k.Op != kernel.Param || k.Block != h || l.inside(limit.Block) || l.loops.Contains(inner, h.Edges[1-stays].To.ID) {
		return false
	}
	for _, e := range l.in[h.ID] {
		x := e.Edge().Args[k.Index]
		switch by, ok := kernel.Step(k, x); {
		case !l.loops.Contains(inner, e.From.ID):
			if l.inside(x.Block) {
				return false
			}
		case !ok || by <= 0:
			return false
		}
	}
	return true
}

// operations copies the operations of b into c and returns the block where they end. In a
// speculative iteration loads are checked first; one branch checks all loads that do not
// depend on each other.
func (l *loop) operations(b, c *kernel.Block) *kernel.Block {
	if l.decided != nil {
		return l.copyAll(b, b.Values, c)
	}
	rest := b.Values
	for _, r := range l.recurrences {
		if r.at != b {
			continue
		}
		early, _ := l.early(r)
		c = l.copyAll(b, slices.DeleteFunc(slices.Clone(rest), func(v *kernel.Value) bool { return !early[v] }), c)
		rest = slices.DeleteFunc(slices.Clone(rest), func(v *kernel.Value) bool { return early[v] })
		r.compute(l, c)
	}
	return l.copyAll(b, rest, c)
}

// copyAll is operations for some of the values of b.
func (l *loop) copyAll(b *kernel.Block, values []*kernel.Value, c *kernel.Block) *kernel.Block {
	level := map[*kernel.Value]int{} // the number of loads in the block on the longest dependence chain to it
	last := 0
	for _, v := range values {
		for _, a := range v.Args {
			if a.Block == b && a.Op != kernel.Param {
				n := level[a]
				if a.Op == kernel.Load && l.speculative() {
					n++
				}
				level[v] = max(level[v], n)
			}
		}
		last = max(last, level[v])
	}
	for n := 0; n <= last; n++ {
		var loads []*kernel.Value
		for _, v := range values {
			switch {
			case level[v] != n || l.serial.of[v] || !l.copied(v):
			case v.Op == kernel.Load && l.speculative():
				loads = append(loads, v)
			default:
				l.copyTo(c, v)
			}
		}
		if l.speculative() && len(loads) > 0 {
			var fit *kernel.Value
			c, fit = l.guard(c, loads)
			on := l.f.NewBlock(b.Name)
			c.Branch(fit, kernel.Edge{To: on}, l.stop(l.unfinished(), nil))
			c.Pos = loads[0].Pos
			c = on
		}
		for _, v := range loads {
			l.copyTo(c, v)
		}
	}
	return c
}

// copyTo appends the copy of v to c.
func (l *loop) copyTo(c *kernel.Block, v *kernel.Value) {
	if v == l.header.Cond && l.byLane() {
		l.now[v] = l.remains(c, v)
		return
	}
	args := make([]*kernel.Value, len(v.Args))
	for i, a := range v.Args {
		args[i] = l.of(a)
	}
	x := c.AppendLike(v, args...)
	l.now[v] = x
	for _, r := range l.records {
		if v == r.better && l.decided == nil {
			r.update(l, c)
		}
	}
}

// byLane reports whether the header's test k < limit can compare the lane number with the number of
// iterations that remain: both agree in all lanes up to the first that fails, as a k that wraps has
// exceeded every limit before. The numbers of lanes need fewer bits than those of iterations.
func (l *loop) byLane() bool {
	k, _, _ := l.count()
	c := l.header.Cond
	return k != nil && k == c.Args[0] && l.step[k] == 1 && (c.Op == alu.Slt || c.Op == alu.Ult) && k.Type.Bits() <= 32 &&
		l.exits[0].From == l.header
}

// remains returns the test of byLane, appended to c.
func (l *loop) remains(c *kernel.Block, v *kernel.Value) *kernel.Value {
	wide := alu.ZExt
	if v.Op == alu.Slt {
		wide = alu.SExt
	}
	limit, first := c.Append(wide, alu.I64, l.of(v.Args[1])), c.Append(wide, alu.I64, l.base[v.Args[0]])
	k, number := l.now[v.Args[0]], c.Append(alu.ZExt, alu.I64, l.lane)
	number.Name, number.Pos = k.Name, k.Pos // in remarks, it stands for the counter
	x := c.Append(alu.Slt, alu.I1, number, c.Append(alu.Sub, alu.I64, limit, first))
	x.Pos = v.Pos
	return x
}

// stop returns the edge through which a lane ends its iteration in a state, given the
// arguments that the loop passes on there.
func (l *loop) stop(state int, args []*kernel.Value) kernel.Edge {
	if l.decided != nil {
		return kernel.Edge{To: l.decided, Args: []*kernel.Value{l.f.Const(stateType, uint64(state))}, Rare: state == l.unfinished()}
	}
	e := kernel.Edge{To: l.ended, Args: []*kernel.Value{l.f.Const(stateType, uint64(state))}, Rare: state == l.unfinished()}
	if l.full != nil {
		e = kernel.Edge{To: l.full}
	}
	for _, s := range l.sums {
		x := l.now[s.p]
		for _, a := range args {
			if state == 0 && a == l.passed(s.p) || state > 0 && s.of[a] {
				x = l.of(a)
			}
		}
		e.Args = append(e.Args, x)
	}
	for _, r := range l.recurrences {
		if state == 0 && l.full != nil && r.counts() { // the same in all lanes
			e.Args = append(e.Args, r.total)
		} else if state == 0 {
			e.Args = append(e.Args, l.of(l.passed(r.p)))
		} else { // unused: only lanes before the first that leaves count
			e.Args = append(e.Args, l.f.Const(r.p.Type, 0))
		}
	}
	for _, r := range l.records {
		updated := r.updated(l, state, args)
		for _, p := range r.params {
			if updated {
				p = l.passed(p)
			}
			e.Args = append(e.Args, l.of(p))
		}
		if updated {
			e.Args = append(e.Args, r.now)
		} else {
			e.Args = append(e.Args, r.found)
		}
	}
	for i, v := range l.serial.inputs {
		if state == 0 {
			e.Args = append(e.Args, l.of(v))
		} else { // unused: inOrder stops before lanes that exit
			e.Args = append(e.Args, l.f.Const(l.inputs[i].Type, 0))
		}
	}
	if state == 0 {
		return e
	}
	for i, n := range l.slotsFor(args) {
		if n < 0 {
			continue
		}
		for len(e.Args) <= l.firstSlot()+n {
			e.Args = append(e.Args, nil)
		}
		e.Args[l.firstSlot()+n] = l.of(args[i])
	}
	return e
}

// slotsFor returns the slot that carries each of args: the first of its type that no
// earlier argument takes; -1 where none is needed. It adds missing slots.
func (l *loop) slotsFor(args []*kernel.Value) []int {
	slots := make([]int, len(args))
	for i, a := range args {
		slots[i] = -1
		if !l.fromLane(a) {
			continue
		}
		for n := 0; slots[i] < 0; n++ {
			if n == len(l.slots) {
				l.slots = append(l.slots, l.ended.NewParam(a.Type, a.Name))
			}
			if l.slots[n].Type == a.Type && !slices.Contains(slots[:i], n) {
				slots[i] = n
			}
		}
	}
	return slots
}

// firstSlot returns the index of the first slot among the parameters of ended.
func (l *loop) firstSlot() int {
	n := 1 + len(l.sums) + len(l.recurrences) + len(l.inputs)
	for _, r := range l.records {
		n += len(r.params) + 1
	}
	return n
}

// fromLane reports whether a, an argument of an exit, varies in a way that is not a
// function of the lane number.
func (l *loop) fromLane(a *kernel.Value) bool {
	r, _ := l.recordOf(a)
	return l.inside(a.Block) && l.step[a] == 0 && l.sumOf(a) == nil && r == nil && l.recurrenceOf(a) == nil && !l.serial.of[a]
}

// fill passes zero for slots that an edge to ended leaves unset.
func (l *loop) fill() {
	for _, b := range l.f.Blocks {
		for i := range b.Edges {
			e := &b.Edges[i]
			if e.To != l.ended {
				continue
			}
			for n := range l.ended.Params {
				if n >= len(e.Args) {
					e.Args = append(e.Args, nil)
				}
				if e.Args[n] == nil {
					e.Args[n] = l.f.Const(l.ended.Params[n].Type, 0)
				}
			}
		}
	}
}

// bitsOf maps a float type to the integer type that shuffles move its bits in.
var bitsOf = map[kernel.Type]kernel.Type{alu.F16: alu.I16, alu.F32: alu.I32, alu.F64: alu.I64}

// lanesBelow returns in b the number of lanes before the first in the mask some, or 64 if
// it is empty.
func (l *loop) lanesBelow(b *kernel.Block, some *kernel.Value) *kernel.Value {
	num := func(n uint64) *kernel.Value { return l.f.Const(alu.I64, n) }
	lowest := b.Append(alu.And, alu.I64, some, b.Append(alu.Sub, alu.I64, num(0), some))
	return b.Append(alu.Popcount, alu.I64, b.Append(alu.Sub, alu.I64, lowest, num(1)))
}

// inLaneOf returns in b the value of x in a lane.
func (l *loop) inLaneOf(b *kernel.Block, x, lane *kernel.Value) *kernel.Value {
	if bits, ok := bitsOf[x.Type]; ok {
		return b.Append(alu.Bitcast, x.Type, b.Append(kernel.Shuffle, bits, b.Append(alu.Bitcast, bits, x), lane))
	}
	if x.Type == alu.I1 {
		return b.Append(alu.Ne, alu.I1, b.Append(kernel.Shuffle, alu.I8, b.Append(alu.ZExt, alu.I8, x), lane), l.f.Const(alu.I8, 0))
	}
	return b.Append(kernel.Shuffle, x.Type, x, lane)
}

// resume lets the original loop return to the vector loop after as many iterations as there are
// lanes, when it runs because some lane stopped. It returns the parameter of the header that counts
// them down.
func (l *loop) resume() *kernel.Value {
	f := l.f
	again := l.header.NewParam(alu.I32, "again")
	for _, b := range f.Blocks { // where it runs for another reason, they do not run out
		for i := range b.Edges {
			if e := &b.Edges[i]; e.To == l.header && e != l.back.Edge() && e != l.entry.Edge() {
				e.Args = append(slices.Clip(e.Args), f.Const(alu.I32, alu.I32.Mask()))
			}
		}
	}
	next := f.NewBlock("resume")
	args := l.back.Edge().Args
	left := next.Append(alu.Sub, alu.I32, again, f.Const(alu.I32, 1))
	next.Branch(next.Append(alu.Eq, alu.I1, left, f.Const(alu.I32, 0)), kernel.Edge{To: l.before, Args: slices.Clone(args), Rare: true},
		kernel.Edge{To: l.header, Args: append(slices.Clone(args), left)})
	*l.back.Edge() = kernel.Edge{To: next}
	return again
}

// leave continues after the loop as the first lane that left.
func (l *loop) leave(some *kernel.Value, start map[*kernel.Value]*kernel.Value) {
	f, b := l.f, l.left
	below := l.lanesBelow(b, some)
	first := b.Append(alu.Trunc, alu.I32, below)
	from := func(x *kernel.Value) *kernel.Value { return l.inLaneOf(b, x, first) }
	total := map[*kernel.Value]*kernel.Value{}
	var took *kernel.Value
	if len(l.sums)+len(l.records) > 0 {
		took = b.Append(alu.Ule, alu.I1, l.lane, first)
	}
	for _, r := range l.recurrences {
		total[r.p] = r.in(l, b, first)
	}
	for _, r := range l.records {
		maps.Copy(total, r.best(l, b, took))
	}
	for _, s := range l.sums {
		x := b.Append(alu.Select, s.p.Type, took, l.after[s.p], l.now[s.p])
		for d := l.o.Width / 2; d > 0; d /= 2 {
			other := b.Append(alu.Xor, alu.I32, l.lane, f.Const(alu.I32, uint64(d)))
			x = b.Append(s.op, s.p.Type, x, l.inLaneOf(b, x, other))
		}
		x = l.inLaneOf(b, x, f.Const(alu.I32, 0))
		total[s.p] = b.Append(s.op, s.p.Type, start[s.p], x)
	}
	var slots []*kernel.Value
	for _, p := range l.slots {
		slots = append(slots, from(p))
	}
	counter := func(p *kernel.Value) *kernel.Value {
		n := b.Append(alu.Mul, alu.I64, below, f.Const(alu.I64, uint64(l.step[p])))
		return l.plus(b, l.base[p], n)
	}
	var edges []kernel.Edge
	for _, x := range l.exits {
		e := kernel.Edge{To: x.Edge().To}
		places := l.slotsFor(x.Edge().Args)
		for i, a := range x.Edge().Args {
			s := l.sumOf(a)
			switch _, p := l.recordOf(a); {
			case s != nil:
				a = total[s.p]
			case p != nil:
				a = total[p]
			case l.recurrenceOf(a) != nil:
				a = total[a]
			case l.step[a] != 0:
				a = counter(a)
			case l.serial.of[a]:
				a = l.folded[a]
			case places[i] >= 0:
				a = slots[places[i]]
			}
			e.Args = append(e.Args, a)
		}
		edges = append(edges, e)
	}
	if l.mayStop {
		e := kernel.Edge{To: l.header, Rare: true}
		again := l.resume()
		for _, p := range l.header.Params {
			if p == again {
				e.Args = append(e.Args, f.Const(p.Type, uint64(l.o.Width)))
			} else if x := total[p]; x != nil {
				e.Args = append(e.Args, x)
			} else if l.serial.of[p] {
				e.Args = append(e.Args, l.folded[p])
			} else {
				e.Args = append(e.Args, counter(p))
			}
		}
		edges = append(edges, e)
	}
	state := from(l.state)
	for n := len(edges) - 1; n > 0; n-- { // the last edge is the rare one
		next := f.NewBlock("left")
		b.Branch(b.Append(alu.Eq, alu.I1, state, f.Const(stateType, uint64(1+n))), edges[n], kernel.Edge{To: next})
		b = next
	}
	b.Jump(edges[0].To, edges[0].Args...)
}
