package asm

import "strconv"

// Format returns in in GNU Intel syntax, for which GNU as produces the same bytes: labels as
// .L7, pool constants as .LC7. Instructions that cannot be encoded, such as those with virtual
// registers, are printed too.
func Format(in *Inst) string { return string(AppendFormat(nil, in, Options{})) }

// AppendFormat appends what Format returns, for the encoding that opt selects.
func AppendFormat(b []byte, in *Inst, opt Options) []byte {
	switch in.Op {
	case LABEL:
		return append(labelName(b, in.Target), ':')
	case ALIGN:
		b = strconv.AppendInt(append(b, ".balign "...), in.Imm, 10)
		if in.Mem.Disp > 0 {
			b = strconv.AppendInt(append(b, ", , "...), int64(in.Mem.Disp), 10)
		}
		return b
	}
	c, ok := choose(in, opt)
	if !ok {
		if c.f = nearest(in); c.f == nil {
			return append(b, "(bad)"...)
		}
	}
	f := c.f
	if ok && f.enc.isEVEX() && !c.asVEX && in.VL != V512 && hasVEX(in.Op) && vexOK(in.withoutDisp(), 1, Options{}) {
		b = append(b, "{evex} "...)
	}
	b = append(b, f.name...)
	if f.enc&cc != 0 {
		b = append(b, in.Cond.String()...)
	}
	sep := byte(' ')
	next := func() {
		b = append(b, sep)
		if sep == ',' {
			b = append(b, ' ')
		}
		sep = ','
	}
	round := in.Round != RoundNone
	for i, a := range f.args {
		x := in.Args[i]
		if a == 0 {
			break
		}
		if round && x == InImm {
			next()
			b = append(b, roundText[min(in.Round, RoundSAE)]...)
			round = false
		}
		next()
		b = f.operand(b, in, i)
		if i == 0 && in.K != NoReg {
			b = append(append(append(b, '{'), in.K.String()...), '}')
			if in.Zeroing {
				b = append(b, "{z}"...)
			}
		}
		if a.place() == pAll {
			for n := 1 + int(f.enc>>18&1|f.enc>>19&1); n > 0; n-- { // one more operand in legacy, two in VEX and EVEX
				next()
				b = f.operand(b, in, i)
			}
		}
	}
	if round {
		next()
		b = append(b, roundText[min(in.Round, RoundSAE)]...)
	}
	if f.enc&ones != 0 {
		b = append(b, ", 0xff"...)
	}
	return b
}

var roundText = [6]string{"", "{rn-sae}", "{rd-sae}", "{ru-sae}", "{rz-sae}", "{sae}"}

// withoutDisp returns a copy of in without its displacement, for which VEX is not longer than
// EVEX.
func (in *Inst) withoutDisp() *Inst {
	c := *in
	c.Mem.Disp = 0
	return &c
}

// hasVEX reports whether op has a VEX encoding.
func hasVEX(op Op) bool {
	r := formRange[op]
	for i := r[0]; i < r[1]; i++ {
		if e := forms[i].enc; e.isVEX() || e&(3<<34) != 0 {
			return true
		}
	}
	return false
}

// nearest returns the form with which to print an instruction that no form accepts: the last
// one with the same operand markers.
func nearest(in *Inst) *form {
	if in.Op >= numOps || in.Op == INVALID {
		return nil
	}
	r := formRange[in.Op]
	best := &forms[r[1]-1]
	for i := r[0]; i < r[1]; i++ {
		f := &forms[i]
		same := true
		for j, a := range f.args {
			k := a.kind()
			switch x := in.Args[j]; {
			case x == InMem:
				same = same && a&aMem != 0
			case x == InImm:
				same = same && k >= kImm8 && k <= kImm64
			case x.IsReg():
				same = same && kindClass(k) == x.Class()
			}
		}
		if same {
			best = f
		}
	}
	return best
}

// kindClass returns the register file of an operand kind.
func kindClass(k arg) Class {
	switch {
	case k >= kG && k <= kCL:
		return ClassGPR
	case k >= kV && k <= kE:
		return ClassVec
	case k == kK:
		return ClassMask
	}
	return ClassNone
}

