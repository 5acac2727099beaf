package regalloc

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"

	"github.com/simtc/simtc/targets/mach"
)

// bitset is a set of small numbers.
type bitset []uint64

func (s bitset) has(i int32) bool { return s[i>>6]>>(i&63)&1 != 0 }
func (s bitset) add(i int32)      { s[i>>6] |= 1 << (i & 63) }
func (s bitset) remove(i int32)   { s[i>>6] &^= 1 << (i & 63) }

// meets reports whether the sets intersect.
func (s bitset) meets(t bitset) bool {
	for w, word := range s {
		if word&t[w] != 0 {
			return true
		}
	}
	return false
}

// each calls f for the members in ascending order.
func (s bitset) each(f func(i int32)) {
	for w, word := range s {
		for ; word != 0; word &= word - 1 {
			f(int32(w*64 + bits.TrailingZeros64(word)))
		}
	}
}

func newBitsets(n, size int) []bitset {
	words := (size + 63) / 64
	all := make(bitset, n*words)
	out := make([]bitset, n)
	for i := range out {
		out[i] = all[i*words : (i+1)*words : (i+1)*words]
	}
	return out
}

// maxConstants bounds the constants that are live through one loop. The register file is
// smaller, and large functions have thousands of blocks and constants.
const maxConstants = 64

// keepConstants chooses the constants that may be live out of each block. Outside of
// loops there are none: they are rematerialized at their uses. A loop with
// too many of them keeps those that it uses most often.
func (a *allocator[I]) keepConstants() {
	words := (a.numGlobals + 63) / 64
	var constants []int32
	values := make(bitset, words)
	for _, x := range a.globals {
		if a.vals[x].constant {
			constants = append(constants, a.vals[x].global)
		} else {
			values.add(a.vals[x].global)
		}
	}
	all := slices.Clone(values)
	for _, g := range constants {
		all.add(g)
	}
	a.kept, a.keepsAll = make([]bitset, len(a.f.Blocks)), make([]bool, len(a.f.Blocks))
	if len(constants) <= maxConstants {
		for _, bi := range a.order {
			a.kept[bi], a.keepsAll[bi] = values, len(constants) == 0
			if a.f.Blocks[bi].Depth > 0 {
				a.kept[bi], a.keepsAll[bi] = all, true
			}
		}
		return
	}
	uses := make([]map[int32]float64, len(a.forest.Cycles))
	for _, bi := range a.order {
		for c := a.forest.InnermostCycle(bi); c != nil; c = c.Parent {
			if uses[c.ID] == nil {
				uses[c.ID] = map[int32]float64{}
			}
			for _, u := range a.exposed[bi] {
				if v := &a.vals[u.v]; v.constant {
					uses[c.ID][v.global] += float64(a.freq[bi])
				}
			}
		}
	}
	chosen := make([]bitset, len(a.forest.Cycles))
	for id, frequency := range uses {
		list := slices.SortedFunc(maps.Keys(frequency), func(x, y int32) int {
			return cmp.Or(cmp.Compare(frequency[y], frequency[x]), cmp.Compare(x, y))
		})
		chosen[id] = slices.Clone(values)
		for _, g := range list[:min(len(list), maxConstants)] {
			chosen[id].add(g)
		}
	}
	for _, bi := range a.order {
		a.kept[bi] = values
		if c := a.forest.InnermostCycle(bi); c != nil {
			a.kept[bi] = chosen[c.ID]
		}
	}
}

