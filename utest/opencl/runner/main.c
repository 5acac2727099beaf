/* Runs one OpenCL kernel as often as it is told, and times it.
 *
 *   runner list
 *   runner run SOURCE OPTIONS KERNEL DIMS GLOBAL LOCAL OFFSET ARG...
 *
 * GLOBAL, LOCAL and OFFSET are x,y,z; LOCAL may be "-" for the driver's choice. ARG is one of
 *   r:BYTES:PATH  w:BYTES:PATH  b:BYTES:PATH   a buffer whose contents lie in a file: read-only, write-only, both
 *   v:BYTES:PATH                               a value
 *   l:BYTES                                    local memory
 * After building, commands are read from stdin, one a line, and answered on stdout with one line each:
 *   run           enqueue once and wait: "ok CPU_NS WALL_NS", the CPU time being the whole process's
 *   reset         write the initial contents of every buffer
 *   save I PATH   write buffer argument I to a file
 * The first line out is "ok BUILD_CPU_NS BUILD_WALL_NS DEVICE". A failure is a text on stderr and exit status 3.
 */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_ARGS = 256, MAX_PLATFORMS = 16 };

struct argument {
  char kind;
  size_t bytes;
  void *initial;
  cl_mem buffer;
};

static struct argument arguments[MAX_ARGS];
static int argument_count;
static cl_command_queue queue;

static void fail(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
  fputc('\n', stderr);
  exit(3);
}

static void check(cl_int status, const char *call) {
  if (status != CL_SUCCESS)
    fail("%s: OpenCL error %d", call, (int)status);
}

static long long clock_ns(clockid_t which) {
  struct timespec t;
  clock_gettime(which, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* load returns at least bytes bytes: the contents of the file and zeros behind them. */
static char *load(const char *path, size_t bytes, size_t *size) {
  FILE *f = fopen(path, "rb");
  if (!f)
    fail("cannot open %s", path);
  fseek(f, 0, SEEK_END);
  size_t n = ftell(f);
  rewind(f);
  char *p = calloc(1, (n > bytes ? n : bytes) + 1);
  if (!p || fread(p, 1, n, f) != n)
    fail("cannot read %s", path);
  fclose(f);
  if (size)
    *size = n;
  return p;
}

/* pick takes the first CPU of any platform; where there is none, the first device at all. */
static cl_device_id pick(void) {
  cl_platform_id platforms[MAX_PLATFORMS];
  cl_uint count = 0;
  check(clGetPlatformIDs(MAX_PLATFORMS, platforms, &count), "clGetPlatformIDs");
  const cl_device_type types[] = {CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_ALL};
  for (int t = 0; t < 2; t++)
    for (cl_uint p = 0; p < count && p < MAX_PLATFORMS; p++) {
      cl_device_id device;
      if (clGetDeviceIDs(platforms[p], types[t], 1, &device, 0) == CL_SUCCESS)
        return device;
    }
  fail("no OpenCL device");
  return 0;
}

static const char *describe(cl_device_id device) {
  static char text[1024];
  char name[256] = "", version[256] = "", driver[256] = "";
  clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, 0);
  clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version - 1, version, 0);
  clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof driver - 1, driver, 0);
  snprintf(text, sizeof text, "%s; %s; %s", name, version, driver);
  return text;
}

static void triple(const char *text, size_t out[3]) {
  out[0] = out[1] = out[2] = 0;
  sscanf(text, "%zu,%zu,%zu", &out[0], &out[1], &out[2]);
}

static void write_initial(void) {
  for (int i = 0; i < argument_count; i++)
    if (arguments[i].buffer)
      check(clEnqueueWriteBuffer(queue, arguments[i].buffer, CL_TRUE, 0, arguments[i].bytes, arguments[i].initial, 0, 0, 0), "clEnqueueWriteBuffer");
}

