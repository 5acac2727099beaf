package utest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/launch/wasmhost/defaulthost"
	"github.com/simtc/simtc/launch/wasmhost/wazerohost"
	wasmsimd "github.com/simtc/simtc/targets/wasm-simd"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/utest/runfile"
	"github.com/simtc/simtc/vir"
)

// portableWidth is the width of the emitted modules: two vectors of 32-bit lanes.
const portableWidth = 8

// emitted is one run line compiled to a WebAssembly file.
type emitted struct {
	id     string // the source's name and the linearizer
	run    *testRun
	kernel string
	code   []byte
	image  *image
	shared bool // the module imports a shared memory
}

// modules caches the results of emit by path, as the tests of several engines use the
// same modules.
var modules sync.Map

// emit compiles the first run line of a source like "simtc compile --emit wasm", with
// each linearizer that accepts the kernel.
func emit(t *testing.T, path string) (all []*emitted) {
	if made, ok := modules.Load(path); ok {
		return made.([]*emitted)
	}
	all = emitFirst(t, path)
	modules.Store(path, all)
	return all
}

func emitFirst(t *testing.T, path string) (all []*emitted) {
	f, err := runfile.Read(path)
	require.NoError(t, err)
	r, err := readRun(path, f.Runs[0])
	require.NoError(t, err)
	if r.hasImages() {
		return nil // only a launch can describe images
	}
	p, err := simtc.Compile(f.Source, r.opt)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	one, err := p.Kernel(r.kernel)
	require.NoError(t, err)
	ways, err := one.Strategies(simtc.WASM)
	require.NoError(t, err)
	if knowsSubGroups(t, one) { // whose results are those of the width
		reference, err := one.With(simtc.Strategy{Target: simtc.Interpreter, Width: portableWidth})
		require.NoError(t, err)
		buffers, err := r.launch(t, reference, betweenPatterns)
		require.NoError(t, err)
		r = r.withSums(buffers)
	}
	for _, way := range ways {
		if way.Width != portableWidth {
			continue
		}
		k, err := one.With(way)
		require.NoError(t, err)
		code, err := k.Emit("wasm")
		if way.Lanes == simtc.Iterations && err != nil {
			// Emitted code knows neither the sizes of buffers nor whether they overlap.
			require.Regexp(t, "does not know the sizes of buffers|at an unknown distance", err.Error())
			continue
		}
		require.NoError(t, err)
		m, err := newImage(k, r)
		require.NoError(t, err)
		all = append(all, &emitted{id: name(path) + " " + way.Linearizer, run: r, kernel: k.Name(), code: code, image: m})
	}
	return all
}

// portable lists the sources whose modules are run in engines other than that of
// launches: one in five, and all in long tests.
func portable(t *testing.T) (paths []string) {
	for i, path := range append(sources(t, "../examples/*.cl"), sources(t, "kernels/*.cl")...) {
		if i%5 == 0 || *long {
			paths = append(paths, path)
		}
	}
	return paths
}

// on runs the module in an engine.
func (e *emitted) on(h wasmhost.Host) (results [][]byte, err error) {
	module, err := h.Compile(e.code)
	if err != nil {
		return nil, err
	}
	defer module.Close()
	memory, err := h.NewMemory(wasmhost.MemoryType{Min: e.image.pages(), Max: wasm.MaxPages, Shared: e.shared})
	if err != nil {
		return nil, err
	}
	defer memory.Close()
	instance, err := module.Instantiate(memory)
	if err != nil {
		return nil, err
	}
	defer instance.Close()
	call, err := instance.Func(e.kernel)
	if err != nil {
		return nil, err
	}
	copy(memory.Bytes(), e.image.bytes)
	for _, c := range e.image.contexts {
		if err := call.Call(c); err != nil {
			return nil, err
		}
	}
	for _, b := range e.image.results(memory.Bytes()) {
		results = append(results, append([]byte(nil), b...))
	}
	return results, nil
}

// TestEmittedModules checks that the emitted file runs in every engine of this build,
// with only a memory to import.
func TestEmittedModules(t *testing.T) {
	hosts := []wasmhost.Host{wazerohost.New()}
	if h := defaulthost.New(); h.Name() != hosts[0].Name() {
		hosts = append(hosts, h)
	}
	for _, path := range portable(t) {
		t.Run(name(path), func(t *testing.T) {
			t.Parallel()
			for _, e := range emit(t, path) {
				for _, h := range hosts {
					t.Run(e.id+" "+h.Name(), func(t *testing.T) {
						results, err := e.on(h)
						require.NoError(t, err)
						require.NoError(t, e.run.verify(results, nil))
					})
				}
			}
		})
	}
}

// yieldingKernels are run in wazero in the form used by launches: with calls to the host
// in every loop, so that all values are live across calls. wazero miscompiled some of
// them.
var yieldingKernels = []string{
	"constant_tables", "nqueens", "determinant", "goto_machine", "private_divergent_index", "float_common", "sha256",
	"heap_sort", "long_math", "convert_floats", "switch_nested", "bytecode",
}

