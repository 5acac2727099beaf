package wasmsimd

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// memory emits loads and stores.
func (s *selector) memory(v *vir.Value) {
	switch {
	case v.Op == vir.Atomic, v.Op == vir.CmpXchg:
		s.atomic(v)
	case v.Op == vir.VAtomic, v.Op == vir.VCmpXchg:
		s.laneAtomics(v)
	case v.Op == vir.Load:
		s.load(v)
	case v.Op == vir.Store:
		s.store(v)
	case v.Op == vir.VLoad && v.Type.IsScalar(), v.Op == vir.Gather && v.Type.IsScalar(),
		v.Op == vir.VStore && v.Args[1].Type.IsScalar(), v.Op == vir.Scatter && v.Args[2].Type.IsScalar():
		s.oneLane(v)
	case v.Op == vir.VLoad:
		s.vload(v)
	case v.Op == vir.VStore:
		s.vstore(v)
	case v.Op == vir.Gather:
		s.gather(v)
	case v.Op == vir.Scatter:
		s.scatter(v)
	default:
		s.fail(v, "unsupported operation")
	}
}

// maxFold limits the displacements that become offsets of instructions. An offset is added
// without wrapping around, so the rest of the sum must not be negative if the address is
// valid, which the reserved page ensures.
const maxFold = Reserved / 2

// address returns the low half of the address of a memory operation, without the offset to
// put into instructions.
func (s *selector) address(v *vir.Value) (reg, uint32) {
	base := s.lowOf(v.Args[0])
	if base.isCst {
		return k32(int32(uint32(base.lo) + uint32(v.Disp))), 0
	}
	if v.Disp >= 0 && v.Disp < maxFold {
		return base, uint32(v.Disp)
	}
	return s.do(wasm.I32Add, base, k32(int32(v.Disp))), 0
}

// align returns the log2 of an alignment, at most that of the access.
func align(bytes, log2 int) uint8 {
	n := 0
	for n < log2 && bytes > 0 && bytes%(2<<n) == 0 {
		n++
	}
	return uint8(n)
}

func log2(x int) int {
	n := 0
	for x > 1 {
		x >>= 1
		n++
	}
	return n
}

func loadOp(t alu.Type) wasm.Op {
	switch t {
	case alu.I8:
		return wasm.I32Load8U
	case alu.I16, alu.F16:
		return wasm.I32Load16U
	case alu.I32:
		return wasm.I32Load
	case alu.F32:
		return wasm.F32Load
	case alu.F64:
		return wasm.F64Load
	}
	return wasm.I64Load
}

func storeOp(t alu.Type) wasm.Op {
	switch t {
	case alu.I8:
		return wasm.I32Store8
	case alu.I16, alu.F16:
		return wasm.I32Store16
	case alu.I32:
		return wasm.I32Store
	case alu.F32:
		return wasm.F32Store
	case alu.F64:
		return wasm.F64Store
	}
	return wasm.I64Store
}

func (s *selector) load(v *vir.Value) {
	base, off := s.address(v)
	dst := s.def(v)[0]
	s.push(base)
	s.b.Mem(loadOp(v.Type.Elem), off, align(v.Align, log2(v.Type.Elem.Size())))
	s.b.Set(dst.local)
}

func (s *selector) store(v *vir.Value) {
	base, off := s.address(v)
	t := v.Args[1].Type.Elem
	s.push(base, s.get(v.Args[1])[0])
	s.b.Mem(storeOp(t), off, align(v.Align, log2(t.Size())))
}

