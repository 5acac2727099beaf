// A program that calls every function of the driver through the loader, right and wrong.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(x) \
	do { \
		if (!(x)) { \
			printf("line %d: %s; code %d\n", __LINE__, #x, e); \
			exit(1); \
		} \
	} while (0)
#define OK(x) do { e = (x); CHECK(e == CL_SUCCESS); } while (0)
#define FAILS(code, x) do { e = (x); CHECK(e == (code)); } while (0)
#define MADE(x) do { e = -999; CHECK((x) && e == CL_SUCCESS); } while (0)
#define NOT_MADE(code, x) do { e = 0; CHECK(!(x) && e == (code)); } while (0)

static cl_int e;
static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static volatile int called; // by callbacks
static char message[4096];

static void count(void) { __sync_fetch_and_add(&called, 1); }
static void wait_for(int n) {
	for (int i = 0; i < 10000 && called < n; i++)
		usleep(1000);
	CHECK(called == n);
	called = 0;
}
static void CL_CALLBACK on_error(const char *text, const void *info, size_t n, void *data) {
	(void)info, (void)n, (void)data;
	snprintf(message, sizeof message, "%s", text);
}
static void CL_CALLBACK on_context(cl_context c, void *data) { (void)c, (void)data, count(); }
static void CL_CALLBACK on_mem(cl_mem m, void *data) { (void)m, (void)data, count(); }
static void CL_CALLBACK on_program(cl_program p, void *data) { (void)p, (void)data, count(); }
static void CL_CALLBACK on_event(cl_event v, cl_int status, void *data) {
	(void)v;
	*(cl_int *)data = status;
	count();
}
static void CL_CALLBACK native(void *args) {
	void **a = args;
	((cl_int *)a[1])[0] = (cl_int)(size_t)a[0];
}
static void CL_CALLBACK on_free(cl_command_queue q, cl_uint n, void *pointers[], void *data) {
	(void)q, (void)data;
	for (cl_uint i = 0; i < n; i++)
		clSVMFree(context, pointers[i]);
	count();
}

static void devices(void) {
	cl_uint n = 0;
	FAILS(CL_INVALID_VALUE, clGetPlatformIDs(0, &platform, 0));
	OK(clGetPlatformIDs(1, &platform, &n));
	CHECK(n == 1);
	char text[256];
	OK(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof text, text, 0));
	CHECK(!strcmp(text, "simtc"));
	FAILS(CL_INVALID_VALUE, clGetPlatformInfo(platform, CL_PLATFORM_NAME, 1, text, 0));
	FAILS(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, 0));
	FAILS(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(platform, 0, 1, &device, 0));
	OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, &n));
	cl_device_type type;
	size_t size;
	OK(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, &size));
	CHECK(type == CL_DEVICE_TYPE_CPU && size == sizeof type);
	FAILS(CL_INVALID_VALUE, clGetDeviceInfo(device, 1, sizeof type, &type, 0));
	OK(clRetainDevice(device));
	OK(clReleaseDevice(device));
	cl_ulong a, b;
	OK(clGetDeviceAndHostTimer(device, &a, &b));
	FAILS(CL_INVALID_VALUE, clGetDeviceAndHostTimer(device, 0, &b));
	OK(clGetHostTimer(device, &b));
	FAILS(CL_INVALID_VALUE, clGetHostTimer(device, 0));
	cl_uint units;
	OK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, 0));
	cl_device_partition_property each[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0}, none[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, 1, 0};
	if (units > 1) {
		cl_device_id parts[64];
		OK(clCreateSubDevices(device, each, 64, parts, &n));
		CHECK(n == units);
		OK(clRetainDevice(parts[0]));
		OK(clReleaseDevice(parts[0]));
		for (cl_uint i = 0; i < n; i++)
			OK(clReleaseDevice(parts[i]));
		FAILS(CL_INVALID_DEVICE, clReleaseDevice(parts[0]));
	}
	FAILS(CL_INVALID_VALUE, clCreateSubDevices(device, none, 0, 0, &n));
	OK(clUnloadCompiler());
	OK(clUnloadPlatformCompiler(platform));
	CHECK(!clGetExtensionFunctionAddress("clNoneSIMTC"));
	CHECK(!clGetExtensionFunctionAddressForPlatform(platform, "clNone"));
	CHECK(clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR"));
}

