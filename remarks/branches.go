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

// branches tells what becomes of each branch, and of cycles with several
// entries.
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
	lost := map[*kernel.Block]widen.Folded{}
	for _, f := range c.Report.Folded {
		lost[f.Block] = f
	}
	switches := c.switches()
	for _, b := range c.Kernel.Blocks {
		f, folded := lost[b]
		switch {
		case len(b.Edges) < 2:
		case c.ofBarriers(b):
			if c.Info.Divergent[b.ID] {
				c.returned(b)
			}
		case b.Pos.Made: // what the pass tells is enough
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

// ofBarriers reports whether the source does not have the branch of b: it asks for the
// phase of the group, or who has returned.
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

// stateOfGroup reports whether load v finds what only the compiler asks for.
func (c *collector) stateOfGroup(v *kernel.Value) bool {
	if root(v.Args[0]).Op == kernel.GroupState {
		return true
	}
	k := c.Kernel.KeptIn(v.Args[0])
	return k != nil && len(k.Barriers) == 0
}

// returned tells of a branch at which those part that have returned before a barrier.
func (c *collector) returned(b *kernel.Block) {
	d := c.add(Divergent, c.branchAt(b), ": work-items that have returned take no part in what comes behind a barrier").in(b)
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

// switches groups the divergent branches that a switch became: comparisons of
// one value with constants that stand at one place. Those that are alone are left
// out.
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
			k := key{b.Pos.Plain(), x} // those that come after the first are marked
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

// divergentSwitch tells of the tests that a divergent switch became.
func (c *collector) divergentSwitch(tests []*kernel.Block) {
	on := tests[0].Cond.Args[0]
	if on.Op == kernel.Const {
		on = tests[0].Cond.Args[1]
	}
	d := c.add(Divergent, c.branchAt(tests[0]), fmt.Sprintf(" (a switch): %s differs between lanes; %d tests, and every case that any lane needs is run",
		c.describe(on), len(tests))).in(tests[0])
	d.chain = c.why(c.Info.Why(on))
}

// work is what a run of blocks costs.
type work struct {
	ns   float64
	open bool // there are loops of which nothing tells how often they go round; each counts as one round
}

func (w work) String() string { return about(w.ns) + w.counted() }

func (w work) counted() string {
	if w.open {
		return " (loops counted once)"
	}
	return ""
}

// both names two costs: "about 2 and 3 ns".
func both(x work, between string, y work) string {
	return fmt.Sprintf("about %.3g %s %.3g ns", x.ns, between, y.ns) + work{open: x.open || y.open}.counted()
}

// cost is what a run of blocks costs, those of loops inside of around as often as these
// go round.
func (c *collector) cost(blocks []*kernel.Block, around *cfg.Cycle) (w work) {
	for _, b := range blocks {
		times := 1.0
		for l := c.loops.InnermostCycle(b.ID); l != around && l != nil; l = l.Parent {
			n := c.Report.Rounds[c.Kernel.Blocks[l.Header]]
			w.open = w.open || n == 0
			times *= float64(max(n, 1))
		}
		for _, v := range b.Values {
			w.ns += times * c.Weigh(v)
		}
	}
	return w
}

// regionCost is the cost of what is run only by way of b.
func (c *collector) regionCost(b *kernel.Block) work { return c.cost(c.region(b), c.around(b)) }

// divergent tells of a branch on which lanes part: out of a loop, or into two
// arms that are both run.
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
		round := c.cost(body, loop)
		text := fmt.Sprintf(": %s; the others go on until the last lane has left, %s a round", c.condition(b), round)
		switch lines := c.linesLeft(loop, e.To, at); {
		case len(lines) > 1:
			text = fmt.Sprintf(" (the loops of %s at once)%s of the innermost", named(lines), text)
		case !c.loopAt(c.Kernel.Blocks[loop.Header]).SameLine(at):
			text = fmt.Sprintf(" (the loop of %s)", lines[0]) + text
		}
		d := c.add(DivergentLoop, at, text).in(b)
		d.ns, d.chain = round.ns, chain
		d.help = "neighbouring work-items with trip counts alike waste the fewest lanes"
		return
	}
	first, second := c.armCost(b, 0), c.armCost(b, 1)
	text := ": " + c.condition(b)
	switch {
	case first.ns > 0 && second.ns > 0:
		text += fmt.Sprintf("; where lanes part both sides are run, %s", both(first, "and", second))
	case first.ns > 0:
		text += fmt.Sprintf("; what it guards is run if any lane needs it, %s", first)
	case second.ns > 0:
		text += fmt.Sprintf("; what it guards is run if any lane needs it, %s", second)
	}
	d := c.add(Divergent, at, text).in(b)
	d.ns, d.chain = first.ns+second.ns, chain
}

// linesLeft names the lines of the loops that control leaves on the way from loop, the
// innermost, to t, for a reader at a place.
func (c *collector) linesLeft(loop *cfg.Cycle, t *kernel.Block, at diag.Pos) []string {
	var lines []string
	for ; loop != nil && !c.loops.Contains(loop, t.ID); loop = loop.Parent {
		if l := c.loopAt(c.Kernel.Blocks[loop.Header]).LineIn(at.File); !slices.Contains(lines, l) {
			lines = append(lines, l)
		}
	}
	return lines
}

// armCost is the cost of one of the arms of b.
func (c *collector) armCost(b *kernel.Block, edge int) work {
	to := b.Edges[edge].To
	return c.cost(c.arm(b, to), c.around(to))
}

// condition says what a divergent branch depends on.
func (c *collector) condition(b *kernel.Block) string {
	if q := c.quote(b.Cond); long(b.Cond) && (q == "" || shortened(q) != q) {
		return "the condition differs between lanes"
	}
	return c.describe(b.Cond) + " differs between lanes"
}

// kept tells of a branch on which all lanes agree.
func (c *collector) kept(b *kernel.Block) {
	text := " kept"
	if !c.wide() {
		text += ": there is one lane"
	} else if votes(b.Cond) {
		text += ": lanes go the same way, as it is asked of all of them together whether a condition holds"
		if roots := c.roots(c.branchAt(b), asked(b.Cond)...); len(roots) > 0 {
			text += ", which depends on " + named(roots)
		}
	} else if roots := c.roots(c.branchAt(b), b.Cond); len(roots) > 0 {
		text += ": all lanes agree, as the condition depends on " + named(roots) + " alone"
	} else {
		text += ": all lanes agree, as the condition depends on constants alone"
	}
	for _, e := range b.Edges {
		if loop := c.leaves(b.ID, e.To.ID); loop != nil && c.wide() && c.Info.LeavesApart(loop) {
			text += "; lanes leave the loop here that others have left elsewhere"
			break
		}
	}
	c.add(Kept, c.branchAt(b), text).in(b)
}

// folded tells of a branch on which all lanes agree and which is lost: control
// goes one way whatever they chose.
func (c *collector) folded(f widen.Folded) {
	b, at := f.Block, c.branchAt(f.Block)
	if b.Edges[0].To == b.Edges[1].To {
		c.add(Folded, at, ": all lanes agree, and both sides go the same way with other values").in(b)
		return
	}
	text := ": all lanes agree, but " + c.sides(b, at)
	var by *kernel.Block
	help := ""
	switch {
	case f.Aside != nil:
		text += ": it leads into a cycle elsewhere than at " + c.blockAt(f.Aside).LineIn(at.File) + ", where control enters that"
		help = "without a jump into a loop that lanes leave one by one the branch stays"
	case f.Asked:
		text += ", as is asked for"
	case f.Waiting != nil:
		text += ", as lanes of another branch may wait at " + c.blockAt(f.Waiting).LineIn(at.File)
		by = c.parting(b)
	}
	d := c.add(Folded, at, text).in(b)
	d.ns = c.armCost(b, 0).ns + c.armCost(b, 1).ns
	d.help = help
	if by != nil {
		d.chain = []Link{linkAt(c.branchAt(by), "lanes part here and may wait while the branch runs")}
		d.help = "a jump into or out of the arms of a divergent branch makes lanes wait; without it the branch stays"
	}
}

// sides says what becomes of the sides of b, a branch that is lost.
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
		return "both sides are run"
	case 1:
		return fmt.Sprintf("control comes to both sides, and the %s of %s skips what no lane waits for", what, lines[0])
	}
	return fmt.Sprintf("control comes to both sides, and the %ss of %s skip what no lane waits for", what, strings.Join(lines, " and "))
}

