//go:build cgo

package main

import (
	"strings"
	"unsafe"

	"github.com/simtc/simtc/opencl"
	"github.com/simtc/simtc/opencl/cl"
)

// programCalls are the functions of programs and kernels.
var programCalls = map[string]any{
	"clCreateProgramWithSource": func(a args) (uintptr, error) {
		c, err := contextOf(a[0])
		if err != nil {
			return 0, err
		}
		n := a.num(1)
		if n == 0 || a[2] == 0 {
			return 0, wrong(cl.INVALID_VALUE, "no source")
		}
		var source strings.Builder
		lengths := sizes(a.ptr(3), n)
		for i, w := range words(a.ptr(2), n) {
			if w == 0 {
				return 0, wrong(cl.INVALID_VALUE, "source %d is null", i)
			}
			length := 0
			if lengths != nil {
				length = lengths[i]
			}
			source.WriteString(textOf(pointer(w), length))
		}
		return object(c.NewProgram(strings.TrimRight(source.String(), "\x00")), nil)
	},
	"clCreateProgramWithBinary": createFromBinary,
	"clCreateProgramWithBuiltInKernels": func(a args) (uintptr, error) {
		if _, err := contextOf(a[0]); err != nil {
			return 0, err
		}
		return 0, wrong(cl.INVALID_VALUE, "the device has no built-in kernels")
	},
	"clCreateProgramWithIL": func(a args) (uintptr, error) {
		if _, err := contextOf(a[0]); err != nil {
			return 0, err
		}
		return 0, wrong(cl.INVALID_OPERATION, "the device has no intermediate language")
	},
	"clSetProgramSpecializationConstant": func(a args) error {
		if _, err := programOf(a[0]); err != nil {
			return err
		}
		return wrong(cl.INVALID_OPERATION, "the device has no intermediate language")
	},
	"clSetProgramReleaseCallback": func(a args) error {
		if _, err := programOf(a[0]); err != nil {
			return err
		}
		return wrong(cl.INVALID_OPERATION, "programs have no destructors")
	},
	"clRetainProgram":  retainProgram,
	"clReleaseProgram": releaseProgram,
	"clBuildProgram": func(a args) error {
		p, devices, err := building(a)
		if err != nil {
			return err
		}
		notify, err := notification(a, 4, a0(p))
		if err != nil {
			return err
		}
		return p.Build(devices, options(a.ptr(3)), notify)
	},
	"clCompileProgram": func(a args) error {
		p, devices, err := building(a)
		if err != nil {
			return err
		}
		n := a.num(4)
		if (n == 0) != (a[5] == 0) || (n == 0) != (a[6] == 0) {
			return wrong(cl.INVALID_VALUE, "%d headers", n)
		}
		programs, err := all[*opencl.Program](n, a.ptr(5), cl.INVALID_PROGRAM)
		if err != nil {
			return err
		}
		headers := map[string]*opencl.Program{}
		for i, name := range words(a.ptr(6), n) {
			headers[text(pointer(name))] = programs[i]
		}
		notify, err := notification(a, 7, a0(p))
		if err != nil {
			return err
		}
		return p.Compile(devices, options(a.ptr(3)), headers, notify)
	},
	"clLinkProgram": func(a args) (uintptr, error) {
		c, err := contextOf(a[0])
		if err != nil {
			return 0, err
		}
		if (a.num(1) == 0) != (a[2] == 0) {
			return 0, wrong(cl.INVALID_VALUE, "a list of %d devices", a.num(1))
		}
		devices, err := all[*opencl.Device](a.num(1), a.ptr(2), cl.INVALID_DEVICE)
		if err != nil {
			return 0, err
		}
		programs, err := all[*opencl.Program](a.num(4), a.ptr(5), cl.INVALID_PROGRAM)
		if err != nil {
			return 0, err
		}
		f, data := a.callback(6)
		if f == 0 && data != 0 {
			return 0, wrong(cl.INVALID_VALUE, "user data without a callback")
		}
		var notify func(*opencl.Program)
		known := make(chan struct{}) // closed once the program has its handle
		if f != 0 {
			notify = func(p *opencl.Program) {
				<-known
				invoke(f, a0(p), data)
			}
		}
		p, err := c.Link(devices, options(a.ptr(3)), programs, notify)
		if p == nil {
			return 0, err
		}
		h := handles.add(p)
		close(known)
		return h, err
	},
	"clGetProgramInfo": func(a args) error {
		p, err := programOf(a[0])
		if err != nil {
			return err
		}
		if a.num(1) == cl.PROGRAM_BINARIES {
			return binaries(a, p)
		}
		v, err := p.Info(a.num(1))
		return a.answer(2, v, err)
	},
	"clGetProgramBuildInfo": func(a args) error {
		p, err := programOf(a[0])
		if err != nil {
			return err
		}
		d, err := deviceOf(a[1])
		if err != nil {
			return err
		}
		v, err := p.BuildInfo(d, a.num(2))
		return a.answer(3, v, err)
	},
	"clCreateKernel": func(a args) (uintptr, error) {
		p, err := programOf(a[0])
		if err != nil {
			return 0, err
		}
		if a[1] == 0 {
			return 0, wrong(cl.INVALID_VALUE, "no name")
		}
		return object(p.NewKernel(text(a.ptr(1))))
	},
	"clCreateKernelsInProgram": func(a args) error {
		p, err := programOf(a[0])
		if err != nil {
			return err
		}
		v, err := p.Info(cl.PROGRAM_NUM_KERNELS)
		if err != nil {
			return err
		}
		if a[2] != 0 && a.num(1) < v.(int) {
			return wrong(cl.INVALID_VALUE, "there are %d kernels", v)
		}
		put(a.ptr(3), uint32(v.(int)))
		if a[2] == 0 {
			return nil
		}
		kernels, err := p.NewKernels()
		for _, k := range kernels {
			handles.add(k)
		}
		list(kernels, a.num(1), a.ptr(2), nil)
		return err
	},
	"clCloneKernel": func(a args) (uintptr, error) {
		k, err := kernelOf(a[0])
		if err != nil {
			return 0, err
		}
		return object(k.Clone(), nil)
	},
	"clRetainKernel":  retainKernel,
	"clReleaseKernel": releaseKernel,
	"clSetKernelArg": func(a args) error {
		k, err := kernelOf(a[0])
		if err != nil {
			return err
		}
		return k.SetArg(a.num(1), a.size(2), a.ptr(3), handles.find)
	},
	"clSetKernelArgSVMPointer":      setPointer,
	"clSetKernelArgMemPointerINTEL": setPointer,
	"clSetKernelExecInfo": func(a args) error {
		k, err := kernelOf(a[0])
		if err != nil {
			return err
		}
		return k.ExecInfo(a.num(1), a.size(2), a.ptr(3))
	},
	"clGetKernelInfo": query(kernelOf, (*opencl.Kernel).Info),
	"clGetKernelArgInfo": func(a args) error {
		k, err := kernelOf(a[0])
		if err != nil {
			return err
		}
		v, err := k.ArgInfo(a.num(1), a.num(2))
		return a.answer(3, v, err)
	},
	"clGetKernelWorkGroupInfo": func(a args) error {
		k, d, err := kernelAndDevice(a)
		if err != nil {
			return err
		}
		v, err := k.GroupInfo(d, a.num(2))
		return a.answer(3, v, err)
	},
	"clGetKernelSubGroupInfo":    subGroupInfo,
	"clGetKernelSubGroupInfoKHR": subGroupInfo,
	"clGetKernelSuggestedLocalWorkSizeKHR": func(a args) error {
		q, err := queueOf(a[0])
		if err != nil {
			return err
		}
		k, err := kernelOf(a[1])
		if err != nil {
			return err
		}
		if k.Program().Context() != q.Context() {
			return wrong(cl.INVALID_CONTEXT, "the kernel is of another context")
		}
		if a[5] == 0 {
			return wrong(cl.INVALID_VALUE, "a null pointer")
		}
		dims := a.num(2)
		local, err := k.SuggestLocal(dims, extent(a.ptr(3), dims), extent(a.ptr(4), dims))
		if err != nil {
			return err
		}
		copy(words(a.ptr(5), dims), local[:])
		return nil
	},
}

