package opencl

import (
	"crypto/sha256"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/klauspost/cpuid/v2"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/clc/features"
	"github.com/simtc/simtc/opencl/cl"
)

// Device is the processor, or a part of its cores.
type Device struct {
	object
	platform *Platform
	parent   *Device
	target   string
	units    int   // threads of a launch
	shared   bool  // kernels access the memory of the process in place
	split    []int // the properties of the partition that made it
	memory   uint64
	used     *atomic.Int64 // bytes of memory objects
}

// Limits of the device.
const (
	maxGroup    = 4096 // work-items
	localBytes  = 256 << 10
	imageSide   = 16384
	imageLayers = 2048
	// maxVariables bounds the variables of a program in bytes. The compiler accepts more.
	maxVariables = 64 << 20
	// openCLCNumericVersion is CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR of cl_khr_extended_versioning.
	openCLCNumericVersion = 0x105F
	argBytes              = 4096
	maxImages             = 128
	maxSamplers           = 16
	baseAlign             = 128 // bytes: the largest type
	cacheLine             = 64
)

func newDevice(p *Platform) *Device {
	d := &Device{platform: p, target: p.cfg.Target, units: p.cfg.Threads, used: new(atomic.Int64)}
	d.create(nil)
	if d.units == 0 {
		d.units = runtime.GOMAXPROCS(0)
	}
	if d.target == "" {
		d.target = slices.DeleteFunc(simtc.Targets(), func(t string) bool { return simtc.Available(t) != nil })[0]
	}
	d.shared = !simtc.InEngine(d.target)
	d.memory = max(systemMemory(), simtc.MaxBuffer)
	return d
}

// Root reports whether d is no part of another device.
func (d *Device) Root() bool { return d.parent == nil }

// name returns the name of the processor and of the target.
func (d *Device) name() string {
	cpu := strings.TrimSpace(cpuid.CPU.BrandName)
	if cpu == "" {
		cpu = runtime.GOARCH
	}
	return "simtc " + d.target + " on " + cpu
}

// clock returns the clock rate in MHz; 0 if unknown.
func clock() uint32 {
	if hz := cpuid.CPU.Hz; hz > 0 {
		return uint32(hz / 1e6)
	}
	text, _ := os.ReadFile("/proc/cpuinfo") // absent elsewhere
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "cpu MHz" {
			mhz, _ := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return uint32(mhz)
		}
	}
	return 0
}

// lanes lists the sub-group sizes.
func (d *Device) lanes() []int {
	if w := simtc.Widths(d.target); len(w) > 0 {
		return w
	}
	return []int{1}
}

// multiple returns the lanes of a register of 32-bit elements.
func (d *Device) multiple() int {
	if simtc.IsNative(d.target) {
		return 16
	}
	return 4
}

// uuid returns 16 bytes that identify texts.
func uuid(texts ...string) []byte {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return sum[:16]
}

const (
	allFloat = cl.FP_DENORM | cl.FP_INF_NAN | cl.FP_ROUND_TO_NEAREST | cl.FP_ROUND_TO_ZERO | cl.FP_ROUND_TO_INF | cl.FP_FMA

	// Of cl_ext_float_atomics, cl_khr_integer_dot_product, cl_intel_required_subgroup_size and
	// cl_khr_device_uuid; the headers of some distributions lack them.
	singleAtomics    = 0x4231
	doubleAtomics    = 0x4232
	halfAtomics      = 0x4233
	floatAtomics     = 1<<0 | 1<<1 | 1<<2 | 1<<16 | 1<<17 | 1<<18 // load and store, add, min and max in global and local memory
	subGroupSizes    = 0x4108
	hostMemory       = 0x4190
	deviceMemory     = 0x4191
	singleShared     = 0x4192
	crossShared      = 0x4193
	systemShared     = 0x4194
	usmAccess        = 1<<0 | 1<<1 | 1<<2 | 1<<3 // access, atomics, both concurrently
	printfCallback   = 0x40B0
	printfBufferSize = 0x40B1
)

