package wasmsimd

import (
	"encoding/binary"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/launch/wasmhost/wazerohost"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

// TestUnspilledReplacements: what replaces an operation gives the same bits,
// of NaNs and zeros too.
func TestUnspilledReplacements(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	for op, row := range wasm.Rows {
		op := wasm.Op(op)
		if _, ok := unspilled[op]; !ok {
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			f := &wasm.Func{Name: "main", Export: "main", Params: []wasm.Local{{Type: wasm.I32, Name: "at"}}}
			b := wasm.NewBuilder(f)
			b.Get(0)
			for i := range row.In {
				b.Get(0)
				b.Mem(wasm.V128Load, uint32(16*i), 4)
			}
			b.Comment("the operation")
			b.Op(op)
			b.Mem(wasm.V128Store, 48, 4)
			plain := *f
			plain.Body = append([]wasm.Instr(nil), f.Body...)
			avoidSpilledOperands(f)
			require.NotEqual(t, len(plain.Body), len(f.Body), "nothing was replaced")
			require.Len(t, f.Comments, 1)

			for range 200 {
				in := make([]byte, 48)
				rnd.Read(in)
				for w := 0; w < 12; w++ { // words that matter
					if v := []uint32{0, 1 << 31, 0x7F800000, 0x7FC00000, 0xFFFFFFFF}; rnd.Intn(4) == 0 {
						binary.LittleEndian.PutUint32(in[4*w:], v[rnd.Intn(len(v))])
					}
				}
				require.Equal(t, runOnWazero(t, &plain, in), runOnWazero(t, f, in), "% x", in)
			}
		})
	}
}

// runOnWazero gives the 16 bytes at 48 after calling f on a memory that starts
// with in.
func runOnWazero(t *testing.T, f *wasm.Func, in []byte) []byte {
	h := wazerohost.New()
	m := &wasm.Module{
		Memory: &wasm.Memory{ImportModule: "env", ImportName: "memory", Min: 1, Max: 1, HasMax: true},
		Funcs:  []*wasm.Func{f},
	}
	require.NoError(t, m.Validate())
	module, err := h.Compile(m.Encode())
	require.NoError(t, err)
	memory, err := h.NewMemory(wasmhost.MemoryType{Min: 1})
	require.NoError(t, err)
	instance, err := module.Instantiate(memory)
	require.NoError(t, err)
	call, err := instance.Func("main")
	require.NoError(t, err)
	copy(memory.Bytes(), in)
	require.NoError(t, call.Call(0))
	out := append([]byte(nil), memory.Bytes()[48:64]...)
	require.NoError(t, instance.Close())
	require.NoError(t, memory.Close())
	require.NoError(t, module.Close())
	return out
}
