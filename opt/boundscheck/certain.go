package boundscheck

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// Limits of Certain, which runs before every launch over new sizes.
const (
	maxSteps = 2000 // operations, of all work-items
	maxItems = 27   // work-items
)

// Certain returns an access that a work-item of the launch is certain to make outside of the
// memory that it is meant for, nil if none is found. It follows the work-items at the corners
// of the range, and those at the limits that integer arguments give, as far as their control
// flow depends on nothing that is in memory.
func Certain(f *kernel.Func, l *Launch) *Violation {
	e := &evaluator{f: f, l: l, left: maxSteps}
	for _, item := range candidates(f, l) {
		if v := e.follow(item); v != nil {
			return v
		}
		if e.left <= 0 {
			break
		}
	}
	return nil
}

// candidates lists work-items, by global id less the offset.
func candidates(f *kernel.Func, l *Launch) [][3]uint64 {
	var along [3][]uint64
	for d := range along {
		along[d] = []uint64{l.Global[d] - 1}
		if l.Global[d] > 1 {
			along[d] = append(along[d], 0)
		}
	}
	for i, a := range f.Args {
		bits, ok := l.bytes(i, 0, a.Type)
		if a.Kind != kernel.ArgScalar || a.Count != 1 || !a.Type.IsInt() || !ok {
			continue
		}
		for d := range along {
			x := bits - 1 - l.Offset[d]
			if x < l.Global[d] && len(along[d]) < 4 && !slices.Contains(along[d], x) {
				along[d] = append(along[d], x)
			}
		}
	}
	var items [][3]uint64
	for _, z := range along[2] {
		for _, y := range along[1] {
			for _, x := range along[0] {
				if len(items) < maxItems {
					items = append(items, [3]uint64{x, y, z})
				}
			}
		}
	}
	return items
}

// evaluator executes operations that depend on arguments and ids alone.
type evaluator struct {
	f    *kernel.Func
	l    *Launch
	left int // steps

	item  [3]uint64
	bits  []uint64 // of pointers: the offset in their object
	state []int32  // by value: unknown, number, or the number of an object
	o     *objects
	turn  []known
}

type known struct {
	bits  uint64
	state int32
}

const (
	unknown = iota
	number
	inObject // and its place in objects.list
)

// follow executes a work-item until it depends on memory.
func (e *evaluator) follow(item [3]uint64) *Violation {
	if e.bits == nil {
		e.o = pointees(e.f)
		e.bits, e.state = make([]uint64, e.f.NumValues()), make([]int32, e.f.NumValues())
	}
	clear(e.state)
	e.item = item
	for b := e.f.Blocks[0]; ; {
		for _, v := range b.Values {
			if e.left--; e.left <= 0 {
				return nil
			}
			if bytes, ok := access(v); ok {
				if bad := e.outside(v, bytes); bad != nil {
					return bad
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
		e.turn = e.turn[:0]
		for _, a := range edge.Args {
			e.turn = append(e.turn, e.get(a))
		}
		if e.left -= len(edge.Args) + 1; e.left <= 0 {
			return nil
		}
		for i, p := range edge.To.Params {
			e.bits[p.ID], e.state[p.ID] = e.turn[i].bits, e.turn[i].state
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

// compute returns the result of v.
func (e *evaluator) compute(v *kernel.Value) known {
	d := min(v.Index, 2)
	is := func(bits uint64) known { return known{bits & v.Type.Mask(), number} }
	switch v.Op {
	case kernel.GlobalID:
		return is(e.item[d] + e.l.Offset[d])
	case kernel.LocalID:
		return is(e.item[d] % e.l.Local[d])
	case kernel.GroupID:
		return is(e.item[d] / e.l.Local[d])
	case kernel.LocalSize:
		start := e.item[d] / e.l.Local[d] * e.l.Local[d]
		return is(min(e.l.Local[d], e.l.Global[d]-start))
	case kernel.AllLanes, kernel.FirstLane:
		return e.get(v.Args[0])
	case kernel.PtrAdd:
		p, off := e.get(v.Args[0]), e.get(v.Args[1])
		if p.state < inObject || off.state != number {
			return known{}
		}
		return known{p.bits + off.bits, p.state}
	case kernel.Load:
		if p := v.Args[0]; e.o.from[p.ID].has(trusted) && v.Count == 1 {
			// A group of work-items begins with phase 0.
			if at, off := root(p); at.Op == kernel.GroupState && off == kernel.StatePhase {
				return is(0)
			}
		}
	}
	if v.Type.IsPtr() && v.Op != alu.Select {
		if from := e.o.from[v.ID]; !from.has(trusted) && v.Op != kernel.Load && len(v.Args) == 0 {
			for i := range e.o.list {
				if from.has(first + i) {
					return known{0, inObject + int32(i)}
				}
			}
		}
		return known{}
	}
	if lo, hi, ok := e.l.query(v); ok && lo == hi {
		return is(lo)
	}
	if bits, ok := e.l.argument(v); ok {
		return is(bits)
	}
	if !v.Op.Pure() || len(v.Args) == 0 {
		return known{}
	}
	var args [3]known
	for i, a := range v.Args {
		args[i] = e.get(a)
	}
	if v.Op == alu.Select {
		switch {
		case args[0].state != number:
			return known{}
		case args[0].bits&1 != 0:
			return args[1]
		}
		return args[2]
	}
	for _, a := range args[:len(v.Args)] {
		if a.state != number {
			return known{}
		}
	}
	return known{alu.Eval(v.Op, v.Type, v.Args[len(v.Args)-1].Type, args[0].bits, args[1].bits, args[2].bits), number}
}

// root follows constant offsets back from a pointer.
func root(p *kernel.Value) (at *kernel.Value, offset int64) {
	for p.Op == kernel.PtrAdd && p.Args[1].Op == kernel.Const {
		p, offset = p.Args[0], offset+int64(p.Args[1].Const)
	}
	return p, offset
}

// outside returns what is wrong with the access v of so many bytes.
func (e *evaluator) outside(v *kernel.Value, bytes int64) *Violation {
	p := e.get(v.Args[0])
	if p.state < inObject {
		return nil
	}
	x := &e.o.list[p.state-inObject]
	if size, off := e.l.size(x), int64(p.bits); off >= 0 && off <= size-bytes {
		return nil
	}
	item := e.item
	for d := range item {
		item[d] += e.l.Offset[d]
	}
	s := siteOf(e.o, v)
	return s.violation(e.l, x, int64(p.bits), item)
}
