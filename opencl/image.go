package opencl

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/x448/float16"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/internal/pixel"
	"github.com/simtc/simtc/opencl/cl"
)

// maxBufferTexels bounds the texels of an image of a buffer.
const maxBufferTexels = simtc.MaxBuffer / 16

// imageShape is the layout of an image.
type imageShape struct {
	format                       pixel.Format
	width, height, depth, layers int // 0 where the type lacks them
	row, slice                   int // pitches in bytes; slice is 0 if there is one slice
}

// ImageDesc describes an image to create (cl_image_desc).
type ImageDesc struct {
	Type                         int // cl.MEM_OBJECT_IMAGE2D and others
	Width, Height, Depth, Layers int
	Row, Slice                   int // pitches of memory of the host in bytes, 0: without gaps
	Levels, Samples              int
	Mem                          *Mem // the buffer or image whose memory the image is
}

// dims returns the number of coordinates of an image type without the layer, and whether it is
// an array.
func dims(kind int) (n int, array bool) {
	switch kind {
	case cl.MEM_OBJECT_IMAGE1D, cl.MEM_OBJECT_IMAGE1D_BUFFER:
		return 1, false
	case cl.MEM_OBJECT_IMAGE1D_ARRAY:
		return 1, true
	case cl.MEM_OBJECT_IMAGE2D:
		return 2, false
	case cl.MEM_OBJECT_IMAGE2D_ARRAY:
		return 2, true
	case cl.MEM_OBJECT_IMAGE3D:
		return 3, false
	}
	return 0, false
}

// Format is the format of an image (cl_image_format).
type Format struct{ Order, Type uint32 }

// check returns the format, or an error.
func (f Format) check(kind int) (pixel.Format, error) {
	p := pixel.Format{Order: pixel.Order(f.Order), Type: pixel.Type(f.Type)}
	known := func(n, from, to uint32) bool { return n >= from && n <= to }
	if !known(f.Order, cl.R, cl.ABGR) || !known(f.Type, cl.SNORM_INT8, 0x10E1) {
		return p, fail(cl.INVALID_IMAGE_FORMAT_DESCRIPTOR, "unknown image format %#x, %#x", f.Order, f.Type)
	}
	if f.Order > uint32(pixel.Depth) || f.Type > uint32(pixel.Float) {
		return p, fail(cl.IMAGE_FORMAT_NOT_SUPPORTED, "image format %#x, %#x is not supported", f.Order, f.Type)
	}
	if f.Order == cl.Rx || f.Order == cl.RGx {
		// The specification counts the x as a channel in memory, but drivers and conformance tests
		// do not, so programs that use them disagree about the size of a texel.
		return p, fail(cl.IMAGE_FORMAT_NOT_SUPPORTED, "image format %#x, %#x is not supported", f.Order, f.Type)
	}
	if err := p.Check(); err != nil {
		if (f.Order == cl.RGB || f.Order == cl.RGBx) != p.Type.Packed() {
			return p, fail(cl.INVALID_IMAGE_FORMAT_DESCRIPTOR, "%v", err)
		}
		return p, fail(cl.IMAGE_FORMAT_NOT_SUPPORTED, "%v", err)
	}
	if p.Order == pixel.Depth && kind != cl.MEM_OBJECT_IMAGE2D && kind != cl.MEM_OBJECT_IMAGE2D_ARRAY {
		return p, fail(cl.IMAGE_FORMAT_NOT_SUPPORTED, "only two-dimensional images have depths")
	}
	return p, nil
}

// ImageFormats lists the formats of images of a type.
func (c *Context) ImageFormats(flags uint64, kind int) ([]Format, error) {
	if several(flags, accessFlags) || flags&^(accessFlags|hostFlags|memoryFlags|cl.MEM_KERNEL_READ_AND_WRITE) != 0 {
		return nil, fail(cl.INVALID_VALUE, "invalid memory flags %#x", flags)
	}
	if n, _ := dims(kind); n == 0 {
		return nil, fail(cl.INVALID_VALUE, "%#x is no type of images", kind)
	}
	var out []Format
	for o := uint32(pixel.R); o <= uint32(pixel.Depth); o++ {
		for t := uint32(pixel.SNorm8); t <= uint32(pixel.Float); t++ {
			f := Format{o, t}
			if _, err := f.check(kind); err == nil {
				out = append(out, f)
			}
		}
	}
	return out, nil
}

