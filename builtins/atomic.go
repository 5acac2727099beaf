package builtins

import (
	"fmt"
	"strings"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
)

// Atomic describes an atomic function.
type Atomic struct {
	Do  AtomicDo
	RMW [2]alu.RMW // AtomicUpdate: for signed and for unsigned integers
}

// AtomicDo is the kind of an atomic function.
type AtomicDo uint8

const (
	AtomicUpdate     AtomicDo = iota // (p, x) -> old value
	AtomicStep                       // (p) -> old value; the operand is 1
	AtomicCmpXchg                    // (p, expected, x) -> old value
	AtomicCompare                    // (p, pointer to expected, x) -> bool
	AtomicLoad                       // (p)
	AtomicStore                      // (p, x)
	AtomicInit                       // (p, x), before other work-items access the object
	AtomicTestAndSet                 // (flag) -> bool
	AtomicClear                      // (flag)
)

// operands returns the number of arguments before memory orders and scopes.
func (d AtomicDo) operands() int {
	switch d {
	case AtomicUpdate, AtomicStore, AtomicInit:
		return 2
	case AtomicCmpXchg, AtomicCompare:
		return 3
	}
	return 1
}

// atomics lists the functions of OpenCL C 1.2 §6.12.11 and of the extensions for 64 bits,
// which are named atom_; OpenCL C 2.0 §6.13.11.7; and cl_ext_float_atomics.
var atomics = func() []Func {
	var out []Func
	same := func(k alu.RMW) [2]alu.RMW { return [2]alu.RMW{k, k} }
	updates := []struct {
		name string
		rmw  [2]alu.RMW
	}{
		{"add", same(alu.RMWAdd)}, {"sub", same(alu.RMWSub)}, {"xchg", same(alu.RMWXchg)},
		{"min", [2]alu.RMW{alu.RMWSMin, alu.RMWUMin}}, {"max", [2]alu.RMW{alu.RMWSMax, alu.RMWUMax}},
		{"and", same(alu.RMWAnd)}, {"or", same(alu.RMWOr)}, {"xor", same(alu.RMWXor)},
	}
	add := func(name string, a Atomic) {
		out = append(out, Func{Name: name, Special: "atomic", Atomic: &a})
	}
	for _, prefix := range []string{"atomic_", "atom_"} {
		for _, u := range updates {
			add(prefix+u.name, Atomic{AtomicUpdate, u.rmw})
		}
		add(prefix+"inc", Atomic{AtomicStep, same(alu.RMWAdd)})
		add(prefix+"dec", Atomic{AtomicStep, same(alu.RMWSub)})
		add(prefix+"cmpxchg", Atomic{Do: AtomicCmpXchg})
	}
	add("atomic_init", Atomic{Do: AtomicInit})
	for _, suffix := range []string{"", "_explicit"} {
		for _, u := range updates {
			if u.name == "xchg" {
				add("atomic_exchange"+suffix, Atomic{AtomicUpdate, u.rmw})
			} else {
				add("atomic_fetch_"+u.name+suffix, Atomic{AtomicUpdate, u.rmw})
			}
		}
		for _, strength := range []string{"strong", "weak"} {
			add("atomic_compare_exchange_"+strength+suffix, Atomic{Do: AtomicCompare})
		}
		add("atomic_load"+suffix, Atomic{Do: AtomicLoad})
		add("atomic_store"+suffix, Atomic{Do: AtomicStore})
		add("atomic_flag_test_and_set"+suffix, Atomic{Do: AtomicTestAndSet})
		add("atomic_flag_clear"+suffix, Atomic{Do: AtomicClear})
	}
	return append(out, Func{Name: "atomic_work_item_fence", Sig: "v(u,i,i)", Special: "fence"})
}()

// orders returns the number of memory order arguments after the operands of an atomic
// function; a scope may follow them.
func (f *Func) orders() int {
	switch {
	case !strings.HasSuffix(f.Name, "_explicit"):
		return 0
	case f.Atomic.Do == AtomicCompare:
		return 2
	}
	return 1
}

// takesFloats reports whether an atomic function accepts floats.
func (f *Func) takesFloats() bool {
	switch f.Atomic.Do {
	case AtomicUpdate:
		return f.Atomic.RMW[0] == alu.RMWXchg || f.FloatBody() != "" && strings.HasPrefix(f.Name, "atomic_fetch_")
	case AtomicStep, AtomicCmpXchg:
		return false
	}
	return true
}

// FloatBody returns the name of the body that updates a float, or "".
func (f *Func) FloatBody() string {
	switch f.Atomic.RMW[0] {
	case alu.RMWAdd:
		return "atomic_float_add"
	case alu.RMWSub:
		return "atomic_float_sub"
	case alu.RMWSMin:
		return "atomic_float_min"
	case alu.RMWSMax:
		return "atomic_float_max"
	}
	return ""
}

func resolveAtomic(f *Func, args []types.Type) (*Call, error) {
	n := f.Atomic.Do.operands()
	most := n + f.orders()
	if most > n {
		most++ // the scope
	}
	switch least := n + f.orders(); {
	case len(args) < least || len(args) > most:
		if most > least {
			return nil, fmt.Errorf("it takes %d or %d arguments", least, most)
		}
		return nil, fmt.Errorf("it takes %s", diag.Count(n, "argument"))
	}
	p, ok := args[0].(*types.Pointer)
	if !ok {
		return nil, fmt.Errorf("the first argument must be a pointer")
	}
	s := types.ScalarType(p.Elem)
	switch {
	case s == nil || s.Size() != 4 && s.Size() != 8:
		return nil, fmt.Errorf("the first argument must be a pointer to an integer or float of 32 or 64 bits")
	case s.IsFloat() && !f.takesFloats():
		return nil, fmt.Errorf("it does not work on %s", s)
	case p.Space == types.Private, p.Space == types.Constant:
		return nil, fmt.Errorf("the pointer must be to __global or __local memory, not to %s", p.Space)
	case p.Quals&types.Const != 0 && f.Atomic.Do != AtomicLoad:
		return nil, fmt.Errorf("the pointer must not be to const")
	}
	c := &Call{Func: f, N: 1, Elem: s, Result: s, Params: []types.Type{p}}
	switch f.Atomic.Do {
	case AtomicUpdate, AtomicStore, AtomicInit:
		c.Params = append(c.Params, s)
	case AtomicCmpXchg:
		c.Params = append(c.Params, s, s)
	case AtomicCompare:
		expected, ok := args[1].(*types.Pointer)
		if !ok || types.ScalarType(expected.Elem) != s || expected.Space == types.Constant || expected.Quals&types.Const != 0 {
			return nil, fmt.Errorf("the second argument must be a pointer to %s", s)
		}
		c.Params = append(c.Params, expected, s)
		c.Result = types.Bool
	case AtomicTestAndSet:
		c.Result = types.Bool
	}
	switch f.Atomic.Do {
	case AtomicStore, AtomicInit, AtomicClear:
		c.Result = types.Void
	}
	for range args[n:] {
		c.Params = append(c.Params, types.Int)
	}
	return c, nil
}
