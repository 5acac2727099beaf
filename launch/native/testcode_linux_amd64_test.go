package native

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// assembler encodes the few instruction forms that the tests are written in.
// Memory operands are [base + disp32].
type assembler struct {
	code   []byte
	labels map[string]int
	fixups map[int]string // offset of a rel32 -> label
}

const (
	rax, rcx, rdx, rbx = 0, 1, 2, 3
	rsp, rbp, rsi, rdi = 4, 5, 6, 7
	r8, r14, r15       = 8, 14, 15

	opReturn = 0xC3
	opFault  = padding // hlt
)

func newAssembler() *assembler {
	return &assembler{labels: map[string]int{}, fixups: map[int]string{}}
}

func (a *assembler) bytes(b ...byte) { a.code = append(a.code, b...) }

func (a *assembler) label(name string) { a.labels[name] = len(a.code) }

// memory appends ModRM and disp32 for [base + disp].
func (a *assembler) memory(reg, base, disp int) {
	a.bytes(0x80 | byte(reg&7)<<3 | byte(base&7))
	if base&7 == 4 {
		a.bytes(0x24)
	}
	a.code = binary.LittleEndian.AppendUint32(a.code, uint32(int32(disp)))
}

// rex is REX.W with the high bits of the reg and rm operands.
func rex(reg, rm int) byte { return 0x48 | byte(reg>>3)<<2 | byte(rm>>3) }

func (a *assembler) load(reg, base, disp int) {
	a.bytes(rex(reg, base), 0x8B)
	a.memory(reg, base, disp)
}

func (a *assembler) store(base, disp, reg int) {
	a.bytes(rex(reg, base), 0x89)
	a.memory(reg, base, disp)
}

func (a *assembler) loadImm(reg int, value uint64) {
	a.bytes(rex(0, reg), 0xB8|byte(reg&7))
	a.code = binary.LittleEndian.AppendUint64(a.code, value)
}

func (a *assembler) add(dst, src int) {
	a.bytes(rex(src, dst), 0x01, 0xC0|byte(src&7)<<3|byte(dst&7))
}

func (a *assembler) addCarry(dst, src int) {
	a.bytes(rex(src, dst), 0x11, 0xC0|byte(src&7)<<3|byte(dst&7))
}

func (a *assembler) decMemory(base, disp int) {
	a.bytes(rex(0, base), 0xFF)
	a.memory(1, base, disp)
}

// incMemory is lock inc: tests read the counter from other goroutines.
func (a *assembler) incMemory(base, disp int) {
	a.bytes(0xF0, rex(0, base), 0xFF)
	a.memory(0, base, disp)
}

func (a *assembler) vector(w, opcode byte, reg, vvvv int, rmHigh byte) {
	p0 := byte(0xF1) ^ byte(reg>>3&1)<<7 ^ byte(reg>>4&1)<<4 ^ rmHigh
	p1 := w<<7 | byte(^vvvv&15)<<3 | 0x05
	p2 := byte(0x40) | byte(^vvvv>>4&1)<<3
	a.bytes(0x62, p0, p1, p2, opcode)
}

func (a *assembler) loadVector(reg, base, disp int) {
	a.vector(1, 0x6F, reg, 0, byte(base>>3&1)<<5) // vmovdqa64
	a.memory(reg, base, disp)
}

func (a *assembler) storeVector(base, disp, reg int) {
	a.vector(1, 0x7F, reg, 0, byte(base>>3&1)<<5)
	a.memory(reg, base, disp)
}

func (a *assembler) addVectors(dst, x, y int) {
	a.vector(0, 0xFE, dst, x, byte(y>>3&1)<<5|byte(y>>4&1)<<6) // vpaddd
	a.bytes(0xC0 | byte(dst&7)<<3 | byte(y&7))
}

func (a *assembler) mask(opcode byte, reg, base, disp int) {
	a.bytes(0xC4, 0xE1^byte(base>>3&1)<<5, 0xF8, opcode)
	a.memory(reg, base, disp)
}

func (a *assembler) loadMask(reg, base, disp int)  { a.mask(0x90, reg, base, disp) }
func (a *assembler) storeMask(base, disp, reg int) { a.mask(0x91, reg, base, disp) }

func (a *assembler) addMasks(dst, x, y int) { // kaddq
	a.bytes(0xC4, 0xE1, 0x84|byte(^x&15)<<3, 0x4A, 0xC0|byte(dst)<<3|byte(y))
}

func (a *assembler) relative(label string) {
	a.fixups[len(a.code)] = label
	a.bytes(0, 0, 0, 0)
}

func (a *assembler) jump(label string)        { a.bytes(0xE9); a.relative(label) }
func (a *assembler) jumpNotZero(label string) { a.bytes(0x0F, 0x85); a.relative(label) }
func (a *assembler) ret()                     { a.bytes(opReturn) }

// enterSlots loads the address of the code's own memory, the first field of its context.
func (a *assembler) enterSlots() { a.load(r14, rdi, 0) }

// image links the code. The labels given are the entries, in that order; none
// given: offset 0 is.
func (a *assembler) image(entries ...string) Image {
	for at, label := range a.fixups {
		target, ok := a.labels[label]
		if !ok {
			panic("no label " + label)
		}
		binary.LittleEndian.PutUint32(a.code[at:], uint32(int32(target-at-4)))
	}
	image := Image{Text: a.code}
	for _, entry := range entries {
		image.Entries = append(image.Entries, a.labels[entry])
	}
	if len(entries) == 0 {
		image.Entries = []int{0}
	}
	return image
}

func needNative(t testing.TB) {
	t.Helper()
	if ok, reason := Available(); !ok {
		t.Skip("SKIPPED, native code not tested: " + reason)
	}
}

func mustLoad(t testing.TB, image Image) *Code {
	t.Helper()
	needNative(t)
	code, err := Load(image)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, code.Close()) })
	return code
}

// spin is code that increments the counter at context offset 8 for ever.
func spin() Image {
	a := newAssembler()
	a.label("loop")
	a.incMemory(rdi, 8)
	a.jump("loop")
	return a.image()
}

// storeAndReturn is code that stores 42 at context offset 8.
func storeAndReturn() Image {
	a := newAssembler()
	a.loadImm(rax, 42)
	a.store(rdi, 8, rax)
	a.ret()
	return Image{Text: a.code, Entries: []int{0}}
}

// garble is code that leaves garbage in every register but the spared
// ones and, if it returns, in MXCSR. It ends with the byte last.
func garble(last byte, spare ...int) Image {
	a := newAssembler()
	if last == opReturn {
		a.loadImm(rax, 0xFFC0) // all exceptions masked, round to zero, flush, DAZ
		a.store(rdi, 16, rax)
		a.bytes(0x0F, 0xAE, 0x97, 16, 0, 0, 0) // ldmxcsr [rdi+16]
	}
	for n := range vectorCount {
		// vpternlogd zmm n, zmm0, zmm0, 0xFF: all ones
		a.bytes(0x62, 0xF3^byte(n>>3&1)<<7^byte(n>>4&1)<<4, 0x7D, 0x48, 0x25, 0xC0|byte(n&7)<<3, 0xFF)
	}
	for n := range maskCount {
		a.bytes(0xC4, 0xE1, 0x84|byte(^n&15)<<3, 0x46, 0xC0|byte(n)<<3|byte(n)) // kxnorq
	}
	for n := range gprCount {
		if n != rsp && !slices.Contains(spare, n) {
			a.loadImm(n, 0xDEADBEEFDEADBEEF)
		}
	}
	a.bytes(last)
	return Image{Text: a.code, Entries: []int{0}}
}
