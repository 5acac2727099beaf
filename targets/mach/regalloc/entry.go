package regalloc

import (
	"slices"

	"github.com/simtc/simtc/targets/mach"
)

// candidate is a value live into a block, with its locations at the ends
// of the predecessors that have been walked.
type candidate struct {
	v      int32
	dist   int32
	reg    physReg // its register in the most frequent predecessor
	other  physReg // its register in another one
	weight float32 // frequency of the edges on which it is in reg,
	second float32 // in other,
	in     float32 // and in any register
	inAll  bool    // it is in a register on all edges
	mem    bool    // its slot holds it on all edges
	param  bool    // the edges copy to it
	wanted bool
}

// enterBlock decides the locations of values at the head of a block and initializes the
// walk with them.
func (a *allocator[I]) enterBlock(bi int) {
	w := &a.walk
	entry := a.decideEntry(bi)
	a.entry[bi] = entry
	w.block = bi
	for i, l := range entry {
		w.next[l.v] = a.liveIn[bi][i].dist
		w.mem[l.v] = l.mem
		if l.reg != noPhys {
			w.put(l.v, l.reg)
			v := &a.vals[l.v]
			if v.param == int32(bi) && v.defs > 0 {
				v.lastDef = defPoint{int32(bi), 0, l.reg}
			}
		}
	}
}

func (a *allocator[I]) decideEntry(bi int) []location {
	entry := make([]location, len(a.liveIn[bi]))
	if bi == 0 {
		for i, u := range a.liveIn[bi] {
			entry[i] = location{u.v, noPhys, !a.vals[u.v].constant}
		}
		return entry
	}
	if preds := a.f.Blocks[bi].Preds; len(preds) == 1 && a.done[preds[0]] && len(a.f.Blocks[preds[0]].Copies) == 0 {
		a.inheritEntry(bi, preds[0], entry)
		return entry
	}
	list, total, header := a.candidates(bi)
	if header {
		a.wantAtHeader(bi, list)
	} else {
		a.wantAtJoin(list, total)
	}
	a.assignEntry(bi, list, header)
	for i, c := range list {
		mem := c.mem
		if c.reg == noPhys {
			mem = true
		}
		entry[i] = location{c.v, c.reg, mem && !a.vals[c.v].constant}
	}
	return entry
}

// inheritEntry copies the state at the end of the only predecessor.
func (a *allocator[I]) inheritEntry(bi, pred int, entry []location) {
	reg, mem := a.scratch.reg, a.scratch.mem
	for _, l := range a.exit[pred] {
		reg[l.v], mem[l.v] = l.reg, l.mem
	}
	for i, u := range a.liveIn[bi] {
		entry[i] = location{u.v, reg[u.v], (mem[u.v] || reg[u.v] == noPhys) && !a.vals[u.v].constant}
	}
	for _, l := range a.exit[pred] {
		reg[l.v], mem[l.v] = noPhys, false
	}
}

// candidates collects the locations of the values live into bi from the predecessors
// that have been walked. total is the frequency of these predecessors; header means
// that others remain, so bi is the head of a loop.
func (a *allocator[I]) candidates(bi int) (list []candidate, total float32, header bool) {
	live := a.liveIn[bi]
	list = make([]candidate, len(live))
	for i, u := range live {
		list[i] = candidate{v: u.v, dist: u.dist, reg: noPhys, other: noPhys, inAll: true, mem: true}
	}
	var preds []int
	for _, p := range a.f.Blocks[bi].Preds {
		if a.done[p] {
			preds = append(preds, p)
			total += a.freq[p]
		} else {
			header = true
		}
	}
	slices.SortStableFunc(preds, func(x, y int) int {
		switch {
		case a.freq[x] > a.freq[y]:
			return -1
		case a.freq[x] < a.freq[y]:
			return 1
		}
		return 0
	})
	reg, mem := a.scratch.reg, a.scratch.mem
	for _, p := range preds {
		b := a.f.Blocks[p]
		for _, l := range a.exit[p] {
			reg[l.v], mem[l.v] = l.reg, l.mem
		}
		for i := range list {
			c := &list[i]
			x := c.v
			if len(b.Copies) > 0 {
				if from := a.copySource(b, x); from >= 0 {
					c.param = true
					x = from
				}
			}
			r := reg[x]
			switch {
			case r == noPhys && x != c.v && a.vals[x].constant:
				c.in += a.freq[p] // can be rematerialized in any register
			case r == noPhys:
				c.inAll = false
			default:
				c.in += a.freq[p]
				switch {
				case c.reg == noPhys || c.reg == r:
					c.reg = r
					c.weight += a.freq[p]
				case c.other == noPhys || c.other == r:
					c.other = r
					c.second += a.freq[p]
				}
			}
			c.mem = c.mem && x == c.v && mem[x]
		}
		for _, l := range a.exit[p] {
			reg[l.v], mem[l.v] = noPhys, false
		}
	}
	return list, total, header
}

// wantAtJoin selects the values in registers at the head of a block that is not a loop
// head: first values in a register on all edges, then on most edges, each by next use.
func (a *allocator[I]) wantAtJoin(list []candidate, total float32) {
	room := a.regs.capacity
	var order []int
	for i := range list {
		if list[i].in > 0 {
			order = append(order, i)
		}
	}
	sortByDistance(list, order)
	for _, always := range [2]bool{true, false} {
		for _, i := range order {
			c := &list[i]
			v := &a.vals[c.v]
			if !c.wanted && room[v.class] > 0 && (c.inAll || !always && 2*c.in >= total && !v.constant) {
				c.wanted = true
				room[v.class]--
			}
		}
	}
}

