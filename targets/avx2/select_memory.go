package avx2

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
	default:
		s.Fail("no selection for %s", vir.FormatValue(v))
	}
}

// maskMoves holds the masked loads and stores by the log2 of the element size.
var maskMoves = isel.ElementOps{0, 0, asm.VPMASKMOVD, asm.VPMASKMOVQ}

// move returns the move of a whole vector of type t, without operands.
func move(t vir.Type) asm.Inst {
	switch t.Bits() {
	case 32:
		return asm.Make(asm.VMOVD)
	case 64:
		return asm.Make(asm.VMOVQ)
	}
	return asm.Make(asm.VMOVDQU32).Len(isel.Length(t))
}

func (s *selector) vectorLoad(v *vir.Value) {
	t, d, mask := v.Type, s.Reg(v), v.Args[1]
	m := s.Address(v.Args[0], v.Disp)
	switch {
	case v.Readable && !isel.AllLanes(mask):
		s.loadReadable(d, t, mask, m)
	case !isel.AllLanes(mask) && t.Elem.Size() < 4:
		s.loadSmall(d, t, mask, m)
	case !isel.AllLanes(mask):
		k := s.onlyLanes(mask)
		s.emit(t, asm.Make(maskMoves[log(t)], d, k, asm.InMem).WithMem(m))
	default:
		s.loadWhole(d, t, m)
	}
}

// loadWhole loads all lanes.
func (s *selector) loadWhole(d asm.Reg, t vir.Type, m asm.Mem) {
	if t.Bits() == 16 { // two bytes
		zero := s.temp(t)
		s.Emit(asm.Make(asm.ZEROV, zero))
		s.Emit(asm.Make(asm.VPINSRW, d, zero, asm.InMem, asm.InImm).WithMem(m))
		return
	}
	in := move(t).WithMem(m)
	in.Args[0], in.Args[1] = d, asm.InMem
	s.Emit(in)
}

// loadReadable loads all lanes and clears the inactive ones.
func (s *selector) loadReadable(d asm.Reg, t vir.Type, mask *vir.Value, m asm.Mem) {
	k := s.Reg(mask)
	if t.Bits() >= 128 {
		s.emit(t, asm.Make(asm.VPANDD, d, k, asm.InMem).WithMem(m))
		return
	}
	all := s.temp(t)
	s.loadWhole(all, t, m)
	s.emit(t, asm.Make(asm.VPANDD, d, k, all))
}

// loadSmall loads bytes or words under a mask. For each 16 bytes it loads the aligned dwords that
// contain an active byte, which cannot cross a page boundary, and moves the bytes to their places.
func (s *selector) loadSmall(d asm.Reg, t vir.Type, mask *vir.Value, m asm.Mem) {
	base, first, aligned, bits := s.M.NewReg(asm.ClassGPR), s.M.NewReg(asm.ClassGPR), s.M.NewReg(asm.ClassGPR), s.M.NewReg(asm.ClassGPR)
	s.Emit(asm.Make(asm.LEA, base, asm.InMem).WithMem(m).Bits(asm.Size64))
	s.Move(first, base)
	s.Emit(asm.Make(asm.AND, first, asm.InImm).WithImm(3).Bits(asm.Size32))
	s.Move(aligned, base)
	s.Emit(asm.Make(asm.AND, aligned, asm.InImm).WithImm(-4).Bits(asm.Size64))
	k := s.Reg(mask)
	s.emit(t, asm.Make(asm.VPMOVMSKB, bits, k)) // a bit for each byte
	if t.Bits() < 128 {
		s.Emit(asm.Make(asm.AND, bits, asm.InImm).WithImm(allBits(t.Bits() / 8)).Bits(asm.Size32))
	}
	// The number of each byte among those loaded.
	low, all, number := s.M.NewReg(asm.ClassVec), s.M.NewReg(asm.ClassVec), s.M.NewReg(asm.ClassVec)
	numbers := make([]uint64, 16)
	for i := range numbers {
		numbers[i] = uint64(i)
	}
	s.Emit(asm.Make(asm.VMOVD, low, first))
	s.Emit(asm.Make(asm.VPBROADCASTB, all, low).Len(asm.V128))
	s.Emit(asm.Make(asm.VPADDB, number, all, asm.InMem).WithMem(s.PooledLanes(1, numbers)).Len(asm.V128))
	var parts []asm.Reg
	for at := 0; at < max(t.Bits()/8, 16); at += 16 {
		parts = append(parts, s.loadSixteen(asm.At(aligned, int32(at)), bits, at, first, number))
	}
	bytes := parts[0]
	if len(parts) == 2 {
		bytes = s.temp(t)
		s.Emit(asm.Make(asm.VINSERTI32X4, bytes, parts[0], parts[1], asm.InImm).WithImm(1).Len(asm.V256))
	}
	s.emit(t, asm.Make(asm.VPANDD, d, bytes, k))
}

