package opt

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// CombineLoads merges loads of adjacent bytes that shifts and ors combine to one number, in
// little- or big-endian order: p[0] | p[1] << 8 | p[2] << 16 | p[3] << 24 becomes a load of
// 32 bits.
//
// The loads are in one block, without a store between them that may alias. So either all
// of them execute or none, and the merged load reads the same bytes. It replaces the last of
// them. Private objects are excluded: their bytes are not adjacent where the memory of
// lanes is interleaved.
//
// requires: nothing; maintains: SSA
func CombineLoads(f *kernel.Func, st Stats) {
	if !mayCombine(f) {
		return
	}
	c := &loadCombiner{f: f, st: st, r: NewReplacer(f), uses: UsesOf(f), place: make([]int, f.NumValues())}
	c.known, c.bytes = make([]bool, f.NumValues()), make([][]byteSource, f.NumValues())
	for _, b := range f.Blocks {
		for i, v := range b.Values {
			c.place[v.ID] = i
		}
	}
	// Last values first: a part of a larger number is no candidate itself.
	done := make([]bool, f.NumValues())
	after := map[*kernel.Value][]*kernel.Value{} // by load: values to insert after it
	for i := len(f.Blocks) - 1; i >= 0; i-- {
		b := f.Blocks[i]
		for k := len(b.Values) - 1; k >= 0; k-- {
			v := b.Values[k]
			if done[v.ID] || !combines(v.Op) {
				continue
			}
			if n := c.match(v); n != nil {
				after[n.last] = append(after[n.last], c.build(v, n)...)
				for x := range n.tree {
					done[x.ID] = true
				}
			}
		}
	}
	if c.r.n == 0 {
		return
	}
	for _, b := range f.Blocks {
		var out []*kernel.Value
		for i, v := range b.Values {
			if made := after[v]; made != nil && out == nil {
				out = append(make([]*kernel.Value, 0, len(b.Values)+8), b.Values[:i]...)
			}
			if out != nil {
				out = append(append(out, v), after[v]...)
			}
		}
		if out != nil {
			b.Values = out
		}
	}
	st.Add("loads combined", c.r.n)
	c.r.Apply(f)
	RemoveDead(f, nil)
	f.Renumber()
}

// mayCombine reports whether a block of f has two narrow loads.
func mayCombine(f *kernel.Func) bool {
	for _, b := range f.Blocks {
		n := 0
		for _, v := range b.Values {
			if isNarrowLoad(v) {
				n++
			}
		}
		if n > 1 {
			return true
		}
	}
	return false
}

func isNarrowLoad(v *kernel.Value) bool {
	return v.Op == kernel.Load && !v.Volatile && v.Type.IsInt() && v.Type.Bits() >= 8 && v.Type.Bits() <= 32 &&
		v.Args[0].Type != alu.PtrPrivate && v.Args[0].Type != alu.PtrGeneric
}

// combines reports whether op may combine bytes.
func combines(op kernel.Op) bool { return op == alu.Or || op == alu.Add || op == alu.Xor }

// byteSource is the origin of a byte of a value: byte at of the memory that load reads,
// zero, or unknown.
type byteSource struct {
	load *kernel.Value
	at   int
	zero bool
}

type loadCombiner struct {
	f     *kernel.Func
	st    Stats
	r     *Replacer
	uses  []int
	place []int  // by value ID: index in the block
	known []bool // by value ID: bytes is computed
	bytes [][]byteSource
}

// combineDepth limits the depth of the expressions that are analyzed.
const combineDepth = 24

// sources returns the origins of the bytes of v, the lowest first, or nil if v is no
// combination of bytes.
func (c *loadCombiner) sources(v *kernel.Value, depth int) []byteSource {
	n := v.Type.Bits() / 8
	if !v.Type.IsInt() || n < 1 || depth == 0 {
		return nil
	}
	if v.Op == kernel.Const {
		if v.Const != 0 {
			return nil
		}
		return zeroBytes(n)
	}
	if !c.known[v.ID] {
		c.known[v.ID] = true
		c.bytes[v.ID] = c.find(v, n, depth-1)
	}
	return c.bytes[v.ID]
}

