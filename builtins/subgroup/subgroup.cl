// Functions of sub-groups and work-groups (OpenCL C 2.0 §6.13.15 and §6.13.10, the
// extensions cl_khr_subgroup_*, cl_intel_subgroups), implemented with the primitives
//
//	__lane()        the work-item's number in its sub-group
//	__lanes()       the number of lanes of a sub-group
//	__span_rows()   whether sub-groups continue from each row of a work-group into the next
//	__ballot(p)     the active lanes for which p holds; lane 0 is the lowest bit
//	__shuffle(x, l) the value of x in lane l if that is active, else 0
//
// The set of active lanes in divergent control flow is the same for all operations of
// straight-line code. The functions use only active lanes and combine their values in a
// fixed order: lane order, in pairs at distances that double.
//
//	T TN          the type of a component, and of the whole value
//	OP(a, b)      the operation of a reduction or scan; IDENTITY is its neutral element
//	VALUE(x)      a work-item's contribution
//	DST SRC       the address spaces of a copy between memories

#define STEPS STEP(1) STEP(2) STEP(4) STEP(8) STEP(16) STEP(32)
#define BELOW(l) ((1UL << (l)) - 1)
#define UP_TO(l) ((2UL << (l)) - 1)

// No lane.
#define NONE 64

uint lowest(ulong m)
{
	return m ? (uint)popcount(~m & (m - 1)) : NONE;
}

uint highest(ulong m)
{
	return m ? 63 - (uint)clz(m) : NONE;
}

// Whether the active lanes are the lanes below some number. This holds for all lanes of a
// sub-group, and for those of a partial one.
bool begins(ulong on)
{
	return (on & (on + 1)) == 0;
}

ulong bits(uint4 m)
{
	return m.x | (ulong)m.y << 32;
}

uint4 mask(ulong m)
{
	return (uint4)((uint)m, (uint)(m >> 32), 0, 0);
}

ulong everyone(void)
{
	return UP_TO(__lanes() - 1);
}

// Work-items that are consecutive in sub-groups: those of a row, or all of the work-group.
uint consecutive(uint3 size)
{
	return __span_rows() ? size.x * size.y * size.z : size.x;
}

// The number of the sub-groups of a work-group.
uint number_in(uint3 size)
{
	uint n = (consecutive(size) + __lanes() - 1) / __lanes();
	return __span_rows() ? n : n * size.y * size.z;
}

uint3 local_size(void)
{
	return (uint3)((uint)get_local_size(0), (uint)get_local_size(1), (uint)get_local_size(2));
}

uint row(void)
{
	return (uint)get_local_id(1) + (uint)get_local_size(1) * (uint)get_local_id(2);
}

// The number of the work-item among the consecutive ones.
uint position(void)
{
	uint x = (uint)get_local_id(0);
	return __span_rows() ? x + (uint)get_local_size(0) * row() : x;
}

uint size(void)
{
	return min(__lanes(), consecutive(local_size()) - (position() - __lane()));
}

uint max_size(void)
{
	return __lanes();
}

uint number(void)
{
	return number_in(local_size());
}

uint enqueued_number(void)
{
	return number_in((uint3)((uint)get_enqueued_local_size(0), (uint)get_enqueued_local_size(1), (uint)get_enqueued_local_size(2)));
}

uint id(void)
{
	uint in_row = position() / __lanes();
	return __span_rows() ? in_row : row() * ((consecutive(local_size()) + __lanes() - 1) / __lanes()) + in_row;
}

uint local_id(void)
{
	return __lane();
}

int all(int p)
{
	return __ballot(!p) == 0;
}

int any(int p)
{
	return __ballot(p) != 0;
}

int elect(void)
{
	return __lane() == lowest(__ballot(1));
}

T shuffle(T x, uint l)
{
	return __shuffle(x, l);
}

T shuffle_xor(T x, uint m)
{
	return __shuffle(x, __lane() ^ m);
}

T shuffle_up(T x, uint d)
{
	return __shuffle(x, __lane() - d);
}

T shuffle_down(T x, uint d)
{
	return __shuffle(x, __lane() + d);
}

