package wasm

import (
	"errors"
	"fmt"
)

// Error is an error of Validate in a function: the instruction's index and mnemonic, and
// the problem.
type Error struct {
	Func  string // name, or number if it has none
	Index int    // into Func.Body; len(Body) is the function's end
	Op    Op
	Line  uint32 // source line, 0 for none
	Msg   string
}

func (e *Error) Error() string {
	at := ""
	if e.Line != 0 {
		at = fmt.Sprintf(", line %d", e.Line)
	}
	return fmt.Sprintf("wasm: function %s, instruction %d (%s)%s: %s", e.Func, e.Index, e.Op, at, e.Msg)
}

// Validate checks the module as an engine does: the operand stack, by the algorithm of the
// specification's appendix "Validation Algorithm", indices, alignments, lanes, memory
// limits, export names, and the engines' size limits. It returns the first error; those of
// functions are of type *Error.
func (m *Module) Validate() error {
	if err := m.validateMemory(); err != nil {
		return err
	}
	for _, imp := range m.Imports {
		for _, t := range append(append([]ValType(nil), imp.Params...), imp.Results...) {
			if !t.isValue() {
				return fmt.Errorf("wasm: import %s.%s: invalid value type %s", imp.Module, imp.Name, t)
			}
		}
	}
	exports := map[string]bool{}
	if m.Memory != nil && m.Memory.Export != "" {
		exports[m.Memory.Export] = true
	}
	for i, f := range m.Funcs {
		if f.Export != "" {
			if exports[f.Export] {
				return fmt.Errorf("wasm: %q is exported twice", f.Export)
			}
			exports[f.Export] = true
		}
		v := validator{m: m, f: f, name: f.Name}
		if v.name == "" {
			v.name = fmt.Sprint(i)
		}
		if err := v.run(); err != nil {
			return err
		}
	}
	return nil
}

// signature returns the type of function number i, imports first.
func (m *Module) signature(i uint64) (params, results []ValType) {
	if n := uint64(len(m.Imports)); i >= n {
		f := m.Funcs[i-n]
		return f.paramTypes(), f.Results
	}
	return m.Imports[i].Params, m.Imports[i].Results
}

func (m *Module) validateMemory() error {
	mem := m.Memory
	switch {
	case mem == nil:
		return nil
	case mem.Min > MaxPages || mem.HasMax && mem.Max > MaxPages:
		return fmt.Errorf("wasm: memory of more than %d pages", MaxPages)
	case mem.HasMax && mem.Max < mem.Min:
		return fmt.Errorf("wasm: memory maximum %d below its minimum %d", mem.Max, mem.Min)
	case mem.Shared && !mem.HasMax:
		return errors.New("wasm: shared memory without a maximum")
	}
	return nil
}

// anyType is on the stack of unreachable code and matches any type.
const anyType ValType = 0

// frame is an open block.
type frame struct {
	op          Op
	result      []ValType
	height      int // of the value stack at its start
	unreachable bool
}

type validator struct {
	m      *Module
	f      *Func
	name   string
	stack  []ValType
	frames []frame
	msg    string // first problem of the current instruction
}

func (v *validator) run() error {
	f := v.f
	if err := v.signature(); err != nil {
		return err
	}
	v.frames = append(v.frames, frame{op: Block, result: f.Results})
	for i := range f.Body {
		in := &f.Body[i]
		switch {
		case !in.Op.Valid():
			v.fail("no such instruction")
		case len(v.frames) == 0:
			v.fail("code after the end of the function")
		default:
			v.instr(in)
		}
		if v.msg == "" && len(v.frames) == 0 {
			v.fail("end without an open block")
		}
		if v.msg != "" {
			return &Error{v.name, i, in.Op, in.Line, v.msg}
		}
	}
	if len(v.frames) == 1 {
		v.popFrame()
	} else {
		v.fail("blocks still open at the end of the function: %d", len(v.frames)-1)
	}
	if v.msg != "" {
		return &Error{v.name, len(f.Body), End, 0, v.msg}
	}
	return nil
}

// LimitError reports a function that exceeds the engines' limits.
type LimitError struct {
	Func string
	What string // "locals", "bytes of code"
	Has  int
	Most int
}

// Error names the function, the exceeded quantity, and the limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("wasm: function %s: %d %s, engines allow %d", e.Func, e.Has, e.What, e.Most)
}