static void contexts(void) {
	cl_context_properties p[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0}, bad[] = {77, 1, 0};
	cl_context c;
	MADE(c = clCreateContextFromType(p, CL_DEVICE_TYPE_ALL, 0, 0, &e));
	NOT_MADE(CL_DEVICE_NOT_FOUND, clCreateContextFromType(p, CL_DEVICE_TYPE_GPU, 0, 0, &e));
	NOT_MADE(CL_INVALID_PROPERTY, clCreateContext(bad, 1, &device, 0, 0, &e));
	NOT_MADE(CL_INVALID_VALUE, clCreateContext(p, 0, &device, 0, 0, &e));
	OK(clSetContextDestructorCallback(c, on_context, 0));
	FAILS(CL_INVALID_VALUE, clSetContextDestructorCallback(c, 0, 0));
	OK(clRetainContext(c));
	OK(clReleaseContext(c));
	cl_uint n;
	OK(clGetContextInfo(c, CL_CONTEXT_NUM_DEVICES, sizeof n, &n, 0));
	CHECK(n == 1);
	OK(clReleaseContext(c));
	wait_for(1);
	FAILS(CL_INVALID_CONTEXT, clReleaseContext(c));
	FAILS(CL_INVALID_CONTEXT, clGetContextInfo(c, CL_CONTEXT_NUM_DEVICES, sizeof n, &n, 0));
	MADE(context = clCreateContext(p, 1, &device, on_error, 0, &e));
	cl_queue_properties ordered[] = {0}, size[] = {CL_QUEUE_SIZE, 16, 0};
	MADE(queue = clCreateCommandQueueWithProperties(context, device, ordered, &e));
	NOT_MADE(CL_INVALID_QUEUE_PROPERTIES, clCreateCommandQueueWithProperties(context, device, size, &e));
	clCreateCommandQueueWithPropertiesKHR_fn khr = (clCreateCommandQueueWithPropertiesKHR_fn)clGetExtensionFunctionAddressForPlatform(platform, "clCreateCommandQueueWithPropertiesKHR");
	cl_command_queue q;
	MADE(q = khr(context, device, 0, &e));
	OK(clReleaseCommandQueue(q));
	MADE(q = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &e));
	NOT_MADE(CL_INVALID_VALUE, clCreateCommandQueue(context, device, 1 << 20, &e));
	OK(clRetainCommandQueue(q));
	OK(clReleaseCommandQueue(q));
	cl_command_queue_properties bits;
	OK(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, sizeof bits, &bits, 0));
	CHECK(bits == CL_QUEUE_PROFILING_ENABLE);
	FAILS(CL_INVALID_OPERATION, clSetCommandQueueProperty(q, 0, CL_TRUE, 0));
	FAILS(CL_INVALID_OPERATION, clSetDefaultDeviceCommandQueue(context, device, q));
	OK(clFlush(q));
	OK(clFinish(q));
	OK(clReleaseCommandQueue(q));
	FAILS(CL_INVALID_COMMAND_QUEUE, clFlush(q));
	FAILS(CL_INVALID_COMMAND_QUEUE, clFinish(q));
}

static void buffers(void) {
	cl_int in[64], out[64];
	for (int i = 0; i < 64; i++)
		in[i] = i;
	cl_mem a, b, s;
	MADE(a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof in, in, &e));
	NOT_MADE(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, 0, 0, 0, &e));
	MADE(b = clCreateBufferWithProperties(context, 0, CL_MEM_READ_WRITE, sizeof in, 0, &e));
	cl_mem_properties bad[] = {5, 5, 0};
	NOT_MADE(CL_INVALID_PROPERTY, clCreateBufferWithProperties(context, bad, 0, 4, 0, &e));
	cl_buffer_region r = {128, 128}, beyond = {128, 1024};
	MADE(s = clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &e));
	NOT_MADE(CL_INVALID_VALUE, clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, &beyond, &e));
	cl_event v;
	OK(clEnqueueCopyBuffer(queue, a, b, 0, 0, sizeof in, 0, 0, &v));
	FAILS(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(queue, a, a, 0, 4, 64, 0, 0, 0));
	OK(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof out, out, 1, &v, 0));
	CHECK(!memcmp(in, out, sizeof in));
	FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof out, out, 1, 0, 0));
	FAILS(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, b, CL_TRUE, 4, sizeof out, out, 0, 0, 0));
	OK(clReleaseEvent(v));
	OK(clEnqueueWriteBuffer(queue, s, CL_TRUE, 0, 8, in + 5, 0, 0, 0));
	FAILS(CL_INVALID_VALUE, clEnqueueWriteBuffer(queue, s, CL_TRUE, 0, 8, 0, 0, 0, 0));
	cl_short two = 2;
	OK(clEnqueueFillBuffer(queue, b, &two, 2, 0, 8, 0, 0, 0));
	FAILS(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, b, &two, 3, 0, 6, 0, 0, 0));
	size_t zero[3] = {0}, at[3] = {4, 1, 0}, region[3] = {4, 2, 1};
	OK(clEnqueueReadBufferRect(queue, a, CL_TRUE, at, zero, region, 16, 0, 4, 0, out, 0, 0, 0));
	CHECK(out[0] == 5 && out[1] == 9);
	FAILS(CL_INVALID_VALUE, clEnqueueReadBufferRect(queue, a, CL_TRUE, at, zero, region, 1, 0, 4, 0, out, 0, 0, 0));
	OK(clEnqueueWriteBufferRect(queue, b, CL_TRUE, at, zero, region, 16, 0, 4, 0, out, 0, 0, 0));
	FAILS(CL_INVALID_VALUE, clEnqueueWriteBufferRect(queue, b, CL_TRUE, at, zero, 0, 16, 0, 4, 0, out, 0, 0, 0));
	OK(clEnqueueCopyBufferRect(queue, a, b, at, zero, region, 16, 0, 16, 0, 0, 0, 0));
	FAILS(CL_MEM_COPY_OVERLAP, clEnqueueCopyBufferRect(queue, a, a, at, at, region, 16, 0, 16, 0, 0, 0, 0));
	cl_int *p;
	MADE(p = clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_READ, 0, 64, 0, 0, 0, &e));
	CHECK(p[0] == 5 && p[4] == 9 && p[1] == 0x20002);
	NOT_MADE(CL_INVALID_VALUE, clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_READ, 0, 640, 0, 0, 0, &e));
	OK(clEnqueueUnmapMemObject(queue, b, p, 0, 0, 0));
	FAILS(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue, b, p, 0, 0, 0));
	OK(clEnqueueMigrateMemObjects(queue, 1, &b, 0, 0, 0, 0));
	FAILS(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(queue, 0, &b, 0, 0, 0, 0));
	OK(clFinish(queue));
	size_t size;
	OK(clGetMemObjectInfo(a, CL_MEM_SIZE, sizeof size, &size, 0));
	CHECK(size == sizeof in);
	FAILS(CL_INVALID_VALUE, clGetMemObjectInfo(a, 1, sizeof size, &size, 0));
	OK(clSetMemObjectDestructorCallback(a, on_mem, 0));
	FAILS(CL_INVALID_VALUE, clSetMemObjectDestructorCallback(a, 0, 0));
	OK(clRetainMemObject(a));
	OK(clReleaseMemObject(a));
	OK(clReleaseMemObject(a));
	OK(clReleaseMemObject(s));
	wait_for(1);
	FAILS(CL_INVALID_MEM_OBJECT, clReleaseMemObject(a));
	OK(clReleaseMemObject(b));
	NOT_MADE(CL_INVALID_OPERATION, clCreatePipe(context, 0, 4, 4, 0, &e));
	FAILS(CL_INVALID_MEM_OBJECT, clGetPipeInfo(b, CL_PIPE_PACKET_SIZE, 8, &size, 0));
}

