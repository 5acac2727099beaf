// One compare-exchange step of a bitonic sort: the lower partner of each pair works.
// run: -k bitonic_step -g 1024 b:uint:1024:rand,219 uint:8 uint:32
// sum: 0 906176b029293950
// run: -k bitonic_step -g 1024 b:uint:1024:rand,219 uint:1 uint:2
// sum: 0 257416f656e0af34
__kernel void bitonic_step(__global uint *keys, uint distance, uint block) {
  uint i = get_global_id(0), j = i ^ distance;
  if (j > i) {
    uint a = keys[i], b = keys[j];
    if ((a > b) == ((i & block) == 0)) {
      keys[i] = b;
      keys[j] = a;
    }
  }
}
