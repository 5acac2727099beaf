package interior

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// sink moves operations that only boundary code uses into it, such as quotients of every
// lane where those of a row are uniform, but not into loops. Guards stay in place, since
// their conditions often use the same values.
//
// requires: dense IDs; maintains: everything but IDs
func sink(f *kernel.Func) {
	land := landings(f)
	if len(land) == 0 {
		return
	}
	s := &sinking{land: land, dom: cfg.Dominators(f.Graph()), loops: cfg.Cycles(f.Graph()), users: map[*kernel.Value][]user{}}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for i := range v.Args {
				s.users[v.Args[i]] = append(s.users[v.Args[i]], user{v, nil, &v.Args[i]})
			}
		}
		if b.Cond != nil {
			s.users[b.Cond] = append(s.users[b.Cond], user{nil, b, &b.Cond})
		}
		for _, e := range b.Edges {
			for i := range e.Args {
				s.users[e.Args[i]] = append(s.users[e.Args[i]], user{nil, b, &e.Args[i]})
			}
		}
	}
	for _, id := range slices.Backward(f.Graph().ReversePostOrder()) {
		b := f.Blocks[id]
		for i := len(b.Values) - 1; i >= 0; i-- {
			if v := b.Values[i]; pure(v) && s.sink(v) {
				b.Values = slices.Delete(b.Values, i, i+1)
			}
		}
	}
	f.Renumber()
}

type sinking struct {
	land  []*kernel.Block
	dom   *cfg.DomTree
	loops *cfg.CycleForest
	users map[*kernel.Value][]user
}

// user is a use of a value: by an operation, or by the end of a block.
type user struct {
	v     *kernel.Value
	ended *kernel.Block // the block whose condition or edges use the value, if v is nil
	place **kernel.Value
}

func (u user) block() *kernel.Block {
	if u.v != nil {
		return u.v.Block
	}
	return u.ended
}

// guards reports whether the use serves only conditions of AllLanes.
func (s *sinking) guards(u user) bool {
	return u.v != nil && u.v.Op == alu.Eq && !slices.ContainsFunc(s.users[u.v], func(u user) bool { return u.v == nil || u.v.Op != kernel.AllLanes })
}

// sink moves or copies v to the first block that dominates all uses but those of guards,
// and reports whether v moved.
func (s *sinking) sink(v *kernel.Value) bool {
	var used []user
	for _, u := range s.users[v] {
		if !s.guards(u) {
			used = append(used, u)
		}
	}
	at := slices.IndexFunc(s.land, func(l *kernel.Block) bool {
		return s.dom.StrictlyDominates(v.Block.ID, l.ID) && s.loops.InnermostCycle(l.ID) == s.loops.InnermostCycle(v.Block.ID) &&
			!slices.ContainsFunc(used, func(u user) bool { return !s.dom.Dominates(l.ID, u.block().ID) })
	})
	if at < 0 || len(used) == 0 {
		return false
	}
	l, guarded := s.land[at], len(used) < len(s.users[v])
	if guarded {
		w := l.NewLike(v, slices.Clone(v.Args)...)
		for _, u := range used {
			*u.place = w
		}
		for i, x := range w.Args {
			s.users[x] = append(s.users[x], user{w, nil, &w.Args[i]})
		}
		v = w
	}
	v.Block = l
	l.Values = slices.Insert(l.Values, 0, v)
	return !guarded
}

// landings lists the targets of failed guards, dominators first. It adds a block where the
// target has other predecessors.
func landings(f *kernel.Func) []*kernel.Block {
	in, n := make([]int, len(f.Blocks)), len(f.Blocks)
	for _, b := range f.Blocks {
		for _, e := range b.Edges {
			in[e.To.ID]++
		}
	}
	var land []*kernel.Block
	for _, id := range f.Graph().ReversePostOrder() {
		b := f.Blocks[id]
		if b.Kind != kernel.Branch || !b.Edges[1].Rare ||
			!slices.ContainsFunc(conjuncts(b.Cond, nil), func(c *kernel.Value) bool { return c.Op == kernel.AllLanes }) {
			continue
		}
		e := &b.Edges[1]
		if in[e.To.ID] > 1 {
			l := f.NewBlock("borders")
			l.Jump(e.To, e.Args...)
			l.Pos = b.Pos
			e.To, e.Args = l, nil
		}
		land = append(land, e.To)
	}
	for _, l := range land {
		if l.ID >= n {
			at := slices.Index(f.Blocks, l.Edges[0].To)
			f.Blocks = slices.Insert(slices.Delete(f.Blocks, slices.Index(f.Blocks, l), slices.Index(f.Blocks, l)+1), at, l)
		}
	}
	for i, b := range f.Blocks {
		b.ID = i
	}
	return land
}
