package meld

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// reunite moves operations of an arm of a later branch to the side of a's branch that the same
// lanes take, so that they meld with the other side:
//
//	if (c) { x = p[i] } B; if (!c) { y = q[i] }    if (c) { x = p[i] } else { y = q[i] } B
//
// The conditions may also be comparisons of one value with different constants. Only loads and
// expensive operations with a mate move, with their operands. They must not depend on B, except
// for operations that can move above a, and B must not write what they load.
func (m *melder) reunite(a *kernel.Block) {
	for side := range a.Edges {
		if r := m.reunion(a, side); r != nil && r.choose() {
			r.commit()
			return
		}
	}
}

// reunion is an arm of a later branch that only lanes execute which do not execute one of a's
// arms.
type reunion struct {
	m     *melder
	a     *kernel.Block
	arm   *kernel.Block // of a
	other int           // the edge of a on the other side
	join  *kernel.Block // between
	later *kernel.Block // the arm of join's branch
	exact bool          // all lanes of the other side execute later

	// is has the operations to move: those of join to the end of a, those of later to the
	// other side of a.
	is      map[*kernel.Value]bool
	mates   map[*kernel.Value]*kernel.Value // moved access or expensive operation -> operation of arm
	side    *kernel.Block                   // the new other side
	carried []*kernel.Value                 // moved operations whose results later uses
}

// reunion finds an arm that excludes the given side of a's branch.
func (m *melder) reunion(a *kernel.Block, side int) *reunion {
	if a.Kind != kernel.Branch {
		return nil
	}
	arm := a.Edges[side].To
	if !m.armOf(arm, a) || a.Edges[1-side].To == arm {
		return nil
	}
	j := arm.Edges[0].To
	if j == a || !m.known(j) || m.cycle(j) != m.cycle(a) || m.preds[j] != 2 || j.Kind != kernel.Branch || !m.divergent[j] || j.Edges[0].Rare || j.Edges[1].Rare {
		return nil
	}
	direct := a.Edges[1-side].To == j
	if o := a.Edges[1-side].To; !direct && (!m.armOf(o, a) || o.Edges[0].To != j) {
		return nil
	}
	c, d := m.r.Find(a.Cond), m.r.Find(j.Cond)
	for k := range j.Edges {
		later := j.Edges[k].To
		if !m.armOf(later, j) || m.preds[later.Edges[0].To] == 1 || m.cycle(later.Edges[0].To) != m.cycle(a) || !m.known(later.Edges[0].To) {
			continue
		}
		r := &reunion{m: m, a: a, arm: arm, other: 1 - side, join: j, later: later, is: map[*kernel.Value]bool{}, mates: map[*kernel.Value]*kernel.Value{}}
		switch {
		case c == d && k == 1-side:
			r.exact = true
			return r
		case direct && side == 0 && k == 0 && disjoint(c, d):
			return r
		}
	}
	return nil
}

// armOf reports whether b is an arm of a's branch without branches of its own.
func (m *melder) armOf(b, a *kernel.Block) bool {
	return m.preds[b] == 1 && len(b.Params) == 0 && b.Kind == kernel.Jump && m.known(b) && m.cycle(b) == m.cycle(a) && len(b.Values) <= maxArm
}

// disjoint reports whether two conditions compare one value with different constants.
func disjoint(c, d *kernel.Value) bool {
	if c.Op != alu.Eq || d.Op != alu.Eq || !c.Args[0].Type.IsInt() {
		return false
	}
	for i := range 2 {
		for k := range 2 {
			x, y := c.Args[1-i], d.Args[1-k]
			if c.Args[i] == d.Args[k] && x.Op == kernel.Const && y.Op == kernel.Const && x != y {
				return true
			}
		}
	}
	return false
}

// choose selects the operations to move, and reports whether that pays.
func (r *reunion) choose() bool {
	m := r.m
	for _, b := range []*kernel.Block{r.a, r.arm, r.a.Edges[r.other].To, r.join, r.later} {
		for _, v := range b.Values {
			m.r.Args(v)
		}
		for i := range b.Edges {
			for k, x := range b.Edges[i].Args {
				b.Edges[i].Args[k] = m.r.Find(x)
			}
		}
	}
	var written []*kernel.Value
	for _, v := range r.join.Values {
		if kernel.InfoOf(v.Op).Effect == kernel.Writes {
			written = append(written, v)
		}
	}
	next := 0
	for _, y := range r.later.Values {
		switch kernel.InfoOf(y.Op).Effect {
		case kernel.Writes:
			written = append(written, y)
			continue
		case kernel.Reads:
			if y.Volatile || y.Op != kernel.Load || y.Count != 1 || slices.ContainsFunc(written, func(w *kernel.Value) bool { return m.interferes(w, y) }) {
				continue
			}
		default:
			if pureCost(y, m.form(y).vector) < anchorCost {
				continue
			}
		}
		at := slices.IndexFunc(r.arm.Values[next:], func(x *kernel.Value) bool { return fits(x, y) })
		if at < 0 {
			continue
		}
		if r.mates[y] = r.arm.Values[next+at]; !r.take(y, false) {
			delete(r.mates, y)
			continue
		}
		next += at + 1
	}
	if len(r.mates) == 0 || !r.exact && !r.take(r.join.Cond, true) {
		return false
	}
	return r.plan()
}

// interferes reports whether the operation w may write memory that a load reads.
func (m *melder) interferes(w, load *kernel.Value) bool {
	var s spaces
	s.add(w)
	if !s.touches(load) {
		return false
	}
	if w.Op != kernel.Store || !m.noAlias {
		return true
	}
	x, y := buffer(w.Args[0]), buffer(load.Args[0])
	return x == nil || y == nil || x.Index == y.Index
}

