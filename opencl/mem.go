package opencl

import (
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/internal/hugepages"
	"github.com/simtc/simtc/opencl/cl"
)

// Mem is a memory object: a buffer, a part of one, or an image. Its memory is that of the host.
type Mem struct {
	object
	ctx        *Context
	kind       int // cl.MEM_OBJECT_BUFFER and others
	flags      uint64
	properties []uint64
	data       []byte
	host       unsafe.Pointer // of USE_HOST_PTR
	parent     *Mem           // of a sub-buffer, or of an image of a buffer
	origin     int            // in the parent, in bytes
	image      *imageShape    // nil: a buffer

	mu          sync.Mutex
	maps        map[unsafe.Pointer]int // number of mappings by address
	mapped      int
	destructors []func()
}

const (
	accessFlags = cl.MEM_READ_WRITE | cl.MEM_WRITE_ONLY | cl.MEM_READ_ONLY
	hostFlags   = cl.MEM_HOST_WRITE_ONLY | cl.MEM_HOST_READ_ONLY | cl.MEM_HOST_NO_ACCESS
	memoryFlags = cl.MEM_USE_HOST_PTR | cl.MEM_ALLOC_HOST_PTR | cl.MEM_COPY_HOST_PTR
)

// several reports whether more than one bit of set is in flags.
func several(flags, set uint64) bool {
	x := flags & set
	return x&(x-1) != 0
}

// checkFlags returns the flags of a memory object with defaults, or an error.
func checkFlags(flags uint64, host unsafe.Pointer) (uint64, error) {
	switch {
	case flags&^(accessFlags|hostFlags|memoryFlags|cl.MEM_KERNEL_READ_AND_WRITE) != 0:
		return 0, fail(cl.INVALID_VALUE, "unknown memory flags %#x", flags)
	case several(flags, accessFlags), several(flags, hostFlags):
		return 0, fail(cl.INVALID_VALUE, "memory flags %#x exclude each other", flags)
	case flags&cl.MEM_USE_HOST_PTR != 0 && flags&(cl.MEM_ALLOC_HOST_PTR|cl.MEM_COPY_HOST_PTR) != 0:
		return 0, fail(cl.INVALID_VALUE, "memory flags %#x exclude each other", flags)
	case (host != nil) != (flags&(cl.MEM_USE_HOST_PTR|cl.MEM_COPY_HOST_PTR) != 0):
		return 0, fail(cl.INVALID_HOST_PTR, "memory flags %#x do not agree with the host pointer", flags)
	}
	if flags&accessFlags == 0 {
		flags |= cl.MEM_READ_WRITE
	}
	return flags, nil
}

// checkProperties checks the list of properties, which ends with 0.
func checkProperties(list []uint64) error {
	if len(list) > 0 && list[0] != 0 {
		return fail(cl.INVALID_PROPERTY, "unknown property %#x of a memory object", list[0])
	}
	return nil
}

// readSlack is the number of bytes after a memory object that kernels can read. They may not, but
// many do: a vector at the end of a row, or an element after the last one.
const readSlack = 4096

// allocate returns zeroed memory and a function that frees it.
func allocate(bytes, align int) ([]byte, func(), error) {
	if bytes <= smallMemory && align <= baseAlign {
		b, free, err := smallBlock(bytes)
		if err != nil {
			return nil, nil, fail(cl.MEM_OBJECT_ALLOCATION_FAILURE, "cannot allocate %d bytes: %v", bytes, err)
		}
		return b[:bytes:bytes], free, nil
	}
	b, err := mapMemory(bytes + max(align-1, 0)&^4095 + readSlack)
	if err != nil {
		return nil, nil, fail(cl.MEM_OBJECT_ALLOCATION_FAILURE, "cannot allocate %d bytes: %v", bytes, err)
	}
	hugepages.Advise(b)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) & uintptr(align-1))
	return b[skip : skip+bytes : skip+bytes], func() { unmapMemory(b) }, nil
}

// memory returns the bytes at an address of the application.
func memory(p unsafe.Pointer, bytes int) []byte {
	if p == nil || bytes <= 0 {
		return nil
	}
	return unsafe.Slice((*byte)(p), bytes)
}

