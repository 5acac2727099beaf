// Hyperbolic functions and their inverses (OpenCL C 1.2 section 6.12.2) for
// one component of type T.

// e^r - 1 - r for |r| <= ln(2)/2; minimax, error relative to r^2: 2^-29 and 2^-59.
T __expm1_tail(T r)
{
#if BITS == 32
	T p = 0x1.a17df6p-13f;
	p = fma(p, r, 0x1.6d431ep-10f);
	p = fma(p, r, 0x1.1110acp-7f);
	p = fma(p, r, 0x1.5554eap-5f);
	p = fma(p, r, 0x1.555556p-3f);
	p = fma(p, r, 0x1p-1f);
	return p * (r * r);
#else
	T zz = r * r;
	T even = 0x1.1f8b4455eda73p-29, odd = 0x1.af4ddf12afa19p-26;
	even = fma(even, zz, 0x1.27e4ccd2b2ee1p-22);
	odd = fma(odd, zz, 0x1.71de02367f22ap-19);
	even = fma(even, zz, 0x1.a01a01acf8d19p-16);
	odd = fma(odd, zz, 0x1.a01a01abe67b5p-13);
	even = fma(even, zz, 0x1.6c16c16c15202p-10);
	odd = fma(odd, zz, 0x1.11111111100dep-7);
	even = fma(even, zz, 0x1.5555555555558p-5);
	odd = fma(odd, zz, 0x1.5555555555557p-3);
	even = fma(even, zz, 0x1p-1);
	return fma(odd, r, even) * zz;
#endif
}

// x = k * ln 2 + r for the integer k nearest to x / ln 2. The high part of ln 2 is short
// enough that its product with k is exact.
T __ln2_rest(T x, T k)
{
#if BITS == 32
	return fma(k, -0x1.0bfbe8p-15f, fma(k, -0x1.62ep-1f, x));
#else
	return fma(k, -0x1.473de6af278edp-34, fma(k, -0x1.62e42fefp-1, x));
#endif
}

T __ln2_count(T x)
{
	return rint(x * (T)0x1.71547652b82fep0);
}

// With e^|x| = 2^k (1 + q), e^-|x| = 2^-k (1 - q / (1 + q)), so that nothing cancels for
// small x, where k = 0. All terms are scaled by 1/4 to avoid overflow.

T sinh(T x)
{
	T a = fabs(x);
#if BITS == 32
	T most = 89.5f, least = 0x1p-12f;
#else
	T most = 711.0, least = 0x1p-27;
#endif
	T b = a > most ? most : a;
	T k = __ln2_count(b);
	T r = __ln2_rest(b, k);
	T q = r + __expm1_tail(r);
	S n = (S)(int)k;
	T up = AS_T((U)(n + (BIAS - 2)) << MANT);
	T down = AS_T((U)max((S)(BIAS - 2) - n, (S)0) << MANT);
	T s = (fma(up, q, down * (q / (1 + q))) + (up - down)) * 2;
	s = a > most ? a * INFINITY : s;
	return a < least ? x : copysign(s, x);
}

T cosh(T x)
{
	T a = fabs(x);
#if BITS == 32
	T most = 89.5f;
#else
	T most = 711.0;
#endif
	T b = a > most ? most : a;
	T k = __ln2_count(b);
	T r = __ln2_rest(b, k);
	T q = r + __expm1_tail(r);
	S n = (S)(int)k;
	T up = AS_T((U)(n + (BIAS - 2)) << MANT);
	T down = AS_T((U)max((S)(BIAS - 2) - n, (S)0) << MANT);
	T s = (fma(up, q, -down * (q / (1 + q))) + (up + down)) * 2;
	return a > most ? a * INFINITY : s;
}

// tanh = (E - 1) / (E + 1) = 1 - 2 / (E + 1), with E = e^2|x|.
T tanh(T x)
{
	T a = fabs(x);
#if BITS == 32
	T b = a > 10 ? (T)20 : a + a;
#else
	T b = a > 20 ? (T)40 : a + a;
#endif
	T k = __ln2_count(b);
	T r = __ln2_rest(b, k);
	T q = r + __expm1_tail(r);
	T up = AS_T((U)((S)(int)k + BIAS) << MANT);
	T den = fma(up, q, up + 1);
	T quotient = (k > 1 ? (T)2 : fma(up, q, up - 1)) / den;
	return copysign(k > 1 ? 1 - quotient : quotient, x);
}

