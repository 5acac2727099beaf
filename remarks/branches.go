package remarks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/widen"
)

// branches reports the result for each branch, and cycles with several entries.
func (c *collector) branches() {
	if !c.wide() {
		for _, b := range c.Kernel.Blocks {
			if len(b.Edges) > 1 && !c.ofBarriers(b) {
				c.kept(b)
			}
		}
		return
	}
	c.irreducible()
	folds := map[*kernel.Block]widen.Folded{}
	for _, f := range c.Report.Folded {
		folds[f.Block] = f
	}
	switches := c.switches()
	for _, b := range c.Kernel.Blocks {
		f, folded := folds[b]
		switch {
		case len(b.Edges) < 2:
		case c.ofBarriers(b):
			if c.Info.Divergent[b.ID] {
				c.returned(b)
			}
		case b.Pos.Made: // the pass's note suffices
		case switches[b] != nil:
			if switches[b][0] == b {
				c.divergentSwitch(switches[b])
			}
		case c.Info.Divergent[b.ID]:
			c.divergent(b)
		case folded:
			c.folded(f)
		default:
			c.kept(b)
		}
	}
}

// ofBarriers reports whether the branch of b is not in the source: it tests the phase of the
// group, or whether a work-item has returned.
func (c *collector) ofBarriers(b *kernel.Block) bool {
	x := b.Cond
	for x.Op != kernel.Load {
		switch n := len(x.Args); {
		case n == 1, n == 2 && x.Args[1].Op == kernel.Const:
			x = x.Args[0]
		case n == 2 && x.Args[0].Op == kernel.Const:
			x = x.Args[1]
		default:
			return false
		}
	}
	return c.stateOfGroup(x)
}

// stateOfGroup reports whether load v reads state that only the compiler uses.
func (c *collector) stateOfGroup(v *kernel.Value) bool {
	if root(v.Args[0]).Op == kernel.GroupState {
		return true
	}
	k := c.Kernel.KeptIn(v.Args[0])
	return k != nil && len(k.Barriers) == 0
}

// returned reports a branch that separates the work-items that returned before a barrier.
func (c *collector) returned(b *kernel.Block) {
	d := c.add(Divergent, c.branchAt(b), ": work-items that have returned skip the code after a barrier").in(b)
	for _, x := range c.Kernel.Blocks {
		for _, v := range x.Values {
			if v.Op == kernel.Store && c.stateOfGroup(v) && root(v.Args[0]).Op != kernel.GroupState && v.Args[1].Const != 0 {
				if l := linkAt(c.valueAt(v), "work-items return here"); !slices.Contains(d.chain, l) {
					d.chain = append(d.chain, l)
				}
			}
		}
	}
}

// switches groups the divergent branches lowered from one switch: comparisons of one value
// with constants at one source position. Groups of one are left out.
func (c *collector) switches() map[*kernel.Block][]*kernel.Block {
	type key struct {
		at diag.Pos
		on *kernel.Value
	}
	groups := map[key][]*kernel.Block{}
	of := map[*kernel.Block]key{}
	for _, b := range c.Kernel.Blocks {
		if len(b.Edges) < 2 || !c.Info.Divergent[b.ID] || !b.Pos.IsValid() || len(b.Cond.Args) != 2 {
			continue
		}
		x, y := b.Cond.Args[0], b.Cond.Args[1]
		if x.Op == kernel.Const {
			x, y = y, x
		}
		if y.Op == kernel.Const && x.Type.IsInt() {
			k := key{b.Pos.Plain(), x} // branches after the first are marked
			groups[k] = append(groups[k], b)
			of[b] = k
		}
	}
	out := map[*kernel.Block][]*kernel.Block{}
	for b, k := range of {
		if len(groups[k]) > 1 {
			out[b] = groups[k]
		}
	}
	return out
}

// divergentSwitch reports a divergent switch, lowered to tests.
func (c *collector) divergentSwitch(tests []*kernel.Block) {
	on := tests[0].Cond.Args[0]
	if on.Op == kernel.Const {
		on = tests[0].Cond.Args[1]
	}
	d := c.add(Divergent, c.branchAt(tests[0]), fmt.Sprintf(" (a switch): %s differs between lanes; %d tests, and each case runs if any lane needs it",
		c.describe(on), len(tests))).in(tests[0])
	d.chain = c.why(c.Info.Why(on))
}

