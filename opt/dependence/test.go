package dependence

import (
	"slices"

	"github.com/simtc/simtc/kernel"
)

// MaxDistance bounds the distances that are tested, in iterations. Accesses farther apart keep
// their order, as at most MaxDistance iterations run in parallel.
const MaxDistance = 256

// MaxRow bounds the run-time length of a row for which Result.Rows holds: numbers of 32 bits
// that are MaxDistance rows apart do not wrap.
const MaxRow = 1 << 22

// conflict is the result of a test of two accesses.
type conflict struct {
	distance int64         // the smallest; 0: none
	unknown  bool          // the subscripts are not affine, or their distance is not constant
	row      *kernel.Value // there is no conflict if this value is below MaxRow; nil: in any case
}

// between tests a in one iteration against b in a later one.
func (l *Loop) between(a, b access) conflict {
	if l.distinct(a.object, b.object) {
		return conflict{}
	}
	if a.object != b.object || l.varies(a.object) {
		return conflict{distance: 1, unknown: true}
	}
	if a.v == b.v && l.increases(a) {
		return conflict{}
	}
	d, ok := l.difference(a.v, b.v, a.offset, b.offset)
	if !ok {
		return conflict{distance: 1, unknown: true}
	}
	var row *kernel.Value
	for n := int64(1); n <= MaxDistance; n++ {
		switch separate, needs := d.separates(a.size, b.size, n); {
		case !separate:
			return conflict{distance: n, unknown: len(d.vars) > 0 || d.row != nil}
		case needs != nil:
			row = needs
		}
	}
	return conflict{row: row}
}

// increases reports whether the subscript of a is a counter that grows whenever a runs, so that it
// accesses an element once.
func (l *Loop) increases(a access) bool {
	var variant *term
	var visit func(f form, coef int64) bool
	visit = func(f form, coef int64) bool {
		for _, t := range f.terms {
			switch {
			case t.ext != nil:
				if !l.invariantForm(t.ext.x) && !visit(t.ext.x, coef*t.coef) {
					return false
				}
			case t.atom == &l.iteration || l.varies(t.atom):
				if variant != nil || t.row != nil {
					return false
				}
				u := t
				u.coef *= coef
				variant = &u
			}
		}
		return true
	}
	if !visit(a.offset, 1) || variant == nil {
		return false
	}
	b := l.Increasing[variant.atom]
	return b != nil && b == a.v.Block && (variant.coef >= a.size || -variant.coef >= a.size)
}

// distinct reports whether pointers with these roots never point to the same object.
func (l *Loop) distinct(p, q *kernel.Value) bool {
	if p == q {
		return false
	}
	p, q = root(p), root(q)
	if p == q || !identified(p) || !identified(q) {
		return false
	}
	return !l.overlap || p.Op != kernel.Argument || q.Op != kernel.Argument || l.f.Args[p.Index].Restrict || l.f.Args[q.Index].Restrict
}

func root(p *kernel.Value) *kernel.Value {
	for p.Op == kernel.PtrAdd {
		p = p.Args[0]
	}
	return p
}

// identified reports whether p is the address of an object that only pointers derived from p
// point into.
func identified(p *kernel.Value) bool {
	switch p.Op {
	case kernel.Argument, kernel.Alloca, kernel.DataAddr, kernel.LocalAddr, kernel.ArgAddr:
		return true
	}
	return false
}

// difference is b - a for a in one iteration and b n iterations later: c + per*n plus variables,
// plus q*n*row + r*x with |x| < row, plus the differences of extensions.
type difference struct {
	bits int
	c    int64
	per  int64
	vars []variable
	row  *kernel.Value
	q, r int64
	exts []extended
	wide *rowPair // a pair of extensions that differ by rows
}

// extended is coef times the difference of the extensions of two numbers that differ by c + per*n
// modulo 2^32. The extensions are of different kinds if mixed.
type extended struct {
	coef, c, per int64
	mixed        bool
}

// fixed reports whether the constant part of d is 0 at all distances.
func (d *difference) fixed() bool { return d.c == 0 && d.per == 0 }

// variable is a number of lo to hi times coef; any number if not bounded.
type variable struct {
	coef    int64
	bounded bool
	lo, hi  int64
}

