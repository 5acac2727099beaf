package pipeline

import (
	"fmt"

	"github.com/simtc/simtc/opt/lanes/iterations"
	"github.com/simtc/simtc/remarks"
)

// Remarks returns all remarks about the kernel, including quiet kinds, in source order. If the
// compiler chooses width 1, they still describe vectorized code, with about as many lanes as
// fill a register. Only remarks about vectors within a work-item and about spills always
// describe the code that runs. Not all targets report spills.
func (k *Kernel) Remarks() ([]remarks.Remark, error) {
	if k.cfg.target.Costs == nil {
		return nil, nil
	}
	chosen, err := k.variant()
	if err != nil {
		return nil, err
	}
	v, err := k.diverging()
	if err != nil {
		return nil, err
	}
	in := v.remarks(v.vectorized)
	prepared, err := k.shared.prepared()
	if err != nil {
		return nil, err
	}
	if k.cfg.laneDim == 0 {
		in.LaneDim = k.shared.whyLaneDim(v.cfg.laneDim, k.cfg)
	}
	in.Notes = iterations.Notes(prepared, v.cfg.iterationOptions())
	if v == chosen {
		if in.Reason, err = k.reason(); err != nil {
			return nil, err
		}
		if in.Spills, err = v.spills(); err != nil {
			return nil, err
		}
		return v.withDeferred(remarks.Of(in)), nil
	}
	if _, err := chosen.linearized(); err != nil {
		return nil, err
	}
	out := v.withDeferred(remarks.Of(in))
	single := chosen.remarks(chosen.vectorized)
	if single.Reason, err = k.reason(); err != nil {
		return nil, err
	}
	if single.Spills, err = chosen.spills(); err != nil {
		return nil, err
	}
	for _, r := range remarks.Of(single) {
		switch r.Kind {
		case remarks.Width, remarks.Packed, remarks.Iterations, remarks.Spill:
			out = append(out, r)
		}
	}
	remarks.Sort(out)
	return out, nil
}

// reason returns the reason of the chosen strategy, "" if there was no choice.
func (k *Kernel) reason() (string, error) {
	s := k.shared
	if _, err := s.prepared(); err != nil {
		return "", err
	}
	if f := s.families(k.cfg); len(f) == 1 && len(f[0]) == 1 {
		return "", nil
	}
	p, err := s.planFor(k.cfg)
	if err != nil {
		return "", err
	}
	return p.Why(), nil
}

// remarks returns the input of package remarks for a linearized part of a variant.
func (v *variant) remarks(p vectorized) remarks.Input {
	c := v.cfg.target.Costs
	in := remarks.Input{
		Kernel: p.kernel, Info: p.info, Report: p.report, Vector: p.vir, Costs: c, Weigh: p.weigh(c),
		Linearizer: v.cfg.linearizer.name,
	}
	if t := v.cfg.target; !v.k.shared.prog.RelaxedSIMD {
		in.EmulatedFMA, in.FMAHelp = t.EmulatedFMA, t.FMAHelp
	}
	if prog := v.k.shared.prog; !prog.IsIR {
		in.Source = prog.Source
	}
	return in
}

// withDeferred adds the remarks about the deferred part. A remark that both parts have is
// reported once.
func (v *variant) withDeferred(out []remarks.Remark) []remarks.Remark {
	if v.deferred.kernel == nil {
		return out
	}
	seen := map[string]bool{}
	about := func(r remarks.Remark) string { return fmt.Sprint(r.Kind, r.Line, r.Column, r.Text) }
	for _, r := range out {
		seen[about(r)] = true
	}
	for _, r := range remarks.Of(v.remarks(v.deferred)) {
		if !seen[about(r)] {
			out = append(out, r)
		}
	}
	remarks.Sort(out)
	return out
}

// spills generates code and returns its spills, nil if the target does not report them.
func (v *variant) spills() ([]remarks.Spills, error) {
	if err := v.generated(); err != nil {
		return nil, err
	}
	var out []remarks.Spills
	for _, s := range v.code.Spills() {
		out = append(out, remarks.Spills(s))
	}
	return out, nil
}