// loadSixteen loads 16 bytes, those from number at on whose bits are set, which begin at byte first
// of the dwords at m. number has the numbers of the bytes there.
func (s *selector) loadSixteen(m asm.Mem, bits asm.Reg, at int, first, number asm.Reg) asm.Reg {
	words := vir.Vec(alu.I32, 8)
	part, shifted := s.M.NewReg(asm.ClassGPR), s.M.NewReg(asm.ClassGPR)
	s.Move(part, bits)
	if at > 0 {
		s.Emit(asm.Make(asm.SHR, part, asm.InImm).WithImm(int64(at)).Bits(asm.Size32))
	} else {
		s.Emit(asm.Make(asm.AND, part, asm.InImm).WithImm(0xFFFF).Bits(asm.Size32))
	}
	s.Emit(asm.Make(asm.SHLX, shifted, part, first).Bits(asm.Size32))
	nibbles := make([]uint64, 8)
	for i := range nibbles {
		nibbles[i] = 0xF << (4 * i) & 0xFFFFF // 5 dwords
	}
	low, all, some, zero, active, loaded := s.temp(words), s.temp(words), s.temp(words), s.temp(words), s.temp(words), s.temp(words)
	s.Emit(asm.Make(asm.VMOVD, low, shifted))
	s.emit(words, asm.Make(asm.VPBROADCASTD, all, low))
	s.emit(words, asm.Make(asm.VPANDD, some, all, asm.InMem).WithMem(s.PooledLanes(4, nibbles)))
	s.Emit(asm.Make(asm.ZEROV, zero))
	s.emit(words, asm.Make(asm.VPCMPGTDV, active, some, zero))
	s.emit(words, asm.Make(asm.VPMASKMOVD, loaded, active, asm.InMem).WithMem(m))
	// Numbers from 16 on, which are in the fifth dword, get bit 7 set in the first shuffle, and
	// the others in the second: those bytes become zero.
	high, below, above, x, y, out := s.M.NewReg(asm.ClassVec), s.M.NewReg(asm.ClassVec), s.M.NewReg(asm.ClassVec), s.M.NewReg(asm.ClassVec), s.M.NewReg(asm.ClassVec), s.M.NewReg(asm.ClassVec)
	byType := vir.Vec(alu.I8, 16)
	s.Emit(asm.Make(asm.VEXTRACTI32X4, high, loaded, asm.InImm).WithImm(1).Len(asm.V256))
	s.emit(byType, asm.Make(asm.VPADDB, below, number, asm.InMem).WithMem(s.pooledVector(byType, 0x70)))
	s.emit(byType, asm.Make(asm.VPSUBB, above, number, asm.InMem).WithMem(s.pooledVector(byType, 16)))
	s.emit(byType, asm.Make(asm.VPSHUFB, x, loaded, below))
	s.emit(byType, asm.Make(asm.VPSHUFB, y, high, above))
	s.emit(byType, asm.Make(asm.VPORD, out, x, y))
	return out
}

func (s *selector) vectorStore(v *vir.Value) {
	x, mask := v.Args[1], v.Args[2]
	t := x.Type
	m := s.Address(v.Args[0], v.Disp)
	switch {
	case !isel.AllLanes(mask):
		k := s.onlyLanes(mask)
		s.emit(t, asm.Make(maskMoves[log(t)], asm.InMem, k, s.Reg(x)).WithMem(m))
	case t.Bits() == 16:
		s.Emit(asm.Make(asm.VPEXTRW, asm.InMem, s.Reg(x), asm.InImm).WithMem(m))
	default:
		in := move(t).WithMem(m)
		in.Args[0], in.Args[1] = asm.InMem, s.Reg(x)
		s.Emit(in)
	}
}

// gatherOps holds the gathers by whether the index and the value have 64 bits.
var gatherOps = [2][2]asm.Op{{asm.VPGATHERDDV, asm.VPGATHERDQV}, {asm.VPGATHERQDV, asm.VPGATHERQQV}}

