package boundscheck

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// Limits of Certain, which runs before every launch with new sizes.
const (
	maxSteps = 600 // operations, of all work-items
	maxItems = 27  // work-items
)

// Certain returns an access outside of its object that a work-item of the launch is certain
// to make, or nil if none is found. It executes the work-items at the corners of the range and
// those at the limits that integer arguments suggest, until their control flow depends on
// memory.
func (a *Analysis) Certain(l *Launch) *Violation {
	e := &a.e
	if e.bits == nil {
		e.f, e.o, e.class = a.f, a.o, classify(a.f, a.o)
		e.bits, e.state = make([]uint64, a.f.NumValues()), make([]int32, a.f.NumValues())
	}
	e.l, e.left = l, maxSteps
	for _, item := range candidates(a.f, l) {
		if v := e.follow(item); v != nil {
			return v
		}
		if e.left <= 0 {
			break
		}
	}
	return nil
}

// candidates lists work-items, by global id minus the offset.
func candidates(f *kernel.Func, l *Launch) [][3]uint64 {
	var choices [3][]uint64
	var room [3][4]uint64
	for d := range choices {
		choices[d] = append(room[d][:0], l.Global[d]-1)
		if l.Global[d] > 1 {
			choices[d] = append(choices[d], 0)
		}
	}
	for i, a := range f.Args {
		bits, ok := l.bytes(i, 0, a.Type)
		if a.Kind != kernel.ArgScalar || a.Count != 1 || !a.Type.IsInt() || !ok {
			continue
		}
		for d := range choices {
			x := bits - 1 - l.Offset[d]
			if x < l.Global[d] && len(choices[d]) < 4 && !slices.Contains(choices[d], x) {
				choices[d] = append(choices[d], x)
			}
		}
	}
	items := make([][3]uint64, 0, maxItems)
	for _, z := range choices[2] {
		for _, y := range choices[1] {
			for _, x := range choices[0] {
				if len(items) < maxItems {
					items = append(items, [3]uint64{x, y, z})
				}
			}
		}
	}
	return items
}

// evaluator executes operations that depend only on arguments and ids.
type evaluator struct {
	f    *kernel.Func
	l    *Launch
	left int // operations that may still be executed

	item     [3]uint64
	bits     []uint64 // by value ID; of pointers: the offset in their object
	state    []int32  // by value ID: unknown, number, or inObject plus the index of an object
	o        *objects
	class    []class
	edgeArgs []known
}

type known struct {
	bits  uint64
	state int32
}

const (
	unknown = iota
	number
	inObject // plus the index in objects.list
)

// follow executes a work-item until its control flow depends on memory.
func (e *evaluator) follow(item [3]uint64) *Violation {
	clear(e.state)
	e.item = item
	for b := e.f.Blocks[0]; ; {
		for _, v := range b.Values {
			if e.left--; e.left <= 0 {
				return nil
			}
			if e.class[v.ID] <= argument {
				if bytes, ok := access(v); ok {
					if bad := e.outside(v, bytes); bad != nil {
						return bad
					}
				}
			}
			k := e.compute(v)
			e.bits[v.ID], e.state[v.ID] = k.bits, k.state
		}
		var edge *kernel.Edge
		switch b.Kind {
		case kernel.Jump:
			edge = &b.Edges[0]
		case kernel.Branch, kernel.Switch:
			c := e.get(b.Cond)
			if c.state != number {
				return nil
			}
			if edge = &b.Edges[0]; b.Kind == kernel.Branch && c.bits&1 == 0 {
				edge = &b.Edges[1]
			} else if b.Kind == kernel.Switch {
				if i := slices.Index(b.Cases, c.bits); i >= 0 {
					edge = &b.Edges[i+1]
				}
			}
		default:
			return nil
		}
		e.edgeArgs = e.edgeArgs[:0]
		for _, a := range edge.Args {
			e.edgeArgs = append(e.edgeArgs, e.get(a))
		}
		if e.left -= len(edge.Args) + 1; e.left <= 0 {
			return nil
		}
		for i, p := range edge.To.Params {
			e.bits[p.ID], e.state[p.ID] = e.edgeArgs[i].bits, e.edgeArgs[i].state
		}
		b = edge.To
	}
}

func (e *evaluator) get(v *kernel.Value) known {
	if v.Op == kernel.Const {
		if v.Type.IsPtr() {
			return known{}
		}
		return known{v.Const, number}
	}
	return known{e.bits[v.ID], e.state[v.ID]}
}

