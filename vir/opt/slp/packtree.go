package slp

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// packKind is where the lanes of a pack come from.
type packKind uint8

const (
	gatheredPack packKind = iota // from scalars of any kind, one by one
	equalPack                    // from one scalar
	pickedPack                   // from lanes of another pack
	takenPack                    // from lanes of a vector that there is already
	carriedPack                  // from edges: parameters of a block
	loadedPack                   // from memory
	storedPack                   // not at all: they go to memory
	computedPack                 // from an operation
)

// pack is scalars that are the lanes of a vector.
type pack struct {
	kind  packKind
	lanes []*vir.Value
	args  []*pack // of an operation, nil for operands that stay scalar; of picked lanes the pack
	edges []*pack // of parameters: by edge to the block
	from  []int   // of picked and taken lanes: which ones

	block *vir.Block
	made  *vir.Value
}

// operand is the pack of the operands that have number i, nil for scalars.
func (x *pack) operand(i int) *pack {
	if i >= len(x.args) {
		return nil
	}
	return x.args[i]
}

// lane is where a scalar is in a pack.
type lane struct {
	pack  *pack
	index int
}

// packTree is packs that are made together.
type packTree struct {
	*packer
	packs []*pack              // in the order in which they were found
	in    map[*vir.Value]lane  // which scalars they have
	order map[*vir.Block][]any // what becomes of a block: *vir.Value or *pack
}

// grow finds the tree from a seed, nil if that does not become a pack.
func (p *packer) grow(seed []*vir.Value) *packTree {
	t := &packTree{packer: p, in: map[*vir.Value]lane{}}
	if x := t.pack(seed); x.kind == gatheredPack {
		return nil
	}
	return t
}

// pack returns the pack of some scalars.
func (t *packTree) pack(lanes []*vir.Value) *pack {
	first := lanes[0]
	if x := t.known(lanes); x != nil {
		return x
	}
	if !slices.ContainsFunc(lanes, func(v *vir.Value) bool { return v != first }) {
		return &pack{kind: equalPack, lanes: lanes}
	}
	x := &pack{lanes: lanes, block: first.Block}
	if from := taken(lanes); from != nil {
		x.kind, x.from = takenPack, from
		return x
	}
	if !t.fits(lanes) {
		return x
	}
	switch {
	case first.Op == vir.Param:
		x.kind = carriedPack
		t.add(x)
		for _, e := range t.packer.in[first.Block.ID] {
			var args []*vir.Value
			for _, v := range lanes {
				args = append(args, e.Edge().Args[v.Index])
			}
			x.edges = append(x.edges, t.pack(args))
		}
	case first.Op == vir.Load:
		return t.loaded(x)
	case first.Op == vir.Store:
		if t.alone(lanes, vir.Reads) {
			x.kind = storedPack
			t.add(x)
			x.args = []*pack{nil, t.operands(lanes, 1)}
		}
	case analysis.CheapOnVectors(first.Op):
		t.compute(x)
	}
	return x
}

// known returns the pack of scalars that are in a pack already, be it in another
// order.
func (t *packTree) known(lanes []*vir.Value) *pack {
	at, ok := t.in[lanes[0]]
	if !ok {
		return nil
	}
	from, same := make([]int, len(lanes)), len(lanes) == len(at.pack.lanes)
	for i, v := range lanes {
		l, ok := t.in[v]
		if !ok || l.pack != at.pack {
			return nil
		}
		from[i] = l.index
		same = same && l.index == i
	}
	if same {
		return at.pack
	}
	if lanes[0].Type.Elem == alu.I1 {
		return nil
	}
	return &pack{kind: pickedPack, lanes: lanes, args: []*pack{at.pack}, from: from, block: at.pack.block}
}

// taken returns which lanes of one vector the scalars are, nil if they are none.
func taken(lanes []*vir.Value) (from []int) {
	for _, v := range lanes {
		if v.Op != vir.Extract || v.Args[0] != lanes[0].Args[0] || v.Type.Elem == alu.I1 {
			return nil
		}
		from = append(from, v.Index)
	}
	return from
}

// fits reports whether lanes may be those of one operation: they are of one kind and
// one block, and none is in another pack.
func (t *packTree) fits(lanes []*vir.Value) bool {
	first := lanes[0]
	if len(t.packs) >= maxPacks || first.Op == vir.Const {
		return false
	}
	bits := len(lanes) * first.Type.Elem.Bits()
	if first.Op == vir.Param && (first.Block.ID == 0 || first.Type.Elem == alu.I1) || bits > 8*packBytes {
		return false
	}
	for i, v := range lanes {
		if _, taken := t.in[v]; taken || v.Op != first.Op || v.Type != first.Type || v.Block != first.Block || slices.Contains(lanes[:i], v) {
			return false
		}
	}
	return true
}

func (t *packTree) add(x *pack) {
	t.packs = append(t.packs, x)
	for i, v := range x.lanes {
		t.in[v] = lane{x, i}
	}
}

