/* Calls a kernel that was compiled to an object file, from C without any
 * library:
 *
 *   simtc compile examples/saxpy.cl -o saxpy.o
 *   cc examples/c/main.c saxpy.o -o saxpy && ./saxpy
 *
 * Generated code is no C function. It takes the address of a launch context in
 * rdi, clobbers every register but rsp, and may spill registers below its private
 * memory. What it needs and how it runs the object tells beside it (vir/abi.go).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A kernel of an object, with its numbers. */
struct kernel {
  void *code;
  uint64_t width, x86_64_level, spill_bytes, private_bytes, local_bytes, groups, phases;
  const void *const *data;
};
#define DECLARE(NAME)                                                                      \
  extern char NAME[];                                                                      \
  extern const void *const __simtc_data_##NAME[];                                          \
  extern const uint64_t __simtc_width_##NAME, __simtc_x86_64_level_##NAME,                 \
      __simtc_spill_bytes_##NAME, __simtc_private_bytes_##NAME,                            \
      __simtc_local_bytes_##NAME, __simtc_groups_##NAME, __simtc_phases_##NAME
#define KERNEL(NAME)                                                                       \
  (struct kernel){NAME, __simtc_width_##NAME, __simtc_x86_64_level_##NAME,                 \
                  __simtc_spill_bytes_##NAME, __simtc_private_bytes_##NAME,                \
                  __simtc_local_bytes_##NAME, __simtc_groups_##NAME,                       \
                  __simtc_phases_##NAME, __simtc_data_##NAME}

DECLARE(saxpy);

/* invoke(context, code) keeps what the C caller owns. */
void invoke(void *context, void *code);
__asm__(".text\n.globl invoke\ninvoke:\n"
        "push %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "xor %ebp, %ebp\ncall *%rsi\nvzeroupper\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx\nret\n"
        ".section .note.GNU-stack,\"\",@progbits\n.text\n");

/* The launch context: 64-bit fields at the offsets of vir/context.go. */
struct context {
  uint64_t start[3], count, local_start[3], group[3];
  uint64_t global_size[3], local_size[3], num_groups[3], global_offset[3], work_dim;
  const void *args;
  void *scratch;
  const void *const *data; /* addresses of the program's __constant variables */
  uint64_t groups, fuel, stop, status, profile;
  void *local;
  uint64_t sink[2], state[4], all_local_bytes, reserved, lanes[64];
};
_Static_assert(sizeof(struct context) == 832, "a field is missing");

/* level is that of this processor, of those that code can be for. */
static uint64_t level(void) {
  return __builtin_cpu_supports("x86-64-v4") ? 4 : __builtin_cpu_supports("x86-64-v3") ? 3 : 0;
}

static void *allocate(size_t align, size_t bytes) {
  void *p = aligned_alloc(align, (bytes + align - 1) / align * align);
  if (p == NULL)
    abort();
  return p;
}

/* run runs a kernel over a range of one dimension, in work-groups of local. */
static void run(struct kernel k, const void *args, uint64_t global, uint64_t local) {
  /* With phases all strips of a group have their private memory at the same time. */
  uint64_t strips = k.phases ? (local + k.width - 1) / k.width : 1;
  size_t below = (k.spill_bytes + 63) / 64 * 64;
  char *private = allocate(64, below + strips * k.private_bytes);
  char *group = allocate(128, k.local_bytes + 1); /* local arguments lie behind: their distances */
  struct context *c = allocate(64, sizeof *c);
  /* A kernel that cannot tell groups apart runs rows of work-items of any length. */
  uint64_t step = k.groups ? local : global;
  for (uint64_t at = 0; at < global; at += step) {
    uint64_t count = global - at < step ? global - at : step;
    *c = (struct context){
        .start = {at, 0, 0}, .count = count, .group = {at / step, 0, 0}, .groups = 1,
        .global_size = {global, 1, 1}, .local_size = {count, 1, 1},
        .num_groups = {(global + step - 1) / step, 1, 1}, .work_dim = 1,
        .args = args, .scratch = private + below, .data = k.data, .local = group,
        .all_local_bytes = k.local_bytes,
    };
    invoke(c, k.code);
  }
  free(c);
  free(group);
  free(private);
}

enum { N = 1000 };

/* The argument block has the kernel's arguments at their natural alignment. */
struct arguments {
  float a;
  const float *x;
  float *y;
};

int main(void) {
  static float x[N], y[N];
  for (int i = 0; i < N; i++) {
    x[i] = i;
    y[i] = 1;
  }
  struct arguments args = {2, x, y};
  struct kernel k = KERNEL(saxpy);
  if (k.x86_64_level > level()) {
    printf("saxpy needs a processor of level x86-64-v%d\n", (int)k.x86_64_level);
    return 1;
  }
  run(k, &args, N, 250);
  double sum = 0;
  for (int i = 0; i < N; i++)
    sum += y[i];
  printf("y[1] = %g, y[%d] = %g, sum %.0f\n", y[1], N - 1, y[N - 1], sum);
  return 0;
}
