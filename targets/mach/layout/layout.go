// Package layout orders the blocks of machine functions whose registers are allocated, and
// copies code where that saves jumps: tests at the ends of loops, the dispatch of
// interpreters, and the code before tests that are decided on an edge.
//
// The package must be free of vir and of every instruction set.
package layout

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/mach"
)

// Result is a function as one list of instructions. Block b has the label b.
type Result[I any] struct {
	Insts      []I
	Tables     []mach.Terminator // jumps through tables
	Dispatches int               // number of copies of dispatches
}

// Options disable optimizations.
type Options struct {
	SharedDispatch bool // a loop with a jump table has one copy of the table jump
}

// layout is the state of Order.
type layout[I any] struct {
	Result[I]
	align []int // by block: the alignment of its code, or 0
	whole []int // by block: the number of bytes from its start that must share a cache line
	order []int
	m     *Machine[I]

	beforeHead []bool // by block: a latch that is placed before its loop's head
	cold       []bool // by block: rarely run, so placed last

	blocks     []*mach.Block[I]
	dispatches map[int]*dispatch // by first block
	forest     *cfg.CycleForest
}

// Order orders the blocks and ends each with the jumps it needs.
//
// The order is a reverse postorder with contiguous loops: a loop's
// head comes first and its exits after it. An iteration takes one taken jump where
// possible, wherever the loop has its test. The prologue comes first.
//
// requires: registers allocated
func Order[I any](f *mach.Func[I], m *Machine[I], prologue []I, opt Options) *Result[I] {
	threadJumps(f)
	g := f.Graph()
	forest := cfg.Cycles(g)
	l := &layout[I]{m: m, order: mach.LoopOrder(f, m.ISA, g, forest), blocks: f.Blocks, forest: forest}
	l.latchesFirst(f, forest)
	l.coldLast(f, forest)
	position := cfg.Positions(l.order, len(f.Blocks))
	if !opt.SharedDispatch {
		l.findDispatches(f, forest)
	}
	l.alignments(f, forest)
	l.keepInLines(f, forest, position)
	l.Insts = append(l.Insts, prologue...)
	size := len(l.Insts)
	for _, bi := range l.order {
		size += len(f.Blocks[bi].Insts) + 4
	}
	l.Insts = slices.Grow(l.Insts, size)
	for i, bi := range l.order {
		if n := l.align[bi]; n > 0 {
			l.emit(m.Align(n, 0))
		}
		if n := l.whole[bi]; n > 1 {
			l.emit(m.Align(lineBytes, n-1))
		}
		l.emit(m.Label(bi))
		insts, end, line := f.Blocks[bi].Insts, f.Blocks[bi].Term, f.Blocks[bi].Line
		next := -1
		if i+1 < len(l.order) {
			next = l.order[i+1]
		}
		if head, ok := l.copiedHead(f, bi, i, position); ok && l.dispatches[head.block] == nil && !l.beforeHead[bi] && !l.beforeHead[head.block] {
			b := &mach.Block[I]{Insts: slices.Concat(insts, f.Blocks[head.block].Insts), Term: head.end}
			m.DropTests(b)
			insts, end = b.Insts, b.Term
		}
		l.Insts = append(l.Insts, insts...)
		l.end(end, line, i, next, position)
	}
	return &l.Result
}

// smallNest is the size in bytes up to which a loop nest starts at a cache line.
// Branches that share a line are predicted together.
const smallNest = 112

// largeLoop is the size in bytes from which the head of an outer loop in scalar code
// is aligned too.
const largeLoop = 192

// alignments aligns the heads of innermost loops. In a small loop nest only the outermost
// head is aligned, because padding inside the nest would run in each iteration.
func (l *layout[I]) alignments(f *mach.Func[I], forest *cfg.CycleForest) {
	l.align = make([]int, len(f.Blocks))
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
			bytes += 4*len(f.Blocks[b].Insts) + 3*len(f.Blocks[b].Succs())
		}
		inside := c.Parent != nil && small[c.Parent.ID]
		small[c.ID] = inside || bytes <= smallNest
		switch {
		case inside:
		case small[c.ID] && len(c.Children) > 0:
			l.align[first(c.Header)] = 64
		case len(c.Children) == 0 || c.Parent != nil && f.Scalar && bytes > largeLoop:
			l.align[first(c.Header)] = 32
		}
	}
}

// emit appends an instruction, at the line of the one before if it has none.
func (l *layout[I]) emit(in I) { l.emitAt(in, 0) }

// emitAt is emit for an instruction at a source line, unless line is 0.
func (l *layout[I]) emitAt(in I, line int32) {
	l.Insts = append(l.Insts, in)
	last := &l.Insts[len(l.Insts)-1]
	at := l.m.Line(last)
	if line != 0 {
		*at = line
	}
	if n := len(l.Insts); n > 1 && *at == 0 && l.m.Info(last).Props&mach.Pseudo == 0 {
		*at = *l.m.Line(&l.Insts[n-2])
	}
}

// end emits the jumps of the block at index i of the order. line is their source line;
// 0 means the line of the preceding instructions.
func (l *layout[I]) end(t mach.Terminator, line int32, i, next int, position []int) {
	jump := func(b int) {
		switch d := l.dispatches[b]; {
		case b == next:
		case d != nil && d.from[l.order[i]]:
			l.copyDispatch(d)
		default:
			l.emitAt(l.m.Jump(b), line)
		}
	}
	back := func(b int) bool { return position[b] <= i }
	switch {
	case t.Ret:
		l.emit(l.m.Return())
	case t.Targets != nil:
		l.Tables = append(l.Tables, t)
	case !t.Cond:
		jump(t.Yes)
	default:
		// One taken jump per iteration of a loop.
		other := t.Yes != next && t.No != next && (back(t.No) && !back(t.Yes) || back(t.No) == back(t.Yes) && l.leaves(l.order[i], t.Yes) && !l.leaves(l.order[i], t.No))
		if d := l.dispatches[t.Yes]; t.Yes == next || other || d != nil && d.from[l.order[i]] {
			t.Yes, t.No, t.On = t.No, t.Yes, t.On.Negate()
		}
		l.emitAt(l.m.JumpIf(t.On, t.Yes), line)
		jump(t.No)
	}
}

// leaves reports whether the edge from block b to s exits a loop.
func (l *layout[I]) leaves(b, s int) bool { return mach.LoopsLeft(l.forest, b, s) > 0 }

// threadJumps redirects jumps to empty blocks to the final targets of these blocks.
func threadJumps[I any](f *mach.Func[I]) {
	goal := make([]int, len(f.Blocks))
	for i := range goal {
		goal[i] = i
	}
	for i := range f.Blocks {
		at, steps := i, 0
		for steps < len(f.Blocks) {
			b := f.Blocks[at]
			if at == 0 || len(b.Insts) > 0 || b.Term.Cond || b.Term.Ret || b.Term.Yes == at {
				break
			}
			if at = goal[b.Term.Yes]; goal[at] == i {
				at = i // an endless loop of empty blocks
				break
			}
			steps++
		}
		goal[i] = at
	}
	for _, b := range f.Blocks {
		if !b.Term.Ret {
			b.Term.Yes = goal[b.Term.Yes]
			if b.Term.Cond {
				b.Term.No = goal[b.Term.No]
			}
			for k, to := range b.Term.Targets {
				b.Term.Targets[k] = goal[to]
			}
		}
	}
}
