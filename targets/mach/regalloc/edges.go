package regalloc

import (
	"slices"

	"github.com/simtc/simtc/targets/mach"
)

// place is a location that can hold a value: a physical register (0..numPhys-1), the slot
// of value v (numPhys+v), or an emergency slot after those.
type place int32

func (p place) isReg() bool { return p < numPhys }

func slotOf(v int32) place { return numPhys + place(v) }

// Emergency slots of each class: one to break cycles through memory, one to free a
// register for a move between slots.
const (
	cycleSlot = iota
	borrowSlot
	emergencySlots = 2 * mach.NumClasses
)

func (a *allocator[I]) emergency(class mach.Class, k int) place {
	return slotOf(int32(len(a.vals)) + int32(class)*2 + int32(k))
}

// pendingMove is one of the parallel moves on an edge. If made >= 0, the move
// rematerializes that constant at dst, and src is unused.
type pendingMove struct {
	dst, src place
	made     int32
	class    mach.Class
	own      bool // a store of a value to its own slot
}

// mover serializes the parallel moves of one edge.
type mover[I comparable] struct {
	a        *allocator[I]
	out      []outInst[I]
	busy     regSet  // registers in use before or after the moves
	awaiting regSet  // destinations of pending moves
	moving   regSet  // registers that moves read or write
	lent     regSet  // registers saved in a borrowSlot until the end
	readers  []int32 // by place: number of pending moves that read it
}

// fixEdges returns the code of the edges, at the heads and at the ends of blocks.
// Critical edges that need code get blocks of their own, which are added to f.
func (a *allocator[I]) fixEdges() (heads, tails [][]outInst[I]) {
	n := len(a.f.Blocks)
	heads, tails = make([][]outInst[I], n), make([][]outInst[I], n)
	for _, bi := range a.order {
		b := a.f.Blocks[bi]
		for k, s := range b.Succs() {
			code := a.edge(bi, s)
			switch {
			case len(code) == 0:
			case !b.Term.Cond && b.Term.Targets == nil:
				tails[bi] = code
			case len(a.f.Blocks[s].Preds) == 1:
				heads[s] = code
			default:
				at := len(a.f.Blocks)
				cycle := a.forest.Common(bi, s)
				depth := 0
				if cycle != nil {
					depth = cycle.Depth
				}
				own, strip := a.sourceLoops(cycle)
				a.f.Blocks = append(a.f.Blocks, &mach.Block[I]{Term: mach.Terminator{Yes: s}, Depth: depth, SourceDepth: own, InStripLoop: strip, Preds: []int{bi}})
				b.Redirect(k, at)
				heads, tails = append(heads, code), append(tails, nil)
				a.freq = append(a.freq, frequency(depth))
				a.inner = append(a.inner, cycle != nil && len(cycle.Children) == 0)
				a.order = append(a.order, at)
			}
		}
	}
	return heads, tails
}

// edge returns the moves of the edge from block bi to s.
func (a *allocator[I]) edge(bi, s int) []outInst[I] {
	b := a.f.Blocks[bi]
	reg, mem := a.scratch.reg, a.scratch.mem
	m := mover[I]{a: a}
	for _, l := range a.exit[bi] {
		reg[l.v], mem[l.v] = l.reg, l.mem
		if l.reg != noPhys {
			m.busy.add(l.reg)
		}
	}
	a.walk.line = 0
	if n := len(b.Insts); n > 0 {
		a.walk.line = *a.m.Line(&b.Insts[n-1])
	}
	var moves []pendingMove
	// want adds the move of u to dst, if one is needed.
	want := func(dst place, u int32, own bool) {
		mv := pendingMove{dst: dst, src: slotOf(u), made: -1, class: a.vals[u].class, own: own}
		switch {
		case reg[u] != noPhys:
			mv.src = place(reg[u])
		case a.vals[u].constant:
			mv.made = u
		}
		if mv.made >= 0 || mv.src != dst {
			moves = append(moves, mv)
		}
	}
	for _, l := range a.entry[s] {
		u := l.v
		if len(b.Copies) > 0 {
			if from := a.copySource(b, l.v); from >= 0 {
				u = from
			}
		}
		if l.reg != noPhys {
			m.busy.add(l.reg)
			want(place(l.reg), u, false)
		}
		if l.mem && !(u == l.v && mem[u]) {
			want(slotOf(l.v), u, u == l.v)
		}
	}
	for _, l := range a.exit[bi] {
		reg[l.v], mem[l.v] = noPhys, false
	}
	m.run(moves)
	return m.out
}

// run serializes the moves. A move is emitted once no pending move reads its
// destination; if there is no such move, the remaining moves contain cycles. Moves to
// slots come first, so that they can use registers that are not yet written.
func (m *mover[I]) run(pending []pendingMove) {
	m.readers = m.a.scratch.count
	readers := m.readers
	for _, mv := range pending {
		if mv.made < 0 {
			readers[mv.src]++
			if mv.src.isReg() {
				m.moving.add(physReg(mv.src))
			}
		}
		if mv.dst.isReg() {
			m.moving.add(physReg(mv.dst))
			m.awaiting.add(physReg(mv.dst))
		}
	}
	slices.SortStableFunc(pending, func(x, y pendingMove) int { return boolInt(x.dst.isReg()) - boolInt(y.dst.isReg()) })
	for len(pending) > 0 {
		rest := pending[:0]
		for _, mv := range pending {
			if readers[mv.dst] > 0 {
				rest = append(rest, mv)
				continue
			}
			if mv.made < 0 {
				readers[mv.src]--
			}
			m.move(mv)
		}
		if len(rest) > 0 && len(rest) == len(pending) {
			rest = m.breakCycle(rest, readers)
		}
		pending = rest
	}
	for s := m.lent; s != 0; s &= s - 1 {
		p := s.first()
		m.load(p, m.a.emergency(m.a.regs.classOf[p], borrowSlot))
	}
}

