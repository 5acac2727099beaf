//go:build cgo && ((linux && (amd64 || arm64)) || (darwin && (amd64 || arm64)) || (windows && amd64))

package wasmtimehost

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/bytecodealliance/wasmtime-go/v39"

	"github.com/simtc/simtc/launch/wasmhost"
)

type instance struct {
	store *wasmtime.Store
	own   bool // the instance owns the store
	inst  *wasmtime.Instance
}

func (i *instance) Close() error {
	if i.own {
		i.store.Close()
	}
	return nil
}

func (i *instance) Func(name string) (wasmhost.Func, error) {
	e := i.inst.GetExport(i.store, name)
	if e == nil || e.Func() == nil {
		return nil, fmt.Errorf("wasm module exports no function %q", name)
	}
	f := e.Func()
	t := f.Type(i.store)
	if p := t.Params(); len(p) != 1 || p[0].Kind() != wasmtime.KindI32 || len(t.Results()) != 0 {
		return nil, fmt.Errorf("wasm function %q is not of type (i32) -> ()", name)
	}
	raw := f.AsExtern()
	out := &function{inst: i, context: unsafe.Pointer(i.store.Context())}
	out.ptr = C.simtc_func_of(unsafe.Pointer(&raw), &out.id)
	return out, nil
}

type function struct {
	inst    *instance
	context unsafe.Pointer // the store's, cached: fetching it costs as much as a call
	id      C.uint64_t     // of the store
	ptr     unsafe.Pointer
}

func (f *function) Call(arg uint32) error {
	out := C.simtc_call(f.context, f.id, f.ptr, C.uint32_t(arg))
	runtime.KeepAlive(f)
	if out.error != nil {
		return takeError(out.error)
	}
	if out.trap != nil {
		return takeTrap(out.trap)
	}
	return nil
}

func takeError(e unsafe.Pointer) error {
	s := C.simtc_take_error(e)
	defer C.free(unsafe.Pointer(s))
	return plain(errors.New(C.GoString(s)))
}

// kinds is indexed by wasmtime_trap_code_t.
var kinds = map[C.int]wasmhost.TrapKind{
	0: wasmhost.TrapStackOverflow,
	1: wasmhost.TrapOutOfBounds,
	2: wasmhost.TrapMisaligned,
	6: wasmhost.TrapIntegerOverflow,
	7: wasmhost.TrapDivideByZero,
	8: wasmhost.TrapBadConversion,
	9: wasmhost.TrapUnreachable,
}

func takeTrap(t unsafe.Pointer) error {
	var info C.simtc_trap_info
	C.simtc_take_trap(t, &info)
	defer C.free(unsafe.Pointer(info.message))
	trap := &wasmhost.Trap{
		Kind:   kinds[info.code],
		Func:   C.GoString(&info.name[0]),
		Offset: uint32(info.offset),
	}
	if trap.Kind == wasmhost.TrapOther {
		trap.Detail = plain(errors.New(C.GoString(info.message))).Error()
	}
	return trap
}
