package wazerohost

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

// addressSpace returns the size in bytes of the process's address space.
func addressSpace(t *testing.T) uint64 {
	b, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	pages, err := strconv.ParseUint(strings.Fields(string(b))[0], 10, 64)
	require.NoError(t, err)
	return pages * uint64(os.Getpagesize())
}

// Memories, modules and instances that are not closed are closed by the garbage collector,
// without affecting running code.
func TestDropped(t *testing.T) {
	f := &wasm.Func{Name: "main", Export: "main", Params: []wasm.Local{{Type: wasm.I32, Name: "ctx"}}}
	code := (&wasm.Module{
		Name:   "test",
		Memory: &wasm.Memory{ImportModule: "env", ImportName: "memory", Max: wasm.MaxPages, HasMax: true, Shared: true},
		Funcs:  []*wasm.Func{f},
	}).Encode()
	h := New()
	made := func() wasmhost.Func {
		m, err := h.NewMemory(wasmhost.MemoryType{Min: 1, Max: wasm.MaxPages, Shared: true})
		require.NoError(t, err)
		c, err := h.Compile(code)
		require.NoError(t, err)
		i, err := c.Instantiate(m)
		require.NoError(t, err)
		fn, err := i.Func("main")
		require.NoError(t, err)
		return fn
	}
	kept := made()
	before := addressSpace(t)
	const n = 20
	for range n {
		require.NoError(t, made().Call(0))
	}
	require.Eventually(t, func() bool {
		runtime.GC()
		return addressSpace(t) < before+n/4*wasm.MaxPages*wasm.PageSize
	}, 10*time.Second, 10*time.Millisecond)
	require.NoError(t, kept.Call(0))
}
