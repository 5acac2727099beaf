package avx512

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/x86/asm"
)

// Threaded dispatch. A loop that decodes an operation and jumps through a table,
// such as an interpreter, gets copies of the decoding and of the jump at the end of each
// operation. Each copy of the jump then has its own prediction, based on the successors of
// the operation before it, and the jump to the loop's head is
// saved. (Bell, "Threaded Code", 1973; Ertl and Gregg, "The Structure and
// Performance of Efficient Interpreters", 2003.)
//
// Registers are already allocated, so that copies consist of identical instructions with
// identical targets.

// Limits of the copied code: instructions of one copy and of all copies of a
// loop.
const (
	maxDecoding = 56
	maxCopies   = 2048
)

// dispatch is a path of blocks that ends with a jump through a table. Within the loop,
// each block but the first has the preceding one as its only predecessor.
type dispatch struct {
	path []int
	from []bool // by block: it is in the loop, and its jumps to the path become copies
}

// findDispatches finds the paths to copy and indexes them by their first block.
func (l *layout) findDispatches(f *machineFunc, forest *cfg.CycleForest) {
	for _, b := range l.order {
		if f.blocks[b].term.targets == nil {
			continue
		}
		c := forest.InnermostCycle(b)
		if c == nil || !c.Reducible() {
			continue
		}
		d := &dispatch{path: []int{b}, from: make([]bool, len(f.blocks))}
		preds := make([][]int, len(f.blocks))
		for _, p := range c.Blocks {
			d.from[p] = true
			for _, s := range f.blocks[p].succs() {
				preds[s] = append(preds[s], p)
			}
		}
		size := 0
		for {
			at := d.path[0]
			size += len(f.blocks[at].insts) + 2
			p := preds[at]
			if len(p) != 1 || slices.Contains(d.path, p[0]) || !canCopy(f.blocks[p[0]], at) {
				break
			}
			d.path = slices.Insert(d.path, 0, p[0])
		}
		n := len(preds[d.path[0]])
		if size > maxDecoding || n*size > maxCopies || n < 2 || !slices.Contains(d.path, c.Header) {
			continue
		}
		if l.dispatches == nil {
			l.dispatches = map[int]*dispatch{}
		}
		l.dispatches[d.path[0]] = d
	}
}

// canCopy reports whether block p may precede to on a path: it has at most
// one other successor.
func canCopy(p *machineBlock, to int) bool {
	if p.term.ret || p.term.targets != nil {
		return false
	}
	if p.term.cond {
		other := p.term.yes
		if other == to {
			other = p.term.no
		}
		if other == to {
			return false
		}
	}
	return !slices.ContainsFunc(p.insts, func(in asm.Inst) bool { return in.Op == asm.LABEL })
}

// copyDispatch emits a copy of d in place of a jump to it.
func (l *layout) copyDispatch(d *dispatch) {
	l.copied++
	for k, b := range d.path {
		l.insts = append(l.insts, l.blocks[b].insts...)
		t := l.blocks[b].term
		if t.targets != nil {
			return
		}
		if t.cond {
			other, on := t.yes, t.on
			if other == d.path[k+1] {
				other, on = t.no, on.Negate()
			}
			l.emit(asm.JumpIf(on, asm.Label(other)))
		}
	}
}