static void images(void) {
	cl_image_format f = {CL_RGBA, CL_UNORM_INT8}, bad = {1, 1};
	cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 4};
	cl_mem a, b, c, buf;
	MADE(a = clCreateImage(context, 0, &f, &d, 0, &e));
	NOT_MADE(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(context, 0, &bad, &d, 0, &e));
	MADE(b = clCreateImageWithProperties(context, 0, 0, &f, &d, 0, &e));
	NOT_MADE(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImageWithProperties(context, 0, 0, &f, 0, 0, &e));
	MADE(c = clCreateImage2D(context, 0, &f, 8, 4, 0, 0, &e));
	NOT_MADE(CL_INVALID_IMAGE_SIZE, clCreateImage2D(context, 0, &f, 0, 4, 0, 0, &e));
	OK(clReleaseMemObject(c));
	MADE(c = clCreateImage3D(context, 0, &f, 8, 4, 2, 0, 0, 0, &e));
	NOT_MADE(CL_INVALID_IMAGE_SIZE, clCreateImage3D(context, 0, &f, 8, 4, 0, 0, 0, 0, &e));
	cl_uint n;
	cl_image_format formats[200];
	OK(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 200, formats, &n));
	CHECK(n > 50);
	FAILS(CL_INVALID_VALUE, clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_BUFFER, 200, formats, &n));
	size_t width, zero[3] = {0}, region[3] = {8, 4, 1}, large[3] = {9, 4, 1};
	OK(clGetImageInfo(a, CL_IMAGE_WIDTH, sizeof width, &width, 0));
	CHECK(width == 8);
	FAILS(CL_INVALID_VALUE, clGetImageInfo(a, 1, sizeof width, &width, 0));
	cl_float red[4] = {1, 0, 0, 1};
	OK(clEnqueueFillImage(queue, a, red, zero, region, 0, 0, 0));
	FAILS(CL_INVALID_VALUE, clEnqueueFillImage(queue, a, red, zero, large, 0, 0, 0));
	OK(clEnqueueCopyImage(queue, a, b, zero, zero, region, 0, 0, 0));
	FAILS(CL_MEM_COPY_OVERLAP, clEnqueueCopyImage(queue, a, a, zero, zero, region, 0, 0, 0));
	MADE(buf = clCreateBuffer(context, 0, 128, 0, &e));
	OK(clEnqueueCopyImageToBuffer(queue, b, buf, zero, region, 0, 0, 0, 0));
	FAILS(CL_INVALID_VALUE, clEnqueueCopyImageToBuffer(queue, b, buf, zero, region, 4, 0, 0, 0));
	OK(clEnqueueCopyBufferToImage(queue, buf, c, 0, zero, region, 0, 0, 0));
	FAILS(CL_INVALID_VALUE, clEnqueueCopyBufferToImage(queue, buf, c, 0, zero, large, 0, 0, 0));
	cl_uint texels[32];
	OK(clEnqueueReadImage(queue, c, CL_TRUE, zero, region, 0, 0, texels, 0, 0, 0));
	CHECK(texels[0] == 0xff0000ff && texels[31] == 0xff0000ff);
	FAILS(CL_INVALID_VALUE, clEnqueueReadImage(queue, c, CL_TRUE, zero, region, 1, 0, texels, 0, 0, 0));
	texels[31] = 7;
	OK(clEnqueueWriteImage(queue, a, CL_TRUE, zero, region, 0, 0, texels, 0, 0, 0));
	FAILS(CL_INVALID_VALUE, clEnqueueWriteImage(queue, a, CL_TRUE, zero, region, 0, 0, 0, 0, 0, 0));
	size_t row, slice, last[3] = {7, 3, 0}, one[3] = {1, 1, 1};
	cl_uint *p;
	MADE(p = clEnqueueMapImage(queue, a, CL_TRUE, CL_MAP_READ, last, one, &row, &slice, 0, 0, 0, &e));
	CHECK(*p == 7 && row == 32);
	NOT_MADE(CL_INVALID_VALUE, clEnqueueMapImage(queue, a, CL_TRUE, CL_MAP_READ, last, region, &row, &slice, 0, 0, 0, &e));
	OK(clEnqueueUnmapMemObject(queue, a, p, 0, 0, 0));
	cl_sampler s;
	MADE(s = clCreateSampler(context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &e));
	NOT_MADE(CL_INVALID_VALUE, clCreateSampler(context, CL_TRUE, 1, CL_FILTER_LINEAR, &e));
	cl_filter_mode mode;
	OK(clGetSamplerInfo(s, CL_SAMPLER_FILTER_MODE, sizeof mode, &mode, 0));
	CHECK(mode == CL_FILTER_LINEAR);
	FAILS(CL_INVALID_VALUE, clGetSamplerInfo(s, 1, sizeof mode, &mode, 0));
	OK(clRetainSampler(s));
	OK(clReleaseSampler(s));
	OK(clReleaseSampler(s));
	FAILS(CL_INVALID_SAMPLER, clReleaseSampler(s));
	FAILS(CL_INVALID_SAMPLER, clRetainSampler(s));
	cl_sampler_properties list[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_NEAREST, 0}, wrong[] = {1, 1, 0};
	MADE(s = clCreateSamplerWithProperties(context, list, &e));
	NOT_MADE(CL_INVALID_VALUE, clCreateSamplerWithProperties(context, wrong, &e));
	OK(clReleaseSampler(s));
	clReleaseMemObject(a), clReleaseMemObject(b), clReleaseMemObject(c), clReleaseMemObject(buf);
}

