package slp

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// groupKind says where the lanes of a group come from.
type groupKind uint8

const (
	insertedGroup  groupKind = iota // scalars of any kind, inserted one by one
	splatGroup                      // one scalar in all lanes
	permutedGroup                   // lanes of another group
	extractedGroup                  // lanes of an existing vector
	paramGroup                      // block parameters
	loadGroup                       // adjacent loads
	storeGroup                      // adjacent stores
	computedGroup                   // equal operations
)

// group is a group of scalars that are the lanes of a vector.
type group struct {
	kind  groupKind
	lanes []*vir.Value
	args  []*group // operands, nil if scalar; for permutedGroup the other group
	edges []*group // of parameters: by incoming edge
	from  []int    // of permutedGroup and extractedGroup: lane indices

	block  *vir.Block
	vector *vir.Value
}

// operand returns the group of operand i, nil if it is scalar.
func (x *group) operand(i int) *group {
	if i >= len(x.args) {
		return nil
	}
	return x.args[i]
}

// lane is the position of a scalar in a group.
type lane struct {
	group *group
	index int
}

// groupTree is a set of groups that are emitted together.
type groupTree struct {
	*grouper
	groups []*group             // in order of discovery
	in     map[*vir.Value]lane  // the lanes of all groups
	order  map[*vir.Block][]any // the schedule of a block: *vir.Value or *group
}

// grow builds the tree from a seed, nil if the seed is no group.
func (p *grouper) grow(seed []*vir.Value) *groupTree {
	t := &groupTree{grouper: p, in: map[*vir.Value]lane{}}
	if x := t.groupOf(seed); x.kind == insertedGroup {
		return nil
	}
	return t
}

// groupOf returns the group of some scalars.
func (t *groupTree) groupOf(lanes []*vir.Value) *group {
	first := lanes[0]
	if x := t.known(lanes); x != nil {
		return x
	}
	if !slices.ContainsFunc(lanes, func(v *vir.Value) bool { return v != first }) {
		return &group{kind: splatGroup, lanes: lanes}
	}
	x := &group{lanes: lanes, block: first.Block}
	if from := extractedFrom(lanes); from != nil {
		x.kind, x.from = extractedGroup, from
		return x
	}
	if !t.fits(lanes) {
		return x
	}
	switch {
	case first.Op == vir.Param:
		x.kind = paramGroup
		t.add(x)
		for _, e := range t.grouper.in[first.Block.ID] {
			var args []*vir.Value
			for _, v := range lanes {
				args = append(args, e.Edge().Args[v.Index])
			}
			x.edges = append(x.edges, t.groupOf(args))
		}
	case first.Op == vir.Load:
		return t.loaded(x)
	case first.Op == vir.Store:
		if t.mayMove(lanes) {
			x.kind = storeGroup
			t.add(x)
			x.args = []*group{nil, t.operands(lanes, 1)}
		}
	case analysis.CheapOnVectors(first.Op):
		t.compute(x)
	}
	return x
}

// known returns the group of scalars that are all lanes of one group already, in any order.
func (t *groupTree) known(lanes []*vir.Value) *group {
	at, ok := t.in[lanes[0]]
	if !ok {
		return nil
	}
	from, same := make([]int, len(lanes)), len(lanes) == len(at.group.lanes)
	for i, v := range lanes {
		l, ok := t.in[v]
		if !ok || l.group != at.group {
			return nil
		}
		from[i] = l.index
		same = same && l.index == i
	}
	if same {
		return at.group
	}
	if lanes[0].Type.Elem == alu.I1 {
		return nil
	}
	return &group{kind: permutedGroup, lanes: lanes, args: []*group{at.group}, from: from, block: at.group.block}
}

// extractedFrom returns lane indices if the scalars are all extracted from one vector, else nil.
func extractedFrom(lanes []*vir.Value) (from []int) {
	for _, v := range lanes {
		if v.Op != vir.Extract || v.Args[0] != lanes[0].Args[0] || v.Type.Elem == alu.I1 {
			return nil
		}
		from = append(from, v.Index)
	}
	return from
}