// NewBuffer returns a buffer.
func (c *Context) NewBuffer(properties []uint64, flags uint64, size int, host unsafe.Pointer) (*Mem, error) {
	if err := checkProperties(properties); err != nil {
		return nil, err
	}
	if size <= 0 || size > simtc.MaxBuffer {
		return nil, fail(cl.INVALID_BUFFER_SIZE, "a buffer of %d bytes", size)
	}
	flags, err := checkFlags(flags, host)
	if err != nil {
		return nil, err
	}
	if flags&cl.MEM_USE_HOST_PTR != 0 {
		if _, rest, ok := c.svm.find(host); ok && size > len(rest) {
			return nil, fail(cl.INVALID_BUFFER_SIZE, "a buffer of %d bytes in %d of shared virtual memory", size, len(rest))
		}
	}
	m := &Mem{ctx: c, kind: cl.MEM_OBJECT_BUFFER, flags: flags, properties: properties}
	return m, m.place(size, host, func(b []byte) { copy(b, memory(host, size)) })
}

// place gives m its memory. fill copies the memory of the application for COPY_HOST_PTR.
func (m *Mem) place(size int, host unsafe.Pointer, fill func(b []byte)) error {
	c, free := m.ctx, func() {}
	if m.flags&cl.MEM_USE_HOST_PTR != 0 {
		m.host, m.data = host, memory(host, size)
	} else {
		d := c.devices[0]
		if err := d.reserve(size); err != nil {
			return err
		}
		b, release, err := allocate(size, baseAlign)
		if err != nil {
			_ = d.reserve(-size)
			return err
		}
		m.data = b
		free = func() {
			_ = d.reserve(-size)
			release()
		}
		if m.flags&cl.MEM_COPY_HOST_PTR != 0 {
			if err := c.access(func() error { fill(b); return nil }); err != nil {
				free()
				return err
			}
		}
	}
	c.use()
	m.create(func() { m.destroyed(free) })
	return nil
}

// destroyed calls the callbacks of a memory object that is no longer used and frees it.
func (m *Mem) destroyed(free func()) {
	m.mu.Lock()
	calls := m.destructors
	m.mu.Unlock()
	for _, f := range slices.Backward(calls) {
		f()
	}
	free()
	if m.parent != nil {
		m.parent.drop()
	}
	m.ctx.drop()
}

// OnDestroy registers a function that is called before the memory is freed.
func (m *Mem) OnDestroy(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.destructors = append(m.destructors, f)
}

// inherit returns the flags of a part of m.
func (m *Mem) inherit(flags uint64) (uint64, error) {
	if flags&memoryFlags != 0 || flags&^(accessFlags|hostFlags) != 0 || several(flags, accessFlags) || several(flags, hostFlags) {
		return 0, fail(cl.INVALID_VALUE, "memory flags %#x of a part of a buffer", flags)
	}
	if m.flags&cl.MEM_WRITE_ONLY != 0 && flags&(cl.MEM_READ_WRITE|cl.MEM_READ_ONLY) != 0 ||
		m.flags&cl.MEM_READ_ONLY != 0 && flags&(cl.MEM_READ_WRITE|cl.MEM_WRITE_ONLY) != 0 ||
		m.flags&cl.MEM_HOST_WRITE_ONLY != 0 && flags&cl.MEM_HOST_READ_ONLY != 0 ||
		m.flags&cl.MEM_HOST_READ_ONLY != 0 && flags&cl.MEM_HOST_WRITE_ONLY != 0 ||
		m.flags&cl.MEM_HOST_NO_ACCESS != 0 && flags&(cl.MEM_HOST_READ_ONLY|cl.MEM_HOST_WRITE_ONLY) != 0 {
		return 0, fail(cl.INVALID_VALUE, "memory flags %#x exceed those of the buffer", flags)
	}
	if flags&accessFlags == 0 {
		flags |= m.flags & accessFlags
	}
	if flags&hostFlags == 0 {
		flags |= m.flags & hostFlags
	}
	return flags | m.flags&memoryFlags, nil
}

