package opt

import (
	"fmt"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// CSE replaces an operation by an equal one that dominates it: pure
// operations anywhere, loads within a block as long as nothing is stored
// between.
//
// requires: no unreachable blocks; maintains: SSA
func CSE(f *kernel.Func, st Stats) {
	g := f.Graph()
	dom := cfg.Dominators(g)
	r := replacer{}
	type scope struct {
		block int
		undo  []string
	}
	known := map[string]*kernel.Value{}
	n := 0
	// Preorder over the dominator tree; leaving a subtree forgets its values.
	var stack []scope
	for _, id := range dom.Preorder {
		for len(stack) > 0 && !dom.Dominates(stack[len(stack)-1].block, id) {
			for _, k := range stack[len(stack)-1].undo {
				delete(known, k)
			}
			stack = stack[:len(stack)-1]
		}
		here := scope{block: id}
		loads := map[string]*kernel.Value{}
		b := f.Blocks[id]
		kept := b.Values[:0]
		for _, v := range b.Values {
			for i, a := range v.Args {
				v.Args[i] = r.find(a)
			}
			table := known
			switch kernel.InfoOf(v.Op).Effect {
			case kernel.Writes:
				loads = map[string]*kernel.Value{}
				kept = append(kept, v)
				continue
			case kernel.Reads:
				table = loads
			}
			if v.Volatile || v.Op == kernel.Alloca {
				kept = append(kept, v)
				continue
			}
			k := key(v)
			if same := table[k]; same != nil {
				r[v] = same
				n++
				continue
			}
			table[k] = v
			if v.Op != kernel.Load {
				here.undo = append(here.undo, k)
			}
			kept = append(kept, v)
		}
		b.Values = kept
		stack = append(stack, here)
	}
	r.apply(f)
	st.Add("common subexpressions removed", n)
	f.Renumber()
}

// key is equal for operations that compute the same.
func key(v *kernel.Value) string {
	args := v.Args
	if alu.InfoOf(v.Op).Commutative && args[0].ID > args[1].ID {
		args = append([]*kernel.Value{args[1], args[0]}, args[2:]...)
	}
	b := make([]byte, 0, 32)
	b = fmt.Appendf(b, "%d %d %d %d %d", v.Op, v.Type, v.Index, v.Count, v.Align)
	for _, a := range args {
		b = fmt.Appendf(b, " %d", a.ID)
	}
	return string(b)
}