// TestYieldingModules runs the modules that call the host in wazero.
func TestYieldingModules(t *testing.T) {
	for _, id := range yieldingKernels {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			f, err := runfile.Read("kernels/" + id + ".cl")
			require.NoError(t, err)
			r, err := readRun(f.Path, f.Runs[0])
			require.NoError(t, err)
			p, err := simtc.Compile(f.Source, r.opt)
			require.NoError(t, err)
			defer p.Close()
			one, err := p.Kernel(r.kernel)
			require.NoError(t, err)
			for i, w := range simtc.Widths(simtc.WASM) {
				if (i+turn(id))%2 != 0 && !*long {
					continue
				}
				t.Run(fmt.Sprint(w), func(t *testing.T) {
					k, err := one.With(simtc.Strategy{Target: simtc.WASM, Width: w})
					require.NoError(t, err)
					text, err := k.Emit("vir")
					require.NoError(t, err)
					vector, err := vir.Parse(id+".vir", string(text))
					require.NoError(t, err)
					m, err := wasmsimd.Compile([]*vir.Func{vector}, wasmsimd.Options{Shared: true, Yield: true})
					require.NoError(t, err)
					img, err := newImage(k, r)
					require.NoError(t, err)
					e := emitted{id: id, run: r, kernel: k.Name(), code: m.Encode(), image: img, shared: true}
					results, err := e.on(wazerohost.New())
					require.NoError(t, err)
					require.NoError(t, r.verify(results, nil))
				})
			}
		})
	}
}

// nodeKernels are always run in Node.js, whose engine is that of a browser. Together they
// use all encodings that a module may contain.
var nodeKernels = []string{
	"kernels/collatz.cl", "kernels/irreducible_three.cl", "kernels/mandelbrot_double.cl", "kernels/int_builtins_long.cl",
	"kernels/vec_bytes.cl", "kernels/float_common.cl", "kernels/private_structs.cl", "kernels/ids_3d.cl", "kernels/crc32.cl",
	"kernels/convert_floats.cl", "kernels/small_ints.cl", "../examples/nqueens.cl", "../examples/sha256.cl", "../examples/saxpy.cl",
}

// TestNode runs emitted modules in Node.js, if there is one with SIMD.
func TestNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		skip(t, "no node on this machine: modules were not run in its engine")
	}
	type job struct {
		Module   string   `json:"module"`
		Kernel   string   `json:"kernel"`
		Image    string   `json:"image"`
		Pages    uint32   `json:"pages"`
		Contexts []uint32 `json:"contexts"`
		Out      string   `json:"out"`

		ABI map[string]int `json:"abi"`
	}
	dir := t.TempDir()
	var jobs []job
	var all []*emitted
	paths := portable(t)
	for _, path := range nodeKernels {
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	for _, path := range paths {
		for _, e := range emit(t, path) {
			base := filepath.Join(dir, fmt.Sprint(len(jobs)))
			j := job{base + ".wasm", e.kernel, base + ".image", e.image.pages(), e.image.contexts, base + ".out", e.image.abi}
			require.NoError(t, os.WriteFile(j.Module, e.code, 0o666))
			require.NoError(t, os.WriteFile(j.Image, e.image.bytes, 0o666))
			jobs, all = append(jobs, j), append(all, e)
		}
	}
	list, err := json.Marshal(jobs)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "jobs.json"), list, 0o666))

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	output, err := exec.CommandContext(ctx, node, "testdata/run.mjs", filepath.Join(dir, "jobs.json")).CombinedOutput()
	require.NoError(t, err, "%s", output)
	for i, e := range all {
		t.Run(e.id, func(t *testing.T) {
			memory, err := os.ReadFile(jobs[i].Out)
			require.NoError(t, err)
			require.NoError(t, e.run.verify(e.image.results(memory), nil))
		})
	}
}

// TestWholeProgramModule checks that a module made of all kernels of a source exports
// each of them and loads in every engine.
func TestWholeProgramModule(t *testing.T) {
	p, err := simtc.Compile(rangeKernels, simtc.Options{Strategy: simtc.Strategy{Target: simtc.WASM}})
	require.NoError(t, err)
	defer p.Close()
	code, err := p.Emit("wasm")
	require.NoError(t, err)
	for _, h := range []wasmhost.Host{wazerohost.New(), defaulthost.New()} {
		module, err := h.Compile(code)
		require.NoError(t, err)
		memory, err := h.NewMemory(wasmhost.MemoryType{Min: 4, Max: wasm.MaxPages})
		require.NoError(t, err)
		instance, err := module.Instantiate(memory)
		require.NoError(t, err)
		for _, k := range p.Kernels() {
			_, err := instance.Func(k.Name())
			require.NoError(t, err, fmt.Sprintf("%s in %s", k.Name(), h.Name()))
		}
		require.NoError(t, instance.Close())
		require.NoError(t, memory.Close())
		require.NoError(t, module.Close())
	}
}

// TestFence checks that the inaccessible pages around buffers stop native code; otherwise
// the tests that use them would prove nothing.
func TestFence(t *testing.T) {
	need(t, simtc.AVX512)
	p, err := simtc.Compile("__kernel void over(__global int *out, int by) { out[get_global_id(0) + by] = 1; }\n", simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512}, Debug: simtc.Debug{EmulateMissing: true}})
	require.NoError(t, err)
	defer p.Close()
	k := p.Kernels()[0]
	for _, c := range []struct {
		front bool
		by    int
	}{{false, 1}, {true, -1}} {
		for by, fails := range map[int]bool{0: false, c.by: true} {
			out := fenced(t, make([]byte, 4*1000), c.front)
			err := k.Launch(context.Background(), simtc.NDRange(1000), simtc.Buffer(out), by)
			require.Equal(t, fails, err != nil, "front %v, by %d: %v", c.front, by, err)
		}
	}
}
