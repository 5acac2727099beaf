package avx512

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir"
)

// lanesOf parses a function of width 64 that applies body to a vector with elements elem.
func lanesOf(t *testing.T, elem, body string) *vir.Func {
	t.Helper()
	text := `vir f width 64 scratch 0 noalias 0 {
b0:
  %c = context
  %n = load.i64 %c disp 24 align 8 invariant
  %args = load.i64 %c disp 184 align 8 invariant
  %p = load.i64 %args align 8 invariant
  %m = prefix.i1x64 %n at 0
  %x = vload.EEE %p, %m align 1
BODY  vstore.EEE %p, %r, %m align 1
  return
}
`
	f, err := vir.Parse("f", strings.ReplaceAll(strings.Replace(text, "BODY", body, 1), "EEE", elem+"x64"))
	require.NoError(t, err)
	return f
}

const clampBody = `  %low = ult.EEE %x, 20
  %a = select.EEE %low, 20, %x
  %high = ult.EEE 100, %x
  %both = or.i1x64 %low, %high
  %not = xor.i1x64 %both, 1
  %some = any.i1x64 %not
  %r = select.EEE %some, %a, %x
`

// Masks have as many lanes as a register has elements of the function's type.
func TestMaskLanes(t *testing.T) {
	for _, c := range []struct {
		elem  string
		lanes int
	}{{"i8", 64}, {"i16", 32}, {"i32", 16}, {"i64", 16}} {
		f := lanesOf(t, c.elem, clampBody)
		require.Equal(t, c.lanes, maskLanes(f, 64), c.elem)
		require.Equal(t, min(c.lanes, 32), maskLanes(f, 32), c.elem)
		require.Equal(t, 16, maskLanes(f, 16), c.elem)
	}
	widened := `  %y = zext.i32x64 %x
  %low = ult.i32x64 %y, 20
  %z = select.i32x64 %low, 20:i32x64, %y
  %r = trunc.EEE %z
`
	require.Equal(t, 16, maskLanes(lanesOf(t, "i8", widened), 64))
}

// A kernel on bytes holds 64 of them in one register, and their mask in one mask register.
func TestBytesFillRegisters(t *testing.T) {
	code, err := Compile(lanesOf(t, "i8", clampBody), Options{})
	require.NoError(t, err)
	out := code.Listing()
	for _, form := range []string{"bzhi", "kmovq k", "vmovdqu8 zmm", "vpcmpub k", "korq", "knotq", "kortestq"} {
		require.Contains(t, out, form)
	}
	require.NotContains(t, out, "xmm", "%s", out)
}