func (v *validator) signature() error {
	f := v.f
	bad := func(format string, args ...any) error {
		return fmt.Errorf("wasm: function %s: "+format, append([]any{v.name}, args...)...)
	}
	for _, group := range [][]Local{f.Params, f.Locals} {
		for _, l := range group {
			if !l.Type.isValue() {
				return bad("local %q: invalid value type %s", l.Name, l.Type)
			}
		}
	}
	for _, r := range f.Results {
		if !r.isValue() {
			return bad("result: invalid value type %s", r)
		}
	}
	if n := len(f.Params) + len(f.Locals); n > MaxLocals {
		return &LimitError{v.name, "locals", n, MaxLocals}
	}
	// Encode only if the limit may be near: no instruction but br_table is longer than 20
	// bytes.
	if len(f.Body) > MaxFuncBytes/20 {
		if body, _ := f.encodeBody(); len(body) > MaxFuncBytes {
			return &LimitError{v.name, "bytes of code", len(body), MaxFuncBytes}
		}
	}
	return nil
}

func (v *validator) fail(format string, args ...any) {
	if v.msg == "" {
		v.msg = fmt.Sprintf(format, args...)
	}
}

func (v *validator) top() *frame { return &v.frames[len(v.frames)-1] }

func (v *validator) push(ts ...ValType) { v.stack = append(v.stack, ts...) }

// pop takes a value of the wanted type, or anyType, and returns its type, which is anyType
// below the start of unreachable code.
func (v *validator) pop(want ValType) ValType {
	fr := v.top()
	got := anyType
	if len(v.stack) > fr.height {
		got = v.stack[len(v.stack)-1]
		v.stack = v.stack[:len(v.stack)-1]
	} else if !fr.unreachable {
		if want == anyType {
			v.fail("the stack is empty")
		} else {
			v.fail("the stack is empty, %s wanted", want)
		}
	}
	if want != anyType && got != anyType && got != want {
		v.fail("%s on the stack, %s wanted", got, want)
	}
	return got
}

func (v *validator) popAll(ts []ValType) {
	for i := len(ts) - 1; i >= 0; i-- {
		v.pop(ts[i])
	}
}

func (v *validator) pushFrame(op Op, result []ValType) {
	v.frames = append(v.frames, frame{op: op, result: result, height: len(v.stack)})
}

func (v *validator) popFrame() frame {
	fr := *v.top()
	v.popAll(fr.result)
	if extra := len(v.stack) - fr.height; extra > 0 {
		v.fail("%d excess values at the end of the block", extra)
	}
	v.frames = v.frames[:len(v.frames)-1]
	return fr
}

// unreachable marks the code up to the end of the block as unreachable.
func (v *validator) unreachable() {
	fr := v.top()
	v.stack = v.stack[:fr.height]
	fr.unreachable = true
}

// label returns the types that a branch to the block at a relative depth carries.
func (v *validator) label(depth uint64) []ValType {
	if depth >= uint64(len(v.frames)) {
		v.fail("branch depth %d, but %d blocks are open", depth, len(v.frames)-1)
		return nil
	}
	fr := &v.frames[len(v.frames)-1-int(depth)]
	if fr.op == Loop {
		return nil // a branch to a loop goes to its start; blocks have no parameters
	}
	return fr.result
}

// typeOfLetter decodes the columns In and Out of the table.
var typeOfLetter = [256]ValType{'i': I32, 'l': I64, 'f': F32, 'd': F64, 'v': V128}

func (v *validator) instr(in *Instr) {
	r := &Rows[in.Op]
	v.immediates(in, r)
	if v.msg != "" {
		return
	}
	for i := len(r.In) - 1; i >= 0; i-- {
		v.pop(typeOfLetter[r.In[i]])
	}
	if v.msg != "" {
		return
	}
	switch in.Op {
	case Unreachable:
		v.unreachable()
	case Block, Loop, If:
		v.pushFrame(in.Op, blockResult(in))
	case Else:
		fr := v.popFrame()
		if fr.op != If {
			v.fail("else without if")
		}
		v.pushFrame(Else, fr.result)
	case End:
		fr := v.popFrame()
		if fr.op == If && len(fr.result) > 0 {
			v.fail("if with a result but without else")
		}
		v.push(fr.result...)
	case Br:
		v.popAll(v.label(in.Imm))
		v.unreachable()
	case BrIf:
		ts := v.label(in.Imm)
		v.popAll(ts)
		v.push(ts...)
	case BrTable:
		v.brTable(v.f.Tables[in.Imm])
	case Return:
		v.popAll(v.f.Results)
		v.unreachable()
	case Call:
		params, results := v.m.signature(in.Imm)
		v.popAll(params)
		v.push(results...)
	case Drop:
		v.pop(anyType)
	case Select:
		v.pop(I32)
		a := v.pop(anyType)
		b := v.pop(anyType)
		if a == anyType {
			a = b
		}
		if a != b && b != anyType {
			v.fail("select between %s and %s", b, a)
		}
		v.push(a)
	case SelectT:
		t := ValType(in.Imm)
		v.pop(I32)
		v.pop(t)
		v.pop(t)
		v.push(t)
	case LocalGet, LocalSet, LocalTee:
		t, _ := v.f.LocalType(in.Imm)
		if in.Op != LocalGet {
			v.pop(t)
		}
		if in.Op != LocalSet {
			v.push(t)
		}
	default:
		for i := range len(r.Out) {
			v.push(typeOfLetter[r.Out[i]])
		}
	}
}

