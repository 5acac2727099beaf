package avx512

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/avx512/asm"
)

// Threaded dispatch: a loop that decodes something and jumps through a table,
// as an interpreter does, has its decoding and its jump copied to wherever the
// loop begins anew. Each copy of the jump is then predicted by itself, by what
// usually follows the operation before it, and a jump to the loop's head is
// saved. (Bell, "Threaded Code", 1973; Ertl and Gregg, "The Structure and
// Performance of Efficient Interpreters", 2003.)
//
// Registers are allocated, so that a copy is the same instructions again; what
// they jump to is what the original does.

// Limits of what is copied: instructions of one copy and of all copies of a
// loop.
const (
	mostDecoding = 56
	mostCopied   = 2048
)

// dispatch is a path of blocks that ends with a jump through a table, each of
// which but the first has no other predecessor in the loop than the one before.
type dispatch struct {
	path []int
	from []bool // by block: in the loop
}

// findDispatches finds the paths to copy, by their first block.
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
		if size > mostDecoding || n*size > mostCopied || n < 2 || !slices.Contains(d.path, c.Header) {
			continue
		}
		if l.dispatches == nil {
			l.dispatches = map[int]*dispatch{}
		}
		l.dispatches[d.path[0]] = d
	}
}

// canCopy reports whether the block p may be on a path to its successor to: it
// leads to one other place at most.
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

// copyDispatch emits what begins at the head of d in place of a jump there.
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