// shape validates a description.
func (x *ImageDesc) shape(f pixel.Format) (*imageShape, error) {
	n, array := dims(x.Type)
	wrong := func(format string, args ...any) (*imageShape, error) {
		return nil, fail(cl.INVALID_IMAGE_DESCRIPTOR, format, args...)
	}
	if n == 0 || x.Levels != 0 || x.Samples != 0 {
		return wrong("an image of type %#x with %d levels and %d samples", x.Type, x.Levels, x.Samples)
	}
	s := &imageShape{format: f, width: x.Width}
	side := imageSide
	if x.Type == cl.MEM_OBJECT_IMAGE1D_BUFFER {
		side = maxBufferTexels
	}
	if n >= 2 {
		s.height = x.Height
	}
	if n >= 3 {
		s.depth = x.Depth
	}
	if array {
		s.layers = x.Layers
	}
	for _, size := range []struct {
		n, most int
		has     bool
	}{{s.width, side, true}, {s.height, side, n >= 2}, {s.depth, side, n >= 3}, {s.layers, imageLayers, array}} {
		if size.has && (size.n < 1 || size.n > size.most) {
			return nil, fail(cl.INVALID_IMAGE_SIZE, "an image of %d x %d x %d texels in %d layers", s.width, s.height, s.depth, s.layers)
		}
	}
	texel := f.Size()
	if x.Row != 0 && (x.Row < s.width*texel || x.Row%texel != 0) {
		return wrong("a row pitch of %d bytes", x.Row)
	}
	s.row = max(x.Row, s.width*texel)
	if n == 3 || array {
		lowest := s.row * max(s.height, 1)
		if x.Slice != 0 && (x.Slice < lowest || x.Slice%s.row != 0) {
			return wrong("a slice pitch of %d bytes", x.Slice)
		}
		s.slice = max(x.Slice, lowest)
	}
	return s, nil
}

// size returns the bytes of the image.
func (s *imageShape) size() int {
	if s.slice > 0 {
		return s.slice * max(s.depth, s.layers)
	}
	return s.row * max(s.height, 1)
}

// NewImage returns an image.
func (c *Context) NewImage(properties []uint64, flags uint64, f Format, x ImageDesc, host unsafe.Pointer) (*Mem, error) {
	if err := checkProperties(properties); err != nil {
		return nil, err
	}
	p, err := f.check(x.Type)
	if err != nil {
		return nil, err
	}
	if x.Mem != nil {
		return c.imageOf(properties, flags, p, x, host)
	}
	if x.Type == cl.MEM_OBJECT_IMAGE1D_BUFFER {
		return nil, fail(cl.INVALID_IMAGE_DESCRIPTOR, "an image of a buffer without a buffer")
	}
	if host == nil && (x.Row != 0 || x.Slice != 0) {
		return nil, fail(cl.INVALID_IMAGE_DESCRIPTOR, "pitches without a host pointer")
	}
	s, err := x.shape(p)
	if err != nil {
		return nil, err
	}
	if flags, err = checkFlags(flags, host); err != nil {
		return nil, err
	}
	given := *s
	if flags&cl.MEM_USE_HOST_PTR == 0 {
		x.Row, x.Slice = 0, 0
		s, _ = x.shape(p)
	}
	if s.size() > simtc.MaxBuffer || given.size() > simtc.MaxBuffer {
		return nil, fail(cl.INVALID_IMAGE_SIZE, "an image of %d bytes", s.size())
	}
	m := &Mem{ctx: c, kind: x.Type, flags: flags, properties: properties, image: s}
	return m, m.place(s.size(), host, func(b []byte) {
		to, from := m.rectOf([3]int{}), given.rect([3]int{})
		to.data, from.p = b, host
		copyRect(&to, &from, m.bytesOf(s.all()))
	})
}

