package avx2

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
		s.splat(v, d)
	case vir.Iota:
		lanes := make([]uint64, v.Type.Lanes)
		for i := range lanes {
			lanes[i] = uint64(v.Index+i) & v.Type.Elem.Mask()
		}
		s.emit(v.Type, asm.Make(asm.VMOVDQU32, d, asm.InMem).WithMem(s.PooledLanes(v.Type.Elem.Size(), lanes)))
	case vir.Any:
		s.testAny(v.Args[0])
		s.SetCond(d, asm.CondNE)
	case vir.All:
		s.SetCond(d, s.testAll(v.Args[0]))
	case vir.Count:
		per := s.exactBits(d, v.Args[0])
		s.Emit(asm.Make(asm.POPCNT, d, d).Bits(asm.Size32))
		if per == 2 {
			s.Emit(asm.Make(asm.SHR, d, asm.InImm).WithImm(1).Bits(asm.Size32))
		}
	case vir.Bits:
		s.laneBits(d, v.Args[0])
	case vir.Unbits:
		s.unbits(v, d)
	case vir.Extract:
		s.extract(v, d)
	case vir.Insert:
		s.insert(v, d)
	case vir.First:
		s.first(v, d)
	case vir.Rank:
		s.rank(v, d)
	case vir.Part:
		s.part(v, d)
	case vir.Concat:
		s.concat(v, d)
	case vir.Shuffle:
		s.shuffle(v, d)
	case vir.Resize:
		s.resize(v, d)
	default:
		s.Fail("no selection for %s", vir.FormatValue(v))
	}
}

// splat broadcasts a scalar, from memory if it is a load without other uses. In masks it is
// negated.
func (s *selector) splat(v *vir.Value, d asm.Reg) {
	a, t := v.Args[0], v.Type
	op := isel.BroadcastMem[log(t)]
	switch {
	case t.IsMask():
		n := s.M.NewReg(asm.ClassGPR)
		s.Move(n, s.Reg(a))
		s.Emit(asm.Make(asm.NEG, n).Bits(asm.Size64))
		low := s.temp(t)
		s.Emit(asm.Make(asm.VMOVQ, low, n))
		s.emit(t, asm.Make(op, d, low))
	case s.Own(a) && s.Folds(a):
		s.emit(t, asm.Make(op, d, asm.InMem).WithMem(s.Address(a.Args[0], a.Disp)))
	case isel.Class(a.Type) == asm.ClassVec:
		s.emit(t, asm.Make(op, d, s.Reg(a)))
	default:
		low := s.temp(t)
		s.Emit(asm.Make(asm.VMOVQ, low, s.Reg(a)))
		s.emit(t, asm.Make(op, d, low))
	}
}

// unbits tests bit i of a scalar in lane i.
func (s *selector) unbits(v *vir.Value, d asm.Reg) {
	t := v.Type
	size := t.LaneBits() / 8
	low, all, bit := s.temp(t), s.temp(t), s.temp(t)
	s.Emit(asm.Make(asm.VMOVQ, low, s.Reg(v.Args[0])))
	n := isel.Length(t).Bytes() / size // lanes of the register
	lanes := make([]uint64, n)
	for i := range lanes {
		if i < t.Lanes {
			lanes[i] = 1 << (i % min(8*size, 32))
		}
	}
	if size == 1 && t.Lanes > 8 { // byte i/8 for lane i
		four, index := s.temp(t), make([]uint64, n)
		for i := range index {
			index[i] = uint64(i / 8)
		}
		for i := range lanes {
			lanes[i] = 1 << (i % 8)
		}
		s.emit(t, asm.Make(asm.VPBROADCASTD, four, low))
		s.emit(t, asm.Make(asm.VPSHUFB, all, four, asm.InMem).WithMem(s.PooledLanes(1, index)))
	} else {
		s.emit(t, asm.Make(isel.BroadcastMem[log(t)], all, low))
	}
	bits := s.temp(t)
	s.emit(t, asm.Make(asm.VMOVDQU32, bits, asm.InMem).WithMem(s.PooledLanes(size, lanes)))
	s.emit(t, asm.Make(asm.VPANDD, bit, all, bits))
	s.emit(t, asm.Make(compareEqual[log(t)], d, bit, bits))
}

// lowSixteen returns a register whose low 16 bytes contain lane at of x, and its number there.
func (s *selector) lowSixteen(x asm.Reg, t vir.Type, at int) (asm.Reg, int) {
	per := 128 / t.LaneBits()
	if at < per {
		return x, at
	}
	q := s.M.NewReg(asm.ClassVec)
	s.Emit(asm.Make(asm.VEXTRACTI32X4, q, x, asm.InImm).WithImm(1).Len(asm.V256))
	return q, at - per
}

