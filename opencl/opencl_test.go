package opencl_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/opencl"
	"github.com/simtc/simtc/opencl/cl"
)

var long = flag.Bool("long", false, "run many more random command graphs")

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(m.Run())
}

// output collects the output of printf.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// fixture has a context with an in-order queue.
type fixture struct {
	*testing.T
	p   *opencl.Platform
	c   *opencl.Context
	q   *opencl.Queue
	out *output // of printf
	log *output // of the context's callback
}

func newFixture(t *testing.T, cfg opencl.Config) *fixture {
	f := &fixture{T: t, out: &output{}, log: &output{}}
	cfg.Output = f.out
	f.p = opencl.NewPlatform(cfg)
	var err error
	f.c, err = f.p.NewContext([]*opencl.Device{f.p.Device()}, opencl.ContextOptions{Notify: func(text string) { _, _ = f.log.Write([]byte(text)) }})
	require.NoError(t, err)
	f.q = f.queue(0)
	return f
}

func (f *fixture) queue(properties uint64) *opencl.Queue {
	q, err := f.c.NewQueue(f.p.Device(), properties, nil)
	require.NoError(f, err)
	return q
}

func (f *fixture) buffer(size int) *opencl.Mem {
	m, err := f.c.NewBuffer(nil, 0, size, nil)
	require.NoError(f, err)
	return m
}

func (f *fixture) program(source, options string) *opencl.Program {
	p := f.c.NewProgram(source)
	require.NoError(f, p.Build(nil, options, nil))
	return p
}

func (f *fixture) kernel(source, name string, args ...any) *opencl.Kernel {
	k, err := f.program(source, "").NewKernel(name)
	require.NoError(f, err)
	f.set(k, args...)
	return k
}

// set sets arguments: memory objects, samplers, local sizes (int) and values of 32 bits.
func (f *fixture) set(k *opencl.Kernel, args ...any) {
	for i, a := range args {
		require.NoError(f, setArg(k, i, a))
	}
}

func setArg(k *opencl.Kernel, i int, a any) error {
	switch a := a.(type) {
	case opencl.Object:
		handle := uintptr(7)
		return k.SetArg(i, 8, unsafe.Pointer(&handle), func(h uintptr) opencl.Object { return a })
	case int:
		return k.SetArg(i, a, nil, nil)
	case uint32:
		return k.SetArg(i, 4, unsafe.Pointer(&a), nil)
	}
	panic("unknown kind of argument")
}

// run launches a kernel over one dimension and waits.
func (f *fixture) run(k *opencl.Kernel, items int) error {
	e, err := f.q.Launch(k, cl.COMMAND_NDRANGE_KERNEL, 1, nil, []int{items}, nil, nil)
	require.NoError(f, err)
	opencl.Release(e)
	return f.q.Finish()
}

// code requires that err has a code.
func code(t testing.TB, want int, err error) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, want, opencl.CodeOf(err), "%v", err)
}

func pointerTo[T any](s []T) unsafe.Pointer { return unsafe.Pointer(&s[0]) }

func done(t testing.TB, e *opencl.Event, err error) {
	t.Helper()
	require.NoError(t, err)
	require.NoError(t, opencl.WaitFor([]*opencl.Event{e}))
	opencl.Release(e)
}

func numbers(n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = uint32(i)
	}
	return out
}

// TestQueries checks that every query has a result that can be encoded, and that unknown ones are
// errors.
func TestQueries(t *testing.T) {
	f := newFixture(t, opencl.Config{Threads: 3})
	for name := range 0x5000 {
		v, err := f.p.Device().Info(name)
		if err != nil {
			code(t, cl.INVALID_VALUE, err)
			continue
		}
		require.NotPanics(t, func() { opencl.Encode(v) }, "%#x", name)
	}
	for name, want := range map[int]any{
		cl.DEVICE_MAX_COMPUTE_UNITS: uint32(3), cl.DEVICE_TYPE: uint64(cl.DEVICE_TYPE_CPU), cl.DEVICE_PROFILE: "FULL_PROFILE",
		cl.DEVICE_PARENT_DEVICE: (*opencl.Device)(nil), cl.DEVICE_MAX_WORK_ITEM_SIZES: []int{4096, 4096, 4096},
	} {
		v, err := f.p.Device().Info(name)
		require.NoError(t, err)
		require.Equal(t, want, v, "%#x", name)
	}
	require.Equal(t, []byte{'a', 0}, opencl.Encode("a"))
	require.Equal(t, []byte{1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0}, opencl.Encode([]int{1, 2}))
	require.Len(t, opencl.Encode((*opencl.Device)(nil)), 8)
	versions, err := f.p.Info(cl.PLATFORM_EXTENSIONS_WITH_VERSION)
	require.NoError(t, err)
	names, err := f.p.Info(cl.PLATFORM_EXTENSIONS)
	require.NoError(t, err)
	require.Len(t, opencl.Encode(versions), 68*len(strings.Fields(names.(string))))
	code(t, cl.INVALID_VALUE, second(f.p.Info(1)))
	code(t, cl.INVALID_VALUE, second(f.c.Info(1)))
	code(t, cl.INVALID_VALUE, second(f.q.Info(1)))
}

