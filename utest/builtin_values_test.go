package utest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/launch/native"
)

// builtinWays returns strategies for every target and both linearizers.
func builtinWays(t *testing.T) []simtc.Strategy {
	ways := halfWays(t)
	return append(ways, simtc.Strategy{Target: simtc.VIR, Width: 4, Linearizer: simtc.BlockIP})
}

// launchValues runs kernel k of source with every strategy and passes the bytes of buffer
// out to check after each run. The kernel's first argument is out; items work-items form
// one group.
func launchValues(t *testing.T, source string, items int, out []byte, check func(w simtc.Strategy, out []byte), args ...any) {
	t.Helper()
	p, err := simtc.Compile(source, simtc.Options{Debug: simtc.Debug{EmulateMissing: true, Verify: true}})
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	k, err := p.Kernel("k")
	require.NoError(t, err)
	for _, w := range builtinWays(t) {
		way, err := k.With(w)
		require.NoError(t, err)
		got := append([]byte(nil), out...)
		all := append([]any{simtc.Buffer(got)}, args...)
		rng := simtc.NDRange(uint64(items)).WithLocal(uint64(items))
		require.NoError(t, way.Launch(context.Background(), rng, all...), w)
		check(w, got)
	}
}

// TestBuiltinValues checks the values of expressions in a to d, which are element i of
// the argument buffers.
func TestBuiltinValues(t *testing.T) {
	for _, c := range []struct {
		name, source string
		want         []int32
	}{
		{"overloads", `#define O __attribute__((overloadable))
float O atomic_add(volatile __global float *p, float v) { float o = *p; *p = o + v; return o; }
float3 O pow(float3 a, float b) { return (float3)(pow(a.x, b), pow(a.y, b), pow(a.z, b)); }
long O min(int a, long b) { return 77; }
float O sin(int x) { return 55; }
__kernel void k(__global int *out, int two) {
  out[0] = 40;
  atomic_add(out, 5);
  __global float *f = (__global float *)(out + 1);
  *f = two;
  out[2] = atomic_add(f, 3.0f);
  out[3] = min(3, two); out[4] = min(3, 2L + two);
  out[5] = pow((float3)(two), 3.0f).y;
  out[6] = sin(two); out[7] = sin(0.0f);
}`, []int32{45, int32(math.Float32bits(5)), 2, 2, 77, 8, 55, 0}},
		{"prototypes", `void barrier(cl_mem_fence_flags);
float native_sqrt(float);
size_t get_local_id(uint);
int mul24(int, int);
__kernel void k(__global int *out, int two) {
  if (get_local_id(0) == 0) out[0] = native_sqrt(two * 8.0f);
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[1] = out[0] + mul24(two, 3);
}`, []int32{4, 10}},
		{"as_T", `__kernel void k(__global int *out, int two) {
  char3 c = as_char3(0x04030201 * (two - 1));
  short3 s = as_short3((uint2)(0x20001, two));
  char3 d = as_char3((short2)(0x201, two + 1));
  int2 i = as_int2((short3)(1, two, -1));
  out[0] = c.x; out[1] = c.y; out[2] = c.z;
  out[3] = s.x; out[4] = s.y; out[5] = s.z;
  out[6] = d.x; out[7] = d.y; out[8] = d.z;
  out[9] = i.x; out[10] = i.y & 0xffff;
  out[11] = as_float2((short3)(0, 0x4000, two)).x;
}`, []int32{1, 2, 3, 1, 2, 2, 1, 2, 3, 0x20001, 0xffff, 2}},
		{"conversions of arguments", `__kernel void k(__global int *out, int two) {
  vstore4(two, 0, out); vstore3(2.5f, 0, out + 4);
  float4 v = shuffle2((float4)(1), two, (uint4)(0, 4, 7, 3)), w = shuffle2(two, v, (uint4)(0, 4, 5, 1));
  out[7] = v.x; out[8] = v.y; out[9] = w.x; out[10] = w.y;
  out[11] = (1.5f16 + 0x1p1f16 + 1.5H) * two;
}`, []int32{2, 2, 2, 2, 2, 2, 2, 1, 2, 2, 1, 10}},
		{"clang: bits", `__kernel void k(__global int *out, int two) {
  out[0] = __builtin_bitreverse8(two); out[1] = __builtin_bitreverse16(two); out[2] = __builtin_bitreverse32(two);
  out[3] = __builtin_bitreverse64(two) >> 32;
  out[4] = __builtin_rotateleft32(two, 31); out[5] = __builtin_rotateright8(two, 3); out[6] = __builtin_parity(two + 5);
  out[7] = __builtin_ffs(two * 4); out[8] = __builtin_ffsll(two - 2); out[9] = __builtin_clrsb(-two); out[10] = __builtin_clrsbl(two);
  out[11] = __builtin_clzs(two); out[12] = __builtin_ctzs(two); out[13] = __builtin_abs(-two); out[14] = __builtin_labs(two - 9L);
  out[15] = __builtin_clz(two); out[16] = __builtin_ctzl(two);
}`, []int32{0x40, 0x4000, 0x40000000, 0x40000000, 1, 0x40, 1, 4, 0, 30, 61, 14, 1, 2, 7, 30, 1}},
		{"clang: elementwise", `__kernel void k(__global int *out, int two) {
  int4 x = (int4)(two, -7, 5, INT_MAX);
  vstore4(__builtin_elementwise_max(x, (int4)(3)), 0, out);
  vstore4(__builtin_elementwise_add_sat(x, (int4)(two)), 1, out);
  vstore4(__builtin_elementwise_abs(x), 2, out);
  out[12] = __builtin_reduce_add(x.xyz); out[13] = __builtin_reduce_mul(x.xyz); out[14] = __builtin_reduce_min(x);
  out[15] = __builtin_reduce_or(x.xz); out[16] = __builtin_reduce_and(x.zw); out[17] = __builtin_reduce_xor(x.xz);
  out[18] = __builtin_reduce_max((float4)(1, two, NAN, -3));
  out[19] = __builtin_elementwise_roundeven((float2)(2.5f, two)).x; out[20] = __builtin_elementwise_min((uchar)200, (uchar)two);
}`, []int32{3, 3, 5, math.MaxInt32, 4, -5, 7, math.MaxInt32, 2, 7, 5, math.MaxInt32, 0, -70, -7, 7, 5, 7, 2, 2, 2}},
		{"clang: mathematics", `__kernel void k(__global int *out, int two) {
  float f = two; double d = two; half h = two;
  out[0] = __builtin_fabsf(-f) + __builtin_fabs(-d) + __builtin_fabsf16(-h);
  out[1] = __builtin_powif(f, 3); out[2] = __builtin_fmaf(f, 3, 4); out[3] = __builtin_copysign(d, -1.0f); out[4] = __builtin_ldexpf(1, two);
  out[5] = __builtin_nearbyintf(f + 0.5f); out[6] = __builtin_isnan(__builtin_nanf("") * f); out[7] = __builtin_isinf(__builtin_inff() * f);
  out[8] = __builtin_isgreater(f, __builtin_huge_valf()); out[9] = __builtin_signbitf(-f); out[10] = __builtin_atan2f(0, f);
}`, []int32{6, 8, 10, -2, 4, 2, 1, 1, 0, 1, 0}},
		{"clang: memory", `typedef struct { short a; uchar b[6]; } packet;
__kernel void k(__global int *out, int two) {
  packet p = { two, { 1, 2, 3, 4, 5, 6 } }, q;
  int words[2]; __local int shared[2];
  __builtin_memcpy(&q, &p, sizeof p); __builtin_memcpy(words, &q, sizeof words);
  out[0] = words[0]; out[1] = words[1];
  __builtin_memset(shared, two, 2 * two); shared[1] = 7;
  __builtin_memcpy(out + 2, shared, 8);
  for (int i = 4; i < 8; i++) out[i] = i;
  __builtin_memmove((__global char *)(out + 4) + 4, out + 4, two * 6);
  out[8] = __builtin_bit_cast(int, two * 1.0f);
  *(__global int *)__builtin_memset(out + 9, -1, 4) += two;
}`, []int32{2 | 1<<16 | 2<<24, 3 | 4<<8 | 5<<16 | 6<<24, 0x02020202, 7, 4, 4, 5, 6, 0x40000000, 1}},
		{"clang: the rest", `__kernel void k(__global int *out, int two) {
  __builtin_assume(two == 2);
  out[0] = __builtin_choose_expr(sizeof(int) == 4, two, 2.5f); out[1] = __builtin_constant_p(two) * 2 + __builtin_constant_p(3);
  __builtin_nontemporal_store(two, out + 2); out[3] = __builtin_nontemporal_load(out + 2);
  out[4] = *(__global int *)__builtin_assume_aligned(out, 4); out[5] = __builtin_unpredictable(two == 2);
  out[6] = __builtin_expect_with_probability(two, 2, 0.9);
  if (two != 2) __builtin_unreachable();
}`, []int32{2, 1, 2, 2, 2, 1, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			launchValues(t, c.source, 1, make([]byte, 4*len(c.want)), func(w simtc.Strategy, out []byte) {
				got := make([]int32, len(c.want))
				_, err := binary.Decode(out, binary.LittleEndian, got)
				require.NoError(t, err)
				require.Equal(t, c.want, got, w)
			}, int32(2))
		})
	}
}

