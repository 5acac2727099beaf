// Package wasm builds WebAssembly modules. It has a table of instructions, a builder for
// function bodies, the binary encoder, a printer for the text format, and a validator that
// type-checks code with the specification's algorithm, so that wrong code is found without
// an engine.
//
// It covers the needs of generated kernels: one 32-bit memory (imported or own), functions,
// exports, names and custom sections; no tables, globals or data segments. It must be free
// of any IR, of instruction selection and of engines; it imports only the standard library.
package wasm

import "fmt"

// ValType is a value type, with its encoding as value (spec 5.3.1).
type ValType byte

const (
	I32  ValType = 0x7F
	I64  ValType = 0x7E
	F32  ValType = 0x7D
	F64  ValType = 0x7C
	V128 ValType = 0x7B

	// BlockVoid is the block type without a result; a block with a result has its ValType.
	BlockVoid ValType = 0x40
)

// String returns the name in the text format.
func (t ValType) String() string {
	switch t {
	case I32:
		return "i32"
	case I64:
		return "i64"
	case F32:
		return "f32"
	case F64:
		return "f64"
	case V128:
		return "v128"
	case BlockVoid:
		return "void"
	}
	return fmt.Sprintf("type(0x%02x)", byte(t))
}

func (t ValType) isValue() bool { return t >= V128 && t <= I32 }

// PageSize is the size of a page of memory in bytes.
const PageSize = 65536

// MaxPages is the maximum number of pages of a 32-bit memory.
const MaxPages = 65536

// Limits of the engines (those of the JavaScript API, which wasmtime shares).
const (
	MaxLocals       = 50_000
	MaxFuncBytes    = 7_654_321
	MaxBrTableItems = 65_520
)

// Module is a module with at most one memory.
type Module struct {
	Name   string // of the name section; may be empty
	Memory *Memory

	// Imports are imported functions. They come first in the numbering of functions that
	// Call uses: Funcs[i] has number len(Imports)+i.
	Imports []Import
	Funcs   []*Func

	Custom []Custom // written before the name section, in order

	// Comment, if set, returns the comment that WAT prints for a source line.
	Comment func(line uint32) string
}

// Memory is a module's memory: imported if ImportModule is set, else its own.
type Memory struct {
	ImportModule, ImportName string
	Export                   string // may be empty
	Min, Max                 uint32 // pages; Max is meaningful with HasMax
	HasMax                   bool
	Shared                   bool // needs HasMax
}

// Import is an imported function.
type Import struct {
	Module, Name string
	FuncName     string // of the name section; may be empty
	Params       []ValType
	Results      []ValType
}

// Local is a parameter or a local variable. The name may be empty; equal names get a suffix
// wherever names appear.
type Local struct {
	Type ValType
	Name string
}

// Custom is a custom section.
type Custom struct {
	Name string
	Data []byte
}

// Func is a function. Body has no final end: the encoder adds it.
type Func struct {
	Name     string // of the name section; may be empty
	Export   string // may be empty
	Params   []Local
	Results  []ValType
	Locals   []Local
	Body     []Instr
	Tables   [][]uint32     // label lists of br_table, with the default last
	Comments map[int]string // by index into Body: printed above it by WAT
}

// Instr is one instruction. The op's ImmKind determines the fields in use.
type Instr struct {
	Op    Op
	Lane  uint8
	Align uint8  // log2 of bytes
	Line  uint32 // source line, 0 for none
	Imm   uint64
	Hi    uint64
}

// LocalType returns the type of the parameter or local i, and false if i is out of range.
func (f *Func) LocalType(i uint64) (ValType, bool) {
	if i < uint64(len(f.Params)) {
		return f.Params[i].Type, true
	}
	i -= uint64(len(f.Params))
	if i < uint64(len(f.Locals)) {
		return f.Locals[i].Type, true
	}
	return 0, false
}

// Features returns the proposals beyond WebAssembly 2.0 that m needs.
func (m *Module) Features() Features {
	var f Features
	if m.Memory != nil && m.Memory.Shared {
		f |= Threads
	}
	for _, fn := range m.Funcs {
		for i := range fn.Body {
			f |= fn.Body[i].Op.Features()
		}
	}
	return f
}