static cl_program build(const char *text, const char *options) {
	cl_program p;
	MADE(p = clCreateProgramWithSource(context, 1, &text, 0, &e));
	OK(clBuildProgram(p, 1, &device, options, 0, 0));
	return p;
}

static void programs(void) {
	const char *text = "#include \"h.h\"\nint twice(int x);\nkernel void f(global int *p) { p[0] = twice(H); }", *header = "#define H 21\n",
		*library = "int twice(int x) { return 2 * x; }", *name = "h.h", *bad = "kernel void f() { x; }";
	cl_program a, h, l, x, y;
	NOT_MADE(CL_INVALID_VALUE, clCreateProgramWithSource(context, 0, &text, 0, &e));
	MADE(x = clCreateProgramWithSource(context, 1, &bad, 0, &e));
	FAILS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(x, 0, 0, 0, 0, 0));
	CHECK(strstr(message, "undeclared identifier 'x'"));
	FAILS(CL_INVALID_BUILD_OPTIONS, clBuildProgram(x, 0, 0, "-none", 0, 0));
	FAILS(CL_INVALID_VALUE, clBuildProgram(x, 1, 0, 0, 0, 0));
	OK(clReleaseProgram(x));
	MADE(a = clCreateProgramWithSource(context, 1, &text, 0, &e));
	MADE(h = clCreateProgramWithSource(context, 1, &header, 0, &e));
	MADE(l = clCreateProgramWithSource(context, 1, &library, 0, &e));
	OK(clCompileProgram(a, 0, 0, 0, 1, &h, &name, 0, 0));
	FAILS(CL_COMPILE_PROGRAM_FAILURE, clCompileProgram(a, 0, 0, 0, 0, 0, 0, 0, 0));
	OK(clCompileProgram(a, 0, 0, 0, 1, &h, &name, on_program, 0));
	wait_for(1);
	OK(clCompileProgram(l, 0, 0, "-cl-std=CL3.0", 0, 0, 0, 0, 0));
	NOT_MADE(CL_INVALID_VALUE, clLinkProgram(context, 0, 0, 0, 0, 0, 0, 0, &e));
	cl_program both[] = {a, l};
	MADE(x = clLinkProgram(context, 0, 0, "", 2, both, 0, 0, &e));
	cl_uint n;
	OK(clGetProgramInfo(x, CL_PROGRAM_NUM_DEVICES, sizeof n, &n, 0));
	FAILS(CL_INVALID_VALUE, clGetProgramInfo(x, 1, sizeof n, &n, 0));
	size_t size;
	OK(clGetProgramInfo(x, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, 0));
	unsigned char *binary = malloc(size);
	OK(clGetProgramInfo(x, CL_PROGRAM_BINARIES, sizeof binary, &binary, 0));
	cl_int status;
	MADE(y = clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&binary, &status, &e));
	OK(clBuildProgram(y, 0, 0, 0, on_program, 0));
	wait_for(1);
	binary[size / 2]++;
	NOT_MADE(CL_INVALID_BINARY, clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&binary, &status, &e));
	CHECK(status == CL_INVALID_BINARY);
	free(binary);
	cl_build_status built;
	OK(clGetProgramBuildInfo(y, device, CL_PROGRAM_BUILD_STATUS, sizeof built, &built, 0));
	CHECK(built == CL_BUILD_SUCCESS);
	FAILS(CL_INVALID_VALUE, clGetProgramBuildInfo(y, device, 1, sizeof built, &built, 0));
	FAILS(CL_INVALID_VALUE, (clCreateProgramWithBuiltInKernels(context, 1, &device, "k", &e), e));
	FAILS(CL_INVALID_OPERATION, (clCreateProgramWithIL(context, "x", 1, &e), e));
	FAILS(CL_INVALID_OPERATION, clSetProgramReleaseCallback(y, on_program, 0));
	FAILS(CL_INVALID_OPERATION, clSetProgramSpecializationConstant(y, 0, 4, &n));
	cl_kernel k, all[2];
	MADE(k = clCreateKernel(y, "f", &e));
	NOT_MADE(CL_INVALID_KERNEL_NAME, clCreateKernel(y, "g", &e));
	OK(clCreateKernelsInProgram(y, 2, all, &n));
	CHECK(n == 1);
	FAILS(CL_INVALID_VALUE, clCreateKernelsInProgram(y, 0, all, &n));
	OK(clReleaseKernel(all[0]));
	FAILS(CL_INVALID_KERNEL, clReleaseKernel(all[0]));
	FAILS(CL_INVALID_OPERATION, clBuildProgram(y, 0, 0, 0, 0, 0));
	cl_mem m;
	cl_int out = 0;
	MADE(m = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 4, &out, &e));
	OK(clSetKernelArg(k, 0, sizeof m, &m));
	FAILS(CL_INVALID_ARG_INDEX, clSetKernelArg(k, 1, sizeof m, &m));
	FAILS(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 0, 4, &m));
	OK(clEnqueueTask(queue, k, 0, 0, 0));
	FAILS(CL_INVALID_KERNEL, clEnqueueTask(queue, all[0], 0, 0, 0));
	OK(clFinish(queue));
	CHECK(out == 42);
	OK(clRetainProgram(y));
	OK(clReleaseProgram(y));
	clReleaseMemObject(m), clReleaseKernel(k), clReleaseProgram(a), clReleaseProgram(h), clReleaseProgram(l), clReleaseProgram(x);
	OK(clReleaseProgram(y));
	FAILS(CL_INVALID_PROGRAM, clReleaseProgram(y));
}

