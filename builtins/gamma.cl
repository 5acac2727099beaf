// Error functions and gamma functions (OpenCL C 1.2 §6.12.2) for one component of type T.
// Polynomials are minimax approximations, with the errors given. Gamma functions of float
// are computed in double, as the exponent would amplify the relative error of a float in
// x^x.

// erfc(x) for x >= 0. (1 + 2x) e^(x^2) erfc(x) is smooth and nearly constant. It is
// approximated by a polynomial in (x - k) / (x + k), which maps all x to [-1, 1]
// (Shepherd and Laframboise, "Chebyshev Approximation of (1+2x)exp(x^2)erfc x", 1981); k
// = 3 with error 2^-28, k = 4 with error 2^-59.
T __erfc_positive(T x)
{
#if BITS == 32
	T a = x > 11 ? (T)11 : x; // erfc is 0 for larger x
	T t = (a - 3) / (a + 3);
	T p = 0x1.3eca8p-14f;
	p = fma(p, t, -0x1.865a08p-14f);
	p = fma(p, t, -0x1.7b15bap-11f);
	p = fma(p, t, 0x1.ebddd4p-10f);
	p = fma(p, t, 0x1.472502p-9f);
	p = fma(p, t, -0x1.855bf6p-6f);
	p = fma(p, t, 0x1.17d47ap-4f);
	p = fma(p, t, -0x1.e88cd6p-4f);
	p = fma(p, t, 0x1.0982bep-3f);
	p = fma(p, t, -0x1.85a128p-5f);
	p = fma(p, t, -0x1.15c07ep-3f);
	p = fma(p, t, 0x1.40c522p0f);
#else
	T a = x > 28 ? (T)28 : x;
	T t = (a - 4) / (a + 4);
	T tt = t * t;
	T even = -0x1.258db1c49a8f5p-32, odd = -0x1.237d426e4aef5p-33;
	even = fma(even, tt, 0x1.b4780df06cc78p-29);
	odd = fma(odd, tt, 0x1.e3b7e5a3828e7p-30);
	even = fma(even, tt, -0x1.61817540ecddap-26);
	odd = fma(odd, tt, -0x1.f68a24ce6272ep-27);
	even = fma(even, tt, 0x1.4cd5b4f686081p-24);
	odd = fma(odd, tt, 0x1.d84b9450e0e1dp-24);
	even = fma(even, tt, 0x1.397aabc2678e3p-22);
	odd = fma(odd, tt, -0x1.bacdab8deda8ap-21);
	even = fma(even, tt, -0x1.7885ff1a6d3ecp-17);
	odd = fma(odd, tt, 0x1.7f21da97e60e6p-18);
	even = fma(even, tt, 0x1.3be04b1e27f2bp-13);
	odd = fma(odd, tt, -0x1.99587d9179b69p-16);
	even = fma(even, tt, -0x1.8d4a9af1ecb73p-11);
	odd = fma(odd, tt, -0x1.a1df2c7cc396ap-13);
	even = fma(even, tt, -0x1.09623883aca7ep-6);
	odd = fma(odd, tt, 0x1.49c6729060274p-8);
	even = fma(even, tt, -0x1.0fb06dfe51a08p-4);
	odd = fma(odd, tt, 0x1.3079edf65e6a4p-5);
	even = fma(even, tt, -0x1.9ddb23c3e8a97p-4);
	odd = fma(odd, tt, 0x1.7fee004e1375cp-4);
	even = fma(even, tt, 0x1.f7f5df66fd6d5p-7);
	odd = fma(odd, tt, 0x1.16ecefcfa530fp-4);
	even = fma(even, tt, 0x1.3ba5916e9fd7fp0);
	odd = fma(odd, tt, -0x1.1df1ad154a28ep-3);
	T p = fma(odd, t, even);
#endif
	T scaled = p / fma(a, (T)2, (T)1);
	T square = a * a;
	T n = __ln2_count(-square);
	T r = __ln2_rest(-square, n) - fma(a, a, -square);
	T e = fma(scaled, r + __expm1_tail(r), scaled);
	// Two factors, so that results below the smallest normal number are rounded once.
	S half_of = (S)(int)n >> 1;
	T first = AS_T((U)(half_of + BIAS) << MANT);
	T second = AS_T((U)((S)(int)n - half_of + BIAS) << MANT);
	return e * first * second;
}

