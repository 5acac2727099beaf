// Loops that lanes exit one by one, with exits on which all remaining lanes agree: these exit together, and their live-out values are uniform.
// run: -k kill_exits -g 1003 b:int:1003:rand,21,0,40 b:int:1003 b:int:1003 int:13
// sum: 0 41c2d729f580f6c8
// sum: 1 695e2a14b16f5e91
// sum: 2 316898d08edc4207
// run: -k kill_exits -g 1003 b:int:1003:rand,22,0,40 b:int:1003 b:int:1003 int:60
// sum: 0 d27166926c82322e
// sum: 1 92672831c9aa9a23
// sum: 2 bf59a188d6818546
// run: -k kill_exits -g 1003 b:int:1003:rand,23,0,40 b:int:1003 b:int:1003 int:0
// sum: 0 78756e676a324e5a
// sum: 1 9fd7c8da100861a6
// sum: 2 909369e33cb278bb
__kernel void kill_exits(__global const int *in, __global int *out, __global int *why, int limit) {
  int i = get_global_id(0);
  int x = in[i], j, k, w = 0;
  for (j = 0; j < limit; j++) {
    if (x == j)
      break;
    x = (x * 5 + 3) % 41;
    if (j == 29) {
      w = 1;
      break;
    }
  }
  int y = x;
  for (k = 0;; k++) {
    if (y > 35) {
      w |= 2;
      break;
    }
    if (k > limit) {
      w |= 4;
      break;
    }
    if (k & 1)
      continue;
    if (y == 7) {
      w |= 8;
      goto out;
    }
    y += 3;
  }
  w |= 16;
out:
  out[i] = x + 1000 * j + 100000 * k;
  why[i] = w;
}
// bench: -k kill_exits -g 500003 b:int:500003:rand,21,0,40 b:int:500003 b:int:500003 int:13
// sum: 0 6a80141eee8d4e8e
// sum: 1 26426180a53903dc
// sum: 2 fe5182abd1f68c3b
