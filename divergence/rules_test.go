package divergence

import (
	"fmt"
	"math/bits"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
)

// The rules are compared with enumeration: for operands of any shape and bounds, the
// operation is evaluated for every permitted base and every lane, and must match the
// rule's result in all active lanes, lane 0 included. The operations come from the table
// of package alu, so new operations are tested without changes here.

// lanesOf lists the values of the lanes for a given base.
func lanesOf(t alu.Type, x Shape, base uint64, width int) []uint64 {
	out := make([]uint64, width)
	for l := range out {
		out[l] = (base + uint64(x.Offset(int64(l)))) & t.Mask()
	}
	return out
}

// fits describes how lanes violate a claim, "" if they do not.
func fits(t alu.Type, s Shape, b Bounds, lanes []uint64, active uint64) string {
	if s.Kind == Varying {
		return ""
	}
	base := lanes[0]
	if a := uint64(max(s.Align, 1)); base&(a-1) != 0 {
		return fmt.Sprintf("lane 0 holds %d", base)
	}
	if !t.IsInt() {
		for l, v := range lanes {
			if active>>l&1 != 0 && v != (base+uint64(s.Offset(int64(l))))&t.Mask() {
				return fmt.Sprintf("lane %d holds %d, lane 0 %d", l, v, base)
			}
		}
		if t == alu.I1 && (base < b.ULo || base > b.UHi) {
			return fmt.Sprintf("lane 0 holds %d", base)
		}
		return ""
	}
	for l, v := range lanes {
		if active>>l&1 == 0 {
			continue
		}
		sv, sb := t.Signed(v), t.Signed(base)
		step := s.Offset(int64(l))
		switch {
		case v != (base+uint64(step))&t.Mask():
			return fmt.Sprintf("lane %d holds %d, lane 0 %d", l, v, base)
		case v < b.ULo || v > b.UHi || sv < b.SLo || sv > b.SHi:
			return fmt.Sprintf("lane %d holds %d", l, v)
		case b.ULinear && (v-base != uint64(step) || step >= 0 != (v >= base) && step != 0):
			return fmt.Sprintf("lane %d holds unsigned %d, lane 0 %d", l, v, base)
		case b.SLinear && (sv-sb != step || step >= 0 != (sv >= sb) && step != 0):
			return fmt.Sprintf("lane %d holds signed %d, lane 0 %d", l, sv, sb)
		}
	}
	return ""
}

// randomOperand makes a claim about an operand: a constant, a uniform or a strided value, possibly
// with bounds.
func randomOperand(rng *rand.Rand, t alu.Type, width int) operand {
	constant := func() uint64 {
		switch rng.Intn(4) {
		case 0:
			return rng.Uint64() & t.Mask()
		case 1:
			return uint64(1+rng.Intn(16)) & t.Mask()
		}
		return (1<<rng.Intn(t.Bits()+1) + uint64(rng.Intn(3)) - 1) & t.Mask()
	}
	if rng.Intn(3) == 0 || !t.IsInt() {
		v := constant()
		s := Uniform(1)
		if t.IsInt() {
			s = Uniform(constAlign(v))
		}
		return operand{s, exactly(t, v), t}
	}
	s := strided(0, 1<<(rng.Intn(t.Bits()+2)*rng.Intn(2)))
	if rng.Intn(3) > 0 {
		s.Stride = []int64{1, 1, -1, 2, 4, 3, 6, 7, 8, 12, 16, -4, int64(rng.Uint64())}[rng.Intn(13)]
		s.Stride = t.Signed(uint64(s.Stride))
	}
	s.Align = min(s.Align, largestAlign)
	if rng.Intn(3) == 0 && width > 2 {
		s.Kind, s.Piece = Piecewise, 2<<rng.Intn(bits.Len(uint(width))-2)
		s.Stride = []int64{0, 0, 1, 1, 2, -1, 4, 3}[rng.Intn(8)]
		s.Step = []int64{0, 0, 1, 1, 2, -1, 16, 5, int64(rng.Uint64())}[rng.Intn(9)]
		s = s.normal(t, s.Align)
	}
	b := anything(t)
	switch a, z := constant(), constant(); rng.Intn(4) {
	case 0:
		b.ULo, b.UHi = min(a, z), max(a, z)
	case 1:
		a, z := t.Signed(a), t.Signed(z)
		b.SLo, b.SHi = min(a, z), max(a, z)
	}
	b.ULinear, b.SLinear = rng.Intn(4) == 0, rng.Intn(4) == 0
	return operand{s, b.refine(t, s, width), t}
}

