// A state machine made only of labels and gotos.
// run: -k goto_machine -g 1000 b:uint:1000:rand,51 b:uint:1000
// sum: 0 96b925359506f0ab
// sum: 1 df85a971f333bc9d
__kernel void goto_machine(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0);
  uint bits = in[i], seen = 0, score = 0;
start:
  if (seen == 32)
    goto stop;
  seen++;
  if ((bits >> (seen - 1)) & 1)
    goto one;
  goto start;
one:
  score += 1;
  if (seen == 32)
    goto stop;
  seen++;
  if ((bits >> (seen - 1)) & 1)
    goto two;
  score ^= 2;
  goto start;
two:
  score = score * 3;
  if (seen == 32)
    goto stop;
  seen++;
  if ((bits >> (seen - 1)) & 1)
    goto two;
  goto one;
stop:
  out[i] = score;
}
// bench: -k goto_machine -g 200000 b:uint:200000:rand,51 b:uint:200000
// sum: 0 60931921d9763b98
// sum: 1 7fdd7afb0d33daca
