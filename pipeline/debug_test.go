package pipeline

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/vir"
)

const debugSource = `kernel void k(global const int *a, global int *o, int n)
{
	int i = get_global_id(0), s = 0;
	for (int j = 0; j < a[i]; j++)
		s += j & 1 ? a[i + j] : j;
	o[i] = s;
}`

func TestPassesAreInOrder(t *testing.T) {
	require.NoError(t, pass.Misplaced(passList()))
	stages := map[string]int{}
	after := 0
	for _, p := range Passes() {
		stages[p.Stage]++
		after += len(p.After)
	}
	for _, stage := range []string{"scalar", "lanes", "linearize", "vector", "join", "final", "legalize", "legal", "select", "allocate", "machine"} {
		require.Positive(t, stages[stage], stage)
	}
	require.Greater(t, after, 10)
}

// With Verify, the error of a broken pass names it, whatever it works on.
func TestVerifyNamesBrokenPasses(t *testing.T) {
	compile := func() error {
		k := compile(t, debugSource, testOptions{Strategy: Strategy{Target: VIR, Width: 4}, Settings: Settings{Debug: Debug{Verify: true}}})[0]
		_, err := k.shared.prog.Emit("vir", []*Kernel{k})
		return err
	}
	require.NoError(t, compile())
	breakKernel := func(f *kernel.Func, _ pass.Stats) {
		for _, b := range f.Blocks {
			if len(b.Values) > 1 {
				b.Values = b.Values[1:] // some operand has no definition any more
				return
			}
		}
	}
	breakVector := func(f *vir.Func, _ pass.Stats) {
		for _, b := range f.Blocks {
			if len(b.Values) > 1 {
				b.Values = b.Values[1:]
				return
			}
		}
	}
	scalar, lanes, vector, final := scalarPasses.Passes, lanePasses.Passes, vectorPasses.Passes, finalPasses.Passes
	defer func() {
		scalarPasses.Passes, lanePasses.Passes, vectorPasses.Passes, finalPasses.Passes = scalar, lanes, vector, final
	}()
	for _, c := range []struct {
		name   string
		damage func()
	}{
		{"scalar/fold (2)", func() { scalarPasses.Passes = broken(scalar, "fold", 2, breakKernel) }},
		{"scalar/barriers", func() { scalarPasses.Passes = broken(scalar, "barriers", 1, breakKernel) }},
		{"lanes/interior", func() {
			lanePasses.Passes = broken(lanes, "interior", 1, func(u *unit, st pass.Stats) {
				f := kernel.Clone(u.parts[0].kernel)
				breakKernel(f, st)
				u.parts[0].kernel = f
			})
		}},
		{"vector/induction", func() { vectorPasses.Passes = broken(vector, "induction", 1, breakVector) }},
		{"vector/redundancy (3)", func() { vectorPasses.Passes = broken(vector, "redundancy", 3, breakVector) }},
		{"final/votes", func() { finalPasses.Passes = broken(final, "votes", 1, breakVector) }},
	} {
		c.damage()
		require.ErrorContains(t, compile(), "after pass "+c.name+": ")
		scalarPasses.Passes, lanePasses.Passes, vectorPasses.Passes, finalPasses.Passes = scalar, lanes, vector, final
	}
}

// broken returns the passes with the n-th run of one followed by a change that breaks the IR.
func broken[T any](passes []pass.Pass[T], name string, n int, damage func(T, pass.Stats)) []pass.Pass[T] {
	out := append([]pass.Pass[T](nil), passes...)
	for i, p := range out {
		if p.Name != name {
			continue
		}
		if n--; n == 0 {
			out[i].Run = func(f T, st pass.Stats) {
				p.Run(f, st)
				damage(f, st)
			}
		}
	}
	return out
}

