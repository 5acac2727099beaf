package asm

// fixup is a 32-bit rip-relative field that refers to a label or a pool constant.
type fixup struct {
	at  int // offset of the field
	end int // offset of the end of its instruction
	mem Mem
}

// encoder appends instructions to buf.
type encoder struct {
	buf    []byte
	fixups []fixup
	opt    Options
}

// Encode appends the bytes of one instruction to dst. Instructions that name a
// label or a constant need Assemble.
func Encode(dst []byte, in *Inst, opt Options) ([]byte, error) {
	e := encoder{buf: dst, opt: opt}
	c, ok := choose(in, opt)
	if !ok {
		return dst, explain(in, -1)
	}
	if c.f.args[0] == label || in.Op.Is(Pseudo) || in.hasMem() && in.Mem.Kind != MemAddr {
		return dst, &Error{Index: -1, Text: Format(in), Msg: "labels and constants need Assemble"}
	}
	e.inst(in, c)
	return e.buf, nil
}

// hasMem reports whether in has a memory operand.
func (in *Inst) hasMem() bool {
	return in.Args[0] == InMem || in.Args[1] == InMem || in.Args[2] == InMem || in.Args[3] == InMem
}

// fields holds the register numbers of an instruction by encoding field.
type fields struct {
	reg, rm, vvvv, op uint8
	imm4              uint8 // a register in the upper half of an immediate
	memory            bool
	imm               arg // kind of the immediate, kNone if there is none
}

// place sorts the operands of in into encoding fields.
func (f *form) place(in *Inst) (p fields) {
	for i, a := range f.args {
		if a == 0 {
			break
		}
		x := in.Args[i]
		n := uint8(x & 31)
		switch a.place() {
		case pReg:
			p.reg = n
		case pRM:
			if x == InMem {
				p.memory = true
			} else {
				p.rm = n
			}
		case pV:
			p.vvvv = n
		case pOp:
			p.op = n
		case pAll:
			p.reg, p.rm, p.vvvv = n, n, n
		case pImm:
			p.imm, p.imm4 = kImm8, n
		default:
			if x == InImm {
				p.imm = a.kind()
			}
		}
	}
	if d := f.enc >> digitShift & 15; d != 0 {
		p.reg = uint8(d - 1)
	}
	return p
}

// inst appends an instruction that has a form and is not a jump to a label.
func (e *encoder) inst(in *Inst, c choice) {
	p := c.f.place(in)
	enc := c.f.enc
	opcode := enc.opcode()
	scale := 1
	switch {
	case enc&kindBits == legacy:
		opcode = e.legacyPrefix(in, c.f, &p)
	case c.asVEX:
		if enc&swap != 0 && !p.memory && p.rm >= 8 && p.reg < 8 {
			p.reg, p.rm = p.rm, p.reg
			enc, opcode = reversed(enc)
		}
		e.vexPrefix(in, enc, &p, opcode)
	default:
		e.evexPrefix(in, enc, &p)
		scale = c.memory
	}
	e.buf = append(e.buf, opcode|p.op&7)
	immBytes := immSize(p.imm, in.Size)
	if enc&ones != 0 && !c.asVEX {
		immBytes = 1
	}
	switch {
	case enc&nomr != 0:
	case p.memory:
		e.address(in, p.reg, scale, immBytes)
	default:
		e.buf = append(e.buf, 0xC0|p.reg&7<<3|p.rm&7)
	}
	v := in.Imm | int64(p.imm4)<<4
	if enc&ones != 0 {
		v = 0xFF
	}
	for ; immBytes > 0; immBytes-- {
		e.buf = append(e.buf, byte(v))
		v >>= 8
	}
}

// reversed returns the store form of a load, for exchanged registers: 10/11, 28/29, 6F/7F,
// and F3.7E/66.D6 of vmovq.
func reversed(e enc) (enc, byte) {
	switch e.opcode() {
	case 0x7E:
		return e&^pF2 | p66, 0xD6
	case 0x6F:
		return e, 0x7F
	}
	return e, e.opcode() + 1
}

func immSize(k arg, s Size) int {
	switch k {
	case kImm8, kImm8s:
		return 1
	case kImmZ:
		switch s {
		case Size8:
			return 1
		case Size16:
			return 2
		}
		return 4
	case kImm64:
		return 8
	}
	return 0
}

// legacyPrefix appends the prefixes and escape bytes and returns the opcode.
func (e *encoder) legacyPrefix(in *Inst, f *form, p *fields) byte {
	enc := f.enc
	if in.Size == Size16 && enc.sizes() != 0 {
		e.buf = append(e.buf, 0x66)
	}
	if enc&lock != 0 {
		e.buf = append(e.buf, 0xF0)
	}
	if pp := enc.pp(); pp != 0 {
		e.buf = append(e.buf, [4]byte{0, 0x66, 0xF3, 0xF2}[pp])
	}
	var rex byte
	if enc&w1 != 0 || in.Size == Size64 && enc.sizes() != 0 {
		rex = 0x48
	}
	rex |= p.reg >> 3 << 2
	if p.memory {
		rex |= in.Mem.rexBits()
	} else {
		rex |= p.rm>>3 | p.op>>3
	}
	if rex == 0 {
		// Without a REX prefix the encodings of spl, bpl, sil and dil mean ah..bh.
		for i, a := range f.args {
			k := a.kind()
			if x := in.Args[i]; x >= RSP && x <= RDI && (k == kG8 || k == kG && in.Size == Size8) {
				rex = 0x40
			}
		}
	}
	if rex != 0 {
		e.buf = append(e.buf, rex|0x40)
	}
	switch enc.opmap() {
	case 1:
		e.buf = append(e.buf, 0x0F)
	case 2:
		e.buf = append(e.buf, 0x0F, 0x38)
	case 3:
		e.buf = append(e.buf, 0x0F, 0x3A)
	}
	opcode := enc.opcode()
	if enc&wbit != 0 && in.Size != Size8 {
		opcode |= 1
	}
	if enc&cc != 0 {
		opcode += byte(in.Cond & 15)
	}
	return opcode
}

