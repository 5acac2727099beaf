package opencl_test

import (
	"encoding/binary"
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/opencl"
	"github.com/simtc/simtc/opencl/cl"
)

var (
	rgba8 = opencl.Format{Order: cl.RGBA, Type: cl.UNSIGNED_INT8}
	red32 = opencl.Format{Order: cl.R, Type: cl.UNSIGNED_INT32}
)

// TestImageKinds writes, copies, fills, maps and reads images of all kinds.
func TestImageKinds(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	for _, c := range []struct {
		d      opencl.ImageDesc
		region [3]int
	}{
		{opencl.ImageDesc{Type: cl.MEM_OBJECT_IMAGE1D, Width: 12}, [3]int{12, 1, 1}},
		{opencl.ImageDesc{Type: cl.MEM_OBJECT_IMAGE1D_ARRAY, Width: 4, Layers: 3}, [3]int{4, 3, 1}},
		{opencl.ImageDesc{Type: cl.MEM_OBJECT_IMAGE2D, Width: 4, Height: 3}, [3]int{4, 3, 1}},
		{opencl.ImageDesc{Type: cl.MEM_OBJECT_IMAGE2D_ARRAY, Width: 2, Height: 3, Layers: 2}, [3]int{2, 3, 2}},
		{opencl.ImageDesc{Type: cl.MEM_OBJECT_IMAGE3D, Width: 2, Height: 3, Depth: 2}, [3]int{2, 3, 2}},
	} {
		a, err := f.c.NewImage(nil, 0, red32, c.d, nil)
		require.NoError(t, err)
		in, out := numbers(12), make([]uint32, 12)
		e, err := f.q.WriteImage(a, true, [3]int{}, c.region, 0, 0, pointerTo(in), nil)
		done(t, e, err)
		b, err := f.c.NewImage(nil, cl.MEM_COPY_HOST_PTR, red32, c.d, pointerTo(make([]uint32, 12)))
		require.NoError(t, err)
		e, err = f.q.CopyImage(a, b, [3]int{}, [3]int{}, c.region, nil)
		done(t, e, err)
		e, err = f.q.ReadImage(b, true, [3]int{}, c.region, 0, 0, pointerTo(out), nil)
		done(t, e, err)
		require.Equal(t, in, out)
		last := [3]int{c.region[0] - 1, c.region[1] - 1, c.region[2] - 1}
		color := [16]byte{200}
		e, err = f.q.FillImage(b, color, last, [3]int{1, 1, 1}, nil)
		done(t, e, err)
		p, row, slice, e, err := f.q.MapImage(b, true, cl.MAP_READ, last, [3]int{1, 1, 1}, nil)
		done(t, e, err)
		require.Equal(t, uint32(200), *(*uint32)(p))
		require.Equal(t, 4*c.d.Width, row)
		require.Equal(t, slice > 0, c.d.Layers+c.d.Depth > 0)
		e, err = f.q.Unmap(b, p, nil)
		done(t, e, err)
		linear := f.buffer(48)
		e, err = f.q.CopyImageToBuffer(b, linear, [3]int{}, c.region, 0, nil)
		done(t, e, err)
		require.Equal(t, uint32(200), binary.LittleEndian.Uint32(linear.Data()[44:]))
		e, err = f.q.CopyBufferToImage(linear, a, 0, [3]int{}, c.region, nil)
		done(t, e, err)
		e, err = f.q.ReadImage(a, true, last, [3]int{1, 1, 1}, 0, 0, pointerTo(out), nil)
		done(t, e, err)
		require.Equal(t, uint32(200), out[0])
		outside := c.region
		outside[0]++
		code(t, cl.INVALID_VALUE, second(f.q.ReadImage(a, true, [3]int{}, outside, 0, 0, pointerTo(out), nil)))
		code(t, cl.MEM_COPY_OVERLAP, second(f.q.CopyImage(a, a, [3]int{}, [3]int{}, c.region, nil)))
	}
}