static void kernels(void) {
	cl_program p = build("kernel void f(global int *p, int n) { p[get_global_id(0)] = n; }\n"
		"kernel void spin(global int *p) { for (;;) p[0]++; }\n"
		"kernel void fault(global int *p) { *(global int *)(64ul + p[0]) = 1; }", "");
	cl_kernel k, c;
	MADE(k = clCreateKernel(p, "f", &e));
	cl_mem m;
	MADE(m = clCreateBuffer(context, 0, 4000, 0, &e));
	cl_int n = 5, *q;
	OK(clSetKernelArg(k, 1, sizeof n, &n));
	size_t global = 1000, local = 10, wrong = 7, got;
	FAILS(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, k, 1, 0, &global, 0, 0, 0, 0));
	OK(clSetKernelArg(k, 0, sizeof m, &m));
	MADE(c = clCloneKernel(k, &e));
	NOT_MADE(CL_INVALID_KERNEL, clCloneKernel((cl_kernel)m, &e));
	OK(clEnqueueNDRangeKernel(queue, c, 1, 0, &global, &local, 0, 0, 0));
	FAILS(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(queue, c, 1, 0, &global, &wrong, 0, 0, 0));
	FAILS(CL_INVALID_WORK_DIMENSION, clEnqueueNDRangeKernel(queue, c, 4, 0, &global, &wrong, 0, 0, 0));
	MADE(q = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ, 0, 4000, 0, 0, 0, &e));
	CHECK(q[0] == 5 && q[999] == 5);
	OK(clEnqueueUnmapMemObject(queue, m, q, 0, 0, 0));
	OK(clRetainKernel(k));
	OK(clReleaseKernel(k));
	OK(clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof n, &n, 0));
	CHECK(n == 2);
	FAILS(CL_INVALID_VALUE, clGetKernelInfo(k, 1, sizeof n, &n, 0));
	char text[64];
	OK(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, 0));
	CHECK(!strcmp(text, "int*"));
	FAILS(CL_INVALID_ARG_INDEX, clGetKernelArgInfo(k, 2, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, 0));
	OK(clGetKernelWorkGroupInfo(k, 0, CL_KERNEL_WORK_GROUP_SIZE, sizeof got, &got, 0));
	FAILS(CL_INVALID_VALUE, clGetKernelWorkGroupInfo(k, device, 1, sizeof got, &got, 0));
	OK(clGetKernelSubGroupInfo(k, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local, &local, sizeof got, &got, 0));
	FAILS(CL_INVALID_VALUE, clGetKernelSubGroupInfo(k, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 0, 0, sizeof got, &got, 0));
	clGetKernelSubGroupInfoKHR_fn khr = (clGetKernelSubGroupInfoKHR_fn)clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSubGroupInfoKHR");
	OK(khr(k, device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof local, &local, sizeof got, &got, 0));
	cl_int (*suggest)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, size_t *) =
		(cl_int(*)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, size_t *))clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR");
	OK(suggest(queue, k, 1, 0, &global, &got));
	CHECK(got > 0 && global % got == 0);
	FAILS(CL_INVALID_WORK_DIMENSION, suggest(queue, k, 0, 0, &global, &got));
	OK(clReleaseKernel(c));
	OK(clReleaseKernel(k));
	FAILS(CL_INVALID_KERNEL, clRetainKernel(k));
	const char *names[] = {"spin", "fault"};
	for (int i = 0; i < 2; i++) {
		MADE(k = clCreateKernel(p, names[i], &e));
		OK(clSetKernelArg(k, 0, sizeof m, &m));
		cl_event v;
		OK(clEnqueueTask(queue, k, 0, 0, &v));
		FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &v));
		OK(clGetEventInfo(v, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof n, &n, 0));
		CHECK(n == CL_OUT_OF_RESOURCES && strstr(message, names[i]));
		FAILS(CL_OUT_OF_RESOURCES, clFinish(queue));
		clReleaseEvent(v), clReleaseKernel(k);
	}
	clReleaseMemObject(m), clReleaseProgram(p);
}