// work is the cost of executing some blocks.
type work struct {
	ns   float64
	open bool // some loops have an unknown trip count; each counts as one iteration
}

func (w work) String() string { return about(w.ns) + w.counted() }

func (w work) counted() string {
	if w.open {
		return " (loops counted once)"
	}
	return ""
}

// both formats two costs: "about 2 and 3 ns".
func both(x work, between string, y work) string {
	return fmt.Sprintf("about %.3g %s %.3g ns", x.ns, between, y.ns) + work{open: x.open || y.open}.counted()
}

// cost sums the costs of blocks; blocks in loops inside of around count once per
// iteration.
func (c *collector) cost(blocks []*kernel.Block, around *cfg.Cycle) (w work) {
	for _, b := range blocks {
		times := 1.0
		for l := c.loops.InnermostCycle(b.ID); l != around && l != nil; l = l.Parent {
			n := c.Report.TripCounts[c.Kernel.Blocks[l.Header]]
			w.open = w.open || n == 0
			times *= float64(max(n, 1))
		}
		for _, v := range b.Values {
			w.ns += times * c.Weigh(v)
		}
	}
	return w
}

// regionCost is the cost of the blocks that run only through b.
func (c *collector) regionCost(b *kernel.Block) work { return c.cost(c.region(b), c.around(b)) }

// divergent reports a divergent branch: an exit of a loop, or a branch to two arms that
// both run.
func (c *collector) divergent(b *kernel.Block) {
	at := c.branchAt(b)
	chain := c.why(c.Info.WhyBranch(b))
	for _, e := range b.Edges {
		loop := c.leaves(b.ID, e.To.ID)
		if loop == nil {
			continue
		}
		body := make([]*kernel.Block, len(loop.Blocks))
		for i, id := range loop.Blocks {
			body[i] = c.Kernel.Blocks[id]
		}
		iteration := c.cost(body, loop)
		text := fmt.Sprintf(": %s; the loop runs until its last lane exits, %s per iteration", c.condition(b), iteration)
		switch lines := c.linesLeft(loop, e.To, at); {
		case len(lines) > 1:
			text = fmt.Sprintf(" (of the loops of %s)%s of the innermost", named(lines), text)
		case !c.loopAt(c.Kernel.Blocks[loop.Header]).SameLine(at):
			text = fmt.Sprintf(" (of the loop of %s)", lines[0]) + text
		}
		d := c.add(DivergentLoop, at, text).in(b)
		d.ns, d.chain = iteration.ns, chain
		d.help = "fewer lanes idle if neighbouring work-items have similar trip counts"
		return
	}
	first, second := c.armCost(b, 0), c.armCost(b, 1)
	text := ": " + c.condition(b)
	switch {
	case first.ns > 0 && second.ns > 0:
		text += fmt.Sprintf("; if lanes diverge, both sides run, %s", both(first, "and", second))
	case first.ns > 0:
		text += fmt.Sprintf("; the guarded region runs if any lane needs it, %s", first)
	case second.ns > 0:
		text += fmt.Sprintf("; the guarded region runs if any lane needs it, %s", second)
	}
	d := c.add(Divergent, at, text).in(b)
	d.ns, d.chain = first.ns+second.ns, chain
}

// linesLeft names the lines of the loops that the edge from loop, the innermost, to t exits,
// relative to the position at.
func (c *collector) linesLeft(loop *cfg.Cycle, t *kernel.Block, at diag.Pos) []string {
	var lines []string
	for ; loop != nil && !c.loops.Contains(loop, t.ID); loop = loop.Parent {
		if l := c.loopAt(c.Kernel.Blocks[loop.Header]).LineIn(at.File); !slices.Contains(lines, l) {
			lines = append(lines, l)
		}
	}
	return lines
}

// armCost is the cost of one arm of b.
func (c *collector) armCost(b *kernel.Block, edge int) work {
	to := b.Edges[edge].To
	return c.cost(c.arm(b, to), c.around(to))
}

// condition describes the condition of a divergent branch.
func (c *collector) condition(b *kernel.Block) string {
	if q := c.quote(b.Cond); long(b.Cond) && (q == "" || shortened(q) != q) {
		return "the condition differs between lanes"
	}
	return c.describe(b.Cond) + " differs between lanes"
}

