// Estimates pi by a linear congruential generator; the sample count differs by lane.
// run: -k monte_carlo -g 500 b:uint:500:rand,229 b:float:500
// sum: 0 4413b581c03d3463
// sum: 1 0bcefd969b621462
__kernel void monte_carlo(__global const uint *seeds, __global float *estimate) {
  uint i = get_global_id(0), s = seeds[i];
  uint n = 50 + (s >> 25), inside = 0;
  for (uint k = 0; k < n; k++) {
    s = s * 1664525u + 1013904223u;
    float x = (float)(s >> 8) * (1.0f / 16777216.0f);
    s = s * 1664525u + 1013904223u;
    float y = (float)(s >> 8) * (1.0f / 16777216.0f);
    if (x * x + y * y <= 1.0f)
      inside++;
  }
  estimate[i] = 4.0f * (float)inside / (float)n;
}
// bench: -k monte_carlo -g 100000 b:uint:100000:rand,229 b:float:100000
// sum: 0 dc44205618be8b54
// sum: 1 c1df284c246e2367
