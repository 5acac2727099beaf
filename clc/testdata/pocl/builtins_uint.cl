// The integer functions and conversions of uint, on special and random values: to the bit what PoCL 3.1 gives.
// run: -k builtins_uint -g 812 b:uint4:812:rand,42 b:ulong:38164
// sum: 0 2db1982310c4ee97
// sum: 1 3307d88133c64b1d
__constant uint special[8] = {0x0U, 0x1U, 0x2U, 0xffffffffU, 0x80000000U, 0x7fffffffU, 0x80000001U, 0x5U};
__kernel void builtins_uint(__global const uint4 *in, __global ulong *o) {
  int i = get_global_id(0);
  uint x = in[i].x, y = in[i].y, z = in[i].z;
  if (i < 512) {
    x = (uint)special[i & 7];
    y = (uint)special[i >> 3 & 7];
    z = (uint)special[i >> 6];
  }
  o += i * 47;
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
  o[17]=(ulong)(mul24(x>>9,y>>9));
  o[18]=(ulong)(mad24(x>>9,y>>9,z));
  o[19]=(ulong)(select((uint4)(x,y,z,x),(uint4)(y,z,x,y),(uint4)(z,x,y,z)).y);
  o[20]=(ulong)(upsample(x,(uint)y));
  o[21]=(ulong)(convert_char(x));
  o[22]=(ulong)(convert_char_sat(x));
  o[23]=(ulong)(convert_uchar(x));
  o[24]=(ulong)(convert_uchar_sat(x));
  o[25]=(ulong)(convert_short(x));
  o[26]=(ulong)(convert_short_sat(x));
  o[27]=(ulong)(convert_ushort(x));
  o[28]=(ulong)(convert_ushort_sat(x));
  o[29]=(ulong)(convert_int(x));
  o[30]=(ulong)(convert_int_sat(x));
  o[31]=(ulong)(convert_uint(x));
  o[32]=(ulong)(convert_uint_sat(x));
  o[33]=(ulong)(convert_long(x));
  o[34]=(ulong)(convert_long_sat(x));
  o[35]=(ulong)(convert_ulong(x));
  o[36]=(ulong)(convert_ulong_sat(x));
  o[37]=(ulong)(as_uint(convert_float(x)));
  o[38]=(ulong)(as_ulong(convert_double(x)));
  o[39]=(ulong)(as_uint(convert_float_rte(x)));
  o[40]=(ulong)(as_ulong(convert_double_rte(x)));
  o[41]=(ulong)(as_uint(convert_float_rtz(x)));
  o[42]=(ulong)(as_ulong(convert_double_rtz(x)));
  o[43]=(ulong)(as_uint(convert_float_rtp(x)));
  o[44]=(ulong)(as_ulong(convert_double_rtp(x)));
  o[45]=(ulong)(as_uint(convert_float_rtn(x)));
  o[46]=(ulong)(as_ulong(convert_double_rtn(x)));
}
