// Package lower translates a checked OpenCL C program into kernel IR. Each kernel becomes
// one function: the helper functions it calls are inlined, vectors are split into
// components, and SSA form is built on the fly (Braun et al., "Simple and Efficient
// Construction of Static Single Assignment Form", CC 2013).
//
// Private scalars, vectors and pointers whose address is never taken become SSA values;
// every other private variable is an Alloca. Floating-point contraction is decided here
// and never later.
//
// The package is independent of tokens, macros and conversion rules (the checker has made
// all conversions explicit in the tree), and of the number of lanes that run in parallel.
package lower

import (
	"fmt"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
)

// Limits that keep a small source text from expanding to an enormous program.
const (
	maxValues = 1 << 20 // operations in one kernel
	maxData   = 256 << 20
)

// Options select the kernels to lower.
type Options struct {
	// Kernels are the names of the kernels to lower; empty means all.
	Kernels []string
}

// Program lowers the kernels of f, which check.Program must have accepted. Errors
// (constructs that are not supported yet) are added to errs; the module is then
// incomplete and must not be used.
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

// module is the state that all kernels of a program share.
type module struct {
	out    *kernel.Module
	errs   *diag.List
	data   map[string]int // contents and alignment to index in out.Data
	bytes  int64
	consts map[*ast.Var]*constant
	places map[*ast.Var]int64 // byte offsets of variables in the memory of the program's variables
	parts  []kernel.Member    // the layout of that memory
	sizes  map[*ast.Func]size // by function, computed on demand
}

// lowerer builds one kernel.
type lowerer struct {
	m        *module
	f        *kernel.Func
	entry    *kernel.Block // holds the Allocas
	cur      *kernel.Block // the block that receives operations; never nil
	order    []*kernel.Block
	pos      diag.Pos
	rare     *kernel.Block // the unlikely successor of the condition being evaluated, if there is one
	vars     *kernel.Value // the address of the program's variables; nil until needed
	loopHead *kernel.Block // header of the innermost loop around the current operation; nil outside loops
	ssa      ssa
	frame    *frame

	calling string // the builtin being called by the program

	called     map[*kernel.Value]string // by value that has another name: its name in the source where it was last read
	ofBuiltins map[*kernel.Value]bool   // parameters made for variables of builtins

	writes  writes           // of the kernel, if it has a struct parameter
	locals  map[*ast.Var]int // in local memory -> index in f.Locals
	allocas []*kernel.Value
	loops   int   // the number of loops numbered so far
	private int64 // bytes in allocas
	tooBig  bool
}

// frame is the state of one inlined body.
type frame struct {
	parent     *frame
	vars       map[*ast.Var]storage
	labels     map[*ast.Label]*kernel.Block
	breakTo    map[ast.Stmt]*kernel.Block // targets of break
	continueTo map[ast.Stmt]*kernel.Block // targets of continue
	cases      map[*ast.Case]*kernel.Block
	result     storage
	exit       *kernel.Block
	fixed      bool // in the body of a builtin: every operation has position at
	at         diag.Pos
	first      map[diag.Pos]*kernel.Block // by position: the first block that has an operation there, for this body and the builtins in it
	builtin    string                     // the name of the builtin
	openLabel  []*kernel.Block            // label blocks to seal at the end of the body, in order
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
	l.f.Reassociate = fn.Body.Reassociate
	l.f.ReqdSubGroupSize = int(fn.Attrs.SubGroupSize)
	if n := fn.Attrs.WorkGroupSizeHint; n != [3]int64{} {
		l.f.Hints = append(l.f.Hints, fmt.Sprintf("work_group_size_hint(%d,%d,%d)", n[0], n[1], n[2]))
	}
	if t := fn.Attrs.VecTypeHint; t != nil {
		l.f.Hints = append(l.f.Hints, fmt.Sprintf("vec_type_hint(%s)", t))
	}
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
		l.variables() // computed in the entry block, so that it dominates all uses; removed if unused
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

// full reports, with an error, that the kernel has reached the limit of operations.
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

// at sets the position of the operations that follow.
func (l *lowerer) at(pos diag.Pos) {
	if l.frame.fixed {
		pos = l.frame.at
	}
	l.pos = pos
}

// kernelParam describes parameter i in the kernel's signature and initializes its
// variable.
func (l *lowerer) kernelParam(i int, p *ast.Var) {
	l.at(p.At)
	name := p.Name
	if name == "" {
		name = "unnamed" + string(rune('0'+i%10))
	}
	a := kernel.Arg{Name: name, CType: p.Type.String(), Declared: p.Typedef, Count: 1, Size: int(p.Type.Size()), Align: int(p.Type.Align())}
	switch t := p.Type.(type) {
	case *types.Pointer:
		a.Type = ptrType(t.Space)
		a.Kind = kernel.ArgBuffer
		a.ReadOnly = t.Quals&types.Const != 0 || t.Space == types.Constant
		a.Restrict = p.Quals&types.Restrict != 0
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
		if !p.Addressed && !l.writes[p] { // read in place
			l.frame.vars[p] = storage{ssa: -1, addr: addr}
			return
		}
		l.declare(p, nil, from)
		return
	}
	l.declare(p, l.read(from), place{})
}

// valueName returns the name for a value assigned to variable name. Variables of builtins
// are unknown to the program, so their values have no name of their own.
func (l *lowerer) valueName(name string) string {
	if l.frame.fixed {
		return ""
	}
	return hint(name)
}

// variableName returns name, or inside a builtin the name of the builtin.
func (l *lowerer) variableName(name string) string {
	if l.frame != nil && l.frame.fixed && name != "" {
		name = l.frame.builtin
	}
	return hint(name)
}

// hint makes a source name valid in the text form of the IR.
func hint(name string) string {
	for _, c := range []byte(name) {
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return ""
		}
	}
	return name
}
