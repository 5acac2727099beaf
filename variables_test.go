package simtc_test

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// counting has kernels that share variables of several kinds.
const counting = `
global int total = 5;
global int *global where = &total;
__constant char text[] = "abcdef";
__constant char *global letter = text;
global int list[4] = { 1, 2, 3, 4 };

int calls(int n) { static int count; return atomic_add(&count, n); }

kernel void add(global int *out) {
  atomic_inc(&total);
  calls(2);
  if (get_global_id(0) == 0) { letter++; where = where == &total ? list : where + 1; }
  out[get_global_id(0)] = 1;
}

kernel void look(global int *out) {
  out[0] = total;
  out[1] = calls(0);
  out[2] = *letter;
  out[3] = *where;
}

kernel void none(global int *out) { out[get_global_id(0)] = 7; }
`

// waysOf lists strategies: every target that runs on the host, both linearizers, some widths.
func waysOf(t *testing.T) (out []simtc.Strategy) {
	for _, target := range simtc.Targets() {
		if err := simtc.Available(target); err != nil {
			t.Logf("SKIPPED %s: %v", target, err)
			continue
		}
		if target == simtc.Interpreter {
			out = append(out, simtc.Strategy{Target: target})
			continue
		}
		for _, l := range []string{simtc.Partial, simtc.BlockIP} {
			for _, width := range []int{1, 16} {
				out = append(out, simtc.Strategy{Target: target, Linearizer: l, Width: width})
			}
		}
	}
	return out
}

// TestVariablesPersist checks that a program has one instance of its variables for all strategies, and
// that pointers in them stay valid when the strategy changes.
func TestVariablesPersist(t *testing.T) {
	ctx := context.Background()
	const n = 100
	p := compile(t, counting, simtc.Options{Std: "2.0"})
	add, err := p.Kernel("add")
	require.NoError(t, err)
	look, err := p.Kernel("look")
	require.NoError(t, err)
	values := func(launches int) []int32 {
		letter := int32(0)
		if launches < 7 {
			letter = int32("abcdef\x00"[launches])
		}
		where := int32(5 + launches*n)
		if launches > 0 {
			where = int32(launches)
		}
		return []int32{int32(5 + launches*n), int32(2 * launches * n), letter, where}
	}
	launches := 0
	check := func(w simtc.Strategy) {
		t.Helper()
		k, err := look.With(w)
		require.NoError(t, err)
		seen := make([]int32, 4)
		require.NoError(t, k.Launch(ctx, simtc.NDRange(1), seen))
		require.Equal(t, values(launches), seen, "%v after %d launches", w, launches)
	}
	ways := waysOf(t)
	for i, w := range ways {
		check(w)
		k, err := add.With(w)
		require.NoError(t, err)
		require.NoError(t, k.Launch(ctx, simtc.NDRange(n), make([]int32, n)))
		launches++
		check(w)
		check(ways[(i+1)%len(ways)])
		if launches == 4 { // the last element that the pointers may reach
			require.NoError(t, p.Reset(ctx))
			launches = 0
		}
	}
	_, err = add.Profile(ctx, simtc.NDRange(n), make([]int32, n))
	require.NoError(t, err)
	launches++
	check(ways[0])
	require.NoError(t, p.Reset(ctx))
	launches = 0
	check(ways[0])
}

// TestVariablesAreTunedOnce checks that comparing candidates, by Tune or in launches, applies the
// effects of each launch once.
func TestVariablesAreTunedOnce(t *testing.T) {
	const source = `
global uint count = 3;
kernel void slow(global uint *out) {
  uint x = get_global_id(0);
  for (int i = 0; i < 200; i++) x = x * 1664525 + 1013904223;
  atomic_inc(&count);
  out[get_global_id(0)] = x;
}
kernel void look(global uint *out) { out[0] = count; }
`
	ctx := context.Background()
	for _, target := range []string{simtc.AVX512, simtc.WASM} {
		if err := simtc.Available(target); err != nil {
			t.Logf("SKIPPED %s: %v", target, err)
			continue
		}
		p := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: target}, Std: "2.0"})
		slow, err := p.Kernel("slow")
		require.NoError(t, err)
		look, err := p.Kernel("look")
		require.NoError(t, err)
		count := func() uint32 {
			seen := make([]uint32, 1)
			require.NoError(t, look.Launch(ctx, simtc.NDRange(1), seen))
			return seen[0]
		}
		const n = 1 << 14
		out := make([]uint32, n)
		require.NoError(t, slow.Tune(ctx, 200*time.Millisecond, simtc.NDRange(n), out))
		require.EqualValues(t, 3, count(), target)
		require.Equal(t, make([]uint32, n), out)
		for range 20 {
			require.NoError(t, slow.Launch(ctx, simtc.NDRange(n), out))
		}
		require.EqualValues(t, 3+20*n, count(), target)
	}
}