// TestCheckedArithmetic compares __builtin_OP_overflow for all integer types with exact
// arithmetic.
func TestCheckedArithmetic(t *testing.T) {
	kinds := []string{"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"}
	bits := func(kind int) uint { return 8 << (kind / 2) }
	wrap := func(x *big.Int, kind int) *big.Int { // to the range of the type
		n := bits(kind)
		y := new(big.Int).And(x, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), n), big.NewInt(1)))
		if kind%2 == 0 && y.Bit(int(n-1)) == 1 {
			y.Sub(y, new(big.Int).Lsh(big.NewInt(1), n))
		}
		return y
	}
	const items = 64
	r := rand.New(rand.NewSource(1))
	for _, op := range []string{"add", "sub", "mul"} {
		var body string
		type combination struct{ x, y, z int }
		var all []combination
		for z := range kinds { // each result type with operands of the same and of other types
			for _, c := range []combination{{z, z, z}, {(z + 3) % 8, (z + 5) % 8, z}, {6, 7, z}, {7, 6, z}} {
				body += fmt.Sprintf("  { %s x = (%s)a[i]; %s y = (%s)b[i]; %s z; out[n * i + %d] = __builtin_%s_overflow(x, y, &z); out[n * i + %d] = z; }\n",
					kinds[c.x], kinds[c.x], kinds[c.y], kinds[c.y], kinds[c.z], 2*len(all), op, 2*len(all)+1)
				all = append(all, c)
			}
		}
		n := 2 * len(all)
		source := fmt.Sprintf("__kernel void k(__global long *out, __global const ulong *a, __global const ulong *b) {\n  size_t i = get_global_id(0), n = %d;\n%s}\n", n, body)
		a, b := make([]uint64, items), make([]uint64, items)
		for i := range a {
			a[i], b[i] = uint64(int64(r.Uint64())>>r.Intn(64)), uint64(int64(r.Uint64())>>r.Intn(64))
		}
		corners := []uint64{0, 1, ^uint64(0), 1 << 63, 1<<63 - 1, 1 << 31, 1<<32 - 1, 0x80}
		for i := range 32 {
			a[i], b[i] = corners[i%8], corners[i*5/8%8]
		}
		launchValues(t, source, items, make([]byte, 8*n*items), func(w simtc.Strategy, out []byte) {
			overflows := 0
			for i := range items {
				for k, c := range all {
					x, y := wrap(new(big.Int).SetUint64(a[i]), c.x), wrap(new(big.Int).SetUint64(b[i]), c.y)
					z := map[string]func(*big.Int, *big.Int, *big.Int) *big.Int{
						"add": (*big.Int).Add, "sub": (*big.Int).Sub, "mul": (*big.Int).Mul,
					}[op](new(big.Int), x, y)
					low := wrap(z, c.z)
					at := 8 * (n*i + 2*k)
					over, value := binary.LittleEndian.Uint64(out[at:]), binary.LittleEndian.Uint64(out[at+8:])
					want := uint64(0)
					if low.Cmp(z) != 0 {
						want = 1
						overflows++
					}
					require.Equal(t, want, over, "%v: %s of %s %v and %s %v to %s", w, op, kinds[c.x], x, kinds[c.y], y, kinds[c.z])
					require.Equal(t, wrap(low, 7).Uint64(), value, "%v: %s of %s %v and %s %v to %s", w, op, kinds[c.x], x, kinds[c.y], y, kinds[c.z])
				}
			}
			require.Positive(t, overflows)
		}, simtc.Buffer(bytesOf(t, a)), simtc.Buffer(bytesOf(t, b)))
	}
}