// fits reports whether the scalars may be lanes of one operation: equal operations in one block,
// none of which is in another group.
func (t *groupTree) fits(lanes []*vir.Value) bool {
	first := lanes[0]
	if len(t.groups) >= maxGroups || first.Op == vir.Const {
		return false
	}
	bits := len(lanes) * first.Type.Elem.Bits()
	if first.Op == vir.Param && (first.Block.ID == 0 || first.Type.Elem == alu.I1) || bits > 8*groupBytes {
		return false
	}
	for i, v := range lanes {
		if _, taken := t.in[v]; taken || v.Op != first.Op || v.Type != first.Type || v.Block != first.Block || slices.Contains(lanes[:i], v) {
			return false
		}
	}
	return true
}

func (t *groupTree) add(x *group) {
	t.groups = append(t.groups, x)
	for i, v := range x.lanes {
		t.in[v] = lane{x, i}
	}
}

// loaded makes x a group of adjacent loads, or of lanes of a larger group of adjacent loads. Private
// memory is skipped: it was mostly written by scalar stores shortly before, which processors cannot
// forward to a vector load.
func (t *groupTree) loaded(x *group) *group {
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
		for _, whole := range vectorParts(t.adjacentTo(first), first.Type.Elem) {
			within := !slices.ContainsFunc(x.lanes, func(v *vir.Value) bool { return !slices.Contains(whole, v) })
			if within && t.fits(whole) && t.loaded(&group{lanes: whole, block: first.Block}).kind == loadGroup {
				return t.known(x.lanes)
			}
		}
		return x
	}
	if !first.Invariant && !t.mayMove(x.lanes) || t.objects.Accessed(first).Private() {
		return x
	}
	x.kind = loadGroup
	t.add(x)
	return x
}

// span returns the indices of the first and the last of lanes in their block.
func (t *groupTree) span(lanes []*vir.Value) (first, last int) {
	first, last = t.position[lanes[0].ID], 0
	for _, v := range lanes {
		first, last = min(first, t.position[v.ID]), max(last, t.position[v.ID])
	}
	return first, last
}

// operands returns the group of operand i of lanes.
func (t *groupTree) operands(lanes []*vir.Value, i int) *group {
	var args []*vir.Value
	for _, v := range lanes {
		args = append(args, v.Args[i])
	}
	return t.groupOf(args)
}

// compute makes x a group of equal operations.
func (t *groupTree) compute(x *group) {
	first := x.lanes[0]
	for _, a := range first.Args {
		if len(x.lanes)*a.Type.Elem.Bits() > 8*groupBytes {
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
		if a.Type.Elem == alu.I1 && !(scalar && i == 0) && !t.willBeMask(x.lanes, i) {
			return
		}
	}
	t.alignOperands(x.lanes)
	x.kind = computedGroup
	t.add(x)
	for i := range first.Args {
		if scalar && i == 0 {
			x.args = append(x.args, nil)
		} else {
			x.args = append(x.args, t.operands(x.lanes, i))
		}
	}
}

// willBeMask reports whether operand i of lanes will be a mask: equal comparisons in no group, or a group
// of them.
func (t *groupTree) willBeMask(lanes []*vir.Value, i int) bool {
	var args []*vir.Value
	for _, v := range lanes {
		args = append(args, v.Args[i])
	}
	if x := t.known(args); x != nil {
		return x.kind == computedGroup
	}
	return t.fits(args) && alu.InfoOf(args[0].Op).Class == alu.Compare && args[0].Args[0].Type.Elem != alu.I1 &&
		len(args)*args[0].Args[0].Type.Elem.Bits() <= 8*groupBytes &&
		!slices.ContainsFunc(args, func(v *vir.Value) bool { return v.Args[0].Type != args[0].Args[0].Type })
}

// alignOperands swaps operands of commutative operations so that equal operands are at the same index. This
// is valid whether or not the tree is emitted.
func (t *groupTree) alignOperands(lanes []*vir.Value) {
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
