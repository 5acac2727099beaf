// Command gen generates from Khronos' C headers the constants of package cl, the table of entry
// points and the C functions of the driver. The generated files are committed: neither gen nor
// the headers are needed to build the driver.
//
//	go run ./opencl/gen [/usr/include/CL]
package main

import (
	"bytes"
	"fmt"
	"go/format"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// headers are those with constants.
var headers = []string{"cl.h", "cl_ext.h"}

// extensions lists functions of extensions that the driver has besides those of the dispatch
// table, as in the headers.
var extensions = []struct{ name, prototype string }{
	{"cl_khr_icd", "cl_int clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id * platforms, cl_uint * num_platforms)"},
	{"cl_khr_suggested_local_work_size", "cl_int clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim, const size_t * global_work_offset, const size_t * global_work_size, size_t * suggested_local_work_size)"},
	{"cl_khr_create_command_queue", "cl_command_queue clCreateCommandQueueWithPropertiesKHR(cl_context context, cl_device_id device, const cl_queue_properties_khr * properties, cl_int * errcode_ret)"},
	{"cl_intel_unified_shared_memory", "void * clHostMemAllocINTEL(cl_context context, const cl_mem_properties_intel * properties, size_t size, cl_uint alignment, cl_int * errcode_ret)"},
	{"cl_intel_unified_shared_memory", "void * clDeviceMemAllocINTEL(cl_context context, cl_device_id device, const cl_mem_properties_intel * properties, size_t size, cl_uint alignment, cl_int * errcode_ret)"},
	{"cl_intel_unified_shared_memory", "void * clSharedMemAllocINTEL(cl_context context, cl_device_id device, const cl_mem_properties_intel * properties, size_t size, cl_uint alignment, cl_int * errcode_ret)"},
	{"cl_intel_unified_shared_memory", "cl_int clMemFreeINTEL(cl_context context, void * ptr)"},
	{"cl_intel_unified_shared_memory", "cl_int clMemBlockingFreeINTEL(cl_context context, void * ptr)"},
	{"cl_intel_unified_shared_memory", "cl_int clGetMemAllocInfoINTEL(cl_context context, const void * ptr, cl_mem_info_intel param_name, size_t param_value_size, void * param_value, size_t * param_value_size_ret)"},
	{"cl_intel_unified_shared_memory", "cl_int clSetKernelArgMemPointerINTEL(cl_kernel kernel, cl_uint arg_index, const void * arg_value)"},
	{"cl_intel_unified_shared_memory", "cl_int clEnqueueMemFillINTEL(cl_command_queue command_queue, void * dst_ptr, const void * pattern, size_t pattern_size, size_t size, cl_uint num_events_in_wait_list, const cl_event * event_wait_list, cl_event * event)"},
	{"cl_intel_unified_shared_memory", "cl_int clEnqueueMemcpyINTEL(cl_command_queue command_queue, cl_bool blocking, void * dst_ptr, const void * src_ptr, size_t size, cl_uint num_events_in_wait_list, const cl_event * event_wait_list, cl_event * event)"},
	{"cl_intel_unified_shared_memory", "cl_int clEnqueueMigrateMemINTEL(cl_command_queue command_queue, const void * ptr, size_t size, cl_mem_migration_flags flags, cl_uint num_events_in_wait_list, const cl_event * event_wait_list, cl_event * event)"},
	{"cl_intel_unified_shared_memory", "cl_int clEnqueueMemAdviseINTEL(cl_command_queue command_queue, const void * ptr, size_t size, cl_mem_advice_intel advice, cl_uint num_events_in_wait_list, const cl_event * event_wait_list, cl_event * event)"},
}

// vendor names the extension of functions in the dispatch table by a part of their names.
var vendor = []struct{ part, extension string }{
	{"GL", "cl_khr_gl_sharing"}, {"GLsync", "cl_khr_gl_event"}, {"EGLImage", "cl_khr_egl_image"}, {"EGLObjects", "cl_khr_egl_image"},
	{"EGLSync", "cl_khr_egl_event"}, {"DevicesEXT", "cl_ext_device_fission"}, {"DeviceEXT", "cl_ext_device_fission"},
	{"SubGroupInfoKHR", "cl_khr_subgroups"},
}

// corrections has the first versions of functions for which cl_icd.h has none, or the version that
// deprecated them.
var corrections = map[string]string{
	"clCreateSubDevices": "1.2", "clCreateImage2D": "1.0", "clCreateImage3D": "1.0", "clUnloadCompiler": "1.0", "clEnqueueMarker": "1.0",
	"clEnqueueWaitForEvents": "1.0", "clEnqueueBarrier": "1.0", "clGetExtensionFunctionAddress": "1.0",
}

// windows matches functions that exist only there.
var windows = regexp.MustCompile(`D3D|DX9`)

// function is a function of the API.
type function struct {
	name, since, extension string
	result                 string
	params                 []string // types
	names                  []string
}

func main() {
	log.SetFlags(0)
	dir := "/usr/include/CL"
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			log.Fatal(err)
		}
		return string(b)
	}
	var text string
	for _, h := range headers {
		text += read(h)
	}
	write("opencl/cl/constants.go", constants(text))
	functions, table := dispatch(read("cl_icd.h"))
	for _, e := range extensions {
		f := parse(e.prototype)
		f.extension = e.name
		functions = append(functions, f)
	}
	write("opencl/cl/functions.go", goTable(functions))
	write("opencl/driver/entries.c", cFunctions(functions, table))
}

