// The native_ and half_ functions (OpenCL C 1.2 §6.12.2) for one component of type T:
// accurate to a few units in the last place. For float, subnormal arguments and results
// are treated as 0. For double they are the exact functions.

// 2^(k + r), where shifted = SHIFT + k and r is between -1/2 and 1/2, if the result is a
// normal number. Callers detect other cases from their arguments, as k alone is not
// sufficient.
T __native_power2(T shifted, T r)
{
	T p = 0x1.42f9bep-13f;
	p = fma(p, r, 0x1.5f5182p-10f);
	p = fma(p, r, 0x1.3b2ac2p-7f);
	p = fma(p, r, 0x1.c6aeacp-5f);
	p = fma(p, r, 0x1.ebfbe2p-3f);
	p = fma(p, r, 0x1.62e432p-1f);
	p = fma(p, r, 1);
	return AS_T(AS_U(p) + (AS_U(shifted) << MANT));
}

T native_exp2(T x)
{
#if BITS == 64
	return exp2(x);
#else
	T t = x + SHIFT;
	T y = __native_power2(t, x - (t - SHIFT));
	y = x >= 128 ? INFINITY : y;
	return x < -126 ? (T)0 : y;
#endif
}

T native_exp(T x)
{
#if BITS == 64
	return exp(x);
#else
	T t = fma(x, 0x1.715476p+0f, SHIFT);
	T r = fma(x, 0x1.715476p+0f, SHIFT - t);
	T y = __native_power2(t, fma(x, 0x1.4ae0cp-26f, r));
	y = x >= 0x1.62e43p+6f ? INFINITY : y;
	return x < -0x1.5d589ep+6f ? (T)0 : y;
#endif
}

T native_exp10(T x)
{
#if BITS == 64
	return exp10(x);
#else
	T t = fma(x, 0x1.a934fp+1f, SHIFT);
	T r = fma(x, 0x1.a934fp+1f, SHIFT - t);
	T y = __native_power2(t, fma(x, 0x1.2f346ep-24f, r));
	y = x >= 0x1.344136p+5f ? INFINITY : y;
	return x < -0x1.2f703p+5f ? (T)0 : y;
#endif
}

// log2(x) * scale.
T __native_log(T x, T scale)
{
	U a = AS_U(x);
	S n = (S)(a - 0x3f3504f3) >> MANT;
	T f = AS_T(a - ((U)n << MANT)) - 1;
	T p = 0x1.62dc6ep-3f;
	p = fma(p, f, 0x1.ab6accp-6f);
	p = fma(p, f, -0x1.d8e6d8p-3f);
	p = fma(p, f, 0x1.df664ep-3f);
	p = fma(p, f, -0x1.e7deeep-3f);
	p = fma(p, f, 0x1.25b9a4p-2f);
	p = fma(p, f, -0x1.715aep-2f);
	p = fma(p, f, 0x1.ec7936p-2f);
	p = fma(p, f, -0x1.715478p-1f);
	p = fma(p, f, 0x1.715476p+0f);
	T y = scale * fma(p, f, (T)n);
	y = x < INFINITY ? y : x;
	y = x < 0 ? NAN : y;
	return a << 1 < 1U << 24 ? -INFINITY : y;
}

T native_log2(T x)
{
#if BITS == 64
	return log2(x);
#else
	return __native_log(x, 1);
#endif
}

T native_log(T x)
{
#if BITS == 64
	return log(x);
#else
	return __native_log(x, 0x1.62e43p-1f);
#endif
}

T native_log10(T x)
{
#if BITS == 64
	return log10(x);
#else
	return __native_log(x, 0x1.344136p-2f);
#endif
}

T native_powr(T x, T y)
{
#if BITS == 64
	return powr(x, y);
#else
	return native_exp2(y * __native_log(x, 1));
#endif
}

// The bits of a NaN would become those of a number.
T half_exp(T x)
{
	T y = native_exp(x);
	return x != x ? x : y;
}

T half_exp2(T x)
{
	T y = native_exp2(x);
	return x != x ? x : y;
}

T half_exp10(T x)
{
	T y = native_exp10(x);
	return x != x ? x : y;
}

T half_powr(T x, T y)
{
	T z = native_powr(x, y);
	return x != x || y != y ? x + y : z;
}

// The sine of y, negated if the last bit of t is set.
T __native_unit(T y, T t)
{
	T z = y * y;
	return __unit(fma(y * z, __sin_series(z), y), AS_U(t) << 31);
}

// The tangent of y, or of y + pi/2 if the last bit of t is set.
T __native_tan(T y, T t)
{
	T s = __sin_quarter(y, 0), c = __cos_quarter(y, 0);
	bool odd = AS_U(t) & 1;
	return AS_T(AS_U((odd ? c : s) / (odd ? s : c)) ^ AS_U(t) << 31);
}

// Accurate for angles up to 2^16, less so beyond.
T native_sin(T x)
{
#if BITS == 64
	return sin(x);
#else
	T t = fma(x, 0x1.45f306p-2f, SHIFT), q = t - SHIFT;
	return __native_unit(fma(q, 0x1.777a5cp-24f, fma(q, -0x1.921fb6p+1f, x)), t);
#endif
}

T native_cos(T x)
{
#if BITS == 64
	return cos(x);
#else
	T t = fma(x, 0x1.45f306p-2f, 0.5f) + SHIFT, q = t - SHIFT - 0.5f;
	return __native_unit(fma(q, 0x1.777a5cp-24f, fma(q, -0x1.921fb6p+1f, x)), t);
#endif
}

T native_tan(T x)
{
#if BITS == 64
	return tan(x);
#else
	T t = fma(x, 0x1.45f306p-1f, SHIFT), q = t - SHIFT;
	return __native_tan(fma(q, 0x1.777a5cp-25f, fma(q, -0x1.921fb6p+0f, x)), t);
#endif
}

// half_cos guarantees 8192 ULP up to 2^16. Near odd multiples of pi/2 that requires a
// third part of pi.
T half_cos(T x)
{
#if BITS == 64
	return cos(x);
#else
	T t = fma(x, 0x1.45f306p-2f, 0.5f) + SHIFT, q = t - SHIFT - 0.5f;
	return __native_unit(fma(q, 0x1.ee59dap-49f, fma(q, 0x1.777a5cp-24f, fma(q, -0x1.921fb6p+1f, x))), t);
#endif
}

T half_tan(T x)
{
#if BITS == 64
	return tan(x);
#else
	T t = fma(x, 0x1.45f306p-1f, SHIFT), q = t - SHIFT;
	T y = fma(q, 0x1.ee59dap-50f, fma(q, 0x1.777a5cp-25f, fma(q, -0x1.921fb6p+0f, x)));
	// Angles far beyond 2^16 leave a remainder that is too large for the series.
	y = y > 1 ? (T)1 : y;
	return __native_tan(y < -1 ? (T)-1 : y, t);
#endif
}
