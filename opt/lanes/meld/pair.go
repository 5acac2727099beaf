package meld

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// maxPairs limits the pairs of values that are priced per branch; further pairs become
// selects.
const maxPairs = 4096

// pairing matches values of the two arms of a branch, with the cost of melding them.
type pairing struct {
	m       *melder
	a       *kernel.Block
	arms    [2]*kernel.Block
	arm     map[*kernel.Value]int // value -> the arm that defines it
	users   map[*kernel.Value]int
	anchors [2][]*kernel.Value // accesses and expensive operations, in order
	matched [][2]int           // pairs of anchors, in order
	mate    map[*kernel.Value]*kernel.Value

	// optimistic is set while anchors are matched: fitting pairs count as matched.
	optimistic bool
	choices    map[pairKey]choice
	solos      map[*kernel.Value]int
}

type pairKey struct {
	x, y      *kernel.Value
	inAddress bool
}

// choice is a way to merge two values into one.
type choice struct {
	cost      int
	meld      bool // one operation on melded operands; else a select
	swap      bool // the first two operands of the second value are swapped
	forAccess bool
}

// other returns the operand of the second operation that corresponds to operand i of the
// first.
func (c choice) other(i int) int {
	if c.swap && i < 2 {
		return 1 - i
	}
	return i
}

// inAddress reports whether the operands of a melded op are parts of an address.
func (c choice) inAddress(op kernel.Op) bool {
	return op == kernel.PtrAdd || c.forAccess && addressOp(op)
}

// addressOp reports whether op, as part of an address, is computed in 32 bits or by the
// access itself.
func addressOp(op kernel.Op) bool {
	switch op {
	case kernel.PtrAdd, alu.Add, alu.Sub, alu.Mul, alu.Shl:
		return true
	}
	return false
}

func newPairing(m *melder, a *kernel.Block, arms [2]*kernel.Block) *pairing {
	p := &pairing{
		m: m, a: a, arms: arms, arm: map[*kernel.Value]int{}, users: map[*kernel.Value]int{},
		mate: map[*kernel.Value]*kernel.Value{}, choices: map[pairKey]choice{}, solos: map[*kernel.Value]int{},
	}
	for i, b := range arms {
		for _, v := range b.Values {
			p.arm[v] = i
			for j, x := range v.Args {
				if j == 0 || x != v.Args[j-1] {
					p.users[x]++
				}
			}
			if !isPure(v) || pureCost(v, m.form(v).vector) >= anchorCost {
				p.anchors[i] = append(p.anchors[i], v)
			}
		}
		seen := map[*kernel.Value]bool{}
		for _, x := range b.Edges[0].Args {
			if !seen[x] {
				seen[x] = true
				p.users[x]++
			}
		}
	}
	return p
}

func isPure(v *kernel.Value) bool { return kernel.InfoOf(v.Op).Effect == kernel.Pure }

// in reports whether one of the arms defines v.
func (p *pairing) in(v *kernel.Value) bool {
	_, ok := p.arm[v]
	return ok
}

// match selects the pairs of anchors to meld.
func (p *pairing) match() {
	p.optimistic = true
	p.matched = align(len(p.anchors[0]), len(p.anchors[1]), func(i, j int) int {
		return p.score(p.anchors[0][i], p.anchors[1][j])
	})
	p.optimistic = false
	for {
		clear(p.mate)
		clear(p.choices)
		clear(p.solos)
		for _, ij := range p.matched {
			x, y := p.anchors[0][ij[0]], p.anchors[1][ij[1]]
			p.mate[x], p.mate[y] = y, x
		}
		// Pairs that relied on dropped pairs may no longer pay.
		kept := p.matched[:0]
		for _, ij := range p.matched {
			if p.score(p.anchors[0][ij[0]], p.anchors[1][ij[1]]) > 0 {
				kept = append(kept, ij)
			}
		}
		if len(kept) == len(p.matched) {
			return
		}
		p.matched = kept
	}
}

// fits reports whether one operation could replace x and y.
func fits(x, y *kernel.Value) bool {
	if x.Op != y.Op || x.Type != y.Type || x.Index != y.Index || x.Count != y.Count || len(x.Args) != len(y.Args) ||
		x.Volatile || y.Volatile || x.Op == kernel.Component || x.Op == kernel.Param || x.Op == kernel.Const || x.Op == kernel.Alloca {
		return false
	}
	for i, a := range x.Args {
		if a.Type != y.Args[i].Type {
			return false
		}
	}
	return isPure(x) || x.Op == kernel.Load || x.Op == kernel.Store
}

