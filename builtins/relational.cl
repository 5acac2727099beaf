// Relational functions (OpenCL C 1.2 §6.12.6) for one component. A bool result becomes 1
// for scalars and -1 for components of vectors.

bool isequal(T x, T y)
{
	return x == y;
}

bool isnotequal(T x, T y)
{
	return x != y;
}

bool isgreater(T x, T y)
{
	return x > y;
}

bool isgreaterequal(T x, T y)
{
	return x >= y;
}

bool isless(T x, T y)
{
	return x < y;
}

bool islessequal(T x, T y)
{
	return x <= y;
}

bool islessgreater(T x, T y)
{
	return x < y || x > y;
}

bool isfinite(T x)
{
	return (AS_U(x) & ~TOP) < INF;
}

bool isinf(T x)
{
	return (AS_U(x) & ~TOP) == INF;
}

bool isnan(T x)
{
	return x != x;
}

bool isnormal(T x)
{
	U a = AS_U(x) & ~TOP;
	return a >= ((U)1 << MANT) && a < INF;
}

bool isordered(T x, T y)
{
	return x == x && y == y;
}

bool isunordered(T x, T y)
{
	return x != x || y != y;
}

bool signbit(T x)
{
	return (AS_U(x) & TOP) != 0;
}

T bitselect(T x, T y, T mask)
{
	return AS_T((AS_U(x) & ~AS_U(mask)) | (AS_U(y) & AS_U(mask)));
}
