//go:build cgo

package main

import (
	"encoding/binary"
	"io"
	"maps"
	"unsafe"

	"github.com/simtc/simtc/opencl"
	"github.com/simtc/simtc/opencl/cl"
)

// handlers are the functions that the driver supports, by name: those of platforms, devices and
// contexts here, others in further files.
var handlers = func() map[string]any {
	out := map[string]any{}
	for _, h := range []map[string]any{systemCalls, memoryCalls, programCalls, queueCalls, transferCalls, sharedCalls} {
		maps.Copy(out, h)
	}
	return out
}()

// releasing returns the handlers that retain and release objects.
func releasing[T opencl.Object](of func(uint64) (T, error)) (retain, release func(a args) error) {
	retain = func(a args) error {
		o, err := of(a[0])
		if err == nil {
			opencl.Retain(o)
		}
		return err
	}
	release = func(a args) error {
		o, err := of(a[0])
		if err == nil {
			handles.release(o)
		}
		return err
	}
	return retain, release
}

// query returns the handler of a query whose first parameter is the object.
func query[T opencl.Object](of func(uint64) (T, error), info func(o T, name int) (any, error)) func(a args) error {
	return func(a args) error {
		o, err := of(a[0])
		if err != nil {
			return err
		}
		v, err := info(o, a.num(1))
		return a.answer(2, v, err)
	}
}

var (
	retainContext, releaseContext = releasing(contextOf)
	retainQueue, releaseQueue     = releasing(queueOf)
	retainMem, releaseMem         = releasing(memOf)
	retainSampler, releaseSampler = releasing(samplerOf)
	retainProgram, releaseProgram = releasing(programOf)
	retainKernel, releaseKernel   = releasing(kernelOf)
	retainEvent, releaseEvent     = releasing(eventOf)
)

// ofDevice returns a handler for a device that does nothing for the root device, which is always
// there.
func ofDevice(f func(d *opencl.Device)) func(a args) error {
	return func(a args) error {
		d, err := deviceOf(a[0])
		if err == nil && !d.Root() {
			f(d)
		}
		return err
	}
}

var (
	retainDevice  = ofDevice(func(d *opencl.Device) { opencl.Retain(d) })
	releaseDevice = ofDevice(func(d *opencl.Device) { handles.release(d) })
)

// platformOf returns the platform; null stands for it too.
func platformOf(h uint64) (*opencl.Platform, error) {
	if h == 0 {
		return platform(), nil
	}
	return get[*opencl.Platform](h, cl.INVALID_PLATFORM)
}

var systemCalls = map[string]any{
	"clGetPlatformIDs":       getPlatforms,
	"clIcdGetPlatformIDsKHR": getPlatforms,
	"clGetPlatformInfo":      query(platformOf, (*opencl.Platform).Info),
	"clGetDeviceIDs":         getDevices,
	"clGetDeviceInfo":        query(deviceOf, (*opencl.Device).Info),
	"clCreateSubDevices":     createSubDevices,
	"clRetainDevice":         retainDevice,
	"clReleaseDevice":        releaseDevice,
	"clUnloadPlatformCompiler": func(a args) error {
		_, err := get[*opencl.Platform](a[0], cl.INVALID_PLATFORM)
		return err
	},
	"clUnloadCompiler": func(args) error { return nil },

	"clCreateContext": func(a args) (uintptr, error) {
		devices, err := all[*opencl.Device](a.num(1), a.ptr(2), cl.INVALID_DEVICE)
		if err == nil && len(devices) == 0 {
			err = wrong(cl.INVALID_VALUE, "no devices")
		}
		if err != nil {
			return 0, err
		}
		return createContext(devices, pairs(a.ptr(0)), a.ptr(0) != nil, uintptr(a[3]), a[4])
	},
	"clCreateContextFromType": func(a args) (uintptr, error) {
		ok, err := hasType(a[1])
		if err == nil && !ok {
			err = wrong(cl.DEVICE_NOT_FOUND, "no device of type %#x", a[1])
		}
		if err != nil {
			return 0, err
		}
		return createContext([]*opencl.Device{platform().Device()}, pairs(a.ptr(0)), a.ptr(0) != nil, uintptr(a[2]), a[3])
	},
	"clRetainContext":  retainContext,
	"clReleaseContext": releaseContext,
	"clGetContextInfo": query(contextOf, (*opencl.Context).Info),
	"clSetContextDestructorCallback": func(a args) error {
		c, err := contextOf(a[0])
		if err != nil {
			return err
		}
		f, data := a.callback(1)
		if f == 0 {
			return wrong(cl.INVALID_VALUE, "no callback")
		}
		c.OnDestroy(func() { invoke(f, a0(c), data) })
		return nil
	},
	"clGetDeviceAndHostTimer": func(a args) error {
		if _, err := deviceOf(a[0]); err != nil {
			return err
		}
		if a[1] == 0 || a[2] == 0 {
			return wrong(cl.INVALID_VALUE, "a null pointer")
		}
		device, host := platform().Timers()
		put(a.ptr(1), device)
		put(a.ptr(2), host)
		return nil
	},
	"clGetHostTimer": func(a args) error {
		if _, err := deviceOf(a[0]); err != nil {
			return err
		}
		if a[1] == 0 {
			return wrong(cl.INVALID_VALUE, "a null pointer")
		}
		_, host := platform().Timers()
		put(a.ptr(1), host)
		return nil
	},
	"clSetDefaultDeviceCommandQueue": func(a args) error {
		if _, err := contextOf(a[0]); err != nil {
			return err
		}
		if _, err := deviceOf(a[1]); err != nil {
			return err
		}
		return wrong(cl.INVALID_OPERATION, "the device has no queues of its own")
	},
	// Functions of C return addresses; these handlers only mark them as supported.
	"clGetExtensionFunctionAddress":            func(args) uintptr { return 0 },
	"clGetExtensionFunctionAddressForPlatform": func(args) uintptr { return 0 },
}

