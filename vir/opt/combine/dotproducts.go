package combine

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// DotProducts forms DotUS from sums of four products of bytes of the same two 32-bit integers,
// and DotUSSat if the sum is added with saturation. One factor may be constants.
//
//	s = x0*y0 + x1*y1 + x2*y2 + x3*y3 + z    d = dotus x, y, 0
//	                                         s = z + d
//
// DotUS has one unsigned and one signed operand. With y+128 for an operand y of the other kind,
// which flips the top bits of its bytes, the result differs by 128 times the sum of the bytes of
// x, another dot product. Four adjacent bytes in memory that are loaded separately are loaded
// as one integer.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func DotProducts(f *vir.Func, stats edit.Stats) {
	d := dotProducts{
		f: f, uses: analysis.UsesOf(f), cycles: cfg.Cycles(f.Graph()),
		loads: byteLoads(f), merged: map[*vir.Value]*vir.Value{}, before: map[*vir.Value][]*vir.Value{}, to: map[*vir.Value]*vir.Value{},
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if d.isSum(v) {
				d.rewrite(v)
			}
		}
	}
	if len(d.to) == 0 {
		return
	}
	for _, b := range f.Blocks {
		edit.InsertBefore(b, func(v *vir.Value) []*vir.Value { return d.before[v] })
	}
	edit.ReplaceAll(f, d.to)
	stats.Add("dot products formed", d.formed)
	stats.Add("byte loads merged", len(d.merged))
	f.Renumber()
	edit.Dead(f, stats)
}

// flip exchanges signed and unsigned bytes that differ by 128.
const flip = 0x80808080

type dotProducts struct {
	f      *vir.Func
	uses   [][]analysis.Use
	cycles *cfg.CycleForest
	loads  map[*vir.Value]byteLoad
	merged map[*vir.Value]*vir.Value   // first load of four bytes -> the load of all
	before map[*vir.Value][]*vir.Value // operations to insert before a value
	to     map[*vir.Value]*vir.Value
	formed int
}

// byteLoad is a load of one of four adjacent bytes.
type byteLoad struct {
	first *vir.Value // the load of byte 0
	k     int
	place *vir.Value // the load among the four that is executed first
	fixed bool       // all four are invariant
}

// byteLoads finds the scalar loads of four adjacent, aligned bytes in one block without writes
// in between.
func byteLoads(f *vir.Func) map[*vir.Value]byteLoad {
	type location struct {
		address *vir.Value
		disp    int64
	}
	out := map[*vir.Value]byteLoad{}
	for _, b := range f.Blocks {
		found, position := map[location]*vir.Value{}, map[*vir.Value]int{}
		form := func() {
			for at, first := range found {
				if first.Align%4 != 0 || first.Align == 0 {
					continue
				}
				var all [4]*vir.Value
				x := byteLoad{first: first, place: first, fixed: true}
				complete := true
				for k := range all {
					v := found[location{at.address, at.disp + int64(k)}]
					if v == nil || v.Object != first.Object {
						complete = false
						break
					}
					if all[k] = v; position[v] < position[x.place] {
						x.place = v
					}
					x.fixed = x.fixed && v.Invariant
				}
				for k, v := range all {
					if complete {
						x.k = k
						out[v] = x
					}
				}
			}
			clear(found)
		}
		for i, v := range b.Values {
			if vir.InfoOf(v.Op).Effect == vir.Writes {
				form()
			}
			if at := (location{}); v.Op == vir.Load && v.Type.Elem == alu.I8 && !v.Volatile {
				at = location{v.Args[0], v.Disp}
				if found[at] == nil {
					found[at], position[v] = v, i
				}
			}
		}
		form()
	}
	return out
}

// byteOf is byte k of an integer of 32 bits, or of four loads, extended to 32 bits. The integer is
// a scalar if all lanes have the same.
type byteOf struct {
	source *vir.Value // an i32, or the first of four loads
	k      int
	signed bool
}

