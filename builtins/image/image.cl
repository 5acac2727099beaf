// Image functions (OpenCL C 1.2 §6.12.14, implementing chapter 8 of the OpenCL 1.2
// specification) on an image descriptor that the launch fills in. The properties of the
// image's format and of the sampler are uniform, so that branches on them do not diverge.
//
// One of READ, WRITE and BLOCK is 1, or none for queries. The other macros are:
//
//	D ARRAY       dimensions 1 to 3 of one layer; whether there are layers
//	T T4          component type float, int or uint, and a vector of four
//	RESULT        the type of a texel for the caller: T4, or one float for depth;
//	              PACK(v) converts a T4 to it
//	COORD         the type of coordinates in the call, FLOAT_COORD if they are floats
//	SAMPLER       whether there is a sampler
//	FV IV UV      vectors of D floats, ints, uints; TO_IV TO_FV convert to them
//	X(v) Y(v) Z(v) SPACE(c) LAYER(c)   components of vectors and coordinates

typedef struct image {
	__global uchar *data;
	int width, height, depth, layers;
	int row_pitch, slice_pitch; // bytes
	int order, type;            // CLK_RGBA, CLK_FLOAT and so on
	int load;                   // LOAD_*: the memory layout of a texel
	int kind;                   // KIND_*: the interpretation of components
	uint sign;                  // the sign bit of a component, 0 if unsigned
	int opaque;                 // whether alpha is 1 because the format has no alpha
	int opaque_border;          // the same for texels out of bounds
	float low;                  // smallest value of normalized components
	uint4 mask, shift;          // for red, green, blue and alpha in the word when reading
	uint4 write_mask;           // for the word when writing
	float4 scale;               // 1 / the largest component value
	float4 write_scale;         // the largest component value
	float write_low;            // the smallest component value
	int least;                  // the smallest integer component
	uint greatest;
	int texel;                  // bytes per texel
} image;

#define IMAGE __constant const image *

#define LOAD_1 0 // a word of 1, 2 or 4 bytes with components as bit fields
#define LOAD_2 1
#define LOAD_4 2
#define LOAD_2X32 3
#define LOAD_4X16 4
#define LOAD_4X32 5

#define KIND_INTEGER 0 // or normalized
#define KIND_HALF 1
#define KIND_FLOAT 2

#define NORMALIZED 1
#define MODE(s) ((s) & 14)
#define EDGE 2
#define CLAMP 4
#define REPEAT 6
#define MIRRORED 8
#define LINEAR 0x20

IV image_size(IMAGE im)
{
#if D == 1
	return im->width;
#elif D == 2
	return (int2)(im->width, im->height);
#else
	return (int3)(im->width, im->height, im->depth);
#endif
}

// Whether at is inside the layer.
bool in_layer(IMAGE im, IV at)
{
	bool within = (uint)X(at) < (uint)im->width;
#if D >= 2
	within = within & (uint)Y(at) < (uint)im->height;
#endif
#if D == 3
	within = within & (uint)Z(at) < (uint)im->depth;
#endif
	return within;
}

__global uchar *row_of(IMAGE im, IV at, int layer)
{
	__global uchar *row = im->data;
#if ARRAY
	row += layer * im->slice_pitch;
#elif D == 3
	row += Z(at) * im->slice_pitch;
#endif
#if D >= 2
	row += Y(at) * im->row_pitch;
#endif
	return row;
}

#if READ

// The words of a texel. A texel of less than 4 bytes is in the first word. For a texel of
// two words, the second is repeated in the others.
uint4 fetch(IMAGE im, IV at, int layer)
{
	int load = im->load, x = X(at);
	__global const uchar *row = row_of(im, at, layer);
	uint4 w = 0;
	if (load == LOAD_4) {
		w.x = ((__global const uint *)row)[x];
	} else if (load == LOAD_4X32) {
		w = vload4(x, (__global const uint *)row);
	} else if (load >= LOAD_2X32) {
		w = vload2(x, (__global const uint *)row).xyyy;
	} else if (load == LOAD_1) {
		w.x = row[x];
	} else {
		w.x = ((__global const ushort *)row)[x];
	}
	return w;
}