// a0 returns the handle of an object as a word.
func a0(o opencl.Object) uint64 { return uint64(opencl.Handle(o)) }

// list writes objects as the functions do that return several: entries is the room in the array
// at out, and the number goes to count.
func list[T opencl.Object](objects []T, entries int, out, count unsafe.Pointer) {
	for i, o := range objects {
		if out != nil && i < entries {
			put(unsafe.Add(out, 8*i), opencl.Handle(o))
		}
	}
	put(count, uint32(len(objects)))
}

func getPlatforms(a args) error {
	if a.num(0) == 0 && a[1] != 0 || a[1] == 0 && a[2] == 0 {
		return wrong(cl.INVALID_VALUE, "no room for platforms")
	}
	list([]*opencl.Platform{platform()}, a.num(0), a.ptr(1), a.ptr(2))
	return nil
}

// hasType reports whether the device has one of the types.
func hasType(types uint64) (bool, error) {
	const known = cl.DEVICE_TYPE_DEFAULT | cl.DEVICE_TYPE_CPU | cl.DEVICE_TYPE_GPU | cl.DEVICE_TYPE_ACCELERATOR | cl.DEVICE_TYPE_CUSTOM
	if types != cl.DEVICE_TYPE_ALL && (types&^known != 0 || types == 0) {
		return false, wrong(cl.INVALID_DEVICE_TYPE, "unknown device type %#x", types)
	}
	return types&(cl.DEVICE_TYPE_DEFAULT|cl.DEVICE_TYPE_CPU) != 0, nil
}

func getDevices(a args) error {
	p, err := platformOf(a[0])
	if err != nil {
		return err
	}
	ok, err := hasType(a[1])
	switch {
	case err != nil:
		return err
	case a.num(2) == 0 && a[3] != 0 || a[3] == 0 && a[4] == 0:
		return wrong(cl.INVALID_VALUE, "no room for devices")
	case !ok:
		put(a.ptr(4), uint32(0))
		return wrong(cl.DEVICE_NOT_FOUND, "no device of type %#x", a[1])
	}
	list([]*opencl.Device{p.Device()}, a.num(2), a.ptr(3), a.ptr(4))
	return nil
}

func createSubDevices(a args) error {
	d, err := deviceOf(a[0])
	if err != nil {
		return err
	}
	if a[3] != 0 && a.num(2) == 0 {
		return wrong(cl.INVALID_VALUE, "no room for devices")
	}
	var by []int
	for _, w := range properties(a.ptr(1)) {
		by = append(by, int(w))
	}
	if len(by) > 0 && by[0] == cl.DEVICE_PARTITION_BY_COUNTS {
		by = append(by, 0) // its list of counts ends with 0, too
	}
	parts, n, err := d.Partition(by, a.num(2), a[3] != 0)
	if err != nil {
		return err
	}
	for _, p := range parts {
		handles.add(p)
	}
	list(parts, a.num(2), a.ptr(3), nil)
	put(a.ptr(4), uint32(n))
	return nil
}

// printer is a callback for the output of kernels (cl_arm_printf): it gets the text, its length,
// whether it is complete, and the user data of the context.
type printer struct {
	f    uintptr
	data uint64
}