// byteOf matches the extraction of a byte.
func (d *dotProducts) byteOf(v *vir.Value) (b byteOf, ok bool) {
	for v.Op == vir.Splat {
		v = v.Args[0]
	}
	if v.Type.Elem != alu.I32 || len(v.Args) == 0 {
		return b, false
	}
	x := v.Args[0]
	switch {
	case (v.Op == alu.ZExt || v.Op == alu.SExt) && x.Type.Elem == alu.I8:
		b = byteOf{x, 0, v.Op == alu.SExt}
	case v.Op == alu.And && analysis.IsConst(v.Args[1], 0xff):
		b = byteOf{x, 0, false}
	case (v.Op == alu.LShr || v.Op == alu.AShr) && analysis.IsConst(v.Args[1], 24):
		b = byteOf{x, 3, v.Op == alu.AShr}
	default:
		return b, false
	}
	b.locate()
	if l, ok := d.loads[b.source]; ok {
		b.source, b.k = l.first, l.k
	}
	return b, b.source.Type.Elem == alu.I32 || d.loads[b.source].first != nil
}

// locate follows byte k of the source to the integer that it is from.
func (b *byteOf) locate() {
	for {
		v, k := b.source, b.k
		switch v.Op {
		case vir.Splat, alu.ZExt, alu.SExt, alu.Trunc:
			x := v.Args[0]
			if !x.Type.Elem.IsInt() || x.Type.Elem.Bits() > 32 || 8*k >= x.Type.Elem.Bits() {
				return
			}
		case alu.Shl, alu.LShr, alu.AShr:
			c := v.Args[1]
			if c.Op != vir.Const || c.Const%8 != 0 || c.Const >= uint64(v.Type.Elem.Bits()) {
				return
			}
			if k += int(c.Const / 8); v.Op == alu.Shl {
				k = b.k - int(c.Const/8)
			}
			if k < 0 || 8*k >= v.Type.Elem.Bits() {
				return
			}
		case alu.And:
			if c := v.Args[1]; c.Op != vir.Const || c.Const>>(8*k)&0xff != 0xff {
				return
			}
		default:
			return
		}
		b.source, b.k = v.Args[0], k
	}
}

// isSum reports whether v is the root of a sum of 32-bit integers.
func (d *dotProducts) isSum(v *vir.Value) bool {
	return v.Op == alu.Add && v.Type.Elem == alu.I32 && !d.isPartialSum(v)
}

// isPartialSum reports whether the only use of v is a sum in its block.
func (d *dotProducts) isPartialSum(v *vir.Value) bool {
	user := d.onlyUser(v)
	return v.Op == alu.Add && user != nil && user.Op == alu.Add && user.Block == v.Block
}

func (d *dotProducts) onlyUser(v *vir.Value) *vir.Value {
	if v.Op == vir.Const || len(d.uses[v.ID]) != 1 {
		return nil
	}
	return d.uses[v.ID][0].By
}

// terms appends the terms of the sum v.
func (d *dotProducts) terms(v *vir.Value, out []*vir.Value) []*vir.Value {
	for _, a := range v.Args {
		if d.isPartialSum(a) {
			out = d.terms(a, out)
		} else {
			out = append(out, a)
		}
	}
	return out
}

// byteFactors are the integers whose bytes are multiplied. y is nil if one factor is constants.
type byteFactors struct {
	x, y             *vir.Value
	xSigned, ySigned bool
}

// product is a term, byte k of its factors or of x and a constant.
type product struct {
	byteFactors
	k      int
	weight int64
}

