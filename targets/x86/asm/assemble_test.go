package asm

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// nopsOf returns n one-byte instructions.
func nopsOf(n int) []Inst {
	list := make([]Inst, n)
	for i := range list {
		list[i] = Make(NOP)
	}
	return list
}

func TestJumpSizes(t *testing.T) {
	for _, c := range []struct {
		name string
		list []Inst
		jump int // index of the jump
		size int32
	}{
		{"forward 127 is short", append(append([]Inst{Jump(0)}, nopsOf(127)...), Bind(0)), 0, 2},
		{"forward 128 is long", append(append([]Inst{Jump(0)}, nopsOf(128)...), Bind(0)), 0, 5},
		{"conditional 128 is long", append(append([]Inst{JumpIf(CondE, 0)}, nopsOf(128)...), Bind(0)), 0, 6},
		{"backward 126 and the jump is short", append(append([]Inst{Bind(0)}, nopsOf(126)...), Jump(0)), 127, 2},
		{"backward 127 and the jump is long", append(append([]Inst{Bind(0)}, nopsOf(127)...), Jump(0)), 128, 5},
	} {
		code, err := Assemble(c.list, nil, Options{})
		require.NoError(t, err, c.name)
		require.Equal(t, c.size, code.Offsets[c.jump+1]-code.Offsets[c.jump], c.name)
	}
}

// TestRelaxationCascades has a jump whose target is at the end of its range, until a jump
// between them grows.
func TestRelaxationCascades(t *testing.T) {
	list := []Inst{Jump(0)}
	list = append(list, nopsOf(125)...)
	list = append(list, Jump(1), Bind(0))
	code, err := Assemble(append(append(list, nopsOf(127)...), Bind(1)), nil, Options{})
	require.NoError(t, err)
	require.EqualValues(t, 2, code.Offsets[1], "both short")
	code, err = Assemble(append(append(list, nopsOf(128)...), Bind(1)), nil, Options{})
	require.NoError(t, err)
	require.EqualValues(t, 5, code.Offsets[1], "the growth of the second makes the first grow")
	require.EqualValues(t, 125+3, int32(binary.LittleEndian.Uint32(code.Bytes[1:]))-2, "distance over 125 nops and a long jump")
}

func TestAlignment(t *testing.T) {
	list := []Inst{JumpIf(CondNE, 0), Make(NOP), Align(32), Bind(0), Make(RET)}
	code, err := Assemble(list, nil, Options{})
	require.NoError(t, err)
	require.EqualValues(t, 32, code.Labels[0])
	require.Equal(t, []byte{0x75, 30}, code.Bytes[:2])
	require.Equal(t, 33, code.CodeSize)
	for n := 0; n < 64; n++ {
		require.Len(t, appendNops(nil, n), n)
	}
	for limit, at := range map[int]int{28: 3, 29: 32} {
		list := []Inst{Make(NOP), Make(NOP), AlignWithin(32, limit-1), Make(NOP), AlignWithin(32, limit), Bind(0), Make(RET)}
		code, err := Assemble(list, nil, Options{})
		require.NoError(t, err)
		require.EqualValues(t, at, code.Labels[0])
	}
}

