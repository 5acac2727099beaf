package structurize

import (
	"slices"

	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/widen"
)

// linearizer builds one strip along the flow. Masks, block parameters and values of the
// kernel are variables; SSA construction finds which definition reaches a block.
type linearizer struct {
	*masks
	w *widen.Widener

	head    []*vir.Block // by block ID: where control enters a block; nil: not created yet
	body    []*vir.Block // by block ID: where its operations are, after the test in the head
	mask    []int        // variable, by leader: the lanes that run the block; -1: no leader
	waiting []int        // variable, by block ID: the lanes that wait for a block with its own mask
	// anchored lists, by block ID, the blocks whose masks and parameters are initialized
	// there, because no lane waits for them earlier.
	anchored [][]int
	known    []*vir.Value // by leader: the mask if it is a single value, or nil
	// constants caches the results of commonConstant.
	constants map[*kernel.Value]*kernel.Value
	last      *vir.Block

	// copyStart is the position of the region whose first copy is being built, or -1.
	copyStart int
}

func (l *linearizer) strip(first *vir.Block, mask *vir.Value) *vir.Block {
	w := l.w
	n := l.G.Len()
	l.head, l.body = make([]*vir.Block, n), make([]*vir.Block, n)
	l.mask, l.waiting = slices.Repeat([]int{-1}, 2*n), make([]int, n)
	for _, b := range l.Order {
		if lead := l.leader[b]; l.mask[lead] < 0 {
			l.mask[lead] = w.SSA.Declare(mask.Type, "mask")
		}
		if l.own(b) {
			l.waiting[b] = w.SSA.Declare(mask.Type, "waiting")
		}
	}
	l.anchored = make([][]int, n)
	for _, b := range l.Order[1:] {
		if l.own(b) && l.firstIn[b] < 0 || len(l.K.Blocks[b].Params) > 0 && !l.Loops.IsHeader(b) {
			d := l.Anchor(b)
			l.anchored[d] = append(l.anchored[d], b)
		}
	}
	// Read as a variable, the strip's mask would become a parameter of a cycle that is
	// not sealed yet, and package widen would not recognize it.
	l.known = make([]*vir.Value, 2*n)
	l.known[0] = mask
	l.constants = map[*kernel.Value]*kernel.Value{}
	l.copyStart = -1
	l.last = w.F.NewBlock("end")
	l.head[0] = first
	for p := 0; p < n; p++ {
		b := l.Order[p]
		if until := l.copyEnd[b]; until > 0 {
			l.buildTwice(b, until)
			p = until - 1
			continue
		}
		l.run(b, l.arrive(b, nil))
	}
	w.SSA.Seal(l.last)
	return l.last
}

// headOf returns the block where control enters b.
func (l *linearizer) headOf(b int) *vir.Block {
	switch {
	case b == end:
		return l.last
	case l.head[b] == nil:
		l.head[b] = l.w.BlockOf(l.K.Blocks[b])
	}
	return l.head[b]
}

// to connects cur to the head of block b and returns it.
func (l *linearizer) to(cur *vir.Block, b int) *vir.Block {
	h := l.headOf(b)
	l.w.SSA.Connect(cur, h)
	return h
}

// buildTwice builds the blocks from b up to position until twice: for a full mask, and for
// a partial one.
func (l *linearizer) buildTwice(b, until int) {
	w := l.w
	full := w.BlockOf(l.K.Blocks[b])
	body := l.arrive(b, full)
	rest := l.Order[l.Pos[b]+1 : until]
	build := func(body *vir.Block) {
		for _, x := range rest {
			l.head[x] = nil
		}
		l.run(b, body)
		for _, x := range rest {
			l.run(x, l.arrive(x, nil))
		}
	}
	report := w.Report // the second copy is not reported
	l.known[b] = w.True()
	w.SSA.Write(full, l.mask[b], w.True())
	l.copyStart = l.Pos[b]
	build(full)
	l.copyStart = -1
	l.known[b] = nil
	w.Report = report
	w.Report.Copies = append(w.Report.Copies, l.K.Blocks[b])
	build(body)
}

