package avx512

import (
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/legalize"
)

// Compile turns a vector function into machine code.
//
// maintains: f
func Compile(f *vir.Func) (*Code, error) {
	legal, err := legalize.Func(f, Target)
	if err != nil {
		return nil, err
	}
	counted := prepareFunc(legal)
	branchSelects(legal)
	m, err := selectFunc(legal, counted)
	if err != nil {
		return nil, err
	}
	return emitCode(m, f.Name)
}
