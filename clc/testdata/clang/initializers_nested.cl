// Initializers (C99 6.7.8) and constant expressions, of __constant data and of private variables:
// the bytes that clang 16 makes of them.
// run: -k k -g 1 b:uchar:1354 b:int:1
// sum: 0 0c0fc6f9f39227f2
// sum: 1 604bc9e870ce9c88
#define P constant
typedef struct { int a, b; } AB;
typedef struct { AB x, y; int z[3]; } N;
typedef union { char c[8]; int i[2]; struct { short s, t; } st; double d; } U;
typedef struct { int n; int f[3]; float4 v; char name[6]; U u; } M;
P N n1 = {.x = 1, 2, 3, 4, 5};
P N n2 = {.y.b = 1, 2, .x = {3}, 4};
P N n3 = {{1}, 2, 3, {4}};
P N n4[2] = {[1].z[1] = 5, 6, [0].y = {7,8}, 9};
P N n5[2] = {1,2,3,4,5,6,7,8,9,10,11,12,13};
P U u1 = {"abc"}; P U u2 = {.i = {1}}; P U u3 = {.st.t = 5}; P U u4 = {{'a','b'}}; P U u5 = {.d = 1.5}; P U u6 = {1,2,3};
P M m1 = {1, {2,3}, {4,5,6,7}, "hello", {.i[1] = 3}};
P M m2 = {1, 2,3,4, (float4)(5), {"hi"}, {.c = {"xy"}}};
P M m3[] = {{.name = "a"}, {.v = {1,2,3,4}, "bc", 7}, [3] = {.f[1] = 4, 5}};
P int a1[2][2][2] = {1,2,{3,4},{{5,6},7,8}};
P int a2[][2] = {1,2,3,[4] = {5},6,7,8};
P int a3[4] = {1,2,[1] = 5,6};
P struct { struct { int p; struct { int q, r; }; }; int s; } an = {1, 2, 3, 4};
P struct { struct { int p; struct { int q, r; }; }; int s; } an2 = {.q = 2, 3, 4};
P struct { int a; union { int b; float c; }; int d; } an3 = {1, {.c = 2}, 3};
P struct { int a; union { int b; float c; }; int d; } an4 = {1, 2, 3};
P struct { int a; union { int b; float c; }; int d; } an5 = {.c = 1.0f, 5};
P int dd[3][3] = {[1][1] = 1, 2, 3, [0] = {4}};
P int ee[5] = {[0 ... 2] = 1, [1] = 2};
P char cs[3][3] = {[1] = {"z"}, "yy", [0][1] = 'q'};
P int2 vv[3] = {{1,2}, (int2)(3,4), {5,6}};
P struct { int2 v; int k; } sv = {{1,2},3}; 
P struct { char a; int b[2]; } se[] = {'a', 1, 2, 'b', {3}};
void dump(global uchar *o, uint *n, const constant uchar *p, uint k) { for (uint i = 0; i < k; i++) o[(*n)++] = p[i]; }
#define D(x) dump(o, &n, (const constant uchar *)&x, sizeof(x));
#define L(x) for (uint i = 0; i < sizeof(x); i++) o[n++] = ((const uchar *)&x)[i];
kernel void k(global uchar *o, global int *len) {
  uint n = 0; 
  D(n1) D(n2) D(n3) D(n4) D(n5) D(u1) D(u2) D(u3) D(u4) D(u5) D(u6) D(m1) D(m2) D(m3) D(a1) D(a2) D(a3) D(an) D(an2) D(an3) D(an4) D(an5) D(dd) D(ee) D(cs) D(vv) D(sv) D(se)
  int q = o[0];
  N n1 = {.x = 1, 2, q, 4, 5}; L(n1)
  N n2 = {.y.b = 1, 2, .x = {3}, 4}; L(n2)
  N n4[2] = {[1].z[1] = 5, 6, [0].y = {7,8}, q}; L(n4)
  N n5[2] = {1,2,3,4,5,6,7,8,9,10,11,12,13}; L(n5)
  AB y = {7, q}; N n6 = {y, 3, 4, 5}; L(n6)
  N n7 = {.y = y, 6}; L(n7)
  M m3[] = {{.name = "a"}, {.v = {1,2,3,4}, "bc", 7}, [3] = {.f[1] = 4, 5}}; L(m3)
  M m1 = {1, {2,3}, {4,5,6,7}, "hello", {.i[1] = 3}}; L(m1)
  int dd[3][3] = {[1][1] = 1, 2, 3, [0] = {4}}; L(dd)
  struct { int a; union { int b; float c; }; int d; } an5 = {.c = 1.0f, 5}; L(an5)
  char cs[3][3] = {[1] = {"z"}, "yy", [0][1] = 'q'}; L(cs)
  len[0] = n;
}