// randomProgram returns a program with jumps between random labels, label addresses and
// constants.
func randomProgram(rng *rand.Rand, n int) ([]Inst, *Pool) {
	pool := &Pool{}
	var list []Inst
	labels := (n + 9) / 10
	for i := 0; i < n; i++ {
		if i%10 == 0 {
			list = append(list, Bind(Label(i/10)))
		}
		switch rng.Intn(8) {
		case 0:
			list = append(list, Jump(Label(rng.Intn(labels))))
		case 1, 2: // near the label, so that many jumps are near the end of their range
			to := min(max(i/10+rng.Intn(7)-3, 0), labels-1)
			list = append(list, JumpIf(Cond(rng.Intn(16)), Label(to)))
		case 3:
			list = append(list, Make(LEA, GPR(rng.Intn(16)), InMem).Bits(Size64).WithMem(LabelMem(Label(rng.Intn(labels)))))
		case 4:
			data := make([]byte, 1<<rng.Intn(7))
			rng.Read(data[:1])
			m := ConstMem(pool.Add(data))
			switch len(data) {
			case 64:
				list = append(list, Make(VPADDD, Vec(rng.Intn(32)), Vec(1), InMem).Len(V512).WithMem(m).Merge(K3))
			case 4:
				list = append(list, Make(VPTERNLOGD, Vec(rng.Intn(32)), Vec(1), InMem, InImm).Len(V256).WithMem(m.Bcast()).WithImm(0xCA))
			default:
				list = append(list, Make(CMP, InMem, InImm).Bits(Size32).WithMem(m).WithImm(int64(rng.Intn(1000))))
			}
		default:
			f := &forms[rng.Intn(len(forms))]
			for f.op.Is(Pseudo) || f.args[0] == label || f.op == XCHG {
				f = &forms[rng.Intn(len(forms))]
			}
			list = append(list, randomInst(rng, f).AtLine(int32(i%7)))
		}
	}
	return list, pool
}

// TestListingAssembles assembles printed programs with GNU as: jumps have the same sizes, and
// references to code and constants the same offsets.
func TestListingAssembles(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for _, n := range []int{10, 100, 3000} {
		list, pool := randomProgram(rng, n)
		code, err := Assemble(list, pool, Options{})
		require.NoError(t, err)
		var text bytes.Buffer
		require.NoError(t, (&Listing{Comment: func(line int32) string { return fmt.Sprint("line ", line) }}).Write(&text, "program", list, code, pool))
		if n >= 100 {
			require.Contains(t, text.String(), "# line 6\n")
		}
		got := gnuAs(t, text.String())
		require.Equal(t, len(got), len(code.Bytes))
		if !bytes.Equal(got, code.Bytes) {
			for i := range list {
				a, b := code.Offsets[i], code.Offsets[i+1]
				require.Equal(t, got[a:b], code.Bytes[a:b], Format(&list[i]))
			}
			require.Equal(t, got[code.CodeSize:], code.Bytes[code.CodeSize:], "constants")
		}
	}
}

func TestConstantPool(t *testing.T) {
	pool := &Pool{}
	a := pool.AddUint(7, 4)
	b := pool.Add(bytes.Repeat([]byte{9}, 64))
	require.Equal(t, a, pool.AddUint(7, 4), "equal constants are stored once")
	require.NotEqual(t, a, pool.AddUint(7, 8))
	odd := pool.Add([]byte{1, 2, 3})
	list := []Inst{
		Make(VADDPS, Vec(0), Vec(1), InMem).Len(V512).WithMem(ConstMem(b)),
		Make(MOV, RAX, InMem).Bits(Size32).WithMem(ConstMem(a)),
		Make(CMP, InMem, InImm).Bits(Size8).WithMem(ConstMem(odd)).WithImm(1),
		Make(RET),
	}
	code, err := Assemble(list, pool, Options{})
	require.NoError(t, err)
	require.Zero(t, code.Consts[b]%64)
	require.Zero(t, code.Consts[a]%4)
	require.Equal(t, code.PoolStart, code.Consts[b], "the most aligned constant is first")
	require.Equal(t, []byte{1, 2, 3}, code.Bytes[code.Consts[odd]:])
	for i, id := range []ConstID{b, a, odd} {
		end := code.Offsets[i+1]
		at := end - 4
		if i == 2 {
			at-- // an immediate follows
		}
		rel := int32(binary.LittleEndian.Uint32(code.Bytes[at:]))
		require.EqualValues(t, code.Consts[id], end+rel)
	}
	again, err := Assemble(list, pool, Options{})
	require.NoError(t, err)
	require.Equal(t, code, again)
}