T shuffle_up2(T previous, T current, uint d)
{
	uint l = __lane() - d;
	T x = __shuffle(current, l), y = __shuffle(previous, l + __lanes());
	return l < __lanes() ? x : y;
}

T shuffle_down2(T current, T next, uint d)
{
	uint l = __lane() + d;
	T x = __shuffle(current, l), y = __shuffle(next, l - __lanes());
	return l < __lanes() ? x : y;
}

T rotate(T x, int d)
{
	return __shuffle(x, (__lane() + (uint)d) & (__lanes() - 1));
}

T clustered_rotate(T x, int d, uint c)
{
	uint lane = __lane();
	return __shuffle(x, (lane & ~(c - 1)) | ((lane + (uint)d) & (c - 1)));
}

T broadcast_first(T x)
{
	return __shuffle(x, lowest(__ballot(1)));
}

int all_equal(T x)
{
	T first = __shuffle(x, lowest(__ballot(1)));
	return __ballot(!(x == first)) == 0;
}

uint4 ballot(int p)
{
	return mask(__ballot(p));
}

int inverse_ballot(uint4 m)
{
	return bits(m) >> __lane() & 1;
}

int bit_extract(uint4 m, uint i)
{
	return i < 64 ? bits(m) >> i & 1 : 0;
}

uint bit_count(uint4 m)
{
	return popcount(bits(m) & everyone());
}

uint inclusive_scan(uint4 m)
{
	return popcount(bits(m) & UP_TO(__lane()));
}

uint exclusive_scan(uint4 m)
{
	return popcount(bits(m) & BELOW(__lane()));
}

uint find_lsb(uint4 m)
{
	return lowest(bits(m) & everyone());
}

uint find_msb(uint4 m)
{
	return highest(bits(m) & everyone());
}

uint4 eq_mask(void)
{
	return mask(1UL << __lane());
}

uint4 ge_mask(void)
{
	return mask(everyone() & ~BELOW(__lane()));
}

uint4 gt_mask(void)
{
	return mask(everyone() & ~UP_TO(__lane()));
}

uint4 le_mask(void)
{
	return mask(UP_TO(__lane()));
}

uint4 lt_mask(void)
{
	return mask(BELOW(__lane()));
}

#ifdef OP
// Combines the active lanes of on, which are those of the caller's cluster, from each
// lane to the last. Each lane has the number of its next lane, whose distance doubles.
T upward(T x, ulong on)
{
	uint next = lowest(on & ~UP_TO(__lane()));
#pragma unroll 1
	for (uint d = 1; d < __lanes(); d *= 2) {
		T y = __shuffle(x, next);
		uint after = __shuffle(next, next);
		x = next != NONE ? OP(x, y) : x;
		next = next != NONE ? after : NONE;
	}
	return __shuffle(x, lowest(on));
}

T reduce(T x)
{
	x = VALUE(x);
	ulong on = __ballot(1);
	uint lane = __lane(), n = popcount(on);
	if (begins(on)) {
#define STEP(d) if (__lanes() > d) { T y = __shuffle(x, lane + d); x = lane + d < n ? OP(x, y) : x; }
		STEPS
#undef STEP
		return __shuffle(x, 0);
	}
	return upward(x, on);
}

T clustered_reduce(T x, uint c)
{
	x = VALUE(x);
	ulong on = __ballot(1);
	uint lane = __lane(), n = popcount(on), at = lane & (c - 1);
	if (begins(on)) {
#define STEP(d) if (__lanes() > d) { T y = __shuffle(x, lane + d); x = at + d < c && lane + d < n ? OP(x, y) : x; }
		STEPS
#undef STEP
		return __shuffle(x, lane - at);
	}
	ulong cluster = c < 64 ? BELOW(c) << (lane - at) : ~0UL;
	return upward(x, on & cluster);
}

T inclusive(T x)
{
	x = VALUE(x);
	ulong on = __ballot(1);
	uint lane = __lane();
	if (begins(on)) {
#define STEP(d) if (__lanes() > d) { T y = __shuffle(x, lane - d); x = lane >= d ? OP(y, x) : x; }
		STEPS
#undef STEP
		return x;
	}
	uint last = highest(on & BELOW(lane));
#pragma unroll 1
	for (uint d = 1; d < __lanes(); d *= 2) {
		T y = __shuffle(x, last);
		uint before = __shuffle(last, last);
		x = last != NONE ? OP(y, x) : x;
		last = last != NONE ? before : NONE;
	}
	return x;
}

