package simtc

import (
	"bytes"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/pipeline"
)

// EmitKind describes a kind of output.
type EmitKind = pipeline.EmitKind

// EmitKinds lists the kinds of output.
func EmitKinds() []EmitKind { return pipeline.EmitKinds() }

// DefaultEmit returns the kind of output for a target's code.
func DefaultEmit(target string) string { return pipeline.DefaultEmit(target) }

// Emit returns the kernel at some stage of the compilation: see EmitKinds. Kinds of a target
// show the code for that target, and for buffers that may overlap unless Options.NoAlias is
// set.
func (k *Kernel) Emit(kind string) ([]byte, error) {
	return k.prog.pipe.Emit(kind, []*pipeline.Kernel{k.k})
}

// Emit returns the output for all kernels of the program together.
func (p *Program) Emit(kind string) ([]byte, error) {
	var ks []*pipeline.Kernel
	for _, k := range p.kernels {
		ks = append(ks, k.k)
	}
	return p.pipe.Emit(kind, ks)
}

// Shown returns the kernel that Emit shows, so that Stats and Remarks describe that code.
func (k *Kernel) Shown(kind string) (*Kernel, error) { return k.with(k.k.Shown(kind)) }

// syntax prints the typed syntax tree.
func (p *Program) syntax() ([]byte, error) {
	var errs diag.List
	sources, opt := p.frontEnd(&includer{headers: p.opt.Headers, sources: map[string]string{}})
	f := clc.Check(sources, opt, &errs)
	if err := errs.Err(); err != nil {
		return nil, p.compileError(err)
	}
	var b bytes.Buffer
	err := ast.Dump(&b, f)
	return b.Bytes(), err
}
