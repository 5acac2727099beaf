// Common functions (OpenCL C 1.2 §6.12.4) for one component of type T. The order of
// operations is that of PoCL.

T min(T x, T y)
{
	return x < y ? x : y;
}

T max(T x, T y)
{
	return x > y ? x : y;
}

T clamp(T x, T lo, T hi)
{
#if FLOATING
	return fmin(fmax(x, lo), hi);
#else
	return min(max(x, lo), hi);
#endif
}

T degrees(T x)
{
	return x * (T)57.29577951308232087679815481410517;
}

T radians(T x)
{
	return x * (T)0.01745329251994329576923690768488613;
}

T mix(T x, T y, T a)
{
	return x + (y - x) * a;
}

T step(T edge, T x)
{
	return x < edge ? (T)0 : (T)1;
}

T smoothstep(T edge0, T edge1, T x)
{
	T t = (x - edge0) / (edge1 - edge0);
	t = t > 0 ? t : (T)0;
	t = t < 1 ? t : (T)1;
	return t * t * (3 - 2 * t);
}

T sign(T x)
{
	T one = x == 0 ? (T)0 : (T)1;
	return x != x ? (T)0 : AS_T(AS_U(one) | (AS_U(x) & TOP));
}
