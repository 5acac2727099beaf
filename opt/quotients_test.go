package opt_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// A remainder computed from the quotient is that of the division, also by 0 and by -1.
func TestQuotientsAreExact(t *testing.T) {
	for _, typ := range []alu.Type{alu.I8, alu.I16, alu.I32, alu.I64} {
		for _, ops := range [][2]alu.Op{{alu.UDiv, alu.URem}, {alu.SDiv, alu.SRem}} {
			for _, d := range []uint64{0, 1, 2, 3, 7, 100, typ.Mask(), typ.Mask() - 1, typ.Mask()/2 + 1, typ.Mask() / 2} {
				for _, a := range edgeValues(typ, d) {
					f, b, x := ofArgument(typ)
					divisor := b.Append(alu.Add, typ, x, f.Const(typ, (d-a)&typ.Mask()))
					b.Append(ops[0], typ, x, divisor)
					b.Append(ops[1], typ, x, divisor)
					b.Return()
					st := opt.Stats{}
					opt.Quotients(f, st)
					require.Equal(t, 1, st["remainders computed from quotients"])
					require.NoError(t, kernel.Verify(f))
					require.Equal(t, alu.Eval(ops[1], typ, typ, a, d, 0), evalBlock(b, a), "%s: %s of %d by %d", typ, alu.InfoOf(ops[1]).Name, a, d)
				}
			}
		}
	}
}