// SubBuffer returns the part of a buffer of the given origin and size in bytes.
func (m *Mem) SubBuffer(flags uint64, origin, size int) (*Mem, error) {
	if m.kind != cl.MEM_OBJECT_BUFFER || m.parent != nil {
		return nil, fail(cl.INVALID_MEM_OBJECT, "a part of an object that is no buffer, or a part itself")
	}
	flags, err := m.inherit(flags)
	switch {
	case err != nil:
		return nil, err
	case size == 0:
		return nil, fail(cl.INVALID_BUFFER_SIZE, "a part of no bytes")
	case !within(origin, size, len(m.data)):
		return nil, fail(cl.INVALID_VALUE, "a part of %d bytes from %d of a buffer of %d", size, origin, len(m.data))
	case origin%baseAlign != 0:
		return nil, fail(cl.MISALIGNED_SUB_BUFFER_OFFSET, "the origin %d of a part is not a multiple of %d", origin, baseAlign)
	}
	s := &Mem{ctx: m.ctx, kind: cl.MEM_OBJECT_BUFFER, flags: flags, parent: m, origin: origin, data: m.data[origin : origin+size : origin+size]}
	if m.host != nil {
		s.host = unsafe.Add(m.host, origin)
	}
	s.attach()
	return s, nil
}

// attach makes m an object that uses its parent.
func (m *Mem) attach() {
	m.parent.use()
	m.ctx.use()
	m.create(func() { m.destroyed(func() {}) })
}

// within reports whether size bytes from origin are part of all.
func within(origin, size, all int) bool {
	return origin >= 0 && size >= 0 && origin <= all && size <= all-origin
}

// Info answers a query of clGetMemObjectInfo.
func (m *Mem) Info(name int) (any, error) {
	switch name {
	case cl.MEM_TYPE:
		return uint32(m.kind), nil
	case cl.MEM_FLAGS:
		return m.flags, nil
	case cl.MEM_SIZE:
		return len(m.data), nil
	case cl.MEM_HOST_PTR:
		return uintptr(m.host), nil
	case cl.MEM_MAP_COUNT:
		m.mu.Lock()
		defer m.mu.Unlock()
		return uint32(m.mapped), nil
	case cl.MEM_REFERENCE_COUNT:
		return m.references(), nil
	case cl.MEM_CONTEXT:
		return m.ctx, nil
	case cl.MEM_ASSOCIATED_MEMOBJECT:
		return m.parent, nil
	case cl.MEM_OFFSET:
		return m.origin, nil
	case cl.MEM_USES_SVM_POINTER:
		uses := false
		if m.host != nil {
			_, _, uses = m.ctx.svm.find(m.host)
		}
		return uses, nil
	case cl.MEM_PROPERTIES:
		return m.properties, nil
	}
	return nil, badName(name)
}

// hostReads and hostWrites return an error if the flags of m forbid the host to do so.
func (m *Mem) hostReads() error {
	if m.flags&(cl.MEM_HOST_WRITE_ONLY|cl.MEM_HOST_NO_ACCESS) != 0 {
		return fail(cl.INVALID_OPERATION, "the host may not read the object")
	}
	return nil
}

func (m *Mem) hostWrites() error {
	if m.flags&(cl.MEM_HOST_READ_ONLY|cl.MEM_HOST_NO_ACCESS) != 0 {
		return fail(cl.INVALID_OPERATION, "the host may not write the object")
	}
	return nil
}

// buffer returns an error unless m is a buffer of the queue's context.
func (q *Queue) buffer(m *Mem) error {
	if m.ctx != q.ctx {
		return fail(cl.INVALID_CONTEXT, "the memory object is of another context")
	}
	if m.image != nil {
		return fail(cl.INVALID_MEM_OBJECT, "not a buffer")
	}
	return nil
}

// Read copies from a buffer to memory of the host, and Write the reverse.
func (q *Queue) Read(m *Mem, blocking bool, offset, size int, to unsafe.Pointer, wait []*Event) (*Event, error) {
	return q.transfer(m, cl.COMMAND_READ_BUFFER, blocking, offset, size, to, wait)
}

// Write copies from memory of the host to a buffer.
func (q *Queue) Write(m *Mem, blocking bool, offset, size int, from unsafe.Pointer, wait []*Event) (*Event, error) {
	return q.transfer(m, cl.COMMAND_WRITE_BUFFER, blocking, offset, size, from, wait)
}

func (q *Queue) transfer(m *Mem, kind int, blocking bool, offset, size int, p unsafe.Pointer, wait []*Event) (*Event, error) {
	if err := q.buffer(m); err != nil {
		return nil, err
	}
	if !within(offset, size, len(m.data)) || p == nil {
		return nil, fail(cl.INVALID_VALUE, "%d bytes from %d of a buffer of %d", size, offset, len(m.data))
	}
	check := m.hostReads
	if kind == cl.COMMAND_WRITE_BUFFER {
		check = m.hostWrites
	}
	if err := check(); err != nil {
		return nil, err
	}
	return q.enqueue(command{kind: kind, blocking: blocking, wait: wait, keeps: []*object{&m.object}, run: func() error {
		if kind == cl.COMMAND_READ_BUFFER {
			copy(memory(p, size), m.data[offset:])
		} else {
			copy(m.data[offset:], memory(p, size))
		}
		return nil
	}})
}

