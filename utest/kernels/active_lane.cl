// run: -k by_kind -g 1000 b:int:1000 b:int:1000:rand,1,0,7 b:int:8:rand,2,0,40 b:int:8:rand,3,0,100 b:int:200:rand,4 int:3
// sum: 0 fa2137062dadb4eb
// run: -k in_loop -g 1000 b:long:1000 b:uchar:1000:rand,1,0,7 b:short:8:rand,2,0,9 b:double:200:rand,4 int:3
// sum: 0 c9306b729e8ea32f

// Where kind is n, length and start are the same in all active lanes, though loaded before the test.
kernel void by_kind(global int *out, global const int *kind, global const int *length, global const int *start, global const int *t, int n)
{
	int i = get_global_id(0);
	int x = kind[i], l = length[x], s = start[x], v = 0;
	if (x == n) {
		for (int j = 0; j < l; j++)
			v = v * 3 + (t[s + j] ^ i);
	} else {
		v = l * 2 + s;
	}
	out[i] = v;
}

// The same in a divergent loop with an early exit, for values of other sizes, and counters that start with them.
kernel void in_loop(global long *out, global const uchar *kind, global const short *length, global const double *t, int n)
{
	int i = get_global_id(0);
	long v = i;
	for (int r = 0; r < (i & 3) + 1; r++) {
		uchar x = kind[(i + r * 7) % 1000];
		short l = length[x];
		if (x == n + r && (i & 1)) {
			for (short j = l; j < l * 2 + 3; j++)
				v = v * 3 + (long)t[j];
			if (l & 1)
				break;
		}
	}
	out[i] = v;
}
