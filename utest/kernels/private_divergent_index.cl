// A private array read and written at subscripts that differ by lane.
// run: -k private_divergent_index -g 1000 b:uint:1000:rand,63 b:uint:1000
// sum: 0 ef11772877522429
// sum: 1 f989161fb455bf91
// run: -k private_divergent_index -g 17 b:uint:17:rand,63 b:uint:17
// sum: 0 c0f0b530dff42f23
// sum: 1 06edea9ca39c9707
__kernel void private_divergent_index(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0);
  uint v = in[i];
  uint count[10] = {0};
  for (uint x = v; x; x /= 10)
    count[x % 10]++;
  uint order[10];
  for (int k = 0; k < 10; k++)
    order[k] = k;
  for (int k = 0; k < 12; k++) {
    uint p = (v >> k) % 10, q = (v >> (k + 3)) % 10;
    uint t = order[p];
    order[p] = order[q];
    order[q] = t;
    if (t == 4)
      count[q] += 2;
  }
  uint s = 0;
  for (int k = 0; k < 10; k++)
    s = s * 3 + count[order[k]] * (k + 1);
  out[i] = s;
}