func write(name string, text []byte) {
	if strings.HasSuffix(name, ".go") {
		formatted, err := format.Source(text)
		if err != nil {
			log.Fatalf("%s: %v", name, err)
		}
		text = formatted
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		log.Fatal(err)
	}
}

const generated = "Code generated by opencl/gen from Khronos' OpenCL headers. DO NOT EDIT.\n"

var (
	define  = regexp.MustCompile(`(?m)^#define\s+CL_(\w+)\s+(\S.*?)\s*(/\*.*)?$`)
	number  = regexp.MustCompile(`^\(?(-?(?:0x)?[0-9A-Fa-f]+)[uUlL]*\)?$`)
	shifted = regexp.MustCompile(`^\(1(?:ull|UL)? << (\d+)\)$`)
)

// constants writes the numeric macros.
func constants(text string) []byte {
	var b bytes.Buffer
	b.WriteString("// " + generated + "\npackage cl\n\n// The constants of the API, without the prefix CL_.\nconst (\n")
	seen := map[string]bool{}
	for _, m := range define.FindAllStringSubmatch(text, -1) {
		name, value := m[1], m[2]
		if s := shifted.FindStringSubmatch(value); s != nil {
			value = "1 << " + s[1]
		} else if n := number.FindStringSubmatch(value); n != nil {
			value = n[1]
			if _, err := strconv.ParseInt(value, 0, 64); err != nil {
				continue
			}
		} else {
			continue
		}
		if !seen[name] {
			seen[name] = true
			fmt.Fprintf(&b, "\t%s = %s\n", name, value)
		}
	}
	b.WriteString(")\n")
	return b.Bytes()
}

var (
	typedef = regexp.MustCompile(`(?s)typedef\s+([\w *]+?)\s*\(\s*CL_API_CALL\s*\*\s*cl_api_(\w+)\)\s*\(([^;]*)\)\s*(?:CL_\w*SUFFIX__(?:VERSION_)?(\w+))?;`)
	comment = regexp.MustCompile(`/\*\s*(\w+)\s*\*/`) // the name of a parameter
	entry   = regexp.MustCompile(`(?s)cl_api_(\w+)\s+(\w+);`)
	proto   = regexp.MustCompile(`(?s)^([\w *]+?)\s*(\w+)\s*\((.*)\)$`)
)

// dispatch returns the functions and the order of the dispatch table of cl_khr_icd.
func dispatch(text string) (functions []function, table []string) {
	text = comment.ReplaceAllString(text, " $1 ")
	at := strings.Index(text, "struct _cl_icd_dispatch")
	byName := map[string]function{}
	for _, m := range typedef.FindAllStringSubmatch(text[:at], -1) {
		f := parse(m[1] + " " + m[2] + "(" + m[3] + ")")
		f.since = strings.ReplaceAll(strings.TrimSuffix(m[4], "_DEPRECATED"), "_", ".")
		byName[f.name] = f
	}
	for _, m := range entry.FindAllStringSubmatch(text[at:], -1) {
		table = append(table, m[2])
		if f, ok := byName[m[2]]; ok && !windows.MatchString(m[2]) {
			if v := corrections[f.name]; v != "" {
				f.since = v
			}
			for _, x := range vendor {
				if strings.Contains(f.name, x.part) {
					f.since, f.extension = "", x.extension
				}
			}
			functions = append(functions, f)
		}
	}
	return functions, table
}

// parse parses a prototype. Parameters that are functions become pointers.
func parse(text string) function {
	text = strings.Join(strings.Fields(text), " ")
	m := proto.FindStringSubmatch(text)
	if m == nil {
		log.Fatalf("not a prototype: %s", text)
	}
	f := function{name: m[2], result: strings.TrimSpace(m[1])}
	for _, p := range split(m[3]) {
		if p == "void" {
			continue
		}
		name, typ := "", ""
		if strings.Contains(p, "(") || strings.Contains(p, "[") {
			i := strings.IndexByte(p, '*')
			name = regexp.MustCompile(`\w+`).FindString(p[i+1:])
			typ = "void *"
		} else {
			i := strings.LastIndexAny(p, " *")
			name, typ = p[i+1:], strings.TrimSpace(p[:i+1])
		}
		f.names, f.params = append(f.names, name), append(f.params, typ)
	}
	return f
}

// split splits parameters at commas outside of parentheses.
func split(text string) []string {
	var out []string
	depth, from := 0, 0
	for i, c := range text + "," {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(text[from:i]))
				from = i + 1
			}
		}
	}
	return out
}

