// Functions that implement clang's __builtin functions.

T __bitreverse(T x)
{
	U v = (U)x;
#if BITS > 32
	v = v >> 32 | v << 32;
	v = (v & 0xffff0000ffff0000) >> 16 | (v & 0x0000ffff0000ffff) << 16;
#elif BITS > 16
	v = v >> 16 | v << 16;
#endif
#if BITS > 8
	v = (U)((v & (U)0xff00ff00ff00ff00) >> 8 | (v & (U)0x00ff00ff00ff00ff) << 8);
#endif
	v = (U)((v & (U)0xf0f0f0f0f0f0f0f0) >> 4 | (v & (U)0x0f0f0f0f0f0f0f0f) << 4);
	v = (U)((v & (U)0xcccccccccccccccc) >> 2 | (v & (U)0x3333333333333333) << 2);
	v = (U)((v & (U)0xaaaaaaaaaaaaaaaa) >> 1 | (v & (U)0x5555555555555555) << 1);
	return (T)v;
}

T __rotr(T x, T y)
{
	return rotate(x, (T)-y);
}

int __parity(T x)
{
	return popcount(x) & 1;
}

int __ffs(T x)
{
	return x == 0 ? 0 : 1 + (int)ctz(x);
}

int __clrsb(T x)
{
	return clz((T)(x < 0 ? ~x : x)) - 1;
}

T __abs(T x)
{
	return (T)(x < 0 ? (U)0 - (U)x : (U)x);
}

// A signaling NaN becomes quiet. Every other result of an operation is canonical.
T __canonicalize(T x)
{
	return x * (T)1;
}

T __reduce_add(TN x)
{
	T r = x.s0;
	for (int i = 1; i < N; i++)
		r = (T)(r + ((T *)&x)[i]);
	return r;
}

T __reduce_mul(TN x)
{
	T r = x.s0;
	for (int i = 1; i < N; i++)
		r = (T)(r * ((T *)&x)[i]);
	return r;
}

T __reduce_and(TN x)
{
	T r = x.s0;
	for (int i = 1; i < N; i++)
		r = (T)(r & ((T *)&x)[i]);
	return r;
}

T __reduce_or(TN x)
{
	T r = x.s0;
	for (int i = 1; i < N; i++)
		r = (T)(r | ((T *)&x)[i]);
	return r;
}

T __reduce_xor(TN x)
{
	T r = x.s0;
	for (int i = 1; i < N; i++)
		r = (T)(r ^ ((T *)&x)[i]);
	return r;
}

T __reduce_min(TN x)
{
	T r = x.s0;
	for (int i = 1; i < N; i++) {
		T y = ((T *)&x)[i];
#if FLOATING
		r = fmin(r, y);
#else
		r = min(r, y);
#endif
	}
	return r;
}

T __reduce_max(TN x)
{
	T r = x.s0;
	for (int i = 1; i < N; i++) {
		T y = ((T *)&x)[i];
#if FLOATING
		r = fmax(r, y);
#else
		r = max(r, y);
#endif
	}
	return r;
}

// Whether type T cannot hold the sum, the difference or the product of x and y. Each
// operand is given as 64 bits, extended according to its signedness, and as whether it is
// negative. The exact result is computed in 128 bits.
bool __add_overflow(ulong x, bool x_negative, ulong y, bool y_negative)
{
	ulong low = x + y;
	long high = (long)(low < x) - x_negative - y_negative;
#if SIGNED
	return (T)low != (long)low || high != (long)low >> 63;
#else
	return (T)low != low || high != 0;
#endif
}

bool __sub_overflow(ulong x, bool x_negative, ulong y, bool y_negative)
{
	ulong low = x - y;
	long high = (long)y_negative - x_negative - (x < y);
#if SIGNED
	return (T)low != (long)low || high != (long)low >> 63;
#else
	return (T)low != low || high != 0;
#endif
}

bool __mul_overflow(ulong x, bool x_negative, ulong y, bool y_negative)
{
	bool negative = x_negative != y_negative && x != 0 && y != 0;
	ulong a = x_negative ? 0 - x : x, b = y_negative ? 0 - y : y; // magnitudes
	ulong low = a * b, high = mul_hi(a, b);
#if SIGNED
	return high != 0 || low > (ulong)T_MAX + negative;
#else
	return high != 0 || (negative ? low != 0 : low > T_MAX);
#endif
}
