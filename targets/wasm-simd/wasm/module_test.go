package wasm_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

func i32s(n int) []wasm.Local {
	ls := make([]wasm.Local, n)
	for i := range ls {
		ls[i].Type = wasm.I32
	}
	return ls
}

// sumModule adds the floats of an array: names, lines, comments, labels.
func sumModule() *wasm.Module {
	f := &wasm.Func{Name: "sum rows", Export: "sum", Params: []wasm.Local{{Type: wasm.I32, Name: "ctx"}}, Results: []wasm.ValType{wasm.F32}}
	b := wasm.NewBuilder(f)
	n := b.Local(wasm.I32, "n")
	at := b.Local(wasm.I32, "at")
	acc := b.Local(wasm.V128, "x")
	again := b.Local(wasm.V128, "x")
	b.Line = 2
	b.Get(0)
	b.Mem(wasm.I32Load, 8, 2)
	b.Set(n)
	b.Line = 3
	b.Comment("four at a time")
	done := b.Block(wasm.BlockVoid)
	loop := b.Loop(wasm.BlockVoid)
	b.Get(n)
	b.Op(wasm.I32Eqz)
	b.BrIf(done)
	b.Line = 4
	b.Get(acc)
	b.Get(at)
	b.Mem(wasm.V128Load, 1024, 2)
	b.Op(wasm.F32x4Add)
	b.Tee(again)
	b.Set(acc)
	b.Line = 3
	b.Get(n)
	b.I32(-1)
	b.Op(wasm.I32Add)
	b.Set(n)
	b.Br(loop)
	b.End()
	b.End()
	b.Line = 0
	b.Get(n)
	b.If(wasm.F32)
	b.F32(0.1)
	b.Else()
	b.Get(acc)
	b.Lane(wasm.F32x4ExtractLane, 3)
	b.End()
	g := &wasm.Func{Params: i32s(2), Locals: []wasm.Local{{Type: wasm.F64}}}
	c := wasm.NewBuilder(g)
	c.V128Bytes([16]byte{1, 2, 3, 4, 15: 0xFF})
	c.V128(0, math.MaxUint64)
	c.Shuffle([16]byte{0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23})
	c.Op(wasm.Drop)
	c.Get(1)
	c.V128(1, 2)
	c.MemLane(wasm.V128Store16Lane, 2, 1, 5)
	a := c.Block(wasm.BlockVoid)
	d := c.Block(wasm.BlockVoid)
	c.Get(0)
	c.BrTable([]wasm.Label{a, d, 0}, d)
	c.End()
	c.End()
	c.F64(math.Inf(-1))
	c.F64Bits(0xFFF8000000000001)
	c.Get(0)
	c.SelectType(wasm.F64)
	c.Set(2)
	c.F32(float32(math.Copysign(0, -1)))
	c.I64(math.MinInt64)
	c.Op(wasm.Drop, wasm.Drop)
	c.Op(wasm.AtomicFence)
	c.I32(0)
	c.Call(1)
	c.Op(wasm.Drop)
	c.I32(0)
	c.Call(0)
	source := []string{"float sum(int n) {", "  int i = n;", "  while (i--)", "    x += a[i];"}
	return &wasm.Module{
		Name:    "sums",
		Memory:  &wasm.Memory{ImportModule: "env", ImportName: "memory", Min: 1, Max: 16, HasMax: true, Shared: true},
		Imports: []wasm.Import{{Module: "host", Name: "yield", FuncName: "yield", Params: []wasm.ValType{wasm.I32}}},
		Funcs:   []*wasm.Func{f, g},
		Custom:  []wasm.Custom{{Name: "about", Data: []byte{1, 2, 3}}},
		Comment: func(line uint32) string { return fmt.Sprintf("sum.cl:%d: %s", line, strings.TrimSpace(source[line-1])) },
	}
}

func TestWAT(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, _ map[string]string) map[string]string {
		m := sumModule()
		require.NoError(t, m.Validate())
		return map[string]string{"wat": m.WAT()}
	})
	requireSameAsWABT(t, []*wasm.Module{sumModule()})
}

