package regalloc

import (
	"errors"
	"math"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/mach"
)

// prepare orders the blocks, numbers the values, removes dead instructions,
// merges copies and equal constants, and collects hints.
func (a *allocator[I]) prepare() error {
	f := a.f
	a.analyzeFlow()
	for _, b := range a.order {
		for _, s := range f.Blocks[b].Succs() {
			if s == 0 {
				return errors.New("register allocation: a jump to the entry block")
			}
		}
	}
	n := 0
	for c := range mach.Class(mach.NumClasses) {
		a.base[c] = n
		n += f.Next[c]
	}
	a.vals = make([]value, n)
	a.canon = make([]int32, n)
	for c := range mach.Class(mach.NumClasses) {
		for i := a.base[c]; i < a.base[c]+f.Next[c]; i++ {
			v := &a.vals[i]
			v.class, v.size = c, a.m.Classes[c].SlotBytes
			v.home, v.hint, v.block, v.param, v.global = noPhys, noPhys, noBlock, noBlock, -1
			v.to, v.remat, v.lastDef.block = [2]int32{-1, -1}, -1, noBlock
			a.canon[i] = int32(i)
		}
	}
	for r, size := range f.SlotBytes { // in any order: each sets one entry
		slot := int(a.m.Classes[r.Class()].MinSlotBytes)
		for slot < size {
			slot *= 2
		}
		v := &a.vals[a.index(r)]
		v.size = uint8(min(slot, int(v.size)))
	}
	a.countReferences()
	a.removeDead()
	a.mergeEqual()
	a.collectHints()
	a.scratch = scratch{
		reg: make([]physReg, n), mem: make([]bool, n), seen: make([]int32, n),
		count: make([]int32, numPhys+n+emergencySlots),
	}
	for i := range a.scratch.reg {
		a.scratch.reg[i] = noPhys
	}
	return nil
}

// analyzeFlow finds the loops and a block order in which every block except a loop's head
// follows its predecessors, and the blocks of a loop are contiguous.
func (a *allocator[I]) analyzeFlow() {
	g := a.f.Graph()
	a.forest = cfg.Cycles(g)
	a.order = mach.LoopOrder(a.f, a.m.ISA, g, a.forest)
	a.placed = cfg.Positions(a.order, g.Len())
	a.freq, a.inner = make([]float32, g.Len()), make([]bool, g.Len())
	for i, b := range a.f.Blocks {
		b.Depth = a.forest.Depth(i)
		b.SourceDepth, b.InStripLoop = a.sourceLoops(a.forest.InnermostCycle(i))
		b.Preds = b.Preds[:0]
		a.freq[i] = frequency(b.Depth)
		cycle := a.forest.InnermostCycle(i)
		a.inner[i] = cycle != nil && len(cycle.Children) == 0
	}
	for _, i := range a.order {
		for _, s := range a.f.Blocks[i].Succs() {
			a.f.Blocks[s].Preds = append(a.f.Blocks[s].Preds, i)
		}
	}
}

// sourceLoops counts the source's loops among c and its parents, and reports whether the
// loop over strips is among the others.
func (a *allocator[I]) sourceLoops(c *cfg.Cycle) (depth int, strip bool) {
	for ; c != nil; c = c.Parent {
		switch a.f.Blocks[c.Header].Loop {
		case mach.SourceLoop:
			depth++
		case mach.StripLoop:
			strip = true
		}
	}
	return depth, strip
}

// frequency estimates the execution frequency of a block at a loop depth.
func frequency(depth int) float32 { return float32(math.Pow(10, float64(min(depth, 9)))) }

// countReferences counts definitions and uses.
func (a *allocator[I]) countReferences() {
	var ops operands
	for _, bi := range a.order {
		b := a.f.Blocks[bi]
		for i := range b.Insts {
			a.gather(&b.Insts[i], &ops)
			for _, o := range ops.virtual() {
				v := &a.vals[o.v]
				if o.role&mach.Write != 0 {
					v.defs++
				}
				if o.uses() {
					v.uses++
				}
			}
		}
		for _, c := range b.Copies {
			a.vals[a.index(c.Dst)].defs++
			a.vals[a.index(c.Src)].uses++
		}
	}
}

