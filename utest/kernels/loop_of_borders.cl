// A loop with two versions, one for lanes away from the border: in that version
// the loop-carried value does not change at first.
// run: -k loop_of_borders -g 70 b:int:100:rand,1,0,99 b:int:70 int:40 int:3 int:4
// sum: 0 685fc96091033227
// sum: 1 dbc67ce7f0dd575f
__kernel void loop_of_borders(__global const int *in, __global int *out, int w, int m, int n) {
  int i = get_global_id(0);
  int last = 7, s = in[i], t = 1;
  for (int k = 0; k < n; k++) {
    int c = min(i + m, w - 1);
    s += in[c];
    last = c != i + m ? last * 3 + k : last;
    s ^= in[c + k] * t;
    t += s;
  }
  out[i] = s + last * 1000 + t;
}