func TestNamesAreInTheNameSection(t *testing.T) {
	code := sumModule().Encode()
	require.Equal(t, 1, bytes.Count(code, []byte("\x04name")))
	for _, name := range []string{"sums", "\x05yield", "sum rows", "ctx", "\x01n", "\x02at", "\x01x", "x.2", "about"} {
		require.True(t, bytes.Contains(code, []byte(name)), name)
	}
}

func TestLineMarks(t *testing.T) {
	m := sumModule()
	code, marks := m.EncodeLines()
	require.Equal(t, code, m.Encode())
	var lines []uint32
	for i, k := range marks {
		lines = append(lines, k.Line)
		if i > 0 {
			require.Greater(t, k.Offset, marks[i-1].Offset)
		}
	}
	require.Equal(t, []uint32{2, 3, 4, 3, 0, 0}, lines)
	// Line 2 starts with local.get 0, line 3 with block.
	require.Equal(t, []byte{0x20, 0}, code[marks[0].Offset:marks[0].Offset+2])
	require.Equal(t, []byte{0x02, 0x40}, code[marks[1].Offset:marks[1].Offset+2])
}

func TestInvalid(t *testing.T) {
	body := func(gen func(b *wasm.Builder)) *wasm.Module {
		f := &wasm.Func{Name: "f", Params: i32s(1)}
		b := wasm.NewBuilder(f)
		b.Line = 7
		gen(b)
		return &wasm.Module{Memory: &wasm.Memory{Min: 1}, Funcs: []*wasm.Func{f}}
	}
	for msg, gen := range map[string]func(b *wasm.Builder){
		"instruction 0 (drop), line 7: the stack is empty":             func(b *wasm.Builder) { b.Op(wasm.Drop) },
		"(i32.add), line 7: the stack is empty, i32 wanted":            func(b *wasm.Builder) { b.I32(1); b.Op(wasm.I32Add) },
		"f32 on the stack, i32 wanted":                                 func(b *wasm.Builder) { b.F32(1); b.Set(0) },
		"instruction 1 (end): 1 excess values at the end of the block": func(b *wasm.Builder) { b.I32(1) },
		"blocks still open at the end of the function: 1":              func(b *wasm.Builder) { b.Block(wasm.BlockVoid) },
		"end without an open block":                                    func(b *wasm.Builder) { b.Op(wasm.End) },
		"branch depth 4294967295":                                      func(b *wasm.Builder) { b.Br(1) },
		"branch depth 9, but 0 blocks are open":                        func(b *wasm.Builder) { b.Br(-9) },
		"else without if":                                              func(b *wasm.Builder) { b.Block(wasm.BlockVoid); b.Else(); b.End() },
		"if with a result but without else":                            func(b *wasm.Builder) { b.I32(0); b.If(wasm.I32); b.I32(0); b.End() },
		"no such local: 5":                                             func(b *wasm.Builder) { b.Get(5) },
		"no such function: 3":                                          func(b *wasm.Builder) { b.Call(3) },
		"select between i32 and f32":                                   func(b *wasm.Builder) { b.I32(0); b.F32(0); b.I32(0); b.Op(wasm.Select) },
		"alignment 1<<3 above the access size 1<<2":                    func(b *wasm.Builder) { b.I32(0); b.Mem(wasm.I32Load, 0, 3) },
		"alignment of an atomic access must be its size, 1<<2":         func(b *wasm.Builder) { b.I32(0); b.Mem(wasm.I32AtomicLoad, 0, 1) },
		"lane 4 of 4":                  func(b *wasm.Builder) { b.V128(0, 0); b.Lane(wasm.I32x4ExtractLane, 4) },
		"lane 8 of 8":                  func(b *wasm.Builder) { b.I32(0); b.V128(0, 0); b.MemLane(wasm.V128Load16Lane, 0, 1, 8) },
		"lane 15 of the shuffle is 32": func(b *wasm.Builder) { b.V128(0, 0); b.V128(0, 0); b.Shuffle([16]byte{15: 32}) },
		"targets of br_table take 0 and 1 values": func(b *wasm.Builder) {
			x := b.Block(wasm.I32)
			b.I32(0)
			b.I32(0)
			b.BrTable([]wasm.Label{0}, x)
			b.End()
		},
		"no such block type: 0x1": func(b *wasm.Builder) { b.Block(1) },
		"no such type: 0x40":      func(b *wasm.Builder) { b.SelectType(wasm.BlockVoid) },
		"no such instruction":     func(b *wasm.Builder) { b.Op(wasm.Op(wasm.NumOps)) },
	} {
		m := body(gen)
		err := m.Validate()
		require.ErrorContains(t, err, msg)
		var e *wasm.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, "f", e.Func)
		require.NotEmpty(t, m.WAT(), "invalid modules can be printed")
	}
}

