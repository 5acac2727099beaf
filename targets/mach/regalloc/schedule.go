package regalloc

import (
	"slices"

	"github.com/simtc/simtc/targets/mach"
)

// Scheduling for register pressure. Selection interleaves the parts of a wide vector,
// which may need more registers than there are, where computing one part after another
// would not. A block with excess pressure is scheduled again by list scheduling
// from its end: in the old order while few values are live, else first the node that
// frees the most registers, and among these the one needed last. One part
// is thus finished before the next (depth first, as in Goodman and Hsu,
// "Code scheduling and register allocation in large basic blocks", 1988). The
// new order is used only if it needs fewer registers; the processor reorders
// independent instructions itself.

// scheduleLimit is the largest block, in instructions, that is scheduled.
const scheduleLimit = 3000

// reordered is a block in a new order: instruction i is old instruction order[i].
type reordered struct {
	block int32
	order []int32
}

// node is one or more instructions that stay adjacent: a two-address
// instruction with the copy before it.
type node struct {
	first, last int32 // instructions of the block
	waits       int32 // number of unscheduled nodes that depend on it
	ready       int32 // the time at which waits became 0
	preds       []int32
	uses        []int32 // values that it reads, without duplicates
	defs        []int32 // values that it defines
}

// scheduler reorders one block.
type scheduler[I comparable] struct {
	a     *allocator[I]
	nodes []node
	ops   operands // of the current instruction
	live  []bool   // by value
	count [mach.NumClasses]int32
}

// scheduleBlocks reorders blocks that need more registers than the target has, of the
// classes with a reserve.
func (a *allocator[I]) scheduleBlocks() {
	s := &scheduler[I]{a: a, live: make([]bool, len(a.vals))}
	for _, bi := range a.order {
		if n := len(a.f.Blocks[bi].Insts); n > 2 && n <= scheduleLimit && a.f.Blocks[bi].Term.Targets == nil {
			s.block(bi)
		}
	}
}

func (s *scheduler[I]) block(bi int) {
	a := s.a
	insts := a.f.Blocks[bi].Insts
	before := s.peak(bi, insts)
	if before == 0 || !s.build(insts) {
		return
	}
	order := s.order(bi, int32(len(insts)))
	fresh := make([]I, len(insts))
	for i, from := range order {
		fresh[i] = insts[from]
	}
	if s.peak(bi, fresh) >= before {
		return
	}
	a.f.Blocks[bi].Insts = fresh
	a.reordered = append(a.reordered, reordered{int32(bi), order})
	place := make([]int32, len(order))
	for i, from := range order {
		place[from] = int32(i)
	}
	for i := range a.retied {
		if r := &a.retied[i]; r.block == int32(bi) {
			r.index = place[r.index]
		}
	}
}

// enter makes the values live out of a block live.
func (s *scheduler[I]) enter(bi int) {
	s.count = [mach.NumClasses]int32{}
	s.a.eachLiveOut(bi, func(x, _ int32) { s.set(x, true) })
}

func (s *scheduler[I]) set(x int32, live bool) {
	if s.live[x] != live {
		s.live[x] = live
		if c := s.a.vals[x].class; live {
			s.count[c]++
		} else {
			s.count[c]--
		}
	}
}

// leave clears live, which holds the values live into the block.
func (s *scheduler[I]) leave(bi int) {
	for _, u := range s.a.liveIn[bi] {
		s.live[u.v] = false
	}
}

// peak returns the maximum number of registers, of the classes with a reserve, that the
// list needs beyond those of the target. Constants do not count, since they are rematerialized.
func (s *scheduler[I]) peak(bi int, insts []I) int32 {
	s.enter(bi)
	var peak [mach.NumClasses]int32
	note := func() {
		for c := range peak {
			peak[c] = max(peak[c], s.count[c])
		}
	}
	note()
	ops := &s.ops
	for i := len(insts) - 1; i >= 0; i-- {
		s.a.gather(&insts[i], ops)
		for _, o := range ops.list[:ops.n] {
			if o.role == mach.Write {
				s.set(o.v, false)
			}
		}
		for _, o := range ops.list[:ops.n] {
			if o.role != mach.Write {
				s.set(o.v, true)
			}
		}
		note()
	}
	s.leave(bi)
	excess := int32(0)
	for c := range peak {
		if s.a.m.Classes[c].Reserve > 0 {
			excess += max(0, peak[c]-int32(s.a.regs.capacity[c]))
		}
	}
	return excess
}

