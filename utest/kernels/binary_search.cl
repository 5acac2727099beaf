// Lower bound of each lane's key in a sorted table.
// run: -k binary_search -g 1000 b:int:500:index,7,-100 int:500 b:int:1000:rand,220,-200,3600 b:int:1000
// sum: 0 d007f23309b4b6d9
// sum: 2 76deeac545459773
// sum: 3 e656ac778d40be60
// run: -k binary_search -g 17 b:int:1:index,7 int:1 b:int:17:rand,220,-2,2 b:int:17
// sum: 0 4d25767f9dce13f5
// sum: 2 99d994f769a83894
// sum: 3 a1e1fc47bf19b20d
__kernel void binary_search(__global const int *table, int n, __global const int *keys, __global int *found) {
  int i = get_global_id(0), key = keys[i];
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (table[mid] == key) {
      lo = mid;
      break;
    }
    if (table[mid] < key)
      lo = mid + 1;
    else
      hi = mid;
  }
  found[i] = (lo < n && table[lo] == key) ? lo : ~lo;
}
// bench: -k binary_search -g 500000 b:int:20000:index,7,-100 int:20000 b:int:500000:rand,220,-200,141000 b:int:500000
// sum: 0 f7b8854ae16e913e
// sum: 2 b6e9311d2cdbd6ee
// sum: 3 f2ef2025e3b9543b