// buffer returns the buffer argument that an address is derived from, nil if it is unknown.
func buffer(p *kernel.Value) *kernel.Value {
	for p.Op == kernel.PtrAdd {
		p = p.Args[0]
	}
	if p.Op == kernel.Argument && (p.Type == alu.PtrGlobal || p.Type == alu.PtrConstant) {
		return p
	}
	return nil
}

// take marks an operation and its operands to be moved, and reports whether they can. Operands
// are pure. If lift is set they are computed in every lane above a, where parameters of the join
// do not exist yet; else on the other side of a, where their values are known.
func (r *reunion) take(v *kernel.Value, lift bool) bool {
	switch {
	case r.is[v] || v.Op == kernel.Const || v.Block != r.join && v.Block != r.later:
		return true
	case v.Op == kernel.Param:
		return !lift
	case r.mates[v] == nil && (!isPure(v) || kernel.Convergent(v.Op) || v.Op == kernel.Alloca || v.Op == kernel.Component):
		return false
	}
	for _, x := range v.Args {
		if !r.take(x, lift || v.Block == r.join) {
			return false
		}
	}
	r.is[v] = true
	return true
}

// plan copies the operations to the other side and reports whether melding them pays.
func (r *reunion) plan() bool {
	m := r.m
	from := r.entering()
	r.side = &kernel.Block{ID: -1, Name: r.later.Name, Func: m.f, Pos: r.later.Pos}
	if o := r.a.Edges[r.other].To; o != r.join {
		r.side.Values = slices.Clone(o.Values)
	}
	copies := map[*kernel.Value]*kernel.Value{}
	for _, v := range r.later.Values {
		if !r.is[v] {
			continue
		}
		args := slices.Clone(v.Args)
		for i, x := range args {
			switch {
			case copies[x] != nil:
				args[i] = copies[x]
			case x.Op == kernel.Param && x.Block == r.join:
				args[i] = from.Args[x.Index]
			}
		}
		copies[v] = r.side.AppendLike(v, args...)
		m.setForm(copies[v], m.form(v))
	}
	r.side.Jump(r.join, slices.Clone(from.Args)...)
	// Results that remaining operations use become parameters of the join. In lanes of the arm
	// they may be anything, such as the melded value.
	used := map[*kernel.Value]bool{}
	for _, v := range r.later.Values {
		for _, x := range v.Args {
			used[x] = used[x] || !r.is[v]
		}
	}
	for _, x := range r.later.Edges[0].Args {
		used[x] = true
	}
	cost := 0
	before := r.arm.Edges[0].Args
	args := slices.Clone(before)
	for _, v := range r.later.Values {
		if !r.is[v] || !used[v] {
			continue
		}
		x := r.mates[v]
		if x == nil {
			x = m.f.Const(v.Type, 0)
		}
		r.carried = append(r.carried, v)
		args = append(args, x)
		r.side.Edges[0].Args = append(r.side.Edges[0].Args, copies[v])
		cost += selectCost(v.Type, false)
	}
	r.arm.Edges[0].Args = args
	arms := [2]*kernel.Block{r.arm, r.side}
	if r.other == 0 {
		arms = [2]*kernel.Block{r.side, r.arm}
	}
	if p := m.apart(r.a, r.a.Cond, arms[0], arms[1]); p != nil && p.before()-p.cost > cost {
		return true
	}
	r.arm.Edges[0].Args = before
	return false
}

// commit moves the operations.
func (r *reunion) commit() {
	m, a, j := r.m, r.a, r.join
	for _, v := range j.Values {
		if r.is[v] {
			a.Values = append(a.Values, v)
			v.Block = a
		}
	}
	gone := func(v *kernel.Value) bool { return r.is[v] }
	j.Values = slices.DeleteFunc(j.Values, gone)
	for _, v := range r.carried {
		p := j.NewParam(v.Type, v.Name)
		p.Pos = v.Pos
		m.r.Set(v, p)
	}
	r.later.Values = slices.DeleteFunc(r.later.Values, gone)
	for _, v := range r.later.Values {
		m.r.Args(v)
	}
	for i, x := range r.later.Edges[0].Args {
		r.later.Edges[0].Args[i] = m.r.Find(x)
	}
	if o := a.Edges[r.other].To; o != j {
		m.gone[o] = true
		for _, v := range o.Values {
			v.Block = r.side
		}
	}
	m.below[a] = append(m.below[a], r.side)
	m.homes[r.side], m.preds[r.side] = m.cycle(a), 1
	to := kernel.Edge{To: r.side}
	if !r.exact {
		test := &kernel.Block{ID: -1, Name: "test", Func: m.f, Pos: j.Pos}
		args := slices.Clone(r.entering().Args)
		for _, v := range r.carried {
			args = append(args, m.f.Const(v.Type, 0))
		}
		test.Branch(j.Cond, kernel.Edge{To: r.side}, kernel.Edge{To: j, Args: args})
		m.below[a] = append(m.below[a], test)
		m.homes[test], m.preds[test], m.divergent[test] = m.cycle(a), 1, true
		m.preds[j]++
		to.To = test
	}
	a.Edges[r.other] = to
	m.changed = true
	m.st.Add("operations moved to the other arm", len(r.mates))
}

// entering returns the edge to the join on the other side of a.
func (r *reunion) entering() *kernel.Edge {
	e := &r.a.Edges[r.other]
	if e.To != r.join {
		e = &e.To.Edges[0]
	}
	return e
}