func TestErrors(t *testing.T) {
	z := Make(VPADDD, Vec(1), Vec(2), Vec(3)).Len(V512)
	for _, c := range []struct {
		in   Inst
		want string
	}{
		{z.Merge(K0), "k1..k7"},
		{Make(VPADDD, Virtual(ClassVec, 4), Vec(2), Vec(3)).Len(V512), "virtual"},
		{z.Merge(Virtual(ClassMask, 1)), "virtual"},
		{z.WithMem(At(RAX, 0)).Rounded(RoundRN), "rounding"},
		{Make(VADDPS, Vec(1), Vec(2), Vec(3)).Len(V256).Rounded(RoundRN), "rounding"},
		{Make(VADDPS, Vec(1), Vec(2), InMem).Len(V512).WithMem(At(RAX, 0)).Rounded(RoundRN), "rounding"},
		{Make(VPADDD, Vec(1), RAX, Vec(3)).Len(V512), "operands"},
		{Make(VPADDD, Vec(1), Vec(2)).Len(V512), "operands"},
		{Make(VPADDD, Vec(1), Vec(2), Vec(32)).Len(V512), "does not exist"},
		{Make(VPADDB, Vec(1), Vec(2), InMem).Len(V512).WithMem(At(RAX, 0).Bcast()), "broadcast"},
		{Make(VPERMD, Vec(1), Vec(2), Vec(3)).Len(V128), "vector length"},
		{Make(VPCMPD, K1, Vec(2), Vec(3), InImm).Len(V512).Zero(K2), "zero-masking"},
		{Make(VMOVDQU32, InMem, Vec(2)).Len(V512).WithMem(At(RAX, 0)).Zero(K2), "zero-masking"},
		{Make(VPTERNLOGD, Vec(1), Vec(2), Vec(3), InImm).Len(V512).WithImm(256), "immediate"},
		{Make(VPGATHERDD, Vec(1), InMem).Len(V512).WithMem(Indexed(RAX, Vec(2), 4, 0)), "needs a write mask"},
		{Make(VPGATHERDD, Vec(1), InMem).Len(V512).WithMem(Indexed(RAX, Vec(1), 4, 0)).Merge(K1), "index of the address"},
		{Make(VPGATHERDD, Vec(1), InMem).Len(V512).WithMem(Indexed(RAX, RCX, 4, 0)).Merge(K1), "memory operand"},
		{Make(ADD, RAX, InImm).Bits(Size64).WithImm(1 << 40), "immediate"},
		{Make(ADD, RAX, RCX), "size"},
		{Make(ADD, RAX, InMem).Bits(Size64).WithMem(Indexed(RAX, RSP, 1, 0)), "memory operand"},
		{Make(ADD, RAX, InMem).Bits(Size64).WithMem(Indexed(RAX, RCX, 3, 0)), "memory operand"},
		{Make(ADD, RAX, InMem).Bits(Size64).WithMem(At(Virtual(ClassGPR, 3), 0)), "virtual"},
		{Make(ADD, RAX, InMem).Bits(Size64).WithMem(ConstMem(3)), "not in the pool"},
		{Make(LEA, RAX, InMem).Bits(Size64).WithMem(LabelMem(3)), "not bound"},
		{Jump(5), "not bound"},
		{Bind(-1), "label number"},
		{Align(3), "power of two"},
		{Make(INVALID), "no such instruction"},
		{Make(numOps + 3), "no such instruction"},
	} {
		_, err := Assemble([]Inst{Make(RET), c.in}, nil, Options{})
		require.Error(t, err, Format(&c.in))
		var e *Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, 1, e.Index)
		require.Contains(t, err.Error(), c.want, Format(&c.in))
	}
	_, err := Assemble([]Inst{Bind(0), Bind(0)}, nil, Options{})
	require.ErrorContains(t, err, "twice")
	_, err = Encode(nil, &Inst{Op: JMP, Args: [4]Reg{InLabel}}, Options{})
	require.ErrorContains(t, err, "Assemble")
}

