package clc_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/memory"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/kernel/interp"
	"github.com/simtc/simtc/utest/runfile"
)

// argument is one argument of a run line: a value or a buffer.
type argument struct {
	value  []byte
	buffer []byte
	addr   uint64
	local  int // bytes of __local memory
}

var vectorName = regexp.MustCompile(`^([a-z]+?)(\d*)$`)

func elemOf(name string) (*types.Scalar, int, error) {
	m := vectorName.FindStringSubmatch(name)
	if m == nil {
		return nil, 0, fmt.Errorf("bad type %q", name)
	}
	s, _ := types.ByName(m[1]).(*types.Scalar)
	if s == nil {
		return nil, 0, fmt.Errorf("bad type %q", name)
	}
	n := 1
	if m[2] != "" {
		n, _ = strconv.Atoi(m[2])
	}
	return s, n, nil
}

// put stores the number f (or the integer i for integer types) in b.
func put(b []byte, s *types.Scalar, i int64, f float64) {
	switch s {
	case types.Float:
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(f)))
	case types.Double:
		binary.LittleEndian.PutUint64(b, math.Float64bits(f))
	default:
		for k := range s.Size() {
			b[k] = byte(i >> (8 * k))
		}
	}
}

type lcg uint64

func (s *lcg) draw() uint32 {
	*s = *s*6364136223846793005 + 1442695040888963407
	return uint32(*s >> 32)
}

func parseArgument(word string) (*argument, error) {
	f := strings.Split(word, ":")
	if f[0] != "b" {
		if f[0] == "local" && len(f) == 2 {
			n, err := strconv.Atoi(f[1])
			return &argument{local: n}, err
		}
		s, n, err := elemOf(f[0])
		if err != nil || len(f) < 2 {
			return nil, fmt.Errorf("bad argument %q", word)
		}
		size := int(s.Size())
		a := &argument{value: make([]byte, size*max(n, n/3*4*(n%2)))}
		for i, v := range strings.Split(f[1], ",") {
			fl, _ := strconv.ParseFloat(v, 64)
			in, err := strconv.ParseInt(v, 0, 64)
			if u, uerr := strconv.ParseUint(v, 0, 64); err != nil && uerr == nil {
				in = int64(u)
			}
			put(a.value[i*size:], s, in, fl)
		}
		return a, nil
	}
	s, n, err := elemOf(f[1])
	if err != nil {
		return nil, err
	}
	if n == 3 {
		n = 4
	}
	count := 1
	for _, p := range strings.Split(f[2], "*") {
		k, err := strconv.Atoi(p)
		if err != nil {
			return nil, err
		}
		count *= k
	}
	size := int(s.Size())
	a := &argument{buffer: make([]byte, count*n*size)}
	if len(f) < 4 {
		return a, nil
	}
	kind, rest, _ := strings.Cut(f[3], ",")
	var p []number
	for _, w := range strings.Split(rest, ",") {
		var v number
		v.f, _ = strconv.ParseFloat(w, 64)
		if v.i, err = strconv.ParseInt(w, 0, 64); err != nil {
			v.i = int64(v.f)
		}
		p = append(p, v)
	}
	return a, a.fill(kind, rest, p, s)
}

// number is a parameter of a fill, as an integer and as a real number.
type number struct {
	i int64
	f float64
}

func (a *argument) fill(kind, rest string, p []number, s *types.Scalar) error {
	size := int(s.Size())
	if kind == "file" {
		data, err := os.ReadFile(rest)
		copy(a.buffer, data)
		return err
	}
	seed := lcg(p[0].i)
	for i := range len(a.buffer) / size {
		b := a.buffer[i*size:]
		switch kind {
		case "", "zero":
			return nil
		case "const":
			put(b, s, p[0].i, p[0].f)
		case "index":
			x := number{int64(i), float64(i)}
			if rest != "" {
				x = number{x.i * p[0].i, x.f * p[0].f}
			}
			if len(p) > 1 {
				x = number{x.i + p[1].i, x.f + p[1].f}
			}
			put(b, s, x.i, x.f)
		case "str":
			b[0] = rest[i%len(rest)]
		case "rand":
			a.random(b, &seed, p, s)
		default:
			return fmt.Errorf("unknown fill %q", kind)
		}
	}
	return nil
}

func (a *argument) random(b []byte, seed *lcg, p []number, s *types.Scalar) {
	r := seed.draw()
	switch {
	case s.IsFloat():
		u := float64(r>>8) * 0x1p-24
		if s == types.Double {
			u = float64(r) * 0x1p-32
		}
		if len(p) == 3 {
			u = p[1].f + (p[2].f-p[1].f)*u
		}
		put(b, s, 0, u)
	case len(p) == 3:
		lo, hi := p[1].i, p[2].i
		put(b, s, lo+int64(r)%(hi-lo+1), 0)
	case s.Size() == 8:
		put(b, s, int64(uint64(r)<<32|uint64(seed.draw())), 0)
	default:
		put(b, s, int64(r), 0)
	}
}