static void events(void) {
	cl_command_queue q;
	MADE(q = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &e));
	cl_event user, v, w;
	MADE(user = clCreateUserEvent(context, &e));
	NOT_MADE(CL_INVALID_CONTEXT, clCreateUserEvent(0, &e));
	OK(clEnqueueMarkerWithWaitList(q, 1, &user, &v));
	FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(q, 0, &user, 0));
	OK(clEnqueueBarrierWithWaitList(q, 1, &v, &w));
	FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueBarrierWithWaitList(q, 1, 0, &w));
	cl_int status = 9, state;
	OK(clSetEventCallback(w, CL_COMPLETE, on_event, &status));
	FAILS(CL_INVALID_VALUE, clSetEventCallback(w, CL_QUEUED, on_event, &status));
	OK(clGetEventInfo(v, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, 0));
	CHECK(state == CL_QUEUED);
	FAILS(CL_INVALID_VALUE, clGetEventInfo(v, 1, sizeof state, &state, 0));
	cl_ulong at;
	FAILS(CL_PROFILING_INFO_NOT_AVAILABLE, clGetEventProfilingInfo(v, CL_PROFILING_COMMAND_END, sizeof at, &at, 0));
	OK(clSetUserEventStatus(user, CL_COMPLETE));
	FAILS(CL_INVALID_OPERATION, clSetUserEventStatus(user, CL_COMPLETE));
	OK(clWaitForEvents(1, &w));
	FAILS(CL_INVALID_VALUE, clWaitForEvents(0, &w));
	wait_for(1);
	CHECK(status == CL_COMPLETE);
	OK(clGetEventProfilingInfo(v, CL_PROFILING_COMMAND_END, sizeof at, &at, 0));
	OK(clRetainEvent(v));
	OK(clReleaseEvent(v));
	OK(clReleaseEvent(v));
	FAILS(CL_INVALID_EVENT, clReleaseEvent(v));
	FAILS(CL_INVALID_EVENT, clRetainEvent(v));
	OK(clEnqueueMarker(q, &v));
	FAILS(CL_INVALID_VALUE, clEnqueueMarker(q, 0));
	OK(clEnqueueWaitForEvents(q, 1, &v));
	FAILS(CL_INVALID_VALUE, clEnqueueWaitForEvents(q, 0, &v));
	OK(clEnqueueBarrier(q));
	FAILS(CL_INVALID_COMMAND_QUEUE, clEnqueueBarrier(0));
	cl_mem m;
	cl_int out = 0;
	MADE(m = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 4, &out, &e));
	void *args[2] = {(void *)77, 0};
	const void *where[1] = {&args[1]};
	OK(clEnqueueNativeKernel(q, native, args, sizeof args, 1, &m, where, 0, 0, 0));
	FAILS(CL_INVALID_VALUE, clEnqueueNativeKernel(q, 0, args, sizeof args, 1, &m, where, 0, 0, 0));
	OK(clFinish(q));
	CHECK(out == 77);
	clReleaseEvent(user), clReleaseEvent(v), clReleaseEvent(w), clReleaseMemObject(m), clReleaseCommandQueue(q);
}

