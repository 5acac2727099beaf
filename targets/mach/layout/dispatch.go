package layout

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/mach"
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
func (l *layout[I]) findDispatches(f *mach.Func[I], forest *cfg.CycleForest) {
	for _, b := range l.order {
		if f.Blocks[b].Term.Targets == nil {
			continue
		}
		c := forest.InnermostCycle(b)
		if c == nil || !c.Reducible() {
			continue
		}
		d := &dispatch{path: []int{b}, from: make([]bool, len(f.Blocks))}
		preds := make([][]int, len(f.Blocks))
		for _, p := range c.Blocks {
			d.from[p] = true
			for _, s := range f.Blocks[p].Succs() {
				preds[s] = append(preds[s], p)
			}
		}
		size := 0
		for {
			at := d.path[0]
			size += len(f.Blocks[at].Insts) + 2
			p := preds[at]
			if len(p) != 1 || slices.Contains(d.path, p[0]) || !l.canCopy(f.Blocks[p[0]], at) {
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
func (l *layout[I]) canCopy(p *mach.Block[I], to int) bool {
	if p.Term.Ret || p.Term.Targets != nil {
		return false
	}
	if p.Term.Cond {
		other := p.Term.Yes
		if other == to {
			other = p.Term.No
		}
		if other == to {
			return false
		}
	}
	for i := range p.Insts {
		if l.m.Info(&p.Insts[i]).Props&mach.Pseudo != 0 {
			return false
		}
	}
	return true
}

// copyDispatch emits a copy of d in place of a jump to it.
func (l *layout[I]) copyDispatch(d *dispatch) {
	l.Dispatches++
	for k, b := range d.path {
		l.Insts = append(l.Insts, l.blocks[b].Insts...)
		t := l.blocks[b].Term
		if t.Targets != nil {
			return
		}
		if t.Cond {
			other, on := t.Yes, t.On
			if other == d.path[k+1] {
				other, on = t.No, on.Negate()
			}
			l.emit(l.m.JumpIf(on, other))
		}
	}
}