// operand appends operand i.
func (f *form) operand(b []byte, in *Inst, i int) []byte {
	a, x := f.args[i], in.Args[i]
	switch {
	case a.kind() == kCL:
		return append(b, "cl"...)
	case x == InMem:
		return f.appendMem(b, in, a)
	case x == InImm:
		return appendImm(b, in, a.kind())
	case x == InLabel:
		return labelName(b, in.Target)
	case x.IsPhysical() && x.Class() == ClassGPR:
		return append(b, gprName(x.Num(), kindSize(a.kind(), in.Size))...)
	case x.IsPhysical() && x.Class() == ClassVec:
		return append(b, vecName(x.Num(), kindVL(a.kind(), in.VL))...)
	}
	return append(b, x.String()...)
}

// kindSize returns the width of a general-purpose operand.
func kindSize(k arg, s Size) Size {
	switch k {
	case kG8:
		return Size8
	case kG16:
		return Size16
	case kG32:
		return Size32
	case kG64:
		return Size64
	}
	return s
}

// kindVL returns the length of a vector operand.
func kindVL(k arg, v VL) VL {
	switch k {
	case kX:
		return V128
	case kY:
		return V256
	case kH, kVMH:
		return VLBytes(v.Bytes() / 2)
	case kQ:
		return VLBytes(v.Bytes() / 4)
	case kE:
		return VLBytes(v.Bytes() / 8)
	}
	return v
}

// pointerName returns the prefix that gives the size of a memory operand.
func pointerName(bytes int) string {
	switch bytes {
	case 1:
		return "BYTE PTR "
	case 2:
		return "WORD PTR "
	case 4:
		return "DWORD PTR "
	case 8:
		return "QWORD PTR "
	case 16:
		return "XMMWORD PTR "
	case 32:
		return "YMMWORD PTR "
	case 64:
		return "ZMMWORD PTR "
	}
	return ""
}

func (f *form) appendMem(b []byte, in *Inst, a arg) []byte {
	m := &in.Mem
	bytes := f.operandBytes(a, in)
	switch {
	case m.Broadcast:
		bytes = f.enc.elem()
	case a.kind() == kV && f.enc&(15<<30) == tScalar:
		bytes = in.VL.Bytes() // compress and expand: up to the whole vector
	}
	b = append(b, pointerName(bytes)...)
	switch {
	case m.Kind == MemConst:
		b = append(b, "[rip+.LC"...)
		b = strconv.AppendInt(b, int64(m.Const), 10)
		b = append(appendDisp(b, m.Disp), ']')
	case m.Kind == MemLabel:
		b = labelName(append(b, "[rip+"...), m.Label)
		b = append(appendDisp(b, m.Disp), ']')
	case m.Base == NoReg && m.Index == NoReg:
		b = append(b, "ds:0x"...)
		b = strconv.AppendUint(b, uint64(int64(m.Disp)), 16)
	default:
		b = append(b, '[')
		if m.Base != NoReg {
			b = append(b, m.Base.String()...)
			if m.Index != NoReg {
				b = append(b, '+')
			}
		}
		if m.Index != NoReg {
			if m.Index.IsPhysical() && m.Index.Class() == ClassVec {
				b = append(b, vecName(m.Index.Num(), kindVL(a.kind(), in.VL))...)
			} else {
				b = append(b, m.Index.String()...)
			}
			b = append(b, '*', '0'+max(m.Scale, 1))
		}
		b = append(appendDisp(b, m.Disp), ']')
	}
	if m.Broadcast {
		if n := f.enc.memBytes(in.VL) / f.enc.elem(); n > 1 {
			b = append(b, "{1to"...)
			b = append(strconv.AppendInt(b, int64(n), 10), '}')
		}
	}
	return b
}

// appendDisp appends a displacement with its sign, nothing for zero.
func appendDisp(b []byte, d int32) []byte {
	switch {
	case d > 0:
		b = append(b, "+0x"...)
	case d < 0:
		b = append(b, "-0x"...)
	default:
		return b
	}
	v := int64(d)
	return strconv.AppendInt(b, max(v, -v), 16)
}

// appendImm appends an immediate: small ones in decimal, the others in hex.
func appendImm(b []byte, in *Inst, k arg) []byte {
	v := in.Imm
	if k == kImm8 {
		v = int64(uint8(v))
	}
	if v > -10 && v < 10 {
		return strconv.AppendInt(b, v, 10)
	}
	if v < 0 {
		return strconv.AppendUint(append(b, "-0x"...), -uint64(v), 16)
	}
	return strconv.AppendInt(append(b, "0x"...), v, 16)
}

func labelName(b []byte, l Label) []byte {
	return strconv.AppendInt(append(b, ".L"...), int64(l), 10)
}
