package avx512

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// address folds a scalar address and a displacement into a memory operand,
// base + index*scale + disp, from additions and shifts without other uses.
func (s *selector) address(a *vir.Value, disp int64) asm.Mem {
	m := asm.Mem{}
	for a.Op == alu.Add && a.Args[1].Op == vir.Const && fits(disp+int64(a.Args[1].Const)) {
		disp += int64(a.Args[1].Const)
		a = a.Args[0]
	}
	if !fits(disp) {
		t, big := s.m.NewReg(asm.ClassGPR), s.m.NewReg(asm.ClassGPR)
		s.emit(asm.MoveImm(big, disp))
		s.emit(asm.Make(asm.LEA, t, asm.InMem).WithMem(asm.Indexed(s.reg(a), big, 1, 0)).Bits(asm.Size64))
		return asm.At(t, 0)
	}
	m.Disp = int32(disp)
	if a.Op == vir.Const {
		t := s.m.NewReg(asm.ClassGPR)
		s.emit(asm.MoveImm(t, int64(a.Const)))
		m.Base = t
		return m
	}
	if a.Op == alu.Add && (s.uses[a.ID] == 1 || s.onlyAddress(a)) {
		base, index := a.Args[0], a.Args[1]
		if _, ok := scaledIndex(base); ok {
			base, index = index, base
		}
		if base.Op != vir.Const && index.Op != vir.Const {
			m.Base, m.Scale = s.base(base), 1
			if k, ok := scaledIndex(index); ok {
				index, m.Scale = index.Args[0], k
			}
			if x, c, ok := s.smallSum(index); ok && fits(disp+c*int64(m.Scale)) {
				index, m.Disp = x, int32(disp+c*int64(m.Scale))
			}
			m.Index = s.reg(index)
			return m
		}
	}
	m.Base = s.base(a)
	return m
}

// base returns the base register for a: for private memory R14, which always holds its
// address because spill slots are below it.
func (s *selector) base(a *vir.Value) asm.Reg {
	if vir.IsPrivateBase(a) {
		s.m.Private = true
		return asm.R14
	}
	return s.reg(a)
}

// smallSum returns x and c if v is x + c, extended from 32 bits without overflow, and the
// register of x holds its extension.
func (s *selector) smallSum(v *vir.Value) (x *vir.Value, c int64, ok bool) {
	if v.Op != alu.ZExt && v.Op != alu.SExt || !s.isExtended(v) {
		return nil, 0, false
	}
	sum := v.Args[0]
	if sum.Op != alu.Add || sum.Type.Elem != alu.I32 || sum.Args[1].Op != vir.Const || sum.Args[0].Op == vir.Const {
		return nil, 0, false
	}
	x, c = sum.Args[0], int64(sum.Args[1].Const)
	return x, c, s.known(x) < 31 && c < 1<<30
}

func fits(x int64) bool { return x == int64(int32(x)) }

// scaledIndex matches x*2, x*4, x*8 and the equivalent shifts.
func scaledIndex(v *vir.Value) (uint8, bool) {
	if len(v.Args) != 2 || v.Args[1].Op != vir.Const || v.Args[0].Op == vir.Const {
		return 0, false
	}
	c := v.Args[1].Const
	switch {
	case v.Op == alu.Mul && (c == 2 || c == 4 || c == 8):
		return uint8(c), true
	case v.Op == alu.Shl && c >= 1 && c <= 3:
		return 1 << c, true
	}
	return 0, false
}

func (s *selector) memory(v *vir.Value) {
	switch v.Op {
	case vir.Load:
		s.load(v)
	case vir.Store:
		s.store(v)
	case vir.VLoad:
		s.vectorLoad(v)
	case vir.VStore:
		s.vectorStore(v)
	case vir.Gather:
		s.gather(v)
	case vir.Scatter:
		s.scatter(v)
	case vir.Atomic, vir.CmpXchg:
		s.atomic(v)
	default:
		s.fail("no selection for %s", vir.FormatValue(v))
	}
}

