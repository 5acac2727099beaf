// The integer functions and conversions of uchar, on special and random values: to the bit what PoCL 3.1 gives.
// run: -k builtins_uchar -g 812 b:uchar4:812:rand,42 b:ulong:36540
// sum: 0 8ef9dacd95697049
// sum: 1 7ce3db4dddd55b54
__constant uchar special[8] = {0x0U, 0x1U, 0x2U, 0xffU, 0x80U, 0x7fU, 0x81U, 0x5U};
__kernel void builtins_uchar(__global const uchar4 *in, __global ulong *o) {
  int i = get_global_id(0);
  uchar x = in[i].x, y = in[i].y, z = in[i].z;
  if (i < 512) {
    x = (uchar)special[i & 7];
    y = (uchar)special[i >> 3 & 7];
    z = (uchar)special[i >> 6];
  }
  o += i * 45;
  o[0]=(ulong)(abs(x));
  o[1]=(ulong)(abs_diff(x,y));
  o[2]=(ulong)(add_sat(x,y));
  o[3]=(ulong)(sub_sat(x,y));
  o[4]=(ulong)(hadd(x,y));
  o[5]=(ulong)(rhadd(x,y));
  o[6]=(ulong)(clz(x));
  o[7]=(ulong)(popcount(x));
  o[8]=(ulong)(mul_hi(x,y));
  o[9]=(ulong)(mad_hi(x,y,z));
  o[10]=(ulong)(mad_sat(x,y,z));
  o[11]=(ulong)(rotate(x,y));
  o[12]=(ulong)(min(x,y));
  o[13]=(ulong)(max(x,y));
  o[14]=(ulong)(clamp(x,min(y,z),max(y,z)));
  o[15]=(ulong)(bitselect(x,y,z));
  o[16]=(ulong)(select(x,y,z));
  o[17]=(ulong)(select((uchar4)(x,y,z,x),(uchar4)(y,z,x,y),(uchar4)(z,x,y,z)).y);
  o[18]=(ulong)(upsample(x,(uchar)y));
  o[19]=(ulong)(convert_char(x));
  o[20]=(ulong)(convert_char_sat(x));
  o[21]=(ulong)(convert_uchar(x));
  o[22]=(ulong)(convert_uchar_sat(x));
  o[23]=(ulong)(convert_short(x));
  o[24]=(ulong)(convert_short_sat(x));
  o[25]=(ulong)(convert_ushort(x));
  o[26]=(ulong)(convert_ushort_sat(x));
  o[27]=(ulong)(convert_int(x));
  o[28]=(ulong)(convert_int_sat(x));
  o[29]=(ulong)(convert_uint(x));
  o[30]=(ulong)(convert_uint_sat(x));
  o[31]=(ulong)(convert_long(x));
  o[32]=(ulong)(convert_long_sat(x));
  o[33]=(ulong)(convert_ulong(x));
  o[34]=(ulong)(convert_ulong_sat(x));
  o[35]=(ulong)(as_uint(convert_float(x)));
  o[36]=(ulong)(as_ulong(convert_double(x)));
  o[37]=(ulong)(as_uint(convert_float_rte(x)));
  o[38]=(ulong)(as_ulong(convert_double_rte(x)));
  o[39]=(ulong)(as_uint(convert_float_rtz(x)));
  o[40]=(ulong)(as_ulong(convert_double_rtz(x)));
  o[41]=(ulong)(as_uint(convert_float_rtp(x)));
  o[42]=(ulong)(as_ulong(convert_double_rtp(x)));
  o[43]=(ulong)(as_uint(convert_float_rtn(x)));
  o[44]=(ulong)(as_ulong(convert_double_rtn(x)));
}
