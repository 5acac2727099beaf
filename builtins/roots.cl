// The cube root and the hypotenuse (OpenCL C 1.2 §6.12.2) for one component of type T.

// x = m * 2^(3q + r) with m in [1, 2). A polynomial for the root of m, times the root of
// 2^r, is accurate to 13 bits. Halley's iteration triples the accuracy; the last step
// computes the residue y^3 - m*2^r from exact products.
T cbrt(T x)
{
	U a = AS_U(x) & ~TOP;
	S below = (S)clz(a) - (BITS - 1 - MANT);
	bool subnormal = a < (U)1 << MANT;
	a = subnormal ? a << below : a;
	// The exponent, plus a multiple of 3 that makes it positive.
	int e = (int)(a >> MANT) - (subnormal ? (int)below : 0) + (3 * 1365 - BIAS);
	int q = (e * 21846) >> 16;
	int r = e - 3 * q;
	T m = AS_T((a & (((U)1 << MANT) - 1)) | (U)BIAS << MANT);
#if BITS == 32
	T y = 0x1.7a9206p-6f;
	y = fma(y, m, -0x1.4dc57cp-3f);
	y = fma(y, m, 0x1.2c9b0cp-1f);
	y = fma(y, m, 0x1.1b0b56p-1f);
	y *= r == 0 ? 1.0f : r == 1 ? 0x1.428a3p0f : 0x1.965feap0f;
#else
	T y = 0x1.7a9206b4b3c34p-6;
	y = fma(y, m, -0x1.4dc57bdeb8b7bp-3);
	y = fma(y, m, 0x1.2c9b0b918f9e1p-1);
	y = fma(y, m, 0x1.1b0b55746106p-1);
	y *= r == 0 ? 1.0 : r == 1 ? 0x1.428a2f98d728bp0 : 0x1.965fea53d6e3dp0;
#endif
	m *= (T)(1 << r);
#if BITS == 64
	T cube = y * y * y;
	y -= y * (cube - m) / (2 * cube + m);
#endif
	T square = y * y;
	T residue = fma(square, y, -m) + fma(y, y, -square) * y;
	y -= y * residue / (2 * fma(square, y, m) - m);
	y *= AS_T((U)(q - 1365 + BIAS) << MANT);
	y = copysign(y, x);
	return x == 0 || !(fabs(x) < INFINITY) ? x : y;
}

// Scaled by a power of two so that squares neither overflow nor lose bits. The larger
// square is rounded only after the smaller one is added.
T hypot(T x, T y)
{
	T a = fabs(x), b = fabs(y);
	T high = a < b ? b : a, low = a < b ? a : b;
#if BITS == 32
	bool large = high > 0x1p60f, small = high < 0x1p-40f;
	T scale = large ? 0x1p-90f : small ? 0x1p100f : 1.0f;
	T back = large ? 0x1p90f : small ? 0x1p-100f : 1.0f;
#else
	bool large = high > 0x1p500, small = high < 0x1p-400;
	T scale = large ? 0x1p-700 : small ? 0x1p700 : 1.0;
	T back = large ? 0x1p700 : small ? 0x1p-700 : 1.0;
#endif
	T h = high * scale, l = low * scale;
	T square = h * h;
	T below = fma(h, h, -square);
	T sum = fma(l, l, square);
	T lost = fma(l, l, square - sum) + below;
	T root = sqrt(sum);
	// A Newton step for the part of the sum lost in rounding.
	T rest = fma(-root, root, sum) + lost;
	T r = root == 0 ? (T)0 : root + rest / (2 * root);
	return a == INFINITY || b == INFINITY ? INFINITY : x != x || y != y ? x + y : r * back;
}