// imageOf returns an image in the memory of a buffer or of another image.
func (c *Context) imageOf(properties []uint64, flags uint64, p pixel.Format, x ImageDesc, host unsafe.Pointer) (*Mem, error) {
	of := x.Mem
	if of.ctx != c {
		return nil, fail(cl.INVALID_CONTEXT, "the memory object is of another context")
	}
	if host != nil {
		return nil, fail(cl.INVALID_HOST_PTR, "a host pointer for an image of a memory object")
	}
	ok := of.image == nil && (x.Type == cl.MEM_OBJECT_IMAGE1D_BUFFER || x.Type == cl.MEM_OBJECT_IMAGE2D)
	if i := of.image; i != nil && x.Type == cl.MEM_OBJECT_IMAGE2D && of.kind == cl.MEM_OBJECT_IMAGE2D {
		ok = x.Width == i.width && x.Height == i.height && p.Size() == i.format.Size() && p.Type == i.format.Type
		x.Row = i.row
	}
	if !ok {
		return nil, fail(cl.INVALID_IMAGE_DESCRIPTOR, "an image of type %#x cannot use that memory object", x.Type)
	}
	s, err := x.shape(p)
	if err != nil {
		return nil, err
	}
	if flags, err = of.inherit(flags); err != nil {
		return nil, err
	}
	last := s.row*max(s.height-1, 0) + s.width*p.Size()
	if last > len(of.data) {
		return nil, fail(cl.INVALID_IMAGE_SIZE, "an image of %d bytes in a buffer of %d", last, len(of.data))
	}
	m := &Mem{ctx: c, kind: x.Type, flags: flags, properties: properties, image: s, parent: of, data: of.data[:min(s.size(), len(of.data))], host: of.host}
	m.attach()
	return m, nil
}

// all returns the region of the whole image.
func (s *imageShape) all() [3]int {
	if s.layers > 0 {
		if s.height > 0 {
			return [3]int{s.width, s.height, s.layers}
		}
		return [3]int{s.width, s.layers, 1}
	}
	return [3]int{s.width, max(s.height, 1), max(s.depth, 1)}
}

// rect returns the part of the image that begins at an origin in texels.
func (s *imageShape) rect(origin [3]int) rect {
	r := rect{origin: origin, row: s.row, slice: s.slice}
	if s.layers > 0 && s.height == 0 {
		r.row, r.slice = s.slice, s.slice*s.layers // layers are rows
	} else if s.slice == 0 {
		r.slice = s.row * max(s.height, 1)
	}
	r.origin[0] *= s.format.Size()
	return r
}

// rectOf returns the part of an image that begins at an origin in texels.
func (m *Mem) rectOf(origin [3]int) rect {
	r := m.image.rect(origin)
	r.data = m.data
	return r
}

// bytesOf returns a region with its first size in bytes.
func (m *Mem) bytesOf(region [3]int) [3]int {
	region[0] *= m.image.format.Size()
	return region
}

// inside returns an error unless the region is part of the image of the queue's context.
func (q *Queue) inside(m *Mem, origin, region [3]int) error {
	if m.ctx != q.ctx {
		return fail(cl.INVALID_CONTEXT, "the image is of another context")
	}
	if m.image == nil {
		return fail(cl.INVALID_MEM_OBJECT, "not an image")
	}
	all := m.image.all()
	for d := range 3 {
		if region[d] < 1 || !within(origin[d], region[d], all[d]) {
			return fail(cl.INVALID_VALUE, "a region of %v from %v of an image of %v texels", region, origin, all)
		}
	}
	return nil
}

// hostRect returns memory of the host for a region of an image; row and slice are pitches in
// bytes, or 0.
func (m *Mem) hostRect(p unsafe.Pointer, row, slice int, region [3]int) (rect, error) {
	s := m.image
	bytes := m.bytesOf(region)
	if n, array := dims(m.kind); n < 2 && !array && slice != 0 || n == 2 && !array && slice != 0 {
		return rect{}, fail(cl.INVALID_VALUE, "a slice pitch for an image without slices")
	}
	if p == nil || row != 0 && row < bytes[0] {
		return rect{}, fail(cl.INVALID_VALUE, "a row pitch of %d bytes, or a null pointer", row)
	}
	h := rect{p: p, row: row, slice: slice}
	if h.row == 0 {
		h.row = bytes[0]
	}
	if s.layers > 0 && s.height == 0 {
		if slice != 0 && slice < h.row {
			return h, fail(cl.INVALID_VALUE, "a slice pitch of %d bytes", slice)
		}
		h.row = max(h.row, slice)
		h.slice = h.row * region[1]
		return h, nil
	}
	if h.slice == 0 {
		h.slice = h.row * region[1]
	}
	if h.slice < h.row*region[1] {
		return h, fail(cl.INVALID_VALUE, "a slice pitch of %d bytes", slice)
	}
	return h, nil
}

