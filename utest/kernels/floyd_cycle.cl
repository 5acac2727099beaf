// Floyd's cycle detection on each lane's own quadratic map.
// run: -k floyd_cycle -g 300 b:uint:300:rand,233 b:uint:600
// sum: 0 9be3d26f0c509512
// sum: 1 f03bd1005fc2737e
uint f(uint x, uint c, uint m) { return (x * x + c) % m; }
__kernel void floyd_cycle(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0);
  uint c = in[i] & 0xff, m = 200 + (in[i] >> 24), x0 = in[i] % m;
  uint slow = f(x0, c, m), fast = f(slow, c, m);
  while (slow != fast) {
    slow = f(slow, c, m);
    fast = f(f(fast, c, m), c, m);
  }
  uint mu = 0;
  slow = x0;
  while (slow != fast) {
    slow = f(slow, c, m);
    fast = f(fast, c, m);
    mu++;
  }
  uint lambda = 1;
  for (fast = f(slow, c, m); slow != fast; fast = f(fast, c, m))
    lambda++;
  out[2 * i] = mu;
  out[2 * i + 1] = lambda;
}
// bench: -k floyd_cycle -g 20000 b:uint:20000:rand,233 b:uint:40000
// sum: 0 e26daa8c243dd854
// sum: 1 2de92832e83688c4