// build builds the dependence graph. It returns false for a block that names
// physical registers, which is not scheduled.
func (s *scheduler[I]) build(insts []I) bool {
	a := s.a
	s.nodes = s.nodes[:0]
	type access struct {
		writer  int32
		readers []int32
	}
	regs := map[int32]*access{} // by value; flags and memory are -1 and -2
	const flags, memory = -1, -2
	at := func(key int32) *access {
		x := regs[key]
		if x == nil {
			x = &access{writer: -1}
			regs[key] = x
		}
		return x
	}
	var n int32
	depend := func(on int32) {
		if on >= 0 && on != n && !slices.Contains(s.nodes[n].preds, on) {
			s.nodes[n].preds = append(s.nodes[n].preds, on)
		}
	}
	read := func(key int32) {
		x := at(key)
		depend(x.writer)
		x.readers = append(x.readers, n)
	}
	write := func(key int32) {
		x := at(key)
		depend(x.writer)
		for _, r := range x.readers {
			depend(r)
		}
		x.writer, x.readers = n, x.readers[:0]
	}
	physical := false
	ops := &s.ops
	for i := 0; i < len(insts); i++ {
		n = int32(len(s.nodes))
		last := i
		if d, _, ok := a.m.Copy(&insts[i]); ok && i+1 < len(insts) && d.IsVirtual() {
			a.gather(&insts[i+1], ops)
			if ops.n > 0 && ops.list[0].role == mach.ReadWrite && ops.list[0].kind == mach.Value && *ops.list[0].reg == d {
				last = i + 1
			}
		}
		s.nodes = append(s.nodes, node{first: int32(i), last: int32(last)})
		for k := i; k <= last; k++ {
			in := &insts[k]
			info := a.m.Info(in)
			if info.Props&mach.Removed != 0 {
				continue
			}
			a.gather(in, ops)
			physical = physical || len(info.Fixed) > 0 || ops.n < ops.all.N
			for _, o := range ops.virtual() {
				x := o.v
				if o.role&mach.Read != 0 {
					read(x)
					if !slices.Contains(s.nodes[n].defs, x) && !slices.Contains(s.nodes[n].uses, x) {
						s.nodes[n].uses = append(s.nodes[n].uses, x)
					}
				}
				if o.role&mach.Write != 0 {
					write(x)
					if o.role == mach.Write && !slices.Contains(s.nodes[n].defs, x) {
						s.nodes[n].defs = append(s.nodes[n].defs, x)
					}
				}
			}
			if info.Props&mach.ReadsFlags != 0 {
				read(flags)
			}
			if info.Props&mach.WritesFlags != 0 {
				write(flags)
			}
			access := a.m.Memory(in)
			if info.Props&mach.SideEffect != 0 || access&mach.Write != 0 {
				write(memory)
			} else if access != 0 {
				read(memory)
			}
		}
		i = last
	}
	if physical {
		return false
	}
	for i := range s.nodes {
		for _, p := range s.nodes[i].preds {
			s.nodes[p].waits++
		}
	}
	return true
}

// window is the number of ready nodes that are compared at a time.
const window = 48

// order returns the new order of the block's instructions.
func (s *scheduler[I]) order(bi int, length int32) []int32 {
	s.enter(bi)
	var ready []int32 // by place in the old order
	insert := func(n int32) {
		at, _ := slices.BinarySearch(ready, n)
		ready = slices.Insert(ready, at, n)
	}
	for i := range s.nodes {
		if s.nodes[i].waits == 0 {
			ready = append(ready, int32(i))
		}
	}
	order := make([]int32, 0, length)
	for time := int32(1); len(ready) > 0; time++ {
		k := len(ready) - 1
		if s.pressed() {
			k = s.best(ready)
		}
		n := &s.nodes[ready[k]]
		ready = slices.Delete(ready, k, k+1)
		for i := n.last; i >= n.first; i-- {
			order = append(order, i)
		}
		for _, x := range n.defs {
			s.set(x, false)
		}
		for _, x := range n.uses {
			s.set(x, true)
		}
		for _, p := range n.preds {
			if s.nodes[p].waits--; s.nodes[p].waits == 0 {
				s.nodes[p].ready = time
				insert(p)
			}
		}
	}
	s.leave(bi)
	slices.Reverse(order)
	return order
}

// scarce reports whether few registers of a class with a reserve are left.
func (s *scheduler[I]) scarce(c mach.Class) bool {
	reserve := s.a.m.Classes[c].Reserve
	return reserve > 0 && s.count[c] > int32(s.a.regs.capacity[c]-reserve)
}

// pressed reports whether a class is scarce.
func (s *scheduler[I]) pressed() bool {
	for c := range s.count {
		if s.scarce(mach.Class(c)) {
			return true
		}
	}
	return false
}

// best picks the ready node that frees the most registers of the scarce classes. Ties go to
// the node that became ready last, then to the last in the old order.
func (s *scheduler[I]) best(ready []int32) int {
	var scarce [mach.NumClasses]bool
	for c := range scarce {
		scarce[c] = s.scarce(mach.Class(c))
	}
	best, bestGain := len(ready)-1, int32(-1<<30)
	for k := len(ready) - 1; k >= max(0, len(ready)-window); k-- {
		n := &s.nodes[ready[k]]
		gain := int32(0)
		for _, x := range n.defs {
			if s.live[x] && scarce[s.a.vals[x].class] {
				gain++
			}
		}
		for _, x := range n.uses {
			if !s.live[x] && scarce[s.a.vals[x].class] {
				gain--
			}
		}
		if gain > bestGain || gain == bestGain && n.ready > s.nodes[ready[best]].ready {
			best, bestGain = k, gain
		}
	}
	return best
}
