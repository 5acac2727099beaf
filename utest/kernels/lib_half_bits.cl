// Functions on the bits of halves, and functions that round once, scalar and vector: for
// all numbers and infinities.
// run: -k lib_half_bits -g 61 -D N= b:short:61:rand,1,-31744,31744 b:short:61:rand,2,0,31744 b:short:61:rand,3,-1024,1024 b:ushort:427 b:int:122
// sum: 0 1edaf3141f5a18d0
// sum: 1 be19cc08e60ecc13
// sum: 2 af3db98d5e132bf2
// sum: 3 1f470b1edeeeff03
// sum: 4 a2a3ebe377e52e80
// run: -k lib_half_bits -g 61 -D N=4 b:short4:61:rand,1,-1100,31744 b:short4:61:rand,2,0,31744 b:short4:61:rand,3,-1024,1024 b:ushort4:427 b:int4:122
// sum: 0 d13572952abfb204
// sum: 1 170ae630642a9d76
// sum: 2 7da2d28816450b94
// sum: 3 cf76f318cc0b2133
// sum: 4 d675037ac252a78d
#define CAT(a, b) CAT_(a, b)
#define CAT_(a, b) a##b
#define H CAT(half, N)
#define BITS(x) CAT(as_ushort, N)(x)
#define KIND(x) CAT(convert_int, N)(x)
#define NUMBER(x) (isnan(x) ? (H)1 : (x))
__kernel void lib_half_bits(__global const CAT(short, N) *a, __global const CAT(short, N) *b, __global const CAT(short, N) *c, __global CAT(ushort, N) *out, __global CAT(int, N) *kinds) {
  int i = get_global_id(0);
  H x = CAT(as_half, N)(a[i]), y = CAT(as_half, N)(b[i]), z = CAT(as_half, N)(c[i]), whole;
  x = NUMBER(x);
  y = NUMBER(y);
  z = NUMBER(z);
  __global CAT(ushort, N) *o = out + 7 * i;
  o[0] = BITS(nextafter(x, y));
  o[1] = BITS(fract(x, &whole)) ^ BITS(whole);
  o[2] = BITS(bitselect(x, y, z));
  o[3] = BITS(nan(BITS(z)));
  H sum = fma(x, y, z);
  o[4] = BITS(NUMBER(sum));
  o[5] = BITS(copysign(x, z)) ^ BITS(fabs(z));
  o[6] = BITS(nextafter(z, x));
  kinds[2 * i] = KIND(isnormal(x)) + 2 * KIND(isfinite(y)) + 4 * KIND(signbit(x));
  kinds[2 * i + 1] = KIND(isinf(y)) + 2 * KIND(isnormal(z)) + 4 * KIND(signbit(z));
}
