package meld

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// place is the position of an operation in a meldPlan: in the part of a section that all
// lanes run (arm everyone), or in its guarded part for one arm.
type place struct{ section, arm int }

const everyone = -1

// section is a part of the melded code: operations for all lanes, followed by guarded
// operations for each arm. Guarded values that later sections need are passed as parameters
// of the next one.
type section struct {
	block  *kernel.Block // its block; nil for the first section, which extends the branching block
	values []*kernel.Value
	guard  [2][]*kernel.Value
	out    [2][]*kernel.Value // arguments for the next section's parameters, by arm
}

// pair holds a value for each arm.
type pair [2]*kernel.Value

// meldPlan is a plan for the arms of one branch. The kernel is not changed before commit.
type meldPlan struct {
	*pairing
	sections []*section
	where    map[*kernel.Value]place
	standin  map[*kernel.Value]*kernel.Value   // value of an arm -> itself once placed, or its melded value
	args     map[*kernel.Value][]*kernel.Value // new operands of moved values
	forms    map[*kernel.Value]form            // forms of new values, and changed forms
	pairs    map[pair]*kernel.Value
	carried  map[*kernel.Value]*kernel.Value
	parts    map[*kernel.Value][]*kernel.Value // Load -> its Components in the arms

	result [2][]*kernel.Value // arguments for the block below
	tail   bool               // guarded parts of the last section continue to the block below

	cost     int // of the plan
	needless int // cost of operations that run for lanes which do not need them
	loads    int
	stores   int
	ops      int
	selects  int
}

func newMeldPlan(m *melder, a *kernel.Block, arms [2]*kernel.Block) *meldPlan {
	p := &meldPlan{
		pairing: newPairing(m, a, arms), sections: []*section{{}},
		where: map[*kernel.Value]place{}, standin: map[*kernel.Value]*kernel.Value{},
		args: map[*kernel.Value][]*kernel.Value{}, forms: map[*kernel.Value]form{}, pairs: map[pair]*kernel.Value{},
		carried: map[*kernel.Value]*kernel.Value{}, parts: map[*kernel.Value][]*kernel.Value{},
	}
	for _, arm := range arms {
		for _, v := range arm.Values {
			if v.Op == kernel.Component && p.in(v.Args[0]) {
				p.parts[v.Args[0]] = append(p.parts[v.Args[0]], v)
			}
		}
	}
	return p
}

// make computes the plan and reports whether it pays.
func (p *meldPlan) make() bool {
	p.match()
	next := [2]int{}
	alone := func(arm, to int) {
		for ; next[arm] < to; next[arm]++ {
			if v := p.anchors[arm][next[arm]]; !isPure(v) {
				p.guardAccess(v, arm)
			}
		}
	}
	for _, mates := range p.matched {
		alone(0, mates[0])
		alone(1, mates[1])
		p.meldAnchors(p.anchors[0][mates[0]], p.anchors[1][mates[1]])
		next[0]++
		next[1]++
	}
	alone(0, len(p.anchors[0]))
	alone(1, len(p.anchors[1]))
	p.finish()
	if p.loads+p.stores+p.ops == 0 {
		return false
	}
	p.price()
	gain := p.before() - p.cost
	return gain > 0 && 4*gain >= p.needless
}

func (p *meldPlan) last() *section { return p.sections[len(p.sections)-1] }

func (p *meldPlan) pending() bool {
	s := p.last()
	return len(s.guard[0])+len(s.guard[1]) > 0
}

// flush ends the last section, so that its guarded values can be used.
func (p *meldPlan) flush() {
	p.sections = append(p.sections, &section{block: &kernel.Block{ID: -1, Name: "meld", Func: p.m.f, Pos: p.a.Pos}})
}

func (p *meldPlan) form(v *kernel.Value) form {
	if f, ok := p.forms[v]; ok {
		return f
	}
	return p.m.form(v)
}

// addressOf returns the form that an access with these operands has for its address in the
// plan.
func (p *meldPlan) addressOf(args []*kernel.Value) form {
	if len(args) == 0 { // a fence
		return form{}
	}
	return addressForm(args[0], p.form, p.operands, 8)
}

// operands returns the operands of v in the plan.
func (p *meldPlan) operands(v *kernel.Value) []*kernel.Value {
	if args := p.args[v]; args != nil {
		return args
	}
	return v.Args
}

