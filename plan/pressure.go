package plan

import (
	"math/bits"

	"github.com/simtc/simtc/cfg"

	"github.com/simtc/simtc/vir"
)

// registerClass is where a value lives.
type registerClass int

const (
	vectors registerClass = iota
	scalars
	maskRegisters
	numClasses
)

func (c *Costs) class(t vir.Type) registerClass {
	switch {
	case t.IsMask() && c.MaskRegisters > 0:
		return maskRegisters
	case t.IsScalar() && !t.Elem.IsFloat():
		return scalars
	}
	return vectors
}

// spills adds what values cost that find no register: for each loop, those by
// which its fullest block exceeds the registers, once an iteration. Constants
// are left out: they are operands in memory.
func (c *pricing) spills(w *flow, e *Estimate) {
	limit := [numClasses]int{vectors: c.VectorRegisters, scalars: c.ScalarRegisters, maskRegisters: c.MaskRegisters}
	peak, in := w.pressure(c)
	for _, l := range w.loops.Cycles {
		var most [numClasses]int
		for _, b := range l.Blocks {
			if w.blockLoop[b] != l {
				continue
			}
			for k := range most {
				most[k] = max(most[k], peak[b][k])
			}
		}
		idle, invariant := w.through(c, l, in[l.Header])
		for k := range most {
			// What the loop does not use waits in memory, which costs nothing;
			// what it only reads need not be stored.
			over := max(0, most[k]-idle[k]-limit[k])
			read := min(over, invariant[k])
			ns := float64(read)*c.Reload + float64(over-read)*c.Spill
			if registerClass(k) == maskRegisters {
				ns = float64(over) * c.MaskSpill
			}
			e.Parts[Spills] += ns * (w.freq[l.Header] - w.idle[l.Header])
			e.Parts[Waste] += ns * w.idle[l.Header]
		}
	}
}

// pressure returns how many registers of each class are needed at once in each
// block.
func (w *flow) pressure(c *pricing) ([][numClasses]int, []bitset) {
	n := len(w.f.Blocks)
	in := make([]bitset, n)
	words := (w.f.NumValues() + 63) / 64
	for i := range in {
		in[i] = make(bitset, words)
	}
	counts := func(v *vir.Value) bool { return v.Op != vir.Const && w.live[v.ID] }
	leaving := func(b *vir.Block, set bitset) {
		for _, e := range b.Edges {
			set.union(in[e.To.ID])
		}
		for _, e := range b.Edges {
			for i, a := range e.Args {
				if counts(a) && w.live[e.To.Params[i].ID] {
					set.add(a.ID)
				}
			}
		}
		if b.Cond != nil && counts(b.Cond) {
			set.add(b.Cond.ID)
		}
	}
	set := make(bitset, words)
	for changed := true; changed; {
		changed = false
		for i := len(w.order) - 1; i >= 0; i-- {
			b := w.f.Blocks[w.order[i]]
			clear(set)
			leaving(b, set)
			for j := len(b.Values) - 1; j >= 0; j-- {
				v := b.Values[j]
				set.remove(v.ID)
				if !w.live[v.ID] {
					continue
				}
				for _, a := range v.Args {
					if counts(a) {
						set.add(a.ID)
					}
				}
			}
			for _, p := range b.Params {
				set.remove(p.ID)
			}
			changed = in[b.ID].union(set) || changed
		}
	}
	peak := make([][numClasses]int, n)
	w.class, w.size = make([]registerClass, w.f.NumValues()), make([]int, w.f.NumValues())
	note := func(v *vir.Value) { w.class[v.ID], w.size[v.ID] = c.class(v.Type), c.registers(c.scaled(v.Type)) }
	for _, b := range w.f.Blocks {
		for _, p := range b.Params {
			note(p)
		}
		for _, v := range b.Values {
			note(v)
		}
	}
	for _, id := range w.order {
		b := w.f.Blocks[id]
		clear(set)
		leaving(b, set)
		var now [numClasses]int
		set.each(func(v int) { now[w.class[v]] += w.size[v] })
		top := now
		for j := len(b.Values) - 1; j >= 0; j-- {
			v := b.Values[j]
			if set.has(v.ID) {
				set.remove(v.ID)
				now[w.class[v.ID]] -= w.size[v.ID]
			}
			if !w.live[v.ID] {
				continue
			}
			for _, a := range v.Args {
				if counts(a) && !set.has(a.ID) {
					set.add(a.ID)
					now[w.class[a.ID]] += w.size[a.ID]
				}
			}
			for k := range top {
				top[k] = max(top[k], now[k])
			}
		}
		peak[id] = top
	}
	return peak, in
}

// through counts the registers of values from before a loop that are not used in
// it, but after it, and of those that are used; in is what lives at its header.
func (w *flow) through(c *pricing, l *cfg.Cycle, in bitset) (idle, used [numClasses]int) {
	rest := make(bitset, len(in))
	rest.union(in)
	drop := func(vs []*vir.Value) {
		for _, v := range vs {
			rest.remove(v.ID)
		}
	}
	for _, id := range l.Blocks {
		b := w.f.Blocks[id]
		for _, v := range b.Values {
			if w.live[v.ID] {
				drop(v.Args)
			}
		}
		for _, e := range b.Edges {
			drop(e.Args)
		}
		if b.Cond != nil {
			rest.remove(b.Cond.ID)
		}
	}
	rest.each(func(id int) {
		idle[w.class[id]] += w.size[id]
	})
	in.each(func(id int) {
		if !rest.has(id) {
			used[w.class[id]] += w.size[id]
		}
	})
	return idle, used
}

// bitset is a set of value IDs.
type bitset []uint64

func (s bitset) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s bitset) remove(i int)   { s[i/64] &^= 1 << (i % 64) }
func (s bitset) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }

// union adds o and reports whether that changed s.
func (s bitset) union(o bitset) bool {
	changed := false
	for i, x := range o {
		changed = changed || x&^s[i] != 0
		s[i] |= x
	}
	return changed
}

func (s bitset) each(do func(int)) {
	for i, x := range s {
		for ; x != 0; x &= x - 1 {
			do(i*64 + bits.TrailingZeros64(x))
		}
	}
}
