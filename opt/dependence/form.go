package dependence

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// form is an affine form: the sum of terms and a constant, modulo 2^bits, where bits is the size
// of the number that it describes. Addresses have 64 bits.
type form struct {
	bits  int
	terms []term
	c     int64
}

// term is coef * atom * row. An atom is a value that is not decomposed further, or the extension
// of a form of 32 bits.
type term struct {
	coef int64
	atom *kernel.Value // nil: ext
	row  *kernel.Value // an invariant factor; nil: 1
	ext  *extension
}

// extension is the sign or zero extension of a form of 32 bits to 64.
type extension struct {
	op kernel.Op
	x  form
}

// maxDepth limits the depth of the expressions that are decomposed, and maxTerms the terms of a form.
const (
	maxDepth = 16
	maxTerms = 8
)

// formOf decomposes v. The operations on forms are exact modulo 2^bits, so numbers may wrap.
func (l *Loop) formOf(v *kernel.Value, depth int) form {
	bits := 64
	if v.Type.IsInt() {
		bits = v.Type.Bits()
	}
	whole := form{bits: bits, terms: []term{{coef: 1, atom: v}}}
	if v.Op == kernel.Const {
		return form{bits: bits, c: v.Type.Signed(v.Const)}
	}
	if depth == 0 || bits < 32 {
		return whole
	}
	if by, ok := l.counters[v]; ok {
		start := l.formOf(l.entry.Edge().Args[v.Index], depth-1)
		return start.plus(form{bits: bits, terms: []term{{coef: by, atom: &l.iteration}}}, 1).orElse(whole)
	}
	arg := func(i int) form { return l.formOf(v.Args[i], depth-1) }
	switch v.Op {
	case alu.Add, kernel.PtrAdd:
		return arg(0).plus(arg(1), 1).orElse(whole)
	case alu.Sub:
		return arg(0).plus(arg(1), -1).orElse(whole)
	case alu.Shl:
		if c := v.Args[1]; c.Op == kernel.Const && c.Const < 32 {
			return arg(0).times(1 << c.Const)
		}
	case alu.Mul:
		if c := v.Args[1]; c.Op == kernel.Const {
			return arg(0).times(c.Type.Signed(c.Const))
		}
		for i, row := range v.Args { // number of a row * its length
			if !l.varies(row) && l.varies(v.Args[1-i]) {
				if (row.Op == alu.SExt || row.Op == alu.ZExt) && row.Args[0].Type == alu.I32 { // equal below MaxRow
					row = row.Args[0]
				}
				return l.rows(arg(1-i), row).orElse(whole)
			}
		}
	case alu.Trunc:
		if v.Args[0].Type.Bits() == 64 {
			return arg(0).truncated()
		}
	case alu.SExt, alu.ZExt:
		if v.Args[0].Type != alu.I32 {
			return whole
		}
		x := arg(0)
		if len(x.terms) == 0 && v.Op == alu.SExt {
			return form{bits: 64, c: int64(int32(x.c))}
		}
		return form{bits: 64, terms: []term{{coef: 1, ext: &extension{v.Op, x}}}}
	}
	return whole
}

// orElse returns f, or whole if f has too many terms.
func (f form) orElse(whole form) form {
	if f.bits == 0 || len(f.terms) > maxTerms {
		return whole
	}
	return f
}

// wrapped returns the constant c modulo 2^bits, as a two's-complement number.
func (f form) wrapped(c int64) int64 {
	if f.bits == 32 {
		return int64(int32(c))
	}
	return c
}

// plus returns f + by*g.
func (f form) plus(g form, by int64) form {
	out := form{bits: f.bits, c: f.wrapped(f.c + by*g.c), terms: slices.Clone(f.terms)}
	for _, t := range g.terms {
		i := slices.IndexFunc(out.terms, t.same)
		if i < 0 {
			t.coef = out.wrapped(t.coef * by)
			out.terms = append(out.terms, t)
			continue
		}
		if out.terms[i].coef = out.wrapped(out.terms[i].coef + by*t.coef); out.terms[i].coef == 0 {
			out.terms = slices.Delete(out.terms, i, i+1)
		}
	}
	return out
}

// times returns f * by.
func (f form) times(by int64) form {
	out := form{bits: f.bits, c: f.wrapped(f.c * by)}
	for _, t := range f.terms {
		if t.coef = f.wrapped(t.coef * by); t.coef != 0 {
			out.terms = append(out.terms, t)
		}
	}
	return out
}

// rows returns f * row, where row is invariant. It fails, with no bits, if f has such a factor.
func (l *Loop) rows(f form, row *kernel.Value) form {
	out := form{bits: f.bits}
	c := f.c
	for _, t := range f.terms {
		if t.ext != nil && l.steady != nil && t.ext.x.equal(*l.steady) { // the extension of a counter that does not wrap
			c += t.coef * l.steady.c
			t = term{coef: t.coef, atom: &l.iteration}
		}
		if t.row != nil || t.ext != nil {
			return form{}
		}
		t.row = row
		out.terms = append(out.terms, t)
	}
	if c != 0 {
		out.terms = append(out.terms, term{coef: c, atom: row})
	}
	return out
}

// truncated returns f modulo 2^32.
func (f form) truncated() form {
	out := form{bits: 32, c: int64(int32(f.c))}
	for _, t := range f.terms {
		c := out.wrapped(t.coef)
		switch {
		case c == 0:
		case t.ext != nil:
			out = out.plus(t.ext.x, c)
		default:
			t.coef = c
			out.terms = append(out.terms, t)
		}
	}
	return out
}

// same reports whether t and u differ at most in their coefficients.
func (t term) same(u term) bool {
	if t.atom != u.atom || t.row != u.row || (t.ext == nil) != (u.ext == nil) {
		return false
	}
	return t.ext == nil || t.ext.op == u.ext.op && t.ext.x.equal(u.ext.x)
}

// equal reports whether f and g are the same form.
func (f form) equal(g form) bool {
	d := f.plus(g, -1)
	return f.bits == g.bits && d.c == 0 && len(d.terms) == 0
}