// liveness computes the values that are live into each block, and their next-use
// distances.
func (a *allocator[I]) liveness() {
	n := len(a.f.Blocks)
	a.exposed = make([][]useDistance, n)
	defined := make([][]int32, n)
	var ops operands
	touched := make([]int32, len(a.vals)) // by value: block+1 of its last use or definition
	for _, bi := range a.order {
		b := a.f.Blocks[bi]
		see := func(x int32, read bool, i int) {
			if a.vals[x].global < 0 || touched[x] == int32(bi)+1 {
				return
			}
			touched[x] = int32(bi) + 1
			if read {
				a.exposed[bi] = append(a.exposed[bi], useDistance{x, int32(i)})
			} else {
				defined[bi] = append(defined[bi], x)
			}
		}
		for i := range b.Insts {
			a.gather(&b.Insts[i], &ops)
			for _, o := range ops.virtual() {
				see(o.v, o.role&mach.Read != 0, i)
			}
		}
	}

	a.renewed = newBitsets(len(a.forest.Cycles), a.numGlobals)
	for _, bi := range a.order {
		for c := a.forest.InnermostCycle(bi); c != nil; c = c.Parent {
			for _, x := range defined[bi] {
				a.renewed[c.ID].add(a.vals[x].global)
			}
			for _, m := range a.f.Blocks[bi].Copies {
				if g := a.vals[a.val(m.Dst)].global; g >= 0 {
					a.renewed[c.ID].add(g)
				}
			}
		}
	}

	in := newBitsets(n, a.numGlobals)
	a.keepConstants()
	out := make(bitset, (a.numGlobals+63)/64)
	for changed := true; changed; {
		changed = false
		for k := len(a.order) - 1; k >= 0; k-- {
			bi := a.order[k]
			b := a.f.Blocks[bi]
			clear(out)
			for _, s := range b.Succs() {
				for w, word := range in[s] {
					out[w] |= word
				}
			}
			if !a.keepsAll[bi] {
				for w := range out {
					out[w] &= a.kept[bi][w]
				}
			}
			a.throughCopies(bi, out, in)
			for _, x := range defined[bi] {
				out.remove(a.vals[x].global)
			}
			for _, u := range a.exposed[bi] {
				out.add(a.vals[u.v].global)
			}
			for w, word := range out {
				if in[bi][w] != word {
					in[bi][w] = word
					changed = true
				}
			}
		}
	}

	// Propagate distances one pass more than loops nest, so that uses across back edges
	// are found. A live value that is not reached by then counts as far away.
	a.liveIn = make([][]useDistance, n)
	for _, bi := range a.order {
		in[bi].each(func(g int32) {
			a.liveIn[bi] = append(a.liveIn[bi], useDistance{a.globals[g], never - 1})
		})
	}
	type mark struct{ block, dist int32 }
	first := make([]mark, len(a.vals)) // the next use, as a distance from the head of block
	block := int32(0)                  // counts the blocks visited
	passes := 2
	for _, c := range a.forest.Cycles {
		passes = min(max(passes, c.Depth+1), 5)
	}
	changed := true
	for ; changed && passes > 0; passes-- {
		changed = false
		for k := len(a.order) - 1; k >= 0; k-- {
			bi := a.order[k]
			length := int32(len(a.f.Blocks[bi].Insts))
			block++
			a.eachLiveOut(bi, func(x, dist int32) {
				if m := &first[x]; m.block != block || m.dist > length+dist {
					*m = mark{block, length + dist}
				}
			})
			for _, u := range a.exposed[bi] {
				first[u.v] = mark{block, u.dist}
			}
			for i := range a.liveIn[bi] {
				u, dist := &a.liveIn[bi][i], never-1
				if m := first[u.v]; m.block == block {
					dist = min(m.dist, never-1)
				}
				if u.dist != dist {
					u.dist, changed = dist, true
				}
			}
		}
	}
}

// throughCopies turns live, the set after the copies of block bi, into the set
// before them.
func (a *allocator[I]) throughCopies(bi int, live bitset, in []bitset) {
	b := a.f.Blocks[bi]
	if len(b.Copies) == 0 {
		return
	}
	after := in[b.Term.Yes]
	for _, c := range b.Copies {
		live.remove(a.vals[a.val(c.Dst)].global)
	}
	for _, c := range b.Copies {
		src := &a.vals[a.val(c.Src)]
		if after.has(a.vals[a.val(c.Dst)].global) && src.global >= 0 && a.kept[bi].has(src.global) {
			live.add(src.global)
		}
	}
}