static void set_argument(cl_context context, cl_kernel kernel, int i, char *text) {
  struct argument *a = &arguments[i];
  char *path = 0;
  a->kind = text[0];
  a->bytes = strtoull(text + 2, &path, 10);
  if (a->kind != 'l')
    a->initial = load(path + 1, a->bytes, 0);
  cl_int status = CL_SUCCESS;
  cl_mem_flags access = a->kind == 'r' ? CL_MEM_READ_ONLY : a->kind == 'w' ? CL_MEM_WRITE_ONLY : CL_MEM_READ_WRITE;
  switch (a->kind) {
  case 'l':
    status = clSetKernelArg(kernel, i, a->bytes, 0);
    break;
  case 'v':
    status = clSetKernelArg(kernel, i, a->bytes, a->initial);
    break;
  default:
    a->buffer = clCreateBuffer(context, access, a->bytes, 0, &status);
    check(status, "clCreateBuffer");
    status = clSetKernelArg(kernel, i, sizeof a->buffer, &a->buffer);
  }
  if (status != CL_SUCCESS)
    fail("argument %d: clSetKernelArg: OpenCL error %d", i, (int)status);
}

static void save(int i, const char *path) {
  if (i < 0 || i >= argument_count || !arguments[i].buffer)
    fail("argument %d is not a buffer", i);
  void *p = malloc(arguments[i].bytes);
  check(clEnqueueReadBuffer(queue, arguments[i].buffer, CL_TRUE, 0, arguments[i].bytes, p, 0, 0, 0), "clEnqueueReadBuffer");
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(p, 1, arguments[i].bytes, f) != arguments[i].bytes || fclose(f))
    fail("cannot write %s", path);
  free(p);
}

static void run(cl_kernel kernel, int dims, const size_t *offset, const size_t *global, const size_t *local) {
  cl_event event;
  long long wall = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  check(clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, 0, 0, &event), "clEnqueueNDRangeKernel");
  check(clFinish(queue), "clFinish");
  cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  wall = clock_ns(CLOCK_MONOTONIC) - wall;
  cl_int state = CL_COMPLETE;
  check(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, 0), "clGetEventInfo");
  if (state < 0)
    fail("the kernel failed: OpenCL error %d", (int)state);
  clReleaseEvent(event);
  printf("ok %lld %lld\n", cpu, wall);
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "list")) {
    printf("ok 0 0 %s\n", describe(pick()));
    return 0;
  }
  if (argc < 9 || argc - 9 > MAX_ARGS || strcmp(argv[1], "run"))
    fail("usage: runner run SOURCE OPTIONS KERNEL DIMS GLOBAL LOCAL OFFSET ARG...");
  size_t global[3], local[3], offset[3], length;
  triple(argv[6], global);
  triple(argv[7], local);
  triple(argv[8], offset);
  const char *source = load(argv[2], 0, &length);
  cl_int status;
  cl_device_id device = pick();
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &status);
  check(status, "clCreateContext");
  queue = clCreateCommandQueue(context, device, 0, &status);
  check(status, "clCreateCommandQueue");

  long long wall = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  cl_program program = clCreateProgramWithSource(context, 1, &source, &length, &status);
  check(status, "clCreateProgramWithSource");
  status = clBuildProgram(program, 1, &device, argv[3], 0, 0);
  if (status != CL_SUCCESS) {
    static char log[1 << 16];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, 0);
    fail("%s\nclBuildProgram: OpenCL error %d", log, (int)status);
  }
  cl_kernel kernel = clCreateKernel(program, argv[4], &status);
  check(status, "clCreateKernel");
  cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  wall = clock_ns(CLOCK_MONOTONIC) - wall;

  argument_count = argc - 9;
  for (int i = 0; i < argument_count; i++)
    set_argument(context, kernel, i, argv[9 + i]);
  write_initial();
  printf("ok %lld %lld %s\n", cpu, wall, describe(device));
  fflush(stdout);
  char line[4096], path[4096];
  while (fgets(line, sizeof line, stdin)) {
    int i;
    line[strcspn(line, "\n")] = 0;
    if (!strcmp(line, "run")) {
      run(kernel, atoi(argv[5]), offset, global, argv[7][0] == '-' ? 0 : local);
    } else if (!strcmp(line, "reset")) {
      write_initial();
      puts("ok 0 0");
    } else if (sscanf(line, "save %d %4095[^\n]", &i, path) == 2) {
      save(i, path);
      puts("ok 0 0");
    } else {
      fail("unknown command %s", line);
    }
    fflush(stdout);
  }
  return 0;
}
