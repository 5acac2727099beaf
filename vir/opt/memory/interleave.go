package memory

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Interleave makes gathers and scatters whose lanes are a few elements apart
// contiguous accesses and shuffles: of n*W elements that follow each other,
// loads take every n-th; stores put n vectors together. A lane costs a gather
// what a register costs a load. (Nuzman, Rosen and Zaks, "Auto-vectorization of
// interleaved data for SIMD", PLDI 2006.)
//
// All lanes must be active. What lies between the first and the last element
// that is accessed belongs to the same object, and nothing beyond it is touched:
// the last load ends with the last element. Stores write nothing in between:
// lanes where gaps are have no element in the mask. Records of a line of the cache
// are accessed so only if all of their elements are.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func Interleave(f *vir.Func, stats edit.Stats) {
	c := newCoalescer(f, stats)
	to := map[*vir.Value]*vir.Value{}
	c.done = func(g *group) {
		if p := periodOf(g); p != 0 {
			c.windows(g, p)
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

// mostGaps is of how many elements one at least must be stored.
const mostGaps = 4

// periodOf returns how many elements the lanes of a group are apart, negative
// if they go downwards; 0 if that is none of a few, or some lane may be inactive.
func periodOf(g *group) int64 {
	stride, ok := g.index.Steps()
	stride *= int64(g.scale)
	size := int64(g.size)
	if !ok || stride%size != 0 || g.mask.Op != vir.Const || g.mask.Const != 1 {
		return 0
	}
	n := stride / size
	if apart := max(stride, -stride); apart > vir.CacheLine || apart > vir.MostApart(g.size) && !sorts(n) || !fromZero(g.index) {
		return 0
	}
	return n
}

// sorts reports whether n vectors of whole records are sorted in several steps (see
// window.whole), which takes log n shuffles of two for each.
func sorts(n int64) bool { return n >= 4 && n&(n-1) == 0 }

// fromZero reports whether what Steps counts begins with 0.
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

// windows finds the members of g whose elements lie within one period, and asks
// for what takes their place.
func (c *coalescer) windows(g *group, period int64) {
	members, once := g.sorted()
	if len(once) < len(members) && g.op == vir.Scatter {
		return // an element is overwritten
	}
	apart := max(period, -period)
	far := apart*int64(g.size) > vir.MostApart(g.size) // too far to be sorted in one step
	for len(members) > 0 {
		first := members[0].Disp
		n := 0
		for n < len(members) && members[n].Disp-first < apart*int64(g.size) {
			n++
		}
		w := slices.DeleteFunc(slices.Clone(members[:n]), func(v *vir.Value) bool { return (v.Disp-first)%int64(g.size) != 0 })
		places := slices.CompactFunc(slices.Clone(w), func(x, y *vir.Value) bool { return x.Disp == y.Disp })
		if far && int64(len(places)) == apart || !far && (g.op == vir.Gather || int64(len(w))*mostGaps >= apart) {
			c.run(g, w, "interleaved")
		}
		members = members[n:]
	}
}

// window is accesses within a period, in the order of their displacements.
type window struct {
	f       *vir.Func
	block   *vir.Block
	out     []*vir.Value // of the block so far
	members []*vir.Value
	of      *vir.Value // the member that things are made for
}

func (w *window) op(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
	v := w.block.NewValue(op, t, args...)
	v.Pos, v.Origin = w.of.Pos, w.of.Origin
	w.out = append(w.out, v)
	return v
}

// access is an access of the elements from number i on, counted from that of the
// first member's lane 0.
func (w *window) access(op vir.Op, t vir.Type, i int64, args ...*vir.Value) *vir.Value {
	v := w.op(op, t, args...)
	size := int64(w.members[0].Accessed().Elem.Size())
	v.Disp, v.Align = w.members[0].Disp+i*size, min(w.members[0].Align, int(size))
	return v
}

// element is the number of the element that lane l of v has.
func (w *window) element(v *vir.Value, l int) int64 {
	stride, _ := v.Args[1].Steps()
	size := int64(v.Accessed().Elem.Size())
	return (v.Disp-w.members[0].Disp)/size + int64(l)*stride*int64(v.Scale)/size
}

// load loads vectors that hold all elements and takes each member's out of them.
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
		fields := w.apart(parts)
		for _, v := range w.members {
			w.of = v
			to[v] = w.as(v, fields[w.element(v, 0)-low])
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
		to[v] = w.as(v, x)
	}
}

// as returns x, integers, as what stands for v.
func (w *window) as(v, x *vir.Value) *vir.Value {
	if v.Type != x.Type {
		x = w.op(alu.Bitcast, v.Type, x)
	}
	if x.Name == "" {
		x.Name = v.Name
	}
	return x
}

// whole reports whether the window is as many vectors of elements, upwards, as the
// elements that lanes are apart, a power of two that takes several steps to sort:
// n log n shuffles of two vectors for n times n-1.
func (w *window) whole(n int, elements int64) bool {
	first := w.members[0]
	return sorts(int64(n)) && elements == int64(n*first.Accessed().Lanes) && w.element(first, 1) == int64(n)
}

// apart sorts the elements of vectors, which follow each other, by their number modulo that
// of the vectors: those that are even from those that are odd, and both likewise.
func (w *window) apart(xs []*vir.Value) []*vir.Value {
	if len(xs) == 1 {
		return xs
	}
	out := make([]*vir.Value, len(xs))
	for odd := range 2 {
		half := make([]*vir.Value, len(xs)/2)
		for i := range half {
			half[i] = w.shuffle(xs[2*i], xs[2*i+1], func(l int) int { return 2*l + odd })
		}
		for i, x := range w.apart(half) {
			out[2*i+odd] = x
		}
	}
	return out
}

// together is the opposite of apart.
func (w *window) together(xs []*vir.Value) []*vir.Value {
	if len(xs) == 1 {
		return xs
	}
	var halves [2][]*vir.Value
	for i, x := range xs {
		halves[i%2] = append(halves[i%2], x)
	}
	even, odd := w.together(halves[0]), w.together(halves[1])
	out := make([]*vir.Value, len(xs))
	for i := range out {
		lanes := even[0].Type.Lanes
		from := i % 2 * lanes / 2
		out[i] = w.shuffle(even[i/2], odd[i/2], func(l int) int { return from + l/2 + l%2*lanes })
	}
	return out
}

// shuffle takes lane l from that with a number of those of a and b.
func (w *window) shuffle(a, b *vir.Value, from func(l int) int) *vir.Value {
	x := w.op(vir.Shuffle, a.Type, a, b)
	x.Lanes = make([]int, a.Type.Lanes)
	for l := range x.Lanes {
		x.Lanes[l] = from(l)
	}
	return x
}

// store puts the members' elements into the order of memory.
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
		for i, x := range w.together(xs) {
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
		w.of = w.members[at/t.Lanes%len(w.members)] // each member's is somewhere
		lanes := from[at : at+t.Lanes]
		bits, last := uint64(0), slices.IndexFunc(lanes, func(l int) bool { return l != gap })
		if last < 0 {
			continue
		}
		last = lanes[last]
		for l, i := range lanes {
			if i == gap {
				lanes[l] = last // any will do
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

// concat joins vectors to one of a power of two of lanes; what there is more of
// is the first again.
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