// parting is the nearest divergent branch above b.
func (c *collector) parting(b *kernel.Block) *kernel.Block {
	for id := b.ID; id != 0; {
		id = c.dom.IDom[id]
		if c.Info.Divergent[id] {
			return c.Kernel.Blocks[id]
		}
	}
	return nil
}

func (c *collector) irreducible() {
	if !c.wide() { // one lane may go any way
		return
	}
	for _, l := range c.loops.Cycles {
		if l.Reducible() {
			continue
		}
		header := c.Kernel.Blocks[l.Header]
		text := fmt.Sprintf(": it has %d entries, so that block IPs run the kernel", len(l.Entries))
		kept := c.keepsBranches(l)
		if kept {
			text += "; lanes stay together in it, and its branches are kept"
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

// keepsBranches reports whether the branches into and in a cycle all are kept.
func (c *collector) keepsBranches(l *cfg.Cycle) bool {
	for _, f := range c.Report.Folded {
		if f.Aside != nil && c.loops.Contains(l, f.Aside.ID) || c.loops.Contains(l, f.Block.ID) {
			return false
		}
	}
	return !slices.ContainsFunc(l.Blocks, func(id int) bool { return c.Info.Divergent[id] })
}

// tests tells where the code asks whether any lane is there.
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
			skipped[at] = &bypasses{d: c.add(Bypass, at, ""), least: w, most: w}
			skipped[at].d.count = 0
		}
		s := skipped[at]
		if w.ns < s.least.ns {
			s.least = w
		}
		if w.ns > s.most.ns {
			s.most = w
		}
		s.d.ns = c.Costs.MaskBranch
		s.d.count++
		amount := s.most.String()
		if s.least.ns < s.most.ns {
			amount = both(s.least, "to", s.most)
		}
		s.d.rest = fmt.Sprintf(": %s skipped when no lane needs it, for a test of %.3g ns", amount, s.d.ns)
	}
	for _, b := range c.Report.Copies {
		if b == c.Kernel.Blocks[0] {
			c.add(Copy, c.start, " of the kernel: it runs while all lanes have a work-item, the one with masks what is left")
			continue
		}
		d := c.add(Copy, c.blockAt(b), "").in(b)
		w := c.regionCost(b)
		d.ns = w.ns
		d.rest = fmt.Sprintf(" of a region of %s: it runs when no lane is missing, else the one with masks", w)
	}
}

