package legalize_test

import (
	"context"
	"fmt"
	"math"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/memory"
	"github.com/simtc/simtc/targets/avx2"
	"github.com/simtc/simtc/targets/avx512"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/interp"
	"github.com/simtc/simtc/vir/legalize"
	"github.com/simtc/simtc/vir/opt"
	"github.com/simtc/simtc/vir/virtest"
)

// strict has almost no vector operations, so that nearly everything is expanded.
var strict = legalize.Target{RegisterBits: 128, Lanes: 4,
	Has: func(op vir.Op, t, to vir.Type) bool {
		half := t.Elem == alu.F16 && to.Elem == alu.F64 || t.Elem == alu.F64 && to.Elem == alu.F16
		if t.Lanes == 1 && to.Lanes == 1 {
			return !half && !(op == alu.FMA && t.Elem == alu.F32)
		}
		if t.IsMask() {
			return op == alu.And || op == alu.Or || op == alu.Xor
		}
		switch op {
		case alu.Add, alu.Sub, alu.And, alu.Or, alu.Xor:
			return true
		case alu.Ne:
			return t.Elem == alu.I32
		}
		return false
	},
	HasGather:  func(value, index vir.Type) bool { return false },
	HasScatter: func(value, index vir.Type) bool { return value.Elem.Bits() >= 32 && index.Elem == alu.I32 },
}

// logical selects with bitwise logic and compares only signed numbers, like SSE2.
var logical = legalize.Target{RegisterBits: 128, Lanes: 16,
	Has: func(op vir.Op, t, to vir.Type) bool {
		if t.Lanes == 1 && to.Lanes == 1 {
			return op != alu.FMA || t.Elem == alu.F64
		}
		if t.IsMask() {
			return op == alu.And || op == alu.Or || op == alu.Xor || op == alu.SExt
		}
		switch op {
		case alu.Add, alu.Sub, alu.And, alu.Or, alu.Xor, alu.Slt, alu.Bitcast, alu.ZExt, alu.SExt,
			alu.FAdd, alu.FSub, alu.FMul, alu.FDiv, alu.FLt, alu.FEq, alu.FSqrt:
			return true
		case alu.Eq, alu.Shl, alu.LShr, alu.AShr, alu.Mul:
			return t.Elem.Bits() >= 16
		case alu.Trunc:
			return to.Elem != alu.I1
		case alu.FPExt, alu.FPTrunc:
			return t.Elem != alu.F16 && to.Elem != alu.F16
		case alu.SIToFP, alu.UIToFP, alu.FPToSI, alu.FPToUI:
			return t.Elem.Bits() == 32 || to.Elem.Bits() == 32
		}
		return false
	},
}

// wideMasks has wide registers of bytes, whose masks are split when combined with
// narrower vectors.
var wideMasks = func() legalize.Target {
	t := avx512.Legal
	t.Lanes = 64
	return t
}()

// whole takes vectors of any size, and selects between them by scalars.
var whole = legalize.Target{Whole: true, Has: func(op vir.Op, t, to vir.Type) bool { return op == alu.Select || strict.Has(op, t, to) }}

// vectorMasks returns t with masks in vectors.
func vectorMasks(t legalize.Target, masked legalize.Masked) legalize.Target {
	t.VectorMasks = true
	t.Masked = func(op vir.Op, t vir.Type) legalize.Masked { return masked }
	return t
}

var targets = []struct {
	name string
	t    legalize.Target
}{{"avx512", avx512.Legal}, {"avx512, masks of 64", wideMasks}, {"avx2", avx2.Legal}, {"strict", strict}, {"logical", logical}, {"whole", whole}, {"logical, vector masks", vectorMasks(logical, legalize.Lanewise)}}

const (
	operands = 512 // offset of the operands from the context, 1 KB each
	result   = operands + 3*1024
	space    = result + 1024
)

// opCase is one operation on one type.
type opCase struct {
	op       vir.Op
	arg, res alu.Type
	lanes    int
	uniform  bool   // Select: a scalar condition
	constant bool   // the second operand is a constant
	c        uint64 // its bits
}

func (c opCase) String() string {
	return fmt.Sprintf("%s %s to %s x%d uniform %v constant %v %#x", vir.InfoOf(c.op).Name, c.arg, c.res, c.lanes, c.uniform, c.constant, c.c)
}