// oneLane emits single-lane vector accesses: conditional scalar ones.
func (s *selector) oneLane(v *vir.Value) {
	base, off := s.address(v)
	if v.Op == vir.Gather || v.Op == vir.Scatter {
		i := s.get(v.Args[1])[0]
		if i.typ == wasm.I64 {
			i = s.do(wasm.I32WrapI64, i)
		}
		base = s.do(wasm.I32Add, s.do(wasm.I32Add, base, k32(int32(off))), s.do(wasm.I32Mul, i, k32(int32(v.Scale))))
		off = 0
	}
	cond := s.get(v.Args[vir.InfoOf(v.Op).Mask])[0]
	if v.Op == vir.VLoad || v.Op == vir.Gather {
		dst := s.def(v)[0]
		s.push(cond)
		s.b.If(dst.typ)
		s.push(base)
		s.b.Mem(loadOp(v.Type.Elem), off, 0)
		s.b.Else()
		s.push(zero(dst.typ))
		s.b.End()
		s.b.Set(dst.local)
		return
	}
	data := v.Args[vir.InfoOf(v.Op).Mask-1]
	s.push(s.choose(base, s.sink(off), cond), s.get(data)[0])
	s.b.Mem(storeOp(data.Type.Elem), off, 0)
}

// sink returns an address, without the offset that will be added, to which 16 bytes may be
// written. Stores of inactive lanes go there instead of being branched around: wasmtime
// sinks a computation that only conditional code uses into each such use, and each lane of
// a vector would compute all of it.
func (s *selector) sink(off uint32) reg {
	return s.do(wasm.I32Add, reg{typ: wasm.I32, local: 0}, k32(int32(vir.CtxSink-off)))
}

// chunkOps load and store one lane, by log2 of its bytes.
var (
	chunkLoads  = [4]wasm.Op{wasm.V128Load8Lane, wasm.V128Load16Lane, wasm.V128Load32Lane, wasm.V128Load64Lane}
	chunkStores = [4]wasm.Op{wasm.V128Store8Lane, wasm.V128Store16Lane, wasm.V128Store32Lane, wasm.V128Store64Lane}
)

// vload loads a contiguous vector. Under a mask it loads all lanes if any is active, since
// the neighbourhood of an active lane is readable (see Reserved), or if they are readable
// in any case, and clears the others.
func (s *selector) vload(v *vir.Value) {
	base, off := s.address(v)
	m := v.Args[1]
	if m.Op == vir.Const && !allTrue(m) {
		s.into(v, func(int) reg { return k(8, 0) })
		return
	}
	if allTrue(m) {
		for p, dst := range s.def(v) {
			s.loadPart(v.Type, v.Align, dst, base, off, p)
		}
		return
	}
	lanes := s.get(m)
	load := func(out []reg) {
		for p, dst := range out {
			s.loadPart(v.Type, v.Align, dst, base, off, p)
			s.push(dst, lanes[p])
			s.b.Op(wasm.V128And)
			s.b.Set(dst.local)
		}
	}
	if s.inPrivate(v) {
		load(s.def(v))
		return
	}
	any := s.anyLane(m)
	out := s.def(v)
	s.push(any)
	s.b.If(wasm.BlockVoid)
	load(out)
	s.b.Else()
	for _, dst := range out {
		s.push(k(8, 0))
		s.b.Set(dst.local)
	}
	s.b.End()
}

// loadPart loads part p of a contiguous vector of type t; the last part may be short.
func (s *selector) loadPart(t vir.Type, aligned int, dst, base reg, off uint32, p int) {
	off += uint32(16 * p)
	left := t.Lanes*t.Elem.Size() - 16*p
	if left >= 16 {
		s.push(base)
		s.b.Mem(wasm.V128Load, off, align(aligned, 4))
		s.b.Set(dst.local)
		return
	}
	s.push(k(8, 0))
	s.b.Set(dst.local)
	for at, n := 0, 3; n >= 0; n-- {
		for ; left-at >= 1<<n; at += 1 << n {
			s.push(base, dst)
			s.b.MemLane(chunkLoads[n], off+uint32(at), align(aligned, n), uint8(at>>n))
			s.b.Set(dst.local)
		}
	}
}

