package memory

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Pieces turns gathers and scatters of pieces of consecutive elements into contiguous accesses:
// the rows of a tile that lanes access as a[y*n + l%16], or as a[l/16*16 + l%16], or elements that several lanes share, as
// a[l%4] or a[l/4]. The distances between the lanes of a group must be constants, and lanes of one
// group must load all elements from the first to the last: one load for the group, then a shuffle
// unless lane l has element l. Between groups the distances are arbitrary. Groups of a scatter
// are stored in the order of their lanes, so that later lanes win.
//
// All lanes must be active.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func Pieces(f *vir.Func, stats edit.Stats) {
	if f.Width < 4 {
		return
	}
	p := &pieces{f: f, forms: map[*vir.Value][]lanesOf{}}
	to := map[*vir.Value]*vir.Value{}
	for _, b := range f.Blocks {
		if !slices.ContainsFunc(b.Values, p.candidate) {
			continue
		}
		p.block, p.out = b, make([]*vir.Value, 0, len(b.Values)+16)
		for _, v := range b.Values {
			if p.candidate(v) {
				if groups := p.groupsOf(v); groups != nil {
					p.of = v
					if v.Op == vir.Gather {
						to[v] = p.load(v, groups)
						stats.Add("gathers of pieces", 1)
					} else {
						p.store(v, groups)
						stats.Add("scatters of pieces", 1)
					}
					continue
				}
			}
			p.out = append(p.out, v)
		}
		b.Values = p.out
	}
	edit.ReplaceAll(f, to)
	f.Renumber()
}

// lanesOf is a term of an index: in lane l, step[l] times the product of the factors, which are
// scalars; no factors are 1.
type lanesOf struct {
	factors [2]*vir.Value
	step    []int64
}

// piece is a group of consecutive lanes and the elements that they access.
type piece struct {
	first    int     // lane
	start    []int64 // the steps of the terms in the lane with the first element
	elements int
	lanes    []int // by lane of the group: its element
}

type pieces struct {
	f     *vir.Func
	forms map[*vir.Value][]lanesOf // nil: no sum of terms
	block *vir.Block
	out   []*vir.Value
	of    *vir.Value // new values get its position
}

// candidate reports whether v may be an access of pieces.
func (p *pieces) candidate(v *vir.Value) bool {
	if v.Op != vir.Gather && v.Op != vir.Scatter || v.Volatile {
		return false
	}
	mask := v.Args[len(v.Args)-1]
	return mask.Op == vir.Const && mask.Const == 1 && v.Args[1].Op != vir.Const
}

// maxTerms limits the terms of an index.
const maxTerms = 6

// form returns the terms of a vector of integers, modulo 2^bits; nil if it is no such sum.
func (p *pieces) form(v *vir.Value) []lanesOf {
	if t, ok := p.forms[v]; ok {
		return t
	}
	p.forms[v] = nil
	t := p.terms(v)
	if len(t) > maxTerms {
		t = nil
	}
	p.forms[v] = t
	return t
}

