package avx512

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/isel"
	"github.com/simtc/simtc/vir"
)

// lanes emits the operations that move values between lanes and scalars.
func (s *selector) lanes(v *vir.Value) {
	d := s.Reg(v)
	switch v.Op {
	case vir.Splat:
		s.splat(v, d, asm.NoReg, false)
	case vir.Iota:
		lanes := make([]uint64, v.Type.Lanes)
		for i := range lanes {
			lanes[i] = uint64(v.Index+i) & v.Type.Elem.Mask()
		}
		s.Emit(asm.Make(asm.VMOVDQU32, d, asm.InMem).WithMem(s.PooledLanes(v.Type.Elem.Size(), lanes)).Len(isel.Length(v.Type)))
	case vir.Prefix:
		s.prefix(v, d)
	case vir.Any:
		s.testMask(v.Args[0])
		s.SetCond(d, asm.CondNE)
	case vir.All:
		s.all(v, d)
	case vir.Count:
		s.maskBits(d, v.Args[0])
		s.Emit(asm.Make(asm.POPCNT, d, d).Bits(sizeOfMask(v.Args[0].Type)))
	case vir.Extract:
		s.extract(v, d)
	case vir.Insert:
		s.insert(v, d)
	case vir.First:
		s.first(v, d)
	case vir.Bits:
		s.maskBits(d, v.Args[0])
	case vir.Unbits:
		s.Emit(asm.Make(maskMove.of(v.Type.Lanes), d, s.lowLanes(v.Args[0], v.Type.Lanes)))
	case vir.Rank:
		s.rank(v, d)
	case vir.Compress, vir.Expand:
		s.rearrange(v, d)
	case vir.Part:
		s.part(v, d)
	case vir.Concat:
		s.concat(v, d)
	case vir.Shuffle:
		s.shuffle(v, d)
	default:
		s.Fail("no selection for %s", vir.FormatValue(v))
	}
}

// splat broadcasts a scalar, under the write mask k unless it is NoReg.
func (s *selector) splat(v *vir.Value, d, k asm.Reg, zero bool) {
	a, t := v.Args[0], v.Type
	e := isel.Log2(max(t.Elem.Size(), 1))
	switch {
	case t.IsMask():
		r := s.M.NewReg(asm.ClassGPR)
		s.Move(r, s.Reg(a))
		s.Emit(asm.Make(asm.NEG, r).Bits(asm.Size32))
		switch {
		case t.Lanes < 16:
			s.Emit(asm.Make(asm.AND, r, asm.InImm).WithImm(1<<t.Lanes - 1).Bits(asm.Size32))
		case t.Lanes > 32:
			s.Emit(asm.Make(asm.MOVSXD, r, r).Bits(asm.Size64))
		}
		s.Emit(asm.Make(maskMove.of(t.Lanes), d, r))
	case s.splatsInPlace(v):
		s.Emit(under(asm.Make(isel.BroadcastMem[e], d, asm.InMem).WithMem(s.Address(a.Args[0], a.Disp)).Len(isel.Length(t)), k, zero))
	case t.Elem == alu.F32:
		s.Emit(under(asm.Make(asm.VBROADCASTSS, d, s.Reg(a)).Len(isel.Length(t)), k, zero))
	case t.Elem == alu.F64 && t.Bits() > 128:
		s.Emit(under(asm.Make(asm.VBROADCASTSD, d, s.Reg(a)).Len(isel.Length(t)), k, zero))
	case t.Elem == alu.F64:
		s.Emit(under(asm.Make(asm.VMOVDDUP, d, s.Reg(a)).Len(asm.V128), k, zero))
	default:
		s.Emit(under(asm.Make(broadcastGPR[e], d, s.Reg(a)).Len(isel.Length(t)), k, zero))
	}
}

// splatsInPlace reports whether v broadcasts directly from memory: a load without other uses.
func (s *selector) splatsInPlace(v *vir.Value) bool {
	a := v.Args[0]
	return !v.Type.IsMask() && a.Op == vir.Load && s.Own(a) && s.nothingWrites(a, v)
}

