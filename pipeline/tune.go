package pipeline

import (
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/plan"
)

// A plan is an estimate. Launches verify it: they start with the plan's choice and sample
// close candidates on part of the work as soon as that can pay off. See launch.Tuned.

// maxTuned bounds the operations of a kernel that is compiled several times for tuning,
// because launches wait for it.
const maxTuned = 10000

// tuned is an executor of a plan's candidates.
type tuned struct {
	*launch.Tuned
	configs []Choice // by version
}

// Runner returns the executor of launches: one that compares candidates, or that of the strategy.
func (k *Kernel) Runner() (launch.Executor, error) {
	t, err := k.tuned()
	if err != nil {
		return nil, err
	}
	if t != nil {
		return t, nil
	}
	return k.executor()
}

// tunes reports whether launches may try other candidates.
func (k *Kernel) tunes() (bool, error) {
	s, c := k.shared, k.cfg
	forced := c.lanes == Iterations || c.width != 0 || c.linearizer != nil || c.bypass != "" || c.divergence != "" || c.laneDim != 0 || c.scalar != "" || c.engine != ""
	if s.prog.NoTuning || forced || !c.target.Compiled() || c.counting {
		return false, nil
	}
	_, err := s.prepared()
	return err == nil && !s.subGroups && s.raw.NumValues() <= maxTuned, err
}

// tuned returns the executor that tunes the kernel, or nil if there is one candidate.
func (k *Kernel) tuned() (*tuned, error) {
	s, c := k.shared, k.cfg
	if tunes, err := k.tunes(); err != nil || !tunes {
		return nil, err
	}
	p, err := s.planFor(c)
	if err != nil {
		return nil, err
	}
	p.tunedOnce.Do(func() {
		configs := []Choice{p.configs[p.Chosen]}
		first, err := s.settledExecutor(configs[0])
		if err != nil {
			p.tunedErr = err
			return
		}
		var others []launch.Version
		try := func(x Choice, after int) {
			configs = append(configs, x)
			others = append(others, launch.Version{Make: func() (launch.Executor, error) { return s.settledExecutor(x) }, After: after, Kind: x.kind(), LaneDim: int(x.laneDim), MinItems: x.minItems()})
		}
		version := map[int]int{p.Chosen: 0, plan.Always: launch.Always} // by candidate
		for _, r := range p.Rivals() {
			try(p.configs[r.Candidate], version[r.After])
			version[r.Candidate] = len(configs) - 1
		}
		for i, n := 0, len(configs); i < n; i++ {
			for _, forms := range []func(Choice, int) ([]Choice, []launch.Version){s.otherScalarForms, s.otherEngine} {
				more, versions := forms(configs[i], i)
				configs, others = append(configs, more...), append(others, versions...)
			}
		}
		if len(others) == 0 {
			return
		}
		p.tuned = &tuned{launch.NewTuned(first, configs[0].kind(), int(configs[0].laneDim), s.variant(configs[0]).took, others...), configs}
	})
	if tooLong(p.tunedErr) {
		if err := s.narrow(c, p.configs[p.Chosen], p.tunedErr); err != nil {
			return nil, err
		}
		return k.tuned()
	}
	return p.tuned, p.tunedErr
}

// Tuner returns the executor that compares candidates; nil if there is one candidate.
func (k *Kernel) Tuner() (*launch.Tuned, error) {
	t, err := k.tuned()
	if t == nil || err != nil {
		return nil, err
	}
	return t.Tuned, nil
}

// KeepContents returns the contents of the memory that the kernel may write; nil if it has more
// than limit bytes.
func (k *Kernel) KeepContents(args []launch.Arg, limit int64) *launch.Contents {
	return launch.KeepContents(k.shared.raw, args, limit)
}

// Candidates lists the strategies that launches compare, by version of Tuner; nil if there is one.
func (k *Kernel) Candidates() ([]Strategy, error) {
	t, err := k.tuned()
	if t == nil || err != nil {
		return nil, err
	}
	var out []Strategy
	for _, c := range t.configs {
		out = append(out, c.strategy())
	}
	return out, nil
}

// kind groups configs of similar performance: one lane, work-items in lanes, iterations in
// lanes, refilled lanes.
func (c Choice) kind() int {
	switch {
	case c.lanes == Iterations:
		return 3
	case c.divergence == Refill && c.width > 1:
		return 4
	}
	return min(c.width, 2)
}

// minItems returns the minimum number of work-items of a representative sample: with refill,
// enough that the idle lanes at the end do not matter.
func (c Choice) minItems() int {
	const each = 128
	if c.divergence == Refill && c.width > 1 {
		return each * c.width
	}
	return 0
}

// settledExecutor returns an executor for a settled Choice.
func (s *state) settledExecutor(c Choice) (launch.Executor, error) {
	return (&Kernel{s, c}).executor()
}

// Fastest returns the strategy that launches over ranges like that given to For have found to
// be the fastest so far. Until they find a faster one, it is Strategy.
func (k *Kernel) Fastest() (Strategy, error) {
	t, err := k.tuned()
	if err != nil || t == nil {
		return k.Strategy()
	}
	return t.configs[t.Best()].strategy(), nil
}