// wantAtHeader selects the values in registers at a loop head: first those that the loop
// uses, by next use; then those that it only redefines for its exit, where a
// register saves a store in each iteration; then constants and values that are live
// through it, most used first, as far as its register pressure allows.
func (a *allocator[I]) wantAtHeader(bi int, list []candidate) {
	var through [mach.NumClasses]int
	press, renewed, absent := a.pressure[bi], bitset(nil), bitset(nil)
	if c := a.forest.InnermostCycle(bi); c != nil {
		press, renewed = a.loopPress[c.ID], a.renewed[c.ID]
		if a.absent != nil {
			absent = a.absent[c.ID]
		}
	}
	var used, passed, spare []int
	for i := range list {
		v, far := &a.vals[list[i].v], list[i].dist >= exitPenalty
		switch {
		case absent != nil && absent.has(v.global):
		case far && !v.constant && renewed != nil && renewed.has(v.global):
			passed = append(passed, i)
		case far || v.constant:
			through[v.class]++
			spare = append(spare, i)
		default:
			used = append(used, i)
		}
	}
	sortByDistance(list, used)
	room := a.regs.capacity
	for _, i := range slices.Concat(used, passed) {
		c := &list[i]
		v := &a.vals[c.v]
		if room[v.class] > 0 {
			c.wanted = true
			room[v.class]--
		}
	}
	for class := range room {
		room[class] = min(room[class], a.regs.capacity[class]-(int(press[class])-through[class]))
	}
	slices.SortStableFunc(spare, func(i, j int) int {
		x, y := &list[i], &list[j]
		far := x.dist >= exitPenalty
		if other := y.dist >= exitPenalty; far != other {
			return boolInt(far) - boolInt(other)
		}
		if cx, cy := a.vals[x.v].constant, a.vals[y.v].constant; far && cx != cy {
			return boolInt(cx) - boolInt(cy) // a constant costs no store
		}
		switch wx, wy := a.vals[x.v].weight, a.vals[y.v].weight; {
		case wx > wy:
			return -1
		case wx < wy:
			return 1
		}
		return 0
	})
	for _, i := range spare {
		c := &list[i]
		class := a.vals[c.v].class
		if room[class] <= 0 || c.dist >= exitPenalty && (c.in == 0 || a.isCheap(c.v)) || a.isMadeInPlace(c.v) {
			continue
		}
		c.wanted = true
		room[class]--
	}
}

// isCheap reports whether v is a constant whose rematerialization costs no more than a
// move.
func (a *allocator[I]) isCheap(v int32) bool {
	val := &a.vals[v]
	return val.constant && a.m.Info(&a.remats[val.remat]).Props&mach.CheapAsMove != 0
}

// isMadeInPlace reports whether v is a cheap constant that is only copied, so that each
// copy can be rematerialized instead.
func (a *allocator[I]) isMadeInPlace(v int32) bool { return a.isCheap(v) && a.vals[v].weight == 0 }

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sortByDistance sorts indices in list by next use.
func sortByDistance(list []candidate, order []int) {
	slices.SortFunc(order, func(i, j int) int {
		if d := list[i].dist - list[j].dist; d != 0 {
			return int(d)
		}
		return i - j
	})
}

// assignEntry assigns registers to the wanted values, preferring the registers that they
// arrive in: first to values that keep their identity, then to those that edges copy to.
func (a *allocator[I]) assignEntry(bi int, list []candidate, header bool) {
	var taken regSet
	settle := func(c *candidate, p physReg) {
		c.reg = p
		taken.add(p)
	}
	done := make([]bool, len(list))
	for _, params := range [2]bool{false, true} {
		for i := range list {
			c := &list[i]
			if !c.wanted || c.param != params {
				continue
			}
			for _, p := range a.preferences(c, header) {
				if p != noPhys && !taken.has(p) && a.allowed(c.v).has(p) {
					settle(c, p)
					done[i] = true
					break
				}
			}
		}
	}
	// Any remaining register; predicates first.
	for _, restricted := range [2]bool{true, false} {
		for i := range list {
			c := &list[i]
			v := &a.vals[c.v]
			if !c.wanted || done[i] || v.predicate != restricted {
				continue
			}
			can := a.allowed(c.v) &^ taken
			if some := can & a.regs.noPredicate; some != 0 {
				settle(c, some.first())
				done[i] = true
				continue
			}
			if can == 0 {
				c.wanted = false // its place was a register that capacity does not count
				continue
			}
			if s := can &^ a.fixed; s != 0 {
				can = s
			}
			settle(c, a.regs.preferred(v.class, can))
			done[i] = true
		}
	}
	for i := range list {
		c := &list[i]
		if !c.wanted {
			c.reg = noPhys
		} else if v := &a.vals[c.v]; header || v.home == noPhys {
			v.home = c.reg
		}
	}
	if cycle := a.forest.InnermostCycle(bi); header && cycle != nil {
		a.loopHome[cycle.ID] |= taken
	}
}

// preferences lists preferred registers of a value, best first: those in which it
// arrives and that of its copy, by frequency.
func (a *allocator[I]) preferences(c *candidate, header bool) [3]physReg {

	regs := [3]physReg{c.reg, c.other, noPhys}
	weights := [3]float32{c.weight, c.second, 0}
	if c.param && !header {
		regs[2], weights[2] = a.destination(c.v, a.allowed(c.v))
	}
	for k := range 2 {
		if regs[2] == regs[k] {
			weights[k] += weights[2]
			weights[2] = 0
		}
	}
	for i := 1; i < 3; i++ {
		for j := i; j > 0 && weights[j] > weights[j-1]; j-- {
			weights[j], weights[j-1] = weights[j-1], weights[j]
			regs[j], regs[j-1] = regs[j-1], regs[j]
		}
	}
	return regs
}
