package avx512

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/isel"
	"github.com/simtc/simtc/vir"
)

func (s *selector) memory(v *vir.Value) {
	switch v.Op {
	case vir.VLoad:
		s.vectorLoad(v)
	case vir.VStore:
		s.vectorStore(v)
	case vir.Gather:
		s.gather(v)
	case vir.Scatter:
		s.scatter(v)
	default:
		s.Fail("no selection for %s", vir.FormatValue(v))
	}
}

// full returns the mask of a contiguous access of type t: NoReg if every element of a whole
// register is accessed.
func (s *selector) full(mask *vir.Value, t vir.Type) asm.Reg {
	if isel.AllLanes(mask) && t.Bits() >= 128 {
		return asm.NoReg
	}
	return s.Reg(mask)
}

// moveShort returns the move of the low 32 or 64 bits of a register for a full vector of type
// t of that size, else 0. Unlike masked stores, such stores forward to later loads.
func moveShort(mask *vir.Value, t vir.Type) asm.Op {
	if !isel.AllLanes(mask) {
		return 0
	}
	switch t.Bits() {
	case 32:
		return asm.VMOVD
	case 64:
		return asm.VMOVQ
	}
	return 0
}

func (s *selector) vectorLoad(v *vir.Value) {
	t := v.Type
	m := s.Address(v.Args[0], v.Disp)
	if op := moveShort(v.Args[1], t); op != 0 {
		s.Emit(asm.Make(op, s.Reg(v), asm.InMem).WithMem(m))
		return
	}
	in := asm.Make(moveMem[isel.Log2(t.Elem.Size())], s.Reg(v), asm.InMem).WithMem(m).Len(isel.Length(t))
	s.Emit(under(in, s.full(v.Args[1], t), true))
}

func (s *selector) vectorStore(v *vir.Value) {
	t := v.Args[1].Type
	m := s.Address(v.Args[0], v.Disp)
	if op := moveShort(v.Args[2], t); op != 0 {
		s.Emit(asm.Make(op, asm.InMem, s.Reg(v.Args[1])).WithMem(m))
		return
	}
	in := asm.Make(moveMem[isel.Log2(t.Elem.Size())], asm.InMem, s.Reg(v.Args[1])).WithMem(m).Len(isel.Length(t))
	s.Emit(under(in, s.full(v.Args[2], t), false))
}

// maskCopy returns a copy of a mask, because gathers and scatters clear theirs.
func (s *selector) maskCopy(mask *vir.Value) asm.Reg {
	if mask.Op == vir.Const {
		return s.Reg(mask)
	}
	k := s.M.NewReg(asm.ClassMask)
	s.Move(k, s.Reg(mask))
	return k
}

func (s *selector) gatherMem(base, index *vir.Value, disp int64, scale int) asm.Mem {
	m := s.Address(base, disp)
	if m.Index != asm.NoReg { // the index of the address is the vector
		t := s.M.NewReg(asm.ClassGPR)
		s.Emit(asm.Make(asm.LEA, t, asm.InMem).WithMem(m).Bits(asm.Size64))
		m = asm.At(t, 0)
	}
	m.Index, m.Scale = s.Reg(index), uint8(scale)
	return m
}

// widestOf returns the vector length of an access with types of the value and of the index.
func widestOf(a, b vir.Type) asm.VL {
	if isel.Length(a) > isel.Length(b) {
		return isel.Length(a)
	}
	return isel.Length(b)
}

func (s *selector) gather(v *vir.Value) {
	t, index := v.Type, v.Args[1]
	if s.singly && isel.IsSingly(v) {
		s.GatherSingly(v, s.joinParts)
		return
	}
	if t.Elem.Size() < 4 {
		s.gatherSmall(v)
		return
	}
	d := s.Reg(v)
	m := s.gatherMem(v.Args[0], index, v.Disp, v.Scale)
	k := s.maskCopy(v.Args[2])
	ops := [2][2]asm.Op{{asm.VPGATHERDD, asm.VPGATHERDQ}, {asm.VPGATHERQD, asm.VPGATHERQQ}}
	op := ops[index.Type.Elem.Bits()/64][t.Elem.Bits()/64]
	s.Emit(asm.Make(asm.ZEROV, d))
	s.Emit(asm.Make(op, d, asm.InMem).WithMem(m).Len(widestOf(t, index.Type)).Merge(k))
}

