package opt_test

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/kernel"
)

// synthetic returns a structured kernel of about the given number of operations
// and a tenth as many blocks: nests of loops and branches, with variables that
// are live across them, and loads and stores.
func synthetic(ops int) *kernel.Func {
	rng := rand.New(rand.NewSource(1))
	f := &kernel.Func{Name: "big"}
	f.Args = []kernel.Arg{{Name: "out", Kind: kernel.ArgBuffer, Type: alu.PtrGlobal, Elem: "int", Count: 1, Size: 8, Align: 8, CType: "__global int*"}}
	f.LayoutArgs()
	cur := f.NewBlock("")
	out := cur.Append(kernel.Argument, alu.PtrGlobal)
	id := cur.Append(kernel.GlobalID, alu.I64)
	vars := []*kernel.Value{cur.Append(alu.Trunc, alu.I32, id)}
	for i := range 7 {
		vars = append(vars, cur.Append(alu.Add, alu.I32, vars[0], f.Const(alu.I32, uint64(i))))
	}
	left := ops
	straight := func(n int) {
		for range n {
			i := rng.Intn(len(vars))
			switch rng.Intn(12) {
			case 0:
				p := cur.Append(kernel.PtrAdd, alu.PtrGlobal, out, cur.Append(alu.ZExt, alu.I64, vars[i]))
				l := cur.Append(kernel.Load, alu.I32, p)
				l.Count, l.Align = 1, 4
				vars[i] = l
			case 1:
				p := cur.Append(kernel.PtrAdd, alu.PtrGlobal, out, cur.Append(alu.ZExt, alu.I64, vars[i]))
				s := cur.Append(kernel.Store, alu.Void, p, vars[rng.Intn(len(vars))])
				s.Count, s.Align = 1, 4
			case 2:
				vars[i] = cur.Append(alu.Add, alu.I32, vars[i], f.Const(alu.I32, uint64(rng.Intn(20))))
			default:
				op := []alu.Op{alu.Add, alu.Sub, alu.Xor, alu.Mul, alu.And, alu.UMax}[rng.Intn(6)]
				vars[i] = cur.Append(op, alu.I32, vars[i], vars[rng.Intn(len(vars))])
			}
			left--
		}
	}
	params := func(b *kernel.Block) []*kernel.Value {
		var ps []*kernel.Value
		for _, v := range vars {
			ps = append(ps, b.NewParam(v.Type, ""))
		}
		return ps
	}
	pass := func() []*kernel.Value { return append([]*kernel.Value(nil), vars...) }
	cond := func() *kernel.Value {
		return cur.Append(alu.Slt, alu.I1, vars[rng.Intn(len(vars))], f.Const(alu.I32, uint64(rng.Intn(100))))
	}
	var body func(depth int)
	body = func(depth int) {
		for n := 1 + rng.Intn(4); n > 0 && left > 0; n-- {
			straight(3 + rng.Intn(9))
			switch k := rng.Intn(4); {
			case depth == 0:
			case k < 2:
				then, join := f.NewBlock("then"), f.NewBlock("join")
				cur.Branch(cond(), kernel.Edge{To: then}, kernel.Edge{To: join, Args: pass()})
				joined := params(join)
				cur = then
				body(depth - 1)
				cur.Jump(join, pass()...)
				cur, vars = join, joined
			default:
				head, in, done := f.NewBlock("loop"), f.NewBlock("body"), f.NewBlock("done")
				cur.Jump(head, pass()...)
				ps := params(head)
				vars = append([]*kernel.Value(nil), ps...)
				cur = head
				head.Branch(cond(), kernel.Edge{To: in}, kernel.Edge{To: done})
				cur = in
				body(depth - 1)
				cur.Jump(head, pass()...)
				cur, vars = done, ps
			}
		}
	}
	for left > 0 {
		body(5)
	}
	straight(10)
	for i, v := range vars {
		p := cur.Append(kernel.PtrAdd, alu.PtrGlobal, out, f.Const(alu.I64, uint64(4*i)))
		s := cur.Append(kernel.Store, alu.Void, p, v)
		s.Count, s.Align = 1, 4
	}
	cur.Return()
	f.Renumber()
	return f
}

func benchmark(b *testing.B, f *kernel.Func) {
	text := &kernel.Module{Funcs: []*kernel.Func{f}, Data: f.Data}
	source := text.String()
	b.Run("all", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			m, err := kernel.Parse("x", source)
			if err != nil {
				b.Fatal(err)
			}
			g := m.Funcs[0]
			b.StartTimer()
			for _, p := range allPasses {
				p.Run(g, nil)
			}
		}
		b.ReportMetric(float64(f.NumValues()), "values")
	})
	for i, p := range allPasses {
		b.Run(fmt.Sprintf("%02d-%s", i, p.Name), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				m, err := kernel.Parse("x", source)
				if err != nil {
					b.Fatal(err)
				}
				g := m.Funcs[0]
				for _, q := range allPasses[:i] {
					q.Run(g, nil)
				}
				b.StartTimer()
				p.Run(g, nil)
			}
		})
	}
}

func BenchmarkPasses(b *testing.B) {
	for _, n := range []int{20_000, 50_000} {
		f := synthetic(n)
		require.NoError(b, kernel.Verify(f))
		b.Run(fmt.Sprintf("ops=%d,blocks=%d", n, len(f.Blocks)), func(b *testing.B) { benchmark(b, f) })
	}
	for _, name := range []string{"mandelbrot", "sha256"} {
		text, err := os.ReadFile(filepath.Join("..", "utest", "kernels", name+".cl"))
		require.NoError(b, err)
		m, err := clc.Compile(name, string(text), clc.Options{})
		require.NoError(b, err)
		b.Run(name, func(b *testing.B) { benchmark(b, m.Funcs[0]) })
	}
}
