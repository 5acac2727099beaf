package legalize

import (
	"math"
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// Vector masks: a target without mask registers keeps a mask in a vector. A comparison makes lanes
// of the size of its operands, and selects and accesses need lanes of the size of theirs. All
// other masks can have lanes of any size, which is chosen for each of them; where sizes differ,
// Resize converts. A mask of wider lanes occupies more registers.

// VectorMasks returns f with masks in vectors of registerBits bits.
//
// requires: f without VectorMasks; maintains: f
func VectorMasks(f *vir.Func, registerBits int) *vir.Func {
	f = vir.Clone(f)
	m := &maskSizes{f: f, registerBits: registerBits, of: make([]*maskNode, f.NumValues()), depth: make([]int, len(f.Blocks))}
	cycles := cfg.Cycles(f.Graph())
	for i := range f.Blocks {
		m.depth[i] = cycles.Depth(i)
	}
	m.collect()
	m.choose()
	m.rewrite()
	f.VectorMasks = true
	f.Renumber()
	return f
}

// maskSizes chooses the sizes of the lanes of masks.
type maskSizes struct {
	f            *vir.Func
	registerBits int
	depth        []int       // by block ID: loop depth
	of           []*maskNode // by value ID; nil: not a mask, or a constant
	nodes        []*maskNode // in order of definition

	resized map[resizeKey]*vir.Value
	first   map[*vir.Block][]*vir.Value // to be inserted at the start of a block
	after   map[*vir.Value][]*vir.Value // to be inserted after an operation
}

// maskNode is a mask: its costs by size, in register operations, weighted by frequency.
type maskNode struct {
	v      *vir.Value
	bits   int
	fixed  bool       // bits is determined by the operation
	needs  [4]float64 // by log2 of the bytes of a lane: uses that need this size
	own    float64    // weight of operations that take one instruction per register
	links  []maskLink // masks that should have the same size
	parent *maskNode  // in the tree of a component of masks that are not fixed
	sum    [4]float64 // of the component: needs
}

type maskLink struct {
	to     *maskNode
	weight float64
}

type resizeKey struct {
	v    *vir.Value
	bits int
	in   *vir.Block // nil: at the definition
}

// weight is the assumed frequency of a block.
func (m *maskSizes) weight(b *vir.Block) float64 {
	const trips = 8 // of each loop
	return math.Pow(trips, float64(m.depth[b.ID]))
}

// collect makes the nodes and their costs.
func (m *maskSizes) collect() {
	add := func(v *vir.Value) {
		if v.Type.IsMask() {
			n := &maskNode{v: v, bits: 32}
			n.parent = n
			m.of[v.ID] = n
			m.nodes = append(m.nodes, n)
		}
	}
	for _, b := range m.f.Blocks {
		for _, p := range b.Params {
			add(p)
		}
		for _, v := range b.Values {
			add(v)
		}
	}
	for _, b := range m.f.Blocks {
		w := m.weight(b)
		for _, v := range b.Values {
			m.operation(v, w)
		}
		for _, e := range b.Edges {
			for i, a := range e.Args {
				m.link(m.of[e.To.Params[i].ID], m.of[a.ID], w)
			}
		}
	}
}

// operation adds the costs of the masks that v makes and uses.
func (m *maskSizes) operation(v *vir.Value, w float64) {
	n := m.of[v.ID]
	if n != nil {
		if size := madeSize(v); size > 0 {
			n.bits, n.fixed = size, true
		} else {
			n.own += w
		}
	}
	for i, a := range v.Args {
		x := m.of[a.ID]
		if x == nil {
			continue
		}
		size := neededSize(v, i)
		switch {
		case size > 0:
			x.needs[sizeIndex(size)] += w
		case n != nil:
			m.link(n, x, w)
		default: // votes and counts
			x.own += w
		}
	}
}

func (m *maskSizes) link(a, b *maskNode, w float64) {
	if a == nil || b == nil || a == b {
		return
	}
	a.links = append(a.links, maskLink{b, w})
	b.links = append(b.links, maskLink{a, w})
}

// madeSize returns the size of the lanes of the mask that v makes, 0 if it is open.
func madeSize(v *vir.Value) int {
	if v.Op.Pure() && v.Args[len(v.Args)-1].Type.IsVec() {
		return v.Args[len(v.Args)-1].Type.Elem.Bits()
	}
	return 0
}

// neededSize returns the size that v needs of the lanes of operand i, a mask; 0 if it is open.
func neededSize(v *vir.Value, i int) int {
	info := vir.InfoOf(v.Op)
	switch {
	case info.Memory:
		return vir.AccessMaskBits(v.Op, v.Accessed())
	case v.Op == vir.First, v.Op == vir.Compress, v.Op == vir.Expand:
		return v.Args[0].Type.Elem.Bits()
	case v.Op == vir.Rank:
		return 32
	case v.Op.Pure() && v.Type.IsVec():
		return v.Type.Elem.Bits()
	}
	return 0
}

// sizes are the possible sizes of lanes.
var sizes = [4]int{8, 16, 32, 64}

// sizeIndex returns the index of a size in sizes.
func sizeIndex(bits int) int { return slices.Index(sizes[:], bits) }

// registers returns the number of registers of a mask with lanes of the given size.
func (m *maskSizes) registers(v *vir.Value, bits int) float64 {
	return float64(max(1, v.Type.Lanes*bits/m.registerBits))
}

// conversion returns the cost of a conversion between two sizes of lanes.
func (m *maskSizes) conversion(v *vir.Value, from, to int) float64 {
	if from == to {
		return 0
	}
	const perRegister = 1.5 // of the wider form: a conversion, and often a join or a split
	return perRegister * m.registers(v, max(from, to))
}

// choose finds sizes that need few conversions and registers. It begins with the best common size
// of all masks that depend on each other and then improves one after the other.
func (m *maskSizes) choose() {
	root := func(n *maskNode) *maskNode {
		for n.parent != n {
			n.parent = n.parent.parent
			n = n.parent
		}
		return n
	}
	for _, n := range m.nodes {
		for _, l := range n.links {
			if !n.fixed && !l.to.fixed {
				root(n).parent = root(l.to)
			}
		}
	}
	for _, n := range m.nodes {
		if r := root(n); !n.fixed {
			for k := range sizes {
				r.sum[k] += m.cost(n, k, true)
			}
		}
	}
	for _, n := range m.nodes {
		if !n.fixed {
			n.bits = sizes[best(&root(n).sum)]
		}
	}
	const sweeps = 4
	for range sweeps {
		changed := false
		for _, n := range m.nodes {
			if n.fixed {
				continue
			}
			var costs [4]float64
			for k := range sizes {
				costs[k] = m.cost(n, k, false)
			}
			if k := best(&costs); sizes[k] != n.bits && costs[k] < costs[sizeIndex(n.bits)] {
				n.bits, changed = sizes[k], true
			}
		}
		if !changed {
			break
		}
	}
}

// best returns the index of the least cost: of equal ones that of 32 bits, which most operations
// have, else the first.
func best(costs *[4]float64) int {
	at := 2
	for k, c := range costs {
		if c < costs[at] {
			at = k
		}
	}
	return at
}

// cost returns the cost of n with the k-th size, given those of all masks that it is linked with, or
// only of the fixed ones.
func (m *maskSizes) cost(n *maskNode, k int, fixed bool) float64 {
	bits := sizes[k]
	c := n.own * m.registers(n.v, bits)
	for i, w := range n.needs {
		if w > 0 {
			c += w * m.conversion(n.v, bits, sizes[i])
		}
	}
	for _, l := range n.links {
		if !fixed || l.to.fixed {
			c += l.weight * m.conversion(n.v, bits, l.to.bits)
		}
	}
	return c
}

// rewrite gives masks their types and inserts the conversions.
func (m *maskSizes) rewrite() {
	m.resized, m.first, m.after = map[resizeKey]*vir.Value{}, map[*vir.Block][]*vir.Value{}, map[*vir.Value][]*vir.Value{}
	for _, n := range m.nodes {
		n.v.Type.MaskBits = uint8(n.bits)
	}
	for _, b := range m.f.Blocks {
		for _, v := range b.Values {
			for i, a := range v.Args {
				if a.Type.IsMask() {
					v.Args[i] = m.get(a, m.sizeFor(v, i), b)
				}
			}
		}
		for k := range b.Edges {
			e := &b.Edges[k]
			for i, a := range e.Args {
				if a.Type.IsMask() {
					e.Args[i] = m.get(a, m.of[e.To.Params[i].ID].bits, b)
				}
			}
		}
	}
	for _, b := range m.f.Blocks {
		out := m.first[b]
		for _, v := range b.Values {
			out = append(append(out, v), m.after[v]...)
		}
		b.Values = out
	}
}

// sizeFor returns the size of operand i of v.
func (m *maskSizes) sizeFor(v *vir.Value, i int) int {
	if size := neededSize(v, i); size > 0 {
		return size
	}
	if v.Type.IsMask() {
		return m.of[v.ID].bits
	}
	if n := m.operandNode(v.Args[i]); n != nil {
		return n.bits
	}
	return 32
}

// operandNode returns the node of a mask, nil for a constant.
func (m *maskSizes) operandNode(v *vir.Value) *maskNode {
	if v.ID < len(m.of) {
		return m.of[v.ID]
	}
	return nil
}

// get returns v with lanes of the given size, for a use in b. A conversion is placed at the
// definition, unless that is in a deeper loop.
func (m *maskSizes) get(v *vir.Value, bits int, b *vir.Block) *vir.Value {
	if v.Op == vir.Const {
		return m.f.Const(vir.VectorMask(bits, v.Type.Lanes), v.Const)
	}
	if v.Type.LaneBits() == bits {
		return v
	}
	key := resizeKey{v: v, bits: bits}
	if m.depth[b.ID] < m.depth[v.Block.ID] {
		key.in = b
	}
	if x := m.resized[key]; x != nil {
		return x
	}
	in := v.Block
	if key.in != nil {
		in = key.in
	}
	t := vir.VectorMask(bits, v.Type.Lanes)
	var x *vir.Value
	if v.Op == vir.Splat { // as cheap as a conversion
		x = in.NewValue(v.Op, t, v.Args...)
	} else {
		x = in.NewValue(vir.Resize, t, v)
	}
	x.Pos, x.Name = v.Pos, v.Name
	m.resized[key] = x
	switch {
	case key.in != nil || v.Op == vir.Param:
		m.first[in] = append(m.first[in], x)
	default:
		m.after[v] = append(m.after[v], x)
	}
	return x
}

// fitMasks completes the type t of an operation of an expansion and its operands, which are masks
// of unknown sizes, or of sizes that do not fit.
func (l *legalizer) fitMasks(op vir.Op, t vir.Type, args []*vir.Value) (vir.Type, []*vir.Value) {
	if op == vir.Resize || !slices.ContainsFunc(args, func(a *vir.Value) bool { return a.Type.IsMask() }) {
		if op.Pure() && t.IsMask() && len(args) > 0 {
			t = l.maskOf(args[len(args)-1].Type)
		}
		return t, args
	}
	bits := 0
	switch {
	case !op.Pure():
		return t, args
	case t.IsVec():
		bits = t.Elem.Bits()
	case t.IsMask():
		bits = 32
		for _, a := range args {
			if a.Type.MaskBits > 0 && a.Op != vir.Const {
				bits = a.Type.LaneBits()
				break
			}
		}
		if t.MaskBits > 0 {
			bits = t.LaneBits()
		}
		t.MaskBits = uint8(bits)
	}
	args = slices.Clone(args)
	for i, a := range args {
		if a.Type.IsMask() {
			args[i] = l.resized(a, bits)
		}
	}
	return t, args
}

// resized returns the mask x of an expansion with lanes of the given size.
func (l *legalizer) resized(x *vir.Value, bits int) *vir.Value {
	switch {
	case !l.t.VectorMasks || x.Type.LaneBits() == bits && x.Type.MaskBits > 0:
		return x
	case x.Op == vir.Const:
		return l.constant(vir.VectorMask(bits, x.Type.Lanes), x.Const)
	}
	return l.make(vir.Resize, vir.VectorMask(bits, x.Type.Lanes), x)
}
