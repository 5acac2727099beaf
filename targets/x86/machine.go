package x86

import (
	"github.com/simtc/simtc/targets/mach"
	"github.com/simtc/simtc/targets/mach/regalloc"
	"github.com/simtc/simtc/targets/x86/asm"
)

// Register classes for package mach. They and the layout of registers are those of package
// asm.
const (
	classGPR  = mach.Class(asm.ClassGPR)
	classVec  = mach.Class(asm.ClassVec)
	classMask = mach.Class(asm.ClassMask)
)

// isa describes the instructions.
var isa = mach.ISA[asm.Inst]{
	Info: func(in *asm.Inst) *mach.Info {
		rows := &infos
		if in.Mem.Volatile {
			rows = &volatileInfos
		}
		return &rows[min(int(in.Op), asm.NumOps)]
	},
	Operands: operands,
	Line:     func(in *asm.Inst) *int32 { return &in.Line },
	Copy: func(in *asm.Inst) (dst, src mach.Reg, ok bool) {
		if !in.IsCopy() {
			return 0, 0, false
		}
		return mach.Reg(in.Args[0]), mach.Reg(in.Args[1]), true
	},
	Memory:   memory,
	Format:   func(in *asm.Inst) string { return asm.Format(in) },
	Unlikely: unlikely,
}

// infos holds the properties of ops, by op. The last row is that of invalid ops.
var infos = func() (rows [asm.NumOps + 1]mach.Info) {
	for op := range rows {
		info, row := asm.Op(op).Info(), &rows[op]
		for _, f := range info.Fixed {
			row.Fixed = append(row.Fixed, mach.Fixed{Reg: mach.Reg(f.Reg), Role: mach.Role(f.Role)})
		}
		for from, to := range props {
			if info.Props&from != 0 {
				row.Props |= to
			}
		}
		if op := asm.Op(op); reties(op) {
			row.Props |= mach.Reties
		}
	}
	for _, op := range asCheapAsMove {
		rows[op].Props |= mach.CheapAsMove
	}
	for _, op := range blends {
		rows[op].Props |= mach.Selects
	}
	rows[asm.INVALID].Props = mach.Removed
	return rows
}()

// volatileInfos holds the properties of ops with volatile accesses to memory, by op.
var volatileInfos = func() (rows [asm.NumOps + 1]mach.Info) {
	rows = infos
	for op := range rows {
		rows[op].Props |= mach.SideEffect
	}
	return rows
}()

var props = map[asm.Prop]mach.Prop{
	asm.ReadsFlags: mach.ReadsFlags, asm.WritesFlags: mach.WritesFlags, asm.EarlyClobber: mach.EarlyClobber,
	asm.SideEffect: mach.SideEffect, asm.Jumps: mach.Pinned, asm.Terminates: mach.Pinned, asm.Pseudo: mach.Pinned | mach.Pseudo,
}

// asCheapAsMove lists instructions that make constants at about the cost of a move.
var asCheapAsMove = []asm.Op{asm.ZEROV, asm.ZEROK, asm.MOV}

// blends lists instructions that select an operand where their mask is clear, before the other.
var blends = []asm.Op{asm.VPBLENDMB, asm.VPBLENDMW, asm.VPBLENDMD, asm.VPBLENDMQ, asm.VBLENDMPS, asm.VBLENDMPD}

func operands(in *asm.Inst, list *mach.Operands) {
	in.Regs(func(r *asm.Reg, role asm.Role) {
		kind := mach.Value
		switch r {
		case &in.K:
			kind = mach.Predicate
		case &in.Mem.Base, &in.Mem.Index:
			kind = mach.Address
		}
		list.Add((*mach.Reg)(r), mach.Role(role), kind)
	})
}

func memory(in *asm.Inst) (access mach.Role) {
	if in.Op == asm.LEA || in.Mem.Kind == asm.MemConst {
		return 0
	}
	for i, r := range in.Args {
		if r == asm.InMem {
			access |= mach.Role(in.RoleOf(i))
		}
	}
	return access
}

// unlikely predicts the rarely taken successor of a block from the form of its branch
// condition: numbers are rarely equal or negative (Ball & Larus, "Branch Prediction for
// Free", 1993, section 5).
func unlikely(b *Block) int {
	t := b.Term
	if !t.Cond || len(b.Insts) == 0 {
		return -1
	}
	sign := b.Insts[len(b.Insts)-1].Op == asm.TEST
	switch asm.Cond(t.On) {
	case asm.CondE:
		return t.Yes
	case asm.CondNE:
		return t.No
	case asm.CondL, asm.CondLE, asm.CondS:
		if sign {
			return t.Yes
		}
	case asm.CondGE, asm.CondG, asm.CondNS:
		if sign {
			return t.No
		}
	}
	return -1
}

// gprOrder prefers registers whose 32-bit forms need no REX prefix. rbp is last: as a
// base it always needs a displacement, and fault handlers use it to unwind the
// stack.
var gprOrder = []uint8{0, 1, 2, 6, 7, 3, 8, 9, 10, 11, 15, 12, 13, 5}

// rsp belongs to the caller; r14 points to private memory and to the spill area below it.
const usableGPRs = 0xFFFF &^ (1<<4 | 1<<14)

var general = regalloc.Class{
	Count: 16, Usable: usableGPRs, Capacity: 14, Order: gprOrder, Defined: 0xFFFF,
	SlotBytes: 8, MinSlotBytes: 8, Folds: true, Exchange: true,
}

