// Exponentials, logarithms and powers (OpenCL C 1.2 §6.12.2) for one component of type T.
// Polynomials are minimax approximations (Remez) with rounded coefficients. Intermediate
// results that need more precision than T are sums of two numbers, of which the second is
// much smaller than the first.

// x * 2^k for x near 1. The first product is exact, so subnormal results are rounded only
// once.
T __scale(T x, S k)
{
	S halved = k >> 1;
	return x * AS_T((U)(halved + BIAS) << MANT) * AS_T((U)(k - halved + BIAS) << MANT);
}

// x = n ln2 + r; e^x = 2^n (1 + r + r^2 p(r)).
T exp(T x)
{
#if BITS == 32
	T log2e = 0x1.715476p+0f, ln2 = 0x1.62e43p-1f, rest = -0x1.05c61p-29f;
	T overflow = 89, underflow = -104;
#else
	T log2e = 0x1.71547652b82fep+0, ln2 = 0x1.62e42fefa39efp-1, rest = 0x1.abc9e3b39803fp-56;
	T overflow = 710, underflow = -746;
#endif
	T t = fma(x, log2e, SHIFT);
	T n = t - SHIFT;
	T r = fma(n, -rest, fma(n, -ln2, x));
#if BITS == 32
	T p = 0x1.6ac778p-10f;
	p = fma(p, r, 0x1.123de2p-7f);
	p = fma(p, r, 0x1.555858p-5f);
	p = fma(p, r, 0x1.55548cp-3f);
	p = fma(p, r, 0x1.fffffcp-2f);
#else
	T p = 0x1.ad7f24af282cdp-26;
	p = fma(p, r, 0x1.28ad7f229e615p-22);
	p = fma(p, r, 0x1.71df2596aa1d9p-19);
	p = fma(p, r, 0x1.a01999ffc1999p-16);
	p = fma(p, r, 0x1.a01a012a2fcb6p-13);
	p = fma(p, r, 0x1.6c16c1842e6dbp-10);
	p = fma(p, r, 0x1.1111111127c75p-7);
	p = fma(p, r, 0x1.555555555086ap-5);
	p = fma(p, r, 0x1.55555555554fap-3);
	p = fma(p, r, 0x1.000000000000ap-1);
#endif
	T y = __scale(1 + fma(r * r, p, r), (S)AS_U(t) - (S)AS_U(SHIFT));
	y = x > overflow ? INFINITY : y;
	return x < underflow ? (T)0 : y;
}

// e^x - 1 = 2^n (q + 1) - 1, where q = r + r^2 p(r) = e^r - 1.
T expm1(T x)
{
#if BITS == 32
	T log2e = 0x1.715476p+0f, ln2 = 0x1.62e43p-1f, rest = -0x1.05c61p-29f;
	T overflow = 89, underflow = -18, tiny = 0x1p-26f;
#else
	T log2e = 0x1.71547652b82fep+0, ln2 = 0x1.62e42fefa39efp-1, rest = 0x1.abc9e3b39803fp-56;
	T overflow = 710, underflow = -38, tiny = 0x1p-55;
#endif
	T t = fma(x, log2e, SHIFT);
	T n = t - SHIFT;
	T r = fma(n, -rest, fma(n, -ln2, x));
#if BITS == 32
	T p = 0x1.6ab94ep-10f;
	p = fma(p, r, 0x1.122c5ap-7f);
	p = fma(p, r, 0x1.55579cp-5f);
	p = fma(p, r, 0x1.5554aap-3f);
	p = fma(p, r, 0x1.fffffep-2f);
#else
	T p = 0x1.ae6ba4a04c63ep-26;
	p = fma(p, r, 0x1.28a1ebdaa8747p-22);
	p = fma(p, r, 0x1.71de8812a8463p-19);
	p = fma(p, r, 0x1.a019a763f24cep-16);
	p = fma(p, r, 0x1.a01a01750c11cp-13);
	p = fma(p, r, 0x1.6c16c17edf303p-10);
	p = fma(p, r, 0x1.1111111118fcap-7);
	p = fma(p, r, 0x1.55555555522abp-5);
	p = fma(p, r, 0x1.5555555555539p-3);
	p = fma(p, r, 0x1.0000000000005p-1);
#endif
	T q = fma(r * r, p, r);
	T halved = AS_T((AS_U(t) - AS_U(SHIFT) + (BIAS - 1)) << MANT); // half of 2^n, which itself may be infinite
	T y = 2 * fma(halved, q, halved - (T)0.5);
	y = x > overflow ? INFINITY : y;
	y = x < underflow ? (T)-1 : y;
	return fabs(x) < tiny ? x : y;
}

