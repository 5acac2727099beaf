package vir_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/legalize"
	"github.com/simtc/simtc/vir/virtest"
)

// samples has an example of each operation that is not a pure one of package alu.
var samples = map[vir.Op]string{
	vir.Context: "%x = context",
	vir.Splat:   "%x = splat.i32x8 7",
	vir.Iota:    "%x = iota.i16x8 at 3",
	vir.Prefix:  "%x = prefix.i1x8 5 at 1",
	vir.Any:     "%x = any.i1x8 true",
	vir.All:     "%x = all.i1x8 true",
	vir.Count:   "%x = count.i1x8 true",
	vir.Bits:    "%x = bits.i1x8 %m",
	vir.Unbits:  "%x = unbits.i1x8 5",
	vir.Extract: "%x = extract.f32 1.5:f32x8 at 7",
	vir.Insert:  "%x = insert.i8x8 0:i8x8, 3:i8 at 2",
	vir.First:   "%x = first.i64 4:i64x8, true:i1x8",
	vir.Rank:    "%x = rank.i32x8 true:i1x8",

	vir.Compress: "%x = compress.f32x8 1.5:f32x8, %m",
	vir.Expand:   "%x = expand.i8x8 3:i8x8, %m",

	vir.Part:    "%x = part.i1x4 true:i1x8 at 1",
	vir.Concat:  "%x = concat.i32x8 1:i32x4, 2:i32x4",
	vir.Shuffle: "%x = shuffle.i32x4 1:i32x8, 2:i32x8 lanes 0 8 1 9",
	vir.Resize:  "%x = resize.m16x8 %m",
	vir.Load:    "%x = load.f64 %d disp 8 align 8 invariant volatile",
	vir.Store:   "store.i8 %d, 3:i8 disp 3",
	vir.VLoad:   "%x = vload.i16x8 %d, %m disp 2 align 2",
	vir.VStore:  "vstore.f16x8 %d, 0x3c00:f16x8, %m align 2 volatile",
	vir.Gather:  "%x = gather.i32x8 %d, 4:i64x8, %m scale 4 align 4",
	vir.Scatter: "scatter.i32x8 %d, 4:i32x8, 9:i32x8, %m disp 16 scale 8 align 4",

	vir.Atomic:   "%x = atomic.i32 %d, 7:i32 smax disp 4 align 4 volatile",
	vir.CmpXchg:  "%x = cmpxchg.i64 %d, 7:i64, 8:i64 align 8",
	vir.VAtomic:  "%x = vatomic.i32x8 %d, 4:i32x8, 9:i32x8, %m add disp 16 scale 8 align 4 local",
	vir.VCmpXchg: "%x = vcmpxchg.i64x8 %d, 4:i32x8, 0:i64x8, 1:i64x8, %m scale 8",
	vir.Fence:    "fence",
}

// sample returns a line that applies op to literals.
func sample(op vir.Op) string {
	if s, ok := samples[op]; ok || !op.Pure() {
		return s
	}
	in := alu.InfoOf(op)
	for _, arg := range []alu.Type{alu.I32, alu.F64, alu.F32, alu.I1, alu.F16} {
		for _, to := range []alu.Type{alu.I64, alu.F32, alu.I16, alu.F16, alu.F64} {
			res, err := alu.ResultType(op, arg, to)
			if err != nil {
				continue
			}
			suffix, literal := res, alu.FormatConst(arg, 1)
			switch in.Class {
			case alu.Compare:
				suffix = arg
			case alu.Convert:
				literal += fmt.Sprintf(":%sx8", arg)
			}
			args := strings.Repeat(", "+literal, in.Args)[2:]
			if in.Class == alu.Choose {
				args = "%m, " + literal + ", " + literal
			}
			return fmt.Sprintf("%%x = %s.%sx8 %s", in.Name, suffix, args)
		}
	}
	return ""
}

func around(line string) string { return aroundWith("", "i1x8", line) }

// aroundWith is around for functions with attributes whose masks have the given type.
func aroundWith(attributes, mask, line string) string {
	return `vir f width 8 scratch 0` + attributes + ` {
b0.entry:
  %c.0 = context
  %1 = load.i64 %c.0 disp 184 align 8 invariant
  %d = load.i64 %1 disp 8 align 8 invariant
  %m = prefix.` + mask + ` 3 at 0
  ` + line + `
  return
}
`
}