func second[A any](_ A, err error) error { return err }

func TestEnvironment(t *testing.T) {
	env := map[string]string{"SIMTC_DEVICE_THREADS": "5", "SIMTC_LOG": "debug", "SIMTC_TIMEOUT": "2s", "SIMTC_DUMP": "d"}
	var w strings.Builder
	c := opencl.FromEnvironment(func(name string) string { return env[name] }, &w)
	require.Equal(t, opencl.Config{Threads: 5, Timeout: 2 * time.Second, Dump: "d", Log: &w, Debug: true}, c)
	require.Empty(t, w.String())
	for name, value := range map[string]string{"SIMTC_DEVICE_THREADS": "0", "SIMTC_LOG": "all", "SIMTC_TIMEOUT": "x", "SIMTC_TARGET": "z80"} {
		w.Reset()
		c = opencl.FromEnvironment(func(n string) string {
			if n == name {
				return value
			}
			return ""
		}, &w)
		require.Equal(t, opencl.Config{Timeout: 10 * time.Minute}, c)
		require.Contains(t, w.String(), "simtc: "+name+"="+value+" is ignored: ")
	}
}

func TestPartition(t *testing.T) {
	f := newFixture(t, opencl.Config{Threads: 5})
	d := f.p.Device()
	parts, n, err := d.Partition([]int{cl.DEVICE_PARTITION_EQUALLY, 2, 0}, 9, true)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	units := func(d *opencl.Device) any { v, _ := d.Info(cl.DEVICE_MAX_COMPUTE_UNITS); return v }
	require.Equal(t, uint32(2), units(parts[1]))
	parts, _, err = d.Partition([]int{cl.DEVICE_PARTITION_BY_COUNTS, 1, 3, 0, 0}, 2, true)
	require.NoError(t, err)
	require.Equal(t, []any{uint32(1), uint32(3)}, []any{units(parts[0]), units(parts[1])})
	_, n, err = parts[1].Partition([]int{cl.DEVICE_PARTITION_EQUALLY, 1, 0}, 0, false)
	require.NoError(t, err)
	require.Equal(t, 3, n)
	for _, c := range []struct {
		properties []int
		code       int
	}{
		{nil, cl.INVALID_VALUE},
		{[]int{cl.DEVICE_PARTITION_EQUALLY, 0}, cl.INVALID_VALUE},
		{[]int{cl.DEVICE_PARTITION_EQUALLY, 6, 0}, cl.INVALID_DEVICE_PARTITION_COUNT},
		{[]int{cl.DEVICE_PARTITION_EQUALLY, 5, 0}, cl.DEVICE_PARTITION_FAILED},
		{[]int{cl.DEVICE_PARTITION_BY_COUNTS, 4, 2, 0, 0}, cl.INVALID_DEVICE_PARTITION_COUNT},
		{[]int{cl.DEVICE_PARTITION_BY_AFFINITY_DOMAIN, 1, 0}, cl.INVALID_VALUE},
	} {
		code(t, c.code, second2(d.Partition(c.properties, 9, true)))
	}
	code(t, cl.INVALID_VALUE, second2(d.Partition([]int{cl.DEVICE_PARTITION_EQUALLY, 1, 0}, 4, true)))

	// A part runs kernels in a context of its own.
	c, err := f.p.NewContext(parts, opencl.ContextOptions{})
	require.NoError(t, err)
	q, err := c.NewQueue(parts[1], 0, nil)
	require.NoError(t, err)
	code(t, cl.INVALID_DEVICE, second(c.NewQueue(d, 0, nil)))
	m, err := c.NewBuffer(nil, 0, 4000, nil)
	require.NoError(t, err)
	p := c.NewProgram("kernel void f(global uint *p) { p[get_global_id(0)] = get_global_id(0); }")
	require.NoError(t, p.Build(nil, "", nil))
	k, err := p.NewKernel("f")
	require.NoError(t, err)
	f.set(k, m)
	e, err := q.Launch(k, cl.COMMAND_NDRANGE_KERNEL, 1, nil, []int{1000}, nil, nil)
	done(t, e, err)
	out := make([]uint32, 1000)
	e, err = q.Read(m, true, 0, 4000, pointerTo(out), nil)
	done(t, e, err)
	require.Equal(t, numbers(1000), out)
}

func second2[A, B any](_ A, _ B, err error) error { return err }