func dims(s string) (d [3]uint64) {
	for i, w := range strings.Split(s, ",") {
		if i < 3 {
			d[i], _ = strconv.ParseUint(w, 10, 64)
		}
	}
	return d
}

// interpret executes one run line on f in the interpreter.
func interpret(f *kernel.Func, r *runfile.Run) ([]*argument, error) {
	l := interp.Launch{Memory: &memory.Space{}, MaxSteps: 50_000_000}
	l.Global, l.Local, l.Offset = dims(r.Flag("-g")), dims(r.Flag("-l")), dims(r.Flag("--offset"))
	l.Dims = 1 + strings.Count(r.Flag("-g"), ",")
	var args []*argument
	for i := 0; i < len(r.Words); i++ {
		if strings.HasPrefix(r.Words[i], "-") {
			i++
			continue
		}
		a, err := parseArgument(r.Words[i])
		if err != nil {
			return nil, err
		}
		args = append(args, a)
	}
	if n := f.ParamCount(); len(args) != n {
		return nil, fmt.Errorf("%d arguments for %d parameters", len(args), n)
	}
	l.Args, l.LocalSize = make([]byte, f.ArgBlockSize()), f.LocalSize()
	for i, a := range args {
		at := l.Args[f.Args[i].Offset:]
		switch {
		case a.local > 0:
			start := (l.LocalSize + 127) &^ 127
			binary.LittleEndian.PutUint64(at, uint64(start))
			l.LocalSize = start + a.local
		case a.buffer != nil:
			a.addr = l.Memory.Add(a.buffer)
			binary.LittleEndian.PutUint64(at, a.addr)
		default:
			copy(at, a.value)
		}
	}
	if i := f.VariablesArg(); i >= 0 {
		variables := slices.Clone(f.Data[0].Bytes)
		addr := l.Memory.Add(variables)
		binary.LittleEndian.PutUint64(l.Args[f.Args[i].Offset:], addr)
		l.Data = kernel.Place(f.Data, addr, func(_ int, b []byte) uint64 { return l.Memory.Add(b) })
		for _, a := range f.Data[0].Addresses {
			binary.LittleEndian.PutUint64(variables[a.At:], l.Data[a.Data]+uint64(a.Plus))
		}
	}
	return args, interp.Run(context.Background(), f, l)
}

// TestRunLines executes every run line of the end-to-end kernels, and of those that
// compare built-in functions, in the interpreter. The checksums must equal those of the
// reference driver, or for testdata/clang those of code compiled by clang.
func TestRunLines(t *testing.T) {
	all := sources(t, filepath.Join("..", "utest", "kernels"))
	maps.Copy(all, sources(t, filepath.Join("testdata", "pocl")))
	maps.Copy(all, sources(t, filepath.Join("testdata", "clang")))
	for name, text := range all {
		t.Run(strings.TrimSuffix(name, ".cl"), func(t *testing.T) {
			t.Parallel()
			file, err := runfile.Parse(name, text)
			require.NoError(t, err)
			for _, r := range file.Runs {
				m, err := clc.Compile(name, text, clc.Options{Defines: defines(r), Std: r.Flag("--cl-std"), Include: includeFrom(filepath.Join("..", "utest", "kernels"))})
				require.NoError(t, err)
				for _, f := range m.Funcs {
					require.NoError(t, kernel.Verify(f))
				}
				f := find(m, r.Flag("-k"))
				require.NotNil(t, f)
				if slices.ContainsFunc(f.Args, func(a kernel.Arg) bool { return a.Kind == kernel.ArgImage }) {
					t.Skip("a launch describes images to kernels; package utest runs those")
				}
				args, err := interpret(f, r)
				require.NoError(t, err, "line %d", r.Line)
				for _, s := range r.Sums {
					if n := f.Args[s.Arg].Count; n == 3 {
						continue // the fourth component keeps the driver's contents
					}
					h := fnv.New64a()
					h.Write(args[s.Arg].buffer)
					require.Equal(t, s.Hash, fmt.Sprintf("%016x", h.Sum64()), "line %d, argument %d", r.Line, s.Arg)
				}
			}
		})
	}
}

func find(m *kernel.Module, name string) *kernel.Func {
	for _, f := range m.Funcs {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// defines returns the -D options of a run line.
func defines(r *runfile.Run) []string {
	var out []string
	for i, w := range r.Words {
		if w == "-D" && i+1 < len(r.Words) {
			out = append(out, r.Words[i+1])
		}
	}
	return out
}
