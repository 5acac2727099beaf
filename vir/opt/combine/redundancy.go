package combine

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Redundancy simplifies operations and replaces an operation by an equal one that dominates
// it. It walks the dominator tree in preorder: operands are final before their users, and
// facts that a branch implies hold in the subtree.
//
// Only pure operations and invariant loads are merged.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func Redundancy(f *vir.Func, stats edit.Stats) { (&rewriter{f: f, stats: stats}).rewrite() }

// Signs is Redundancy that also replaces sign extensions of values that branches and loop
// bounds show to be nonnegative by zero extensions, which are free after 32-bit operations.
// It runs after the passes that recognize indices by their sign extension.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func Signs(f *vir.Func, stats edit.Stats) { (&rewriter{f: f, stats: stats, signs: true}).rewrite() }

// extendsSigns reports whether f is scalar code with sign extensions of 32-bit integers.
func extendsSigns(f *vir.Func) bool {
	return f.Width == 1 && slices.ContainsFunc(f.Blocks, func(b *vir.Block) bool {
		return slices.ContainsFunc(b.Values, func(v *vir.Value) bool {
			return v.Op == alu.SExt && v.Type.IsScalar() && v.Args[0].Type.Elem == alu.I32
		})
	})
}

func (s *rewriter) rewrite() {
	f := s.f
	g := f.Graph()
	s.dom, s.in = cfg.Dominators(g), analysis.InEdges(f)
	s.to, s.table = make([]*vir.Value, f.NumValues()), newValueTable(f.NumValues())
	s.known, s.nonEmpty, s.bounds = map[*vir.Value]fact{}, map[*vir.Value]*vir.Block{}, map[*vir.Value][]bounds{}
	if s.signs && extendsSigns(f) {
		s.valueBounds = boundsOf(f, s.in, s.dom)
	}
	for _, id := range s.dom.Preorder {
		s.block(f.Blocks[id])
	}
	f.Renumber()
}

// rewriter rebuilds the blocks in dominator order.
type rewriter struct {
	f     *vir.Func
	stats edit.Stats
	signs bool // see Signs
	dom   *cfg.DomTree
	in    [][]analysis.InEdge
	to    []*vir.Value // by ID: the replacement of a value
	table *valueTable

	known    map[*vir.Value]fact       // values that a branch decided
	nonEmpty map[*vir.Value]*vir.Block // masks with an active lane, and the block from which that holds

	bounds map[*vir.Value][]bounds // bounds of nonnegative values that branches imply

	valueBounds *valueBounds // for Signs: bounds of the values before the pass

	uses [][]analysis.Use // before the pass; nil until needed

	b     *vir.Block
	out   []*vir.Value
	at    *vir.Value // the original value: new ones get its position
	depth int
}

// hasSeveralUses reports whether v had several uses before the pass.
func (s *rewriter) hasSeveralUses(v *vir.Value) bool {
	if s.uses == nil {
		s.uses = analysis.UsesOf(s.f)
	}
	return v.ID < len(s.uses) && len(s.uses[v.ID]) > 1
}

// resolve returns the final value that replaces v in the current block.
func (s *rewriter) resolve(v *vir.Value) *vir.Value {
	if v.Op == vir.Const {
		return v
	}
	if v.ID < len(s.to) && s.to[v.ID] != nil {
		v = s.to[v.ID] // final
	}
	if c, ok := s.decided(v); ok {
		s.stats.Add("implied", 1)
		return c
	}
	return v
}

func (s *rewriter) block(b *vir.Block) {
	s.b, s.out = b, make([]*vir.Value, 0, len(b.Values))
	s.recordBranch()
	for _, v := range b.Values {
		s.at = v
		for i, a := range v.Args {
			v.Args[i] = s.resolve(a)
		}
		x := s.value(v, false)
		if x == v {
			continue
		}
		if x == nil {
			s.stats.Add("removed stores", 1)
			continue
		}
		if x.Name == "" && x.Op != vir.Const {
			x.Name = v.Name
		}
		s.to[v.ID] = x
	}
	b.Values = s.out
	if b.Cond != nil {
		b.Cond = s.resolve(b.Cond)
	}
	for _, e := range b.Edges {
		for i, a := range e.Args {
			e.Args[i] = s.resolve(a)
		}
	}
}

// maxDepth bounds the recursion of rules on the results of rules.
const maxDepth = 16

// value simplifies v, whose operands are final, and appends it to the block unless an equal
// value exists. fresh means that a rule made v. It returns the value to use for v, nil for a
// store that no lane executes.
func (s *rewriter) value(v *vir.Value, fresh bool) *vir.Value {
	if s.depth < maxDepth {
		s.depth++
		x, gone := s.simplify(v)
		s.depth--
		if x != nil || gone {
			s.stats.Add("simplified", 1)
			return x
		}
	}
	shared := analysis.IsMovable(v)
	if shared {
		if x := s.existing(v); x != nil {
			s.stats.Add("merged", 1)
			return x
		}
	}
	if fresh {
		n := s.b.NewValue(v.Op, v.Type, v.Args...)
		n.Index, n.Lanes, n.Pos, n.Origin = v.Index, v.Lanes, s.at.Pos, s.at.Origin
		v = n
	}
	if shared {
		s.table.put(s.table.find(v), v)
	}
	s.out = append(s.out, v)
	return v
}