func TestBuffers(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	host := numbers(256)
	m, err := f.c.NewBuffer(nil, cl.MEM_COPY_HOST_PTR, 1024, pointerTo(host))
	require.NoError(t, err)
	out := make([]uint32, 256)
	read := func(m *opencl.Mem) []uint32 {
		e, err := f.q.Read(m, true, 0, len(m.Data()), pointerTo(out), nil)
		done(t, e, err)
		return out[:len(m.Data())/4]
	}
	require.Equal(t, host, read(m))

	shared, err := f.c.NewBuffer(nil, cl.MEM_USE_HOST_PTR, 1024, pointerTo(host))
	require.NoError(t, err)
	p, e, err := f.q.Map(shared, true, cl.MAP_READ|cl.MAP_WRITE, 16, 8, nil)
	done(t, e, err)
	require.Equal(t, unsafe.Pointer(&host[4]), p)
	require.Equal(t, uint32(1), first(shared.Info(cl.MEM_MAP_COUNT)))
	code(t, cl.INVALID_VALUE, second(f.q.Unmap(shared, unsafe.Pointer(&host[0]), nil)))
	e, err = f.q.Unmap(shared, p, nil)
	done(t, e, err)
	code(t, cl.INVALID_VALUE, second(f.q.Unmap(shared, p, nil)))

	e, err = f.q.Fill(m, []byte{1, 2, 3, 4}, 8, 16, nil)
	done(t, e, err)
	want := numbers(256)
	for i := 2; i < 6; i++ {
		want[i] = 0x04030201
	}
	require.Equal(t, want, read(m))

	e, err = f.q.Write(m, false, 0, 1024, pointerTo(host), nil)
	done(t, e, err)
	e, err = f.q.Copy(m, m, 0, 512, 512, nil)
	done(t, e, err)
	require.Equal(t, host[:128], read(m)[128:])
	code(t, cl.MEM_COPY_OVERLAP, second(f.q.Copy(m, m, 0, 500, 512, nil)))

	// Rows 1 and 2 of 4 bytes of a matrix of 8 rows of 32 bytes, into a dense one.
	m2 := f.buffer(64)
	e, err = f.q.CopyRect(m, m2, opencl.Rect{Origin: [3]int{4, 1, 0}, Row: 32}, opencl.Rect{}, [3]int{4, 2, 1}, nil)
	done(t, e, err)
	require.Equal(t, []uint32{9, 17}, read(m2)[:2])
	e, err = f.q.ReadRect(m, true, opencl.Rect{Origin: [3]int{8, 0, 1}, Row: 16, Slice: 64}, opencl.Rect{Row: 8}, [3]int{4, 3, 2}, pointerTo(out), nil)
	done(t, e, err)
	require.Equal(t, []uint32{18, 22, 26, 34, 38, 42}, []uint32{out[0], out[2], out[4], out[6], out[8], out[10]})
	e, err = f.q.WriteRect(m2, true, opencl.Rect{Row: 16}, opencl.Rect{}, [3]int{4, 2, 1}, pointerTo([]uint32{100, 101}), nil)
	done(t, e, err)
	require.Equal(t, []uint32{100, 101}, []uint32{read(m2)[0], read(m2)[4]})
	code(t, cl.MEM_COPY_OVERLAP, second(f.q.CopyRect(m, m, opencl.Rect{Row: 32}, opencl.Rect{Origin: [3]int{4, 0, 0}, Row: 32}, [3]int{8, 2, 1}, nil)))
	e, err = f.q.CopyRect(m, m, opencl.Rect{Row: 32}, opencl.Rect{Origin: [3]int{8, 0, 0}, Row: 32}, [3]int{8, 2, 1}, nil)
	done(t, e, err)

	sub, err := m.SubBuffer(0, 128, 256)
	require.NoError(t, err)
	require.Equal(t, uint32(32), read(sub)[0])
	require.Equal(t, m, first(sub.Info(cl.MEM_ASSOCIATED_MEMOBJECT)))
	require.Equal(t, 128, first(sub.Info(cl.MEM_OFFSET)))
	code(t, cl.MISALIGNED_SUB_BUFFER_OFFSET, second(m.SubBuffer(0, 4, 4)))
	code(t, cl.INVALID_VALUE, second(m.SubBuffer(0, 128, 1024)))
	code(t, cl.INVALID_MEM_OBJECT, second(sub.SubBuffer(0, 0, 4)))
	code(t, cl.INVALID_BUFFER_SIZE, second(m.SubBuffer(0, 0, 0)))

	var order []string
	m.OnDestroy(func() { order = append(order, "first") })
	m.OnDestroy(func() { order = append(order, "last") })
	require.Zero(t, opencl.Release(m))
	require.Empty(t, order, "the sub-buffer uses it")
	opencl.Release(sub)
	require.Equal(t, []string{"last", "first"}, order)
	code(t, cl.INVALID_MEM_OBJECT, second(f.q.Read(m, true, 0, 4, pointerTo(out), nil)))

	for _, c := range []struct {
		flags uint64
		size  int
		host  unsafe.Pointer
		code  int
	}{
		{0, 0, nil, cl.INVALID_BUFFER_SIZE},
		{0, math.MaxInt, nil, cl.INVALID_BUFFER_SIZE},
		{0, 4, pointerTo(host), cl.INVALID_HOST_PTR},
		{cl.MEM_USE_HOST_PTR, 4, nil, cl.INVALID_HOST_PTR},
		{cl.MEM_USE_HOST_PTR | cl.MEM_ALLOC_HOST_PTR, 4, pointerTo(host), cl.INVALID_VALUE},
		{cl.MEM_READ_ONLY | cl.MEM_WRITE_ONLY, 4, nil, cl.INVALID_VALUE},
		{1 << 40, 4, nil, cl.INVALID_VALUE},
	} {
		code(t, c.code, second(f.c.NewBuffer(nil, c.flags, c.size, c.host)))
	}
	code(t, cl.INVALID_PROPERTY, second(f.c.NewBuffer([]uint64{1, 1, 0}, 0, 4, nil)))
	secret, err := f.c.NewBuffer(nil, cl.MEM_HOST_NO_ACCESS, 64, nil)
	require.NoError(t, err)
	code(t, cl.INVALID_OPERATION, second(f.q.Read(secret, true, 0, 4, pointerTo(out), nil)))
	code(t, cl.INVALID_OPERATION, second(f.q.Write(secret, true, 0, 4, pointerTo(out), nil)))
	code(t, cl.INVALID_OPERATION, second2(f.q.Map(secret, true, cl.MAP_READ, 0, 4, nil)))
	code(t, cl.INVALID_VALUE, second(f.q.Read(m2, true, 60, 8, pointerTo(out), nil)))
	code(t, cl.INVALID_VALUE, second(f.q.Fill(m2, []byte{1, 2, 3}, 0, 6, nil)))
	code(t, cl.INVALID_VALUE, second(f.q.ReadRect(m2, true, opencl.Rect{Row: 3}, opencl.Rect{}, [3]int{4, 1, 1}, pointerTo(out), nil)))
	code(t, cl.INVALID_VALUE, second(f.q.Migrate(nil, 0, nil)))
	e, err = f.q.Migrate([]*opencl.Mem{m2}, cl.MIGRATE_MEM_OBJECT_HOST, nil)
	done(t, e, err)
	other := newFixture(t, opencl.Config{})
	code(t, cl.INVALID_CONTEXT, second(other.q.Read(m2, true, 0, 4, pointerTo(out), nil)))
}

