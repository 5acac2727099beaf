package wasmhost_test

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

// In a process with too little address space for the maximum memory, every engine creates
// memories of a fixed size, and accesses past their end still trap.
func TestLittleAddressSpace(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: only Linux limits the address space of a process")
	}
	if os.Getenv("SIMTC_TEST_LIMITED") == "" {
		c := exec.Command("sh", "-c", `ulimit -v 4000000 && exec "$0" "$@"`, os.Args[0], "-test.run=^TestLittleAddressSpace$", "-test.v")
		c.Env = append(os.Environ(), "SIMTC_TEST_LIMITED=1")
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "--- PASS: TestLittleAddressSpace/wazero")
		return
	}
	eachHost(t, func(t *testing.T, h wasmhost.Host) {
		for _, shared := range []bool{false, true} {
			_, err := h.NewMemory(wasmhost.MemoryType{Min: 1, Max: wasm.MaxPages, Shared: shared})
			require.ErrorIs(t, err, wasmhost.ErrNoRoom)
			store := program(shared, func(b *wasm.Builder) {
				b.Get(0)
				b.I32(9)
				b.Mem(wasm.I32Store, 0, 2)
			})
			for range 20 { // more than fit at once
				mem, err := h.NewMemory(wasmhost.MemoryType{Min: 4096, Max: 4096, Shared: shared})
				require.NoError(t, err)
				require.Len(t, mem.Bytes(), 4096*wasm.PageSize)
				require.NoError(t, mem.Close())
			}
			r := start(t, h, store, wasmhost.MemoryType{Min: 2, Max: 2, Shared: shared})
			require.NoError(t, r.main.Call(2*wasm.PageSize-4))
			require.EqualValues(t, 9, r.mem.Bytes()[2*wasm.PageSize-4])
			for _, at := range []uint32{2*wasm.PageSize - 3, 2 * wasm.PageSize, 1 << 31, 1<<32 - 4} {
				var trap *wasmhost.Trap
				require.ErrorAs(t, r.main.Call(at), &trap, at)
				require.Equal(t, wasmhost.TrapOutOfBounds, trap.Kind)
			}
			require.Error(t, r.mem.Grow(3))
		}
	})
}
