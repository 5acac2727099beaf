// Vectors used as a whole in one work-item: in loops, by halves, alternating, through private memory and comparisons.
// run: -k rows -g 40 b:char16:40*8:rand,1:r b:char16:8:rand,2:r b:float:40*8:rand,3:r b:float:40 int:8
// sum: 0 abe4b1b1d2d627a3
// sum: 1 7d0d1c8ce10802b0
// sum: 2 3b5e3317d99a5b58
// sum: 3 30c89d0fb2f29b7b
// run: -k turns -g 50 b:uint4:50:rand,4:r b:uint4:50*2 uint4:1,2,3,4
// sum: 0 690ef48d7e9b5e14
// sum: 1 e35514a24dddaa24
// run: -k boxes -g 60 b:float4:64*6:rand,5,-1,1:r b:float4:60:rand,6,-1,1:r b:int:60
// sum: 0 6d7fc30e1044dfce
// sum: 1 3df8893810086a99
// sum: 2 149cb218b2cc0242
// run: -k blocks -g 30 b:uchar:30:rand,7,0,9:r b:char16:40:rand,8:r b:float4:40:rand,9,-1,1:r b:float4:30
// sum: 0 b4a464f2f833efe1
// sum: 1 c3915611daeccc7a
// sum: 2 e28a2511d26d8452
// sum: 3 d9c5bb00035baa8d
// run: -k halves -g 40 b:uchar16:40:rand,10:r b:short8:40:rand,11:r b:long2:40:rand,12:r b:int8:40
// sum: 0 3ab831279ec8a0df
// sum: 1 59c22cb1e35cc897
// sum: 2 70dd51ec786041a9
// sum: 3 54a7a0869afebb5d
// run: -k kept -g 40 b:float4:40*4:rand,13,-4,4:r b:float4:40*2
// sum: 0 c5aa4bce4e3e3d75
// sum: 1 04451aca283190be
__kernel void rows(__global const char16 *w, __global const char16 *x, __global const float *scale, __global float *out, int n) {
  int i = get_global_id(0);
  float total = 0;
  for (int k = 0; k < n; k++) {
    int16 p = convert_int16(w[i * n + k]) * convert_int16(x[k]);
    int8 h = p.lo + p.hi;
    int4 q = h.even + h.odd;
    total += scale[i * n + k] * (q.x + q.y + q.z + q.w);
  }
  out[i] = total;
}

__kernel void turns(__global const uint4 *in, __global uint4 *out, uint4 key) {
  int i = get_global_id(0);
  uint4 a = in[i], b = key;
  for (int k = 0; k < 6; k++) {
    a += b;
    b = rotate(b ^ a, (uint4)(7)).yzwx;
    a = (a ^ b.wwxx).s3012;
    b.z += k;
  }
  out[2 * i] = a;
  out[2 * i + 1] = b + (uint4)(1, 2, 3, 4) * (uint4)(i);
}

__kernel void boxes(__global const float4 *bounds, __global const float4 *points, __global int *out) {
  int i = get_global_id(0), found = 0, order[8], top = 0;
  float4 p = points[i];
  for (int k = 0; k < 64 && top < 8; k++) {
    float4 x = bounds[k * 6] - p.x, y = bounds[k * 6 + 1] * p.y, z = bounds[k * 6 + 2] + bounds[k * 6 + 3] * p.z;
    float4 least = fmin(fmin(x, y), z), most = fmax(fmax(x, y), fmax(z, (float4)(p.w)));
    int4 in = isless(most, least + 1.5f);
    if (!any(in)) {
      found += all(isgreater(x, y)) ? 100 : 1;
      continue;
    }
    if (in.w) order[top++] = k * 4 + 3;
    if (in.x && top < 8) order[top++] = k * 4;
    if (in.y != in.z && top < 8) order[top++] = -k;
  }
  while (top > 0)
    found = found * 31 + order[--top];
  out[i] = found;
}

__kernel void blocks(__global const uchar *lengths, __global const char16 *block, __global const float4 *x, __global float4 *y) {
  int i = get_global_id(0);
  float4 acc = (float4)(0.0f), low = (float4)(9.0f, 8.0f, 7.0f, 6.0f);
  for (int k = i; k < i + lengths[i]; k++) {
    if ((k & 3) == 3)
      continue;
    float16 b = convert_float16(block[k]);
    float4 v = floor(x[k] * 2.0f - (float4)(1.0f, 2.0f, 3.0f, 4.0f));
    float4 r0 = b.s0123 * v, r1 = b.s4567 * v, r2 = b.s89ab * v, r3 = b.scdef * v;
    acc.x += r0.x + r0.y + r0.z + r0.w;
    acc.y += r1.x + r1.y + r1.z + r1.w;
    acc.z += r2.x + r2.y + r2.z + r2.w;
    acc.w += r3.x + r3.y + r3.z + r3.w;
    low = fmin(low, acc);
    if (acc.x > 100.0f)
      break;
  }
  y[i] = acc - low;
}

__kernel void halves(__global const uchar16 *a, __global const short8 *b, __global const long2 *c, __global int8 *out) {
  int i = get_global_id(0);
  uchar16 v = a[i];
  uchar8 mean = hadd(v.lo, v.hi), apart = abs_diff(v.even, v.odd);
  int8 s = convert_int8(b[i]) * convert_int8(mean);
  long2 w = c[i] ^ (c[i] >> 7);
  int most = max(max(s.s0, s.s1), max(max(s.s2, s.s3), max(s.s4, max(s.s5, max(s.s6, s.s7)))));
  int8 r = select(s, convert_int8(apart), s < (int8)(0));
  r.s0 = most;
  r.s7 = (int)(w.x + w.y);
  out[i] = r;
}

__kernel void kept(__global const float4 *in, __global float4 *out) {
  int i = get_global_id(0);
  float4 m[4], sum = (float4)(0.0f);
  for (int k = 0; k < 4; k++)
    m[k] = in[4 * i + k];
  for (int k = 0; k < 4; k++) {
    int at = (int)(fabs(m[k].x)) & 3;
    float4 t = m[at];
    m[at] = m[k] + (float4)(0.5f);
    m[k].z = t.y;
    sum = sum * 0.5f + t;
  }
  out[2 * i] = sum;
  out[2 * i + 1] = m[i & 3];
}
