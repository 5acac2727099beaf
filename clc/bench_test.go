package clc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simtc/simtc/clc"
)

const mandelbrot = `
__kernel void mandelbrot(__global int *out, float x0, float y0, float dx, float dy, int limit) {
  int px = get_global_id(0), py = get_global_id(1);
  float cx = x0 + px * dx, cy = y0 + py * dy;
  float x = 0.0f, y = 0.0f;
  int n = 0;
  while (n < limit) {
    float xx = x * x, yy = y * y;
    if (xx + yy > 4.0f) break;
    y = 2.0f * x * y + cy;
    x = xx - yy + cx;
    n++;
  }
  out[py * get_global_size(0) + px] = clamp(n, 0, limit);
}
`

func BenchmarkMandelbrot(b *testing.B) {
	for b.Loop() {
		if _, err := clc.Compile("m.cl", mandelbrot, clc.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// big returns a program of n kernels, each with an inlined helper of moderate size.
func big(n int) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, "float helper%d(float x, int k) { float s = x; for (int i = 0; i < k; i++) { if (s > 2.0f) s = sqrt(s) * x; else s += fabs(x) + i; } return s; }\n", i)
		fmt.Fprintf(&s, "__kernel void k%d(__global float4 *p, int k) { size_t i = get_global_id(0); float4 v = p[i]; v.x = helper%d(v.y, k); if (v.x > v.z) v = normalize(v); p[i] = v; }\n", i, i)
	}
	return s.String()
}

func BenchmarkBig(b *testing.B) {
	for _, n := range []int{100, 1000} {
		text := big(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := clc.Compile("big.cl", text, clc.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	// One kernel with many statements and nested join points.
	for _, n := range []int{1000, 10000} {
		var s strings.Builder
		s.WriteString("__kernel void k(__global int *p) { int a = p[0], b = p[1], c = p[2];\n")
		for i := range n {
			fmt.Fprintf(&s, "if (p[%d]) a += b * %d; else { b ^= c; p[%d] = a; }\n", i, i, i)
		}
		s.WriteString("p[0] = a + b + c; }\n")
		text := s.String()
		b.Run(fmt.Sprintf("ifs%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := clc.Compile("big.cl", text, clc.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