// costOf prices the original operation.
func (p *pairing) costOf(v *kernel.Value) int {
	if isPure(v) {
		return pureCost(v, p.m.form(v).vector || len(v.Args) > 0 && p.m.form(v.Args[0]).vector)
	}
	return accessCostOf(v, p.addressOf(v))
}

// addressOf returns the form of the original address of an access.
func (p *pairing) addressOf(v *kernel.Value) form {
	if v.Op == kernel.Fence {
		return form{}
	}
	return addressForm(v.Args[0], p.m.form, irOperands, 8)
}

// accessCostOf prices an access at an address of the given form. A fence is free: it makes
// no instruction.
func accessCostOf(v *kernel.Value, at form) int {
	if v.Op == kernel.Fence {
		return 0
	}
	t, store := v.Type, v.Op == kernel.Store
	if store {
		t = v.Args[1].Type
	}
	return accessCost(store, at, v.Args[0].Type == alu.PtrPrivate, t.Size(), v.Count)
}

// soloCost is the cost saved if one user in v's arm no longer needs v: costs are divided
// among the users.
func (p *pairing) soloCost(v *kernel.Value) int {
	if !p.in(v) || !isPure(v) || p.mate[v] != nil {
		return 0
	}
	if c, ok := p.solos[v]; ok {
		return c
	}
	c := p.costOf(v)
	for _, a := range v.Args {
		c += p.soloCost(a)
	}
	c /= max(p.users[v], 1)
	p.solos[v] = c
	return c
}

// score is the gain of melding the anchors x and y.
func (p *pairing) score(x, y *kernel.Value) int {
	if !fits(x, y) {
		return 0
	}
	separate := p.costOf(x) + p.costOf(y)
	for i, a := range x.Args {
		separate += p.soloCost(a) + p.soloCost(y.Args[i])
	}
	var c choice
	if isPure(x) {
		if !p.m.form(x).vector || !p.m.form(y).vector {
			return 0
		}
		c = p.meldCost(x, y, false, 0)
	} else {
		at := form{vector: true}
		if x.Args[0] == y.Args[0] {
			at = p.addressOf(x)
		}
		c.cost = accessCostOf(x, at)
		for i, a := range x.Args {
			c.cost += p.pairCost(a, y.Args[i], i == 0, 0).cost
		}
	}
	return separate - c.cost
}

// pairCost returns the cheaper choice for merging x, a value of the first arm, and y.
// Operations above the branch are duplicated only within addresses.
func (p *pairing) pairCost(x, y *kernel.Value, inAddress bool, depth int) choice {
	if x == y {
		return choice{}
	}
	both := p.in(x) && p.in(y)
	if both && (p.mate[x] == y || p.optimistic && p.anchored(x) && p.anchored(y) && fits(x, y)) {
		return choice{meld: true}
	}
	k := pairKey{x, y, inAddress}
	if c, ok := p.choices[k]; ok {
		return c
	}
	best := choice{cost: selectCost(x.Type, inAddress) + p.soloCost(x) + p.soloCost(y)}
	recompute := inAddress && depth < 8 && (addressOp(x.Op) || x.Op == alu.SExt || x.Op == alu.ZExt)
	if (both || recompute) && isPure(x) && fits(x, y) && len(p.choices) < maxPairs && p.mate[x] == nil && p.mate[y] == nil {
		c := p.meldCost(x, y, inAddress, depth+1)
		share := 1
		if both {
			share = max(1, min(p.users[x], p.users[y]))
		}
		if c.cost < best.cost*share {
			best = c
			best.cost /= share
		}
	}
	p.choices[k] = best
	return best
}

func (p *pairing) anchored(v *kernel.Value) bool {
	return !isPure(v) || pureCost(v, p.m.form(v).vector) >= anchorCost
}

// meldCost prices one operation in place of x and y.
func (p *pairing) meldCost(x, y *kernel.Value, inAddress bool, depth int) choice {
	c := choice{meld: true, forAccess: inAddress}
	sum := func() int {
		all := 0
		for i, a := range x.Args {
			all += p.pairCost(a, y.Args[c.other(i)], c.inAddress(x.Op), depth).cost
		}
		return all
	}
	straight := sum()
	c.cost = straight
	if alu.InfoOf(x.Op).Commutative {
		c.swap = true
		if crossed := sum(); crossed < straight {
			c.cost = crossed
		} else {
			c.swap = false
		}
	}
	if inAddress {
		c.cost += addressCost(x)
	} else {
		c.cost += pureCost(x, true)
	}
	return c
}
