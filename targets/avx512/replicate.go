package avx512

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/avx512/asm"
)

// Limits of replication: instructions of what is copied for one way and in a function,
// blocks before a test that is decided, and blocks on a way.
const (
	mostReplicated = 16
	mostReplicas   = 1536
	mostVisited    = 5
	mostPassed     = 64
)

// replicate lets code of one lane go where it is bound to: a way that leads to a test of
// a number known by then goes past that on a copy of what lies between. So a
// machine of states, written as a loop around a switch, becomes code in which the
// state is where it is, and the tests for its next state follow one another.
// It returns how many ways were changed. (Mueller and Whalley, "Avoiding Conditional
// Branches by Code Replication", PLDI 1995.)
//
// Registers are allocated: copies are the same instructions again.
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
	at := numbersAt(f, g)
	ways, left := 0, mostReplicas
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
				ways++
			}
		}
	}
	return ways
}

// replication is one run of replicate.
type replication struct {
	f      *machineFunc
	blocks []machineBlock // as they were
	forest *cfg.CycleForest
}

// walk copies what lies on one way to tests that are decided.
type walk struct {
	*replication
	loop   *cfg.Cycle
	copies []machineBlock // their successors are blocks of the function or, negative, ^ the copies
	size   int            // instructions
}

// from copies what lies from block start on, up to where tests lead that k decides, and
// returns the copy; or start itself if no test is decided nearby. The blocks on the way
// have been visited.
func (w *walk) from(start int, k numbers, visited []int) int {
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

// block is the first block of what from copies, the others being copies already.
func (w *walk) block(start int, k numbers, visited []int) (b machineBlock, ok bool) {
	decided := false
	for at := start; ; {
		x := &w.blocks[at]
		t := x.term
		b.term = terminator{yes: at}
		// Behind a test only more tests and jumps are passed.
		pure := t.cond && len(x.insts) == 1 || t.targets != nil && len(x.insts) <= 4
		if t.ret || decided && !pure || len(visited) > mostPassed || slices.Contains(visited, at) || w.forest.InnermostCycle(at) != w.loop {
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
				if decided || len(visited) > mostVisited || w.size+len(here) > mostReplicated {
					return b, decided
				}
				w.size += len(here) + 1
				return w.both(x, b.insts, k, visited)
			}
			if here, decided = dropped(here, test), true; !yes {
				next = t.no
			}
		}
		if w.size += len(here); w.size > mostReplicated {
			return b, false
		}
		b.insts = slices.Concat(b.insts, here)
		at = next
	}
}

// both ends the copy of a block whose test is not decided, after insts: it goes on with
// copies, of both sides if both stay in the loop.
func (w *walk) both(x *machineBlock, insts []asm.Inst, k numbers, visited []int) (b machineBlock, ok bool) {
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

// attach makes the i-th way out of block id the copies: the first becomes its end if there
// is one way.
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
