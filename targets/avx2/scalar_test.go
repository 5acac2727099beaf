package avx2

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// Code of one lane uses AVX2 for scalars and for adjacent elements of one work-item.
func TestOneLane(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"floats selected by their order": {`  %x = load.f32 %p align 4
  %y = load.f32 %p disp 4 align 4
  %less = flt.f32 %x, %y
  %z = select.f32 %less, %x, %y
  store.f32 %p, %z align 4
`, []string{"vcmpss xmm", "vblendvps xmm"}},
		"doubles selected by integers": {`  %n = load.i32 %p align 4
  %x = load.f64 %p align 8
  %y = load.f64 %p disp 8 align 8
  %one = eq.i32 %n, 1
  %z = select.f64 %one, %x, %y
  store.f64 %p, %z align 8
`, []string{"neg r", "vmovq xmm", "vblendvpd xmm"}},
		"equal floats": {`  %x = load.f64 %p align 8
  %y = load.f64 %p disp 8 align 8
  %same = feq.f64 %x, %y
  %n = zext.i32 %same
  store.i32 %p, %n align 4
`, []string{"vcmpsd xmm", "vmovd", "and "}},
		"signs": {`  %x = load.f32 %p align 4
  %a = fabs.f32 %x
  %f = ffloor.f32 %a
  store.f32 %p, %f align 4
`, []string{"vpand xmm", "XMMWORD PTR [rip", "vroundss xmm"}},
		"the lesser of two": {`  %x = load.f32 %p align 4
  %y = load.f32 %p disp 4 align 4
  %m = fmin.f32 %x, %y
  store.f32 %p, %m align 4
`, []string{"vminps xmm", "vcmpps xmm", "vblendvps xmm"}},
		"unsigned numbers": {`  %n = load.i64 %p align 8
  %x = uitofp.f64 %n
  %m = fptoui.i64 %x
  store.i64 %p, %m align 8
`, []string{"vcvtsi2sd xmm", "vcvttsd2si r"}},
		"64 bytes side by side": {`  %n = load.i32 %p align 4
  %v = splat.i32x16 %n
  %w = add.i32x16 %v, 3
  %e = extract.i32 %w at 13
  vstore.i32x16 %p, %w, true:i1x16 align 4
  store.i32 %p, %e disp 64 align 4
`, []string{"vpbroadcastd ymm", "vpaddd ymm", "YMMWORD PTR [", "vextracti128 xmm"}},
		"a permutation and a multiplication of 64 bits": {`  %v = vload.i64x4 %p, true:i1x4 align 8
  %s = shuffle.i64x4 %v, %v lanes 3 1 2 0
  %m = mul.i64x4 %s, %v
  vstore.i64x4 %p, %m, true:i1x4 align 8
`, []string{"vpermq ymm", "vpmuludq ymm", "vpsllq ymm"}},
		"lanes of two": {`  %v = vload.f32x4 %p, true:i1x4 align 4
  %w = vload.f32x4 %p, true:i1x4 disp 16 align 4
  %s = shuffle.f32x4 %v, %w lanes 5 1 2 7
  vstore.f32x4 %p, %s, true:i1x4 align 4
`, []string{"vpshufb xmm", "vpor xmm"}},
		"under a mask": {`  %n = load.i64 %p align 8
  %m = unbits.i1x8 %n
  %v = vload.i32x8 %p, %m disp 8 align 4
  vstore.i32x8 %p, %v, true:i1x8 disp 8 align 4
`, []string{"vpcmpeqd ymm", "vpmaskmovd ymm"}},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := vir.Parse("f", "vir f width 1 scratch 0 {\nb0:\n  %c = context\n  %p = load.i64 %c disp 184 align 8\n"+c.body+"  return\n}\n")
			require.NoError(t, err)
			code, err := Compile(f, Options{})
			require.NoError(t, err)
			require.Equal(t, asm.V3, code.Level)
			for _, text := range c.want {
				require.Contains(t, code.Listing(), text)
			}
		})
	}
}

// Values that do not fit in 16 registers are spilled.
func TestSixteenRegisters(t *testing.T) {
	const n = 24
	text := "vir f width 1 scratch 0 {\nb0:\n  %c = context\n  %p = load.i64 %c disp 184 align 8\n"
	for i := range n {
		text += fmt.Sprintf("  %%x%d = load.f32 %%p disp %d align 4 volatile\n", i, 4*i)
	}
	for i := range n {
		text += fmt.Sprintf("  store.f32 %%p, %%x%d align 4 volatile\n", i)
	}
	f, err := vir.Parse("f", text+"  return\n}\n")
	require.NoError(t, err)
	code, err := Compile(f, Options{})
	require.NoError(t, err)
	require.Equal(t, asm.V3, code.Level)
	require.Positive(t, code.SpillBytes)
}

// Unsigned integers are converted to floats through 64 bits.
func TestUnsignedToFloat(t *testing.T) {
	f, err := vir.Parse("f", "vir f width 1 scratch 0 {\nb0:\n  %c = context\n  %p = load.i64 %c disp 184 align 8\n  %x = load.i32 %p align 4\n  %f = uitofp.f32 %x\n  store.f32 %p, %f disp 8 align 4\n  return\n}\n")
	require.NoError(t, err)
	code, err := Compile(f, Options{})
	require.NoError(t, err)
	require.Regexp(t, `vcvtsi2ss xmm\d+, xmm\d+, r[a-z0-9]+ `, code.Listing())
}

// A reload is folded only into forms that do not need AVX-512: byte shifts of memory
// operands need it.
func TestShiftsOfSpilledVectors(t *testing.T) {
	const n = 24
	text := "vir f width 1 scratch 0 {\nb0:\n  %c = context\n  %p = load.i64 %c disp 184 align 8\n  %y = vload.f64x2 %p, true:i1x2 align 8\n"
	for i := range n {
		text += fmt.Sprintf("  %%l%[1]d = vload.f64x2 %%p, true:i1x2 disp %[2]d align 8\n  %%v%[1]d = fadd.f64x2 %%l%[1]d, %%y\n", i, 16*i)
	}
	for i := range n {
		text += fmt.Sprintf("  vstore.f64x2 %%p, %%v%d, true:i1x2 disp %d align 8\n", i, 512+16*i)
	}
	for i := range n {
		text += fmt.Sprintf("  %%e%[1]d = extract.f64 %%v%[1]d at 1\n  store.f64 %%p, %%e%[1]d disp %[2]d align 8\n", i, 1024+8*i)
	}
	f, err := vir.Parse("f", text+"  return\n}\n")
	require.NoError(t, err)
	code, err := Compile(f, Options{})
	require.NoError(t, err)
	require.Positive(t, code.SpillBytes)
	require.Contains(t, code.Listing(), "vpsrldq xmm")
}
