// Math functions (OpenCL C 1.2 §6.12.2) for one component of type T that need only a few
// operations or are exact because they operate on bits.

// fma for half. The product is exact. The sum is exact wherever it is near a tie between
// two halves: a double covers the bits from half of the smallest subnormal half to the
// largest half, and a smaller product is absorbed by the half to which it is added.
T fma(T x, T y, T z)
{
	return (T)((double)x * y + z);
}

// fabs for half.
T fabs(T x)
{
	return AS_T(AS_U(x) & ~TOP);
}

T rsqrt(T x)
{
	return 1 / sqrt(x);
}

T recip(T x)
{
	return 1 / x;
}

T round(T x)
{
	T t = trunc(x);
	return fabs(x - t) >= (T)0.5 ? t + copysign((T)1, x) : t;
}

T copysign(T x, T y)
{
	return AS_T((AS_U(x) & ~TOP) | (AS_U(y) & TOP));
}

T fdim(T x, T y)
{
	T d = x - y;
	return x == y || d < 0 ? (T)0 : d;
}

T fract(T x)
{
	T f = x - floor(x);
#if BITS == 16
	T below = 0x1.ffcp-1h;
#elif BITS == 32
	T below = 0x1.fffffep-1f;
#else
	T below = 0x1.fffffffffffffp-1;
#endif
	f = f < below || x != x ? f : below;
	return x == 0 || fabs(x) == INFINITY ? copysign((T)0, x) : f;
}

T fract_floor(T x)
{
	return floor(x);
}

T modf(T x)
{
	T f = fabs(x) == INFINITY ? (T)0 : x - trunc(x);
	return copysign(f, x);
}

T modf_trunc(T x)
{
	return trunc(x);
}

// The exponent e of x = m * 2^e with m in [0.5, 1), for finite x other than 0.
int __exponent(T x)
{
	U a = AS_U(x) & ~TOP;
	S e = (S)(a >> MANT);
	S below = (S)clz(a) - (BITS - 1 - MANT); // for a subnormal: leading zeros in the fraction
	return (int)(e ? e : 1 - below) - (BIAS - 1);
}

T frexp(T x)
{
	U a = AS_U(x) & ~TOP;
	if (RARE(a == 0 || a >= INF))
		return x;
	if (RARE(a >> MANT == 0))
		a <<= clz(a) - (BITS - 1 - MANT);
	U exponent = (U)(BIAS - 1) << MANT;
	return AS_T((AS_U(x) & TOP) | exponent | (a & (((U)1 << MANT) - 1)));
}

int frexp_exponent(T x)
{
	U a = AS_U(x) & ~TOP;
	return a == 0 || a >= INF ? 0 : __exponent(x);
}

int ilogb(T x)
{
	U a = AS_U(x) & ~TOP;
	int e = __exponent(x) - 1;
	return a == 0 ? (int)0x80000000 : a >= INF ? 0x7fffffff : e;
}

T logb(T x)
{
	U a = AS_U(x) & ~TOP;
	if (RARE(a == 0))
		return -INFINITY;
	if (RARE(a >= INF))
		return x * x; // infinity or NaN
	return (T)(__exponent(x) - 1);
}

// Scales in steps that are exact as long as the result is normal; only the last
// multiplication rounds.
T ldexp(T x, int n)
{
#if BITS == 32
	T up = 0x1p127f, down = 0x1p-102f; // 2^-126 * 2^24: keeps the bits of the fraction
	int down_by = 102;
#else
	T up = 0x1p1023, down = 0x1p-969;
	int down_by = 969;
#endif
	if (RARE(n > BIAS)) {
		x *= up;
		n -= BIAS;
		if (n > BIAS) {
			x *= up;
			n = min(n - BIAS, BIAS);
		}
	} else if (RARE(n < 1 - BIAS)) {
		x *= down;
		n += down_by;
		if (n < 1 - BIAS) {
			x *= down;
			n = max(n + down_by, 1 - BIAS);
		}
	}
	return x * AS_T((U)(n + BIAS) << MANT);
}

T maxmag(T x, T y)
{
	T a = fabs(x), b = fabs(y);
	return a > b ? x : b > a ? y : fmax(x, y);
}

T minmag(T x, T y)
{
	T a = fabs(x), b = fabs(y);
	return a < b ? x : b < a ? y : fmin(x, y);
}

T nan(U payload)
{
	U quiet = (U)1 << (MANT - 1);
	return AS_T(INF | quiet | (payload & (((U)1 << MANT) - 1)));
}

T nextafter(T x, T y)
{
	U a = AS_U(x);
	U up = x < y == !(a & TOP) ? a + 1 : a - 1; // away from 0 or toward it
	up = x == 0 ? (AS_U(y) & TOP) | 1 : up;
	T r = x == y ? y : AS_T(up);
	return x != x || y != y ? x + y : r;
}

// a minus a multiple of b, for quotients of at most MANT bits; exact. The integer part of
// the rounded quotient is correct or one too large. The difference is a multiple of the
// last place of b and smaller than b in magnitude.
T __less_multiple(T a, T b)
{
	T r = fma(-trunc(a / b), b, a);
	return r < 0 ? r + b : r;
}

// Long division with MANT - 1 quotient bits per step; exact.
T fmod(T x, T y)
{
	T a = fabs(x), b = fabs(y);
	if (RARE(!(a < INFINITY) || !(b > 0)))
		return NAN;
	if (a < b)
		return x;
	S above = __exponent(a) - __exponent(b) - (MANT - 1);
	for (; above > 0; above -= MANT - 1)
		a = __less_multiple(a, ldexp(b, (int)above));
	return AS_T(AS_U(__less_multiple(a, b)) | (AS_U(x) & TOP));
}

// The remainder of least magnitude; in a tie, the one with the even quotient. Computed by
// fmod with 2y, which preserves the last bit of the quotient.
T remainder(T x, T y)
{
	T b = fabs(y);
	T a = fabs(x);
	if (RARE(!(a < INFINITY) || b != b || b == 0))
		return NAN;
	if (RARE(b == INFINITY))
		return x;
	T twice = b + b;
	if (!RARE(twice == INFINITY))
		a = fmod(a, twice);
	// Differences are exact between b/2 and 2b (Sterbenz); elsewhere rounding cannot
	// change the result of these comparisons.
	if (a >= b) {
		a -= b;
		if (a >= b - a)
			a -= b;
	} else if (a > b - a)
		a -= b;
	return AS_T(AS_U(a) ^ (AS_U(x) & TOP));
}

// The low 7 bits of the rounded quotient of remainder, with its sign.
int remquo_quotient(T x, T y)
{
	T b = fabs(y);
	T a = fabs(x);
	if (RARE(!(a < INFINITY) || !(b < INFINITY) || b == 0))
		return 0;
	int q = 0;
	// Subtract multiples of b * 2^k, from k = 7 down; larger ones do not affect the
	// result.
	T step = ldexp(b, 7);
	if (!RARE(step == INFINITY))
		a = fmod(a, step);
	for (int k = 6; k >= 0; k--) {
		step = ldexp(b, k);
		if (a >= step) {
			a -= step;
			q += 1 << k;
		}
	}
	if (a > b - a || (a == b - a && q & 1))
		q++;
	q &= 127;
	return (AS_U(x) ^ AS_U(y)) & TOP ? -q : q;
}
