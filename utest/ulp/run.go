package ulp

import (
	"context"
	"fmt"
	"strings"

	"github.com/simtc/simtc"
)

// Runner applies a function, compiled for a type, to many arguments.
type Runner struct {
	Function *Function
	Type     Type

	program *simtc.Program
	kernel  *simtc.Kernel
}

// Source is the kernel that a Runner compiles.
func Source(f *Function, t Type) string {
	T := t.String()
	args, params := "x", ""
	if f.Arity == 2 {
		second := T
		if f.Int {
			second = "int"
		}
		args = "x, y"
		params = "__global const " + second + " *b, "
	}
	statement := f.Statement
	if statement == "" {
		statement = fmt.Sprintf("r = %s(%s);", f.Name, args)
	}
	var s strings.Builder
	fmt.Fprintf(&s, "__kernel void apply(__global const %s *a, %s__global %s *out) {\n", T, params, T)
	fmt.Fprintf(&s, "  size_t i = get_global_id(0);\n  %s x = a[i], r;\n", T)
	if f.Arity == 2 {
		fmt.Fprintf(&s, "  %s y = b[i];\n", strings.Fields(params)[2])
	}
	fmt.Fprintf(&s, "  %s\n  out[i] = r;\n}\n", strings.ReplaceAll(statement, "T ", T+" "))
	return s.String()
}

// NewRunner compiles f for t, to run on one thread. The target "" is the fastest one available;
// results do not depend on it.
func NewRunner(f *Function, t Type, target string) (*Runner, error) {
	p, err := simtc.Compile(Source(f, t), simtc.Options{Strategy: simtc.Strategy{Target: target}, Threads: 1})
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", f.Name, t, err)
	}
	k, err := p.Kernel("apply")
	if err != nil {
		_ = p.Close()
		return nil, err
	}
	return &Runner{Function: f, Type: t, program: p, kernel: k}, nil
}

// Close releases the kernel.
func (r *Runner) Close() error { return r.program.Close() }

// floats applies the function to a, and b if it takes two arguments.
func (r *Runner) floats(a, b, out []float32) error {
	args := []any{a, out}
	if r.Function.Arity == 2 {
		args = []any{a, b, out}
		if r.Function.Int {
			args[1] = integers(b)
		}
	}
	return r.kernel.Launch(context.Background(), simtc.NDRange(uint64(len(a))), args...)
}

func (r *Runner) doubles(a, b, out []float64) error {
	args := []any{a, out}
	if r.Function.Arity == 2 {
		args = []any{a, b, out}
		if r.Function.Int {
			args[1] = integers(b)
		}
	}
	return r.kernel.Launch(context.Background(), simtc.NDRange(uint64(len(a))), args...)
}

func integers[F float32 | float64](b []F) []int32 {
	out := make([]int32, len(b))
	for i, x := range b {
		out[i] = int32(x)
	}
	return out
}