// atomicOrders are the capabilities of atomic operations.
const atomicOrders = cl.DEVICE_ATOMIC_ORDER_RELAXED | cl.DEVICE_ATOMIC_ORDER_ACQ_REL | cl.DEVICE_ATOMIC_ORDER_SEQ_CST |
	cl.DEVICE_ATOMIC_SCOPE_WORK_GROUP | cl.DEVICE_ATOMIC_SCOPE_DEVICE | cl.DEVICE_ATOMIC_SCOPE_ALL_DEVICES

func has(feature string) bool { return features.Has(feature, "3.0") }

// usm returns the capabilities of memory of cl_intel_unified_shared_memory.
func usm(d *Device) any {
	if d.shared {
		return uint64(usmAccess)
	}
	return uint64(0)
}

func whether(ok bool, bits uint64) uint64 {
	if ok {
		return bits
	}
	return 0
}

// always returns a query with one result.
func always(v any) func(*Device) any { return func(*Device) any { return v } }

// deviceInfo has the queries of clGetDeviceInfo.
var deviceInfo = map[int]func(d *Device) any{
	cl.DEVICE_TYPE:                              always(uint64(cl.DEVICE_TYPE_CPU)),
	cl.DEVICE_VENDOR_ID:                         always(uint32(0x73696d74)),
	cl.DEVICE_MAX_COMPUTE_UNITS:                 func(d *Device) any { return uint32(d.units) },
	cl.DEVICE_MAX_WORK_ITEM_DIMENSIONS:          always(uint32(3)),
	cl.DEVICE_MAX_WORK_GROUP_SIZE:               always(maxGroup),
	cl.DEVICE_MAX_WORK_ITEM_SIZES:               always([]int{maxGroup, maxGroup, maxGroup}),
	cl.DEVICE_PREFERRED_VECTOR_WIDTH_CHAR:       always(uint32(1)), // lanes are work-items: vectors within one are no faster
	cl.DEVICE_PREFERRED_VECTOR_WIDTH_SHORT:      always(uint32(1)),
	cl.DEVICE_PREFERRED_VECTOR_WIDTH_INT:        always(uint32(1)),
	cl.DEVICE_PREFERRED_VECTOR_WIDTH_LONG:       always(uint32(1)),
	cl.DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT:      always(uint32(1)),
	cl.DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:     always(uint32(1)),
	cl.DEVICE_PREFERRED_VECTOR_WIDTH_HALF:       always(uint32(1)),
	cl.DEVICE_NATIVE_VECTOR_WIDTH_CHAR:          always(uint32(1)),
	cl.DEVICE_NATIVE_VECTOR_WIDTH_SHORT:         always(uint32(1)),
	cl.DEVICE_NATIVE_VECTOR_WIDTH_INT:           always(uint32(1)),
	cl.DEVICE_NATIVE_VECTOR_WIDTH_LONG:          always(uint32(1)),
	cl.DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:         always(uint32(1)),
	cl.DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE:        always(uint32(1)),
	cl.DEVICE_NATIVE_VECTOR_WIDTH_HALF:          always(uint32(1)),
	cl.DEVICE_MAX_CLOCK_FREQUENCY:               func(*Device) any { return clock() },
	cl.DEVICE_ADDRESS_BITS:                      always(uint32(64)),
	cl.DEVICE_MAX_MEM_ALLOC_SIZE:                always(uint64(simtc.MaxBuffer)),
	cl.DEVICE_IMAGE_SUPPORT:                     always(true),
	cl.DEVICE_MAX_READ_IMAGE_ARGS:               always(uint32(maxImages)),
	cl.DEVICE_MAX_WRITE_IMAGE_ARGS:              always(uint32(maxImages)),
	cl.DEVICE_MAX_READ_WRITE_IMAGE_ARGS:         always(uint32(maxImages)),
	cl.DEVICE_IMAGE2D_MAX_WIDTH:                 always(imageSide),
	cl.DEVICE_IMAGE2D_MAX_HEIGHT:                always(imageSide),
	cl.DEVICE_IMAGE3D_MAX_WIDTH:                 always(imageSide),
	cl.DEVICE_IMAGE3D_MAX_HEIGHT:                always(imageSide),
	cl.DEVICE_IMAGE3D_MAX_DEPTH:                 always(imageSide),
	cl.DEVICE_IMAGE_MAX_BUFFER_SIZE:             always(maxBufferTexels),
	cl.DEVICE_IMAGE_MAX_ARRAY_SIZE:              always(imageLayers),
	cl.DEVICE_IMAGE_PITCH_ALIGNMENT:             always(uint32(1)),
	cl.DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT:      always(uint32(4)),
	cl.DEVICE_MAX_SAMPLERS:                      always(uint32(maxSamplers)),
	cl.DEVICE_MAX_PARAMETER_SIZE:                always(argBytes),
	cl.DEVICE_MEM_BASE_ADDR_ALIGN:               always(uint32(8 * baseAlign)),
	cl.DEVICE_MIN_DATA_TYPE_ALIGN_SIZE:          always(uint32(baseAlign)),
	cl.DEVICE_SINGLE_FP_CONFIG:                  always(uint64(allFloat | cl.FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)),
	cl.DEVICE_DOUBLE_FP_CONFIG:                  always(uint64(allFloat)),
	cl.DEVICE_HALF_FP_CONFIG:                    always(uint64(allFloat)),
	cl.DEVICE_GLOBAL_MEM_CACHE_TYPE:             always(uint32(cl.READ_WRITE_CACHE)),
	cl.DEVICE_GLOBAL_MEM_CACHELINE_SIZE:         always(uint32(cacheLine)),
	cl.DEVICE_GLOBAL_MEM_CACHE_SIZE:             func(*Device) any { return uint64(max(cpuid.CPU.Cache.L2, cpuid.CPU.Cache.L3, 0)) },
	cl.DEVICE_GLOBAL_MEM_SIZE:                   func(d *Device) any { return d.memory },
	cl.DEVICE_MAX_CONSTANT_BUFFER_SIZE:          always(uint64(simtc.MaxBuffer)),
	cl.DEVICE_MAX_CONSTANT_ARGS:                 always(uint32(argBytes / 8)),
	cl.DEVICE_LOCAL_MEM_TYPE:                    always(uint32(cl.GLOBAL)),
	cl.DEVICE_LOCAL_MEM_SIZE:                    always(uint64(localBytes)),
	cl.DEVICE_ERROR_CORRECTION_SUPPORT:          always(false),
	cl.DEVICE_HOST_UNIFIED_MEMORY:               func(d *Device) any { return d.shared },
	cl.DEVICE_PROFILING_TIMER_RESOLUTION:        always(1),
	cl.DEVICE_ENDIAN_LITTLE:                     always(true),
	cl.DEVICE_AVAILABLE:                         always(true),
	cl.DEVICE_COMPILER_AVAILABLE:                always(true),
	cl.DEVICE_LINKER_AVAILABLE:                  always(true),
	cl.DEVICE_EXECUTION_CAPABILITIES:            always(uint64(cl.EXEC_KERNEL | cl.EXEC_NATIVE_KERNEL)),
	cl.DEVICE_QUEUE_ON_HOST_PROPERTIES:          always(uint64(queueProperties)),
	cl.DEVICE_QUEUE_ON_DEVICE_PROPERTIES:        always(uint64(0)),
	cl.DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:    always(uint32(0)),
	cl.DEVICE_QUEUE_ON_DEVICE_MAX_SIZE:          always(uint32(0)),
	cl.DEVICE_MAX_ON_DEVICE_QUEUES:              always(uint32(0)),
	cl.DEVICE_MAX_ON_DEVICE_EVENTS:              always(uint32(0)),
	cl.DEVICE_DEVICE_ENQUEUE_CAPABILITIES:       always(uint64(0)),
	cl.DEVICE_PIPE_SUPPORT:                      always(false),
	cl.DEVICE_MAX_PIPE_ARGS:                     always(uint32(0)),
	cl.DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS:      always(uint32(0)),
	cl.DEVICE_PIPE_MAX_PACKET_SIZE:              always(uint32(0)),
	cl.DEVICE_BUILT_IN_KERNELS:                  always(""),
	cl.DEVICE_BUILT_IN_KERNELS_WITH_VERSION:     always([]namedVersion{}),
	cl.DEVICE_IL_VERSION:                        always(""),
	cl.DEVICE_ILS_WITH_VERSION:                  always([]namedVersion{}),
	cl.DEVICE_NAME:                              func(d *Device) any { return d.name() },
	cl.DEVICE_VENDOR:                            always("simtc"),
	cl.DRIVER_VERSION:                           func(d *Device) any { return d.platform.cfg.Version },
	cl.DEVICE_PROFILE:                           always("FULL_PROFILE"),
	cl.DEVICE_VERSION:                           func(d *Device) any { return "OpenCL 3.0 simtc " + d.platform.cfg.Version },
	cl.DEVICE_NUMERIC_VERSION:                   always(apiVersion),
	cl.DEVICE_OPENCL_C_VERSION:                  always("OpenCL C 1.2 simtc"),
	openCLCNumericVersion:                       always(uint32(1<<22 | 2<<12)),
	cl.DEVICE_LATEST_CONFORMANCE_VERSION_PASSED: always("v0000-01-01-00"), // none, in the required format
	cl.DEVICE_EXTENSIONS:                        func(d *Device) any { return namesOf(d.Extensions()) },
	cl.DEVICE_EXTENSIONS_WITH_VERSION:           func(d *Device) any { return versionsOf(d.Extensions()) },
	cl.DEVICE_PLATFORM:                          func(d *Device) any { return d.platform },
	cl.DEVICE_PREFERRED_INTEROP_USER_SYNC:       always(true),
	cl.DEVICE_PRINTF_BUFFER_SIZE:                always(16 << 20),
	cl.DEVICE_PARENT_DEVICE:                     func(d *Device) any { return d.parent },
	cl.DEVICE_PARTITION_MAX_SUB_DEVICES:         func(d *Device) any { return uint32(d.units) },
	cl.DEVICE_PARTITION_PROPERTIES: func(d *Device) any {
		if d.units < 2 {
			return []int{0}
		}
		return []int{cl.DEVICE_PARTITION_EQUALLY, cl.DEVICE_PARTITION_BY_COUNTS}
	},
	cl.DEVICE_PARTITION_AFFINITY_DOMAIN: always(uint64(0)),
	cl.DEVICE_PARTITION_TYPE:            func(d *Device) any { return append([]int{}, d.split...) },
	cl.DEVICE_REFERENCE_COUNT: func(d *Device) any {
		if d.Root() {
			return uint32(1)
		}
		return d.references()
	},
	cl.DEVICE_MAX_GLOBAL_VARIABLE_SIZE:             always(maxVariables),
	cl.DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE: always(maxVariables),
	cl.DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT:  always(uint32(0)),
	cl.DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT:    always(uint32(0)),
	cl.DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT:     always(uint32(0)),
	cl.DEVICE_SVM_CAPABILITIES: func(d *Device) any {
		return whether(d.shared, cl.DEVICE_SVM_COARSE_GRAIN_BUFFER|cl.DEVICE_SVM_FINE_GRAIN_BUFFER|cl.DEVICE_SVM_FINE_GRAIN_SYSTEM|cl.DEVICE_SVM_ATOMICS)
	},
	cl.DEVICE_MAX_NUM_SUB_GROUPS:                      func(d *Device) any { return uint32(maxGroup / d.subGroups()[0]) },
	cl.DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS:  always(false),
	cl.DEVICE_ATOMIC_MEMORY_CAPABILITIES:              always(uint64(atomicOrders)),
	cl.DEVICE_ATOMIC_FENCE_CAPABILITIES:               always(uint64(atomicOrders | cl.DEVICE_ATOMIC_SCOPE_WORK_ITEM)),
	cl.DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT:          always(true),
	cl.DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:      func(d *Device) any { return d.multiple() },
	cl.DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT: always(has("__opencl_c_work_group_collective_functions")),
	cl.DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT:           always(has(features.GenericAddressSpace)),
	cl.DEVICE_OPENCL_C_ALL_VERSIONS: func(*Device) any {
		var out []namedVersion
		for _, v := range [][2]uint32{{1, 0}, {1, 1}, {1, 2}, {2, 0}, {3, 0}} {
			out = append(out, namedVersion{"OpenCL C", features.MakeVersion(v[0], v[1], 0)})
		}
		return out
	},
	cl.DEVICE_OPENCL_C_FEATURES: func(*Device) any {
		var out []namedVersion
		for _, f := range features.Features {
			out = append(out, namedVersion{f.Name, f.Version})
		}
		return out
	},
	cl.DEVICE_UUID_KHR:       func(d *Device) any { return uuid(d.name()) },
	cl.DRIVER_UUID_KHR:       func(d *Device) any { return uuid("simtc", d.platform.cfg.Version) },
	cl.DEVICE_LUID_VALID_KHR: always(false),
	cl.DEVICE_LUID_KHR:       always(make([]byte, 8)),
	cl.DEVICE_NODE_MASK_KHR:  always(uint32(0)),

	cl.DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR:                          always(uint64(cl.DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR | cl.DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR)),
	cl.DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR:          always(make([]uint32, 6)),
	cl.DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR: always(make([]uint32, 6)),

	singleAtomics: always(uint64(floatAtomics)),
	doubleAtomics: always(uint64(floatAtomics)),
	halfAtomics:   always(uint64(0)),
	subGroupSizes: func(d *Device) any { return d.subGroups() },
	hostMemory:    usm, deviceMemory: usm, singleShared: usm, crossShared: usm, systemShared: usm,
}