func (s *selector) gather(v *vir.Value) {
	t := v.Type
	switch {
	case s.singly && isel.IsSingly(v):
		s.GatherSingly(v, s.joinParts)
	case t.Elem.Size() < 4:
		s.gatherSmall(v)
	default:
		m := s.Address(v.Args[0], v.Disp)
		if m.Index != asm.NoReg { // the index of the address is the vector
			base := s.M.NewReg(asm.ClassGPR)
			s.Emit(asm.Make(asm.LEA, base, asm.InMem).WithMem(m).Bits(asm.Size64))
			m = asm.At(base, 0)
		}
		m.Index, m.Scale = s.Reg(v.Args[1]), uint8(v.Scale)
		s.gatherInto(s.Reg(v), t, v.Args[1].Type, v.Args[2], m)
	}
}

// gatherInto loads elements of type t, with an index of type index in m, in the lanes of mask.
func (s *selector) gatherInto(d asm.Reg, t, index vir.Type, mask *vir.Value, m asm.Mem) {
	op := gatherOps[index.Elem.Bits()/64][t.Elem.Bits()/64]
	k := s.temp(mask.Type) // a copy, which the gather clears
	s.Move(k, s.onlyLanes(mask))
	s.Emit(asm.Make(asm.ZEROV, d))
	s.Emit(asm.Make(op, d, asm.InMem, k).WithMem(m).Len(max(isel.Length(t), isel.Length(index))))
}

// gatherSmall gathers the aligned dwords that contain bytes or words, which cannot cross a
// page boundary, and shifts out the bits below. A word that may cross two dwords is gathered
// as two bytes.
func (s *selector) gatherSmall(v *vir.Value) {
	wide := vir.Vec(alu.I32, v.Type.Lanes)
	if v.Type.Elem.Size() == 2 && (v.Align%2 != 0 || v.Align == 0) {
		lo, hi := s.gatherDwords(v, 0), s.gatherDwords(v, 1)
		low, high, both := s.temp(wide), s.temp(wide), s.temp(wide)
		s.emit(wide, s.source(asm.VPANDD, s.F.Const(wide, 0xFF), low, lo))
		s.emit(wide, asm.Make(asm.VPSLLDI, high, hi, asm.InImm).WithImm(8))
		s.emit(wide, asm.Make(asm.VPORD, both, low, high))
		s.truncate(s.Reg(v), both, wide, 16)
		return
	}
	s.truncate(s.Reg(v), s.gatherDwords(v, 0), wide, v.Type.Elem.Bits())
}

// gatherDwords returns a vector of dwords whose low bytes are those at v's addresses plus
// extra.
func (s *selector) gatherDwords(v *vir.Value, extra int64) asm.Reg {
	index := v.Args[1]
	it := index.Type
	e := log(it)
	// off = index*scale + (base & 3); dword at (base &^ 3) + (off &^ 3).
	base, aligned, low := s.M.NewReg(asm.ClassGPR), s.M.NewReg(asm.ClassGPR), s.M.NewReg(asm.ClassGPR)
	s.Emit(asm.Make(asm.LEA, base, asm.InMem).WithMem(s.Address(v.Args[0], v.Disp+extra)).Bits(asm.Size64))
	s.Move(low, base)
	s.Emit(asm.Make(asm.AND, low, asm.InImm).WithImm(3).Bits(asm.Size32))
	s.Move(aligned, base)
	s.Emit(asm.Make(asm.AND, aligned, asm.InImm).WithImm(-4).Bits(asm.Size64))
	first, lows, off := s.temp(it), s.temp(it), s.temp(it)
	s.Emit(asm.Make(asm.VMOVQ, first, low))
	s.emit(it, asm.Make(isel.BroadcastMem[e], lows, first))
	x := s.Reg(index)
	if sh := isel.Log2(v.Scale); sh > 0 {
		r := s.temp(it)
		s.emit(it, asm.Make(isel.VectorShift[alu.Shl][1][e], r, x, asm.InImm).WithImm(int64(sh)))
		x = r
	}
	s.emit(it, asm.Make(isel.VectorInt[alu.Add][e], off, x, lows))
	words, bytes, shift := s.temp(it), s.temp(it), s.temp(it)
	s.emit(it, s.source(asm.VPANDD, s.F.Const(it, ^uint64(3)), words, off))
	s.emit(it, s.source(asm.VPANDD, s.F.Const(it, 3), bytes, off))
	s.emit(it, asm.Make(isel.VectorShift[alu.Shl][1][e], shift, bytes, asm.InImm).WithImm(3))
	t := vir.Vec(alu.I32, v.Type.Lanes)
	if it.Elem == alu.I64 {
		narrow := s.temp(t)
		s.truncate(narrow, shift, it, 32)
		shift = narrow
	}
	q, d := s.temp(t), s.temp(t)
	s.gatherInto(q, t, it, v.Args[2], asm.Indexed(aligned, words, 1, 0))
	s.emit(t, asm.Make(asm.VPSRLVD, d, q, shift))
	return d
}
