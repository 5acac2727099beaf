package main

import (
	"math"
	"slices"

	"github.com/simtc/simtc"
)

// feature is a choice of strategies that is more than a pass: without it, launches run the fastest
// strategy that does not use it.
type feature struct {
	name     string
	target   string   // the target that has it; "": all
	launches bool     // the plan never chooses it, only launches do
	files    []string // source files or folders of its own; none: it cannot be separated
	uses     func(simtc.Strategy) bool
	// without lists strategies to replace one that uses the feature.
	without func(simtc.Strategy) []simtc.Strategy
}

func vectors(w simtc.Strategy) bool { return w.Width > 1 && w.Lanes != simtc.Iterations }

// changed returns a strategy with a change.
func changed(w simtc.Strategy, change func(*simtc.Strategy)) []simtc.Strategy {
	change(&w)
	return []simtc.Strategy{w}
}

// tuningFeature is the feature without which launches run the plan's choice.
const tuningFeature = "tuning"

var features = []feature{
	{
		name: "bypass zeros",
		uses: func(w simtc.Strategy) bool {
			return vectors(w) && w.Linearizer == simtc.Partial && slices.Contains([]string{simtc.BypassZeros, simtc.BypassBoth, simtc.BypassAll}, w.Bypass)
		},
		without: func(w simtc.Strategy) []simtc.Strategy {
			return changed(w, func(w *simtc.Strategy) {
				if w.Bypass == simtc.BypassZeros {
					w.Bypass = simtc.BypassNone
				} else {
					w.Bypass = simtc.BypassOnes
				}
			})
		},
	},
	{
		name: "bypass ones", files: []string{"structurize/copies.go"},
		uses: func(w simtc.Strategy) bool {
			return vectors(w) && slices.Contains([]string{simtc.BypassOnes, simtc.BypassBoth, simtc.BypassAll}, w.Bypass)
		},
		without: func(w simtc.Strategy) []simtc.Strategy {
			return changed(w, func(w *simtc.Strategy) {
				if w.Bypass == simtc.BypassOnes {
					w.Bypass = simtc.BypassNone
				} else {
					w.Bypass = simtc.BypassZeros
				}
			})
		},
	},
	{
		name: "defer", files: []string{"opt/lanes/deferral"},
		uses:    func(w simtc.Strategy) bool { return w.Width > 1 && w.Divergence == simtc.Defer },
		without: masked,
	},
	{
		name: "refill", files: []string{"opt/lanes/refill"},
		uses:    func(w simtc.Strategy) bool { return w.Width > 1 && w.Divergence == simtc.Refill },
		without: masked,
	},
	{
		name: "iterations as lanes", files: []string{"opt/lanes/iterations"},
		uses: func(w simtc.Strategy) bool { return w.Lanes == simtc.Iterations },
		without: func(w simtc.Strategy) []simtc.Strategy {
			return []simtc.Strategy{{Target: w.Target, Lanes: simtc.Items}}
		},
	},
	{
		name: "block IPs", files: []string{"blockip"},
		uses: func(w simtc.Strategy) bool { return w.Width > 1 && w.Linearizer == simtc.BlockIP },
		without: func(w simtc.Strategy) []simtc.Strategy {
			return []simtc.Strategy{{Target: w.Target, Linearizer: simtc.Partial}, {Target: w.Target, Width: 1}}
		},
	},
	{
		name: "scalar forms", launches: true, target: simtc.AVX512, files: []string{"pipeline/scalar.go"},
		uses: func(w simtc.Strategy) bool { return w.Scalar != "" && w.Scalar != simtc.Threaded },
		without: func(w simtc.Strategy) []simtc.Strategy {
			return changed(w, func(w *simtc.Strategy) { w.Scalar = "" })
		},
	},
	{
		name: "engine's compiler", launches: true, target: simtc.WASM,
		uses: func(w simtc.Strategy) bool { return w.Engine != "" },
		without: func(w simtc.Strategy) []simtc.Strategy {
			return changed(w, func(w *simtc.Strategy) { w.Engine = "" })
		},
	},
	{
		name: tuningFeature, launches: true, files: []string{"launch/tuned.go", "launch/tuning.go", "pipeline/tune.go"},
		uses:    func(simtc.Strategy) bool { return false },
		without: func(simtc.Strategy) []simtc.Strategy { return nil },
	},
}

func masked(w simtc.Strategy) []simtc.Strategy {
	return changed(w, func(w *simtc.Strategy) { w.Divergence = simtc.Mask })
}

func featureNames() []string {
	var out []string
	for _, f := range features {
		out = append(out, f.name)
	}
	return out
}

// candidate is a strategy of a kernel for the measurement of features.
type candidate struct {
	*subject
	strategy simtc.Strategy
	tried    bool // by launches with tuning
	used     float64
}

