package frame

// Stubs are the yield and resume stubs as machine code. They hold no absolute
// address and no relocation, so a code generator appends Code to its module
// at any offset and jumps to that offset plus Yield; the module's Resume entry
// is that offset plus Resume.
type Stubs struct {
	Code   []byte
	Yield  int // offset in Code of the yield stub; enter with the continuation in r15
	Resume int // offset in Code of the resume stub; enter with the frame address in rdi
}

// Hardware numbers of the registers with a part to play.
const (
	rsp = 4
	rdi = 7
	r14 = 14
	r15 = 15
)

// NewStubs assembles the two stubs. The result is the same bytes every time.
func NewStubs() Stubs {
	var e emitter
	stubs := Stubs{Yield: 0}

	e.moveToFrame(ResumeOffset, r15)
	for n := range GPRCount {
		if savedGPR(n) {
			e.moveToFrame(GPRsOffset+8*n, n)
		}
	}
	for n := range MaskCount {
		e.mask(opMaskStore, MasksOffset+8*n, n)
	}
	for n := range VectorCount {
		e.vector(opVectorStore, VectorsOffset+64*n, n)
	}
	e.markYielded()
	e.bytes(0xC3) // ret

	for len(e.code)%16 != 0 {
		e.bytes(0xF4) // hlt: never reached; faults if it is
	}
	stubs.Resume = len(e.code)
	e.bytes(0x49, 0x89, 0xFE) // mov r14, rdi
	for n := range VectorCount {
		e.vector(opVectorLoad, VectorsOffset+64*n, n)
	}
	for n := range MaskCount {
		e.mask(opMaskLoad, MasksOffset+8*n, n)
	}
	for n := range GPRCount {
		if savedGPR(n) {
			e.moveFromFrame(GPRsOffset+8*n, n)
		}
	}
	e.moveFromFrame(FuelOffset, r15)
	e.jumpThrough(ResumeOffset)

	stubs.Code = e.code
	return stubs
}

// savedGPR tells whether general register n has a value of its own to keep:
// rsp is the caller's, r14 is the frame and r15 the fuel.
func savedGPR(n int) bool { return n != rsp && n != r14 && n != r15 }

// Opcodes the stubs use (Intel SDM volume 2: MOV, KMOVQ, VMOVDQA64).
const (
	opStore       = 0x89
	opLoad        = 0x8B
	opMaskLoad    = 0x90
	opMaskStore   = 0x91
	opVectorLoad  = 0x6F
	opVectorStore = 0x7F
)

// emitter encodes the handful of forms the stubs are made of. Every memory
// operand is [r14 + displacement].
type emitter struct{ code []byte }

func (e *emitter) bytes(b ...byte) { e.code = append(e.code, b...) }

// frameOperand appends ModRM and displacement of [r14 + offset], with disp8
// in units of scale bytes when the offset allows.
func (e *emitter) frameOperand(reg, offset, scale int) {
	const rm = r14 & 7
	if d := offset / scale; offset%scale == 0 && d >= -128 && d <= 127 {
		e.bytes(0x40|byte(reg&7)<<3|rm, byte(int8(d)))
		return
	}
	d := uint32(int32(offset))
	e.bytes(0x80|byte(reg&7)<<3|rm, byte(d), byte(d>>8), byte(d>>16), byte(d>>24))
}

// move is mov between a 64-bit register and the frame.
func (e *emitter) move(opcode byte, offset, reg int) {
	const rexWB = 0x49
	e.bytes(rexWB|byte(reg>>3)<<2, opcode)
	e.frameOperand(reg, offset, 1)
}

func (e *emitter) moveToFrame(offset, reg int)   { e.move(opStore, offset, reg) }
func (e *emitter) moveFromFrame(offset, reg int) { e.move(opLoad, offset, reg) }

// mask is kmovq between an opmask register and the frame (VEX.L0.0F.W1).
func (e *emitter) mask(opcode byte, offset, reg int) {
	e.bytes(0xC4, 0xC1, 0xF8, opcode)
	e.frameOperand(reg, offset, 1)
}

// vector is vmovdqa64 between a zmm register and the frame (EVEX.512.66.0F.W1).
// The register number's bits 3 and 4 go into R and R', inverted.
func (e *emitter) vector(opcode byte, offset, reg int) {
	p0 := byte(0x51) ^ byte(reg>>3&1)<<7 ^ 0x80 ^ byte(reg>>4&1)<<4
	e.bytes(0x62, p0, 0xFD, 0x48, opcode)
	e.frameOperand(reg, offset, 64)
}

// markYielded is mov qword ptr [r14+StatusOffset], Yielded.
func (e *emitter) markYielded() {
	e.bytes(0x49, 0xC7)
	e.frameOperand(0, StatusOffset, 1)
	e.bytes(Yielded, 0, 0, 0)
}

// jumpThrough is jmp qword ptr [r14+offset].
func (e *emitter) jumpThrough(offset int) {
	e.bytes(0x41, 0xFF)
	e.frameOperand(4, offset, 1)
}
