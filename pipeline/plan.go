package pipeline

import (
	"fmt"
	"slices"
	"sync"

	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/widen"
)

// planned is a plan with the configs of its candidates.
type planned struct {
	*plan.Plan            // immutable: launches read it
	whole      *plan.Plan // with the costs of all candidates; nil: not computed yet
	configs    []Choice

	tunedOnce sync.Once
	tuned     *tuned
	tunedErr  error
}

// plan returns the plan for the open choices of c, which is cached.
func (s *state) plan(c Choice) (*planned, error) {
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
	trips := opt.MaxTripCount(c.values.withValues(s.raw), plan.MaxTrips)
	args := c.values.byOffset()
	if trips == 0 && s.shortRows(c) {
		trips = plan.LongTrips
	}
	var families []plan.Family
	for i, family := range choices {
		var f plan.Family
		for _, x := range family {
			p.configs = append(p.configs, x)
			// A candidate's IR stays with its variant, so that the chosen one is not
			// built again.
			f.Candidates = append(f.Candidates, plan.Candidate{
				Name: x.label(), Width: x.width, Linearizer: slices.Index(linearizers, x.linearizer),
				Iterations: x.lanes == Iterations, Bare: x.bypass == BypassNone, Masked: x.bypass == BypassZeros && x.lanes != Iterations, LaneDim: int(x.laneDim), Row: c.rowOf(x), Trips: trips, Args: args, Heavy: s.lanesOf(x).forms().certainlyHeavy,
				Refills: x.divergence == Refill && x.width > 1,
				Build:   func() (*vir.Func, error) { return s.variant(x.priced()).linearized() },
			})
		}
		if i > 0 {
			f.Skip = func() bool { return s.redundant(family[0], p.configs) }
		}
		families = append(families, f)
	}
	costs := c.target.CostsOn(s.prog.Processor)
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

// priced returns the Choice whose code the plan prices for c, a settled Choice. For refill it
// is the code without refill, as the effect of refill is estimated from trip counts.
func (c Choice) priced() Choice {
	if c.divergence == Refill {
		c.divergence = Mask
	}
	return c
}

// narrow replaces the plan for c by one with fewer lanes than refused, whose code the target
// rejected. It returns why if the width of c is not open or there is no smaller one.
func (s *state) narrow(c, refused Choice, why error) error {
	s.planMu.Lock()
	defer s.planMu.Unlock()
	c = s.planKey(c)
	p := s.plans[c]
	if p == nil {
		return why
	}
	if p.configs[p.Chosen].width >= refused.width { // otherwise another launch has done it
		narrower, err := c.target.CostsOn(s.prog.Processor).Narrower(p.Plan)
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

// redundant reports whether the code of c would equal that of a built candidate, or could
// take arbitrarily longer. Without bypasses, code is the same if there were none, and a loop
// that no lane needs runs for its full trip count, which depends on arguments. Without
// divergent arms, block IPs are just masks, unless lanes leave a loop at different branches.
func (s *state) redundant(c Choice, others []Choice) bool {
	if facts := s.lanesOf(c); c.linearizer != linearizers[0] {
		return !facts.divergentArms && !facts.divergentExits && !s.irreducible && c.linearizer != others[0].linearizer
	}
	if c.bypass != BypassNone {
		return false
	}
	for _, o := range others {
		if o.bypass != BypassZeros || o.divergence != Mask || o.linearizer != c.linearizer || o.laneDim != c.laneDim {
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

func idle(t widen.Test) bool { return t.Reason == widen.ForTripCount }

// priceAll returns the plan with the costs of the candidates that the search skipped, too.
func (s *state) priceAll(p *planned) (*plan.Plan, error) {
	s.planMu.Lock()
	defer s.planMu.Unlock()
	if p.whole != nil {
		return p.whole, nil
	}
	var err error
	p.whole, err = p.configs[p.Chosen].target.CostsOn(s.prog.Processor).TryRest(p.Plan)
	return p.whole, err
}

// Cost is the estimated cost of a strategy.
type Cost struct {
	Strategy
	PerItem float64 // ns per work-item
	Chosen  bool    // the plan's choice
	Unsure  bool    // chosen only by launches, as its time depends on the data
	Turn    int     // position among the candidates that launches try, from 1; 0: not tried
	After   int     // index of the candidate that must be the fastest before it is tried; -1: any
}

// Costs estimates the strategies among which the compiler chooses; none for targets without
// lanes.
func (k *Kernel) Costs() ([]Cost, error) {
	t := k.cfg.target
	if t.Costs == nil {
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
	candidates, err := k.tuningCandidates(whole)
	if err != nil {
		return nil, err
	}
	var out []Cost
	for i, c := range whole.Candidates {
		x := Cost{Strategy: p.configs[i].strategy(), PerItem: c.Estimate.PerItem, Chosen: i == whole.Chosen, Unsure: c.Unsure(), After: plan.Always}
		for turn, r := range candidates {
			if r.Candidate == i {
				x.Turn, x.After = 1+turn, r.After
			}
		}
		out = append(out, x)
	}
	return out, nil
}

// emitPlan prints the candidates with their costs, and the reason of the choice.
func emitPlan(k *Kernel) (string, error) {
	t := k.cfg.target
	if t.Costs == nil {
		return "", fmt.Errorf("target %s has no lanes and therefore no plan", t.Name)
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
	candidates, err := k.tuningCandidates(whole)
	if err != nil {
		return "", err
	}
	on := ""
	if processor := k.shared.prog.Processor; t.CostsByCPU[processor] != nil {
		on = " on " + processor
	}
	return fmt.Sprintf("plan of %s for %s%s\n%s", k.Name(), t.Name, on, whole.Table(candidates)), nil
}

// tuningCandidates lists the candidates that launches try.
func (k *Kernel) tuningCandidates(p *plan.Plan) ([]plan.Rival, error) {
	if tunes, err := k.tunes(); err != nil || !tunes {
		return nil, err
	}
	return p.Rivals(), nil
}
