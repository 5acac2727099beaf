//go:build linux && amd64

package emulate

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/cpu"
	"golang.org/x/sys/unix"

	"github.com/simtc/simtc/targets/x86/asm"
)

var long = flag.Bool("long", false, "compare many more random instructions with the processor")

// state is the processor state that a stub loads before and stores after one instruction.
type state struct {
	gpr   [16]uint64
	flags uint64
	host  [2]uint64 // registers that belong to Go
	_     [14]uint64
	vec   [32][64]byte
	mask  [8]uint64
}

// Offsets in a state, in bytes.
const (
	flagsAt = 128
	hostAt  = 136
	vecAt   = 264 // not a multiple of the vector size, for which EVEX would have shorter displacements than VEX
	maskAt  = vecAt + 32*64
)

// processor holds the vector length and number of vector registers of the host.
type processor struct {
	vl      asm.VL
	vectors int
}

// thisProcessor returns the host's processor: all instructions are compared with AVX-512, else
// those that have an encoding without it.
func thisProcessor(t *testing.T) processor {
	x := &cpu.X86
	switch {
	case x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512CD:
		return processor{asm.V512, 32}
	case x.HasAVX2 && x.HasFMA && x.HasBMI1 && x.HasBMI2 && x.HasLZCNT && x.HasPOPCNT:
		t.Log("NOT TESTED: instructions that need AVX-512 are not compared with the processor, which lacks it")
		return processor{asm.V256, 16}
	}
	t.Skip("SKIPPED: instructions are not compared with the processor, which lacks AVX2")
	return processor{}
}

// runs reports whether the processor supports the encoding of in.
func (p processor) runs(in *asm.Inst) bool {
	if in.Op.Is(asm.VNNI) && !cpu.X86.HasAVX512VNNI {
		return false
	}
	if p.vl == asm.V512 {
		return true
	}
	b, err := asm.Encode(nil, in, asm.Options{})
	if err != nil || b[0] == 0x62 {
		return false
	}
	for _, a := range in.Args {
		if a.Class() == asm.ClassMask {
			return false
		}
	}
	return true
}

// compared reports whether an op can be compared as a single instruction.
func compared(op asm.Op) bool {
	switch op {
	case asm.UD2, asm.LDMXCSR, asm.STMXCSR, asm.ZEROK, asm.ONESK: // MXCSR records exceptions
		return false
	}
	return rows[op] != nil
}

// stub returns the code around an instruction: code that loads a state whose address is in
// rax, and code that stores it. It preserves the registers that Go functions must preserve.
func (p processor) stub(t *testing.T) (before, after []byte) {
	var b []byte
	one := func(in asm.Inst) {
		var err error
		b, err = asm.Encode(b, &in, asm.Options{})
		require.NoError(t, err)
	}
	load := func(r asm.Reg, at int) {
		one(asm.Make(asm.MOV, r, asm.InMem).WithMem(asm.At(asm.RAX, int32(at))).Bits(asm.Size64))
	}
	store := func(r asm.Reg, at int) {
		one(asm.Make(asm.MOV, asm.InMem, r).WithMem(asm.At(asm.RAX, int32(at))).Bits(asm.Size64))
	}
	store(asm.R14, hostAt)
	store(asm.RBP, hostAt+8)
	b = append(b, 0x50, 0xFF, 0xB0) // push rax; push [rax+flags]
	b = binary.LittleEndian.AppendUint32(b, flagsAt)
	b = append(b, 0x9D) // popfq
	for i := range p.vectors {
		one(asm.Make(asm.VMOVDQU64, asm.Vec(i), asm.InMem).WithMem(asm.At(asm.RAX, int32(vecAt+64*i))).Len(p.vl))
	}
	if p.vl == asm.V512 {
		for i := range 8 {
			one(asm.Make(asm.KMOVQ, asm.Mask(i), asm.InMem).WithMem(asm.At(asm.RAX, int32(maskAt+8*i))))
		}
	}
	for i := 15; i >= 0; i-- {
		if r := asm.GPR(i); r != asm.RSP {
			load(r, 8*i)
		}
	}
	before, b = b, nil
	b = append(b, 0x50, 0x48, 0x8B, 0x44, 0x24, 0x08) // push rax; mov rax, [rsp+8]
	for i := 1; i < 16; i++ {
		if r := asm.GPR(i); r != asm.RSP {
			store(r, 8*i)
		}
	}
	b = append(b, 0x8F, 0x00, 0x9C, 0x8F, 0x80) // pop [rax]; pushfq; pop [rax+flags]
	b = binary.LittleEndian.AppendUint32(b, flagsAt)
	for i := range p.vectors {
		one(asm.Make(asm.VMOVDQU64, asm.InMem, asm.Vec(i)).WithMem(asm.At(asm.RAX, int32(vecAt+64*i))).Len(p.vl))
	}
	if p.vl == asm.V512 {
		for i := range 8 {
			one(asm.Make(asm.KMOVQ, asm.InMem, asm.Mask(i)).WithMem(asm.At(asm.RAX, int32(maskAt+8*i))))
		}
	}
	load(asm.R14, hostAt)
	load(asm.RBP, hostAt+8)
	b = append(b, 0x58) // pop rax
	one(asm.Make(asm.VZEROUPPER))
	one(asm.Make(asm.ZEROV, asm.Vec(15)))
	return before, append(b, 0xC3)
}