// nothingWrites reports whether a load may move down to just before user, which is in the
// same block.
func (s *selector) nothingWrites(load, user *vir.Value) bool {
	if load.Volatile {
		return false
	}
	if load.Invariant {
		return true
	}
	between := false
	for _, x := range load.Block.Values {
		switch {
		case x == load:
			between = true
		case x == user:
			return between
		case between && vir.InfoOf(x.Op).Effect == vir.Writes:
			return false
		}
	}
	return false
}

// prefix emits the mask (1 << clamp(n-Index, 0, lanes)) - 1.
func (s *selector) prefix(v *vir.Value, d asm.Reg) {
	lanes := int64(v.Type.Lanes)
	n, bound, zero := s.M.NewReg(asm.ClassGPR), s.M.NewReg(asm.ClassGPR), s.M.NewReg(asm.ClassGPR)
	s.Move(n, s.Reg(v.Args[0]))
	if v.Index != 0 {
		s.Emit(asm.Make(asm.SUB, n, asm.InImm).WithImm(int64(v.Index)).Bits(asm.Size64))
	}
	if a := v.Args[0]; a.Op != vir.Count || v.Index != 0 || a.Args[0].Type.Lanes > v.Type.Lanes { // else 0 to lanes
		s.Emit(asm.MoveImm(bound, lanes))
		s.Emit(asm.Make(asm.CMP, n, asm.InImm).WithImm(lanes).Bits(asm.Size64))
		s.Emit(asm.Make(asm.CMOVCC, n, bound).If(asm.CondG).Bits(asm.Size64))
		s.Emit(asm.MoveImm(zero, 0))
		s.Emit(asm.Make(asm.TEST, n, n).Bits(asm.Size64))
		s.Emit(asm.Make(asm.CMOVCC, n, zero).If(asm.CondS).Bits(asm.Size64))
	}
	bits := s.M.NewReg(asm.ClassGPR)
	if lanes > 16 { // up to 64 bits may be set, which a shift of 1 cannot express
		s.Emit(asm.MoveImm(bits, -1))
		s.Emit(asm.Make(asm.BZHI, bits, bits, n).Bits(asm.Size64))
	} else {
		s.Emit(asm.MoveImm(bits, 1))
		s.Emit(asm.Make(asm.SHLX, bits, bits, n).Bits(asm.Size32))
		s.Emit(asm.Make(asm.DEC, bits).Bits(asm.Size32))
	}
	s.Emit(asm.Make(maskMove.of(v.Type.Lanes), d, bits))
}

func (s *selector) all(v *vir.Value, d asm.Reg) {
	k, lanes := s.Reg(v.Args[0]), v.Args[0].Type.Lanes
	if lanes >= 8 {
		s.Emit(asm.Make(maskTest.exactly(lanes), k, k))
		s.SetCond(d, asm.CondB) // CF: all ones
		return
	}
	r := s.M.NewReg(asm.ClassGPR)
	s.Emit(asm.Make(asm.KMOVW, r, k))
	s.Emit(asm.Make(asm.CMP, r, asm.InImm).WithImm(1<<lanes - 1).Bits(asm.Size32))
	s.SetCond(d, asm.CondE)
}

// maskBits moves the bits of a mask to the scalar register d.
func (s *selector) maskBits(d asm.Reg, m *vir.Value) {
	s.Emit(asm.Make(maskMove.of(m.Type.Lanes), d, s.Reg(m)))
}

// sizeOfMask returns the operand size of scalar operations on the bits of a mask.
func sizeOfMask(t vir.Type) asm.Size {
	if t.Lanes > 32 {
		return asm.Size64
	}
	return asm.Size32
}