func (s *selector) load(v *vir.Value) {
	d := s.reg(v)
	m := s.address(v.Args[0], v.Disp)
	var in asm.Inst
	switch v.Type.Elem {
	case alu.F32:
		in = asm.Make(asm.VMOVSS, d, asm.InMem)
	case alu.F64:
		in = asm.Make(asm.VMOVSD, d, asm.InMem)
	case alu.I8:
		in = asm.Make(asm.MOVZXB, d, asm.InMem).Bits(asm.Size32)
	case alu.I16, alu.F16:
		in = asm.Make(asm.MOVZXW, d, asm.InMem).Bits(asm.Size32)
	default:
		in = asm.Make(asm.MOV, d, asm.InMem).Bits(size(v.Type.Elem))
	}
	s.emit(in.WithMem(m))
}

func (s *selector) store(v *vir.Value) {
	m := s.address(v.Args[0], v.Disp)
	x := v.Args[1]
	t := x.Type.Elem
	var in asm.Inst
	if op, y, ok := s.updated(v); ok {
		if c, ok := immediate(y); ok {
			in = asm.Make(op, asm.InMem, asm.InImm).WithImm(c)
		} else {
			in = asm.Make(op, asm.InMem, s.reg(y))
		}
		s.emit(in.Bits(asm.Size(t.Bits())).WithMem(m))
		return
	}
	if c, ok := immediate(x); ok && t.Bits() >= 8 {
		s.emit(asm.Make(asm.MOV, asm.InMem, asm.InImm).WithImm(c).Bits(asm.Size(t.Bits())).WithMem(m))
		return
	}
	switch {
	case t == alu.F32:
		in = asm.Make(asm.VMOVSS, asm.InMem, s.reg(x))
	case t == alu.F64:
		in = asm.Make(asm.VMOVSD, asm.InMem, s.reg(x))
	default:
		in = asm.Make(asm.MOV, asm.InMem, s.reg(x)).Bits(asm.Size(t.Bits()))
	}
	s.emit(in.WithMem(m))
}

// full returns the mask of a contiguous access of type t: NoReg if every element of a whole
// register is accessed.
func (s *selector) full(mask *vir.Value, t vir.Type) asm.Reg {
	if allLanes(mask) && t.Bits() >= 128 {
		return asm.NoReg
	}
	return s.reg(mask)
}

// allLanes reports whether a mask is known to be full.
func allLanes(mask *vir.Value) bool { return mask.Op == vir.Const && mask.Const == 1 }