// TestEveryOperationIsSupported fails for an operation that the parser, the
// printer, the verifier, the interpreter or legalize does not support.
func TestEveryOperationIsSupported(t *testing.T) {
	bare := legalize.Target{RegisterBits: 128, Lanes: 4,
		Has: func(op vir.Op, t, to vir.Type) bool {
			half := t.Elem.Bits()+to.Elem.Bits() == 16+64 && t.Elem.IsFloat() && to.Elem.IsFloat()
			return t.Lanes == 1 && to.Lanes == 1 && !half ||
				t.IsMask() && (op == alu.And || op == alu.Or || op == alu.Xor) || op == alu.Ne && t.Elem == alu.I32
		},
		HasGather:  func(value, index vir.Type) bool { return false },
		HasScatter: func(value, index vir.Type) bool { return false },
	}
	for _, op := range vir.Ops() {
		if op == vir.Const || op == vir.Param {
			continue // literals and block parameters
		}
		name := vir.InfoOf(op).Name
		line := sample(op)
		require.NotEmpty(t, line, "the test has no sample of %s", name)
		text, target := around(line), bare
		if op == vir.Resize {
			text, target.VectorMasks = aroundWith(" vectormasks", "m32x8", line), true
		}
		f, err := vir.Parse("sample", text)
		require.NoError(t, err, "%s", line)
		printed := f.String()
		g, err := vir.Parse("printed", printed)
		require.NoError(t, err, "%s", printed)
		require.Equal(t, printed, g.String())

		m := virtest.NewImage(rand.New(rand.NewSource(1)))
		a, err := virtest.Run(f, m)
		require.NoError(t, err, "interp: %s", line)
		legal, err := legalize.Func(f, target)
		require.NoError(t, err, "%s", line)
		require.NoError(t, vir.Verify(legal), "%s", line)
		b, err := virtest.Run(legal, m)
		require.NoError(t, err, "%s", line)
		require.Empty(t, virtest.Differ(a, b), "%s", line)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `expected "vir"`},
		{"vir f width 8 scratch 0 {\n", "the function does not end"},
		{around("%x = frob.i32 1"), `f:7:3: unknown operation "frob"`},
		{around("frob"), `unknown operation or terminator "frob"`},
		{around("%x = add.i33 1, 2"), `unknown type "i33"`},
		{around("%x = add.i32x1 1, 2"), `unknown type "i32x1"`},
		{around("%x = add.i32 1"), `expected ","`},
		{around("%x = add.i32 1, %y"), "%y is not defined"},
		{around("%x = add.i32 1, 1.5"), "not a constant of type i32"},
		{around("%x = zext.i32 1"), "needs a type"},
		{around("%m = add.i32 1, 2"), "%m is defined twice"},
		{around("add.i32 1, 2"), "has no name"},
		{around("%x = store.i32 %d, 1:i32"), "store has no value"},
		{around("jump nowhere") + "", "expected a label"},
		{around("@"), "stray character"},
		{"vir f width 8 scratch 0 {\nb0:\n  jump b7\n}\n", "block b7 is not defined"},
		{"vir f width 8 scratch 0 {\nb0:\nb1:\n  return\n}\n", "has no terminator"},
		{around("") + "x", "expected the end of the file"},
	} {
		_, err := vir.Parse("f", c.text)
		require.ErrorContains(t, err, c.want, "%s", c.text)
	}
}

func TestVerifyErrors(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"%x = add.i32x8 %m, 1", "operands of types i1x8 and i32x8"},
		{"%x = fadd.i32x8 1, 2", "fadd does not take i32"},
		{"%x = eq.i32x8 %d, 2", "operands of types i64 and i32x8"},
		{"%x = select.i32x16 %m, 1, 2", "the condition is i1x8"},
		{"%x = select.i32x8 %d, 1, 2", "the condition is i64"},
		{"%x = trunc.i32x8 5:i16x8", "cannot convert i16 to i32"},
		{"%x = trunc.i16x4 5:i32x8", "has type i16x4, wants i16x8"},
		{"%x = splat.i32 5", "do not fit"},
		{"%x = any.i32x8 5", "do not fit"},
		{"%x = count.i32x8 5", "do not fit"},
		{"%x = extract.i32 5:i32x8 at 8", "do not fit"},
		{"%x = insert.i1x8 true:i1x8, true:i1 at 0", "do not fit"},
		{"%x = part.i32x4 5:i32x8 at 2", "do not fit"},
		{"%x = concat.i32x8 5:i32x4, 5:i32x8", "do not fit"},
		{"%x = shuffle.i32x2 5:i32x4, 5:i32x4 lanes 0 8", "do not fit"},
		{"%x = load.i1 %d", "not a memory type"},
		{"%x = load.i32x8 %d", "accesses i32x8"},
		{"%x = load.i32 4:i32", "the address is i32"},
		{"%x = vload.i32x16 %d, %m", "the mask is i1x8"},
		{"%x = gather.i32x8 %d, 1:i16x8, %m scale 1", "the index is i16x8"},
		{"%x = gather.i32x8 %d, 1:i32x8, %m scale 3", "bad scale 3"},
		{"%x = load.i32 %d align 3", "bad alignment 3"},
		{"%x = vload.i32x8 %d, %m invariant", "only a load is invariant"},
		{"%x = load.i32 %d readable", "only a vload is readable"},
		{"%x = load.i32 %d object 16", "no object is at offset 16"},
		{"branch %m, b1, b1\nb1:", "the condition is i1x8"},
		{"jump b0.entry\nb1:", "the entry block cannot be a target"},
		{"jump b1 rare\nb1:", "a jump cannot be rare"},
		{"jump b1(1:i32)\nb1:", "1 arguments for the 0 parameters"},
		{"jump b1(%m)\nb1(%p: i32):", "argument %m.3 is i1x8, parameter %p.4 is i32"},
		{"branch true, b1, b2\nb1:\n  %y = iota.i32x8 at 0\n  jump b2\nb2:\n  %x = add.i32x8 %y, 1", "b2: %y.4 is used before it is defined"},
		{"jump b1\nb1:\n  %x = context", "outside the entry block"},
		{"%x = add.i64 %y, 1\n  %y = add.i64 %x, 1", "used before"},
	} {
		_, err := vir.Parse("f", around(c.line))
		require.ErrorContains(t, err, c.want, "%s", c.line)
	}
	f, err := vir.Parse("f", around(""))
	require.NoError(t, err)
	f.Blocks[0].Values[1].Args = nil
	require.ErrorContains(t, vir.Verify(f), "has 0 operands, wants 1")
}
