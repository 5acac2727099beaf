package isel

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// MaxSingly is the maximum number of elements of full gathers that a function loads one by
// one: their code should fit the first-level instruction cache.
const MaxSingly = 1024

// IsSingly reports whether v is a gather that GatherSingly supports.
func IsSingly(v *vir.Value) bool {
	return v.Op == vir.Gather && AllLanes(v.Args[2]) && v.Type.Lanes >= 4 && v.Type.Lanes <= 16
}

// ElementsGathered counts the elements of f's gathers that may be loaded one by one.
func ElementsGathered(f *vir.Func) (n int) {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if IsSingly(v) {
				n += v.Type.Lanes
			}
		}
	}
	return n
}

// GatherSingly loads the elements of a full gather one by one and joins them, which is
// faster on many processors than the gather instruction, and than the sequence for bytes and
// words. Indices are moved to scalar registers 64 bits at a time.
func (s *Selector) GatherSingly(v *vir.Value, join func(d asm.Reg, parts []asm.Reg, t vir.Type)) {
	t, index := v.Type, v.Args[1]
	m := s.Address(v.Args[0], v.Disp)
	if m.Index != asm.NoReg {
		base := s.M.NewReg(asm.ClassGPR)
		s.Emit(asm.Make(asm.LEA, base, asm.InMem).WithMem(m).Bits(asm.Size64))
		m = asm.At(base, 0)
	}
	m.Scale = uint8(v.Scale)
	per := min(16/t.Elem.Size(), t.Lanes)
	part, whole := vir.Vec(t.Elem, per), [4]alu.Type{alu.I8, alu.I16, alu.I32, alu.I64}[Log2(t.Elem.Size())]
	var parts []asm.Reg
	put := func(at asm.Reg, lane int) {
		m.Index = at
		if lane%per > 0 {
			r := parts[len(parts)-1]
			s.Emit(InsertShort(whole, r, r, asm.InMem, lane%per).WithMem(m))
			return
		}
		r := s.Reg(v)
		if per < t.Lanes {
			r = s.NewReg(part)
		}
		parts = append(parts, r)
		if op := (ElementOps{0, 0, asm.VMOVD, asm.VMOVQ})[Log2(t.Elem.Size())]; op != 0 {
			s.Emit(asm.Make(op, r, asm.InMem).WithMem(m))
			return
		}
		s.Emit(asm.Make(asm.ZEROV, r))
		s.Emit(InsertShort(whole, r, r, asm.InMem, 0).WithMem(m))
	}
	several := 16 / index.Type.Elem.Size()
	for lane := 0; lane < t.Lanes; lane += several {
		from := s.Reg(index)
		if lane > 0 {
			all := from
			from = s.M.NewReg(asm.ClassVec)
			s.Emit(asm.Make(asm.VEXTRACTI32X4, from, all, asm.InImm).WithImm(int64(lane / several)).Len(Length(index.Type)))
		}
		for h := range 2 {
			at := s.M.NewReg(asm.ClassGPR)
			if h == 0 {
				s.Emit(asm.Make(asm.VMOVQ, at, from))
			} else {
				s.Emit(asm.Make(asm.VPEXTRQ, at, from, asm.InImm).WithImm(1))
			}
			if several == 2 {
				put(at, lane+h)
				continue
			}
			low := s.M.NewReg(asm.ClassGPR)
			s.Emit(asm.Make(asm.MOVSXD, low, at).Bits(asm.Size64))
			s.Emit(asm.Make(asm.SAR, at, asm.InImm).WithImm(32).Bits(asm.Size64))
			put(low, lane+2*h)
			put(at, lane+2*h+1)
		}
	}
	if per < t.Lanes {
		join(s.Reg(v), parts, part)
	}
	s.M.Stats.Singly++
}
