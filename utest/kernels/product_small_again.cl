// run: -k product_small_again -g 37 b:int:100:rand,72 b:int:37 uint:2147483649 uint:9
// sum: 0 ac580e9b0078d2c2
// sum: 1 0dabbada29545690
// A multiple that wraps is a small number in every second iteration, and an index only in those.
__kernel void product_small_again(__global const int *in, __global int *out, uint n, uint rounds) {
  uint sum = get_global_id(0);
  for (int k = 0; k < (int)rounds; k++)
    if (!(k & 1))
      sum = sum * 3 + in[(int)(k * n)];
  out[get_global_id(0)] = sum;
}
