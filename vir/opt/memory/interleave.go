package memory

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Interleave turns gathers and scatters with a small stride into contiguous accesses and shuffles:
// from n*W consecutive elements, each load takes every n-th; stores interleave n vectors. A gather
// costs per lane what a load costs per register. (Nuzman, Rosen and Zaks, "Auto-vectorization of
// interleaved data for SIMD", PLDI 2006.)
//
// All lanes must be active. Elements between the first and the last accessed one belong to the same
// object, and no others are touched: the last load ends with the last element. Stores do not write
// gaps, which are excluded by the mask. Records as large as a cache line are only accessed like this
// if all of their elements are.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func Interleave(f *vir.Func, stats edit.Stats) {
	c := newCoalescer(f, stats)
	to := map[*vir.Value]*vir.Value{}
	c.done = func(g *group) {
		if p := periodOf(g); p != 0 {
			c.findWindows(g, p)
		}
	}
	c.all(func(b *vir.Block, out, members []*vir.Value) []*vir.Value {
		w := &window{f: f, block: b, out: out, members: members, of: members[0]}
		if members[0].Op == vir.Gather {
			w.load(to)
		} else {
			w.store()
		}
		return w.out
	}, to)
}

// maxGaps is the number of elements of which at least one must be stored.
const maxGaps = 4

// periodOf returns the stride of a group in elements, negative if descending; 0 if it is not a small
// constant, or some lane may be inactive.
func periodOf(g *group) int64 {
	stride, ok := g.index.Steps()
	stride *= int64(g.scale)
	size := int64(g.size)
	if !ok || stride%size != 0 || g.mask.Op != vir.Const || g.mask.Const != 1 {
		return 0
	}
	n := stride / size
	if distance := max(stride, -stride); distance > vir.CacheLine || distance > vir.MaxShuffleSpan(g.size) && !sorts(n) || !fromZero(g.index) {
		return 0
	}
	return n
}

// sorts reports whether n vectors of whole records are deinterleaved in several steps (see
// window.whole), with log n two-operand shuffles each.
func sorts(n int64) bool { return n >= 4 && n&(n-1) == 0 }

// fromZero reports whether the sequence that Steps matches starts with 0.
func fromZero(v *vir.Value) bool {
	for v.Op != vir.Iota {
		if v.Op == alu.Sub {
			v = v.Args[1]
		} else {
			v = v.Args[0]
		}
	}
	return v.Index == 0
}

// findWindows finds the members of g within one period, and requests their replacement.
func (c *coalescer) findWindows(g *group, period int64) {
	members, once := g.sorted()
	if len(once) < len(members) && g.op == vir.Scatter {
		return // an element is overwritten
	}
	elements := max(period, -period)
	far := elements*int64(g.size) > vir.MaxShuffleSpan(g.size) // too far for one shuffle
	for len(members) > 0 {
		first := members[0].Disp
		n := 0
		for n < len(members) && members[n].Disp-first < elements*int64(g.size) {
			n++
		}
		w := slices.DeleteFunc(slices.Clone(members[:n]), func(v *vir.Value) bool { return (v.Disp-first)%int64(g.size) != 0 })
		places := slices.CompactFunc(slices.Clone(w), func(x, y *vir.Value) bool { return x.Disp == y.Disp })
		if far && int64(len(places)) == elements || !far && (g.op == vir.Gather || int64(len(w))*maxGaps >= elements) {
			c.replaceRun(g, w, "interleaved")
		}
		members = members[n:]
	}
}

// window is a set of accesses within one period, by displacement.
type window struct {
	f       *vir.Func
	block   *vir.Block
	out     []*vir.Value // the block's values so far
	members []*vir.Value
	of      *vir.Value // new values get the position of this member
}

func (w *window) op(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
	v := w.block.NewValue(op, t, args...)
	v.Pos, v.Origin = w.of.Pos, w.of.Origin
	w.out = append(w.out, v)
	return v
}

// access creates an access of consecutive elements from number i on, relative to lane 0 of the first
// member.
func (w *window) access(op vir.Op, t vir.Type, i int64, args ...*vir.Value) *vir.Value {
	v := w.op(op, t, args...)
	size := int64(w.members[0].Accessed().Elem.Size())
	v.Disp, v.Align = w.members[0].Disp+i*size, min(w.members[0].Align, int(size))
	return v
}

// element returns the number of the element in lane l of v.
func (w *window) element(v *vir.Value, l int) int64 {
	stride, _ := v.Args[1].Steps()
	size := int64(v.Accessed().Elem.Size())
	return (v.Disp-w.members[0].Disp)/size + int64(l)*stride*int64(v.Scale)/size
}

// load loads vectors with all elements and extracts each member from them.
func (w *window) load(to map[*vir.Value]*vir.Value) {
	first := w.members[0]
	t := vir.Vec(alu.IntOf(first.Type.Elem.Bits()), first.Type.Lanes)
	lanes := int64(t.Lanes)
	low, high := w.element(first, 0), int64(0)
	for _, v := range w.members {
		for _, l := range []int{0, t.Lanes - 1} {
			low, high = min(low, w.element(v, l)), max(high, w.element(v, l)+1)
		}
	}
	count := (high - low + lanes - 1) / lanes
	last := high - lanes // the first element of the last vector
	mask := w.f.Const(vir.Mask(t.Lanes), 1)
	var parts []*vir.Value
	for i := range count {
		parts = append(parts, w.access(vir.VLoad, t, min(low+i*lanes, last), first.Args[0], mask))
	}
	if w.whole(int(count), high-low) {
		fields := w.deinterleave(parts)
		for _, v := range w.members {
			w.of = v
			to[v] = w.convert(v, fields[w.element(v, 0)-low])
		}
		return
	}
	all := w.concat(parts)
	for _, v := range w.members {
		w.of = v
		from := make([]int, t.Lanes)
		straight := true
		for l := range from {
			e := w.element(v, l)
			from[l] = int(e - low)
			if e >= low+(count-1)*lanes {
				from[l] = int((count-1)*lanes + e - last)
			}
			straight = straight && from[l] == l
		}
		x := all
		if !straight {
			x = w.op(vir.Shuffle, t, all, all)
			x.Lanes = from
		}
		to[v] = w.convert(v, x)
	}
}

