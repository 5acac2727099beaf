// Package features is the table of the supported OpenCL extensions and optional features
// of OpenCL C 3.0. Predefined macros, parts of the language and the results of device
// queries are derived from it.
//
// It is independent of code generation.
package features

import "strings"

// Version is a version in OpenCL's encoding (cl_version, OpenCL 3.0 §4.2): 10 bits of
// major, 10 of minor and 12 of patch version.
type Version uint32

// MakeVersion encodes a version.
func MakeVersion(major, minor, patch uint32) Version {
	return Version(major<<22 | minor<<12 | patch)
}

var v1, v2, v3 = MakeVersion(1, 0, 0), MakeVersion(2, 0, 0), MakeVersion(3, 0, 0)

// Extension is a supported extension. A macro of its name is defined to 1 in every
// version of OpenCL C.
type Extension struct {
	Name    string
	Version Version // of the extension: CL_DEVICE_EXTENSIONS_WITH_VERSION
}

// Extensions lists the supported extensions by name.
var Extensions = []Extension{
	{"cl_ext_float_atomics", v1},
	{"cl_intel_required_subgroup_size", v1},
	{"cl_intel_subgroup_local_block_io", v1},
	{"cl_intel_subgroups", v1},
	{"cl_intel_subgroups_char", v1},
	{"cl_intel_subgroups_long", v1},
	{"cl_intel_subgroups_short", v1},
	{"cl_khr_3d_image_writes", v1},
	{"cl_khr_byte_addressable_store", v1},
	{"cl_khr_depth_images", v1},
	{"cl_khr_expect_assume", v1},
	{"cl_khr_extended_async_copies", v1},
	{"cl_khr_fp16", v1},
	{"cl_khr_fp64", v1},
	{"cl_khr_global_int32_base_atomics", v1},
	{"cl_khr_global_int32_extended_atomics", v1},
	{"cl_khr_int64_base_atomics", v1},
	{"cl_khr_int64_extended_atomics", v1},
	{"cl_khr_integer_dot_product", v2},
	{"cl_khr_local_int32_base_atomics", v1},
	{"cl_khr_local_int32_extended_atomics", v1},
	{"cl_khr_subgroup_ballot", v1},
	{"cl_khr_subgroup_clustered_reduce", v1},
	{"cl_khr_subgroup_extended_types", v1},
	{"cl_khr_subgroup_non_uniform_arithmetic", v1},
	{"cl_khr_subgroup_non_uniform_vote", v1},
	{"cl_khr_subgroup_rotate", v1},
	{"cl_khr_subgroup_shuffle", v1},
	{"cl_khr_subgroup_shuffle_relative", v1},
	{"cl_khr_subgroups", v1},
}

// The features that other packages query by name.
const (
	GenericAddressSpace = "__opencl_c_generic_address_space"
	GlobalVariables     = "__opencl_c_program_scope_global_variables"
)

// Feature is a supported optional feature of OpenCL C 3.0 (§6.2.1) or of an extension. A
// macro of its name is defined to 1 from version Since on.
type Feature struct {
	Name    string
	Since   string  // a version of OpenCL C; "" is all
	Version Version // CL_DEVICE_OPENCL_C_FEATURES
}

// Features lists the supported features by name. Features of extensions are available in
// every version, like their extensions; features required by OpenCL C 2.0 are available
// from 2.0 on.
var Features = []Feature{
	{"__opencl_c_3d_image_writes", "2.0", v3},
	{"__opencl_c_atomic_order_acq_rel", "2.0", v3},
	{"__opencl_c_atomic_order_seq_cst", "2.0", v3},
	{"__opencl_c_atomic_scope_all_devices", "2.0", v3},
	{"__opencl_c_atomic_scope_device", "2.0", v3},
	{"__opencl_c_ext_fp32_global_atomic_add", "", v3},
	{"__opencl_c_ext_fp32_global_atomic_load_store", "", v3},
	{"__opencl_c_ext_fp32_global_atomic_min_max", "", v3},
	{"__opencl_c_ext_fp32_local_atomic_add", "", v3},
	{"__opencl_c_ext_fp32_local_atomic_load_store", "", v3},
	{"__opencl_c_ext_fp32_local_atomic_min_max", "", v3},
	{"__opencl_c_ext_fp64_global_atomic_add", "", v3},
	{"__opencl_c_ext_fp64_global_atomic_load_store", "", v3},
	{"__opencl_c_ext_fp64_global_atomic_min_max", "", v3},
	{"__opencl_c_ext_fp64_local_atomic_add", "", v3},
	{"__opencl_c_ext_fp64_local_atomic_load_store", "", v3},
	{"__opencl_c_ext_fp64_local_atomic_min_max", "", v3},
	{"__opencl_c_fp64", "2.0", v3},
	{GenericAddressSpace, "2.0", v3},
	{"__opencl_c_images", "2.0", v3},
	{"__opencl_c_int64", "2.0", v3},
	{"__opencl_c_integer_dot_product_input_4x8bit", "", v3},
	{"__opencl_c_integer_dot_product_input_4x8bit_packed", "", v3},
	{GlobalVariables, "2.0", v3},
	{"__opencl_c_read_write_images", "2.0", v3},
	{"__opencl_c_subgroups", "", v3},
	{"__opencl_c_work_group_collective_functions", "", v3},
}

// Macros lists the macros of the extensions and features of OpenCL C version std ("1.2"
// or "CL1.2"; "" is 1.2), each as "NAME=1".
func Macros(std string) []string {
	var out []string
	for _, e := range Extensions {
		out = append(out, e.Name+"=1")
	}
	for _, f := range Features {
		if f.in(std) {
			out = append(out, f.Name+"=1")
		}
	}
	return out
}

// Has reports whether OpenCL C version std has the feature name.
func Has(name, std string) bool {
	for _, f := range Features {
		if f.Name == name {
			return f.in(std)
		}
	}
	return false
}

func (f Feature) in(std string) bool {
	std = strings.TrimPrefix(std, "CL")
	if std == "" {
		std = "1.2"
	}
	return std >= f.Since
}
