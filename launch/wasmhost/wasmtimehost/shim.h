// The part of wasmtime's C API (v39) that its Go package does not cover, declared as in
// wasmtime.h, and functions adapted to cgo.
#ifndef SIMTC_WASMTIME_SHIM_H
#define SIMTC_WASMTIME_SHIM_H

#include <stddef.h>
#include <stdint.h>

// Layout of wasmtime_extern_t (wasmtime/extern.h).
typedef struct {
	uint8_t kind;
	union {
		struct { uint64_t store; void *private_; } func;
		struct { uint64_t store; uint32_t a, b, c; } global;
		void *shared_memory;
	} of;
} simtc_extern;

enum { SIMTC_EXTERN_FUNC = 0, SIMTC_EXTERN_SHARED_MEMORY = 4 };

// The cause of a failed call: both are null on success.
typedef struct { void *trap, *error; } simtc_outcome;

simtc_outcome simtc_call(void *context, uint64_t store, void *func, uint32_t arg);

// simtc_trap_info reads a trap and deletes it. It returns the code, or -1 if the trap has
// none. offset is the offset of the instruction in the module, or 0; name is the
// function's, truncated to its size; message is wasmtime's, to be freed by the caller.
typedef struct { int code; uint32_t offset; char name[128]; char *message; } simtc_trap_info;
void simtc_take_trap(void *trap, simtc_trap_info *info);

// simtc_take_error deletes an error and returns its message, to be freed by the caller.
char *simtc_take_error(void *error);

// simtc_fixed_memories configures an engine whose memories reserve only their maximum. Its
// code checks bounds instead of relying on the reservation.
void simtc_fixed_memories(void *config);

void *simtc_shared_of(const void *extern_);
void *simtc_func_of(const void *extern_, uint64_t *store);
uint8_t *simtc_shared_data(void *memory);
uint64_t simtc_shared_pages(void *memory);
void *simtc_shared_grow(void *memory, uint64_t pages); // the error, or null

#endif
