package avx512

import (
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/avx512/asm"
)

// numbers are what is known of the general registers at a place of scalar code.
type numbers [16]number

// number is what a register holds: its low 32 bits or all 64 are known, or none.
type number struct {
	bits  int
	value uint64
}

// after makes k what is known behind the instruction.
func (k *numbers) after(in *asm.Inst) {
	if d := in.Args[0]; in.Op == asm.MOV && d.IsPhysical() && d.Class() == asm.ClassGPR && (in.Size == asm.Size32 || in.Size == asm.Size64) {
		var n number
		switch s := in.Args[1]; {
		case s == asm.InImm:
			n = number{64, uint64(in.Imm)}
		case s.IsPhysical() && s.Class() == asm.ClassGPR:
			n = k[s.Num()]
		}
		if in.Size == asm.Size32 && n.bits > 0 {
			n = number{64, uint64(uint32(n.value))}
		}
		k[d.Num()] = n
		return
	}
	clobber := func(r asm.Reg, role asm.Role) {
		if role&asm.Write != 0 && r.IsPhysical() && r.Class() == asm.ClassGPR {
			k[r.Num()] = number{}
		}
	}
	for _, x := range in.Op.Info().Fixed {
		clobber(x.Reg, x.Role)
	}
	in.Regs(func(r *asm.Reg, role asm.Role) { clobber(*r, role) })
}

// passed makes k what is known behind the instruction of what was known before: numbers that
// a way sets itself are left to the ways that begin behind it, or each would be followed
// from all places before.
func (k *numbers) passed(in *asm.Inst) {
	k.after(in)
	if d := in.Args[0]; in.Op == asm.MOV && in.Args[1] == asm.InImm && d.IsPhysical() && d.Class() == asm.ClassGPR {
		k[d.Num()] = number{}
	}
}

// through makes k what is known on the way from b to its i-th successor.
func (k *numbers) through(b *machineBlock, i int) {
	switch t := b.term; {
	case t.targets != nil:
		index := tableIndex(b)
		if index == asm.NoReg {
			return
		}
		only := -1 // the entry that leads there
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
			k[index.Num()] = number{64, uint64(only)}
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
			k[r.Num()] = number{bits, value}
		}
	}
}

// lastTest is the position of the comparison of a register with a constant, by 32
// or 64 bits, that made the flags at the end of b; -1 if something else did.
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

// comparedWith is the constant of a test that lastTest finds.
func comparedWith(test *asm.Inst) int64 {
	if test.Op == asm.TEST {
		return 0
	}
	return test.Imm
}

// holds decides the condition of a test of what k knows.
func (k *numbers) holds(on asm.Cond, test *asm.Inst) (yes, ok bool) {
	n := k[test.Args[0].Num()]
	if n.bits < int(test.Size) {
		return false, false
	}
	x, y := int64(n.value), comparedWith(test)
	if test.Size == asm.Size32 {
		x, y = int64(int32(x)), int64(int32(y))
	}
	switch on &^ 1 { // the odd ones are their opposites
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

// tableIndex is the register whose number is the entry of the table that b jumps
// through: it ends with a load from the table, an addition of its address and the jump.
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

// numbersAt returns what is known at the start of each block that can be reached: what all
// ways there agree on.
func numbersAt(f *machineFunc, g *cfg.Graph) []numbers {
	at, reached := make([]numbers, len(f.blocks)), make([]bool, len(f.blocks))
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
				way := k
				way.through(b, i)
				if !reached[s] {
					at[s], reached[s], changed = way, true, true
					continue
				}
				for r := range way {
					if x := &at[s][r]; x.bits > 0 && *x != way[r] {
						*x, changed = number{}, true
					}
				}
			}
		}
	}
	return at
}