// TestImageFormats fills images of every format and lets a kernel read them.
func TestImageFormats(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	formats, err := f.c.ImageFormats(cl.MEM_READ_WRITE, cl.MEM_OBJECT_IMAGE2D)
	require.NoError(t, err)
	require.Greater(t, len(formats), 60)
	const text = `#define READ(kind, type) kernel void kind(read_only IMAGE im, global float *p) { *(global type *)p = read_image##kind(im, (int2)(1, 0)); }
#define IMAGE image2d_t
READ(f, float4) READ(i, int4) READ(ui, uint4)
kernel void depth(read_only image2d_depth_t im, global float *p) { p[0] = read_imagef(im, (int2)(1, 0)); }`
	m := f.buffer(16)
	p := f.program(text, "")
	for _, x := range formats {
		im, err := f.c.NewImage(nil, 0, x, opencl.ImageDesc{Type: cl.MEM_OBJECT_IMAGE2D, Width: 3, Height: 2}, nil)
		require.NoError(t, err)
		name, color := "f", []float32{0.5, 1, 0, 0.25}
		words := make([]uint32, 4)
		for i, c := range color {
			words[i] = math.Float32bits(c)
		}
		switch {
		case x.Type >= cl.SIGNED_INT8 && x.Type <= cl.SIGNED_INT32:
			name, words = "i", []uint32{100, 0xfffffff9, 3, 127}
		case x.Type >= cl.UNSIGNED_INT8 && x.Type <= cl.UNSIGNED_INT32:
			name, words = "ui", []uint32{100, 7, 3, 255}
		case x.Order == cl.DEPTH:
			name = "depth"
		}
		e, err := f.q.FillImage(im, *(*[16]byte)(unsafe.Pointer(&words[0])), [3]int{}, [3]int{3, 2, 1}, nil)
		done(t, e, err)
		k, err := p.NewKernel(name)
		require.NoError(t, err)
		f.set(k, im, m)
		require.NoError(t, f.run(k, 1))
		got := make([]uint32, 4)
		for i := range got {
			got[i] = binary.LittleEndian.Uint32(m.Data()[4*i:])
		}
		component := 0
		if x.Order == cl.A {
			component = 3
		}
		if name == "f" || name == "depth" {
			require.InDelta(t, color[component], math.Float32frombits(got[component]), 0.02, "%#x", x)
		} else {
			require.Equal(t, words[component], got[component], "%#x", x)
		}
		opencl.Release(im)
	}
}

func TestImageErrors(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	plain := opencl.ImageDesc{Type: cl.MEM_OBJECT_IMAGE2D, Width: 4, Height: 4}
	for _, c := range []struct {
		code   int
		format opencl.Format
		d      opencl.ImageDesc
	}{
		{cl.INVALID_IMAGE_FORMAT_DESCRIPTOR, opencl.Format{Order: 1, Type: cl.FLOAT}, plain},
		{cl.INVALID_IMAGE_FORMAT_DESCRIPTOR, opencl.Format{Order: cl.RGB, Type: cl.FLOAT}, plain},
		{cl.IMAGE_FORMAT_NOT_SUPPORTED, opencl.Format{Order: cl.INTENSITY, Type: cl.SIGNED_INT8}, plain},
		{cl.INVALID_IMAGE_DESCRIPTOR, rgba8, opencl.ImageDesc{Type: cl.MEM_OBJECT_BUFFER, Width: 4}},
		{cl.INVALID_IMAGE_DESCRIPTOR, rgba8, opencl.ImageDesc{Type: cl.MEM_OBJECT_IMAGE2D, Width: 4, Height: 4, Row: 16}},
		{cl.INVALID_IMAGE_DESCRIPTOR, rgba8, opencl.ImageDesc{Type: cl.MEM_OBJECT_IMAGE1D_BUFFER, Width: 4}},
		{cl.INVALID_IMAGE_SIZE, rgba8, opencl.ImageDesc{Type: cl.MEM_OBJECT_IMAGE2D, Width: 4}},
		{cl.INVALID_IMAGE_SIZE, rgba8, opencl.ImageDesc{Type: cl.MEM_OBJECT_IMAGE2D, Width: 1 << 20, Height: 1}},
	} {
		code(t, c.code, second(f.c.NewImage(nil, 0, c.format, c.d, nil)))
	}
	code(t, cl.INVALID_VALUE, second(f.c.ImageFormats(0, cl.MEM_OBJECT_BUFFER)))
	im, err := f.c.NewImage(nil, 0, rgba8, plain, nil)
	require.NoError(t, err)
	other, err := f.c.NewImage(nil, 0, red32, plain, nil)
	require.NoError(t, err)
	code(t, cl.IMAGE_FORMAT_MISMATCH, second(f.q.CopyImage(im, other, [3]int{}, [3]int{}, [3]int{1, 1, 1}, nil)))
	code(t, cl.INVALID_MEM_OBJECT, second(f.q.ReadImage(f.buffer(4), true, [3]int{}, [3]int{1, 1, 1}, 0, 0, unsafe.Pointer(im), nil)))
	code(t, cl.INVALID_MEM_OBJECT, second(f.buffer(4).ImageInfo(cl.IMAGE_WIDTH)))
	for name, want := range map[int]any{cl.IMAGE_WIDTH: 4, cl.IMAGE_HEIGHT: 4, cl.IMAGE_ROW_PITCH: 16, cl.IMAGE_SLICE_PITCH: 0, cl.IMAGE_ELEMENT_SIZE: 4, cl.IMAGE_DEPTH: 0} {
		require.Equal(t, want, first(im.ImageInfo(name)))
	}
	k := f.kernel("kernel void f(read_only image3d_t im, sampler_t s) { }", "f")
	code(t, cl.INVALID_ARG_VALUE, setArg(k, 0, im))
	code(t, cl.INVALID_MEM_OBJECT, setArg(k, 0, f.buffer(4)))
	code(t, cl.INVALID_SAMPLER, setArg(k, 1, im))
	code(t, cl.INVALID_VALUE, second(f.c.NewSampler(false, 1, cl.FILTER_NEAREST, nil)))
}