// vstore stores a contiguous vector. Inactive lanes must not be written even with their old
// contents, since other threads may be writing them: a vector with inactive lanes goes to
// the sink. If some lanes are active, each is then stored to its place or to the sink, without
// branches, which would be mispredicted. Private memory, and the local memory of the running
// group, have no other writers.
func (s *selector) vstore(v *vir.Value) {
	base, off := s.address(v)
	data, m := v.Args[1], v.Args[2]
	x := s.get(data)
	if m.Op == vir.Const {
		if allTrue(m) {
			for p := range x {
				s.storePart(v, x[p], base, off, p)
			}
		}
		return
	}
	bits := data.Type.Elem.Bits()
	per, size := 128/bits, bits/8
	if m.Op == vir.Unbits && m.Args[0].Op == vir.Const {
		for l := range data.Type.Lanes {
			if m.Args[0].Const>>l&1 == 1 {
				s.push(base, x[l/per])
				s.b.MemLane(chunkStores[log2(size)], off+uint32(l*size), align(v.Align, log2(size)), uint8(l%per))
			}
		}
		return
	}
	if s.private(v) || v.Local {
		s.storeBlended(v, base, off)
		return
	}
	for p := range x {
		n := min(per, data.Type.Lanes-p*per)
		set := s.laneBits(m, p)
		all := s.do(wasm.I32Eq, set, k32(1<<n-1))
		sink := s.sink(off + uint32(16*p))
		s.storePart(v, x[p], s.choose(base, sink, all), off, p)
		// Of none and all of the lanes, one is 0 and the other the maximum.
		s.push(s.do(wasm.I32Sub, set, k32(1)), k32(1<<n-2))
		s.b.Op(wasm.I32LtU)
		s.b.If(wasm.BlockVoid)
		for l := range n {
			at := off + uint32(16*p+l*size)
			s.push(s.choose(base, sink, s.do(wasm.I32And, set, k32(1<<l))), x[p])
			s.b.MemLane(chunkStores[log2(size)], at, 0, uint8(l))
		}
		s.b.End()
	}
}

// storeBlended stores the old contents in inactive lanes, for memory of this worker only.
func (s *selector) storeBlended(v *vir.Value, base reg, off uint32) {
	t, m := v.Args[1].Type, v.Args[2]
	x, lanes := s.get(v.Args[1]), s.get(m)
	guarded := !s.inPrivate(v)
	if guarded {
		s.push(s.anyLane(m))
		s.b.If(wasm.BlockVoid)
	}
	for p := range x {
		old := s.temporary(wasm.V128)
		s.loadPart(t, v.Align, old, base, off, p)
		s.push(x[p], old, lanes[p])
		s.b.Op(wasm.V128Bitselect)
		s.b.Set(old.local)
		s.storePart(v, old, base, off, p)
	}
	if guarded {
		s.b.End()
	}
}

func (s *selector) storePart(v *vir.Value, x, base reg, off uint32, p int) {
	off += uint32(16 * p)
	t := v.Args[1].Type
	left := t.Lanes*t.Elem.Size() - 16*p
	if left >= 16 {
		s.push(base, x)
		s.b.Mem(wasm.V128Store, off, align(v.Align, 4))
		return
	}
	for at, n := 0, 3; n >= 0; n-- {
		for ; left-at >= 1<<n; at += 1 << n {
			s.push(base, x)
			s.b.MemLane(chunkStores[n], off+uint32(at), align(v.Align, n), uint8(at>>n))
		}
	}
}

// laneAddresses returns the lanes' addresses as vectors of 32-bit lanes.
func (s *selector) laneAddresses(v *vir.Value) ([]reg, uint32) {
	base, off := s.address(v)
	index := v.Args[1]
	in := s.get(index)
	if index.Type.Elem != alu.I32 {
		out := make([]reg, partsFor(index.Type.Lanes, 32))
		for p := range out {
			out[p] = s.narrow(64, in[2*p], in[min(2*p+1, len(in)-1)])
		}
		in = out
	}
	from := s.do(wasm.I32x4Splat, base)
	out := make([]reg, len(in))
	for p := range in {
		x := in[p]
		if v.Scale > 1 {
			x = s.do(wasm.I32x4Shl, x, k32(int32(log2(v.Scale))))
		}
		out[p] = s.do(wasm.I32x4Add, from, x)
	}
	return out, off
}

