package kernel_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/utest/fuzz"
)

// The text form is parsed, printed, and parsed again with the same result.
func TestText(t *testing.T) {
	golden.Run(t, "testdata/text/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		m, err := kernel.Parse("in.simt", files["in.simt"])
		require.NoError(t, err)
		out := m.String()
		parsed, err := kernel.Parse("out.simt", out)
		require.NoError(t, err)
		require.Equal(t, out, parsed.String())
		require.Equal(t, m.Data, parsed.Data)
		for i, f := range m.Funcs {
			require.Equal(t, f.Args, parsed.Funcs[i].Args)
			require.Equal(t, f.ReqdWorkGroupSize, parsed.Funcs[i].ReqdWorkGroupSize)
		}
		return map[string]string{"out": out}
	})
}

// Errors of the text form have a position.
func TestParseErrors(t *testing.T) { goldenErrors(t, "testdata/parse/*.txtar") }

// Faults found by the verifier, one per file.
func TestVerifyErrors(t *testing.T) { goldenErrors(t, "testdata/verify/*.txtar") }

func goldenErrors(t *testing.T, pattern string) {
	golden.Run(t, pattern, func(t *testing.T, files map[string]string) map[string]string {
		m, err := kernel.Parse("in.simt", files["in.simt"])
		require.Error(t, err, "%v", m)
		require.True(t, strings.HasPrefix(err.Error(), "in.simt:"), "%v has no position", err)
		return map[string]string{"error": err.Error()}
	})
}

// Random kernels survive printing and parsing.
func TestRandomText(t *testing.T) {
	for seed := range int64(300) {
		f := fuzz.Kernel(seed, fuzz.Options{}).Kernel
		m := &kernel.Module{Funcs: []*kernel.Func{f}, Data: f.Data}
		text := m.String()
		back, err := kernel.Parse("k.simt", text)
		require.NoError(t, err, "seed %d", seed)
		require.Equal(t, text, back.String(), "seed %d", seed)
		require.Equal(t, f.NumValues(), back.Funcs[0].NumValues())
		require.Equal(t, f.ArgBlockSize(), back.Funcs[0].ArgBlockSize())
	}
}

// Malformed text must give an error, never a panic or an unverified kernel.
func TestDamagedText(t *testing.T) {
	base := fuzz.Kernel(5, fuzz.Options{Blocks: 8}).Kernel.String()
	damage := []string{"", "%", "b0", "(", ")", ",", "\n", "0", "i1", "-", ":", "x4", "}", "\"", ";", "add.i32", "999999999999", "return"}
	failed := 0
	for i := range len(base) {
		for k, d := range damage {
			if (i+k)%7 != 0 {
				continue
			}
			text := base[:i] + d + base[min(i+1+k%3, len(base)):]
			m, err := kernel.Parse("k.simt", text)
			if err != nil {
				failed++
				continue
			}
			for _, f := range m.Funcs {
				require.NoError(t, kernel.Verify(f))
			}
		}
	}
	require.Greater(t, failed, 1000)
}

// Annotations are comments and are ignored when parsed.
func TestPrinterHooks(t *testing.T) {
	f := fuzz.Kernel(3, fuzz.Options{}).Kernel
	p := kernel.Printer{
		Value: func(v *kernel.Value) string { return "value " + v.Type.String() },
		Block: func(b *kernel.Block) string { return "block" },
		Term:  func(b *kernel.Block) string { return "end" },
	}
	text := p.Module(&kernel.Module{Funcs: []*kernel.Func{f}, Data: f.Data})
	require.Contains(t, text, "  ; value i64\n")
	require.Contains(t, text, "  ; end\n")
	require.Contains(t, text, ":  ; block")
	back, err := kernel.Parse("k.simt", text)
	require.NoError(t, err)
	require.Equal(t, f.String(), back.Funcs[0].String())
}

