package avx512

import (
	"errors"
	"math"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// prepare orders the blocks, numbers the values, removes dead instructions,
// merges copies and equal constants, and collects hints.
func (a *allocator) prepare() error {
	f := a.f
	a.analyzeFlow()
	for _, b := range a.order {
		for _, s := range f.blocks[b].succs() {
			if s == 0 {
				return errors.New("register allocation: a jump to the entry block")
			}
		}
	}
	n := 0
	for _, c := range []asm.Class{asm.ClassGPR, asm.ClassVec, asm.ClassMask} {
		a.base[c] = n
		n += f.next[c]
	}
	a.vals = make([]value, n)
	a.canon = make([]int32, n)
	for i := range a.vals {
		v := &a.vals[i]
		v.home, v.hint, v.block, v.param, v.global = noPhys, noPhys, noBlock, noBlock, -1
		v.to, v.remat, v.lastDef.block = [2]int32{-1, -1}, -1, noBlock
		a.canon[i] = int32(i)
		switch {
		case i >= a.base[asm.ClassMask]:
			v.class, v.size = asm.ClassMask, 8
		case i >= a.base[asm.ClassVec]:
			v.class, v.size = asm.ClassVec, a.regs.vector
		default:
			v.class, v.size = asm.ClassGPR, 8
		}
	}
	for r, size := range f.size { // in any order: each sets one entry
		if r.IsVirtual() && r.Class() == asm.ClassVec {
			v := &a.vals[a.index(r)]
			switch {
			case size <= 16:
				v.size = 16
			case size <= 32:
				v.size = 32
			}
		}
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
func (a *allocator) analyzeFlow() {
	g := a.f.graph()
	a.forest = cfg.Cycles(g)
	a.order = loopOrder(a.f, g, a.forest)
	a.placed = cfg.Positions(a.order, g.Len())
	a.freq, a.inner = make([]float32, g.Len()), make([]bool, g.Len())
	for i, b := range a.f.blocks {
		b.depth = a.forest.Depth(i)
		b.sourceDepth, b.inStripLoop = a.sourceLoops(a.forest.InnermostCycle(i))
		b.preds = b.preds[:0]
		a.freq[i] = frequency(b.depth)
		cycle := a.forest.InnermostCycle(i)
		a.inner[i] = cycle != nil && len(cycle.Children) == 0
	}
	for _, i := range a.order {
		for _, s := range a.f.blocks[i].succs() {
			a.f.blocks[s].preds = append(a.f.blocks[s].preds, i)
		}
	}
}

// sourceLoops counts the source's loops among c and its parents, and reports whether the
// loop over strips is among the others.
func (a *allocator) sourceLoops(c *cfg.Cycle) (depth int, strip bool) {
	for ; c != nil; c = c.Parent {
		switch a.f.blocks[c.Header].over {
		case vir.OverNothing:
			depth++
		case vir.OverStrips:
			strip = true
		}
	}
	return depth, strip
}

// frequency estimates the execution frequency of a block at a loop depth.
func frequency(depth int) float32 { return float32(math.Pow(10, float64(min(depth, 9)))) }

// graph returns the flow graph of f. A branch with equal targets is one edge.
func (f *machineFunc) graph() *cfg.Graph {
	succs := make([][]int, len(f.blocks))
	for i, b := range f.blocks {
		if b.term.cond && b.term.yes == b.term.no {
			b.term.cond = false
		}
		succs[i] = b.succs()
	}
	return cfg.NewGraph(succs)
}

// countReferences counts definitions and uses.
func (a *allocator) countReferences() {
	for _, bi := range a.order {
		b := a.f.blocks[bi]
		for i := range b.insts {
			in := &b.insts[i]
			in.Regs(func(r *asm.Reg, role asm.Role) {
				if !r.IsVirtual() {
					return
				}
				v := &a.vals[a.index(*r)]
				if role&asm.Write != 0 {
					v.defs++
				}
				// An update in place is not a use by itself. The mask that a gather or
				// scatter clears is one.
				if role == asm.Read || r == &in.K {
					v.uses++
				}
			})
		}
		for _, c := range b.copies {
			a.vals[a.index(c.dst)].defs++
			a.vals[a.index(c.src)].uses++
		}
	}
}

// removeDead turns instructions with unused results into INVALID. It visits uses before
// definitions, so that one pass removes whole chains.
func (a *allocator) removeDead() {
	for k := len(a.order) - 1; k >= 0; k-- {
		b := a.f.blocks[a.order[k]]
		kept := b.copies[:0]
		for _, c := range b.copies {
			if a.vals[a.index(c.dst)].uses > 0 {
				kept = append(kept, c)
			} else {
				a.vals[a.index(c.src)].uses--
				a.vals[a.index(c.dst)].defs--
			}
		}
		b.copies = kept
		flags := b.term.cond
		for i := len(b.insts) - 1; i >= 0; i-- {
			in := &b.insts[i]
			info := in.Op.Info()
			if info.Props&(asm.SideEffect|asm.Jumps|asm.Terminates|asm.Pseudo) == 0 &&
				!(flags && info.Props&asm.WritesFlags != 0) && len(info.Fixed) == 0 && a.unread(in) {
				in.Regs(func(r *asm.Reg, role asm.Role) {
					if !r.IsVirtual() {
						return
					}
					v := &a.vals[a.index(*r)]
					if role&asm.Write != 0 {
						v.defs--
					}
					if role == asm.Read || r == &in.K {
						v.uses--
					}
				})
				in.Op = asm.INVALID
				continue
			}
			// A kept instruction needs the old value of an operand that it updates. The
			// definition is in the same block, so the use is counted in time.
			in.Regs(func(r *asm.Reg, role asm.Role) {
				if r.IsVirtual() && role == asm.ReadWrite {
					a.vals[a.index(*r)].uses++
				}
			})
			if info.Props&asm.WritesFlags != 0 {
				flags = false
			}
			if info.Props&asm.ReadsFlags != 0 {
				flags = true
			}
		}
	}
}

// unread reports whether in only writes registers that are not read.
func (a *allocator) unread(in *asm.Inst) bool {
	writes := false
	for i := range in.Args {
		if in.Args[i] == asm.InMem && in.RoleOf(i)&asm.Write != 0 {
			return false
		}
	}
	needed := false
	in.Regs(func(r *asm.Reg, role asm.Role) {
		if role&asm.Write == 0 {
			return
		}
		writes = true
		if r == &in.K {
			return // a mask cleared by a gather or scatter
		}
		if !r.IsVirtual() || a.vals[a.index(*r)].uses > 0 {
			needed = true
		}
	})
	return !needed && (writes || in.Op.Info().Props&asm.WritesFlags != 0)
}

// rematerialize returns the instruction that makes the constant defined by in. It can be
// placed anywhere and preserves the flags. ok is false if in does not define a
// constant.
func (a *allocator) rematerialize(in *asm.Inst) (made asm.Inst, ok bool) {
	made = *in
	made.Line = 0
	if in.K != asm.NoReg || !in.Args[0].IsVirtual() {
		return made, false
	}
	made.Args[0] = asm.NoReg
	switch in.Op {
	case asm.ZEROV, asm.ONESV, asm.ZEROK, asm.ONESK:
		return made, true
	case asm.ZEROR:
		return asm.MoveImm(asm.NoReg, 0), true
	case asm.MOV:
		return made, in.Args[1] == asm.InImm && in.Size >= asm.Size32
	case asm.KMOVB, asm.KMOVW, asm.KMOVD, asm.KMOVQ:
		// A mask made from a constant in a general register: loaded from memory, it
		// needs no such register.
		if in.Args[1].IsVirtual() && in.Args[1].Class() == asm.ClassGPR {
			src := &a.vals[a.val(in.Args[1])]
			if !src.constant || a.remats[src.remat].Op != asm.MOV {
				return made, false
			}
			bits := uint64(a.remats[src.remat].Imm)
			n := int(in.Op.Info().Elem)
			made.Args[1] = asm.InMem
			made.Mem = asm.ConstMem(a.f.pool.AddUint(bits, n))
			return made, true
		}
	}
	// An unmasked load from the pool.
	if in.Op.Info().Props&(asm.SideEffect|asm.WritesFlags|asm.ReadsFlags) != 0 || len(in.Op.Info().Fixed) > 0 ||
		in.Args[1] != asm.InMem || in.Mem.Kind != asm.MemConst {
		return made, false
	}
	if r := in.Args[2]; r.IsReg() {
		return made, false
	}
	return made, in.RoleOf(0) == asm.Write && in.RoleOf(1) == asm.Read
}

// asCheapAsMove contains instructions that make constants at about the cost of a move.
var asCheapAsMove = map[asm.Op]bool{asm.ZEROV: true, asm.ZEROK: true, asm.MOV: true}

// mergeEqual replaces unmodified copies of a value by the value, and equal constants by
// one of them, and removes the instructions that this makes redundant.
func (a *allocator) mergeEqual() {
	constants := map[asm.Inst]int32{}
	for _, bi := range a.order {
		b := a.f.blocks[bi]
		for i := range b.insts {
			in := &b.insts[i]
			if in.Op == asm.INVALID || !in.Args[0].IsVirtual() {
				continue
			}
			d := a.index(in.Args[0])
			if a.vals[d].defs != 1 {
				// The initial value of a register that changes: a constant that is as
				// cheap as a move needs no register.
				if in.IsCopy() && in.Args[1].IsVirtual() {
					if s := a.val(in.Args[1]); a.isCheap(s) {
						made := a.remats[a.vals[s].remat]
						made.Args[0], made.Line = in.Args[0], in.Line
						*in = made
						a.retied = append(a.retied, retied{int32(bi), int32(i), *in})
					}
				}
				continue
			}
			if in.IsCopy() && in.Args[1].IsVirtual() {
				if s := a.val(in.Args[1]); a.vals[s].defs == 1 && a.vals[s].size == a.vals[d].size {
					a.canon[d] = s
					a.merged = append(a.merged, regCopy{in.Args[0], in.Args[1]})
					in.Op = asm.INVALID
				}
				continue
			}
			if made, ok := a.rematerialize(in); ok {
				s, known := constants[made]
				if !known {
					s = d
					constants[made] = d
					a.vals[d].constant = true
					a.vals[d].remat = int32(len(a.remats))
					a.remats = append(a.remats, made)
				}
				a.vals[s].size = max(a.vals[s].size, a.vals[d].size)
				a.canon[d] = s
				in.Op = asm.INVALID
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
// depth, and marks write masks, parameters and values that are live across blocks.
func (a *allocator) collectHints() {
	refer := func(x, b int32) {
		v := &a.vals[x]
		if v.block == noBlock {
			v.block = b
		} else if v.block != b {
			a.makeGlobal(x)
		}
	}
	defined := make([]int32, len(a.vals)) // by value: the last block that defined it, plus one
	for _, bi := range a.order {
		b, weight := a.f.blocks[bi], a.freq[bi]
		for i := range b.insts {
			in := &b.insts[i]
			if in.Op == asm.INVALID {
				continue
			}
			in.Regs(func(r *asm.Reg, role asm.Role) {
				if !r.IsVirtual() {
					return
				}
				x := a.val(*r)
				v := &a.vals[x]
				refer(x, int32(bi))
				if role&asm.Read != 0 {
					v.weight += weight
					if defined[x] != int32(bi)+1 {
						a.makeGlobal(x) // live into the block, or a constant
					}
				}
				if role&asm.Write != 0 {
					defined[x] = int32(bi) + 1
				}
			})
			if in.K.IsVirtual() {
				a.vals[a.val(in.K)].writeMask = true
			}
			if old, ok := blended(in); ok {
				// A blend usually is a new version of the value that it keeps.
				a.addHint(a.val(in.Args[0]), a.val(old), weight/2)
			}
			if in.IsCopy() {
				switch d, s := in.Args[0], in.Args[1]; {
				case d.IsVirtual() && s.IsVirtual():
					a.addHint(a.val(d), a.val(s), weight)
				case d.IsVirtual():
					a.vals[a.val(d)].hint = physOf(s)
				case s.IsVirtual():
					a.vals[a.val(s)].hint = physOf(d)
				}
			}
		}
		for _, c := range b.copies {
			d, s := a.val(c.dst), a.val(c.src)
			a.addHint(d, s, weight)
			refer(s, int32(bi))
			if defined[s] != int32(bi)+1 {
				a.makeGlobal(s)
			}
			a.makeGlobal(d)
			v := &a.vals[d]
			if to := int32(b.term.yes); v.param == noBlock {
				v.param = to
			} else if v.param != to {
				v.param = manyBlocks
			}
		}
	}
}

// blended returns the operand that a blend selects where its mask is clear.
func blended(in *asm.Inst) (asm.Reg, bool) {
	switch in.Op {
	case asm.VPBLENDMB, asm.VPBLENDMW, asm.VPBLENDMD, asm.VPBLENDMQ, asm.VBLENDMPS, asm.VBLENDMPD:
		return in.Args[1], in.Args[0].IsVirtual() && in.Args[1].IsVirtual()
	}
	return asm.NoReg, false
}

// addHint records that s is copied to d with the estimated frequency weight.
func (a *allocator) addHint(d, s int32, weight float32) {
	v := &a.vals[s]
	switch {
	case weight > v.toWeight[0]:
		v.to[1], v.toWeight[1] = v.to[0], v.toWeight[0]
		v.to[0], v.toWeight[0] = d, weight
	case weight > v.toWeight[1]:
		v.to[1], v.toWeight[1] = d, weight
	}
}

func (a *allocator) makeGlobal(x int32) {
	if v := &a.vals[x]; v.global < 0 {
		v.global = int32(a.numGlobals)
		a.numGlobals++
		a.globals = append(a.globals, x)
	}
}