// arrive builds the head of block b, which computes its mask, and returns the block for
// b's operations. If full is not nil, control goes there when the mask is full.
func (l *linearizer) arrive(b int, full *vir.Block) *vir.Block {
	w := l.w
	kb := l.K.Blocks[b]
	header := l.Loops.IsHeader(b)
	head := l.headOf(b)
	split := l.own(b) && (header || l.guard[b] != unguarded || full != nil)
	if split || !header {
		w.SSA.Seal(head)
	}
	if !l.own(b) {
		if b != 0 {
			w.Report.Shared++
		}
		return head
	}
	mask := w.SSA.Read(head, l.waiting[b])
	w.SSA.Write(head, l.mask[b], mask)
	if x := l.mask[l.Entry(b)]; x >= 0 {
		w.SSA.Write(head, x, mask)
	}
	if !split {
		return head
	}
	body := w.BlockOf(kb)
	enter := func(from, body *vir.Block) {
		w.SSA.Connect(from, body)
		if !header {
			w.SSA.Seal(body)
		}
	}
	w.SetBlock(head)
	if full != nil {
		some := w.F.NewBlock("some")
		head.Branch(w.All(mask), vir.Edge{To: full}, vir.Edge{To: some})
		enter(head, full)
		w.SSA.Connect(head, some)
		w.SSA.Seal(some)
		head = some
		w.SetBlock(head)
	}
	if l.guard[b] == unguarded {
		head.Jump(body)
		enter(head, body)
		return body
	}
	any := w.Any(mask)
	head.Branch(any, vir.Edge{To: body, Rare: l.Rare(b)}, vir.Edge{To: l.to(head, l.skip[b])})
	enter(head, body)
	w.Report.Tests = append(w.Report.Tests, l.test(b))
	if l.guard[b] == guardBypass {
		w.Report.Bypasses = append(w.Report.Bypasses, kb)
	} else {
		w.Report.Guards = append(w.Report.Guards, kb)
	}
	return body
}

// run builds block b in body: its operations and its branch.
func (l *linearizer) run(b int, body *vir.Block) {
	w := l.w
	kb := l.K.Blocks[b]
	l.body[b] = body
	w.SetBlock(body)
	mask, emit := l.known[l.leader[b]], w.Emit
	if mask == nil {
		mask = w.SSA.Read(body, l.mask[l.leader[b]])
		if !l.nonempty[l.tester(b)] {
			emit = w.EmitIdle
		}
	}
	l.begin(b, body)
	w.Count(kb, mask)
	for _, v := range kb.Values {
		emit(v, mask)
	}
	switch {
	case kb.Kind == kernel.Return:
		w.Block().Jump(l.to(w.Block(), l.next[b][0]))
	case l.diverges[b]:
		if l.Info.Divergent[b] {
			w.Report.Divergent = append(w.Report.Divergent, kb)
		} else {
			l.folded(kb, true)
		}
		l.deferTargets(kb, mask)
	case len(kb.Edges) == 1:
		l.take(kb, 0, mask, w.Arguments(kb.Edges[0]))
		l.follow(w.Block(), kb, 0, mask)
	default:
		if l.kept(b) {
			w.Report.Kept = append(w.Report.Kept, kb)
		} else {
			l.folded(kb, false)
		}
		l.choose(kb, mask)
	}
	for _, h := range l.G.Succs[b] {
		if l.Back(b, h) && (l.copyStart < 0 || l.Pos[h] >= l.copyStart) { // all back edges to h exist now
			w.SSA.Seal(l.body[h])
		}
	}
}

// folded reports that a uniform branch was linearized; asked means that an option
// requested it.
func (l *linearizer) folded(kb *kernel.Block, asked bool) {
	l.w.Report.Folded = append(l.w.Report.Folded, widen.Folded{Block: kb, Waiting: l.blockOf(l.next[kb.ID][0]), Asked: asked})
}

