package avx512

import (
	"math/bits"
	"slices"

	"github.com/simtc/simtc/targets/x86/asm"
)

// walkState is the state of the walk through one block.
type walkState struct {
	block  int
	out    []outInst
	line   int32
	inst   asm.Inst  // the current instruction, as rewritten so far
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

func (w *walkState) init(n int, regs *registerFile) {
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

func (w *walkState) put(v int32, p physReg) {
	w.reg[v], w.holder[p] = p, v
	w.free.remove(p)
}

func (w *walkState) release(v int32) {
	if p := w.reg[v]; p != noPhys {
		w.holder[p], w.reg[v] = -1, noPhys
		w.free.add(p)
	}
}

// available returns the registers whose explicit uses end before time t.
func (w *walkState) available(t int32) regSet {
	all := ^regSet(0)
	for s := uint64(w.busy); s != 0; s &= s - 1 {
		if p := physReg(bits.TrailingZeros64(s)); w.busyUntil[p] >= t {
			all.remove(p)
		}
	}
	return all
}

// allowed returns the registers that may hold v.
func (a *allocator) allowed(v int32) regSet {
	s := a.regs.usable[a.vals[v].class]
	if a.vals[v].writeMask {
		s.remove(k0)
	}
	return s
}

// walkBlock assigns registers to the instructions of a block.
func (a *allocator) walkBlock(bi int) {
	b, w := a.f.blocks[bi], &a.walk
	w.block, w.out = bi, make([]outInst, 0, len(b.insts)+8)
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
	for i := range b.insts {
		w.inst = b.insts[i]
		in := &w.inst
		if in.Op == asm.INVALID {
			continue
		}
		a.gather(in, &ops)
		w.line, w.at = in.Line, int32(i)
		after := next[:ops.n]
		next = next[ops.n:]
		w.pinned = 0
		if in.IsCopy() && a.walkCopy(in, int32(i), &ops, after) {
			continue
		}
		a.walkInst(in, int32(i), &ops, after, &events)
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
func (a *allocator) exitState(bi int) []location {
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
func (a *allocator) beginBusy(events *[]physEvent, i int32) {
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

// walkCopy handles a copy between virtual registers. It reports whether in is
// one.
func (a *allocator) walkCopy(in *asm.Inst, i int32, ops *operands, after []int32) bool {
	w := &a.walk
	if !in.Args[0].IsVirtual() || !in.Args[1].IsVirtual() {
		return false
	}
	s, sNext := ops.list[0].v, after[0]
	d, dNext := ops.list[1].v, after[1]
	if dNext == never {
		if sNext == never {
			w.release(s)
		}
		w.next[s] = sNext
		return true
	}
	if d == s {
		w.next[s] = dNext
		return true
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
			return true
		}
		a.emitOriginal(copyInst(p.reg(), from.reg()), i)
		a.defined(d, p)
		if sNext == never {
			w.release(s)
		}
	default:
		p := a.register(d, writeTime(i))
		if p == noPhys {
			return true
		}
		a.load(s, p)
		a.defined(d, p)
	}
	w.next[s], w.next[d] = sNext, dNext
	return true
}

// register returns the register of d, assigning one if needed.
func (a *allocator) register(d, t int32) physReg {
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
func (a *allocator) defined(d int32, p physReg) {
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

func (a *allocator) walkInst(in *asm.Inst, i int32, ops *operands, after []int32, events *[]physEvent) {
	w := &a.walk
	list := ops.list[:ops.n]
	for _, o := range list {
		if p := w.reg[o.v]; p != noPhys && o.role&asm.Read != 0 {
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
		if o.role&asm.Read == 0 {
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
	early := in.Op.Is(asm.EarlyClobber)
	if !early {
		a.releaseDead(list, after)
	}
	for k := range list {
		if o := &list[k]; o.role == asm.Write {
			p := a.register(o.v, writeTime(i))
			if p == noPhys {
				return
			}
			w.pinned.add(p)
			*o.reg = p.reg()
		}
	}
	if early {
		a.releaseDead(list, after)
	}
	if in.IsCopy() && in.Args[0] == in.Args[1] {
		for _, o := range list {
			if o.role&asm.Write != 0 {
				a.defined(o.v, w.reg[o.v])
			}
		}
	} else {
		a.emitOriginal(*in, i)
		w.out[len(w.out)-1].v = folded
		for _, o := range list {
			if o.role&asm.Write != 0 {
				a.defined(o.v, physOf(*o.reg))
			}
		}
	}
	for k := range list {
		o := &list[k]
		w.next[o.v] = after[k]
	}
	for k := range list {
		if o := &list[k]; o.role&asm.Write != 0 {
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
			if o.role != asm.Read || after[k] != never {
				return false
			}
			read = true
		}
	}
	return read
}

// releaseDead writes the registers of the read operands into the instruction, and frees
// those of values that are dead after it.
func (a *allocator) releaseDead(list []operand, after []int32) {
	w := &a.walk
	for k := range list {
		if o := &list[k]; o.role&asm.Read != 0 {
			*o.reg = w.reg[o.v].reg()
		}
	}
	for k := range list {
		if o := &list[k]; o.role == asm.Read && after[k] == never && w.reg[o.v] != noPhys && !changed(list, o.v) {
			w.pinned.remove(w.reg[o.v])
			w.release(o.v)
		}
	}
}

// changed reports whether the instruction defines or updates v.
func changed(list []operand, v int32) bool {
	for _, o := range list {
		if o.v == v && o.role&asm.Write != 0 {
			return true
		}
	}
	return false
}

// take finds a register for v that has no explicit use from time t on, and
// empties it.
func (a *allocator) take(v, t int32) physReg {
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
func (a *allocator) choose(v int32, free regSet) physReg {
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
	if val.class == asm.ClassGPR {
		for _, p := range gprOrder {
			if best.has(p) {
				return p
			}
		}
	}
	return best.first()
}

// destination returns a register, out of the set free, of a value that v is copied to
// directly or in a few steps, and the frequency of that copy; or noPhys.
func (a *allocator) destination(v int32, free regSet) (physReg, float32) {
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
func (a *allocator) victim(can regSet) physReg {
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
func (a *allocator) evict(p physReg) {
	w := &a.walk
	v := w.holder[p]
	if !a.vals[v].constant && !w.mem[v] {
		val := &a.vals[v]
		if val.storesIn != int32(w.block) {
			val.storesIn, val.stores = int32(w.block), val.stores[:0]
		}
		val.stores = append(val.stores, int32(len(w.out)))
		w.out = append(w.out, outInst{in: a.storeInst(v, p), orig: -1, kind: spillStore, v: v, own: true})
		w.mem[v] = true
	}
	w.release(v)
}

// relocate moves the value in p to another register, evicting the farthest next use.
func (a *allocator) relocate(p physReg, i int32) {
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
	w.out = append(w.out, outInst{in: a.atLine(copyInst(to.reg(), p.reg())), orig: -1, kind: regMove, v: v})
	if needed {
		w.pinned.remove(p)
		w.pinned.add(to)
	}
}

// load emits a reload or rematerialization of v into p.
func (a *allocator) load(v int32, p physReg) {
	a.walk.out = append(a.walk.out, a.loadInst(v, p))
}

func (a *allocator) loadInst(v int32, p physReg) outInst {
	val := &a.vals[v]
	if val.constant {
		in := a.remats[val.remat]
		in.Args[0] = p.reg()
		return outInst{in: a.atLine(in), orig: -1, kind: remat, v: v}
	}
	in := transfer(val.class, val.size)
	in.Args[0], in.Args[1] = p.reg(), asm.InMem
	return outInst{in: a.atLine(in), orig: -1, kind: reload, v: v}
}

func (a *allocator) storeInst(v int32, p physReg) asm.Inst {
	in := transfer(a.vals[v].class, a.vals[v].size)
	in.Args[0], in.Args[1] = asm.InMem, p.reg()
	return a.atLine(in)
}

// transfer returns a move between a register and a spill slot, without operands.
// placeSlot adds the slot's address at the end.
func transfer(c asm.Class, size uint8) asm.Inst {
	in := asm.Inst{Mem: asm.At(asm.R14, 0)}
	switch c {
	case asm.ClassGPR:
		in.Op, in.Size = asm.MOV, asm.Size64
	case asm.ClassMask:
		in.Op = asm.KMOVQ
	default:
		in.Op, in.VL = asm.VMOVDQA64, asm.VLBytes(int(size))
	}
	return in
}

func (a *allocator) atLine(in asm.Inst) asm.Inst {
	in.Line = a.walk.line
	return in
}

func (a *allocator) emitOriginal(in asm.Inst, i int32) {
	in.Line = a.walk.line
	a.walk.out = append(a.walk.out, outInst{in: in, orig: i, kind: original, v: -1})
}