// gatherSmall gathers the aligned dwords that contain bytes or words, which cannot cross a
// page boundary, and shifts out the bits below. A word that may cross two dwords is gathered
// as two bytes.
func (s *selector) gatherSmall(v *vir.Value) {
	if v.Type.Elem.Size() == 2 && v.Align%2 != 0 || v.Align == 0 && v.Type.Elem.Size() == 2 {
		lo, hi := s.gatherDwords(v, 0), s.gatherDwords(v, 1)
		t := vir.Vec(alu.I32, v.Type.Lanes)
		byteMask := s.F.Const(t, 0xFF)
		s.Emit(s.source(asm.VPANDD, byteMask, lo, lo).Len(isel.Length(t)))
		s.Emit(asm.Make(asm.VPSLLDI, hi, hi, asm.InImm).WithImm(8).Len(isel.Length(t)))
		s.Emit(asm.Make(asm.VPORD, lo, lo, hi).Len(isel.Length(t)))
		s.Emit(asm.Make(asm.VPMOVDW, s.Reg(v), lo).Len(isel.Length(t)))
		return
	}
	q := s.gatherDwords(v, 0)
	op := asm.VPMOVDB
	if v.Type.Elem.Size() == 2 {
		op = asm.VPMOVDW
	}
	s.Emit(asm.Make(op, s.Reg(v), q).Len(isel.Length(vir.Vec(alu.I32, v.Type.Lanes))))
}

// gatherDwords returns a vector of dwords whose low bytes are those at v's addresses plus
// extra.
func (s *selector) gatherDwords(v *vir.Value, extra int64) asm.Reg {
	index := v.Args[1]
	it := index.Type
	wide := it.Elem == alu.I64
	e := isel.Log2(it.Elem.Size())
	vl := isel.Length(it)
	// off = index*scale + (base & 3); dword at (base &^ 3) + (off &^ 3).
	base := s.M.NewReg(asm.ClassGPR)
	s.Emit(asm.Make(asm.LEA, base, asm.InMem).WithMem(s.Address(v.Args[0], v.Disp+extra)).Bits(asm.Size64))
	low := s.M.NewReg(asm.ClassGPR)
	s.Move(low, base)
	s.Emit(asm.Make(asm.AND, low, asm.InImm).WithImm(3).Bits(asm.Size32))
	s.Emit(asm.Make(asm.AND, base, asm.InImm).WithImm(-4).Bits(asm.Size64))
	off := s.NewReg(it)
	lows := s.NewReg(it)
	s.Emit(asm.Make(broadcastGPR[e], lows, low).Len(vl))
	x := s.Reg(index)
	if sh := isel.Log2(v.Scale); sh > 0 {
		t := s.NewReg(it)
		s.Emit(asm.Make(isel.VectorShift[alu.Shl][1][e], t, x, asm.InImm).WithImm(int64(sh)).Len(vl))
		x = t
	}
	s.Emit(asm.Make(isel.VectorInt[alu.Add][e], off, x, lows).Len(vl))
	aligned, shift := s.NewReg(it), s.NewReg(it)
	s.Emit(s.source(s.andOp(e), s.F.Const(it, ^uint64(3)), aligned, off).Len(vl))
	s.Emit(s.source(s.andOp(e), s.F.Const(it, 3), shift, off).Len(vl))
	s.Emit(asm.Make(isel.VectorShift[alu.Shl][1][e], shift, shift, asm.InImm).WithImm(3).Len(vl))
	t := vir.Vec(alu.I32, v.Type.Lanes)
	d, k := s.NewReg(t), s.maskCopy(v.Args[2])
	op := asm.VPGATHERDD
	if wide {
		op = asm.VPGATHERQD
		narrow := s.NewReg(t)
		s.Emit(asm.Make(asm.VPMOVQD, narrow, shift).Len(vl))
		shift = narrow
	}
	s.Emit(asm.Make(asm.ZEROV, d))
	s.Emit(asm.Make(op, d, asm.InMem).WithMem(asm.Indexed(base, aligned, 1, 0)).Len(vl).Merge(k))
	s.Emit(asm.Make(asm.VPSRLVD, d, d, shift).Len(isel.Length(t)))
	return d
}

func (s *selector) scatter(v *vir.Value) {
	index, x := v.Args[1], v.Args[2]
	if x.Type.Elem.Size() < 4 {
		s.Fail("no scatter of %s", x.Type)
		return
	}
	m := s.gatherMem(v.Args[0], index, v.Disp, v.Scale)
	k := s.maskCopy(v.Args[3])
	ops := [2][2]asm.Op{{asm.VPSCATTERDD, asm.VPSCATTERDQ}, {asm.VPSCATTERQD, asm.VPSCATTERQQ}}
	op := ops[index.Type.Elem.Bits()/64][x.Type.Elem.Bits()/64]
	in := asm.Make(op, asm.InMem, s.Reg(x)).WithMem(m).Len(widestOf(x.Type, index.Type))
	s.Emit(in.Merge(k))
}
