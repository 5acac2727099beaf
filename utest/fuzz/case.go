// Package fuzz generates random programs, runs them in all variants that the compiler
// has, and compares memory afterwards. There are eight generators: kernels as
// control-flow graphs of kernel IR, reducible or not; OpenCL C programs; searches; loops
// that store; loops with dependences between iterations; searches of private arrays; indices with
// intermediate overflow; and work-groups.
//
// All programs are functions of a seed, terminate on every input, have no data races and
// no undefined behaviour, so that all executors must agree bit for bit; only the payload
// and the sign of a NaN in memory may differ.
//
// The oracle is the interpreter of kernel IR on the generated or lowered code. Only tests
// and the command in this folder import the package.
package fuzz

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
)

// Case is a program with its inputs.
type Case struct {
	Seed    int64
	Kind    string   // cfg, reducible, program, search, loop, series, ask, wrap or opencl
	Source  string   // OpenCL C text of a program, empty for kernels made as IR
	Words   []string // a program's arguments, as package ndarg reads them
	Kernel  *kernel.Func
	Range   launch.Range
	Buffers []Buffer // by argument; Size 0 where the argument is a scalar
	Scalars [][]byte // by argument; nil where it is a buffer
	Locals  []int    // by argument: size of local memory in bytes, 0 for others; may be nil

	filled [][]byte // the initial contents, which Memory copies
}

// Buffer describes how the memory of one argument is filled and compared.
type Buffer struct {
	Size   int
	Fill   uint64       // seed of the random contents, 0 for zeros
	Floats []FloatRange // ranges that hold floats: all NaNs are equal there
}

// FloatRange is bytes [Lo, Hi) of a buffer, holding floats of one type.
type FloatRange struct {
	Lo, Hi int
	Type   alu.Type
}

// Memory returns new buffers with the initial contents.
func (c *Case) Memory() [][]byte {
	if c.filled == nil {
		c.filled = make([][]byte, len(c.Buffers))
		for i, b := range c.Buffers {
			c.filled[i] = make([]byte, b.Size)
			if b.Fill != 0 {
				fill(c.filled[i], b.Fill)
			}
		}
	}
	out := make([][]byte, len(c.Buffers))
	for i, b := range c.filled {
		out[i] = bytes.Clone(b)
	}
	return out
}

// fill writes 64-bit words whose halves and whole are interesting both as integers and as
// floats.
func fill(b []byte, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	word := func() uint64 {
		switch rng.IntN(4) {
		case 0:
			return uint64(rng.IntN(16))<<32 | uint64(rng.IntN(16))
		case 1:
			return uint64(math.Float32bits(float32(rng.NormFloat64()*8)))<<32 | uint64(math.Float32bits(float32(rng.NormFloat64())))
		case 2:
			return math.Float64bits(rng.NormFloat64() * 100)
		}
		return rng.Uint64()
	}
	var w [8]byte
	for i := 0; i < len(b); i += 8 {
		binary.LittleEndian.PutUint64(w[:], word())
		copy(b[i:], w[:])
	}
}

// Run launches the case on e and returns the resulting buffers.
func (c *Case) Run(ctx context.Context, e launch.Executor) ([][]byte, error) {
	return c.run(ctx, e, 1)
}

func (c *Case) run(ctx context.Context, e launch.Executor, threads int) ([][]byte, error) {
	mem := c.Memory()
	args := make([]launch.Arg, len(mem))
	for i := range args {
		if c.Locals != nil && c.Locals[i] > 0 {
			args[i] = launch.LocalMemory(c.Locals[i])
		} else if c.Scalars[i] != nil {
			args[i] = launch.Bytes(c.Scalars[i])
		} else {
			args[i] = launch.Buffer(mem[i])
		}
	}
	if err := e.Launch(ctx, c.Range, args, threads); err != nil {
		return nil, err
	}
	return mem, nil
}

// Compare returns an error that describes the first difference of two results.
func (c *Case) Compare(want, got [][]byte) error {
	for i, b := range c.Buffers {
		if bytes.Equal(want[i], got[i]) {
			continue
		}
		a, z := bytes.Clone(want[i]), bytes.Clone(got[i])
		for _, r := range b.Floats {
			canonNaNs(a[r.Lo:r.Hi], r.Type)
			canonNaNs(z[r.Lo:r.Hi], r.Type)
		}
		for at := range a {
			if a[at] != z[at] {
				lo := at &^ 7
				hi := min(lo+8, len(a))
				return fmt.Errorf("buffer %d differs at byte %d: want %x, got %x (bytes %d to %d)", i, at, a[lo:hi], z[lo:hi], lo, hi)
			}
		}
	}
	return nil
}

func canonNaNs(b []byte, t alu.Type) {
	for i := 0; i+t.Size() <= len(b); i += t.Size() {
		switch t {
		case alu.F16:
			if h := binary.LittleEndian.Uint16(b[i:]); h&0x7fff > 0x7c00 {
				binary.LittleEndian.PutUint16(b[i:], 0x7e00)
			}
		case alu.F32:
			if f := math.Float32frombits(binary.LittleEndian.Uint32(b[i:])); f != f {
				binary.LittleEndian.PutUint32(b[i:], 0x7fc00000)
			}
		case alu.F64:
			if f := math.Float64frombits(binary.LittleEndian.Uint64(b[i:])); f != f {
				binary.LittleEndian.PutUint64(b[i:], 0x7ff8<<48)
			}
		}
	}
}

// CaseOf makes a case of a given kernel over 37 work-items. Its buffers have 128 bytes per
// work-item, its scalars are the low bits of scalar.
func CaseOf(f *kernel.Func, scalar uint64) *Case {
	c := &Case{Kind: "cfg", Kernel: f, Range: launch.Of(37)}
	for i, a := range f.Args {
		if a.Kind == kernel.ArgBuffer {
			c.Buffers = append(c.Buffers, Buffer{Size: maxItems * ownStride, Fill: uint64(i) + 1})
			c.Scalars = append(c.Scalars, nil)
			continue
		}
		var b []byte
		for k := range a.Size {
			b = append(b, byte(scalar>>(8*k)))
		}
		c.Buffers, c.Scalars = append(c.Buffers, Buffer{}), append(c.Scalars, b)
	}
	return c
}

// Clone returns a deep copy of f through its lossless text form.
func Clone(f *kernel.Func) (*kernel.Func, error) {
	m := &kernel.Module{Funcs: []*kernel.Func{f}, Data: f.Data}
	back, err := kernel.Parse("clone.simt", m.String())
	if err != nil {
		return nil, err
	}
	return back.Funcs[0], nil
}
