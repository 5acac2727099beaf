package preprocess

import "math/bits"

// hideSets numbers the sets of macros that tokens must not expand any more. Equal sets
// have equal numbers; the empty set is 0. A set is a Patricia tree over the bits of its
// members' ids that shares subtrees with other sets (Okasaki and Gill, "Fast Mergeable
// Integer Maps", 1998). A long chain of macros that expand to each other makes many sets,
// but each adds only a few nodes.
type hideSets struct {
	nodes  []hideNode
	byNode map[hideNode]uint32
	unions map[uint64]uint32
	inters map[uint64]uint32
}

// hideNode is a set. If bit is 0 it has one member; otherwise it is the union of two
// sets, and bit is the highest bit in which their members differ.
type hideNode struct {
	prefix    uint32 // the member, or the bits above bit, which are common to all members
	bit       uint32
	low, high uint32 // the members without the bit, and with it
}

// above reports whether x has n's bits above n.bit.
func (n *hideNode) above(x uint32) bool { return bitsAbove(x, n.bit) == n.prefix }

// bitsAbove clears the given bit of x and those below it.
func bitsAbove(x, bit uint32) uint32 {
	if bit == 0 {
		return x
	}
	return x &^ (bit<<1 - 1)
}

func (h *hideSets) init() {
	h.nodes = make([]hideNode, 1)
	h.byNode = map[hideNode]uint32{}
	h.unions = map[uint64]uint32{}
	h.inters = map[uint64]uint32{}
}

// contains reports whether s is in the set.
func (h *hideSets) contains(set uint32, s *symbol) bool {
	if set == 0 || set == s.hide {
		return set != 0
	}
	n := &h.nodes[set]
	for n.bit != 0 && n.above(s.id) {
		if s.id&n.bit == 0 {
			n = &h.nodes[n.low]
		} else {
			n = &h.nodes[n.high]
		}
	}
	return n.bit == 0 && n.prefix == s.id
}

// add returns the union of the set and s.
func (h *hideSets) add(set uint32, s *symbol) uint32 {
	if s.hide == 0 {
		s.hide = h.number(hideNode{prefix: s.id})
	}
	return h.union(set, s.hide)
}

func (h *hideSets) union(a, b uint32) uint32 { return h.known(h.unions, a, b, h.unite) }

func (h *hideSets) intersect(a, b uint32) uint32 { return h.known(h.inters, a, b, h.meet) }

// known returns the stored result of made for a and b in either order, or computes it.
func (h *hideSets) known(results map[uint64]uint32, a, b uint32, made func(a, b uint32) uint32) uint32 {
	if a == 0 || b == 0 || a == b {
		return made(a, b)
	}
	key := uint64(min(a, b))<<32 | uint64(max(a, b))
	id, ok := results[key]
	if !ok {
		id = made(a, b)
		results[key] = id
	}
	return id
}

// unite computes a union.
func (h *hideSets) unite(a, b uint32) uint32 {
	if a == b || b == 0 {
		return a
	}
	if a == 0 {
		return b
	}
	x, y := h.nodes[a], h.nodes[b]
	if x.bit < y.bit {
		a, x, b, y = b, y, a, x
	}
	switch {
	case !x.above(y.prefix):
		bit := uint32(1) << (bits.Len32(x.prefix^y.prefix) - 1)
		n := hideNode{bitsAbove(x.prefix, bit), bit, a, b}
		if x.prefix&bit != 0 {
			n.low, n.high = b, a
		}
		return h.number(n)
	case x.bit == y.bit:
		x.low, x.high = h.unite(x.low, y.low), h.unite(x.high, y.high)
	case y.prefix&x.bit == 0:
		x.low = h.unite(x.low, b)
	default:
		x.high = h.unite(x.high, b)
	}
	return h.number(x)
}

// meet computes an intersection.
func (h *hideSets) meet(a, b uint32) uint32 {
	if a == b || a == 0 || b == 0 {
		return min(a, b)
	}
	x, y := h.nodes[a], h.nodes[b]
	if x.bit < y.bit {
		x, b, y = y, a, x
	}
	switch {
	case !x.above(y.prefix):
		return 0
	case x.bit == y.bit:
		x.low, x.high = h.meet(x.low, y.low), h.meet(x.high, y.high)
		switch {
		case x.low == 0:
			return x.high
		case x.high == 0:
			return x.low
		}
		return h.number(x)
	case y.prefix&x.bit == 0:
		return h.meet(x.low, b)
	}
	return h.meet(x.high, b)
}

// number returns the number of a set.
func (h *hideSets) number(n hideNode) uint32 {
	id, ok := h.byNode[n]
	if !ok {
		id = uint32(len(h.nodes))
		h.nodes = append(h.nodes, n)
		h.byNode[n] = id
	}
	return id
}
