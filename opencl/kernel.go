package opencl

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/opencl/cl"
)

// Kernel is a kernel with its arguments.
type Kernel struct {
	object
	prog   *Program
	k      *simtc.Kernel
	params []simtc.Param
	// pace is the time of a work-item on one thread in nanoseconds, as the bits of a float64;
	// negative if it was estimated from launches on several.
	pace *atomic.Uint64
	// uniform: work-groups must divide the range, as before OpenCL C 2.0.
	uniform bool

	mu   sync.Mutex
	args []argument
}

// argument is the value of a parameter.
type argument struct {
	set   bool
	value any // for simtc.Kernel.Launch
	keeps *object
	mem   *Mem
	local int
}

// NewKernel returns the kernel with a name. It waits for a build in the background, as most
// drivers build at once.
func (p *Program) NewKernel(name string) (*Kernel, error) {
	p.lockBuilt()
	defer p.mu.Unlock()
	if p.exec == nil || p.status != cl.BUILD_SUCCESS {
		return nil, fail(cl.INVALID_PROGRAM_EXECUTABLE, "the program is not built")
	}
	for _, k := range p.exec.Kernels() {
		if k.Name() == name {
			return p.newKernel(k), nil
		}
	}
	return nil, fail(cl.INVALID_KERNEL_NAME, "the program has no kernel %q", name)
}

func (p *Program) newKernel(k *simtc.Kernel) *Kernel {
	x := &Kernel{prog: p, k: k.WithOutput(p.ctx.output), params: k.Params(), pace: new(atomic.Uint64), uniform: p.uniform()}
	x.args = make([]argument, len(x.params))
	p.attach(x)
	return x
}

// uniform reports whether all work-groups of launches must have the same size: in programs in
// which some source has a version before OpenCL C 2.0, or has an option that says so.
func (p *Program) uniform() bool {
	return slices.ContainsFunc(p.units, func(u unit) bool {
		std := "1.2"
		for _, o := range strings.Fields(u.Options) {
			if v, ok := strings.CutPrefix(o, "-cl-std=CL"); ok {
				std = v
			}
		}
		return std < "2" || strings.Contains(u.Options, "-cl-uniform-work-group-size")
	})
}

// attach makes k a kernel object of p. requires: p.mu is held.
func (p *Program) attach(k *Kernel) {
	p.kernels++
	p.use()
	k.create(func() {
		p.mu.Lock()
		p.kernels--
		p.mu.Unlock()
		p.drop()
	})
}

// NewKernels returns all kernels.
func (p *Program) NewKernels() ([]*Kernel, error) {
	p.lockBuilt()
	defer p.mu.Unlock()
	if p.exec == nil || p.status != cl.BUILD_SUCCESS {
		return nil, fail(cl.INVALID_PROGRAM_EXECUTABLE, "the program is not built")
	}
	var out []*Kernel
	for _, k := range p.exec.Kernels() {
		out = append(out, p.newKernel(k))
	}
	return out, nil
}

// Clone returns a kernel with the same arguments.
func (k *Kernel) Clone() *Kernel {
	c := &Kernel{prog: k.prog, k: k.k, params: k.params, pace: k.pace, uniform: k.uniform}
	k.mu.Lock()
	c.args = slices.Clone(k.args)
	k.mu.Unlock()
	k.prog.mu.Lock()
	defer k.prog.mu.Unlock()
	k.prog.attach(c)
	return c
}

// Program returns the program of the kernel.
func (k *Kernel) Program() *Program { return k.prog }

// set stores an argument.
func (k *Kernel) set(i int, a argument) error {
	a.set = true
	k.mu.Lock()
	defer k.mu.Unlock()
	k.args[i] = a
	return nil
}

// param returns parameter i.
func (k *Kernel) param(i int) (*simtc.Param, error) {
	if i < 0 || i >= len(k.params) {
		return nil, fail(cl.INVALID_ARG_INDEX, "kernel %s has no argument %d", k.k.Name(), i)
	}
	return &k.params[i], nil
}

const samplerType = "sampler_t"

