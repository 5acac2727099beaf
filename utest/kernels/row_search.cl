// Sums the rows of a sparse matrix of sorted coordinates: each work-item searches for the start of its row.
// run: -k row_sums -g 1000 b:uint:5000:index,7,3 b:int:5000:rand,31,-200,200 b:int:1000 b:ushort:1000 uint:5000 uint:36
// sum: 0 15e031aad0ea285f
// sum: 1 042703bfe2a43647
// sum: 2 6b82220dc054350c
// sum: 3 8fe67fc8caf8fce7
// run: -k row_sums -g 17 b:uint:1:index,7,3 b:int:1:rand,31,-200,200 b:int:17 b:ushort:17 uint:1 uint:2
// sum: 0 ed202287f403d086
// sum: 1 31f371b1ae91d4e1
// sum: 2 d9b3fbbc65c67601
// sum: 3 afd5f635eb6665ec
__kernel void row_sums(__global const uint *places, __global const int *values, __global int *sums, __global ushort *lengths, uint n, uint columns) {
  const uint row = get_global_id(0), first = row * columns, last = first + columns;
  uint lo = 0, hi = n;
  while (lo < hi) {
    const uint mid = lo + ((hi - lo) >> 1);
    if (places[mid] < first)
      lo = mid + 1;
    else
      hi = mid;
  }
  uint k = lo;
  int sum = 0;
  for (; k < n && places[k] < last; k++)
    sum += values[k];
  sums[row] = sum;
  lengths[row] = k - lo;
}
