package avx512

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// branchSelects turns scalar selects that steer a loop into branches: those
// that decide by something loaded in the loop, and whose result decides where
// the loop goes next. As a select the next turn waits for the load; as a branch
// it begins with what the processor guesses, and what leads up to its own
// branches is part of the history that those are guessed by.
func branchSelects(f *vir.Func) {
	var found []*vir.Value
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if isBranchy(v) {
				found = append(found, v)
			}
		}
	}
	if len(found) == 0 {
		return
	}
	forest := cfg.Cycles(f.Graph())
	loop := func(v *vir.Value) *cfg.Cycle { return forest.InnermostCycle(v.Block.ID) }
	var chosen []*vir.Value
	users := usersOf(f)
	for _, v := range found {
		if c := loop(v); c != nil && loadedIn(v.Args[0], c, forest, 6) && users.steers(v, c, forest) {
			chosen = append(chosen, v)
		}
	}
	for _, v := range chosen {
		branchSelect(f, v)
	}
	if len(chosen) > 0 {
		f.Renumber()
	}
}

// isBranchy reports whether v is a scalar select.
func isBranchy(v *vir.Value) bool {
	return v.Op == alu.Select && v.Type.IsScalar()
}

// loadedIn reports whether v depends on a load in the loop c, looking back at
// most depth operations.
func loadedIn(v *vir.Value, c *cfg.Cycle, forest *cfg.CycleForest, depth int) bool {
	if depth == 0 || v.Block == nil || !forest.Contains(c, v.Block.ID) {
		return false
	}
	if v.Op == vir.Load {
		return true
	}
	for _, a := range v.Args {
		if loadedIn(a, c, forest, depth-1) {
			return true
		}
	}
	return false
}

// users are the uses of values: by other values, as parameters, as conditions.
type users struct {
	by    [][]*vir.Value // by value ID
	steer []bool         // by value ID: a branch depends on it
}

func usersOf(f *vir.Func) *users {
	u := &users{make([][]*vir.Value, f.NumValues()), make([]bool, f.NumValues())}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for _, a := range v.Args {
				u.by[a.ID] = append(u.by[a.ID], v)
			}
		}
		if b.Cond != nil {
			u.steer[b.Cond.ID] = true
		}
		for _, e := range b.Edges {
			for i, a := range e.Args {
				u.by[a.ID] = append(u.by[a.ID], e.To.Params[i])
			}
		}
	}
	return u
}

// steers reports whether a branch in the loop c depends on v by way of a
// parameter of the loop's header, that is, in a later iteration.
func (u *users) steers(v *vir.Value, c *cfg.Cycle, forest *cfg.CycleForest) bool {
	const most = 200
	type state struct {
		v    *vir.Value
		next bool // past the header
	}
	seen := map[state]bool{{v, false}: true}
	work := []state{{v, false}}
	for len(work) > 0 && len(seen) < most {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if at.next && u.steer[at.v.ID] && at.v.Block != nil && forest.Contains(c, at.v.Block.ID) {
			return true
		}
		for _, x := range u.by[at.v.ID] {
			if x.Block == nil || !forest.Contains(c, x.Block.ID) || vir.InfoOf(x.Op).Effect == vir.Writes {
				continue
			}
			s := state{x, at.next || x.Op == vir.Param && x.Block.ID == c.Header}
			if !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	return false
}

// branchSelect splits the block of the select v there, with a branch around
// what only one side needs.
func branchSelect(f *vir.Func, v *vir.Value) {
	b := v.Block
	at := 0
	for b.Values[at] != v {
		at++
	}
	below := f.NewBlock(b.Name)
	below.Values = append(below.Values, b.Values[at+1:]...)
	below.Kind, below.Cond, below.Edges, below.Pos = b.Kind, b.Cond, b.Edges, b.Pos
	for _, x := range below.Values {
		x.Block = below
	}
	p := below.NewParam(v.Type, v.Name)
	replaceUses(f, v, p)
	b.Values = b.Values[:at]
	b.Pos = v.Pos
	var edges [2]vir.Edge
	for i := range edges {
		a := v.Args[1+i]
		edges[i] = vir.Edge{To: below, Args: []*vir.Value{a}}
		if own := ownChain(f, b, a); len(own) > 0 {
			arm := f.NewBlock("")
			arm.Pos = v.Pos
			kept := b.Values[:0:0]
			for _, x := range b.Values {
				if own[x] {
					x.Block = arm
					arm.Values = append(arm.Values, x)
				} else {
					kept = append(kept, x)
				}
			}
			b.Values = kept
			arm.Jump(below, a)
			edges[i] = vir.Edge{To: arm}
		}
	}
	b.Branch(v.Args[0], edges[0], edges[1])
}

// ownChain returns the pure operations of b that are computed only for a, once,
// a included.
func ownChain(f *vir.Func, b *vir.Block, a *vir.Value) map[*vir.Value]bool {
	uses := map[*vir.Value]int{}
	for _, x := range f.Blocks {
		for _, v := range x.Values {
			for _, y := range v.Args {
				uses[y]++
			}
		}
		if x.Cond != nil {
			uses[x.Cond]++
		}
		for _, e := range x.Edges {
			for _, y := range e.Args {
				uses[y]++
			}
		}
	}
	own := map[*vir.Value]bool{}
	var take func(v *vir.Value, most int)
	take = func(v *vir.Value, most int) {
		if v.Block != b || !v.Op.Pure() || v.Op == vir.Param || uses[v] > most || own[v] {
			return
		}
		own[v] = true
		for _, y := range v.Args {
			take(y, 1)
		}
	}
	take(a, 0) // the select itself is no use any more
	return own
}

// replaceUses makes x stand for v everywhere.
func replaceUses(f *vir.Func, v, x *vir.Value) {
	for _, b := range f.Blocks {
		for _, y := range b.Values {
			for i, a := range y.Args {
				if a == v {
					y.Args[i] = x
				}
			}
		}
		if b.Cond == v {
			b.Cond = x
		}
		for _, e := range b.Edges {
			for i, a := range e.Args {
				if a == v {
					e.Args[i] = x
				}
			}
		}
	}
}
