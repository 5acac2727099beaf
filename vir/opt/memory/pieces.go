package memory

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Pieces turns gathers and scatters of pieces of consecutive elements into contiguous accesses:
// the rows of a tile that lanes access as a[y*n + l%16], or as a[l/16*16 + l%16], or elements that several lanes share, as
// a[l%4] or a[l/4]. The distances between the lanes of a group must be constants, and lanes of one
// group must load all elements from the first to the last: one load for the group, then a shuffle
// unless lane l has element l. Between groups the distances are arbitrary. Groups of a scatter, whose
// lanes have different elements, are stored in the order of their lanes, so that later lanes win.
//
// All lanes must be active.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func Pieces(f *vir.Func, stats edit.Stats) { replacePieces(f, stats, false, vir.Gather, vir.Scatter) }

// MaskedPieces is Pieces for gathers under a mask. An element of a piece is accessed if one of its
// lanes is active, so exactly the same memory is accessed.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func MaskedPieces(f *vir.Func, stats edit.Stats) { replacePieces(f, stats, true, vir.Gather) }

// MaskedPieceStores is Pieces for scatters under a mask.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func MaskedPieceStores(f *vir.Func, stats edit.Stats) { replacePieces(f, stats, true, vir.Scatter) }

// replacePieces replaces those of the given operations whose mask is full, or those whose mask is not
// constant.
func replacePieces(f *vir.Func, stats edit.Stats, masked bool, ops ...vir.Op) {
	if f.Width < 4 {
		return
	}
	p := &pieces{f: f, ops: ops, masked: masked, forms: map[*vir.Value][]lanesOf{}}
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
					} else {
						p.store(v, groups)
					}
					p.count(stats)
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
	f      *vir.Func
	ops    []vir.Op
	masked bool
	forms  map[*vir.Value][]lanesOf // nil: no sum of terms
	block  *vir.Block
	out    []*vir.Value
	of     *vir.Value // new values get its position
	words  *vir.Value // of an access whose mask is rearranged: -1 in each lane whose element is accessed
}

// candidate reports whether v may be an access of pieces.
func (p *pieces) candidate(v *vir.Value) bool {
	if !slices.Contains(p.ops, v.Op) || v.Volatile {
		return false
	}
	mask := maskOf(v)
	if p.masked {
		return mask.Op != vir.Const && v.Args[1].Op != vir.Const
	}
	return analysis.IsConst(mask, 1) && v.Args[1].Op != vir.Const
}

// minPiece is the number of bytes of the smallest vector.
const minPiece = 16

// count counts an access.
func (p *pieces) count(stats edit.Stats) {
	switch loads := p.of.Op == vir.Gather; {
	case loads && p.masked:
		stats.Add("gathers of pieces under masks", 1)
	case loads:
		stats.Add("gathers of pieces", 1)
	case p.masked:
		stats.Add("scatters of pieces under masks", 1)
	default:
		stats.Add("scatters of pieces", 1)
	}
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
			if !ok || v.Op == vir.Scatter && g.elements < n {
				out = nil
				break
			}
			out = append(out, g)
		}
		if out != nil && n*size >= minPiece {
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
	whole := g.elements == 1 || g.elements <= n && g.elements&(g.elements-1) == 0 && int64(g.elements)*size >= minPiece
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
	p.spreadMask(v, groups)
	parts := make([]*vir.Value, len(groups))
	for i, g := range groups {
		same := slices.IndexFunc(groups[:i], func(o piece) bool {
			return slices.Equal(o.start, g.start) && o.elements == g.elements && slices.Equal(o.lanes, g.lanes)
		})
		if same >= 0 && !p.masked {
			parts[i] = parts[same]
			continue
		}
		parts[i] = p.loadGroup(v, g, vir.Vec(v.Type.Elem, n))
	}
	x := parts[0]
	if len(parts) > 1 {
		x = p.op(vir.Concat, v.Type, parts...)
	}
	if p.masked && slices.ContainsFunc(groups, func(g piece) bool { return g.users() > 1 }) {
		x = p.op(alu.Select, v.Type, maskOf(v), x, p.f.Const(v.Type, 0)) // an active lane may share its element
	}
	return x
}