// TestDotProducts checks integer dot products of vectors and of packed operands.
func TestDotProducts(t *testing.T) {
	t.Run("host", testDotProducts)
	t.Run("vnni", func(t *testing.T) {
		defer native.Assume(native.VNNI)()
		testDotProducts(t)
	})
}

func testDotProducts(t *testing.T) {
	const items = 64
	source := `__kernel void k(__global int *out, __global const uint *a, __global const uint *b, __global const int *c) {
  size_t i = get_global_id(0);
  uint x = a[i], y = b[i];
  __global int *r = out + 16 * i;
  r[0] = dot(as_uchar4(x), as_uchar4(y)); r[1] = dot(as_char4(x), as_char4(y));
  r[2] = dot(as_uchar4(x), as_char4(y)); r[3] = dot(as_char4(x), as_uchar4(y));
  r[4] = dot_acc_sat(as_uchar4(x), as_uchar4(y), (uint)c[i]); r[5] = dot_acc_sat(as_char4(x), as_char4(y), c[i]);
  r[6] = dot_acc_sat(as_uchar4(x), as_char4(y), c[i]); r[7] = dot_acc_sat(as_char4(x), as_uchar4(y), c[i]);
  r[8] = dot_4x8packed_uu_uint(x, y); r[9] = dot_4x8packed_ss_int(x, y);
  r[10] = dot_4x8packed_us_int(x, y); r[11] = dot_4x8packed_su_int(x, y);
  r[12] = dot_acc_sat_4x8packed_uu_uint(x, y, c[i]); r[13] = dot_acc_sat_4x8packed_ss_int(x, y, c[i]);
  r[14] = dot_acc_sat_4x8packed_us_int(x, y, c[i]); r[15] = dot_acc_sat_4x8packed_su_int(x, y, c[i]);
}`
	r := rand.New(rand.NewSource(2))
	a, b, acc := make([]uint32, items), make([]uint32, items), make([]int32, items)
	for i := range a {
		a[i], b[i], acc[i] = r.Uint32(), r.Uint32(), int32(r.Uint32())
	}
	for i, extreme := range []int32{math.MaxInt32, math.MinInt32, -1, 0} {
		a[i], b[i], acc[i] = 0x80ff7f80, 0x80ff7f80, extreme
		a[i+4], b[i+4], acc[i+4] = 0xffffffff, 0x80808080, extreme
		a[i+8], b[i+8], acc[i+8] = 0x80808080, 0x80808080, extreme
		a[i+12], b[i+12], acc[i+12] = 0xffffffff, 0x7f7f7f7f, extreme
		a[i+16], b[i+16], acc[i+16] = 0x00ff7f80, 0xff00807f, extreme
	}
	signs := [4][2]bool{{false, false}, {true, true}, {false, true}, {true, false}}
	launchValues(t, source, items, make([]byte, 64*items), func(w simtc.Strategy, out []byte) {
		for i := range items {
			for f, sign := range signs {
				sum := int64(0)
				for k := range 4 {
					x, y := int64(uint8(a[i]>>(8*k))), int64(uint8(b[i]>>(8*k)))
					if sign[0] {
						x = int64(int8(x))
					}
					if sign[1] {
						y = int64(int8(y))
					}
					sum += x * y
				}
				total := min(max(sum+int64(acc[i]), math.MinInt32), math.MaxInt32)
				if f == 0 {
					total = min(sum+int64(uint32(acc[i])), math.MaxUint32)
				}
				for form, want := range []int64{sum, total} {
					for _, packed := range []int{0, 8} {
						at := 4 * (16*i + packed + 4*form + f)
						require.Equal(t, uint32(want), binary.LittleEndian.Uint32(out[at:]), "%v: item %d, function %d", w, i, packed+4*form+f)
					}
				}
			}
		}
	}, simtc.Buffer(bytesOf(t, a)), simtc.Buffer(bytesOf(t, b)), simtc.Buffer(bytesOf(t, acc)))
}

