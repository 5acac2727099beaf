// Inverse trigonometric functions (OpenCL C 1.2 §6.12.2) for one component of type T.
// Each reduces its argument to a short interval around 0 with selects and at most one
// division or square root, and adds a polynomial to a multiple of pi/4 kept in two parts.
// Polynomials are minimax approximations (Remez), with the errors given.

// (asin(s) - s) / s, where z = s * s <= 1/4; error 2^-24 and 2^-56.
T __asin_tail(T z)
{
#if BITS == 32
	T p = 0x1.39fb64p-5f;
	p = fma(p, z, 0x1.b11848p-6f);
	p = fma(p, z, 0x1.70cdd4p-5f);
	p = fma(p, z, 0x1.33263cp-4f);
	p = fma(p, z, 0x1.55555ep-3f);
#else
	T zz = z * z;
	T even = 0x1.db1e17ff5868ap-6, odd = -0x1.f27b2e1fde7ap-7;
	even = fma(even, zz, 0x1.20f60d7898f09p-6);
	odd = fma(odd, zz, 0x1.5fda8fc679123p-8);
	even = fma(even, zz, 0x1.52f32c6f9f846p-7);
	odd = fma(odd, zz, 0x1.780a7662e6f55p-7);
	even = fma(even, zz, 0x1.c9d1f332c084bp-7);
	odd = fma(odd, zz, 0x1.1c4d1c0472f0bp-6);
	even = fma(even, zz, 0x1.6e8bb2e8b0cf1p-6);
	odd = fma(odd, zz, 0x1.f1c71c164142fp-6);
	even = fma(even, zz, 0x1.6db6db6e3e982p-5);
	odd = fma(odd, zz, 0x1.3333333332e43p-4);
	even = fma(even, zz, 0x1.5555555555556p-3);
	T p = fma(odd, z, even);
#endif
	return p * z;
}

// (atan(t) - t) / t, where z = t * t and |t| <= tan(pi/8); error 2^-26 and 2^-59.
T __atan_tail(T z)
{
#if BITS == 32
	T p = -0x1.08e192p-4f;
	p = fma(p, z, 0x1.b84606p-4f);
	p = fma(p, z, -0x1.24231cp-3f);
	p = fma(p, z, 0x1.99974ap-3f);
	p = fma(p, z, -0x1.555554p-2f);
#else
	T zz = z * z;
	T even = -0x1.1b8b1447682cdp-5, odd = 0x1.0b8c3fb09c2abp-6;
	even = fma(even, zz, -0x1.ac82ce2dfbca3p-5);
	odd = fma(odd, zz, 0x1.75017dad009f5p-5);
	even = fma(even, zz, -0x1.110e95f0def15p-4);
	odd = fma(odd, zz, 0x1.e19b41a0c46efp-5);
	even = fma(even, zz, -0x1.745d1665b7ea1p-4);
	odd = fma(odd, zz, 0x1.3b1393ac65d31p-4);
	even = fma(even, zz, -0x1.249249248dbb6p-3);
	odd = fma(odd, zz, 0x1.c71c71c32f843p-4);
	even = fma(even, zz, -0x1.5555555555555p-2);
	odd = fma(odd, zz, 0x1.9999999999957p-3);
	T p = fma(odd, z, even);
#endif
	return p * z;
}

// (k * pi/4) + t * (1 + tail), for k = 0 to 4.
T __octants(T k, T t, T tail)
{
#if BITS == 32
	T high = 0x1.921fb6p-1f, low = -0x1.777a5cp-26f;
#else
	T high = 0x1.921fb54442d18p-1, low = 0x1.1a62633145c07p-55;
#endif
	T base = k * high;
	T rest = fma(k, low, fma(k, high, -base));
	return base + (t + fma(t, tail, rest));
}

// k/4 + t * (1 + tail) / pi, for k = 0 to 4.
T __octants_pi(T k, T t, T tail)
{
#if BITS == 32
	T high = 0x1.45f306p-2f, low = 0x1.b9391p-27f;
#else
	T high = 0x1.45f306dc9c883p-2, low = -0x1.6b01ec5417056p-56;
#endif
	T angle = fma(t, tail, t);
	T rest = fma(t, tail, t - angle);
	return fma(angle, high, fma(rest, high, angle * low)) + k * (T)0.25;
}

// asin and acos use asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)) for a > 1/2.

