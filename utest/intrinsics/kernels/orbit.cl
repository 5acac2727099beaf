// Five steps of z*z + c on pairs of floats; by hand real and imaginary parts are separated.
// run: -k orbit -g 262144 b:float2:262144:rand,3,-1,1 b:float2:262144
__kernel void orbit(__global const float2 *in, __global float2 *out) {
  size_t i = get_global_id(0);
  float2 c = in[i], z = c;
  for (int k = 0; k < 5; k++)
    z = (float2)(z.x * z.x - z.y * z.y + c.x, 2 * z.x * z.y + c.y);
  out[i] = z;
}