func (p *pieces) loadGroup(v *vir.Value, g piece, t vir.Type) *vir.Value {
	at := p.address(v, g)
	n := g.elements
	if n == 1 && !p.masked {
		x := p.op(vir.Load, vir.Scalar(t.Elem), at)
		x.Disp, x.Align = v.Disp, v.Align
		return p.op(vir.Splat, t, x)
	}
	n = max(n, minPiece/t.Elem.Size())
	x := p.op(vir.VLoad, vir.Vec(t.Elem, n), at, p.mask(v, g, n))
	x.Disp, x.Align = v.Disp, v.Align
	if g.lanes == nil {
		return x
	}
	repeats := true
	for l, e := range g.lanes {
		repeats = repeats && e == l%n
	}
	if repeats {
		return p.op(vir.Concat, t, slices.Repeat([]*vir.Value{x}, t.Lanes/n)...)
	}
	s := p.op(vir.Shuffle, t, x, x)
	s.Lanes = g.lanes
	return s
}

// users returns the maximum number of lanes that share an element.
func (g piece) users() int {
	n, most := make([]int, g.elements), 1
	for _, e := range g.lanes {
		n[e]++
		most = max(most, n[e])
	}
	return most
}

// spreadMask prepares the mask of v for groups whose lanes are not in the order of their elements.
func (p *pieces) spreadMask(v *vir.Value, groups []piece) {
	p.words = nil
	if !p.masked || !slices.ContainsFunc(groups, func(g piece) bool { return g.lanes != nil }) {
		return
	}
	t := vir.Vec(alu.IntOf(v.Accessed().Elem.Bits()), v.Accessed().Lanes)
	p.words = p.op(alu.SExt, t, maskOf(v))
	// Lanes of an element form a cycle. After k steps, each has the disjunction of 2^k of them.
	next := make([]int, t.Lanes)
	users := 1
	for _, g := range groups {
		users = max(users, g.users())
		first, last := map[int]int{}, map[int]int{}
		for l := range t.Lanes / len(groups) {
			e := l
			if g.lanes != nil {
				e = g.lanes[l]
			}
			l += g.first
			if at, ok := last[e]; ok {
				next[at] = l
			} else {
				first[e] = l
			}
			last[e], next[l] = l, first[e]
		}
	}
	for n := 1; n < users; n *= 2 {
		x := p.op(vir.Shuffle, t, p.words, p.words)
		x.Lanes = slices.Clone(next)
		p.words = p.op(alu.Or, t, p.words, x)
		for l := range next {
			next[l] = x.Lanes[x.Lanes[l]]
		}
	}
}

// mask returns the mask for n elements, of which the first are those of a group.
func (p *pieces) mask(v *vir.Value, g piece, n int) *vir.Value {
	t := vir.Mask(n)
	mask := maskOf(v)
	switch {
	case !p.masked:
		return p.f.Const(t, 1)
	case g.lanes != nil:
		words := vir.Vec(p.words.Type.Elem, n)
		x := p.op(vir.Shuffle, words, p.words, p.f.Const(p.words.Type, 0))
		x.Lanes = slices.Repeat([]int{p.words.Type.Lanes}, n) // a lane of zero
		for l, e := range g.lanes {
			x.Lanes[e] = g.first + l
		}
		return p.op(alu.Ne, t, x, p.f.Const(words, 0))
	case n == mask.Type.Lanes:
		return mask
	}
	x := p.op(vir.Part, t, mask)
	x.Index = g.first / n
	return x
}

// store replaces a scatter.
func (p *pieces) store(v *vir.Value, groups []piece) {
	x := v.Args[2]
	n := x.Type.Lanes / len(groups)
	t := vir.Vec(x.Type.Elem, n)
	p.spreadMask(v, groups)
	for i, g := range groups {
		part := x
		if len(groups) > 1 {
			part = p.op(vir.Part, t, x)
			part.Index = i
		}
		if g.lanes != nil {
			s := p.op(vir.Shuffle, t, part, part)
			s.Lanes = make([]int, n)
			for l, e := range g.lanes {
				s.Lanes[e] = l
			}
			part = s
		}
		s := p.op(vir.VStore, vir.Type{}, p.address(v, g), part, p.mask(v, g, n))
		s.Disp, s.Align, s.Local = v.Disp, v.Align, v.Local
	}
}