func (s *selector) extract(v *vir.Value, d asm.Reg) {
	a := v.Args[0]
	t := a.Type
	if t.IsMask() {
		per := s.maskBits(d, a)
		if at := v.Index * per; at > 0 {
			s.Emit(asm.Make(asm.SHR, d, asm.InImm).WithImm(int64(at)).Bits(asm.Size32))
		}
		s.Emit(asm.Make(asm.AND, d, asm.InImm).WithImm(1).Bits(asm.Size32))
		return
	}
	size := t.Elem.Size()
	x, at := s.lowSixteen(s.Reg(a), t, v.Index)
	switch {
	case isel.Class(v.Type) == asm.ClassVec && at == 0:
		s.Move(d, x)
	case isel.Class(v.Type) == asm.ClassVec:
		s.Emit(asm.Make(asm.VPSRLDQI, d, x, asm.InImm).WithImm(int64(at * size)).Len(asm.V128))
	case at == 0 && size >= 4:
		s.Emit(asm.Make(isel.ElementOps{0, 0, asm.VMOVD, asm.VMOVQ}[log(t)], d, x))
	default:
		op := isel.ElementOps{asm.VPEXTRB, asm.VPEXTRW, asm.VPEXTRD, asm.VPEXTRQ}[log(t)]
		s.Emit(asm.Make(op, d, x, asm.InImm).WithImm(int64(at)))
	}
}

// insert inserts the scalar into 16 bytes, from memory if it is a load without other uses, or
// blends a broadcast.
func (s *selector) insert(v *vir.Value, d asm.Reg) {
	t, from := v.Type, v.Args[1]
	if t.Bits() <= 128 {
		x := s.Reg(v.Args[0])
		if t.Elem != alu.F64 && s.Folds(from) {
			s.Emit(isel.InsertShort(t.Elem, d, x, asm.InMem, v.Index).WithMem(s.Address(from.Args[0], from.Disp)))
			return
		}
		y := s.Reg(from)
		s.Emit(isel.InsertShort(t.Elem, d, x, y, v.Index))
		return
	}
	x, y := s.Reg(v.Args[0]), s.Reg(from)
	if size := t.Elem.Size(); size >= 4 {
		all := s.temp(t)
		if isel.Class(from.Type) == asm.ClassGPR {
			low := s.temp(t)
			s.Emit(asm.Make(asm.VMOVQ, low, y))
			y = low
		}
		s.emit(t, asm.Make(isel.BroadcastMem[log(t)], all, y))
		n := size / 4
		s.emit(t, asm.Make(asm.VPBLENDD, d, x, all, asm.InImm).WithImm((1<<n-1)<<(v.Index*n)))
		return
	}
	per := 16 / t.Elem.Size()
	at := int64(v.Index / per)
	half, changed := s.M.NewReg(asm.ClassVec), s.M.NewReg(asm.ClassVec)
	s.Emit(asm.Make(asm.VEXTRACTI32X4, half, x, asm.InImm).WithImm(at).Len(asm.V256))
	s.Emit(isel.InsertShort(t.Elem, changed, half, y, v.Index%per))
	s.Emit(asm.Make(asm.VINSERTI32X4, d, x, changed, asm.InImm).WithImm(at).Len(asm.V256))
}

