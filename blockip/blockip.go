// Package blockip makes the control flow of any kernel uniform with per-lane block IPs
// and JOIN points, like Beignet's back end for Gen (Beignet, "Unstructured Branches").
//
// Blocks are laid out in a linear order and control moves along it: a lane that branches
// forward waits at its target until control arrives there, and at the end of a cycle
// control jumps back while any lane waits for the next iteration. The vector of block IPs
// holds the block that each lane waits for. Most masks need no block IP: a block that the
// same lanes run as another block shares its mask, a block with a single predecessor edge
// takes the mask of that edge, and a cycle's header takes the lanes that enter or
// continue.
//
// The package is independent of widening (package widen) and of targets.
package blockip

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/widen"
)

// Options of Linearize.
type Options struct {
	widen.Options
	// FullStrips adds an unmasked copy of the code for strips with a full mask.
	FullStrips bool
	// Fold makes lanes wait at uniform branches too, except those of loops. It serves to
	// measure the benefit of keeping them.
	Fold bool
}

// Linearize returns k as a vector function, and a report on its branches.
//
// requires: no Switch, one Return, no unreachable block; every header has one
// entering and one back edge; LCSSA; info describes k
// maintains: k
// breaks: nothing
func Linearize(k *kernel.Func, info *divergence.Info, opt Options) (*vir.Func, *widen.Report, error) {
	s, err := newSchedule(k, info, opt)
	if err != nil {
		return nil, nil, err
	}
	w := widen.New(k, info, opt.Options)
	l := &linearizer{schedule: s, w: w}
	w.Strips(l.strip, opt.FullStrips)
	if err := w.Err(); err != nil {
		return nil, nil, err
	}
	vir.RemoveUnreachable(w.F)
	vir.RemoveTrivialParams(w.F)
	w.F.Renumber()
	return w.F, &w.Report, nil
}

// Explain prints the order of the blocks and the source of each block's mask.
func Explain(k *kernel.Func, info *divergence.Info, opt Options) (string, error) {
	s, err := newSchedule(k, info, opt)
	if err != nil {
		return "", err
	}
	return s.String(), nil
}

type edge struct{ from, to int }

type linearizer struct {
	*schedule
	w *widen.Widener

	head  []*vir.Block // by block ID: where control enters a block; nil: not created yet
	body  []*vir.Block // by block ID: where its operations are
	mask  []int        // variable, by leader: the lanes that run the block
	edges map[edge]int // variable: the lanes that wait on the edge to a maskEdge block or header
	ip    int          // variable: the block IPs
	hasIP bool
	// anchored lists, by block ID, the blocks whose parameters are initialized there,
	// because no lane waits for them earlier.
	anchored [][]int
	all      *vir.Value // the lanes of the strip, which run the blocks of leader 0
	last     *vir.Block
}

// running is the block IP of a lane that does not wait. An IP holds position+1, so no
// block has it.
const running = 0

func (l *linearizer) strip(first *vir.Block, mask *vir.Value) *vir.Block {
	w := l.w
	n := l.G.Len()
	l.head, l.body = make([]*vir.Block, n), make([]*vir.Block, n)
	l.mask, l.edges, l.hasIP = make([]int, n), map[edge]int{}, false
	for b := range l.mask {
		if l.leader[b] == b && b != 0 {
			l.mask[b] = w.SSA.Declare(mask.Type, "mask")
		}
		if l.kind[b] == maskIP && !l.hasIP {
			l.hasIP = true
			l.ip = w.SSA.Declare(vir.Vec(l.ipType(), w.W), "ip")
			w.SSA.Write(first, l.ip, w.F.Const(w.SSA.Type(l.ip), running))
		}
		if l.kind[b] == maskEdge || l.kind[b] == maskHeader {
			for _, p := range l.G.Preds[b] {
				if l.Pos[p] < l.Pos[b] {
					x := w.SSA.Declare(mask.Type, "waiting")
					l.edges[edge{p, b}] = x
					w.SSA.Write(first, x, w.False())
				}
			}
		}
	}
	// Uninitialized parameters would be searched for up to the entry.
	l.anchored = make([][]int, n)
	for _, b := range l.Order[1:] {
		if len(l.K.Blocks[b].Params) > 0 && !l.Loops.IsHeader(b) {
			d := l.Anchor(b)
			l.anchored[d] = append(l.anchored[d], b)
		}
	}
	l.all = mask
	l.last = w.F.NewBlock("end")
	l.head[0] = first
	for _, b := range l.Order {
		l.block(b)
	}
	w.SSA.Seal(l.last)
	return l.last
}

