package wasm

import "fmt"

// Op names an instruction; it is dense, so tables may be indexed by it.
type Op uint16

// ImmKind identifies the immediate operands of an opcode, and the fields of Instr that hold
// them.
type ImmKind uint8

const (
	ImmNone    ImmKind = iota
	ImmBlock           // Imm: a block type: BlockVoid or a ValType
	ImmLabel           // Imm: how many enclosing blocks to leave
	ImmTable           // Imm: index into Func.Tables
	ImmFunc            // Imm: number of a function, imports first
	ImmType            // Imm: a ValType (select with a type)
	ImmLocal           // Imm: local index, parameters first
	ImmMem             // Imm: offset in bytes; Align: log2 of the promised alignment
	ImmMemory          // none; Row.N zero bytes are encoded
	ImmI32             // Imm: the low 32 bits
	ImmI64             // Imm
	ImmF32             // Imm: IEEE 754 bits
	ImmF64             // Imm: IEEE 754 bits
	ImmV128            // Imm, Hi: bytes 0-7 and 8-15, little endian
	ImmShuffle         // Imm, Hi: 16 lane numbers below 32, one per byte, as in ImmV128
	ImmLane            // Lane
	ImmMemLane         // Imm: offset; Align; Lane
)

// The first byte of two-part opcodes.
const (
	prefixMisc   = 0xFC
	prefixSIMD   = 0xFD
	prefixAtomic = 0xFE
)

// Row describes an instruction to the encoder, the printer and the validator.
type Row struct {
	Name   string  // mnemonic of the text format
	Prefix byte    // 0, or the byte before the LEB128 opcode
	Code   uint16  // opcode
	Imm    ImmKind // immediate operands
	In     string  // operand types, bottom of the stack first: i l f d v
	Out    string  // result types
	N      uint8   // log2 of the access size (ImmMem, ImmMemLane), lanes (ImmLane), zero bytes (ImmMemory)
}

type opRow struct {
	op  Op
	row Row
}

// Rows holds the row of every instruction, indexed by Op. The types of structured control
// (block loop if else end br br_if br_table return call), drop, select and local.* depend
// on the context: their In and Out list only the fixed part, and the validator determines
// the rest.
var Rows = buildRows()

func buildRows() [numOps]Row {
	var rows [numOps]Row
	for _, group := range [][]opRow{controlRows, memoryRows, numericRows, simdRows, atomicRows} {
		for _, r := range group {
			rows[r.op] = r.row
		}
	}
	return rows
}

var opsByName = func() map[string]Op {
	m := make(map[string]Op, numOps)
	for op := Op(0); op < numOps; op++ {
		if _, taken := m[Rows[op].Name]; !taken {
			m[Rows[op].Name] = op
		}
	}
	return m
}()

// Lookup finds an instruction by its mnemonic. Of the two forms of select it returns the
// untyped one.
func Lookup(name string) (Op, bool) {
	op, ok := opsByName[name]
	return op, ok
}

// NumOps is the number of instructions; every Op is below it.
const NumOps = int(numOps)

// Valid reports whether op is an instruction of the table.
func (op Op) Valid() bool { return op < numOps }

// String returns the mnemonic.
func (op Op) String() string {
	if !op.Valid() {
		return fmt.Sprintf("op(%d)", uint16(op))
	}
	return Rows[op].Name
}

// Features is a set of proposals beyond WebAssembly 2.0 (which includes SIMD, bulk memory,
// sign extension and saturating conversions) that a module needs.
type Features uint8

const (
	RelaxedSIMD Features = 1 << iota
	Threads              // atomics, shared memory
)

// String lists the set's members.
func (f Features) String() string {
	switch f {
	case 0:
		return "none"
	case RelaxedSIMD:
		return "relaxed-simd"
	case Threads:
		return "threads"
	}
	return "relaxed-simd threads"
}

// Features returns the proposal that an instruction belongs to, or 0.
func (op Op) Features() Features {
	if !op.Valid() {
		return 0
	}
	switch r := &Rows[op]; {
	case r.Prefix == prefixAtomic:
		return Threads
	case r.Prefix == prefixSIMD && r.Code >= 0x100:
		return RelaxedSIMD
	}
	return 0
}