// SetArg sets an argument as clSetKernelArg does. find returns the object of a handle, or nil.
func (k *Kernel) SetArg(i, size int, value unsafe.Pointer, find func(handle uintptr) Object) error {
	p, err := k.param(i)
	if err != nil {
		return err
	}
	wrong := func(code int) error {
		return fail(code, "kernel %s: argument %d (%s %s) cannot be %d bytes at %#x", k.k.Name(), i, p.Type, p.Name, size, uintptr(value))
	}
	handle := func() Object {
		if h := *(*uintptr)(value); h != 0 {
			return find(h)
		}
		return nil
	}
	switch {
	case p.Kind == simtc.LocalPointer:
		if value != nil {
			return wrong(cl.INVALID_ARG_VALUE)
		}
		if size <= 0 {
			return wrong(cl.INVALID_ARG_SIZE)
		}
		if size > simtc.MaxLocal {
			return fail(cl.MAX_SIZE_RESTRICTION_EXCEEDED, "%d bytes of local memory", size)
		}
		return k.set(i, argument{value: simtc.LocalMemory(size), local: size})
	case p.Kind == simtc.GlobalPointer:
		if size != 8 {
			return wrong(cl.INVALID_ARG_SIZE)
		}
		if value == nil || *(*uintptr)(value) == 0 {
			return k.set(i, argument{value: simtc.Buffer(nil)})
		}
		m, ok := handle().(*Mem)
		if !ok || m.image != nil || m.ctx != k.prog.ctx {
			return wrong(cl.INVALID_MEM_OBJECT)
		}
		return k.set(i, argument{value: simtc.Buffer(m.data).Foreign(), keeps: &m.object, mem: m})
	case p.Kind == simtc.ImageParam:
		if size != 8 {
			return wrong(cl.INVALID_ARG_SIZE)
		}
		if value == nil {
			return wrong(cl.INVALID_ARG_VALUE)
		}
		m, ok := handle().(*Mem)
		if !ok || m.image == nil || m.ctx != k.prog.ctx {
			return wrong(cl.INVALID_MEM_OBJECT)
		}
		access := accessOf(p)
		if !imageFits(p.Elem, m) || access == cl.KERNEL_ARG_ACCESS_READ_ONLY && m.flags&cl.MEM_WRITE_ONLY != 0 || access == cl.KERNEL_ARG_ACCESS_WRITE_ONLY && m.flags&cl.MEM_READ_ONLY != 0 {
			return wrong(cl.INVALID_ARG_VALUE)
		}
		return k.set(i, argument{value: m.argument(), keeps: &m.object, mem: m})
	case p.Type == samplerType:
		if size != 8 {
			return wrong(cl.INVALID_ARG_SIZE)
		}
		if value == nil {
			return wrong(cl.INVALID_SAMPLER)
		}
		s, ok := handle().(*Sampler)
		if !ok {
			return wrong(cl.INVALID_SAMPLER)
		}
		return k.set(i, argument{value: s.value(), keeps: &s.object})
	}
	if value == nil {
		return wrong(cl.INVALID_ARG_VALUE)
	}
	// A vector of 3 has the size of one of 4, but applications also pass only its components.
	if size != p.Size && !(p.Lanes == 3 && size == p.Size/4*3) {
		return wrong(cl.INVALID_ARG_SIZE)
	}
	bytes := make([]byte, p.Size)
	copy(bytes, memory(value, size))
	return k.set(i, argument{value: simtc.Bytes(bytes)})
}

// imageFits reports whether an image can be passed for a parameter of the named type.
func imageFits(name string, m *Mem) bool {
	n, array := dims(m.kind)
	return strings.HasPrefix(name, fmt.Sprintf("image%dd", n)) && strings.Contains(name, "array") == array &&
		strings.Contains(name, "buffer") == (m.kind == cl.MEM_OBJECT_IMAGE1D_BUFFER) && strings.Contains(name, "depth") == (m.image.format.Order == simtc.OrderDepth)
}

// SetPointer sets an argument to an address in shared virtual memory.
func (k *Kernel) SetPointer(i int, p unsafe.Pointer) error {
	param, err := k.param(i)
	if err != nil {
		return err
	}
	if !k.prog.ctx.devices[0].shared {
		return fail(cl.INVALID_OPERATION, "the device has no shared virtual memory")
	}
	if param.Kind != simtc.GlobalPointer {
		return fail(cl.INVALID_ARG_VALUE, "kernel %s: argument %d is no pointer to global memory", k.k.Name(), i)
	}
	return k.set(i, argument{value: simtc.Buffer(k.prog.ctx.pointer(p)).Foreign()})
}

