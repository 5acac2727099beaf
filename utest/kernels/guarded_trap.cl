// Division by a value that is zero in the inactive lanes; an endless loop that no lane enters.
// run: -k guarded_trap -g 1000 b:int:1000:rand,125,-3,3 b:int:1000 b:int:1000
// sum: 0 6a7bcca3e37d786d
// sum: 1 92a34bcc12ba2fab
// sum: 2 2e2b18c864f37bdd
__kernel void guarded_trap(__global const int *in, __global int *out, __global int *rem) {
  int i = get_global_id(0);
  int v = in[i], q = 0, m = 0;
  if (v != 0) {
    q = (i + 1000) / v;
    m = (i - 500) % v;
  }
  if (v > 3)
    while (v > 2)
      out[0] = v;
  out[i] = q;
  rem[i] = v ? i / v + m : 5;
}