static void shared(void) {
	cl_device_svm_capabilities can;
	OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof can, &can, 0));
	if (!can)
		return;
	cl_int *p, *q, seven = 7, local[2];
	CHECK(p = clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 4096, 0));
	CHECK(q = clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0));
	CHECK(!clSVMAlloc(context, CL_MEM_READ_WRITE, 0, 0));
	OK(clEnqueueSVMMemFill(queue, p, &seven, 4, 4096, 0, 0, 0));
	FAILS(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, p, &seven, 3, 4096, 0, 0, 0));
	OK(clEnqueueSVMMemcpy(queue, CL_TRUE, q, p, 4096, 0, 0, 0));
	FAILS(CL_MEM_COPY_OVERLAP, clEnqueueSVMMemcpy(queue, CL_TRUE, p, p + 1, 64, 0, 0, 0));
	OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, q, 4096, 0, 0, 0));
	FAILS(CL_INVALID_VALUE, clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, 0, 4096, 0, 0, 0));
	CHECK(q[1023] == 7);
	OK(clEnqueueSVMUnmap(queue, q, 0, 0, 0));
	FAILS(CL_INVALID_VALUE, clEnqueueSVMUnmap(queue, 0, 0, 0, 0));
	const void *pointers[] = {p};
	OK(clEnqueueSVMMigrateMem(queue, 1, pointers, 0, 0, 0, 0, 0));
	FAILS(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queue, 0, pointers, 0, 0, 0, 0, 0));
	cl_program prog = build("kernel void f(global int *p) { p[get_global_id(0)] += 1; }", "");
	cl_kernel k;
	MADE(k = clCreateKernel(prog, "f", &e));
	OK(clSetKernelArgSVMPointer(k, 0, p + 1));
	FAILS(CL_INVALID_ARG_INDEX, clSetKernelArgSVMPointer(k, 1, p));
	OK(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof p, &p));
	FAILS(CL_INVALID_VALUE, clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, 3, &p));
	OK(clEnqueueTask(queue, k, 0, 0, 0));
	OK(clFinish(queue));
	CHECK(p[0] == 7 && p[1] == 8 && p[2] == 7);
	void *both[] = {p, q};
	OK(clEnqueueSVMFree(queue, 2, both, on_free, 0, 0, 0, 0));
	FAILS(CL_INVALID_VALUE, clEnqueueSVMFree(queue, 2, 0, 0, 0, 0, 0, 0));
	OK(clFinish(queue));
	wait_for(1);

#define INTEL(name) name##INTEL_fn name = (name##INTEL_fn)clGetExtensionFunctionAddressForPlatform(platform, #name "INTEL")
	INTEL(clHostMemAlloc);         // clHostMemAllocINTEL
	INTEL(clDeviceMemAlloc);       // clDeviceMemAllocINTEL
	INTEL(clSharedMemAlloc);       // clSharedMemAllocINTEL
	INTEL(clMemFree);              // clMemFreeINTEL
	INTEL(clMemBlockingFree);      // clMemBlockingFreeINTEL
	INTEL(clGetMemAllocInfo);      // clGetMemAllocInfoINTEL
	INTEL(clSetKernelArgMemPointer); // clSetKernelArgMemPointerINTEL
	INTEL(clEnqueueMemFill);       // clEnqueueMemFillINTEL
	INTEL(clEnqueueMemcpy);        // clEnqueueMemcpyINTEL
	INTEL(clEnqueueMigrateMem);    // clEnqueueMigrateMemINTEL
	INTEL(clEnqueueMemAdvise);     // clEnqueueMemAdviseINTEL
	cl_int *h, *d, *s;
	MADE(h = clHostMemAlloc(context, 0, 64, 0, &e));
	NOT_MADE(CL_INVALID_BUFFER_SIZE, clHostMemAlloc(context, 0, 0, 0, &e));
	MADE(d = clDeviceMemAlloc(context, device, 0, 64, 0, &e));
	NOT_MADE(CL_INVALID_DEVICE, clDeviceMemAlloc(context, 0, 0, 64, 0, &e));
	MADE(s = clSharedMemAlloc(context, device, 0, 64, 64, &e));
	NOT_MADE(CL_INVALID_VALUE, clSharedMemAlloc(context, device, 0, 64, 3, &e));
	OK(clEnqueueMemFill(queue, h, &seven, 4, 64, 0, 0, 0));
	FAILS(CL_INVALID_VALUE, clEnqueueMemFill(queue, 0, &seven, 4, 64, 0, 0, 0));
	OK(clEnqueueMemcpy(queue, CL_TRUE, d, h, 64, 0, 0, 0));
	OK(clEnqueueMemcpy(queue, CL_TRUE, local, d, 8, 0, 0, 0));
	FAILS(CL_INVALID_VALUE, clEnqueueMemcpy(queue, CL_TRUE, 0, d, 8, 0, 0, 0));
	CHECK(local[1] == 7);
	OK(clEnqueueMigrateMem(queue, s, 64, 0, 0, 0, 0));
	OK(clEnqueueMemAdvise(queue, s, 64, 0, 0, 0, 0));
	FAILS(CL_INVALID_VALUE, clEnqueueMemAdvise(queue, 0, 64, 0, 0, 0, 0));
	OK(clSetKernelArgMemPointer(k, 0, d));
	OK(clEnqueueTask(queue, k, 0, 0, 0));
	size_t size;
	OK(clGetMemAllocInfo(context, d + 1, CL_MEM_ALLOC_SIZE_INTEL, sizeof size, &size, 0));
	CHECK(size == 64);
	FAILS(CL_INVALID_VALUE, clGetMemAllocInfo(context, d, 1, sizeof size, &size, 0));
	OK(clMemBlockingFree(context, d));
	FAILS(CL_INVALID_VALUE, clMemFree(context, d));
	OK(clMemFree(context, h));
	OK(clMemFree(context, s));
	clReleaseKernel(k), clReleaseProgram(prog);
}

