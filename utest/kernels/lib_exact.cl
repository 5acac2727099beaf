// The math functions with exact results, and common functions, of float and
// double, scalar and vector (OpenCL C 1.2 6.12.2, 6.12.4).
// run: -k lib_exact -g 61 -D T=float -D N= b:float:61:rand,1,-999,999 b:float:61:rand,2,-40,40 b:int:61:rand,3,-200,200 b:float:1220
// sum: 0 0ed8969001f8c402
// sum: 1 c21d300b24850df2
// sum: 2 3c94d6600aae7fe1
// sum: 3 1969a765b5bae26d
// run: -k lib_common -g 61 -D T=float -D N= b:float:61:rand,6,-4,4 b:float:61:rand,7,-4,4 b:float:976
// sum: 0 215970aeddf42ba3
// sum: 1 1766c4bec9922000
// sum: 2 d825c4e80d49edcf
// run: -k lib_pointers -g 64 -l 16 -D T=float -D N=2 b:float2:64:rand,4,-30,30 b:float2:64:rand,5,-30,30 b:float2:576 b:int2:448 local:512 local:256
// sum: 0 44bfcddaeeee40fc
// sum: 1 95392c5219aeb9b8
// sum: 2 f2ae257ec82da605
// sum: 3 c72af67dc8460a00
// run: -k lib_common -g 61 -D T=float -D N=4 b:float4:61:rand,6,-4,4 b:float4:61:rand,7,-4,4 b:float4:976
// sum: 0 c576231244c92cc8
// sum: 1 40d17a6ec9f79b49
// sum: 2 53a589029c55b8da
// run: -k lib_pointers -g 64 -l 16 -D T=double -D N= b:double:64:rand,4,-30,30 b:double:64:rand,5,-30,30 b:double:576 b:int:448 local:512 local:256
// sum: 0 ff8eb5b15df5285c
// sum: 1 28378ddf801305e8
// sum: 2 4e3a7051fd8c3263
// sum: 3 fe1d35e14f595b4e
// run: -k lib_exact -g 61 -D T=double -D N=2 b:double2:61:rand,1,-999,999 b:double2:61:rand,2,-40,40 b:int2:61:rand,3,-200,200 b:double2:1220
// sum: 0 38e1b96b64f60f3f
// sum: 1 3b5e539c1010bde7
// sum: 2 43a28a712057c158
// sum: 3 a12fd7409385f450
// run: -k lib_common -g 61 -D T=double -D N=2 b:double2:61:rand,6,-4,4 b:double2:61:rand,7,-4,4 b:double2:976
// sum: 0 df3ee78dbe31f9d4
// sum: 1 9336e844244a5bb8
// sum: 2 8422029e7dae396d
#define CAT(a, b) CAT_(a, b)
#define CAT_(a, b) a##b
#define V CAT(T, N)
#define IV CAT(int, N)

// Bit patterns of NaN become 1.
__kernel void lib_exact(__global const V *a, __global const V *b, __global const IV *n, __global V *out) {
  int i = get_global_id(0);
  V x = a[i], y = b[i];
  x = isfinite(x) ? x : (V)1;
  y = isfinite(y) && y != 0 ? y : (V)1;
  __global V *o = out + 20 * i;
  o[0] = ceil(x);
  o[1] = floor(x);
  o[2] = trunc(x);
  o[3] = rint(x);
  o[4] = round(x);
  o[5] = fabs(x);
  o[6] = sqrt(fabs(x));
  o[7] = copysign(x, y);
  o[8] = nextafter(x, y);
  o[9] = logb(x);
  o[10] = ldexp(x, n[i]);
  o[11] = ldexp(x, 3);
  o[12] = fdim(x, y);
  o[13] = fmax(x, y) + fmax(x, (T)1);
  o[14] = fmin(x, y) + fmin(x, (T)1);
  o[15] = maxmag(x, y);
  o[16] = minmag(x, y);
  o[17] = fma(x, y, x);
  o[18] = fmod(x, y);
  o[19] = remainder(x, y);
}

// Results through pointers into every address space.
__kernel void lib_pointers(__global const V *a, __global const V *b, __global V *out, __global IV *whole, __local V *l, __local IV *li) {
  int i = get_global_id(0), k = get_local_id(0);
  V x = a[i], y = b[i], p;
  IV q;
  __global V *o = out + 9 * i;
  __global IV *w = whole + 7 * i;
  o[0] = fract(x, &p);
  o[1] = p;
  o[2] = modf(x, &o[3]);
  o[4] = fract(y, &l[k]) + l[k];
  o[5] = modf(y, &l[k]);
  o[6] = l[k];
  o[7] = frexp(x, &q);
  w[0] = q;
  frexp(y, &w[1]);
  frexp(x * y, &li[k]);
  w[2] = li[k];
  o[8] = remquo(x, y, &q);
  w[3] = q & 7;
  remquo(y, x, &w[4]);
  w[4] = w[4] & 7;
  remquo(y, x, &li[k]);
  w[5] = li[k] & 7;
  w[6] = ilogb(x);
}

__kernel void lib_common(__global const V *a, __global const V *b, __global V *out) {
  int i = get_global_id(0);
  V x = a[i], y = b[i];
  T s = ((__global const T *)b)[i];
  __global V *o = out + 16 * i;
  o[0] = clamp(x, (V)-1, (V)1);
  o[1] = clamp(x, (T)-2, (T)2);
  o[2] = degrees(x);
  o[3] = radians(x);
  o[4] = max(x, y);
  o[5] = max(x, s);
  o[6] = min(x, y);
  o[7] = min(x, s);
  o[8] = mix(x, y, x);
  o[9] = mix(x, y, s);
  o[10] = step(x, y);
  o[11] = step(s, y);
  o[12] = smoothstep((V)-1, (V)3, x);
  o[13] = smoothstep((T)-1, (T)3, x);
  o[14] = sign(x);
  o[15] = mad(x, (V)2, y); // only the sum rounds
}
