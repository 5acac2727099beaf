package emulate

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/x86/asm"
)

// dataAt is the address of the memory of the tests.
const dataAt = 0x10000

// try executes instructions on registers and memory that prepare sets.
func try(t *testing.T, mem []byte, prepare func(m *Machine), insts ...asm.Inst) (*Machine, error) {
	t.Helper()
	for i := range insts {
		if in := &insts[i]; !in.Op.Is(asm.Jumps) {
			require.True(t, encodable(in), "%s", asm.Format(in))
		}
	}
	p, err := Translate(append(insts, asm.Make(asm.RET)), &asm.Code{})
	require.NoError(t, err)
	m, err := NewMachine(p, []Region{{Address: dataAt, Bytes: mem}})
	require.NoError(t, err)
	m.SetGPR(3, dataAt) // rbx
	if prepare != nil {
		prepare(m)
	}
	return m, m.Run(context.Background(), 1000)
}

// must is try for instructions that do not fault.
func must(t *testing.T, mem []byte, prepare func(m *Machine), insts ...asm.Inst) *Machine {
	t.Helper()
	m, err := try(t, mem, prepare, insts...)
	require.NoError(t, err)
	return m
}

func (m *Machine) setLanes(reg, elem int, v ...uint64) {
	for i, x := range v {
		putNumber(m.vec[reg][i*elem:], elem, x)
	}
}

// lanesOf returns n elements of a vector.
func (m *Machine) lanesOf(reg, elem, n int) []uint64 {
	var l lanes
	unpack(&l, m.vec[reg][:], elem, n)
	return l[:n]
}

func (m *Machine) fill(reg int, x byte) {
	for i := range m.vec[reg] {
		m.vec[reg][i] = x
	}
}

// SDM volume 1, 3.4.1.1.
func TestPartialRegisterWrites(t *testing.T) {
	const old = 0x1122334455667788
	for _, c := range []struct {
		size asm.Size
		want uint64
	}{{asm.Size8, 0x11223344556677FF}, {asm.Size16, 0x112233445566FFFF}, {asm.Size32, 0xFFFFFFFF}, {asm.Size64, math.MaxUint64}} {
		m := must(t, nil, func(m *Machine) { m.SetGPR(0, old) }, asm.Make(asm.OR, asm.RAX, asm.InImm).WithImm(-1).Bits(c.size))
		require.Equal(t, c.want, m.GPR(0), "%d bits", c.size)
	}
	move := asm.Make(asm.CMOVCC, asm.RAX, asm.RCX).If(asm.CondE).Bits(asm.Size32)
	m := must(t, nil, func(m *Machine) { m.SetGPR(0, old) }, move)
	require.Equal(t, uint64(0x55667788), m.GPR(0), "a move whose condition is false clears the upper half too")
}

// SDM 2.7.3: masked-off elements are kept or cleared, and the bits above the vector length
// are cleared.
func TestWriteMasks(t *testing.T) {
	prepare := func(m *Machine) {
		m.fill(1, 0x11)
		m.fill(2, 0x22)
		m.fill(3, 0x44)
		m.SetMask(1, 0b0101)
	}
	add := asm.Make(asm.VPADDD, asm.Vec(1), asm.Vec(2), asm.Vec(3)).Len(asm.V128)
	for _, c := range []struct {
		in   asm.Inst
		want []uint64
	}{
		{add, []uint64{0x66666666, 0x66666666, 0x66666666, 0x66666666, 0, 0}},
		{add.Merge(asm.K1), []uint64{0x66666666, 0x11111111, 0x66666666, 0x11111111, 0, 0}},
		{add.Zero(asm.K1), []uint64{0x66666666, 0, 0x66666666, 0, 0, 0}},
	} {
		require.Equal(t, c.want, must(t, nil, prepare, c.in).lanesOf(1, 4, 6), asm.Format(&c.in))
	}
	// A compare clears the mask beyond its elements and where the write mask is clear.
	m := must(t, nil, func(m *Machine) {
		m.SetMask(1, 0b0110)
		m.SetMask(2, math.MaxUint64)
	}, asm.Make(asm.VPCMPD, asm.K2, asm.Vec(1), asm.Vec(2), asm.InImm).WithImm(asm.IntEQ).Len(asm.V512).Merge(asm.K1))
	require.Equal(t, uint64(0b0110), m.Mask(2))
	// A scalar operation takes the rest of 128 bits from its first source.
	m = must(t, nil, func(m *Machine) {
		prepare(m)
		m.SetMask(1, 0)
	}, asm.Make(asm.VADDSS, asm.Vec(1), asm.Vec(2), asm.Vec(3)).Merge(asm.K1))
	require.Equal(t, []uint64{0x11111111, 0x22222222, 0x22222222, 0x22222222, 0}, m.lanesOf(1, 4, 5))
}

// SDM 2.8: elements that are masked off are not accessed.
func TestMaskedMemory(t *testing.T) {
	mem := make([]byte, 12) // three dwords of sixteen
	for i := range mem {
		mem[i] = byte(i)
	}
	load := asm.Make(asm.VMOVDQU32, asm.Vec(1), asm.InMem).WithMem(asm.At(asm.RBX, 0)).Len(asm.V512)
	store := asm.Make(asm.VMOVDQU32, asm.InMem, asm.Vec(1)).WithMem(asm.At(asm.RBX, 0)).Len(asm.V512)
	add := asm.Make(asm.VPADDD, asm.Vec(1), asm.Vec(2), asm.InMem).WithMem(asm.At(asm.RBX, 0)).Len(asm.V512)
	mask := func(k uint64) func(m *Machine) { return func(m *Machine) { m.SetMask(1, k) } }

	m := must(t, mem, mask(0b101), load.Zero(asm.K1))
	require.Equal(t, []uint64{0x03020100, 0, 0x0B0A0908, 0}, m.lanesOf(1, 4, 4))
	must(t, mem, mask(0b101), add.Merge(asm.K1))
	must(t, mem, mask(0b10), store.Merge(asm.K1))
	require.Equal(t, []byte{0, 1, 2, 3, 0, 0, 0, 0, 8, 9, 10, 11}, mem)
	far := add.Zero(asm.K1).WithMem(asm.At(asm.RBX, 4096).Bcast())
	must(t, mem, mask(0), far)

	for _, in := range []asm.Inst{load.Merge(asm.K1), store.Merge(asm.K1), add.Merge(asm.K1), far, load, store} {
		_, err := try(t, mem, mask(0b1000), in.AtLine(7))
		var fault *Fault
		require.ErrorAs(t, err, &fault)
		require.EqualValues(t, 7, fault.Inst.Line)
		require.ErrorContains(t, err, asm.Format(&in)+": invalid ")
	}
	_, err := try(t, mem, mask(0b1000), load.Merge(asm.K1))
	require.ErrorContains(t, err, "invalid read of 4 bytes at address 0x1000c")
	_, err = try(t, mem, mask(0b1000), store.Merge(asm.K1))
	require.ErrorContains(t, err, "invalid write of 4 bytes at address 0x1000c")
	// A permutation reads all of its memory operand, whatever the mask (type E4NF).
	_, err = try(t, mem, mask(1), asm.Make(asm.VPERMD, asm.Vec(1), asm.Vec(2), asm.InMem).WithMem(asm.At(asm.RBX, 0)).Len(asm.V512).Merge(asm.K1))
	require.ErrorContains(t, err, "invalid read of 64 bytes")
	_, err = try(t, make([]byte, 256), nil, asm.Make(asm.VMOVDQA32, asm.Vec(1), asm.InMem).WithMem(asm.At(asm.RBX, 32)).Len(asm.V512))
	require.ErrorContains(t, err, "address 0x10020 is not a multiple of 64")
}