// Copy copies bytes between buffers.
func (q *Queue) Copy(from, to *Mem, fromOffset, toOffset, size int, wait []*Event) (*Event, error) {
	for _, m := range []*Mem{from, to} {
		if err := q.buffer(m); err != nil {
			return nil, err
		}
	}
	if !within(fromOffset, size, len(from.data)) || !within(toOffset, size, len(to.data)) {
		return nil, fail(cl.INVALID_VALUE, "%d bytes from %d of a buffer of %d to %d of one of %d", size, fromOffset, len(from.data), toOffset, len(to.data))
	}
	src, dst := from.data[fromOffset:fromOffset+size], to.data[toOffset:toOffset+size]
	if overlap(src, dst) {
		return nil, fail(cl.MEM_COPY_OVERLAP, "the regions overlap")
	}
	return q.enqueue(command{kind: cl.COMMAND_COPY_BUFFER, wait: wait, keeps: []*object{&from.object, &to.object}, run: func() error {
		copy(dst, src)
		return nil
	}})
}

// overlap reports whether a and b share memory.
func overlap(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	x, y := uintptr(unsafe.Pointer(&a[0])), uintptr(unsafe.Pointer(&b[0]))
	return x < y+uintptr(len(b)) && y < x+uintptr(len(a))
}

// Fill repeats a pattern in a buffer.
func (q *Queue) Fill(m *Mem, pattern []byte, offset, size int, wait []*Event) (*Event, error) {
	if err := q.buffer(m); err != nil {
		return nil, err
	}
	n := len(pattern)
	if n == 0 || n > 128 || n&(n-1) != 0 || !within(offset, size, len(m.data)) || offset%n != 0 || size%n != 0 {
		return nil, fail(cl.INVALID_VALUE, "a pattern of %d bytes for %d from %d of a buffer of %d", n, size, offset, len(m.data))
	}
	pattern = slices.Clone(pattern)
	return q.enqueue(command{kind: cl.COMMAND_FILL_BUFFER, wait: wait, keeps: []*object{&m.object}, run: func() error {
		fill(m.data[offset:offset+size], pattern)
		return nil
	}})
}

// fill repeats pattern in b.
func fill(b, pattern []byte) {
	for n := copy(b, pattern); n > 0 && n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

// Migrate does nothing: the memory of host and device is the same.
func (q *Queue) Migrate(mems []*Mem, flags uint64, wait []*Event) (*Event, error) {
	if len(mems) == 0 || flags&^(cl.MIGRATE_MEM_OBJECT_HOST|cl.MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) != 0 {
		return nil, fail(cl.INVALID_VALUE, "migration of %d objects with flags %#x", len(mems), flags)
	}
	x := command{kind: cl.COMMAND_MIGRATE_MEM_OBJECTS, wait: wait}
	for _, m := range mems {
		if m.ctx != q.ctx {
			return nil, fail(cl.INVALID_CONTEXT, "a memory object is of another context")
		}
		x.keeps = append(x.keeps, &m.object)
	}
	return q.enqueue(x)
}

// Map gives the host access to a part of a buffer until Unmap of the address that it returns.
func (q *Queue) Map(m *Mem, blocking bool, flags uint64, offset, size int, wait []*Event) (unsafe.Pointer, *Event, error) {
	if err := q.buffer(m); err != nil {
		return nil, nil, err
	}
	if !within(offset, size, len(m.data)) || size == 0 {
		return nil, nil, fail(cl.INVALID_VALUE, "%d bytes from %d of a buffer of %d", size, offset, len(m.data))
	}
	return q.mapAt(m, cl.COMMAND_MAP_BUFFER, blocking, flags, offset, wait)
}

// mapAt maps m from the given offset.
func (q *Queue) mapAt(m *Mem, kind int, blocking bool, flags uint64, offset int, wait []*Event) (unsafe.Pointer, *Event, error) {
	const writes = cl.MAP_WRITE | cl.MAP_WRITE_INVALIDATE_REGION
	if flags&^(cl.MAP_READ|writes) != 0 || flags&cl.MAP_WRITE_INVALIDATE_REGION != 0 && flags&(cl.MAP_READ|cl.MAP_WRITE) != 0 {
		return nil, nil, fail(cl.INVALID_VALUE, "invalid flags %#x of a mapping", flags)
	}
	if flags&cl.MAP_READ != 0 {
		if err := m.hostReads(); err != nil {
			return nil, nil, err
		}
	}
	if flags&writes != 0 {
		if err := m.hostWrites(); err != nil {
			return nil, nil, err
		}
	}
	p := unsafe.Pointer(&m.data[offset])
	m.mu.Lock()
	if m.maps == nil {
		m.maps = map[unsafe.Pointer]int{}
	}
	m.maps[p]++
	m.mapped++
	m.mu.Unlock()
	e, err := q.enqueue(command{kind: kind, blocking: blocking, wait: wait, keeps: []*object{&m.object}})
	if err != nil {
		m.unmapped(p)
		return nil, nil, err
	}
	return p, e, nil
}

// unmapped ends a mapping, or reports that there is none at p.
func (m *Mem) unmapped(p unsafe.Pointer) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.maps[p] == 0 {
		return false
	}
	if m.maps[p]--; m.maps[p] == 0 {
		delete(m.maps, p)
	}
	m.mapped--
	return true
}