func (p *pieces) terms(v *vir.Value) []lanesOf {
	w := v.Type.Lanes
	each := func(f func(l int) int64) []int64 {
		s := make([]int64, w)
		for l := range s {
			s[l] = v.Type.Elem.Signed(uint64(f(l)))
		}
		return s
	}
	switch v.Op {
	case vir.Const:
		return []lanesOf{{step: each(func(int) int64 { return v.Signed() })}}
	case vir.Iota:
		return []lanesOf{{step: each(func(l int) int64 { return int64(v.Index + l) })}}
	case vir.Splat:
		return []lanesOf{{[2]*vir.Value{v.Args[0]}, each(func(int) int64 { return 1 })}}
	}
	if len(v.Args) != 2 || v.Args[0].Type != v.Type || v.Args[1].Type != v.Type {
		return nil
	}
	x, y := p.form(v.Args[0]), p.form(v.Args[1])
	if x == nil || y == nil {
		return nil
	}
	constant := func(t []lanesOf) bool { return len(t) == 1 && t[0].factors[0] == nil }
	if constant(x) && constant(y) {
		return []lanesOf{{step: each(func(l int) int64 {
			return int64(alu.Eval(v.Op, v.Type.Elem, v.Type.Elem, uint64(x[0].step[l])&v.Type.Elem.Mask(), uint64(y[0].step[l])&v.Type.Elem.Mask(), 0))
		})}}
	}
	times := func(t []lanesOf, f func(l int) int64) []lanesOf {
		out := make([]lanesOf, len(t))
		for i, term := range t {
			out[i] = lanesOf{term.factors, each(func(l int) int64 { return term.step[l] * f(l) })}
		}
		return out
	}
	sum := func(sign int64) []lanesOf {
		out := slices.Clone(x)
		for _, term := range times(y, func(int) int64 { return sign }) {
			at := slices.IndexFunc(out, func(o lanesOf) bool { return o.factors == term.factors })
			if at < 0 {
				out = append(out, term)
				continue
			}
			o := out[at]
			out[at].step = each(func(l int) int64 { return o.step[l] + term.step[l] })
		}
		return out
	}
	switch v.Op {
	case alu.Add:
		return sum(1)
	case alu.Sub:
		return sum(-1)
	case alu.Shl:
		if c := v.Args[1]; c.Op == vir.Const && c.Const < uint64(v.Type.Elem.Bits()) {
			return times(x, func(int) int64 { return 1 << c.Const })
		}
	case alu.Mul:
		if constant(x) {
			x, y = y, x
		}
		if constant(y) {
			return times(x, func(l int) int64 { return y[0].step[l] })
		}
		if v.Args[0].Op == vir.Splat {
			x, y = y, x
		}
		if len(y) != 1 || y[0].factors[1] != nil {
			return nil
		}
		out := times(x, func(l int) int64 { return y[0].step[l] })
		for i := range out {
			switch f := &out[i].factors; {
			case f[0] == nil:
				f[0] = y[0].factors[0]
			case f[1] == nil:
				f[1] = y[0].factors[0]
			default:
				return nil
			}
		}
		return out
	}
	return nil
}

// groupsOf returns the groups of an access, of the largest size that forms groups; nil if they are
// too small to pay.
func (p *pieces) groupsOf(v *vir.Value) []piece {
	t := p.form(v.Args[1])
	size := v.Accessed().Elem.Size()
	if t == nil || v.Args[1].Type.Elem.Bits() < 32 {
		return nil
	}
	for n := v.Accessed().Lanes; n >= 4; n /= 2 {
		var out []piece
		for first := 0; first < v.Accessed().Lanes; first += n {
			g, ok := pieceOf(t, first, n, int64(v.Scale), int64(size))
			if !ok || v.Op == vir.Scatter && g.lanes != nil {
				out = nil
				break
			}
			out = append(out, g)
		}
		if out != nil && n*size >= 16 {
			return out
		}
	}
	return nil
}

// pieceOf returns the group of n lanes from the given one, if they access all elements of a range.
func pieceOf(t []lanesOf, first, n int, scale, size int64) (piece, bool) {
	low, at := int64(0), first
	offset := make([]int64, n)
	for l := range offset {
		for _, term := range t {
			d := term.step[first+l] - term.step[first]
			switch {
			case term.factors[0] == nil:
				offset[l] = d * scale
			case d != 0:
				return piece{}, false
			}
		}
		if offset[l]%size != 0 || offset[l] > int64(n)*size || offset[l] < -int64(n)*size {
			return piece{}, false
		}
		if offset[l] < low {
			low, at = offset[l], first+l
		}
	}
	g := piece{first: first, lanes: make([]int, n)}
	for _, term := range t {
		g.start = append(g.start, term.step[at])
	}
	used, identity := make([]bool, 2*n+1), true
	for l := range offset {
		g.lanes[l] = int((offset[l] - low) / size)
		identity = identity && g.lanes[l] == l
		used[g.lanes[l]] = true
		g.elements = max(g.elements, g.lanes[l]+1)
	}
	if identity {
		g.lanes = nil
	}
	// One element is loaded as a scalar; vectors have at least 16 bytes.
	whole := g.elements == 1 || g.elements <= n && g.elements&(g.elements-1) == 0 && int64(g.elements)*size >= 16
	return g, whole && !slices.Contains(used[:g.elements], false)
}