// ReadImage copies a region of an image to memory of the host.
func (q *Queue) ReadImage(m *Mem, blocking bool, origin, region [3]int, row, slice int, to unsafe.Pointer, wait []*Event) (*Event, error) {
	return q.transferImage(m, cl.COMMAND_READ_IMAGE, blocking, origin, region, row, slice, to, wait)
}

// WriteImage copies memory of the host to a region of an image.
func (q *Queue) WriteImage(m *Mem, blocking bool, origin, region [3]int, row, slice int, from unsafe.Pointer, wait []*Event) (*Event, error) {
	return q.transferImage(m, cl.COMMAND_WRITE_IMAGE, blocking, origin, region, row, slice, from, wait)
}

func (q *Queue) transferImage(m *Mem, kind int, blocking bool, origin, region [3]int, row, slice int, p unsafe.Pointer, wait []*Event) (*Event, error) {
	if err := q.inside(m, origin, region); err != nil {
		return nil, err
	}
	h, err := m.hostRect(p, row, slice, region)
	if err != nil {
		return nil, err
	}
	check := m.hostReads
	if kind == cl.COMMAND_WRITE_IMAGE {
		check = m.hostWrites
	}
	if err := check(); err != nil {
		return nil, err
	}
	at, bytes := m.rectOf(origin), m.bytesOf(region)
	return q.enqueue(command{kind: kind, blocking: blocking, wait: wait, keeps: []*object{&m.object}, run: func() error {
		if kind == cl.COMMAND_READ_IMAGE {
			copyRect(&h, &at, bytes)
		} else {
			copyRect(&at, &h, bytes)
		}
		return nil
	}})
}

// CopyImage copies a region between images of the same format.
func (q *Queue) CopyImage(from, to *Mem, fromAt, toAt, region [3]int, wait []*Event) (*Event, error) {
	if err := q.inside(from, fromAt, region); err != nil {
		return nil, err
	}
	if err := q.inside(to, toAt, region); err != nil {
		return nil, err
	}
	if from.image.format != to.image.format {
		return nil, fail(cl.IMAGE_FORMAT_MISMATCH, "the formats of the images differ: %s and %s", from.image.format, to.image.format)
	}
	a, b, bytes := from.rectOf(fromAt), to.rectOf(toAt), from.bytesOf(region)
	if from == to && rectOverlap(&a, &b, bytes) {
		return nil, fail(cl.MEM_COPY_OVERLAP, "the regions overlap")
	}
	return q.enqueue(command{kind: cl.COMMAND_COPY_IMAGE, wait: wait, keeps: []*object{&from.object, &to.object}, run: func() error {
		copyRect(&b, &a, bytes)
		return nil
	}})
}

// CopyImageToBuffer copies a region of an image to a buffer without gaps.
func (q *Queue) CopyImageToBuffer(from, to *Mem, origin, region [3]int, offset int, wait []*Event) (*Event, error) {
	return q.copyLinear(from, to, cl.COMMAND_COPY_IMAGE_TO_BUFFER, origin, region, offset, wait)
}

// CopyBufferToImage copies bytes of a buffer to a region of an image.
func (q *Queue) CopyBufferToImage(from, to *Mem, offset int, origin, region [3]int, wait []*Event) (*Event, error) {
	return q.copyLinear(to, from, cl.COMMAND_COPY_BUFFER_TO_IMAGE, origin, region, offset, wait)
}