// loaded makes x a pack of loads side by side, or of lanes of one: of all that lie
// side by side in the block. Private memory is mostly written in single numbers not
// long before: no processor forwards several of these to one load.
func (t *packTree) loaded(x *pack) *pack {
	first := x.lanes[0]
	size := int64(first.Type.Elem.Size())
	inOrder := analysis.IsVectorizableAccess(first, vir.Load)
	for i, v := range x.lanes {
		if !analysis.IsVectorizableAccess(v, vir.Load) || v.Args[0] != first.Args[0] || v.Invariant != first.Invariant {
			return x
		}
		inOrder = inOrder && v.Disp == first.Disp+int64(i)*size
	}
	if !inOrder {
		for _, whole := range cut(t.besides(first), first.Type.Elem) {
			within := !slices.ContainsFunc(x.lanes, func(v *vir.Value) bool { return !slices.Contains(whole, v) })
			if within && t.fits(whole) && t.loaded(&pack{lanes: whole, block: first.Block}).kind == loadedPack {
				return t.known(x.lanes)
			}
		}
		return x
	}
	if !first.Invariant && !t.alone(x.lanes, vir.Writes) || t.objects.Accessed(first).Private() {
		return x
	}
	x.kind = loadedPack
	t.add(x)
	return x
}

// alone reports whether no other operation with at least that effect stands between
// the first and the last of lanes.
func (t *packTree) alone(lanes []*vir.Value, effect vir.Effect) bool {
	first, last := t.span(lanes)
	for _, v := range lanes[0].Block.Values[first : last+1] {
		if vir.InfoOf(v.Op).Effect >= effect && !slices.Contains(lanes, v) && !(v.Op == vir.Load && v.Invariant) {
			return false
		}
	}
	return true
}

// span returns where the first and the last of lanes are in their block.
func (t *packTree) span(lanes []*vir.Value) (first, last int) {
	first, last = t.place[lanes[0].ID], 0
	for _, v := range lanes {
		first, last = min(first, t.place[v.ID]), max(last, t.place[v.ID])
	}
	return first, last
}

// operands packs the operands of lanes that have number i.
func (t *packTree) operands(lanes []*vir.Value, i int) *pack {
	var args []*vir.Value
	for _, v := range lanes {
		args = append(args, v.Args[i])
	}
	return t.pack(args)
}

// compute makes x a pack of operations.
func (t *packTree) compute(x *pack) {
	first := x.lanes[0]
	for _, a := range first.Args {
		if len(x.lanes)*a.Type.Elem.Bits() > 8*packBytes {
			return
		}
	}
	scalar := first.Op == alu.Select && !slices.ContainsFunc(x.lanes, func(v *vir.Value) bool { return v.Args[0] != first.Args[0] })
	for i, a := range first.Args {
		for _, v := range x.lanes {
			if v.Args[i].Type != a.Type {
				return
			}
		}
		if a.Type.Elem == alu.I1 && !(scalar && i == 0) && !t.tests(x.lanes, i) {
			return
		}
	}
	t.align(x.lanes)
	x.kind = computedPack
	t.add(x)
	for i := range first.Args {
		if scalar && i == 0 {
			x.args = append(x.args, nil)
		} else {
			x.args = append(x.args, t.operands(x.lanes, i))
		}
	}
}

// tests reports whether the operands of lanes that have number i will be a mask:
// comparisons of one kind that are in no pack, or are one.
func (t *packTree) tests(lanes []*vir.Value, i int) bool {
	var args []*vir.Value
	for _, v := range lanes {
		args = append(args, v.Args[i])
	}
	if x := t.known(args); x != nil {
		return x.kind == computedPack
	}
	return t.fits(args) && alu.InfoOf(args[0].Op).Class == alu.Compare && args[0].Args[0].Type.Elem != alu.I1 &&
		len(args)*args[0].Args[0].Type.Elem.Bits() <= 8*packBytes &&
		!slices.ContainsFunc(args, func(v *vir.Value) bool { return v.Args[0].Type != args[0].Args[0].Type })
}

// align exchanges operands of commutative operations so that those with the same
// number are of one kind, whether or not the tree is made.
func (t *packTree) align(lanes []*vir.Value) {
	first := lanes[0]
	if !alu.InfoOf(first.Op).Commutative {
		return
	}
	alike := func(x, y *vir.Value) bool {
		if x == y {
			return true
		}
		if x.Op != y.Op || x.Block != y.Block {
			return false
		}
		return x.Op != vir.Load || x.Args[0] == y.Args[0]
	}
	for _, v := range lanes[1:] {
		straight := alike(first.Args[0], v.Args[0]) && alike(first.Args[1], v.Args[1])
		if !straight && alike(first.Args[0], v.Args[1]) && alike(first.Args[1], v.Args[0]) {
			v.Args[0], v.Args[1] = v.Args[1], v.Args[0]
		}
	}
}