func first[A any](a A, _ error) A { return a }

func TestEvents(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	q := f.queue(cl.QUEUE_PROFILING_ENABLE)
	m := f.buffer(64)
	user := f.c.NewUserEvent()
	gate, err := f.queue(0).Fill(m, []byte{1}, 0, 64, []*opencl.Event{user})
	require.NoError(t, err)
	e, err := q.Fill(m, []byte{2}, 0, 32, []*opencl.Event{gate})
	require.NoError(t, err)
	statuses := make(chan int, 9)
	for _, s := range []int{cl.SUBMITTED, cl.RUNNING, cl.COMPLETE} {
		require.NoError(t, e.OnStatus(s, func(status int) { statuses <- status }))
	}
	q.Flush()
	time.Sleep(time.Millisecond)
	require.Equal(t, int32(cl.QUEUED), first(e.Info(cl.EVENT_COMMAND_EXECUTION_STATUS)))
	code(t, cl.PROFILING_INFO_NOT_AVAILABLE, second(e.Profile(cl.PROFILING_COMMAND_END)))
	require.NoError(t, user.SetStatus(cl.COMPLETE))
	require.NoError(t, opencl.WaitFor([]*opencl.Event{e}))
	require.Equal(t, byte(2), m.Data()[0])
	require.Equal(t, byte(1), m.Data()[63])
	seen := map[int]bool{<-statuses: true, <-statuses: true, <-statuses: true}
	require.Len(t, seen, 3)
	code(t, cl.INVALID_OPERATION, user.SetStatus(cl.COMPLETE))
	code(t, cl.INVALID_EVENT, e.SetStatus(cl.COMPLETE))
	code(t, cl.INVALID_VALUE, f.c.NewUserEvent().SetStatus(1))
	code(t, cl.INVALID_VALUE, e.OnStatus(cl.QUEUED, nil))
	last := uint64(0)
	for name := cl.PROFILING_COMMAND_QUEUED; name <= cl.PROFILING_COMMAND_COMPLETE; name++ {
		at := first(e.Profile(name)).(uint64)
		require.GreaterOrEqual(t, at, last)
		last = at
	}
	code(t, cl.PROFILING_INFO_NOT_AVAILABLE, second(gate.Profile(cl.PROFILING_COMMAND_END)))

	// A failed event fails what waits for it, and calls the callbacks.
	bad := f.c.NewUserEvent()
	e, err = f.q.Fill(m, []byte{9}, 0, 64, []*opencl.Event{bad})
	require.NoError(t, err)
	require.NoError(t, e.OnStatus(cl.COMPLETE, func(status int) { statuses <- status }))
	after, err := f.q.Marker(false, nil)
	require.NoError(t, err)
	require.NoError(t, bad.SetStatus(-77))
	code(t, cl.EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, opencl.WaitFor([]*opencl.Event{e}))
	require.Equal(t, cl.EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, <-statuses)
	require.NoError(t, opencl.WaitFor([]*opencl.Event{after}), "the order of a queue passes no failure on")
	require.Equal(t, byte(2), m.Data()[0])
	code(t, cl.EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, second(f.q.Read(m, true, 0, 1, pointerTo(m.Data()[32:]), []*opencl.Event{bad})))
	require.NoError(t, f.q.Finish())

	other := newFixture(t, opencl.Config{})
	code(t, cl.INVALID_CONTEXT, second(other.q.Marker(false, []*opencl.Event{bad})))
	code(t, cl.INVALID_CONTEXT, opencl.WaitFor([]*opencl.Event{e, other.c.NewUserEvent()}))
	code(t, cl.INVALID_VALUE, opencl.WaitFor(nil))
	code(t, cl.INVALID_VALUE, second(f.c.NewQueue(f.p.Device(), 1<<20, nil)))
	code(t, cl.INVALID_QUEUE_PROPERTIES, second(f.c.NewQueue(f.p.Device(), cl.QUEUE_ON_DEVICE|cl.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, nil)))
}

