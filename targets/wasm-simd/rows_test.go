package wasmsimd

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/vir"
)

// TestRows: one call runs several rows, until the code reports that it was stopped.
// Functions that run work-groups have no such version.
func TestRows(t *testing.T) {
	f, err := vir.Parse("f", `vir f width 1 scratch 0 {
b0:
  %c = context
  %buf = load.i64 %c disp 184 align 8
  %row = load.i64 %c disp 8 align 8
  %by = shl.i64 %row, 3
  %at = add.i64 %buf, %by
  %was = load.i64 %at align 8
  %sum = add.i64 %was, %row
  store.i64 %at, %sum align 8
  jump b1(0)
b1(%k: i64):
  %next = add.i64 %k, 1
  %go = slt.i64 %next, 5000
  branch %go, b1(%next), b2
b2:
  return
}
`)
	require.NoError(t, err)
	for _, h := range hosts() {
		m, err := Compile([]*vir.Func{f}, Options{Rows: true, Yield: h.Yields()})
		require.NoError(t, err)
		mod, err := h.Compile(m.Encode())
		require.NoError(t, err)
		defer mod.Close()
		mem, err := h.NewMemory(wasmhost.MemoryType{Min: 4})
		require.NoError(t, err)
		defer mem.Close()
		inst, err := mod.Instantiate(mem)
		require.NoError(t, err)
		defer inst.Close()
		fn, err := inst.Func("f" + RowsSuffix)
		require.NoError(t, err)
		all := mem.Bytes()
		word := func(at int) uint64 { return binary.LittleEndian.Uint64(all[at:]) }
		call := func(start, rows, stop uint64) (sums [10]uint64) {
			clear(all[bufAt:][:8*len(sums)])
			fillContext(all[ctxAt:], bufAt, 1)
			binary.LittleEndian.PutUint64(all[ctxAt+vir.CtxStart+8:], start)
			binary.LittleEndian.PutUint64(all[ctxAt+vir.CtxRows:], rows)
			binary.LittleEndian.PutUint64(all[ctxAt+vir.CtxStop:], stop)
			require.NoError(t, fn.Call(ctxAt))
			for i := range sums {
				sums[i] = word(bufAt + 8*i)
			}
			return sums
		}
		require.Equal(t, [10]uint64{2: 2, 3: 3, 4: 4}, call(2, 3, 0), h.Name())
		require.Zero(t, word(ctxAt+vir.CtxStatus))
		require.Equal(t, [10]uint64{9: 9}, call(9, 1, 0))
		require.Equal(t, [10]uint64{5: 5}, call(5, 4, 1), "stopped in the first row")
		require.GreaterOrEqual(t, word(ctxAt+vir.CtxStatus), uint64(vir.StatusStopped))
	}
	of := func(opt Options) (exports []string) {
		m, err := Compile([]*vir.Func{f}, opt)
		require.NoError(t, err)
		for _, f := range m.Funcs {
			exports = append(exports, f.Export)
		}
		return exports
	}
	require.Equal(t, []string{"f"}, of(Options{}))
	require.Equal(t, []string{"f", "f.rows"}, of(Options{Rows: true}))
	f.Groups = true
	require.Equal(t, []string{"f"}, of(Options{Rows: true}))
}
