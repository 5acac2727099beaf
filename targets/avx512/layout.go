package avx512

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/avx512/asm"
	"github.com/simtc/simtc/targets/avx512/frame"
	"github.com/simtc/simtc/vir"
)

// layout is a function as one list of instructions. Labels below the number of
// blocks are the blocks'; the others are made here.
type layout struct {
	insts   []asm.Inst
	yield   asm.Label // where the stubs begin; -1 if the code has no backward jump
	labels  asm.Label // labels in use
	align   []int     // by block: of its code; 0 where it does not matter
	whole   []int     // by block: the bytes of its code that must not lie in two lines
	order   []int
	fuelled int // places that count fuel
	tables  []jumpTable
	cost    map[int]int64 // see machineFunc

	ahead []bool // by block: it lies before the head that it leads back to

	blocks     []*machineBlock
	dispatches map[int]*dispatch // by the block that begins them
	forest     *cfg.CycleForest
	heads      []head // by block
}

// head is the beginning of a block.
type head struct {
	at      int       // of its label, in insts
	counted asm.Label // a way to it that counts fuel, before its label; 0: none
}

// jumpTable is a jump through a table at a place of the order.
type jumpTable struct {
	end   terminator
	place int
}

// layOut orders the blocks and ends each with the jumps it needs.
//
// The order is a reverse postorder that keeps loops together, so a loop's
// head comes first and its exits after it. A backward jump is always the
// conditional one that counts fuel, or one to a head that does, so an iteration
// takes exactly one taken jump wherever a loop has its test. Of a block that lies
// ahead of its loop's head it is the way on to the head that counts.
//
// requires: registers allocated
func layOut(f *machineFunc, spillBytes int) *layout {
	threadJumps(f)
	splitDefaults(f)
	g := f.graph()
	forest := cfg.Cycles(g)
	l := &layout{yield: -1, labels: asm.Label(len(f.blocks)), order: loopOrder(f, g, forest), cost: f.cost, blocks: f.blocks, forest: forest, heads: make([]head, len(f.blocks))}
	l.latchesFirst(f, forest)
	position := cfg.Positions(l.order, len(f.blocks))
	l.findDispatches(f, forest, position)
	l.alignments(f, forest)
	l.keepInLines(f, forest, position)
	backward := false
	for _, b := range l.order {
		for _, s := range f.blocks[b].succs() {
			backward = backward || position[s] <= position[b]
		}
	}
	if backward {
		l.yield = l.newLabel()
	}
	if backward || spillBytes > 0 {
		l.emit(asm.Make(asm.MOV, asm.R14, asm.InMem).Bits(asm.Size64).WithMem(asm.At(asm.RDI, vir.CtxSave)))
	}
	if backward {
		l.emit(asm.Make(asm.MOV, asm.R15, asm.InMem).Bits(asm.Size64).WithMem(asm.At(asm.R14, frame.FuelOffset)))
	}
	stubs := make([]asm.Label, len(f.blocks)) // 0: none; block 0 has label 0, others have larger ones
	size := len(l.insts) + 4                  // those of the yield
	for _, bi := range l.order {
		size += len(f.blocks[bi].insts) + 4
	}
	l.insts = slices.Grow(l.insts, size)
	for i, bi := range l.order {
		if n := l.align[bi]; n > 0 {
			l.emit(asm.Align(n))
		}
		if n := l.whole[bi]; n > 1 {
			l.emit(asm.AlignWithin(lineBytes, n-1))
		}
		l.heads[bi].at = len(l.insts)
		l.emit(asm.Bind(asm.Label(bi)))
		l.insts = append(l.insts, f.blocks[bi].insts...)
		next := -1
		if i+1 < len(l.order) {
			next = l.order[i+1]
		}
		end := f.blocks[bi].term
		if head, ok := repeatedHead(f, g, bi, i, position); ok && l.dispatches[head.block] == nil && !l.ahead[bi] && !l.ahead[head.block] {
			if !end.freeYes {
				l.countFuel(head.block, stubs)
			}
			l.insts = append(l.insts, f.blocks[head.block].insts...)
			end = head.end
		}
		l.end(end, i, next, position, stubs)
	}
	for _, x := range l.tables {
		labels := make([]asm.Label, len(x.end.targets))
		for k, to := range x.end.targets {
			labels[k] = asm.Label(to)
			if position[to] <= x.place {
				labels[k] = l.newLabel()
				l.emit(asm.Bind(labels[k]))
				l.end(terminator{yes: to}, x.place, -1, position, stubs)
			}
		}
		entries := make([]asm.Label, len(x.end.entries))
		for k, e := range x.end.entries {
			entries[k] = labels[e]
		}
		f.pool.SetTable(x.end.table, entries)
	}
	for _, bi := range l.order {
		if stubs[bi] != 0 {
			l.emit(asm.Bind(stubs[bi]))
			l.emit(asm.Make(asm.LEA, asm.R15, asm.InMem).Bits(asm.Size64).WithMem(asm.LabelMem(asm.Label(bi))))
			l.emit(asm.Jump(l.yield))
		}
	}
	l.countAtHeads(stubs)
	return l
}

