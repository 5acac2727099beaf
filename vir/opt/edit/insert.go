package edit

import (
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// InsertBefore inserts before each operation of b the operations that made returns for it.
func InsertBefore(b *vir.Block, made func(*vir.Value) []*vir.Value) {
	var out []*vir.Value
	for i, v := range b.Values {
		more := made(v)
		if out == nil && len(more) > 0 {
			out = append(make([]*vir.Value, 0, len(b.Values)+8), b.Values[:i]...)
		}
		if out != nil {
			out = append(append(out, more...), v)
		}
	}
	if out != nil {
		b.Values = out
	}
}

// InsertValue inserts an operation at b.Values[*at] and advances *at past it.
func InsertValue(b *vir.Block, at *int, op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
	v := b.NewValue(op, t, args...)
	b.Values = append(b.Values, nil)
	copy(b.Values[*at+1:], b.Values[*at:])
	b.Values[*at] = v
	*at++
	return v
}

// ReplaceAll replaces every use of a key of to by its value. Values of to must not be keys.
func ReplaceAll(f *vir.Func, to map[*vir.Value]*vir.Value) {
	replace := func(vs []*vir.Value) {
		for i, v := range vs {
			if x := to[v]; x != nil {
				vs[i] = x
			}
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			replace(v.Args)
		}
		if x := to[b.Cond]; x != nil {
			b.Cond = x
		}
		for _, e := range b.Edges {
			replace(e.Args)
		}
	}
}

// ReplaceIn replaces v by another value in vs.
func ReplaceIn(vs []*vir.Value, v, by *vir.Value) {
	for i := range vs {
		if vs[i] == v {
			vs[i] = by
		}
	}
}

// ReplaceUse makes the use u of v read w instead.
func ReplaceUse(u analysis.Use, v, w *vir.Value) {
	reads := []*vir.Value{}
	switch {
	case u.By != nil:
		reads = u.By.Args
	case u.Edge >= 0:
		reads = u.Block.Edges[u.Edge].Args
	case u.Block.Cond == v:
		u.Block.Cond = w
	}
	for i, x := range reads {
		if x == v {
			reads[i] = w
		}
	}
}