T exp2(T x)
{
	T t = x + SHIFT;
	T r = x - (t - SHIFT);
#if BITS == 32
	T p = 0x1.42f9bep-13f;
	p = fma(p, r, 0x1.5f5182p-10f);
	p = fma(p, r, 0x1.3b2ac2p-7f);
	p = fma(p, r, 0x1.c6aeacp-5f);
	p = fma(p, r, 0x1.ebfbe2p-3f);
	p = r * fma(p, r, -0x1.d1a594p-26f);
	p = fma(r, 0x1.62e432p-1f, p);
	T overflow = 129, underflow = -151;
#else
	T p = 0x1.c063b2f749a71p-32;
	p = fma(p, r, 0x1.e605f88ac132p-28);
	p = fma(p, r, 0x1.b541676d62addp-24);
	p = fma(p, r, 0x1.62bfd49f47035p-20);
	p = fma(p, r, 0x1.ffcbee3b327f3p-17);
	p = fma(p, r, 0x1.4309130960ef9p-13);
	p = fma(p, r, 0x1.5d87fe7bbbd2fp-10);
	p = fma(p, r, 0x1.3b2ab6fba1e1dp-7);
	p = fma(p, r, 0x1.c6b08d7048f32p-5);
	p = fma(p, r, 0x1.ebfbdff82c598p-3);
	p = r * fma(p, r, -0x1.3671f34175de6p-55);
	p = fma(r, 0x1.62e42fefa39f3p-1, p);
	T overflow = 1025, underflow = -1076;
#endif
	T y = __scale(1 + p, (S)AS_U(t) - (S)AS_U(SHIFT));
	y = x > overflow ? INFINITY : y;
	return x < underflow ? (T)0 : y;
}

// x = n log10(2) + r; 10^x = 2^n 10^r.
T exp10(T x)
{
#if BITS == 32
	T log2_10 = 0x1.a934fp+1f, log10_2 = 0x1.344136p-2f, rest = -0x1.ec10cp-27f;
	T overflow = 39, underflow = -46;
#else
	T log2_10 = 0x1.a934f0979a371p+1, log10_2 = 0x1.34413509f79ffp-2, rest = -0x1.9dc1da994fd21p-59;
	T overflow = 309, underflow = -325;
#endif
	T t = fma(x, log2_10, SHIFT);
	T n = t - SHIFT;
	T r = fma(n, -rest, fma(n, -log10_2, x));
#if BITS == 32
	T p = 0x1.ad2fa4p-3f;
	p = fma(p, r, 0x1.15ad98p-1f);
	p = fma(p, r, 0x1.2bd3e6p+0f);
	p = fma(p, r, 0x1.046f24p+1f);
	p = fma(p, r, 0x1.53524ep+1f);
	p = r * fma(p, r, 0x1.61da5p-24f);
	p = fma(r, 0x1.26bb1cp+1f, p);
#else
	T p = 0x1.d0eb77b107ab5p-13;
	p = fma(p, r, 0x1.2f6722650081bp-10);
	p = fma(p, r, 0x1.48acf135c7a0fp-8);
	p = fma(p, r, 0x1.41166a1abe8fp-6);
	p = fma(p, r, 0x1.16e4d81162ddbp-4);
	p = fma(p, r, 0x1.a7ed709ac00fdp-3);
	p = fma(p, r, 0x1.1429ffd444e66p-1);
	p = fma(p, r, 0x1.2bd7609fd6abap+0);
	p = fma(p, r, 0x1.0470591de2294p+1);
	p = fma(p, r, 0x1.53524c73cea6fp+1);
	p = r * fma(p, r, 0x1.a49f7c5163d7p-53);
	p = fma(r, 0x1.26bb1bbb55518p+1, p);
#endif
	T y = __scale(1 + p, (S)AS_U(t) - (S)AS_U(SHIFT));
	y = x > overflow ? INFINITY : y;
	return x < underflow ? (T)0 : y;
}