// The registers of processors with AVX-512 (x86-64-v4) and without (x86-64-v3). k0 cannot
// be a write mask.
var (
	classesV4 = [mach.NumClasses]regalloc.Class{
		classGPR: general,
		classVec: {Count: 32, Usable: 0xFFFFFFFF, Capacity: 32, SlotBytes: 64, MinSlotBytes: 16, Folds: true, Reserve: 4},
		classMask: {
			Count: 8, Usable: 0xFF, Capacity: 7, NoPredicate: 1,
			SlotBytes: 8, MinSlotBytes: 8, Reserve: 3, SpillTo: classGPR,
		},
	}
	classesV3 = [mach.NumClasses]regalloc.Class{
		classGPR: general,
		classVec: {Count: 16, Usable: 0xFFFF, Capacity: 16, SlotBytes: 32, MinSlotBytes: 16, Folds: true, Reserve: 4},
	}
)

// Registers describes f's processor to the register allocator.
func (f *Func) Registers() *regalloc.Machine[asm.Inst] {
	forms := foldForms{f: f, known: map[foldForm]bool{}}
	m := &regalloc.Machine[asm.Inst]{
		ISA: &isa, Classes: classesV4,
		Move: func(dst, src mach.Reg) asm.Inst { return Move(asm.Reg(dst), asm.Reg(src)) },
		Exchange: func(x, y mach.Reg) asm.Inst {
			return asm.Make(asm.XCHG, asm.Reg(x), asm.Reg(y)).Bits(asm.Size64)
		},
		Reload: func(dst mach.Reg, bytes int) asm.Inst {
			in := transfer(dst.Class(), bytes)
			in.Args[0], in.Args[1] = asm.Reg(dst), asm.InMem
			return in
		},
		Spill: func(src mach.Reg, bytes int) asm.Inst {
			in := transfer(src.Class(), bytes)
			in.Args[0], in.Args[1] = asm.InMem, asm.Reg(src)
			return in
		},
		Place:    placeSlot,
		Inserted: inserted,
		Dest:     func(in *asm.Inst) *mach.Reg { return (*mach.Reg)(&in.Args[0]) },
		Constant: f.constant,
		Retie:    retie,
		Fold:     forms.fold,
		Folded:   folded,
	}
	if f.V3 {
		m.Classes = classesV3
	}
	return m
}

// Move returns a move between registers of one class.
func Move(dst, src asm.Reg) asm.Inst {
	switch dst.Class() {
	case asm.ClassMask:
		return asm.Make(asm.KMOVQ, dst, src)
	case asm.ClassVec:
		return asm.Make(asm.VMOVDQA64, dst, src).Len(asm.V512)
	}
	return asm.Make(asm.MOV, dst, src).Bits(asm.Size64)
}

// transfer returns a move between a register and a spill slot, without operands.
func transfer(c mach.Class, bytes int) asm.Inst {
	in := asm.Inst{Mem: asm.At(asm.R14, 0)}
	switch c {
	case classGPR:
		in.Op, in.Size = asm.MOV, asm.Size64
	case classMask:
		in.Op = asm.KMOVQ
	default:
		in.Op, in.VL = asm.VMOVDQA64, asm.VLBytes(bytes)
	}
	return in
}

// placeSlot sets the address of the slot that in accesses, or the register that replaces it.
func placeSlot(in *asm.Inst, s regalloc.Slot) {
	if s.Reg == mach.NoReg {
		in.Mem.Disp = s.Offset
		return
	}
	in.Mem = asm.Mem{}
	for i := range 2 {
		if in.Args[i] == asm.InMem {
			in.Args[i] = asm.Reg(s.Reg)
		}
	}
}

// slotAt returns the spill slot that in accesses for a register of a class.
func slotAt(in *asm.Inst, vl asm.VL, class asm.Class) (s regalloc.Slot) {
	if in.Mem.Kind != asm.MemAddr || in.Mem.Base != asm.R14 || in.Mem.Index != asm.NoReg || in.Mem.Broadcast {
		return s
	}
	s.Offset, s.Bytes = in.Mem.Disp, 8
	if class == asm.ClassVec {
		s.Bytes = int32(vl.Bytes())
	}
	return s
}

// inserted describes an instruction made for the register allocator.
func inserted(in *asm.Inst) (e regalloc.Effect) {
	dst, src := in.Args[0], in.Args[1]
	if dst.IsReg() {
		e.Dst = mach.Reg(dst)
	}
	if src.IsReg() {
		e.Src = mach.Reg(src)
	}
	class := asm.ClassGPR
	if in.Op == asm.VMOVDQA64 {
		class = asm.ClassVec
	}
	switch {
	case in.IsCopy(), in.Op == asm.KMOVQ && dst.IsReg() && src.IsReg(): // a mask may be kept in a general register
		e.Kind = regalloc.Moves
	case in.Op == asm.XCHG:
		e.Kind = regalloc.Exchanges
	case in.Op.Is(asm.Move) && dst == asm.InMem:
		e.Kind, e.Slot = regalloc.Spills, slotAt(in, in.VL, class)
	case in.Op.Is(asm.Move) && src == asm.InMem && in.Mem.Kind == asm.MemAddr:
		e.Kind, e.Slot = regalloc.Reloads, slotAt(in, in.VL, class)
	}
	return e
}

// constant returns the instruction that makes the constant defined by in, without its
// destination and line. It can be placed anywhere and preserves the flags. of returns the
// instruction for a register that holds a constant.
func (f *Func) constant(in *asm.Inst, of func(mach.Reg) (asm.Inst, bool)) (made asm.Inst, ok bool) {
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
			src, known := of(mach.Reg(in.Args[1]))
			if !known || src.Op != asm.MOV {
				return made, false
			}
			made.Args[1] = asm.InMem
			made.Mem = asm.ConstMem(f.Pool.AddUint(uint64(src.Imm), int(in.Op.Info().Elem)))
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
