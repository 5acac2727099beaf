package utest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/internal/ndarg"
	_ "github.com/simtc/simtc/internal/testgc"
	"github.com/simtc/simtc/utest/runfile"
)

var (
	long   = flag.Bool("long", false, "test every width of the vector IR's interpreter, and more random and truncated programs")
	noskip = flag.Bool("noskip", false, "fail instead of skipping tests that this machine does not support")
)

// runTimeout ends a run that hangs, so that the others can finish.
const runTimeout = 60 * time.Second

// skipped counts the skipped tests by reason.
var skipped struct {
	sync.Mutex
	count map[string]int
}

// skip skips a test because of a missing feature of this machine. TestMain lists the
// reasons at the end (go test shows them with -v or in the package's folder), so that
// skipped tests are not mistaken for successful ones.
func skip(t testing.TB, reason string) {
	t.Helper()
	skipped.Lock()
	if skipped.count == nil {
		skipped.count = map[string]int{}
	}
	skipped.count[reason]++
	skipped.Unlock()
	if *noskip {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

func TestMain(m *testing.M) {
	flag.Parse()
	status := m.Run()
	reasons := make([]string, 0, len(skipped.count))
	for r := range skipped.count {
		reasons = append(reasons, r)
	}
	slices.Sort(reasons)
	for _, r := range reasons {
		fmt.Printf("NOT TESTED: %d tests were skipped: %s\n", skipped.count[r], r)
	}
	os.Exit(status)
}

// ways returns all strategies for a kernel, except the interpreter; slow ones only for a
// few widths unless all is set. One width has every bypass mode, another uses the mode
// chosen by the plan; at the other widths the modes alternate from kernel to kernel, as
// the plan chooses among all of them. For WebAssembly the first width has one mode too,
// in turn.
func ways(t *testing.T, k *simtc.Kernel, all bool) []simtc.Strategy {
	var out []simtc.Strategy
	for _, target := range simtc.Targets() {
		if target == simtc.Interpreter {
			continue
		}
		ws, err := k.Strategies(target)
		require.NoError(t, err)
		for _, w := range ws {
			if target == simtc.VIR && !all && w.Width != 4 && w.Width != 32 {
				continue
			}
			bypasses := []string{simtc.BypassZeros, simtc.BypassBoth, simtc.BypassNone, simtc.BypassOnes, simtc.BypassAll}
			if w.Width > 1 && w.Width != 8 && w.Width != 16 && !all {
				w.Bypass = bypasses[(len(k.Name())+len(out))%len(bypasses)]
			}
			out = append(out, w)
			if w.Width == 8 || all && w.Width > 1 {
				others := []simtc.Strategy{{Bypass: simtc.BypassFold}, {Divergence: simtc.Defer}, {Divergence: simtc.Refill}}
				if w.Linearizer == simtc.Partial {
					others = append([]simtc.Strategy{{Bypass: simtc.BypassNone}, {Bypass: simtc.BypassOnes}, {Bypass: simtc.BypassAll}}, others...)
				}
				if target == simtc.WASM && !all { // loading a module takes most of the time
					i := len(k.Name()) % len(others)
					others = others[i : i+1]
				}
				for _, o := range others {
					w.Bypass, w.Divergence = o.Bypass, o.Divergence
					out = append(out, w)
				}
			}
		}
	}
	return out
}

// need skips the test if kernels for the target cannot run here.
func need(t testing.TB, target string) {
	t.Helper()
	if err := simtc.Available(target); !runsHere(target) {
		skip(t, err.Error())
	}
}

// testRun is a parsed run line.
type testRun struct {
	kernel string
	rng    simtc.Range
	opt    simtc.Options
	specs  []ndarg.Arg
	fills  [][]byte // the initial contents of the buffers, by argument
	sums   []runfile.Sum
}

func readRun(path string, r *runfile.Run) (*testRun, error) {
	var global, local, offset string
	// The processor compiled for depends on the file, not on the machine that runs the
	// tests.
	processors := simtc.Processors()
	processor := processors[len(path)%len(processors)]
	out := &testRun{opt: simtc.Options{Debug: simtc.Debug{EmulateMissing: true}, File: path, Processor: processor}, sums: r.Sums}
	f := pflag.NewFlagSet("run", pflag.ContinueOnError)
	f.StringVarP(&out.kernel, "kernel", "k", "", "")
	f.StringVarP(&global, "global", "g", "", "")
	f.StringVarP(&local, "local", "l", "", "")
	f.StringVar(&offset, "offset", "", "")
	f.StringArrayVarP(&out.opt.Defines, "define", "D", nil, "")
	f.StringVar(&out.opt.Std, "cl-std", "", "")
	if err := f.Parse(r.Words); err != nil {
		return nil, err
	}
	dims := [3][]uint64{}
	for i, text := range []string{global, local, offset} {
		if text == "" {
			continue
		}
		var err error
		if dims[i], err = ndarg.ParseDims(text); err != nil {
			return nil, err
		}
	}
	out.rng = simtc.NDRange(dims[0]...).WithLocal(dims[1]...).WithOffset(dims[2]...)
	var err error
	if out.specs, err = ndarg.ParseArgs(f.Args()); err != nil {
		return nil, err
	}
	out.fills = make([][]byte, len(out.specs))
	for i := range out.specs {
		if k := out.specs[i].Kind; k == ndarg.Buffer || k == ndarg.Image {
			if out.fills[i], err = out.specs[i].New(); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// guard is the size in bytes of the pattern before and after a buffer.
const guard = 128

// aligned returns memory for guarded.
func aligned(n int) []byte { return alignedBytes(n, 2*guard) }

// guarded makes a copy of b for use as a kernel's buffer. It is aligned for elements of
// size bytes and no better, and lies between bytes that must not change.
func guarded(b []byte, size int, alloc func(int) []byte) (buffer []byte, check func() error) {
	all := alloc(len(b) + 4*guard)
	start := guard
	if size < guard {
		start += size
	}
	for i := range all {
		all[i] = 0xA5
	}
	buffer = all[start : start+len(b) : start+len(b)]
	copy(buffer, b)
	return buffer, func() error {
		for i, x := range all {
			if x != 0xA5 && (i < start || i >= start+len(b)) {
				return fmt.Errorf("byte %d outside of the buffer of %d bytes was written", i-start, len(b))
			}
		}
		return nil
	}
}

// place is the kind of memory for buffers.
type place uint8

const (
	betweenPatterns place = iota // surrounded by bytes that must not change
	beforeFence                  // ends at an inaccessible page
	afterFence                   // begins after an inaccessible page
	inEngine                     // like betweenPatterns, in memory of the program's engine, which launches do not copy
)

// launch runs the kernel on fresh buffers and variables and returns the buffers.
func (r *testRun) launch(t testing.TB, k *simtc.Kernel, where place) ([][]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), runTimeout)
	defer cancel()
	buffers := make([][]byte, len(r.specs))
	args := make([]any, len(r.specs))
	var checks []func() error
	for i := range r.specs {
		switch a := &r.specs[i]; a.Kind {
		case ndarg.Buffer, ndarg.Image:
			switch where {
			case betweenPatterns, inEngine:
				alloc := aligned
				if where == inEngine {
					alloc = func(n int) []byte {
						b, err := k.Alloc(n)
						require.NoError(t, err)
						t.Cleanup(func() { k.Free(b) })
						return b
					}
				}
				b, check := guarded(r.fills[i], a.Type.Size(), alloc)
				buffers[i] = b
				checks = append(checks, check)
			default:
				buffers[i] = fenced(t, r.fills[i], where == afterFence)
			}
			args[i] = simtc.Buffer(buffers[i])
			if a.Kind == ndarg.Image {
				args[i] = imageArg(&a.Image, buffers[i])
			}
		case ndarg.Local:
			args[i] = simtc.LocalMemory(a.Bytes)
		default:
			args[i] = simtc.Bytes(a.Value)
		}
	}
	if err := k.Program().Reset(ctx); err != nil {
		return nil, err
	}
	if err := k.Launch(ctx, r.rng, args...); err != nil {
		return nil, err
	}
	for _, check := range checks {
		if err := check(); err != nil {
			return nil, err
		}
	}
	return buffers, nil
}

// imageArg returns the image im with texels b.
func imageArg(im *ndarg.ImageSpec, b []byte) simtc.Arg {
	return simtc.ImageArg(simtc.Image{
		Width: im.Width, Height: im.Height, Depth: im.Depth, ArraySize: im.Layers, Order: im.Format.Order, Type: im.Format.Type, Data: b,
	})
}

// hasImages reports whether an argument is an image.
func (r *testRun) hasImages() bool {
	return slices.ContainsFunc(r.specs, func(a ndarg.Arg) bool { return a.Kind == ndarg.Image })
}

// verify compares the buffers with the checksums. If they differ, the message shows the
// first element that differs from the interpreter's result.
func (r *testRun) verify(buffers, reference [][]byte) error {
	var wrong []string
	for _, s := range r.sums {
		got := ndarg.FormatHash(ndarg.Hash(buffers[s.Arg]))
		if got == s.Hash {
			continue
		}
		message := fmt.Sprintf("arg%d: checksum %s, want %s", s.Arg, got, s.Hash)
		if reference != nil {
			e := r.specs[s.Arg].Type.Elem
			if at, differs := ndarg.Difference(buffers[s.Arg], reference[s.Arg], e); differs {
				p := at * e.Size()
				message += fmt.Sprintf("; element %d is %s and with the interpreter %s", at, e.Format(buffers[s.Arg][p:]), e.Format(reference[s.Arg][p:]))
			} else {
				message += "; only bits of NaNs differ from the interpreter's"
			}
		}
		wrong = append(wrong, message)
	}
	if wrong != nil {
		return fmt.Errorf("%s", strings.Join(wrong, "\n"))
	}
	return nil
}

// sources returns the files that match pattern, sorted.
func sources(t testing.TB, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, paths, "no %s", pattern)
	return paths
}

// name returns the base name of a file without its extension.
func name(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

// alignedBytes returns n zero bytes at an address that is a multiple of align.
func alignedBytes(n, align int) []byte {
	b := make([]byte, n+align)
	return b[(align-int(addressOf(b)%uintptr(align)))%align:][:n]
}