// begin initializes the masks and parameters that are anchored at b. Otherwise SSA
// construction would search for a definition up to the entry.
func (l *linearizer) begin(b int, body *vir.Block) {
	w := l.w
	for _, t := range l.anchored[b] {
		if l.own(t) && l.firstIn[t] < 0 {
			w.SSA.Write(body, l.waiting[t], w.False())
		}
		if l.Loops.IsHeader(t) {
			continue
		}
		for _, p := range l.K.Blocks[t].Params {
			x, bits := w.Var(p, 0), uint64(0)
			if c := l.commonConstant(p); c != nil {
				bits = c.Const
			}
			w.SSA.Write(body, x, w.F.Const(w.SSA.Type(x), bits))
		}
	}
}

// choose ends a block with a uniform branch.
func (l *linearizer) choose(kb *kernel.Block, mask *vir.Value) {
	w := l.w
	cur := w.Block()
	sides := make([]vir.Edge, 2)
	for i := range sides {
		side := w.F.NewBlock("")
		w.SSA.Connect(cur, side)
		w.SSA.Seal(side)
		sides[i] = vir.Edge{To: side, Rare: kb.Edges[i].Rare}
	}
	cur.Branch(w.Cond(kb), sides[0], sides[1])
	for i := range sides {
		w.SetBlock(sides[i].To)
		l.take(kb, i, mask, w.Arguments(kb.Edges[i]))
		l.follow(w.Block(), kb, i, mask)
	}
}

// follow ends cur after all lanes of mask took edge i of a uniform branch.
func (l *linearizer) follow(cur *vir.Block, kb *kernel.Block, i int, mask *vir.Value) {
	to := kb.Edges[i].To.ID
	switch {
	case !l.Back(kb.ID, to):
		cur.Jump(l.to(cur, l.next[kb.ID][i]))
	case !l.masked[l.Loops.InnermostCycle(to).ID] || l.certain(kb.ID):
		cur.Jump(l.goBack(cur, to, mask))
	default:
		l.againIf(cur, kb.ID, to, l.next[kb.ID][i], mask)
	}
}

// certain reports whether the mask of block b is never empty when control reaches it.
func (l *linearizer) certain(b int) bool {
	return l.guard[l.tester(b)] != unguarded && l.leader[b] != l.Loops.InnermostCycle(b).Header
}

// goBack connects cur to header h for the lanes of mask and returns the target.
func (l *linearizer) goBack(cur *vir.Block, h int, mask *vir.Value) *vir.Block {
	if l.own(h) {
		l.w.SSA.Write(cur, l.mask[h], mask)
	}
	l.w.SSA.Connect(cur, l.body[h])
	return l.body[h]
}

// againIf branches back to header h while mask is not empty, and else to next.
func (l *linearizer) againIf(cur *vir.Block, b, h, next int, mask *vir.Value) {
	w := l.w
	again, done := w.F.NewBlock("again"), w.F.NewBlock("done")
	cur.Branch(w.Any(mask), vir.Edge{To: again}, vir.Edge{To: done})
	for _, x := range []*vir.Block{again, done} {
		w.SSA.Connect(cur, x)
		w.SSA.Seal(x)
	}
	again.Jump(l.goBack(again, h, mask))
	done.Jump(l.to(done, next))
}

// deferTargets ends a block with a divergent branch: every lane takes its edge, and control
// goes to the first pending block; the others are deferred.
func (l *linearizer) deferTargets(kb *kernel.Block, mask *vir.Value) {
	w := l.w
	cond := w.CondMask(kb)
	taken := []*vir.Value{w.And(mask, cond), w.AndNot(mask, cond)}
	// The parameters that one edge sets may be arguments of the other.
	args := make([][]*vir.Value, len(taken))
	for i := range taken {
		args[i] = w.Arguments(kb.Edges[i])
	}
	back := end
	for i := range taken {
		l.take(kb, i, taken[i], args[i])
		if l.Back(kb.ID, kb.Edges[i].To.ID) {
			back = i
		}
	}
	cur, next := w.Block(), l.next[kb.ID][0]
	if back == end {
		cur.Jump(l.to(cur, next))
		return
	}
	l.againIf(cur, kb.ID, kb.Edges[back].To.ID, next, taken[back])
}