// evenSteps returns an address and the nonnegative constant distances of the lanes from it,
// if all lanes are active; else none.
func (s *selector) evenSteps(v *vir.Value) (base reg, offs []uint32) {
	step, ok := v.Args[1].Steps()
	if !ok || !allTrue(v.Args[vir.InfoOf(v.Op).Mask]) {
		return reg{}, nil
	}
	step *= int64(v.Scale)
	n := int64(v.Args[1].Type.Lanes)
	first := v.Args[1].FirstStep() * step
	low, high := first, first+(n-1)*step
	if low > high {
		low, high = high, low
	}
	if high-low >= maxFold/2 || low != int64(int32(low)) {
		return reg{}, nil
	}
	base, off := s.address(v)
	if at := low + int64(off); at < 0 || at+high-low >= maxFold {
		base, off = s.do(wasm.I32Add, base, k32(int32(at))), 0
		first -= low
	}
	offs = make([]uint32, n)
	for l := range offs {
		offs[l] = uint32(int64(off) + first + int64(l)*step)
	}
	return base, offs
}

// gather loads all lanes without branches. Inactive lanes read the reserved page at address
// 0 and are then cleared.
func (s *selector) gather(v *vir.Value) {
	m := v.Args[2]
	if m.Op == vir.Const && !allTrue(m) {
		s.into(v, func(int) reg { return k(8, 0) })
		return
	}
	bits := v.Type.Elem.Bits()
	per, n := 128/bits, log2(bits/8)
	var addr, clear []reg
	base, offs := s.evenSteps(v)
	off := uint32(0)
	if offs == nil {
		addr, off = s.laneAddresses(v)
		if !allTrue(m) {
			active := s.mask(m, 32)
			for p := range addr {
				addr[p] = s.do(wasm.V128And, addr[p], active[p])
			}
			clear = s.mask(m, bits)
		}
	}
	for p, dst := range s.def(v) {
		for l := range min(per, v.Type.Lanes-p*per) {
			at := p*per + l
			if offs != nil {
				s.push(base)
				off = offs[at]
			} else {
				s.push(addr[at/4])
				s.b.Lane(wasm.I32x4ExtractLane, uint8(at%4))
			}
			switch {
			case l == 0 && bits == 32:
				s.b.Mem(wasm.V128Load32Zero, off, 0)
			case l == 0 && bits == 64:
				s.b.Mem(wasm.V128Load64Zero, off, 0)
			default:
				if l == 0 {
					s.push(k(8, 0))
				} else {
					s.push(dst)
				}
				s.b.MemLane(chunkLoads[n], off, 0, uint8(l))
			}
			s.b.Set(dst.local)
		}
		if clear != nil {
			s.push(dst, clear[p])
			s.b.Op(wasm.V128And)
			s.b.Set(dst.local)
		}
	}
}

// scatter stores the active lanes in order, the others to the sink.
func (s *selector) scatter(v *vir.Value) {
	data, m := v.Args[2], v.Args[3]
	if m.Op == vir.Const && !allTrue(m) {
		return
	}
	x := s.get(data)
	bits := data.Type.Elem.Bits()
	per, n := 128/bits, log2(bits/8)
	if base, offs := s.evenSteps(v); offs != nil {
		for l, off := range offs {
			s.push(base, x[l/per])
			s.b.MemLane(chunkStores[n], off, 0, uint8(l%per))
		}
		return
	}
	addr, off := s.laneAddresses(v)
	if !allTrue(m) {
		away := s.do(wasm.I32x4Splat, s.sink(off))
		for p, active := range s.mask(m, 32) {
			addr[p] = s.do(wasm.V128Bitselect, addr[p], away, active)
		}
	}
	for l := range data.Type.Lanes {
		s.push(addr[l/4])
		s.b.Lane(wasm.I32x4ExtractLane, uint8(l%4))
		s.push(x[l/per])
		s.b.MemLane(chunkStores[n], off, 0, uint8(l%per))
	}
}
