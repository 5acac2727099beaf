package isel

import (
	"math/bits"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// ScaleProducts splits indices that are products with (3, 5 or 9) * (2, 4 or 8): the first
// factor is an LEA, which is faster than IMUL, and the second the scale of the address.
func ScaleProducts(f *vir.Func) {
	if f.Width != 1 {
		return
	}
	uses := CountUsers(f)
	var products []*vir.Value
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if !vir.InfoOf(v.Op).Memory || v.Args[0].Op != alu.Add {
				continue
			}
			for _, m := range v.Args[0].Args {
				if m.Op == alu.Mul && m.Args[1].Op == vir.Const && m.Args[0].Op != vir.Const && uses[m] == 1 {
					products = append(products, m)
				}
			}
		}
	}
	for _, m := range products {
		c := m.Args[1].Const
		k := bits.TrailingZeros64(c)
		if c >>= k; k < 1 || k > 3 || !onePlusScale(c) {
			continue
		}
		b := m.Block
		times := b.NewValue(alu.Mul, m.Type, m.Args[0], f.Const(m.Type, c))
		times.Pos = m.Pos
		b.Values = slices.Insert(b.Values, slices.Index(b.Values, m), times)
		m.Op, m.Args = alu.Shl, []*vir.Value{times, f.Const(m.Type, uint64(k))}
	}
}

// SplitConditions turns a branch on c and any(m) into two branches, each of which is an
// instruction that sets flags and a jump.
func SplitConditions(f *vir.Func, except func(b *vir.Block) bool) {
	uses := CountUsers(f)
	for _, b := range slices.Clone(f.Blocks) {
		c := b.Cond
		if c == nil || c.Op != alu.And || c.Block != b || uses[c] != 1 || except(b) {
			continue
		}
		for k, last := range c.Args {
			if last.Op != vir.Any || last.Block != b || uses[last] != 1 {
				continue
			}
			second := f.NewBlock("")
			second.Pos = b.Pos
			second.Values = []*vir.Value{last}
			second.Branch(last, b.Edges[0], vir.Edge{To: b.Edges[1].To, Args: slices.Clone(b.Edges[1].Args)})
			b.Values = slices.DeleteFunc(b.Values, func(v *vir.Value) bool { return v == last || v == c })
			b.Branch(c.Args[1-k], vir.Edge{To: second}, b.Edges[1])
			break
		}
	}
	f.Renumber()
}

// CountUsers counts the uses of values, including those as arguments of edges.
func CountUsers(f *vir.Func) map[*vir.Value]int {
	uses := make(map[*vir.Value]int, f.NumValues())
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for _, a := range v.Args {
				uses[a]++
			}
		}
		if b.Cond != nil {
			uses[b.Cond]++
		}
		for _, e := range b.Edges {
			for _, a := range e.Args {
				uses[a]++
			}
		}
	}
	return uses
}

// RemoveUnused removes unused pure operations, which would count as users of their operands.
func RemoveUnused(f *vir.Func) {
	f.Renumber()
	uses := make([]int, f.NumValues())
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for _, a := range v.Args {
				uses[a.ID]++
			}
		}
		if b.Cond != nil {
			uses[b.Cond.ID]++
		}
		for _, e := range b.Edges {
			for _, a := range e.Args {
				uses[a.ID]++
			}
		}
	}
	var work []*vir.Value
	gone := make([]bool, f.NumValues())
	unused := func(v *vir.Value) {
		if uses[v.ID] == 0 && v.Op != vir.Const && v.Op != vir.Param && vir.InfoOf(v.Op).Effect == vir.Pure && !gone[v.ID] {
			gone[v.ID] = true
			work = append(work, v)
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			unused(v)
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range v.Args {
			uses[a.ID]--
			unused(a)
		}
	}
	for _, b := range f.Blocks {
		b.Values = slices.DeleteFunc(b.Values, func(v *vir.Value) bool { return gone[v.ID] })
	}
	f.Renumber()
}

