package asm

import "math/rand"

// randomInst returns a random instruction that fits row f: registers, memory
// or immediates of every kind it takes, and the features it allows.
func randomInst(rng *rand.Rand, f *form) Inst {
	in := Inst{Op: f.op}
	if s := f.enc.sizes(); s != 0 {
		for !sizeIn(s, in.Size) {
			in.Size = Size8 << rng.Intn(4)
		}
	}
	if v := f.enc.vls(); v != 0 {
		in.VL = V128 + VL(rng.Intn(3))
		for v>>in.VL.ll()&1 == 0 {
			in.VL = V128 + VL(rng.Intn(3))
		}
	}
	if f.enc&cc != 0 {
		in.Cond = Cond(rng.Intn(16))
	}
	top := 16
	if f.enc.isEVEX() && rng.Intn(3) == 0 {
		top = 32
	}
	for i, a := range f.args {
		in.Args[i] = randomOperand(rng, &in, a, top)
	}
	evexRow := f.enc.isEVEX()
	if evexRow {
		if f.enc.mask() != MaskNone && rng.Intn(3) == 0 {
			in.K = Mask(1 + rng.Intn(7))
			if f.enc.mask() != MaskMerge && in.Args[0] != InMem {
				in.Zeroing = rng.Intn(2) == 0
			}
		}
		if Prop(f.enc>>propShift)&NeedsMask != 0 {
			in.K = Mask(1 + rng.Intn(7))
		}
		if in.hasMem() {
			in.Mem.Broadcast = f.enc&bc != 0 && rng.Intn(3) == 0
			if rng.Intn(2) == 0 { // displacements around what disp8*N can hold
				n := f.memorySize(&in)
				in.Mem.Disp = int32((rng.Intn(260) - 130) * n)
			}
		} else if f.enc&(er|sae) != 0 && rng.Intn(3) == 0 {
			in.Round = RoundRN + Round(rng.Intn(4))
			if f.enc&sae != 0 {
				in.Round = RoundSAE
			}
			if f.enc.vls() != uint8(lig>>20) {
				in.VL = V512
			}
			if (in.Op == VCVTSI2SD || in.Op == VCVTUSI2SD) && in.Size != Size64 {
				in.Round = RoundNone
			}
		}
	}
	for aliases(&in) && in.Op.Is(EarlyClobber) {
		for i, a := range f.args {
			in.Args[i] = randomOperand(rng, &in, a, top)
		}
	}
	return in
}

func randomOperand(rng *rand.Rand, in *Inst, a arg, top int) Reg {
	k := a.kind()
	if k == kNone || k == kCL {
		return NoReg
	}
	if a&aMem != 0 && (k == kMem || k == kVM || k == kVMH || rng.Intn(3) == 0) {
		in.Mem = randomMem(rng, k == kVM || k == kVMH, top)
		return InMem
	}
	switch {
	case k == kAcc:
		return RAX
	case k >= kG && k <= kG64:
		return GPR(rng.Intn(16))
	case k >= kV && k <= kE:
		return Vec(rng.Intn(top))
	case k == kK:
		return Mask(rng.Intn(8))
	case k == kLabel:
		return InLabel
	}
	in.Imm = randomImm(rng, k, in.Size)
	return InImm
}

func randomMem(rng *rand.Rand, vsib bool, top int) Mem {
	m := Mem{Scale: 1 << rng.Intn(4)}
	if rng.Intn(8) != 0 {
		m.Base = GPR(rng.Intn(16))
	}
	switch {
	case vsib:
		m.Index = Vec(rng.Intn(top))
	case rng.Intn(2) == 0:
		for m.Index = RSP; m.Index == RSP; {
			m.Index = GPR(rng.Intn(16))
		}
	}
	switch rng.Intn(4) {
	case 0:
	case 1:
		m.Disp = int32(int8(rng.Uint32()))
	case 2:
		m.Disp = int32(rng.Uint32())
	default:
		m.Disp = int32(rng.Intn(1<<14) - 1<<13)
	}
	return m
}

func randomImm(rng *rand.Rand, k arg, s Size) int64 {
	switch k {
	case kOne:
		return 1
	case kImm8:
		return int64(rng.Intn(256))
	case kImm8s:
		return int64(int8(rng.Uint32()))
	case kImm64:
		return int64(rng.Uint64() >> rng.Intn(64))
	}
	v := int64(int32(rng.Uint32())) >> rng.Intn(32)
	switch s {
	case Size8:
		return int64(int8(v))
	case Size16:
		return int64(int16(v))
	}
	return v
}