// Unmap ends a mapping.
func (q *Queue) Unmap(m *Mem, p unsafe.Pointer, wait []*Event) (*Event, error) {
	if m.ctx != q.ctx {
		return nil, fail(cl.INVALID_CONTEXT, "the memory object is of another context")
	}
	if !m.unmapped(p) {
		return nil, fail(cl.INVALID_VALUE, "nothing is mapped at that address")
	}
	return q.enqueue(command{kind: cl.COMMAND_UNMAP_MEM_OBJECT, wait: wait, keeps: []*object{&m.object}})
}

// rect is a part of linear memory with rows and slices.
type rect struct {
	data       []byte // nil: memory of the host at p
	p          unsafe.Pointer
	origin     [3]int // of the first in bytes, row and slice
	row, slice int    // pitches in bytes
}

// at returns the offset in bytes of the first byte.
func (r *rect) at() int { return r.origin[0] + r.origin[1]*r.row + r.origin[2]*r.slice }

// complete fills in pitches for a region and checks that it lies in the data.
func (r *rect) complete(region [3]int) error {
	for d := range 3 {
		if region[d] <= 0 || r.origin[d] < 0 || region[d] > math.MaxInt32 || r.origin[d] > math.MaxInt32 {
			return fail(cl.INVALID_VALUE, "a region of %v from %v", region, r.origin)
		}
	}
	if r.row == 0 {
		r.row = region[0]
	}
	if r.slice == 0 {
		r.slice = r.row * region[1]
	}
	if r.row < region[0] || r.slice < r.row*region[1] || r.slice%r.row != 0 || int64(r.slice) > math.MaxInt32*64 {
		return fail(cl.INVALID_VALUE, "pitches %d and %d of a region of %v", r.row, r.slice, region)
	}
	if r.data != nil && !within(r.at(), r.span(region), len(r.data)) {
		return fail(cl.INVALID_VALUE, "a region of %v from %v exceeds a buffer of %d bytes", region, r.origin, len(r.data))
	}
	if r.data == nil && r.p == nil {
		return fail(cl.INVALID_VALUE, "a null pointer")
	}
	return nil
}

// span returns the bytes from the first to the last of a region.
func (r *rect) span(region [3]int) int {
	return (region[2]-1)*r.slice + (region[1]-1)*r.row + region[0]
}

// bytes returns the bytes of a region.
func (r *rect) bytes(region [3]int) []byte {
	if r.data != nil {
		return r.data[r.at():][:r.span(region)]
	}
	return memory(unsafe.Add(r.p, r.at()), r.span(region))
}

// copyRect copies a region whose first size is in bytes.
func copyRect(to, from *rect, region [3]int) {
	dst, src := to.bytes(region), from.bytes(region)
	for z := range region[2] {
		if to.row == region[0] && from.row == region[0] {
			n := region[0] * region[1]
			copy(dst[z*to.slice:][:n], src[z*from.slice:][:n])
			continue
		}
		for y := range region[1] {
			copy(dst[z*to.slice+y*to.row:][:region[0]], src[z*from.slice+y*from.row:][:region[0]])
		}
	}
}

