// Package lower turns a checked OpenCL C program into kernel IR: one function
// for each kernel, with the helper functions it calls inlined, vectors taken
// apart into components and SSA form built on the fly (Braun et al., "Simple
// and Efficient Construction of Static Single Assignment Form", CC 2013).
//
// Private scalars, vectors and pointers whose address is never taken become
// SSA values; every other variable is an Alloca. Floating contraction is
// decided here and nowhere later.
//
// It must not know tokens, macros or the rules of conversion (the checker has
// written all conversions into the tree), nor how many lanes run together.
package lower

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
)

// Limits that keep a small text from becoming an enormous program.
const (
	maxValues = 1 << 20 // operations in one kernel
	maxData   = 256 << 20
)

// Options choose what is lowered.
type Options struct {
	// Kernels are the names of the kernels wanted; none means all.
	Kernels []string
}

// Program lowers the kernels of f, which check.Program found no error in.
// Errors (constructs that the compiler does not support yet, by name) are
// added to errs; the module then is of no use.
func Program(f *ast.File, opt Options, errs *diag.List) *kernel.Module {
	m := &module{out: &kernel.Module{}, errs: errs, data: map[string]int{}, consts: map[*ast.Var]*constant{}, places: map[*ast.Var]int64{}, sizes: map[*ast.Func]size{}}
	m.placeVariables(append(slices.Clone(f.Globals), f.Statics...))
	for _, fn := range f.Funcs {
		if fn.IsKernel && fn.Body != nil && (len(opt.Kernels) == 0 || slices.Contains(opt.Kernels, fn.Name)) && m.fits(fn) {
			m.out.Funcs = append(m.out.Funcs, m.kernel(fn))
		}
	}
	for _, name := range opt.Kernels {
		if f.Kernel(name) == nil {
			errs.Addf(diag.Pos{}, "there is no kernel '%s'", name)
		}
	}
	for _, fn := range m.out.Funcs {
		fn.Data = m.out.Data
	}
	return m.out
}

// module is what the kernels of one program share.
type module struct {
	out    *kernel.Module
	errs   *diag.List
	data   map[string]int // contents and alignment to index in out.Data
	bytes  int64
	consts map[*ast.Var]*constant
	places map[*ast.Var]int64 // where variables begin in the memory of the program's variables
	parts  []kernel.Member    // of that memory
	sizes  map[*ast.Func]size // of those that were asked for
}

// lowerer builds one kernel.
type lowerer struct {
	m     *module
	f     *kernel.Func
	entry *kernel.Block // holds the Allocas
	cur   *kernel.Block // where operations go; never nil
	order []*kernel.Block
	pos   diag.Pos
	rare  *kernel.Block // where the condition that is evaluated hardly ever leads
	vars  *kernel.Value // the address of the program's variables; nil: nothing needs it yet
	round *kernel.Block // the header of the innermost loop that operations go to, nil outside
	ssa   ssa
	frame *frame

	calling string // the builtin that the program calls

	called     map[*kernel.Value]string // what the source calls a value that has another name, where it was read last
	ofBuiltins map[*kernel.Value]bool   // parameters for variables of builtins

	writes  writes           // of the kernel, where it has a struct parameter
	locals  map[*ast.Var]int // in local memory -> index in f.Locals
	allocas []*kernel.Value
	loops   int   // those with a number
	private int64 // bytes in allocas
	tooBig  bool
}

// frame is one inlined body.
type frame struct {
	parent    *frame
	vars      map[*ast.Var]storage
	labels    map[*ast.Label]*kernel.Block
	leave     map[ast.Stmt]*kernel.Block // where break goes
	again     map[ast.Stmt]*kernel.Block // where continue goes
	cases     map[*ast.Case]*kernel.Block
	result    storage
	exit      *kernel.Block
	fixed     bool // a builtin's body: all positions are at
	at        diag.Pos
	first     map[diag.Pos]*kernel.Block // that has something of a place, of this body and of builtins in it
	builtin   string                     // its name
	openLabel []*kernel.Block            // to seal when the body ends, in order
}

func (m *module) newLowerer(name string, at diag.Pos) *lowerer {
	l := &lowerer{m: m, f: &kernel.Func{Name: name, Pos: at}, pos: at, locals: map[*ast.Var]int{}, called: map[*kernel.Value]string{}, ofBuiltins: map[*kernel.Value]bool{}}
	l.entry = l.newBlock("entry")
	l.seal(l.entry)
	l.start(l.entry)
	l.pushFrame(nil)
	return l
}

func (l *lowerer) pushFrame(result types.Type) *frame {
	fr := &frame{parent: l.frame, vars: map[*ast.Var]storage{}, first: map[diag.Pos]*kernel.Block{}}
	if p := l.frame; p != nil && p.fixed {
		fr.fixed, fr.at, fr.builtin = true, p.at, p.builtin
	}
	l.frame = fr
	return fr
}

func (m *module) kernel(fn *ast.Func) *kernel.Func {
	l := m.newLowerer(fn.Name, fn.At)
	for i, n := range fn.Attrs.ReqdWorkGroupSize {
		l.f.ReqdWorkGroupSize[i] = int(n)
	}
	l.f.ReqdSubGroupSize = int(fn.Attrs.SubGroupSize)
	l.frame.exit = l.newBlock("exit")
	for _, p := range fn.Params {
		if _, ok := p.Type.(*types.Record); ok && l.writes == nil {
			l.writes = writesOf(fn)
		}
	}
	for i, p := range fn.Params {
		l.kernelParam(i, p)
	}
	if len(m.places) > 0 {
		l.variables() // in the entry: control flow need not carry it; nothing keeps it if it is not used
	}
	l.f.LayoutArgs()
	l.body(fn)
	l.startSealed(l.frame.exit)
	l.cur.Return()
	l.cur.Pos = fn.Body.End
	l.finish()
	return l.f
}

