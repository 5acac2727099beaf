package simtc

import (
	"context"
	"time"

	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/plan"
)

// A plan is a guess. Launches find out whether it was right: they begin with
// what it chose, and where other candidates come close to it, these are tried on
// some of the work once that can pay for itself. See launch.Tuned.

// mostTuned is how many operations a kernel may have to be made several times:
// launches wait meanwhile.
const mostTuned = 10000

// tuned is an executor of a plan's candidates.
type tuned struct {
	*launch.Tuned
	configs []config // of its versions
}

// runner returns what launches run: the kernel compiled as its options ask for,
// or as the plan and launches so far tell.
func (k *Kernel) runner() (launch.Executor, error) {
	t, err := k.tuned()
	if err != nil {
		return nil, err
	}
	if t != nil {
		return t, nil
	}
	return k.executor()
}

// tunes reports whether launches may try other candidates than the choice.
func (k *Kernel) tunes() (bool, error) {
	s, c := k.shared, k.cfg
	forced := c.lanes == Rounds || c.width != 0 || c.linearizer != nil || c.bypass != "" || c.scalar != "" || c.engine != ""
	if s.prog.opt.NoTuning || forced || !c.target.compiled || c.counting {
		return false, nil
	}
	_, err := s.prepared()
	return err == nil && !s.subGroups && s.raw.NumValues() <= mostTuned, err
}

// tuned returns the executor that chooses among the kernel's candidates, nil if
// there is nothing to choose from.
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
		configs := []config{p.configs[p.Chosen]}
		first, err := s.settledExecutor(configs[0])
		if err != nil {
			p.tunedErr = err
			return
		}
		var others []launch.Version
		try := func(x config, after int) {
			configs = append(configs, x)
			others = append(others, launch.Version{Make: func() (launch.Executor, error) { return s.settledExecutor(x) }, After: after, Kind: x.kind(), MinItems: x.piece()})
		}
		// Native code of one lane comes before that of an engine: it is mostly faster.
		natively := func(x config, after int) {
			if native := x.target.native(&s.prog.opt); native != nil && c.open && x.width == 1 {
				x.target = native
				try(x, after)
			}
		}
		natively(configs[0], launch.Always)
		version := map[int]int{p.Chosen: 0, plan.Always: launch.Always} // by candidate
		for _, r := range p.Rivals() {
			natively(p.configs[r.Candidate], version[r.After])
			try(p.configs[r.Candidate], version[r.After])
			version[r.Candidate] = len(configs) - 1
		}
		for i, n := 0, len(configs); i < n; i++ {
			for _, forms := range []func(config, int) ([]config, []launch.Version){s.otherForms, s.otherEngine} {
				more, versions := forms(configs[i], i)
				configs, others = append(configs, more...), append(others, versions...)
			}
		}
		if len(others) == 0 {
			return
		}
		p.tuned = &tuned{launch.NewTuned(first, configs[0].kind(), s.variant(configs[0]).took, others...), configs}
	})
	if tooLong(p.tunedErr) {
		if err := s.narrow(c, p.configs[p.Chosen], p.tunedErr); err != nil {
			return nil, err
		}
		return k.tuned()
	}
	return p.tuned, p.tunedErr
}

// Tune finds out how the kernel runs fastest over r with args, as launches would when they
// find the time: it launches the kernel again and again until all candidates that are close
// have been compared, the closest once more by launches in a row, or limit has passed, and
// leaves memory as it was. Launches over ranges like r then run that way from the first on.
// What the kernel prints is lost.
// limit does not end a launch, as ctx does.
//
// It does nothing where there is nothing to choose from, where launches have compared it, and
// where what the kernel may write to, which is put back after every launch, is more than a
// byte for each nanosecond of limit.
func (k *Kernel) Tune(ctx context.Context, limit time.Duration, r Range, args ...any) error {
	k, r, as, err := k.WithOutput(nil).launching(r, args)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return k.ended(ctx, context.Cause(ctx))
	}
	t, err := k.tuned()
	if t == nil || err != nil || r.Empty() {
		return err
	}
	return k.withVariables(ctx, as, func(as []Arg) error {
		began := time.Now()
		contents := launch.KeepContents(k.shared.raw, as, limit.Nanoseconds())
		if contents == nil {
			return nil
		}
		return t.Tune(limit-time.Since(began), func() error {
			defer contents.Restore()
			return k.run(ctx, t, r, as)
		})
	})
}

// kind tells scalar code from that of vectors, of work-items, taken one after the other or not,
// or of rounds.
func (c config) kind() int {
	switch {
	case c.lanes == Rounds:
		return 3
	case c.bypass == BypassRefill && c.width > 1:
		return 4
	}
	return min(c.width, 2)
}

// piece is how many work-items of a launch show how fast code is: where lanes take work-items
// one after the other, so many that it matters little that they idle at the end.
func (c config) piece() int {
	const each = 128
	if c.bypass == BypassRefill && c.width > 1 {
		return each * c.width
	}
	return 0
}

// settledExecutor compiles the kernel in a settled way.
func (s *kernelState) settledExecutor(c config) (launch.Executor, error) {
	return (&Kernel{s, c, nil}).executor()
}

// Fastest is the way that launches over ranges like the one that For was given
// have found to be the fastest so far; it is Way until they find a faster one.
func (k *Kernel) Fastest() (Way, error) {
	t, err := k.tuned()
	if err != nil || t == nil {
		return k.Way()
	}
	return t.configs[t.Best()].way(), nil
}