// productOf matches a term without other uses.
func (d *dotProducts) productOf(v *vir.Value) (p product, ok bool) {
	if d.onlyUser(v) == nil {
		return p, false
	}
	weighted := func(x *vir.Value, w int64) (product, bool) {
		b, ok := d.byteOf(x)
		return product{byteFactors{x: b.source, xSigned: b.signed}, b.k, w}, ok
	}
	switch {
	case v.Op == alu.Mul:
	case v.Type.IsScalar(): // without multiplications, moves to vectors and back cost more
		return p, false
	case v.Op == alu.Shl && v.Args[1].Op == vir.Const && v.Args[1].Const < 8:
		return weighted(v.Args[0], 1<<v.Args[1].Const)
	default:
		return weighted(v, 1)
	}
	if c := v.Args[1]; c.Op == vir.Const {
		return weighted(v.Args[0], c.Type.Elem.Signed(c.Const))
	}
	x, ok1 := d.byteOf(v.Args[0])
	y, ok2 := d.byteOf(v.Args[1])
	if !ok1 || !ok2 || x.k != y.k {
		return p, false
	}
	if x.source.ID > y.source.ID {
		x, y = y, x
	}
	return product{byteFactors{x.source, y.source, x.signed, y.signed}, x.k, 0}, true
}

// dot is a dot product of four bytes of x and of y.
type dot struct{ byteFactors }

// find selects four terms for each dot product, and returns the other terms.
func (d *dotProducts) find(terms []*vir.Value, t vir.Type) (dots []dot, rest []*vir.Value) {
	type indexed struct {
		term   int
		weight int64
	}
	var order []byteFactors
	groups := map[byteFactors]*[4][]indexed{}
	for i, v := range terms {
		p, ok := d.productOf(v)
		if !ok {
			continue
		}
		g := groups[p.byteFactors]
		if g == nil {
			g = &[4][]indexed{}
			groups[p.byteFactors], order = g, append(order, p.byteFactors)
		}
		g[p.k] = append(g[p.k], indexed{i, p.weight})
	}
	taken := make([]bool, len(terms))
	for _, x := range order {
		g := groups[x]
		for n := range min(len(g[0]), len(g[1]), len(g[2]), len(g[3])) {
			next := dot{x}
			if x.y == nil {
				var ok bool
				if next.y, next.ySigned, ok = d.constants(t, x.xSigned, g[0][n].weight, g[1][n].weight, g[2][n].weight, g[3][n].weight); !ok {
					continue
				}
			}
			dots = append(dots, next)
			for k := range g {
				taken[g[k][n].term] = true
			}
		}
	}
	for i, v := range terms {
		if !taken[i] {
			rest = append(rest, v)
		}
	}
	return dots, rest
}

// constants packs constant factors into an integer of bytes, of the other signedness than xSigned
// if they fit.
func (d *dotProducts) constants(t vir.Type, xSigned bool, w ...int64) (y *vir.Value, signed, ok bool) {
	low, high, bits := w[0], w[0], uint64(0)
	for k, c := range w {
		low, high = min(low, c), max(high, c)
		bits |= uint64(uint8(c)) << (8 * k)
	}
	fitsSigned, fitsUnsigned := low >= -128 && high <= 127, low >= 0 && high <= 255
	signed = fitsSigned && (!xSigned || !fitsUnsigned)
	return d.f.Const(t, bits), signed, fitsSigned || fitsUnsigned
}

// rewrite replaces the sum at root.
func (d *dotProducts) rewrite(root *vir.Value) {
	dots, rest := d.find(d.terms(root, nil), root.Type)
	if len(dots) == 0 {
		return
	}
	d.formed += len(dots)
	w := dotWriter{d, root, root}
	if user := d.onlyUser(root); user != nil && user.Op == alu.SAddSat && user.Block == root.Block && len(dots) == 1 && len(rest) == 0 && dots[0].xSigned != dots[0].ySigned {
		w.at = user
		acc := user.Args[0]
		if acc == root {
			acc = user.Args[1]
		}
		d.to[user] = w.dot(alu.DotUSSat, dots[0].unsigned(), dots[0].signed(), acc)
		return
	}
	d.to[root] = w.sum(dots, rest)
}

func (x dot) unsigned() (v *vir.Value) {
	if x.xSigned {
		return x.y
	}
	return x.x
}

func (x dot) signed() (v *vir.Value) {
	if x.xSigned {
		return x.x
	}
	return x.y
}

// dotWriter makes the operations that replace a sum.
type dotWriter struct {
	*dotProducts
	root *vir.Value
	at   *vir.Value // they are inserted before it
}