// first permutes the first active lane to the front: lane 0 if no lane is active, as the number of
// trailing zeros is then 32, of which the permutations use the low bits.
func (s *selector) first(v *vir.Value, d asm.Reg) {
	a, m := v.Args[0], v.Args[1]
	t := a.Type
	x, lane, index, q := s.Reg(a), s.M.NewReg(asm.ClassGPR), s.M.NewReg(asm.ClassVec), s.M.NewReg(asm.ClassVec)
	s.laneBits(lane, m)
	s.Emit(asm.Make(asm.TZCNT, lane, lane).Bits(asm.Size32))
	switch size := t.Elem.Size(); {
	case size >= 4:
		if size == 8 { // two indices of 32 bits
			s.Emit(asm.Make(asm.ADD, lane, lane).Bits(asm.Size32))
			s.Emit(asm.Make(asm.VMOVD, index, lane))
			both := s.M.NewReg(asm.ClassVec)
			s.Emit(asm.Make(asm.VPBROADCASTD, both, index).Len(asm.V128))
			index = s.M.NewReg(asm.ClassVec)
			s.Emit(asm.Make(asm.VPORD, index, both, asm.InMem).WithMem(s.PooledLanes(4, []uint64{0, 1, 0, 0})).Len(asm.V128))
		} else {
			s.Emit(asm.Make(asm.VMOVD, index, lane))
		}
		s.Emit(asm.Make(asm.VPERMD, q, index, x).Len(asm.V256))
	default:
		// The number of the first byte; of a word also the next.
		if size == 2 {
			scaled := s.M.NewReg(asm.ClassGPR)
			s.Emit(asm.Make(asm.IMUL3, scaled, lane, asm.InImm).WithImm(0x202).Bits(asm.Size32))
			s.Emit(asm.Make(asm.ADD, scaled, asm.InImm).WithImm(0x100).Bits(asm.Size32))
			lane = scaled
		}
		if t.Bits() == registerBits {
			s.firstOfTwo(t, lane, x, q)
			break
		}
		s.Emit(asm.Make(asm.VMOVD, index, lane))
		s.Emit(asm.Make(asm.VPSHUFB, q, x, index).Len(asm.V128))
	}
	switch {
	case isel.Class(v.Type) == asm.ClassVec:
		s.Move(d, q)
	case t.Elem.Size() == 8:
		s.Emit(asm.Make(asm.VMOVQ, d, q))
	default:
		s.Emit(asm.Make(asm.VMOVD, d, q))
	}
}

// firstOfTwo permutes bytes or words of 32 bytes: first the 4 bytes that contain them, whose index
// is a quarter of that of the byte, then those in the lowest 16 bytes.
func (s *selector) firstOfTwo(t vir.Type, lane, x, q asm.Reg) {
	word, index, four, low := s.M.NewReg(asm.ClassGPR), s.M.NewReg(asm.ClassVec), s.M.NewReg(asm.ClassVec), s.M.NewReg(asm.ClassVec)
	s.Move(word, lane)
	s.Emit(asm.Make(asm.SHR, word, asm.InImm).WithImm(2).Bits(asm.Size32))
	s.Emit(asm.Make(asm.VMOVD, index, word))
	s.Emit(asm.Make(asm.VPERMD, four, index, x).Len(asm.V256))
	part := s.M.NewReg(asm.ClassGPR)
	s.Move(part, lane)
	mask := int64(3)
	if t.Elem.Size() == 2 {
		mask = 0x303
	}
	s.Emit(asm.Make(asm.AND, part, asm.InImm).WithImm(mask).Bits(asm.Size32))
	s.Emit(asm.Make(asm.VMOVD, low, part))
	s.Emit(asm.Make(asm.VPSHUFB, q, four, low).Len(asm.V128))
}

// rank counts the active lanes below each: it gives each active lane a byte that is 1, adds them up
// by a multiplication, and extends the bytes.
func (s *selector) rank(v *vir.Value, d asm.Reg) {
	t, m := v.Type, v.Args[0]
	bits, ones, factor, below := s.M.NewReg(asm.ClassGPR), s.M.NewReg(asm.ClassGPR), s.M.NewReg(asm.ClassGPR), s.M.NewReg(asm.ClassGPR)
	s.exactBits(bits, m)
	s.Emit(asm.MoveImm(factor, 0x0101010101010101))
	s.Emit(asm.Make(asm.PDEP, ones, bits, factor).Bits(asm.Size64))
	s.Move(below, ones)
	s.Emit(asm.Make(asm.IMUL, below, factor).Bits(asm.Size64))
	s.Emit(asm.Make(asm.SUB, below, ones).Bits(asm.Size64)) // without the lane itself
	low := s.temp(t)
	s.Emit(asm.Make(asm.VMOVQ, low, below))
	s.emit(t, asm.Make(asm.VPMOVZXBD, d, low))
}

func (s *selector) part(v *vir.Value, d asm.Reg) {
	a := v.Args[0]
	x, n := s.Reg(a), v.Type.Bits()/8
	at := v.Index * n
	if at >= 16 {
		r := d
		if at > 16 {
			r = s.M.NewReg(asm.ClassVec)
		}
		s.Emit(asm.Make(asm.VEXTRACTI32X4, r, x, asm.InImm).WithImm(1).Len(asm.V256))
		if at -= 16; at == 0 {
			return
		}
		x = r
	}
	if at == 0 {
		s.Move(d, x)
		return
	}
	s.Emit(asm.Make(asm.VPSRLDQI, d, x, asm.InImm).WithImm(int64(at)).Len(asm.V128))
}