// Faults that text cannot express.
func TestVerifyBuilt(t *testing.T) {
	build := func() (*kernel.Func, *kernel.Block, *kernel.Value) {
		f := &kernel.Func{Name: "k"}
		b := f.NewBlock("")
		v := b.Append(kernel.GlobalID, alu.I64)
		b.Append(alu.Add, alu.I64, v, f.Const(alu.I64, 1))
		b.Return()
		return f, b, v
	}
	for _, c := range []struct {
		name, want string
		edit       func(f *kernel.Func, b *kernel.Block, v *kernel.Value)
	}{
		{"good", "", func(*kernel.Func, *kernel.Block, *kernel.Value) {}},
		{"block number", "b5 is at position 0", func(_ *kernel.Func, b *kernel.Block, _ *kernel.Value) { b.ID = 5 }},
		{"value twice", "is used twice", func(_ *kernel.Func, b *kernel.Block, v *kernel.Value) { b.Values = append(b.Values, v) }},
		{"value number twice", "value ID 0 is used twice", func(_ *kernel.Func, b *kernel.Block, _ *kernel.Value) { b.Values[1].ID = 0 }},
		{"value number", "value ID 99 is out of range", func(_ *kernel.Func, _ *kernel.Block, v *kernel.Value) { v.ID = 99 }},
		{"value's block", "belongs to another block", func(f *kernel.Func, _ *kernel.Block, v *kernel.Value) { v.Block = f.NewBlock("") }},
		{"missing operand", "missing operand", func(_ *kernel.Func, b *kernel.Block, _ *kernel.Value) { b.Values[1].Args[1] = nil }},
		{"operand of another function", "is not in the function", func(_ *kernel.Func, b *kernel.Block, _ *kernel.Value) {
			_, _, b.Values[1].Args[0] = build()
		}},
		{"constant in a block", "belongs to a block", func(_ *kernel.Func, b *kernel.Block, _ *kernel.Value) { b.Values[1].Args[1].Block = b }},
		{"parameter among operations", "is not an operation of the kernel IR", func(_ *kernel.Func, _ *kernel.Block, v *kernel.Value) { v.Op = kernel.Param }},
		{"unknown operation", "is not an operation of the kernel IR", func(_ *kernel.Func, _ *kernel.Block, v *kernel.Value) { v.Op = 250 }},
		{"parameter position", "parameter 0 has another operation or index", func(_ *kernel.Func, b *kernel.Block, _ *kernel.Value) { b.NewParam(alu.I32, "").Index = 1 }},
		{"parameter without type", "parameter 0 has no type", func(_ *kernel.Func, b *kernel.Block, _ *kernel.Value) { b.NewParam(alu.Void, "") }},
		{"no terminator", "no terminator", func(_ *kernel.Func, b *kernel.Block, _ *kernel.Value) { b.Kind = kernel.NoTerm }},
		{"edges", "1 edges, wants 0", func(_ *kernel.Func, b *kernel.Block, _ *kernel.Value) { b.Edges = []kernel.Edge{{To: b}} }},
		{"edge out", "an edge leaves the function", func(_ *kernel.Func, b *kernel.Block, _ *kernel.Value) {
			_, other, _ := build()
			b.Jump(other)
		}},
		{"idle condition", "a condition without a use", func(f *kernel.Func, b *kernel.Block, _ *kernel.Value) { b.Cond = f.Const(alu.I1, 1) }},
		{"type of a query", "has type i32, wants i64", func(_ *kernel.Func, b *kernel.Block, v *kernel.Value) { v.Type = alu.I32; b.Values = b.Values[:1] }},
		{"type of a sum", "has type i32, wants i64", func(_ *kernel.Func, b *kernel.Block, _ *kernel.Value) { b.Values[1].Type = alu.I32 }},
		{"store with a value", "a store has no value", func(f *kernel.Func, b *kernel.Block, _ *kernel.Value) {
			b.Append(kernel.Store, alu.I32, f.Const(alu.PtrGlobal, 0), f.Const(alu.I32, 0)).Count = 1
			b.Values[2].Align = 4
		}},
		{"store of too few", "stores 1 of 2 components", func(f *kernel.Func, b *kernel.Block, _ *kernel.Value) {
			v := b.Append(kernel.Store, alu.Void, f.Const(alu.PtrGlobal, 0), f.Const(alu.I32, 0))
			v.Count, v.Align = 2, 4
		}},
	} {
		f, b, v := build()
		c.edit(f, b, v)
		err := kernel.Verify(f)
		if c.want == "" {
			require.NoError(t, err, c.name)
			continue
		}
		require.ErrorContains(t, err, c.want, c.name)
		require.ErrorContains(t, err, "kernel k", c.name)
	}
}

func TestRenumber(t *testing.T) {
	f := &kernel.Func{Name: "k"}
	b0, b1 := f.NewBlock("a"), f.NewBlock("b")
	one := f.Const(alu.I64, 1)
	f.Const(alu.I32, 77) // unused
	require.Same(t, one, f.Const(alu.I64, 1), "constants are interned")
	require.Same(t, f.Const(alu.I8, 0xff), f.Const(alu.I8, 0x1ff), "only the bits of the type count")
	x := b0.Append(alu.Add, alu.I64, one, one)
	p := b1.NewParam(alu.I64, "p")
	y := b1.Append(alu.Mul, alu.I64, p, x)
	b0.Jump(b1, x)
	b1.Return()
	f.Blocks[0], f.Blocks[1] = b1, b0
	f.Renumber()
	require.Equal(t, []int{0, 1, 2, 3}, []int{p.ID, y.ID, x.ID, one.ID})
	require.Equal(t, []int{1, 0}, []int{b0.ID, b1.ID})
	require.Equal(t, 4, f.NumValues())
	require.NotSame(t, one, f.Const(alu.I32, 77))
	require.Equal(t, 4, f.Const(alu.I32, 77).ID, "the unused constant was removed")
}

// Every row of the table can be printed and parsed.
func TestOps(t *testing.T) {
	for _, op := range kernel.Ops() {
		in := kernel.InfoOf(op)
		back, ok := kernel.ParseOp(in.Name)
		require.True(t, ok, in.Name)
		require.Equal(t, op, back)
		require.Equal(t, in.Args < 0, op == kernel.Store, in.Name)
	}
	_, ok := kernel.ParseOp("nothing")
	require.False(t, ok)
	require.Empty(t, kernel.InfoOf(alu.Invalid).Name)
}