// rowPair is coef times the difference of two extensions, whose absolute value is at least step if
// row is below MaxRow.
type rowPair struct {
	coef, step int64
	row        *kernel.Value
}

// difference returns b - a, where b is in a later iteration than a.
func (l *Loop) difference(va, vb *kernel.Value, a, b form) (d difference, ok bool) {
	d = difference{bits: b.bits, c: b.wrapped(b.c - a.c)}
	var exts []term // of b, that have no counterpart yet
	seen := make([]bool, len(a.terms))
	for _, t := range b.terms {
		i := slices.IndexFunc(a.terms, t.same)
		var ca int64
		if i >= 0 {
			seen[i], ca = true, a.terms[i].coef
		}
		if t.ext != nil && !(ca == t.coef && l.invariantForm(t.ext.x)) {
			exts = append(exts, t)
			if i >= 0 {
				seen[i] = false
			}
			continue
		}
		if !l.addTerm(&d, va, vb, t, ca, t.coef) {
			return d, false
		}
	}
	for i, t := range a.terms {
		switch {
		case seen[i]:
		case t.ext != nil:
			if !l.addPair(&d, va, vb, t, &exts) {
				return d, false
			}
		case !l.addTerm(&d, va, vb, t, t.coef, 0):
			return d, false
		}
	}
	for _, t := range exts {
		d.vars = append(d.vars, variable{coef: t.coef})
	}
	return d, true
}

// invariantForm reports whether f is the same in all iterations.
func (l *Loop) invariantForm(f form) bool {
	return !slices.ContainsFunc(f.terms, func(t term) bool {
		if t.ext != nil {
			return !l.invariantForm(t.ext.x)
		}
		return t.atom == &l.iteration || l.varies(t.atom)
	})
}

// addTerm adds the terms of one atom to d, whose coefficients are ca in a and cb in b.
func (l *Loop) addTerm(d *difference, va, vb *kernel.Value, t term, ca, cb int64) bool {
	switch {
	case t.ext != nil || t.atom != &l.iteration && !l.varies(t.atom): // invariant
		if ca != cb {
			d.vars = append(d.vars, variable{coef: cb - ca})
		}
	case t.atom == &l.iteration && t.row == nil:
		d.per += cb
		if ca != cb { // the iterations are counted from 0, but their number is unknown
			d.vars = append(d.vars, variable{coef: cb - ca})
		}
	case t.atom == &l.iteration:
		if ca != cb || d.row != nil && d.row != t.row {
			return false
		}
		d.row, d.q = t.row, d.q+cb
	case t.row != nil:
		return false
	default:
		below := l.below(t.atom, va)
		if below == nil || below != l.below(t.atom, vb) || ca != cb {
			for _, c := range []int64{ca, cb} {
				if c != 0 {
					d.vars = append(d.vars, variable{coef: c})
				}
			}
			break
		}
		if below.Op == kernel.Const {
			most := max(below.Type.Signed(below.Const), 1) - 1
			d.vars = append(d.vars, variable{cb, true, -most, most})
			break
		}
		if d.row != nil && d.row != below || d.r != 0 {
			d.vars = append(d.vars, variable{coef: cb})
			break
		}
		d.row, d.r = below, cb
	}
	return true
}