// TestAsyncLines checks copies of lines and planes with offsets and gaps.
func TestAsyncLines(t *testing.T) {
	const items, n = 16, 96
	source := `__kernel void k(__global uchar *out, __global const uchar *in) {
  __local ushort part[48];
  for (int i = get_local_id(0); i < 48; i += get_local_size(0)) part[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_copy_2D2D(part, 1, in, 2, sizeof(ushort), 3, 4, 7, 5, 0);
  wait_group_events(1, &e);
  e = async_work_group_copy_3D3D(out, 2, part, 0, 3, 2, 2, 2, 3, 8, 4, 10, 0);
  wait_group_events(1, &e);
}`
	in := make([]byte, n)
	for i := range in {
		in[i] = byte(i*7 + 1)
	}
	part, want := make([]byte, n), make([]byte, n)
	for y := range 4 {
		copy(part[2*(1+5*y):][:6], in[2*(2+7*y):])
	}
	for z := range 2 {
		for y := range 2 {
			copy(want[3*(2+10*z+4*y):][:6], part[3*(8*z+3*y):])
		}
	}
	launchValues(t, source, items, make([]byte, n), func(w simtc.Strategy, out []byte) {
		require.Equal(t, want, out, w)
	}, simtc.Buffer(in))
}

// TestBlocks checks sub-group block reads and writes of all element types, for buffers
// and images. Image reads out of bounds give the nearest elements; writes out of bounds
// have no effect.
func TestBlocks(t *testing.T) {
	const lanes, rows, pitch = 8, 4, 128
	for _, c := range []struct {
		suffix, typ, space string
		n                  int
		size               int
	}{
		{"", "uint", "__global", 1, 4}, {"_ui", "uint", "__global", 2, 4}, {"", "uint", "__global", 4, 4}, {"", "uint", "__global", 8, 4},
		{"_uc", "uchar", "__global", 1, 1}, {"_uc", "uchar", "__global", 16, 1}, {"_us", "ushort", "__global", 8, 2},
		{"_ul", "ulong", "__global", 2, 8}, {"_uc", "uchar", "__local", 8, 1}, {"_us", "ushort", "__local", 4, 2}, {"_ul", "ulong", "__local", 1, 8},
	} {
		name := c.typ
		count := ""
		if c.n > 1 {
			count = fmt.Sprint(c.n)
		}
		t.Run(name+count+c.space, func(t *testing.T) {
			source := fmt.Sprintf(`__attribute__((intel_reqd_sub_group_size(8)))
__kernel void k(__global TYPE *out, const __global TYPE *in, read_only image2d_t from, write_only image2d_t to) {
  __local TYPE part[256];
  for (int i = get_local_id(0); i < N * 8; i += 8) part[i] = in[i + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  TYPEN v = READ((const SPACE TYPE *)%s), u = READ(from, (int2)(16, 1)), edge = READ(from, (int2)(96, 3));
  WRITE(out, v); WRITE(out + 8 * N, u); WRITE(out + 16 * N, edge);
  WRITE(to, (int2)(16, 2), v);
}`, map[string]string{"__global": "in + 1", "__local": "part"}[c.space])
			defines := []string{"TYPE=" + c.typ, "TYPEN=" + c.typ + count, fmt.Sprintf("N=%d", c.n), "SPACE=" + c.space,
				"READ=intel_sub_group_block_read" + c.suffix + count, "WRITE=intel_sub_group_block_write" + c.suffix + count}
			p, err := simtc.Compile(source, simtc.Options{Debug: simtc.Debug{EmulateMissing: true, Verify: true}, Defines: defines})
			require.NoError(t, err)
			defer func() { require.NoError(t, p.Close()) }()
			k, err := p.Kernel("k")
			require.NoError(t, err)
			in := make([]byte, (lanes*c.n+1)*c.size)
			rand.New(rand.NewSource(3)).Read(in)
			texels := make([]byte, rows*pitch)
			rand.New(rand.NewSource(4)).Read(texels)
			want := append([]byte(nil), in[c.size:]...)
			line := make([]byte, rows*pitch)
			elements := pitch / c.size
			for _, at := range [][2]int{{16, 1}, {96, 3}} {
				for i := range c.n {
					for l := range lanes {
						x, y := min(at[0]/c.size+l, elements-1), min(at[1]+i, rows-1)
						want = append(want, texels[y*pitch+x*c.size:][:c.size]...)
					}
				}
			}
			for i := range min(c.n, rows-2) {
				copy(line[(2+i)*pitch+16:], want[i*lanes*c.size:][:lanes*c.size])
			}
			for _, w := range []simtc.Strategy{{Target: simtc.Interpreter}, {Target: simtc.VIR, Width: 8}, {Target: simtc.AVX512, Width: 8}, {Target: simtc.AVX2, Width: 8}, {Target: simtc.WASM, Width: 8}} {
				if !runsHere(w.Target) {
					continue
				}
				way, err := k.With(w)
				require.NoError(t, err)
				image := func(data []byte) simtc.Image {
					return simtc.Image{Order: simtc.OrderR, Type: simtc.TypeUInt32, Width: pitch / 4, Height: rows, Data: data}
				}
				out, to := make([]byte, 3*lanes*c.n*c.size), make([]byte, rows*pitch)
				require.NoError(t, way.Launch(context.Background(), simtc.NDRange(lanes).WithLocal(lanes), simtc.Buffer(out), simtc.Buffer(in), image(texels), image(to)), w)
				require.Equal(t, want, out, w)
				require.Equal(t, line, to, w)
			}
		})
	}
}