// Info answers a query of clGetKernelInfo.
func (k *Kernel) Info(name int) (any, error) {
	switch name {
	case cl.KERNEL_FUNCTION_NAME:
		return k.k.Name(), nil
	case cl.KERNEL_NUM_ARGS:
		return uint32(len(k.params)), nil
	case cl.KERNEL_REFERENCE_COUNT:
		return k.references(), nil
	case cl.KERNEL_CONTEXT:
		return k.prog.ctx, nil
	case cl.KERNEL_PROGRAM:
		return k.prog, nil
	case cl.KERNEL_ATTRIBUTES:
		var all []string
		if g := k.k.RequiredGroup(); g != [3]int{} {
			all = append(all, fmt.Sprintf("reqd_work_group_size(%d,%d,%d)", g[0], g[1], g[2]))
		}
		if n := k.k.RequiredSubGroup(); n > 0 {
			all = append(all, fmt.Sprintf("intel_reqd_sub_group_size(%d)", n))
		}
		return strings.Join(append(all, k.k.Hints()...), " "), nil
	}
	return nil, badName(name)
}

// accessOf returns the access qualifier of a parameter.
func accessOf(p *simtc.Param) uint32 {
	switch {
	case p.Kind != simtc.ImageParam:
		return cl.KERNEL_ARG_ACCESS_NONE
	case strings.Contains(p.Type, "write_only"):
		return cl.KERNEL_ARG_ACCESS_WRITE_ONLY
	case strings.Contains(p.Type, "read_write"):
		return cl.KERNEL_ARG_ACCESS_READ_WRITE
	}
	return cl.KERNEL_ARG_ACCESS_READ_ONLY
}

// ArgInfo answers a query of clGetKernelArgInfo.
func (k *Kernel) ArgInfo(i, name int) (any, error) {
	p, err := k.param(i)
	if err != nil {
		return nil, err
	}
	words := strings.Fields(p.Type)
	pointer := p.Kind == simtc.GlobalPointer || p.Kind == simtc.LocalPointer
	switch name {
	case cl.KERNEL_ARG_ADDRESS_QUALIFIER:
		switch {
		case slices.Contains(words, "__constant"):
			return uint32(cl.KERNEL_ARG_ADDRESS_CONSTANT), nil
		case p.Kind == simtc.LocalPointer:
			return uint32(cl.KERNEL_ARG_ADDRESS_LOCAL), nil
		case p.Kind == simtc.ByValue:
			return uint32(cl.KERNEL_ARG_ADDRESS_PRIVATE), nil
		}
		return uint32(cl.KERNEL_ARG_ADDRESS_GLOBAL), nil
	case cl.KERNEL_ARG_ACCESS_QUALIFIER:
		return accessOf(p), nil
	case cl.KERNEL_ARG_TYPE_NAME:
		if p.Typedef != "" {
			return p.Typedef, nil
		}
		words = slices.DeleteFunc(words, func(w string) bool {
			return w == "const" || w == "volatile" || w == "restrict" || strings.HasPrefix(w, "__")
		})
		return strings.Join(words, ""), nil
	case cl.KERNEL_ARG_TYPE_QUALIFIER:
		q := uint64(0)
		if !pointer {
			return q, nil
		}
		if p.Restrict {
			q |= cl.KERNEL_ARG_TYPE_RESTRICT
		}
		if slices.Contains(words, "const") || slices.Contains(words, "__constant") {
			q |= cl.KERNEL_ARG_TYPE_CONST
		}
		if slices.Contains(words, "volatile") {
			q |= cl.KERNEL_ARG_TYPE_VOLATILE
		}
		return q, nil
	case cl.KERNEL_ARG_NAME:
		return p.Name, nil
	}
	return nil, badName(name)
}

// device returns d, or the only device of the program if d is nil.
func (k *Kernel) device(d *Device) (*Device, error) {
	all := k.prog.devices
	switch {
	case d == nil && len(all) == 1:
		return all[0], nil
	case d == nil || !slices.Contains(all, d):
		return nil, fail(cl.INVALID_DEVICE, "the kernel is not for that device")
	}
	return d, nil
}