// countAtHeads makes the ways to loops' heads that count fuel. What comes to such
// a head from above falls into it and counts, too.
func (l *layout) countAtHeads(stubs []asm.Label) {
	if !slices.ContainsFunc(l.heads, func(h head) bool { return h.counted != 0 }) {
		return
	}
	code, done := l.insts, 0
	l.insts = make([]asm.Inst, 0, len(code)+2*len(l.order))
	for _, b := range l.order {
		if h := l.heads[b]; h.counted != 0 {
			l.insts = append(l.insts, code[done:h.at]...)
			done = h.at
			l.emit(asm.Bind(h.counted))
			l.burn(b, stubs)
		}
	}
	l.insts = append(l.insts, code[done:]...)
}

// countedHead is where jumps back to the head b go that leave counting to it.
func (l *layout) countedHead(b int, stubs []asm.Label) asm.Label {
	if l.heads[b].counted == 0 {
		l.heads[b].counted = l.newLabel()
		l.wantStub(b, stubs)
	}
	return l.heads[b].counted
}

// goesOn reports whether a block goes back to a loop's head if its condition holds,
// and else on in the loop. Were the fuel counted there, one of the two would take
// a jump more.
func (l *layout) goesOn(t terminator) bool {
	c := l.forest.InnermostCycle(t.yes)
	return c != nil && c.Header == t.yes && l.forest.Contains(c, t.no) && !l.ahead[t.yes] && l.dispatches[t.yes] == nil
}

// smallNest is how many bytes of code a nest of loops may have to begin at a
// line of the cache; branches that share a line are predicted together.
const smallNest = 112

// largeLoop is how many bytes of code a loop of one lane may have around others
// before its head is aligned, too.
const largeLoop = 192

// alignments aligns the heads of innermost loops, but of a small nest of loops
// its head alone: padding inside of it would run each time round.
func (l *layout) alignments(f *machineFunc, forest *cfg.CycleForest) {
	l.align = make([]int, len(f.blocks))
	first := func(head int) int { // what comes first of a loop
		if i := slices.Index(l.order, head); i > 0 && l.ahead[l.order[i-1]] {
			return l.order[i-1]
		}
		return head
	}
	small := make([]bool, len(forest.Cycles))
	for _, c := range forest.Cycles { // outer loops first
		bytes := 0
		for _, b := range c.Blocks {
			bytes += 4*len(f.blocks[b].insts) + 3*len(f.blocks[b].succs())
		}
		inside := c.Parent != nil && small[c.Parent.ID]
		small[c.ID] = inside || bytes <= smallNest
		switch {
		case inside:
		case small[c.ID] && len(c.Children) > 0:
			l.align[first(c.Header)] = 64
		case len(c.Children) == 0 || c.Parent != nil && f.scalar && bytes > largeLoop:
			l.align[first(c.Header)] = 32
		}
	}
}

func (l *layout) emit(in asm.Inst) {
	if n := len(l.insts); n > 0 && in.Line == 0 && in.Op != asm.ALIGN && in.Op != asm.LABEL {
		in.Line = l.insts[n-1].Line
	}
	l.insts = append(l.insts, in)
}

func (l *layout) newLabel() asm.Label {
	l.labels++
	return l.labels - 1
}