T erfc(T x)
{
	T r = __erfc_positive(fabs(x));
	r = x < 0 ? 2 - r : r;
	return fabs(x) < (T)0.5 ? 1 - __erf_small(x) : r;
}

// erf(x) = x + x P(x^2) below 1; error 2^-29 and 2^-62.
T __erf_small(T x)
{
	T a = fabs(x);
	T z = a < 1 ? a * a : (T)1;
#if BITS == 32
	T p = 0x1.4ae4c6p-14f;
	p = fma(p, z, -0x1.a485f8p-11f);
	p = fma(p, z, 0x1.5419fap-8f);
	p = fma(p, z, -0x1.b7fbb6p-6f);
	p = fma(p, z, 0x1.ce2d2p-4f);
	p = fma(p, z, -0x1.81273ep-2f);
	p = fma(p, z, 0x1.06eba8p-3f);
#else
	T zz = z * z;
	T even = 0x1.062759c5be8ecp-34, odd = -0x1.38ac2290d3965p-30;
	even = fma(even, zz, 0x1.f7b99d7c8709ap-27);
	odd = fma(odd, zz, -0x1.5f1f40faeea79p-23);
	even = fma(even, zz, 0x1.b9df305cad6f7p-20);
	odd = fma(odd, zz, -0x1.f4d1e434bc0cfp-17);
	even = fma(even, zz, 0x1.f9a321e4b84f9p-14);
	odd = fma(odd, zz, -0x1.c02db3db49762p-11);
	even = fma(even, zz, 0x1.565bcd0dbd921p-8);
	odd = fma(odd, zz, -0x1.b82ce31284f38p-6);
	even = fma(even, zz, 0x1.ce2f21a042b34p-4);
	odd = fma(odd, zz, -0x1.812746b0379e6p-2);
	even = fma(even, zz, 0x1.06eba8214db69p-3);
	T p = fma(odd, z, even);
#endif
	return fma(x, p, x);
}

T erf(T x)
{
	T a = fabs(x);
	return a < 1 ? __erf_small(x) : copysign(1 - __erfc_positive(a), x);
}

// |sin(pi x)| with exact argument reduction; error 2^-55.
T __sin_pi_size(T x)
{
	T r = fabs(x - rint(x));
	T z = r * r;
	T zz = z * z;
	T even = 0x1.aabbe6adce68fp-21, odd = -0x1.7ed527b61c9e1p-26;
	even = fma(even, zz, 0x1.e8f4338e33ca1p-12);
	odd = fma(odd, zz, -0x1.6fad48943937cp-16);
	even = fma(even, zz, 0x1.50783487ec1a3p-4);
	odd = fma(odd, zz, -0x1.e3074fdc52801p-8);
	even = fma(even, zz, 0x1.466bc6775aae2p1);
	odd = fma(odd, zz, -0x1.32d2cce62bd57p-1);
	even = fma(even, zz, 0x1.1a61d2e27c672p-53);
	odd = fma(odd, zz, -0x1.4abbce625be53p2);
	T p = fma(odd, z, even);
	return fma(r, 0x1.921fb54442d18p1, r * p);
}

// a (ln Gamma(a) - (a - 1/2) ln a + a - ln(2 pi)/2), the remainder of Stirling's formula,
// for w = 1/a^2 and a >= 4.5; error 2^-54.
T __stirling(T w)
{
	T p = -0x1.7634246eafacbp-7;
	p = fma(p, w, 0x1.5a84bcbb07b2cp-8);
	p = fma(p, w, -0x1.ebe0e6f0a907p-10);
	p = fma(p, w, 0x1.b8dbbffe52008p-11);
	p = fma(p, w, -0x1.3812195dd13f2p-11);
	p = fma(p, w, 0x1.a019ff7f2cf4ap-11);
	p = fma(p, w, -0x1.6c16c16bc7b83p-9);
	p = fma(p, w, 0x1.5555555555552p-4);
	return p;
}

