package narrow

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/edit"
)

// rewrite makes the members narrow. It returns how many there are, and how many of them
// saturate.
func (n *narrowing) rewrite() (members, saturate int) {
	r := narrowRewriter{narrowing: n, narrow: make([]*vir.Value, n.f.NumValues()), needed: make([]bool, n.f.NumValues())}
	for _, b := range n.f.Blocks {
		for _, v := range slices.Concat(b.Params, b.Values) {
			if n.member[v.ID] && !isExtension(v) {
				for _, a := range n.operandsIn(v) {
					r.needed[a.ID] = true
				}
			}
		}
	}
	same := map[*vir.Value]*vir.Value{}
	for _, id := range n.f.Graph().ReversePostOrder() {
		r.block(n.f.Blocks[id], same)
	}
	for _, b := range n.f.Blocks {
		for _, e := range b.Edges {
			r.passNarrow(e)
		}
	}
	edit.ReplaceAll(n.f, same)
	return r.count, r.saturate
}

// narrowRewriter rewrites blocks in an order that puts operands first.
type narrowRewriter struct {
	*narrowing
	narrow []*vir.Value // by value ID: its low bits
	needed []bool       // by value ID: a member needs its low bits
	out    []*vir.Value // the values of the current block so far

	count, saturate int
}

// block rewrites b, and adds to same the values that are equal to another one.
func (r *narrowRewriter) block(b *vir.Block, same map[*vir.Value]*vir.Value) {
	r.out = nil
	for i, p := range b.Params {
		if r.member[p.ID] {
			r.count++
			b.Params[i] = r.param(b, p)
			r.out = append(r.out, p)
			continue
		}
		r.truncate(b, p)
	}
	for _, v := range b.Values {
		switch {
		case r.member[v.ID]:
			r.count++
			r.make(b, v)
			r.out = append(r.out, v)
		case r.isTruncation(v) && r.member[v.Args[0].ID]:
			x := r.narrow[v.Args[0].ID]
			if x.Type == v.Type {
				same[v] = x
				continue
			}
			v.Args = []*vir.Value{x}
			r.out = append(r.out, v)
		default:
			r.out = append(r.out, v)
			r.truncate(b, v)
		}
	}
	b.Values = r.out
}

// param replaces member p of b by a narrow parameter, and makes p its extension.
func (r *narrowRewriter) param(b *vir.Block, p *vir.Value) *vir.Value {
	if r.saturated[p.ID] != exact {
		r.saturate++
	}
	q := b.NewValue(vir.Param, p.Type.With(r.to))
	q.Pos, q.Origin = p.Pos, p.Origin
	r.narrow[p.ID] = q
	r.widen(p)
	return q
}

// passNarrow makes the arguments of narrow parameters narrow.
func (r *narrowRewriter) passNarrow(e vir.Edge) {
	for i, p := range e.To.Params {
		if a := e.Args[i]; a.Type != p.Type {
			e.Args[i] = r.lowOf(a)
		}
	}
}

// lowOf returns the narrow value of a, which is a constant or was asked for.
func (r *narrowRewriter) lowOf(a *vir.Value) *vir.Value {
	if a.Op == vir.Const {
		return r.f.Const(a.Type.With(r.to), a.Const)
	}
	return r.narrow[a.ID]
}

// op appends an operation to b with the position of v.
func (r *narrowRewriter) op(b *vir.Block, v *vir.Value, op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
	x := b.NewValue(op, t, args...)
	x.Pos, x.Origin = v.Pos, v.Origin
	r.out = append(r.out, x)
	return x
}

// truncate truncates v, which is no member, if a member needs its low bits.
func (r *narrowRewriter) truncate(b *vir.Block, v *vir.Value) {
	if !r.needed[v.ID] {
		return
	}
	t := v.Type.With(r.to)
	if v.Op == vir.Splat {
		r.narrow[v.ID] = r.op(b, v, vir.Splat, t, r.op(b, v, alu.Trunc, vir.Scalar(r.to), v.Args[0]))
	} else {
		r.narrow[v.ID] = r.op(b, v, alu.Trunc, t, v)
	}
}

// make computes the member v in narrow lanes, and makes v the extension of the result.
func (r *narrowRewriter) make(b *vir.Block, v *vir.Value) {
	op, args := r.narrowOp(v), slices.Clone(v.Args)
	if r.saturated[v.ID] != exact {
		op = saturating[v.Op]
		r.saturate++
	}
	if !isExtension(v) {
		for i, a := range r.operandsIn(v) {
			args[len(args)-len(r.operandsIn(v))+i] = r.lowOf(a)
		}
	}
	switch t := v.Type.With(r.to); {
	case v.Type.IsMask():
		v.Op, v.Args = op, args
		return
	case isExtension(v) && args[0].Type == t:
		r.narrow[v.ID] = args[0]
		return
	default:
		r.narrow[v.ID] = r.op(b, v, op, t, args...)
	}
	r.widen(v)
}

// widen makes the member v the extension of its narrow value.
func (r *narrowRewriter) widen(v *vir.Value) {
	extend := alu.SExt
	if unsigned, _ := r.fits(v); unsigned {
		extend = alu.ZExt
	}
	v.Op, v.Args = extend, []*vir.Value{r.narrow[v.ID]}
}

func isExtension(v *vir.Value) bool { return v.Op == alu.ZExt || v.Op == alu.SExt }

// unsignedOp maps signed operations to the equivalent ones on nonnegative operands.
var unsignedOp = map[vir.Op]vir.Op{
	alu.SMin: alu.UMin, alu.SMax: alu.UMax, alu.Slt: alu.Ult, alu.Sle: alu.Ule, alu.AShr: alu.LShr,
}

// narrowOp returns the operation that computes v on narrow operands, which may fit only if read
// as unsigned.
func (n *narrowing) narrowOp(v *vir.Value) vir.Op {
	if op, ok := unsignedOp[v.Op]; ok {
		if _, signed := n.fitBoth(v.Args[0], v.Args[1]); !signed {
			return op
		}
	}
	return v.Op
}
