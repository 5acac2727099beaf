package simtc

import (
	"fmt"

	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/vir"
)

// plan returns the choice of width for a target that has lanes. It is made
// once.
func (s *kernelState) plan(t *target) (*plan.Plan, error) {
	s.planMu.Lock()
	defer s.planMu.Unlock()
	if p := s.plans[t]; p != nil {
		return p, nil
	}
	p, err := t.costs.Choose(s.candidates(t))
	if err == nil {
		s.plans[t] = p
	}
	return p, err
}

// candidates lists the ways to compile a kernel for t that are worth pricing.
// What is built stays with its variant, so that the choice is not built again.
func (s *kernelState) candidates(t *target) []plan.Candidate {
	var out []plan.Candidate
	for _, w := range t.costs.Widths {
		k := &Kernel{s, config{target: t, width: w}}
		out = append(out, plan.Candidate{
			Linearizer: k.Linearizer(), Width: w,
			Build: func() (*vir.Func, error) { return s.variant(k.cfg).linearized() },
		})
	}
	return out
}

// Cost is what a kernel is thought to cost when it is compiled in some way.
type Cost struct {
	Linearizer string
	Width      int
	PerItem    float64 // ns for each work-item
	Chosen     bool    // it is what the compiler chooses if the width is left to it
}

// Costs prices the ways to compile the kernel for its target, all that the
// compiler may choose from; none for targets without lanes.
func (k *Kernel) Costs() ([]Cost, error) {
	t := k.cfg.target
	if t.costs == nil {
		return nil, nil
	}
	p, err := k.shared.plan(t)
	if err != nil {
		return nil, err
	}
	var out []Cost
	for i, c := range p.Candidates {
		if !c.Tried {
			if err := t.costs.Try(&c); err != nil {
				return nil, err
			}
		}
		out = append(out, Cost{c.Linearizer, c.Width, c.Estimate.PerItem, i == p.Chosen})
	}
	return out, nil
}

// emitPlan shows the candidates that were priced, and why one was chosen.
func emitPlan(k *Kernel) (string, error) {
	t := k.cfg.target
	if t.costs == nil {
		return "", fmt.Errorf("target %s has no lanes and so no plan", t.name)
	}
	p, err := k.shared.plan(t)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("plan of %s for %s\n%s", k.Name(), t.name, p), nil
}