// ipType is the type of one block IP: 16 bits if they suffice.
func (l *linearizer) ipType() alu.Type {
	if len(l.Order) >= 1<<16-1 {
		return alu.I32
	}
	return alu.I16
}

// headOf returns the block where control enters b.
func (l *linearizer) headOf(b int) *vir.Block {
	if l.head[b] == nil {
		l.head[b] = l.w.BlockOf(l.K.Blocks[b])
	}
	return l.head[b]
}

// entersHere reports whether lanes are added to the mask of the cycle with header h on
// the edge to the header, not in its head, where the back edge arrives too.
func (l *linearizer) entersHere(h int) bool {
	return l.kind[h] == maskHeader && l.isSpread(h)
}

// arrive connects the end of cur, which belongs to block from and has no other successor,
// to the head of block to, and returns the target.
func (l *linearizer) arrive(cur *vir.Block, from, to int) *vir.Block {
	if to < 0 {
		l.w.SSA.Connect(cur, l.last)
		return l.last
	}
	to = l.headerOnPath(from, to)
	if l.entersHere(to) {
		l.enter(cur, to)
	}
	h := l.headOf(to)
	l.w.SSA.Connect(cur, h)
	return h
}

// pass is arrive for one side of a branch at the end of cur.
func (l *linearizer) pass(cur *vir.Block, from, to int) *vir.Block {
	if to < 0 || !l.entersHere(l.headerOnPath(from, to)) {
		return l.arrive(cur, from, to)
	}
	side := l.w.F.NewBlock("")
	l.w.SSA.Connect(cur, side)
	l.w.SSA.Seal(side)
	side.Jump(l.arrive(side, from, to))
	return side
}

// enter moves the lanes that wait to enter the cycle with header h to its mask.
func (l *linearizer) enter(cur *vir.Block, h int) {
	for _, p := range l.G.Preds[h] {
		if x, ok := l.edges[edge{p, h}]; ok {
			l.w.SSA.Write(cur, l.mask[h], l.w.SSA.Read(cur, x))
			l.w.SSA.Write(cur, x, l.w.False())
			return
		}
	}
	l.w.SSA.Write(cur, l.mask[h], l.w.False())
}

// block builds block b: its JOIN point, its operations and its branch.
func (l *linearizer) block(b int) {
	w := l.w
	head := l.headOf(b)
	header := l.Loops.IsHeader(b) // whose back edge comes later
	spread := header && l.isSpread(b)
	split := l.tested(b) || l.kind[b] == maskHeader
	if !header || split && !spread {
		w.SSA.Seal(head)
	}
	w.SetBlock(head)
	body := head
	switch {
	case l.kind[b] == maskEdge:
		x := l.edges[edge{l.G.Preds[b][0], b}]
		w.SSA.Write(head, l.mask[b], w.SSA.Read(head, x))
		w.SSA.Write(head, x, w.False())
	case l.kind[b] == maskHeader && !spread:
		l.enter(head, b)
	case l.kind[b] == maskIP:
		w.SSA.Write(head, l.mask[b], w.IsAt(w.SSA.Read(head, l.ip), uint64(l.Pos[b]+1)))
	}
	if split {
		body = w.BlockOf(l.K.Blocks[b])
		if l.tested(b) {
			some := w.Any(w.SSA.Read(head, l.mask[b]))
			head.Branch(some, vir.Edge{To: body, Rare: l.Rare(b)}, vir.Edge{To: l.pass(head, b, l.skip(b))})
		} else {
			head.Jump(body)
		}
		w.SSA.Connect(head, body)
		if !header || spread {
			w.SSA.Seal(body)
		}
		w.SetBlock(body)
	}
	l.body[b] = body
	l.report(b)
	// Read as a variable, the strip's mask would become a parameter of a cycle that is
	// not sealed yet, and package widen would not recognize it.
	mask := l.all
	if l.leader[b] != 0 {
		mask = w.SSA.Read(body, l.mask[l.leader[b]])
	}
	if l.kind[b] == maskIP && l.Loops.InnermostCycle(b) != nil {
		l.writeIP(mask, running)
	}
	kb := l.K.Blocks[b]
	for _, t := range l.anchored[b] {
		for _, p := range l.K.Blocks[t].Params {
			x := w.Var(p, 0)
			w.SSA.Write(body, x, w.F.Const(w.SSA.Type(x), 0))
		}
	}
	w.Count(kb, mask)
	for _, v := range kb.Values {
		w.Emit(v, mask)
	}
	if l.direct[b] {
		l.leaveDirectly(kb, mask)
	} else {
		l.leave(kb, mask)
	}
	for _, h := range l.G.Succs[b] {
		if l.Pos[h] <= l.Pos[b] { // the only back edge to h exists now
			l.w.SSA.Seal(l.head[h])
			l.w.SSA.Seal(l.body[h])
		}
	}
}

