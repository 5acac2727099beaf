// Arms under disjoint masks that are not the two sides of one branch contain the same loads.
//
// run: -k cases -g 1000 b:int:1000 b:int:1000:rand,11,-10,10 b:int:1000:rand,12,0,100000 b:int:64:rand,13,-100,100
// sum: 0 7298e34bde773506
// run: -k apart -g 1000 b:int:1000 b:int:1000:rand,11,-10,10 b:int:1000:rand,12,0,100000 b:int:64:rand,13,-100,100
// sum: 0 1b659e225a69562a

__kernel void cases(__global int *out, __global const int *op, __global const int *p, __global const int *t) {
	int i = get_global_id(0);
	int x = p[i], o = op[i], v;
	switch (o & 3) {
	case 0: v = t[x & 63] + 3; break;
	case 1: v = t[(x >> 3) & 63] * 2; break;
	case 2: v = t[(x >> 6) & 63] ^ i; break;
	default: v = i;
	}
	if (o < -3) v += t[(x + i) & 63];
	else if (o > 5) v -= t[(x - i) & 63];
	out[i] = v;
}

__kernel void apart(__global int *out, __global const int *op, __global const int *p, __global const int *t) {
	int i = get_global_id(0);
	int x = p[i], o = op[i], c = o > 2, v = 1, w = 2;
	if (c) v = t[x & 63] + 3;
	out[i] = v * 5;
	if (!c) w = t[(x >> 4) & 63] * v;
	out[i] += w;
	if (o == 1) v = t[(x + 1) & 63] / 3;
	out[i] ^= v;
	if (o == 7) w = t[(x + 2) & 63];
	out[i] += w;
}
