// Base64 of 10 to 12 bytes per work-item, with padding.
// run: -k base64 -g 300 b:uchar:3600:rand,225 b:uchar:4800
// sum: 0 7f35eaf374ef9ce2
// sum: 1 637302f6a9c9302e
// run: -k base64 -g 17 b:uchar:204:rand,225 b:uchar:272
// sum: 0 bfcdfbe778106717
// sum: 1 09e18a5a174c3322
__constant char alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
__kernel void base64(__global const uchar *in, __global uchar *out) {
  int i = get_global_id(0);
  int n = 12 - i % 3;
  __global const uchar *s = in + 12 * i;
  __global uchar *o = out + 16 * i;
  for (int k = 0; k < n; k += 3) {
    int left = n - k;
    uint w = (uint)s[k] << 16;
    if (left > 1)
      w |= (uint)s[k + 1] << 8;
    if (left > 2)
      w |= s[k + 2];
    *o++ = alphabet[w >> 18];
    *o++ = alphabet[(w >> 12) & 63];
    *o++ = left > 1 ? alphabet[(w >> 6) & 63] : '=';
    *o++ = left > 2 ? alphabet[w & 63] : '=';
  }
}
// bench: -k base64 -g 200000 b:uchar:2400000:rand,225 b:uchar:3200000
// sum: 0 7010b264a199539e
// sum: 1 1b31c128c24709b3
