package plan

import (
	"math/bits"

	"github.com/simtc/simtc/cfg"

	"github.com/simtc/simtc/vir"
)

// registerClass is the kind of register a value lives in.
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

// spills returns the spill cost of one execution of each block. If more registers are
// needed than exist, an operand is in memory with the probability that any one of the live
// values is, and so is a result that lives on. Constants are memory operands and do not
// count. Values that live through a loop without a use in it rest in memory for free.
func (c *pricing) spills(w *flow) []float64 {
	out := make([]float64, len(w.f.Blocks))
	in := w.pressure(c)
	idle := make([][numClasses]int, len(w.loops.Cycles))
	for _, l := range w.loops.Cycles {
		idle[l.ID] = w.through(l, in[l.Header])
	}
	room := scratch{alive: make([]int, w.f.NumValues()), uses: make([]int, w.f.NumValues())}
	for _, b := range w.order {
		l := w.blockLoop[b]
		if l == nil {
			continue
		}
		out[b] = c.spilled(w, w.f.Blocks[b], in, idle[l.ID], room)
	}
	return out
}

// scratch is storage by value ID that spilled reuses.
type scratch struct {
	alive []int // 1 + the ID of the block in which the value was last seen alive
	uses  []int // remaining uses in the block; all 0 at the end
}

// spilled returns the spill cost of one execution of b. Values that b does not use are
// spilled first. Values from other blocks may have to be reloaded, once, if all live values
// together exceed the registers; the others only if the values that b uses exceed them.
func (c *pricing) spilled(w *flow, b *vir.Block, in []bitset, idle [numClasses]int, room scratch) float64 {
	alive, uses := room.alive, room.uses
	limit := [numClasses]int{vectors: c.VectorRegisters, scalars: c.ScalarRegisters, maskRegisters: c.MaskRegisters}
	reload := [numClasses]float64{vectors: c.Reload, scalars: c.Reload, maskRegisters: c.MaskSpill / 2}
	store := [numClasses]float64{vectors: c.Spill - c.Reload, scalars: c.Spill - c.Reload, maskRegisters: c.MaskSpill / 2}
	w.uses(b, func(v *vir.Value) { uses[v.ID]++ })
	var now, resting [numClasses]int
	here := b.ID + 1
	add := func(v *vir.Value) {
		if alive[v.ID] != here {
			alive[v.ID] = here
			now[w.class[v.ID]] += w.size[v.ID]
			if uses[v.ID] == 0 && v.Block != b {
				resting[w.class[v.ID]] += w.size[v.ID]
			}
		}
	}
	for _, e := range b.Edges {
		in[e.To.ID].each(func(i int) { add(w.global[i]) })
	}
	w.lastUses(b, add)
	w.lastUses(b, func(v *vir.Value) { uses[v.ID]-- })
	// missing is the probability that a value of a class is in memory, among all live
	// values or those in use.
	missing := func(k registerClass, all bool) float64 {
		need := now[k] - resting[k]
		if all {
			need = now[k] - idle[k]
		}
		return float64(max(0, need-limit[k])) / float64(max(1, need))
	}
	ns := 0.0
	for j := len(b.Values) - 1; j >= 0; j-- {
		v := b.Values[j]
		if alive[v.ID] == here {
			k := w.class[v.ID]
			ns += missing(k, w.globalID[v.ID] >= 0) * store[k] * float64(w.size[v.ID])
			alive[v.ID] = 0
			now[k] -= w.size[v.ID]
		}
		if !w.live[v.ID] {
			continue
		}
		for _, a := range v.Args {
			if w.counts(a) {
				add(a)
			}
		}
		for _, a := range v.Args {
			if w.counts(a) {
				uses[a.ID]--
				first := uses[a.ID] == 0 && a.Block != b
				k := w.class[a.ID]
				ns += missing(k, first) * reload[k] * float64(w.size[a.ID])
			}
		}
	}
	return ns
}

// counts reports whether a value needs a register.
func (w *flow) counts(v *vir.Value) bool { return v.Op != vir.Const && w.live[v.ID] }

// lastUses visits the values used by b's terminator.
func (w *flow) lastUses(b *vir.Block, visit func(*vir.Value)) {
	for _, e := range b.Edges {
		for i, a := range e.Args {
			if w.counts(a) && w.live[e.To.Params[i].ID] {
				visit(a)
			}
		}
	}
	if b.Cond != nil && w.counts(b.Cond) {
		visit(b.Cond)
	}
}

// uses visits the values that b uses, from its end to its beginning.
func (w *flow) uses(b *vir.Block, visit func(*vir.Value)) {
	w.lastUses(b, visit)
	for j := len(b.Values) - 1; j >= 0; j-- {
		v := b.Values[j]
		if !w.live[v.ID] {
			continue
		}
		for _, a := range v.Args {
			if w.counts(a) {
				visit(a)
			}
		}
	}
}

// findGlobal numbers the values used outside their blocks; only these need space in the
// live sets of blocks.
func (w *flow) findGlobal() {
	w.globalID = make([]int, w.f.NumValues())
	for i := range w.globalID {
		w.globalID[i] = -1
	}
	for _, id := range w.order {
		b := w.f.Blocks[id]
		w.uses(b, func(v *vir.Value) {
			if v.Block != b && w.globalID[v.ID] < 0 {
				w.globalID[v.ID] = len(w.global)
				w.global = append(w.global, v)
			}
		})
	}
}

// pressure returns the live-in sets of blocks, and computes the register class and count of
// each value.
func (w *flow) pressure(c *pricing) []bitset {
	w.findGlobal()
	n := len(w.f.Blocks)
	in := make([]bitset, n)
	words := (len(w.global) + 63) / 64
	for i := range in {
		in[i] = make(bitset, words)
	}
	set := make(bitset, words)
	for changed := true; changed; {
		changed = false
		for i := len(w.order) - 1; i >= 0; i-- {
			b := w.f.Blocks[w.order[i]]
			clear(set)
			for _, e := range b.Edges {
				set.union(in[e.To.ID])
			}
			for _, vs := range [][]*vir.Value{b.Params, b.Values} {
				for _, v := range vs {
					if far := w.globalID[v.ID]; far >= 0 {
						set.remove(far)
					}
				}
			}
			w.uses(b, func(v *vir.Value) {
				if v.Block != b {
					set.add(w.globalID[v.ID])
				}
			})
			changed = in[b.ID].union(set) || changed
		}
	}
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
	return in
}

// through counts the registers of values that are live through a loop and unused in it; in
// is the live-in set of its header.
func (w *flow) through(l *cfg.Cycle, in bitset) (idle [numClasses]int) {
	rest := make(bitset, len(in))
	rest.union(in)
	drop := func(vs []*vir.Value) {
		for _, v := range vs {
			if far := w.globalID[v.ID]; far >= 0 {
				rest.remove(far)
			}
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
			drop([]*vir.Value{b.Cond})
		}
	}
	rest.each(func(far int) {
		id := w.global[far].ID
		idle[w.class[id]] += w.size[id]
	})
	return idle
}

// bitset is a set of small numbers.
type bitset []uint64

func (s bitset) add(i int)    { s[i/64] |= 1 << (i % 64) }
func (s bitset) remove(i int) { s[i/64] &^= 1 << (i % 64) }

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
