package wasmhost

import (
	"encoding/binary"
	"math"

	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

// FusedMadd reports whether the relaxed multiply-add of an engine rounds once on this
// machine, in single and double precision. The proposal leaves the choice to the engine but
// requires it to be consistent.
func FusedMadd(h Host) (bool, error) {
	if h.Features()&wasm.RelaxedSIMD == 0 {
		return false, nil
	}
	f := &wasm.Func{Export: "probe", Params: []wasm.Local{{Type: wasm.I32}}}
	b := wasm.NewBuilder(f)
	at := uint32(0)
	for _, op := range []wasm.Op{wasm.F32x4RelaxedMadd, wasm.F64x2RelaxedMadd} {
		b.Get(0)
		for range 3 {
			b.Get(0)
			b.Mem(wasm.V128Load, at, 4)
			at += 16
		}
		b.Op(op)
		b.Mem(wasm.V128Store, at, 4)
		at += 16
	}
	m := &wasm.Module{
		Memory: &wasm.Memory{ImportModule: "env", ImportName: "memory", Max: 1, HasMax: true},
		Funcs:  []*wasm.Func{f},
	}
	mod, err := h.Compile(m.Encode())
	if err != nil {
		return false, err
	}
	defer mod.Close()
	mem, err := h.NewMemory(MemoryType{Min: 1})
	if err != nil {
		return false, err
	}
	defer mem.Close()
	inst, err := mod.Instantiate(mem)
	if err != nil {
		return false, err
	}
	defer inst.Close()
	probe, err := inst.Func("probe")
	if err != nil {
		return false, err
	}
	// (1+u)(1-u)-1 is -u² with one rounding and 0 with two, because 1-u² rounds to 1.
	buf := mem.Bytes()
	const u32, u64 = 1.0 / (1 << 20), 1.0 / (1 << 40)
	for i, x := range []float32{1 + u32, 1 - u32, -1} {
		for l := range 4 {
			binary.LittleEndian.PutUint32(buf[16*i+4*l:], math.Float32bits(x))
		}
	}
	for i, x := range []float64{1 + u64, 1 - u64, -1} {
		for l := range 2 {
			binary.LittleEndian.PutUint64(buf[64+16*i+8*l:], math.Float64bits(x))
		}
	}
	if err := probe.Call(0); err != nil {
		return false, err
	}
	for l := range 4 {
		if binary.LittleEndian.Uint32(buf[48+4*l:]) != math.Float32bits(-u32*u32) {
			return false, nil
		}
	}
	for l := range 2 {
		if binary.LittleEndian.Uint64(buf[112+8*l:]) != math.Float64bits(-u64*u64) {
			return false, nil
		}
	}
	return true, nil
}
