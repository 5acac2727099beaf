package x86

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/mach/regalloc"
	"github.com/simtc/simtc/targets/x86/asm"
)

// multiplyAdd evaluates an instruction of the fused multiply-add family as defined
// by Intel's SDM: form 132 is op1*op3+op2, 213 op2*op1+op3, 231 op2*op3+op1.
func multiplyAdd(op asm.Op, v [3]float64) float64 {
	forms := map[int][3]int{0: {0, 2, 1}, 1: {1, 0, 2}, 2: {1, 2, 0}}
	base, form, ok := fmaForm(op)
	if !ok {
		panic("no multiply-add")
	}
	k := forms[form]
	product, addend := v[k[0]]*v[k[1]], v[k[2]]
	if n := base.String(); n[:4] == "vfnm" {
		product = -product
	}
	if n := base.String(); n[:6] == "vfmsub" || n[:7] == "vfnmsub" {
		addend = -addend
	}
	return product + addend
}

func TestTieingMultiplyAdds(t *testing.T) {
	x, y, z := asm.Virtual(asm.ClassVec, 0), asm.Virtual(asm.ClassVec, 1), asm.Virtual(asm.ClassVec, 2)
	d := asm.Virtual(asm.ClassVec, 3)
	value := map[asm.Reg]float64{x: 3, y: 5, z: 11, asm.InMem: 11}
	for _, first := range fmaKinds {
		for k := range 12 {
			op := first + asm.Op(k)
			_, form, _ := fmaForm(op)
			require.Contains(t, op.String(), [3]string{"132", "213", "231"}[form])
			for _, last := range []asm.Reg{z, asm.InMem} {
				in := asm.Make(op, d, y, last)
				want := multiplyAdd(op, [3]float64{value[x], value[y], value[last]})
				for i := 1; i <= 2; i++ {
					tied := in.Args[i]
					if tied == asm.InMem {
						continue
					}
					out, ok := tieing(in, i, x)
					require.True(t, ok)
					require.NotEqual(t, asm.InMem, out.Args[1])
					require.Equal(t, op.String()[len(op.String())-2:], out.Op.String()[len(out.Op.String())-2:])
					got := multiplyAdd(out.Op, [3]float64{value[tied], value[out.Args[1]], value[out.Args[2]]})
					require.Equal(t, want, got, "%v with operand %d", op, i)
				}
			}
		}
	}
}

func TestTieingTernaryLogic(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 200 {
		table := uint8(rng.Intn(256))
		bit := func(table int64, a, b, c int) int64 { return table >> (a<<2 | b<<1 | c) & 1 }
		for k := range 8 {
			a, b, c := k>>2&1, k>>1&1, k&1
			require.Equal(t, bit(int64(table), a, b, c), bit(exchangeInputs(table, 1), b, a, c))
			require.Equal(t, bit(int64(table), a, b, c), bit(exchangeInputs(table, 2), c, b, a))
		}
	}
}

// TestVerifierFindsDamage changes one operand of allocated code at a time.
func TestVerifierFindsDamage(t *testing.T) {
	found, tried := 0, 0
	for seed := range 300 {
		rng := rand.New(rand.NewSource(int64(seed)))
		f := makeRandom(rng, shapes[1+seed%2])
		before, al := allocateAndVerify(t, f)
		b := f.Blocks[rng.Intn(len(f.Blocks))]
		if len(b.Insts) == 0 {
			continue
		}
		in := &b.Insts[rng.Intn(len(b.Insts))]
		changed := false
		in.Regs(func(r *asm.Reg, role asm.Role) {
			if !changed && role == asm.Read && rng.Intn(2) == 0 {
				switch r.Class() {
				case asm.ClassVec:
					*r = asm.Vec((r.Num() + 1) % 32)
				case asm.ClassMask:
					*r = asm.Mask((r.Num() + 1) % 8)
				default:
					*r = asm.GPR((r.Num() + 1) % 14)
				}
				changed = true
			}
		})
		if changed {
			tried++
			if regalloc.Verify(&before.Func, &f.Func, al, f.Registers()) != nil {
				found++
			}
		}
	}
	require.Greater(t, tried, 100)
	require.Greater(t, found*100, tried*90, "%d of %d", found, tried)
}

func TestTieingChoices(t *testing.T) {
	d, x, y := asm.Virtual(asm.ClassGPR, 0), asm.Virtual(asm.ClassGPR, 1), asm.Virtual(asm.ClassGPR, 2)
	out, ok := tieing(asm.Make(asm.CMOVCC, d, y).If(asm.CondBE).Bits(asm.Size32), 1, x)
	require.True(t, ok)
	require.Equal(t, asm.Make(asm.CMOVCC, d, x).If(asm.CondA).Bits(asm.Size32), out)
}

// Operations on bytes keep the operand that they overwrite, whose upper bits remain.
func TestTieingBytes(t *testing.T) {
	or := asm.Make(asm.OR, asm.RAX, asm.RCX)
	_, ok := tieing(or.Bits(asm.Size8), 1, asm.RDX)
	require.False(t, ok)
	_, ok = tieing(or.Bits(asm.Size32), 1, asm.RDX)
	require.True(t, ok)
}
