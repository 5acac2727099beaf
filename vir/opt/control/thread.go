package control

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// maxMadeBranches bounds the selects and joint conditions that are turned into branches.
const maxMadeBranches = 8

// maxThreaded bounds the operations of a block that edges are threaded past.
const maxThreaded = 6

// Thread redirects an edge to a block whose branch the arguments of the edge decide to the
// target of that branch. The block must only compute the condition. The values it defines may
// be used elsewhere only after the other target of the branch, so that definitions still
// dominate their uses. Edges are not threaded past loop headers, which would make the loop
// irreducible.
//
// Example: a block tests whether a mask has active lanes, and one predecessor passes an empty
// mask.
//
// In scalar code the conditions of earlier branches count as well: after a search that
// stopped at k < m, the test k == m is decided.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes; a reducible graph stays so
func Thread(f *vir.Func, stats edit.Stats) {
	t := newThreader(f, stats)
	for n := 0; n < maxMadeBranches && f.Width == 1 && (t.branchDecided() || t.jointDecided()); n++ {
		f.Renumber()
		t = newThreader(f, stats)
	}
	for _, b := range f.Blocks {
		t.useAll(b)
	}
	for _, b := range f.Blocks {
		if len(t.in[b.ID]) > 1 && t.candidate(b) {
			// Edges whose target may use the values that b defines.
			confined := [2]bool{t.usesConfinedTo(b, b.Edges[0].To), t.usesConfinedTo(b, b.Edges[1].To)}
			for _, e := range t.in[b.ID] {
				t.redirect(e, b, confined)
			}
		}
	}
	vir.RemoveUnreachable(f)
	f.Renumber()
}

func newThreader(f *vir.Func, stats edit.Stats) *threader {
	g := f.Graph()
	return &threader{
		f: f, stats: stats, dom: cfg.Dominators(g), cycles: cfg.Cycles(g), in: analysis.InEdges(f),
		users: make([][]*vir.Block, f.NumValues()),
	}
}

type threader struct {
	f      *vir.Func
	stats  edit.Stats
	dom    *cfg.DomTree
	cycles *cfg.CycleForest
	in     [][]analysis.InEdge // before the pass
	users  [][]*vir.Block      // by value ID: the blocks that use it
}

func (t *threader) use(b *vir.Block, v *vir.Value) {
	if us := t.users[v.ID]; len(us) == 0 || us[len(us)-1] != b {
		t.users[v.ID] = append(us, b)
	}
}

func (t *threader) useAll(b *vir.Block) {
	for _, v := range b.Values {
		for _, a := range v.Args {
			t.use(b, a)
		}
	}
	if b.Cond != nil {
		t.use(b, b.Cond)
	}
	for _, e := range b.Edges {
		for _, a := range e.Args {
			t.use(b, a)
		}
	}
}

// candidate reports whether b only computes the condition of its branch.
func (t *threader) candidate(b *vir.Block) bool {
	if b.Kind != vir.Branch || b.Cond.Op == vir.Const || b.Edges[0].To == b || b.Edges[1].To == b {
		return false
	}
	return t.canThreadPast(b, b.Values)
}

// canThreadPast reports whether edges may be threaded past values at the start of b.
func (t *threader) canThreadPast(b *vir.Block, values []*vir.Value) bool {
	if b.ID == 0 || len(values) > maxThreaded || t.cycles.IsHeader(b.ID) {
		return false
	}
	if c := t.cycles.InnermostCycle(b.ID); c != nil && slices.Contains(c.Entries, b.ID) {
		return false
	}
	for _, v := range values {
		if !analysis.IsMovable(v) {
			return false
		}
	}
	return true
}

// redirect threads e past b if possible.
func (t *threader) redirect(e analysis.InEdge, b *vir.Block, confined [2]bool) {
	if e.N >= len(e.From.Edges) || e.Edge().To != b {
		return // redirected already
	}
	env := t.evaluateOn(e, b, b.Values)
	cond := env[b.Cond]
	if cond == nil || cond.Op != vir.Const {
		return
	}
	side := 1
	if cond.Const != 0 {
		side = 0
	}
	target, kept := b.Edges[side], b.Edges[1-side].To
	args := make([]*vir.Value, len(target.Args))
	for i, a := range target.Args {
		if x := env[a]; x != nil {
			a = x
		} else if a.Block == b {
			return // computed in b
		}
		args[i] = a
	}
	if target.To == kept || !confined[1-side] {
		return
	}
	if e.From.Kind == vir.Branch {
		o := e.From.Edges[1-e.N]
		if o.To == target.To && !slices.Equal(o.Args, args) {
			return
		}
	}
	e.Edge().To, e.Edge().Args = target.To, args
	for _, a := range args {
		if a.ID >= len(t.users) {
			continue // a new constant
		}
		t.use(e.From, a)
	}
	t.stats.Add("threaded edges", 1)
}

// evaluateOn evaluates values of b for control that arrives through e.
func (t *threader) evaluateOn(e analysis.InEdge, b *vir.Block, values []*vir.Value) map[*vir.Value]*vir.Value {
	var facts []analysis.BranchFact
	if t.f.Width == 1 {
		facts = analysis.FactsOn(e, t.in, t.dom)
	}
	return t.evaluateWith(e, b, values, facts)
}

// evaluateWith does so with the given facts alone.
func (t *threader) evaluateWith(e analysis.InEdge, b *vir.Block, values []*vir.Value, facts []analysis.BranchFact) map[*vir.Value]*vir.Value {
	env := map[*vir.Value]*vir.Value{}
	for i, p := range b.Params {
		env[p] = e.Edge().Args[i]
	}
	for _, k := range facts {
		env[k.Cond] = t.f.Const(k.Cond.Type, k.Bits)
	}
	for _, v := range values {
		x := evaluate(t.f, v, env)
		if x == nil {
			x = analysis.ImpliedBy(t.f, v, env, facts)
		}
		if x != nil {
			env[v] = x
		}
	}
	return env
}

// usesConfinedTo reports whether the values that b defines are used only in b and in blocks
// dominated by kept, a successor with b as its only predecessor.
func (t *threader) usesConfinedTo(b, kept *vir.Block) bool {
	alone := len(t.in[kept.ID]) == 1
	for _, vs := range [][]*vir.Value{b.Params, b.Values} {
		for _, v := range vs {
			for _, u := range t.users[v.ID] {
				if u != b && !(alone && t.dom.Dominates(kept.ID, u.ID)) {
					return false
				}
			}
		}
	}
	return true
}
