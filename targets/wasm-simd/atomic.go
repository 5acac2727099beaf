package wasmsimd

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// rmwOps lists the atomic instructions for 32 and 64 bits.
var rmwOps = map[alu.RMW][2]wasm.Op{
	alu.RMWAdd:  {wasm.I32AtomicRmwAdd, wasm.I64AtomicRmwAdd},
	alu.RMWSub:  {wasm.I32AtomicRmwSub, wasm.I64AtomicRmwSub},
	alu.RMWAnd:  {wasm.I32AtomicRmwAnd, wasm.I64AtomicRmwAnd},
	alu.RMWOr:   {wasm.I32AtomicRmwOr, wasm.I64AtomicRmwOr},
	alu.RMWXor:  {wasm.I32AtomicRmwXor, wasm.I64AtomicRmwXor},
	alu.RMWXchg: {wasm.I32AtomicRmwXchg, wasm.I64AtomicRmwXchg},
}

// atomic emits an atomic access of a scalar.
func (s *selector) atomic(v *vir.Value) {
	base, off := s.address(v)
	var xs []reg
	for _, a := range v.Args[1:] {
		xs = append(xs, s.get(a)[0])
	}
	dst := s.def(v)[0]
	s.move(dst, s.exchange(v, base, off, xs))
}

// laneAtomics emits the accesses of the lanes one by one, each if its mask bit is set.
func (s *selector) laneAtomics(v *vir.Value) {
	m := v.Args[len(v.Args)-1]
	used := s.usesLeft[v.ID] > 0 || s.crossing[v.ID]
	var out []reg
	if used {
		out = s.def(v)
		for _, dst := range out {
			s.push(k(8, 0))
			s.b.Set(dst.local)
		}
	}
	if m.Op == vir.Const && !allTrue(m) {
		return
	}
	addr, off := s.laneAddresses(v)
	var xs [][]reg
	for _, a := range v.Args[2 : len(v.Args)-1] {
		xs = append(xs, s.get(a))
	}
	var active []reg
	if !allTrue(m) {
		active = s.mask(m, 32)
	}
	per := 128 / v.Type.Elem.Bits()
	pick, put := wasm.I32x4ExtractLane, wasm.I32x4ReplaceLane
	if per == 2 {
		pick, put = wasm.I64x2ExtractLane, wasm.I64x2ReplaceLane
	}
	for l := range v.Type.Lanes {
		if active != nil {
			s.push(active[l/4])
			s.b.Lane(wasm.I32x4ExtractLane, uint8(l%4))
			s.b.If(wasm.BlockVoid)
		}
		at := s.doLane(wasm.I32x4ExtractLane, l%4, addr[l/4])
		args := make([]reg, len(xs))
		for i, x := range xs {
			args[i] = s.doLane(pick, l%per, x[l/per])
		}
		old := s.exchange(v, at, off, args)
		if used {
			dst := out[l/per]
			s.push(dst, old)
			s.b.Lane(put, uint8(l%per))
			s.b.Set(dst.local)
		}
		if active != nil {
			s.b.End()
		}
	}
}

// exchange emits one access and returns the old memory contents. Memory that no other
// thread can see is accessed without atomics.
func (s *selector) exchange(v *vir.Value, base reg, off uint32, xs []reg) reg {
	t := v.Type.Elem
	wide := t.Bits() / 64
	natural := uint8(2 + wide)
	updated := func(old reg) reg {
		if op := v.RMW().Info().Op; op != alu.Invalid {
			return s.scalar(op, t, t, []reg{old, xs[0]})
		}
		return xs[0]
	}
	load := func(op wasm.Op) reg {
		s.push(base)
		s.b.Mem(op, off, natural)
		return s.pop(scalarType(t))
	}
	rmw := v.Op == vir.Atomic || v.Op == vir.VAtomic
	if !s.c.opt.Shared || v.Local {
		old := load(loadOp(t))
		var x reg
		if rmw {
			x = updated(old)
		} else {
			x = s.choose(xs[1], old, s.do(scalarOps[alu.Eq][column(t)], old, xs[0]))
		}
		s.push(base, x)
		s.b.Mem(storeOp(t), off, natural)
		return old
	}
	cmpxchg := [2]wasm.Op{wasm.I32AtomicRmwCmpxchg, wasm.I64AtomicRmwCmpxchg}[wide]
	if !rmw {
		s.push(base, xs[0], xs[1])
		s.b.Mem(cmpxchg, off, natural)
		return s.pop(scalarType(t))
	}
	if ops, ok := rmwOps[v.RMW()]; ok {
		s.push(base, xs[0])
		s.b.Mem(ops[wide], off, natural)
		return s.pop(scalarType(t))
	}
	// Retry until no other thread wrote between the load and the exchange.
	old := load([2]wasm.Op{wasm.I32AtomicLoad, wasm.I64AtomicLoad}[wide])
	retry := s.b.Loop(wasm.BlockVoid)
	seen := s.take(scalarType(t))
	seen.isTmp = true
	s.temps = append(s.temps, seen)
	s.b.Get(old.local)
	s.b.Set(seen.local)
	x := updated(seen)
	s.push(base)
	s.b.Get(seen.local)
	s.push(x)
	s.b.Mem(cmpxchg, off, natural)
	s.b.Tee(old.local)
	s.b.Get(seen.local)
	s.b.Op([2]wasm.Op{wasm.I32Ne, wasm.I64Ne}[wide])
	s.b.BrIf(retry)
	s.b.End()
	return old
}

// fence orders the accesses of threads.
func (s *selector) fence() {
	if s.c.opt.Shared {
		s.b.Op(wasm.AtomicFence)
	}
}

// rank computes the prefix sum of a mask whose active lanes are -1: within a vector in
// steps of one and two lanes, then plus the sum of the preceding vectors.
func (s *selector) rank(v *vir.Value) {
	zero := k(8, 0)
	up := func(x reg, lanes int) reg {
		var bytes [16]byte
		for i := range bytes {
			if bytes[i] = byte(i - 4*lanes); i < 4*lanes {
				bytes[i] = byte(16 + i)
			}
		}
		return s.shuffle(x, zero, bytes)
	}
	carry := zero
	masks := s.get(v.Args[0])
	for p, dst := range s.def(v) {
		m := masks[p]
		x := up(m, 1)
		x = s.do(wasm.I32x4Add, x, up(x, 1))
		x = s.do(wasm.I32x4Add, x, up(x, 2))
		x = s.do(wasm.I32x4Add, x, carry)
		if p+1 < len(masks) {
			last := s.doLane(wasm.I32x4ExtractLane, 3, s.do(wasm.I32x4Add, x, m))
			carry = s.do(wasm.I32x4Splat, last)
		}
		s.move(dst, s.do(wasm.I32x4Sub, zero, x))
	}
}