// end emits the jumps of a block at place i of the order. A backward jump
// counts fuel; out of it, a stub after the code goes to yield.
func (l *layout) end(t terminator, i, next int, position []int, stubs []asm.Label) {
	back := func(b int) bool {
		return position[b] <= i && !l.ahead[b] && !(t.freeYes && b == t.yes) && !(t.freeNo && b == t.no)
	}
	jump := func(b int) {
		d := l.dispatches[b]
		switch {
		case d != nil && d.from[l.order[i]] && b != next:
			if back(b) {
				l.countFuel(b, stubs)
			}
			l.copyDispatch(d, position, stubs)
		case back(b) && l.cost[b] > 1:
			l.wantStub(b, stubs)
			l.emit(asm.Make(asm.SUB, asm.R15, asm.InImm).WithImm(l.cost[b]).Bits(asm.Size64))
			l.emit(asm.JumpIf(asm.CondG, asm.Label(b)))
			l.emit(asm.Jump(stubs[b]))
		case back(b):
			l.wantStub(b, stubs)
			l.emit(asm.Make(asm.DEC, asm.R15).Bits(asm.Size64))
			l.emit(asm.JumpIf(asm.CondNE, asm.Label(b)))
			l.emit(asm.Jump(stubs[b]))
		case b != next:
			l.emit(asm.Jump(asm.Label(b)))
		case l.ahead[l.order[i]] && !t.freeYes:
			l.countFuel(b, stubs)
		}
	}
	if t.cond && !t.counted && (back(t.no) && !back(t.yes) || l.ahead[t.no] && t.yes != next && !back(t.yes)) {
		t.yes, t.no, t.on = t.no, t.yes, t.on.Negate()
		t.freeYes, t.freeNo = t.freeNo, t.freeYes
	}
	if t.cond && !t.counted && t.yes != next && t.no != next && !back(t.yes) && !back(t.no) && l.leaves(l.order[i], t.yes) && !l.leaves(l.order[i], t.no) {
		t.yes, t.no, t.on = t.no, t.yes, t.on.Negate() // one jump on the way round
	}
	switch {
	case t.ret:
		l.emit(asm.Make(asm.RET))
	case t.counted:
		l.emit(asm.Make(asm.DEC, asm.R15).Bits(asm.Size64))
		l.emit(asm.JumpIf(asm.CondA, asm.Label(t.yes)))
		if t.no != next {
			l.emit(asm.Jump(asm.Label(t.no)))
		}
	case t.cond && back(t.yes) && !back(t.no) && l.goesOn(t):
		l.emit(asm.JumpIf(t.on, l.countedHead(t.yes, stubs)))
		jump(t.no)
	case t.cond && t.on == asm.CondAE && back(t.yes) && !back(t.no) && l.cost[t.yes] <= 1:
		l.backOnCarry(t, next, stubs)
	case t.targets != nil:
		l.tables = append(l.tables, jumpTable{t, i})
	case !t.cond:
		jump(t.yes)
	case back(t.yes) && back(t.no):
		other := l.newLabel()
		l.emit(asm.JumpIf(t.on.Negate(), other))
		jump(t.yes)
		l.emit(asm.Bind(other))
		jump(t.no)
	case back(t.yes) || t.yes == next && !back(t.no):
		l.emit(asm.JumpIf(t.on.Negate(), asm.Label(t.no)))
		jump(t.yes)
	default:
		l.emit(asm.JumpIf(t.on, asm.Label(t.yes)))
		jump(t.no)
	}
}

// leaves reports whether the way from block b to s leaves a loop.
func (l *layout) leaves(b, s int) bool { return loopsLeft(l.forest, b, s) > 0 }

func (l *layout) wantStub(b int, stubs []asm.Label) {
	if stubs[b] == 0 {
		stubs[b] = l.newLabel()
	}
	l.fuelled++
}

// backOnCarry ends a block that goes on with the loop if CF is clear. DEC
// leaves CF alone, so that one jump looks at it and at the fuel. Leaving gives
// the fuel back: it may just have run out, and below zero it would not again.
func (l *layout) backOnCarry(t terminator, next int, stubs []asm.Label) {
	l.wantStub(t.yes, stubs)
	l.emit(asm.Make(asm.DEC, asm.R15).Bits(asm.Size64))
	l.emit(asm.JumpIf(asm.CondA, asm.Label(t.yes)))
	l.emit(asm.JumpIf(asm.CondAE, stubs[t.yes]))
	l.emit(asm.Make(asm.INC, asm.R15).Bits(asm.Size64))
	if t.no != next {
		l.emit(asm.Jump(asm.Label(t.no)))
	}
}

// threadJumps makes jumps to blocks that only jump on go to where those lead.
func threadJumps(f *machineFunc) {
	goal := make([]int, len(f.blocks))
	for i := range goal {
		goal[i] = i
	}
	for i := range f.blocks {
		at, steps := i, 0
		for steps < len(f.blocks) {
			b := f.blocks[at]
			if at == 0 || len(b.insts) > 0 || b.term.cond || b.term.ret || b.term.yes == at {
				break
			}
			if at = goal[b.term.yes]; goal[at] == i {
				at = i // an endless loop of empty blocks
				break
			}
			steps++
		}
		goal[i] = at
	}
	for _, b := range f.blocks {
		if !b.term.ret {
			b.term.yes = goal[b.term.yes]
			if b.term.cond {
				b.term.no = goal[b.term.no]
			}
			for k, to := range b.term.targets {
				b.term.targets[k] = goal[to]
			}
		}
	}
}