// x = 2^n (1 + f) for finite x > 0, 1 + f between the roots of 1/2 and 2: f, n.
T2 __fraction(T x)
{
#if BITS == 32
	T normal = 0x1p-126f, up = 0x1p23f;
	U root = 0x3f3504f3;
#else
	T normal = 0x1p-1022, up = 0x1p52;
	U root = 0x3fe6a09e667f3bcd;
#endif
	bool subnormal = x < normal;
	U a = AS_U(subnormal ? x * up : x);
	S n = (S)(a - root) >> MANT;
	T f = AS_T(a - ((U)n << MANT)) - 1;
	// Adding an integer to SHIFT places it in the low bits.
	T bits = AS_T(AS_U(SHIFT) + (U)n);
	return (T2)(f, bits - (subnormal ? SHIFT + MANT : SHIFT));
}

// f - log(1 + f) for 1 + f between the roots of 1/2 and 2.
T __log_tail(T f)
{
#if BITS == 32
	T p = 0x1.23487p-4f;
	p = fma(p, f, -0x1.eabfd6p-4f);
	p = fma(p, f, 0x1.e733f8p-4f);
	p = fma(p, f, -0x1.fa1078p-4f);
	p = fma(p, f, 0x1.230c52p-3f);
	p = fma(p, f, -0x1.556998p-3f);
	p = fma(p, f, 0x1.99a77p-3f);
	p = fma(p, f, -0x1.ffffdap-3f);
	p = fma(p, f, 0x1.555542p-2f);
	return f * f * fma(-f, p, 0.5f);
#else
	// 2 atanh(s) = 2 s + s z p(z), z = s^2, of s = f/(2+f), where f - 2 s is s f.
	T s = f / (2 + f), z = s * s;
	T p = 0x1.0f2809b46164p-3;
	p = fma(p, z, 0x1.0f6482e04ca04p-3);
	p = fma(p, z, 0x1.3b2041fb0ed18p-3);
	p = fma(p, z, 0x1.745ce129c786ap-3);
	p = fma(p, z, 0x1.c71c724d290ap-3);
	p = fma(p, z, 0x1.2492492438483p-2);
	p = fma(p, z, 0x1.9999999999d1bp-2);
	p = fma(p, z, 0x1.5555555555555p-1);
	T halved = 0.5 * f * f;
	return halved - s * fma(z, p, halved);
#endif
}

// y, the logarithm of x, for finite positive x; the correct special value for other x.
T __log_special(T x, T y)
{
	y = x < INFINITY ? y : x;
	y = x < 0 ? NAN : y;
	return x == 0 ? -INFINITY : y;
}

T log(T x)
{
#if BITS == 32
	T ln2 = 0x1.62e43p-1f, rest = -0x1.05c61p-29f;
#else
	T ln2 = 0x1.62e42fefa39efp-1, rest = 0x1.abc9e3b39803fp-56;
#endif
	T2 v = __fraction(x);
	T y = fma(v.y, ln2, v.x - fma(v.y, -rest, __log_tail(v.x)));
	return __log_special(x, y);
}