// TestImagesOfBuffers checks images whose memory is that of a buffer, and samplers.
func TestImagesOfBuffers(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	b := f.buffer(256)
	d := opencl.ImageDesc{Type: cl.MEM_OBJECT_IMAGE2D, Width: 4, Height: 2, Row: 32, Mem: b}
	im, err := f.c.NewImage(nil, 0, opencl.Format{Order: cl.R, Type: cl.FLOAT}, d, nil)
	require.NoError(t, err)
	for i := range 64 {
		binary.LittleEndian.PutUint32(b.Data()[4*i:], math.Float32bits(float32(i)))
	}
	s, err := f.c.NewSampler(false, cl.ADDRESS_CLAMP_TO_EDGE, cl.FILTER_LINEAR, nil)
	require.NoError(t, err)
	require.Equal(t, uint32(cl.FILTER_LINEAR), first(s.Info(cl.SAMPLER_FILTER_MODE)))
	m := f.buffer(4)
	k := f.kernel("kernel void f(read_only image2d_t im, sampler_t s, global float *p) { p[0] = read_imagef(im, s, (float2)(2.0f, 1.5f)).x; }", "f", im, s, m)
	require.NoError(t, f.run(k, 1))
	require.Equal(t, float32(9.5), math.Float32frombits(binary.LittleEndian.Uint32(m.Data())))
	line, err := f.c.NewImage(nil, 0, red32, opencl.ImageDesc{Type: cl.MEM_OBJECT_IMAGE1D_BUFFER, Width: 64, Mem: b}, nil)
	require.NoError(t, err)
	require.Equal(t, b, first(line.ImageInfo(cl.IMAGE_BUFFER)))
	k = f.kernel("kernel void f(write_only image1d_buffer_t im) { write_imageui(im, (int)get_global_id(0), (uint4)(get_global_id(0) + 5)); }", "f", line)
	require.NoError(t, f.run(k, 64))
	require.Equal(t, byte(68), b.Data()[252])
	code(t, cl.INVALID_IMAGE_SIZE, second(f.c.NewImage(nil, 0, red32, opencl.ImageDesc{Type: cl.MEM_OBJECT_IMAGE1D_BUFFER, Width: 65, Mem: b}, nil)))
}