// rexBits returns the X and B bits of an address with general registers.
func (m *Mem) rexBits() (b byte) {
	if m.Kind != MemAddr {
		return 0
	}
	if m.Index != NoReg {
		b = byte(m.Index) >> 3 & 1 << 1
	}
	if m.Base != NoReg {
		b |= byte(m.Base) >> 3 & 1
	}
	return b
}

// vexPrefix appends the two-byte prefix if it suffices, else the three-byte one (SDM 2.3.5).
func (e *encoder) vexPrefix(in *Inst, enc enc, p *fields, opcode byte) {
	w := byte(0)
	wbits := enc >> 16 & 3
	if enc&kindBits == evex {
		wbits = enc>>34&3 - 1
	}
	if wbits == 1 || wbits == 2 && in.Size == Size64 {
		w = 0x80
	}
	xb := p.rm >> 3
	if p.memory {
		xb = in.Mem.rexBits()
	}
	tail := ^p.vvvv & 15 << 3
	if enc&vl1 != 0 || enc.vls() != 0 && in.VL == V256 {
		tail |= 4
	}
	tail |= enc.pp()
	notR := ^p.reg >> 3 & 1 << 7
	if m := enc.opmap(); m != 1 || w != 0 || xb != 0 {
		e.buf = append(e.buf, 0xC4, notR|(^xb&3)<<5|m, w|tail)
	} else {
		e.buf = append(e.buf, 0xC5, notR|tail)
	}
}

// evexPrefix appends the four-byte prefix (SDM 2.7.1).
func (e *encoder) evexPrefix(in *Inst, enc enc, p *fields) {
	p0 := enc.opmap() | ^p.reg>>3&1<<7 | ^p.reg>>4&1<<4
	vTop := p.vvvv >> 4 // V': the fifth bit of vvvv, or of a vector index
	if p.memory {
		p0 |= (^in.Mem.rexBits() & 3) << 5
		if in.Mem.Index.Class() == ClassVec {
			vTop = byte(in.Mem.Index) >> 4 & 1
		}
	} else {
		p0 |= ^p.rm>>3&1<<5 | ^p.rm>>4&1<<6
	}
	p1 := ^p.vvvv&15<<3 | 4 | enc.pp()
	if enc&w1 != 0 || enc&ws != 0 && in.Size == Size64 {
		p1 |= 0x80
	}
	p2 := ^vTop & 1 << 3
	if enc.vls() != 0 {
		p2 |= in.VL.ll() << 5
	}
	if in.K != NoReg {
		p2 |= byte(in.K & 7)
		if in.Zeroing {
			p2 |= 0x80
		}
	}
	switch {
	case in.Round == RoundSAE:
		p2 = p2&^0x60 | 0x10
	case in.Round != RoundNone:
		p2 = p2&^0x60 | byte(in.Round-RoundRN)<<5 | 0x10
	case p.memory && in.Mem.Broadcast:
		p2 |= 0x10
	}
	e.buf = append(e.buf, 0x62, p0, p1, p2)
}

// address appends ModRM, SIB and displacement. A one-byte displacement is in units of scale
// bytes; immBytes bytes of immediate follow the address.
func (e *encoder) address(in *Inst, reg uint8, scale, immBytes int) {
	m := &in.Mem
	r := reg & 7 << 3
	if m.Kind != MemAddr {
		e.buf = append(e.buf, r|5)
		at := len(e.buf)
		e.fixups = append(e.fixups, fixup{at: at, end: at + 4 + immBytes, mem: *m})
		e.buf = append(e.buf, 0, 0, 0, 0)
		return
	}
	base, index := byte(m.Base&7), byte(m.Index&7)
	ss := [9]byte{2: 1 << 6, 4: 2 << 6, 8: 3 << 6}[m.Scale]
	if m.Base == NoReg {
		if m.Index == NoReg {
			index, ss = 4, 0
		}
		e.buf = append(e.buf, r|4, ss|index<<3|5)
		e.disp32(m.Disp)
		return
	}
	mod := byte(0x80)
	short := m.Disp / int32(scale)
	switch {
	case m.Disp == 0 && base != 5: // rbp and r13 have no form without displacement
		mod = 0
	case short*int32(scale) == m.Disp && short == int32(int8(short)):
		mod = 0x40
	}
	switch {
	case m.Index != NoReg:
		e.buf = append(e.buf, mod|r|4, ss|index<<3|base)
	case base == 4: // rsp and r12 need a SIB byte
		e.buf = append(e.buf, mod|r|4, 4<<3|base)
	default:
		e.buf = append(e.buf, mod|r|base)
	}
	switch mod {
	case 0x40:
		e.buf = append(e.buf, byte(short))
	case 0x80:
		e.disp32(m.Disp)
	}
}

func (e *encoder) disp32(d int32) {
	e.buf = append(e.buf, byte(d), byte(d>>8), byte(d>>16), byte(d>>24))
}