func (p *pieces) op(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
	v := p.block.NewValue(op, t, args...)
	v.Pos, v.Origin = p.of.Pos, p.of.Origin
	p.out = append(p.out, v)
	return v
}

// address returns the scalar address of a group's first element, without the displacement.
func (p *pieces) address(v *vir.Value, g piece) *vir.Value {
	t := vir.Scalar(v.Args[1].Type.Elem)
	i64 := vir.Scalar(alu.I64)
	c := int64(0)
	var sum *vir.Value
	for i, term := range p.form(v.Args[1]) {
		x := term.factors[0]
		if x == nil {
			c += g.start[i]
			continue
		}
		if y := term.factors[1]; y != nil {
			x = p.op(alu.Mul, t, x, y)
		}
		switch s := g.start[i]; {
		case s == 0:
			continue
		case s != 1:
			x = p.op(alu.Mul, t, x, p.f.Const(t, uint64(s)))
		}
		if sum == nil {
			sum = x
		} else {
			sum = p.op(alu.Add, t, sum, x)
		}
	}
	switch {
	case sum == nil:
		sum = p.f.Const(i64, uint64(t.Elem.Signed(uint64(c))))
	default:
		if c != 0 {
			sum = p.op(alu.Add, t, sum, p.f.Const(t, uint64(c)))
		}
		if t != i64 {
			sum = p.op(alu.SExt, i64, sum)
		}
	}
	if v.Scale != 1 {
		sum = p.op(alu.Mul, i64, sum, p.f.Const(i64, uint64(v.Scale)))
	}
	return p.op(alu.Add, i64, v.Args[0], sum)
}

// load replaces a gather.
func (p *pieces) load(v *vir.Value, groups []piece) *vir.Value {
	n := v.Type.Lanes / len(groups)
	parts := make([]*vir.Value, len(groups))
	for i, g := range groups {
		same := slices.IndexFunc(groups[:i], func(o piece) bool {
			return slices.Equal(o.start, g.start) && o.elements == g.elements && slices.Equal(o.lanes, g.lanes)
		})
		if same >= 0 {
			parts[i] = parts[same]
			continue
		}
		parts[i] = p.loadGroup(v, g, vir.Vec(v.Type.Elem, n))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return p.op(vir.Concat, v.Type, parts...)
}

func (p *pieces) loadGroup(v *vir.Value, g piece, t vir.Type) *vir.Value {
	at := p.address(v, g)
	if g.elements == 1 {
		x := p.op(vir.Load, vir.Scalar(t.Elem), at)
		x.Disp, x.Align = v.Disp, v.Align
		return p.op(vir.Splat, t, x)
	}
	x := p.op(vir.VLoad, vir.Vec(t.Elem, g.elements), at, p.f.Const(vir.Mask(g.elements), 1))
	x.Disp, x.Align = v.Disp, v.Align
	if g.lanes == nil {
		return x
	}
	repeats := true
	for l, e := range g.lanes {
		repeats = repeats && e == l%g.elements
	}
	if repeats {
		return p.op(vir.Concat, t, slices.Repeat([]*vir.Value{x}, t.Lanes/g.elements)...)
	}
	s := p.op(vir.Shuffle, t, x, x)
	s.Lanes = g.lanes
	return s
}

// store replaces a scatter.
func (p *pieces) store(v *vir.Value, groups []piece) {
	x := v.Args[2]
	n := x.Type.Lanes / len(groups)
	t := vir.Vec(x.Type.Elem, n)
	for i, g := range groups {
		part := x
		if len(groups) > 1 {
			part = p.op(vir.Part, t, x)
			part.Index = i
		}
		s := p.op(vir.VStore, vir.Type{}, p.address(v, g), part, p.f.Const(vir.Mask(n), 1))
		s.Disp, s.Align, s.Local = v.Disp, v.Align, v.Local
	}
}
