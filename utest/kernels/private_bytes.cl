// Private words read and written as bytes and shorts through cast pointers.
// run: -k private_bytes -g 1000 b:uint:1000:rand,66 b:uint:2000
// sum: 0 73fe0d8528ea4d96
// sum: 1 997ee040aea9ecab
__kernel void private_bytes(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0);
  uint w[3] = {in[i], ~in[i], i};
  uchar *b = (uchar *)w;
  uint s = 0;
  for (int k = 0; k < 12; k++)
    s = s * 7 + b[(k * 5 + (int)(in[i] & 3)) % 12];
  b[in[i] & 7] = 0xee;
  ((ushort *)w)[1] ^= 0x1111;
  *((char *)w + 9) = -3;
  out[2 * i] = s;
  out[2 * i + 1] = w[0] + 3 * w[1] + 5 * w[2];
}