// TestIntegerWrites checks that a write with the wrong signedness reinterprets the bits
// in the image's signedness and stores the nearest value of its type. The expected values
// are those of PoCL 3.1.
func TestIntegerWrites(t *testing.T) {
	source := `__kernel void k(__global int *out, write_only image2d_t im) {
  WRITE(im, (int2)(0, 0), (VALUE)(5, -5, 300, 70000)); WRITE(im, (int2)(1, 0), (VALUE)(-300, INT_MIN, INT_MAX, 200));
}`
	for _, c := range []struct {
		typ  simtc.ChannelType
		size int
		want []uint32
	}{
		{simtc.TypeUInt8, 1, []uint32{5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xc8}},
		{simtc.TypeUInt16, 2, []uint32{5, 0xffff, 0x12c, 0xffff, 0xffff, 0xffff, 0xffff, 0xc8}},
		{simtc.TypeUInt32, 4, []uint32{5, 0xfffffffb, 0x12c, 0x11170, 0xfffffed4, 0x80000000, 0x7fffffff, 0xc8}},
		{simtc.TypeInt8, 1, []uint32{5, 0xfb, 0x7f, 0x7f, 0x80, 0x80, 0x7f, 0x7f}},
		{simtc.TypeInt16, 2, []uint32{5, 0xfffb, 0x12c, 0x7fff, 0xfed4, 0x8000, 0x7fff, 0xc8}},
		{simtc.TypeInt32, 4, []uint32{5, 0xfffffffb, 0x12c, 0x11170, 0xfffffed4, 0x80000000, 0x7fffffff, 0xc8}},
	} {
		for _, defines := range [][]string{{"WRITE=write_imagei", "VALUE=int4"}, {"WRITE=write_imageui", "VALUE=uint4"}} {
			p, err := simtc.Compile(source, simtc.Options{Debug: simtc.Debug{EmulateMissing: true, Verify: true}, Defines: defines})
			require.NoError(t, err)
			k, err := p.Kernel("k")
			require.NoError(t, err)
			for _, w := range builtinWays(t) {
				way, err := k.With(w)
				require.NoError(t, err)
				data := make([]byte, 8*c.size)
				im := simtc.Image{Order: simtc.OrderRGBA, Type: c.typ, Width: 2, Height: 1, Data: data}
				require.NoError(t, way.Launch(context.Background(), simtc.NDRange(1), simtc.Buffer(make([]byte, 4)), im), w)
				for i, want := range c.want {
					var word [4]byte
					copy(word[:], data[i*c.size:][:c.size])
					require.Equal(t, want, binary.LittleEndian.Uint32(word[:]), "%v: %v, component %d", w, defines, i)
				}
			}
			require.NoError(t, p.Close())
		}
	}
}
