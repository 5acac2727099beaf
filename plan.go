package simtc

import (
	"fmt"
	"slices"
	"sync"

	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/widen"
)

// planned is a plan with what its candidates stand for.
type planned struct {
	*plan.Plan            // stays as it is: launches read it
	whole      *plan.Plan // with the prices of all candidates, once they were asked for
	configs    []config

	tunedOnce sync.Once
	tuned     *tuned
	tunedErr  error
}

// plan chooses among the ways that c leaves open. It is made once.
func (s *kernelState) plan(c config) (*planned, error) {
	s.planMu.Lock()
	defer s.planMu.Unlock()
	if p := s.plans[c]; p != nil {
		return p, nil
	}
	choices, err := s.choices(c)
	if err != nil {
		return nil, err
	}
	p := &planned{}
	rounds := opt.MostRounds(s.raw, plan.MostRounds)
	var families []plan.Family
	for i, family := range choices {
		var f plan.Family
		for _, x := range family {
			p.configs = append(p.configs, x)
			// What is built stays with its variant, so that the choice is not
			// built again.
			f.Candidates = append(f.Candidates, plan.Candidate{
				Name: x.label(), Width: x.width, Linearizer: slices.Index(linearizers, x.linearizer),
				RoundsOfOne: x.lanes == Rounds, Bare: x.bypass == BypassNone, Row: c.row, Rounds: rounds, Heavy: s.heavy,
				Refills: x.bypass == BypassRefill && x.width > 1,
				Build:   func() (*vir.Func, error) { return s.variant(x.priced()).linearized() },
			})
		}
		if i > 0 {
			f.Skip = func() bool { return s.pointless(family[0], p.configs) }
		}
		families = append(families, f)
	}
	costs := c.target.costsOn(s.prog.opt.Processor)
	choose := costs.Choose
	if s.prog.large {
		choose = costs.ChooseBriefly
	}
	if p.Plan, err = choose(families...); err != nil {
		return nil, err
	}
	s.plans[c] = p
	return p, nil
}

// priced is what the plan prices for c, a settled way: where lanes take other work-items, the
// code in which they do not, as how long they would stay is its guess anyhow.
func (c config) priced() config {
	if c.bypass == BypassRefill {
		c.bypass = BypassBoth
	}
	return c
}

// narrow makes the plan for c choose fewer lanes than those of its choice, whose code the
// target has refused. If c leaves no width open, or none that is smaller, it returns why.
func (s *kernelState) narrow(c, refused config, why error) error {
	s.planMu.Lock()
	defer s.planMu.Unlock()
	c = s.planKey(c)
	p := s.plans[c]
	if p == nil {
		return why
	}
	if p.configs[p.Chosen].width >= refused.width { // else another launch was first
		narrower, err := c.target.costsOn(s.prog.opt.Processor).Narrower(p.Plan)
		if err != nil {
			return err
		}
		if narrower == nil {
			return why
		}
		s.plans[c] = &planned{Plan: narrower, configs: p.configs}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.settled)
	return nil
}

// pointless reports whether c makes what one of others that are built makes too,
// or what may take any time longer. Without bypasses it is the same if there were
// none, and a loop that no lane needs goes through as many rounds as the arguments
// tell; without arms that only some lanes take block IPs are masks, but for those of lanes
// that have left a loop at one branch and another.
func (s *kernelState) pointless(c config, others []config) bool {
	if c.linearizer != linearizers[0] {
		return !s.arms && !s.exits && !s.irreducible && c.linearizer != others[0].linearizer
	}
	if c.bypass != BypassNone {
		return false
	}
	for _, o := range others {
		if o.bypass != BypassZeros || o.linearizer != c.linearizer {
			continue
		}
		v := s.built(o)
		if v == nil || o.width == 1 {
			continue
		}
		_, err := v.linearized()
		return err == nil && (len(v.report.Bypasses) == 0 || slices.ContainsFunc(v.report.Tests, idle))
	}
	return false
}

func idle(t widen.Test) bool { return t.Reason == widen.ForRounds }

// priceAll returns the plan with the prices of what was not looked at to choose, too.
func (s *kernelState) priceAll(p *planned) (*plan.Plan, error) {
	s.planMu.Lock()
	defer s.planMu.Unlock()
	if p.whole != nil {
		return p.whole, nil
	}
	var err error
	p.whole, err = p.configs[p.Chosen].target.costsOn(s.prog.opt.Processor).TryRest(p.Plan)
	return p.whole, err
}

// Cost is what a kernel is thought to cost when it is compiled in some way.
type Cost struct {
	Way
	PerItem float64 // ns for each work-item
	Chosen  bool    // it is what the compiler chooses
	Unsure  bool    // only launches choose it, as what it takes depends on the data
	Turn    int     // when launches try it, if they take long enough, from 1; 0: never
	After   int     // the place in the list of what must be the fastest by then; -1: whatever is
}

// Costs prices the ways to compile the kernel that are left to the compiler to
// choose from; none for targets without lanes.
func (k *Kernel) Costs() ([]Cost, error) {
	t := k.cfg.target
	if t.costs == nil {
		return nil, nil
	}
	if _, err := k.shared.prepared(); err != nil {
		return nil, err
	}
	p, err := k.shared.planFor(k.cfg)
	if err != nil {
		return nil, err
	}
	whole, err := k.shared.priceAll(p)
	if err != nil {
		return nil, err
	}
	rivals, err := k.tries(whole)
	if err != nil {
		return nil, err
	}
	var out []Cost
	for i, c := range whole.Candidates {
		x := Cost{Way: p.configs[i].way(), PerItem: c.Estimate.PerItem, Chosen: i == whole.Chosen, Unsure: c.Unsure(), After: plan.Always}
		for turn, r := range rivals {
			if r.Candidate == i {
				x.Turn, x.After = 1+turn, r.After
			}
		}
		out = append(out, x)
	}
	return out, nil
}

// emitPlan shows the candidates that were priced, and why one was chosen.
func emitPlan(k *Kernel) (string, error) {
	t := k.cfg.target
	if t.costs == nil {
		return "", fmt.Errorf("target %s has no lanes and so no plan", t.name)
	}
	if _, err := k.shared.prepared(); err != nil {
		return "", err
	}
	p, err := k.shared.planFor(k.cfg)
	if err != nil {
		return "", err
	}
	whole, err := k.shared.priceAll(p)
	if err != nil {
		return "", err
	}
	rivals, err := k.tries(whole)
	if err != nil {
		return "", err
	}
	on := ""
	if processor := k.shared.prog.opt.Processor; t.elsewhere[processor] != nil {
		on = " on " + processor
	}
	return fmt.Sprintf("plan of %s for %s%s\n%s", k.Name(), t.name, on, whole.Table(rivals)), nil
}

// tries lists the candidates that launches will try.
func (k *Kernel) tries(p *plan.Plan) ([]plan.Rival, error) {
	if tunes, err := k.tunes(); err != nil || !tunes {
		return nil, err
	}
	return p.Rivals(), nil
}
