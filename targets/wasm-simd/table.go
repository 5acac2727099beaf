package wasmsimd

import (
	"math/bits"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/switches"
)

// minRanges is the number of ranges at which a table is faster than a tree of branches: an
// engine checks the index again and loads the target, so that a correctly predicted tree of
// three levels is faster.
const minRanges = 10

// findSwitches finds the switches of the function. It counts the uses of their tables: the
// subject, at the end of the root, and the values that the root's edges pass.
func (s *selector) findSwitches() map[int]*switches.Switch {
	found := switches.Find(s.f, minRanges, knownBits)
	for id, w := range found {
		root := s.f.Blocks[id]
		if w.X.Block == root && w.X.Op != vir.Param {
			s.usesLeft[w.X.ID]++
		} else {
			s.crossing[w.X.ID] = true
		}
		for _, e := range root.Edges {
			for _, a := range e.Args {
				s.crossing[a.ID] = true
			}
		}
	}
	return found
}

// knownBits returns n such that the bits of v from n on are known to be zero.
func knownBits(v *vir.Value) int {
	n := v.Type.Elem.Bits()
	switch v.Op {
	case vir.Const:
		return bits.Len64(v.Const)
	case alu.And:
		return min(knownBits(v.Args[0]), knownBits(v.Args[1]))
	case alu.ZExt:
		return knownBits(v.Args[0])
	case alu.LShr:
		if c := v.Args[1]; c.Op == vir.Const && c.Const < uint64(n) {
			return max(0, knownBits(v.Args[0])-int(c.Const))
		}
	}
	return n
}

// jumpByTable ends a block whose switch has a table.
func (s *selector) jumpByTable(n *node) {
	w := n.table
	x, entries := s.get(w.X)[0], uint64(len(w.Entries))
	if x.typ == wasm.I64 {
		x = s.do(wasm.I64Sub, x, k64(int64(w.Lo)))
		in := s.do(wasm.I64LtU, x, k64(int64(entries)))
		x = s.choose(s.do(wasm.I32WrapI64, x), k32(int32(entries)), in)
	} else if w.Lo != 0 { // smaller values wrap beyond all entries
		x = s.do(wasm.I32Sub, x, k32(int32(uint32(w.Lo))))
	}
	edges := w.Edges()
	label := func(e switches.Edge) wasm.Label {
		return s.labels[s.lay.pos[n.succs[slices.Index(edges, e)].node]]
	}
	var labels []wasm.Label
	for _, e := range w.Entries {
		labels = append(labels, label(e))
	}
	s.push(x)
	if w.Checked {
		s.b.BrTable(labels, label(w.Other))
	} else {
		s.b.BrTable(labels[:entries-1], labels[entries-1])
	}
}
