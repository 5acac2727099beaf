// Atomic functions on floats (extension cl_ext_float_atomics). Without a machine
// instruction, they are loops around compare-exchange. The pointer may also be to local
// memory.

T atomic_float_add(volatile __global U *p, T x)
{
	U old = atomic_load(p), seen;
	do {
		seen = old;
		old = atom_cmpxchg(p, seen, AS_U(AS_T(seen) + x));
	} while (old != seen);
	return AS_T(old);
}

T atomic_float_sub(volatile __global U *p, T x)
{
	U old = atomic_load(p), seen;
	do {
		seen = old;
		old = atom_cmpxchg(p, seen, AS_U(AS_T(seen) - x));
	} while (old != seen);
	return AS_T(old);
}

T atomic_float_min(volatile __global U *p, T x)
{
	U old = atomic_load(p), seen;
	do {
		seen = old;
		old = atom_cmpxchg(p, seen, AS_U(fmin(AS_T(seen), x)));
	} while (old != seen);
	return AS_T(old);
}

T atomic_float_max(volatile __global U *p, T x)
{
	U old = atomic_load(p), seen;
	do {
		seen = old;
		old = atom_cmpxchg(p, seen, AS_U(fmax(AS_T(seen), x)));
	} while (old != seen);
	return AS_T(old);
}
