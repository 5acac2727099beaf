package utest

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// valueCase is a program whose results are known. Its body runs in a kernel with the
// parameters `global long *out` and `global const int *in`, where in[i] is i; R(x) appends
// x to the results of the work-item, I(i) is in[i], which the compiler does not know.
type valueCase struct {
	name string
	file string // at file scope
	body string
	want []int64
	std  string
}

// valueWays are the strategies that results are compared with: every target, both
// linearizers, several widths.
func valueWays() []simtc.Way {
	out := []simtc.Way{{Target: simtc.Interpreter}}
	for _, linearizer := range []string{simtc.Partial, simtc.BlockIP} {
		for target, widths := range map[string][]int{simtc.VIR: {8}, simtc.AVX512: {1, 16, 64}, simtc.WASM: {1, 8}} {
			for _, width := range widths {
				out = append(out, simtc.Way{Target: target, Linearizer: linearizer, Width: width})
			}
		}
	}
	return out
}

// runValues runs every case with each strategy and compares all results of all work-items.
func runValues(t *testing.T, cases []valueCase) {
	const items = 19
	in := make([]int32, 64)
	for i := range in {
		in[i] = int32(i)
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			source := fmt.Sprintf(`#define R(x) out[get_global_id(0) * %d + n_++] = (x)
#define I(i) in[i]
#line 1
%s
kernel void k(global long *out, global const int *in) { int n_ = 0; %s
}`, len(c.want), c.file, c.body)
			p, err := simtc.Compile(source, simtc.Options{Emulate: emulated, File: c.name + ".cl", Std: c.std, Verify: true})
			require.NoError(t, err)
			defer p.Close()
			one, err := p.Kernel("k")
			require.NoError(t, err)
			want := []int64{}
			for range items {
				want = append(want, c.want...)
			}
			for _, w := range valueWays() {
				if !runsHere(w.Target) {
					continue
				}
				k, err := one.With(w)
				require.NoError(t, err)
				out := make([]int64, len(want))
				require.NoError(t, k.Launch(context.Background(), simtc.NDRange(items), out, in), w.String())
				require.Equal(t, want, out, w.String())
			}
		})
	}
}

// A bool beside a vector is converted to its component type, which gives 1 for true, and
// repeated (OpenCL C 1.2 §6.2.6); a cast to a vector of integers gives -1 (§6.2.2), and so
// does the conversion as if by assignment, as in clang.
func TestBoolBesideVector(t *testing.T) {
	var cases []valueCase
	for _, e := range []struct {
		elem  string
		minus int64 // what -1 of the type is as a long
	}{
		{"char", -1}, {"uchar", 255}, {"short", -1}, {"ushort", 65535}, {"int", -1}, {"uint", 1<<32 - 1}, {"long", -1}, {"ulong", -1},
	} {
		for _, n := range []int{2, 3, 16} {
			cases = append(cases, valueCase{
				name: fmt.Sprintf("%s%d", e.elem, n),
				file: fmt.Sprintf("typedef %s E; typedef %s%d V;\nV same(V v) { return v; }", e.elem, e.elem, n),
				body: `bool b = I(1), z = I(0); V v = (V)((E)(8 + I(0))), w = v, c;
w -= b; R(w.y); w += b; w += b; R(w.y); w *= b; R(w.x); w = v; w /= b; R(w.y); w = v; w %= b; R(w.y);
w = v; w &= b; R(w.x); w |= b; R(w.x); w ^= b; R(w.y); w = v; w <<= b; R(w.x); w >>= b; R(w.y);
R((v + b).x); R((b - v).y == (E)-7); R((v - z).x); R((v * b).y); R((v << b).x); R((v & b).y); R((b | v).x); R((b ^ v).y);
R((v / b).x); R((v % b).y);
c = (V)((E)1); R((c == b).x); R((b != c).y); R((v > b).x); R((b >= v).y); R((v < z).x);
R((c && b).x); R((z || c).y); R((v == v ? b : v).x); R((v != v ? b : v).y); R((I(1) ? b : v).x); R((I(0) ? v : b).y);
R(((V)b).x); R(((V)z).y); c = b; R(c.y); R(same(b).x); R(((V)((E)b)).y);`,
				want: []int64{7, 9, 9, 8, 0, 0, 1, 0, 16, 8,
					9, 1, 8, 8, 16, 0, 9, 9,
					8, 0,
					-1, 0, -1, 0, 0,
					-1, -1, 1, 8, 1, 1,
					e.minus, 0, e.minus, e.minus, 1},
			})
		}
	}
	for _, e := range []string{"float", "double"} {
		cases = append(cases, valueCase{
			name: e + "4",
			file: fmt.Sprintf("typedef %s E; typedef %s4 V;", e, e),
			body: `bool b = I(1); V v = (V)(8 + I(0)), w = v;
w -= b; R(w.y); w += b; w += b; R(w.y); w *= b; R(w.x); w /= b; R(w.y); R((v + b).x); R((b - v).y); R((v > b).x);
R((b == (V)(1)).y); R((I(1) ? b : v).x); R((v == v ? b : v).x); R(((V)b).x); w = b; R(w.y);`,
			want: []int64{7, 9, 9, 9, 9, -7, -1, -1, 1, 1, 1, 1},
		})
	}
	runValues(t, cases)
}