// TestVariablesOfConcurrentLaunches checks that launches of kernels that use variables take turns, that
// waiting ones end with their context, and that kernels without variables do not wait.
func TestVariablesOfConcurrentLaunches(t *testing.T) {
	ctx := context.Background()
	for _, target := range []string{simtc.VIR, simtc.WASM, simtc.AVX512} {
		if err := simtc.Available(target); err != nil {
			t.Logf("SKIPPED %s: %v", target, err)
			continue
		}
		p := compile(t, counting+`
kernel void forever(global int *out) { while (list[0] == 1) out[1] = total; }`, simtc.Options{Strategy: simtc.Strategy{Target: target, Width: 4}, Std: "2.0"})
		kernelOf := func(name string) *simtc.Kernel {
			k, err := p.Kernel(name)
			require.NoError(t, err)
			return k
		}
		var wg sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			wg.Add(1)
			go func() {
				defer wg.Done()
				errs[i] = kernelOf("add").Launch(ctx, simtc.NDRange(100), make([]int32, 100))
			}()
		}
		wg.Wait()
		require.NoError(t, errors.Join(errs...))
		seen := make([]int32, 4)
		require.NoError(t, p.Reset(ctx))
		for range 3 {
			require.NoError(t, kernelOf("add").Launch(ctx, simtc.NDRange(100), make([]int32, 100)))
		}
		require.NoError(t, kernelOf("look").Launch(ctx, simtc.NDRange(1), seen))
		require.Equal(t, []int32{305, 600, 'd', 3}, seen, target)

		endless, stop := context.WithCancel(ctx)
		started, ended := make(chan struct{}), make(chan error, 1)
		go func() {
			close(started)
			ended <- kernelOf("forever").Launch(endless, simtc.NDRange(1), make([]int32, 2))
		}()
		<-started
		var stopped *simtc.Stopped
		require.Eventually(t, func() bool { // a busy machine may not start the launch in time
			soon, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
			defer cancel()
			return errors.As(kernelOf("look").Launch(soon, simtc.NDRange(1), seen), &stopped)
		}, 20*time.Second, time.Millisecond)
		out := make([]int32, 10)
		require.NoError(t, kernelOf("none").Launch(ctx, simtc.NDRange(10), out))
		require.Equal(t, []int32{7, 7, 7, 7, 7, 7, 7, 7, 7, 7}, out)
		soon, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		require.ErrorIs(t, p.Reset(soon), context.DeadlineExceeded)
		cancel()
		stop()
		require.ErrorAs(t, <-ended, &stopped)
		require.NoError(t, kernelOf("look").Launch(ctx, simtc.NDRange(1), seen))
		require.Equal(t, []int32{305, 600, 'd', 3}, seen, target)
	}
}

// TestVariablesInText checks that kernel IR has variables, and that programs parsed from it behave alike.
func TestVariablesInText(t *testing.T) {
	ctx := context.Background()
	p := compile(t, counting, simtc.Options{Std: "2.0"})
	text, err := p.Emit("kernel")
	require.NoError(t, err)
	again := compile(t, string(text), simtc.Options{File: "k.simt"})
	printed, err := again.Emit("kernel")
	require.NoError(t, err)
	require.Equal(t, string(text), string(printed))
	add, err := again.Kernel("add")
	require.NoError(t, err)
	look, err := again.Kernel("look")
	require.NoError(t, err)
	require.Len(t, look.Params(), 1)
	require.NoError(t, add.Launch(ctx, simtc.NDRange(10), make([]int32, 10)))
	seen := make([]int32, 4)
	require.NoError(t, look.Launch(ctx, simtc.NDRange(1), seen))
	require.Equal(t, []int32{15, 20, 'b', 1}, seen)
}

// TestVariablesInOutput checks that objects and modules contain the variables with their initial values.
func TestVariablesInOutput(t *testing.T) {
	p := compile(t, counting, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512, Width: 1}, Std: "2.0"})
	object, err := p.Emit("obj")
	require.NoError(t, err)
	file, err := elf.NewFile(bytes.NewReader(object))
	require.NoError(t, err)
	section := file.Section(".data")
	require.Equal(t, elf.SHF_ALLOC|elf.SHF_WRITE, section.Flags)
	contents, err := section.Data()
	require.NoError(t, err)
	symbols, err := file.Symbols()
	require.NoError(t, err)
	found := 0
	var begin uint64
	for _, s := range symbols {
		if name := strings.TrimPrefix(s.Name, "__simtc_variables_"); name != s.Name {
			found++
			begin = s.Value
			require.Equal(t, file.Sections[s.Section], section)
			require.Equal(t, section.Size, s.Value+s.Size)
			require.EqualValues(t, 5, binary.LittleEndian.Uint32(contents[s.Value:]))
		}
	}
	require.Equal(t, len(p.Kernels()), found)

	wat, err := p.Emit("wat")
	require.NoError(t, err)
	_, text, ok := strings.Cut(string(wat), `;; custom section "simtc.data": `)
	require.True(t, ok)
	text, _, _ = strings.Cut(text, "\n")
	var data struct {
		Bytes     []byte
		Addresses []int
		Variables int
	}
	require.NoError(t, json.Unmarshal([]byte(text), &data))
	require.EqualValues(t, begin, data.Variables)
	require.EqualValues(t, 5, binary.LittleEndian.Uint32(data.Bytes[data.Variables:]))
	require.Contains(t, data.Addresses, data.Variables+8, "where points to total")
	require.EqualValues(t, data.Variables, binary.LittleEndian.Uint64(data.Bytes[data.Variables+8:]))
}

