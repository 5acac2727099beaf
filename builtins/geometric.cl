// Geometric functions (OpenCL C 1.2 §6.12.5) on vectors of N components of type T. The
// order of operations is that of PoCL, as is the rescaling of sums that overflow or lose
// bits.

T dot(TN x, TN y)
{
#if N == 1
	return x * y;
#else
	TN p = x * y;
#if N == 2
	return p.x + p.y;
#elif N == 3
	return (p.x + p.y) + p.z;
#elif N == 4
	return (p.x + p.y) + (p.z + p.w);
#elif N == 8
	return ((p.s0 + p.s1) + (p.s2 + p.s3)) + ((p.s4 + p.s5) + (p.s6 + p.s7));
#else
	return (((p.s0 + p.s1) + (p.s2 + p.s3)) + ((p.s4 + p.s5) + (p.s6 + p.s7))) +
		(((p.s8 + p.s9) + (p.sa + p.sb)) + ((p.sc + p.sd) + (p.se + p.sf)));
#endif
#endif
}

TN cross(TN x, TN y)
{
#if N == 4
	return (TN)(x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x, (T)0);
#else
	return (TN)(x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x);
#endif
}

T length(TN x)
{
#if N == 1
	return fabs(x);
#else
#if BITS == 32
	T up = 0x1p86f, from_up = 0x1p-86f, down = 0x1p-65f, from_down = 0x1p65f;
#else
	T up = 0x1p563, from_up = 0x1p-563, down = 0x1p-513, from_down = 0x1p513;
#endif
	T s = dot(x, x);
	T back = 1;
	if (RARE(!NORMAL(s))) {
		if (s < MIN_NORMAL) {
			x *= up;
			back = from_up;
			s = dot(x, x);
		} else if (s == INFINITY) {
			x *= down;
			back = from_down;
			s = dot(x, x);
		}
	}
	return sqrt(s) * back;
#endif
}

T distance(TN x, TN y)
{
	return length(x - y);
}

T fast_length(TN x)
{
	return sqrt(dot(x, x));
}

T fast_distance(TN x, TN y)
{
	return fast_length(x - y);
}

TN normalize(TN x)
{
#if N == 1
	return sign(x);
#else
#if BITS == 32
	T up = 0x1p86f, down = 0x1p-66f;
#else
	T up = 0x1p563, down = 0x1p-513;
#endif
	T s = dot(x, x);
	if (RARE(!NORMAL(s))) {
		if (all(x == (TN)0)) {
			s = 1;
		} else if (s < MIN_NORMAL) {
			x *= up;
			s = dot(x, x);
		} else if (s == INFINITY) {
			x *= down;
			s = dot(x, x);
			if (s == INFINITY) { // a component is infinite: use only the infinite ones
				x = copysign(select((TN)0, (TN)1, isinf(x)), x);
				s = dot(x, x);
			}
		}
	}
	return x * rsqrt(s);
#endif
}
