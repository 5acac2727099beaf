// Straight-line code: arithmetic on three inputs.
// run: -k straight_line -g 1000 b:uint:1000:rand,1 b:uint:1000:rand,2 b:uint:1000:rand,3 b:uint:1000
// sum: 0 535f0d2055a2101f
// sum: 1 69531610b2cd0c85
// sum: 2 ff92e7da28d10b10
// sum: 3 f15cfa17a2e74dc7
// run: -k straight_line -g 7 b:uint:7:rand,1 b:uint:7:rand,2 b:uint:7:rand,3 b:uint:7
// sum: 0 3f51b38b4f5f10cf
// sum: 1 63a6f7f82ba0e66a
// sum: 2 6d62da4e251467a3
// sum: 3 55896e9a05b55e10
__kernel void straight_line(__global const uint *a, __global const uint *b, __global const uint *c, __global uint *d) {
  size_t i = get_global_id(0);
  uint x = a[i], y = b[i], z = c[i];
  uint t = x * y + z;
  t ^= t >> 15;
  t = (t << 3) | (t >> 29);
  t -= x & ~y;
  t += (y | z) % 1021u;
  t *= 2654435761u;
  d[i] = t / ((z & 15u) + 1u) - x;
}
