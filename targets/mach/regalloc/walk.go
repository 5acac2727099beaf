package regalloc

import (
	"math/bits"
	"slices"

	"github.com/simtc/simtc/targets/mach"
)

// walkState is the state of the walk through one block.
type walkState[I comparable] struct {
	block  int
	out    []outInst[I]
	line   int32
	inst   I         // the current instruction, as rewritten so far
	at     int32     // index of the current instruction
	reg    []physReg // by value; noPhys: not in a register
	mem    []bool    // by value: its slot holds it
	next   []int32   // by value: position of the next use
	holder [numPhys]int32
	free   regSet // registers that hold no value
	pinned regSet // registers of the current instruction's operands

	busyUntil [numPhys]int32 // time until which a physical register is in use by explicit name
	busy      regSet         // registers for which busyUntil may still matter
	upcoming  regSet         // registers that later instructions of the block name explicitly
}

func (w *walkState[I]) init(n int, regs *registerFile) {
	w.reg, w.mem, w.next = make([]physReg, n), make([]bool, n), make([]int32, n)
	for i := range w.reg {
		w.reg[i] = noPhys
	}
	for p := range w.holder {
		w.holder[p] = -1
	}
	for _, s := range regs.usable {
		w.free |= s
	}
}

func (w *walkState[I]) put(v int32, p physReg) {
	w.reg[v], w.holder[p] = p, v
	w.free.remove(p)
}

func (w *walkState[I]) release(v int32) {
	if p := w.reg[v]; p != noPhys {
		w.holder[p], w.reg[v] = -1, noPhys
		w.free.add(p)
	}
}

// available returns the registers whose explicit uses end before time t.
func (w *walkState[I]) available(t int32) regSet {
	all := ^regSet(0)
	for s := uint64(w.busy); s != 0; s &= s - 1 {
		if p := physReg(bits.TrailingZeros64(s)); w.busyUntil[p] >= t {
			all.remove(p)
		}
	}
	return all
}

// allowed returns the registers that may hold v.
func (a *allocator[I]) allowed(v int32) regSet {
	s := a.regs.usable[a.vals[v].class]
	if a.vals[v].predicate {
		s &^= a.regs.noPredicate
	}
	return s
}

// walkBlock assigns registers to the instructions of a block.
func (a *allocator[I]) walkBlock(bi int) {
	b, w := a.f.Blocks[bi], &a.walk
	w.block, w.out = bi, make([]outInst[I], 0, len(b.Insts)+8)
	w.busy, w.upcoming = 0, 0
	events := a.events[bi]
	for _, e := range events {
		w.upcoming.add(e.reg)
	}
	for len(events) > 0 && events[0].i < 0 {
		a.beginBusy(&events, -1)
	}
	next := a.next[a.nextStart[bi]:]
	var ops operands
	for i := range b.Insts {
		w.inst = b.Insts[i]
		in := &w.inst
		info := a.m.Info(in)
		if info.Props&mach.Removed != 0 {
			continue
		}
		a.gather(in, &ops)
		w.line, w.at = *a.m.Line(in), int32(i)
		after := next[:ops.n]
		next = next[ops.n:]
		w.pinned = 0
		dst, src, copies := a.m.Copy(in)
		if copies && dst.IsVirtual() && src.IsVirtual() {
			a.walkCopy(int32(i), &ops, after)
			continue
		}
		a.walkInst(in, info, copies, int32(i), &ops, after, &events)
		if a.err != nil {
			return
		}
	}
	a.exit[bi] = a.exitState(bi)
	a.out[bi] = w.out
	for p := range w.holder {
		if v := w.holder[p]; v >= 0 {
			w.release(v)
		}
	}
}

// exitState lists the locations of the values that are live out of block bi.
func (a *allocator[I]) exitState(bi int) []location {
	w, seen := &a.walk, a.scratch.seen
	var list []location
	a.eachLiveOut(bi, func(x, _ int32) {
		if seen[x] == 0 {
			seen[x] = 1
			list = append(list, location{x, w.reg[x], w.mem[x]})
		}
	})
	for _, l := range list {
		seen[l.v] = 0
	}
	return list
}

