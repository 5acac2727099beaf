package x86

import (
	"slices"

	"github.com/simtc/simtc/targets/x86/asm"
)

// dropTests removes redundant comparisons: a repeated comparison of the same registers, and
// a comparison of a result with zero after the operation that computed it. It returns the
// number of removed comparisons.
func dropTests(b *Block) int {
	const none = -1
	dropped, from := 0, none // from is the index of the instruction that set the flags
	kept := b.Insts[:0]
	for i := range b.Insts {
		in := b.Insts[i]
		if from != none && sameFlags(&kept[from], &in, b.Insts[i+1:], b.Term) {
			dropped++
			continue
		}
		kept = append(kept, in)
		at := len(kept) - 1
		info := in.Op.Info()
		if info.Props&asm.WritesFlags != 0 {
			if from = none; setsUsableFlags(&in) {
				from = at
			}
			continue
		}
		if from != none && clobbers(&in, &kept[from]) {
			from = none
		}
	}
	b.Insts = kept
	return dropped
}

// setsUsableFlags reports whether the flags of in may serve for a later comparison of
// registers.
func setsUsableFlags(in *asm.Inst) bool {
	for _, r := range in.Args[:in.Op.Info().Args] {
		if r == asm.InMem {
			return false
		}
	}
	switch in.Op {
	case asm.CMP, asm.TEST:
		return true
	}
	return resultFlags(in) != 0
}

// The flags of an operation that equal those of TEST on its result.
const (
	zeroFlag = 1 + iota // only ZF
	allFlags
)

// resultFlags returns the flags of in that equal those of TEST on its result, or 0.
func resultFlags(in *asm.Inst) int {
	switch in.Op {
	case asm.AND, asm.OR, asm.XOR, asm.ANDN:
		return allFlags
	case asm.ADD, asm.SUB, asm.NEG, asm.BLSR, asm.BLSI:
		return zeroFlag
	case asm.SHL, asm.SHR, asm.SAR:
		if bits := int64(in.Size); in.Args[1] == asm.InImm && in.Imm&(max(bits, 32)-1) != 0 {
			return zeroFlag
		}
	}
	return 0
}

// sameFlags reports whether the comparison in sets the flags that from set, as far as the
// instructions after it and the end of the block read them.
func sameFlags(from, in *asm.Inst, after []asm.Inst, end Terminator) bool {
	if in.Op != asm.CMP && in.Op != asm.TEST || from.Size != in.Size {
		return false
	}
	if from.Op == in.Op {
		return from.Args == in.Args && (!slices.Contains(in.Args[:], asm.InImm) || from.Imm == in.Imm)
	}
	if in.Op != asm.TEST || in.Args[0] != in.Args[1] || from.Args[0] != in.Args[0] {
		return false
	}
	switch resultFlags(from) {
	case allFlags:
		return true
	case zeroFlag:
		return readsOnlyZero(after, end)
	}
	return false
}

// readsOnlyZero reports whether the instructions and the end of the block read no current
// flag other than ZF.
func readsOnlyZero(insts []asm.Inst, end Terminator) bool {
	zero := func(c asm.Cond) bool { return c == asm.CondE || c == asm.CondNE }
	for i := range insts {
		props := insts[i].Op.Info().Props
		if props&asm.ReadsFlags != 0 {
			switch insts[i].Op {
			case asm.SETCC, asm.CMOVCC:
				if !zero(insts[i].Cond) {
					return false
				}
			default:
				return false
			}
		}
		if props&asm.WritesFlags != 0 {
			return true
		}
	}
	return !end.Cond || zero(asm.Cond(end.On))
}

// clobbers reports whether in writes an operand or the result of from.
func clobbers(in, from *asm.Inst) bool {
	if len(in.Op.Info().Fixed) > 0 || in.Op.Is(asm.SideEffect) {
		return true
	}
	changed := false
	in.Regs(func(r *asm.Reg, role asm.Role) {
		changed = changed || role&asm.Write != 0 && slices.Contains(from.Args[:], *r)
	})
	return changed
}