// For x in [-1/2, 4.5), Gamma(x) is Gamma(2 + t), a polynomial with error 2^-56,
// multiplied or divided by a few factors. For larger x it is e^L by Stirling's formula,
// with ln a and L in two parts, since the absolute error of L becomes the relative error
// of the result. For smaller x it is -pi / (a sin(pi a) Gamma(a)) with a = -x.
T __tgamma(T x)
{
	bool reflect = x < -0.5;
	T a = reflect ? -x : x;
	bool big = a >= 4.5;

	T t = a < 0.5 ? a : a < 1.5 ? a - 1 : a < 2.5 ? a - 2 : a < 3.5 ? a - 3 : a - 4;
	t = big ? (T)0 : t;
	T tt = t * t;
	T even = 0x1.664f88752d813p-19, odd = -0x1.5ade5dc9ee2f8p-18;
	even = fma(even, tt, 0x1.e0fc735c207a3p-18);
	odd = fma(odd, tt, -0x1.e718e8ab15e26p-17);
	even = fma(even, tt, 0x1.00af821fb7372p-15);
	odd = fma(odd, tt, -0x1.ffa9bdb1ba1cap-15);
	even = fma(even, tt, 0x1.fe382ff09f10dp-14);
	odd = fma(odd, tt, -0x1.f9388302eed78p-13);
	even = fma(even, tt, 0x1.011b45139a282p-11);
	odd = fma(odd, tt, -0x1.e21f8e8ef5943p-11);
	even = fma(even, tt, 0x1.13c447b75a838p-9);
	odd = fma(odd, tt, -0x1.75e6e75c0209p-9);
	even = fma(even, tt, 0x1.6d7eeacf6e9d1p-7);
	odd = fma(odd, tt, -0x1.17f3747aae592p-12);
	even = fma(even, tt, 0x1.301fbb0f21e67p-4);
	odd = fma(odd, tt, 0x1.4e2399846690fp-4);
	even = fma(even, tt, 0x1.a5b978b96bedfp-2);
	odd = fma(odd, tt, 0x1.b0ee6072093c8p-2);
	even = fma(even, tt, 0x1p0);
	T p = fma(odd, t, even);
	T num = p * (a < 2.5 ? (T)1 : a < 3.5 ? a - 1 : (a - 1) * (a - 2));
	T den = a < 0.5 ? a * (1 + a) : a < 1.5 ? a : (T)1;

	// ln b = e ln 2 + 2 atanh(f / (2 + f)).
	T b = !big ? (T)5 : a > 200 ? (T)200 : a;
	S e = (S)(AS_U(b) - 0x3fe6a09e667f3bcdUL) >> MANT;
	T f = AS_T(AS_U(b) - ((U)e << MANT)) - 1;
	T d = f + 2;
	T s = f / d;
	T s_low = (fma(-s, d, f) - s * (f - (d - 2))) / d;
	T z = s * s;
	T log_tail;
	{
	T p = 0x1.0c09ce6dcf431p-3;
	p = fma(p, z, 0x1.0fbdf27fbfca1p-3);
	p = fma(p, z, 0x1.3b1c3bf61d11p-3);
	p = fma(p, z, 0x1.745cf8e2a0693p-3);
	p = fma(p, z, 0x1.c71c7201b280bp-3);
	p = fma(p, z, 0x1.249249247694ap-2);
	p = fma(p, z, 0x1.9999999999a39p-2);
	p = fma(p, z, 0x1.5555555555555p-1);
		log_tail = p * z * s;
	}
	T k = (T)(int)e;
	T high = fma(k, 0x1.62e42fefp-1, 2 * s);
	T low = fma(2.0, s, fma(k, 0x1.62e42fefp-1, -high));
	low += fma(2.0, s_low, fma(k, 0x1.473de6af278edp-34, log_tail));
	T upper = high + low;
	low = (high - upper) + low;
	high = upper;

	T m = b - 0.5, inverse = 1 / b;
	T product = m * high;
	T l = product - b;
	T l_low = ((product - l) - b) + fma(m, low, fma(m, high, -product));
	l_low = fma(__stirling(inverse * inverse), inverse, l_low);
	T n = __ln2_count(l);
	T r = __ln2_rest(l, n) + l_low;
	T q = r + __expm1_tail(r);
	num = big ? fma(0x1.40d931ff62706p1, q, -0x1.a6a0d6f814637p-53) + 0x1.40d931ff62706p1 : num;
	den = big ? (T)1 : den;

	T sine = a * __sin_pi_size(a);
	sine = (long)floor(a > 0x1p53 ? 0.0 : a) & 1 ? sine : -sine;
	T g = reflect ? 0x1.921fb54442d18p1 * den / (sine * num) : num / den;
	S exponent = big ? (S)(int)n : (S)0;
	exponent = reflect ? -exponent : exponent;
	S half_of = exponent >> 1;
	g = g * AS_T((U)(half_of + BIAS) << MANT) * AS_T((U)(exponent - half_of + BIAS) << MANT);
	return reflect && a == floor(a) ? NAN : x != x ? x : g;
}

