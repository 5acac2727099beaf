// Sine, cosine and tangent (OpenCL C 1.2 §6.12.2) for one component of type T. An angle
// is reduced by subtracting a multiple of pi or pi/2 in three parts with fused
// multiply-adds (Cody & Waite); the first difference is exact. Large angles are
// multiplied by the significant bits of 1/(2 pi) (Payne & Hanek, 1983).

// (sin(y) - y) / y^3 for z = y^2 and y between -pi/2 and pi/2.
T __sin_series(T z)
{
#if BITS == 32
	T p = 0x1.5dbc24p-19f;
	p = fma(p, z, -0x1.9f7046p-13f);
	p = fma(p, z, 0x1.110ed8p-7f);
	p = fma(p, z, -0x1.55554cp-3f);
#else
	T p = -0x1.e9fc38c970592p-60;
	p = fma(p, z, 0x1.8ac06b146164fp-49);
	p = fma(p, z, -0x1.ae4ec51e56063p-41);
	p = fma(p, z, 0x1.6123e76265ac1p-33);
	p = fma(p, z, -0x1.ae64551ab75dap-26);
	p = fma(p, z, 0x1.71de3a530a0bcp-19);
	p = fma(p, z, -0x1.a01a01a01578dp-13);
	p = fma(p, z, 0x1.11111111110cep-7);
	p = fma(p, z, -0x1.5555555555555p-3);
#endif
	return p;
}

// r, limited to magnitude 1 in case rounding exceeded it, with the sign inverted if the
// top bit of sign is set.
T __unit(T r, U sign)
{
	T m = fabs(r);
	m = m > 1 ? (T)1 : m;
	return AS_T(AS_U(m) | ((AS_U(r) ^ sign) & TOP));
}

// The sine of y + lo, for a sum between -pi/2 and pi/2.
T __sin_half(T y, T lo)
{
	T z = y * y;
	T rest = fma((T)-0.5 * z, lo, lo); // approximately lo * cos(y)
	return y + fma(y * z, __sin_series(z), rest);
}

// The sine of y + lo, for a sum between -pi/4 and pi/4.
T __sin_quarter(T y, T lo)
{
	T z = y * y;
#if BITS == 32
	T p = -0x1.991c26p-13f;
	p = fma(p, z, 0x1.1106c6p-7f);
	p = fma(p, z, -0x1.555544p-3f);
#else
	T p = -0x1.a06385e3cb4a2p-41;
	p = fma(p, z, 0x1.610a73c6d2517p-33);
	p = fma(p, z, -0x1.ae642d4620339p-26);
	p = fma(p, z, 0x1.71de3a343c8d8p-19);
	p = fma(p, z, -0x1.a01a019ffea6p-13);
	p = fma(p, z, 0x1.111111111106ap-7);
	p = fma(p, z, -0x1.5555555555555p-3);
#endif
	return y + fma(y * z, p, lo);
}

// The cosine of y + lo, for a sum between -pi/4 and pi/4.
T __cos_quarter(T y, T lo)
{
	T z = y * y;
#if BITS == 32
	T p = 0x1.99e42cp-16f;
	p = fma(p, z, -0x1.6c0c2p-10f);
	p = fma(p, z, 0x1.55554ap-5f);
#else
	T p = 0x1.9e5bcdb2652fcp-45;
	p = fma(p, z, -0x1.9375a9f99969fp-37);
	p = fma(p, z, 0x1.1eed7084adf08p-29);
	p = fma(p, z, -0x1.27e4fb5adc24dp-22);
	p = fma(p, z, 0x1.a01a019ffd376p-16);
	p = fma(p, z, -0x1.6c16c16c16b32p-10);
	p = fma(p, z, 0x1.5555555555555p-5);
#endif
	T h = (T)0.5 * z, w = 1 - h;
	return w + fma(z * z, p, (1 - w - h) - y * lo);
}

