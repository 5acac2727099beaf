//go:build linux || windows

package native

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// assembler encodes the few instruction forms that the tests use.
// Memory operands are [base + disp32].
type assembler struct {
	level  Level
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

func newAssembler(level Level) *assembler {
	return &assembler{level: level, labels: map[string]int{}, fixups: map[int]string{}}
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

// Registers of a level: size of the vectors in bytes, number of opmasks.
func (l Level) vectors() int     { return map[Level]int{V3: 16, V4: vectorCount}[l] }
func (l Level) vectorBytes() int { return map[Level]int{V3: 32, V4: 64}[l] }
func (l Level) masks() int       { return map[Level]int{V3: 0, V4: maskCount}[l] }

// vector starts an instruction on the widest vectors: EVEX, or VEX without AVX-512.
func (a *assembler) vector(w, opcode byte, reg, vvvv int, rmHigh byte) {
	if a.level == V3 {
		a.bytes(0xC4, 0xE1^byte(reg>>3&1)<<7^rmHigh, byte(^vvvv&15)<<3|0x05, opcode)
		return
	}
	p0 := byte(0xF1) ^ byte(reg>>3&1)<<7 ^ byte(reg>>4&1)<<4 ^ rmHigh
	p1 := w<<7 | byte(^vvvv&15)<<3 | 0x05
	p2 := byte(0x40) | byte(^vvvv>>4&1)<<3
	a.bytes(0x62, p0, p1, p2, opcode)
}

func (a *assembler) loadVector(reg, base, disp int) {
	a.vector(1, 0x6F, reg, 0, byte(base>>3&1)<<5) // vmovdqa64, vmovdqa
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

// image links the code. The labels are the entries, in that order; without labels, offset
// 0 is the entry.
func (a *assembler) image(entries ...string) Image {
	for at, label := range a.fixups {
		target, ok := a.labels[label]
		if !ok {
			panic("no label " + label)
		}
		binary.LittleEndian.PutUint32(a.code[at:], uint32(int32(target-at-4)))
	}
	image := Image{Text: a.code, Level: a.level}
	for _, entry := range entries {
		image.Entries = append(image.Entries, a.labels[entry])
	}
	if len(entries) == 0 {
		image.Entries = []int{0}
	}
	return image
}

func needNative(t testing.TB, level Level) {
	t.Helper()
	if ok, reason := Available(level); !ok {
		t.Skip("SKIPPED, native code not tested: " + reason)
	}
}

// best is the highest level that runs here.
func best() Level {
	if ok, _ := Available(V4); ok {
		return V4
	}
	return V3
}

// eachLevel runs a test with code of each level; that of V3 as on a processor without
// AVX-512.
func eachLevel(t *testing.T, test func(t *testing.T, level Level)) {
	for _, level := range []Level{V3, V4} {
		t.Run(fmt.Sprintf("v%d", level), func(t *testing.T) {
			needNative(t, level)
			defer func(was bool) { wide = was }(wide)
			wide = level == V4
			test(t, level)
		})
	}
}

func mustLoad(t testing.TB, image Image) *Code {
	t.Helper()
	needNative(t, image.Level)
	code, err := Load(image)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, code.Close()) })
	return code
}

// spin is code that increments the counter at context offset 8 forever.
func spin() Image {
	a := newAssembler(V3)
	a.label("loop")
	a.incMemory(rdi, 8)
	a.jump("loop")
	return a.image()
}

// storeAndReturn is code that stores 42 at context offset 8.
func storeAndReturn() Image {
	a := newAssembler(V3)
	a.loadImm(rax, 42)
	a.store(rdi, 8, rax)
	a.ret()
	return a.image()
}

// garble is code that overwrites every register except the spared ones and, if it returns,
// MXCSR. It ends with the byte last.
func garble(level Level, last byte, spare ...int) Image {
	a := newAssembler(level)
	if last == opReturn {
		a.loadImm(rax, 0xFFC0) // all exceptions masked, round to zero, flush, DAZ
		a.store(rdi, 16, rax)
		a.bytes(0x0F, 0xAE, 0x97, 16, 0, 0, 0) // ldmxcsr [rdi+16]
	}
	for n := range level.vectors() {
		if level == V3 { // vpcmpeqd ymm n, ymm n, ymm n: all ones
			a.vector(0, 0x76, n, n, byte(n>>3&1)<<5)
			a.bytes(0xC0 | byte(n&7)<<3 | byte(n&7))
			continue
		}
		// vpternlogd zmm n, zmm0, zmm0, 0xFF: all ones
		a.bytes(0x62, 0xF3^byte(n>>3&1)<<7^byte(n>>4&1)<<4, 0x7D, 0x48, 0x25, 0xC0|byte(n&7)<<3, 0xFF)
	}
	for n := range level.masks() {
		a.bytes(0xC4, 0xE1, 0x84|byte(^n&15)<<3, 0x46, 0xC0|byte(n)<<3|byte(n)) // kxnorq
	}
	for n := range gprCount {
		if n != rsp && !slices.Contains(spare, n) {
			a.loadImm(n, 0xDEADBEEFDEADBEEF)
		}
	}
	a.bytes(last)
	return a.image()
}
