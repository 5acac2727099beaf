// Sizes and offsets of structs under #pragma pack, as clang 16 computes them for spir64.
#define OFF(t, m) __builtin_offsetof(t, m)
typedef int aligned8 __attribute__((aligned(8)));
#pragma pack(push, 1)
struct a { char c; int i; double d; float4 v; };
struct a2 { char c; int i __attribute__((aligned(4))); };
struct a3 { char c; int i; } __attribute__((aligned(16)));
struct a4 { char c; aligned8 i; };
union au { char c; int i; };
#pragma pack(push, mid, 4)
struct b { char c; double d; short s; };
struct b1 { char c; double d __attribute__((aligned(32))); short s; };
struct b2 { char c; struct a n; struct b m; };
struct b3 { char c; double d; } __attribute__((packed));
struct b4 { char c; double d __attribute__((packed)); int e; };
union bu { char c[5]; double d; };
#pragma pack(push, 2)
struct c { char c; int i; short s; };
#pragma pack(pop, mid)
struct d { char c; int i; };
#pragma pack(pop)
struct e { char c; int i; };
#pragma pack(2)
struct f { char c; int i; struct { char x; 
#pragma pack(1)
int y; } in; struct { char x; int y; } in2; };
struct f2 { char c; int i; };
#pragma pack()
struct g { char c; int i; };
#pragma pack(8)
struct h { char c; float4 v; double8 w; };
#pragma pack(0)
#pragma pack(push)
#pragma pack(2)
struct i { char c; int i; char d; };
#pragma pack(pop)
_Pragma("pack(push,1)") struct j { char c; int i; }; _Pragma("pack(pop)")
struct k { char c; struct j x; struct i y; struct a4 z; aligned8 w; };
#define N 2
#pragma pack(push, N)
struct l { char c; int i; };
#pragma pack(pop)
struct m { char c; int3 v; char d; } __attribute__((packed));
struct n { char c; aligned8 v; char d; } __attribute__((packed));
_Static_assert(sizeof(struct a) == 29, "sizeof(struct a): 29");
_Static_assert(__alignof__(struct a) == 1, "__alignof__(struct a): 1");
_Static_assert(OFF(struct a, c) == 0, "OFF(struct a, c): 0");
_Static_assert(OFF(struct a, i) == 1, "OFF(struct a, i): 1");
_Static_assert(OFF(struct a, d) == 5, "OFF(struct a, d): 5");
_Static_assert(OFF(struct a, v) == 13, "OFF(struct a, v): 13");
_Static_assert(sizeof(struct a2) == 5, "sizeof(struct a2): 5");
_Static_assert(__alignof__(struct a2) == 1, "__alignof__(struct a2): 1");
_Static_assert(OFF(struct a2, c) == 0, "OFF(struct a2, c): 0");
_Static_assert(OFF(struct a2, i) == 1, "OFF(struct a2, i): 1");
_Static_assert(sizeof(struct a3) == 16, "sizeof(struct a3): 16");
_Static_assert(__alignof__(struct a3) == 16, "__alignof__(struct a3): 16");
_Static_assert(OFF(struct a3, c) == 0, "OFF(struct a3, c): 0");
_Static_assert(OFF(struct a3, i) == 1, "OFF(struct a3, i): 1");
_Static_assert(sizeof(struct a4) == 5, "sizeof(struct a4): 5");
_Static_assert(__alignof__(struct a4) == 1, "__alignof__(struct a4): 1");
_Static_assert(OFF(struct a4, c) == 0, "OFF(struct a4, c): 0");
_Static_assert(OFF(struct a4, i) == 1, "OFF(struct a4, i): 1");
_Static_assert(sizeof(union au) == 4, "sizeof(union au): 4");
_Static_assert(__alignof__(union au) == 1, "__alignof__(union au): 1");
_Static_assert(OFF(union au, c) == 0, "OFF(union au, c): 0");
_Static_assert(OFF(union au, i) == 0, "OFF(union au, i): 0");
_Static_assert(sizeof(struct b) == 16, "sizeof(struct b): 16");
_Static_assert(__alignof__(struct b) == 4, "__alignof__(struct b): 4");
_Static_assert(OFF(struct b, c) == 0, "OFF(struct b, c): 0");
_Static_assert(OFF(struct b, d) == 4, "OFF(struct b, d): 4");
_Static_assert(OFF(struct b, s) == 12, "OFF(struct b, s): 12");
_Static_assert(sizeof(struct b1) == 16, "sizeof(struct b1): 16");
_Static_assert(__alignof__(struct b1) == 4, "__alignof__(struct b1): 4");
_Static_assert(OFF(struct b1, c) == 0, "OFF(struct b1, c): 0");
_Static_assert(OFF(struct b1, d) == 4, "OFF(struct b1, d): 4");
_Static_assert(OFF(struct b1, s) == 12, "OFF(struct b1, s): 12");
_Static_assert(sizeof(struct b2) == 48, "sizeof(struct b2): 48");
_Static_assert(__alignof__(struct b2) == 4, "__alignof__(struct b2): 4");
_Static_assert(OFF(struct b2, c) == 0, "OFF(struct b2, c): 0");
_Static_assert(OFF(struct b2, n) == 1, "OFF(struct b2, n): 1");
_Static_assert(OFF(struct b2, m) == 32, "OFF(struct b2, m): 32");
_Static_assert(sizeof(struct b3) == 9, "sizeof(struct b3): 9");
_Static_assert(__alignof__(struct b3) == 1, "__alignof__(struct b3): 1");
_Static_assert(OFF(struct b3, c) == 0, "OFF(struct b3, c): 0");
_Static_assert(OFF(struct b3, d) == 1, "OFF(struct b3, d): 1");
_Static_assert(sizeof(struct b4) == 16, "sizeof(struct b4): 16");
_Static_assert(__alignof__(struct b4) == 4, "__alignof__(struct b4): 4");
_Static_assert(OFF(struct b4, c) == 0, "OFF(struct b4, c): 0");
_Static_assert(OFF(struct b4, d) == 1, "OFF(struct b4, d): 1");
_Static_assert(OFF(struct b4, e) == 12, "OFF(struct b4, e): 12");
_Static_assert(sizeof(union bu) == 8, "sizeof(union bu): 8");
_Static_assert(__alignof__(union bu) == 4, "__alignof__(union bu): 4");
_Static_assert(OFF(union bu, c) == 0, "OFF(union bu, c): 0");
_Static_assert(OFF(union bu, d) == 0, "OFF(union bu, d): 0");
_Static_assert(sizeof(struct c) == 8, "sizeof(struct c): 8");
_Static_assert(__alignof__(struct c) == 2, "__alignof__(struct c): 2");
_Static_assert(OFF(struct c, c) == 0, "OFF(struct c, c): 0");
_Static_assert(OFF(struct c, i) == 2, "OFF(struct c, i): 2");
_Static_assert(OFF(struct c, s) == 6, "OFF(struct c, s): 6");
_Static_assert(sizeof(struct d) == 5, "sizeof(struct d): 5");
_Static_assert(__alignof__(struct d) == 1, "__alignof__(struct d): 1");
_Static_assert(OFF(struct d, c) == 0, "OFF(struct d, c): 0");
_Static_assert(OFF(struct d, i) == 1, "OFF(struct d, i): 1");
_Static_assert(sizeof(struct e) == 8, "sizeof(struct e): 8");
_Static_assert(__alignof__(struct e) == 4, "__alignof__(struct e): 4");
_Static_assert(OFF(struct e, c) == 0, "OFF(struct e, c): 0");
_Static_assert(OFF(struct e, i) == 4, "OFF(struct e, i): 4");
_Static_assert(sizeof(struct f) == 18, "sizeof(struct f): 18");
_Static_assert(__alignof__(struct f) == 2, "__alignof__(struct f): 2");
_Static_assert(OFF(struct f, c) == 0, "OFF(struct f, c): 0");
_Static_assert(OFF(struct f, i) == 2, "OFF(struct f, i): 2");
_Static_assert(OFF(struct f, in) == 6, "OFF(struct f, in): 6");
_Static_assert(OFF(struct f, in2) == 12, "OFF(struct f, in2): 12");
_Static_assert(OFF(struct f, in.x) == 6, "OFF(struct f, in.x): 6");
_Static_assert(OFF(struct f, in.y) == 8, "OFF(struct f, in.y): 8");
_Static_assert(OFF(struct f, in2.x) == 12, "OFF(struct f, in2.x): 12");
_Static_assert(OFF(struct f, in2.y) == 13, "OFF(struct f, in2.y): 13");
_Static_assert(sizeof(struct f2) == 5, "sizeof(struct f2): 5");
_Static_assert(__alignof__(struct f2) == 1, "__alignof__(struct f2): 1");
_Static_assert(OFF(struct f2, c) == 0, "OFF(struct f2, c): 0");
_Static_assert(OFF(struct f2, i) == 1, "OFF(struct f2, i): 1");
_Static_assert(sizeof(struct g) == 8, "sizeof(struct g): 8");
_Static_assert(__alignof__(struct g) == 4, "__alignof__(struct g): 4");
_Static_assert(OFF(struct g, c) == 0, "OFF(struct g, c): 0");
_Static_assert(OFF(struct g, i) == 4, "OFF(struct g, i): 4");
_Static_assert(sizeof(struct h) == 88, "sizeof(struct h): 88");
_Static_assert(__alignof__(struct h) == 8, "__alignof__(struct h): 8");
_Static_assert(OFF(struct h, c) == 0, "OFF(struct h, c): 0");
_Static_assert(OFF(struct h, v) == 8, "OFF(struct h, v): 8");
_Static_assert(OFF(struct h, w) == 24, "OFF(struct h, w): 24");
_Static_assert(sizeof(struct i) == 8, "sizeof(struct i): 8");
_Static_assert(__alignof__(struct i) == 2, "__alignof__(struct i): 2");
_Static_assert(OFF(struct i, c) == 0, "OFF(struct i, c): 0");
_Static_assert(OFF(struct i, i) == 2, "OFF(struct i, i): 2");
_Static_assert(OFF(struct i, d) == 6, "OFF(struct i, d): 6");
_Static_assert(sizeof(struct j) == 5, "sizeof(struct j): 5");
_Static_assert(__alignof__(struct j) == 1, "__alignof__(struct j): 1");
_Static_assert(OFF(struct j, c) == 0, "OFF(struct j, c): 0");
_Static_assert(OFF(struct j, i) == 1, "OFF(struct j, i): 1");
_Static_assert(sizeof(struct k) == 32, "sizeof(struct k): 32");
_Static_assert(__alignof__(struct k) == 8, "__alignof__(struct k): 8");
_Static_assert(OFF(struct k, c) == 0, "OFF(struct k, c): 0");
_Static_assert(OFF(struct k, x) == 1, "OFF(struct k, x): 1");
_Static_assert(OFF(struct k, y) == 6, "OFF(struct k, y): 6");
_Static_assert(OFF(struct k, z) == 14, "OFF(struct k, z): 14");
_Static_assert(OFF(struct k, w) == 24, "OFF(struct k, w): 24");
_Static_assert(sizeof(struct l) == 6, "sizeof(struct l): 6");
_Static_assert(__alignof__(struct l) == 2, "__alignof__(struct l): 2");
_Static_assert(OFF(struct l, c) == 0, "OFF(struct l, c): 0");
_Static_assert(OFF(struct l, i) == 2, "OFF(struct l, i): 2");
_Static_assert(sizeof(struct m) == 18, "sizeof(struct m): 18");
_Static_assert(__alignof__(struct m) == 1, "__alignof__(struct m): 1");
_Static_assert(OFF(struct m, c) == 0, "OFF(struct m, c): 0");
_Static_assert(OFF(struct m, v) == 1, "OFF(struct m, v): 1");
_Static_assert(OFF(struct m, d) == 17, "OFF(struct m, d): 17");
_Static_assert(sizeof(struct n) == 6, "sizeof(struct n): 6");
_Static_assert(__alignof__(struct n) == 1, "__alignof__(struct n): 1");
_Static_assert(OFF(struct n, c) == 0, "OFF(struct n, c): 0");
_Static_assert(OFF(struct n, v) == 1, "OFF(struct n, v): 1");
_Static_assert(OFF(struct n, d) == 5, "OFF(struct n, d): 5");
kernel void k(global int *p) { *p = 1; }
