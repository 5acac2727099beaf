// error: 2
__kernel void k(__global float128 *o) {
}