func TestSharedMemory(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	p, err := f.c.Alloc(0, nil, cl.MEM_SVM_FINE_GRAIN_BUFFER|cl.MEM_SVM_ATOMICS, 4096, 0)
	if f.p.Device() != nil && err != nil {
		code(t, cl.INVALID_OPERATION, err) // a target with memory of its own
		return
	}
	data := unsafe.Slice((*uint32)(p), 1024)
	list := f.kernel(`struct node { global struct node *next; uint v; };
kernel void f(global struct node *n, global uint *sum) { uint s = 0; for (; n; n = n->next) s += n->v; sum[0] = s; }`, "f")
	type node struct {
		next unsafe.Pointer
		v    uint32
	}
	nodes := unsafe.Slice((*node)(p), 3)
	nodes[0] = node{unsafe.Pointer(&nodes[2]), 10}
	nodes[2] = node{unsafe.Pointer(&nodes[1]), 20}
	nodes[1] = node{nil, 30}
	require.NoError(t, list.SetPointer(0, p))
	heap := make([]uint32, 4) // memory of the process
	require.NoError(t, list.SetPointer(1, unsafe.Pointer(&heap[1])))
	require.NoError(t, list.ExecInfo(cl.KERNEL_EXEC_INFO_SVM_PTRS, 8, unsafe.Pointer(&p)))
	require.NoError(t, list.ExecInfo(cl.KERNEL_EXEC_INFO_SVM_PTRS, 0, nil)) // removes the pointers
	code(t, cl.INVALID_VALUE, list.ExecInfo(cl.KERNEL_EXEC_INFO_SVM_PTRS, 8, nil))
	code(t, cl.INVALID_BUFFER_SIZE, second(f.c.NewBuffer(nil, cl.MEM_USE_HOST_PTR, 8192, p)))
	require.NoError(t, f.run(list, 1))
	require.Equal(t, []uint32{0, 60, 0, 0}, heap)

	e, err := f.q.Memfill(cl.COMMAND_SVM_MEMFILL, p, []byte{7, 0, 0, 0}, 4096, nil)
	done(t, e, err)
	e, err = f.q.Memcpy(cl.COMMAND_SVM_MEMCPY, true, unsafe.Pointer(&heap[0]), unsafe.Pointer(&data[5]), 16, nil)
	done(t, e, err)
	require.Equal(t, []uint32{7, 7, 7, 7}, heap)
	e, err = f.q.SVMMap(true, cl.MAP_WRITE, p, 16, nil)
	done(t, e, err)
	e, err = f.q.SVMUnmap(p, nil)
	done(t, e, err)
	e, err = f.q.SVMMigrate(cl.COMMAND_SVM_MIGRATE_MEM, nil)
	done(t, e, err)
	code(t, cl.MEM_COPY_OVERLAP, second(f.q.Memcpy(cl.COMMAND_SVM_MEMCPY, true, unsafe.Pointer(&heap[0]), unsafe.Pointer(&heap[1]), 8, nil)))
	code(t, cl.INVALID_VALUE, second(f.q.Memfill(cl.COMMAND_SVM_MEMFILL, p, []byte{1, 2, 3}, 6, nil)))
	code(t, cl.INVALID_VALUE, second(f.q.SVMMap(true, cl.MAP_WRITE, nil, 16, nil)))
	code(t, cl.INVALID_VALUE, second(f.c.Alloc(0, nil, cl.MEM_SVM_ATOMICS, 64, 0)))
	code(t, cl.INVALID_VALUE, second(f.c.Alloc(0, nil, 0, 64, 3)))
	code(t, cl.INVALID_BUFFER_SIZE, second(f.c.Alloc(0, nil, 0, 0, 0)))

	host, err := f.c.Alloc(opencl.MemHost, nil, 0, 100, 64)
	require.NoError(t, err)
	require.Equal(t, uint32(opencl.MemHost), first(f.c.AllocInfo(unsafe.Add(host, 50), 0x419A)))
	require.Equal(t, uintptr(host), first(f.c.AllocInfo(unsafe.Add(host, 50), 0x419B)))
	require.Equal(t, 100, first(f.c.AllocInfo(host, 0x419C)))
	require.NoError(t, f.c.Free(host))
	code(t, cl.INVALID_VALUE, f.c.Free(host))
	e, err = f.q.SVMFree([]unsafe.Pointer{p}, nil, nil)
	done(t, e, err)
	code(t, cl.INVALID_VALUE, f.c.Free(p))
}

// TestFillRounds checks that colors halfway between two values of a normalized format become the
// even one, as the product in single precision decides.
func TestFillRounds(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	k := f.kernel("kernel void k(write_only image2d_t im, float x) { write_imagef(im, (int2)(0, 0), x); }", "k")
	for _, c := range []struct {
		format uint32
		bytes  int
		x      float32
		want   int
	}{
		{cl.SNORM_INT8, 1, 62.5 / 127, 62}, {cl.SNORM_INT8, 1, 63.5 / 127, 64}, {cl.SNORM_INT8, 1, -62.5 / 127, -62 & 255},
		{cl.UNORM_INT8, 1, 126.5 / 255, 126}, {cl.UNORM_INT8, 1, 127.5 / 255, 128},
		{cl.SNORM_INT16, 2, 16383.5 / 32767, 16384}, {cl.SNORM_INT16, 2, 16382.5 / 32767, 16382},
		{cl.UNORM_INT16, 2, 32766.5 / 65535, 32766}, {cl.UNORM_INT16, 2, 32767.5 / 65535, 32768},
	} {
		im, err := f.c.NewImage(nil, 0, opencl.Format{Order: cl.R, Type: c.format}, opencl.ImageDesc{Type: cl.MEM_OBJECT_IMAGE2D, Width: 1, Height: 1}, nil)
		require.NoError(t, err)
		read := func() int {
			out := make([]uint16, 1)
			_, err := f.q.ReadImage(im, true, [3]int{}, [3]int{1, 1, 1}, 0, 0, pointerTo(out), nil)
			require.NoError(t, err)
			return int(out[0])
		}
		color := [4]float32{c.x}
		e, err := f.q.FillImage(im, *(*[16]byte)(unsafe.Pointer(&color)), [3]int{}, [3]int{1, 1, 1}, nil)
		done(t, e, err)
		require.Equal(t, c.want, read(), "%#x %v", c.format, c.x)
		e, err = f.q.FillImage(im, [16]byte{}, [3]int{}, [3]int{1, 1, 1}, nil)
		done(t, e, err)
		f.set(k, im, math.Float32bits(c.x))
		require.NoError(t, f.run(k, 1))
		require.Equal(t, c.want, read(), "write_imagef: %#x %v", c.format, c.x)
	}
}
