// Corners of the language in one kernel: what PoCL 3.1 computes.
// run: -k language -g 500 b:int4:500:rand,70,-1000,1000 b:int:80000 b:float:500:rand,3,-5,5 b:short:2000
// sum: 0 fcb2e8518e8ebb38
// sum: 1 7e88c2279e055017
// sum: 2 9518a091df08049c
// sum: 3 248233e1b9fc4741
typedef enum { A, B = 5, C } E;
typedef struct __attribute__((packed)) { char c; int i; short s[3]; } P;
typedef union { int i; float f; uchar4 u; uchar b[4]; short2 s; } U;
typedef struct { int a[3]; struct { float x; U u; } in; int4 v; } N;
int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
int early(int x) { if (x > 100) return 1; if (x < -100) return -1; while (x) { if (x & 8) return x; x >>= 1; if (x == -1) break; } return 77; }
N make(int x) { N n = {{x, x+1, x+2}, {.x = x * .5f, .u = {.i = x}}, (int4)(x)}; return n; }
float4 addv(float4 a, float s) { a += s; return a.wzyx; }
bool odd(int x) { return x & 1; }
__kernel void language(__global const int4 *in, __global int *out, __global float *f, __global half *h) {
  int i = get_global_id(0); int4 v = in[i]; __global int *o = out + i * 160; int x = v.x, y = v.y;
  E e = x > 0 ? B : C;
  *o++ = e + A;
  P p = {(char)x, y, {1, 2, (short)x}}; p.s[x & 1] += 3;
  *o++ = p.c + p.i * 2 + p.s[0] + p.s[1] * 10 + p.s[2];
  *o++ = sizeof(P);
  U u; u.i = x; u.b[1] ^= 0x55;
  *o++ = u.i; u.f = 1.5f;
  *o++ = u.i; u.u.yz = u.u.zy;
  *o++ = u.i;
  *o++ = u.s.x;
  N n = make(x), m; m = n; m.a[x & 1] = 9; m.in.u.u.w++; m.v.zw += n.v.xy;
  *o++ = sum(m.a, 3);
  *o++ = m.in.u.i;
  *o++ = m.v.z;
  *o++ = (int)m.in.x;
  m = x > y ? n : make(y);
  *o++ = m.a[2]; m = (n = make(3), n);
  *o++ = m.a[0];
  *o++ = make(y).a[1];
  *o++ = make(y).v.s2;
  swap(&x, &y);
  *o++ = x - y;
  *o++ = early(x);
  *o++ = early(y); x = v.x; y = v.y;
  int arr[2][3] = {{1,2,3},{4,x}}; arr[1][2] += arr[y & 1][1];
  *o++ = arr[1][2] + arr[1][1];
  *o++ = sum(&arr[0][1], 4); int *q = arr[1];
  *o++ = q[-1] + *(q + 1);
  *o++ = (int)(&arr[1][2] - q);
  int *pp = &x, **ppp = &pp; **ppp = 12;
  *o++ = x; pp = &y;
  *o++ = **ppp; x = v.x; y = v.y;
  *o++ = pp == &y;
  *o++ = pp != 0;
  *o++ = !pp;
  char c = (char)x; c += 300;
  *o++ = c; uchar uc = x; uc <<= 3;
  *o++ = uc; uc >>= 1;
  *o++ = uc; short s = x * 77; s = -s;
  *o++ = s;
  *o++ = (uc > c) + (uc < -1) + (1u > -1);
  *o++ = x / 7;
  *o++ = x % 7;
  *o++ = (uint)x / 7u;
  *o++ = (uint)x % 7u;
  *o++ = x >> 3;
  *o++ = (uint)x >> 3;
  *o++ = x << (y & 31);
  *o++ = ~x;
  *o++ = -x;
  *o++ = !x;
  *o++ = (int)((long)x * y >> 5);
  bool b = x; b ^= 1;
  *o++ = b; b = odd(y) || x > 3 && y < 4;
  *o++ = b;
  *o++ = odd(x) ? 5 : y;
  *o++ = b + b; b++;
  *o++ = b;
  float4 w = addv(convert_float4(v), .5f);
  *o++ = (int)w.x; w.s13 *= 2.f;
  *o++ = (int)w.y; w.odd = w.even;
  *o++ = (int)w.w; w += 1;
  *o++ = (int)w.x;
  *o++ = (int)(-w).y;
  *o++ = (int)w[y & 3]; w[x & 3] = 2;
  *o++ = (int)w.z;
  int4 g = v > (int4)(3);
  *o++ = g.x + g.y; g = v == v.yxwz;
  *o++ = g.x; g = v && g;
  *o++ = g.z; g = !v;
  *o++ = g.x; g = v > 0 ? v : -v;
  *o++ = g.w; g = v; g <<= 2;
  *o++ = g.x; g >>= (int4)(1,2,3,4);
  *o++ = g.w; g %= 5;
  *o++ = g.y; g ^= v;
  *o++ = g.x; g = ~g;
  *o++ = g.y; --g;
  *o++ = g.z;
  char3 c3 = convert_char3(v.xyz); c3 += (char3)(1, 2, 3);
  *o++ = c3.x + c3.z; uchar8 u8 = (uchar8)(1,2,3,4,5,6,7,8) * (uchar)x;
  *o++ = u8.s7 + u8.lo.hi.x; ushort16 u16 = (ushort16)(u8.s0, u8.s1, convert_ushort2(u8.s23), (ushort4)(x), (ushort8)(3));
  *o++ = u16.sf + u16.s4 + u16.s2;
  *o++ = as_int(f[i]);
  *o++ = as_int(as_uchar4(x).wzyx);
  *o++ = as_short2(y).y;
  *o++ = (int)as_long((int2)(x, y));
  *o++ = as_char8(v.xy).s5;
  *o++ = as_int3(v).z;
  vstore_half(f[i], i, h);
  *o++ = (int)(vload_half(i, h) * 1000);
  *o++ = vload3(0, (__global int*)(in + i)).z; vstore4(v, 0, o); o += 4; vstore2((int2)(x,y), 1, o - 2); o += 2;
  *o++ = ({ int t = x; t * 2; });
  *o++ = ((int4){1,2,3,x}).w;
  *o++ = (x, y);
  *o++ = sizeof(v) + sizeof(float3) + vec_step(v);
  *o++ = 'a' + "bc"[y & 1];
  *o++ = (int)get_global_size(0) + (int)get_work_dim() + (int)get_global_linear_id(); volatile int vi = x; vi += 2;
  *o++ = vi;
  for (int k = 0, z = 9; k < 3; k++, z--) { if (k == 1) continue;
  *o++ = z; } do { *o++ = 1; if (x > 0) break;
  *o++ = 2; } while (0); 
  switch (x & 7) { case 0: *o++ = 10; case 1: *o++ = 11; break; case 2 ... 4: { int t = x;
  *o++ = t; break; } default: *o++ = 5; case 6: ; }
  ulong ul = (ulong)x * 0x123456789abcdefUL;
  *o++ = (int)(ul >> 33);
  *o++ = (int)((long)ul >> 40);
  *o++ = (int)popcount(ul);
  *o++ = (int)(ul % 1000003);
  *o++ = (int)(float)ul;
  *o++ = (int)((double)x * 1.25);
  *o++ = (uchar)f[i]+(char)f[i];
  *o++ = (int)fmod((float)x, 7.5f);
}
