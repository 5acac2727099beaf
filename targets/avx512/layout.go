package avx512

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// layout is a function as one list of instructions. Block b has the label b.
type layout struct {
	insts  []asm.Inst
	align  []int // by block: the alignment of its code, or 0
	whole  []int // by block: the number of bytes from its start that must share a cache line
	order  []int
	tables []terminator // jumps through tables

	beforeHead []bool // by block: a latch that is placed before its loop's head
	cold       []bool // by block: rarely run, so placed last

	blocks     []*machineBlock
	dispatches map[int]*dispatch // by first block
	copied     int               // number of copies of dispatches
	forest     *cfg.CycleForest
}

// layOut orders the blocks and ends each with the jumps it needs.
//
// The order is a reverse postorder with contiguous loops: a loop's
// head comes first and its exits after it. An iteration takes one taken jump where
// possible, wherever the loop has its test.
//
// requires: registers allocated
func layOut(f *machineFunc, spillBytes int) *layout {
	threadJumps(f)
	g := f.graph()
	forest := cfg.Cycles(g)
	l := &layout{order: loopOrder(f, g, forest), blocks: f.blocks, forest: forest}
	l.latchesFirst(f, forest)
	l.coldLast(f, forest)
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
		if head, ok := copiedHead(f, bi, i, position); ok && l.dispatches[head.block] == nil && !l.beforeHead[bi] && !l.beforeHead[head.block] {
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

// smallNest is the size in bytes up to which a loop nest starts at a cache line.
// Branches that share a line are predicted together.
const smallNest = 112

// largeLoop is the size in bytes from which the head of an outer loop in scalar code
// is aligned too.
const largeLoop = 192

// alignments aligns the heads of innermost loops. In a small loop nest only the outermost
// head is aligned, because padding inside the nest would run in each iteration.
func (l *layout) alignments(f *machineFunc, forest *cfg.CycleForest) {
	l.align = make([]int, len(f.blocks))
	first := func(head int) int { // the loop's first block in the order
		if i := slices.Index(l.order, head); i > 0 && l.beforeHead[l.order[i-1]] {
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

// end emits the jumps of the block at index i of the order. line is their source line;
// 0 means the line of the preceding instructions.
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
		// One taken jump per iteration of a loop.
		other := t.yes != next && t.no != next && (back(t.no) && !back(t.yes) || back(t.no) == back(t.yes) && l.leaves(l.order[i], t.yes) && !l.leaves(l.order[i], t.no))
		if d := l.dispatches[t.yes]; t.yes == next || other || d != nil && d.from[l.order[i]] {
			t.yes, t.no, t.on = t.no, t.yes, t.on.Negate()
		}
		l.emit(asm.JumpIf(t.on, asm.Label(t.yes)).AtLine(line))
		jump(t.no)
	}
}

// leaves reports whether the edge from block b to s exits a loop.
func (l *layout) leaves(b, s int) bool { return loopsLeft(l.forest, b, s) > 0 }

// threadJumps redirects jumps to empty blocks to the final targets of these blocks.
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
