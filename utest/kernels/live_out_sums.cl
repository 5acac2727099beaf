// A sum with which some lanes exit a loop in one iteration, while the others exit in a later
// one with their previous values.
// run: -k live_out_sums -g 1000 b:int:1000:rand,136,-20,40 b:int:1000 int:3
// sum: 0 232620f004d6a997
// sum: 1 13a26e34029e7a6b
__kernel void live_out_sums(__global const int *in, __global int *out, int rounds) {
  int i = get_global_id(0), n = in[i];
  for (int k = 0; k <= rounds; k++) {
    if (k == i % 16)
      goto done;
    n -= 7;
  }
  n = in[i] * 3;
done:
  out[i] = n;
}
