package avx512

import (
	"slices"

	"github.com/simtc/simtc/targets/avx512/asm"
)

// dropTests removes comparisons that leave the flags as they are: a second one
// of the same registers, and one of a number with zero right after it was computed.
// It returns how many there were.
func dropTests(b *machineBlock) int {
	const none = -1
	dropped, from := 0, none // from made the flags
	kept := b.insts[:0]
	for i := range b.insts {
		in := b.insts[i]
		if from != none && sameFlags(&kept[from], &in, b.insts[i+1:], b.term) {
			dropped++
			continue
		}
		kept = append(kept, in)
		at := len(kept) - 1
		info := in.Op.Info()
		if info.Props&asm.WritesFlags != 0 {
			if from = none; makesFlags(&in) {
				from = at
			}
			continue
		}
		if from != none && changes(&in, &kept[from]) {
			from = none
		}
	}
	b.insts = kept
	return dropped
}

// makesFlags reports whether the flags in makes tell something of registers.
func makesFlags(in *asm.Inst) bool {
	for _, r := range in.Args[:in.Op.Info().Args] {
		if r == asm.InMem {
			return false
		}
	}
	switch in.Op {
	case asm.CMP, asm.TEST:
		return true
	}
	return testsItself(in) != 0
}

// How far the flags that a computation leaves are those of a test of its result.
const (
	zeroFlag = 1 + iota // only that of zero
	allFlags
)

func testsItself(in *asm.Inst) int {
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

// sameFlags reports whether the comparison in makes the flags that from made,
// as far as those behind it look.
func sameFlags(from, in *asm.Inst, behind []asm.Inst, end terminator) bool {
	if in.Op != asm.CMP && in.Op != asm.TEST || from.Size != in.Size {
		return false
	}
	if from.Op == in.Op {
		return from.Args == in.Args && (!slices.Contains(in.Args[:], asm.InImm) || from.Imm == in.Imm)
	}
	if in.Op != asm.TEST || in.Args[0] != in.Args[1] || from.Args[0] != in.Args[0] {
		return false
	}
	switch testsItself(from) {
	case allFlags:
		return true
	case zeroFlag:
		return onlyZero(behind, end)
	}
	return false
}

// onlyZero reports whether of the flags there are none but that of zero is read
// by instructions and the end of the block.
func onlyZero(insts []asm.Inst, end terminator) bool {
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
	return !end.cond || zero(end.on)
}

// changes reports whether in writes a register of from, a comparison, or that
// which from computed.
func changes(in, from *asm.Inst) bool {
	if len(in.Op.Info().Fixed) > 0 || in.Op.Is(asm.SideEffect) {
		return true
	}
	changed := false
	in.Regs(func(r *asm.Reg, role asm.Role) {
		changed = changed || role&asm.Write != 0 && slices.Contains(from.Args[:], *r)
	})
	return changed
}