// Several threads build and run programs of their own.
static void *thread(void *arg) {
	int n = (int)(size_t)arg;
	cl_program p = build("kernel void f(global int *p, int n) { for (int i = 0; i < n; i++) atomic_inc(p); }", "");
	cl_int e = 0, out;
	cl_command_queue q = clCreateCommandQueueWithProperties(context, device, 0, &e);
	cl_mem m = clCreateBuffer(context, 0, 4, 0, &e);
	cl_kernel k = clCreateKernel(p, "f", &e);
	clSetKernelArg(k, 0, sizeof m, &m), clSetKernelArg(k, 1, sizeof n, &n);
	size_t global = 64;
	for (int i = 0; i < 50; i++) {
		cl_int zero = 0;
		clEnqueueFillBuffer(q, m, &zero, 4, 0, 4, 0, 0, 0);
		clEnqueueNDRangeKernel(q, k, 1, 0, &global, 0, 0, 0, 0);
		if (clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &out, 0, 0, 0) || out != 64 * n)
			return (void *)1;
	}
	clReleaseKernel(k), clReleaseMemObject(m), clReleaseCommandQueue(q), clReleaseProgram(p);
	return 0;
}

static void threads(void) {
	pthread_t t[8];
	for (int i = 0; i < 8; i++)
		pthread_create(&t[i], 0, thread, (void *)(size_t)(i + 1));
	for (int i = 0; i < 8; i++) {
		void *result;
		pthread_join(t[i], &result);
		CHECK(!result);
	}
}

static void on_fault(int signal) {
	_exit(42 + (signal != SIGSEGV));
}

// A child process ends, and the present handler of the application gets its own
// faults.
static void guest(int want) {
	fflush(stdout);
	pid_t child = fork();
	if (child == 0)
		_exit(5);
	int status;
	CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 5);
	child = fork();
	if (child == 0) {
		*(volatile int *)16 = 1;
		_exit(1);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == want);
}

static void on_later_fault(int signal) { _exit(43 + (signal != SIGSEGV)); }

// A handler that is installed after the driver was loaded gets the faults of the application, and
// not those of kernels.
static void later(void) {
	struct sigaction action = {.sa_handler = on_later_fault};
	for (int i = 0; i < 2; i++) {
		sigaction(SIGSEGV, &action, 0);
		cl_program p = build("kernel void fault(global int *p) { *(global int *)(64ul + p[0]) = 1; }", "");
		cl_kernel k;
		cl_mem m;
		cl_int zero = 0;
		MADE(k = clCreateKernel(p, "fault", &e));
		MADE(m = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4, &zero, &e));
		OK(clSetKernelArg(k, 0, sizeof m, &m));
		usleep(2000);
		OK(clEnqueueTask(queue, k, 0, 0, 0));
		FAILS(CL_OUT_OF_RESOURCES, clFinish(queue));
		clReleaseKernel(k), clReleaseProgram(p), clReleaseMemObject(m);
	}
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		*(volatile int *)16 = 1;
		_exit(1);
	}
	int status;
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 43);
}

static void CL_CALLBACK on_print(const char *text, size_t n, size_t complete, void *data) {
	if (complete && n == strlen(text))
		strcat(data, text);
}

// The output of kernels is in order with that of the application, or goes to a callback.
static void output(void) {
	char text[256] = "";
	for (int i = 0; i < 2; i++) {
		cl_context_properties list[] = {0x40B0 /* CL_PRINTF_CALLBACK_ARM */, (cl_context_properties)on_print, 0};
		cl_context c;
		MADE(c = clCreateContext(i ? list : 0, 1, &device, 0, i ? text : 0, &e));
		cl_command_queue q;
		MADE(q = clCreateCommandQueueWithProperties(c, device, 0, &e));
		const char *source = "kernel void f(void) { printf(\"kernel %d\\n\", (int)get_global_id(0)); }";
		cl_program p;
		MADE(p = clCreateProgramWithSource(c, 1, &source, 0, &e));
		OK(clBuildProgram(p, 0, 0, 0, 0, 0));
		cl_kernel k;
		MADE(k = clCreateKernel(p, "f", &e));
		size_t global = 2;
		printf("before\n");
		OK(clEnqueueNDRangeKernel(q, k, 1, 0, &global, 0, 0, 0, 0));
		OK(clFinish(q));
		printf("after\n");
		clReleaseKernel(k), clReleaseProgram(p), clReleaseCommandQueue(q), clReleaseContext(c);
	}
	CHECK(!strcmp(text, "kernel 0\nkernel 1\n"));
}

static void at_exit(void) {
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	puts("all functions passed");
}

int main(void) {
	signal(SIGSEGV, on_fault); // before the driver is loaded
	devices();
	contexts();
	guest(42);
	later(); // before a kernel has run
	buffers();
	images();
	programs();
	kernels();
	events();
	shared();
	threads();
	guest(43);
	later();
	output();
	atexit(at_exit);
	return 0;
}
