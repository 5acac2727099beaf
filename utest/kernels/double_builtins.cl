// Double forms of the exact built-ins, and conversions with rounding.
// run: -k double_builtins -g 500 b:double2:500:rand,104,-50,50 b:double:6000 b:int4:500
// sum: 0 627ebdf7ba710360
// sum: 1 5de03b6daf5a354a
// sum: 2 35aca28341d50156
__kernel void double_builtins(__global const double2 *in, __global double *out, __global int4 *cls) {
  int i = get_global_id(0);
  double x = in[i].x, y = in[i].y;
  __global double *o = out + 12 * i;
  o[0] = floor(x) + ceil(y);
  o[1] = trunc(x) + rint(y) * 3.0;
  o[2] = round(y);
  o[3] = fmin(x, y) + fmax(x, 2.0) + fabs(y);
  o[4] = sqrt(fabs(x));
  o[5] = fma(x, y, 0.1);
  o[6] = clamp(x, -1.0, 1.0);
  o[7] = x * y + 0.1;
  o[8] = select(x, y, (long)(x < y));
  o[9] = (double)as_long(x) + convert_double(as_ulong(y));
  o[10] = step(x, y) + sign(x);
  o[11] = (double)(float)x - x;
  cls[i] = (int4)(isnan(x), isless(x, y), convert_int_rte(x), convert_int_sat(x * 1e9));
}
