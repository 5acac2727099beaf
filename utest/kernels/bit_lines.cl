// Lines of three on a 3x3 board: conditions that test several bits, alone and combined.
// run: -k bit_lines -g 1200 b:uint:1200:rand,931,0,511 b:uint:1200:rand,932,0,511 b:uint:1200
// sum: 0 dd43ab24036eb449
// sum: 1 ba84940c984b7377
// sum: 2 2e9b12050eb2a027
int line(uint b) {
  return (b & 0007) == 0007 || (b & 0070) == 0070 || (b & 0700) == 0700 || (b & 0111) == 0111 ||
         (b & 0222) == 0222 || (b & 0444) == 0444 || (b & 0421) == 0421 || (b & 0124) == 0124;
}

__kernel void bit_lines(__global const uint *mine, __global const uint *theirs, __global uint *out) {
  uint i = get_global_id(0), b = mine[i], o = theirs[i] & ~b, n = 0;
  for (uint m = 1; m < 512; m <<= 1) {
    if ((b | o) & m)
      continue;
    n = n * 3 + line(b | m) + (line(o | m) ? 2 : 0);
    int edge = (o & 0505) == 0404 | (o & 0252) == 0250 | (o & 0020) == 0 | (o & 0700) == 0500 | (b & m << 1) == m << 1;
    n += edge * 81;
  }
  out[i] = n;
}