func (s *selector) extract(v *vir.Value, d asm.Reg) {
	a := v.Args[0]
	t, at := a.Type, v.Index
	if t.IsMask() {
		s.maskBits(d, a)
		if at > 0 {
			s.Emit(asm.Make(asm.SHR, d, asm.InImm).WithImm(int64(at)).Bits(sizeOfMask(t)))
		}
		s.Emit(asm.Make(asm.AND, d, asm.InImm).WithImm(1).Bits(asm.Size32))
		return
	}
	size := t.Elem.Size()
	x := s.Reg(a)
	if per := 16 / size; at >= per {
		q := s.M.NewReg(asm.ClassVec)
		s.Emit(asm.Make(asm.VEXTRACTI32X4, q, x, asm.InImm).WithImm(int64(at / per)).Len(isel.Length(t)))
		x, at = q, at%per
	}
	if isel.Class(v.Type) == asm.ClassVec {
		if at == 0 {
			s.Move(d, x)
		} else {
			s.Emit(asm.Make(asm.VPSRLDQI, d, x, asm.InImm).WithImm(int64(at * size)).Len(asm.V128))
		}
		return
	}
	if at == 0 && size >= 4 {
		s.Emit(asm.Make(isel.ElementOps{0, 0, asm.VMOVD, asm.VMOVQ}[isel.Log2(size)], d, x))
		return
	}
	op := isel.ElementOps{asm.VPEXTRB, asm.VPEXTRW, asm.VPEXTRD, asm.VPEXTRQ}[isel.Log2(size)]
	s.Emit(asm.Make(op, d, x, asm.InImm).WithImm(int64(at)))
}

// insert inserts the scalar into 16 bytes, from memory if it is a load without other uses,
// or broadcasts it under a mask of one lane.
func (s *selector) insert(v *vir.Value, d asm.Reg) {
	t, x, from := v.Type, s.Reg(v.Args[0]), v.Args[1]
	if t.Bits() <= 128 && t.Elem != alu.F64 && s.Folds(from) {
		s.Emit(isel.InsertShort(t.Elem, d, x, asm.InMem, v.Index).WithMem(s.Address(from.Args[0], from.Disp)))
		return
	}
	y := s.Reg(from)
	if t.Bits() <= 128 {
		s.Emit(isel.InsertShort(t.Elem, d, x, y, v.Index))
		return
	}
	bit, k := s.M.NewReg(asm.ClassGPR), s.M.NewReg(asm.ClassMask)
	s.Emit(asm.MoveImm(bit, 1<<v.Index))
	s.Emit(asm.Make(maskMove.of(t.Lanes), k, bit))
	s.Move(d, x)
	op := broadcastGPR[isel.Log2(t.Elem.Size())]
	switch t.Elem {
	case alu.F32:
		op = asm.VBROADCASTSS
	case alu.F64:
		op = asm.VPBROADCASTQ
	}
	s.Emit(asm.Make(op, d, y).Len(isel.Length(t)).Merge(k))
}

// lowLanes returns a register with the low bits of x, one per lane. From 16 lanes on, a move
// to a mask drops the higher bits itself.
func (s *selector) lowLanes(x *vir.Value, lanes int) asm.Reg {
	r := s.Reg(x)
	if lanes < 16 {
		t := s.M.NewReg(asm.ClassGPR)
		s.Move(t, r)
		s.Emit(asm.Make(asm.AND, t, asm.InImm).WithImm(1<<lanes - 1).Bits(asm.Size32))
		r = t
	}
	return r
}

