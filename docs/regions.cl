__kernel void regions(__global int *a, int n) {
  int i = get_global_id(0), x = a[i];
  if (x > 5) {
    if (n > 8) {
      if (x & 1)
        x = x * 3;
      else
        x = x - 7;
      x = x * x - 1;
    } else
      x = a[n];
    x ^= n;
  }
  a[i] = x;
}