// An element conflicts with one that is masked off, in memory as in a register.
func TestConflictsWithMaskedElements(t *testing.T) {
	mem := make([]byte, 64)
	mem[4] = 1 // dword 1 alone differs from the others
	conflict := asm.Make(asm.VPCONFLICTD, asm.Vec(1), asm.InMem).WithMem(asm.At(asm.RBX, 0)).Len(asm.V512).Zero(asm.K1)
	m := must(t, mem, func(m *Machine) { m.SetMask(1, 0b11000) }, conflict)
	require.Equal(t, []uint64{0, 0, 0, 0b101, 0b1101, 0}, m.lanesOf(1, 4, 6))
	_, err := try(t, mem[:32], func(m *Machine) { m.SetMask(1, 1) }, conflict)
	require.ErrorContains(t, err, "invalid read of 64 bytes")
}

// Four bytes or more that are partly in memory can be read if they are in one page, but not written.
func TestPartialPages(t *testing.T) {
	const page = 4096
	bytes := make([]byte, page-dataAt%page+5) // the second page has 5
	at := func(offset uint64) func(*Machine) {
		return func(m *Machine) { m.SetGPR(3, dataAt+page-dataAt%page+offset) }
	}
	load := asm.Make(asm.MOV, asm.RAX, asm.InMem).WithMem(asm.At(asm.RBX, 4)).Bits(asm.Size32)
	m := must(t, bytes, at(0), load)
	require.Equal(t, uint64(0xA5A5A500), m.GPR(0))
	for _, c := range []struct {
		at uint64
		in asm.Inst
	}{
		{page, load},
		{1, load},
		{page - 5, load},
		{2, asm.Make(asm.MOVZXW, asm.RAX, asm.InMem).WithMem(asm.At(asm.RBX, 4)).Bits(asm.Size32)},
		{0, asm.Make(asm.MOV, asm.InMem, asm.RAX).WithMem(asm.At(asm.RBX, 4)).Bits(asm.Size32)},
		{page - 31, asm.Make(asm.VMOVDQU32, asm.Vec(1), asm.InMem).WithMem(asm.At(asm.RBX, 0)).Len(asm.V256)},
	} {
		_, err := try(t, bytes, at(c.at), c.in)
		require.ErrorContains(t, err, "invalid ", asm.Format(&c.in))
	}
	vector := asm.Make(asm.VMOVDQU32, asm.Vec(1), asm.InMem).WithMem(asm.At(asm.RBX, 0)).Len(asm.V256)
	m = must(t, bytes, at(0), vector)
	require.Equal(t, []uint64{0, 0xA5A5A500, 0xA5A5A5A5}, m.lanesOf(1, 4, 3))
	must(t, bytes, at(page-32), vector) // none of its bytes, but others of the page
}

func TestGathersAndScatters(t *testing.T) {
	mem := make([]byte, 64)
	for i := range 16 {
		binary.LittleEndian.PutUint32(mem[4*i:], uint32(100+i))
	}
	prepare := func(index ...uint64) func(m *Machine) {
		return func(m *Machine) {
			m.fill(1, 0xEE)
			m.setLanes(2, 4, index...)
			m.SetMask(1, 0xFFFFFFFFFFFF000B)
		}
	}
	gather := asm.Make(asm.VPGATHERDD, asm.Vec(1), asm.InMem).WithMem(asm.Indexed(asm.RBX, asm.Vec(2), 4, 8)).Len(asm.V128).Merge(asm.K1)
	m := must(t, mem, prepare(0, 13, 1<<30, uint64(1<<32-2)), gather)
	require.Equal(t, []uint64{102, 115, 0xEEEEEEEE, 100, 0}, m.lanesOf(1, 4, 5))
	require.Zero(t, m.Mask(1))

	m, err := try(t, mem, prepare(0, 14, 0, 0), gather)
	require.ErrorContains(t, err, "invalid read of 4 bytes at address 0x10040")
	require.Equal(t, uint64(0b1010), m.Mask(1), "the mask bits of loaded elements are clear")
	require.Equal(t, []uint64{102, 0xEEEEEEEE}, m.lanesOf(1, 4, 2))

	// 64-bit indices: half the number of elements, and the rest is cleared.
	m = must(t, mem, func(m *Machine) {
		m.fill(1, 0xEE)
		m.setLanes(2, 8, 3, 2)
		m.SetMask(1, 3)
	}, asm.Make(asm.VPGATHERQD, asm.Vec(1), asm.InMem).WithMem(asm.Indexed(asm.RBX, asm.Vec(2), 4, 0)).Len(asm.V128).Merge(asm.K1))
	require.Equal(t, []uint64{103, 102, 0, 0, 0}, m.lanesOf(1, 4, 5))

	m = must(t, mem, func(m *Machine) {
		m.setLanes(1, 4, 1, 2, 3, 4)
		m.setLanes(2, 4, 5, 6, 5, 6)
		m.SetMask(1, 0b0111)
	}, asm.Make(asm.VPSCATTERDD, asm.InMem, asm.Vec(1)).WithMem(asm.Indexed(asm.RBX, asm.Vec(2), 4, 0)).Len(asm.V128).Merge(asm.K1))
	require.Equal(t, uint32(3), binary.LittleEndian.Uint32(mem[20:]), "the highest element remains")
	require.Equal(t, uint32(2), binary.LittleEndian.Uint32(mem[24:]))
	require.Zero(t, m.Mask(1))
}

// vectorCase is an instruction on zmm1 (the destination), zmm2 and zmm3, and the expected
// lowest elements of zmm1.
type vectorCase struct {
	in      asm.Inst
	elem    int
	d, a, b []uint64
	want    []uint64
}