T log2(T x)
{
#if BITS == 32
	T log2e = 0x1.715476p+0f, rest = 0x1.4ae0cp-26f;
#else
	T log2e = 0x1.71547652b82fep+0, rest = 0x1.777d0ffda0d24p-56;
#endif
	T2 v = __fraction(x);
	T y = fma(v.x, log2e, fma(v.x, rest, -log2e * __log_tail(v.x)));
	return __log_special(x, v.y + y);
}

T log10(T x)
{
#if BITS == 32
	T log10e = 0x1.bcb7b2p-2f, rest = -0x1.5b235ep-27f;
	T log10_2 = 0x1.344136p-2f, log10_2_rest = -0x1.ec10cp-27f;
#else
	T log10e = 0x1.bcb7b1526e50ep-2, rest = 0x1.95355baaafad3p-57;
	T log10_2 = 0x1.34413509f79ffp-2, log10_2_rest = -0x1.9dc1da994fd21p-59;
#endif
	T2 v = __fraction(x);
	T y = fma(v.x, log10e, fma(v.x, rest, -log10e * __log_tail(v.x)));
	y = fma(v.y, log10_2, fma(v.y, log10_2_rest, y));
	return __log_special(x, y);
}

// 1 + x = 2^n (1 + f) with f = 2^-n x + (2^-n - 1), which is rounded only once, whereas 1
// + x itself has lost bits of x.
T log1p(T x)
{
#if BITS == 32
	T ln2 = 0x1.62e43p-1f, rest = -0x1.05c61p-29f;
	T tiny = 0x1p-26f, large = 0x1p26f;
#else
	T ln2 = 0x1.62e42fefa39efp-1, rest = 0x1.abc9e3b39803fp-56;
	T tiny = 0x1p-55, large = 0x1p55;
#endif
	T above = 1 + x;
	T2 v = __fraction(above);
	T scale = AS_T((U)(AS_U(SHIFT) - AS_U(v.y + SHIFT) + BIAS) << MANT);
	T f = x < large ? fma(x, scale, scale - 1) : v.x;
	T y = fma(v.y, ln2, f - fma(v.y, -rest, __log_tail(f)));
	y = __log_special(above, y);
	return fabs(x) < tiny ? x : y;
}

