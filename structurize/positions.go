package structurize

import "math/bits"

// positions is a set of positions in the order of blocks, as a bit set that starts at a
// multiple of 64: in a long chain of tests, each block may have all later ones pending.
type positions struct {
	from  int // position of the first bit of words
	words []uint64
}

// add adds p to the set and reports whether it is new.
func (s *positions) add(p int) bool {
	s.cover(p&^63, p&^63+64)
	w, bit := &s.words[(p-s.from)/64], uint64(1)<<(p%64)
	isNew := *w&bit == 0
	*w |= bit
	return isNew
}

// addAll adds all of t except one position to the set and reports whether any is new.
func (s *positions) addAll(t *positions, except int) (added bool) {
	if len(t.words) == 0 {
		return false
	}
	s.cover(t.from, t.from+64*len(t.words))
	words := s.words[(t.from-s.from)/64:]
	for i, w := range t.words {
		if except/64 == t.from/64+i {
			w &^= 1 << (except % 64)
		}
		added = added || w&^words[i] != 0
		words[i] |= w
	}
	return added
}

// cover extends the bit set to the positions from one multiple of 64 up to another.
func (s *positions) cover(from, to int) {
	if len(s.words) == 0 {
		s.from = from
	}
	if from >= s.from && to <= s.from+64*len(s.words) {
		return
	}
	first, end := min(from, s.from), max(to, s.from+64*len(s.words))
	words := make([]uint64, (end-first)/64)
	copy(words[(s.from-first)/64:], s.words)
	s.from, s.words = first, words
}

// first returns the least position, if the set is not empty.
func (s *positions) first() (p int, some bool) {
	for i, w := range s.words {
		if w != 0 {
			return s.from + 64*i + bits.TrailingZeros64(w), true
		}
	}
	return 0, false
}

// list returns the positions in order.
func (s *positions) list() []int {
	var all []int
	for i, w := range s.words {
		for ; w != 0; w &= w - 1 {
			all = append(all, s.from+64*i+bits.TrailingZeros64(w))
		}
	}
	return all
}
