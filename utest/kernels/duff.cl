// Duff's device: case labels inside a do-while; the entry differs by lane.
// run: -k duff -g 1000 b:uint:1000:rand,41,1,30 b:uint:1000
// sum: 0 70ef1c60fc263cc7
// sum: 1 69f399b47eb6c2bc
// run: -k duff -g 1000 b:uint:1000:const,9 b:uint:1000
// sum: 0 57663d198711bc65
// sum: 1 0d6fd924809f1716
__kernel void duff(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0);
  uint count = in[i], r = i;
  int n = (int)((count + 3) / 4);
  switch (count % 4) {
  case 0:
    do {
      r = r * 31 + 1;
    case 3:
      r = r * 31 + 2;
    case 2:
      r = r * 31 + 3;
    case 1:
      r = r * 31 + 4;
    } while (--n > 0);
  }
  out[i] = r;
}
