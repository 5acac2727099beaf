package combine_test

import (
	"fmt"
	"math/rand"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt"
	"github.com/simtc/simtc/vir/virtest"
)

// Selects between a byte and a constant adjacent to the one it is compared with, for all
// bytes, before and after optimization.
func TestMinMaxOfAdjacentConstants(t *testing.T) {
	m := virtest.NewImage(rand.New(rand.NewSource(1)))
	for i := range m.Buffers[virtest.Data] {
		m.Buffers[virtest.Data][i] = byte(i)
	}
	rewritten := 0
	for _, op := range []string{"slt", "sle", "ult", "ule"} {
		for _, limit := range []int{0, 1, 7, 127, 128, 129, 254, 255} {
			for _, chosen := range []int{limit - 1, limit, limit + 1} {
				var body strings.Builder
				for i, form := range []string{"@, N : @, C", "@, N : C, @", "N, @ : @, C", "N, @ : C, @"} {
					form = strings.NewReplacer("N", fmt.Sprint(limit, ":i8x64"), "C", fmt.Sprint(chosen&255, ":i8x64")).Replace(form)
					compared, choice, _ := strings.Cut(form, " : ")
					for part := range 4 {
						at := func(s string) string { return strings.ReplaceAll(s, "@", "%x"+strconv.Itoa(part)) }
						fmt.Fprintf(&body, "  %%c%d_%d = %s.i1x64 %s\n", i, part, op, at(compared))
						fmt.Fprintf(&body, "  %%s%d_%d = select.i8x64 %%c%d_%d, %s\n", i, part, i, part, at(choice))
						fmt.Fprintf(&body, "  vstore.i8x64 %%out, %%s%d_%d, 1:i1x64 disp %d align 1\n", i, part, 256*i+64*part)
					}
				}
				text := `vir f width 64 scratch 0 {
entry:
  %c = context
  %args = load.i64 %c disp 184 align 8 invariant
  %data = load.i64 %args disp 8 align 8 invariant
  %out = load.i64 %args disp 16 align 8 invariant
  %x0 = vload.i8x64 %data, 1:i1x64 align 1
  %x1 = vload.i8x64 %data, 1:i1x64 disp 64 align 1
  %x2 = vload.i8x64 %data, 1:i1x64 disp 128 align 1
  %x3 = vload.i8x64 %data, 1:i1x64 disp 192 align 1
` + body.String() + "  return\n}\n"
				f, err := vir.Parse("f", text)
				require.NoError(t, err, text)
				want, err := virtest.Run(f, m)
				require.NoError(t, err)
				opt.Run(f, nil)
				require.NoError(t, vir.Verify(f))
				got, err := virtest.Run(f, m)
				require.NoError(t, err)
				require.Empty(t, virtest.Differ(want, got), "%s %d, %d\n%s\n%s", op, limit, chosen, text, f)
				if !strings.Contains(f.String(), "select") {
					rewritten++
				}
			}
		}
	}
	require.GreaterOrEqual(t, rewritten, 4*8, "selects of equal and adjacent constants become minima and maxima")
}
