package memory

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
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
	interleave(f, stats, false, vir.Gather, vir.Scatter)
}

// MaskedInterleave is Interleave for gathers under a mask. The mask of a contiguous access has, for
// each element, the bit of the lane that accesses it; elements that no lane accesses are inactive, so
// exactly the same memory is accessed. Records that are better combined to one element by Coalesce
// remain: their masks need no widening.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func MaskedInterleave(f *vir.Func, stats edit.Stats) { interleave(f, stats, true, vir.Gather) }

// MaskedInterleaveStores is Interleave for scatters under a mask.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func MaskedInterleaveStores(f *vir.Func, stats edit.Stats) { interleave(f, stats, true, vir.Scatter) }

// interleave replaces those of the given operations whose mask is full, or those whose mask is not
// constant.
func interleave(f *vir.Func, stats edit.Stats, masked bool, ops ...vir.Op) {
	c := newCoalescer(f, stats)
	to := map[*vir.Value]*vir.Value{}
	c.done = func(g *group) {
		if !slices.Contains(ops, g.op) {
			return
		}
		if full := analysis.IsConst(g.mask, 1); full == masked || masked && g.mask.Op == vir.Const {
			return
		}
		if p := periodOf(g); p != 0 {
			c.findWindows(g, p, masked)
		}
	}
	c.all(func(b *vir.Block, out, members []*vir.Value) []*vir.Value {
		w := newWindow(f, b, out, members)
		if members[0].Op == vir.Gather {
			w.load(to)
		} else {
			w.store()
		}
		return w.out
	}, to)
}

// maxGaps is the number of elements of which at least one must be stored, or accessed under a mask.
const maxGaps = 4

// maxMasked is the number of bytes of which at least one element must be accessed under a mask: beyond
// that, masks and shuffles for whole vectors cost as much as a gather.
const maxMasked = 16

// periodOf returns the stride of a group in elements, negative if descending; 0 if it is not a small
// constant.
func periodOf(g *group) int64 {
	stride, ok := g.index.Steps()
	stride *= int64(g.scale)
	size := int64(g.size)
	if !ok || stride%size != 0 {
		return 0
	}
	n := stride / size
	if distance := max(stride, -stride); distance > vir.CacheLine || distance > vir.MaxShuffleSpan(g.size) && !sorts(n) || !fromZero(g.index) {
		return 0
	}
	return n
}

// sorts reports whether n vectors of whole records are deinterleaved in several steps, with log n
// two-operand shuffles each (legalize.Func).
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
func (c *coalescer) findWindows(g *group, period int64, masked bool) {
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
		k := int64(len(places))
		counter, fits := "interleaved", g.op == vir.Gather || k*maxGaps >= elements
		if masked {
			counter = "interleaved under masks"
			fits = k*maxGaps >= elements && k*maxMasked >= elements*int64(g.size) && !(k == period && combines(members[0].Accessed(), k))
		}
		if far && k == elements || !far && fits {
			c.replaceRun(g, w, counter)
		}
		members = members[n:]
	}
}

// combines reports whether n adjacent elements are better combined to one by Coalesce: bytes and words,
// which are mostly extended anyway, and pairs in one vector of 64 bytes.
func combines(t vir.Type, n int64) bool {
	bytes := n * int64(t.Elem.Size())
	return (bytes == 2 || bytes == 4 || bytes == 8) && (t.Elem.Size() < 4 || bytes*int64(t.Lanes) <= vir.CacheLine)
}

// window is a set of accesses within one period, by displacement.
type window struct {
	f       *vir.Func
	block   *vir.Block
	out     []*vir.Value // the block's values so far
	members []*vir.Value
	of      *vir.Value // new values get the position of this member

	low, high int64      // the elements are those from low up to high, relative to lane 0 of the first member
	users     []user     // by element, from low on
	full      bool       // all lanes are active
	lanes     *vir.Value // 0 or -1 in each lane, if not full
}

