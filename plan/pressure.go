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

// spills returns by block what values cost that find no register, in one run.
// Where more registers are needed than there are, an operand is in memory with the
// chance that one of the values there is, and so is what is made for later.
// Constants are left out: they are operands in memory. What a loop does not use
// waits in memory, which costs nothing.
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

// scratch is room for what spilled keeps of values, by ID.
type scratch struct {
	alive []int // the number of the block, plus 1, that they were last alive in
	uses  []int // uses of the block that are not passed yet; all 0 in the end
}

// spilled is what one run of b spends on values without a register. What b does
// not use rests in memory first. So values from elsewhere may have to be loaded,
// where all want more registers than there are, but once; and the others lack one
// only if what b uses wants more.
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
		in[e.To.ID].each(func(i int) { add(w.far[i]) })
	}
	w.lastUses(b, add)
	w.lastUses(b, func(v *vir.Value) { uses[v.ID]-- })
	// missing is how likely a value of a class is in memory, of all or of those in use.
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
			ns += missing(k, w.farID[v.ID] >= 0) * store[k] * float64(w.size[v.ID])
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

// counts reports whether a value wants a register.
func (w *flow) counts(v *vir.Value) bool { return v.Op != vir.Const && w.live[v.ID] }

// lastUses visits the values that the end of b uses.
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

// findFar numbers the values that are used outside their blocks: the others live
// in one block, and sets by block have no room for them.
func (w *flow) findFar() {
	w.farID = make([]int, w.f.NumValues())
	for i := range w.farID {
		w.farID[i] = -1
	}
	for _, id := range w.order {
		b := w.f.Blocks[id]
		w.uses(b, func(v *vir.Value) {
			if v.Block != b && w.farID[v.ID] < 0 {
				w.farID[v.ID] = len(w.far)
				w.far = append(w.far, v)
			}
		})
	}
}

// pressure returns what is alive at the blocks' beginnings, and finds which and
// how many registers each value takes.
func (w *flow) pressure(c *pricing) []bitset {
	w.findFar()
	n := len(w.f.Blocks)
	in := make([]bitset, n)
	words := (len(w.far) + 63) / 64
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
					if far := w.farID[v.ID]; far >= 0 {
						set.remove(far)
					}
				}
			}
			w.uses(b, func(v *vir.Value) {
				if v.Block != b {
					set.add(w.farID[v.ID])
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

// through counts the registers of values from before a loop that are not used in
// it, but after it; in is what lives at its header.
func (w *flow) through(l *cfg.Cycle, in bitset) (idle [numClasses]int) {
	rest := make(bitset, len(in))
	rest.union(in)
	drop := func(vs []*vir.Value) {
		for _, v := range vs {
			if far := w.farID[v.ID]; far >= 0 {
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
		id := w.far[far].ID
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