// kept reports a uniform branch that remains a branch.
func (c *collector) kept(b *kernel.Block) {
	text := " kept"
	if !c.wide() {
		text += ": there is one lane"
	} else if votes(b.Cond) {
		text += ": the condition is a vote of all lanes"
		if roots := c.roots(c.branchAt(b), votedOn(b.Cond)...); len(roots) > 0 {
			text += ", which depends on " + named(roots)
		}
	} else if roots := c.roots(c.branchAt(b), b.Cond); len(roots) > 0 {
		text += ": the condition is uniform, as it depends only on " + named(roots)
	} else {
		text += ": the condition is uniform, as it depends only on constants"
	}
	for _, e := range b.Edges {
		if loop := c.leaves(b.ID, e.To.ID); loop != nil && c.wide() && c.Info.ExitsDivergently(loop) {
			text += "; other lanes may have left the loop through another exit"
			break
		}
	}
	c.add(Kept, c.branchAt(b), text).in(b)
}

// folded reports a uniform branch that is linearized.
func (c *collector) folded(f widen.Folded) {
	b, at := f.Block, c.branchAt(f.Block)
	if b.Edges[0].To == b.Edges[1].To {
		c.add(Folded, at, ": the condition is uniform; both edges lead to the same block, with different values").in(b)
		return
	}
	text := ": the condition is uniform, but " + c.sides(b, at)
	var by *kernel.Block
	help := ""
	switch {
	case f.Aside != nil:
		text += ": it enters a cycle at another block than that of " + c.blockAt(f.Aside).LineIn(at.File) + ", where control does"
		help = "without a jump into a divergent loop the branch is kept"
	case f.Asked:
		text += ", as requested"
	case f.Waiting != nil:
		text += ", as lanes of another branch may be waiting at " + c.blockAt(f.Waiting).LineIn(at.File)
		by = c.divergentAbove(b)
	}
	d := c.add(Folded, at, text).in(b)
	d.ns = c.armCost(b, 0).ns + c.armCost(b, 1).ns
	d.help = help
	if by != nil {
		d.chain = []Link{linkAt(c.branchAt(by), "lanes diverge here and may wait while the branch runs")}
		d.help = "a jump into or out of the arms of a divergent branch makes lanes wait; without it the branch is kept"
	}
}

// sides describes how the sides of b, a folded branch, run.
func (c *collector) sides(b *kernel.Block, at diag.Pos) string {
	what, lines := "", []string{}
	for _, e := range b.Edges {
		for _, t := range c.Report.Tests {
			if t.Block != e.To {
				continue
			}
			if what = "test"; t.Reason == widen.ForJoin {
				what = "JOIN point"
			}
			if l := c.blockAt(t.Block).LineIn(at.File); !slices.Contains(lines, l) {
				lines = append(lines, l)
			}
			break
		}
	}
	switch len(lines) {
	case 0:
		return "both sides run"
	case 1:
		return fmt.Sprintf("control passes both sides, and the %s of %s skips code that no lane waits for", what, lines[0])
	}
	return fmt.Sprintf("control passes both sides, and the %ss of %s skip code that no lane waits for", what, strings.Join(lines, " and "))
}

// divergentAbove is the nearest divergent branch that dominates b.
func (c *collector) divergentAbove(b *kernel.Block) *kernel.Block {
	for id := b.ID; id != 0; {
		id = c.dom.IDom[id]
		if c.Info.Divergent[id] {
			return c.Kernel.Blocks[id]
		}
	}
	return nil
}

func (c *collector) irreducible() {
	if !c.wide() { // one lane follows its own branches
		return
	}
	for _, l := range c.loops.Cycles {
		if l.Reducible() {
			continue
		}
		header := c.Kernel.Blocks[l.Header]
		text := fmt.Sprintf(": it has %d entries, so the kernel runs with block IPs", len(l.Entries))
		kept := c.keepsBranches(l)
		if kept {
			text += "; lanes do not diverge in it, and its branches are kept"
		}
		d := c.add(Irreducible, c.blockAt(header), text)
		for _, id := range l.Entries {
			d.chain = append(d.chain, linkAt(c.blockAt(c.Kernel.Blocks[id]), "an entry"))
		}
		if !kept {
			d.help = "with one entry (no goto into the loop) uniform branches would be kept"
		}
	}
}

// keepsBranches reports whether all branches into and within a cycle are kept.
func (c *collector) keepsBranches(l *cfg.Cycle) bool {
	for _, f := range c.Report.Folded {
		if f.Aside != nil && c.loops.Contains(l, f.Aside.ID) || c.loops.Contains(l, f.Block.ID) {
			return false
		}
	}
	return !slices.ContainsFunc(l.Blocks, func(id int) bool { return c.Info.Divergent[id] })
}