// errorf reports an error at pos.
func (l *lowerer) errorf(pos diag.Pos, format string, args ...any) {
	if l.frame != nil && l.frame.fixed {
		pos = l.frame.at
	}
	l.m.errs.Addf(pos, format, args...)
}

// warnf reports a warning about pos.
func (l *lowerer) warnf(pos diag.Pos, format string, args ...any) {
	if l.frame != nil && l.frame.fixed {
		pos = l.frame.at
	}
	l.m.errs.Warnf(pos, format, args...)
}

// full reports whether the kernel has as many operations as there may be, which is an error.
func (l *lowerer) full() bool {
	if l.f.NumValues() <= maxValues {
		return false
	}
	if !l.tooBig {
		l.tooBig = true
		l.errorf(l.pos, "kernel '%s' becomes too large: more than %d operations after inlining", l.f.Name, maxValues)
	}
	return true
}

// at makes pos the place of the operations that follow.
func (l *lowerer) at(pos diag.Pos) {
	if l.frame.fixed {
		pos = l.frame.at
	}
	l.pos = pos
}

// kernelParam describes parameter i to launches and gives the variable its value.
func (l *lowerer) kernelParam(i int, p *ast.Var) {
	l.at(p.At)
	name := p.Name
	if name == "" {
		name = "unnamed" + string(rune('0'+i%10))
	}
	a := kernel.Arg{Name: name, CType: p.Type.String(), Count: 1, Size: int(p.Type.Size()), Align: int(p.Type.Align())}
	switch t := p.Type.(type) {
	case *types.Pointer:
		a.Type = ptrType(t.Space)
		a.Kind = kernel.ArgBuffer
		a.ReadOnly = t.Quals&types.Const != 0 || t.Space == types.Constant
		if t.Space == types.Local {
			a.Kind = kernel.ArgLocal
		}
		if t.Space == types.Private || t.Space == types.Generic {
			l.errorf(p.At, "kernel parameter '%s' must point to __global, __constant or __local memory", p.Name)
		}
		if s := types.ElemScalar(t.Elem); s != nil && s != types.Void {
			a.Elem, a.Count = s.String(), types.NumElems(t.Elem)
		} else if s != types.Void && t.Elem.Size() > 0 {
			a.Pointee = int(t.Elem.Size())
		}
	case *types.Record:
		a.Kind = kernel.ArgBytes
	case *types.Opaque:
		a.Type, _ = regType(t)
		switch {
		case isSampler(t):
			a.Kind, a.Elem, a.Size, a.Align = kernel.ArgScalar, "uint", 4, 4
		case t.IsImage():
			a.Kind, a.Elem, a.ReadOnly = kernel.ArgImage, t.Name, t.Access == 0
		default:
			l.errorf(p.At, "%s as a kernel parameter ('%s') is not supported yet", t, p.Name)
			a.Kind, a.Elem, a.Type, a.Size, a.Align = kernel.ArgScalar, "uint", alu.I32, 4, 4
		}
	default:
		s := types.ElemScalar(t)
		if s == nil {
			l.errorf(p.At, "%s as a kernel parameter ('%s') is not supported yet", t, p.Name)
			s = types.Int
		}
		if s == types.Bool {
			l.errorf(p.At, "kernel parameter '%s' must not be a bool", p.Name)
			s = types.Char
		}
		a.Kind, a.Elem, a.Count = kernel.ArgScalar, s.String(), types.NumElems(t)
		a.Type = scalarType(s)
	}
	l.f.Args = append(l.f.Args, a)
	if a.Size == 0 { // an empty struct
		l.f.Args[i].Align = max(a.Align, 1)
	}

	if a.Kind != kernel.ArgBytes && a.Count == 1 || a.Kind == kernel.ArgBuffer || a.Kind == kernel.ArgLocal {
		v := l.emit(kernel.Argument, a.Type)
		v.Index, v.Name = i, hint(p.Name)
		l.declare(p, []*kernel.Value{v}, place{})
		return
	}
	addr := l.emit(kernel.ArgAddr, alu.PtrConstant)
	addr.Index, addr.Name = i, hint(p.Name)
	from := place{typ: p.Type, ssa: -1, base: addr, align: p.Type.Align()}
	if a.Kind == kernel.ArgBytes {
		if !p.Addressed && !l.writes[p] { // read where it is
			l.frame.vars[p] = storage{ssa: -1, addr: addr}
			return
		}
		l.declare(p, nil, from)
		return
	}
	l.declare(p, l.read(from), place{})
}

// valueName is the name of a value that is given to the variable name. The program does not
// know the variables of builtins.
func (l *lowerer) valueName(name string) string {
	if l.frame.fixed {
		return ""
	}
	return hint(name)
}

// variableName is that of the variable name: of a builtin's the name of the builtin.
func (l *lowerer) variableName(name string) string {
	if l.frame != nil && l.frame.fixed && name != "" {
		name = l.frame.builtin
	}
	return hint(name)
}

// hint makes a source name fit for the text form.
func hint(name string) string {
	for _, c := range []byte(name) {
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return ""
		}
	}
	return name
}