// first emits the value of the first active lane, by a compression: that of lane 0 if no
// lane is active.
func (s *selector) first(v *vir.Value, d asm.Reg) {
	a, t := v.Args[0], v.Args[0].Type
	if t.Lanes > 16 {
		s.firstOfMany(v, d)
		return
	}
	x := s.Reg(a)
	if n := t.Elem.Size(); n < 4 {
		wide := s.M.NewReg(asm.ClassVec)
		s.Emit(asm.Make(isel.ZeroExtend[isel.Log2(n)][2], wide, x).Len(asm.V512))
		x = wide
	}
	bits, k, q := s.M.NewReg(asm.ClassGPR), s.M.NewReg(asm.ClassMask), s.M.NewReg(asm.ClassVec)
	if m := v.Args[1]; m.Op == vir.Unbits {
		s.Move(bits, s.lowLanes(m.Args[0], m.Type.Lanes))
	} else {
		s.Emit(asm.Make(asm.KMOVW, bits, s.Reg(m)))
	}
	s.Emit(asm.Make(asm.CMP, bits, asm.InImm).WithImm(1).Bits(asm.Size32))
	s.Emit(asm.Make(asm.ADC, bits, asm.InImm).WithImm(0).Bits(asm.Size32)) // 0 becomes 1
	s.Emit(asm.Make(asm.KMOVW, k, bits))
	op := asm.VPCOMPRESSD
	if t.Elem.Size() == 8 {
		op = asm.VPCOMPRESSQ
	}
	s.Emit(asm.Make(op, q, x).Len(asm.V512).Zero(k))
	switch {
	case isel.Class(v.Type) == asm.ClassVec:
		s.Move(d, q)
	case t.Elem.Size() == 8:
		s.Emit(asm.Make(asm.VMOVQ, d, q))
	default:
		s.Emit(asm.Make(asm.VMOVD, d, q))
	}
}

// firstOfMany emits First for more than 16 lanes, of bytes or words, which AVX-512 BW cannot
// compress: it permutes the word of the first active lane to the front. If no lane is active
// the lane number is 64, which the permutation takes modulo the lanes as lane 0.
func (s *selector) firstOfMany(v *vir.Value, d asm.Reg) {
	a := v.Args[0]
	x, lane, index, q := s.Reg(a), s.M.NewReg(asm.ClassGPR), s.M.NewReg(asm.ClassVec), s.M.NewReg(asm.ClassVec)
	s.maskBits(lane, v.Args[1])
	s.Emit(asm.Make(asm.TZCNT, lane, lane).Bits(asm.Size64))
	word, bytes := lane, a.Type.Elem.Size() == 1
	if bytes {
		word = s.M.NewReg(asm.ClassGPR)
		s.Move(word, lane)
		s.Emit(asm.Make(asm.SHR, word, asm.InImm).WithImm(1).Bits(asm.Size32))
	}
	s.Emit(asm.Make(asm.VMOVD, index, word))
	s.Emit(asm.Make(asm.VPERMW, q, index, x).Len(isel.Length(a.Type)))
	s.Emit(asm.Make(asm.VMOVD, d, q))
	if bytes {
		s.Emit(asm.Make(asm.AND, lane, asm.InImm).WithImm(1).Bits(asm.Size32))
		s.Emit(asm.Make(asm.SHL, lane, asm.InImm).WithImm(3).Bits(asm.Size32))
		s.Emit(asm.Make(asm.SHRX, d, d, lane).Bits(asm.Size32))
	}
}

func (s *selector) part(v *vir.Value, d asm.Reg) {
	a, t := v.Args[0], v.Type
	x, at := s.Reg(a), int64(v.Index)
	if t.IsMask() {
		if at > 0 {
			s.Emit(asm.Make(maskShiftRight.of(a.Type.Lanes), d, x, asm.InImm).WithImm(at * int64(t.Lanes)))
			x = d
		}
		if (v.Index+1)*t.Lanes < a.Type.Lanes || at == 0 {
			if t.Lanes >= 8 {
				s.Emit(asm.Make(maskMove.exactly(t.Lanes), d, x))
				return
			}
			k := s.M.NewReg(asm.ClassMask)
			s.maskInto(k, t.Lanes, true)
			s.Emit(asm.Make(asm.KANDW, d, x, k))
		}
		return
	}
	if t.Lanes == 1 { // a vector of one lane is a scalar
		s.Fail("part of one lane: %s", vir.FormatValue(v))
		return
	}
	switch n := t.Bits() / 8; {
	case at == 0:
		s.Move(d, x)
	case n == 32:
		s.Emit(asm.Make(asm.VEXTRACTI64X4, d, x, asm.InImm).WithImm(at).Len(asm.V512))
	case n == 16:
		s.Emit(asm.Make(asm.VEXTRACTI32X4, d, x, asm.InImm).WithImm(at).Len(isel.Length(a.Type)))
	default:
		if from := at * int64(n) / 16; from > 0 {
			s.Emit(asm.Make(asm.VEXTRACTI32X4, d, x, asm.InImm).WithImm(from).Len(isel.Length(a.Type)))
			x = d
		}
		s.Emit(asm.Make(asm.VPSRLDQI, d, x, asm.InImm).WithImm(at * int64(n) % 16).Len(asm.V128))
	}
}

