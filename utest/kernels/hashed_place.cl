// A loop updates one address, which is a hash that each step uses twice: the number of paths through the computation is exponential.
// run: -k hashed_place -g 64 b:uint:64 b:uint:4096 int:9
// sum: 0 7a20f558dbdff641
// sum: 1 aa7fa30d3c602da5
#define STEP(k) h = (h ^ (h >> k)) * 2654435761u;
#define STEPS STEP(3) STEP(7) STEP(11) STEP(13) STEP(17) STEP(5) STEP(16) STEP(9)
__kernel void hashed_place(__global uint *last, __global uint *counts, int n) {
  uint i = get_global_id(0);
  for (int k = 0; k < n; k++) {
    uint h = i + 1;
    STEPS STEPS STEPS STEPS STEPS STEPS
    counts[i * 64 + (h & 63)] += k;
  }
  last[i] = counts[i * 64 + (i & 63)];
}
