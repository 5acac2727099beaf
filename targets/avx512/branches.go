package avx512

import (
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// branchSelects turns scalar selects that steer a loop into branches: those that
// decide by something loaded in the loop, and whose result decides what the loop
// loads next or, being a constant on one side, where it goes. As a select the next
// turn waits for the load; as a branch it begins with what the processor guesses,
// and what leads up to its own branches is part of the history that those are
// guessed by. Which of two numbers is the larger is a toss, and stays a select unless
// it chooses among more ways than two. A count that some later branch looks at keeps
// nothing waiting. It returns how many it made branches.
func branchSelects(f *vir.Func) int {
	var found []*vir.Value
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if isBranchy(v) {
				found = append(found, v)
			}
		}
	}
	if len(found) == 0 {
		return 0
	}
	forest := cfg.Cycles(f.Graph())
	loop := func(v *vir.Value) *cfg.Cycle { return forest.InnermostCycle(v.Block.ID) }
	var chosen []*vir.Value
	users := usersOf(f)
	for _, v := range found {
		c := loop(v)
		if c != nil && ((!users.isToss(v.Args[0]) || users.choosesCase(v, c, forest)) && users.loadedIn(v.Args[0], c, forest, 6) && users.steers(v, c, forest) || users.isState(v, c, forest)) {
			chosen = append(chosen, v)
		}
	}
	known := len(f.Blocks) // to the forest
	done := map[*vir.Value]bool{}
	var branch func(v *vir.Value)
	branch = func(v *vir.Value) {
		if outer := users.choice(v); outer != nil && !done[outer] && slices.Contains(chosen, outer) {
			branch(outer) // first: v is decided in its arm, and tests of a switch stay a tree
		}
		if done[v] {
			return
		}
		b := v.Block
		for _, x := range branchSelect(f, v) {
			done[x] = true
		}
		if b.ID < known {
			bareTest(b, func(v *vir.Value) bool {
				return v.Block != nil && v.Block.ID < known && loop(v) == forest.InnermostCycle(b.ID)
			})
		}
	}
	for _, v := range chosen {
		branch(v)
	}
	if len(chosen) > 0 {
		f.Renumber()
	}
	return len(chosen)
}

// choice returns the select of the block of v that alone uses it, as one of its sides, or
// nil.
func (u *users) choice(v *vir.Value) *vir.Value {
	by := u.by[v.ID]
	if len(by) == 1 && isBranchy(by[0]) && by[0].Block == v.Block && by[0].Args[0] != v && !u.steer[v.ID] {
		return by[0]
	}
	return nil
}

// isOrder reports whether a condition is by order. Which of two numbers is the
// larger is mostly a toss, as in sorting and bisection: a wrong guess costs more
// than the load. Whether they are equal mostly is not.
func isOrder(c *vir.Value) bool {
	switch c.Op {
	case alu.Slt, alu.Sle, alu.Ult, alu.Ule, alu.FLt, alu.FLe:
		return true
	case alu.Xor:
		return c.Args[1].Op == vir.Const && isOrder(c.Args[0])
	}
	return false
}

// isBranchy reports whether v is a scalar select.
func isBranchy(v *vir.Value) bool {
	return v.Op == alu.Select && v.Type.IsScalar()
}

// isToss reports whether nothing tells what a condition may be: it is by order, and not a
// test of a switch, which leads to as many cases as there are.
func (u *users) isToss(c *vir.Value) bool {
	return isOrder(c) && (c.Args[1].Op != vir.Const || !u.toldApart(c.Args[0]))
}

// choosesCase reports whether v tells where the loop c loads what it takes one of several ways
// by, as the place does that a conditional jump of an interpreted program chooses. Who cannot
// guess that choice guesses the way wrong as well, and loses nothing by a branch.
func (u *users) choosesCase(v *vir.Value, c *cfg.Cycle, forest *cfg.CycleForest) bool {
	const most, fewCases = 100, 4 // a few ranges, as of characters, are no cases
	seen := map[*vir.Value]bool{v: true}
	for work := []*vir.Value{v}; len(work) > 0 && len(seen) < most; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if at != v && u.tests(at) >= fewCases {
			return true
		}
		for _, x := range u.by[at.ID] {
			if x.Block == nil || seen[x] || !forest.Contains(c, x.Block.ID) || vir.InfoOf(x.Op).Effect == vir.Writes || isBranchy(x) && x.Args[0] == at {
				continue
			}
			seen[x] = true
			work = append(work, x)
		}
	}
	return false
}

// toldApart reports whether several branches compare v with constants.
func (u *users) toldApart(v *vir.Value) bool { return u.tests(v) > 1 }

// tests is how many comparisons of v with constants branches ask for.
func (u *users) tests(v *vir.Value) int {
	n := 0
	for _, x := range u.by[v.ID] {
		if u.againstConst(x, v) {
			n++
		}
	}
	return n
}

