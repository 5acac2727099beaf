// Nested conditional operators, with divisions, calls and side effects in their arms.
// run: -k select_chain -g 1000 b:int:1000:rand,136,-20,20 b:int:1000
// sum: 0 cddc9da6146e67f4
// sum: 1 8a5a3a567d091b5a
int bump(int *p, int by) { return *p += by; }
__kernel void select_chain(__global const int *in, __global int *out) {
  int i = get_global_id(0), v = in[i], n = 3;
  int a = v > 10 ? v * 2 : v > 0 ? v + 100 : v < -10 ? -v : 7;
  int b = v ? 1000 / v : bump(&n, 5);
  int c = (v & 1 ? bump(&n, v) : n) + (v & 2 ? bump(&n, 1) : bump(&n, -1));
  long d = v > 5 ? a : 5000000000L;
  float e = v > 0 ? v : 0.5f;
  out[i] = a + 3 * b + 5 * c + 7 * n + (int)(d % 1000) + (int)(e * 4.0f);
}