// For x >= 2: the angle x plus add / 2^64 of a turn, minus a multiple n of 2 pi / 2^s;
// and n as bits.
T2 __far_angle(T x, int s, ulong add)
{
	// 1/(2 pi), preceded by 64 zero bits.
	__constant ulong bits[20] = {
		0x0000000000000000, 0x28be60db9391054a, 0x7f09d5f47d4d3770, 0x36d8a5664f10e410,
		0x7f9458eaf7aef158, 0x6dc91b8e909374b8, 0x01924bba82746487, 0x3f877ac72c4a69cf,
		0xba208d7d4baed121, 0x3a671c09ad17df90, 0x4e64758e60d4ce7d, 0x272117e2ef7e4a0e,
		0xc7fe25fff7816603, 0xfbcbc462d6829b47, 0xdb4d9fb3c9f2c26d, 0xd3d18fd9a797fa8b,
		0x5d49eeb1faf97c5e, 0xcf41ce7de294a4ba, 0x9afed7ec47e35742, 0x1580cc11bf1edaea
	};
	U a = AS_U(x);
	int e = (int)(a >> MANT) - BIAS - MANT; // x = m 2^e
	ulong m = (ulong)((a & (((U)1 << MANT) - 1)) | (U)1 << MANT);
	// Bits of weight 2^-e and above contribute whole turns.
	int at = e + 64, word = at >> 6;
	ulong by = (ulong)(at & 63);
	ulong w0 = bits[word], w1 = bits[word + 1], w2 = bits[word + 2];
	w0 = w0 << by | w1 >> 1 >> (63 - by);
	w1 = w1 << by | w2 >> 1 >> (63 - by);
	ulong f0 = m * w0 + mul_hi(m, w1);
#if BITS == 32
	f0 += add;
	T step = 0x1.921fb6p-62f, step_rest = -0x1.777a5cp-87f; // 2 pi / 2^64
#else
	ulong w3 = bits[word + 3];
	w2 = w2 << by | w3 >> 1 >> (63 - by);
	ulong low = m * w1, f1 = low + mul_hi(m, w2);
	f0 += add + (f1 < low ? 1UL : 0UL);
	T step = 0x1.921fb54442d18p-62, step_rest = 0x1.1a62633145c07p-116;
#endif
	ulong n = (f0 + (1UL << (63 - s))) >> (64 - s);
	long g = (long)(f0 << s);
#if BITS == 32
	T hi = (T)g, lo = (T)(g - (long)hi);
#else
	g |= (long)(f1 >> (64 - s));
	f1 <<= s;
	T hi = (T)(g & ~0x7ffL), lo = (T)(g & 0x7ffL) + (T)f1 * 0x1p-64;
	T sum = hi + lo;
	lo = hi - sum + lo;
	hi = sum;
#endif
	T scale = AS_T((U)(BIAS - s) << MANT);
	step *= scale;
	step_rest *= scale;
	T r = fma(hi, step, fma(hi, step_rest, lo * step));
	return (T2)(r + (x - x), AS_T((U)n)); // NaN for infinities
}

T sin(T x)
{
#if BITS == 32
	T inverse = 0x1.45f306p-2f, pi = 0x1.921fb6p+1f, pi2 = -0x1.777a5cp-24f, pi3 = -0x1.ee59dap-49f, far = 0x1p17f;
#else
	T inverse = 0x1.45f306dc9c883p-2, pi = 0x1.921fb54442d18p+1, pi2 = 0x1.1a62633145c07p-53, pi3 = -0x1.f1976b7ed8fbcp-109, far = 0x1p30;
#endif
	T a = fabs(x);
	T t = fma(a, inverse, SHIFT), q = t - SHIFT;
	T b = fma(q, -pi, a), y = fma(q, -pi3, fma(q, -pi2, b));
	if (RARE(a >= far)) {
		T2 v = __far_angle(a, 1, 0);
		y = v.x;
		t = v.y;
	}
	T z = y * y;
	return __unit(fma(y * z, __sin_series(z), y), AS_U(t) << (BITS - 1) ^ AS_U(x));
}

