// ChaCha20's block function on vectors of four words, rotates by vector swizzles.
// run: -k chacha_quarter -g 200 b:uint8:200:rand,241 b:uint16:200
// sum: 0 9251502cdacf139a
// sum: 1 7b6a89a425e989dd
__kernel void chacha_quarter(__global const uint8 *key, __global uint16 *out) {
  uint i = get_global_id(0);
  uint4 a0 = (uint4)(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574), b0 = key[i].lo, c0 = key[i].hi, d0 = (uint4)(i, 1, 2, 3);
  uint4 a = a0, b = b0, c = c0, d = d0;
  for (int r = 0; r < 20; r++) {
    a += b;
    d = rotate(d ^ a, (uint4)16);
    c += d;
    b = rotate(b ^ c, (uint4)12);
    a += b;
    d = rotate(d ^ a, (uint4)8);
    c += d;
    b = rotate(b ^ c, (uint4)7);
    if (r & 1) {
      b = b.wxyz;
      c = c.zwxy;
      d = d.yzwx;
    } else {
      b = b.yzwx;
      c = c.zwxy;
      d = d.wxyz;
    }
  }
  out[i] = (uint16)(a + a0, b + b0, c + c0, d + d0);
}
