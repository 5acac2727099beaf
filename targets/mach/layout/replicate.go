package layout

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/mach"
)

// Limits of replication: instructions copied for one edge and in a function,
// blocks before a decided test, and blocks on a path.
const (
	maxReplicated = 16
	maxReplicas   = 1536
	maxVisited    = 5
	maxPassed     = 64
)

// Replicate removes conditional branches of scalar code by code replication: an edge
// on which a register has a known value, and which leads to a test of that register, is
// redirected to a copy of the code between them, without the test. A state
// machine, written as a loop around a switch, becomes code in which the position
// represents the state. It returns the number of edges changed. (Mueller and Whalley,
// "Avoiding Conditional Branches by Code Replication", PLDI 1995.)
//
// Registers are already allocated, so that copies consist of identical instructions.
func Replicate[I any](f *mach.Func[I], machine *Machine[I]) int {
	if !f.Scalar {
		return 0
	}
	g := f.Graph()
	forest := cfg.Cycles(g)
	if len(forest.Cycles) == 0 {
		return 0
	}
	m := &evaluator[I]{Machine: machine}
	r := &replication[I]{f: f, m: m, forest: forest}
	for _, b := range f.Blocks {
		r.blocks = append(r.blocks, *b)
	}
	at := m.knownAt(f, g)
	changed, left := 0, maxReplicas
	for _, id := range g.ReversePostOrder() {
		b := &r.blocks[id]
		if b.Term.Ret || b.Term.Targets != nil {
			continue
		}
		end := at[id]
		for i := range b.Insts {
			m.after(&end, &b.Insts[i])
		}
		for i, s := range b.Succs() {
			c := forest.InnermostCycle(s)
			if c == nil || !forest.Contains(c, id) {
				continue
			}
			k := end
			m.through(&k, b, i)
			w := walk[I]{replication: r, loop: c}
			if goal := w.from(s, k, nil); goal < 0 && w.size <= left {
				left -= w.size
				r.attach(id, i, w.copies)
				changed++
			}
		}
	}
	return changed
}

// replication is one run of Replicate.
type replication[I any] struct {
	f      *mach.Func[I]
	m      *evaluator[I]
	blocks []mach.Block[I] // before replication
	forest *cfg.CycleForest
}

// walk copies the blocks from one edge to the tests that are decided.
type walk[I any] struct {
	*replication[I]
	loop   *cfg.Cycle
	copies []mach.Block[I] // a successor is a block of the function or, if negative, ^ an index in copies
	size   int             // instructions
}

// from copies the blocks from start up to the targets of tests that k decides, and
// returns the copy. It returns start if no test is decided nearby. visited are the blocks
// before start.
func (w *walk[I]) from(start int, k knownRegs, visited []int) int {
	mark, size := len(w.copies), w.size
	w.copies = append(w.copies, mach.Block[I]{})
	b, ok := w.block(start, k, visited)
	if !ok {
		w.copies, w.size = w.copies[:mark], size
		return start
	}
	w.copies[mark] = b
	return ^mark
}

// block returns the first block of the result of from; the others are in w.copies.
func (w *walk[I]) block(start int, k knownRegs, visited []int) (b mach.Block[I], ok bool) {
	decided := false
	for at := start; ; {
		x := &w.blocks[at]
		t := x.Term
		b.Term = mach.Terminator{Yes: at}
		// After a decided test, only tests and jumps are copied.
		pure := t.Cond && len(x.Insts) == 1 || t.Targets != nil && len(x.Insts) <= 4
		if t.Ret || decided && !pure || len(visited) > maxPassed || slices.Contains(visited, at) || w.forest.InnermostCycle(at) != w.loop {
			return b, decided
		}
		visited = append(visited, at)
		tested := k // at the test
		testAt, test := w.m.lastTest(x)
		for i := range x.Insts {
			if i == testAt {
				tested = k
			}
			w.m.passed(&k, &x.Insts[i])
		}
		here, next := x.Insts, t.Yes
		switch {
		case t.Targets != nil:
			index, n := w.m.TableJump(x.Insts)
			if index == mach.NoReg || k[index.Num()].bits < 64 || k[index.Num()].value >= uint64(len(t.Entries)) {
				return b, decided
			}
			next = t.Targets[t.Entries[k[index.Num()].value]]
			here, decided = here[:len(here)-n], true
		case t.Cond:
			yes, known := false, false
			if testAt >= 0 {
				yes, known = w.m.holds(&tested, t.On, test)
			}
			if !known {
				if decided || len(visited) > maxVisited || w.size+len(here) > maxReplicated {
					return b, decided
				}
				w.size += len(here) + 1
				return w.both(x, b.Insts, k, visited)
			}
			if here, decided = w.m.without(here, testAt), true; !yes {
				next = t.No
			}
		}
		if w.size += len(here); w.size > maxReplicated {
			return b, false
		}
		b.Insts = slices.Concat(b.Insts, here)
		at = next
	}
}

// both ends the copy of a block whose test is not decided, after insts. Its sides in the
// loop lead to copies too.
func (w *walk[I]) both(x *mach.Block[I], insts []I, k knownRegs, visited []int) (b mach.Block[I], ok bool) {
	b = mach.Block[I]{Insts: slices.Concat(insts, x.Insts), Term: mach.Terminator{Cond: true, On: x.Term.On}}
	goals := [2]int{x.Term.Yes, x.Term.No}
	for i, s := range goals {
		if w.forest.InnermostCycle(s) == w.loop {
			goals[i] = w.from(s, k, slices.Clip(visited))
		}
	}
	b.Term.Yes, b.Term.No = goals[0], goals[1]
	return b, goals[0] < 0 || goals[1] < 0
}

// attach redirects the i-th successor of block id to the copies. If it is the only
// successor, the first copy is appended to the block.
func (r *replication[I]) attach(id, i int, copies []mach.Block[I]) {
	b := r.f.Blocks[id]
	n := len(r.f.Blocks)
	if !b.Term.Cond { // the first copy is part of b
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
		x.Depth, x.SourceDepth, x.InStripLoop = b.Depth, b.SourceDepth, b.InStripLoop
		x.Term.Yes, x.Term.No = goal(x.Term.Yes), goal(x.Term.No)
		if at == 0 && !b.Term.Cond {
			b.Insts, b.Term = slices.Concat(b.Insts, x.Insts), x.Term
			continue
		}
		r.f.Blocks = append(r.f.Blocks, &x)
	}
	if b := r.blocks[id]; b.Term.Cond {
		r.f.Blocks[id].Redirect(i, n)
	}
}

// without returns the instructions without the one at i if nothing reads its flags.
func (m *evaluator[I]) without(insts []I, i int) []I {
	for k := range insts[i+1:] {
		if m.Info(&insts[i+1+k]).Props&mach.ReadsFlags != 0 {
			return slices.Clone(insts)
		}
	}
	return slices.Concat(insts[:i], insts[i+1:])
}