// append appends v with operands args at a place.
func (p *meldPlan) append(v *kernel.Value, at place, args []*kernel.Value) {
	s := p.last()
	if at.arm == everyone {
		at.section = len(p.sections) - 1
		s.values = append(s.values, v)
	} else {
		g := &p.sections[at.section].guard[at.arm]
		*g = append(*g, v)
	}
	p.where[v] = at
	p.args[v] = args
	p.reform(v, args)
}

// reform updates the form of a value with new operands.
func (p *meldPlan) reform(v *kernel.Value, args []*kernel.Value) {
	changed := false
	for i, x := range args {
		changed = changed || p.form(x) != p.m.form(v.Args[i])
	}
	if changed {
		p.forms[v] = p.formOf(v.Op, args)
	}
}

// formOf returns the form of a new value.
func (p *meldPlan) formOf(op kernel.Op, args []*kernel.Value) form {
	if op == kernel.Load {
		return form{vector: p.addressOf(args) != form{} || args[0].Type == alu.PtrPrivate}
	}
	out := form{}
	for i, x := range args {
		f := p.form(x)
		switch {
		case f.vector:
			return form{vector: true}
		case f.step == 0:
		case op == kernel.PtrAdd || op == alu.Add:
			out.step += f.step
		case op == alu.Sub && i == 0:
			out.step += f.step
		case op == alu.Sub:
			out.step -= f.step
		default:
			return form{vector: true}
		}
	}
	return out
}

// create makes a new operation for all lanes.
func (p *meldPlan) create(like *kernel.Value, op kernel.Op, t kernel.Type, args ...*kernel.Value) *kernel.Value {
	v := p.a.NewValue(op, t, args...)
	v.Index, v.Count, v.Align, v.Name, v.Pos = like.Index, like.Count, like.Align, like.Name, like.Pos
	p.forms[v] = p.formOf(op, args)
	p.append(v, place{arm: everyone}, args)
	return v
}

// use returns the stand-in of arm's value x for use at a place, and makes it available there.
func (p *meldPlan) use(x *kernel.Value, arm int, at place) *kernel.Value {
	if !p.in(x) {
		return x
	}
	p.put(x, arm, at)
	v := p.standin[x]
	w := p.where[v]
	if w.arm == everyone || at.arm != everyone && w == at {
		return v
	}
	return p.carry(v, w)
}

// put places a pure operation for use at a place, unless it has a stand-in. Accesses are
// placed in order, before their users.
func (p *meldPlan) put(x *kernel.Value, arm int, at place) {
	if !p.in(x) || p.standin[x] != nil {
		return
	}
	if at.arm == everyone {
		// Next to its guarded operands, if the others are available there.
		if g := (place{p.bound(x, map[*kernel.Value]bool{}), arm}); g.section >= 0 && p.reaches(x, g, map[*kernel.Value]bool{}) {
			at = g
		}
	}
	for _, a := range x.Args {
		p.put(a, arm, at)
	}
	if at.arm == everyone {
		p.needless += p.costOf(x)
	}
	args := make([]*kernel.Value, len(x.Args))
	for i, a := range x.Args {
		args[i] = p.use(a, arm, at)
	}
	p.standin[x] = x
	p.append(x, at, args)
}

// param adds a parameter to the section after the given one, with an argument for each arm.
func (p *meldPlan) param(section int, vs pair) *kernel.Value {
	if section == len(p.sections)-1 {
		p.flush()
	}
	s, next := p.sections[section], p.sections[section+1]
	v := next.block.NewParam(vs[0].Type, vs[0].Name)
	v.Pos = p.a.Pos
	for i := range vs {
		s.out[i] = append(s.out[i], vs[i])
	}
	p.where[v] = place{section + 1, everyone}
	p.forms[v] = form{vector: true}
	p.cost += selectCost(v.Type, false)
	return v
}

// carry passes a guarded value to the next section. It is valid in the lanes of its arm.
func (p *meldPlan) carry(v *kernel.Value, w place) *kernel.Value {
	if p.carried[v] == nil {
		zero := p.m.f.Const(v.Type, 0)
		vs := pair{zero, zero}
		vs[w.arm] = v
		p.carried[v] = p.param(w.section, vs)
	}
	return p.carried[v]
}