// cos(x) is the sine of x + pi/2; the angle subtracted is an odd multiple of pi/2.
T cos(T x)
{
#if BITS == 32
	T inverse = 0x1.45f306p-2f, pi = 0x1.921fb6p+1f, pi2 = -0x1.777a5cp-24f, pi3 = -0x1.ee59dap-49f, far = 0x1p17f;
#else
	T inverse = 0x1.45f306dc9c883p-2, pi = 0x1.921fb54442d18p+1, pi2 = 0x1.1a62633145c07p-53, pi3 = -0x1.f1976b7ed8fbcp-109, far = 0x1p30;
#endif
	T a = fabs(x);
	T t = fma(a, inverse, (T)0.5) + SHIFT, q = t - SHIFT - (T)0.5;
	T b = fma(q, -pi, a), y = fma(q, -pi3, fma(q, -pi2, b));
	if (RARE(a >= far)) {
		T2 v = __far_angle(a, 1, 1UL << 62);
		y = v.x;
		t = v.y;
	}
	T z = y * y;
	return __unit(fma(y * z, __sin_series(z), y), AS_U(t) << (BITS - 1));
}

T tan(T x)
{
#if BITS == 32
	T inverse = 0x1.45f306p-1f, pi = 0x1.921fb6p+0f, pi2 = -0x1.777a5cp-25f, pi3 = -0x1.ee59dap-50f, far = 0x1p17f;
#else
	T inverse = 0x1.45f306dc9c883p-1, pi = 0x1.921fb54442d18p+0, pi2 = 0x1.1a62633145c07p-54, pi3 = -0x1.f1976b7ed8fbcp-110, far = 0x1p30;
#endif
	T a = fabs(x);
	T t = fma(a, inverse, SHIFT), q = t - SHIFT;
	T b = fma(q, -pi, a), y = fma(q, -pi3, fma(q, -pi2, b));
	if (RARE(a >= far)) {
		T2 v = __far_angle(a, 2, 0);
		y = v.x;
		t = v.y;
	}
	T s = __sin_quarter(y, 0), c = __cos_quarter(y, 0);
	bool odd = AS_U(t) & 1; // the tangent equals minus the cotangent of the angle minus pi/2
	T r = (odd ? c : s) / (odd ? s : c);
	return AS_T(AS_U(r) ^ AS_U(t) << (BITS - 1) ^ (AS_U(x) & TOP));
}

T sinpi(T x)
{
#if BITS == 32
	T pi = 0x1.921fb6p+1f, pi2 = -0x1.777a5cp-24f;
#else
	T pi = 0x1.921fb54442d18p+1, pi2 = 0x1.1a62633145c07p-53;
#endif
	T a = fabs(x), q = rint(a);
	T r = a - q, y = r * pi;
	U sign = (U)(S)q << (BITS - 1);
	sign = r == 0 ? (U)0 : sign; // 0 has the sign of x
	T s = __sin_half(y, fma(r, pi2, fma(r, pi, -y)));
	return __unit(s, sign ^ AS_U(x));
}

// cos(pi x) is the sine of pi (1/2 - |x|) for |x| <= 1.
T cospi(T x)
{
#if BITS == 32
	T pi = 0x1.921fb6p+1f, pi2 = -0x1.777a5cp-24f;
#else
	T pi = 0x1.921fb54442d18p+1, pi2 = 0x1.1a62633145c07p-53;
#endif
	T r = (T)0.5 - fabs(x - 2 * rint((T)0.5 * x)), y = r * pi;
	return __unit(__sin_half(y, fma(r, pi2, fma(r, pi, -y))), (U)0);
}

T tanpi(T x)
{
#if BITS == 32
	T pi = 0x1.921fb6p+1f, pi2 = -0x1.777a5cp-24f;
#else
	T pi = 0x1.921fb54442d18p+1, pi2 = 0x1.1a62633145c07p-53;
#endif
	T a = fabs(x), q = rint(a);
	T d = a - q, b = fabs(d);
	bool steep = b > (T)0.25;
	T r = steep ? (T)0.5 - b : b;
	T y = r * pi, lo = fma(r, pi2, fma(r, pi, -y));
	T s = __sin_quarter(y, lo), c = __cos_quarter(y, lo);
	T t = (steep ? c : s) / (steep ? s : c);
	// 0 is -0 at odd integers.
	U sign = d == 0 ? (U)(S)q << (BITS - 1) : AS_U(d) & TOP;
	return AS_T(AS_U(t) ^ sign ^ (AS_U(x) & TOP));
}
