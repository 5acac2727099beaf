package legalize

import (
	"math/bits"
	"slices"

	"github.com/simtc/simtc/vir"
)

// network builds a shuffle of structs' components from steps that operate on pairs of registers. The
// bits of the number of the lane that each lane takes are a permutation of those of its own number, or
// constant. In a step, a bit of the register's number becomes one of the lane's number. Shuffles of
// the same sources share steps, so separating or interleaving n components takes log n shuffles for
// each register, instead of n-1. The result is nil if v is no such shuffle, or if steps do not pay off.
//
// Except on targets where one instruction shuffles two registers in any way, steps are those of
// which AVX2 has instructions: interleaving the low or high halves of each 16 bytes, selecting the
// dwords of one parity, and exchanging halves of registers.
func (l *legalizer) network(v *vir.Value, sources []*vir.Value, n int) []*vir.Value {
	if v.Args[0] == v.Args[1] {
		sources = sources[:len(sources)/2]
	}
	from, first, ok := bitPermutation(v)
	k := network{size: v.Type.Elem.Size(), lanes: log2(n), from: from}
	simple := k.size <= l.t.SimpleShuffles
	if !ok || !k.pays(simple) {
		return nil
	}
	steps := k.search(simple)
	if steps == nil {
		return nil
	}
	layouts := k.layouts(steps)
	final := layouts[len(steps)]
	// within has the lanes that put those of a register after the last step in the order of the result.
	within := make([]int, n)
	for i := range within {
		for p, b := range from[:k.lanes] {
			within[i] |= i >> p & 1 << slices.Index(final, b)
		}
	}
	same := make([]int, n)
	for i := range same {
		same[i] = i
	}
	var register func(after, r int) *vir.Value
	register = func(after, r int) *vir.Value {
		if after == 0 {
			return sources[r]
		}
		s, of := steps[after-1], same
		if after == len(steps) && !simple {
			of = within
		}
		other := 1 << (slices.Index(layouts[after-1], s.enters) - k.lanes)
		lanes := make([]int, n)
		for i, to := range of {
			lanes[i] = s.lane(to, r&other != 0, n)
		}
		return l.shared(register(after-1, r&^other), register(after-1, r|other), lanes)
	}
	out := make([]*vir.Value, max(len(v.Lanes)/n, 1))
	for i := range out {
		at := 0
		for p, b := range from[k.lanes:] {
			bit := i >> p & 1
			if k.lanes+p >= log2(len(v.Lanes)) {
				bit = first >> b & 1
			}
			at |= bit << (slices.Index(final, b) - k.lanes)
		}
		out[i] = register(len(steps), at)
		if simple && !slices.Equal(within, same) {
			out[i] = l.shared(out[i], out[i], within)
		}
	}
	if m := len(v.Lanes); m < n {
		at := 0
		for p, b := range from[log2(m):k.lanes] {
			at |= first >> b & 1 << p
		}
		out[0] = l.b.part(out[0], m, at)
	}
	return l.b.regroup(out, l.lanes(v.Type))
}

// shared is permute, which other values of the block may share.
func (l *legalizer) shared(x, y *vir.Value, lanes []int) *vir.Value {
	key := permuteKey{x, y, string(bytesOf(lanes))}
	if l.b.permuted[key] == nil {
		l.b.permuted[key] = l.permute(x, y, lanes)
	}
	return l.b.permuted[key]
}

func log2(n int) int { return bits.Len(uint(n)) - 1 }

// InSteps reports whether the shuffle v, of elements from n registers for each of the result, takes log n
// shuffles for each instead of n-1, if other shuffles take the other elements.
func InSteps(v *vir.Value) bool {
	_, _, ok := bitPermutation(v)
	return ok
}

// bitPermutation reports whether the bits of the number of the lane that v takes in each lane are each a
// different bit of the lane's number, or constant: bit from[p] is bit p of that number. The last
// elements of from are the constant bits, whose values are those of first.
func bitPermutation(v *vir.Value) (from []int, first int, ok bool) {
	lanes, sources := v.Lanes, v.Args[0].Type.Lanes
	if v.Args[0] != v.Args[1] {
		sources *= 2
	}
	if sources&(sources-1) != 0 || len(lanes) > sources {
		return nil, 0, false
	}
	if first = lanes[0]; first >= sources {
		return nil, 0, false
	}
	varying := 0
	for p := range log2(len(lanes)) {
		b := lanes[1<<p] ^ first
		if b == 0 || b&(b-1) != 0 || b&varying != 0 || b&first != 0 || b >= sources {
			return nil, 0, false
		}
		varying |= b
		from = append(from, log2(b))
	}
	for i, x := range lanes {
		want := first
		for p, b := range from {
			want |= i >> p & 1 << b
		}
		if x != want {
			return nil, 0, false
		}
	}
	for b := range log2(sources) {
		if varying>>b&1 == 0 {
			from = append(from, b)
		}
	}
	return from, first, true
}