// user is the lane of a member that accesses an element.
type user struct{ member, lane int }

// gap is the member of an element that none accesses.
const gap = -1

func newWindow(f *vir.Func, b *vir.Block, out, members []*vir.Value) *window {
	w := &window{f: f, block: b, out: out, members: members, of: members[0], full: analysis.IsConst(maskOf(members[0]), 1)}
	w.low = w.element(members[0], 0)
	for _, v := range members {
		for _, l := range []int{0, v.Accessed().Lanes - 1} {
			w.low, w.high = min(w.low, w.element(v, l)), max(w.high, w.element(v, l)+1)
		}
	}
	lanes := members[0].Accessed().Lanes
	w.users = slices.Repeat([]user{{member: gap}}, (int(w.high-w.low)+lanes-1)/lanes*lanes)
	for i, v := range members {
		for l := range lanes {
			w.users[w.element(v, l)-w.low] = user{i, l}
		}
	}
	return w
}

// mask returns the mask for the users of consecutive elements.
func (w *window) mask(users []user) *vir.Value {
	t := vir.Mask(len(users))
	if !w.full {
		word := vir.Vec(alu.IntOf(w.members[0].Accessed().Elem.Bits()), t.Lanes)
		if w.lanes == nil {
			w.lanes = w.op(alu.SExt, word, maskOf(w.members[0]))
		}
		zero := w.f.Const(word, 0)
		x := w.shuffle(w.lanes, zero, func(l int) int {
			if users[l].member == gap {
				return t.Lanes // a lane of zero
			}
			return users[l].lane
		})
		return w.op(alu.Ne, t, x, zero)
	}
	bits := uint64(0)
	for l, u := range users {
		if u.member != gap {
			bits |= 1 << l
		}
	}
	if bits == ^uint64(0)>>(64-t.Lanes) {
		return w.f.Const(t, 1)
	}
	return w.op(vir.Unbits, t, w.f.Const(vir.Scalar(alu.I64), bits))
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
	count := int64(len(w.users)) / lanes
	last := w.low + (count-1)*lanes // the first element of the last vector
	if w.full {
		last = w.high - lanes
	}
	var parts []*vir.Value
	for i := range count {
		mask := w.f.Const(vir.Mask(t.Lanes), 1)
		if !w.full {
			mask = w.mask(w.users[i*lanes:][:lanes])
		}
		parts = append(parts, w.access(vir.VLoad, t, min(w.low+i*lanes, last), first.Args[0], mask))
	}
	all := w.concat(parts)
	for _, v := range w.members {
		w.of = v
		from := make([]int, t.Lanes)
		straight := true
		for l := range from {
			e := w.element(v, l)
			from[l] = int(e - w.low)
			if e >= w.low+(count-1)*lanes {
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
	for _, v := range w.members {
		x := v.Args[2]
		if x.Type != t {
			x = w.op(alu.Bitcast, t, x)
		}
		xs = append(xs, x)
	}
	all := w.concat(xs)
	for at := 0; at < len(w.users); at += t.Lanes {
		w.of = w.members[at/t.Lanes%len(w.members)] // every member's position is used
		users := w.users[at : at+t.Lanes]
		some := slices.IndexFunc(users, func(u user) bool { return u.member != gap })
		if some < 0 {
			continue
		}
		last := users[some]
		lanes := make([]int, t.Lanes)
		for l, u := range users {
			if u.member != gap {
				last = u
			}
			lanes[l] = last.member*t.Lanes + last.lane // any lane will do for a gap
		}
		x := all
		if len(xs) > 1 || !slices.IsSorted(lanes) || len(slices.Compact(slices.Clone(lanes))) < t.Lanes {
			x = w.op(vir.Shuffle, t, all, all)
			x.Lanes = lanes
		}
		w.access(vir.VStore, vir.Type{}, w.low+int64(at), first.Args[0], x, w.mask(users))
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
