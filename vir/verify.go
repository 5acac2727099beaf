package vir

import (
	"fmt"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
)

// Verify checks that f is well formed and returns the first fault, which names the block
// and the value:
//
//   - block and value IDs are dense and unique; every block has a terminator;
//   - edges pass as many arguments as the target has parameters, of their types;
//   - operand counts, types, lanes and attributes fit the operation;
//   - every use is dominated by its definition; constants belong to no block;
//   - the entry block has no predecessors and no parameters; Context occurs only in it;
//   - branch conditions are scalars: control flow is uniform.
func Verify(f *Func) error {
	c := &checker{f: f}
	if err := c.structure(); err != nil {
		return fmt.Errorf("vir %s: %w", f.Name, err)
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if err := c.value(v); err != nil {
				return fmt.Errorf("vir %s: %s: %s: %w", f.Name, Label(b), FormatValue(v), err)
			}
		}
		if err := c.term(b); err != nil {
			return fmt.Errorf("vir %s: %s: %s: %w", f.Name, Label(b), FormatTerm(b), err)
		}
	}
	if err := c.dominance(); err != nil {
		return fmt.Errorf("vir %s: %w", f.Name, err)
	}
	return nil
}

type checker struct {
	f     *Func
	known []*Value // by ID, placed in a block
}

// maxLanes bounds the number of lanes of any type.
const maxLanes = 1024

func validType(t Type) bool {
	return t.Elem != alu.Void && t.Elem < alu.NumTypes && !t.Elem.IsPtr() && t.Lanes >= 1 && t.Lanes <= maxLanes
}

func (c *checker) structure() error {
	if len(c.f.Blocks) == 0 {
		return fmt.Errorf("no blocks")
	}
	if w := c.f.Width; w < 1 || w > maxLanes || w&(w-1) != 0 || min(c.f.Scratch, c.f.Local) < 0 {
		return fmt.Errorf("bad width %d, scratch %d or local memory %d", w, c.f.Scratch, c.f.Local)
	}
	c.known = make([]*Value, len(c.f.values))
	place := func(b *Block, v *Value) error {
		if v.Block != b {
			return fmt.Errorf("%s: %%%d belongs to another block", Label(b), v.ID)
		}
		if v.ID < 0 || v.ID >= len(c.known) {
			return fmt.Errorf("%s: value ID %d is out of range", Label(b), v.ID)
		}
		if c.known[v.ID] != nil {
			return fmt.Errorf("%s: value ID %d is used twice", Label(b), v.ID)
		}
		c.known[v.ID] = v
		return nil
	}
	for i, b := range c.f.Blocks {
		if b.ID != i {
			return fmt.Errorf("%s is at position %d", Label(b), i)
		}
		for j, p := range b.Params {
			if p.Op != Param || p.Index != j {
				return fmt.Errorf("%s: parameter %d has another operation or index", Label(b), j)
			}
			if !validType(p.Type) {
				return fmt.Errorf("%s: parameter %d has type %s", Label(b), j, p.Type)
			}
			if err := place(b, p); err != nil {
				return err
			}
		}
		for _, v := range b.Values {
			if InfoOf(v.Op).Name == "" || v.Op == Param || v.Op == Const {
				return fmt.Errorf("%s: %%%d is not an operation of vir", Label(b), v.ID)
			}
			if err := place(b, v); err != nil {
				return err
			}
		}
		for _, e := range b.Edges {
			if e.To == nil || e.To.ID < 0 || e.To.ID >= len(c.f.Blocks) || c.f.Blocks[e.To.ID] != e.To {
				return fmt.Errorf("%s: an edge leaves the function", Label(b))
			}
		}
	}
	return nil
}

func (c *checker) operand(v *Value) error {
	switch {
	case v == nil:
		return fmt.Errorf("missing operand")
	case v.Op == Const:
		if v.Block != nil || !validType(v.Type) || v.Const&^v.Type.Elem.Mask() != 0 {
			return fmt.Errorf("bad constant %s of type %s", Ref(v), v.Type)
		}
		return nil
	case v.ID < 0 || v.ID >= len(c.known) || c.known[v.ID] != v:
		return fmt.Errorf("operand %s is not in the function", Ref(v))
	case v.Type.Elem == alu.Void:
		return fmt.Errorf("operand %s has no value", Ref(v))
	}
	return nil
}