// network is a permutation of the bits of lane numbers, of which the lowest are those within a
// register.
type network struct {
	size  int   // of an element
	lanes int   // number of bits within a register
	from  []int // by bit of the result: bit of the source
}

// step exchanges a bit within registers for one of their numbers. Position p within a register gets
// the bit from position moves[p], or, if that is enter, the one that enters.
type step struct {
	moves  []int
	leaves int // position
	enters int // bit of the source
}

const enter = -1

// apply returns the layout after a step in which the bit at the given position enters.
func (s step) apply(layout []int, at int) []int {
	out := slices.Clone(layout)
	out[at] = layout[s.leaves]
	for p, m := range s.moves {
		if m == enter {
			m = at
		}
		out[p] = layout[m]
	}
	return out
}

// lane returns the lane that lane i takes from two registers of n lanes, in the result for a leaving
// bit of 0 or 1.
func (s step) lane(i int, one bool, n int) int {
	out := 0
	for p, m := range s.moves {
		if m == enter {
			out |= i >> p & 1 * n
		} else {
			out |= i >> p & 1 << m
		}
	}
	if one {
		out |= 1 << s.leaves
	}
	return out
}

// steps lists the kinds of steps.
func (k network) steps(simple bool) (all []step) {
	add := func(leaves int, moves func(p int) int) {
		s := step{leaves: leaves}
		for p := range k.lanes {
			s.moves = append(s.moves, moves(p))
		}
		all = append(all, s)
	}
	within := 0 // bits within 16 bytes, which are not exchanged one by one
	if simple {
		within = min(log2(16/k.size), k.lanes)
	}
	for at := range within { // interleave
		add(within-1, func(p int) int {
			switch {
			case p == at:
				return enter
			case p > at && p < within:
				return p - 1
			}
			return p
		})
	}
	if within >= 2 && k.size<<(within-2) == 4 { // even or odd dwords
		add(within-2, func(p int) int {
			switch p {
			case within - 2:
				return p + 1
			case within - 1:
				return enter
			}
			return p
		})
	}
	for at := within; at < k.lanes; at++ {
		add(at, func(p int) int {
			if p == at {
				return enter
			}
			return p
		})
	}
	return all
}

// pays reports whether steps are better than taking lanes from one register after the other.
func (k network) pays(simple bool) bool {
	if k.lanes == 0 {
		return false
	}
	entering := 0
	for _, b := range k.from[:k.lanes] {
		if b >= k.lanes {
			entering++
		}
	}
	// Two registers are shuffled at once, unless only simple shuffles are instructions.
	return entering > 1 || simple && entering == 1
}

// layouts returns the bits at each position before and after each step.
func (k network) layouts(steps []step) [][]int {
	layout := make([]int, len(k.from))
	for p := range layout {
		layout[p] = p
	}
	out := [][]int{layout}
	for _, s := range steps {
		layout = s.apply(layout, slices.Index(layout, s.enters))
		out = append(out, layout)
	}
	return out
}

// search returns the fewest steps after which all bits within registers are those of the result, in
// any order unless only simple steps are instructions: then one more step is better than another order.
// It returns nil if that takes more steps.
func (k network) search(simple bool) []step {
	type node struct {
		layout []int // within registers
		steps  []step
	}
	goal := k.from[:k.lanes]
	missing := func(layout []int) (n int) {
		for _, b := range goal {
			if !slices.Contains(layout, b) {
				n++
			}
		}
		return n
	}
	start := k.layouts(nil)[0][:k.lanes]
	limit := missing(start)
	if simple {
		limit++
	}
	kinds := k.steps(simple)
	seen := map[string]bool{}
	var unordered []step
	for level := []node{{layout: start}}; len(level) > 0; {
		var next []node
		for _, x := range level {
			if missing(x.layout) == 0 {
				if !simple || slices.Equal(x.layout, goal) {
					return x.steps
				}
				if unordered == nil {
					unordered = x.steps
				}
			}
			if len(x.steps) == limit || unordered != nil && len(x.steps) > len(unordered) {
				continue
			}
			for b := range k.from {
				if slices.Contains(x.layout, b) {
					continue
				}
				for _, s := range kinds {
					s.enters = b
					layout := s.apply(append(slices.Clone(x.layout), b), k.lanes)[:k.lanes]
					key := string(bytesOf(layout))
					if missing(layout)+len(x.steps)+1 > limit || seen[key] {
						continue
					}
					seen[key] = true
					next = append(next, node{layout, append(slices.Clone(x.steps), s)})
				}
			}
		}
		level = next
	}
	return unordered
}

func bytesOf(xs []int) []byte {
	out := make([]byte, len(xs))
	for i, x := range xs {
		out[i] = byte(x)
	}
	return out
}
