// error: 2
__kernel