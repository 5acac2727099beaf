// Work-items whose values equal a uniform number load from uniform addresses and run uniform loops.
//
// run: -k palette -g 1000 b:int:1000 b:int:1000:rand,21,0,8 b:int:256:rand,22,-100,100 int:3 int:5
// sum: 0 a082bf933731195c
__kernel void palette(__global int *out, __global const int *op, __global const int *t, int n, int m) {
	int i = get_global_id(0);
	int x = op[i], v = x, y = x * 3;
	if (x == n) {
		for (int j = 0; j < (x & 31); j++) v += t[x * 16 + j] * (j + 1);
	} else if (x == m) {
		v = t[y] ^ t[y + 2];
	}
	out[i] = v + y;
}