// uses reports whether o is a use by itself. An update in place is not, but a predicate
// that the instruction changes is.
func (o *operand) uses() bool { return o.role == mach.Read || o.kind == mach.Predicate }

// remove removes an instruction, all but its line.
func (a *allocator[I]) remove(in *I) {
	var none I
	line := *a.m.Line(in)
	*in = none
	*a.m.Line(in) = line
}

// removeDead removes instructions with unused results. It visits uses before
// definitions, so that one pass removes whole chains.
func (a *allocator[I]) removeDead() {
	var ops operands
	for k := len(a.order) - 1; k >= 0; k-- {
		b := a.f.Blocks[a.order[k]]
		kept := b.Copies[:0]
		for _, c := range b.Copies {
			if a.vals[a.index(c.Dst)].uses > 0 {
				kept = append(kept, c)
			} else {
				a.vals[a.index(c.Src)].uses--
				a.vals[a.index(c.Dst)].defs--
			}
		}
		b.Copies = kept
		flags := b.Term.Cond
		for i := len(b.Insts) - 1; i >= 0; i-- {
			in := &b.Insts[i]
			info := a.m.Info(in)
			a.gather(in, &ops)
			if info.Props&(mach.SideEffect|mach.Pinned) == 0 &&
				!(flags && info.Props&mach.WritesFlags != 0) && len(info.Fixed) == 0 && a.unread(in, info, &ops) {
				for _, o := range ops.virtual() {
					v := &a.vals[o.v]
					if o.role&mach.Write != 0 {
						v.defs--
					}
					if o.uses() {
						v.uses--
					}
				}
				a.remove(in)
				continue
			}
			// A kept instruction needs the old value of an operand that it updates. The
			// definition is in the same block, so the use is counted in time.
			for _, o := range ops.virtual() {
				if o.role == mach.ReadWrite {
					a.vals[o.v].uses++
				}
			}
			if info.Props&mach.WritesFlags != 0 {
				flags = false
			}
			if info.Props&mach.ReadsFlags != 0 {
				flags = true
			}
		}
	}
}

// unread reports whether in only writes registers that are not read.
func (a *allocator[I]) unread(in *I, info *mach.Info, ops *operands) bool {
	writes := false
	for _, o := range ops.all.All() {
		if o.Role&mach.Write == 0 {
			continue
		}
		writes = true
		if o.Kind != mach.Predicate && (!o.Reg.IsVirtual() || a.vals[a.index(*o.Reg)].uses > 0) {
			return false
		}
	}
	return (writes || info.Props&mach.WritesFlags != 0) && a.m.Memory(in)&mach.Write == 0
}

// mergeEqual replaces unmodified copies of a value by the value, and equal constants by
// one of them, and removes the instructions that this makes redundant.
func (a *allocator[I]) mergeEqual() {
	type constant struct {
		made  I
		class mach.Class
	}
	constants := map[constant]int32{}
	known := func(r mach.Reg) (made I, ok bool) {
		if v := &a.vals[a.val(r)]; v.constant {
			return a.remats[v.remat], true
		}
		return made, false
	}
	for _, bi := range a.order {
		b := a.f.Blocks[bi]
		for i := range b.Insts {
			in := &b.Insts[i]
			to := *a.m.Dest(in)
			if !to.IsVirtual() {
				continue
			}
			_, from, copies := a.m.Copy(in)
			copies = copies && from.IsVirtual()
			d := a.index(to)
			if a.vals[d].defs != 1 {
				// The initial value of a register that changes: a constant that is as
				// cheap as a move needs no register.
				if copies {
					if s := a.val(from); a.isCheap(s) {
						line := *a.m.Line(in)
						*in = a.remats[a.vals[s].remat]
						*a.m.Dest(in), *a.m.Line(in) = to, line
						a.retied = append(a.retied, retied[I]{int32(bi), int32(i), *in})
					}
				}
				continue
			}
			if copies {
				if s := a.val(from); a.vals[s].defs == 1 && a.vals[s].size == a.vals[d].size {
					a.canon[d] = s
					a.merged = append(a.merged, mach.Copy{Dst: to, Src: from})
					a.remove(in)
				}
				continue
			}
			if made, ok := a.m.Constant(in, known); ok {
				key := constant{made, to.Class()}
				s, found := constants[key]
				if !found {
					s = d
					constants[key] = d
					a.vals[d].constant = true
					a.vals[d].remat = int32(len(a.remats))
					a.remats = append(a.remats, made)
				}
				a.vals[s].size = max(a.vals[s].size, a.vals[d].size)
				a.canon[d] = s
				a.remove(in)
			}
		}
	}
	for i := range a.canon {
		for a.canon[i] != a.canon[a.canon[i]] {
			a.canon[i] = a.canon[a.canon[i]]
		}
	}
}