func (c vectorCase) check(t *testing.T) {
	t.Helper()
	m := must(t, nil, func(m *Machine) {
		m.setLanes(1, c.elem, c.d...)
		m.setLanes(2, c.elem, c.a...)
		m.setLanes(3, c.elem, c.b...)
		m.SetMask(1, 0b10110)
	}, c.in)
	require.Equal(t, c.want, m.lanesOf(1, resultElem(c.in.Op, c.elem), len(c.want)), asm.Format(&c.in))
}

// resultElem returns the size of the elements of the result.
func resultElem(op asm.Op, elem int) int {
	switch op {
	case asm.VPMOVSDB, asm.VPMOVUSDB, asm.VPMOVDB:
		return 1
	case asm.VPMOVSQD, asm.VPMOVUSQD, asm.VPMOVQD, asm.VCVTTPD2DQ, asm.VCVTTPD2UDQ, asm.VCVTPD2PS:
		return 4
	case asm.VCVTTPS2QQ, asm.VCVTTPS2UQQ, asm.VCVTPS2PD:
		return 8
	}
	return elem
}

func op2(op asm.Op) asm.Inst { return asm.Make(op, asm.Vec(1), asm.Vec(2)).Len(asm.V512) }
func op3(op asm.Op) asm.Inst { return asm.Make(op, asm.Vec(1), asm.Vec(2), asm.Vec(3)).Len(asm.V512) }
func op2imm(op asm.Op, imm int64) asm.Inst {
	return asm.Make(op, asm.Vec(1), asm.Vec(2), asm.InImm).WithImm(imm).Len(asm.V512)
}
func op3imm(op asm.Op, imm int64) asm.Inst {
	return asm.Make(op, asm.Vec(1), asm.Vec(2), asm.Vec(3), asm.InImm).WithImm(imm).Len(asm.V512)
}

func u(v ...uint64) []uint64 { return v }

func TestIntegerVectors(t *testing.T) {
	const low, high = 0xFFFF0000FFFF0000, 0x00000000FFFFFFFF
	for _, c := range []vectorCase{
		// The bit of the immediate is dst<<2 | a<<1 | b.
		{op3imm(asm.VPTERNLOGQ, 0xCA), 8, u(0xFF00), u(0xF0F0), u(0x3333), u(0xF033)},
		{op3imm(asm.VPTERNLOGQ, 0x96), 8, u(0xFF00), u(0xF0F0), u(0x3333), u(0xFF00 ^ 0xF0F0 ^ 0x3333)},
		{op3imm(asm.VPTERNLOGD, 0x01).Merge(asm.K1), 4, u(1, 2, 4, 8), u(), u(), u(1, 1<<32-3, 1<<32-5, 8)},

		// Shifts by counts out of range give zeros or signs; rotations reduce the count.
		{op2imm(asm.VPSLLDI, 32), 4, u(), u(1), u(), u(0)},
		{op2imm(asm.VPSRADI, 200), 4, u(), u(1<<31, 1<<30), u(), u(1<<32-1, 0)},
		{op2imm(asm.VPSRAQI, 65), 8, u(), u(1 << 63), u(), u(math.MaxUint64)},
		{op3(asm.VPSLLVD), 4, u(), u(1, 1, 1, 1), u(31, 32, 1<<31, 1<<32-1), u(1<<31, 0, 0, 0)},
		{op3(asm.VPSRAVW), 2, u(), u(0x8000, 0x8000, 0x4000), u(15, 0x8000, 0xFFFF), u(0xFFFF, 0xFFFF, 0)},
		{op3(asm.VPSRAVD), 4, u(), u(1<<31, 1<<30), u(1<<31, 1<<31), u(1<<32-1, 0)},
		{op3(asm.VPSRLVQ), 8, u(), u(1<<63, 1<<63), u(63, 64), u(1, 0)},
		{op2imm(asm.VPROLDI, 36), 4, u(), u(0x80000001), u(), u(0x18)},
		{op2imm(asm.VPRORQI, 65), 8, u(), u(3), u(), u(1<<63 | 1)},
		{op3(asm.VPROLVQ), 8, u(), u(3, 3), u(64, math.MaxUint64), u(3, 1<<63|1)},
		{op3(asm.VPRORVD), 4, u(), u(3), u(33), u(1<<31 | 1)},

		{op3(asm.VPDPBUSD), 4, u(100, 0, 1<<32-1, 7, math.MaxInt32),
			u(0x01020304, 0xFFFFFFFF, 0xFFFFFFFF, 0x80FF0000, 1), u(0x05060708, 0x7F7F7F7F, 0x80808080, 0xFF800000, 1),
			u(170, 4*255*127, 1<<32-1-4*255*128, 1<<32+7-128-255*128, 1<<31)},
		{op3(asm.VPDPBUSD).Merge(asm.K1), 4, u(5, 6), u(2, 2), u(3, 3), u(5, 12)},
		{op3(asm.VPDPBUSDS), 4, u(math.MaxInt32, 1<<31, math.MaxInt32, 1), u(1, 1, 0x0101, 0xFF), u(1, 0xFF, 0x807F, 0x80), u(math.MaxInt32, 1<<31, math.MaxInt32-1, 1<<32+1-255*128)},

		{op2(asm.VPABSQ), 8, u(), u(math.MaxUint64, 1<<63), u(), u(1, 1<<63)},
		{op2(asm.VPLZCNTD), 4, u(), u(0, 1, 1<<31), u(), u(32, 31, 0)},
		{op2(asm.VPLZCNTQ), 8, u(), u(0, 1<<32), u(), u(64, 31)},
		{op2(asm.VPCONFLICTD), 4, u(), u(7, 8, 7, 7, 8), u(), u(0, 0, 1, 5, 2)},
		{op3(asm.VPMULLQ), 8, u(), u(1<<63 + 3), u(5), u(1<<63 + 15)},
		{op3(asm.VPMULDQ), 8, u(), u(low|5, high), u(high, 2), u(0xFFFB, math.MaxUint64-1)},
		{op3(asm.VPMINSQ), 8, u(), u(math.MaxUint64, 5), u(0, 6), u(math.MaxUint64, 5)},
		{op3(asm.VPMAXUQ), 8, u(), u(math.MaxUint64, 5), u(0, 6), u(math.MaxUint64, 6)},
		{op3(asm.VPBLENDMD).Merge(asm.K1), 4, u(9, 9, 9), u(1, 1, 1, 1), u(2, 2, 2, 2), u(1, 2, 2, 1, 0)},
		{op3(asm.VPBLENDMD).Zero(asm.K1), 4, u(9, 9, 9), u(1, 1, 1, 1), u(2, 2, 2, 2), u(0, 2, 2, 0, 0)},

		// Narrowing truncates or saturates.
		{op2(asm.VPMOVDB), 4, u(), u(0x1FF, 0x80), u(), u(0xFF, 0x80)},
		{op2(asm.VPMOVSDB), 4, u(), u(0x1FF, 0x80, 1<<32-0x81, 1<<32-1), u(), u(0x7F, 0x7F, 0x80, 0xFF)},
		{op2(asm.VPMOVUSDB), 4, u(), u(0x1FF, 0x80, 1<<32-1), u(), u(0xFF, 0x80, 0xFF, 0)},
		{op2(asm.VPMOVUSQD), 8, u(), u(1<<40, 5), u(), u(1<<32-1, 5)},
		{op2(asm.VPMOVSQD), 8, u(), u(1<<40, 1<<63), u(), u(1<<31-1, 1<<31)},
	} {
		c.check(t)
	}
}