func (p printer) Write(b []byte) (int, error) {
	withText(string(b), func(t uint64) { invoke(p.f, t, uint64(len(b)), 1, p.data) })
	return len(b), nil
}

const (
	contextPrintf       = 0x40B0 // CL_PRINTF_CALLBACK_ARM
	contextPrintfBuffer = 0x40B1 // CL_PRINTF_BUFFERSIZE_ARM
)

func createContext(devices []*opencl.Device, properties []uint64, given bool, notify uintptr, data uint64) (uintptr, error) {
	o := opencl.ContextOptions{}
	if !given {
		o.Properties = []int{}
	}
	seen := map[uint64]bool{}
	var output io.Writer
	for i, w := range properties {
		o.Properties = append(o.Properties, int(w))
		if i%2 == 1 || w == 0 {
			continue
		}
		value := properties[i+1]
		switch {
		case seen[w]:
			return 0, wrong(cl.INVALID_PROPERTY, "property %#x twice", w)
		case w == cl.CONTEXT_PLATFORM:
			if _, err := get[*opencl.Platform](value, cl.INVALID_PLATFORM); err != nil {
				return 0, err
			}
		case w == cl.CONTEXT_INTEROP_USER_SYNC && value <= 1:
		case w == contextPrintf:
			output = printer{uintptr(value), data}
		case w == contextPrintfBuffer:
		default:
			return 0, wrong(cl.INVALID_PROPERTY, "unknown property %#x", w)
		}
		seen[w] = true
	}
	if notify == 0 && data != 0 && output == nil {
		return 0, wrong(cl.INVALID_VALUE, "user data without a callback")
	}
	o.Output = output
	if notify != 0 {
		o.Notify = func(text string) {
			withText(text, func(t uint64) { invoke(notify, t, 0, 0, data) })
		}
	}
	return object(platform().NewContext(devices, o))
}

var memoryCalls = map[string]any{
	"clCreateBuffer": func(a args) (uintptr, error) {
		c, err := contextOf(a[0])
		if err != nil {
			return 0, err
		}
		return object(c.NewBuffer(nil, a[1], a.size(2), a.ptr(3)))
	},
	"clCreateBufferWithProperties": func(a args) (uintptr, error) {
		c, err := contextOf(a[0])
		if err != nil {
			return 0, err
		}
		return object(c.NewBuffer(properties(a.ptr(1)), a[2], a.size(3), a.ptr(4)))
	},
	"clCreateSubBuffer": func(a args) (uintptr, error) {
		m, err := memOf(a[0])
		if err != nil {
			return 0, err
		}
		if a.num(2) != cl.BUFFER_CREATE_TYPE_REGION || a[3] == 0 {
			return 0, wrong(cl.INVALID_VALUE, "type %#x of a part of a buffer", a.num(2))
		}
		region := sizes(a.ptr(3), 2)
		return object(m.SubBuffer(a[1], region[0], region[1]))
	},
	"clCreateImage": func(a args) (uintptr, error) {
		return createImage(a[0], nil, a[1], a.ptr(2), a.ptr(3), a.ptr(4))
	},
	"clCreateImageWithProperties": func(a args) (uintptr, error) {
		return createImage(a[0], properties(a.ptr(1)), a[2], a.ptr(3), a.ptr(4), a.ptr(5))
	},
	"clCreateImage2D": func(a args) (uintptr, error) {
		d := opencl.ImageDesc{Type: cl.MEM_OBJECT_IMAGE2D, Width: a.size(3), Height: a.size(4), Row: a.size(5)}
		return createOldImage(a[0], a[1], a.ptr(2), d, a.ptr(6))
	},
	"clCreateImage3D": func(a args) (uintptr, error) {
		d := opencl.ImageDesc{Type: cl.MEM_OBJECT_IMAGE3D, Width: a.size(3), Height: a.size(4), Depth: a.size(5), Row: a.size(6), Slice: a.size(7)}
		return createOldImage(a[0], a[1], a.ptr(2), d, a.ptr(8))
	},
	"clGetSupportedImageFormats": func(a args) error {
		c, err := contextOf(a[0])
		if err != nil {
			return err
		}
		formats, err := c.ImageFormats(a[1], a.num(2))
		if err != nil {
			return err
		}
		if a[4] != 0 && a.num(3) == 0 {
			return wrong(cl.INVALID_VALUE, "no room for formats")
		}
		for i, f := range formats {
			if a[4] != 0 && i < a.num(3) {
				put(unsafe.Add(a.ptr(4), 8*i), f)
			}
		}
		put(a.ptr(5), uint32(len(formats)))
		return nil
	},
	"clRetainMemObject":  retainMem,
	"clReleaseMemObject": releaseMem,
	"clGetMemObjectInfo": query(memOf, (*opencl.Mem).Info),
	"clGetImageInfo":     query(memOf, (*opencl.Mem).ImageInfo),
	"clSetMemObjectDestructorCallback": func(a args) error {
		m, err := memOf(a[0])
		if err != nil {
			return err
		}
		f, data := a.callback(1)
		if f == 0 {
			return wrong(cl.INVALID_VALUE, "no callback")
		}
		m.OnDestroy(func() { invoke(f, a0(m), data) })
		return nil
	},
	"clCreateSampler": func(a args) (uintptr, error) {
		c, err := contextOf(a[0])
		if err != nil {
			return 0, err
		}
		return object(c.NewSampler(a.flag(1), a.num(2), a.num(3), nil))
	},
	"clCreateSamplerWithProperties": func(a args) (uintptr, error) {
		c, err := contextOf(a[0])
		if err != nil {
			return 0, err
		}
		normalized, addressing, filter := true, cl.ADDRESS_CLAMP, cl.FILTER_NEAREST
		seen := map[uint64]bool{}
		list := pairs(a.ptr(1))
		for i := 0; i+1 < len(list); i += 2 {
			name, value := list[i], list[i+1]
			if seen[name] {
				return 0, wrong(cl.INVALID_VALUE, "property %#x twice", name)
			}
			seen[name] = true
			switch name {
			case cl.SAMPLER_NORMALIZED_COORDS:
				normalized = uint32(value) != 0
			case cl.SAMPLER_ADDRESSING_MODE:
				addressing = int(value)
			case cl.SAMPLER_FILTER_MODE:
				filter = int(value)
			default:
				return 0, wrong(cl.INVALID_VALUE, "unknown property %#x", name)
			}
		}
		return object(c.NewSampler(normalized, addressing, filter, list))
	},
	"clRetainSampler":  retainSampler,
	"clReleaseSampler": releaseSampler,
	"clGetSamplerInfo": query(samplerOf, (*opencl.Sampler).Info),
	"clCreatePipe": func(a args) (uintptr, error) {
		if _, err := contextOf(a[0]); err != nil {
			return 0, err
		}
		return 0, wrong(cl.INVALID_OPERATION, "the device has no pipes")
	},
	"clGetPipeInfo": func(a args) error {
		_, err := memOf(a[0])
		if err == nil {
			err = wrong(cl.INVALID_MEM_OBJECT, "not a pipe")
		}
		return err
	},
}