// collectHints records the copies between values, weights uses by loop
// depth, and marks predicates, parameters and values that are live across blocks.
func (a *allocator[I]) collectHints() {
	refer := func(x, b int32) {
		v := &a.vals[x]
		if v.block == noBlock {
			v.block = b
		} else if v.block != b {
			a.makeGlobal(x)
		}
	}
	var ops operands
	defined := make([]int32, len(a.vals)) // by value: the last block that defined it, plus one
	for _, bi := range a.order {
		b, weight := a.f.Blocks[bi], a.freq[bi]
		for i := range b.Insts {
			in := &b.Insts[i]
			a.gather(in, &ops)
			for _, o := range ops.virtual() {
				v := &a.vals[o.v]
				refer(o.v, int32(bi))
				if o.role&mach.Read != 0 {
					v.weight += weight
					if defined[o.v] != int32(bi)+1 {
						a.makeGlobal(o.v) // live into the block, or a constant
					}
				}
				if o.role&mach.Write != 0 {
					defined[o.v] = int32(bi) + 1
				}
				if o.kind == mach.Predicate {
					v.predicate = true
				}
			}
			if all := ops.all.All(); a.m.Info(in).Props&mach.Selects != 0 {
				d, old := *all[len(all)-1].Reg, *all[0].Reg
				if d.IsVirtual() && old.IsVirtual() {
					a.addHint(a.val(d), a.val(old), weight/2)
				}
			}
			if d, s, ok := a.m.Copy(in); ok {
				switch {
				case d.IsVirtual() && s.IsVirtual():
					a.addHint(a.val(d), a.val(s), weight)
				case d.IsVirtual():
					a.vals[a.val(d)].hint = a.regs.phys(s)
				case s.IsVirtual():
					a.vals[a.val(s)].hint = a.regs.phys(d)
				}
			}
		}
		for _, c := range b.Copies {
			d, s := a.val(c.Dst), a.val(c.Src)
			a.addHint(d, s, weight)
			refer(s, int32(bi))
			if defined[s] != int32(bi)+1 {
				a.makeGlobal(s)
			}
			a.makeGlobal(d)
			v := &a.vals[d]
			if to := int32(b.Term.Yes); v.param == noBlock {
				v.param = to
			} else if v.param != to {
				v.param = manyBlocks
			}
		}
	}
}

// addHint records that s is copied to d with the estimated frequency weight.
func (a *allocator[I]) addHint(d, s int32, weight float32) {
	v := &a.vals[s]
	switch {
	case weight > v.toWeight[0]:
		v.to[1], v.toWeight[1] = v.to[0], v.toWeight[0]
		v.to[0], v.toWeight[0] = d, weight
	case weight > v.toWeight[1]:
		v.to[1], v.toWeight[1] = d, weight
	}
}

func (a *allocator[I]) makeGlobal(x int32) {
	if v := &a.vals[x]; v.global < 0 {
		v.global = int32(a.numGlobals)
		a.numGlobals++
		a.globals = append(a.globals, x)
	}
}
