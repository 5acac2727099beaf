package avx512

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/x86/asm"
)

// Limits of replication: instructions copied for one edge and in a function,
// blocks before a decided test, and blocks on a path.
const (
	maxReplicated = 16
	maxReplicas   = 1536
	maxVisited    = 5
	maxPassed     = 64
)

// replicate removes conditional branches of scalar code by code replication: an edge
// on which a register has a known value, and which leads to a test of that register, is
// redirected to a copy of the code between them, without the test. A state
// machine, written as a loop around a switch, becomes code in which the position
// represents the state. It returns the number of edges changed. (Mueller and Whalley,
// "Avoiding Conditional Branches by Code Replication", PLDI 1995.)
//
// Registers are already allocated, so that copies consist of identical instructions.
func replicate(f *machineFunc) int {
	if !f.scalar {
		return 0
	}
	g := f.graph()
	forest := cfg.Cycles(g)
	if len(forest.Cycles) == 0 {
		return 0
	}
	r := &replication{f: f, forest: forest}
	for _, b := range f.blocks {
		r.blocks = append(r.blocks, *b)
	}
	at := knownAt(f, g)
	changed, left := 0, maxReplicas
	for _, id := range g.ReversePostOrder() {
		b := &r.blocks[id]
		if b.term.ret || b.term.targets != nil {
			continue
		}
		end := at[id]
		for i := range b.insts {
			end.after(&b.insts[i])
		}
		for i, s := range b.succs() {
			c := forest.InnermostCycle(s)
			if c == nil || !forest.Contains(c, id) {
				continue
			}
			k := end
			k.through(b, i)
			w := walk{replication: r, loop: c}
			if goal := w.from(s, k, nil); goal < 0 && w.size <= left {
				left -= w.size
				r.attach(id, i, w.copies)
				changed++
			}
		}
	}
	return changed
}

// replication is one run of replicate.
type replication struct {
	f      *machineFunc
	blocks []machineBlock // before replication
	forest *cfg.CycleForest
}

// walk copies the blocks from one edge to the tests that are decided.
type walk struct {
	*replication
	loop   *cfg.Cycle
	copies []machineBlock // a successor is a block of the function or, if negative, ^ an index in copies
	size   int            // instructions
}

// from copies the blocks from start up to the targets of tests that k decides, and
// returns the copy. It returns start if no test is decided nearby. visited are the blocks
// before start.
func (w *walk) from(start int, k knownRegs, visited []int) int {
	mark, size := len(w.copies), w.size
	w.copies = append(w.copies, machineBlock{})
	b, ok := w.block(start, k, visited)
	if !ok {
		w.copies, w.size = w.copies[:mark], size
		return start
	}
	w.copies[mark] = b
	return ^mark
}

// block returns the first block of the result of from; the others are in w.copies.
func (w *walk) block(start int, k knownRegs, visited []int) (b machineBlock, ok bool) {
	decided := false
	for at := start; ; {
		x := &w.blocks[at]
		t := x.term
		b.term = terminator{yes: at}
		// After a decided test, only tests and jumps are copied.
		pure := t.cond && len(x.insts) == 1 || t.targets != nil && len(x.insts) <= 4
		if t.ret || decided && !pure || len(visited) > maxPassed || slices.Contains(visited, at) || w.forest.InnermostCycle(at) != w.loop {
			return b, decided
		}
		visited = append(visited, at)
		tested := k // at the test
		test := lastTest(x)
		for i := range x.insts {
			if i == test {
				tested = k
			}
			k.passed(&x.insts[i])
		}
		here, next := x.insts, t.yes
		switch {
		case t.targets != nil:
			index := tableIndex(x)
			if index == asm.NoReg || k[index.Num()].bits < 64 || k[index.Num()].value >= uint64(len(t.entries)) {
				return b, decided
			}
			next = t.targets[t.entries[k[index.Num()].value]]
			here, decided = here[:len(here)-3], true
		case t.cond:
			yes, known := false, false
			if test >= 0 {
				yes, known = tested.holds(t.on, &x.insts[test])
			}
			if !known {
				if decided || len(visited) > maxVisited || w.size+len(here) > maxReplicated {
					return b, decided
				}
				w.size += len(here) + 1
				return w.both(x, b.insts, k, visited)
			}
			if here, decided = dropped(here, test), true; !yes {
				next = t.no
			}
		}
		if w.size += len(here); w.size > maxReplicated {
			return b, false
		}
		b.insts = slices.Concat(b.insts, here)
		at = next
	}
}

// both ends the copy of a block whose test is not decided, after insts. Its sides in the
// loop lead to copies too.
func (w *walk) both(x *machineBlock, insts []asm.Inst, k knownRegs, visited []int) (b machineBlock, ok bool) {
	b = machineBlock{insts: slices.Concat(insts, x.insts), term: terminator{cond: true, on: x.term.on}}
	goals := [2]int{x.term.yes, x.term.no}
	for i, s := range goals {
		if w.forest.InnermostCycle(s) == w.loop {
			goals[i] = w.from(s, k, slices.Clip(visited))
		}
	}
	b.term.yes, b.term.no = goals[0], goals[1]
	return b, goals[0] < 0 || goals[1] < 0
}

// attach redirects the i-th successor of block id to the copies. If it is the only
// successor, the first copy is appended to the block.
func (r *replication) attach(id, i int, copies []machineBlock) {
	b := r.f.blocks[id]
	n := len(r.f.blocks)
	if !b.term.cond { // the first copy is part of b
		n--
	}
	goal := func(s int) int {
		if s < 0 {
			return n + ^s
		}
		return s
	}
	for at := range copies {
		x := copies[at]
		x.depth, x.sourceDepth, x.inStripLoop = b.depth, b.sourceDepth, b.inStripLoop
		x.term.yes, x.term.no = goal(x.term.yes), goal(x.term.no)
		if at == 0 && !b.term.cond {
			b.insts, b.term = slices.Concat(b.insts, x.insts), x.term
			continue
		}
		r.f.blocks = append(r.f.blocks, &x)
	}
	if b := r.blocks[id]; b.term.cond {
		r.f.blocks[id].redirect(i, n)
	}
}

// dropped returns the instructions without the one at i if nothing reads its flags.
func dropped(insts []asm.Inst, i int) []asm.Inst {
	for _, x := range insts[i+1:] {
		if x.Op.Info().Props&asm.ReadsFlags != 0 {
			return slices.Clone(insts)
		}
	}
	return slices.Concat(insts[:i], insts[i+1:])
}
