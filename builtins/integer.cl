// Integer functions (OpenCL C 1.2 §6.12.3) for one component of type T. Arithmetic on
// small types is done in int and truncated by the casts.

U abs_diff(T x, T y)
{
	return x > y ? (U)((U)x - (U)y) : (U)((U)y - (U)x);
}

T hadd(T x, T y)
{
	return (T)((x >> 1) + (y >> 1) + (x & y & 1));
}

T rhadd(T x, T y)
{
	return (T)((x >> 1) + (y >> 1) + ((x | y) & 1));
}

T ctz(T x)
{
	return (T)popcount((T)(~x & (T)((U)x - 1)));
}

T mad_hi(T x, T y, T z)
{
	return (T)((U)mul_hi(x, y) + (U)z);
}

T mad_sat(T x, T y, T z)
{
#if BITS < 64
	W r = (W)x * y + z;
#if SIGNED
	return r > T_MAX ? T_MAX : r < T_MIN ? T_MIN : (T)r;
#else
	return r > T_MAX ? T_MAX : (T)r;
#endif
#else
	// 128 bits in two halves.
	ulong low = (ulong)x * (ulong)y;
	ulong sum = low + (ulong)z;
#if SIGNED
	long high = mul_hi(x, y) + (z >> 63) + (sum < low);
	return high == (long)sum >> 63 ? (long)sum : high < 0 ? T_MIN : T_MAX;
#else
	return mul_hi(x, y) != 0 || sum < low ? T_MAX : sum;
#endif
#endif
}

T mad24(T x, T y, T z)
{
	return (T)((U)x * (U)y + (U)z);
}
