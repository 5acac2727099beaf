// Fitness of expressions, one in reverse Polish notation per work-item, over shared
// points: each iteration has its own stack, and errors are summed in the order of the points.
// Another kernel clears the bins of a histogram in each iteration, and finds the first iteration of a kind.
//
// run: -k fitness -g 37 b:uchar:37*18:rand,3,0,255 b:float2:40:rand,5,-2,2 int:40 b:float2:37
// sum: 0 6f27d8d8596849d1
// sum: 1 3a74dae0778518d8
// sum: 3 38d5c0eb81206791
// run: -k fitness -g 37 b:uchar:37*18:rand,4,0,255 b:float2:40:rand,6,-2,2 int:0 b:float2:37
// sum: 0 c7c4baca9f01e2d6
// sum: 1 75329704ff83a179
// sum: 3 5350442c19447045
// run: -k modes -g 41 b:uchar:41*50:rand,7 int:34 b:int4:41
// sum: 0 11efcf8fabe35f4c
// sum: 2 49c09943724d1ee1

#define LENGTH 18

__kernel void fitness(__global const uchar *programs, __global const float2 *points, int n, __global float2 *out) {
  int id = get_global_id(0);
  __global const uchar *program = programs + id * LENGTH;
  float stack[8], sum = 0.0f, worst = 0.0f;
  for (int i = 0; i < n; i++) {
    float2 p = points[i];
    int sp = 0;
    for (int pc = 0; pc < LENGTH; pc++) {
      uchar code = program[pc];
      if (code < 150) {
        if (sp < 8)
          stack[sp++] = code & 1 ? p.x : (float)code / 64.0f;
      } else if (sp > 1) {
        float b = stack[--sp];
        switch (code & 3) {
        case 0: stack[sp - 1] += b; break;
        case 1: stack[sp - 1] -= b; break;
        case 2: stack[sp - 1] *= b; break;
        default: stack[sp - 1] = fmax(stack[sp - 1], b); break;
        }
      }
    }
    float y = 0.0f;
    while (sp > 0)
      y += stack[--sp];
    float error = fabs(y - p.y);
    sum += error * 0.125f;
    worst = fmax(worst, error);
  }
  out[id] = (float2)(sum, worst);
}

__kernel void modes(__global const uchar *text, int n, __global int4 *out) {
  int id = get_global_id(0), first = -1, most = 0;
  uint hash = 7;
  __global const uchar *t = text + id * 50;
  for (int i = 0; i < n; i++) {
    int bins[4] = {0, 0, 0, 0}, mode = 0;
    for (int k = 0; k < 16; k++)
      bins[(t[i + k] ^ i) & 3] += k;
    for (int b = 1; b < 4; b++)
      mode = bins[b] > bins[mode] ? b : mode;
    first = (first < 0) & (bins[mode] > 70) ? i : first;
    most = max(most, bins[mode]);
    hash = hash * 33u ^ (uint)mode;
  }
  out[id] = (int4)(first, most, (int)hash, id);
}