// convert converts the integer vector x to the type of v.
func (w *window) convert(v, x *vir.Value) *vir.Value {
	if v.Type != x.Type {
		x = w.op(alu.Bitcast, v.Type, x)
	}
	if x.Name == "" {
		x.Name = v.Name
	}
	return x
}

// whole reports whether the window has as many vectors as the stride has elements, ascending, and
// that is a power of two for which deinterleaving takes several steps: n log n two-operand shuffles
// instead of n (n-1).
func (w *window) whole(n int, elements int64) bool {
	first := w.members[0]
	return sorts(int64(n)) && elements == int64(n*first.Accessed().Lanes) && w.element(first, 1) == int64(n)
}

// deinterleave sorts the elements of consecutive vectors by their number modulo the number of
// vectors: it separates even from odd elements, and recurses on both.
func (w *window) deinterleave(xs []*vir.Value) []*vir.Value {
	if len(xs) == 1 {
		return xs
	}
	out := make([]*vir.Value, len(xs))
	for odd := range 2 {
		half := make([]*vir.Value, len(xs)/2)
		for i := range half {
			half[i] = w.shuffle(xs[2*i], xs[2*i+1], func(l int) int { return 2*l + odd })
		}
		for i, x := range w.deinterleave(half) {
			out[2*i+odd] = x
		}
	}
	return out
}

// interleave is the inverse of deinterleave.
func (w *window) interleave(xs []*vir.Value) []*vir.Value {
	if len(xs) == 1 {
		return xs
	}
	var halves [2][]*vir.Value
	for i, x := range xs {
		halves[i%2] = append(halves[i%2], x)
	}
	even, odd := w.interleave(halves[0]), w.interleave(halves[1])
	out := make([]*vir.Value, len(xs))
	for i := range out {
		lanes := even[0].Type.Lanes
		from := i % 2 * lanes / 2
		out[i] = w.shuffle(even[i/2], odd[i/2], func(l int) int { return from + l/2 + l%2*lanes })
	}
	return out
}

// shuffle takes lane l from the given lane of a and b.
func (w *window) shuffle(a, b *vir.Value, from func(l int) int) *vir.Value {
	x := w.op(vir.Shuffle, a.Type, a, b)
	x.Lanes = make([]int, a.Type.Lanes)
	for l := range x.Lanes {
		x.Lanes[l] = from(l)
	}
	return x
}

// store interleaves the members' elements.
func (w *window) store() {
	first := w.members[0]
	t := vir.Vec(alu.IntOf(first.Accessed().Elem.Bits()), first.Accessed().Lanes)
	var xs []*vir.Value
	low, high := w.element(first, 0), int64(0)
	for _, v := range w.members {
		x := v.Args[2]
		if x.Type != t {
			x = w.op(alu.Bitcast, t, x)
		}
		xs = append(xs, x)
		for _, l := range []int{0, t.Lanes - 1} {
			low, high = min(low, w.element(v, l)), max(high, w.element(v, l)+1)
		}
	}
	if n := len(xs); w.whole(n, high-low) {
		for i, x := range w.interleave(xs) {
			w.access(vir.VStore, vir.Type{}, low+int64(i*t.Lanes), first.Args[0], x, w.f.Const(vir.Mask(t.Lanes), 1))
		}
		return
	}
	const gap = -1
	from := slices.Repeat([]int{gap}, (int(high-low)+t.Lanes-1)/t.Lanes*t.Lanes)
	for i, v := range w.members {
		for l := range t.Lanes {
			from[w.element(v, l)-low] = i*t.Lanes + l
		}
	}
	all := w.concat(xs)
	for at := 0; at < len(from); at += t.Lanes {
		w.of = w.members[at/t.Lanes%len(w.members)] // every member's position is used
		lanes := from[at : at+t.Lanes]
		bits, last := uint64(0), slices.IndexFunc(lanes, func(l int) bool { return l != gap })
		if last < 0 {
			continue
		}
		last = lanes[last]
		for l, i := range lanes {
			if i == gap {
				lanes[l] = last // any lane will do
				continue
			}
			bits |= 1 << l
			last = i
		}
		x := all
		if len(xs) > 1 || !slices.IsSorted(lanes) || len(slices.Compact(slices.Clone(lanes))) < t.Lanes {
			x = w.op(vir.Shuffle, t, all, all)
			x.Lanes = lanes
		}
		mask := w.f.Const(vir.Mask(t.Lanes), 1)
		if bits != ^uint64(0)>>(64-t.Lanes) {
			mask = w.op(vir.Unbits, vir.Mask(t.Lanes), w.f.Const(vir.Scalar(alu.I64), bits))
		}
		w.access(vir.VStore, vir.Type{}, low+int64(at), first.Args[0], x, mask)
	}
}

// concat concatenates vectors, repeating the first up to a power of two.
func (w *window) concat(xs []*vir.Value) *vir.Value {
	if len(xs) == 1 {
		return xs[0]
	}
	for len(xs)&(len(xs)-1) != 0 {
		xs = append(slices.Clip(xs), xs[0])
	}
	t := xs[0].Type
	t.Lanes *= len(xs)
	return w.op(vir.Concat, t, xs...)
}
