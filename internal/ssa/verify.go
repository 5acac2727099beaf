package ssa

import (
	"fmt"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/diag"
)

// The operations that both IRs have.
const (
	Const    alu.Op = alu.FirstIR + iota // belongs to no block
	Param                                // block parameter
	FirstOwn                             // the first number of an IR's own operations
)

// Block has the parts of an IR's block.
type Block[B, V any] struct {
	ID     int
	Params []V
	Values []V
	Cond   V
	Edges  []Edge[B, V]
	Jump   bool // ends with a jump
	Pos    diag.Pos
}

// Value has the parts of an IR's value.
type Value[B, V, T any] struct {
	ID    int
	Op    alu.Op
	Type  T
	Args  []V
	Block B
	Index int
	Pos   diag.Pos
}

// Checker checks that a function is in SSA form: IDs are dense and unique, edges have arguments of the
// parameters' types, and every use is dominated by its definition. Errors name the block and the
// value.
type Checker[B, V, T comparable] struct {
	Blocks    []B
	NumValues int
	Block     func(B) Block[B, V]
	Value     func(V) Value[B, V, T]
	Label     func(B) string
	Ref       func(V) string
	Valid     func(T) bool      // types of values
	Known     func(alu.Op) bool // the operations of the IR
	IR        string            // its name

	known []V // by ID, placed in a block
}

// Structure checks IDs, parameters, operations and the targets of edges. It precedes the other checks.
func (c *Checker[B, V, T]) Structure() error {
	if len(c.Blocks) == 0 {
		return fmt.Errorf("no blocks")
	}
	var none V
	var noType T
	c.known = make([]V, c.NumValues)
	place := func(b B, v V) error {
		switch x := c.Value(v); {
		case x.Block != b:
			return fmt.Errorf("%s: %%%d belongs to another block", c.Label(b), x.ID)
		case x.ID < 0 || x.ID >= len(c.known):
			return fmt.Errorf("%s: value ID %d is out of range", c.Label(b), x.ID)
		case c.known[x.ID] != none:
			return fmt.Errorf("%s: value ID %d is used twice", c.Label(b), x.ID)
		default:
			c.known[x.ID] = v
		}
		return nil
	}
	for i, b := range c.Blocks {
		parts := c.Block(b)
		if parts.ID != i {
			return fmt.Errorf("%s is at position %d", c.Label(b), i)
		}
		for j, p := range parts.Params {
			switch x := c.Value(p); {
			case x.Op != Param || x.Index != j:
				return fmt.Errorf("%s: parameter %d has another operation or index", c.Label(b), j)
			case x.Type == noType:
				return fmt.Errorf("%s: parameter %d has no type", c.Label(b), j)
			case !c.Valid(x.Type):
				return fmt.Errorf("%s: parameter %d has type %v", c.Label(b), j, x.Type)
			}
			if err := place(b, p); err != nil {
				return err
			}
		}
		for _, v := range parts.Values {
			if x := c.Value(v); !c.Known(x.Op) || x.Op == Param || x.Op == Const {
				return fmt.Errorf("%s: %%%d is not an operation of %s", c.Label(b), x.ID, c.IR)
			}
			if err := place(b, v); err != nil {
				return err
			}
		}
		for _, e := range parts.Edges {
			var noBlock B
			if e.To == noBlock || c.Block(e.To).ID < 0 || c.Block(e.To).ID >= len(c.Blocks) || c.Blocks[c.Block(e.To).ID] != e.To {
				return fmt.Errorf("%s: an edge leaves the function", c.Label(b))
			}
		}
	}
	return nil
}

// Operand checks that v can be used.
func (c *Checker[B, V, T]) Operand(v V) error {
	var none V
	var noBlock B
	var noType T
	if v == none {
		return fmt.Errorf("missing operand")
	}
	switch x := c.Value(v); {
	case x.Op == Const && x.Block != noBlock:
		return fmt.Errorf("constant %s belongs to a block", c.Ref(v))
	case x.Op == Const:
	case x.ID < 0 || x.ID >= len(c.known) || c.known[x.ID] != v:
		return fmt.Errorf("operand %s is not in the function", c.Ref(v))
	case x.Type == noType:
		return fmt.Errorf("operand %s has no value", c.Ref(v))
	}
	return nil
}

// Edges checks that b has n edges whose arguments are those that their targets take.
func (c *Checker[B, V, T]) Edges(b B, n int) error {
	parts := c.Block(b)
	if len(parts.Edges) != n {
		return fmt.Errorf("%d edges, wants %d", len(parts.Edges), n)
	}
	for _, e := range parts.Edges {
		to := c.Block(e.To)
		switch {
		case e.Rare && parts.Jump:
			return fmt.Errorf("a jump cannot be rare")
		case to.ID == 0:
			return fmt.Errorf("the entry block cannot be a target")
		case len(e.Args) != len(to.Params):
			return fmt.Errorf("%d arguments for the %d parameters of %s", len(e.Args), len(to.Params), c.Label(e.To))
		}
		for i, a := range e.Args {
			if err := c.Operand(a); err != nil {
				return err
			}
			if t, want := c.Value(a).Type, c.Value(to.Params[i]).Type; t != want {
				return fmt.Errorf("argument %s is %v, parameter %s is %v", c.Ref(a), t, c.Ref(to.Params[i]), want)
			}
		}
	}
	return nil
}

// Dominance checks that uses are dominated by definitions, except in unreachable blocks. at is the position
// of the operation or terminator with the fault.
func (c *Checker[B, V, T]) Dominance(g *cfg.Graph) (at diag.Pos, err error) {
	if len(c.Block(c.Blocks[0]).Params) > 0 {
		return at, fmt.Errorf("the entry block has parameters")
	}
	dom := cfg.Dominators(g)
	place := make([]int, c.NumValues) // order within the block
	for _, b := range c.Blocks {
		for i, v := range c.Block(b).Values {
			place[c.Value(v).ID] = i + 1
		}
	}
	for id, b := range c.Blocks {
		if !dom.Contains(id) {
			continue
		}
		check := func(i int, vs ...V) error {
			for _, v := range vs {
				var none V
				if v == none {
					continue
				}
				x := c.Value(v)
				if x.Op == Const || x.Block == b && place[x.ID] < i || x.Block != b && dom.Dominates(c.Block(x.Block).ID, id) {
					continue
				}
				return fmt.Errorf("%s: %s is used before it is defined", c.Label(b), c.Ref(v))
			}
			return nil
		}
		parts := c.Block(b)
		for i, v := range parts.Values {
			if err := check(i+1, c.Value(v).Args...); err != nil {
				return c.Value(v).Pos, err
			}
		}
		end := len(parts.Values) + 1
		if err := check(end, parts.Cond); err != nil {
			return parts.Pos, err
		}
		for _, e := range parts.Edges {
			if err := check(end, e.Args...); err != nil {
				return parts.Pos, err
			}
		}
	}
	return at, nil
}