// take records that the lanes of mask take edge i of kb: it sets the parameters of the
// target and adds the lanes to those that wait there.
func (l *linearizer) take(kb *kernel.Block, i int, mask *vir.Value, args []*vir.Value) {
	w := l.w
	cur := w.Block()
	to := kb.Edges[i].To
	for j, p := range to.Params {
		x, param := args[j], w.Var(p, 0)
		if l.diverges[kb.ID] && l.commonConstant(p) == kb.Edges[i].Args[j] {
			continue // the initial value of p
		}
		switch plain := l.plain(kb, i); {
		case plain || w.W == 1:
		case !x.Type.IsScalar():
			w.Report.Blends++
			x = w.Blend(mask, x, w.SSA.Read(cur, param))
		case l.sole(kb, to.ID) || sameConstants(l.K, to, j):
		default:
			// One value for all lanes, if any lane takes this edge.
			w.Report.Blends++
			x = w.Blend(w.Any(mask), x, w.SSA.Read(cur, param))
		}
		w.SSA.Write(cur, param, x)
	}
	if l.Back(kb.ID, to.ID) || !l.own(to.ID) {
		return
	}
	if l.firstIn[to.ID] != kb.ID || i == 1 && kb.Edges[0].To == to && l.diverges[kb.ID] {
		mask = w.Or(w.SSA.Read(cur, l.waiting[to.ID]), mask)
	}
	w.SSA.Write(cur, l.waiting[to.ID], mask)
}

// commonConstant returns the constant that most divergent edges pass as p, if every edge
// sets p for its own lanes, and else nil. It is the initial value of p, so that these edges
// need no blend. (Other edges set p to it nevertheless: through them lanes exit a loop
// together, in which p is not used, and later passes rely on that.)
func (l *linearizer) commonConstant(p *kernel.Value) *kernel.Value {
	c, known := l.constants[p]
	if known {
		return c
	}
	count, to := map[*kernel.Value]int{}, p.Block
	for _, from := range l.G.Preds[to.ID] {
		kb := l.K.Blocks[from]
		for i, e := range kb.Edges {
			if e.To != to {
				continue
			}
			if l.plain(kb, i) || l.w.W == 1 {
				l.constants[p] = nil
				return nil
			}
			if a := e.Args[p.Index]; a.Op == kernel.Const && l.diverges[from] {
				if count[a]++; c == nil || count[a] > count[c] {
					c = a
				}
			}
		}
	}
	l.constants[p] = c
	return c
}

// plain reports whether edge i may set the parameters of its target without a blend: no
// lane that waits there has values from another edge.
func (l *linearizer) plain(kb *kernel.Block, i int) bool {
	to := kb.Edges[i].To.ID
	if l.Loops.IsHeader(to) {
		return true // lanes outside the cycle do not use them (LCSSA)
	}
	converged := !l.waited[to]
	first := kb.ID
	for _, p := range l.G.Preds[to] {
		converged = converged && !l.diverges[p]
		if l.Pos[p] < l.Pos[first] {
			first = p
		}
	}
	if converged {
		return true
	}
	twice := i == 1 && kb.Edges[0].To.ID == to && l.diverges[kb.ID]
	return first == kb.ID && !l.Leaves(kb.ID, to) && !twice
}

// sole reports whether a uniform branch of kb is the only predecessor of a block, so that
// all lanes of the block arrive together.
func (l *linearizer) sole(kb *kernel.Block, to int) bool {
	return len(l.G.Preds[to]) == 1 && !l.diverges[kb.ID]
}

// sameConstants reports whether every edge to b passes the same constant as parameter j.
func sameConstants(k *kernel.Func, b *kernel.Block, j int) bool {
	var one *kernel.Value
	for _, from := range k.Blocks {
		for _, e := range from.Edges {
			if e.To != b {
				continue
			}
			x := e.Args[j]
			if x.Op != kernel.Const || one != nil && one != x {
				return false
			}
			one = x
		}
	}
	return true
}