// x^(y + rest) for x >= 0, from log2 x in two parts with a relative error of 2^-36 for
// float and 2^-66 for double. Zeros and infinities give the same results as exp2(y *
// log2(x)).
T __power(T x, T y, T rest)
{
	T2 v = __fraction(x);
	T f = v.x;
	// log2(1+f) = 2/ln2 atanh(s), s = f/(2+f); g + glo = 2 + f.
	T g = f + 2, glo = f - (g - 2), inverse = 1 / g;
	T s = f * inverse;
	T slo = (fma(-s, g, f) - s * glo) * inverse;
	T z = s * s;
	T zlo = fma(s, s, -z) + 2 * s * slo;
	T cube = s * z;
	T cubelo = fma(s, z, -cube) + fma(s, zlo, slo * z);
#if BITS == 32
	T c1 = 0x1.715476p+1f, c1lo = 0x1.4afc28p-25f;
	T c3 = 0x1.ec709ep-1f, c3lo = -0x1.e12fb8p-26f;
	T p = 0x1.5d0076p-2f;
	p = fma(p, z, 0x1.a58c44p-2f);
	p = fma(p, z, 0x1.277782p-1f);
#else
	T c1 = 0x1.71547652b82fep+1, c1lo = 0x1.777d10a198bd3p-55;
	T c3 = 0x1.ec709dc3a03fdp-1, c3lo = 0x1.d26a9404238b4p-55;
	T p = 0x1.457595cb7115bp-3;
	p = fma(p, z, 0x1.33e3a2a8c87c5p-3);
	p = fma(p, z, 0x1.5bbae15169a5ep-3);
	p = fma(p, z, 0x1.89f2e3328decp-3);
	p = fma(p, z, 0x1.c68f59e5cf6e6p-3);
	p = fma(p, z, 0x1.0c9a8494c9b12p-2);
	p = fma(p, z, 0x1.484b13d7c7843p-2);
	p = fma(p, z, 0x1.a61762a7ade6ap-2);
	p = fma(p, z, 0x1.2776c50ef9bffp-1);
#endif
	T a = s * c1;
	T alo = fma(s, c1, -a) + fma(s, c1lo, slo * c1);
	T b = cube * c3;
	T blo = fma(cube, c3, -b) + fma(cube, c3lo, cubelo * c3);
	T h = a + b;
	T l = fma(cube * z, p, alo + blo) + (b - (h - a));
	T hi = v.y + h;
	T lo = (h - (hi - v.y)) + l;
	hi = x < INFINITY ? hi : x;
	hi = x == 0 ? -INFINITY : hi;

	T t = y * hi;
	T tlo = fma(y, hi, -t) + fma(y, lo, rest * hi);
	T shifted = t + SHIFT;
	T r = (t - (shifted - SHIFT)) + tlo;
#if BITS == 32
	T q = 0x1.42f9bep-13f;
	q = fma(q, r, 0x1.5f5182p-10f);
	q = fma(q, r, 0x1.3b2ac2p-7f);
	q = fma(q, r, 0x1.c6aeacp-5f);
	q = fma(q, r, 0x1.ebfbe2p-3f);
	q = r * fma(q, r, -0x1.d1a594p-26f);
	q = fma(r, 0x1.62e432p-1f, q);
	T overflow = 130, underflow = -152;
#else
	T q = 0x1.c063b2f749a71p-32;
	q = fma(q, r, 0x1.e605f88ac132p-28);
	q = fma(q, r, 0x1.b541676d62addp-24);
	q = fma(q, r, 0x1.62bfd49f47035p-20);
	q = fma(q, r, 0x1.ffcbee3b327f3p-17);
	q = fma(q, r, 0x1.4309130960ef9p-13);
	q = fma(q, r, 0x1.5d87fe7bbbd2fp-10);
	q = fma(q, r, 0x1.3b2ab6fba1e1dp-7);
	q = fma(q, r, 0x1.c6b08d7048f32p-5);
	q = fma(q, r, 0x1.ebfbdff82c598p-3);
	q = r * fma(q, r, -0x1.3671f34175de6p-55);
	q = fma(r, 0x1.62e42fefa39f3p-1, q);
	T overflow = 1026, underflow = -1077;
#endif
	T w = __scale(1 + q, (S)AS_U(shifted) - (S)AS_U(SHIFT));
	w = t > overflow ? INFINITY : w;
	return t < underflow ? (T)0 : w;
}

T pow(T x, T y)
{
	T a = fabs(x), halved = (T)0.5 * y;
	bool whole = trunc(y) == y;
	bool odd = whole && trunc(halved) != halved;
	T r = __power(a, y, (T)0);
	r = a == 1 && y == y ? (T)1 : r; // for infinite y
	r = odd ? copysign(r, x) : r;
	r = x < 0 && a < INFINITY && !whole ? NAN : r;
	return x == 1 || y == 0 ? (T)1 : r;
}

T powr(T x, T y)
{
	T r = __power(fabs(x), y, (T)0);
	return x < 0 ? NAN : r;
}

T pown(T x, int n)
{
	T y = (T)n;
	T r = __power(fabs(x), y, (T)(n - (int)y)); // the conversion wraps for y = 2^31
	r = n & 1 ? copysign(r, x) : r;
	return n == 0 ? (T)1 : r;
}

T rootn(T x, int n)
{
	T d = (T)n, dlo = (T)(n - (int)d);
	T y = 1 / d;
	T r = __power(fabs(x), y, (fma(-y, d, (T)1) - y * dlo) * y);
	r = n & 1 ? copysign(r, x) : r;
	return n == 0 || (x < 0 && !(n & 1)) ? NAN : r;
}