func zeroBytes(n int) []byteSource {
	s := make([]byteSource, n)
	for i := range s {
		s[i].zero = true
	}
	return s
}

func (c *loadCombiner) find(v *kernel.Value, n, depth int) []byteSource {
	arg := func(i int) []byteSource { return c.sources(v.Args[i], depth) }
	amount := func() int { // in bytes, -1 if it is no multiple of 8 bits
		if y := v.Args[1]; y.Op == kernel.Const && y.Const%8 == 0 && y.Const < uint64(8*n) {
			return int(y.Const / 8)
		}
		return -1
	}
	out := make([]byteSource, n)
	switch v.Op {
	case kernel.Load:
		if v.Count > 1 || !isNarrowLoad(v) {
			return nil
		}
		for i := range out {
			out[i] = byteSource{load: v, at: i}
		}
	case kernel.Component:
		if x := v.Args[0]; !isNarrowLoad(x) {
			return nil
		}
		for i := range out {
			out[i] = byteSource{load: v.Args[0], at: v.Index*n + i}
		}
	case alu.ZExt, alu.SExt, alu.Trunc:
		x := arg(0)
		if x == nil {
			return nil
		}
		for i := copy(out, x); i < n; i++ {
			out[i].zero = v.Op == alu.ZExt
		}
	case alu.Shl, alu.LShr:
		k := amount()
		x := arg(0)
		if k < 0 || x == nil {
			return nil
		}
		if v.Op == alu.LShr {
			k = -k
		}
		for i := range out {
			if j := i - k; j >= 0 && j < n {
				out[i] = x[j]
			} else {
				out[i].zero = true
			}
		}
	case alu.And:
		x, m := v.Args[0], v.Args[1]
		if m.Op != kernel.Const {
			return nil
		}
		s := c.sources(x, depth)
		if s == nil {
			return nil
		}
		for i := range out {
			switch m.Const >> (8 * i) & 0xff {
			case 0:
				out[i].zero = true
			case 0xff:
				out[i] = s[i]
			}
		}
	case alu.Or, alu.Add, alu.Xor:
		x, y := arg(0), arg(1)
		if x == nil || y == nil {
			return nil
		}
		for i := range out {
			switch {
			case x[i].zero:
				out[i] = y[i]
			case y[i].zero:
				out[i] = x[i]
			case v.Op == alu.Add: // may carry into all bytes above
				return nil
			}
		}
	default:
		return nil
	}
	return out
}

// number is a value that consists of adjacent bytes.
type number struct {
	first   *kernel.Value // the load with the lowest address
	last    *kernel.Value // the last load in the block
	typ     kernel.Type
	low     int  // zero bytes below it in the value
	swapped bool // big-endian
	tree    map[*kernel.Value]bool
}

var intOfBytes = map[int]kernel.Type{2: alu.I16, 4: alu.I32, 8: alu.I64}

