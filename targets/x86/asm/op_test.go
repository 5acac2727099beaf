package asm

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTable checks the invariants of rows on which the rest of the package relies.
func TestTable(t *testing.T) {
	names := map[string]bool{}
	for op := INVALID + 1; op < numOps; op++ {
		r := formRange[op]
		require.NotZero(t, r[1], "op %d has no row", op)
		info := op.Info()
		require.NotEmpty(t, info.Name)
		names[info.Name] = true
		for i := r[0]; i < r[1]; i++ {
			f := &forms[i]
			require.Equal(t, op, f.op, "the rows of %s are not adjacent", info.Name)
			immediates, places := 0, map[arg]bool{}
			for j, a := range f.args {
				if a == 0 || a.kind() == kCL {
					continue
				}
				require.Less(t, j, info.Args)
				require.Equal(t, info.Roles[j], a.role(), "%s: rows differ in the role of operand %d", info.Name, j)
				require.NotZero(t, a.role(), "%s: operand %d has no role", info.Name, j)
				switch k := a.kind(); {
				case k >= kImm8 && k <= kImm64 || k == kOne:
					immediates++
				case a.place() != 0:
					require.False(t, places[a.place()], "%s: operand %d shares a field with another", info.Name, j)
					places[a.place()] = true
				}
				if a.place() == pImm {
					immediates++
				}
			}
			require.LessOrEqual(t, immediates, 1, info.Name)
			if f.enc.isEVEX() {
				require.NotZero(t, f.enc.opmap(), info.Name)
				if f.op != ZEROV {
					require.NotZero(t, f.enc.vls(), info.Name)
				}
			}
			if f.enc.mask() == MaskZero {
				require.NotEqual(t, Read, info.Roles[0], info.Name)
			}
		}
	}
	require.Greater(t, len(names), 600)
}

// visited collects the registers and roles that Regs visits.
func visited(in Inst) (list []Reg, roles []Role) {
	in.Regs(func(r *Reg, role Role) {
		list = append(list, *r)
		roles = append(roles, role)
	})
	return list, roles
}

func TestRegs(t *testing.T) {
	add := Make(VPADDD, Vec(1), Vec(2), Vec(3)).Len(V512)
	for _, c := range []struct {
		in    Inst
		regs  []Reg
		roles []Role
	}{
		{add, []Reg{Vec(2), Vec(3), Vec(1)}, []Role{Read, Read, Write}},
		{add.Merge(K1), []Reg{Vec(1), Vec(2), Vec(3), K1}, []Role{ReadWrite, Read, Read, Read}},
		{add.Zero(K1), []Reg{Vec(2), Vec(3), K1, Vec(1)}, []Role{Read, Read, Read, Write}},
		{Make(VPBLENDMD, Vec(1), Vec(2), Vec(3)).Len(V512).Merge(K1), []Reg{Vec(2), Vec(3), K1, Vec(1)}, []Role{Read, Read, Read, Write}},
		{Make(VPCMPD, K2, Vec(2), Vec(3), InImm).Len(V512).Merge(K1), []Reg{Vec(2), Vec(3), K1, K2}, []Role{Read, Read, Read, Write}},
		{Make(VMOVDQU32, InMem, Vec(3)).Len(V512).WithMem(Indexed(RAX, RCX, 4, 0)).Merge(K1), []Reg{RAX, RCX, Vec(3), K1}, []Role{Read, Read, Read, Read}},
		{Make(VPGATHERDD, Vec(1), InMem).Len(V512).WithMem(Indexed(RAX, Vec(2), 4, 0)).Merge(K1), []Reg{Vec(1), RAX, Vec(2), K1}, []Role{ReadWrite, Read, Read, ReadWrite}},
		{Make(VPSCATTERDD, InMem, Vec(1)).Len(V512).WithMem(Indexed(RAX, Vec(2), 4, 0)).Merge(K1), []Reg{RAX, Vec(2), Vec(1), K1}, []Role{Read, Read, Read, ReadWrite}},
		{Make(VFMADD231PS, Vec(1), Vec(2), Vec(3)).Len(V512), []Reg{Vec(1), Vec(2), Vec(3)}, []Role{ReadWrite, Read, Read}},
		{Make(ADD, RAX, InImm).Bits(Size64).WithImm(1), []Reg{RAX}, []Role{ReadWrite}},
		{Make(CMP, RAX, RCX).Bits(Size64), []Reg{RAX, RCX}, []Role{Read, Read}},
		{Make(MOV, RAX, InMem).Bits(Size64).WithMem(ConstMem(0)), []Reg{RAX}, []Role{Write}},
		{Make(MULX, RAX, RCX, RBX).Bits(Size64), []Reg{RBX, RAX, RCX}, []Role{Read, Write, Write}},
		{Make(SHLCL, RDX).Bits(Size64), []Reg{RDX}, []Role{ReadWrite}},
	} {
		regs, roles := visited(c.in)
		require.Equal(t, c.regs, regs, Format(&c.in))
		require.Equal(t, c.roles, roles, Format(&c.in))
	}
}

// TestRegsRewrites replaces virtual registers in place, as an allocator does.
func TestRegsRewrites(t *testing.T) {
	v := func(n int) Reg { return Virtual(ClassVec, n) }
	in := Make(VPADDD, v(0), v(1), InMem).Len(V512).WithMem(At(Virtual(ClassGPR, 2), 8)).Merge(Virtual(ClassMask, 3))
	_, err := Encode(nil, &in, Options{})
	require.ErrorContains(t, err, "virtual")
	in.Regs(func(r *Reg, _ Role) {
		switch r.Class() {
		case ClassVec:
			*r = Vec(10 + r.Num())
		case ClassGPR:
			*r = RDI
		case ClassMask:
			*r = K1
		}
	})
	require.Equal(t, "vpaddd zmm10{k1}, zmm11, ZMMWORD PTR [rdi+0x8]", Format(&in))
	_, err = Encode(nil, &in, Options{})
	require.NoError(t, err)
}

func TestInfo(t *testing.T) {
	require.Equal(t, []Fixed{{RAX, ReadWrite}, {RDX, ReadWrite}}, DIV.Info().Fixed)
	require.True(t, ADD.Is(WritesFlags))
	require.False(t, SHLX.Is(WritesFlags))
	require.True(t, JCC.Is(ReadsFlags|Jumps))
	require.False(t, JCC.Is(Terminates))
	require.True(t, JMP.Is(Terminates))
	require.True(t, VPGATHERDD.Is(NeedsMask|EarlyClobber))
	require.Equal(t, "mov", MOV.String())
	require.Equal(t, "vpandd", VPANDD.String())
	require.EqualValues(t, 4, VPADDD.Info().Elem)
	require.True(t, VPADDD.Info().Bcast)
	require.Equal(t, MaskZero, VPADDD.Info().Mask)
	require.Equal(t, "(bad)", Op(60000).String())

	move := Make(VMOVDQA32, Vec(1), Vec(2)).Len(V512)
	require.True(t, move.IsCopy())
	masked := move.Merge(K1)
	require.False(t, masked.IsCopy())
	require.False(t, move.Len(V256).isCopy(), "it clears the upper half")
}

func (in Inst) isCopy() bool { return in.IsCopy() }

func TestConditions(t *testing.T) {
	require.Equal(t, CondNE, CondE.Negate())
	require.Equal(t, CondLE, CondG.Negate())
	require.Equal(t, "ae", CondB.Negate().String())
}
