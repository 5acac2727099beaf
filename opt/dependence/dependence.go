package dependence

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/simtc/simtc/kernel"
)

// Dependence is a pair of accesses, at least one of them a store, of which one iteration's From and
// a later iteration's To may touch the same memory.
type Dependence struct {
	From, To *kernel.Value
	Distance int64 // in iterations, the smallest possible; 0: unknown
}

// String describes the dependence with source lines.
func (d Dependence) String() string {
	kind := func(v *kernel.Value) string {
		if v.Op == kernel.Store {
			return "store"
		}
		return "load"
	}
	by := "at an unknown distance"
	if d.Distance > 0 {
		by = fmt.Sprintf("at distance %d", d.Distance)
	}
	return fmt.Sprintf("the %s in line %d depends on the %s in line %d, %s", kind(d.To), d.To.Pos.Line, kind(d.From), d.From.Pos.Line, by)
}

// Result is what the accesses of a loop depend on.
type Result struct {
	// Carried are the dependences between different iterations that do not hold if each operation
	// runs for several iterations before the next operation does. Flow dependences come first.
	Carried []Dependence
	// Ordered are those that hold then.
	Ordered []Dependence
	// Distances are dependences like Carried that hold only for some distances between the addresses,
	// which are known only at run time.
	Distances []Distance
	// Rows are invariant values. If one of them is MaxRow or more, there may be further
	// dependences.
	Rows []*kernel.Value
}

// Dependences finds the dependences between different iterations of the loop, except those of the
// objects in private, of which each iteration has its own. Iterations farther apart than
// MaxDistance do not count.
func (l *Loop) Dependences(private func(object *kernel.Value) bool) Result {
	var all []access
	for _, id := range l.cycle.Blocks {
		for _, v := range l.f.Blocks[id].Values {
			if v.Op == kernel.Load || v.Op == kernel.Store {
				if a := l.access(v); !private(root(a.object)) {
					all = append(all, a)
				}
			}
		}
	}
	var r Result
	for _, a := range all {
		for _, b := range all {
			if a.v.Op != kernel.Store && b.v.Op != kernel.Store {
				continue
			}
			c := l.between(a, b)
			d := Dependence{a.v, b.v, c.distance}
			if c.unknown {
				d.Distance = 0
			}
			switch {
			case c.distance > 0 && l.precedes(a.v, b.v):
				r.Ordered = append(r.Ordered, d)
			case c.distance > 0:
				if x, ok := l.symbolic(a, b); ok && c.unknown {
					r.Distances = append(r.Distances, x)
				} else {
					r.Carried = append(r.Carried, d)
				}
			case c.row != nil && !slices.Contains(r.Rows, c.row):
				r.Rows = append(r.Rows, c.row)
			}
		}
	}
	slices.SortStableFunc(r.Carried, func(d, e Dependence) int { return cmp.Compare(d.rank(), e.rank()) })
	return r
}

// rank orders dependences by what readers want to see first.
func (d Dependence) rank() int {
	if d.From.Op == kernel.Store && d.To.Op == kernel.Load {
		return 0
	}
	return 1
}

// precedes reports whether a runs before b in every iteration that runs both.
func (l *Loop) precedes(a, b *kernel.Value) bool {
	if common := l.loops.Common(a.Block.ID, b.Block.ID); common != l.cycle {
		return false // inner iterations of one iteration run before others of another
	}
	if a.Block == b.Block {
		return slices.Index(a.Block.Values, a) < slices.Index(a.Block.Values, b)
	}
	return l.Reaches(a.Block, b.Block)
}

// Reaches reports whether an iteration may run block b after block a.
func (l *Loop) Reaches(a, b *kernel.Block) bool {
	after, ok := l.after[a]
	if !ok {
		after = map[*kernel.Block]bool{}
		work := []*kernel.Block{a}
		for len(work) > 0 {
			x := work[len(work)-1]
			work = work[:len(work)-1]
			for _, e := range x.Edges {
				if l.loops.Contains(l.cycle, e.To.ID) && e.To != l.header && !after[e.To] {
					after[e.To] = true
					work = append(work, e.To)
				}
			}
		}
		l.after[a] = after
	}
	return after[b]
}

// MayMeet reports whether two accesses may touch the same memory in one iteration.
func (l *Loop) MayMeet(v, w *kernel.Value) bool {
	a, b := l.access(v), l.access(w)
	if l.distinct(a.object, b.object) {
		return false
	}
	if a.object != b.object || l.varies(a.object) {
		return true
	}
	d, ok := l.difference(v, w, a.offset, b.offset)
	if !ok || d.row != nil || d.wide != nil {
		return true
	}
	separate, _ := d.separates(a.size, b.size, 0)
	return !separate
}