// meld returns a value that equals x in the lanes of the first arm and y in those of the
// second.
func (p *meldPlan) meld(x, y *kernel.Value, inAddress bool) *kernel.Value {
	if x == y {
		return x
	}
	if s := p.standin[x]; s != nil && s == p.standin[y] {
		return s
	}
	key := pair{x, y}
	if v := p.pairs[key]; v != nil {
		return v
	}
	var v *kernel.Value
	if c := p.pairCost(x, y, inAddress, 0); c.meld {
		args := make([]*kernel.Value, len(x.Args))
		for i := range args {
			args[i] = p.meld(x.Args[i], y.Args[c.other(i)], c.inAddress(x.Op))
		}
		v = p.create(x, x.Op, x.Type, args...)
		p.stand(x, y, v)
		p.ops++
	} else {
		v = p.pick(x, y)
	}
	p.pairs[key] = v
	return v
}

// stand makes v the stand-in of x and y, unless they have one.
func (p *meldPlan) stand(x, y, v *kernel.Value) {
	for _, u := range []*kernel.Value{x, y} {
		if p.in(u) && p.standin[u] == nil {
			p.standin[u] = v
		}
	}
}

// pick selects between x and y. If one is guarded, a parameter merges them, with the other
// one guarded as well if possible.
func (p *meldPlan) pick(x, y *kernel.Value) *kernel.Value {
	all := place{arm: everyone}
	vs := pair{x, y}
	at := place{-1, everyone}
	order := [2]int{0, 1}
	if p.bound(y, map[*kernel.Value]bool{}) >= 0 {
		order = [2]int{1, 0}
	}
	for _, arm := range order {
		v := vs[arm]
		if g := (place{at.section, arm}); at.section >= 0 && at.arm != arm && p.reaches(v, g, map[*kernel.Value]bool{}) {
			p.put(v, arm, g)
		} else {
			p.put(v, arm, all)
		}
		if s := p.standin[v]; p.in(v) && p.where[s].arm != everyone && p.where[s].section > at.section {
			at = p.where[s]
		}
	}
	if at.section >= 0 && p.reaches(vs[1-at.arm], place{at.section, 1 - at.arm}, map[*kernel.Value]bool{}) {
		for arm, v := range vs {
			vs[arm] = p.use(v, arm, place{at.section, arm})
		}
		return p.param(at.section, vs)
	}
	for arm, v := range vs {
		vs[arm] = p.use(v, arm, all)
	}
	if vs[0] == vs[1] {
		return vs[0]
	}
	p.selects++
	v := p.create(vs[0], alu.Select, vs[0].Type, p.a.Cond, vs[0], vs[1])
	v.Index, v.Count, v.Align, v.Pos = 0, 0, 0, p.a.Pos
	p.forms[v] = form{vector: true}
	return v
}

// bound returns the last section that guards an operand of v, which is not yet placed, or
// -1.
func (p *meldPlan) bound(v *kernel.Value, seen map[*kernel.Value]bool) int {
	last := -1
	if !p.in(v) || seen[v] {
		return last
	}
	seen[v] = true
	if s := p.standin[v]; s != nil {
		if w := p.where[s]; w.arm != everyone {
			last = w.section
		}
		return last
	}
	for _, a := range v.Args {
		last = max(last, p.bound(a, seen))
	}
	return last
}

// reaches reports whether v is available in a guarded part or can be placed there.
func (p *meldPlan) reaches(v *kernel.Value, at place, seen map[*kernel.Value]bool) bool {
	if !p.in(v) || seen[v] {
		return true
	}
	seen[v] = true
	if s := p.standin[v]; s != nil {
		return p.where[s].section <= at.section
	}
	for _, a := range v.Args {
		if !p.reaches(a, at, seen) {
			return false
		}
	}
	return true
}