// candidates returns the strategies that launches of k with tuning would compare, the plan's choice
// first.
func (a *ablation) candidates(k *reference) ([]*candidate, error) {
	o := a.options(k.b, a.widths[0], false)
	o.Target, o.Emulate = a.target, a.emulates()
	p, err := simtc.Compile(k.b.source, o)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	tuned, err := p.Kernel(k.b.command.Kernel)
	if err != nil {
		return nil, err
	}
	if tuned, err = tuned.ForLaunch(k.rng, k.args...); err != nil {
		return nil, err
	}
	costs, err := tuned.Costs()
	if err != nil {
		return nil, err
	}
	out, err := k.with(nil, k.strategy, true)
	if err != nil {
		return nil, err
	}
	for _, c := range costs {
		if c.Turn > 0 {
			if out, err = k.with(out, c.Strategy, true); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// with adds the candidate with a strategy, with all choices made, unless list has it.
func (k *reference) with(list []*candidate, w simtc.Strategy, tried bool) ([]*candidate, error) {
	kernel, err := k.kernel.With(w)
	if err != nil {
		return nil, err
	}
	made, err := kernel.Strategy()
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		if c.strategy == made {
			c.tried = c.tried || tried
			return list, nil
		}
	}
	x := *k.subject
	x.kernel = kernel
	return append(list, &candidate{subject: &x, strategy: made, tried: tried}), nil
}

// fastest returns the candidate of list with the least time that launches with tuning try, or that
// replaces such a one, and that does not use the feature f; nil: any.
func fastest(list []*candidate, f *feature, replacements bool) *candidate {
	var best *candidate
	for _, c := range list {
		if (c.tried || replacements) && (f == nil || !f.uses(c.strategy)) && (best == nil || c.used < best.used) {
			best = c
		}
	}
	return best
}

// features measures the effects of features on k.
func (a *ablation) features(k *reference) error {
	switch {
	case !k.runs || a.ablate == byCode:
		for _, p := range a.choices {
			if p.feature.uses(k.strategy) {
				a.effects[p.name].changed++
			}
		}
		return nil
	case a.ablate == byInstructions:
		return a.planned(k)
	}
	list, err := a.candidates(k)
	if err != nil {
		return err
	}
	planned := list[0]
	if err := a.time(k, list); err != nil {
		return err
	}
	best := fastest(list, nil, false)
	for _, more := range a.others(best.strategy) {
		if list, err = k.with(list, more, true); err != nil {
			return err
		}
	}
	for _, c := range slices.Clone(list) {
		for _, p := range a.choices {
			if p.feature.uses(c.strategy) && (c == planned || c == best) {
				if list, err = k.withoutFeature(list, c.strategy, p.feature); err != nil {
					return err
				}
			}
		}
	}
	if err := a.time(k, list); err != nil {
		return err
	}
	best = fastest(list, nil, false)
	for _, p := range a.choices {
		off := fastest(list, p.feature, p.feature.uses(best.strategy))
		if p.name == tuningFeature {
			off = planned
		}
		a.replace(k, p, best, off)
	}
	return nil
}

// planned compares the plan's choice with strategies that replace it.
func (a *ablation) planned(k *reference) error {
	for _, p := range a.choices {
		on := &candidate{subject: k.subject, strategy: k.strategy}
		if !p.feature.uses(k.strategy) {
			a.replace(k, p, on, on)
			continue
		}
		list, err := k.withoutFeature(nil, k.strategy, p.feature)
		if err != nil {
			return err
		}
		if err := a.time(k, append(list, on)); err != nil {
			return err
		}
		a.replace(k, p, on, fastest(list, p.feature, true))
	}
	return nil
}

// withoutFeature adds the strategies that replace w without the feature f.
func (k *reference) withoutFeature(list []*candidate, w simtc.Strategy, f *feature) (_ []*candidate, err error) {
	for _, other := range f.without(w) {
		if list, err = k.with(list, other, false); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// replace records the effect of running off instead of on without the feature of p.
func (a *ablation) replace(k *reference, p part, on, off *candidate) {
	e := a.effects[p.name]
	switch {
	case math.IsInf(on.used, 1): // noted
	case off == nil || math.IsInf(off.used, 1):
		a.notes = append(a.notes, k.b.name+": no strategy to measure without "+p.name)
	case off == on:
		e.add(k.b.name, 1)
	default:
		e.changed++
		e.add(k.b.name, off.used/on.used)
	}
}

// addOnce adds text unless list has it: candidates are measured twice.
func addOnce(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// others lists the other forms of the code of a strategy that launches try once it is the fastest.
func (a *ablation) others(w simtc.Strategy) []simtc.Strategy {
	var out []simtc.Strategy
	if a.target == simtc.WASM && w.Engine == "" {
		for _, e := range simtc.Engines() {
			out = append(out, changed(w, func(w *simtc.Strategy) { w.Engine = e })...)
		}
	}
	if a.target == simtc.AVX512 && w.Width == 1 && w.Scalar == "" {
		for _, s := range simtc.Scalars() {
			out = append(out, changed(w, func(w *simtc.Strategy) { w.Scalar = s })...)
		}
	}
	return out
}

// time measures candidates in turn, and compares their results with those of the kernel. One that
// fails counts as infinitely slow.
func (a *ablation) time(k *reference, list []*candidate) error {
	var runs []*subject
	var good []*candidate
	for _, c := range list {
		c.used = math.Inf(1)
		if _, err := a.launch(c.subject); err != nil {
			if a.ctx.Err() != nil {
				return a.ctx.Err()
			}
			a.notes = addOnce(a.notes, k.b.name+": "+c.strategy.String()+": "+firstLine(err.Error()))
			continue
		}
		if !k.byWidth && !slices.Equal(c.checksums(), k.sums) {
			for _, p := range a.choices {
				if p.feature.uses(c.strategy) {
					e := a.effects[p.name]
					e.wrong = addOnce(e.wrong, k.b.name+" with "+c.strategy.String())
				}
			}
		}
		runs, good = append(runs, c.subject), append(good, c)
	}
	used, err := a.interleave(k, runs)
	if err != nil {
		return err
	}
	for i, c := range good {
		c.used = used[i]
	}
	return nil
}
