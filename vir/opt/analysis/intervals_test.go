package analysis

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// All intervals of integers of four bits, and all pairs of them.
func TestIntervals(t *testing.T) {
	const mask = 15
	has := func(r Interval, x uint64) bool { return !r.Empty && (x-r.First)&mask <= r.count }
	set := func(r Interval) (s uint16) {
		for x := range uint64(mask + 1) {
			if has(r, x) {
				s |= 1 << x
			}
		}
		return s
	}
	all := []Interval{{Mask: mask, Empty: true}}
	sets := map[uint16]bool{}
	for first := range uint64(mask + 1) {
		for count := range uint64(mask + 1) {
			all = append(all, Interval{First: first, count: count, Mask: mask})
		}
	}
	for _, r := range all {
		sets[set(r)] = true
	}
	merged := 0
	for _, r := range all {
		require.Equal(t, ^set(r), set(r.Not()))
		for _, s := range all {
			both, ok := r.And(s)
			require.Equal(t, sets[set(r)&set(s)], ok, "%v and %v", r, s)
			if ok {
				require.Equal(t, set(r)&set(s), set(both), "%v and %v", r, s)
			}
			either, ok := r.Or(s)
			require.Equal(t, sets[set(r)|set(s)], ok, "%v or %v", r, s)
			if ok {
				require.Equal(t, set(r)|set(s), set(either), "%v or %v", r, s)
			}
			if one, bit, ok := r.MergeByBit(s); ok {
				for x := range uint64(mask + 1) {
					require.Equal(t, has(r, x) || has(s, x), has(one, x&^bit), "%v or %v of %d", r, s, x)
				}
				merged++
			}
		}
	}
	require.Equal(t, 2*(8*1+4*3+2*10+1*36), merged, "pairs by the bit: 1, 2, 4, 8")
}

// Every comparison of a byte with a constant, its interval, the negation, and the comparison
// that is built from the interval, for all bytes.
func TestIntervalsOfComparisons(t *testing.T) {
	f := &vir.Func{Name: "f", Width: 1}
	b := f.NewBlock("")
	x := b.NewParam(vir.Scalar(alu.I8), "x")
	plus := b.Append(alu.Add, x.Type, x, f.Const(x.Type, 77))
	for _, op := range []vir.Op{alu.Eq, alu.Ne, alu.Slt, alu.Sle, alu.Ult, alu.Ule} {
		for c := range uint64(256) {
			for _, of := range []*vir.Value{x, plus} {
				for left := range 2 {
					args := []*vir.Value{of, f.Const(x.Type, c)}
					if left == 1 {
						args[0], args[1] = args[1], args[0]
					}
					test := b.NewValue(op, vir.Scalar(alu.I1), args...)
					y, r := IntervalOf(test)
					require.Equal(t, x, y)
					_, rest := IntervalOf(b.NewValue(alu.Xor, vir.Scalar(alu.I1), test, f.Const(vir.Scalar(alu.I1), 1)))
					made := r.Compare(f, x, func(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
						return b.NewValue(op, t, args...)
					})
					for n := range uint64(256) {
						want := eval(test, x, n)
						if eval(made, x, n) != want || (!rest.Empty && (n-rest.First)&255 <= rest.count) != (want == 0) {
							t.Fatalf("%s of %d is %d; the comparison built of its interval %v, or its complement %v, differs", vir.FormatValue(test), n, want, r, rest)
						}
					}
				}
			}
		}
	}
}

// eval computes v for x = n.
func eval(v, x *vir.Value, n uint64) uint64 {
	switch {
	case v == x:
		return n
	case v.Op == vir.Const:
		return v.Const
	}
	var args [3]uint64
	for i, a := range v.Args {
		args[i] = eval(a, x, n)
	}
	return alu.Eval(v.Op, v.Type.Elem, v.Args[0].Type.Elem, args[0], args[1], args[2])
}
