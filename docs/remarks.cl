struct point { float x, y; int cell; };

__kernel void settle(__global struct point *points, __global const float *field, float step, int steps, int noisy) {
  int i = get_global_id(0);
  float x = points[i].x, y = points[i].y;
  int n = 0;
  for (; n < steps; n++) {
    float f = field[points[i].cell];
    if (f * f < step)
      break;
    x += f;
    y -= f * step;
    if (noisy)
      y += field[n];
  }
  points[i].x = x;
  points[i].y = y;
}