func (c *checker) value(v *Value) error {
	in := InfoOf(v.Op)
	if in.Args >= 0 && len(v.Args) != in.Args {
		return fmt.Errorf("has %d operands, wants %d", len(v.Args), in.Args)
	}
	for _, a := range v.Args {
		if err := c.operand(a); err != nil {
			return err
		}
	}
	if in.Memory {
		if v.Object != 0 && !slices.ContainsFunc(c.f.Objects, func(o Object) bool { return o.At == v.Object }) {
			return fmt.Errorf("no object is at offset %d", v.Object)
		}
		return checkAccess(v)
	}
	if v.Op == Fence {
		if v.Type != (Type{}) {
			return fmt.Errorf("a fence has no value")
		}
		return nil
	}
	if !validType(v.Type) {
		return fmt.Errorf("has type %s", v.Type)
	}
	if v.Op.Pure() {
		return checkPure(v)
	}
	rule, ok := laneRules[v.Op]
	if !ok {
		return fmt.Errorf("the verifier has no rule for it")
	}
	if v.Op == Context && v.Block != c.f.Blocks[0] {
		return fmt.Errorf("is outside the entry block")
	}
	if !rule(v) {
		return fmt.Errorf("operands, lanes or index do not fit the result")
	}
	return nil
}

// laneRules check the lane operations; operands are known to be non-void.
var laneRules = map[Op]func(v *Value) bool{
	Context: func(v *Value) bool { return v.Type == Scalar(alu.I64) },
	Splat:   func(v *Value) bool { return v.Type.Lanes > 1 && v.Args[0].Type == Scalar(v.Type.Elem) },
	Iota:    func(v *Value) bool { return v.Type.Lanes > 1 && v.Type.Elem.IsInt() },
	Prefix:  func(v *Value) bool { return v.Type.IsMask() && v.Args[0].Type == Scalar(alu.I64) },
	Any:     func(v *Value) bool { return v.Type == Scalar(alu.I1) && v.Args[0].Type.IsMask() },
	All:     func(v *Value) bool { return v.Type == Scalar(alu.I1) && v.Args[0].Type.IsMask() },
	Count:   func(v *Value) bool { return v.Type == Scalar(alu.I64) && v.Args[0].Type.IsMask() },
	Bits: func(v *Value) bool {
		return v.Type == Scalar(alu.I64) && v.Args[0].Type.IsMask() && v.Args[0].Type.Lanes <= 64
	},
	Unbits: func(v *Value) bool {
		return v.Type.IsMask() && v.Type.Lanes <= 64 && v.Args[0].Type == Scalar(alu.I64)
	},
	Extract: func(v *Value) bool {
		t := v.Args[0].Type
		return t.Lanes > 1 && v.Type == Scalar(t.Elem) && v.Index >= 0 && v.Index < t.Lanes
	},
	Insert: func(v *Value) bool {
		return v.Type.IsVec() && v.Args[0].Type == v.Type && v.Args[1].Type == Scalar(v.Type.Elem) &&
			v.Index >= 0 && v.Index < v.Type.Lanes
	},
	First: func(v *Value) bool {
		t := v.Args[0].Type
		return t.IsVec() && v.Args[1].Type == Mask(t.Lanes) && v.Type == Scalar(t.Elem)
	},
	Rank: func(v *Value) bool {
		return v.Type.IsVec() && v.Type.Elem == alu.I32 && v.Args[0].Type == Mask(v.Type.Lanes)
	},
	Part: func(v *Value) bool {
		t, n := v.Args[0].Type, v.Type.Lanes
		return n > 1 && v.Type.Elem == t.Elem && t.Lanes%n == 0 && v.Index >= 0 && v.Index < t.Lanes/n
	},
	Concat: func(v *Value) bool {
		if len(v.Args) == 0 {
			return false
		}
		t := v.Args[0].Type
		for _, a := range v.Args {
			if a.Type != t {
				return false
			}
		}
		return t.Lanes > 1 && v.Type == Type{t.Elem, t.Lanes * len(v.Args)}
	},
	Shuffle: func(v *Value) bool {
		t := v.Args[0].Type
		for _, from := range v.Lanes {
			if from < 0 || from >= 2*t.Lanes {
				return false
			}
		}
		return t.IsVec() && v.Args[1].Type == t && v.Type == Type{t.Elem, len(v.Lanes)} && len(v.Lanes) > 1
	},
}

func powerOfTwo(n int) bool { return n > 0 && n&(n-1) == 0 }

func checkAccess(v *Value) error {
	in := InfoOf(v.Op)
	if v.Args[0].Type != Scalar(alu.I64) {
		return fmt.Errorf("the address is %s", v.Args[0].Type)
	}
	t := v.Type
	if in.Effect == Writes && !IsAtomic(v.Op) {
		if v.Type != (Type{}) {
			return fmt.Errorf("a store has no value")
		}
		t = operandType(v)
	}
	if !validType(t) || t.Elem.Size() == 0 {
		return fmt.Errorf("%s is not a memory type", t)
	}
	if (t.Lanes == 1) != (v.Op == Load || v.Op == Store || v.Op == Atomic || v.Op == CmpXchg) {
		return fmt.Errorf("accesses %s", t)
	}
	if in.Mask >= 0 && v.Args[in.Mask].Type != Mask(t.Lanes) {
		return fmt.Errorf("the mask is %s for %s", v.Args[in.Mask].Type, t)
	}
	if IsAtomic(v.Op) {
		if err := checkAtomic(v); err != nil {
			return err
		}
	} else if v.Local && v.Op != VStore && v.Op != Scatter {
		return fmt.Errorf("only an atomic access or a vector store can be local")
	}
	if Indexed(v.Op) {
		x := v.Args[1].Type
		if x.Lanes != t.Lanes || x.Elem != alu.I32 && x.Elem != alu.I64 {
			return fmt.Errorf("the index is %s for %s", x, t)
		}
		if !powerOfTwo(v.Scale) || v.Scale > 8 {
			return fmt.Errorf("bad scale %d", v.Scale)
		}
	}
	if v.Align != 0 && !powerOfTwo(v.Align) {
		return fmt.Errorf("bad alignment %d", v.Align)
	}
	if v.Invariant && v.Op != Load {
		return fmt.Errorf("only a load is invariant")
	}
	return nil
}

