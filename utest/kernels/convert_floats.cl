// Conversions between float and integers with rounding modes and saturation.
// run: -k convert_floats -g 1000 b:float:1000:rand,87,-300,300 b:int:7000 b:uint:1000:rand,88 b:float:2000
// sum: 0 32a46c17532e93fd
// sum: 1 98c9be6c429abcfa
// sum: 2 fa7fd71d0a00538f
// sum: 3 f621a87ff15d83e7
__kernel void convert_floats(__global const float *in, __global int *out, __global const uint *words, __global float *fout) {
  int i = get_global_id(0);
  float x = in[i];
  __global int *o = out + 7 * i;
  o[0] = convert_int(x);
  o[1] = convert_int_rte(x);
  o[2] = convert_int_rtp(x);
  o[3] = convert_int_rtn(x * 0.25f);
  o[4] = convert_uchar_sat(x) * 1000 + convert_char_sat(x * 2.0f);
  o[5] = convert_uchar_sat_rte(x) + convert_short_sat(x * 1000.0f);
  o[6] = convert_int_sat(x * 1e8f) ^ (int)convert_uint_sat(x * 1e8f);
  fout[2 * i] = convert_float(words[i]) + (float)(int)words[i];
  fout[2 * i + 1] = (float)((ulong)words[i] << 20) + convert_float((long)in[i]);
}