func (w dotWriter) make(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
	v := w.at.Block.NewValue(op, t, args...)
	v.Pos, v.Origin = w.at.Pos, w.at.Origin
	w.before[w.at] = append(w.before[w.at], v)
	return v
}

// dot makes a dot product; acc may be nil for 0.
func (w dotWriter) dot(op vir.Op, unsigned, signed, acc *vir.Value) *vir.Value {
	t := w.root.Type
	if acc == nil {
		acc = w.f.Const(t, 0)
	}
	return w.make(op, t, w.operand(unsigned, false), w.operand(signed, false), acc)
}

// operand returns x in all lanes, with the top bits of its bytes flipped on request.
func (w dotWriter) operand(x *vir.Value, flipped bool) *vir.Value {
	if l, ok := w.loads[x]; ok {
		x = w.load(l)
	}
	if flipped && x.Op == vir.Const {
		x = w.f.Const(x.Type, x.Const^flip)
	} else if flipped {
		x = w.make(alu.Xor, x.Type, x, w.f.Const(x.Type, flip))
	}
	if x.Type != w.root.Type {
		x = w.make(vir.Splat, w.root.Type, x)
	}
	return x
}

// load returns the load of four bytes.
func (w dotWriter) load(l byteLoad) *vir.Value {
	v := w.merged[l.first]
	if v == nil {
		v = l.place.Block.NewValue(vir.Load, vir.Scalar(alu.I32), l.first.Args[0])
		v.Disp, v.Align, v.Invariant, v.Object = l.first.Disp, l.first.Align, l.fixed, l.first.Object
		v.Pos, v.Origin = l.place.Pos, l.place.Origin
		w.before[l.place] = append(w.before[l.place], v)
		w.merged[l.first] = v
	}
	return v
}

// sum adds dot products and other terms.
func (w dotWriter) sum(dots []dot, rest []*vir.Value) *vir.Value {
	t := w.root.Type
	var sum, excess *vir.Value // excess is 128 times the sums of bytes
	for i, x := range rest {
		if w.isReady(x) {
			sum, rest = x, append(rest[:i:i], rest[i+1:]...)
			break
		}
	}
	offset := w.f.Const(t, flip)
	for _, x := range dots {
		if x.xSigned != x.ySigned {
			sum = w.dot(alu.DotUS, x.unsigned(), x.signed(), sum)
			continue
		}
		a, b := x.x, x.y // a is flipped
		if !w.isInvariant(b) && w.isInvariant(a) {
			a, b = b, a
		}
		if sum == nil {
			sum = w.f.Const(t, 0)
		}
		if x.xSigned {
			sum = w.make(alu.DotUS, t, w.operand(a, true), w.operand(b, false), sum)
			excess = w.dot(alu.DotUS, offset, b, excess)
		} else {
			sum = w.make(alu.DotUS, t, w.operand(b, false), w.operand(a, true), sum)
			excess = w.dot(alu.DotUS, b, offset, excess)
		}
	}
	if excess != nil {
		sum = w.make(alu.Sub, t, sum, excess)
	}
	if len(rest) == 0 {
		return sum
	}
	other := rest[0]
	for _, x := range rest[1:] {
		other = w.make(alu.Add, t, other, x)
	}
	return w.make(alu.Add, t, other, sum)
}

// isInvariant reports whether x is defined outside the innermost loop around the sum.
func (w dotWriter) isInvariant(x *vir.Value) bool {
	c := w.cycles.InnermostCycle(w.root.Block.ID)
	return x.Op == vir.Const || c != nil && !w.cycles.Contains(c, x.Block.ID)
}

// isReady reports whether x surely does not depend on the sum of the previous iteration. If it
// did, as the accumulator of a dot product it would lengthen the dependence chain: a dot product
// has four times the latency of an addition.
func (w dotWriter) isReady(x *vir.Value) bool {
	return w.isInvariant(x) || x.Op == vir.Load || x.Op == vir.VLoad || x.Op == vir.Gather
}