// beginBusy marks the registers that the instruction at i defines by explicit name as
// unavailable.
func (a *allocator[I]) beginBusy(events *[]physEvent, i int32) {
	w := &a.walk
	for len(*events) > 0 && (*events)[0].i == i {
		e := (*events)[0]
		*events = (*events)[1:]
		w.busyUntil[e.reg] = e.last
		w.busy.add(e.reg)
		w.upcoming.remove(e.reg)
		for _, later := range *events {
			if later.reg == e.reg {
				w.upcoming.add(e.reg)
				break
			}
		}
	}
}

// walkCopy handles a copy between virtual registers, at i.
func (a *allocator[I]) walkCopy(i int32, ops *operands, after []int32) {
	w := &a.walk
	s, sNext := ops.list[0].v, after[0]
	d, dNext := ops.list[1].v, after[1]
	if dNext == never {
		if sNext == never {
			w.release(s)
		}
		w.next[s] = sNext
		return
	}
	if d == s {
		w.next[s] = dNext
		return
	}
	from := w.reg[s]
	switch {
	case from != noPhys && sNext == never && a.allowed(d).has(from):
		w.release(d)
		w.release(s)
		w.put(d, from)
		a.defined(d, from)
	case from != noPhys:
		w.pinned.add(from)
		p := a.register(d, writeTime(i))
		if p == noPhys {
			return
		}
		a.emitOriginal(a.m.Move(a.regs.reg(p), a.regs.reg(from)), i)
		a.defined(d, p)
		if sNext == never {
			w.release(s)
		}
	default:
		p := a.register(d, writeTime(i))
		if p == noPhys {
			return
		}
		a.load(s, p)
		a.defined(d, p)
	}
	w.next[s], w.next[d] = sNext, dNext
}

// register returns the register of d, assigning one if needed.
func (a *allocator[I]) register(d, t int32) physReg {
	w := &a.walk
	if p := w.reg[d]; p != noPhys {
		return p
	}
	p := a.take(d, t)
	if p != noPhys {
		w.put(d, p)
	}
	return p
}

// defined records a new value of d, in register p.
func (a *allocator[I]) defined(d int32, p physReg) {
	w, v := &a.walk, &a.vals[d]
	w.mem[d] = false
	if v.home == noPhys {
		v.home = p
	}
	v.lastDef = defPoint{int32(w.block), int32(len(w.out)), p}
	if v.storesIn == int32(w.block) {
		for _, at := range v.stores {
			w.out[at].own = false
		}
	}
	v.stores = v.stores[:0]
}

// walkInst assigns registers to the operands of the instruction at i, which may be a copy.
func (a *allocator[I]) walkInst(in *I, info *mach.Info, copies bool, i int32, ops *operands, after []int32, events *[]physEvent) {
	w := &a.walk
	list := ops.list[:ops.n]
	for _, o := range list {
		if p := w.reg[o.v]; p != noPhys && o.role&mach.Read != 0 {
			w.pinned.add(p)
		}
	}
	// Values in registers that the instruction overwrites by explicit name are moved
	// away, unless this is their last use.
	if len(*events) > 0 && (*events)[0].i == i {
		first := *events
		a.beginBusy(events, i)
		for _, e := range first[:len(first)-len(*events)] {
			if v := w.holder[e.reg]; v >= 0 && !diesHere(list, after, v) {
				a.relocate(e.reg, i)
			}
		}
	}
	folded, after := a.fold(in, i, ops, after)
	list = ops.list[:ops.n]
	for k := range list {
		o := &list[k]
		if o.role&mach.Read == 0 {
			continue
		}
		p := w.reg[o.v]
		if p == noPhys {
			p = a.take(o.v, readTime(i))
			if p == noPhys {
				return
			}
			w.put(o.v, p)
			if a.vals[o.v].home == noPhys {
				a.vals[o.v].home = p
			}
			a.load(o.v, p)
			w.pinned.add(p)
		}
	}
	early := info.Props&mach.EarlyClobber != 0
	if !early {
		a.releaseDead(list, after)
	}
	for k := range list {
		if o := &list[k]; o.role == mach.Write {
			p := a.register(o.v, writeTime(i))
			if p == noPhys {
				return
			}
			w.pinned.add(p)
			*o.reg = a.regs.reg(p)
		}
	}
	if early {
		a.releaseDead(list, after)
	}
	same := false
	if copies {
		dst, src, ok := a.m.Copy(in) // not if the source is folded
		same = ok && dst == src
	}
	if same {
		for _, o := range list {
			if o.role&mach.Write != 0 {
				a.defined(o.v, w.reg[o.v])
			}
		}
	} else {
		a.emitOriginal(*in, i)
		w.out[len(w.out)-1].v = folded
		for _, o := range list {
			if o.role&mach.Write != 0 {
				a.defined(o.v, a.regs.phys(*o.reg))
			}
		}
	}
	for k := range list {
		o := &list[k]
		w.next[o.v] = after[k]
	}
	for k := range list {
		if o := &list[k]; o.role&mach.Write != 0 {
			w.next[o.v] = after[k]
			if after[k] == never {
				w.release(o.v)
			}
		}
	}
}