// againstConst reports whether x is the comparison of v with a constant for a branch.
func (u *users) againstConst(x, v *vir.Value) bool {
	return alu.InfoOf(x.Op).Class == alu.Compare && x.Args[0] == v && x.Args[1].Op == vir.Const && u.steer[x.ID]
}

// loadedIn reports whether v depends on a load in the loop c, looking back at most depth
// operations: in this turn, but what flags that a turn leaves behind depend on, too.
func (u *users) loadedIn(v *vir.Value, c *cfg.Cycle, forest *cfg.CycleForest, depth int) bool {
	if depth == 0 || v.Block == nil || !forest.Contains(c, v.Block.ID) {
		return false
	}
	if v.Op == vir.Load {
		return true
	}
	args := v.Args
	if u.isFlag(v) {
		args = u.passed[v]
	}
	for _, a := range args {
		if u.loadedIn(a, c, forest, depth-1) {
			return true
		}
	}
	return false
}

// isFlag reports whether the parameter p is 0 or 1, as the conditions are that it keeps.
func (u *users) isFlag(p *vir.Value) bool {
	seen := map[*vir.Value]bool{}
	var flag func(v *vir.Value) bool
	flag = func(v *vir.Value) bool {
		switch {
		case v.Op == vir.Const:
			return v.Const <= 1
		case v.Type.Elem == alu.I1:
			return true
		case v.Op == alu.ZExt:
			return flag(v.Args[0])
		case v.Op != vir.Param:
			return false
		case seen[v]:
			return true
		}
		seen[v] = true
		return len(u.passed[v]) > 0 && !slices.ContainsFunc(u.passed[v], func(a *vir.Value) bool { return !flag(a) })
	}
	return p.Op == vir.Param && flag(p)
}

// users are the uses of values: by other values, as parameters, as conditions.
type users struct {
	by    [][]*vir.Value // by value ID
	steer []bool         // by value ID: a branch asks for it
	place []bool         // by value ID: a load goes there

	passed map[*vir.Value][]*vir.Value // what parameters may be
}

func usersOf(f *vir.Func) *users {
	n := f.NumValues()
	u := &users{make([][]*vir.Value, n), make([]bool, n), make([]bool, n), map[*vir.Value][]*vir.Value{}}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for _, a := range v.Args {
				u.by[a.ID] = append(u.by[a.ID], v)
			}
			if v.Op == vir.Load {
				u.place[v.Args[0].ID] = true
			}
		}
		if b.Cond != nil {
			u.steer[b.Cond.ID] = true
		}
		for _, e := range b.Edges {
			for i, a := range e.Args {
				p := e.To.Params[i]
				u.by[a.ID] = append(u.by[a.ID], p)
				u.passed[p] = append(u.passed[p], a)
			}
		}
	}
	return u
}

