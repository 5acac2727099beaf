// Program data that contains addresses of program data: tables of strings, structs, lists, cycles.
// run: -k tables -g 40 b:int:64
// sum: 0 183843975a2a71a8
__constant int t[] = {1, 2, 3, 40, 50, 60};
__constant int *__constant p = t + 1;
__constant char *__constant names[] = {"ab", "cd", "xyz"};
typedef struct { int k; __constant char *s; __constant int *v[2]; } E;
__constant E e[] = {{1, "x", {t, t + 3}}, {2, "yz", {&t[4], 0}}, {3, "ab", {p + 1, [1] = &e[0].k}}};
struct node { int x; __constant struct node *next; };
extern __constant struct node b;
__constant struct node a = {5, &b};
__constant struct node b = {7, &a};
__constant struct node one[2] = {{9, one + 1}, {10, one}};
__constant int (*__constant rows)[3] = (__constant int (*)[3])t;
__kernel void tables(__global int *o) {
  int i = get_global_id(0), m = i % 3, s = 0;
  __constant struct node *w = i & 1 ? &a : &b;
  for (int n = 0; n < i; n++) w = w->next;
  __constant struct node *y = one;
  for (int n = 0; n < i; n++) y = y->next;
  o[i] = p[m] + names[m][1] + e[m].s[0] * 3 + e[m].v[0][0] * 7 + (e[m].v[1] ? e[m].v[1][0] : -1) * 11 + w->x * 13 + y->x * 17
    + rows[i & 1][m] + a.next->x * 100 + names[2][2] + e[1].v[0][1];
}
