package isel

import (
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// BranchSelects turns scalar selects into branches if they control a loop: their condition
// depends on data loaded in the loop, and their result determines the next load or, if one
// arm is a constant, a later branch. With a select, the next iteration waits for the load.
// With a branch, it starts speculatively, and the path taken becomes part of the history
// that predicts its own branches. Comparisons by order are hard to predict and stay
// selects, unless the result chooses among more than two cases, or the condition takes so
// long after its loads that a misprediction now and then costs less. A counter that only
// some later branch tests is not on the critical path and stays a select too. The function
// returns the number of selects that became branches.
func BranchSelects(f *vir.Func) int {
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
		if c == nil {
			continue
		}
		long := users.isLong(v.Args[0], c, forest)
		mayPredict := long || (!users.isUnpredictable(v.Args[0]) || users.choosesCase(v, c, forest)) && users.loadedIn(v.Args[0], c, forest, 6)
		if mayPredict && users.steers(v, c, forest) || users.isState(v, c, forest) {
			chosen = append(chosen, v)
		}
	}
	known := len(f.Blocks) // blocks that the forest covers
	done := map[*vir.Value]bool{}
	var branch func(v *vir.Value)
	branch = func(v *vir.Value) {
		if outer := users.choice(v); outer != nil && !done[outer] && slices.Contains(chosen, outer) {
			branch(outer) // first, so that v is decided in an arm of outer and tests of a switch remain a tree
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

// choice returns the select in the block of v that is the only user of v, as one of its
// arms, or nil.
func (u *users) choice(v *vir.Value) *vir.Value {
	by := u.by[v.ID]
	if len(by) == 1 && isBranchy(by[0]) && by[0].Block == v.Block && by[0].Args[0] != v && !u.steer[v.ID] {
		return by[0]
	}
	return nil
}

// isOrder reports whether a condition compares by order. The order of two numbers is
// usually hard to predict, as in sorting and bisection: a misprediction costs more
// than the load. Equality is usually easy to predict.
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

// isUnpredictable reports whether a condition compares by order, except a test of a
// switch, which only distinguishes cases.
func (u *users) isUnpredictable(c *vir.Value) bool {
	return isOrder(c) && (c.Args[1].Op != vir.Const || !u.isSwitched(c.Args[0]))
}

// choosesCase reports whether v determines the operand of a switch in the loop c, usually
// through the address from which it is loaded, like a conditional jump of an interpreted
// program. If v is mispredicted, so is the switch, and a branch on v costs nothing extra.
func (u *users) choosesCase(v *vir.Value, c *cfg.Cycle, forest *cfg.CycleForest) bool {
	const maxSeen, minCases = 100, 4 // fewer tests may be character ranges
	seen := map[*vir.Value]bool{v: true}
	for work := []*vir.Value{v}; len(work) > 0 && len(seen) < maxSeen; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if at != v && u.tests(at) >= minCases {
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

// isSwitched reports whether several branches compare v with constants.
func (u *users) isSwitched(v *vir.Value) bool { return u.tests(v) > 1 }

// tests returns the number of branch conditions that compare v with constants.
func (u *users) tests(v *vir.Value) int {
	n := 0
	for _, x := range u.by[v.ID] {
		if u.againstConst(x, v) {
			n++
		}
	}
	return n
}

// againstConst reports whether x compares v with a constant for a branch.
func (u *users) againstConst(x, v *vir.Value) bool {
	return alu.InfoOf(x.Op).Class == alu.Compare && x.Args[0] == v && x.Args[1].Op == vir.Const && u.steer[x.ID]
}

// loadedIn reports whether v depends on a load in the loop c, within depth
// operations of the same iteration. For flags it includes values of the previous iteration.
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

// longCondition is the latency in cycles, after the loads that a condition depends on, from
// which a branch is faster: about the cost of a misprediction, which is 15 to 20 cycles, at a
// rate of two in three.
const longCondition = 12

// isLong reports whether v depends on a load in the same iteration of the loop c through
// operations that take at least longCondition cycles.
func (u *users) isLong(v *vir.Value, c *cfg.Cycle, forest *cfg.CycleForest) bool {
	const noLoad = -1
	known := map[*vir.Value]int{}
	var since func(v *vir.Value) int // cycles from the load; noLoad if there is none
	since = func(v *vir.Value) int {
		if v.Block == nil || v.Op == vir.Param || !forest.Contains(c, v.Block.ID) {
			return noLoad
		}
		if v.Op == vir.Load || v.Op == vir.VLoad {
			return 0
		}
		n, ok := known[v]
		if ok {
			return n
		}
		n = noLoad
		for _, a := range v.Args {
			n = max(n, since(a))
		}
		if n != noLoad {
			n += latency(v)
		}
		known[v] = n
		return n
	}
	return since(v) >= longCondition
}

// latency estimates the cycles that the result of v takes.
func latency(v *vir.Value) int {
	switch info := alu.InfoOf(v.Op); {
	case v.Op == vir.Const:
		return 0
	case v.Op == alu.FDiv || v.Op == alu.FSqrt || v.Op == alu.SDiv || v.Op == alu.UDiv || v.Op == alu.SRem || v.Op == alu.URem:
		return 12
	case v.Op == alu.Mul:
		return 3
	case info.Class == alu.Compare:
		return 1
	case len(v.Args) > 0 && v.Args[0].Type.Elem.IsFloat():
		return 4
	}
	return 1
}

// isFlag reports whether the parameter p is always 0 or 1, as a saved condition is.
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

// users holds the uses of values: as operands, block arguments and branch conditions.
type users struct {
	by    [][]*vir.Value // by value ID
	steer []bool         // by value ID: it is a branch condition
	place []bool         // by value ID: it is the address of a load

	passed map[*vir.Value][]*vir.Value // by parameter: the arguments of all edges
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

// steers reports whether the select v determines, in a later iteration of the loop c and
// so through a parameter of its header, the address of a load. If one arm is a constant, a
// branch counts too, as v is then as predictable as that branch. Not counted is a flag
// packed with others into one number, because it is tested too rarely.
func (u *users) steers(v *vir.Value, c *cfg.Cycle, forest *cfg.CycleForest) bool {
	const maxSeen = 200
	decided := v.Args[1].Op == vir.Const || v.Args[2].Op == vir.Const
	type state struct {
		v     *vir.Value
		bits  uint64 // the bits of v that depend on the select
		next  bool   // in a later iteration
		among bool   // packed with other bits
	}
	first := state{v: v, bits: math.MaxUint64}
	if both := v.Args[1:]; both[0].Op == vir.Const && both[1].Op == vir.Const {
		first.bits = both[0].Const ^ both[1].Const
	}
	seen := map[state]bool{first: true}
	work := []state{first}
	for len(work) > 0 && len(seen) < maxSeen {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if at.next && (u.place[at.v.ID] || decided && !at.among && u.steer[at.v.ID]) && at.v.Block != nil && forest.Contains(c, at.v.Block.ID) {
			return true
		}
		for _, x := range u.by[at.v.ID] {
			if x.Block == nil || !forest.Contains(c, x.Block.ID) || vir.InfoOf(x.Op).Effect == vir.Writes {
				continue
			}
			if isBranchy(x) && x.Args[0] == at.v { // x may become a branch itself
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

// isState reports whether v is one of two constants and more than one branch of the loop c
// compares v, directly or as a parameter, with constants. Where these branches are
// mispredicted, v as a branch is no worse, and replicate can bind its arms to their targets.
func (u *users) isState(v *vir.Value, c *cfg.Cycle, forest *cfg.CycleForest) bool {
	if v.Args[1].Op != vir.Const || v.Args[2].Op != vir.Const {
		return false
	}
	const minCases = 3
	tests := 0
	seen := map[*vir.Value]bool{v: true}
	for work := []*vir.Value{v}; len(work) > 0 && tests < minCases-1; {
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
	return tests >= minCases-1
}

// branchSelect splits the block at the select v with a branch around
// the operations that only one arm needs. Later selects of the block with the same
// condition also become parameters; it returns all of these selects.
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
			uses = CountUsers(f)
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

// bareTest reduces b, if possible, to the condition of its branch, which a test of a
// switch must be to become an entry of a jump table. Truncations, which take no
// instruction, are moved to the definition of their operand, if it is near.
func bareTest(b *vir.Block, near func(*vir.Value) bool) {
	if !slices.Contains(b.Values, b.Cond) {
		return // the condition is computed elsewhere
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

// alike returns v and the later selects of its block with the same condition whose
// operands can be computed before v. It moves these operands.
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
				return true // also parameters, whose index is -1
			}
			if !y.Op.Pure() || slices.Contains(group, y) || len(moved) == maxRaised {
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

// maxRaised bounds the operations that are moved to combine one select
// with another.
const maxRaised = 8

// ownChains returns the pure operations of b that are only used by
// the arguments of one edge, including these arguments.
func ownChains(b *vir.Block, args []*vir.Value, uses map[*vir.Value]int) map[*vir.Value]bool {
	passed := map[*vir.Value]int{}
	for _, a := range args {
		passed[a]++
	}
	own := map[*vir.Value]bool{}
	var take func(v *vir.Value, maxUses int)
	take = func(v *vir.Value, maxUses int) {
		if v.Block != b || !v.Op.Pure() || v.Op == vir.Param || uses[v] > maxUses || own[v] {
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

// replaceUses replaces all uses of v by x.
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