// eachLiveOut calls f for the values live out of block bi, before its copies, with their
// next-use distances from the block's end. It may call f several times for a value.
// Sources of copies are used at the end of the block.
func (a *allocator[I]) eachLiveOut(bi int, f func(x, dist int32)) {
	b := a.f.Blocks[bi]
	plain := a.keepsAll[bi] && len(b.Copies) == 0
	for _, s := range b.Succs() {
		penalty := exitPenalty * int32(mach.LoopsLeft(a.forest, bi, s))
		for _, u := range a.liveIn[s] {
			x, dist := u.v, min(u.dist+penalty, never-1)
			if plain {
				f(x, dist)
				continue
			}
			if len(b.Copies) > 0 {
				if from := a.copySource(b, x); from >= 0 {
					x, dist = from, 0
				}
			}
			if g := a.vals[x].global; g < 0 || a.kept[bi].has(g) {
				f(x, dist)
			}
		}
	}
}

// copySource returns the value that b copies to x, or -1.
func (a *allocator[I]) copySource(b *mach.Block[I], x int32) int32 {
	if to := a.vals[x].param; to != int32(b.Term.Yes) && to != manyBlocks {
		return -1 // no edge from b copies to it
	}
	for _, c := range b.Copies {
		if a.val(c.Dst) == x {
			return a.val(c.Src)
		}
	}
	return -1
}

// localUses records the next use after every virtual operand, and finds
// the register pressure of each block and loop and the explicit uses of physical registers.
func (a *allocator[I]) localUses() {
	n := len(a.f.Blocks)
	a.pressure = make([][mach.NumClasses]int32, n)
	a.nextStart = make([]int32, n)
	a.events = make([][]physEvent, n)
	a.loopPress = make([][mach.NumClasses]int32, len(a.forest.Cycles))
	a.loopHome = make([]regSet, len(a.forest.Cycles))
	current := make([]int32, len(a.vals))
	for i := range current {
		current[i] = never
	}
	var ops operands
	var live [mach.NumClasses]int32
	for _, bi := range a.order {
		b := a.f.Blocks[bi]
		length := int32(len(b.Insts))
		live = [mach.NumClasses]int32{}
		set := func(x, at int32) {
			if c := a.vals[x].class; (current[x] == never) != (at == never) {
				if at == never {
					live[c]--
				} else {
					live[c]++
				}
			}
			current[x] = at
		}
		a.eachLiveOut(bi, func(x, dist int32) { set(x, min(current[x], length+dist, never-1)) })
		peak := live
		raise := func(fixed regSet) {
			for c := range peak {
				peak[c] = max(peak[c], live[c]+int32(bits.OnesCount64(uint64(fixed&a.regs.usable[c]))))
			}
		}
		// Appended backwards, then reversed for the forward walk.
		start := len(a.next)
		a.nextStart[bi] = int32(start)
		var busy busyRegs
		for i := int32(len(b.Insts)) - 1; i >= 0; i-- {
			in := &b.Insts[i]
			info := a.m.Info(in)
			if info.Props&mach.Removed != 0 {
				continue
			}
			if info.Props&mach.Reties != 0 {
				a.retie(bi, i, current)
			}
			a.gather(in, &ops)
			after := busy.set
			written := a.physEvents(bi, i, info, &ops, &busy)
			base := len(a.next)
			for range ops.n {
				a.next = append(a.next, never)
			}
			for k := ops.n - 1; k >= 0; k-- {
				if o := &ops.list[k]; o.role == mach.Write {
					a.next[base+ops.n-1-k] = current[o.v]
				}
			}
			for k := range ops.n {
				if o := &ops.list[k]; o.role == mach.Write && current[o.v] == never {
					live[a.vals[o.v].class]++ // unused, but written to a register
				}
			}
			raise(after | written)
			for k := range ops.n {
				if o := &ops.list[k]; o.role == mach.Write {
					if current[o.v] == never {
						live[a.vals[o.v].class]--
					}
					set(o.v, never)
				}
			}
			for k := range ops.n {
				if o := &ops.list[k]; o.role != mach.Write {
					a.next[base+ops.n-1-k] = current[o.v]
				}
			}
			for k := range ops.n {
				if o := &ops.list[k]; o.role != mach.Write {
					set(o.v, i)
				}
			}
			raise(busy.set)
		}
		for s := busy.set; s != 0; s &= s - 1 {
			p := s.first()
			a.events[bi] = append(a.events[bi], physEvent{-1, p, busy.last[p]})
		}
		for _, e := range a.events[bi] {
			if b.Depth > 0 && e.i >= 0 {
				a.fixed.add(e.reg)
			}
		}
		reverse(a.next[start:])
		reverse(a.events[bi])
		for _, u := range a.liveIn[bi] {
			current[u.v] = never
		}
		for c := a.forest.InnermostCycle(bi); c != nil; c = c.Parent {
			for k := range peak {
				a.loopPress[c.ID][k] = max(a.loopPress[c.ID][k], peak[k])
			}
		}
		a.pressure[bi] = peak
	}
}