// words are the types of 32 bits; others have 64.
var words = map[string]string{"cl_int": "int32_t", "cl_uint": "uint32_t", "cl_bool": "uint32_t"}

func init() {
	for _, t := range strings.Fields(`platform_info device_info context_info command_queue_info mem_info image_info sampler_info
		program_info program_build_info kernel_info kernel_arg_info kernel_work_group_info kernel_sub_group_info event_info
		profiling_info addressing_mode filter_mode mem_object_type pipe_info kernel_exec_info buffer_create_type channel_order
		mem_info_intel mem_advice_intel gl_object_type gl_texture_info gl_context_info GLenum GLuint GLint`) {
		words["cl_"+t] = "uint32_t"
	}
}

// cType returns the type that passes a parameter of type t.
func cType(t string) string {
	switch {
	case words[t] != "":
		return words[t]
	case strings.HasSuffix(t, "*"):
		return "void *"
	case t == "size_t":
		return "size_t"
	}
	return "uint64_t" // bit fields and handles
}

// returns says how a function reports errors.
func (f *function) returns() string {
	switch {
	case f.result == "cl_int":
		return "Status"
	case f.result == "void":
		return "Nothing"
	case len(f.names) > 0 && f.names[len(f.names)-1] == "errcode_ret":
		return "Object"
	}
	return "Pointer"
}

func goTable(functions []function) []byte {
	var b bytes.Buffer
	b.WriteString("// " + generated + "\npackage cl\n\n// Functions lists the functions of the API by number.\nvar Functions = [...]Function{\n")
	for _, f := range functions {
		fmt.Fprintf(&b, "\t{%q, %q, %q, %s, %d},\n", f.name, f.version(), f.extension, f.returns(), len(f.params))
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// version returns the first version with the function; "" for extensions.
func (f *function) version() string {
	if _, err := strconv.ParseFloat(f.since, 64); err != nil {
		return ""
	}
	return f.since
}

func cFunctions(functions []function, table []string) []byte {
	var b bytes.Buffer
	b.WriteString("// " + generated + `
// Each function of the API passes its arguments as words to Go. The types are those of the
// calling convention: handles and pointers are words.

#include <stddef.h>
#include <stdint.h>
#include <string.h>

extern uint64_t simtcCall(uint32_t function, uint64_t *words);

`)
	for i, f := range functions {
		if strings.HasPrefix(f.name, "clGetExtensionFunctionAddress") {
			continue
		}
		var params, args []string
		for k, t := range f.params {
			params = append(params, fmt.Sprintf("%s a%d", cType(t), k))
			arg := fmt.Sprintf("a%d", k)
			if cType(t) == "void *" {
				arg = "(uintptr_t)" + arg
			}
			args = append(args, arg)
		}
		result, cast := cType(f.result), ""
		if f.result == "void" {
			result = "void"
		}
		call := fmt.Sprintf("simtcCall(%d, w)", i)
		switch result {
		case "void":
		case "void *":
			call = "return (void *)(uintptr_t)" + call
		default:
			call = "return " + cast + "(" + result + ")" + call
		}
		if len(params) == 0 {
			params, args = []string{"void"}, []string{"0"}
		}
		fmt.Fprintf(&b, "%s %s(%s) {\n\tuint64_t w[] = {%s};\n\t%s;\n}\n\n", result, f.name, strings.Join(params, ", "), strings.Join(args, ", "), call)
	}
	b.WriteString("static int32_t unsupported(void) { return -59; } // CL_INVALID_OPERATION\n\n")
	b.WriteString("void *clGetExtensionFunctionAddress(const char *name);\nvoid *clGetExtensionFunctionAddressForPlatform(void *platform, const char *name);\n\n")
	b.WriteString("// simtcDispatch is the dispatch table of cl_khr_icd.\nvoid *const simtcDispatch[] = {\n")
	has := func(name string) bool {
		return slices.ContainsFunc(functions, func(f function) bool { return f.name == name })
	}
	for _, name := range table {
		if !has(name) {
			name = "unsupported"
		}
		fmt.Fprintf(&b, "\t(void *)%s,\n", name)
	}
	b.WriteString("};\n\nstatic const struct {\n\tconst char *name;\n\tvoid *function;\n} functions[] = {\n")
	for _, f := range functions {
		fmt.Fprintf(&b, "\t{%q, (void *)%s},\n", f.name, f.name)
	}
	b.WriteString(`};

void *clGetExtensionFunctionAddress(const char *name) {
	for (size_t i = 0; name && i < sizeof functions / sizeof functions[0]; i++)
		if (!strcmp(name, functions[i].name))
			return functions[i].function;
	return 0;
}

void *clGetExtensionFunctionAddressForPlatform(void *platform, const char *name) {
	return platform ? clGetExtensionFunctionAddress(name) : 0;
}
`)
	return b.Bytes()
}
