//go:build cgo && ((linux && (amd64 || arm64)) || (darwin && (amd64 || arm64)) || (windows && amd64))

// The build constraint above keeps cgo from compiling this file without the Go files.
#include "shim.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct { uint64_t store_id; void *private_; } wasmtime_func_t;
typedef union { int32_t i32; int64_t i64; uint8_t v128[16]; void *ref; } wasmtime_val_raw_t;
typedef struct { size_t size; char *data; } wasm_byte_vec_t;

extern void *wasmtime_func_call_unchecked(void *store, const wasmtime_func_t *func,
	wasmtime_val_raw_t *args_and_results, size_t len, void **trap);
extern bool wasmtime_trap_code(const void *trap, uint8_t *code);
extern void wasm_trap_message(const void *trap, wasm_byte_vec_t *out);
extern void *wasm_trap_origin(const void *trap);
extern void wasm_trap_delete(void *trap);
extern size_t wasm_frame_module_offset(const void *frame);
extern const wasm_byte_vec_t *wasmtime_frame_func_name(const void *frame);
extern void wasm_frame_delete(void *frame);
extern void wasmtime_error_message(const void *error, wasm_byte_vec_t *out);
extern void wasmtime_error_delete(void *error);
extern void wasm_byte_vec_delete(wasm_byte_vec_t *vec);
extern uint8_t *wasmtime_sharedmemory_data(const void *memory);
extern uint64_t wasmtime_sharedmemory_size(const void *memory);
extern void wasmtime_config_memory_reservation_set(void *config, uint64_t bytes);
extern void wasmtime_config_memory_guard_size_set(void *config, uint64_t bytes);
extern void wasmtime_config_memory_reservation_for_growth_set(void *config, uint64_t bytes);
extern void *wasmtime_sharedmemory_grow(const void *memory, uint64_t delta, uint64_t *prev);

simtc_outcome simtc_call(void *context, uint64_t store, void *func, uint32_t arg) {
	wasmtime_func_t f = {store, func};
	wasmtime_val_raw_t v[1];
	simtc_outcome out = {NULL, NULL};
	memset(v, 0, sizeof v);
	v[0].i32 = (int32_t)arg;
	out.error = wasmtime_func_call_unchecked(context, &f, v, 1, &out.trap);
	return out;
}

static char *take(wasm_byte_vec_t *vec) {
	char *s = malloc(vec->size + 1);
	if (s != NULL) {
		memcpy(s, vec->data, vec->size);
		s[vec->size] = 0;
	}
	wasm_byte_vec_delete(vec);
	return s;
}

void simtc_take_trap(void *trap, simtc_trap_info *info) {
	uint8_t code;
	wasm_byte_vec_t message;
	info->code = wasmtime_trap_code(trap, &code) ? code : -1;
	info->offset = 0;
	info->name[0] = 0;
	void *frame = wasm_trap_origin(trap);
	if (frame != NULL) {
		size_t at = wasm_frame_module_offset(frame);
		if (at <= UINT32_MAX) info->offset = (uint32_t)at;
		const wasm_byte_vec_t *name = wasmtime_frame_func_name(frame);
		if (name != NULL) {
			size_t n = name->size < sizeof info->name - 1 ? name->size : sizeof info->name - 1;
			memcpy(info->name, name->data, n);
			info->name[n] = 0;
		}
		wasm_frame_delete(frame);
	}
	wasm_trap_message(trap, &message);
	info->message = take(&message);
	wasm_trap_delete(trap);
}

void simtc_fixed_memories(void *config) {
	wasmtime_config_memory_reservation_set(config, 0);
	wasmtime_config_memory_guard_size_set(config, 0);
	wasmtime_config_memory_reservation_for_growth_set(config, 0);
}

char *simtc_take_error(void *error) {
	wasm_byte_vec_t message;
	wasmtime_error_message(error, &message);
	wasmtime_error_delete(error);
	return take(&message);
}

void *simtc_shared_of(const void *extern_) {
	const simtc_extern *e = extern_;
	return e->kind == SIMTC_EXTERN_SHARED_MEMORY ? e->of.shared_memory : NULL;
}

void *simtc_func_of(const void *extern_, uint64_t *store) {
	const simtc_extern *e = extern_;
	if (e->kind != SIMTC_EXTERN_FUNC) return NULL;
	*store = e->of.func.store;
	return e->of.func.private_;
}

uint8_t *simtc_shared_data(void *memory) { return wasmtime_sharedmemory_data(memory); }
uint64_t simtc_shared_pages(void *memory) { return wasmtime_sharedmemory_size(memory); }

void *simtc_shared_grow(void *memory, uint64_t pages) {
	uint64_t before;
	return wasmtime_sharedmemory_grow(memory, pages, &before);
}
