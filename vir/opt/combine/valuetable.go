package combine

import (
	"math/bits"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// valueTable is an open-addressing hash table of operations, keyed by operator, type,
// attributes and operands.
type valueTable struct {
	slots []*vir.Value
	used  int
}

func newValueTable(n int) *valueTable {
	return &valueTable{slots: make([]*vir.Value, 1<<bits.Len(uint(n+8)))}
}

// find returns the slot of the operation equal to v, or the empty slot for it.
func (t *valueTable) find(v *vir.Value) int {
	mask := len(t.slots) - 1
	at := int(hashOf(v)) & mask
	for t.slots[at] != nil && !sameResult(t.slots[at], v) {
		at = (at + 1) & mask
	}
	return at
}

// put stores v in the slot that find returned, and grows the table if needed.
func (t *valueTable) put(at int, v *vir.Value) {
	if t.slots[at] == nil {
		t.used++
	}
	t.slots[at] = v
	if 4*t.used <= 3*len(t.slots) {
		return
	}
	old := t.slots
	t.slots = make([]*vir.Value, 2*len(old))
	for _, v := range old {
		if v != nil {
			t.slots[t.find(v)] = v
		}
	}
}

func hashOf(v *vir.Value) uint64 {
	h := uint64(v.Op)<<32 | uint64(v.Type.Elem)<<16 | uint64(v.Type.Lanes)
	mix := func(x uint64) {
		h = (bits.RotateLeft64(h, 5) ^ x) * 0x9E3779B97F4A7C15
	}
	mix(uint64(v.Index))
	mix(uint64(v.Disp))
	if alu.InfoOf(v.Op).Commutative {
		mix(uint64(v.Args[0].ID) + uint64(v.Args[1].ID))
		for _, a := range v.Args[2:] {
			mix(uint64(a.ID))
		}
	} else {
		for _, a := range v.Args {
			mix(uint64(a.ID))
		}
	}
	return h ^ h>>32
}

// sameResult reports whether two operations with final operands are equal.
func sameResult(x, y *vir.Value) bool {
	if x.Op != y.Op || x.Type != y.Type || x.Index != y.Index || x.Disp != y.Disp || len(x.Args) != len(y.Args) || !slices.Equal(x.Lanes, y.Lanes) {
		return false
	}
	if slices.Equal(x.Args, y.Args) {
		return true
	}
	return alu.InfoOf(x.Op).Commutative && x.Args[0] == y.Args[1] && x.Args[1] == y.Args[0] && slices.Equal(x.Args[2:], y.Args[2:])
}
