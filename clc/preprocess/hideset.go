package preprocess

import "slices"

// hideSets numbers the sets of macros that tokens may no longer expand. Equal
// sets have equal numbers; the empty set is 0.
type hideSets struct {
	sets    [][]uint32 // members are symbol ids, ascending
	byHash  map[uint64][]uint32
	unions  map[uint64]uint32
	inters  map[uint64]uint32
	members int // in all sets
}

func (h *hideSets) init() {
	h.sets = make([][]uint32, 1)
	h.byHash = map[uint64][]uint32{}
	h.unions = map[uint64]uint32{}
	h.inters = map[uint64]uint32{}
}

// contains reports whether s is in set.
func (h *hideSets) contains(set uint32, s *symbol) bool {
	if set == 0 || set == s.hide {
		return set != 0
	}
	_, ok := slices.BinarySearch(h.sets[set], s.id)
	return ok
}

// add returns set with s.
func (h *hideSets) add(set uint32, s *symbol) uint32 {
	if s.hide == 0 {
		s.hide = h.intern([]uint32{s.id})
	}
	return h.union(set, s.hide)
}

func (h *hideSets) union(a, b uint32) uint32 {
	switch {
	case a == b || b == 0:
		return a
	case a == 0:
		return b
	case a > b:
		a, b = b, a
	}
	key := uint64(a)<<32 | uint64(b)
	if id, ok := h.unions[key]; ok {
		return id
	}
	x, y := h.sets[a], h.sets[b]
	out := make([]uint32, 0, len(x)+len(y))
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0] < y[0]:
			out, x = append(out, x[0]), x[1:]
		case x[0] > y[0]:
			out, y = append(out, y[0]), y[1:]
		default:
			out, x, y = append(out, x[0]), x[1:], y[1:]
		}
	}
	out = append(append(out, x...), y...)
	id := h.intern(out)
	h.unions[key] = id
	return id
}

func (h *hideSets) intersect(a, b uint32) uint32 {
	switch {
	case a == b:
		return a
	case a == 0 || b == 0:
		return 0
	case a > b:
		a, b = b, a
	}
	key := uint64(a)<<32 | uint64(b)
	if id, ok := h.inters[key]; ok {
		return id
	}
	x, y := h.sets[a], h.sets[b]
	out := make([]uint32, 0, min(len(x), len(y)))
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0] < y[0]:
			x = x[1:]
		case x[0] > y[0]:
			y = y[1:]
		default:
			out, x, y = append(out, x[0]), x[1:], y[1:]
		}
	}
	id := h.intern(out)
	h.inters[key] = id
	return id
}

// intern returns the number of the set with these members.
func (h *hideSets) intern(members []uint32) uint32 {
	if len(members) == 0 {
		return 0
	}
	hash := uint64(14695981039346656037)
	for _, m := range members {
		hash = (hash ^ uint64(m)) * 1099511628211
	}
	for _, id := range h.byHash[hash] {
		if slices.Equal(h.sets[id], members) {
			return id
		}
	}
	id := uint32(len(h.sets))
	h.sets = append(h.sets, members)
	h.byHash[hash] = append(h.byHash[hash], id)
	h.members += cap(members) + 8 // the slice and its entries in the maps
	return id
}