var lanesType = []alu.Type{alu.I1, alu.I8, alu.I16, alu.I32, alu.I64, alu.F16, alu.F32, alu.F64}

// cases lists every pure operation on every element type it accepts.
func cases(lanes int) []opCase {
	var out []opCase
	for op := alu.Invalid + 1; op < alu.NumPure; op++ {
		for _, arg := range lanesType {
			for _, to := range lanesType {
				res, err := alu.ResultType(op, arg, to)
				if err != nil || alu.InfoOf(op).Class != alu.Convert && to != alu.I1 {
					continue
				}
				c := opCase{op: op, arg: arg, res: res, lanes: lanes}
				out = append(out, c)
				if op == alu.Select && lanes > 1 {
					c.uniform = true
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// function loads the operands, applies the operation and stores its result.
func (c opCase) function() *vir.Func {
	f := &vir.Func{Name: "case", Width: max(c.lanes, 2)}
	b := f.NewBlock("")
	ctx := b.Append(vir.Context, vir.Scalar(alu.I64))
	load := func(i int, e alu.Type, lanes int) *vir.Value {
		mem := e
		if e == alu.I1 {
			mem = alu.I8
		}
		t := vir.Type{Elem: mem, Lanes: lanes}
		var x *vir.Value
		if lanes == 1 {
			x = b.Append(vir.Load, t, ctx)
		} else {
			x = b.Append(vir.VLoad, t, ctx, f.Const(vir.Mask(lanes), 1))
		}
		x.Disp, x.Align = int64(operands+1024*i), 1
		if e == alu.I1 {
			x = b.Append(alu.Trunc, t.With(alu.I1), x)
		}
		return x
	}
	var args []*vir.Value
	in := alu.InfoOf(c.op)
	for i := range in.Args {
		e, lanes := c.arg, c.lanes
		if in.Class == alu.Choose && i == 0 {
			e = alu.I1
			if c.uniform {
				lanes = 1
			}
		}
		if i == 1 && c.constant {
			args = append(args, f.Const(vir.Type{Elem: e, Lanes: lanes}, c.c))
			continue
		}
		args = append(args, load(i, e, lanes))
	}
	t := vir.Type{Elem: c.res, Lanes: c.lanes}
	x := b.Append(c.op, t, args...)
	if c.res == alu.I1 {
		x = b.Append(alu.ZExt, t.With(alu.I8), x)
	}
	var s *vir.Value
	if c.lanes == 1 {
		s = b.Append(vir.Store, vir.Type{}, ctx, x)
	} else {
		s = b.Append(vir.VStore, vir.Type{}, ctx, x, f.Const(vir.Mask(c.lanes), 1))
	}
	s.Disp, s.Align = result, 1
	b.Return()
	f.Renumber()
	return f
}

// value returns edge cases and numbers of all magnitudes.
func value(rng *rand.Rand, t alu.Type) uint64 {
	if t == alu.F32 || t == alu.F64 || t == alu.F16 {
		f := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, math.Inf(1), math.Inf(-1), math.NaN(),
			1 << 31, -1 << 31, 1<<31 - 1, 1 << 32, 1<<32 - 1, 1 << 63, -1 << 63, 1 << 64, 65504, 65519.99, 65520, 1e30, 1e-30, 5.9e-8, 3e-8, 1e300}[rng.Intn(27)]
		switch k := rng.Intn(3); {
		case k == 0 && t == alu.F32:
			return uint64(math.Float32bits(float32(f)))
		case k == 0 && t == alu.F64:
			return math.Float64bits(f)
		case k == 1 && t == alu.F64: // near the rounding boundaries of half
			return math.Float64bits(math.Ldexp(float64(rng.Intn(8192))+[]float64{0, 1e-12, -1e-12, 1e-6}[rng.Intn(4)], rng.Intn(40)-30))
		case k == 1 && t == alu.F32:
			return uint64(math.Float32bits(float32(math.Ldexp(float64(rng.Intn(1<<24)), rng.Intn(60)-30))))
		}
		return rng.Uint64() & t.Mask()
	}
	switch rng.Intn(4) {
	case 0:
		return []uint64{0, 1, 2, 3, ^uint64(0), ^uint64(1), t.Mask() >> 1, t.Mask()/2 + 1, 7, 10}[rng.Intn(10)] & t.Mask()
	case 1:
		return rng.Uint64() >> rng.Intn(64) & t.Mask()
	case 2:
		return -(rng.Uint64() >> rng.Intn(64)) & t.Mask()
	}
	return rng.Uint64() & t.Mask()
}

// fill stores values for the operands of c.
func (c opCase) fill(rng *rand.Rand, mem []byte) {
	in := alu.InfoOf(c.op)
	for i := range in.Args {
		e := c.arg
		if in.Class == alu.Choose && i == 0 || e == alu.I1 {
			e = alu.I8
		}
		for l := range 64 {
			x := value(rng, e)
			for k := range e.Size() {
				mem[operands+1024*i+l*e.Size()+k] = byte(x >> (8 * k))
			}
		}
	}
}

func run(t *testing.T, f *vir.Func, bytes []byte) []byte {
	t.Helper()
	mem := &memory.Space{}
	bytes = append([]byte(nil), bytes...)
	err := interp.Run(context.Background(), f, mem, mem.Add(bytes), 0)
	require.NoError(t, err, "%s", f)
	return bytes
}

// same compares results; any two NaNs are equal.
func (c opCase) same(a, b []byte) (lane int, x, y uint64, ok bool) {
	size := max(c.res.Size(), 1)
	for l := range c.lanes {
		x, y = 0, 0
		for k := range size {
			x |= uint64(a[result+l*size+k]) << (8 * k)
			y |= uint64(b[result+l*size+k]) << (8 * k)
		}
		if x != y && !(isNaN(c.res, x) && isNaN(c.res, y)) {
			return l, x, y, false
		}
	}
	return 0, 0, 0, true
}

func isNaN(t alu.Type, x uint64) bool {
	switch t {
	case alu.F16:
		return x&0x7c00 == 0x7c00 && x&0x3ff != 0
	case alu.F32:
		return math.IsNaN(float64(math.Float32frombits(uint32(x))))
	case alu.F64:
		return math.IsNaN(math.Float64frombits(x))
	}
	return false
}

// requireLegal checks that everything fits t.
func requireLegal(t *testing.T, f *vir.Func, target legalize.Target) {
	t.Helper()
	require.NoError(t, vir.Verify(f))
	for _, b := range f.Blocks {
		for _, v := range append(append([]*vir.Value(nil), b.Params...), b.Values...) {
			for _, x := range append([]*vir.Value{v}, v.Args...) {
				bits := x.Type.Bits()
				if x.Type.Elem == alu.I1 {
					bits = 0
				}
				require.True(t, target.Whole || x.Type.Lanes == 1 || x.Type.Lanes <= target.Lanes && bits <= target.RegisterBits, "%s does not fit", vir.FormatValue(v))
			}
			if v.Op.Pure() {
				last := v.Args[len(v.Args)-1]
				immediate := target.HasImmediate != nil && last.Op == vir.Const && target.HasImmediate(v.Op, last.Type)
				uniform := target.HasUniform != nil && last.Op == vir.Splat && target.HasUniform(v.Op, last.Type)
				require.True(t, target.Has(v.Op, last.Type, v.Type) || immediate || uniform, "the target lacks %s", vir.FormatValue(v))
				if v.Op == alu.Select && !target.Whole {
					require.Equal(t, v.Type.Lanes, v.Args[0].Type.Lanes, "a scalar condition is left: %s", vir.FormatValue(v))
				}
			}
		}
	}
}

func (c opCase) check(t *testing.T, rng *rand.Rand, target legalize.Target, rounds int) {
	t.Helper()
	f := c.function()
	g, err := legalize.Func(f, target)
	require.NoError(t, err, "%s", c)
	requireLegal(t, g, target)
	for range rounds {
		bytes := make([]byte, space)
		c.fill(rng, bytes)
		want, got := run(t, f, bytes), run(t, g, bytes)
		if l, x, y, ok := c.same(want, got); !ok {
			t.Fatalf("%s: lane %d: %#x, want %#x\n%x\n%s\n%s", c, l, y, x, bytes[operands:], f, g)
		}
	}
}

func TestEveryOperation(t *testing.T) {
	for _, target := range targets {
		for _, lanes := range []int{1, 2, 8, 16, 32, 64} {
			t.Run(fmt.Sprintf("%s/%d", target.name, lanes), func(t *testing.T) {
				rng := rand.New(rand.NewSource(int64(lanes)))
				for _, c := range cases(lanes) {
					c.check(t, rng, target.t, 1+32/lanes)
				}
			})
		}
	}
}

func TestConstantOperands(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	ops := []vir.Op{alu.UDiv, alu.SDiv, alu.URem, alu.SRem, alu.Mul, alu.Shl, alu.LShr, alu.AShr, alu.Rotl, alu.UMulHi, alu.SMulHi,
		alu.UAddSat, alu.SAddSat, alu.USubSat, alu.SSubSat}
	for _, target := range targets {
		for _, op := range ops {
			for _, e := range []alu.Type{alu.I8, alu.I16, alu.I32, alu.I64} {
				for _, k := range []uint64{0, 1, 2, 3, 7, 10, 255, ^uint64(0), 1 << 31, 1 << 63, e.Mask() >> 1, e.Mask()>>1 + 1, rng.Uint64()} {
					c := opCase{op: op, arg: e, res: e, lanes: 16, constant: true, c: k & e.Mask()}
					c.check(t, rng, target.t, 2)
				}
			}
		}
	}
}

// TestDivisionExhaustively divides all bytes, and 16-bit words for which rounding is
// critical: multiples of the divisor and their neighbors.
func TestDivisionExhaustively(t *testing.T) {
	for _, op := range []vir.Op{alu.UDiv, alu.SDiv, alu.URem, alu.SRem} {
		for _, e := range []alu.Type{alu.I8, alu.I16, alu.I32, alu.I64} {
			c := opCase{op: op, arg: e, res: e, lanes: 64}
			f := c.function()
			g, err := legalize.Func(f, avx512.Legal)
			require.NoError(t, err)
			rng := rand.New(rand.NewSource(9))
			for range 150 {
				bytes := make([]byte, space)
				for l := range 64 {
					b := value(rng, e)
					a := value(rng, e)
					if rng.Intn(2) == 0 {
						a = b*(rng.Uint64()>>rng.Intn(64)) + uint64(rng.Intn(3)-1)
					}
					for k := range e.Size() {
						bytes[operands+l*e.Size()+k] = byte(a >> (8 * k))
						bytes[operands+1024+l*e.Size()+k] = byte(b >> (8 * k))
					}
				}
				want, got := run(t, f, bytes), run(t, g, bytes)
				l, x, y, ok := c.same(want, got)
				require.True(t, ok, "%s: lane %d: %#x, want %#x", c, l, y, x)
			}
		}
	}
}

// TestRandomFunctions covers lanes, memory, masks and control flow.
func TestRandomFunctions(t *testing.T) {
	for _, target := range targets {
		for seed := range int64(30) {
			rng := rand.New(rand.NewSource(seed))
			f := virtest.Random(rng, virtest.Options{Width: 4 << (seed % 5), Size: 20})
			before := f.String()
			g, err := legalize.Func(f, target.t)
			require.NoError(t, err)
			require.Equal(t, before, f.String(), "the input was changed")
			requireLegal(t, g, target.t)
			m := virtest.NewImage(rng)
			a, err := virtest.Run(f, m)
			require.NoError(t, err)
			b, err := virtest.Run(g, m)
			require.NoError(t, err, "%s seed %d\n%s\n%s", target.name, seed, f, g)
			require.Empty(t, virtest.Differ(a, b), "%s seed %d\n%s\n%s", target.name, seed, f, g)

			// Optimize first, as the pipeline does.
			opt.Run(f, nil)
			g, err = legalize.Func(f, target.t)
			require.NoError(t, err, "%s", f)
			requireLegal(t, g, target.t)
			b, err = virtest.Run(g, m)
			require.NoError(t, err, "%s seed %d\n%s\n%s", target.name, seed, f, g)
			require.Empty(t, virtest.Differ(a, b), "%s seed %d\n%s\n%s", target.name, seed, f, g)
		}
	}
}