func TestPermutations(t *testing.T) {
	eight, more := u(10, 11, 12, 13, 14, 15, 16, 17), u(20, 21, 22, 23, 24, 25, 26, 27)
	for _, c := range []vectorCase{
		{op3(asm.VPERMQ), 8, u(), u(7, 8, 15, 0x100), eight, u(17, 10, 17, 10)},
		{op2imm(asm.VPERMQI, 0b00011011), 8, u(), eight, u(), u(13, 12, 11, 10, 17, 16, 15, 14)},
		// VPERMI2 overwrites the index, VPERMT2 the first table.
		{op3(asm.VPERMI2Q), 8, u(0, 8, 15, 16, 7), eight, more, u(10, 20, 27, 10, 17)},
		{op3(asm.VPERMI2Q).Merge(asm.K1), 8, u(3, 8, 15, 16, 7), eight, more, u(3, 20, 27, 16, 17)},
		{op3(asm.VPERMT2Q), 8, eight, u(0, 8, 15, 16, 7), more, u(10, 20, 27, 10, 17)},
		{op3(asm.VPERMT2Q).Zero(asm.K1), 8, eight, u(0, 8, 15, 16, 7), more, u(0, 20, 27, 0, 17)},
		{op2(asm.VPCOMPRESSQ).Merge(asm.K1), 8, more, eight, u(), u(11, 12, 14, 23, 24)},
		{op2(asm.VPCOMPRESSQ).Zero(asm.K1), 8, more, eight, u(), u(11, 12, 14, 0, 0)},
		{op2(asm.VPEXPANDQ).Merge(asm.K1), 8, more, eight, u(), u(20, 10, 11, 23, 12)},
		{op2(asm.VPEXPANDQ).Zero(asm.K1), 8, more, eight, u(), u(0, 10, 11, 0, 12)},
		{op3imm(asm.VALIGNQ, 3), 8, u(), eight, more, u(23, 24, 25, 26, 27, 10, 11, 12)},
		{op3imm(asm.VSHUFI64X2, 0b01_00_11_10), 8, u(), eight, more, u(14, 15, 16, 17, 20, 21, 22, 23)},
		{op3imm(asm.VSHUFI64X2, 0b10).Len(asm.V256), 8, u(), eight, more, u(10, 11, 22, 23, 0)},
		{op3imm(asm.VSHUFI32X4, 0b11_00_01_01).Len(asm.V512), 4, u(), eight, more, u(14, 15, 16, 17, 14, 15, 16, 17, 20, 21, 22, 23)},
		{op3(asm.VPUNPCKHQDQ), 8, u(), eight, more, u(11, 21, 13, 23, 15, 25, 17, 27)},
		{op2(asm.VMOVDDUP), 8, u(), eight, u(), u(10, 10, 12, 12, 14, 14, 16, 16)},
		{asm.Make(asm.VINSERTI64X4, asm.Vec(1), asm.Vec(2), asm.Vec(3), asm.InImm).WithImm(1).Len(asm.V512), 8, u(), eight, more, u(10, 11, 12, 13, 20, 21, 22, 23)},
		{asm.Make(asm.VEXTRACTI64X4, asm.Vec(1), asm.Vec(2), asm.InImm).WithImm(1).Len(asm.V512), 8, more, eight, u(), u(14, 15, 16, 17, 0, 0)},
	} {
		c.check(t)
	}
	// In memory only the compressed elements are written, and only active elements are read.
	mem := make([]byte, 20)
	m := must(t, mem, func(m *Machine) {
		m.setLanes(2, 4, 1, 2, 3, 4, 5, 6)
		m.SetMask(1, 0b110101)
		m.SetMask(2, 0b10010010)
	}, asm.Make(asm.VPCOMPRESSD, asm.InMem, asm.Vec(2)).WithMem(asm.At(asm.RBX, 4)).Len(asm.V512).Merge(asm.K1),
		asm.Make(asm.VPEXPANDD, asm.Vec(1), asm.InMem).WithMem(asm.At(asm.RBX, 8)).Len(asm.V512).Zero(asm.K2))
	require.Equal(t, []byte{0, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0}, mem)
	require.Equal(t, u(0, 3, 0, 0, 5, 0, 0, 6), m.lanesOf(1, 4, 8))
}

