package avx512

import (
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/x86/asm"
)

// knownRegs is the set of known values of the general registers at a point of scalar code.
type knownRegs [16]knownReg

// knownReg is the known value of a register: its low 32 bits, all 64, or nothing.
type knownReg struct {
	bits  int // 0, 32 or 64
	value uint64
}

// after updates k from the state before the instruction to the state after it.
func (k *knownRegs) after(in *asm.Inst) {
	if d := in.Args[0]; in.Op == asm.MOV && d.IsPhysical() && d.Class() == asm.ClassGPR && (in.Size == asm.Size32 || in.Size == asm.Size64) {
		var n knownReg
		switch s := in.Args[1]; {
		case s == asm.InImm:
			n = knownReg{64, uint64(in.Imm)}
		case s.IsPhysical() && s.Class() == asm.ClassGPR:
			n = k[s.Num()]
		}
		if in.Size == asm.Size32 && n.bits > 0 {
			n = knownReg{64, uint64(uint32(n.value))}
		}
		k[d.Num()] = n
		return
	}
	clobber := func(r asm.Reg, role asm.Role) {
		if role&asm.Write != 0 && r.IsPhysical() && r.Class() == asm.ClassGPR {
			k[r.Num()] = knownReg{}
		}
	}
	for _, x := range in.Op.Info().Fixed {
		clobber(x.Reg, x.Role)
	}
	in.Regs(func(r *asm.Reg, role asm.Role) { clobber(*r, role) })
}

// passed is after, except that registers that the instruction sets to a constant become
// unknown: the edges after it start replications of their own, and would otherwise be
// followed from all earlier edges as well.
func (k *knownRegs) passed(in *asm.Inst) {
	k.after(in)
	if d := in.Args[0]; in.Op == asm.MOV && in.Args[1] == asm.InImm && d.IsPhysical() && d.Class() == asm.ClassGPR {
		k[d.Num()] = knownReg{}
	}
}

// through updates k for the edge from b to its i-th successor.
func (k *knownRegs) through(b *machineBlock, i int) {
	switch t := b.term; {
	case t.targets != nil:
		index := tableIndex(b)
		if index == asm.NoReg {
			return
		}
		only := -1 // the only entry that leads to the successor
		for at, e := range t.entries {
			if e != i {
				continue
			}
			if only >= 0 {
				return
			}
			only = at
		}
		if only >= 0 {
			k[index.Num()] = knownReg{64, uint64(only)}
		}
	case t.cond:
		test := lastTest(b)
		if test < 0 || i == 0 && t.on != asm.CondE || i == 1 && t.on != asm.CondNE {
			return
		}
		in := &b.insts[test]
		r := in.Args[0]
		for _, x := range b.insts[test+1:] { // moves
			x.Regs(func(w *asm.Reg, role asm.Role) {
				if role&asm.Write != 0 && *w == r {
					r = asm.NoReg
				}
			})
		}
		if r == asm.NoReg {
			return
		}
		value, bits := uint64(comparedWith(in)), 64
		if in.Size == asm.Size32 {
			value, bits = uint64(uint32(value)), 32
		}
		if k[r.Num()].bits < bits {
			k[r.Num()] = knownReg{bits, value}
		}
	}
}

// lastTest returns the index of the 32- or 64-bit comparison of a register with a constant
// that sets the flags at the end of b, or -1 if another instruction sets them.
func lastTest(b *machineBlock) int {
	for i := len(b.insts) - 1; i >= 0; i-- {
		in := &b.insts[i]
		if in.Op.Info().Props&asm.WritesFlags == 0 {
			continue
		}
		r := in.Args[0]
		wide := in.Size == asm.Size32 || in.Size == asm.Size64
		if wide && r.IsPhysical() && (in.Op == asm.CMP && in.Args[1] == asm.InImm || in.Op == asm.TEST && in.Args[1] == r) {
			return i
		}
		break
	}
	return -1
}

// comparedWith returns the constant of a test found by lastTest.
func comparedWith(test *asm.Inst) int64 {
	if test.Op == asm.TEST {
		return 0
	}
	return test.Imm
}

// holds evaluates the condition of a test, if k determines it.
func (k *knownRegs) holds(on asm.Cond, test *asm.Inst) (yes, ok bool) {
	n := k[test.Args[0].Num()]
	if n.bits < int(test.Size) {
		return false, false
	}
	x, y := int64(n.value), comparedWith(test)
	if test.Size == asm.Size32 {
		x, y = int64(int32(x)), int64(int32(y))
	}
	switch on &^ 1 { // odd conditions are negations
	case asm.CondE:
		yes = x == y
	case asm.CondB:
		yes = uint64(x) < uint64(y)
	case asm.CondBE:
		yes = uint64(x) <= uint64(y)
	case asm.CondL:
		yes = x < y
	case asm.CondLE:
		yes = x <= y
	default:
		return false, false
	}
	return yes != (on&1 != 0), true
}

// tableIndex returns the register that indexes the jump table of b. Such a block ends with
// a load from the table, the addition of the table's address, and the jump.
func tableIndex(b *machineBlock) asm.Reg {
	n := len(b.insts)
	if n < 3 || b.insts[n-1].Op != asm.JMPIND {
		return asm.NoReg
	}
	load := &b.insts[n-3]
	if load.Op != asm.MOVSXD || load.Args[1] != asm.InMem || load.Mem.Scale != 4 || !load.Mem.Index.IsPhysical() || load.Mem.Index == load.Args[0] {
		return asm.NoReg
	}
	return load.Mem.Index
}

// knownAt returns the registers known at the start of each reachable block: those with
// the same value on all incoming edges.
func knownAt(f *machineFunc, g *cfg.Graph) []knownRegs {
	at, reached := make([]knownRegs, len(f.blocks)), make([]bool, len(f.blocks))
	reached[0] = true
	order := g.ReversePostOrder()
	for changed := true; changed; {
		changed = false
		for _, id := range order {
			b := f.blocks[id]
			k := at[id]
			for i := range b.insts {
				k.after(&b.insts[i])
			}
			for i, s := range b.succs() {
				edge := k
				edge.through(b, i)
				if !reached[s] {
					at[s], reached[s], changed = edge, true, true
					continue
				}
				for r := range edge {
					if x := &at[s][r]; x.bits > 0 && *x != edge[r] {
						*x, changed = knownReg{}, true
					}
				}
			}
		}
	}
	return at
}