// match returns the number that v computes, or nil.
func (c *loadCombiner) match(v *kernel.Value) *number {
	s := c.sources(v, combineDepth)
	n := &number{tree: map[*kernel.Value]bool{}}
	for len(s) > 0 && s[0].zero {
		s, n.low = s[1:], n.low+1
	}
	for len(s) > 0 && s[len(s)-1].zero {
		s = s[:len(s)-1]
	}
	typ, ok := intOfBytes[len(s)]
	if !ok || s[0].load == nil {
		return nil
	}
	n.typ = typ
	base := decompose(s[0].load.Args[0])
	b := s[0].load.Block
	loads := map[*kernel.Value]bool{}
	first, lo := s[0].load, s[0].load
	n.last = first
	step := 0
	for i, x := range s {
		if x.load == nil || x.load.Block != b || x.load.Args[0].Type != first.Args[0].Type {
			return nil
		}
		p := decompose(x.load.Args[0])
		if !p.sameBase(base) {
			return nil
		}
		d := p.at + int64(x.at) - base.at - int64(s[0].at)
		if i == 1 {
			step = int(d)
			if step != 1 && step != -1 {
				return nil
			}
		}
		if d != int64(i*step) {
			return nil
		}
		loads[x.load] = true
		if c.place[x.load.ID] > c.place[n.last.ID] {
			n.last = x.load
		}
		if c.place[x.load.ID] < c.place[lo.ID] {
			lo = x.load
		}
	}
	if len(loads) < 2 {
		return nil
	}
	n.swapped = step < 0
	n.first = s[0].load
	head := s[0]
	if n.swapped {
		head = s[len(s)-1]
		n.first = head.load
	}
	bytes := 0
	for x := range loads {
		bytes += x.Type.Size() * x.Count
	}
	if head.at != 0 || bytes != len(s) || c.writtenBetween(lo, n.last) || !c.exclusive(v, n.tree) {
		return nil
	}
	return n
}

// exclusive collects the expression of v in tree and reports whether it has no other users.
func (c *loadCombiner) exclusive(v *kernel.Value, tree map[*kernel.Value]bool) bool {
	used := map[*kernel.Value]int{}
	var collect func(x *kernel.Value)
	collect = func(x *kernel.Value) {
		tree[x] = true
		if x.Op == kernel.Load {
			return
		}
		for _, a := range x.Args {
			if a.Op == kernel.Const {
				continue
			}
			if used[a]++; !tree[a] {
				collect(a)
			}
		}
	}
	collect(v)
	for x := range tree {
		if x != v && used[x] != c.uses[x.ID] {
			return false
		}
	}
	return true
}

// writtenBetween reports whether an operation between two loads of a block may write the
// bytes that they read.
func (c *loadCombiner) writtenBetween(from, to *kernel.Value) bool {
	for _, v := range from.Block.Values[c.place[from.ID]:c.place[to.ID]] {
		if kernel.InfoOf(v.Op).Effect != kernel.Writes && !v.Volatile || kernel.Convergent(v.Op) {
			continue
		}
		if v.Op != kernel.Store || v.Volatile || v.Args[0].Type == alu.PtrGeneric || v.Args[0].Type == from.Args[0].Type {
			return true
		}
	}
	return false
}

// build creates the merged load and the replacement of v. The values that it returns belong
// after the last of the loads.
func (c *loadCombiner) build(v *kernel.Value, n *number) []*kernel.Value {
	var out []*kernel.Value
	op := func(op kernel.Op, t kernel.Type, args ...*kernel.Value) *kernel.Value {
		x := n.last.Block.NewValue(op, t, args...)
		x.Pos = v.Pos
		out = append(out, x)
		return x
	}
	x := op(kernel.Load, n.typ, n.first.Args[0])
	x.Count, x.Align, x.Pos = 1, n.first.Align, n.first.Pos
	t := n.typ
	if n.swapped {
		x = swapBytes(c.f, x, op)
	}
	if t != v.Type {
		x = op(alu.ZExt, v.Type, x)
	}
	if n.low > 0 {
		x = op(alu.Shl, v.Type, x, c.f.Const(v.Type, uint64(8*n.low)))
	}
	c.r.Set(v, x)
	return out
}

