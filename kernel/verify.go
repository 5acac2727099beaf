package kernel

import (
	"fmt"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/internal/ssa"
)

// Fault is an error found by Verify, with the source position of the value or terminator, if known.
type Fault struct {
	Pos diag.Pos
	Err error
}

// Error describes the fault, without its position.
func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap returns the error itself.
func (f *Fault) Unwrap() error { return f.Err }

// Verify checks that f is well formed and returns the first fault, which names the block
// and the value:
//
//   - block and value IDs are dense and unique; every block has a terminator;
//   - edges pass as many arguments as the target has parameters, of their types;
//   - operand counts, types and attributes fit the operation's table row;
//   - every use is dominated by its definition; constants belong to no block;
//   - the entry block has no predecessors and no parameters, and contains every Alloca.
func Verify(f *Func) error {
	c := newChecker(f)
	if err := checkData(f.Data); err != nil {
		return fmt.Errorf("kernel %s: %w", f.Name, err)
	}
	if err := checkHidden(f); err != nil {
		return fmt.Errorf("kernel %s: %w", f.Name, err)
	}
	if err := c.Structure(); err != nil {
		return fmt.Errorf("kernel %s: %w", f.Name, err)
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if err := c.value(v); err != nil {
				return &Fault{v.Pos, fmt.Errorf("kernel %s: %s: %s: %w", f.Name, Label(b), FormatValue(v), err)}
			}
		}
		if err := c.term(b); err != nil {
			return &Fault{b.Pos, fmt.Errorf("kernel %s: %s: %s: %w", f.Name, Label(b), FormatTerm(b), err)}
		}
	}
	if at, err := c.Dominance(f.Graph()); err != nil {
		return &Fault{at, fmt.Errorf("kernel %s: %w", f.Name, err)}
	}
	return nil
}

// checkHidden reports arguments of launches that are not last: the variables, then those of printf.
func checkHidden(f *Func) error {
	for i, a := range f.Args {
		if i > 0 && f.Args[i-1].Kind >= ArgVariables && a.Kind <= f.Args[i-1].Kind {
			return fmt.Errorf("argument %s follows %s", a.Name, f.Args[i-1].Name)
		}
		if a.Kind == ArgVariables && (len(f.Data) == 0 || !f.Data[0].Variables) {
			return fmt.Errorf("argument %s: there are no variables", a.Name)
		}
	}
	return nil
}

type checker struct {
	ssa.Checker[*Block, *Value, Type]
	f       *Func
	private int64 // bytes of private objects
}

func newChecker(f *Func) *checker {
	return &checker{f: f, Checker: ssa.Checker[*Block, *Value, Type]{
		Blocks: f.Blocks, NumValues: len(f.values), Label: Label, Ref: Ref, IR: "the kernel IR",
		Block: func(b *Block) ssa.Block[*Block, *Value] {
			return ssa.Block[*Block, *Value]{ID: b.ID, Params: b.Params, Values: b.Values, Cond: b.Cond, Edges: b.Edges, Jump: b.Kind == Jump, Pos: b.Pos}
		},
		Value: func(v *Value) ssa.Value[*Block, *Value, Type] {
			return ssa.Value[*Block, *Value, Type]{ID: v.ID, Op: v.Op, Type: v.Type, Args: v.Args, Block: v.Block, Index: v.Index, Pos: v.Pos}
		},
		Valid: func(t Type) bool { return t != alu.Void },
		Known: func(op Op) bool { return InfoOf(op).Name != "" },
	}}
}