// steers reports whether in a later iteration of the loop c, that is, by way of a
// parameter of its header, the select v tells where a load goes, or a branch, if one
// side is a constant: the guess of v is one of the branch, too. A flag that is kept among
// others, in bits of one number, is asked for too seldom for that.
func (u *users) steers(v *vir.Value, c *cfg.Cycle, forest *cfg.CycleForest) bool {
	const most = 200
	decided := v.Args[1].Op == vir.Const || v.Args[2].Op == vir.Const
	type state struct {
		v     *vir.Value
		bits  uint64 // those of v that depend on the select
		next  bool   // past the header
		among bool   // there are others
	}
	first := state{v: v, bits: math.MaxUint64}
	if both := v.Args[1:]; both[0].Op == vir.Const && both[1].Op == vir.Const {
		first.bits = both[0].Const ^ both[1].Const
	}
	seen := map[state]bool{first: true}
	work := []state{first}
	for len(work) > 0 && len(seen) < most {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if at.next && (u.place[at.v.ID] || decided && !at.among && u.steer[at.v.ID]) && at.v.Block != nil && forest.Contains(c, at.v.Block.ID) {
			return true
		}
		for _, x := range u.by[at.v.ID] {
			if x.Block == nil || !forest.Contains(c, x.Block.ID) || vir.InfoOf(x.Op).Effect == vir.Writes {
				continue
			}
			if isBranchy(x) && x.Args[0] == at.v { // which may be a branch itself
				if at.next && decided && !at.among {
					return true
				}
				continue
			}
			s := state{x, math.MaxUint64, at.next || x.Op == vir.Param && x.Block.ID == c.Header, at.among}
			switch x.Op {
			case vir.Param, alu.Xor, alu.Trunc, alu.ZExt:
				s.bits = at.bits
			case alu.Or:
				s.bits, s.among = at.bits, at.among || at.bits != math.MaxUint64
			case alu.And:
				if s.bits = at.bits; x.Args[1].Op == vir.Const {
					s.bits &= x.Args[1].Const
				}
			}
			if s.bits != 0 && !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	return false
}

// isState reports whether v is one of two constants that branches of the loop c tell
// apart, as it is or as a parameter, in more ways than two: where these guess wrong,
// v does no worse as a branch, which is bound to one of their ways (see replicate).
func (u *users) isState(v *vir.Value, c *cfg.Cycle, forest *cfg.CycleForest) bool {
	if v.Args[1].Op != vir.Const || v.Args[2].Op != vir.Const {
		return false
	}
	const ways = 3
	tests := 0
	seen := map[*vir.Value]bool{v: true}
	for work := []*vir.Value{v}; len(work) > 0 && tests < ways-1; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for _, x := range u.by[at.ID] {
			switch {
			case x.Block == nil || !forest.Contains(c, x.Block.ID):
			case x.Op == vir.Param:
				if !seen[x] {
					seen[x] = true
					work = append(work, x)
				}
			case u.againstConst(x, at):
				tests++
			}
		}
	}
	return tests >= ways-1
}

// branchSelect splits the block of the select v there, with a branch around
// what only one side needs. Other selects of the block by the same condition
// become parameters along with it; it returns all of them.
func branchSelect(f *vir.Func, v *vir.Value) []*vir.Value {
	b := v.Block
	group := alike(b, v)
	at := slices.Index(b.Values, v)
	below := f.NewBlock(b.Name)
	for _, x := range b.Values[at:] {
		if !slices.Contains(group, x) {
			below.Values = append(below.Values, x)
			x.Block = below
		}
	}
	below.Kind, below.Cond, below.Edges, below.Pos = b.Kind, b.Cond, b.Edges, b.Pos
	b.Values = b.Values[:at]
	b.Cond, b.Edges = nil, nil
	var edges [2]vir.Edge
	for i := range edges {
		edges[i].To = below
	}
	for _, x := range group {
		replaceUses(f, x, below.NewParam(x.Type, x.Name))
		for i := range edges {
			edges[i].Args = append(edges[i].Args, x.Args[1+i])
		}
	}
	b.Pos = v.Pos
	b.Branch(v.Args[0], edges[0], edges[1])
	var uses map[*vir.Value]int
	for i := range edges {
		if !slices.ContainsFunc(edges[i].Args, func(a *vir.Value) bool { return a.Block == b }) {
			continue
		}
		if uses == nil {
			uses = countUsers(f)
		}
		own := ownChains(b, edges[i].Args, uses)
		if len(own) == 0 {
			continue
		}
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
		arm.Jump(below, edges[i].Args...)
		b.Edges[i] = vir.Edge{To: arm}
	}
	return group
}

// bareTest leaves in b, if possible, nothing but what its branch asks for, as a test of a
// switch must be to become part of a table: truncations, which take no instruction, are
// moved to where what they truncate is computed, if it is near.
func bareTest(b *vir.Block, near func(*vir.Value) bool) {
	if !slices.Contains(b.Values, b.Cond) {
		return // no test of its own
	}
	var moved []*vir.Value
	for _, x := range b.Values {
		switch {
		case x == b.Cond:
		case x.Op == alu.Trunc && x.Args[0].Block != b && near(x.Args[0]):
			moved = append(moved, x)
		default:
			return
		}
	}
	for _, x := range moved {
		to := x.Args[0].Block
		at := slices.Index(to.Values, x.Args[0]) + 1 // 0 for a parameter
		to.Values = slices.Insert(to.Values, at, x)
		x.Block = to
	}
	if len(moved) > 0 {
		b.Values = []*vir.Value{b.Cond}
	}
}

// alike returns v and the later selects of its block by its condition, if what
// those choose from can be computed before v: it is moved there.
func alike(b *vir.Block, v *vir.Value) []*vir.Value {
	group := []*vir.Value{v}
	for _, x := range slices.Clone(b.Values[slices.Index(b.Values, v)+1:]) {
		if !isBranchy(x) || x.Args[0] != v.Args[0] {
			continue
		}
		at := slices.Index(b.Values, v)
		moved := map[*vir.Value]bool{}
		var need func(y *vir.Value) bool
		need = func(y *vir.Value) bool {
			if y.Block != b || slices.Index(b.Values, y) < at || moved[y] {
				return true // a parameter has no place at all
			}
			if !y.Op.Pure() || slices.Contains(group, y) || len(moved) == mostRaised {
				return false
			}
			moved[y] = true
			for _, z := range y.Args {
				if !need(z) {
					return false
				}
			}
			return true
		}
		if !need(x.Args[1]) || !need(x.Args[2]) {
			continue
		}
		var first, last []*vir.Value
		for _, y := range b.Values[at:] {
			if moved[y] {
				first = append(first, y)
			} else {
				last = append(last, y)
			}
		}
		b.Values = slices.Concat(b.Values[:at:at], first, last)
		group = append(group, x)
	}
	return group
}

// mostRaised bounds the operations that are moved so that a select can be made
// with another.
const mostRaised = 8

// ownChains returns the pure operations of b that are computed only for what
// is passed by one edge, args, those included.
func ownChains(b *vir.Block, args []*vir.Value, uses map[*vir.Value]int) map[*vir.Value]bool {
	passed := map[*vir.Value]int{}
	for _, a := range args {
		passed[a]++
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
	for _, a := range args {
		take(a, passed[a])
	}
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