// TestVariablesErrors are programs whose variables the language does not allow.
func TestVariablesErrors(t *testing.T) {
	for _, c := range []struct{ std, source, want string }{
		{"1.2", "int n;", "1:5: program-scope variable 'n' must be __constant or const before OpenCL C 2.0 (-cl-std=CL2.0)"},
		{"1.2", "__global int n;", "1:14: program-scope variable 'n' cannot be in __global before OpenCL C 2.0 (-cl-std=CL2.0), only in __constant"},
		{"1.2", "void f(void) { static int n; }", "1:27: static variable 'n' must be __constant or const before OpenCL C 2.0 (-cl-std=CL2.0)"},
		{"1.2", "const int n;", "1:11: __constant variable 'n' needs an initializer"},
		{"2.0", "__local int n;", "1:13: program-scope variable 'n' cannot be in __local, only in __global or __constant"},
		{"2.0", "__private int n;", "1:15: program-scope variable 'n' cannot be in __private, only in __global or __constant"},
		{"2.0", "void f(void) { static __local int n; }", "1:35: static variable 'n' cannot be in __local, only in __global or __constant"},
		{"2.0", "void f(void) { __global int n; }", "1:29: a variable of a function cannot be in __global"},
		{"2.0", "void f(int m) { static int n = m; }", "1:32: the initializer of 'n' is not a constant"},
		{"2.0", "int m = 3; int n = m;", "1:20: the initializer of 'n' is not a constant"},
		{"2.0", "int m; int n = 1; int n = 2;", "1:23: 'n' is defined twice"},
		{"3.0", "image2d_t n;", "1:11: variable 'n' cannot have type 'image2d_t': only parameters can be images"},
		{"2.0", "char n[1 << 28]; char m[1];", "1:23: 'm' and the variables before it have more than 268435456 bytes, which is not supported"},
		{"2.0", "extern int n; kernel void g(global int *p) { p[0] = n; }", "1:12: 'n' is declared extern but never defined"},
	} {
		_, err := simtc.Compile(c.source+"\nkernel void k(global int *p) { p[0] = 1; }", simtc.Options{Std: c.std, File: "in.cl"})
		require.Error(t, err, c.source)
		require.True(t, strings.HasPrefix(err.Error(), "in.cl:"+c.want), "%s\n got %v\nwant %s", c.source, err, c.want)
	}
}

// TestLargeVariableIsOneError checks that uses of a variable that is too large cause no more errors.
func TestLargeVariableIsOneError(t *testing.T) {
	_, err := simtc.Compile("char n[1 << 29]; char m; kernel void k(global int *p) { n[0] = m; }", simtc.Options{Std: "2.0", File: "in.cl"})
	require.ErrorContains(t, err, "'n' and the variables before it have more than")
	require.NotContains(t, err.Error(), "never defined")
}

// TestConstVariablesBefore20 checks that const variables with constant values are accepted in all
// versions, at program scope and static in functions.
func TestConstVariablesBefore20(t *testing.T) {
	const source = `
const int top[3] = { 4, 5, 6 };
const int scale = 2;
int prime(int i) { static const int primes[3] = { 2, 3, 5 }; return primes[i % 3] * scale; }
kernel void k(global int *out) { int i = get_global_id(0); out[i] = prime(i) + top[i % 3]; }
`
	for _, std := range []string{"1.0", "1.2", "2.0", "3.0"} {
		p := compile(t, source, simtc.Options{Std: std})
		k, err := p.Kernel("k")
		require.NoError(t, err)
		for _, w := range waysOf(t) {
			v, err := k.With(w)
			require.NoError(t, err)
			out := make([]int32, 5)
			require.NoError(t, v.Launch(context.Background(), simtc.NDRange(5), out))
			require.Equal(t, []int32{8, 11, 16, 8, 11}, out, fmt.Sprint(std, " ", w))
		}
	}
}
