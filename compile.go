package simtc

import (
	"fmt"
	"slices"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/rounds"
	"github.com/simtc/simtc/vir"
	viropt "github.com/simtc/simtc/vir/opt"
	"github.com/simtc/simtc/workgroup"
)

// passes are the scalar passes, in order. Barriers go when nothing is left to
// simplify and before the kernel takes the form that linearization asks for.
var passes = slices.Concat(
	opt.Passes[:len(opt.Passes)-opt.Required],
	[]opt.Pass{{Name: "barriers", Run: func(f *kernel.Func, st opt.Stats) {
		if workgroup.Split(f, st) {
			opt.RemoveTrivialParams(f, st)
			opt.RemoveDead(f, st)
			opt.SimplifyControl(f, st)
		}
	}}},
	opt.Passes[len(opt.Passes)-opt.Required:],
)

// prepare runs the scalar passes over f. With verify, the IR is checked after
// each, and an error names the pass that broke it.
func prepare(f *kernel.Func, stats opt.Stats, verify bool) (err error) {
	defer guard(&err)
	for _, p := range passes {
		p.Run(f, stats)
		if !verify {
			continue
		}
		if err := kernel.Verify(f); err != nil {
			return fmt.Errorf("after pass %s: %w", p.Name, err)
		}
	}
	return nil
}

// vectorize turns a prepared kernel into a vector function. With verify, the
// vector IR is checked before and after its passes.
func (v *variant) vectorize(f *kernel.Func, verify bool) (err error) {
	defer guard(&err)
	c := v.k.cfg
	f = c.sized(f, v.stats)
	if c.lanes == Rounds {
		f = rounds.Lanes(f, c.roundsOptions(), v.stats)
	}
	if c.width == 1 && !c.counting { // blocks that are counted are the prepared kernel's
		f = opt.OneLane(f, v.stats)
	}
	v.shapes = divergence.Analyze(f, c.divergence())
	v.lowering = lowering{f, v.shapes, c}.melded(v.stats)
	if verify {
		if err := kernel.Verify(v.kernel); err != nil {
			return fmt.Errorf("after melding: %w", err)
		}
	}
	made, report, err := c.linearizer.run(v.lowering)
	if err != nil {
		return err
	}
	check := func(when string) error {
		if !verify {
			return nil
		}
		if err := vir.Verify(made); err != nil {
			return fmt.Errorf("%s: %w", when, err)
		}
		return nil
	}
	if err := check("after linearization"); err != nil {
		return err
	}
	if !c.overlap {
		made.Apart = f.Buffers()
	}
	viropt.Run(made, v.stats, c.target.without...)
	v.vir, v.report = made, report
	return check("after the passes over vir")
}