// move emits one move.
func (m *mover[I]) move(mv pendingMove) {
	if mv.dst.isReg() {
		m.awaiting.remove(physReg(mv.dst))
	}
	switch {
	case mv.dst.isReg() && mv.made >= 0:
		m.out = m.a.add(m.out, m.a.loadInst(mv.made, physReg(mv.dst)))
	case mv.dst.isReg() && mv.src.isReg():
		m.copy(physReg(mv.dst), physReg(mv.src))
	case mv.dst.isReg():
		m.load(physReg(mv.dst), mv.src)
	case mv.made < 0 && mv.src.isReg():
		m.store(mv.dst, physReg(mv.src), mv.own)
	default:
		t, back := m.borrow(mv.class)
		if mv.made >= 0 {
			m.out = m.a.add(m.out, m.a.loadInst(mv.made, t))
			m.store(mv.dst, t, false)
		} else {
			m.load(t, mv.src)
			o := &m.out[len(m.out)-1]
			o.kind, o.v, o.from = slotMove, int32(mv.dst-numPhys), o.v
		}
		if back >= 0 {
			m.load(t, back)
		}
	}
}

func (m *mover[I]) emit(in I, kind outKind, v int32, p physReg) {
	m.out = m.a.add(m.out, outInst[I]{in: in, orig: -1, kind: kind, v: v, reg: p})
}

func (m *mover[I]) copy(dst, src physReg) {
	m.emit(m.a.m.Move(m.a.regs.reg(dst), m.a.regs.reg(src)), regMove, -1, dst)
}

func (m *mover[I]) load(p physReg, slot place) {
	v := int32(slot - numPhys)
	m.emit(m.a.m.Reload(m.a.regs.reg(p), m.slotSize(v, p)), reload, v, p)
}

func (m *mover[I]) store(slot place, p physReg, own bool) {
	v := int32(slot - numPhys)
	m.emit(m.a.m.Spill(m.a.regs.reg(p), m.slotSize(v, p)), spillStore, v, p)
	m.out[len(m.out)-1].own = own
}

func (m *mover[I]) slotSize(v int32, p physReg) int { return int(m.a.slotSize(v, m.a.regs.classOf[p])) }

// slotSize returns the size in bytes of slot v, which may be an emergency slot.
func (a *allocator[I]) slotSize(v int32, class mach.Class) uint8 {
	if int(v) < len(a.vals) {
		return a.vals[v].size
	}
	return a.m.Classes[class].SlotBytes
}

// borrow finds a register of a class for a move through it: a free one, a
// destination whose old value has no pending reader, or one that is already lent.
// Otherwise it saves a register in an emergency slot: until the end if no move uses the
// register, else until this move is done. In the last case it returns that slot, in
// all others -1.
func (m *mover[I]) borrow(class mach.Class) (physReg, place) {
	if free := m.a.regs.usable[class] &^ m.busy; free != 0 {
		return free.first(), -1
	}
	for s := m.awaiting & m.a.regs.usable[class]; s != 0; s &= s - 1 {
		if p := s.first(); m.readers[p] == 0 {
			return p, -1
		}
	}
	if s := m.lent & m.a.regs.usable[class]; s != 0 {
		return s.first(), -1
	}
	back := m.a.emergency(class, borrowSlot)
	if s := m.a.regs.usable[class] &^ m.moving; s != 0 {
		p := s.first()
		m.store(back, p, false)
		m.lent.add(p)
		return p, -1
	}
	p := m.a.regs.usable[class].first()
	m.store(back, p, false)
	return p, back
}

// breakCycle makes one of the pending moves possible, all of which are in cycles or wait
// for one: it saves the old value of its destination.
func (m *mover[I]) breakCycle(pending []pendingMove, readers []int32) []pendingMove {
	mv := pending[0]
	for _, other := range pending {
		if other.dst.isReg() {
			mv = other
			break
		}
	}
	to := m.a.emergency(mv.class, cycleSlot)
	free := m.a.regs.usable[mv.class] &^ m.busy
	switch {
	case !mv.dst.isReg():
		m.move(pendingMove{dst: to, src: mv.dst, made: -1, class: mv.class})
	case free != 0:
		p := free.first()
		m.busy.add(p)
		m.moving.add(p)
		to = place(p)
		m.copy(p, physReg(mv.dst))
	case m.a.m.Classes[mv.class].Exchange && mv.made < 0 && mv.src.isReg():
		m.emit(m.a.m.Exchange(m.a.regs.reg(physReg(mv.dst)), m.a.regs.reg(physReg(mv.src))), regMove, -1, noPhys)
		rest := afterExchange(pending, mv, readers)
		m.awaiting = 0
		for _, p := range rest {
			if p.dst.isReg() {
				m.awaiting.add(physReg(p.dst))
			}
		}
		return rest
	default:
		m.store(to, physReg(mv.dst), false)
	}
	for i := range pending {
		if p := &pending[i]; p.made < 0 && p.src == mv.dst {
			p.src = to
			readers[mv.dst]--
			readers[to]++
		}
	}
	return pending
}

// afterExchange removes mv, whose registers have been exchanged, from the
// pending moves and updates the sources of the others.
func afterExchange(pending []pendingMove, mv pendingMove, readers []int32) []pendingMove {
	rest := pending[:0]
	for _, p := range pending {
		if p.made < 0 {
			readers[p.src]--
			switch p.src {
			case mv.dst:
				p.src = mv.src
			case mv.src:
				p.src = mv.dst
			}
			if p.src == p.dst {
				continue
			}
			readers[p.src]++
		}
		rest = append(rest, p)
	}
	return rest
}