func (c *checker) value(v *Value) error {
	in := InfoOf(v.Op)
	if in.Args >= 0 && len(v.Args) != in.Args {
		return fmt.Errorf("has %d operands, wants %d", len(v.Args), in.Args)
	}
	for _, a := range v.Args {
		if err := c.Operand(a); err != nil {
			return err
		}
		if a.Op == Load && a.Count > 1 && v.Op != Component {
			return fmt.Errorf("operand %s has %d components; only component takes it", Ref(a), a.Count)
		}
	}
	if v.Op.Pure() {
		return checkPure(v)
	}
	want := func(t Type) error {
		if v.Type != t {
			return fmt.Errorf("has type %s, wants %s", v.Type, t)
		}
		return nil
	}
	index := func(n int) error {
		if v.Index < 0 || v.Index >= n {
			return fmt.Errorf("index %d is not below %d", v.Index, n)
		}
		return nil
	}
	switch v.Op {
	case Argument:
		if err := index(len(c.f.Args)); err != nil {
			return err
		}
		a := c.f.Args[v.Index]
		if a.Kind == ArgBytes || a.Kind == ArgScalar && a.Count != 1 {
			return fmt.Errorf("argument %s is not one scalar; use argaddr", a.Name)
		}
		return want(a.Type)
	case ArgAddr:
		if err := index(len(c.f.Args)); err != nil {
			return err
		}
		return want(alu.PtrConstant)
	case DataAddr:
		if err := index(len(c.f.Data)); err != nil {
			return err
		}
		if c.f.Data[v.Index].Variables {
			return fmt.Errorf("the address of variables must come from an argument")
		}
		return want(alu.PtrConstant)
	case LocalAddr:
		if err := index(len(c.f.Locals)); err != nil {
			return err
		}
		return want(alu.PtrLocal)
	case GroupState:
		return want(alu.PtrLocal)
	case Barrier:
		return want(alu.Void)
	case Alloca:
		if v.Block != c.f.Blocks[0] {
			return fmt.Errorf("is outside the entry block")
		}
		if v.Size < 0 || !powerOfTwo(v.Align) {
			return fmt.Errorf("bad size %d or alignment %d", v.Size, v.Align)
		}
		// Passes add objects that hold values across barriers.
		if c.private += int64(v.Size); c.private > 4*MaxPrivate {
			return fmt.Errorf("private objects of %d bytes, %d are supported", c.private, 4*MaxPrivate)
		}
		return want(alu.PtrPrivate)
	case PtrAdd:
		if !v.Args[0].Type.IsPtr() || v.Args[1].Type != alu.I64 {
			return fmt.Errorf("operands are %s and %s", v.Args[0].Type, v.Args[1].Type)
		}
		if v.Size < 0 || v.Index < 0 {
			return fmt.Errorf("accesses are in %d bytes at %d", v.Size, v.Index)
		}
		return want(v.Args[0].Type)
	case Load, Store:
		return checkAccess(v)
	case Atomic, CmpXchg:
		return checkAtomic(v)
	case Fence:
		return want(alu.Void)
	case Component:
		l := v.Args[0]
		if l.Op != Load || l.Count < 2 {
			return fmt.Errorf("%s is not a load of several components", Ref(l))
		}
		if err := index(l.Count); err != nil {
			return err
		}
		return want(l.Type)
	case WorkDim:
		return want(alu.I64)
	case Lane, Lanes:
		return want(alu.I32)
	case FewLanes, SpanRows:
		return want(alu.I1)
	case InLocal, InPrivate:
		if v.Args[0].Type != alu.PtrGeneric {
			return fmt.Errorf("the operand is %s", v.Args[0].Type)
		}
		return want(alu.I1)
	case Ballot:
		if v.Args[0].Type != alu.I1 {
			return fmt.Errorf("the operand is %s", v.Args[0].Type)
		}
		return want(alu.I64)
	case AllLanes:
		if v.Args[0].Type != alu.I1 {
			return fmt.Errorf("the operand is %s", v.Args[0].Type)
		}
		return want(alu.I1)
	case ActiveLane:
		if v.Type == alu.I1 {
			return fmt.Errorf("the active lane of %s", v.Type)
		}
		return want(v.Args[0].Type)
	case FirstLane:
		if !v.Type.IsInt() || v.Type == alu.I1 {
			return fmt.Errorf("the first lane of %s", v.Type)
		}
		return want(v.Args[0].Type)
	case Shuffle:
		if !v.Type.IsInt() || v.Type == alu.I1 || v.Args[1].Type != alu.I32 {
			return fmt.Errorf("%s of lane %s", v.Type, v.Args[1].Type)
		}
		return want(v.Args[0].Type)
	case GlobalID, LocalID, GroupID, GlobalSize, LocalSize, NumGroups, GlobalOffset:
		if err := index(3); err != nil {
			return err
		}
		return want(alu.I64)
	}
	return fmt.Errorf("the verifier has no rule for it")
}