// options returns build options; a null pointer is none.
func options(p unsafe.Pointer) string {
	if p == nil {
		return ""
	}
	return text(p)
}

// building returns the program and devices of a build.
func building(a args) (*opencl.Program, []*opencl.Device, error) {
	p, err := programOf(a[0])
	if err != nil {
		return nil, nil, err
	}
	if (a.num(1) == 0) != (a[2] == 0) {
		return nil, nil, wrong(cl.INVALID_VALUE, "a list of %d devices", a.num(1))
	}
	devices, err := all[*opencl.Device](a.num(1), a.ptr(2), cl.INVALID_DEVICE)
	return p, devices, err
}

// notification returns the callback of a build in parameters i and i+1, which gets a handle; nil
// if there is none.
func notification(a args, i int, handle uint64) (func(), error) {
	f, data := a.callback(i)
	if f == 0 {
		if data != 0 {
			return nil, wrong(cl.INVALID_VALUE, "user data without a callback")
		}
		return nil, nil
	}
	return func() { invoke(f, handle, data) }, nil
}

func createFromBinary(a args) (uintptr, error) {
	c, err := contextOf(a[0])
	if err != nil {
		return 0, err
	}
	n := a.num(1)
	if n == 0 || a[2] == 0 || a[3] == 0 || a[4] == 0 {
		return 0, wrong(cl.INVALID_VALUE, "no binaries")
	}
	devices, err := all[*opencl.Device](n, a.ptr(2), cl.INVALID_DEVICE)
	if err != nil {
		return 0, err
	}
	status := func(i, code int) {
		if a[5] != 0 {
			put(unsafe.Add(a.ptr(5), 4*i), int32(code))
		}
	}
	lengths := sizes(a.ptr(3), n)
	var program *opencl.Program
	var failed error
	for i, w := range words(a.ptr(4), n) {
		if w == 0 || lengths[i] <= 0 {
			status(i, cl.INVALID_VALUE)
			failed = wrong(cl.INVALID_VALUE, "binary %d is empty", i)
			continue
		}
		p, err := c.NewProgramFromBinary(devices, unsafe.Slice((*byte)(pointer(w)), lengths[i]))
		status(i, opencl.CodeOf(err))
		if err != nil {
			failed = err
		} else if program == nil {
			program = p
		} else {
			opencl.Release(p) // the binaries of all devices are equal
		}
	}
	if failed != nil {
		if program != nil {
			opencl.Release(program)
		}
		return 0, failed
	}
	return object(program, nil)
}