func TestInvalidModules(t *testing.T) {
	f := func(name string) *wasm.Func { return &wasm.Func{Export: name} }
	for msg, m := range map[string]*wasm.Module{
		"memory of more than 65536 pages":     {Memory: &wasm.Memory{Min: 65537}},
		"maximum 1 below its minimum 2":       {Memory: &wasm.Memory{Min: 2, Max: 1, HasMax: true}},
		"shared memory without a maximum":     {Memory: &wasm.Memory{Shared: true}},
		"import h.i: invalid value type":      {Imports: []wasm.Import{{Module: "h", Name: "i", Params: []wasm.ValType{wasm.BlockVoid}}}},
		`"a" is exported twice`:               {Funcs: []*wasm.Func{f("a"), f("b"), f("a")}},
		`"memory" is exported twice`:          {Memory: &wasm.Memory{Export: "memory"}, Funcs: []*wasm.Func{f("memory")}},
		"50001 locals, engines allow 50000":   {Funcs: []*wasm.Func{{Locals: i32s(50001)}}},
		`local "q": invalid value type void`:  {Funcs: []*wasm.Func{{Locals: []wasm.Local{{Type: wasm.BlockVoid, Name: "q"}}}}},
		"result: invalid value type type(0x0": {Funcs: []*wasm.Func{{Results: []wasm.ValType{0}}}},
		"the module has no memory":            {Funcs: []*wasm.Func{{Body: []wasm.Instr{{Op: wasm.MemorySize}, {Op: wasm.Drop}}}}},
		"no such label list: 0":               {Funcs: []*wasm.Func{{Body: []wasm.Instr{{Op: wasm.BrTable}}}}},
	} {
		require.ErrorContains(t, m.Validate(), msg)
		m.Encode()
	}
}

func TestCodeLimits(t *testing.T) {
	f := &wasm.Func{}
	b := wasm.NewBuilder(f)
	for range wasm.MaxFuncBytes / 19 {
		b.V128(1, 2)
		b.Op(wasm.Drop)
	}
	m := &wasm.Module{Funcs: []*wasm.Func{f}}
	require.ErrorContains(t, m.Validate(), "bytes of code, engines allow 7654321")
	f.Body = f.Body[:len(f.Body)*19/20/2*2]
	require.NoError(t, m.Validate())
}

func TestEmptyModule(t *testing.T) {
	m := &wasm.Module{}
	require.NoError(t, m.Validate())
	require.Equal(t, "\x00asm\x01\x00\x00\x00", string(m.Encode()))
	require.Equal(t, "(module\n)\n", m.WAT())
	require.Equal(t, "none", m.Features().String())
	m.Memory = &wasm.Memory{Max: 1, HasMax: true, Shared: true, Export: "a\"\xff"}
	m.Funcs = []*wasm.Func{{Body: []wasm.Instr{{Op: wasm.V128Const}, {Op: wasm.V128Const}, {Op: wasm.I8x16RelaxedSwizzle}, {Op: wasm.Drop}}}}
	require.Equal(t, "relaxed-simd threads", m.Features().String())
	require.True(t, strings.HasPrefix(m.WAT(), "(module\n  (memory (export \"a\\22\\ff\") 0 1 shared)\n"))
}