// concat joins the operands of v.
func (s *selector) concat(v *vir.Value, d asm.Reg) {
	if s.packParts(v, d) {
		return
	}
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
				r = s.NewReg(t.Part(2 * t.Lanes))
			}
			s.join(r, regs[i], regs[i+1], t)
			next = append(next, r)
		}
		if len(regs)%2 != 0 {
			s.Fail("cannot join %d parts of %s", len(regs), t)
			return
		}
		regs = next
		t = t.Part(2 * t.Lanes)
	}
}

// join concatenates lo and hi, both of type t, into d.
func (s *selector) join(d, lo, hi asm.Reg, t vir.Type) {
	switch t.Bits() / 8 {
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

// shuffle permutes lanes: within 16 bytes by bytes, else each operand by itself, of which lanes are
// then blended.
func (s *selector) shuffle(v *vir.Value, d asm.Reg) {
	t := v.Args[0].Type
	size, n := t.Elem.Size(), t.Lanes
	x, y := s.Reg(v.Args[0]), s.Reg(v.Args[1])
	vl := max(isel.Length(t), isel.Length(v.Type))
	if op, imm, ok := isel.JoinOf(v.Lanes, n, size, vl); ok {
		in := asm.Make(op, d, x, y)
		switch op {
		case asm.VSHUFI32X4: // two bits for each half: of the first operand, of the second
			in = asm.Make(asm.VPERM2I128, d, x, y, asm.InImm).WithImm(imm&1 | (2+imm>>1&1)<<4)
		case asm.VSHUFPS:
			in = asm.Make(op, d, x, y, asm.InImm).WithImm(imm)
		}
		s.Emit(in.Len(vl))
		return
	}
	one := x == y
	if !one {
		first, second := false, false
		for _, l := range v.Lanes {
			first, second = first || l < n, second || l >= n
		}
		switch {
		case !second:
			one = true
		case !first:
			x, one = y, true
		}
	}
	switch {
	case one && size >= 4:
		s.permute(d, x, v.Lanes, t, vl)
	case vl == asm.V128:
		s.ShuffleBytes(v, d, x, y)
	case size >= 4:
		s.blendPermuted(v, d, x, y, vl)
	default:
		s.Fail("no shuffle of %s", t)
	}
}

// permute permutes the elements of 32 or 64 bits of one vector by lanes, which are modulo its
// number of lanes.
func (s *selector) permute(d, x asm.Reg, lanes []int, t vir.Type, vl asm.VL) {
	size := t.Elem.Size()
	if imm, ok := isel.WithinSixteen(lanes, t.Lanes, size); ok {
		s.Emit(asm.Make(asm.VPSHUFD, d, x, asm.InImm).WithImm(imm).Len(vl))
		return
	}
	n := t.Lanes
	if pairs := isel.PairsOf(lanes); size == 4 && len(lanes) == 8 && pairs != nil {
		lanes, n, size = pairs, n/2, 8
	}
	if size == 8 {
		imm := int64(0)
		for i, l := range lanes {
			imm |= int64(l%n) << (2 * i)
		}
		s.Emit(asm.Make(asm.VPERMQI, d, x, asm.InImm).WithImm(imm).Len(asm.V256))
		return
	}
	index := make([]uint64, 8)
	for i, l := range lanes {
		index[i] = uint64(l % t.Lanes)
	}
	q := s.M.NewReg(asm.ClassVec)
	s.Emit(asm.Make(asm.VMOVDQU32, q, asm.InMem).WithMem(s.PooledLanes(4, index)).Len(asm.V256))
	s.Emit(asm.Make(asm.VPERMD, d, q, x).Len(asm.V256))
}

// blendPermuted permutes both operands, unless their lanes are in place, and blends them.
func (s *selector) blendPermuted(v *vir.Value, d, x, y asm.Reg, vl asm.VL) {
	t := v.Args[0].Type
	n, dwords := t.Lanes, t.Elem.Size()/4
	var parts [2]asm.Reg
	imm := int64(0)
	for k, from := range [2]asm.Reg{x, y} {
		lanes, inPlace := make([]int, len(v.Lanes)), true
		for i, l := range v.Lanes {
			lanes[i] = i % n
			if l/n == k {
				lanes[i] = l % n
				inPlace = inPlace && l%n == i
				if k == 1 {
					imm |= (1<<dwords - 1) << (i * dwords)
				}
			}
		}
		if parts[k] = from; !inPlace {
			parts[k] = s.M.NewReg(asm.ClassVec)
			s.permute(parts[k], from, lanes, t, vl)
		}
	}
	s.Emit(asm.Make(asm.VPBLENDD, d, parts[0], parts[1], asm.InImm).WithImm(imm).Len(vl))
}
