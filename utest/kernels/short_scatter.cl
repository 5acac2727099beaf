// Stores of 16 bits, each lane to its own element; some lanes store nothing.
// run: -k short_scatter -g 1000 b:short:1000:const,5 b:int:1000:rand,3,0,1
// sum: 0 1c5be6835a3cf1a2
// sum: 1 c00dea6c0488ccc5
// run: -k short_scatter -g 7 b:short:7:const,5 b:int:7:rand,3,0,1
// sum: 0 59a93b3badb709de
// sum: 1 fd16176154bf21b5
__kernel void short_scatter(__global short *dst, __global const int *on) {
  int id = (int)get_global_id(0);
  int n = (int)get_global_size(0);
  int mirrored = n - 1 - id;
  if (on[id])
    dst[mirrored] = (short)(id * 3);
}