func reverse[T any](s []T) {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
}

// Times within a block: an instruction reads before it writes.
func readTime(i int32) int32  { return 2*i + 2 }
func writeTime(i int32) int32 { return 2*i + 3 }

// busyRegs are the physical registers that later instructions
// read by explicit name.
type busyRegs struct {
	set  regSet
	last [numPhys]int32 // time of the last read
}

// physEvents records the definitions of physical registers by the instruction
// at i and returns them. It updates busy from the state after to the state before it.
func (a *allocator[I]) physEvents(bi int, i int32, info *mach.Info, ops *operands, busy *busyRegs) (written regSet) {
	write := func(r mach.Reg) {
		if p := a.regs.phys(r); a.regs.usable[r.Class()].has(p) {
			last := writeTime(i)
			if busy.set.has(p) {
				last = max(last, busy.last[p])
				busy.set.remove(p)
			}
			a.events[bi] = append(a.events[bi], physEvent{i, p, last})
			written.add(p)
		}
	}
	read := func(r mach.Reg, role mach.Role) {
		if p := a.regs.phys(r); !busy.set.has(p) && a.regs.usable[r.Class()].has(p) {
			busy.set.add(p)
			busy.last[p] = readTime(i)
			if role&mach.Write != 0 {
				busy.last[p] = writeTime(i)
			}
		}
	}
	for _, fixed := range info.Fixed {
		if fixed.Role == mach.Write {
			write(fixed.Reg)
		}
	}
	physical := ops.n < ops.all.N
	if physical {
		for _, o := range ops.all.All() {
			if o.Role == mach.Write && o.Reg.IsPhysical() {
				write(*o.Reg)
			}
		}
	}
	for _, fixed := range info.Fixed {
		if fixed.Role&mach.Read != 0 {
			read(fixed.Reg, fixed.Role)
		}
	}
	if physical {
		for _, o := range ops.all.All() {
			if o.Role&mach.Read != 0 && o.Reg.IsPhysical() {
				read(*o.Reg, o.Role)
			}
		}
	}
	return written
}

// operand is a virtual register operand of an instruction.
type operand struct {
	reg  *mach.Reg
	v    int32
	role mach.Role
	kind mach.OperandKind
}

// operands are the operands of one instruction, and those of them that are virtual
// registers.
type operands struct {
	all  mach.Operands
	list [8]operand
	n    int
}

func (ops *operands) virtual() []operand { return ops.list[:ops.n] }

func (a *allocator[I]) gather(in *I, ops *operands) {
	ops.n, ops.all.N = 0, 0
	a.m.Operands(in, &ops.all)
	for k := range ops.all.N {
		if o := &ops.all.List[k]; o.Reg.IsVirtual() {
			ops.list[ops.n] = operand{o.Reg, a.val(*o.Reg), o.Role, o.Kind}
			ops.n++
		}
	}
}
