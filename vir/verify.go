package vir

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/ssa"
)

// Verify checks that f is well formed and returns the first fault, which names the block
// and the value:
//
//   - block and value IDs are dense and unique; every block has a terminator;
//   - edges pass as many arguments as the target has parameters, of their types;
//   - operand counts, types, lanes and attributes fit the operation;
//   - every use is dominated by its definition; constants belong to no block;
//   - the entry block has no predecessors and no parameters; Context occurs only in it;
//   - branch conditions are scalars: control flow is uniform;
//   - masks are kept in vectors in functions with VectorMasks, and only there.
func Verify(f *Func) error {
	c := newChecker(f)
	if err := checkWidth(f); err != nil {
		return fmt.Errorf("vir %s: %w", f.Name, err)
	}
	if err := c.Structure(); err != nil {
		return fmt.Errorf("vir %s: %w", f.Name, err)
	}
	for _, b := range f.Blocks {
		for _, p := range b.Params {
			if err := c.masks(p.Type); err != nil {
				return fmt.Errorf("vir %s: %s: %s: %w", f.Name, Label(b), Ref(p), err)
			}
		}
		for _, v := range b.Values {
			if err := c.value(v); err != nil {
				return fmt.Errorf("vir %s: %s: %s: %w", f.Name, Label(b), FormatValue(v), err)
			}
		}
		if err := c.term(b); err != nil {
			return fmt.Errorf("vir %s: %s: %s: %w", f.Name, Label(b), FormatTerm(b), err)
		}
	}
	if _, err := c.Dominance(f.Graph()); err != nil {
		return fmt.Errorf("vir %s: %w", f.Name, err)
	}
	return nil
}

type checker struct {
	ssa.Checker[*Block, *Value, Type]
	f *Func
}

func newChecker(f *Func) *checker {
	return &checker{f: f, Checker: ssa.Checker[*Block, *Value, Type]{
		Blocks: f.Blocks, NumValues: len(f.values), Label: Label, Ref: Ref, IR: "vir",
		Block: func(b *Block) ssa.Block[*Block, *Value] {
			return ssa.Block[*Block, *Value]{ID: b.ID, Params: b.Params, Values: b.Values, Cond: b.Cond, Edges: b.Edges, Jump: b.Kind == Jump, Pos: b.Pos}
		},
		Value: func(v *Value) ssa.Value[*Block, *Value, Type] {
			return ssa.Value[*Block, *Value, Type]{ID: v.ID, Op: v.Op, Type: v.Type, Args: v.Args, Block: v.Block, Index: v.Index, Pos: v.Pos}
		},
		Valid: validType,
		Known: func(op Op) bool { return InfoOf(op).Name != "" },
	}}
}

// maxLanes bounds the number of lanes of any type.
const maxLanes = 1024

func validType(t Type) bool {
	if t.MaskBits != 0 && (!t.IsMask() || maskBits[strconv.Itoa(int(t.MaskBits))] == 0) {
		return false
	}
	return t.Elem != alu.Void && t.Elem < alu.NumTypes && !t.Elem.IsPtr() && t.Lanes >= 1 && t.Lanes <= maxLanes
}

func checkWidth(f *Func) error {
	if w := f.Width; w < 1 || w > maxLanes || w&(w-1) != 0 || min(f.Scratch, f.Local) < 0 {
		return fmt.Errorf("bad width %d, scratch %d or local memory %d", w, f.Scratch, f.Local)
	}
	return nil
}

// masks checks that a mask has the form of the function's.
func (c *checker) masks(t Type) error {
	if t.IsMask() && (t.MaskBits > 0) != c.f.VectorMasks {
		return fmt.Errorf("the mask %s does not fit the function, whose masks are kept in vectors: %v", t, c.f.VectorMasks)
	}
	return nil
}

// operands checks that vs can be used.
func (c *checker) operands(vs []*Value) error {
	for _, v := range vs {
		if err := c.Operand(v); err != nil {
			return err
		}
		if err := c.masks(v.Type); err != nil {
			return err
		}
		if v.Op == Const && (!validType(v.Type) || v.Const&^v.Type.Elem.Mask() != 0) {
			return fmt.Errorf("bad constant %s of type %s", Ref(v), v.Type)
		}
	}
	return nil
}

