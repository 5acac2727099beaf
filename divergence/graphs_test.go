package divergence_test

import (
	"context"
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/utest/fuzz"
)

// randomLoops makes a kernel of nested loops with arbitrary forward jumps, also out of several
// loops, whose conditions hash the iterations and, in some blocks, the lane. So there are many
// exits that all lanes of a loop may or may not take together. The iteration counters are used
// after the loops.
func randomLoops(seed int64, limit int) *kernel.Func {
	rng := rand.New(rand.NewSource(seed))
	n := 6 + rng.Intn(limit-5)
	// Blocks 1..n-2 are in a line in which a loop is an interval; loop[i] is the header of
	// the innermost loop around block i, 0 if there is none.
	loop, latch := make([]int, n), make([]int, n)
	parent := func(h int) int { return loop[h-1] } // a header follows a block outside of its loop
	var nest func(lo, hi, in, depth int)
	nest = func(lo, hi, in, depth int) {
		for i := lo; i < hi; {
			size := 2 + rng.Intn(14)
			if depth < 3 && i > lo && i+size <= hi && rng.Intn(3) > 0 {
				latch[i] = i + size - 1
				for j := i; j < i+size; j++ {
					loop[j] = i
				}
				nest(i+1, i+size-1, i, depth+1)
				i += size
				if i < hi {
					loop[i] = in
				}
			}
			i++
		}
	}
	nest(1, n-1, 0, 0)
	inside := func(i, h int) bool { return h == 0 || h <= i && i <= latch[h] }
	// allowed reports whether j may follow i: a later block, entering loops at headers only.
	allowed := func(i, j int) bool {
		for h := loop[j]; h != 0; h = parent(h) {
			if !inside(i, h) && h != j {
				return false
			}
		}
		return true
	}

	f := &kernel.Func{Name: "loops", Args: []kernel.Arg{
		{Name: "out", CType: "int*", Kind: kernel.ArgBuffer, Type: alu.PtrGlobal, Elem: "int", Count: 1, Size: 8, Align: 8},
	}}
	f.LayoutArgs()
	blocks := make([]*kernel.Block, n)
	for i := range blocks {
		blocks[i] = f.NewBlock("")
	}
	i32 := func(c int) *kernel.Value { return f.Const(alu.I32, uint64(c)) }
	id := blocks[0].Append(kernel.GlobalID, alu.I64)
	out := blocks[0].Append(kernel.Argument, alu.PtrGlobal)
	own := blocks[0].Append(kernel.PtrAdd, alu.PtrGlobal, out, blocks[0].Append(alu.Shl, alu.I64, id, f.Const(alu.I64, 7)))
	lane := blocks[0].Append(alu.Trunc, alu.I32, id)
	private := blocks[0].Append(kernel.Alloca, alu.PtrPrivate)
	private.Size, private.Align = 16, 4
	access := func(b *kernel.Block, op kernel.Op, t kernel.Type, p *kernel.Value, offset int, args ...*kernel.Value) *kernel.Value {
		at := b.Append(kernel.PtrAdd, p.Type, p, f.Const(alu.I64, uint64(offset)))
		v := b.Append(op, t, append([]*kernel.Value{at}, args...)...)
		v.Count, v.Align = 1, 4
		return v
	}
	for k := range 4 {
		access(blocks[0], kernel.Store, alu.Void, private, 4*k, i32(k))
	}
	stores := rng.Intn(4)
	iteration := make([]*kernel.Value, n)
	for i := range blocks {
		if latch[i] > 0 {
			iteration[i] = blocks[i].NewParam(alu.I32, "iteration")
		}
	}
	cond := func(i int, divergent bool) *kernel.Value {
		b := blocks[i]
		x := i32(rng.Intn(1 << 30))
		for h := loop[i]; h != 0; h = parent(h) {
			x = b.Append(alu.Add, alu.I32, x, iteration[h])
			x = b.Append(alu.Mul, alu.I32, x, i32(0x2545f491))
		}
		if divergent {
			x = b.Append(alu.Add, alu.I32, x, lane)
			x = b.Append(alu.Mul, alu.I32, x, f.Const(alu.I32, 0x9e3779b1))
		}
		x = b.Append(alu.LShr, alu.I32, x, i32(24))
		return b.Append(alu.Ult, alu.I1, x, i32(40+rng.Intn(160)))
	}
	edge := func(j int) kernel.Edge {
		e := kernel.Edge{To: blocks[j]}
		if iteration[j] != nil {
			e.Args = append(e.Args, i32(0))
		}
		return e
	}
	for i, b := range blocks[1:] {
		// Private memory, mostly written in few blocks.
		if rng.Intn(8) < stores {
			x := i32(i)
			if h := loop[i+1]; h != 0 {
				x = b.Append(alu.Add, alu.I32, x, iteration[h])
			}
			if rng.Intn(12) == 0 {
				x = lane
			}
			access(b, kernel.Store, alu.Void, private, 4*rng.Intn(4), x)
		}
		if rng.Intn(3) == 0 {
			x := access(b, kernel.Load, alu.I32, private, 4*rng.Intn(4))
			access(b, kernel.Store, alu.Void, own, i%32*4, b.Append(alu.Add, alu.I32, x, access(b, kernel.Load, alu.I32, own, i%32*4)))
		}
	}
	share := rng.Intn(60) // percentage of divergent branches
	for i, b := range blocks {
		if i == n-1 {
			b.Return()
			continue
		}
		var targets []int
		for j := i + 1; j < n; j++ {
			if allowed(i, j) {
				targets = append(targets, j)
			}
		}
		divergent := rng.Intn(100) < share
		if h := loop[i]; h != 0 && latch[h] == i {
			next := b.Append(alu.Add, alu.I32, iteration[h], i32(1))
			continues := b.Append(alu.And, alu.I1, b.Append(alu.Slt, alu.I1, next, i32(2+rng.Intn(5))), cond(i, divergent))
			b.Branch(continues, kernel.Edge{To: blocks[h], Args: []*kernel.Value{next}}, edge(targets[rng.Intn(min(len(targets), 3))]))
			continue
		}
		to := [2]int{targets[0], targets[min(rng.Intn(len(targets)), rng.Intn(len(targets)))]}
		if to[0] == to[1] {
			e := edge(to[0])
			b.Jump(e.To, e.Args...)
			continue
		}
		k := rng.Intn(2)
		b.Branch(cond(i, divergent), edge(to[k]), edge(to[1-k]))
	}
	// Blocks dominated by a header use its iteration counter.
	dom := cfg.Dominators(f.Graph())
	for j, b := range blocks {
		for h := 1; h < n; h++ {
			if iteration[h] != nil && h < j && dom.Contains(j) && dom.Dominates(h, j) && !inside(j, h) {
				x := b.Append(alu.Add, alu.I32, b.Append(alu.Mul, alu.I32, iteration[h], i32(h)), i32(j))
				access(b, kernel.Store, alu.Void, own, j%32*4, x)
			}
		}
	}
	f.Renumber()
	return f
}