func (q *Queue) copyLinear(im, buf *Mem, kind int, origin, region [3]int, offset int, wait []*Event) (*Event, error) {
	if err := q.inside(im, origin, region); err != nil {
		return nil, err
	}
	if err := q.buffer(buf); err != nil {
		return nil, err
	}
	at, bytes := im.rectOf(origin), im.bytesOf(region)
	size := bytes[0] * bytes[1] * bytes[2]
	if !within(offset, size, len(buf.data)) {
		return nil, fail(cl.INVALID_VALUE, "%d bytes from %d of a buffer of %d", size, offset, len(buf.data))
	}
	linear := rect{data: buf.data[offset : offset+size], row: bytes[0], slice: bytes[0] * bytes[1]}
	if im.parent == buf && overlap(at.bytes(bytes), linear.data) {
		return nil, fail(cl.MEM_COPY_OVERLAP, "the image is in the buffer")
	}
	return q.enqueue(command{kind: kind, wait: wait, keeps: []*object{&im.object, &buf.object}, run: func() error {
		if kind == cl.COMMAND_COPY_IMAGE_TO_BUFFER {
			copyRect(&linear, &at, bytes)
		} else {
			copyRect(&at, &linear, bytes)
		}
		return nil
	}})
}

// FillImage sets a region of an image to a color of 4 floats, ints or unsigned ints, or a depth,
// by the format.
func (q *Queue) FillImage(m *Mem, color [16]byte, origin, region [3]int, wait []*Event) (*Event, error) {
	if err := q.inside(m, origin, region); err != nil {
		return nil, err
	}
	texel := packTexel(m.image.format, color)
	at, bytes := m.rectOf(origin), m.bytesOf(region)
	return q.enqueue(command{kind: cl.COMMAND_FILL_IMAGE, wait: wait, keeps: []*object{&m.object}, run: func() error {
		row := make([]byte, bytes[0])
		fill(row, texel)
		to := at.bytes(bytes)
		for z := range bytes[2] {
			for y := range bytes[1] {
				copy(to[z*at.slice+y*at.row:], row)
			}
		}
		return nil
	}})
}

// packTexel converts a color to a texel (OpenCL 1.2 §8.3).
func packTexel(f pixel.Format, color [16]byte) []byte {
	texel := make([]byte, f.Size())
	fields, written := f.Fields()
	put := func(shift, bits int, v uint64) {
		for i := range bits {
			texel[(shift+i)/8] |= byte(v>>i&1) << ((shift + i) % 8)
		}
	}
	for i, field := range fields {
		if written[i] {
			put(field.Shift, field.Bits, packChannel(f.Type, field.Bits, binary.LittleEndian.Uint32(color[4*i:])))
		}
	}
	return texel
}

// packChannel converts a component of a color to a channel of the given bits.
func packChannel(t pixel.Type, bits int, v uint32) uint64 {
	clamp := func(x, low, high float64) float64 { return max(low, min(x, high)) }
	f := math.Float32frombits(v)
	// A product of single precision, as of writes by kernels (OpenCL C 3.0 §8.3.1.1).
	product := func(most float64) float64 { return float64(f * float32(most)) }
	most := math.Ldexp(1, bits) - 1
	switch {
	case t.Number() == pixel.Floating && bits == 32:
		return uint64(v)
	case t.Number() == pixel.Floating:
		return uint64(float16.Fromfloat32(math.Float32frombits(v)))
	case t.Number() == pixel.Norm && f != f:
		return 0
	case t.Number() == pixel.Norm && t.Signed():
		half := math.Ldexp(1, bits-1)
		return uint64(int64(math.RoundToEven(clamp(product(half-1), -half, half-1))))
	case t.Number() == pixel.Norm:
		return uint64(math.RoundToEven(clamp(product(most), 0, most)))
	case t.Signed():
		half := int64(1) << (bits - 1)
		return uint64(max(-half, min(int64(int32(v)), half-1)))
	}
	return min(uint64(v), uint64(most))
}

// MapImage gives the host access to a region of an image. It returns the address and the pitches
// in bytes.
func (q *Queue) MapImage(m *Mem, blocking bool, flags uint64, origin, region [3]int, wait []*Event) (p unsafe.Pointer, row, slice int, e *Event, err error) {
	if err := q.inside(m, origin, region); err != nil {
		return nil, 0, 0, nil, err
	}
	at := m.rectOf(origin)
	p, e, err = q.mapAt(m, cl.COMMAND_MAP_IMAGE, blocking, flags, at.at(), wait)
	return p, m.image.row, m.image.slice, e, err
}