// report adds block b to the report.
func (l *linearizer) report(b int) {
	r, kb := &l.w.Report, l.K.Blocks[b]
	if l.leader[b] != b {
		r.Shared++
	}
	if l.tested(b) {
		r.Guards = append(r.Guards, kb)
		r.Tests = append(r.Tests, widen.Test{Block: kb, Else: l.blockOf(l.skip(b))})
	}
	switch {
	case len(kb.Edges) < 2:
	case l.Info.Divergent[b]:
		r.Divergent = append(r.Divergent, kb)
	case l.direct[b]:
		r.Kept = append(r.Kept, kb)
	default:
		f := widen.Folded{Block: kb, Waiting: l.blockOf(l.after(b))}
		if t := l.aside(b); t >= 0 {
			f.Aside = l.K.Blocks[l.headerOnPath(b, t)]
		}
		r.Folded = append(r.Folded, f)
	}
}

// blockOf returns the block with an ID, nil for the end.
func (l *linearizer) blockOf(b int) *kernel.Block {
	if b < 0 {
		return nil
	}
	return l.K.Blocks[b]
}

// writeIP sets the block IP of the lanes in mask.
func (l *linearizer) writeIP(mask *vir.Value, at int) {
	w := l.w
	cur := w.Block()
	t := w.SSA.Type(l.ip)
	w.SSA.Write(cur, l.ip, w.Blend(mask, w.F.Const(t, uint64(at)), w.SSA.Read(cur, l.ip)))
}

// leaveDirectly ends a block with a uniform branch that stays a branch.
func (l *linearizer) leaveDirectly(kb *kernel.Block, mask *vir.Value) {
	w := l.w
	cur := w.Block()
	switch kb.Kind {
	case kernel.Return:
		cur.Jump(l.last)
		w.SSA.Connect(cur, l.last)
	case kernel.Jump:
		l.take(kb, 0, mask, l.w.Arguments(kb.Edges[0]))
		cur.Jump(l.jumpTarget(cur, kb, 0, mask))
	default:
		cond := w.Cond(kb)
		ends := make([]vir.Edge, 2)
		for i := range ends {
			side := w.F.NewBlock("")
			w.SSA.Connect(cur, side)
			w.SSA.Seal(side)
			ends[i] = vir.Edge{To: side, Rare: kb.Edges[i].Rare}
		}
		cur.Branch(cond, ends[0], ends[1])
		for i := range ends {
			side := ends[i].To
			w.SetBlock(side)
			l.take(kb, i, mask, l.w.Arguments(kb.Edges[i]))
			side.Jump(l.jumpTarget(side, kb, i, mask))
		}
	}
}

// jumpTarget returns the target of a direct jump along edge i.
func (l *linearizer) jumpTarget(cur *vir.Block, kb *kernel.Block, i int, mask *vir.Value) *vir.Block {
	to := kb.Edges[i].To.ID
	if l.Pos[to] <= l.Pos[kb.ID] {
		return l.goBack(cur, to, mask)
	}
	return l.arrive(cur, kb.ID, to)
}

