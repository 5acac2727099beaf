package wasm

import "math"

// Builder appends instructions to a function. Branches name their target block by its
// Label, which the builder converts to the relative depth. Module.Validate, not the
// Builder, reports wrong nesting.
type Builder struct {
	F    *Func
	Line uint32 // source line given to the instructions that follow
	open int    // number of open blocks
}

// Label is an open block. The zero Label is the function's own body.
type Label int

// NewBuilder returns a builder that appends to f, whose blocks must all be closed.
func NewBuilder(f *Func) *Builder { return &Builder{F: f} }

func (b *Builder) add(in Instr) {
	in.Line = b.Line
	b.F.Body = append(b.F.Body, in)
}

// Local adds a local variable and returns its index.
func (b *Builder) Local(t ValType, name string) uint32 {
	b.F.Locals = append(b.F.Locals, Local{t, name})
	return uint32(len(b.F.Params) + len(b.F.Locals) - 1)
}

// Comment attaches a comment to the next instruction.
func (b *Builder) Comment(text string) {
	if b.F.Comments == nil {
		b.F.Comments = map[int]string{}
	}
	if old := b.F.Comments[len(b.F.Body)]; old != "" {
		text = old + "; " + text
	}
	b.F.Comments[len(b.F.Body)] = text
}

// Op appends instructions without immediate operands.
func (b *Builder) Op(ops ...Op) {
	for _, op := range ops {
		b.add(Instr{Op: op})
	}
}

// Get, Set and Tee append local.get, local.set and local.tee.
func (b *Builder) Get(local uint32) { b.add(Instr{Op: LocalGet, Imm: uint64(local)}) }
func (b *Builder) Set(local uint32) { b.add(Instr{Op: LocalSet, Imm: uint64(local)}) }
func (b *Builder) Tee(local uint32) { b.add(Instr{Op: LocalTee, Imm: uint64(local)}) }

// I32, I64, F32, F64 append constants; the Bits forms keep a NaN's payload.
func (b *Builder) I32(v int32)        { b.add(Instr{Op: I32Const, Imm: uint64(uint32(v))}) }
func (b *Builder) I64(v int64)        { b.add(Instr{Op: I64Const, Imm: uint64(v)}) }
func (b *Builder) F32(v float32)      { b.F32Bits(math.Float32bits(v)) }
func (b *Builder) F64(v float64)      { b.F64Bits(math.Float64bits(v)) }
func (b *Builder) F32Bits(v uint32)   { b.add(Instr{Op: F32Const, Imm: uint64(v)}) }
func (b *Builder) F64Bits(v uint64)   { b.add(Instr{Op: F64Const, Imm: v}) }
func (b *Builder) V128(lo, hi uint64) { b.add(Instr{Op: V128Const, Imm: lo, Hi: hi}) }

// V128Bytes appends a vector constant given by its bytes in memory order.
func (b *Builder) V128Bytes(v [16]byte) {
	lo, hi := packBytes(v)
	b.V128(lo, hi)
}

// Mem appends a load or store: address = operand + offset, with an alignment hint of
// 1<<align bytes, which never exceeds the access size.
func (b *Builder) Mem(op Op, offset uint32, align uint8) {
	b.add(Instr{Op: op, Imm: uint64(offset), Align: align})
}

// MemLane appends a load or store of one lane of a vector.
func (b *Builder) MemLane(op Op, offset uint32, align, lane uint8) {
	b.add(Instr{Op: op, Imm: uint64(offset), Align: align, Lane: lane})
}

// Lane appends an extract_lane or replace_lane.
func (b *Builder) Lane(op Op, lane uint8) { b.add(Instr{Op: op, Lane: lane}) }

// Shuffle appends i8x16.shuffle; lane numbers 0-15 select the first operand's bytes, 16-31
// the second's.
func (b *Builder) Shuffle(lanes [16]byte) {
	lo, hi := packBytes(lanes)
	b.add(Instr{Op: I8x16Shuffle, Imm: lo, Hi: hi})
}

// SelectType appends select with a result type, which may be any, including v128.
func (b *Builder) SelectType(t ValType) { b.add(Instr{Op: SelectT, Imm: uint64(t)}) }

// Call appends a call of function number f of the module, imports first.
func (b *Builder) Call(f uint32) { b.add(Instr{Op: Call, Imm: uint64(f)}) }

// Block, Loop and If open a block of the given type, or BlockVoid. A branch to a block or
// an if goes to its end, one to a loop to its start.
func (b *Builder) Block(t ValType) Label { return b.openBlock(Block, t) }
func (b *Builder) Loop(t ValType) Label  { return b.openBlock(Loop, t) }
func (b *Builder) If(t ValType) Label    { return b.openBlock(If, t) }

func (b *Builder) openBlock(op Op, t ValType) Label {
	b.add(Instr{Op: op, Imm: uint64(t)})
	b.open++
	return Label(b.open)
}

// Else starts the other arm of the innermost if.
func (b *Builder) Else() { b.add(Instr{Op: Else}) }

// End closes the innermost block.
func (b *Builder) End() {
	b.add(Instr{Op: End})
	b.open--
}

// Br and BrIf branch to an open block.
func (b *Builder) Br(l Label)   { b.add(Instr{Op: Br, Imm: b.rel(l)}) }
func (b *Builder) BrIf(l Label) { b.add(Instr{Op: BrIf, Imm: b.rel(l)}) }

// BrTable branches to labels[index], or to otherwise if index is out of range.
func (b *Builder) BrTable(labels []Label, otherwise Label) {
	t := make([]uint32, 0, len(labels)+1)
	for _, l := range labels {
		t = append(t, uint32(b.rel(l)))
	}
	t = append(t, uint32(b.rel(otherwise)))
	b.F.Tables = append(b.F.Tables, t)
	b.add(Instr{Op: BrTable, Imm: uint64(len(b.F.Tables) - 1)})
}

// rel returns the relative depth of a label. A label that is not open gives a depth beyond
// the function, which the validator rejects.
func (b *Builder) rel(l Label) uint64 { return uint64(uint32(b.open - int(l))) }

func packBytes(v [16]byte) (lo, hi uint64) {
	for i := 7; i >= 0; i-- {
		lo = lo<<8 | uint64(v[i])
		hi = hi<<8 | uint64(v[8+i])
	}
	return lo, hi
}

func unpackBytes(lo, hi uint64) (v [16]byte) {
	for i := range 8 {
		v[i] = byte(lo >> (8 * i))
		v[8+i] = byte(hi >> (8 * i))
	}
	return v
}