T asin(T x)
{
	T a = fabs(x);
	bool big = a > (T)0.5;
	T z = big ? fma(a, (T)-0.5, (T)0.5) : a * a;
	T t = big ? -2 * sqrt(z) : a;
	return copysign(__octants(big ? (T)2 : (T)0, t, __asin_tail(z)), x);
}

T asinpi(T x)
{
	T a = fabs(x);
	bool big = a > (T)0.5;
	T z = big ? fma(a, (T)-0.5, (T)0.5) : a * a;
	T t = big ? -2 * sqrt(z) : a;
	return copysign(__octants_pi(big ? (T)2 : (T)0, t, __asin_tail(z)), x);
}

T acos(T x)
{
	T a = fabs(x);
	bool big = a > (T)0.5;
	T z = big ? fma(a, (T)-0.5, (T)0.5) : a * a;
	T k = big ? (x < 0 ? (T)4 : (T)0) : (T)2;
	T t = big ? copysign(2 * sqrt(z), x) : -x;
	return __octants(k, t, __asin_tail(z));
}

T acospi(T x)
{
	T a = fabs(x);
	bool big = a > (T)0.5;
	T z = big ? fma(a, (T)-0.5, (T)0.5) : a * a;
	T k = big ? (x < 0 ? (T)4 : (T)0) : (T)2;
	T t = big ? copysign(2 * sqrt(z), x) : -x;
	return __octants_pi(k, t, __asin_tail(z));
}

// atan expands around 0, pi/4 or pi/2, with one division.

T atan(T x)
{
	T a = fabs(x);
	bool far = a > (T)0x1.3504f4p1, near = !(a > (T)0x1.a8279ap-2); // tan of 3pi/8 and of pi/8
	T k = far ? (T)2 : near ? (T)0 : (T)1;
	T num = far ? (T)-1 : near ? a : a - 1;
	T den = far ? a : near ? (T)1 : a + 1;
	T t = num / den;
	return copysign(__octants(k, t, __atan_tail(t * t)), x);
}

T atanpi(T x)
{
	T a = fabs(x);
	bool far = a > (T)0x1.3504f4p1, near = !(a > (T)0x1.a8279ap-2);
	T k = far ? (T)2 : near ? (T)0 : (T)1;
	T num = far ? (T)-1 : near ? a : a - 1;
	T den = far ? a : near ? (T)1 : a + 1;
	T t = num / den;
	return copysign(__octants_pi(k, t, __atan_tail(t * t)), x);
}

// The tangent of the small angle between (x, y) and the multiple of pi/4 returned by
// __atan2_octant. Two infinite arguments count as equal.
T __atan2_tangent(T y, T x)
{
	T a = fabs(y), b = fabs(x);
	bool swap = a > b;
	T low = swap ? b : a, high = swap ? a : b;
	bool diagonal = high > 1 ? low > high * (T)0x1.a8279ap-2 : low * 5 > high * 2; // exact for subnormals
	bool both = low == INFINITY && high == INFINITY;
	low = both ? (T)1 : low;
	high = both ? (T)1 : high;
#if BITS == 32
	T down = high > 0x1p125f ? (T)0.25 : (T)1; // prevents overflow of their sum
#else
	T down = high > 0x1p1021 ? (T)0.25 : (T)1;
#endif
	low *= down;
	high *= down;
	T num = diagonal || both ? low - high : low;
	T den = diagonal || both ? low + high : high;
	T t = num / (den == 0 ? (T)1 : den);
	return swap != (bool)signbit(x) ? -t : t;
}

T __atan2_octant(T y, T x)
{
	T a = fabs(y), b = fabs(x);
	bool swap = a > b;
	T low = swap ? b : a, high = swap ? a : b;
	bool diagonal = high > 1 ? low > high * (T)0x1.a8279ap-2 : low * 5 > high * 2;
	T k = diagonal || low == INFINITY ? (T)1 : (T)0;
	k = swap ? 2 - k : k;
	return signbit(x) ? 4 - k : k;
}

T atan2(T y, T x)
{
	T t = __atan2_tangent(y, x);
	return copysign(__octants(__atan2_octant(y, x), t, __atan_tail(t * t)), y);
}

T atan2pi(T y, T x)
{
	T t = __atan2_tangent(y, x);
	return copysign(__octants_pi(__atan2_octant(y, x), t, __atan_tail(t * t)), y);
}