// Like fetch, with less code and a longer run time.
uint4 fetch_slowly(IMAGE im, IV at, int layer)
{
	int texel = im->texel, last = texel / 4 - 1;
	__global const uchar *p = row_of(im, at, layer) + X(at) * texel;
	uint4 w = 0;
	if (last < 0) {
		w.x = p[0] | (uint)p[texel - 1] << 8 * (texel - 1);
	} else {
		__global const uint *q = (__global const uint *)p;
		w = (uint4)(q[0], q[min(1, last)], q[min(2, last)], q[last]);
	}
	return w;
}

// The components of a texel as bits in memory format; 0 for missing components.
uint4 components(IMAGE im, uint4 w)
{
	uint4 v;
	if (im->load <= LOAD_4)
		v = (uint4)(w.x) >> im->shift & im->mask;
	else if (im->load == LOAD_4X16)
		v = (uint4)(w.x & 0xffff, w.x >> 16, w.y & 0xffff, w.y >> 16);
	else
		v = w & im->mask;
	return v;
}

// The color of a texel with words w; the border color if it is not inside.
T4 decode(IMAGE im, uint4 w, bool inside)
{
	uint4 v = components(im, w);
	int4 i = as_int4((v ^ im->sign) - im->sign);
	bool opaque = (inside ? im->opaque : im->opaque_border) != 0;
#if FLOATING
	float4 c;
	if (im->kind == KIND_INTEGER)
		c = max((float4)im->low, convert_float4(i) * im->scale);
	else if (im->kind == KIND_FLOAT)
		c = as_float4(v);
	else
		c = convert_float4(as_half4(convert_ushort4(v)));
	c.w = opaque ? 1.0f : c.w;
	return c;
#elif SIGNED
	i.w = opaque ? 1 : i.w;
	return i;
#else
	v.w = opaque ? 1 : v.w;
	return v;
#endif
}

#if FLOAT_COORD

RESULT read(IMAGE im, int sampler, COORD coord)
{
	IV size = image_size(im);
	FV u = SPACE(coord);
	int mode = MODE(sampler), layer = 0;
#if FLOATING
	bool linear = (sampler & LINEAR) != 0;
#else
	bool linear = false;
#endif
#if ARRAY
	layer = clamp((int)rint(min(0x1p30f, LAYER(coord))), 0, im->layers - 1);
#endif
	if (mode == REPEAT)
		u = (u - floor(u)) * TO_FV(size);
	else if (mode == MIRRORED)
		u = fabs(u - 2 * rint(0.5f * u)) * TO_FV(size);
	else if (sampler & NORMALIZED)
		u = u * TO_FV(size);
	if (linear)
		u = u - 0.5f;
	FV whole = floor(u), weight = u - whole;
	IV near = TO_IV(whole), far = near + 1, last = size - 1;
	bool always = false;
	if (mode == REPEAT) {
		near = near < 0 ? near + size : near;
		near = near > last ? near - size : near;
		far = far > last ? far - size : far;
	} else if (mode == EDGE || mode == MIRRORED) {
		IV at = TO_IV(min(0x1p30f, whole)); // floats beyond the range of int are out of bounds too
		near = min(max(at, 0), last);
		far = min(max(at + 1, 0), last);
		always = true;
	}
#if FLOATING
	float4 sum = 0;
	int k = 0;
	do {
		IV at = near;
		float w = 1;
		if (linear) {
			X(at) = k & 1 ? X(far) : X(near);
			w = k & 1 ? X(weight) : 1 - X(weight);
#if D >= 2
			Y(at) = k & 2 ? Y(far) : Y(near);
			w *= k & 2 ? Y(weight) : 1 - Y(weight);
#endif
#if D == 3
			Z(at) = k & 4 ? Z(far) : Z(near);
			w *= k & 4 ? Z(weight) : 1 - Z(weight);
#endif
		}
		bool inside = always || in_layer(im, at);
		uint4 words = 0;
		if (inside)
			words = fetch(im, at, layer);
		float4 c = decode(im, words, inside);
		sum = linear ? sum + w * c : c;
	} while (linear && ++k < 1 << D);
	return PACK(sum);
#else
	bool inside = always || in_layer(im, near);
	uint4 words = 0;
	if (inside)
		words = fetch(im, near, layer);
	return decode(im, words, inside);
#endif
}

#elif SAMPLER