// TestProgress checks that commands run although nobody waits or flushes, and that independent
// commands of an out-of-order queue run at once.
func TestProgress(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	ran := make(chan bool)
	e, err := f.q.Native(func() { ran <- true }, nil, nil)
	require.NoError(t, err)
	<-ran
	done(t, e, nil)

	q := f.queue(cl.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
	meet := make(chan bool)
	one, err := q.Native(func() { meet <- true }, nil, nil)
	require.NoError(t, err)
	two, err := q.Native(func() { <-meet }, nil, nil)
	require.NoError(t, err)
	late := false
	barrier, err := q.Marker(true, nil)
	require.NoError(t, err)
	after, err := q.Native(func() { late = true }, nil, nil)
	require.NoError(t, err)
	require.NoError(t, opencl.WaitFor([]*opencl.Event{barrier, one, two, after}))
	require.True(t, late)
	require.NoError(t, q.Finish())
}

func TestKernels(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	m := f.buffer(4000)
	k := f.kernel(`kernel void f(global uint *p, uint n, local uint *l) {
  l[get_local_id(0)] = n;
  barrier(CLK_LOCAL_MEM_FENCE);
  p[get_global_id(0) - get_global_offset(0)] = get_global_id(0) * l[0];
}`, "f")
	code(t, cl.INVALID_KERNEL_ARGS, second(f.q.Launch(k, cl.COMMAND_NDRANGE_KERNEL, 1, nil, []int{1000}, nil, nil)))
	f.set(k, m, uint32(3), 4096)
	e, err := f.q.Launch(k, cl.COMMAND_NDRANGE_KERNEL, 1, []int{5}, []int{1000}, []int{100}, nil)
	done(t, e, err)
	for i := range 1000 {
		require.Equal(t, uint32(3*(i+5)), binary.LittleEndian.Uint32(m.Data()[4*i:]))
	}
	c := k.Clone()
	f.set(k, m, uint32(4))
	require.NoError(t, f.run(c, 8))
	require.Equal(t, byte(3*7), m.Data()[28])

	for _, x := range []struct {
		code                  int
		dims                  int
		offset, global, local []int
	}{
		{cl.INVALID_WORK_DIMENSION, 4, nil, []int{1, 1, 1, 1}, nil},
		{cl.INVALID_WORK_DIMENSION, 0, nil, nil, nil},
		{cl.INVALID_WORK_GROUP_SIZE, 1, nil, []int{10}, []int{3}},
		{cl.INVALID_WORK_GROUP_SIZE, 1, nil, []int{10}, []int{0}},
		{cl.INVALID_WORK_ITEM_SIZE, 1, nil, []int{10000}, []int{10000}},
		{cl.INVALID_WORK_GROUP_SIZE, 2, nil, []int{128, 128}, []int{128, 128}},
		{cl.INVALID_GLOBAL_OFFSET, 1, []int{-1}, []int{10}, nil},
		{cl.INVALID_GLOBAL_WORK_SIZE, 1, nil, []int{-1}, nil},
	} {
		code(t, x.code, second(f.q.Launch(k, cl.COMMAND_NDRANGE_KERNEL, x.dims, x.offset, x.global, x.local, nil)))
	}
	local, err := k.SuggestLocal(1, nil, []int{1000})
	require.NoError(t, err)
	require.Zero(t, 1000%local[0])

	v := uint32(1)
	set := func(i, size int, p unsafe.Pointer) error {
		return k.SetArg(i, size, p, func(uintptr) opencl.Object { return nil })
	}
	code(t, cl.INVALID_ARG_INDEX, set(3, 4, unsafe.Pointer(&v)))
	code(t, cl.INVALID_ARG_SIZE, set(1, 8, unsafe.Pointer(&v)))
	code(t, cl.INVALID_ARG_VALUE, set(1, 4, nil))
	code(t, cl.INVALID_ARG_SIZE, set(0, 4, unsafe.Pointer(&v)))
	code(t, cl.INVALID_ARG_SIZE, set(2, 0, nil))
	code(t, cl.INVALID_ARG_VALUE, set(2, 4, unsafe.Pointer(&v)))
	handle := uintptr(1)
	code(t, cl.INVALID_MEM_OBJECT, set(0, 8, unsafe.Pointer(&handle)))
	null := uintptr(0)
	require.NoError(t, set(0, 8, unsafe.Pointer(&null)))

	// A vector of 3 components may come without the unused fourth.
	three := f.kernel("kernel void v(global int *p, int3 v, short3 w, char4 x) { p[0] = v.x + v.y * 10 + v.z * 100; p[1] = w.x - w.z; }", "v", m)
	numbers := [4]int32{1, 2, 3, 4}
	shorts := [4]int16{9, 0, 5, 7}
	for _, size := range []int{12, 16} {
		require.NoError(t, three.SetArg(1, size, unsafe.Pointer(&numbers), nil))
		require.NoError(t, three.SetArg(2, size/2, unsafe.Pointer(&shorts), nil))
		require.NoError(t, three.SetArg(3, 4, unsafe.Pointer(&numbers), nil))
		require.NoError(t, f.run(three, 1))
		require.Equal(t, []uint32{321, 4}, []uint32{binary.LittleEndian.Uint32(m.Data()), binary.LittleEndian.Uint32(m.Data()[4:])})
	}
	code(t, cl.INVALID_ARG_SIZE, three.SetArg(1, 8, unsafe.Pointer(&numbers), nil))
	code(t, cl.INVALID_ARG_SIZE, three.SetArg(3, 3, unsafe.Pointer(&numbers), nil))

	text := `kernel __attribute__((reqd_work_group_size(8, 1, 1))) void g(global const float4 *restrict a, constant int *c,
    volatile global uchar *v, local int *l, read_only image2d_t r, write_only image3d_t w, sampler_t s, uint n) { }`
	g := f.kernel(text, "g")
	for i, want := range []struct {
		typ     string
		address uint32
		access  uint32
		bits    uint64
	}{
		{"float4*", cl.KERNEL_ARG_ADDRESS_GLOBAL, cl.KERNEL_ARG_ACCESS_NONE, cl.KERNEL_ARG_TYPE_CONST | cl.KERNEL_ARG_TYPE_RESTRICT},
		{"int*", cl.KERNEL_ARG_ADDRESS_CONSTANT, cl.KERNEL_ARG_ACCESS_NONE, cl.KERNEL_ARG_TYPE_CONST},
		{"uchar*", cl.KERNEL_ARG_ADDRESS_GLOBAL, cl.KERNEL_ARG_ACCESS_NONE, cl.KERNEL_ARG_TYPE_VOLATILE},
		{"int*", cl.KERNEL_ARG_ADDRESS_LOCAL, cl.KERNEL_ARG_ACCESS_NONE, 0},
		{"image2d_t", cl.KERNEL_ARG_ADDRESS_GLOBAL, cl.KERNEL_ARG_ACCESS_READ_ONLY, 0},
		{"image3d_t", cl.KERNEL_ARG_ADDRESS_GLOBAL, cl.KERNEL_ARG_ACCESS_WRITE_ONLY, 0},
		{"sampler_t", cl.KERNEL_ARG_ADDRESS_PRIVATE, cl.KERNEL_ARG_ACCESS_NONE, 0},
		{"uint", cl.KERNEL_ARG_ADDRESS_PRIVATE, cl.KERNEL_ARG_ACCESS_NONE, 0},
	} {
		require.Equal(t, []any{want.typ, want.address, want.access, want.bits}, []any{
			first(g.ArgInfo(i, cl.KERNEL_ARG_TYPE_NAME)), first(g.ArgInfo(i, cl.KERNEL_ARG_ADDRESS_QUALIFIER)),
			first(g.ArgInfo(i, cl.KERNEL_ARG_ACCESS_QUALIFIER)), first(g.ArgInfo(i, cl.KERNEL_ARG_TYPE_QUALIFIER)),
		})
	}
	require.Equal(t, "a", first(g.ArgInfo(0, cl.KERNEL_ARG_NAME)))
	require.Equal(t, "reqd_work_group_size(8,1,1)", first(g.Info(cl.KERNEL_ATTRIBUTES)))
	require.Equal(t, [3]int{8, 1, 1}, first(g.GroupInfo(nil, cl.KERNEL_COMPILE_WORK_GROUP_SIZE)))
	require.Equal(t, uint64(4096), first(c.GroupInfo(nil, cl.KERNEL_LOCAL_MEM_SIZE)))
	for _, name := range []int{cl.KERNEL_WORK_GROUP_SIZE, cl.KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, cl.KERNEL_PRIVATE_MEM_SIZE} {
		require.NoError(t, second(k.GroupInfo(f.p.Device(), name)))
	}
	code(t, cl.INVALID_VALUE, second(k.GroupInfo(nil, cl.KERNEL_GLOBAL_WORK_SIZE)))
	code(t, cl.INVALID_ARG_INDEX, second(k.ArgInfo(9, cl.KERNEL_ARG_NAME)))

	s := f.kernel(`kernel void s(global uint *p) { p[get_global_id(0)] = sub_group_reduce_add(1) + 1000 * get_num_sub_groups(); }`, "s", m)
	w := first(s.SubGroupInfo(nil, cl.KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, []int{64}, 1)).(int)
	n := first(s.SubGroupInfo(nil, cl.KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, []int{64}, 1)).(int)
	e, err = f.q.Launch(s, cl.COMMAND_NDRANGE_KERNEL, 1, nil, []int{64}, []int{64}, nil)
	done(t, e, err)
	require.Equal(t, uint32(w+1000*n), binary.LittleEndian.Uint32(m.Data()))
	require.Len(t, first(s.SubGroupInfo(nil, cl.KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, []int{2}, 3)), 3)
	code(t, cl.INVALID_VALUE, second(s.SubGroupInfo(nil, cl.KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, nil, 1)))
}

// TestNonUniform checks that work-groups need not divide the range from OpenCL C 2.0 on.
func TestNonUniform(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	m := f.buffer(40)
	k, err := f.program("kernel void f(global uint *p) { p[get_global_id(0)] = get_local_size(0); }", "-cl-std=CL2.0").NewKernel("f")
	require.NoError(t, err)
	f.set(k, m)
	e, err := f.q.Launch(k, cl.COMMAND_NDRANGE_KERNEL, 1, nil, []int{10}, []int{4}, nil)
	done(t, e, err)
	require.Equal(t, byte(4), m.Data()[0])
	require.Equal(t, byte(2), m.Data()[36])
}

// TestGuest checks that faults and endless kernels are errors, with a message, that further
// commands run, and that output is printed.
func TestGuest(t *testing.T) {
	f := newFixture(t, opencl.Config{Timeout: 300 * time.Millisecond})
	m := f.buffer(64)
	for _, c := range []struct{ source, message string }{
		{"kernel void f(global int *p) { p[get_global_id(0) + 1000] = 1; }", "out of bounds"},
		{"kernel void f(global int *p) { global int *q = (global int *)(ulong)(64 + p[0]); *q = 1; }", "memory fault"},
		{"kernel void f(global int *p) { for (;;) p[0]++; }", "SIMTC_TIMEOUT"},
	} {
		k := f.kernel(c.source, "f", m)
		err := f.run(k, 4)
		code(t, cl.OUT_OF_RESOURCES, err)
		require.Contains(t, f.log.String(), c.message)
		require.NoError(t, f.q.Finish(), "it is reported once")
	}
	require.NoError(t, f.run(f.kernel(`kernel void f(global int *p) { printf("%d;", (int)get_global_id(0)); }`, "f", m), 3))
	require.Equal(t, "0;1;2;", f.out.String())
}

func TestMemoryLimit(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	size := first(f.p.Device().Info(cl.DEVICE_GLOBAL_MEM_SIZE)).(uint64)
	var all []*opencl.Mem
	for range size/(1<<30) + 1 {
		m, err := f.c.NewBuffer(nil, 0, 1<<30, nil) // not touched
		if err != nil {
			code(t, cl.MEM_OBJECT_ALLOCATION_FAILURE, err)
			break
		}
		all = append(all, m)
	}
	require.LessOrEqual(t, uint64(len(all))<<30, size)
	for _, m := range all {
		opencl.Release(m)
	}
	opencl.Release(f.buffer(1 << 30))
}

// TestDumps checks the files that a launch is repeated from.
func TestDumps(t *testing.T) {
	dir := t.TempDir()
	f := newFixture(t, opencl.Config{Dump: dir})
	m := f.buffer(16)
	im, err := f.c.NewImage(nil, 0, rgba8, opencl.ImageDesc{Type: cl.MEM_OBJECT_IMAGE2D, Width: 2, Height: 1}, nil)
	require.NoError(t, err)
	s, err := f.c.NewSampler(true, cl.ADDRESS_REPEAT, cl.FILTER_LINEAR, nil)
	require.NoError(t, err)
	e, err := f.q.Fill(m, []byte{5}, 0, 16, nil)
	done(t, e, err)
	const text = "kernel void f(global uint *p, uint n, local int *l, read_only image2d_t im, sampler_t s) { p[get_global_id(0)] = n; }"
	k, err := f.program(text, "-D X=1").NewKernel("f")
	require.NoError(t, err)
	f.set(k, m, uint32(258), 64, im, s)
	require.NoError(t, f.run(k, 4))
	dir = filepath.Join(dir, "000001-f")
	command, err := os.ReadFile(filepath.Join(dir, "command"))
	require.NoError(t, err)
	require.Equal(t, `{}/kernel1.cl -I {}/include -k f -g 4 -l 4 --offset 0 --cl-options -D X=1 -- `+
		`b:uint:4:file,{}/arg0.bin bytes:02010000 local:64 image2d:rgba,uint8:2x1:file,{}/arg3.bin sampler:linear,repeat,normalized `,
		strings.ReplaceAll(string(command), "\n", " "))
	for name, want := range map[string]string{"kernel1.cl": text, "arg0.bin": strings.Repeat("\x05", 16), "arg3.bin": strings.Repeat("\x00", 8)} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
}

// TestSmallBuffers checks that memory of small buffers is zeroed, aligned and not shared.
func TestSmallBuffers(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	var all []*opencl.Mem
	for round := range 3 {
		for i := range 400 {
			m := f.buffer(1 + i*41)
			require.Zero(t, uintptr(pointerTo(m.Data()))%128)
			require.Equal(t, make([]byte, len(m.Data())), m.Data())
			for k := range m.Data() {
				m.Data()[k] = byte(round*100 + i)
			}
			all = append(all, m)
		}
		for i, m := range all {
			require.Equal(t, bytes.Repeat([]byte{byte(round*100 + i)}, len(m.Data())), m.Data())
			opencl.Release(m)
		}
		all = nil
	}
}

// TestReadsPastTheEnd runs kernels that read after the end of a buffer, which other devices run:
// the values that are needed must be right. Writes are errors, and so are reads of memory that the
// process does not have.
func TestReadsPastTheEnd(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	for _, size := range []int{64, 16 << 10, 64 << 10} {
		m, out := f.buffer(size), f.buffer(size)
		n := size / 4
		for i := range m.Data() {
			m.Data()[i] = byte(i)
		}
		// The sum of two neighbours, of which the last work-item discards one.
		k := f.kernel("kernel void k(global const int *in, global int *out, uint n) { uint i = get_global_id(0); int a = in[i], b = in[i + 1]; out[i] = i + 1 < n ? a + b : a; }", "k", m, out, uint32(n))
		require.NoError(t, f.run(k, n))
		last, before := binary.LittleEndian.Uint32(m.Data()[size-4:]), binary.LittleEndian.Uint32(m.Data()[size-8:])
		require.Equal(t, last, binary.LittleEndian.Uint32(out.Data()[size-4:]))
		require.Equal(t, last+before, binary.LittleEndian.Uint32(out.Data()[size-8:]))
		// A vector that ends after the buffer.
		k = f.kernel("kernel void k(global const int *in, global int *out, uint n) { out[0] = vload4(0, in + n - 1).x; }", "k", m, out, uint32(n))
		require.NoError(t, f.run(k, 1))
		require.Equal(t, last, binary.LittleEndian.Uint32(out.Data()))
		k = f.kernel("kernel void k(global const int *in, global int *out, uint n) { out[n] = in[0]; }", "k", m, out, uint32(n))
		code(t, cl.OUT_OF_RESOURCES, f.run(k, 1))
		require.Contains(t, f.log.String(), "write of 4 bytes out of bounds")
	}
	if simtc.Available(simtc.AVX2) == nil {
		k := f.kernel("kernel void k(global const int *in, global int *out) { out[0] = in[-(1l << 44)]; }", "k", f.buffer(64), f.buffer(64))
		code(t, cl.OUT_OF_RESOURCES, f.run(k, 1))
		require.Contains(t, f.log.String(), "memory fault")
	}
}
