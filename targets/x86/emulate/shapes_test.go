package emulate

import (
	"math/rand"
	"sync"

	"github.com/simtc/simtc/targets/x86/asm"
)

// shape is a combination of operand kinds that an op accepts. Random instructions of a shape
// differ in their registers and immediates.
type shape struct {
	op     asm.Op
	size   asm.Size
	vl     asm.VL
	args   [4]asm.Reg // any register of the operand's class, or a marker
	vector bool       // the address has a vector index
}

// shapes returns the shapes that the encoder accepts, found by trying all combinations.
var shapes = sync.OnceValue(func() []shape {
	var out []shape
	for op := asm.INVALID + 1; op.Info().Name != "(bad)"; op++ {
		info := op.Info()
		if op.Is(asm.Pseudo) || op.Is(asm.Jumps) {
			continue
		}
		var args [4]asm.Reg
		var try func(i int)
		try = func(i int) {
			if i == info.Args {
				out = append(out, fitting(op, args)...)
				return
			}
			for _, r := range []asm.Reg{asm.RAX, asm.Vec(0), asm.K1, asm.InMem, asm.InImm} {
				if r == asm.InMem && contains(args[:i], r) || r == asm.InImm && contains(args[:i], r) {
					continue
				}
				args[i] = r
				try(i + 1)
			}
			args[i] = asm.NoReg
		}
		try(0)
	}
	return out
})

func contains(args []asm.Reg, r asm.Reg) bool {
	for _, a := range args {
		if a == r {
			return true
		}
	}
	return false
}

// fitting returns the shapes of op with the operands, by operand size and vector length.
func fitting(op asm.Op, args [4]asm.Reg) []shape {
	var out []shape
	for _, size := range []asm.Size{asm.Size0, asm.Size8, asm.Size16, asm.Size32, asm.Size64} {
		for _, vl := range []asm.VL{asm.V0, asm.V128, asm.V256, asm.V512} {
			for _, vector := range []bool{false, true} {
				s := shape{op, size, vl, args, vector}
				if vector && !contains(args[:], asm.InMem) || vl == asm.V0 && op.Info().VLs != 0 || vl > asm.V128 && op.Info().VLs == 0 {
					continue
				}
				if in := s.example(); encodable(&in) {
					out = append(out, s)
				}
			}
		}
		if len(out) > 0 && size == asm.Size0 {
			break // op does not depend on the operand size
		}
	}
	return out
}

func encodable(in *asm.Inst) bool {
	_, err := asm.Encode(nil, in, asm.Options{})
	return err == nil
}

// example returns an instruction of the shape.
func (s *shape) example() asm.Inst {
	in := asm.Inst{Op: s.op, Size: s.size, VL: s.vl, Args: s.args, Imm: 1, Mem: asm.At(asm.RBX, 0)}
	if s.vector {
		in.Mem.Index = asm.Vec(1)
	}
	if s.op.Is(asm.NeedsMask) {
		in.K = asm.K1
	}
	return in
}

// instruction returns a random instruction of the shape that uses only the given number of
// vector registers, and EVEX features only if there are more than 16. randomize sets the
// registers of its address.
func (s *shape) instruction(rng *rand.Rand, vectors int) asm.Inst {
	for {
		in := s.example()
		for i, a := range s.args {
			switch {
			case a == asm.InImm:
				in.Imm = int64(int32(rng.Uint32())) >> rng.Intn(32)
			case a.IsReg() && a.Class() == asm.ClassGPR:
				in.Args[i] = gprExceptRSP(rng)
				if s.op == asm.LEA && s.size == asm.Size16 {
					in.Args[i] = asm.RCX
				}
			case a.IsReg() && a.Class() == asm.ClassVec:
				in.Args[i] = asm.Vec(rng.Intn(vectors))
			case a.IsReg():
				in.Args[i] = asm.Mask(rng.Intn(8))
			}
		}
		in.Cond = asm.Cond(rng.Intn(16))
		if contains(s.args[:], asm.InMem) {
			in.Mem = asm.At(gprExceptRSP(rng), int32(rng.Intn(300)-150))
			if s.vector {
				in.Mem.Index, in.Mem.Scale = asm.Vec(rng.Intn(vectors)), 1<<rng.Intn(4)
			} else if rng.Intn(2) == 0 {
				in.Mem.Index, in.Mem.Scale = gprExceptRSP(rng), 1<<rng.Intn(4)
				if in.Mem.Index == in.Mem.Base {
					continue
				}
			}
			in.Mem.Broadcast = s.op.Info().Bcast && rng.Intn(3) == 0
		}
		if vectors > 16 || s.op.Is(asm.NeedsMask) {
			if in.K != asm.NoReg || s.op.Info().Mask != asm.MaskNone && rng.Intn(2) == 0 {
				in.K = asm.Mask(1 + rng.Intn(7))
				in.Zeroing = s.op.Info().Mask != asm.MaskMerge && rng.Intn(2) == 0
			}
			if rng.Intn(4) == 0 {
				in.Round = asm.Round(rng.Intn(6))
			}
		}
		if encodable(&in) {
			return in
		}
	}
}

func gprExceptRSP(rng *rand.Rand) asm.Reg {
	for {
		if r := asm.GPR(rng.Intn(16)); r != asm.RSP {
			return r
		}
	}
}