// existing returns a dominating value equal to v, or nil.
func (s *rewriter) existing(v *vir.Value) *vir.Value {
	if x := s.table.slots[s.table.find(v)]; x != nil && s.dom.Dominates(x.Block.ID, s.b.ID) {
		return x
	}
	return nil
}

// make returns op on final operands, simplified. Rules build their results with it.
func (s *rewriter) make(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
	return s.value(&vir.Value{Op: op, Type: t, Args: args}, true)
}

// makeAt is make with the attribute Index.
func (s *rewriter) makeAt(op vir.Op, t vir.Type, index int, args ...*vir.Value) *vir.Value {
	return s.value(&vir.Value{Op: op, Type: t, Args: args, Index: index}, true)
}

func (s *rewriter) constant(t vir.Type, bits uint64) *vir.Value { return s.f.Const(t, bits) }

// simplify applies the rules of v's operation, and may change v in place. gone means that v
// has no effect.
func (s *rewriter) simplify(v *vir.Value) (x *vir.Value, gone bool) {
	if vir.InfoOf(v.Op).Memory {
		return s.access(v)
	}
	if v.Op.Pure() {
		if c := s.fold(v); c != nil {
			return c, false
		}
		if v.Args[0].Op == vir.Const && alu.InfoOf(v.Op).Commutative {
			v.Args[0], v.Args[1] = v.Args[1], v.Args[0]
		}
	}
	for _, r := range rules[v.Op] {
		if x := r(s, v); x != nil {
			return x, false
		}
	}
	return nil, false
}

// fold evaluates an elementwise operation on constants.
func (s *rewriter) fold(v *vir.Value) *vir.Value {
	var x [3]uint64
	for i, a := range v.Args {
		if a.Op != vir.Const {
			return nil
		}
		x[i] = a.Const
	}
	return s.constant(v.Type, alu.Eval(v.Op, v.Type.Elem, v.Args[len(v.Args)-1].Type.Elem, x[0], x[1], x[2]))
}

// rule returns a value equal to v, or nil if it does not apply.
type rule func(s *rewriter, v *vir.Value) *vir.Value

// rules lists the rules by operation. init fills it, since rules refer to it themselves.
var rules [256][]rule

func init() {
	for _, t := range []map[vir.Op][]rule{logicRules(), intRules(), bitsRules(), compareRules(), selectRules(), convertRules(), floatRules(), laneRules()} {
		for op, rs := range t {
			rules[op] = append(rules[op], rs...)
		}
	}
}

// access folds constant offsets of an address into the 32-bit displacement, turns gathers and
// scatters with consecutive addresses into contiguous accesses, and removes accesses with an
// empty mask.
func (s *rewriter) access(v *vir.Value) (x *vir.Value, gone bool) {
	in := vir.InfoOf(v.Op)
	if in.Mask >= 0 && analysis.IsZero(v.Args[in.Mask]) {
		if in.Effect == vir.Writes && !vir.IsAtomic(v.Op) {
			return nil, true
		}
		return s.constant(v.Type, 0), false
	}
	for a := v.Args[0]; a.Op == alu.Add && a.Args[1].Op == vir.Const; a = v.Args[0] {
		d := v.Disp + int64(a.Args[1].Const)
		if d != int64(int32(d)) {
			break
		}
		v.Args[0], v.Disp = a.Args[0], d
		s.stats.Add("constant offsets folded", 1)
	}
	if v.Op != vir.Gather && v.Op != vir.Scatter {
		return nil, false
	}
	t := v.Accessed()
	if n, ok := v.Args[1].Steps(); ok && n*int64(v.Scale) == int64(t.Elem.Size()) {
		s.contiguous(v, n)
	}
	return nil, false
}

// contiguous turns v, whose addresses are consecutive, into a VLoad or VStore; n is the step
// of its index.
func (s *rewriter) contiguous(v *vir.Value, n int64) {
	iota := v.Args[1]
	if iota.Op != vir.Iota {
		iota = iota.Args[0]
	}
	d := v.Disp + int64(iota.Index)*n*int64(v.Scale)
	if d != int64(int32(d)) {
		return
	}
	v.Disp, v.Scale = d, 0
	v.Args = append(v.Args[:1:1], v.Args[2:]...)
	if v.Op == vir.Gather {
		v.Op = vir.VLoad
	} else {
		v.Op = vir.VStore
	}
	s.stats.Add("contiguous", 1)
}