func blockResult(in *Instr) []ValType {
	if t := ValType(in.Imm); t != BlockVoid {
		return []ValType{t}
	}
	return nil
}

// brTable checks that every target takes the same values as the default.
func (v *validator) brTable(t []uint32) {
	last := v.label(uint64(t[len(t)-1]))
	for _, depth := range t[:len(t)-1] {
		ts := v.label(uint64(depth))
		if len(ts) != len(last) {
			v.fail("targets of br_table take %d and %d values", len(ts), len(last))
			return
		}
		// Values are popped and pushed again unchanged, so that in unreachable code each
		// target may see another type.
		popped := make([]ValType, len(ts))
		for i := len(ts) - 1; i >= 0; i-- {
			popped[i] = v.pop(ts[i])
		}
		v.push(popped...)
	}
	v.popAll(last)
	v.unreachable()
}

// immediates checks the immediate operands, which are not on the stack.
func (v *validator) immediates(in *Instr, r *Row) {
	switch r.Imm {
	case ImmBlock:
		if t := ValType(in.Imm); in.Imm > 0xFF || t != BlockVoid && !t.isValue() {
			v.fail("no such block type: 0x%x", in.Imm)
		}
	case ImmType:
		if in.Imm > 0xFF || !ValType(in.Imm).isValue() {
			v.fail("no such type: 0x%x", in.Imm)
		}
	case ImmTable:
		switch {
		case in.Imm >= uint64(len(v.f.Tables)):
			v.fail("no such label list: %d", in.Imm)
		case len(v.f.Tables[in.Imm]) == 0:
			v.fail("label list without a default")
		case len(v.f.Tables[in.Imm]) > MaxBrTableItems:
			v.fail("%d labels, engines allow %d", len(v.f.Tables[in.Imm]), MaxBrTableItems)
		}
	case ImmFunc:
		if in.Imm >= uint64(len(v.m.Imports)+len(v.m.Funcs)) {
			v.fail("no such function: %d", in.Imm)
		}
	case ImmLocal:
		if _, ok := v.f.LocalType(in.Imm); !ok {
			v.fail("no such local: %d", in.Imm)
		}
	case ImmMemory:
		if r.Prefix != prefixAtomic {
			v.needMemory() // atomic.fence needs none
		}
	case ImmMem, ImmMemLane:
		v.memArg(in, r)
	case ImmLane:
		if in.Lane >= r.N {
			v.fail("lane %d of %d", in.Lane, r.N)
		}
	case ImmShuffle:
		for i, l := range unpackBytes(in.Imm, in.Hi) {
			if l >= 32 {
				v.fail("lane %d of the shuffle is %d, must be below 32", i, l)
				return
			}
		}
	}
}

func (v *validator) needMemory() {
	if v.m.Memory == nil {
		v.fail("the module has no memory")
	}
}

func (v *validator) memArg(in *Instr, r *Row) {
	v.needMemory()
	switch {
	case in.Imm > 0xFFFF_FFFF:
		v.fail("offset 0x%x does not fit in 32 bits", in.Imm)
	case r.Prefix == prefixAtomic && in.Align != r.N:
		v.fail("alignment of an atomic access must be its size, 1<<%d", r.N)
	case in.Align > r.N:
		v.fail("alignment 1<<%d above the access size 1<<%d", in.Align, r.N)
	case r.Imm == ImmMemLane && in.Lane >= 16>>r.N:
		v.fail("lane %d of %d", in.Lane, 16>>r.N)
	}
}
