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
// they jump to and the fuel they count are those of the original.

// Limits of what is copied: instructions of one copy and of all copies of a
// loop.
const (
	mostDecoding = 40
	mostCopied   = 1024
)

// dispatch is a path of blocks that ends with a jump through a table, each of
// which but the first has no other predecessor in the loop than the one before.
type dispatch struct {
	path []int
	from []bool // by block: in the loop
}

// findDispatches finds the paths to copy, by their first block.
func (l *layout) findDispatches(f *machineFunc, forest *cfg.CycleForest, position []int) {
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
			if len(p) != 1 || slices.Contains(d.path, p[0]) || !canCopy(f.blocks[p[0]], at, p[0], position) {
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

// splitDefaults gives edges back to the head of a loop a block of their own
// where they come from a check ahead of a jump through a table: numbers for
// which the loop does nothing. The check then only leads forwards and may be on
// a path to copy.
func splitDefaults(f *machineFunc) {
	if !slices.ContainsFunc(f.blocks, func(b *machineBlock) bool { return b.term.targets != nil }) {
		return
	}
	g := f.graph()
	forest := cfg.Cycles(g)
	preds := make([][]int, len(f.blocks))
	for id, b := range f.blocks {
		for _, s := range b.succs() {
			preds[s] = append(preds[s], id)
		}
	}
	for id, n := 0, len(f.blocks); id < n; id++ {
		if f.blocks[id].term.targets == nil {
			continue
		}
		c := forest.InnermostCycle(id)
		if c == nil || !c.Reducible() {
			continue
		}
		for at, steps := id, 0; at != c.Header && len(preds[at]) == 1 && steps < mostDecoding; steps++ {
			p := preds[at][0]
			t := &f.blocks[p].term
			switch {
			case t.cond && t.yes == c.Header && t.no == at:
				f.blocks = append(f.blocks, &machineBlock{term: terminator{yes: c.Header, freeYes: t.freeYes}})
				t.yes, t.freeYes = len(f.blocks)-1, false
			case t.cond && t.no == c.Header && t.yes == at:
				f.blocks = append(f.blocks, &machineBlock{term: terminator{yes: c.Header, freeYes: t.freeNo}})
				t.no, t.freeNo = len(f.blocks)-1, false
			}
			at = p
		}
	}
}

// canCopy reports whether the block p, number id, may be on a path to its
// successor to: it leads to one other place at most, forwards.
func canCopy(p *machineBlock, to, id int, position []int) bool {
	if p.term.ret || p.term.targets != nil {
		return false
	}
	if p.term.cond {
		other := p.term.yes
		if other == to {
			other = p.term.no
		}
		if other == to || position[other] <= position[id] {
			return false
		}
	}
	return !slices.ContainsFunc(p.insts, func(in asm.Inst) bool { return in.Op == asm.LABEL })
}

// copyDispatch emits what begins at the head of d in place of a jump there.
func (l *layout) copyDispatch(d *dispatch, position []int, stubs []asm.Label) {
	for k, b := range d.path {
		l.insts = append(l.insts, l.blocks[b].insts...)
		t := l.blocks[b].term
		if t.targets != nil {
			return
		}
		to, free := d.path[k+1], t.freeYes
		if t.cond {
			other, on := t.yes, t.on
			if other == to {
				other, on = t.no, on.Negate()
			} else {
				free = t.freeNo
			}
			l.emit(asm.JumpIf(on, asm.Label(other)))
		}
		if back := position[to] <= position[b] && !l.ahead[to] || l.ahead[b]; back && !free {
			l.countFuel(to, stubs)
		}
	}
}

// countFuel counts the fuel of an edge to the block b and falls through.
func (l *layout) countFuel(b int, stubs []asm.Label) {
	l.wantStub(b, stubs)
	l.burn(b, stubs)
}

// burn counts the fuel that it costs to go back to the block b, whose stub is wanted.
func (l *layout) burn(b int, stubs []asm.Label) {
	if n := l.cost[b]; n > 1 {
		l.emit(asm.Make(asm.SUB, asm.R15, asm.InImm).WithImm(n).Bits(asm.Size64))
		l.emit(asm.JumpIf(asm.CondLE, stubs[b]))
		return
	}
	l.emit(asm.Make(asm.DEC, asm.R15).Bits(asm.Size64))
	l.emit(asm.JumpIf(asm.CondE, stubs[b]))
}