// formatAt returns the image format at p.
func formatAt(p unsafe.Pointer) (opencl.Format, error) {
	if p == nil {
		return opencl.Format{}, wrong(cl.INVALID_IMAGE_FORMAT_DESCRIPTOR, "no image format")
	}
	return *(*opencl.Format)(p), nil
}

func createImage(context uint64, properties []uint64, flags uint64, format, desc, host unsafe.Pointer) (uintptr, error) {
	c, err := contextOf(context)
	if err != nil {
		return 0, err
	}
	f, err := formatAt(format)
	if err != nil {
		return 0, err
	}
	if desc == nil {
		return 0, wrong(cl.INVALID_IMAGE_DESCRIPTOR, "no description of the image")
	}
	b := unsafe.Slice((*byte)(desc), 72)
	word := func(at int) int { return int(binary.LittleEndian.Uint64(b[at:])) }
	half := func(at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
	d := opencl.ImageDesc{
		Type: half(0), Width: word(8), Height: word(16), Depth: word(24), Layers: word(32), Row: word(40), Slice: word(48),
		Levels: half(56), Samples: half(60),
	}
	if h := word(64); h != 0 {
		if d.Mem, err = get[*opencl.Mem](uint64(h), cl.INVALID_IMAGE_DESCRIPTOR); err != nil {
			return 0, err
		}
	}
	return object(c.NewImage(properties, flags, f, d, host))
}

func createOldImage(context, flags uint64, format unsafe.Pointer, d opencl.ImageDesc, host unsafe.Pointer) (uintptr, error) {
	c, err := contextOf(context)
	if err != nil {
		return 0, err
	}
	f, err := formatAt(format)
	if err != nil {
		return 0, err
	}
	m, err := c.NewImage(nil, flags, f, d, host)
	if opencl.CodeOf(err) == cl.INVALID_IMAGE_DESCRIPTOR {
		err = wrong(cl.INVALID_IMAGE_SIZE, "%v", err)
	}
	return object(m, err)
}