// executable returns executable memory with code.
func executable(t *testing.T, code []byte) []byte {
	text, err := unix.Mmap(-1, 0, len(code), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(text)) })
	copy(text, code)
	require.NoError(t, unix.Mprotect(text, unix.PROT_READ|unix.PROT_EXEC))
	return text
}

// call runs a stub. A Go function value is a pointer to the address of its code, and the
// first argument is in rax.
func call(code *byte, s *state) {
	at := &code
	(*(*func(*state))(unsafe.Pointer(&at)))(s)
}

// memoryBytes is the size of the memory of instructions, which access its middle.
const memoryBytes = 4096

// experiment is an instruction and its initial state.
type experiment struct {
	in     asm.Inst
	before state
	memory [memoryBytes]byte
}

// randomize fills registers and memory, and sets the registers of the instruction's address
// such that it is in the memory at base.
func (x *experiment) randomize(rng *rand.Rand, base uint64) {
	s := &x.before
	for i := range s.gpr {
		s.gpr[i] = randomNumber(rng)
	}
	s.flags = rng.Uint64()&uint64(allFlags) | 0x202
	for i := range s.vec {
		randomVector(rng, s.vec[i][:])
	}
	for i := range s.mask {
		s.mask[i] = rng.Uint64()
		if rng.Intn(4) == 0 {
			s.mask[i] = -(rng.Uint64() & 1)
		}
	}
	randomVector(rng, x.memory[:])
	in := &x.in
	if in.Op == asm.DIV || in.Op == asm.IDIV {
		if rng.Intn(2) == 0 {
			s.gpr[2] = -(rng.Uint64() & 1) // the quotient may be in range
		} else {
			s.gpr[2] >>= rng.Intn(64)
		}
	}
	if !contains(in.Args[:], asm.InMem) {
		return
	}
	at := base + memoryBytes/2 + uint64(rng.Intn(64))
	if rng.Intn(2) == 0 {
		at &^= 63
	}
	at -= uint64(int64(in.Mem.Disp))
	switch in.Mem.Index.Class() {
	case asm.ClassGPR:
		at -= s.gpr[in.Mem.Index.Num()] * uint64(in.Mem.Scale)
	case asm.ClassVec:
		v := &s.vec[in.Mem.Index.Num()]
		elem := 4
		switch in.Op {
		case asm.VPGATHERQD, asm.VPGATHERQQ, asm.VGATHERQPS, asm.VGATHERQPD,
			asm.VPSCATTERQD, asm.VPSCATTERQQ, asm.VSCATTERQPS, asm.VSCATTERQPD:
			elem = 8
		}
		for i := 0; i < 64; i += elem {
			putNumber(v[i:], elem, uint64(rng.Intn(200)-100))
		}
	}
	s.gpr[in.Mem.Base.Num()] = at
}

func randomNumber(rng *rand.Rand) uint64 {
	x := rng.Uint64()
	switch rng.Intn(6) {
	case 0:
		return x >> rng.Intn(64)
	case 1:
		return uint64(int64(x) >> rng.Intn(64))
	case 2:
		return 1 << (x & 63)
	case 3:
		return x & 3
	}
	return x
}

// randomVector fills b with numbers and floats of every kind.
func randomVector(rng *rand.Rand, b []byte) {
	rng.Read(b)
	kind := rng.Intn(6)
	for i := 0; i+8 <= len(b); i += 8 {
		switch kind {
		case 0:
			putNumber(b[i:], 8, randomNumber(rng))
		case 1:
			putNumber(b[i:], 4, uint64(randomSingle(rng)))
			putNumber(b[i+4:], 4, uint64(randomSingle(rng)))
		case 2:
			putNumber(b[i:], 8, randomDouble(rng))
		case 3:
			for j := range 4 {
				putNumber(b[i+2*j:], 2, randomNumber(rng))
			}
		}
	}
}

func randomSingle(rng *rand.Rand) uint32 {
	x := rng.Uint32()
	switch rng.Intn(8) {
	case 0:
		return x & 0x80000000
	case 1:
		return x&0x80000000 | 0x7F800000
	case 2:
		return x | 0x7F800000
	case 3:
		return x & 0x807FFFFF
	case 4:
		return math.Float32bits(float32(int32(x) >> rng.Intn(32)))
	case 5:
		return math.Float32bits(float32(int32(x)>>rng.Intn(32)) / 2)
	}
	return x&0x807FFFFF | uint32(96+rng.Intn(64))<<23
}