// binaries answers the query for the binaries: the application passes an address for each.
func binaries(a args, p *opencl.Program) error {
	b, n := p.Binary(), len(p.Devices())
	if out := a.ptr(3); out != nil {
		if a.size(2) < 8*n {
			return wrong(cl.INVALID_VALUE, "no room for %d binaries", n)
		}
		for _, w := range words(out, n) {
			if w != 0 {
				copy(unsafe.Slice((*byte)(pointer(w)), len(b)), b)
			}
		}
	}
	put(a.ptr(4), uint64(8*n))
	return nil
}

// kernelAndDevice returns the first two parameters, of which the second may be null.
func kernelAndDevice(a args) (*opencl.Kernel, *opencl.Device, error) {
	k, err := kernelOf(a[0])
	if err != nil || a[1] == 0 {
		return k, nil, err
	}
	d, err := deviceOf(a[1])
	return k, d, err
}

func subGroupInfo(a args) error {
	k, d, err := kernelAndDevice(a)
	if err != nil {
		return err
	}
	n := a.size(3) / 8
	if a[4] == 0 {
		n = 0
	}
	v, err := k.SubGroupInfo(d, a.num(2), sizes(a.ptr(4), min(n, 4)), a.size(5)/8)
	return a.answer(5, v, err)
}

func setPointer(a args) error {
	k, err := kernelOf(a[0])
	if err != nil {
		return err
	}
	return k.SetPointer(a.num(1), a.ptr(2))
}