// bases lists bases that the claim allows with the given lanes active: all 8-bit values;
// for wider types those near wrapping and some others.
func bases(rng *rand.Rand, x operand, width int, active uint64) [][]uint64 {
	var out [][]uint64
	try := func(base uint64) {
		lanes := lanesOf(x.typ, x.Shape, base&x.typ.Mask(), width)
		if fits(x.typ, x.Shape, x.Bounds, lanes, active) == "" {
			out = append(out, lanes)
		}
	}
	if c, ok := x.Constant(); ok {
		try(c)
		return out
	}
	step := uint64(x.Align)
	if x.typ.Bits() == 8 {
		for base := uint64(0); base < 256; base += step {
			try(base)
		}
		return out
	}
	for _, corner := range []uint64{0, 1 << (x.typ.Bits() - 1), x.ULo, x.UHi, uint64(x.SLo), uint64(x.SHi), rng.Uint64()} {
		for d := range 2*width + 2 {
			try(corner&^(step-1) + uint64(d-width)*step)
		}
	}
	return out
}

// typesOf lists the operand and result types that an operation is tested with.
func typesOf(op alu.Op) (out [][2]alu.Type) {
	for t := alu.I1; t <= alu.PtrGlobal; t++ {
		for r := alu.I1; r <= alu.PtrGlobal; r++ {
			if got, err := alu.ResultType(op, t, r); err == nil && got == r {
				out = append(out, [2]alu.Type{t, r})
			}
		}
	}
	return out
}

// checkRule tests the rule of op on random claims about operands. It returns the numbers of
// uniform and of strided results.
func checkRule(t *testing.T, rng *rand.Rand, op alu.Op, arg, res alu.Type, claims, pairs int) (uniform, strided int) {
	in := alu.InfoOf(op)
	for range claims {
		width := []int{2, 4, 8, 16, 16, 16, 64}[rng.Intn(7)]
		xs := make([]operand, in.Args)
		for i := range xs {
			at := arg
			if in.Class == alu.Choose && i == 0 {
				at = alu.I1
			}
			xs[i] = randomOperand(rng, at, width)
		}
		s, b := pure(op, res, width, xs)
		if s.Kind == Varying {
			continue
		}
		if s.IsUniform() {
			uniform++
		} else {
			strided++
		}
		active := ^uint64(0)
		if rng.Intn(3) == 0 {
			active = rng.Uint64() | 1
		}
		all := make([][][]uint64, 3)
		for i := range all {
			all[i] = [][]uint64{make([]uint64, width)}
			if i < len(xs) {
				all[i] = bases(rng, xs[i], width, active)
			}
		}
		n := len(all[0]) * len(all[1]) * len(all[2])
		out := make([]uint64, width)
		for k := range min(n, pairs) {
			at := k
			if n > pairs {
				at = rng.Intn(n)
			}
			x, y, z := all[0][at%len(all[0])], all[1][at/len(all[0])%len(all[1])], all[2][at/len(all[0])/len(all[1])]
			for l := range out {
				out[l] = alu.Eval(op, res, arg, x[l], y[l], z[l])
			}
			if why := fits(res, s, b, out, active); why != "" {
				claim := ""
				for _, x := range xs {
					claim += fmt.Sprintf("\n%s %+v", x.Shape, x.Bounds)
				}
				t.Fatalf("%s %s -> %s, width %d, active %#x: %s\noperands%s\nare %v %v %v\nresult %s %+v\nis %v", in.Name, arg, res, width, active, why, claim, x, y, z, s, b, out)
			}
		}
	}
	return uniform, strided
}

func TestRulesHoldInAllLanes(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	total := 0
	for op := alu.Invalid + 1; op < alu.NumPure; op++ {
		for _, ts := range typesOf(op) {
			claims, pairs := 20, 300
			if ts[0].IsInt() && alu.InfoOf(op).Class != alu.Choose && ts[1] != alu.F32 && ts[1] != alu.F64 {
				claims, pairs = 60, 100
				if ts[0] == alu.I8 {
					claims, pairs = 400, 200
				}
			}
			u, s := checkRule(t, rng, op, ts[0], ts[1], claims, pairs)
			require.Positive(t, u, "%s of %s is never uniform", alu.InfoOf(op).Name, ts[0])
			total += u + s
		}
	}
	require.Greater(t, total, 10000)
}
