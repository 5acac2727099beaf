package utest

import (
	"encoding/binary"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/internal/ndarg"
	"github.com/simtc/simtc/kernel"
	wasmsimd "github.com/simtc/simtc/targets/wasm-simd"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// image is a memory in which an emitted module can run. Its contents are those set up by
// a host that knows only the layout of the launch context (package vir) and the module's
// description of its kernel.
type image struct {
	bytes    []byte
	contexts []uint32    // arguments of the calls: one per row of each work-group
	buffers  [][2]uint32 // address and length, by argument
	abi      map[string]int
}

func (m *image) take(n int) uint32 {
	at := (len(m.bytes) + 63) &^ 63
	m.bytes = append(m.bytes, make([]byte, at+n-len(m.bytes))...)
	return uint32(at)
}

func (m *image) put(at uint32, b []byte) { copy(m.bytes[at:], b) }

func (m *image) put64(at uint32, v uint64) { binary.LittleEndian.PutUint64(m.bytes[at:], v) }

func (m *image) put3(at uint32, v [3]uint64) {
	for d := range 3 {
		m.put64(at+uint32(8*d), v[d])
	}
}

// pages returns the size of the memory in pages.
func (m *image) pages() uint32 {
	return uint32((len(m.bytes)+wasmsimd.Reserved)/wasm.PageSize + 1)
}

// newImage lays out the memory for run line r of kernel k.
func newImage(k *simtc.Kernel, r *testRun) (*image, error) {
	rng, err := k.Resolve(r.rng)
	if err != nil {
		return nil, err
	}
	text, err := k.Emit("kernel")
	if err != nil {
		return nil, err
	}
	module, err := kernel.Parse("image.simt", string(text))
	if err != nil {
		return nil, err
	}
	f := module.Funcs[0]
	abi, err := k.ABI()
	if err != nil {
		return nil, err
	}
	m := &image{bytes: make([]byte, wasmsimd.Reserved), buffers: make([][2]uint32, len(r.specs)), abi: abi}
	args := m.take(f.ArgBlockSize())
	localArgs := 0 // bytes of local memory of arguments, after the kernel's own
	for i, p := range f.Args[:f.ParamCount()] {
		at := args + uint32(p.Offset)
		if p.Kind == kernel.ArgLocal {
			start := (abi["local_bytes"] + localArgs + 127) &^ 127
			m.put64(at, uint64(start))
			localArgs = start + r.specs[i].Bytes - abi["local_bytes"]
			continue
		}
		if r.specs[i].Kind != ndarg.Buffer {
			m.put(at, r.specs[i].Value)
			continue
		}
		b := m.take(len(r.fills[i]))
		m.put(b, r.fills[i])
		m.put64(at, uint64(b))
		m.buffers[i] = [2]uint32{b, uint32(len(r.fills[i]))}
	}
	table := m.take(8 * len(f.Data))
	placed := map[uint32][]byte{}
	var variables uint32
	if i := f.VariablesArg(); i >= 0 {
		variables = m.take(len(f.Data[0].Bytes))
		m.put64(args+uint32(f.Args[i].Offset), uint64(variables))
	}
	addresses := kernel.Place(f.Data, uint64(variables), func(i int, bytes []byte) uint64 {
		at := m.take(len(bytes))
		placed[at] = bytes
		m.put64(table+uint32(8*i), uint64(at))
		return uint64(at)
	})
	for at, bytes := range placed {
		m.put(at, bytes)
	}
	if variables > 0 {
		m.put(variables, f.Data[0].Bytes)
		for _, a := range f.Data[0].Addresses {
			m.put64(variables+uint32(a.At), addresses[a.Data]+uint64(a.Plus))
		}
	}
	scratch := abi["private_bytes"]
	if abi["phases"] == 1 { // every strip of a group has its own private memory
		width := uint64(abi["width"])
		scratch *= int((rng.Local[0] + width - 1) / width * rng.Local[1] * rng.Local[2])
	}
	private := m.take(scratch)
	localAt := (m.take(127+abi["local_bytes"]+localArgs) + 127) &^ 127
	eachRow(rng, abi["groups"] == 1, func(group, start, size [3]uint64) {
		c := m.take(vir.CtxSize)
		m.contexts = append(m.contexts, c)
		var local, groups [3]uint64
		for d := range 3 {
			local[d] = start[d] - group[d]*rng.Local[d]
			groups[d] = (rng.Global[d] + rng.Local[d] - 1) / rng.Local[d]
			m.put64(c+vir.CtxStart+uint32(8*d), start[d]+rng.Offset[d])
		}
		m.put64(c+vir.CtxCount, size[0])
		m.put3(c+vir.CtxLocalStart, local)
		m.put3(c+vir.CtxGroup, group)
		m.put64(c+vir.CtxGroups, 1)
		m.put3(c+vir.CtxGlobalSize, rng.Global)
		m.put3(c+vir.CtxLocalSize, size)
		m.put3(c+vir.CtxNumGroups, groups)
		m.put3(c+vir.CtxGlobalOffset, rng.Offset)
		m.put64(c+vir.CtxWorkDim, uint64(rng.Dims))
		m.put64(c+vir.CtxArgs, uint64(args))
		m.put64(c+vir.CtxScratch, uint64(private))
		m.put64(c+vir.CtxData, uint64(table))
		m.put64(c+vir.CtxLocal, uint64(localAt))
		m.put64(c+vir.CtxFuel, 1000)
	})
	return m, nil
}

// eachRow calls row for every row of work-items of every work-group, or if groups is set,
// once for every work-group.
func eachRow(r simtc.Range, groups bool, row func(group, start, size [3]uint64)) {
	var n [3]uint64
	for d := range 3 {
		n[d] = (r.Global[d] + r.Local[d] - 1) / r.Local[d]
	}
	for i := range n[0] * n[1] * n[2] {
		group := [3]uint64{i % n[0], i / n[0] % n[1], i / n[0] / n[1]}
		var first, size [3]uint64
		for d := range 3 {
			first[d] = group[d] * r.Local[d]
			size[d] = min(r.Local[d], r.Global[d]-first[d])
		}
		if groups {
			row(group, first, size)
			continue
		}
		for z := range size[2] {
			for y := range size[1] {
				row(group, [3]uint64{first[0], first[1] + y, first[2] + z}, size)
			}
		}
	}
}

// results returns the contents of the buffers in memory after the calls.
func (m *image) results(memory []byte) [][]byte {
	out := make([][]byte, len(m.buffers))
	for i, b := range m.buffers {
		out[i] = memory[b[0] : b[0]+b[1]]
	}
	return out
}