func powerOfTwo(n int) bool { return n > 0 && n&(n-1) == 0 }

func checkAccess(v *Value) error {
	if len(v.Args) == 0 || !v.Args[0].Type.IsPtr() {
		return fmt.Errorf("the address is not a pointer")
	}
	if v.Count < 1 || v.Count > 16 || !powerOfTwo(v.Align) {
		return fmt.Errorf("bad count %d or alignment %d", v.Count, v.Align)
	}
	t := v.Type
	if v.Op == Store {
		if v.Type != alu.Void {
			return fmt.Errorf("a store has no value")
		}
		if len(v.Args) != 1+v.Count {
			return fmt.Errorf("stores %d of %d components", len(v.Args)-1, v.Count)
		}
		t = v.Args[1].Type
		for _, a := range v.Args[1:] {
			if a.Type != t {
				return fmt.Errorf("components of types %s and %s", t, a.Type)
			}
		}
	}
	if t.Size() == 0 {
		return fmt.Errorf("%s is not a memory type", t)
	}
	return nil
}

func checkAtomic(v *Value) error {
	switch v.Args[0].Type {
	case alu.PtrGlobal, alu.PtrLocal, alu.PtrGeneric:
	default:
		return fmt.Errorf("no atomic access by %s", v.Args[0].Type)
	}
	if v.Type != alu.I32 && v.Type != alu.I64 {
		return fmt.Errorf("%s has no atomic accesses", v.Type)
	}
	for _, a := range v.Args[1:] {
		if a.Type != v.Type {
			return fmt.Errorf("operand %s is %s, wants %s", Ref(a), a.Type, v.Type)
		}
	}
	if v.Op == Atomic && (v.Index < 0 || v.RMW() >= alu.NumRMW) {
		return fmt.Errorf("no such operation: %d", v.Index)
	}
	return nil
}

func checkPure(v *Value) error {
	in := alu.InfoOf(v.Op)
	args := v.Args
	if in.Class == alu.Choose {
		if args[0].Type != alu.I1 {
			return fmt.Errorf("the condition is %s", args[0].Type)
		}
		args = args[1:]
	}
	for _, a := range args[1:] {
		if a.Type != args[0].Type {
			return fmt.Errorf("operands of types %s and %s", args[0].Type, a.Type)
		}
	}
	t, err := alu.ResultType(v.Op, args[0].Type, v.Type)
	if err != nil {
		return err
	}
	if t != v.Type {
		return fmt.Errorf("has type %s, wants %s", v.Type, t)
	}
	return nil
}

func (c *checker) term(b *Block) error {
	edges := map[TermKind]int{Jump: 1, Branch: 2, Switch: 1 + len(b.Cases), Return: 0}
	n, ok := edges[b.Kind]
	if !ok {
		return fmt.Errorf("no terminator")
	}
	if err := c.Edges(b, n); err != nil {
		return err
	}
	if b.Kind == Branch || b.Kind == Switch {
		if err := c.Operand(b.Cond); err != nil {
			return err
		}
		if b.Kind == Branch && b.Cond.Type != alu.I1 || b.Kind == Switch && !b.Cond.Type.IsInt() {
			return fmt.Errorf("the condition is %s", b.Cond.Type)
		}
	} else if b.Cond != nil {
		return fmt.Errorf("a condition without a use")
	}
	seen := map[uint64]bool{}
	for _, k := range b.Cases {
		if seen[k] || k&^b.Cond.Type.Mask() != 0 {
			return fmt.Errorf("case %d is repeated or too large", k)
		}
		seen[k] = true
	}
	for _, e := range b.Edges {
		for _, a := range e.Args {
			if a.Op == Load && a.Count > 1 {
				return fmt.Errorf("argument %s has several components", Ref(a))
			}
		}
	}
	return nil
}
