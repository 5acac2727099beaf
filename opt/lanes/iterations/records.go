package iterations

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// record is a minimum or maximum with values of the iteration in which it was found:
//
//	if (x < m) { m = x; k = i; }
//
// Each lane has its own, and the number of the chunk in which it was found. At the end the best of
// the lanes counts: of equal ones that of the first iteration, or of the last for x <= m.
type record struct {
	m      *kernel.Value   // the parameter of the header that is compared
	better *kernel.Value   // the comparison
	params []*kernel.Value // m and the parameters that are set with it
	last   bool

	found, now, after *kernel.Value // the chunk's number: before the iteration, after the comparison, after the chunk
}

// recordOf returns the record that v belongs to, and the parameter that v is or is the next value of.
func (l *loop) recordOf(v *kernel.Value) (r *record, p *kernel.Value) {
	for _, r := range l.records {
		for _, p := range r.params {
			if v == p || v == l.passed(p) {
				return r, p
			}
		}
	}
	return nil, nil
}

// takeRecords removes the parameters of records from params.
func (l *loop) takeRecords(params []*kernel.Value) []*kernel.Value {
	for _, m := range params {
		r := l.record(m, params)
		if r == nil {
			continue
		}
		l.records = append(l.records, r)
		return l.takeRecords(slices.DeleteFunc(slices.Clone(params), func(p *kernel.Value) bool { return slices.Contains(r.params, p) }))
	}
	return params
}

// record returns m as a record, with those of params that are set with it, or nil.
func (l *loop) record(m *kernel.Value, params []*kernel.Value) *record {
	x := l.passed(m)
	if x.Op != alu.Select || x.Args[2] != m || x.Args[1] == m {
		return nil
	}
	r := &record{m: m, better: x.Args[0]}
	switch r.better.Op {
	case alu.Slt, alu.Ult, alu.FLt:
	case alu.Sle, alu.Ule, alu.FLe:
		r.last = true
	default:
		return nil
	}
	if a := r.better.Args; a[0] != m && a[1] != m || a[0] != x.Args[1] && a[1] != x.Args[1] {
		return nil
	}
	for _, p := range params {
		if y := l.passed(p); y.Op == alu.Select && y.Args[0] == r.better && y.Args[2] == p && y.Args[1] != p {
			r.params = append(r.params, p)
		}
	}
	in := map[*kernel.Value]bool{r.better: true}
	for _, p := range r.params {
		in[p], in[l.passed(p)] = true, true
	}
	// Nothing else in the loop depends on them.
	for _, id := range l.cycle.Blocks {
		b := l.f.Blocks[id]
		if b.Cond != nil && in[b.Cond] {
			return nil
		}
		for _, v := range b.Values {
			for i, a := range v.Args {
				if in[a] && !(v == r.better || in[v] && v.Op == alu.Select && (i == 0 || i == 2)) {
					return nil
				}
			}
		}
		for _, e := range b.Edges {
			for i, a := range e.Args {
				switch {
				case !in[a]:
				case a == r.better:
					return nil
				case e.To == l.header && a == l.passed(e.To.Params[i]):
				case l.inside(e.To):
					return nil
				}
			}
		}
	}
	for _, x := range l.exits { // each passes all parameters from before the comparison, or all from after
		before, after := false, false
		for _, a := range x.Edge().Args {
			for _, p := range r.params {
				before, after = before || a == p, after || a == l.passed(p)
			}
		}
		if before && after {
			return nil
		}
	}
	return r
}

// none returns the number of the chunk of a record that no iteration has set.
func (r *record) none(l *loop) *kernel.Value {
	if r.last {
		return l.f.Const(alu.I32, 0)
	}
	return l.f.Const(alu.I32, alu.I32.Mask())
}

// update adds the update of the chunk's number to c, after the copy of the comparison.
func (r *record) update(l *loop, c *kernel.Block) {
	r.now = c.Append(alu.Select, alu.I32, l.of(r.better), l.number, r.found)
}

// updated reports whether the arguments that the loop passes on are those after the comparison.
func (r *record) updated(l *loop, state int, args []*kernel.Value) bool {
	return state == 0 || slices.ContainsFunc(args, func(a *kernel.Value) bool {
		_, p := l.recordOf(a)
		return p != nil && slices.Contains(r.params, p) && a == l.passed(p)
	})
}

// best adds to b the reduction of the record over the lanes up to the first that left, and returns
// the values of its parameters.
func (r *record) best(l *loop, b *kernel.Block, took *kernel.Value) map[*kernel.Value]*kernel.Value {
	of := map[*kernel.Value]*kernel.Value{}
	for _, p := range r.params {
		of[p] = b.Append(alu.Select, p.Type, took, l.after[p], l.now[p])
	}
	// The number of the iteration, or a bound of it where there is none.
	at := b.Append(alu.ZExt, alu.I64, b.Append(alu.Select, alu.I32, took, r.after, r.found))
	at = b.Append(alu.Add, alu.I64, b.Append(alu.Mul, alu.I64, at, l.f.Const(alu.I64, kernel.MaxLanes)), b.Append(alu.ZExt, alu.I64, l.lane))
	equal, earlier := alu.Eq, alu.Ult
	if r.m.Type.IsFloat() {
		equal = alu.FEq
	}
	for d := l.o.Width / 2; d > 0; d /= 2 {
		from := b.Append(alu.Xor, alu.I32, l.lane, l.f.Const(alu.I32, uint64(d)))
		other := map[*kernel.Value]*kernel.Value{}
		for _, p := range r.params {
			other[p] = l.inLaneOf(b, of[p], from)
		}
		otherAt := l.inLaneOf(b, at, from)
		x, y := other[r.m], of[r.m]
		first := b.Append(earlier, alu.I1, otherAt, at)
		if r.last {
			first = b.Append(earlier, alu.I1, at, otherAt)
		}
		takes := b.Append(alu.Or, alu.I1, r.strictly(b, x, y), b.Append(alu.And, alu.I1, b.Append(equal, alu.I1, x, y), first))
		for _, p := range r.params {
			of[p] = b.Append(alu.Select, p.Type, takes, other[p], of[p])
		}
		at = b.Append(alu.Select, alu.I64, takes, otherAt, at)
	}
	for _, p := range r.params {
		of[p] = l.inLaneOf(b, of[p], l.f.Const(alu.I32, 0))
	}
	return of
}

// strictly adds the test that x is better than y and not equal.
func (r *record) strictly(b *kernel.Block, x, y *kernel.Value) *kernel.Value {
	op := r.better.Op
	switch op {
	case alu.Sle:
		op = alu.Slt
	case alu.Ule:
		op = alu.Ult
	case alu.FLe:
		op = alu.FLt
	}
	if r.better.Args[0] == r.m {
		x, y = y, x
	}
	return b.Append(op, alu.I1, x, y)
}
