package wasmsimd

import (
	"bytes"
	"encoding/binary"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/launch/wasmhost/wazerohost"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// TestSpilledReplacements: the replacement of an operation gives the same bits, also for
// NaNs and zeros.
func TestSpilledReplacements(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	for op, row := range wasm.Rows {
		op := wasm.Op(op)
		if _, ok := replacements[op]; !ok {
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
				for w := 0; w < 12; w++ { // significant words
					if v := []uint32{0, 1 << 31, 0x7F800000, 0x7FC00000, 0xFFFFFFFF}; rnd.Intn(4) == 0 {
						binary.LittleEndian.PutUint32(in[4*w:], v[rnd.Intn(len(v))])
					}
				}
				require.Equal(t, runOnWazero(t, &plain, in), runOnWazero(t, f, in), "% x", in)
			}
		})
	}
}

// TestSpilledOperand runs a function whose selections wazero miscompiles without any value
// live across a call: there are more values than registers.
func TestSpilledOperand(t *testing.T) {
	text, err := os.ReadFile("testdata/spilled.txt")
	require.NoError(t, err)
	f := readFunc(t, string(text))
	// Arbitrary contents, followed by the fuel and the stop flag.
	in := bytes.Repeat([]byte{0xAA}, 256)
	clear(in[vir.CtxFuel:])
	in[vir.CtxFuel], in[vir.CtxStop] = 100, 1
	avoidSpilledOperands(f)
	require.Equal(t, make([]byte, 16), runAt(t, f, in, 0))
}

// readFunc parses a function of type (i32) -> () in the format of testdata/spilled.txt.
func readFunc(t *testing.T, text string) *wasm.Func {
	f := &wasm.Func{Name: "main", Export: "main", Params: []wasm.Local{{Type: wasm.I32, Name: "at"}}}
	types := map[string]wasm.ValType{}
	for _, typ := range []wasm.ValType{wasm.I32, wasm.I64, wasm.F32, wasm.F64, wasm.V128} {
		types[typ.String()] = typ
	}
	for line := range strings.Lines(text) {
		word := strings.Fields(line)
		switch word[0] {
		case ";":
			continue
		case "locals":
			for _, typ := range word[1:] {
				f.Locals = append(f.Locals, wasm.Local{Type: types[typ]})
			}
			continue
		}
		op, ok := wasm.Lookup(word[0])
		require.True(t, ok, line)
		in := wasm.Instr{Op: op, Align: 2}
		if len(word) > 1 {
			imm, err := strconv.ParseUint(word[1], 10, 64)
			require.NoError(t, err, line)
			in.Imm, in.Hi = imm, imm
		}
		f.Body = append(f.Body, in)
	}
	return f
}

// runOnWazero returns the 16 bytes at address 48 after calling f on a memory that starts
// with in.
func runOnWazero(t *testing.T, f *wasm.Func, in []byte) []byte { return runAt(t, f, in, 48) }

// runAt is runOnWazero for another address.
func runAt(t *testing.T, f *wasm.Func, in []byte, at int) []byte {
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
	out := append([]byte(nil), memory.Bytes()[at:at+16]...)
	require.NoError(t, instance.Close())
	require.NoError(t, memory.Close())
	require.NoError(t, module.Close())
	return out
}