func TestMasks(t *testing.T) {
	const a, b = 0xF0F0F0F0_AAAA8001, 0xFF00FF00_CCCC8081
	mask3 := func(op asm.Op) asm.Inst { return asm.Make(op, asm.K1, asm.K2, asm.K3) }
	shift := func(op asm.Op, n int64) asm.Inst { return asm.Make(op, asm.K1, asm.K2, asm.InImm).WithImm(n) }
	for _, c := range []struct {
		in   asm.Inst
		want uint64
	}{
		{mask3(asm.KANDB), 0x01}, {mask3(asm.KANDNW), 0x0080}, {mask3(asm.KORD), 0xEEEE8081}, {mask3(asm.KXORQ), 0x0FF00FF0_66660080},
		{mask3(asm.KXNORW), 0xFF7F}, {mask3(asm.KXNORB), 0x7F}, {mask3(asm.KADDW), 0x0082}, {mask3(asm.KADDB), 0x82},
		{mask3(asm.KUNPCKBW), 0x0181}, {mask3(asm.KUNPCKWD), 0x80018081}, {mask3(asm.KUNPCKDQ), 0xAAAA8001_CCCC8081},
		{asm.Make(asm.KNOTB, asm.K1, asm.K2), 0xFE}, {asm.Make(asm.KNOTW, asm.K1, asm.K2), 0x7FFE},
		{asm.Make(asm.KMOVB, asm.K1, asm.K2), 0x01}, {asm.Make(asm.KMOVW, asm.K1, asm.K2), 0x8001}, {asm.Make(asm.ONESK, asm.K1), math.MaxUint64},
		{shift(asm.KSHIFTLW, 1), 0x0002}, {shift(asm.KSHIFTLW, 16), 0}, {shift(asm.KSHIFTLB, 7), 0x80}, {shift(asm.KSHIFTRW, 15), 1},
		{shift(asm.KSHIFTRB, 0), 1}, {shift(asm.KSHIFTRQ, 64), 0}, {shift(asm.KSHIFTRD, 200), 0}, {shift(asm.KSHIFTRQ, 60), 0xF},
	} {
		m := must(t, nil, func(m *Machine) {
			m.SetMask(1, math.MaxUint64)
			m.SetMask(2, a)
			m.SetMask(3, b)
		}, c.in)
		require.Equal(t, c.want, m.Mask(1), asm.Format(&c.in))
	}
	for _, c := range []struct {
		op   asm.Op
		x, y uint64
		want flags
	}{
		{asm.KORTESTW, 0xFF0000, 0xFF0000, zero}, {asm.KORTESTW, 0xFF00, 0x00FF, carry}, {asm.KORTESTB, 0x100, 0x0F, 0}, {asm.KORTESTQ, 1 << 63, 0, 0},
		{asm.KTESTB, 0x0F, 0xF0, zero}, {asm.KTESTB, 0x0F, 0x07, carry}, {asm.KTESTW, 0xFF, 0x1FF, 0}, {asm.KTESTW, 1, 0x10000, zero | carry},
	} {
		m := must(t, nil, func(m *Machine) {
			m.SetMask(1, c.x)
			m.SetMask(2, c.y)
			m.SetFlags(uint64(allFlags))
		}, asm.Make(c.op, asm.K1, asm.K2))
		require.Equal(t, c.want, m.flags, "%s %#x %#x", c.op, c.x, c.y)
	}
	// Between masks, vectors and general-purpose registers.
	m := must(t, nil, func(m *Machine) {
		m.SetMask(2, 0b101)
		m.SetMask(3, math.MaxUint64)
		m.SetGPR(0, math.MaxUint64)
		m.SetGPR(1, 0x11112222_33334444)
		m.fill(4, 0x80)
	}, asm.Make(asm.VPMOVM2D, asm.Vec(1), asm.K2).Len(asm.V128), asm.Make(asm.KMOVW, asm.RAX, asm.K3), asm.Make(asm.KMOVB, asm.K4, asm.RCX),
		asm.Make(asm.VPMOVB2M, asm.K5, asm.Vec(4)).Len(asm.V256), asm.Make(asm.VPTESTMD, asm.K6, asm.Vec(1), asm.Vec(4)).Len(asm.V128),
		asm.Make(asm.VPTESTNMD, asm.K7, asm.Vec(1), asm.Vec(4)).Len(asm.V128), asm.Make(asm.VPBROADCASTBR, asm.Vec(2), asm.RCX).Len(asm.V128).Zero(asm.K2))
	require.Equal(t, u(1<<32-1, 0, 1<<32-1, 0, 0), m.lanesOf(1, 4, 5))
	require.Equal(t, uint64(0xFFFF), m.GPR(0))
	require.Equal(t, uint64(0x44), m.Mask(4))
	require.Equal(t, uint64(1<<32-1), m.Mask(5))
	require.Equal(t, uint64(0b0101), m.Mask(6))
	require.Equal(t, uint64(0b1010), m.Mask(7))
	require.Equal(t, u(0x44, 0, 0x44, 0), m.lanesOf(2, 1, 4))
}

func f32s(v ...float64) []uint64 {
	var out []uint64
	for _, x := range v {
		out = append(out, uint64(math.Float32bits(float32(x))))
	}
	return out
}

func f64s(v ...float64) []uint64 {
	var out []uint64
	for _, x := range v {
		out = append(out, math.Float64bits(x))
	}
	return out
}

func TestFloatToInteger(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, c := range []vectorCase{
		{op2(asm.VCVTTPS2DQ), 4, u(), f32s(-1.9, 2147483648, -2147483648, inf, nan), u(), u(1<<32-1, 1<<31, 1<<31, 1<<31, 1<<31)},
		{op2(asm.VCVTTPS2UDQ), 4, u(), f32s(-0.9, -1, 4294967040, 4294967296, nan, zero), u(), u(0, 1<<32-1, 4294967040, 1<<32-1, 1<<32-1, 0)},
		{op2(asm.VCVTTPD2DQ), 8, u(), f64s(2147483647.9, 2147483648, -2147483648.9, -2147483649), u(), u(1<<31-1, 1<<31, 1<<31, 1<<31)},
		{op2(asm.VCVTTPD2UDQ), 8, u(), f64s(4294967295.9, 4294967296), u(), u(1<<32-1, 1<<32-1)},
		{op2(asm.VCVTTPD2QQ), 8, u(), f64s(-1<<63, 1<<63, 1<<62, nan), u(), u(1<<63, 1<<63, 1<<62, 1<<63)},
		{op2(asm.VCVTTPD2UQQ), 8, u(), f64s(1<<63, 1<<64, -0.5, -1, inf), u(), u(1<<63, math.MaxUint64, 0, math.MaxUint64, math.MaxUint64)},
		{op2(asm.VCVTTPS2UQQ), 4, u(), f32s(1<<63, -3), u(), u(1<<63, math.MaxUint64)},
		{op2(asm.VCVTPS2DQ), 4, u(), f32s(0.5, 1.5, 2.5, -2.5), u(), u(0, 2, 2, 1<<32-2)},
		{op2(asm.VCVTPS2DQ).Rounded(asm.RoundRU), 4, u(), f32s(0.25, -0.25), u(), u(1, 0)},
		{op2(asm.VCVTPS2DQ).Rounded(asm.RoundRD), 4, u(), f32s(0.25, -0.25), u(), u(0, 1<<32-1)},
		{op2(asm.VCVTUQQ2PD), 8, u(), u(math.MaxUint64, 1<<63+1), u(), f64s(1<<64, 1<<63)},
		{op2(asm.VCVTUDQ2PS), 4, u(), u(1<<32-1, 1<<24+1, 1<<24+3), u(), f32s(1<<32, 1<<24, 1<<24+4)},
		{op2(asm.VCVTUDQ2PS).Rounded(asm.RoundRZ), 4, u(), u(1<<32 - 1), u(), f32s(1<<32 - 256)},
		{op2(asm.VCVTPD2PS), 8, u(), f64s(1e300, 1e-300, 1+0x1p-24, 1+0x1p-24+0x1p-40), u(), f32s(inf, 0, 1, 1+0x1p-23)},
	} {
		c.check(t)
	}
	for _, c := range []struct {
		op   asm.Op
		size asm.Size
		x    float64
		want uint64
	}{
		{asm.VCVTTSD2SI, asm.Size32, 3e9, 1 << 31}, {asm.VCVTTSD2SI, asm.Size64, 3e9, 3e9}, {asm.VCVTTSD2SI, asm.Size64, nan, 1 << 63},
		{asm.VCVTTSD2USI, asm.Size32, 3e9, 3e9}, {asm.VCVTTSD2USI, asm.Size32, 5e9, 1<<32 - 1}, {asm.VCVTTSD2USI, asm.Size64, -1, math.MaxUint64},
	} {
		m := must(t, nil, func(m *Machine) { m.setLanes(2, 8, math.Float64bits(c.x)) }, asm.Make(c.op, asm.RAX, asm.Vec(2)).Bits(c.size))
		require.Equal(t, c.want, m.GPR(0), "%s %v", c.op, c.x)
	}
}