// subGroups lists the sizes of sub-groups of several lanes.
func (d *Device) subGroups() []int {
	return slices.DeleteFunc(slices.Clone(d.lanes()), func(n int) bool { return n == 1 && len(d.lanes()) > 1 })
}

// Info answers a query of clGetDeviceInfo.
func (d *Device) Info(name int) (any, error) {
	if f := deviceInfo[name]; f != nil {
		return f(d), nil
	}
	return nil, badName(name)
}

// Partition divides the device as clCreateSubDevices does. The list of properties includes its
// final 0. At most most devices are created; count is their number.
func (d *Device) Partition(properties []int, most int, create bool) (parts []*Device, count int, err error) {
	if len(properties) == 0 {
		return nil, 0, fail(cl.INVALID_VALUE, "no properties of a partition")
	}
	var units []int
	switch properties[0] {
	case cl.DEVICE_PARTITION_EQUALLY:
		n := 0
		if len(properties) > 1 {
			n = properties[1]
		}
		if n < 1 || len(properties) != 3 {
			return nil, 0, fail(cl.INVALID_VALUE, "cannot make parts of %d compute units", n)
		}
		if n > d.units {
			return nil, 0, fail(cl.INVALID_DEVICE_PARTITION_COUNT, "the device has fewer than %d compute units", n)
		}
		if n == d.units {
			return nil, 0, fail(cl.DEVICE_PARTITION_FAILED, "the only part would be the device")
		}
		for range d.units / n {
			units = append(units, n)
		}
	case cl.DEVICE_PARTITION_BY_COUNTS:
		sum := 0
		for _, n := range properties[1:] {
			if n == cl.DEVICE_PARTITION_BY_COUNTS_LIST_END {
				break
			}
			if n < 0 {
				return nil, 0, fail(cl.INVALID_DEVICE_PARTITION_COUNT, "a part has %d compute units", n)
			}
			units = append(units, n)
			sum += n
		}
		if sum > d.units || len(units) > d.units || len(units) == 0 {
			return nil, 0, fail(cl.INVALID_DEVICE_PARTITION_COUNT, "the device has fewer than %d compute units", sum)
		}
	default:
		return nil, 0, fail(cl.INVALID_VALUE, "the device cannot be partitioned by property %#x", properties[0])
	}
	if d.units < 2 {
		return nil, 0, fail(cl.DEVICE_PARTITION_FAILED, "the device has one compute unit")
	}
	if !create {
		return nil, len(units), nil
	}
	if most < len(units) {
		return nil, 0, fail(cl.INVALID_VALUE, "there are %d parts, and room for %d", len(units), most)
	}
	for _, n := range units {
		s := &Device{
			platform: d.platform, parent: d, target: d.target, units: n, shared: d.shared,
			split: append([]int(nil), properties...), memory: d.memory, used: d.used,
		}
		d.use()
		s.create(d.drop)
		parts = append(parts, s)
	}
	return parts, len(units), nil
}

// reserve accounts for memory of an object; n is negative when it is freed.
func (d *Device) reserve(n int) error {
	if used := d.used.Add(int64(n)); n > 0 && uint64(used) > d.memory {
		d.used.Add(-int64(n))
		return fail(cl.MEM_OBJECT_ALLOCATION_FAILURE, "%d bytes exceed the memory of the device", n)
	}
	return nil
}