// Slices reports whether a mapping of an image has a slice pitch.
func (m *Mem) Slices() bool { return m.image != nil && m.image.slice > 0 }

// ImageInfo answers a query of clGetImageInfo.
func (m *Mem) ImageInfo(name int) (any, error) {
	s := m.image
	if s == nil {
		return nil, fail(cl.INVALID_MEM_OBJECT, "not an image")
	}
	switch name {
	case cl.IMAGE_FORMAT:
		return []uint32{uint32(s.format.Order), uint32(s.format.Type)}, nil
	case cl.IMAGE_ELEMENT_SIZE:
		return s.format.Size(), nil
	case cl.IMAGE_ROW_PITCH:
		return s.row, nil
	case cl.IMAGE_SLICE_PITCH:
		return s.slice, nil
	case cl.IMAGE_WIDTH:
		return s.width, nil
	case cl.IMAGE_HEIGHT:
		return s.height, nil
	case cl.IMAGE_DEPTH:
		return s.depth, nil
	case cl.IMAGE_ARRAY_SIZE:
		return s.layers, nil
	case cl.IMAGE_BUFFER:
		if m.parent != nil && m.parent.image == nil {
			return m.parent, nil
		}
		return (*Mem)(nil), nil
	case cl.IMAGE_NUM_MIP_LEVELS, cl.IMAGE_NUM_SAMPLES:
		return uint32(0), nil
	}
	return nil, badName(name)
}

// argument returns the argument for an image parameter.
func (m *Mem) argument() simtc.Arg {
	s := m.image
	return simtc.ImageArg(simtc.Image{
		Width: s.width, Height: s.height, Depth: s.depth, ArraySize: s.layers,
		RowPitch: s.row, SlicePitch: s.slice, Order: s.format.Order, Type: s.format.Type, Data: m.data,
	}).Foreign()
}

// Sampler is a sampler.
type Sampler struct {
	object
	ctx                *Context
	normalized         bool
	addressing, filter int
	properties         []uint64
}

// NewSampler returns a sampler. properties are those of queries, nil if none were given.
func (c *Context) NewSampler(normalized bool, addressing, filter int, properties []uint64) (*Sampler, error) {
	if addressing < cl.ADDRESS_NONE || addressing > cl.ADDRESS_MIRRORED_REPEAT || filter != cl.FILTER_NEAREST && filter != cl.FILTER_LINEAR {
		return nil, fail(cl.INVALID_VALUE, "a sampler with addressing mode %#x and filter %#x", addressing, filter)
	}
	s := &Sampler{ctx: c, normalized: normalized, addressing: addressing, filter: filter, properties: properties}
	c.use()
	s.create(c.drop)
	return s, nil
}

// value returns the value of a sampler parameter.
func (s *Sampler) value() simtc.Sampler {
	v := simtc.Sampler(2*(s.addressing-cl.ADDRESS_NONE)) | simtc.FilterNearest<<(s.filter-cl.FILTER_NEAREST)
	if s.normalized {
		v |= simtc.NormalizedCoords
	}
	return v
}

// Info answers a query of clGetSamplerInfo.
func (s *Sampler) Info(name int) (any, error) {
	switch name {
	case cl.SAMPLER_REFERENCE_COUNT:
		return s.references(), nil
	case cl.SAMPLER_CONTEXT:
		return s.ctx, nil
	case cl.SAMPLER_NORMALIZED_COORDS:
		return s.normalized, nil
	case cl.SAMPLER_ADDRESSING_MODE:
		return uint32(s.addressing), nil
	case cl.SAMPLER_FILTER_MODE:
		return uint32(s.filter), nil
	case cl.SAMPLER_PROPERTIES:
		return s.properties, nil
	}
	return nil, badName(name)
}

// IsDepth reports whether m is an image of depths, whose colors have one component.
func (m *Mem) IsDepth() bool { return m.image != nil && m.image.format.Order == pixel.Depth }
