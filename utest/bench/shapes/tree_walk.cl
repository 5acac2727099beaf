// A search tree in an array that all work-items share: each step's node is loaded from its parent, and children follow their parents.
// run: -k tree_walk -g 100 b:float:512:rand,310,-1,1 b:uchar2:512:rand,311,1,63 b:float:100*4:rand,312,-1,1 b:float:100 int:512
// sum: 0 f705299c2032d259
// sum: 1 961249c28dd0c928
// sum: 2 1700cd3ae0f4a795
// sum: 3 3107eaa65a5d0534
// bench: -k tree_walk -g 131072 b:float:4096:rand,310,-1,1 b:uchar2:4096:rand,311,1,255 b:float:131072*4:rand,312,-1,1 b:float:131072 int:4096
// sum: 0 c6e494c7c7ea386e
// sum: 1 a3ea3eeb98675809
// sum: 2 0b60822aae69691c
// sum: 3 c679a185322c6f72
__kernel void tree_walk(__global const float *threshold, __global const uchar2 *child, __global const float *features, __global float *out, int nodes) {
  int i = get_global_id(0), node = 0;
  float sum = 0.0f;
  while (node < nodes) {
    float t = threshold[node];
    uchar2 c = child[node];
    float f = features[4 * i + (node & 3)];
    if (f < t) {
      sum += t;
      node += c.x;
    } else {
      node += c.y;
    }
  }
  out[i] = sum;
}