// SinkAllCarried runs sinkCarried for the blocks that define arguments of back edges.
func SinkAllCarried(f *vir.Func) {
	dom := cfg.Dominators(f.Graph())
	for _, b := range f.Blocks {
		for _, e := range b.Edges {
			if !dom.Dominates(e.To.ID, b.ID) {
				continue
			}
			var defining []*vir.Block
			for _, a := range e.Args {
				if a.Block != nil && dom.Dominates(e.To.ID, a.Block.ID) && !slices.Contains(defining, a.Block) {
					defining = append(defining, a.Block)
				}
			}
			for _, d := range defining {
				sinkCarried(d, e)
			}
		}
	}
}

// sinkCarried moves operations of b whose only use is as arguments of the back edge e below
// the last use, in b, of the corresponding parameters: then both can share one register.
func sinkCarried(b *vir.Block, e vir.Edge) {
	at := make(map[*vir.Value]int, len(b.Values))
	number := func() {
		for i, v := range b.Values {
			at[v] = i
		}
	}
	number()
	used := make(map[*vir.Value]int) // in b and by its edges
	for _, v := range b.Values {
		for _, a := range v.Args {
			used[a]++
		}
	}
	if b.Cond != nil {
		used[b.Cond]++
	}
	folded := make(map[*vir.Value]*vir.Value) // load that its user may fold -> its address
	for _, v := range b.Values {
		if v.Op == vir.Load && used[v] == 1 {
			folded[v] = v.Args[0]
		}
	}
	for range 2 {
		moved := false
		for i, p := range e.To.Params {
			v := e.Args[i]
			from, ok := at[v]
			if !ok || v.Block != b {
				continue
			}
			to := from // the last use of p, or of a folded load from p
			for k := from + 1; k < len(b.Values); k++ {
				u := b.Values[k]
				if slices.ContainsFunc(u.Args, func(a *vir.Value) bool { return a == p || folded[a] == p }) {
					to = k
				}
			}
			if to == from {
				continue
			}
			if used[v] > 0 || !v.Op.Pure() || outlives(v, p, e, at, from, to) {
				if raiseUses(b, p, e, at, from, to) {
					number()
					moved = true
				}
				continue
			}
			b.Values = slices.Insert(slices.Delete(b.Values, from, from+1), to, v)
			number()
			moved = true
		}
		if !moved {
			return
		}
	}
}

// raiseUses moves the operations at indices from+1 to last that use p before index from. If
// one of them cannot move, none is moved.
func raiseUses(b *vir.Block, p *vir.Value, e vir.Edge, at map[*vir.Value]int, from, last int) bool {
	var users []*vir.Value
	for _, u := range b.Values[from+1 : last+1] {
		if !slices.Contains(u.Args, p) {
			continue
		}
		if !u.Op.Pure() || usedBetween(b, u, e, from) {
			return false
		}
		for _, a := range u.Args {
			if k, ok := at[a]; ok && a.Block == b && k >= from {
				return false
			}
		}
		users = append(users, u)
	}
	for _, u := range users {
		k := slices.Index(b.Values, u)
		b.Values = slices.Insert(slices.Delete(b.Values, k, k+1), from, u)
		from++
	}
	return true
}

// usedBetween reports whether u is an argument of e for a parameter that is used from index
// from up to u.
func usedBetween(b *vir.Block, u *vir.Value, e vir.Edge, from int) bool {
	for i, a := range e.Args {
		if a != u {
			continue
		}
		for _, v := range b.Values[from:] {
			if v == u {
				break
			}
			if slices.Contains(v.Args, e.To.Params[i]) {
				return true
			}
		}
	}
	return false
}

// outlives reports whether v, if moved from one index to another, would read a parameter
// after its next value is computed.
func outlives(v, p *vir.Value, e vir.Edge, at map[*vir.Value]int, from, to int) bool {
	for _, a := range v.Args {
		if a.Op != vir.Param || a == p || a.Block != e.To {
			continue
		}
		if k, ok := at[e.Args[a.Index]]; ok && e.Args[a.Index].Block == v.Block && k > from && k <= to {
			return true
		}
	}
	return false
}