// moveShort returns the move of the low 32 or 64 bits of a register for a full vector of type
// t of that size, else 0. Unlike masked stores, such stores forward to later loads.
func moveShort(mask *vir.Value, t vir.Type) asm.Op {
	if !allLanes(mask) {
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
	m := s.address(v.Args[0], v.Disp)
	if op := moveShort(v.Args[1], t); op != 0 {
		s.emit(asm.Make(op, s.reg(v), asm.InMem).WithMem(m))
		return
	}
	if v.Ahead {
		s.prefetch(v, m)
	}
	in := asm.Make(moveMem[log2(t.Elem.Size())], s.reg(v), asm.InMem).WithMem(m).Len(length(t))
	s.emit(under(in, s.full(v.Args[1], t), true))
}

// prefetch emits prefetches of the memory of v, at m, and of the loads that follow it within
// the size of a cache line: of the first byte and, if it may be in another line, of the last.
// Loads beyond that have prefetches of their own.
func (s *selector) prefetch(v *vir.Value, m asm.Mem) {
	s.emit(asm.Make(asm.PREFETCHT0, asm.InMem).WithMem(m))
	end := v.Disp
	for _, x := range v.Block.Values {
		if x.Op != vir.VLoad || x.Args[0] != v.Args[0] || x.Disp < v.Disp {
			continue
		}
		switch {
		case x.Disp < v.Disp+vir.CacheLine:
			end = max(end, x.Disp+int64(x.Type.Bits()/8))
		case x.Ahead && x.Disp == v.Disp+vir.CacheLine:
			return
		}
	}
	if int64(v.Align) < end-v.Disp {
		s.emit(asm.Make(asm.PREFETCHT0, asm.InMem).WithMem(s.address(v.Args[0], end-1)))
	}
}

func (s *selector) vectorStore(v *vir.Value) {
	t := v.Args[1].Type
	m := s.address(v.Args[0], v.Disp)
	if op := moveShort(v.Args[2], t); op != 0 {
		s.emit(asm.Make(op, asm.InMem, s.reg(v.Args[1])).WithMem(m))
		return
	}
	in := asm.Make(moveMem[log2(t.Elem.Size())], asm.InMem, s.reg(v.Args[1])).WithMem(m).Len(length(t))
	s.emit(under(in, s.full(v.Args[2], t), false))
}

// maskCopy returns a copy of a mask, because gathers and scatters clear theirs.
func (s *selector) maskCopy(mask *vir.Value) asm.Reg {
	if mask.Op == vir.Const {
		return s.reg(mask)
	}
	k := s.m.NewReg(asm.ClassMask)
	s.move(k, s.reg(mask))
	return k
}

func (s *selector) gatherMem(base, index *vir.Value, disp int64, scale int) asm.Mem {
	m := s.address(base, disp)
	if m.Index != asm.NoReg { // the index of the address is the vector
		t := s.m.NewReg(asm.ClassGPR)
		s.emit(asm.Make(asm.LEA, t, asm.InMem).WithMem(m).Bits(asm.Size64))
		m = asm.At(t, 0)
	}
	m.Index, m.Scale = s.reg(index), uint8(scale)
	return m
}

// widestOf returns the vector length of an access with types of the value and of the index.
func widestOf(a, b vir.Type) asm.VL {
	if length(a) > length(b) {
		return length(a)
	}
	return length(b)
}

func (s *selector) gather(v *vir.Value) {
	t, index := v.Type, v.Args[1]
	if s.gatherSingly(v) {
		return
	}
	if t.Elem.Size() < 4 {
		s.gatherSmall(v)
		return
	}
	d := s.reg(v)
	m := s.gatherMem(v.Args[0], index, v.Disp, v.Scale)
	k := s.maskCopy(v.Args[2])
	ops := [2][2]asm.Op{{asm.VPGATHERDD, asm.VPGATHERDQ}, {asm.VPGATHERQD, asm.VPGATHERQQ}}
	op := ops[index.Type.Elem.Bits()/64][t.Elem.Bits()/64]
	s.emit(asm.Make(asm.ZEROV, d))
	s.emit(asm.Make(op, d, asm.InMem).WithMem(m).Len(widestOf(t, index.Type)).Merge(k))
}

// gatherSmall gathers the aligned dwords that contain bytes or words, which cannot cross a
// page boundary, and shifts out the bits below. A word that may cross two dwords is gathered
// as two bytes.
func (s *selector) gatherSmall(v *vir.Value) {
	if v.Type.Elem.Size() == 2 && v.Align%2 != 0 || v.Align == 0 && v.Type.Elem.Size() == 2 {
		lo, hi := s.gatherDwords(v, 0), s.gatherDwords(v, 1)
		t := vir.Vec(alu.I32, v.Type.Lanes)
		byteMask := s.f.Const(t, 0xFF)
		s.emit(s.source(asm.VPANDD, byteMask, lo, lo).Len(length(t)))
		s.emit(asm.Make(asm.VPSLLDI, hi, hi, asm.InImm).WithImm(8).Len(length(t)))
		s.emit(asm.Make(asm.VPORD, lo, lo, hi).Len(length(t)))
		s.emit(asm.Make(asm.VPMOVDW, s.reg(v), lo).Len(length(t)))
		return
	}
	q := s.gatherDwords(v, 0)
	op := asm.VPMOVDB
	if v.Type.Elem.Size() == 2 {
		op = asm.VPMOVDW
	}
	s.emit(asm.Make(op, s.reg(v), q).Len(length(vir.Vec(alu.I32, v.Type.Lanes))))
}

// gatherDwords returns a vector of dwords whose low bytes are those at v's addresses plus
// extra.
func (s *selector) gatherDwords(v *vir.Value, extra int64) asm.Reg {
	index := v.Args[1]
	it := index.Type
	wide := it.Elem == alu.I64
	e := log2(it.Elem.Size())
	vl := length(it)
	// off = index*scale + (base & 3); dword at (base &^ 3) + (off &^ 3).
	base := s.m.NewReg(asm.ClassGPR)
	s.emit(asm.Make(asm.LEA, base, asm.InMem).WithMem(s.address(v.Args[0], v.Disp+extra)).Bits(asm.Size64))
	low := s.m.NewReg(asm.ClassGPR)
	s.move(low, base)
	s.emit(asm.Make(asm.AND, low, asm.InImm).WithImm(3).Bits(asm.Size32))
	s.emit(asm.Make(asm.AND, base, asm.InImm).WithImm(-4).Bits(asm.Size64))
	off := s.newReg(it)
	lows := s.newReg(it)
	s.emit(asm.Make(broadcastGPR[e], lows, low).Len(vl))
	x := s.reg(index)
	if sh := log2(v.Scale); sh > 0 {
		t := s.newReg(it)
		s.emit(asm.Make(vectorShift[alu.Shl][1][e], t, x, asm.InImm).WithImm(int64(sh)).Len(vl))
		x = t
	}
	s.emit(asm.Make(vectorInt[alu.Add][e], off, x, lows).Len(vl))
	aligned, shift := s.newReg(it), s.newReg(it)
	s.emit(s.source(s.andOp(e), s.f.Const(it, ^uint64(3)), aligned, off).Len(vl))
	s.emit(s.source(s.andOp(e), s.f.Const(it, 3), shift, off).Len(vl))
	s.emit(asm.Make(vectorShift[alu.Shl][1][e], shift, shift, asm.InImm).WithImm(3).Len(vl))
	t := vir.Vec(alu.I32, v.Type.Lanes)
	d, k := s.newReg(t), s.maskCopy(v.Args[2])
	op := asm.VPGATHERDD
	if wide {
		op = asm.VPGATHERQD
		narrow := s.newReg(t)
		s.emit(asm.Make(asm.VPMOVQD, narrow, shift).Len(vl))
		shift = narrow
	}
	s.emit(asm.Make(asm.ZEROV, d))
	s.emit(asm.Make(op, d, asm.InMem).WithMem(asm.Indexed(base, aligned, 1, 0)).Len(vl).Merge(k))
	s.emit(asm.Make(asm.VPSRLVD, d, d, shift).Len(length(t)))
	return d
}

func (s *selector) scatter(v *vir.Value) {
	index, x := v.Args[1], v.Args[2]
	if x.Type.Elem.Size() < 4 {
		s.fail("no scatter of %s", x.Type)
		return
	}
	m := s.gatherMem(v.Args[0], index, v.Disp, v.Scale)
	k := s.maskCopy(v.Args[3])
	ops := [2][2]asm.Op{{asm.VPSCATTERDD, asm.VPSCATTERDQ}, {asm.VPSCATTERQD, asm.VPSCATTERQQ}}
	op := ops[index.Type.Elem.Bits()/64][x.Type.Elem.Bits()/64]
	in := asm.Make(op, asm.InMem, s.reg(x)).WithMem(m).Len(widestOf(x.Type, index.Type))
	s.emit(in.Merge(k))
}