// ln(x + below), where below is much smaller than x, for finite x >= 1/2. Near x = 1 the
// full precision of below matters. With f = m - 1 for the fraction m in [sqrt(1/2),
// sqrt(2)) and s = f / (2 + f), ln m = f - (f^2/2 - s (f^2/2 + s^2 P(s^2))); P is
// minimax, error 2^-29 and 2^-58.
T __log_sum(T x, T below)
{
#if BITS == 32
	U root = 0x3f3504f3U;
#else
	U root = 0x3fe6a09e667f3bcdUL;
#endif
	S e = (S)(AS_U(x) - root) >> MANT;
	T m = AS_T(AS_U(x) - ((U)e << MANT));
	T f = (m - 1) + below * AS_T((U)max((S)BIAS - e, (S)0) << MANT);
	T s = f / (2 + f);
	T z = s * s;
#if BITS == 32
	T p = 0x1.ddd848p-3f;
	p = fma(p, z, 0x1.245c0ep-2f);
	p = fma(p, z, 0x1.9999ecp-2f);
	p = fma(p, z, 0x1.555556p-1f);
	T high = 0x1.62ep-1f, low = 0x1.0bfbe8p-15f;
#else
	T p = 0x1.0c09ce6dcf431p-3;
	p = fma(p, z, 0x1.0fbdf27fbfca1p-3);
	p = fma(p, z, 0x1.3b1c3bf61d11p-3);
	p = fma(p, z, 0x1.745cf8e2a0693p-3);
	p = fma(p, z, 0x1.c71c7201b280bp-3);
	p = fma(p, z, 0x1.249249247694ap-2);
	p = fma(p, z, 0x1.9999999999a39p-2);
	p = fma(p, z, 0x1.5555555555555p-1);
	T high = 0x1.62e42fefp-1, low = 0x1.473de6af278edp-34;
#endif
	T half_square = f * f * (T)0.5;
	T n = (T)(int)e;
	return fma(n, high, f - (half_square - fma(s, fma(z, p, half_square), n * low)));
}

// ln(x + sqrt(x^2 - 1)), with the root and the sum in two parts; ln(2x) where squares may
// overflow.
T acosh(T x)
{
#if BITS == 32
	bool big = x > 0x1p60f;
	T ln2 = 0x1.62e43p-1f;
#else
	bool big = x > 0x1p500;
	T ln2 = 0x1.62e42fefa39efp-1;
#endif
	T a = big ? (T)1 : x;
	T square = a * a;
	T d = square - 1;
	T below = ((square - d) - 1) + fma(a, a, -square);
	T root = sqrt(d);
	T lower = d == 0 ? (T)0 : (fma(-root, root, d) + below) / (2 * root);
	T sum = a + root;
	T rest = ((a - sum) + root) + lower;
	T r = __log_sum(big ? x : sum, big ? (T)0 : rest) + (big ? ln2 : (T)0);
	return x >= 1 ? (x < INFINITY ? r : x) : NAN;
}

// ln(a + sqrt(a^2 + 1)), with the root and the sum in two parts.
T asinh(T x)
{
	T a = fabs(x);
#if BITS == 32
	bool big = a > 0x1p60f;
	T ln2 = 0x1.62e43p-1f;
#else
	bool big = a > 0x1p500;
	T ln2 = 0x1.62e42fefa39efp-1;
#endif
	T b = big ? (T)1 : a;
	T square = b * b;
	T d = square + 1;
	T other = d - square;
	T below = ((square - (d - other)) + (1 - other)) + fma(b, b, -square);
	T root = sqrt(d);
	T lower = (fma(-root, root, d) + below) / (2 * root);
	T sum = root + b; // the root is the larger term
	T rest = ((root - sum) + b) + lower;
	T r = __log_sum(big ? a : sum, big ? (T)0 : rest) + (big ? ln2 : (T)0);
	return copysign(a < INFINITY ? r : a, x);
}

// ln((1 + a) / (1 - a)) / 2, with the quotient in two parts.
T atanh(T x)
{
	T a = fabs(x);
	T num = 1 + a, den = 1 - a;
	T num_low = (1 - num) + a, den_low = (1 - den) - a;
	T q = num / den;
	T lower = (fma(-q, den, num) + (num_low - q * den_low)) / den;
	T r = __log_sum(q, lower) * (T)0.5;
	return a < 1 ? copysign(r, x) : a == 1 ? copysign(INFINITY, x) : NAN;
}