// class selects how the evaluator computes a value.
type class uint8

const (
	notComputed   class = iota // depends on memory, or is not supported
	itemQuery                  // depends on the work-item
	launchQuery                // a query with one result for the launch
	argument                   // passed by value
	address                    // the start of an object
	startPhase                 // the first phase of a work-group
	copied                     // equals its operand
	offsetPointer              // a pointer plus an offset
	selected
	computed // from numbers
)

// classify returns the classes of the values of f.
func classify(f *kernel.Func, o *objects) []class {
	of := make([]class, f.NumValues())
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			of[v.ID] = classOf(v, o)
		}
	}
	return of
}

func classOf(v *kernel.Value, o *objects) class {
	switch v.Op {
	case kernel.GlobalID, kernel.LocalID, kernel.GroupID, kernel.LocalSize:
		return itemQuery
	case kernel.AllLanes, kernel.FirstLane:
		return copied
	case kernel.PtrAdd:
		return offsetPointer
	case alu.Select:
		return selected
	case kernel.Load:
		if at, off := root(v.Args[0]); at.Op == kernel.GroupState && off == kernel.StatePhase && v.Count == 1 {
			return startPhase
		}
	}
	switch {
	case kernel.IsQuery(v.Op):
		return launchQuery
	case v.Type.IsPtr():
		if len(v.Args) == 0 && !o.from[v.ID].has(trusted) && !o.from[v.ID].empty() {
			return address
		}
	case v.Op == kernel.Argument, v.Op == kernel.Load, v.Op == kernel.Component:
		return argument // Launch.argument rejects other values
	case v.Op.Pure() && len(v.Args) > 0:
		return computed
	}
	return notComputed
}

// compute returns the result of v.
func (e *evaluator) compute(v *kernel.Value) known {
	switch e.class[v.ID] {
	case computed:
		var bits [3]uint64
		for i, a := range v.Args {
			x := e.get(a)
			if x.state != number {
				return known{}
			}
			bits[i] = x.bits
		}
		return known{alu.Eval(v.Op, v.Type, v.Args[len(v.Args)-1].Type, bits[0], bits[1], bits[2]), number}
	case offsetPointer:
		p, off := e.get(v.Args[0]), e.get(v.Args[1])
		if p.state >= inObject && off.state == number {
			return known{p.bits + off.bits, p.state}
		}
	case selected:
		if c := e.get(v.Args[0]); c.state == number {
			return e.get(v.Args[2-c.bits&1])
		}
	case copied:
		return e.get(v.Args[0])
	case address:
		for i := range e.o.list {
			if e.o.from[v.ID].has(first + i) {
				return known{0, inObject + int32(i)}
			}
		}
	case argument:
		if bits, ok := e.l.argument(v); ok {
			return known{bits, number}
		}
	case startPhase:
		return known{0, number}
	case launchQuery:
		if lo, hi, ok := e.l.query(v); ok && lo == hi {
			return known{lo & v.Type.Mask(), number}
		}
	case itemQuery:
		d := min(v.Index, 2)
		id, local := e.item[d], e.l.Local[d]
		switch v.Op {
		case kernel.GlobalID:
			id += e.l.Offset[d]
		case kernel.LocalID:
			id %= local
		case kernel.GroupID:
			id /= local
		case kernel.LocalSize:
			id = min(local, e.l.Global[d]-id/local*local)
		}
		return known{id & v.Type.Mask(), number}
	}
	return known{}
}

// root strips constant offsets from a pointer.
func root(p *kernel.Value) (at *kernel.Value, offset int64) {
	for p.Op == kernel.PtrAdd && p.Args[1].Op == kernel.Const {
		p, offset = p.Args[0], offset+int64(p.Args[1].Const)
	}
	return p, offset
}

// outside returns a violation if the access v of n bytes is out of bounds, otherwise nil.
func (e *evaluator) outside(v *kernel.Value, n int64) *Violation {
	p := e.get(v.Args[0])
	if p.state < inObject {
		return nil
	}
	x := &e.o.list[p.state-inObject]
	if size, off := e.l.size(x), int64(p.bits); off >= 0 && off <= size-n {
		return nil
	}
	if null := x.op == kernel.Argument && e.l.Args[x.index].Null; e.l.Reads && v.Op == kernel.Load && !null {
		return nil
	}
	item := e.item
	for d := range item {
		item[d] += e.l.Offset[d]
	}
	s := siteOf(e.o, v)
	return s.violation(e.l, x, int64(p.bits), item)
}