func TestFloats(t *testing.T) {
	inf, zero := math.Inf(1), math.Copysign(0, -1)
	const signaling, quiet, payload, indefinite = 0x7F800001, 0x7FC00001, 0xFFC12345, 0xFFC00000
	least := math.Float32frombits(1)
	for _, c := range []vectorCase{
		// The result is the second operand if one is a NaN or both are zeros.
		{op3(asm.VMINPS), 4, u(), append(f32s(0, zero, 1), signaling), append(f32s(zero, 0, 2), f32s(5)[0]), append(f32s(zero, 0, 1), f32s(5)[0])},
		{op3(asm.VMAXPS), 4, u(), f32s(0, zero, 1, 5), append(f32s(zero, 0, 2), signaling), append(f32s(zero, 0, 2), signaling)},
		// The result is the first NaN operand, made quiet, or else the indefinite NaN.
		{op3(asm.VADDPS), 4, u(), u(signaling, payload, f32s(1)[0], f32s(inf)[0]), u(payload, signaling, signaling, f32s(-inf)[0]), u(quiet, payload, quiet, indefinite)},
		{op3(asm.VDIVPS), 4, u(), f32s(0, 1, -1), f32s(0, 0, 0), append(u(indefinite), f32s(inf, -inf)...)},
		{op2(asm.VSQRTPS), 4, u(), f32s(zero, -1, 2, inf), u(), append(f32s(zero), indefinite, uint64(math.Float32bits(float32(math.Sqrt2))), f32s(inf)[0])},

		{op3(asm.VADDPS).Rounded(asm.RoundRU), 4, u(), f32s(1, -1, 3.4028234663852886e38), f32s(0x1p-40, 0x1p-40, 1e30), f32s(1+0x1p-23, -1+0x1p-24, inf)},
		{op3(asm.VADDPS).Rounded(asm.RoundRD), 4, u(), f32s(1, 1, 3.4028234663852886e38, 0), f32s(-0x1p-40, -1, 1e30, zero), f32s(1-0x1p-24, zero, 3.4028234663852886e38, zero)},
		{op3(asm.VADDPS).Rounded(asm.RoundRZ), 4, u(), f32s(1, -1), f32s(0x1p-40, -0x1p-40), f32s(1, -1)},
		{op3(asm.VMULPD).Rounded(asm.RoundRU), 8, u(), f64s(1e-300, -1e-300), f64s(1e-300, 1e-300), f64s(5e-324, zero)},
		{op3(asm.VDIVPD).Rounded(asm.RoundRZ), 8, u(), f64s(2), f64s(3), u(0x3FE5555555555555)},
		{op3(asm.VDIVPD).Rounded(asm.RoundRU), 8, u(), f64s(2), f64s(3), u(0x3FE5555555555556)},
		{op2(asm.VSQRTPD).Rounded(asm.RoundRD), 8, u(), f64s(2, 4), u(), u(0x3FF6A09E667F3BCC, f64s(2)[0])},

		// One rounding: the square of 1+2^-12 is 1+2^-11+2^-24, whose last bit a single cannot
		// represent.
		{op3(asm.VFMADD231PS), 4, f32s(-1 - 0x1p-11), f32s(1 + 0x1p-12), f32s(1 + 0x1p-12), f32s(0x1p-24)},
		{op3(asm.VFMADD213PS), 4, f32s(1 + 0x1p-12), f32s(1 + 0x1p-12), f32s(float64(least)), f32s(1 + 0x1p-11 + 0x1p-23)},
		{op3(asm.VFNMADD132PD), 8, f64s(3, inf), f64s(10, inf), f64s(2, 1), append(f64s(4), 0xFFF8000000000000)},
		{op3(asm.VFMADDSUB231PD), 8, f64s(1, 1), f64s(10, 10), f64s(2, 2), f64s(19, 21)},
		{op3(asm.VFMSUBADD231PD), 8, f64s(1, 1), f64s(10, 10), f64s(2, 2), f64s(21, 19)},

		{op2imm(asm.VRNDSCALEPS, 0), 4, u(), f32s(0.5, 1.5, -2.5, -0.25), u(), f32s(0, 2, -2, zero)},
		{op2imm(asm.VRNDSCALEPS, 1), 4, u(), f32s(0.5, -0.5), u(), f32s(0, -1)},
		{op2imm(asm.VRNDSCALEPS, 2), 4, u(), f32s(0.5, -0.5), u(), f32s(1, zero)},
		{op2imm(asm.VRNDSCALEPS, 3), 4, u(), f32s(1.9, -1.9, 1e30), u(), f32s(1, -1, 1e30)},
		{op2imm(asm.VRNDSCALEPD, 0x10), 8, u(), f64s(0.25, 0.75, 1.26, inf), u(), f64s(0, 1, 1.5, inf)},
	} {
		c.check(t)
	}
}

func TestFloatCompares(t *testing.T) {
	nan := math.NaN()
	// Of less, equal, greater and unordered, for all predicates (SDM, CMPPD, table 3-1).
	want := [32]uint64{0b0010, 0b0001, 0b0011, 0b1000, 0b1101, 0b1110, 0b1100, 0b0111, 0b1010, 0b1001, 0b1011, 0, 0b0101, 0b0110, 0b0100, 0b1111}
	for imm := range want {
		m := must(t, nil, func(m *Machine) {
			m.setLanes(2, 8, f64s(1, 0, 3, nan)...)
			m.setLanes(3, 8, f64s(2, math.Copysign(0, -1), 2, 1)...)
		}, asm.Make(asm.VCMPPD, asm.K1, asm.Vec(2), asm.Vec(3), asm.InImm).WithImm(int64(imm)).Len(asm.V256))
		require.Equal(t, want[imm&15], m.Mask(1), "predicate %#x", imm)
	}
}

