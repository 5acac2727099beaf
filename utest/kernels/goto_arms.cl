// gotos from one arm of an if into the other, and into the arms from outside.
// run: -k goto_arms -g 1000 b:int:1000:rand,49,-50,50 b:int:1000
// sum: 0 4bb6c974cdbfc41a
// sum: 1 9b2448392c01df74
__kernel void goto_arms(__global const int *in, __global int *out) {
  int i = get_global_id(0);
  int v = in[i], r = 0, turns = 0;
  if (v > 40)
    goto then_arm;
  if (v < -40)
    goto else_arm;
again:
  if (v & 1) {
    r += 3;
  then_arm:
    r = r * 2 + 1;
    if (r > 200)
      goto else_arm;
    r += v;
  } else {
    r -= 4;
  else_arm:
    r ^= 0x3c;
    if (turns == 0 && v < 0)
      goto then_arm_once;
  }
  goto next;
then_arm_once:
  turns++;
  goto then_arm;
next:
  v = v / 2;
  if (v != 0)
    goto again;
  out[i] = r;
}