// GroupInfo answers a query of clGetKernelWorkGroupInfo.
func (k *Kernel) GroupInfo(d *Device, name int) (any, error) {
	d, err := k.device(d)
	if err != nil {
		return nil, err
	}
	switch name {
	case cl.KERNEL_WORK_GROUP_SIZE:
		return maxGroup, nil
	case cl.KERNEL_COMPILE_WORK_GROUP_SIZE:
		return k.k.RequiredGroup(), nil
	case cl.KERNEL_LOCAL_MEM_SIZE:
		return uint64(k.localBytes()), nil
	case cl.KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
		return d.multiple(), nil
	case cl.KERNEL_PRIVATE_MEM_SIZE:
		abi, err := k.k.ABI()
		if err != nil {
			return nil, fail(cl.OUT_OF_RESOURCES, "%v", err)
		}
		return uint64(abi["private_bytes"] / max(abi["width"], 1)), nil
	case 0x4109: // CL_KERNEL_SPILL_MEM_SIZE_INTEL
		abi, err := k.k.ABI()
		if err != nil {
			return nil, fail(cl.OUT_OF_RESOURCES, "%v", err)
		}
		return uint64(abi["spill_bytes"]), nil
	case cl.KERNEL_GLOBAL_WORK_SIZE:
		return nil, fail(cl.INVALID_VALUE, "not a built-in kernel")
	}
	return nil, badName(name)
}

// localBytes returns the local memory of a work-group.
func (k *Kernel) localBytes() int {
	n := k.k.LocalBytes()
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, a := range k.args {
		if a.local > 0 {
			n = (n+baseAlign-1)&^(baseAlign-1) + a.local
		}
	}
	return n
}

// width returns the sub-group size of work-groups of a size; nil is any.
func (k *Kernel) width(local []int) (int, error) {
	r := simtc.NDRange(maxGroup)
	if len(local) > 0 {
		sizes := make([]uint64, len(local))
		for i, n := range local {
			sizes[i] = uint64(n)
		}
		r = simtc.NDRange(sizes...).WithLocal(sizes...)
	}
	x, err := k.k.For(r)
	if err != nil {
		return 0, fail(cl.INVALID_VALUE, "%v", err)
	}
	w, err := x.Width()
	if err != nil {
		return 0, fail(cl.OUT_OF_RESOURCES, "%v", err)
	}
	return max(w, 1), nil
}

// SubGroupInfo answers a query of clGetKernelSubGroupInfo. input and outputs are as the API has
// them: the sizes of a work-group, or a number of sub-groups, and the number of results.
func (k *Kernel) SubGroupInfo(d *Device, name int, input []int, outputs int) (any, error) {
	if _, err := k.device(d); err != nil {
		return nil, err
	}
	switch name {
	case cl.KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, cl.KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
		if len(input) < 1 || len(input) > 3 || slices.Min(input) < 1 {
			return nil, fail(cl.INVALID_VALUE, "work-groups of %v", input)
		}
		w, err := k.width(input)
		if err != nil {
			return nil, err
		}
		if name == cl.KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE {
			return w, nil
		}
		n := 1
		for _, size := range input {
			n *= size
		}
		return (n + w - 1) / w, nil
	case cl.KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT:
		if len(input) != 1 || outputs < 1 || outputs > 3 {
			return nil, fail(cl.INVALID_VALUE, "%d results for %v sub-groups", outputs, input)
		}
		w, err := k.width(nil)
		if err != nil {
			return nil, err
		}
		out := []int{input[0] * w, 1, 1}
		if input[0] < 1 || out[0] > maxGroup {
			out = []int{0, 0, 0}
		}
		return out[:outputs], nil
	case cl.KERNEL_MAX_NUM_SUB_GROUPS:
		w, err := k.width(nil)
		return maxGroup / max(w, 1), err
	case cl.KERNEL_COMPILE_NUM_SUB_GROUPS:
		return 0, nil
	case 0x410A: // CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL
		return k.k.RequiredSubGroup(), nil
	}
	return nil, badName(name)
}

// ExecInfo sets properties of launches. The pointers of shared virtual memory that kernels reach
// indirectly need not be known: they are addresses of the process.
func (k *Kernel) ExecInfo(name, size int, value unsafe.Pointer) error {
	if !k.prog.ctx.devices[0].shared {
		return fail(cl.INVALID_OPERATION, "the device has no shared virtual memory")
	}
	switch name {
	case cl.KERNEL_EXEC_INFO_SVM_PTRS, 0x4203: // CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL
		if (value == nil) != (size == 0) || size%8 != 0 { // an empty list removes earlier ones
			return fail(cl.INVALID_VALUE, "pointers in %d bytes", size)
		}
	case cl.KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 0x4200, 0x4201, 0x4202: // CL_KERNEL_EXEC_INFO_INDIRECT_*_ACCESS_INTEL
		if value == nil || size != 4 {
			return fail(cl.INVALID_VALUE, "a bool of %d bytes", size)
		}
		if binary.LittleEndian.Uint32(memory(value, 4)) > 1 {
			return fail(cl.INVALID_VALUE, "neither true nor false")
		}
	default:
		return badName(name)
	}
	return nil
}