// addPair adds the difference of the extension t of a and one of exts to d.
func (l *Loop) addPair(d *difference, va, vb *kernel.Value, t term, exts *[]term) bool {
	for i, u := range *exts {
		if u.coef != t.coef || u.row != nil || t.row != nil {
			continue
		}
		x, ok := l.difference(va, vb, t.ext.x, u.ext.x)
		if !ok || len(x.exts) > 0 || x.wide != nil {
			return false
		}
		*exts = slices.Delete(*exts, i, i+1)
		switch {
		case t.ext.x.belowRow() && u.ext.x.belowRow() && x.row != nil && x.fixed() && len(x.vars) == 0 && small(t.coef) &&
			(d.row == nil || d.row == x.row) && d.r == 0:
			d.row, d.r = x.row, t.coef*x.r // extensions do not change small numbers
		case x.row != nil:
			if d.wide != nil || !x.fixed() || len(x.vars) > 0 || !x.rowsApart(1) || !x.rowsApart(MaxDistance) {
				return false
			}
			d.wide = &rowPair{t.coef, x.r, x.row}
		case len(x.vars) > 0 && !slices.ContainsFunc(x.vars, func(v variable) bool { return !v.bounded }):
			for _, v := range x.vars {
				v.coef *= t.coef
				d.vars = append(d.vars, v)
			}
			d.extend(t, u, x)
		case len(x.vars) > 0: // multiples of coef*gcd, as 2^32 is a multiple of the power of two in gcd
			g := int64(1) << 32
			for _, v := range x.vars {
				g = gcd(g, v.coef)
			}
			d.c += t.coef * x.c
			d.per += t.coef * x.per
			d.vars = append(d.vars, variable{coef: t.coef * g})
		default:
			d.extend(t, u, x)
		}
		return true
	}
	d.vars = append(d.vars, variable{coef: t.coef})
	return true
}

// belowRow reports whether f is a small multiple of one value, so that it does not wrap if that is below
// MaxRow.
func (f form) belowRow() bool {
	return f.c == 0 && len(f.terms) == 1 && f.terms[0].row == nil && f.terms[0].ext == nil && f.terms[0].coef > 0 && f.terms[0].coef <= MaxDistance
}

// extend adds the difference of the extensions t and u of two numbers that differ by x.
func (d *difference) extend(t, u term, x difference) {
	d.exts = append(d.exts, extended{t.coef, x.c, x.per, t.ext.op != u.ext.op})
}

// values appends the possible values of e at distance n, each added to base.
func (e extended) values(to []int64, base, n int64) []int64 {
	c := int64(int32(e.c + e.per*n))
	to = append(to, base+e.coef*c, base+e.coef*(c-1<<32), base+e.coef*(c+1<<32))
	if e.mixed {
		to = append(to, base+e.coef*(c+2<<32), base+e.coef*(c-2<<32))
	}
	return to
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// rowsApart reports whether q*n*row + r*x is never zero for |x| < row and 0 < row < MaxRow.
func (d *difference) rowsApart(n int64) bool {
	limit := int64(MaxDistance)
	if d.bits == 64 {
		limit = 1 << 40
	}
	return d.row != nil && d.r > 0 && d.q*n >= d.r && d.q*n <= limit
}

// separates reports whether two accesses of sizes a and b, whose addresses differ by d at distance
// n, touch different memory, if row is below MaxRow; nil: in any case.
func (d *difference) separates(a, b, n int64) (ok bool, row *kernel.Value) {
	switch alone := d.fixed() && len(d.vars) == 0 && len(d.exts) == 0; {
	case d.wide != nil:
		return alone && d.row == nil && d.wide.coef*d.wide.step >= max(a, b), d.wide.row
	case d.row != nil:
		return alone && d.rowsApart(n) && d.r >= max(a, b), d.row
	}
	starts := append(make([]int64, 0, 25), d.c+d.per*n)
	for _, e := range d.exts {
		next := make([]int64, 0, 25)
		for _, s := range starts {
			next = e.values(next, s, n)
		}
		starts = next
	}
	step, bounded := int64(0), true
	lo, hi := int64(0), int64(0)
	for _, v := range d.vars {
		step = gcd(step, v.coef)
		if bounded = bounded && v.bounded && small(v.coef) && small(v.lo) && small(v.hi); bounded {
			x, y := v.coef*v.lo, v.coef*v.hi
			lo, hi = lo+min(x, y), hi+max(x, y)
		}
	}
	step &= -step // products may wrap, which keeps multiples of powers of two only
	for _, s := range starts {
		far := s > 1<<61 || s < -1<<61 // sums could wrap
		switch {
		case len(d.vars) == 0 && (s <= -b || s >= a): // ZIV, strong SIV
		case bounded && !far && (s+hi <= -b || s+lo >= a): // Banerjee
		case step > 0 && (s%step+step)%step >= a && step-(s%step+step)%step >= b: // GCD
		default:
			return false, nil
		}
	}
	return true, nil
}

// small bounds numbers of which sums of few products do not wrap.
func small(n int64) bool { return n > -1<<28 && n < 1<<28 }
