package avx512

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/avx512/asm"
	"github.com/simtc/simtc/vir"
)

// layout is a function as one list of instructions. Its labels are the blocks'.
type layout struct {
	insts  []asm.Inst
	align  []int // by block: of its code; 0 where it does not matter
	whole  []int // by block: the bytes of its code that must not lie in two lines
	order  []int
	tables []terminator // jumps through tables

	ahead []bool // by block: it lies before the head that it leads back to
	aside []bool // by block: rarely run, it lies behind all others

	blocks     []*machineBlock
	dispatches map[int]*dispatch // by the block that begins them
	copied     int               // copies of dispatches
	forest     *cfg.CycleForest
}

// layOut orders the blocks and ends each with the jumps it needs.
//
// The order is a reverse postorder that keeps loops together, so a loop's
// head comes first and its exits after it. An iteration takes one taken jump where
// that is possible, wherever the loop has its test.
//
// requires: registers allocated
func layOut(f *machineFunc, spillBytes int) *layout {
	threadJumps(f)
	g := f.graph()
	forest := cfg.Cycles(g)
	l := &layout{order: loopOrder(f, g, forest), blocks: f.blocks, forest: forest}
	l.latchesFirst(f, forest)
	l.rareAside(f, forest)
	position := cfg.Positions(l.order, len(f.blocks))
	if !f.sharedDispatch {
		l.findDispatches(f, forest)
	}
	l.alignments(f, forest)
	l.keepInLines(f, forest, position)
	if spillBytes > 0 || f.private {
		l.emit(asm.Make(asm.MOV, asm.R14, asm.InMem).Bits(asm.Size64).WithMem(asm.At(asm.RDI, vir.CtxScratch)))
	}
	size := len(l.insts)
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
		l.emit(asm.Bind(asm.Label(bi)))
		insts, end, line := f.blocks[bi].insts, f.blocks[bi].term, f.blocks[bi].line
		next := -1
		if i+1 < len(l.order) {
			next = l.order[i+1]
		}
		if head, ok := repeatedHead(f, bi, i, position); ok && l.dispatches[head.block] == nil && !l.ahead[bi] && !l.ahead[head.block] {
			b := &machineBlock{insts: slices.Concat(insts, f.blocks[head.block].insts), term: head.end}
			dropTests(b)
			insts, end = b.insts, b.term
		}
		l.insts = append(l.insts, insts...)
		l.end(end, line, i, next, position)
	}
	for _, t := range l.tables {
		entries := make([]asm.Label, len(t.entries))
		for k, e := range t.entries {
			entries[k] = asm.Label(t.targets[e])
		}
		f.pool.SetTable(t.table, entries)
	}
	return l
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

// end emits the jumps of a block at place i of the order, whose line is that of the
// instructions before if it is 0.
func (l *layout) end(t terminator, line int32, i, next int, position []int) {
	jump := func(b int) {
		switch d := l.dispatches[b]; {
		case b == next:
		case d != nil && d.from[l.order[i]]:
			l.copyDispatch(d)
		default:
			l.emit(asm.Jump(asm.Label(b)).AtLine(line))
		}
	}
	back := func(b int) bool { return position[b] <= i }
	switch {
	case t.ret:
		l.emit(asm.Make(asm.RET))
	case t.targets != nil:
		l.tables = append(l.tables, t)
	case !t.cond:
		jump(t.yes)
	default:
		// One jump on the way round a loop.
		other := t.yes != next && t.no != next && (back(t.no) && !back(t.yes) || back(t.no) == back(t.yes) && l.leaves(l.order[i], t.yes) && !l.leaves(l.order[i], t.no))
		if d := l.dispatches[t.yes]; t.yes == next || other || d != nil && d.from[l.order[i]] {
			t.yes, t.no, t.on = t.no, t.yes, t.on.Negate()
		}
		l.emit(asm.JumpIf(t.on, asm.Label(t.yes)).AtLine(line))
		jump(t.no)
	}
}

// leaves reports whether the way from block b to s leaves a loop.
func (l *layout) leaves(b, s int) bool { return loopsLeft(l.forest, b, s) > 0 }

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