// rectOverlap reports whether two regions of the same memory share bytes: some rows overlap.
func rectOverlap(a, b *rect, region [3]int) bool {
	if !overlap(a.bytes(region), b.bytes(region)) {
		return false
	}
	base := uintptr(unsafe.Pointer(unsafe.SliceData(a.data)))
	x, y := a.at(), int(uintptr(unsafe.Pointer(unsafe.SliceData(b.data)))-base)+b.at()
	if a.row != b.row || a.slice != b.slice {
		return true
	}
	// With equal pitches the regions are boxes in the same grid.
	d := y - x
	for _, dz := range []int{d / a.slice, d/a.slice + 1, d/a.slice - 1} {
		for _, dy := range []int{(d - dz*a.slice) / a.row, (d-dz*a.slice)/a.row + 1, (d-dz*a.slice)/a.row - 1} {
			dx := d - dz*a.slice - dy*a.row
			if max(dx, -dx) < region[0] && max(dy, -dy) < region[1] && max(dz, -dz) < region[2] {
				return true
			}
		}
	}
	return false
}

// Rect describes a side of a copy of a region: origins and pitches in bytes, rows and slices.
type Rect struct {
	Origin     [3]int
	Row, Slice int // 0: without gaps
}

func (x Rect) of(data []byte, p unsafe.Pointer) rect {
	return rect{data: data, p: p, origin: x.Origin, row: x.Row, slice: x.Slice}
}

// ReadRect copies a region of a buffer to memory of the host.
func (q *Queue) ReadRect(m *Mem, blocking bool, at, hostAt Rect, region [3]int, to unsafe.Pointer, wait []*Event) (*Event, error) {
	return q.transferRect(m, cl.COMMAND_READ_BUFFER_RECT, blocking, at, hostAt, region, to, wait)
}

// WriteRect copies memory of the host to a region of a buffer.
func (q *Queue) WriteRect(m *Mem, blocking bool, at, hostAt Rect, region [3]int, from unsafe.Pointer, wait []*Event) (*Event, error) {
	return q.transferRect(m, cl.COMMAND_WRITE_BUFFER_RECT, blocking, at, hostAt, region, from, wait)
}

func (q *Queue) transferRect(m *Mem, kind int, blocking bool, at, hostAt Rect, region [3]int, p unsafe.Pointer, wait []*Event) (*Event, error) {
	if err := q.buffer(m); err != nil {
		return nil, err
	}
	a, h := at.of(m.data, nil), hostAt.of(nil, p)
	for _, r := range []*rect{&a, &h} {
		if err := r.complete(region); err != nil {
			return nil, err
		}
	}
	check := m.hostReads
	if kind == cl.COMMAND_WRITE_BUFFER_RECT {
		check = m.hostWrites
	}
	if err := check(); err != nil {
		return nil, err
	}
	return q.enqueue(command{kind: kind, blocking: blocking, wait: wait, keeps: []*object{&m.object}, run: func() error {
		if kind == cl.COMMAND_READ_BUFFER_RECT {
			copyRect(&h, &a, region)
		} else {
			copyRect(&a, &h, region)
		}
		return nil
	}})
}

// CopyRect copies a region between buffers.
func (q *Queue) CopyRect(from, to *Mem, fromAt, toAt Rect, region [3]int, wait []*Event) (*Event, error) {
	for _, m := range []*Mem{from, to} {
		if err := q.buffer(m); err != nil {
			return nil, err
		}
	}
	a, b := fromAt.of(from.data, nil), toAt.of(to.data, nil)
	for _, r := range []*rect{&a, &b} {
		if err := r.complete(region); err != nil {
			return nil, err
		}
	}
	if from == to && (a.row != b.row || a.slice != b.slice) {
		return nil, fail(cl.INVALID_VALUE, "the pitches of a copy within a buffer differ")
	}
	if rectOverlap(&a, &b, region) {
		return nil, fail(cl.MEM_COPY_OVERLAP, "the regions overlap")
	}
	return q.enqueue(command{kind: cl.COMMAND_COPY_BUFFER_RECT, wait: wait, keeps: []*object{&from.object, &to.object}, run: func() error {
		copyRect(&b, &a, region)
		return nil
	}})
}

// Data returns the memory of the object.
func (m *Mem) Data() []byte { return m.data }
