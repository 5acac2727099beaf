// Program-scope variables and static variables of functions: initial values, addresses of other
// variables and of constants, atomics, pointers stored in variables.
// run: -k program_variables -g 1000 --cl-std CL2.0 b:int:1000 b:int:24
// sum: 0 0a1a0b76d81c9a7e
// sum: 1 643b6949d143b77a PoCL 3.1 does not initialize the array four
// run: -k program_variables -g 777 -l 37 --cl-std CL3.0 b:int:777 b:int:24
// sum: 0 8cf75155c0b236db
// sum: 1 643b6949d143b77a PoCL 3.1 does not initialize the array four
typedef struct node { global struct node *next; int value; } node;

global int zero;
int negative = -7;
global float4 vector = (float4)(1, 2, 3, 4);
static short table[3][4] = { { 1, 2 }, { [2] = 5 }, { -1, -2, -3, -4 } };
global int *global where = &negative;
global short *row = table[2] + 1;
__constant char text[] = "constant";
__constant char *global letter = text + 3;
global int *__constant places[3] = { &zero, &negative, &negative };
extern node nodes[3];
node list[2] = { { nodes + 1, 10 }, { nodes, 20 } };
node nodes[3] = { { list, 1 }, { nodes + 2, 2 }, { 0, 3 } };
global atomic_uint histogram[64];
char bytes[5] = "abcd";
const int limit = 6;
global union { int *p; float f; } both = { &zero };

int calls(int n) {
  static int count = 100;
  return atomic_add(&count, n);
}

int prime(int i) {
  static const uchar primes[] = { 2, 3, 5, 7, 11, 13 };
  return primes[i % limit];
}

int sum(const int *p, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) s += p[i];
  return s;
}

kernel void program_variables(global int *out, global int *seen) {
  size_t i = get_global_id(0);
  atomic_inc(&zero);
  int before = calls(1);
  atomic_fetch_add(&histogram[i * 2654435761u >> 20 & 63], 1);
  int s = prime(i) + (before >= 100 ? 1000 : 0) + table[i % 3][i & 3] + bytes[i & 3];
  for (global node *n = nodes; n; n = n->next) s += n->value * (i & 7);
  out[i] = s + (places[i % 3] == &negative ? *places[i % 3] : 0) + (int)vector.z;
  if (i == 0) {
    static int four[4] = { 1, 2, 3, 4 };
    seen[0] = *where;
    seen[1] = *row;
    seen[2] = *letter;
    seen[3] = sum(four, 4);
    seen[4] = both.p == &zero;
    seen[5] = sizeof nodes;
    four[1] = 50;
    where = four + 1;
    seen[6] = *where;
    vector.w = 9;
    seen[7] = (int)(vector.w + vector.x);
  }
}
