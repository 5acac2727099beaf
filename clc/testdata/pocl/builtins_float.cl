// Every function on float but the series, on special and random values: to the bit what PoCL 3.1 gives, but for mad, which is rounded once, and the sign of fract of -0 and -infinity.
// run: -k builtins_float -g 1241 b:float4:1241:rand,41,-9,9 b:uint:1164058
// sum: 0 3e38aebfb60375b2
// sum: 1 33cb15db05719775
#define T float
#define U uint
#define S int
#define T2 float2
#define I2 int2
#define T3 float3
#define I3 int3
#define T4 float4
#define I4 int4
#define C(e) do{T r_=(e); *o++ = isnan(r_) ? (U)0x7fc00000 : as_uint(r_);}while(0)
#define C2 C
__constant U special[29] = {0x0U, 0x80000000U, 0x3f800000U, 0xbf800000U, 0x3f000000U, 0xbf000000U, 0x3fc00000U, 0x40200000U, 0xc0200000U, 0x1U, 0x80000001U, 0x7fffffU, 0x800000U, 0x80800000U, 0x7f7fffffU, 0xff7fffffU, 0x7f800000U, 0xff800000U, 0x7fc00000U, 0x3effffffU, 0x4b000001U, 0x4b7fffffU, 0xcb000001U, 0x4f000000U, 0xcf000000U, 0x5f000000U, 0x4f7fffffU, 0x40490fdbU, 0x3eaaaaabU};
__kernel void builtins_float(__global const T4 *in, __global U *out) {
  int i = get_global_id(0);
  T4 V = in[i];
  if (i < 841) V.xyz = (T3)(as_float(special[i / 29]), as_float(special[i % 29]), as_float(special[(i * 7 + i / 29) % 29]));
  T x=V.x,y=V.y,z=V.z; U w=as_uint(V.w)+i*7919; __global U*o=out+i*938;
  { o = out + i * 938 + 0; C(fabs(x)); }
  { o = out + i * 938 + 14; C(sqrt(x)); }
  { o = out + i * 938 + 28; C(rsqrt(x)); }
  { o = out + i * 938 + 42; C(floor(x)); }
  { o = out + i * 938 + 56; C(ceil(x)); }
  { o = out + i * 938 + 70; C(trunc(x)); }
  { o = out + i * 938 + 84; C(rint(x)); }
  { o = out + i * 938 + 98; C(round(x)); }
  { o = out + i * 938 + 112; C(sign(x)); }
  { o = out + i * 938 + 126; C(degrees(x)); }
  { o = out + i * 938 + 140; C(radians(x)); }
  { o = out + i * 938 + 154; C(logb(x)); }
  { o = out + i * 938 + 168; C(length(x)); }
  { o = out + i * 938 + 182; C(normalize(x)); }
  { o = out + i * 938 + 196; C(native_sqrt(x)); }
  { o = out + i * 938 + 210; C(native_rsqrt(x)); }
  { o = out + i * 938 + 224; C(native_recip(x)); }
  { o = out + i * 938 + 238; C(half_sqrt(x)); }
  { o = out + i * 938 + 252; C(half_rsqrt(x)); }
  { o = out + i * 938 + 266; C(half_recip(x)); }
  { o = out + i * 938 + 280; T p; C(fract(x,&p)); C2(p); }
  { o = out + i * 938 + 294; T p; C(modf(x,&p)); C2(p); }
  { o = out + i * 938 + 308; int p; C(frexp(x,&p)); *o++=p; }
  { o = out + i * 938 + 322; C(fmin(x,y)); }
  { o = out + i * 938 + 336; C(fmax(x,y)); }
  { o = out + i * 938 + 350; C(copysign(x,y)); }
  { o = out + i * 938 + 364; C(fdim(x,y)); }
  { o = out + i * 938 + 378; C(maxmag(x,y)); }
  { o = out + i * 938 + 392; C(minmag(x,y)); }
  { o = out + i * 938 + 406; C(nextafter(x,y)); }
  { o = out + i * 938 + 420; C(fmod(x,y)); }
  { o = out + i * 938 + 434; C(step(x,y)); }
  { o = out + i * 938 + 448; C(distance(x,y)); }
  { o = out + i * 938 + 462; C(min(x,y)); }
  { o = out + i * 938 + 476; C(max(x,y)); }
  { o = out + i * 938 + 490; C(native_divide(x,y)); }
  { o = out + i * 938 + 504; C(half_divide(x,y)); }
  { o = out + i * 938 + 518; C(dot(x,y)); }
  { o = out + i * 938 + 532; C(fma(x,y,z)); }
  { o = out + i * 938 + 546; C(mad(x,y,z)); }
  { o = out + i * 938 + 560; C(mix(x,y,z)); }
  { o = out + i * 938 + 574; C(smoothstep(x,y,z)); }
  { o = out + i * 938 + 588; C(clamp(x,y,z)); }
  { o = out + i * 938 + 602; C(bitselect(x,y,z)); }
  { o = out + i * 938 + 616; *o++=isfinite(x); }
  { o = out + i * 938 + 630; *o++=isinf(x); }
  { o = out + i * 938 + 644; *o++=isnan(x); }
  { o = out + i * 938 + 658; *o++=isnormal(x); }
  { o = out + i * 938 + 672; *o++=signbit(x); }
  { o = out + i * 938 + 686; *o++=isequal(x,y); }
  { o = out + i * 938 + 700; *o++=isnotequal(x,y); }
  { o = out + i * 938 + 714; *o++=isgreater(x,y); }
  { o = out + i * 938 + 728; *o++=isgreaterequal(x,y); }
  { o = out + i * 938 + 742; *o++=isless(x,y); }
  { o = out + i * 938 + 756; *o++=islessequal(x,y); }
  { o = out + i * 938 + 770; *o++=islessgreater(x,y); }
  { o = out + i * 938 + 784; *o++=isordered(x,y); }
  { o = out + i * 938 + 798; *o++=isunordered(x,y); }
  { o = out + i * 938 + 812; *o++=ilogb(x); }
  { o = out + i * 938 + 826; C(ldexp(x,(int)w)); }
  { o = out + i * 938 + 840; C(ldexp(x,(int)(w%600)-300)); }
  { o = out + i * 938 + 854; C(ldexp(x,(int)(w%60)-30)); }
  { o = out + i * 938 + 868; C(select(x,y,(S)w)); }
  { o = out + i * 938 + 882; T2 a=V.xy, b=V.yx; C(dot(a,b)); C(length(a)); C(distance(a,b)); C(length(a)); T2 q=normalize(a); C(q.x); C(q.y); I2 r=isless(a,b); *o++=r.x; *o++=any(r); *o++=all(r); r=isnan(a); *o++=r.y;; }
  { o = out + i * 938 + 896; T3 a=V.xyz, b=V.zyx; C(dot(a,b)); C(length(a)); C(distance(a,b)); C(length(a)); T3 q=normalize(a); C(q.x); C(q.y); I3 r=isless(a,b); *o++=r.x; *o++=any(r); *o++=all(r); r=isnan(a); *o++=r.y;; }
  { o = out + i * 938 + 910; T4 a=V.xyzx, b=V.xzyx; C(dot(a,b)); C(length(a)); C(distance(a,b)); C(length(a)); T4 q=normalize(a); C(q.x); C(q.y); I4 r=isless(a,b); *o++=r.x; *o++=any(r); *o++=all(r); r=isnan(a); *o++=r.y;; }
  { o = out + i * 938 + 924; C(cross(V.xyz,V.zyx).y); C(cross(V,V.zyxw).y);; }
}