// concat joins the operands of v.
func (s *selector) concat(v *vir.Value, d asm.Reg) {
	regs := make([]asm.Reg, len(v.Args))
	for i, a := range v.Args {
		regs[i] = s.Reg(a)
	}
	s.joinParts(d, regs, v.Args[0].Type)
}

// joinParts concatenates registers of type t into d, pair by pair.
func (s *selector) joinParts(d asm.Reg, regs []asm.Reg, t vir.Type) {
	for len(regs) > 1 {
		var next []asm.Reg
		for i := 0; i+1 < len(regs); i += 2 {
			r := d
			if len(regs) > 2 {
				r = s.NewReg(vir.Type{Elem: t.Elem, Lanes: 2 * t.Lanes})
			}
			s.join(r, regs[i], regs[i+1], t)
			next = append(next, r)
		}
		if len(regs)%2 != 0 {
			s.Fail("cannot join %d parts of %s", len(regs), t)
			return
		}
		regs = next
		t.Lanes *= 2
	}
}

// join concatenates lo and hi, both of type t, into d.
func (s *selector) join(d, lo, hi asm.Reg, t vir.Type) {
	if t.IsMask() {
		if t.Lanes >= 8 {
			s.Emit(asm.Make(maskJoin.exactly(t.Lanes), d, hi, lo))
			return
		}
		s.Emit(asm.Make(asm.KSHIFTLW, d, hi, asm.InImm).WithImm(int64(t.Lanes)))
		s.Emit(asm.Make(asm.KORW, d, d, lo))
		return
	}
	switch t.Bits() / 8 {
	case 32:
		s.Emit(asm.Make(asm.VINSERTI64X4, d, lo, hi, asm.InImm).WithImm(1).Len(asm.V512))
	case 16:
		s.Emit(asm.Make(asm.VINSERTI32X4, d, lo, hi, asm.InImm).WithImm(1).Len(asm.V256))
	case 8:
		s.Emit(asm.Make(asm.VPUNPCKLQDQ, d, lo, hi).Len(asm.V128))
	case 4:
		s.Emit(asm.Make(asm.VPUNPCKLDQ, d, lo, hi).Len(asm.V128))
	case 2:
		s.Emit(asm.Make(asm.VPUNPCKLWD, d, lo, hi).Len(asm.V128))
	default:
		s.Fail("no join of two %s", t)
	}
}

// shuffle permutes by a constant index vector. Bytes of operands of up to 16 bytes are extracted
// from each operand separately; bytes of longer operands are permuted as words.
func (s *selector) shuffle(v *vir.Value, d asm.Reg) {
	t := v.Args[0].Type
	size, n := t.Elem.Size(), t.Lanes
	x, y := s.Reg(v.Args[0]), s.Reg(v.Args[1])
	vl := isel.Length(t)
	if isel.Length(v.Type) > vl {
		vl = isel.Length(v.Type)
	}
	if op, imm, ok := isel.JoinOf(v.Lanes, n, size, vl); ok {
		in := asm.Make(op, d, x, y)
		if op == asm.VSHUFI32X4 || op == asm.VSHUFPS {
			in = asm.Make(op, d, x, y, asm.InImm).WithImm(imm)
		}
		s.Emit(in.Len(vl))
		return
	}
	if size == 1 && n <= 16 && len(v.Lanes) <= 16 {
		s.ShuffleBytes(v, d, x, y)
		return
	}
	if x == y && size >= 4 {
		s.shuffleOne(v, d, x, vl)
		return
	}
	if size == 1 {
		wx, wy := s.M.NewReg(asm.ClassVec), s.M.NewReg(asm.ClassVec)
		s.Emit(asm.Make(asm.VPMOVZXBW, wx, x).Len(asm.V512))
		s.Emit(asm.Make(asm.VPMOVZXBW, wy, y).Len(asm.V512))
		x, y, size, vl = wx, wy, 2, asm.V512
	}
	per := vl.Bytes() / size // the second operand's lanes start here
	index := make([]uint64, per)
	for i, from := range v.Lanes {
		if from >= n {
			from += per - n
		}
		index[i] = uint64(from)
	}
	q := s.M.NewReg(asm.ClassVec)
	s.Emit(asm.Make(asm.VMOVDQU32, q, asm.InMem).WithMem(s.PooledLanes(size, index)).Len(vl))
	op := isel.ElementOps{0, asm.VPERMI2W, asm.VPERMI2D, asm.VPERMI2Q}[isel.Log2(size)]
	s.Emit(asm.Make(op, q, x, y).Len(vl))
	if t.Elem.Size() == 1 {
		s.Emit(asm.Make(asm.VPMOVWB, d, q).Len(vl))
		return
	}
	s.Move(d, q)
}

