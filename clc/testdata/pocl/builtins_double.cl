// Every function on double but the series, on special and random values: to the bit what PoCL 3.1 gives, with mad rounded once, but for the sign of fract of -0 and -infinity.
// run: -k builtins_double -g 884 b:double4:884:rand,41,-9,9 b:ulong:730184
// sum: 0 dcfdb47d6a82427e
// sum: 1 dab2bb77fa35d361
#define T double
#define U ulong
#define S long
#define T2 double2
#define I2 long2
#define T3 double3
#define I3 long3
#define T4 double4
#define I4 long4
#define C(e) do{T r_=(e); *o++ = isnan(r_) ? (U)0x7fc00000 : as_ulong(r_);}while(0)
#define C2 C
__constant U special[22] = {0x0UL, 0x8000000000000000UL, 0x3ff0000000000000UL, 0xbff0000000000000UL, 0x3fe0000000000000UL, 0x3ff8000000000000UL, 0xc004000000000000UL, 0x1UL, 0x8000000000000001UL, 0xfffffffffffffUL, 0x10000000000000UL, 0x7fefffffffffffffUL, 0x7ff0000000000000UL, 0xfff0000000000000UL, 0x7ff8000000000000UL, 0x41dfffffffe00000UL, 0xc1e0000000000000UL, 0x41efffffffe00000UL, 0x43e0000000000000UL, 0x43f0000000000000UL, 0x3fdfffffffffffffUL, 0x4330000000000001UL};
__kernel void builtins_double(__global const T4 *in, __global U *out) {
  int i = get_global_id(0);
  T4 V = in[i];
  if (i < 484) V.xyz = (T3)(as_double(special[i / 22]), as_double(special[i % 22]), as_double(special[(i * 7 + i / 22) % 22]));
  T x=V.x,y=V.y,z=V.z; U w=as_ulong(V.w)+i*7919; __global U*o=out+i*826;
  { o = out + i * 826 + 0; C(fabs(x)); }
  { o = out + i * 826 + 14; C(sqrt(x)); }
  { o = out + i * 826 + 28; C(rsqrt(x)); }
  { o = out + i * 826 + 42; C(floor(x)); }
  { o = out + i * 826 + 56; C(ceil(x)); }
  { o = out + i * 826 + 70; C(trunc(x)); }
  { o = out + i * 826 + 84; C(rint(x)); }
  { o = out + i * 826 + 98; C(round(x)); }
  { o = out + i * 826 + 112; C(sign(x)); }
  { o = out + i * 826 + 126; C(degrees(x)); }
  { o = out + i * 826 + 140; C(radians(x)); }
  { o = out + i * 826 + 154; C(logb(x)); }
  { o = out + i * 826 + 168; C(length(x)); }
  { o = out + i * 826 + 182; C(normalize(x)); }
  { o = out + i * 826 + 196; T p; C(fract(x,&p)); C2(p); }
  { o = out + i * 826 + 210; T p; C(modf(x,&p)); C2(p); }
  { o = out + i * 826 + 224; int p; C(frexp(x,&p)); *o++=p; }
  { o = out + i * 826 + 238; C(fmin(x,y)); }
  { o = out + i * 826 + 252; C(fmax(x,y)); }
  { o = out + i * 826 + 266; C(copysign(x,y)); }
  { o = out + i * 826 + 280; C(fdim(x,y)); }
  { o = out + i * 826 + 294; C(maxmag(x,y)); }
  { o = out + i * 826 + 308; C(minmag(x,y)); }
  { o = out + i * 826 + 322; C(nextafter(x,y)); }
  { o = out + i * 826 + 336; C(fmod(x,y)); }
  { o = out + i * 826 + 350; C(step(x,y)); }
  { o = out + i * 826 + 364; C(distance(x,y)); }
  { o = out + i * 826 + 378; C(min(x,y)); }
  { o = out + i * 826 + 392; C(max(x,y)); }
  { o = out + i * 826 + 406; C(dot(x,y)); }
  { o = out + i * 826 + 420; C(fma(x,y,z)); }
  { o = out + i * 826 + 434; C(mad(x,y,z)); }
  { o = out + i * 826 + 448; C(mix(x,y,z)); }
  { o = out + i * 826 + 462; C(smoothstep(x,y,z)); }
  { o = out + i * 826 + 476; C(clamp(x,y,z)); }
  { o = out + i * 826 + 490; C(bitselect(x,y,z)); }
  { o = out + i * 826 + 504; *o++=isfinite(x); }
  { o = out + i * 826 + 518; *o++=isinf(x); }
  { o = out + i * 826 + 532; *o++=isnan(x); }
  { o = out + i * 826 + 546; *o++=isnormal(x); }
  { o = out + i * 826 + 560; *o++=signbit(x); }
  { o = out + i * 826 + 574; *o++=isequal(x,y); }
  { o = out + i * 826 + 588; *o++=isnotequal(x,y); }
  { o = out + i * 826 + 602; *o++=isgreater(x,y); }
  { o = out + i * 826 + 616; *o++=isgreaterequal(x,y); }
  { o = out + i * 826 + 630; *o++=isless(x,y); }
  { o = out + i * 826 + 644; *o++=islessequal(x,y); }
  { o = out + i * 826 + 658; *o++=islessgreater(x,y); }
  { o = out + i * 826 + 672; *o++=isordered(x,y); }
  { o = out + i * 826 + 686; *o++=isunordered(x,y); }
  { o = out + i * 826 + 700; *o++=ilogb(x); }
  { o = out + i * 826 + 714; C(ldexp(x,(int)w)); }
  { o = out + i * 826 + 728; C(ldexp(x,(int)(w%600)-300)); }
  { o = out + i * 826 + 742; C(ldexp(x,(int)(w%60)-30)); }
  { o = out + i * 826 + 756; C(select(x,y,(S)w)); }
  { o = out + i * 826 + 770; T2 a=V.xy, b=V.yx; C(dot(a,b)); C(length(a)); C(distance(a,b)); C(length(a)); T2 q=normalize(a); C(q.x); C(q.y); I2 r=isless(a,b); *o++=r.x; *o++=any(r); *o++=all(r); r=isnan(a); *o++=r.y;; }
  { o = out + i * 826 + 784; T3 a=V.xyz, b=V.zyx; C(dot(a,b)); C(length(a)); C(distance(a,b)); C(length(a)); T3 q=normalize(a); C(q.x); C(q.y); I3 r=isless(a,b); *o++=r.x; *o++=any(r); *o++=all(r); r=isnan(a); *o++=r.y;; }
  { o = out + i * 826 + 798; T4 a=V.xyzx, b=V.xzyx; C(dot(a,b)); C(length(a)); C(distance(a,b)); C(length(a)); T4 q=normalize(a); C(q.x); C(q.y); I4 r=isless(a,b); *o++=r.x; *o++=any(r); *o++=all(r); r=isnan(a); *o++=r.y;; }
  { o = out + i * 826 + 812; C(cross(V.xyz,V.zyx).y); C(cross(V,V.zyxw).y);; }
}
