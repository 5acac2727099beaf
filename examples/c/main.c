/* Calls a kernel that was compiled to an object file, from C without any
 * library:
 *
 *   simtc compile examples/saxpy.cl -o saxpy.o
 *   cc examples/c/main.c saxpy.o -o saxpy && ./saxpy
 *
 * Generated code is no C function. It takes the address of a launch context in
 * rdi, clobbers every register but rsp, and may spill registers below its private
 * memory.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern char saxpy[];
extern const uint64_t saxpy_spill_bytes;

/* invoke(context, code) keeps what the C caller owns. */
void invoke(void *context, void *code);
__asm__(".text\n.globl invoke\ninvoke:\n"
        "push %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "xor %ebp, %ebp\ncall *%rsi\nvzeroupper\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx\nret\n"
        ".section .note.GNU-stack,\"\",@progbits\n.text\n");

enum { N = 1000 };

/* The argument block has the kernel's arguments at their natural alignment. */
struct arguments {
  float a;
  const float *x;
  float *y;
};

/* The launch context: 64-bit fields at the offsets of vir/context.go. */
struct context {
  uint64_t start[3], count, local_start[3], group[3];
  uint64_t global_size[3], local_size[3], num_groups[3], global_offset[3], work_dim;
  const void *args;
  void *scratch;
  const void *const *data;
  uint64_t rest[6];
};

int main(void) {
  static float x[N], y[N];
  for (int i = 0; i < N; i++) {
    x[i] = i;
    y[i] = 1;
  }
  struct arguments args = {2, x, y};
  size_t below = (saxpy_spill_bytes + 63) / 64 * 64;
  char *memory = aligned_alloc(64, below + 64); /* saxpy has no private arrays */
  struct context c = {
      .count = N,
      .global_size = {N, 1, 1}, .local_size = {N, 1, 1}, .num_groups = {1, 1, 1},
      .work_dim = 1, .args = &args, .scratch = memory + below,
  };
  invoke(&c, saxpy);
  double sum = 0;
  for (int i = 0; i < N; i++)
    sum += y[i];
  printf("y[1] = %g, y[%d] = %g, sum %.0f\n", y[1], N - 1, y[N - 1], sum);
  free(memory);
  return 0;
}