// shuffleOne permutes the elements of 32 or 64 bits of one vector.
func (s *selector) shuffleOne(v *vir.Value, d, x asm.Reg, vl asm.VL) {
	t := v.Args[0].Type
	size := t.Elem.Size()
	if imm, ok := isel.WithinSixteen(v.Lanes, t.Lanes, size); ok {
		s.Emit(asm.Make(asm.VPSHUFD, d, x, asm.InImm).WithImm(imm).Len(vl))
		return
	}
	index := make([]uint64, vl.Bytes()/size)
	for i, from := range v.Lanes {
		index[i] = uint64(from % t.Lanes)
	}
	if size == 8 && vl == asm.V256 {
		imm := index[0] | index[1]<<2 | index[2]<<4 | index[3]<<6
		s.Emit(asm.Make(asm.VPERMQI, d, x, asm.InImm).WithImm(int64(imm)).Len(vl))
		return
	}
	q := s.M.NewReg(asm.ClassVec)
	s.Emit(asm.Make(asm.VMOVDQU32, q, asm.InMem).WithMem(s.PooledLanes(size, index)).Len(vl))
	s.Emit(asm.Make(isel.ElementOps{0, 0, asm.VPERMD, asm.VPERMQ}[isel.Log2(size)], d, q, x).Len(vl))
}

// rearrange emits Compress or Expand.
func (s *selector) rearrange(v *vir.Value, d asm.Reg) {
	op := [2]asm.Op{asm.VPCOMPRESSD, asm.VPCOMPRESSQ}
	if v.Op == vir.Expand {
		op = [2]asm.Op{asm.VPEXPANDD, asm.VPEXPANDQ}
	}
	s.Emit(asm.Make(op[v.Type.Elem.Size()/8], d, s.Reg(v.Args[0])).Len(isel.Length(v.Type)).Zero(s.Reg(v.Args[1])))
}

// rank expands 0, 1, 2, ... into the active lanes. In an inactive lane it subtracts from its number
// that of the inactive lanes below it.
func (s *selector) rank(v *vir.Value, d asm.Reg) {
	lanes := make([]uint64, v.Type.Lanes)
	for i := range lanes {
		lanes[i] = uint64(i)
	}
	q := s.M.NewReg(asm.ClassVec)
	vl := isel.Length(v.Type)
	s.Emit(asm.Make(asm.VMOVDQU32, q, asm.InMem).WithMem(s.PooledLanes(4, lanes)).Len(vl))
	m, idle, others := s.Reg(v.Args[0]), s.M.NewReg(asm.ClassMask), s.M.NewReg(asm.ClassVec)
	s.Emit(asm.Make(asm.VPEXPANDD, d, q).Len(vl).Zero(m))
	s.Emit(asm.Make(asm.KNOTW, idle, m))
	s.Emit(asm.Make(asm.VPEXPANDD, others, q).Len(vl).Zero(idle))
	s.Emit(asm.Make(asm.VPSUBD, d, q, others).Len(vl).Merge(idle))
}