func TestDebugOptions(t *testing.T) {
	var dumped bytes.Buffer
	k := compile(t, debugSource, testOptions{Strategy: Strategy{Target: VIR, Width: 8, Linearizer: Partial, Bypass: BypassZeros}, Settings: Settings{Debug: Debug{
		Verify: true, Measure: true, Disable: []string{"vector/interleave", "meld"}, DumpAfter: []string{"lcssa", "partial", "votes"}, Dump: &dumped,
	}}})[0]
	require.Empty(t, k.PassCosts())
	_, err := k.shared.prog.Emit("vir", []*Kernel{k})
	require.NoError(t, err)
	for _, want := range []string{"; kernel k after pass scalar/lcssa\n", "; kernel k after pass linearize/partial\nvir k width 8", "; kernel k after pass final/votes\n"} {
		require.Equal(t, 1, strings.Count(dumped.String(), want), "%s in\n%s", want, &dumped)
	}
	ran := map[string]int{}
	for _, c := range k.PassCosts() {
		ran[c.Stage+"/"+c.Name] = c.Runs
	}
	require.Equal(t, 1, ran["lanes/near"])
	require.Equal(t, 1, ran["linearize/partial"])
	require.Greater(t, ran["vector/redundancy"], 2)
	require.NotContains(t, ran, "vector/interleave")
	require.NotContains(t, ran, "lanes/meld")

	for name, want := range map[string]string{"nosuch": `unknown pass "nosuch"`, "final/fold": `unknown pass "final/fold"`, "lcssa": `pass "lcssa" is required`} {
		require.ErrorContains(t, (&Debug{Disable: []string{name}}).Check(), want)
	}
	require.ErrorContains(t, (&Debug{DumpAfter: []string{"nosuch"}}).Check(), `unknown pass "nosuch"`)
}

// The passes of native code have the same options as those before.
func TestDebugOptionsOfNativeCode(t *testing.T) {
	var dumped bytes.Buffer
	k := compile(t, debugSource, testOptions{Strategy: Strategy{Target: AVX512, Width: 8, Linearizer: Partial, Bypass: BypassZeros}, Settings: Settings{Emulate: true, Debug: Debug{
		Verify: true, Measure: true, Disable: []string{"machine/peephole"}, DumpAfter: []string{"legal/unused", "allocate/avx512", "machine/replicate"}, Dump: &dumped,
	}}})[0]
	_, err := k.shared.prog.Emit("asm", []*Kernel{k})
	require.NoError(t, err)
	for _, want := range []string{"pass legal/unused\nvir k width 8", "pass allocate/avx512\n.L0:", "pass machine/replicate\n.L0:"} {
		require.Equal(t, 1, strings.Count(dumped.String(), want), "%s in\n%s", want, &dumped)
	}
	ran := map[string]int{}
	for _, c := range k.PassCosts() {
		ran[c.Stage+"/"+c.Name] = c.Runs
	}
	for _, step := range []string{"legalize/avx512", "legal/complements", "select/avx512", "allocate/avx512", "machine/replicate"} {
		require.Equal(t, 1, ran[step], step)
	}
	require.NotContains(t, ran, "machine/peephole")
}

// A fence addresses the stack, whose pointer is no value that the allocator knows of.
func TestVerifiedFences(t *testing.T) {
	const source = `kernel void k(global int *p) { p[0] = 1; atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device); p[1] = 2; }`
	k := compile(t, source, testOptions{
		Strategy: Strategy{Target: AVX512, Width: 8}, Settings: Settings{Emulate: true, Debug: Debug{Verify: true}}, clc: clc.Options{Std: "3.0"},
	})[0]
	text, err := k.shared.prog.Emit("asm", []*Kernel{k})
	require.NoError(t, err)
	require.Contains(t, string(text), "[rsp]")
}

// The texts of several kernels keep their order, although kernels are compiled side by side.
func TestDumpsAreInOrder(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var source strings.Builder
	for i := range 8 {
		fmt.Fprintf(&source, "kernel void k%d(global int *p) { for (int i = 0; i < p[0]; i++) p[i] += %d; }\n", i, i)
	}
	var dumped bytes.Buffer
	ks := compile(t, source.String(), testOptions{Strategy: Strategy{Target: VIR, Width: 8}, Settings: Settings{Debug: Debug{DumpAfter: []string{"lcssa"}, Dump: &dumped}}})
	_, err := ks[0].shared.prog.Emit("kernel", ks)
	require.NoError(t, err)
	var order []string
	for _, line := range strings.Split(dumped.String(), "\n") {
		if name, ok := strings.CutPrefix(line, "; kernel k"); ok {
			order = append(order, name[:1])
		}
	}
	require.Equal(t, []string{"0", "1", "2", "3", "4", "5", "6", "7"}, order)
}
