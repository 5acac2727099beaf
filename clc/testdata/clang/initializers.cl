// Initializers (C99 6.7.8) and constant expressions, of __constant data and of private variables:
// the bytes that clang 16 makes of them.
// run: -k k -g 1 b:uchar:950 b:int:1
// sum: 0 a64f64107a531d81
// sum: 1 1384dd14adcd18ee
typedef struct { int a, b; } AB;
typedef struct { char s[4]; AB x[2]; union { int u; float f; }; struct { short p, q; } in; } big;
#define P constant
P int2 v1[2] = {{1,2},{3,4}};
P int2 v2[2] = {(int2)(1,2),(int2)(3,4)};
P float4 v3 = {1,2,3,4};
P float4 v4 = (float4)(1);
P float4 v5 = {(float2)(1,2),3,4};
P AB ab[] = {1,2,3,4,5};
P AB ab2[3] = {[1] = {7}, {8,9}};
P AB ab3[3] = {[2].b = 5, [0] = 1, 2, 3};
P big b1 = {"abc", 1,2,3,4, 5, 6,7};
P big b2 = {{'a','b'}, {{1},{.b=2}}, {.f = 1.0f}, {.q = 9}};
P big b3 = {.x[1].b = 3, .s = "xyz", .u = 4, 5};
P big b4 = {.s = {"q"}, .x = {1,2,3}, .in.q = 3};
P char str[] = "ab" "cd";
P char str2[3] = "abc";
P uchar str3[2][3] = {"a", {"bc"}};
P char str4[2][2][4] = {{"abc", "de"}, {{"x"}}};
P char str5[][3] = {"ab", "c", [4] = "z"};
P int m[2][3] = {1,2,3,4};
P int m2[2][3] = {{1},{2,3}};
P int m3[][2][2] = {{{1},{2}},{3,4,5}};
P int m4[4] = {[2] = 1, 2, [0] = 3, 4};
P int m5[6] = {[1 ... 3] = 7, 8};
P int sc = {5};
P int one = 1 + sc;
P int idx = "abc"[1];
P float fsum = 1.5f + 2;
P int neg = -7 / 2, rem = -7 % 3, sh = 1 << 5, cond = 2 > 1 ? 10 : 1/0;
P ulong big64 = 1UL << 63;
P int cmp = (1 < 2) + (2.0f == 2) + !3 + ~0;
P int dif = &m4[3] - &m4[1];
P int *constant pm = &m4[1] + 1;
P char *constant ps = "hello" + 1;
P char *constant pss[2] = {"ab", str};
P float swz = 3;
P int3 i3 = {1,2,3};
P char cneg = -1; P uchar cc = 300 & 255; P short trnc = (short)70000; P int fi = 3.9f;
P bool bb = 5; P bool bz = 0.0f;
P long off = (long)&((big*)0)->in.q;
P AB abc = (AB){3,4};
P int sz = sizeof(big) + sizeof(str5) + sizeof(ab);
P float inf = INFINITY, ninf = -INFINITY; P double dinf = HUGE_VAL; P float hv = HUGE_VALF; P double di = INFINITY;
P float4 inf4 = {INFINITY, -INFINITY, 0, HUGE_VALF};
P int infc = INFINITY > 3 ? 5 : 6;
P float mx = MAXFLOAT; P double fd = 1.0f/3.0f; P float third = 1.0f/3.0f; P double dt = 1.0/3; P float fl = 0.1; P float ov = 1e30f*1e30f;
P int comma = (1, 2);
P uint un = -1; P int ui = 4000000000u; P ulong ul = -1; P long ll = -1u;
enum { E0 = 5, E1, E2 = E0 * 3 }; P int en[E1] = {E2, [E0] = 1};
void dump(global uchar *o, uint *n, const constant uchar *p, uint k) { for (uint i = 0; i < k; i++) o[(*n)++] = p[i]; }
#define D(x) dump(o, &n, (const constant uchar *)&x, sizeof(x));
#define L(x) for (uint i = 0; i < sizeof(x); i++) o[n++] = ((const uchar *)&x)[i];
kernel void k(global uchar *o, global int *len) {
  uint n = 0;
  D(v1) D(v2) D(v3) D(v4) D(v5) D(ab) D(ab2) D(ab3) D(b1) D(b2) D(b3) D(b4) D(str) D(str2) D(str3) D(str4) D(str5) D(m) D(m2) D(m3) D(m4) D(m5)
  D(sc) D(one) D(idx) D(fsum) D(neg) D(rem) D(sh) D(cond) D(big64) D(cmp) D(dif) D(swz) D(cneg) D(cc) D(trnc) D(fi) D(bb) D(bz) D(off) D(abc) D(sz)
  D(inf) D(ninf) D(dinf) D(hv) D(di) D(inf4) D(infc) D(mx) D(fd) D(third) D(dt) D(fl) D(ov) D(comma) D(un) D(ui) D(ul) D(ll) D(en)
  o[n++] = *pm; o[n++] = *ps; o[n++] = pss[0][1]; o[n++] = pss[1][2]; o[n++] = i3.z;
  int2 v1[2] = {{1,2},{3,4}}; L(v1)
  AB ab[] = {1,2,3,4,5}; L(ab)
  AB x = {3, 4}; AB xx[3] = {x, {5}, x}; L(xx)
  big b1 = {"abc", 1,2,3,4, 5, 6,7}; L(b1)
  big b1x = {{"abc"}, x, {1}, {5}}; L(b1x)
  big b2 = {{'a','b'}, {{1},{.b=2}}, {.f = 1.0f}, {.q = 9}}; L(b2)
  big b3 = {.x[1].b = 3, .s = "xyz", .u = 4, 5}; L(b3)
  char str4[2][2][4] = {{"abc", "de"}, {{"x"}}}; L(str4)
  char str5[][3] = {"ab", "c", [4] = "z"}; L(str5)
  char str6[5] = {"hello"}; L(str6)
  char str7[] = {"hello"}; L(str7)
  int m3[][2][2] = {{{1},{2}},{3,4,5}}; L(m3)
  int m5[6] = {[1 ... 3] = 7, 8}; L(m5)
  float4 v5 = {(float2)(1,2),3,4}; L(v5)
  float inf[3] = {INFINITY, -HUGE_VALF, 1/INFINITY}; L(inf)
  len[0] = n;
}
