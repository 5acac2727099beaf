// A loop nest with exits to many targets, each with its own live-out values.
// run: -k exit_cascade -g 777 b:uint:777:rand,31 b:uint:777
// sum: 0 d921e1f46e4fb359
// sum: 1 a9d23c9489a34007
// run: -k exit_cascade -g 64 -l 64 b:uint:64:rand,32 b:uint:64
// sum: 0 97a102e449126bcf
// sum: 1 eae46b1d23caf907
__kernel void exit_cascade(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0);
  uint x = in[i], r = 0, a, b = 0;
  for (a = 0; a < 20; a++) {
    for (b = 0; b < 10; b++) {
      x = x * 1664525u + 1013904223u;
      switch (x >> 28) {
      case 0: r = a; goto one;
      case 1: r = b; goto two;
      case 2: goto next;
      case 3: r += 5; goto three;
      case 4: break;
      case 5: if (r > 900) { out[i] = x ^ r; return; }
      default: r += x >> 20;
      }
      if (r > 100000) goto three;
    }
    r ^= b;
  next:
    r += 3;
  }
  r += 7;
one:
  r = r * 3 + a;
two:
  r ^= b << 3;
three:
  out[i] = r + x;
}
// bench: -k exit_cascade -g 200000 b:uint:200000:rand,31 b:uint:200000
// sum: 0 3364d9e2905e29ca
// sum: 1 728afc259c3ef636