T exclusive(T x)
{
	T y = inclusive(x);
	ulong on = __ballot(1);
	uint lane = __lane(), last = lane - 1;
	if (!begins(on))
		last = highest(on & BELOW(lane));
	T z = __shuffle(y, last);
	return on & BELOW(lane) ? z : IDENTITY;
}

// Between two barriers the sub-groups of a work-group run one after another in order, so
// that each finds in memory the values stored by earlier ones.

T group_reduce(T x)
{
	__local T sum;
	T y = reduce(x);
	barrier(1);
	if (__lane() == 0)
		sum = id() == 0 ? y : (T)OP(sum, y);
	barrier(1);
	return sum;
}

// The combined value of the preceding sub-groups; y is the contribution of this one.
T group_before(T y)
{
	__local T sum;
	T before = IDENTITY;
	barrier(1);
	if (__lane() == 0) {
		if (id() != 0)
			before = sum;
		sum = OP(before, y);
	}
	return __shuffle(before, 0);
}

T group_inclusive(T x)
{
	T y = inclusive(x);
	T before = group_before(__shuffle(y, size() - 1));
	return id() == 0 ? y : (T)OP(before, y);
}

T group_exclusive(T x)
{
	T y = inclusive(x);
	T before = group_before(__shuffle(y, size() - 1));
	T z = __shuffle(y, __lane() - 1);
	if (__lane() == 0)
		return before;
	return id() == 0 ? z : (T)OP(before, z);
}
#endif

int group_all(int p)
{
	__local int none;
	int here = __ballot(!p) == 0;
	barrier(1);
	if (__lane() == 0)
		none = id() == 0 ? here : none & here;
	barrier(1);
	return none;
}

int group_any(int p)
{
	__local int some;
	int here = __ballot(p) != 0;
	barrier(1);
	if (__lane() == 0)
		some = id() == 0 ? here : some | here;
	barrier(1);
	return some;
}

T group_broadcast(T x, size_t i, size_t j, size_t k)
{
	__local T one;
	barrier(1);
	if (get_local_id(0) == i && get_local_id(1) == j && get_local_id(2) == k)
		one = x;
	barrier(1);
	return one;
}

#ifdef DST
// The work-items of a group share the copying of elements, which may be strided.
void copy(DST TN *to, const SRC TN *from, size_t n, size_t to_stride, size_t from_stride)
{
	size_t all = get_local_size(0) * get_local_size(1) * get_local_size(2);
	for (size_t i = get_local_linear_id(); i < n; i += all)
		to[i * to_stride] = from[i * from_stride];
}

// The work-items of a group share the copying of each line of width elements of size
// bytes. Strides between lines and planes are in elements.
void copy_lines(DST uchar *to, size_t to_offset, const SRC uchar *from, size_t from_offset, size_t size, size_t width,
	size_t lines, size_t planes, size_t from_line, size_t from_plane, size_t to_line, size_t to_plane)
{
	size_t all = get_local_size(0) * get_local_size(1) * get_local_size(2), first = get_local_linear_id();
	to += to_offset * size;
	from += from_offset * size;
	for (size_t z = 0; z < planes; z++) {
		for (size_t y = 0; y < lines; y++) {
			DST uchar *d = to + (z * to_plane + y * to_line) * size;
			const SRC uchar *s = from + (z * from_plane + y * from_line) * size;
			for (size_t i = first; i < width * size; i += all)
				d[i] = s[i];
		}
	}
}

// The memory functions of C, for one work-item.

void copy_bytes(DST uchar *to, const SRC uchar *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = from[i];
}

void move_bytes(DST uchar *to, const SRC uchar *from, size_t n)
{
	bool backward = (size_t)to > (size_t)from;
	for (size_t i = 0; i < n; i++) {
		size_t k = backward ? n - 1 - i : i;
		to[k] = from[k];
	}
}

void set_bytes(DST uchar *to, int value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (uchar)value;
}
#endif