func TestHalves(t *testing.T) {
	for _, c := range []struct {
		x    float64
		imm  int64
		want uint64
	}{
		{1, 0, 0x3C00}, {-2, 0, 0xC000}, {65504, 0, 0x7BFF}, {65519.99, 0, 0x7BFF}, {65520, 0, 0x7C00}, {65520, 3, 0x7BFF}, {65505, 2, 0x7C00},
		{-65505, 2, 0xFBFF}, {1 + 0x1p-11, 0, 0x3C00}, {1 + 3*0x1p-11, 0, 0x3C02}, {1 + 0x1p-11, 2, 0x3C01}, {0x1p-24, 0, 1}, {0x1p-25, 0, 0},
		{0x1p-25 + 0x1p-40, 0, 1}, {0x1p-30, 2, 1}, {-0x1p-30, 1, 0x8001}, {-0x1p-30, 0, 0x8000}, {1023 * 0x1p-24, 0, 0x3FF}, {1023.5 * 0x1p-24, 0, 0x400},
		{0x1p-14, 0, 0x400}, {math.Inf(-1), 0, 0xFC00},
	} {
		m := must(t, nil, func(m *Machine) { m.setLanes(2, 4, f32s(c.x)...) },
			asm.Make(asm.VCVTPS2PH, asm.Vec(1), asm.Vec(2), asm.InImm).WithImm(c.imm).Len(asm.V512))
		require.Equal(t, c.want, m.lanesOf(1, 2, 1)[0], "%v mode %d", c.x, c.imm)
		require.Equal(t, u(0, 0), m.lanesOf(1, 8, 8)[4:6], "the upper half becomes zero")
	}
	for h, want := range map[uint64]uint32{
		0x3C00: 0x3F800000, 1: math.Float32bits(0x1p-24), 0x83FF: math.Float32bits(-1023 * 0x1p-24), 0x7C00: 0x7F800000, 0x8000: 1 << 31,
		0x7C01: 0x7FC02000, 0xFE00: 0xFFC00000,
	} {
		m := must(t, nil, func(m *Machine) { m.setLanes(2, 2, h) }, asm.Make(asm.VCVTPH2PS, asm.Vec(1), asm.Vec(2)).Len(asm.V512))
		require.Equal(t, uint64(want), m.lanesOf(1, 4, 1)[0], "%#x", h)
	}
}

// FTZ and DAZ, and the rounding mode of MXCSR.
func TestMXCSR(t *testing.T) {
	mem := make([]byte, 4)
	with := func(v uint32) *Machine {
		binary.LittleEndian.PutUint32(mem, v)
		return must(t, mem, func(m *Machine) {
			m.setLanes(2, 4, 1, f32s(0x1p-100)[0], f32s(1)[0], f32s(0x1p-126)[0])
			m.setLanes(3, 4, f32s(1, 0x1p-40, 1, 1)...)
			m.setLanes(3, 4, f32s(1, 0x1p-40)...)
		}, asm.Make(asm.LDMXCSR, asm.InMem).WithMem(asm.At(asm.RBX, 0)), op3(asm.VMULPS), op3(asm.VADDPS).Len(asm.V128).Merge(asm.K1))
	}
	require.Equal(t, u(1, 1<<9), with(defaultMXCSR).lanesOf(1, 4, 2))
	require.Equal(t, u(0, 1<<9), with(defaultMXCSR|mxcsrDAZ).lanesOf(1, 4, 2))
	require.Equal(t, u(0, 0, f32s(1)[0], f32s(0x1p-126)[0]), with(defaultMXCSR|mxcsrFTZ).lanesOf(1, 4, 4))
	require.Equal(t, uint32(0x9F80), with(0x9F80).MXCSR())
}

func TestControl(t *testing.T) {
	// A loop, a load of a constant, and a jump through a table.
	var pool asm.Pool
	table := pool.AddTable(3)
	pool.SetTable(table, []asm.Label{1, 2, 3})
	ten := pool.AddUint(10, 8)
	insts := []asm.Inst{
		asm.Make(asm.LEA, asm.RBX, asm.InMem).WithMem(asm.ConstMem(table)).Bits(asm.Size64),
		asm.Make(asm.MOVSXD, asm.RSI, asm.InMem).WithMem(asm.Indexed(asm.RBX, asm.RCX, 4, 0)).Bits(asm.Size64),
		asm.Make(asm.ADD, asm.RSI, asm.RBX).Bits(asm.Size64),
		asm.Make(asm.JMPIND, asm.RSI).Bits(asm.Size64),
		asm.Bind(1), asm.Align(16), asm.MoveImm(asm.RAX, 100), asm.Jump(4),
		asm.Bind(2), asm.Make(asm.MOV, asm.RAX, asm.InMem).WithMem(asm.ConstMem(ten)).Bits(asm.Size64), asm.Jump(4),
		asm.Bind(3), asm.Make(asm.INC, asm.RAX).Bits(asm.Size64), asm.Make(asm.CMP, asm.RAX, asm.InImm).WithImm(20).Bits(asm.Size64), asm.JumpIf(asm.CondNE, 3),
		asm.Bind(4), asm.Make(asm.RET),
	}
	code, err := asm.Assemble(insts, &pool, asm.Options{})
	require.NoError(t, err)
	p, err := Translate(insts, code)
	require.NoError(t, err)
	for i, want := range []uint64{100, 10, 20} {
		m, err := NewMachine(p, nil)
		require.NoError(t, err)
		m.SetGPR(1, uint64(i))
		require.NoError(t, m.Run(context.Background(), 100))
		require.Equal(t, want, m.GPR(0))
		require.Equal(t, []uint64{7, 7, 4 + 60 + 1}[i], m.Steps)
		steps := m.Steps
		m.SetGPR(0, 0)
		require.NoError(t, m.Run(context.Background(), 100), "it can run again")
		require.Greater(t, m.Steps, steps)
	}
	m, err := NewMachine(p, nil)
	require.NoError(t, err)
	m.SetGPR(1, 1<<40) // beyond the table
	require.ErrorContains(t, m.Run(context.Background(), 100), "movsxd rsi, DWORD PTR [rbx+rcx*4]: invalid read")
	_, err = try(t, nil, nil, asm.Make(asm.JMPIND, asm.RBX).Bits(asm.Size64))
	require.ErrorContains(t, err, "jmp rbx: jump to address 0x10000, where no instruction begins")
}

