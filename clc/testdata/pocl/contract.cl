// Which products fuse with a sum: to the bit what PoCL 3.1 (clang 15) does, but for mad, which is one operation here.
// run: -k fp -g 1000 b:float4:1000:rand,7,-3,3 b:uint:50000
// sum: 0 61ce141aa48a8bfb
// sum: 1 7327f98490158edc
float id(float x){return x;}
float mulf(float x, float y){return x*y;}
struct s { float m; };
#define O(e) *o++ = as_uint((float)(e))
__kernel void fp(__global const float4*in, __global uint*out){
 int i=get_global_id(0); float a=in[i].x,b=in[i].y,c=in[i].z,d=in[i].w; __global uint*o=out+i*50;
 float t,u=c; int n=i; double da=a;
 O(a*b+c); O(c+a*b); O(a*b+c*d); O(a*b-c); O(c-a*b); O(a*b-c*d); O(-(a*b)+c); O(c+-(a*b)); O((t=a*b)+c); O((a*b)+(c));
 O((float)(a*b)+c); O((0,a*b)+c); O(id(a*b)+c); O(mulf(a,b)+c); O((n&1?a*b:d)+c); O(({a*b;})+c); O(a*b*c+d); O(a*b+c+d); O(a+b*c+d); O(2.0f*3.0f+c);
 u+=a*b; O(u); u-=a*b; O(u); u=c; u*=a; O(u+d); O(a*2.0f+c); O(da*b+c); t=da*b+c; O(t); t=c; t+=da*b; O(t); O(a*b+1.0f); O(a*a+b*b+c*c+d*d); O(-a*b+c);
 float4 v=in[i], w=v.wzyx; float4 x=v*w+v; O(x.x); O(x.w); x=v*2.0f-w; O(x.y); x+=v*w; O(x.z); x=v-v*w*a; O(x.x); O(dot(v,w)*a+b); O(fabs(a*b)+c); O(a*b==c+d*a); O((n*a)+b); O(a*b+n);
 struct s q; q.m=c; q.m+=a*b; O(q.m); out[i*50+41]=as_uint(c); o=out+i*50+41; { float z=a*b; z+=c; O(z);} O(fma(a,b,c)+a*b); O((a*b)/(c*d+a)); O(a-(b*c)); O(+(a*b)+c); O(mad(a,b,c)*d+a); O(a*b+(c+d)*a);
 {
 #pragma OPENCL FP_CONTRACT OFF
 O(a*b+c); }
}