RESULT read(IMAGE im, int sampler, COORD coord)
{
	IV at = SPACE(coord);
	int layer = 0;
#if ARRAY
	layer = clamp(LAYER(coord), 0, im->layers - 1);
#endif
	// Handling out-of-bounds texels separately keeps contiguous accesses contiguous.
	bool inside = in_layer(im, at), edge = MODE(sampler) >= EDGE && MODE(sampler) != CLAMP;
	uint4 words = 0;
	if (inside)
		words = fetch(im, at, layer);
	else if (edge)
		words = fetch_slowly(im, min(max(at, 0), image_size(im) - 1), layer);
	inside = inside || edge;
	return PACK(decode(im, words, inside));
}

#else

RESULT read(IMAGE im, COORD coord)
{
	IV at = SPACE(coord);
	int layer = 0;
#if ARRAY
	layer = clamp(LAYER(coord), 0, im->layers - 1);
#endif
	uint4 words = 0;
	if (in_layer(im, at))
		words = fetch(im, at, layer);
	return PACK(decode(im, words, true));
}

#endif

#elif WRITE

void write(IMAGE im, COORD coord, RESULT color)
{
	IV at = SPACE(coord);
	int layer = 0, x = X(at), load = im->load;
	bool inside = in_layer(im, at);
#if ARRAY
	layer = LAYER(coord);
	inside = inside & (uint)layer < (uint)im->layers;
#endif
	T4 c = color;
	uint4 v;
#if FLOATING
	if (im->kind == KIND_INTEGER)
		// NaN is preserved up to the conversion, and its low bits, 0, are written.
		v = as_uint4(convert_int4(rint(min(im->write_scale, max((float4)im->write_low, c * im->write_scale)))));
	else if (im->kind == KIND_FLOAT)
		v = as_uint4(c);
	else
		v = convert_uint4(as_ushort4(convert_half4(c)));
#else
	// As in PoCL, the image, not the function, determines whether the bits are signed.
	if (im->least < 0)
		v = as_uint4(min(max(as_int4(c), im->least), (int)im->greatest));
	else
		v = min(as_uint4(c), im->greatest);
#endif
	if (inside) {
		__global uchar *row = row_of(im, at, layer);
		if (load <= LOAD_4) {
			v = (v & im->write_mask) << im->shift;
			uint w = v.x | v.y | v.z | v.w;
			if (load == LOAD_4)
				((__global uint *)row)[x] = w;
			else if (load == LOAD_1)
				row[x] = (uchar)w;
			else
				((__global ushort *)row)[x] = (ushort)w;
		} else if (load == LOAD_4X32) {
			vstore4(v, x, (__global uint *)row);
		} else {
			uint2 w;
			if (load == LOAD_4X16) {
				w = (v.xz & 0xffff) | v.yw << 16;
			} else {
				v &= im->write_mask;
				w = (uint2)(v.x, v.y | v.w);
			}
			vstore2(w, x, (__global uint *)row);
		}
	}
}

#elif BLOCK

// The values of all lanes are consecutive in a row, starting at byte at.x
// (cl_intel_subgroups). Reads out of bounds return the nearest element of the image;
// writes out of bounds have no effect.

int block_elements(IMAGE im) { return im->width * im->texel / (int)sizeof(T); }
int block_element(int2 at) { return at.x / (int)sizeof(T) + (int)__lane(); }

T block_read(IMAGE im, int2 at, int row)
{
	int x = clamp(block_element(at), 0, block_elements(im) - 1), y = clamp(at.y + row, 0, im->height - 1);
	return ((__global const T *)(im->data + y * im->row_pitch))[x];
}

void block_write(IMAGE im, int2 at, int row, T value)
{
	int x = block_element(at), y = at.y + row;
	if ((uint)x < (uint)block_elements(im) & (uint)y < (uint)im->height)
		((__global T *)(im->data + y * im->row_pitch))[x] = value;
}

#else

int get_image_width(IMAGE im) { return im->width; }
int get_image_height(IMAGE im) { return im->height; }
int get_image_depth(IMAGE im) { return im->depth; }
int get_image_channel_order(IMAGE im) { return im->order; }
int get_image_channel_data_type(IMAGE im) { return im->type; }
size_t get_image_array_size(IMAGE im) { return im->layers; }

#if D == 3
int4 get_image_dim(IMAGE im) { return (int4)(im->width, im->height, im->depth, 0); }
#else
int2 get_image_dim(IMAGE im) { return (int2)(im->width, im->height); }
#endif

#endif
