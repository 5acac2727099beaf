package opencl_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/simtc/simtc/opencl"
	"github.com/simtc/simtc/opencl/cl"
)

// TestShortHostMemory gives commands memory of the application that ends before they do.
func TestShortHostMemory(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	const page = 4096
	pages, err := unix.Mmap(-1, 0, 2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	require.NoError(t, err)
	require.NoError(t, unix.Mprotect(pages[page:], unix.PROT_NONE))
	defer func() { _ = unix.Munmap(pages) }()
	const size = 256
	short := unsafe.Pointer(&pages[page-size/2])
	m := f.buffer(size)
	image, err := f.c.NewImage(nil, 0, opencl.Format{Order: cl.R, Type: cl.UNSIGNED_INT8}, opencl.ImageDesc{Type: cl.MEM_OBJECT_IMAGE2D, Width: 16, Height: 16}, nil)
	require.NoError(t, err)
	from := opencl.Rect{Row: 16, Slice: 256}
	region := [3]int{16, 16, 1}
	for name, enqueue := range map[string]func(blocking bool) (*opencl.Event, error){
		"write":      func(b bool) (*opencl.Event, error) { return f.q.Write(m, b, 0, size, short, nil) },
		"read":       func(b bool) (*opencl.Event, error) { return f.q.Read(m, b, 0, size, short, nil) },
		"write rect": func(b bool) (*opencl.Event, error) { return f.q.WriteRect(m, b, from, from, region, short, nil) },
		"read rect":  func(b bool) (*opencl.Event, error) { return f.q.ReadRect(m, b, from, from, region, short, nil) },
		"write image": func(b bool) (*opencl.Event, error) {
			return f.q.WriteImage(image, b, [3]int{}, region, 0, 0, short, nil)
		},
		"read image": func(b bool) (*opencl.Event, error) {
			return f.q.ReadImage(image, b, [3]int{}, region, 0, 0, short, nil)
		},
	} {
		_, err := enqueue(true)
		require.Equal(t, cl.OUT_OF_RESOURCES, opencl.CodeOf(err), "%s: %v", name, err)
		e, err := enqueue(false)
		require.NoError(t, err, name)
		require.Error(t, opencl.WaitFor([]*opencl.Event{e}), name)
		require.Contains(t, f.log.String(), "no access to the memory of the application at 0x", name)
		_ = f.q.Finish()
	}
	_, err = f.c.NewBuffer(nil, cl.MEM_COPY_HOST_PTR, size, short)
	require.Equal(t, cl.OUT_OF_RESOURCES, opencl.CodeOf(err), "%v", err)
	// Memory of the application is also the memory of a buffer that uses it.
	uses, err := f.c.NewBuffer(nil, cl.MEM_USE_HOST_PTR, size, short)
	require.NoError(t, err)
	e, err := f.q.Copy(uses, m, 0, 0, size, nil)
	require.NoError(t, err)
	require.Error(t, opencl.WaitFor([]*opencl.Event{e}))
	e, err = f.q.Fill(uses, []byte{1}, 0, size, nil)
	require.NoError(t, err)
	require.Error(t, opencl.WaitFor([]*opencl.Event{e}))
	_ = f.q.Finish()
	low := uintptr(16)
	_, err = f.q.Read(m, true, 0, size, *(*unsafe.Pointer)(unsafe.Pointer(&low)), nil)
	require.Equal(t, cl.OUT_OF_RESOURCES, opencl.CodeOf(err), "%v", err)
	code(t, cl.OUT_OF_RESOURCES, f.run(f.kernel("kernel void k(global uchar *p) { p[get_global_id(0)]++; }", "k", uses), size))
	// The queue still works.
	whole := unsafe.Pointer(&pages[0])
	_, err = f.q.Write(m, true, 0, size, whole, nil)
	require.NoError(t, err)
}