// meldAnchors replaces x and y by one operation on melded operands.
func (p *meldPlan) meldAnchors(x, y *kernel.Value) {
	if isPure(x) {
		if p.standin[x] != nil || p.standin[y] != nil {
			return // melded as an operand of another pair
		}
		c := p.pairCost(x, y, false, 0)
		args := make([]*kernel.Value, len(x.Args))
		for i := range args {
			args[i] = p.meld(x.Args[i], y.Args[c.other(i)], c.inAddress(x.Op))
		}
		v := p.create(x, x.Op, x.Type, args...)
		p.stand(x, y, v)
		p.ops++
		return
	}
	if p.conflicts(x) || p.conflicts(y) {
		p.flush()
	}
	args := make([]*kernel.Value, len(x.Args))
	for i := range args {
		args[i] = p.meld(x.Args[i], y.Args[i], i == 0)
	}
	v := p.create(x, x.Op, x.Type, args...)
	v.Align = min(x.Align, y.Align)
	if x.Op == kernel.Store {
		p.stores++
		return
	}
	p.loads++
	p.stand(x, y, v)
	made := map[int]*kernel.Value{}
	for _, c := range slices.Concat(p.parts[x], p.parts[y]) {
		if made[c.Index] == nil {
			made[c.Index] = p.create(c, kernel.Component, c.Type, v)
		}
		p.standin[c] = made[c.Index]
	}
}

// conflicts reports whether an access must stay after guarded accesses of the last section.
func (p *meldPlan) conflicts(v *kernel.Value) bool {
	for _, g := range p.last().guard {
		for _, u := range g {
			if !isPure(u) && mustFollow(v, u) {
				return true
			}
		}
	}
	return false
}

// mustFollow reports whether the order of two accesses may matter.
func mustFollow(v, u *kernel.Value) bool {
	if v.Volatile || u.Volatile {
		return true
	}
	if v.Op == kernel.Load && u.Op == kernel.Load {
		return false
	}
	if v.Op != kernel.Load && v.Op != kernel.Store || u.Op != kernel.Load && u.Op != kernel.Store {
		return true
	}
	s, t := v.Args[0].Type, u.Args[0].Type
	return s == t || s == alu.PtrGeneric || t == alu.PtrGeneric
}

// guardAccess places an access of one arm in its guarded part. A load that cannot trap and
// does not depend on guarded values or accesses runs for all lanes instead: without guarded
// parts the arms meld with others.
func (p *meldPlan) guardAccess(v *kernel.Value, arm int) {
	at := place{len(p.sections) - 1, arm}
	args := make([]*kernel.Value, len(v.Args))
	if v.Op == kernel.Load && harmless(v, v.Args[0], irOperands) && p.bound(v, map[*kernel.Value]bool{}) < 0 && !p.conflicts(v) {
		// The melded address may be less precise.
		if x := p.use(v.Args[0], arm, place{arm: everyone}); harmless(v, x, p.operands) {
			at.arm = everyone
			p.needless += p.costOf(v)
		}
	}
	for i, a := range v.Args {
		args[i] = p.use(a, arm, at)
	}
	p.standin[v] = v
	p.append(v, at, args)
	for _, c := range p.parts[v] {
		p.standin[c] = c
		p.append(c, at, []*kernel.Value{v})
	}
}

// finish computes the arguments for the block below.
func (p *meldPlan) finish() {
	x, y := p.arms[0].Edges[0].Args, p.arms[1].Edges[0].Args
	for arm := range p.result {
		p.result[arm] = make([]*kernel.Value, len(x))
	}
	var separate []int
	for i := range x {
		if x[i] == y[i] || p.standin[x[i]] != nil && p.standin[x[i]] == p.standin[y[i]] || p.pairCost(x[i], y[i], false, 0).meld {
			v := p.meld(x[i], y[i], false)
			p.result[0][i], p.result[1][i] = v, v
		} else {
			separate = append(separate, i)
		}
	}
	rest := 0
	seen := map[*kernel.Value]bool{}
	var count func(v *kernel.Value)
	count = func(v *kernel.Value) {
		if p.in(v) && p.standin[v] == nil && !seen[v] {
			seen[v] = true
			rest += pureCost(v, p.form(v).vector)
			for _, a := range v.Args {
				count(a)
			}
		}
	}
	for _, i := range separate {
		count(x[i])
		count(y[i])
	}
	p.tail = p.pending() || rest > guardCost
	for _, i := range separate {
		if !p.tail {
			v := p.pick(x[i], y[i])
			p.result[0][i], p.result[1][i] = v, v
			continue
		}
		p.result[0][i] = p.use(x[i], 0, place{len(p.sections) - 1, 0})
		p.result[1][i] = p.use(y[i], 1, place{len(p.sections) - 1, 1})
	}
}