// bypasses are those of one place.
type bypasses struct {
	d           *draft
	least, most work // skipped
}

func (c *collector) test(t widen.Test) {
	at := c.blockAt(t.Block)
	asks := c.Costs.MaskBranch
	switch t.Reason {
	case widen.ForJoin:
		d := c.add(Join, at, c.otherwise(t, at)).in(t.Block)
		d.ns = asks
	case widen.ForAccess:
		if c.stateOfGroup(t.Access) {
			d := c.add(Guard, c.branchAt(t.Access.Block), fmt.Sprintf(": it is noted once for all lanes who waits at a barrier or has returned, which no mask prevents; a branch makes sure that there is one, %s", about(asks))).in(t.Block)
			d.ns = asks
			return
		}
		at = c.valueAt(t.Access)
		what := "loaded once for all lanes, which no mask prevents"
		switch private := t.Access.Args[0].Type == alu.PtrPrivate; {
		case t.Access.Op == kernel.Store:
			what = "stored to once for all lanes, which no mask prevents"
		case private:
			what = "loaded without a mask, from where lanes that run say"
		}
		d := c.add(Guard, at, fmt.Sprintf(": %s is %s; a branch makes sure that there is one, %s",
			quoted(c.object(t.Access.Args[0]), "memory"), what, about(asks))).in(t.Block)
		d.ns = asks
	case widen.ForLoop:
		at = c.loopAt(t.Loop)
		d := c.add(Guard, at, fmt.Sprintf(": all lanes agree on the rounds of the loop, which must not start without any, %s", about(asks))).in(t.Block)
		d.ns = asks
	case widen.ForRounds:
		at = c.loopAt(t.Loop)
		d := c.add(Guard, at, fmt.Sprintf(": all lanes agree on the rounds of the loop, which would all be gone through without any, %s", about(asks))).in(t.Block)
		d.ns = asks
	case widen.ForLeave:
		if l := c.loops.InnermostCycle(t.Block.ID); l != nil {
			at = c.loopAt(c.Kernel.Blocks[l.Header])
		}
		d := c.add(LoopTest, at, fmt.Sprintf(": whether any lane is left, %s a round", about(asks))).in(t.Block)
		d.ns = asks
	}
}

// otherwise says where control goes if no lane is there.
func (c *collector) otherwise(t widen.Test, at diag.Pos) string {
	where := "the end"
	if t.Else != nil {
		where = c.blockAt(t.Else).LineIn(at.File)
	}
	return fmt.Sprintf(": lanes that wait here join; if there is none, control goes on to %s", where)
}