func checkAtomic(v *Value) error {
	if e := v.Type.Elem; e != alu.I32 && e != alu.I64 {
		return fmt.Errorf("%s has no atomic accesses", e)
	}
	args := v.Args[1:]
	if Indexed(v.Op) {
		args = v.Args[2 : len(v.Args)-1]
	}
	for _, a := range args {
		if a.Type != v.Type {
			return fmt.Errorf("operand %s is %s, wants %s", Ref(a), a.Type, v.Type)
		}
	}
	if (v.Op == Atomic || v.Op == VAtomic) && (v.Index < 0 || v.RMW() >= alu.NumRMW) {
		return fmt.Errorf("no such operation: %d", v.Index)
	}
	return nil
}

func checkPure(v *Value) error {
	in := alu.InfoOf(v.Op)
	args := v.Args
	if in.Class == alu.Choose {
		if c := args[0].Type; c.Elem != alu.I1 || c.Lanes != 1 && c.Lanes != v.Type.Lanes {
			return fmt.Errorf("the condition is %s", c)
		}
		args = args[1:]
	}
	t := args[0].Type
	for _, a := range args[1:] {
		if a.Type != t {
			return fmt.Errorf("operands of types %s and %s", t, a.Type)
		}
	}
	e, err := alu.ResultType(v.Op, t.Elem, v.Type.Elem)
	if err != nil {
		return err
	}
	if v.Type != t.With(e) {
		return fmt.Errorf("has type %s, wants %s", v.Type, t.With(e))
	}
	return nil
}

func (c *checker) term(b *Block) error {
	edges := map[TermKind]int{Jump: 1, Branch: 2, Return: 0}
	n, ok := edges[b.Kind]
	if !ok {
		return fmt.Errorf("no terminator")
	}
	if len(b.Edges) != n {
		return fmt.Errorf("%d edges, wants %d", len(b.Edges), n)
	}
	if b.Kind == Branch {
		if err := c.operand(b.Cond); err != nil {
			return err
		}
		if b.Cond.Type != Scalar(alu.I1) {
			return fmt.Errorf("the condition is %s", b.Cond.Type)
		}
	} else if b.Cond != nil {
		return fmt.Errorf("a condition without a branch")
	}
	for _, e := range b.Edges {
		if e.Rare && b.Kind == Jump {
			return fmt.Errorf("a jump cannot be rare")
		}
		if e.To.ID == 0 {
			return fmt.Errorf("the entry block cannot be a target")
		}
		if len(e.Args) != len(e.To.Params) {
			return fmt.Errorf("%d arguments for the %d parameters of %s", len(e.Args), len(e.To.Params), Label(e.To))
		}
		for i, a := range e.Args {
			if err := c.operand(a); err != nil {
				return err
			}
			if p := e.To.Params[i]; a.Type != p.Type {
				return fmt.Errorf("argument %s is %s, parameter %s is %s", Ref(a), a.Type, Ref(p), p.Type)
			}
		}
	}
	return nil
}

func (c *checker) dominance() error {
	if len(c.f.Blocks[0].Params) > 0 {
		return fmt.Errorf("the entry block has parameters")
	}
	dom := cfg.Dominators(c.f.Graph())
	place := make([]int, len(c.f.values)) // order within the block
	for _, b := range c.f.Blocks {
		for i, v := range b.Values {
			place[v.ID] = i + 1
		}
	}
	for _, b := range c.f.Blocks {
		if !dom.Contains(b.ID) {
			continue // unreachable
		}
		check := func(at int, vs ...*Value) error {
			for _, v := range vs {
				if v == nil || v.Op == Const || v.Block == b && place[v.ID] < at ||
					v.Block != b && dom.Dominates(v.Block.ID, b.ID) {
					continue
				}
				return fmt.Errorf("%s: %s is used before it is defined", Label(b), Ref(v))
			}
			return nil
		}
		for i, v := range b.Values {
			if err := check(i+1, v.Args...); err != nil {
				return err
			}
		}
		end := len(b.Values) + 1
		if err := check(end, b.Cond); err != nil {
			return err
		}
		for _, e := range b.Edges {
			if err := check(end, e.Args...); err != nil {
				return err
			}
		}
	}
	return nil
}
