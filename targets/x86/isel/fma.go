package isel

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// FusedForm holds the instructions of a*b+c with the product or the addend negated, for
// singles and doubles: d = ±(b*d) ± c, d = ±(a*b) ± d, and the latter for scalars.
type FusedForm struct{ Op213, Op231, Scalar [2]asm.Op }

var fusedForms = [2][2]FusedForm{
	{
		FusedForm{[2]asm.Op{asm.VFMADD213PS, asm.VFMADD213PD}, [2]asm.Op{asm.VFMADD231PS, asm.VFMADD231PD}, [2]asm.Op{asm.VFMADD231SS, asm.VFMADD231SD}},
		FusedForm{[2]asm.Op{asm.VFMSUB213PS, asm.VFMSUB213PD}, [2]asm.Op{asm.VFMSUB231PS, asm.VFMSUB231PD}, [2]asm.Op{asm.VFMSUB231SS, asm.VFMSUB231SD}},
	},
	{
		FusedForm{[2]asm.Op{asm.VFNMADD213PS, asm.VFNMADD213PD}, [2]asm.Op{asm.VFNMADD231PS, asm.VFNMADD231PD}, [2]asm.Op{asm.VFNMADD231SS, asm.VFNMADD231SD}},
		FusedForm{[2]asm.Op{asm.VFNMSUB213PS, asm.VFNMSUB213PD}, [2]asm.Op{asm.VFNMSUB231PS, asm.VFNMSUB231PD}, [2]asm.Op{asm.VFNMSUB231SS, asm.VFNMSUB231SD}},
	},
}

// FMAOperands removes negations without other uses from the operands of an FMA and returns
// the form that includes them. Negation is exact, except for the sign of a NaN.
func (s *Selector) FMAOperands(v *vir.Value) (a, b, c *vir.Value, form FusedForm) {
	negated := func(x *vir.Value) (*vir.Value, int) {
		if x.Op == alu.FNeg && x.Block == s.block && s.uses[x.ID] == 1 && s.regs[x.ID] == asm.NoReg {
			return x.Args[0], 1
		}
		return x, 0
	}
	a, na := negated(v.Args[0])
	b, nb := negated(v.Args[1])
	c, nc := negated(v.Args[2])
	return a, b, c, fusedForms[na^nb][nc]
}