func TestFaults(t *testing.T) {
	divide := func(op asm.Op, rdx, rax, by uint64, size asm.Size) error {
		_, err := try(t, nil, func(m *Machine) {
			m.SetGPR(0, rax)
			m.SetGPR(1, by)
			m.SetGPR(2, rdx)
		}, asm.Make(op, asm.RCX).Bits(size))
		return err
	}
	require.NoError(t, divide(asm.DIV, 1, 0, 2, asm.Size64))
	require.ErrorContains(t, divide(asm.DIV, 1, 0, 1, asm.Size64), "div rcx: integer division fault")
	require.ErrorContains(t, divide(asm.DIV, 0, 1, 0, asm.Size32), "integer division fault")
	require.ErrorContains(t, divide(asm.IDIV, math.MaxUint64, 1<<63, math.MaxUint64, asm.Size64), "integer division fault")
	require.ErrorContains(t, divide(asm.IDIV, 0, 1<<31, 1, asm.Size32), "integer division fault")
	require.NoError(t, divide(asm.IDIV, math.MaxUint64, 1<<63, 1, asm.Size64))

	code := &asm.Code{}
	run := func(steps uint64, insts ...asm.Inst) error {
		p, err := Translate(insts, code)
		require.NoError(t, err)
		m, err := NewMachine(p, nil)
		require.NoError(t, err)
		return m.Run(context.Background(), steps)
	}
	loop := []asm.Inst{asm.Bind(0), asm.Make(asm.INC, asm.RAX).Bits(asm.Size64), asm.Jump(0)}
	require.EqualError(t, run(1e6, loop...), "emulated code has not returned after 1000000 instructions")
	require.ErrorContains(t, run(0, asm.Make(asm.NOP)), "control reaches the end of the code")
	require.ErrorContains(t, run(0, asm.Make(asm.UD2)), "invalid opcode")
	require.ErrorContains(t, run(0, asm.Make(asm.IMUL, asm.RAX, asm.RCX).Bits(asm.Size64), asm.Make(asm.SETCC, asm.RAX).If(asm.CondE), asm.Make(asm.RET)),
		"sete al: its condition depends on an undefined flag")
	// AMD processors set the parity flag here, Intel processors do not.
	require.ErrorContains(t, run(0, asm.Make(asm.BZHI, asm.RAX, asm.RCX, asm.RDX).Bits(asm.Size64), asm.Make(asm.SETCC, asm.RAX).If(asm.CondP), asm.Make(asm.RET)),
		"setp al: its condition depends on an undefined flag")

	p, err := Translate(loop, code)
	require.NoError(t, err)
	m, err := NewMachine(p, nil)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, m.Run(ctx, 0), context.Canceled)

	_, err = NewMachine(p, []Region{{Address: 16, Bytes: make([]byte, 16)}, {Address: 8, Bytes: make([]byte, 16)}})
	require.ErrorContains(t, err, "overlaps another")
	m, err = try(t, make([]byte, 8), nil, asm.Make(asm.LOCKXADD, asm.InMem, asm.RAX).WithMem(asm.Mem{Disp: 1 << 30}).Bits(asm.Size32))
	require.ErrorContains(t, err, "invalid read of 4 bytes at address 0x40000000")
	require.Zero(t, m.GPR(0))
}

func TestVirtualRegisters(t *testing.T) {
	g, v, k := asm.Virtual(asm.ClassGPR, 100), asm.Virtual(asm.ClassVec, 50), asm.Virtual(asm.ClassMask, 20)
	var pool asm.Pool
	c := pool.AddUint(7, 4)
	code, err := asm.Assemble(nil, &pool, asm.Options{})
	require.NoError(t, err)
	p, err := Translate([]asm.Inst{
		asm.Make(asm.MOV, g, asm.InMem).WithMem(asm.ConstMem(c)).Bits(asm.Size32), asm.Make(asm.KMOVW, k, g),
		asm.Make(asm.VPBROADCASTDR, v, g).Len(asm.V128).Zero(k), asm.Make(asm.VMOVDQA64, asm.Vec(0), v).Len(asm.V512), asm.Make(asm.RET),
	}, code)
	require.NoError(t, err)
	m, err := NewMachine(p, nil)
	require.NoError(t, err)
	require.NoError(t, m.Run(context.Background(), 0))
	require.Equal(t, u(7, 7, 7, 0), m.lanesOf(0, 4, 4))
}

func bench(b *testing.B, insts ...asm.Inst) {
	body := append([]asm.Inst{asm.Bind(0)}, insts...)
	body = append(body, asm.Make(asm.DEC, asm.RDX).Bits(asm.Size64), asm.JumpIf(asm.CondNE, 0), asm.Make(asm.RET))
	p, err := Translate(body, &asm.Code{})
	require.NoError(b, err)
	m, err := NewMachine(p, []Region{{Address: dataAt, Bytes: make([]byte, 4096)}})
	require.NoError(b, err)
	m.SetGPR(3, dataAt)
	m.SetGPR(2, uint64(b.N))
	m.SetMask(1, 0x5555)
	b.ReportAllocs()
	b.ResetTimer()
	require.NoError(b, m.Run(context.Background(), 0))
	b.ReportMetric(float64(m.Steps)/b.Elapsed().Seconds()/1e6, "Minst/s")
}

func BenchmarkScalar(b *testing.B) {
	bench(b, asm.Make(asm.MOV, asm.RAX, asm.InMem).WithMem(asm.Indexed(asm.RBX, asm.RCX, 4, 8)).Bits(asm.Size64),
		asm.Make(asm.ADD, asm.RAX, asm.RCX).Bits(asm.Size64), asm.Make(asm.IMUL, asm.RAX, asm.RSI).Bits(asm.Size64),
		asm.Make(asm.LEA, asm.RSI, asm.InMem).WithMem(asm.Indexed(asm.RAX, asm.RCX, 1, 8)).Bits(asm.Size64),
		asm.Make(asm.SHR, asm.RAX, asm.InImm).WithImm(3).Bits(asm.Size32), asm.Make(asm.MOV, asm.InMem, asm.RAX).WithMem(asm.At(asm.RBX, 64)).Bits(asm.Size32))
}

func BenchmarkVector(b *testing.B) {
	bench(b, asm.Make(asm.VMOVDQU32, asm.Vec(1), asm.InMem).WithMem(asm.At(asm.RBX, 64)).Len(asm.V512), op3(asm.VPADDD).Merge(asm.K1), op3(asm.VMULPS),
		op3(asm.VFMADD231PS), op3(asm.VPXORD), asm.Make(asm.VPCMPD, asm.K2, asm.Vec(1), asm.Vec(2), asm.InImm).WithImm(asm.IntLT).Len(asm.V512),
		asm.Make(asm.VMOVDQU32, asm.InMem, asm.Vec(1)).WithMem(asm.At(asm.RBX, 128)).Len(asm.V512).Merge(asm.K1), op3(asm.VPADDB))
}