T tgamma(T x)
{
	return (T)__tgamma((double)x);
}

// ln |Gamma(x)|. For x in [-1/2, 4.5) from ln Gamma(2 + t) = t P(t), where P has error
// 2^-60, and the logarithm of the factors in between; for larger x by Stirling's formula;
// for smaller x by reflection, where the error at a zero between two poles is the
// rounding error of the two terms.
T __lgamma(T x)
{
	bool reflect = x < -0.5;
	T a = reflect ? -x : x;
	bool big = a >= 4.5;

	T t = a < 0.5 ? a : a < 1.5 ? a - 1 : a < 2.5 ? a - 2 : a < 3.5 ? a - 3 : a - 4;
	t = big ? (T)0 : t;
	T tt = t * t;
	T even = -0x1.245a8a70737b8p-23, odd = 0x1.2b5ba933cb83cp-22;
	even = fma(even, tt, -0x1.cba9f3d0ae3b9p-22);
	odd = fma(odd, tt, 0x1.edea9f2077e72p-21);
	even = fma(even, tt, -0x1.129b53447f9fdp-19);
	odd = fma(odd, tt, 0x1.26411c43894a4p-18);
	even = fma(even, tt, -0x1.3cb171598f0c7p-17);
	odd = fma(odd, tt, 0x1.5806d09e54ec4p-16);
	even = fma(even, tt, -0x1.78deb066cb016p-15);
	odd = fma(odd, tt, 0x1.a127dd5cecfbcp-14);
	even = fma(even, tt, -0x1.d3fd4aef84aa5p-13);
	odd = fma(odd, tt, 0x1.0b36af339a8d8p-11);
	even = fma(even, tt, -0x1.38ac5c2e02edcp-10);
	odd = fma(odd, tt, 0x1.7add6eae5cee2p-9);
	even = fma(even, tt, -0x1.e404fc218c97cp-8);
	odd = fma(odd, tt, 0x1.51322ac7d7fc6p-6);
	even = fma(even, tt, -0x1.13e001a55760cp-4);
	odd = fma(odd, tt, 0x1.4a34cc4a60fa7p-2);
	even = fma(even, tt, 0x1.b0ee6072093cep-2);
	T p = fma(odd, t, even);
	T factors = big ? a : a < 0.5 ? fabs(a) * (1 + a) : a < 1.5 ? a : a < 2.5 ? (T)1 : a < 3.5 ? a - 1 : (a - 1) * (a - 2);
	T logarithm = log(factors);

	T inverse = big ? 1 / a : (T)1;
	T above = fma(a - 0.5, logarithm - 1, 0x1.acfe390c97d69p-2 + __stirling(inverse * inverse) * inverse);
	T r = fma(t, p, a < 1.5 ? -logarithm : logarithm);
	r = big ? above : r;

	T sine = a * __sin_pi_size(a);
	r = reflect ? log(0x1.921fb54442d18p1 / sine) - r : r;
	r = x <= 0 && x == floor(x) || a == INFINITY ? INFINITY : r;
	return x != x ? x : r;
}

T lgamma(T x)
{
	return (T)__lgamma((double)x);
}

// The sign of Gamma(x); 0 at poles.
int lgamma_sign(T x)
{
	T f = floor(x);
	bool odd = f * (T)0.5 != floor(f * (T)0.5);
	return x <= 0 && x == f ? 0 : x < 0 && odd ? -1 : 1;
}