// tests reports where the code tests whether any lane is active.
func (c *collector) tests() {
	if !c.wide() {
		return
	}
	skipped := map[diag.Pos]*bypasses{}
	for _, t := range c.Report.Tests {
		if t.Reason != widen.ForWorth {
			c.test(t)
			continue
		}
		at, w := c.blockAt(t.Block).Plain(), c.regionCost(t.Block)
		if skipped[at] == nil {
			skipped[at] = &bypasses{d: c.add(Bypass, at, ""), min: w, max: w}
			skipped[at].d.count = 0
		}
		s := skipped[at]
		if w.ns < s.min.ns {
			s.min = w
		}
		if w.ns > s.max.ns {
			s.max = w
		}
		s.d.ns = c.Costs.MaskBranch
		s.d.count++
		amount := s.max.String()
		if s.min.ns < s.max.ns {
			amount = both(s.min, "to", s.max)
		}
		s.d.rest = fmt.Sprintf(": skips %s when no lane is active, for a test of %.3g ns", amount, s.d.ns)
	}
	for _, b := range c.Report.Copies {
		if b == c.Kernel.Blocks[0] {
			c.add(Copy, c.start, " of the kernel: it runs while every lane has a work-item; the masked copy runs the remainder")
			continue
		}
		d := c.add(Copy, c.blockAt(b), "").in(b)
		w := c.regionCost(b)
		d.ns = w.ns
		d.rest = fmt.Sprintf(" of a region of %s: it runs when all lanes are active, otherwise the masked copy runs", w)
	}
}

// bypasses merges the bypasses of one source position.
type bypasses struct {
	d        *draft
	min, max work // range of the costs skipped
}

func (c *collector) test(t widen.Test) {
	at := c.blockAt(t.Block)
	cost := c.Costs.MaskBranch
	switch t.Reason {
	case widen.ForJoin:
		d := c.add(Join, at, c.otherwise(t, at)).in(t.Block)
		d.ns = cost
	case widen.ForAccess:
		if c.stateOfGroup(t.Access) {
			d := c.add(Guard, c.branchAt(t.Access.Block), fmt.Sprintf(": the state of work-items at a barrier is stored once for all lanes, and a scalar store cannot be masked; a branch checks that a lane is active, %s", about(cost))).in(t.Block)
			d.ns = cost
			return
		}
		at = c.valueAt(t.Access)
		what := "loaded once for all lanes, and a scalar load cannot be masked"
		switch private := t.Access.Args[0].Type == alu.PtrPrivate; {
		case t.Access.Op == kernel.Store:
			what = "stored to once for all lanes, and a scalar store cannot be masked"
		case private:
			what = "loaded without a mask, at an address that active lanes compute"
		}
		d := c.add(Guard, at, fmt.Sprintf(": %s is %s; a branch checks that a lane is active, %s",
			quoted(c.object(t.Access.Args[0]), "memory"), what, about(cost))).in(t.Block)
		d.ns = cost
	case widen.ForLoop:
		at = c.loopAt(t.Loop)
		d := c.add(Guard, at, fmt.Sprintf(": the loop's exit condition is uniform, and with no active lane it might never hold; a branch skips the loop then, %s", about(cost))).in(t.Block)
		d.ns = cost
	case widen.ForTripCount:
		at = c.loopAt(t.Loop)
		d := c.add(Guard, at, fmt.Sprintf(": the loop's trip count is uniform, and with no active lane it would run in full; a branch skips the loop then, %s", about(cost))).in(t.Block)
		d.ns = cost
	case widen.ForLeave:
		if l := c.loops.InnermostCycle(t.Block.ID); l != nil {
			at = c.loopAt(c.Kernel.Blocks[l.Header])
		}
		d := c.add(LoopTest, at, fmt.Sprintf(": whether any lane is still active, %s per iteration", about(cost))).in(t.Block)
		d.ns = cost
	}
}

// otherwise describes where control continues if no lane is active.
func (c *collector) otherwise(t widen.Test, at diag.Pos) string {
	where := "the end"
	if t.Else != nil {
		where = c.blockAt(t.Else).LineIn(at.File)
	}
	return fmt.Sprintf(": lanes waiting here rejoin; if there are none, control continues at %s", where)
}
