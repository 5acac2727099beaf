// The active work-items depend on the paths they took: through loops that
// they exit at different times, continue, break, switch and goto.
// run: -k paths -g 150 -l 75 b:uint:150:zero b:int:150:rand,3,0,100 int:3
// sum: 0 1e34ca0689b3ee9f the interpreter's, of sub-groups of 16
// sum: 1 ec1c50f4159befb4 the interpreter's, of sub-groups of 16
// run: -k phases -g 40,6 -l 20,3 b:uint:240:zero b:int:240:rand,3,0,100 local:1024
// sum: 0 da5469963aeaead1 the interpreter's, of sub-groups of 16
// sum: 1 81688ef4b054132a the interpreter's, of sub-groups of 16
// run: -k rounds -g 100 -l 50 b:uint:100:zero b:int:100:rand,3,0,100 int:7
// sum: 0 7d1399c1592572d4 the interpreter's, of sub-groups of 16
// sum: 1 3770fb56a34b20d2 the interpreter's, of sub-groups of 16
uint meet(uint h, int x) { return h * 33 + sub_group_non_uniform_reduce_add(x) + (sub_group_ballot(1).x ^ sub_group_ballot(x & 1).x * 3); }

__kernel void paths(__global uint *out, __global const int *in, int n) {
  uint i = get_global_id(0), h = 7;
  int x = in[i];
  for (int k = 0; k < x % 9; k++) {
    if ((x + k) % 3 == 0) continue;
    h = meet(h, k);
    if (x > 40 && k == 4) {
      h = meet(h, x); // after the loop, with work-items of other iterations
      break;
    }
    for (int j = k; j < 5; j += 1 + x % 2) {
      if (j == 3) continue;
      h = meet(h, j + x);
    }
  }
  h = meet(h, 1);
  for (;;) { // two loops with one header
    do {
      h = meet(h, x);
      x -= 5;
    } while (x % 4 != 0 && x > 0);
    if (x <= 0) break;
  }
  switch (x & 3) {
  case 0: h = meet(h, 10);
  case 1: h = meet(h, 11); break;
  case 2: h += 5; break;
  default: h = meet(h, 12);
  }
again:
  h = meet(h, h & 15);
  if (h % 5 == 0) goto again;
  for (int k = 0; k < n; k++) h = meet(h, (h >> k) & 255);
  if (h & 64) {
    if (h & 32) { out[i] = meet(h, 3); return; }
    h = meet(h, 4);
  }
  for (int k = 0; sub_group_non_uniform_any((h >> k & 7) == 1) && k < 9; k++) h = h * 5 + 1 + sub_group_broadcast_first(h);
  out[i] = meet(h, 5);
}

// A path between barriers.
__kernel void phases(__global uint *out, __global const int *in, __local uint *all) {
  uint l = get_local_id(0) + get_local_size(0) * get_local_id(1), size = get_local_size(0) * get_local_size(1);
  uint i = get_global_id(0) + get_global_size(0) * get_global_id(1), h = 1;
  int x = in[i];
  for (int k = 0; k < 3; k++) {
    all[l] = h;
    barrier(CLK_LOCAL_MEM_FENCE);
    h = meet(h, all[(l + 3) % size] & 63);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x & 1 << k) h = meet(h, x + k);
    for (int j = 0; j < (x & 3); j++) h = meet(h, j);
  }
  out[i] = h + get_sub_group_id();
}

// Barriers inside of loops that some work-items do not reach in every iteration.
__kernel void rounds(__global uint *out, __global const int *in, int n) {
  uint i = get_global_id(0), h = 7;
  int x = in[i];
  for (int k = 0; k < n; k++) {
    if (k != 1 && (x + k) % 3 == 0) continue;
    if (k == 1) barrier(CLK_LOCAL_MEM_FENCE);
    h = meet(h, k);
    for (int j = 0; j < 4; j++) {
      if (j + k != 3 && (x + j) % 5 == 0) continue;
      if (k == 1 && j == 2) barrier(CLK_LOCAL_MEM_FENCE);
      h = meet(h, j);
    }
  }
  out[i] = h;
}
