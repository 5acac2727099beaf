package wasm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/launch/wasmhost/defaulthost"
	"github.com/simtc/simtc/launch/wasmhost/wazerohost"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

func hosts() []wasmhost.Host {
	hs := []wasmhost.Host{wazerohost.New()}
	if d := defaulthost.New(); d.Name() != "wazero" {
		hs = append(hs, d)
	}
	return hs
}

var letters = map[byte]wasm.ValType{'i': wasm.I32, 'l': wasm.I64, 'f': wasm.F32, 'd': wasm.F64, 'v': wasm.V128}

func isStructural(op wasm.Op) bool {
	switch op {
	case wasm.Block, wasm.Loop, wasm.If, wasm.Else, wasm.End, wasm.Br, wasm.BrIf, wasm.BrTable, wasm.Return, wasm.Call,
		wasm.Unreachable, wasm.Drop, wasm.Select, wasm.SelectT, wasm.LocalGet, wasm.LocalSet, wasm.LocalTee:
		return true
	}
	return false
}

// rowFunc returns a function with the row's operand and result types, whose body is the one
// instruction, with immediates selected by variant.
func rowFunc(op wasm.Op, variant int) *wasm.Func {
	r := wasm.Rows[op]
	f := &wasm.Func{}
	b := wasm.NewBuilder(f)
	for i := range len(r.In) {
		f.Params = append(f.Params, wasm.Local{Type: letters[r.In[i]]})
		b.Get(uint32(i))
	}
	for i := range len(r.Out) {
		f.Results = append(f.Results, letters[r.Out[i]])
	}
	in := wasm.Instr{Op: op}
	switch r.Imm {
	case wasm.ImmMem, wasm.ImmMemLane:
		in.Imm = []uint64{0, 127, 128, 0xFFFFFFFF}[variant]
		in.Align = r.N
		if variant%2 == 1 && op.Features() != wasm.Threads {
			in.Align = 0
		}
		if r.Imm == wasm.ImmMemLane {
			in.Lane = uint8(variant) * (16>>r.N - 1) / 3
		}
	case wasm.ImmLane:
		in.Lane = uint8(variant) * (r.N - 1) / 3
	case wasm.ImmI32:
		in.Imm = []uint64{0, 63, 0xFFFFFFC0, 0x80000000}[variant]
	case wasm.ImmI64:
		in.Imm = []uint64{64, 0x7FFFFFFFFFFFFFFF, 1 << 63, 0xFFFFFFFFFFFFFFBF}[variant]
	case wasm.ImmF32:
		in.Imm = []uint64{0x3F8CCCCD, 0x80000000, 0xFFC12345, 0xFF800000}[variant]
	case wasm.ImmF64:
		in.Imm = []uint64{0x3FB999999999999A, 1, 0x7FF8000000000001, 1 << 63}[variant]
	case wasm.ImmV128:
		in.Imm, in.Hi = 0x0706050403020100*uint64(variant), 0xFFEEDDCCBBAA9988
	case wasm.ImmShuffle:
		in.Imm, in.Hi = 0x1F001E011D021C03>>variant&0x1F1F1F1F1F1F1F1F, 0x0011121314151617
	}
	f.Body = append(f.Body, in)
	return f
}

const variants = 4

func rowModule(op wasm.Op) *wasm.Module {
	m := &wasm.Module{Memory: &wasm.Memory{ImportModule: "env", ImportName: "memory", Min: 1, Max: 2, HasMax: true, Shared: op.Features() == wasm.Threads}}
	for v := range variants {
		m.Funcs = append(m.Funcs, rowFunc(op, v))
	}
	return m
}

func TestTableIsComplete(t *testing.T) {
	simd := 0
	codes := map[[2]int]wasm.Op{}
	for op := wasm.Op(0); int(op) < wasm.NumOps; op++ {
		r := wasm.Rows[op]
		require.NotEmpty(t, r.Name, "op %d", op)
		key := [2]int{int(r.Prefix), int(r.Code)}
		require.NotContains(t, codes, key, r.Name)
		codes[key] = op
		if r.Prefix == 0xFD && r.Code < 0x100 {
			simd++
		}
		found, ok := wasm.Lookup(r.Name)
		require.True(t, ok)
		if op != wasm.SelectT {
			require.Equal(t, op, found)
		}
	}
	require.Equal(t, 236, simd)
	require.Equal(t, wasm.RelaxedSIMD, wasm.F32x4RelaxedMadd.Features())
	require.Equal(t, wasm.Threads, wasm.I64AtomicRmwCmpxchg.Features())
	require.Equal(t, "op(9999)", wasm.Op(9999).String())
	require.False(t, wasm.Op(9999).Valid())
	_, ok := wasm.Lookup("i32.frobnicate")
	require.False(t, ok)
}

// TestRowsAgainstEngines checks every row's opcode, immediates and types with every engine:
// the module is valid only if the engine decodes them as the table specifies.
func TestRowsAgainstEngines(t *testing.T) {
	for _, h := range hosts() {
		t.Run(h.Name(), func(t *testing.T) {
			checked := 0
			all := map[bool]*wasm.Module{}
			for op := wasm.Op(0); int(op) < wasm.NumOps; op++ {
				if isStructural(op) || op.Features()&^h.Features() != 0 {
					continue
				}
				m := rowModule(op)
				require.NoError(t, m.Validate(), op.String())
				shared := m.Memory.Shared
				if all[shared] == nil {
					all[shared] = &wasm.Module{Memory: m.Memory}
				}
				all[shared].Funcs = append(all[shared].Funcs, m.Funcs...)
				checked++
			}
			for _, m := range all {
				mod, err := h.Compile(m.Encode())
				if err != nil {
					// Find the row.
					for op := wasm.Op(0); int(op) < wasm.NumOps; op++ {
						if !isStructural(op) && op.Features()&^h.Features() == 0 {
							_, err := h.Compile(rowModule(op).Encode())
							require.NoError(t, err, op.String())
						}
					}
				}
				require.NoError(t, err)
				require.NoError(t, mod.Close())
			}
			want := wasm.NumOps - 17
			if h.Features()&wasm.RelaxedSIMD == 0 {
				want -= 20
			}
			require.Equal(t, want, checked)
		})
	}
}

// TestRowTypesAreExact changes one operand or the result of each row to another type; the
// validator must reject that, as the engines do.
func TestRowTypesAreExact(t *testing.T) {
	for op := wasm.Op(0); int(op) < wasm.NumOps; op++ {
		if isStructural(op) {
			continue
		}
		for i := range len(wasm.Rows[op].In) {
			f := rowFunc(op, 0)
			f.Params[i].Type = other(f.Params[i].Type)
			requireInvalid(t, op, f)
		}
		for i := range len(wasm.Rows[op].Out) {
			f := rowFunc(op, 0)
			f.Results[i] = other(f.Results[i])
			requireInvalid(t, op, f)
		}
	}
}

func other(t wasm.ValType) wasm.ValType {
	if t == wasm.I32 {
		return wasm.F32
	}
	return wasm.I32
}

func requireInvalid(t *testing.T, op wasm.Op, f *wasm.Func) {
	t.Helper()
	m := rowModule(op)
	m.Funcs = []*wasm.Func{f}
	require.Error(t, m.Validate(), op.String())
}