// goBack connects cur to header h for the lanes of mask, along the only back edge of the
// cycle, and returns the target.
func (l *linearizer) goBack(cur *vir.Block, h int, mask *vir.Value) *vir.Block {
	to := l.head[h]
	if l.kind[h] == maskHeader {
		l.w.SSA.Write(cur, l.mask[h], mask)
		if !l.isSpread(h) {
			to = l.body[h]
		}
	}
	l.w.SSA.Connect(cur, to)
	return to
}

// leave ends a block whose lanes may diverge, or must wait for others: every lane takes
// its edge, then control goes to the next block where lanes may wait.
func (l *linearizer) leave(kb *kernel.Block, mask *vir.Value) {
	w := l.w
	taken := []*vir.Value{mask}
	if kb.Kind == kernel.Branch {
		cond := w.CondMask(kb)
		taken = []*vir.Value{w.And(mask, cond), w.AndNot(mask, cond)}
	}
	back := -1
	// The parameters that one edge sets may be arguments of the other.
	args := make([][]*vir.Value, len(taken))
	for i := range taken {
		args[i] = l.w.Arguments(kb.Edges[i])
	}
	for i := range taken {
		l.take(kb, i, taken[i], args[i])
		if l.Pos[kb.Edges[i].To.ID] <= l.Pos[kb.ID] {
			back = i
		}
	}
	cur := w.Block()
	if back < 0 {
		cur.Jump(l.arrive(cur, kb.ID, l.after(kb.ID)))
		return
	}
	again := w.F.NewBlock("again")
	done := w.F.NewBlock("done")
	cur.Branch(w.Any(taken[back]), vir.Edge{To: again}, vir.Edge{To: done})
	for _, x := range []*vir.Block{again, done} {
		w.SSA.Connect(cur, x)
		w.SSA.Seal(x)
	}
	again.Jump(l.goBack(again, kb.Edges[back].To.ID, taken[back]))
	done.Jump(l.arrive(done, kb.ID, l.after(kb.ID)))
}

// take records that the lanes of mask take edge i of kb: it sets the parameters of the
// target and the block that the lanes wait for.
func (l *linearizer) take(kb *kernel.Block, i int, mask *vir.Value, args []*vir.Value) {
	w := l.w
	cur := w.Block()
	e := kb.Edges[i]
	to := e.To.ID
	for j, p := range e.To.Params {
		x := args[j]
		switch {
		case !x.Type.IsScalar():
			if !l.plain(kb.ID, i, to) {
				w.Report.Blends++
				x = w.Blend(mask, x, w.SSA.Read(cur, w.Var(p, 0)))
			}
		case !l.direct[kb.ID] && i == 1 && kb.Edges[0].To == e.To && w.Cond(kb).Type.IsScalar():
			x = w.Blend(w.Cond(kb), w.SSA.Read(cur, w.Var(p, 0)), x) // edge 0 has set it
		}
		w.SSA.Write(cur, w.Var(p, 0), x)
	}
	switch {
	case l.kind[to] == maskIP:
		l.writeIP(mask, l.Pos[to]+1)
	case l.Pos[to] > l.Pos[kb.ID]:
		if x, ok := l.edges[edge{kb.ID, to}]; ok {
			w.SSA.Write(cur, x, mask)
		}
	}
}

// plain reports whether edge i of block from may set the parameters of block to without a
// blend: no lane that waits at to, or has values from another edge, needs the old ones.
func (l *linearizer) plain(from, i, to int) bool {
	if l.Loops.IsHeader(to) {
		return true // lanes outside the cycle do not use them (LCSSA)
	}
	in := l.inEdges(to)
	direct := true
	for _, p := range in {
		direct = direct && l.direct[p]
	}
	if direct {
		return true
	}
	first := in[0] == from && !l.Leaves(from, to)
	twice := i == 1 && l.K.Blocks[from].Edges[0].To.ID == to
	return first && !twice
}