// diesHere reports whether the instruction only reads v and is its last use.
func diesHere(list []operand, after []int32, v int32) bool {
	read := false
	for k, o := range list {
		if o.v == v {
			if o.role != mach.Read || after[k] != never {
				return false
			}
			read = true
		}
	}
	return read
}

// releaseDead writes the registers of the read operands into the instruction, and frees
// those of values that are dead after it.
func (a *allocator[I]) releaseDead(list []operand, after []int32) {
	w := &a.walk
	for k := range list {
		if o := &list[k]; o.role&mach.Read != 0 {
			*o.reg = a.regs.reg(w.reg[o.v])
		}
	}
	for k := range list {
		if o := &list[k]; o.role == mach.Read && after[k] == never && w.reg[o.v] != noPhys && !changed(list, o.v) {
			w.pinned.remove(w.reg[o.v])
			w.release(o.v)
		}
	}
}

// changed reports whether the instruction defines or updates v.
func changed(list []operand, v int32) bool {
	for _, o := range list {
		if o.v == v && o.role&mach.Write != 0 {
			return true
		}
	}
	return false
}

// take finds a register for v that has no explicit use from time t on, and
// empties it.
func (a *allocator[I]) take(v, t int32) physReg {
	w := &a.walk
	can := a.allowed(v) & w.available(t) &^ w.pinned
	if p := a.choose(v, can&w.free); p != noPhys {
		return p
	}
	p := a.victim(can)
	if p == noPhys {
		a.fail("no register for %v value %d in block %d: too many operands", a.vals[v].class, v, w.block)
		return noPhys
	}
	a.evict(p)
	return p
}

// choose returns the best register of a free set for v, or noPhys if the set is empty.
func (a *allocator[I]) choose(v int32, free regSet) physReg {
	if free == 0 {
		return noPhys
	}
	if p, _ := a.destination(v, free); p != noPhys {
		return p
	}
	w, val := &a.walk, &a.vals[v]
	if val.hint != noPhys && free.has(val.hint) {
		return val.hint
	}
	if val.home != noPhys && free.has(val.home) {
		return val.home
	}
	best := free
	if s := best &^ w.upcoming; s != 0 {
		best = s
	}
	if s := best &^ a.fixed; s != 0 && (val.global >= 0 || val.to[0] >= 0) {
		best = s
	}
	if c := a.forest.InnermostCycle(w.block); c != nil {
		if s := best &^ a.loopHome[c.ID]; s != 0 {
			best = s
		}
	}
	return a.regs.preferred(val.class, best)
}

// destination returns a register, out of the set free, of a value that v is copied to
// directly or in a few steps, and the frequency of that copy; or noPhys.
func (a *allocator[I]) destination(v int32, free regSet) (physReg, float32) {
	if a.vals[v].to[0] < 0 {
		return noPhys, 0
	}
	var queue [16]int32
	queue[0] = v
	n := 1
	for i := 0; i < n; i++ {
		val := &a.vals[queue[i]]
		for k, to := range val.to {
			if to < 0 || slices.Contains(queue[:n], to) {
				continue
			}
			if h := a.vals[to].home; h != noPhys && free.has(h) {
				return h, val.toWeight[k]
			}
			if n < len(queue) {
				queue[n] = to
				n++
			}
		}
	}
	return noPhys, 0
}