func (c *checker) value(v *Value) error {
	in := InfoOf(v.Op)
	if in.Args >= 0 && len(v.Args) != in.Args {
		return fmt.Errorf("has %d operands, wants %d", len(v.Args), in.Args)
	}
	if err := c.operands(v.Args); err != nil {
		return err
	}
	if err := c.masks(v.Type); err != nil {
		return err
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

// rearranges is the rule of operations that move lanes of a vector under a mask.
func rearranges(v *Value) bool {
	return v.Type.IsVec() && v.Args[0].Type == v.Type && masksLanes(v.Args[1].Type, v.Type.Lanes, v.Type.Elem.Bits())
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
		return t.IsVec() && masksLanes(v.Args[1].Type, t.Lanes, t.Elem.Bits()) && v.Type == Scalar(t.Elem)
	},
	Rank: func(v *Value) bool {
		return v.Type.IsVec() && v.Type.Elem == alu.I32 && masksLanes(v.Args[0].Type, v.Type.Lanes, 32)
	},
	Resize: func(v *Value) bool {
		t := v.Args[0].Type
		return v.Type.MaskBits > 0 && t.MaskBits > 0 && t.MaskBits != v.Type.MaskBits && t.Lanes == v.Type.Lanes
	},
	Compress: rearranges,
	Expand:   rearranges,
	Part: func(v *Value) bool {
		t, n := v.Args[0].Type, v.Type.Lanes
		return n > 1 && v.Type == t.Part(n) && t.Lanes%n == 0 && v.Index >= 0 && v.Index < t.Lanes/n
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
		return t.Lanes > 1 && v.Type == t.Part(t.Lanes*len(v.Args))
	},
	Shuffle: func(v *Value) bool {
		t := v.Args[0].Type
		for _, from := range v.Lanes {
			if from < 0 || from >= 2*t.Lanes {
				return false
			}
		}
		return t.IsVec() && v.Args[1].Type == t && v.Type == t.Part(len(v.Lanes)) && len(v.Lanes) > 1
	},
}

// masksLanes reports whether t is a mask of lanes that have the given number of bits.
func masksLanes(t Type, lanes, bits int) bool {
	return t.IsMask() && t.Lanes == lanes && (t.MaskBits == 0 || t.LaneBits() == bits)
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
	if in.Mask >= 0 && !masksLanes(v.Args[in.Mask].Type, t.Lanes, AccessMaskBits(v.Op, t)) {
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
	if v.Readable && v.Op != VLoad {
		return fmt.Errorf("only a vload is readable")
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
		if c := args[0].Type; c != Scalar(alu.I1) && !masksLanes(c, v.Type.Lanes, v.Type.LaneBits()) {
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
	want := t.With(e)
	if want.IsMask() && v.Type.MaskBits > 0 {
		want.MaskBits = uint8(t.LaneBits())
	}
	if v.Type != want {
		return fmt.Errorf("has type %s, wants %s", v.Type, want)
	}
	if t.MaskBits > 0 && !v.Type.IsMask() && t.LaneBits() != v.Type.Elem.Bits() {
		return fmt.Errorf("extends lanes of %d bits to %s", t.MaskBits, v.Type)
	}
	return nil
}

func (c *checker) term(b *Block) error {
	edges := map[TermKind]int{Jump: 1, Branch: 2, Return: 0}
	n, ok := edges[b.Kind]
	if !ok {
		return fmt.Errorf("no terminator")
	}
	if err := c.Edges(b, n); err != nil {
		return err
	}
	if b.Kind == Branch {
		if err := c.operands([]*Value{b.Cond}); err != nil {
			return err
		}
		if b.Cond.Type != Scalar(alu.I1) {
			return fmt.Errorf("the condition is %s", b.Cond.Type)
		}
	} else if b.Cond != nil {
		return fmt.Errorf("a condition without a branch")
	}
	for _, e := range b.Edges {
		if err := c.operands(e.Args); err != nil {
			return err
		}
	}
	return nil
}
