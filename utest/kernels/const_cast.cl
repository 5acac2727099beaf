// A buffer is written although a pointer to const refers to it: the buffer itself is not const.
// run: -k const_cast -g 100 b:int:100:index b:int:100:index,2 b:int:200:index,3
// sum: 0 865fed2612d53669
// sum: 1 5bd386cdf4d6c365
// sum: 2 91b236e515173be3
__kernel void const_cast(__global const uchar *bytes, __global const int *kept, __global const int *out) {
  int i = get_global_id(0);
  __global int *p = (__global int *)(bytes + 4 * i);
  *p += kept[i];
  __global int *q = i & 1 ? (__global int *)out : (__global int *)(out + 100);
  q[i] = *p;
}
