package wasmsimd

import "github.com/simtc/simtc/targets/wasm-simd/wasm"

// wazero (up to 1.12, amd64) expands some vector operations so that their register is
// changed before an operand is read. If the operand has to be reloaded from the stack at
// that point and wants the same register, the register is stored with its old contents and
// read back wrong. Operands are on the stack if they are live across a call, as all are in
// code that yields, or if there are not enough registers. They want the same register if
// they and the result are one loop-carried variable, as in a masked update.
//
// avoidSpilledOperands replaces these operations in f by others with the same results:
// either operations without that expansion, or the same one on operands recomputed just
// before, which are in registers.
func avoidSpilledOperands(f *wasm.Func) {
	found := false
	for _, in := range f.Body {
		_, ok := replacements[in.Op]
		found = found || ok
	}
	if !found {
		return
	}
	body, comments := f.Body, f.Comments
	f.Body, f.Comments = nil, nil
	b := wasm.NewBuilder(f)
	x, y := b.Local(wasm.V128, ""), b.Local(wasm.V128, "")
	for i, in := range body {
		if c := comments[i]; c != "" {
			b.Comment(c)
		}
		if replace, ok := replacements[in.Op]; ok {
			b.Line = in.Line
			replace(b, x, y)
		} else {
			f.Body = append(f.Body, in)
		}
	}
}

// replacements emit code in place of an operation whose operands are on the
// WebAssembly stack; x and y are free locals.
var replacements = map[wasm.Op]func(b *wasm.Builder, x, y uint32){
	wasm.F32x4Neg: bitsOf(wasm.V128Xor, 1<<63|1<<31),
	wasm.F64x2Neg: bitsOf(wasm.V128Xor, 1<<63),
	wasm.F32x4Abs: bitsOf(wasm.V128And, 0x7FFFFFFF7FFFFFFF),
	wasm.F64x2Abs: bitsOf(wasm.V128And, 1<<63-1),
	wasm.V128Bitselect: func(b *wasm.Builder, x, y uint32) {
		b.Set(x)
		b.Set(y)
		b.Get(x)
		b.Op(wasm.V128And)
		b.Get(y)
		b.Get(x)
		b.Op(wasm.V128Andnot, wasm.V128Or)
	},
	wasm.F64x2ConvertLowI32x4U: onCopy(wasm.F64x2ConvertLowI32x4U),
	wasm.I8x16Popcnt:           onCopy(wasm.I8x16Popcnt),
	wasm.I64x2Mul: func(b *wasm.Builder, x, y uint32) {
		b.Set(y)
		recompute(b, x)
		b.Get(y)
		recompute(b, y)
		b.Op(wasm.I64x2Mul)
	},
}

// bitsOf combines the operand with a constant that is the same in both halves.
func bitsOf(op wasm.Op, bits uint64) func(b *wasm.Builder, x, y uint32) {
	return func(b *wasm.Builder, _, _ uint32) {
		b.V128(bits, bits)
		b.Op(op)
	}
}

// onCopy applies op to a recomputed copy of the operand.
func onCopy(op wasm.Op) func(b *wasm.Builder, x, y uint32) {
	return func(b *wasm.Builder, x, _ uint32) {
		recompute(b, x)
		b.Op(op)
	}
}

// recompute emits a copy of the operand in a register.
func recompute(b *wasm.Builder, x uint32) {
	b.Tee(x)
	b.Get(x)
	b.Op(wasm.V128Or)
}