// swapBytes reverses the bytes of x.
func swapBytes(f *kernel.Func, x *kernel.Value, op func(kernel.Op, kernel.Type, ...*kernel.Value) *kernel.Value) *kernel.Value {
	t := x.Type
	konst := func(c uint64) *kernel.Value { return f.Const(t, c&t.Mask()) }
	// Each step exchanges the halves of words of twice the size.
	swap := func(x *kernel.Value, up, down kernel.Op, by, back uint64, mask uint64) *kernel.Value {
		left := op(alu.And, t, op(up, t, x, konst(by)), konst(^mask))
		right := op(alu.And, t, op(down, t, x, konst(back)), konst(mask))
		return op(alu.Or, t, left, right)
	}
	switch t.Bits() {
	case 16:
		return op(alu.Rotl, t, x, konst(8))
	case 32:
		return swap(x, alu.Rotl, alu.Rotl, 24, 8, 0x00ff00ff)
	}
	x = swap(x, alu.Shl, alu.LShr, 8, 8, 0x00ff00ff00ff00ff)
	x = swap(x, alu.Shl, alu.LShr, 16, 16, 0x0000ffff0000ffff)
	return op(alu.Rotl, t, x, konst(32))
}

// splitPointer is a decomposed pointer: base + extend(index) + at, in bytes.
type splitPointer struct {
	base, index *kernel.Value
	extend      kernel.Op // of the index, 0 if there is none
	at          int64
}

func (p splitPointer) sameBase(q splitPointer) bool {
	return p.base == q.base && p.index == q.index && p.extend == q.extend
}

// decompose decomposes a pointer. A sign-extended index counts as not overflowing, as
// signed overflow is undefined in OpenCL C: the loads of one buffer would be 4 GB apart.
func decompose(p *kernel.Value) splitPointer {
	var out splitPointer
	for p.Op == kernel.PtrAdd {
		x := p.Args[1]
		if x.Op == kernel.Const {
			out.at += int64(x.Const)
			p = p.Args[0]
			continue
		}
		if out.index != nil {
			break
		}
		for plusConst(x) {
			out.at += int64(x.Args[1].Const)
			x = x.Args[0]
		}
		if x.Op == alu.ZExt || x.Op == alu.SExt {
			out.extend = x.Op
			x = x.Args[0]
			for plusConst(x) && (out.extend == alu.SExt || fitsBelow(x)) {
				k := x.Args[1]
				if out.extend == alu.SExt {
					out.at += k.Type.Signed(k.Const)
				} else {
					out.at += int64(k.Const)
				}
				x = x.Args[0]
			}
		}
		out.index = x
		p = p.Args[0]
	}
	out.base = p
	return out
}

func plusConst(x *kernel.Value) bool {
	return (x.Op == alu.Add || x.Op == alu.Or && fitsBelow(x)) && x.Args[1].Op == kernel.Const
}

// fitsBelow reports whether x is y plus a constant below the lowest bit that may be set in
// y: there is no carry, so that an extension of x distributes over the sum.
func fitsBelow(x *kernel.Value) bool {
	y, k := x.Args[0], x.Args[1]
	if k.Op != kernel.Const {
		return false
	}
	return bits.Len64(k.Const) <= lowZeros(y, 6)
}

// lowZeros returns the number of low bits of x that are known to be zero.
func lowZeros(x *kernel.Value, depth int) int {
	if x.Op == kernel.Const {
		return bits.TrailingZeros64(x.Const)
	}
	if depth == 0 || len(x.Args) == 0 {
		return 0
	}
	zeros := lowZeros(x.Args[0], depth-1)
	switch x.Op {
	case alu.Add, alu.Sub, alu.Or, alu.Xor:
		return min(zeros, lowZeros(x.Args[1], depth-1))
	case alu.And:
		return max(zeros, lowZeros(x.Args[1], depth-1))
	case alu.Mul:
		return min(64, zeros+lowZeros(x.Args[1], depth-1))
	case alu.Shl:
		if x.Args[1].Op == kernel.Const {
			return min(64, zeros+int(x.Args[1].Const&uint64(x.Type.Bits()-1)))
		}
		return zeros
	case alu.ZExt, alu.SExt, alu.Trunc:
		return zeros
	}
	return 0
}