func randomDouble(rng *rand.Rand) uint64 {
	x := rng.Uint64()
	switch rng.Intn(8) {
	case 0:
		return x & (1 << 63)
	case 1:
		return x&(1<<63) | 0x7FF0000000000000
	case 2:
		return x | 0x7FF0000000000000
	case 3:
		return x & 0x800FFFFFFFFFFFFF
	case 4:
		return math.Float64bits(float64(int64(x) >> rng.Intn(64)))
	case 5:
		return math.Float64bits(float64(math.Float32frombits(randomSingle(rng))))
	}
	return x&0x800FFFFFFFFFFFFF | uint64(960+rng.Intn(128))<<52
}

// undefinedResult reports whether the manual leaves the result of in undefined.
func undefinedResult(in *asm.Inst) bool {
	return (in.Op == asm.SHLDI || in.Op == asm.SHRDI) && in.Size == asm.Size16 && in.Imm&31 > 16
}

// TestAgainstTheProcessor compares random instructions of every form that the processor
// supports, on random contents of registers and memory.
func TestAgainstTheProcessor(t *testing.T) {
	p := thisProcessor(t)
	repetitions := 4
	if *long {
		repetitions = 100
	}
	rng := rand.New(rand.NewSource(1))
	mem, err := unix.Mmap(-1, 0, memoryBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	require.NoError(t, err)
	defer func() { require.NoError(t, unix.Munmap(mem)) }()
	base := uint64(uintptr(unsafe.Pointer(&mem[0])))

	before, after := p.stub(t)
	executed, bad := 0, map[asm.Op]int{}
	for range repetitions {
		var list []asm.Inst
		var code []byte
		var at []int
		for _, s := range shapes() {
			ex := s.example()
			if !compared(s.op) || !p.runs(&ex) {
				continue
			}
			in := s.instruction(rng, p.vectors)
			if undefinedResult(&in) || !p.runs(&in) {
				continue
			}
			at = append(at, len(code))
			list = append(list, in)
			code, err = asm.Encode(append(code, before...), &in, asm.Options{})
			require.NoError(t, err)
			code = append(code, after...)
		}
		text := executable(t, code)
		for i := range list {
			x := experiment{in: list[i]}
			for range 3 {
				x.randomize(rng, base)
				if message := x.differs(t, p, &text[at[i]], mem, base); message != "" {
					if bad[x.in.Op]++; bad[x.in.Op] == 1 {
						t.Errorf("%s: %s", asm.Format(&x.in), message)
					}
				}
				executed++
			}
		}
	}
	require.Empty(t, bad)
	t.Logf("%d instructions agree", executed)
}

// differs runs the experiment in the emulator and on the processor and returns a description
// of the first difference, or "". Instructions that fault are not run on the processor.
func (x *experiment) differs(t *testing.T, p processor, code *byte, mem []byte, base uint64) string {
	prog, err := Translate([]asm.Inst{x.in, asm.Make(asm.RET)}, &asm.Code{})
	require.NoError(t, err)
	got := append([]byte(nil), x.memory[:]...)
	m, err := NewMachine(prog, []Region{{Address: base, Bytes: got}})
	require.NoError(t, err)
	copy(m.gpr, x.before.gpr[:])
	copy(m.mask, x.before.mask[:])
	for i := range p.vectors {
		m.vec[i] = x.before.vec[i]
		if p.vl != asm.V512 {
			clear(m.vec[i][32:])
		}
	}
	m.SetFlags(x.before.flags)
	if err := m.Run(context.Background(), 10); err != nil {
		if _, ok := err.(*Fault); !ok {
			return err.Error()
		}
		return ""
	}
	copy(mem, x.memory[:])
	after := new(state)
	*after = x.before
	call(code, after)

	show := func(what string, got, want any) string {
		return fmt.Sprintf("%s is %x, on the processor %x\nrcx %x rdx %x flags %x\nvectors %s\ngpr %x", what, got, want,
			x.before.gpr[1], x.before.gpr[2], x.before.flags, x.operands(), x.before.gpr)
	}
	for i := range 16 {
		if i != 4 && m.gpr[i] != after.gpr[i] {
			return show(asm.GPR(i).String(), m.gpr[i], after.gpr[i])
		}
	}
	if want := flags(after.flags) & allFlags; (m.flags^want)&^m.undef != 0 {
		return show("rflags", m.flags, want)
	}
	for i := range p.vectors {
		n := p.vl.Bytes()
		if !bytes.Equal(m.vec[i][:n], after.vec[i][:n]) {
			return show(asm.Vec(i).String(), m.vec[i][:n], after.vec[i][:n])
		}
	}
	if p.vl == asm.V512 {
		for i := range 8 {
			if m.mask[i] != after.mask[i] {
				return show(asm.Mask(i).String(), m.mask[i], after.mask[i])
			}
		}
	}
	if !bytes.Equal(got, mem) {
		for i := range got {
			if got[i] != mem[i] {
				return show(fmt.Sprintf("memory at %d", i), got[i:min(i+16, len(got))], mem[i:min(i+16, len(got))])
			}
		}
	}
	return ""
}

// operands returns the contents of the vector operands.
func (x *experiment) operands() string {
	text := ""
	for _, a := range x.in.Args {
		if a.Class() == asm.ClassVec {
			text += fmt.Sprintf(" %s=%x", a, x.before.vec[a.Num()])
		}
	}
	return text
}