// TestNoPanics encodes and prints random invalid instructions.
func TestNoPanics(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	reg := func() Reg {
		switch rng.Intn(6) {
		case 0:
			return Reg(rng.Intn(5))
		case 1:
			return Reg(rng.Uint32())
		case 2:
			return Virtual(Class(rng.Intn(4)), rng.Intn(9))
		}
		return Reg(1+rng.Intn(3))<<regClassBits | Reg(rng.Intn(34))
	}
	encoded := 0
	for i := 0; i < 50000; i++ {
		in := Inst{
			Op: Op(rng.Intn(int(numOps) + 5)), Size: Size(rng.Intn(9) * 8), VL: VL(rng.Intn(6)), Cond: Cond(rng.Uint32()),
			Round: Round(rng.Intn(8)) * Round(rng.Intn(2)), Zeroing: rng.Intn(9) == 0, Imm: rng.Int63() >> rng.Intn(63), Target: Label(rng.Intn(9) - 3),
			Args: [4]Reg{reg(), reg(), reg(), reg()},
			Mem:  Mem{Base: reg(), Index: reg(), Scale: uint8(rng.Intn(20)), Kind: MemKind(rng.Intn(5)), Broadcast: rng.Intn(2) == 0, Disp: int32(rng.Uint32()), Const: ConstID(rng.Intn(5) - 2)},
		}
		if rng.Intn(4) == 0 {
			in.K = reg()
		}
		for j := in.Op.Info().Args; j < 4; j++ {
			in.Args[j] = NoReg
		}
		require.NotEmpty(t, Format(&in))
		in.Regs(func(r *Reg, role Role) {})
		if _, err := Assemble([]Inst{in}, nil, Options{}); err == nil {
			encoded++
		}
	}
	require.Positive(t, encoded)
}

func BenchmarkEncode(b *testing.B) {
	rng := rand.New(rand.NewSource(4))
	var list []Inst
	for len(list) < 4096 {
		f := &forms[rng.Intn(len(forms))]
		if !f.op.Is(Pseudo) && f.args[0] != label {
			list = append(list, randomInst(rng, f))
		}
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		if _, err := Assemble(list, nil, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*float64(len(list))/b.Elapsed().Seconds()/1e6, "Minst/s")
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		in   Inst
		want string
	}{
		{Make(VPADDD, Vec(1), Vec(2), InMem).Len(V512).WithMem(At(RDI, 64).Bcast()).Zero(K1), "vpaddd zmm1{k1}{z}, zmm2, DWORD PTR [rdi+0x40]{1to16}"},
		{Make(VPADDD, Virtual(ClassVec, 1), Vec(2), InMem).Len(V512).WithMem(Indexed(Virtual(ClassGPR, 4), RCX, 8, -4)).Merge(Virtual(ClassMask, 2)),
			"vpaddd v.vec1{v.mask2}, zmm2, ZMMWORD PTR [v.gpr4+rcx*8-0x4]"},
		{Make(VCMPPS, K2, Vec(0), Vec(1), InImm).Len(V512).WithImm(FloatLT).Rounded(RoundSAE), "vcmpps k2, zmm0, zmm1, {sae}, 0x11"},
		{Make(CMOVCC, RAX, RCX).Bits(Size32).If(CondB), "cmovb eax, ecx"},
		{JumpIf(CondNE, 4), "jne .L4"},
		{MoveImm(RAX, 1<<31), "mov eax, 0x80000000"},
		{MoveImm(RAX, -2), "mov rax, -2"},
		{MoveImm(R9, 1<<40), "movabs r9, 0x10000000000"},
		{Make(ONESV, Vec(3)).Len(V512), "vpternlogd zmm3, zmm3, zmm3, 0xff"},
		{Make(VPGATHERQD, Vec(3), InMem).Len(V512).WithMem(Indexed(RAX, Vec(4), 4, 0)).Merge(K1), "vpgatherqd ymm3{k1}, DWORD PTR [rax+zmm4*4]"},
		{Make(SHLCL, RDX).Bits(Size8), "shl dl, cl"},
		{Make(LEA, RAX, InMem).Bits(Size64).WithMem(LabelMem(2)), "lea rax, [rip+.L2]"},
	} {
		require.Equal(t, c.want, Format(&c.in))
	}
	require.True(t, strings.HasPrefix(Virtual(ClassMask, 3).String(), "v.mask"))
}