func TestRandomLoops(t *testing.T) {
	kills, total, shared := 0, 0, 0
	for seed := range int64(400) {
		c := fuzz.CaseOf(randomLoops(seed, 26), 0)
		require.NoError(t, kernel.Verify(c.Kernel))
		n, err := observePaths(t, c)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, divergence.Analyze(c.Kernel, divergence.Options{Width: strip}))
		}
		kills += n
		info := divergence.Analyze(c.Kernel, divergence.Options{Width: strip})
		if n > 0 && info.Shared(c.Kernel.Blocks[0].Values[slices.IndexFunc(c.Kernel.Blocks[0].Values, func(v *kernel.Value) bool { return v.Op == kernel.Alloca })]) {
			shared++
		}
		n, err = observe(t, c)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, divergence.Analyze(c.Kernel, divergence.Options{Width: strip}))
		}
		total += n
	}
	require.Greater(t, kills, 1000, "too few kill exits")
	require.Greater(t, shared, 30, "too few shared private objects in divergent kernels")
	require.Greater(t, total, 100000, "too few uniform or strided values")
}

// Both linearizers rely on the analysis.
func TestRandomLoopsRun(t *testing.T) {
	for seed := range int64(40) {
		c := fuzz.CaseOf(randomLoops(seed, 26), 0)
		require.NoError(t, fuzz.Check(context.Background(), c, fuzz.Steps{Widths: []int{[]int{4, 8, 16, 32}[seed%4]}, Raw: true}), "seed %d", seed)
	}
}