// victim picks the register of the set whose value has the farthest next use. The
// distance of values whose eviction needs no store is scaled up.
func (a *allocator[I]) victim(can regSet) physReg {
	w := &a.walk
	best, bestScore := noPhys, int64(-1)
	for s := uint64(can &^ w.free); s != 0; s &= s - 1 {
		p := physReg(bits.TrailingZeros64(s))
		v := w.holder[p]
		// Distances from the head of the block precede its scheduling, so
		// that a use may appear to lie in the past.
		score := max(int64(w.next[v]-w.at), 0) + 1
		switch {
		case a.vals[v].constant:
			score *= 3
		case w.mem[v]:
			score *= 2
		}
		if score > bestScore {
			best, bestScore = p, score
		}
	}
	return best
}

// evict empties register p. It stores the value unless its slot holds it.
func (a *allocator[I]) evict(p physReg) {
	w := &a.walk
	v := w.holder[p]
	if !a.vals[v].constant && !w.mem[v] {
		val := &a.vals[v]
		if val.storesIn != int32(w.block) {
			val.storesIn, val.stores = int32(w.block), val.stores[:0]
		}
		val.stores = append(val.stores, int32(len(w.out)))
		store := a.storeInst(v, p)
		store.own = true
		w.out = a.add(w.out, store)
		w.mem[v] = true
	}
	w.release(v)
}

// relocate moves the value in p to another register, evicting the farthest next use.
func (a *allocator[I]) relocate(p physReg, i int32) {
	w := &a.walk
	v := w.holder[p]
	needed := w.pinned.has(p)
	can := a.allowed(v) & w.available(readTime(i)) &^ w.pinned
	can.remove(p)
	to := a.choose(v, can&w.free)
	if to == noPhys {
		if !needed && (a.vals[v].constant || w.mem[v]) {
			a.evict(p)
			return
		}
		to = a.victim(can)
		if to == noPhys || !needed && w.next[w.holder[to]] < w.next[v] {
			a.evict(p)
			return
		}
		a.evict(to)
	}
	w.release(v)
	w.put(v, to)
	w.out = a.add(w.out, outInst[I]{in: a.m.Move(a.regs.reg(to), a.regs.reg(p)), orig: -1, kind: regMove, v: v})
	if needed {
		w.pinned.remove(p)
		w.pinned.add(to)
	}
}

// load emits a reload or rematerialization of v into p.
func (a *allocator[I]) load(v int32, p physReg) {
	a.walk.out = a.add(a.walk.out, a.loadInst(v, p))
}

// loadInst returns a reload or rematerialization of v into p, for add.
func (a *allocator[I]) loadInst(v int32, p physReg) outInst[I] {
	val := &a.vals[v]
	if val.constant {
		return outInst[I]{in: a.remats[val.remat], orig: -1, kind: remat, v: v, reg: p}
	}
	return outInst[I]{in: a.m.Reload(a.regs.reg(p), int(val.size)), orig: -1, kind: reload, v: v}
}

func (a *allocator[I]) storeInst(v int32, p physReg) outInst[I] {
	return outInst[I]{in: a.m.Spill(a.regs.reg(p), int(a.vals[v].size)), orig: -1, kind: spillStore, v: v}
}

// add appends o, at the current line, to list. A constant is made in o.reg.
func (a *allocator[I]) add(list []outInst[I], o outInst[I]) []outInst[I] {
	list = append(list, o)
	in := &list[len(list)-1].in
	*a.m.Line(in) = a.walk.line
	if o.kind == remat {
		*a.m.Dest(in) = a.regs.reg(o.reg)
	}
	return list
}

func (a *allocator[I]) emitOriginal(in I, i int32) {
	a.walk.out = a.add(a.walk.out, outInst[I]{in: in, orig: i, kind: original, v: -1})
}
