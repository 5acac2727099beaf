package simtc

import (
	"fmt"
	"slices"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/exittest"
	"github.com/simtc/simtc/opt/interior"
	"github.com/simtc/simtc/opt/postpone"
	"github.com/simtc/simtc/opt/refill"
	"github.com/simtc/simtc/opt/rounds"
	"github.com/simtc/simtc/opt/tripcount"
	"github.com/simtc/simtc/vir"
	viropt "github.com/simtc/simtc/vir/opt"
	"github.com/simtc/simtc/vir/opt/control"
	"github.com/simtc/simtc/widen"
	"github.com/simtc/simtc/workgroup"
)

// passes are the scalar passes, in order. Barriers are lowered after all simplification and
// before the kernel takes the form that linearization requires.
var passes = slices.Concat(
	opt.Passes[:len(opt.Passes)-opt.Required],
	[]opt.Pass{{Name: "barriers", Run: workgroup.Barriers}},
	opt.Passes[len(opt.Passes)-opt.Required:],
)

// preparedPasses are the passes over a prepared kernel read from text. The simplifying passes have run;
// they are not idempotent and would change it. In a kernel that was split at its barriers they
// would also remove stores to private memory that later phases read.
var preparedPasses = slices.Concat(
	[]opt.Pass{{Name: "unreachable", Run: opt.RemoveUnreachable}},
	opt.Passes[len(opt.Passes)-opt.Required:],
)

// prepare runs the scalar passes over f. With verify, the IR is checked after each one, and an
// error names the pass that broke it.
func prepare(f *kernel.Func, stats opt.Stats, verify bool) (err error) {
	defer guard(&err)
	todo := passes
	if f.Prepared || f.Uses(kernel.GroupState) {
		todo = preparedPasses
	}
	for _, p := range todo {
		p.Run(f, stats)
		if !verify {
			continue
		}
		if err := kernel.Verify(f); err != nil {
			return fmt.Errorf("after pass %s: %w", p.Name, err)
		}
	}
	f.Prepared = true
	return nil
}

// vectorize converts a prepared kernel to a vector function. With verify, the vector IR is
// checked before and after its passes.
func (v *variant) vectorize(f *kernel.Func, verify bool) (err error) {
	defer guard(&err)
	c := v.k.cfg
	f = c.sized(f, v.stats)
	if !c.far && !c.counting { // profiles count the blocks of the prepared kernel
		f = opt.Near(f, v.stats)
	}
	if c.lanes == Iterations {
		f = rounds.Lanes(f, c.iterationOptions(), v.stats)
	}
	if c.bypass == BypassRefill && c.width > 1 {
		if g := refill.Loop(f, divergence.Analyze(f, c.divergence()), refill.Options{Far: c.far}); g != nil {
			return v.vectorizeRefill(g, verify)
		}
	}
	f, v.shapes = c.applyWidthTransforms(f, v.stats)
	if c.bypass == BypassPostpone && c.width > 1 {
		if parts := postpone.Split(f, v.shapes, postpone.Options{Far: c.far, Apart: !c.overlap, Leave: c.counting}); parts != nil {
			return v.vectorizeParts(parts, verify)
		}
	}
	v.vectorized, err = v.vectorizePart(c, f, v.shapes, verify)
	v.vir = v.vectorized.vir
	return err
}

// applyWidthTransforms runs the transforms that depend on the width and returns the result with the shapes
// of its values. It turns the exit conditions of loops with small or uniform trip counts into
// trip counts, evaluates post-loop comparisons at loop exits, and versions code for lanes
// away from boundaries. Width 1 has transforms of its own.
func (c config) applyWidthTransforms(f *kernel.Func, stats opt.Stats) (*kernel.Func, *divergence.Info) {
	analyze := func(f *kernel.Func) *divergence.Info { return divergence.Analyze(f, c.divergence()) }
	shapes := analyze(f)
	if c.lanes == Iterations || c.counting { // profiles count the blocks of the prepared kernel
		return f, shapes
	}
	for {
		made := tripcount.Count(f, shapes, stats)
		if made == f {
			break
		}
		f, shapes = made, analyze(made)
	}
	if c.width == 1 {
		if made := opt.OneLane(f, stats); made != f {
			f, shapes = made, analyze(made)
		}
		return f, shapes
	}
	if made := exittest.Move(f, shapes, stats); made != f {
		f, shapes = made, analyze(made)
	}
	if made := interior.Split(f, shapes, c.width, analyze, stats); made != f {
		f, shapes = made, analyze(made)
	}
	return f, shapes
}

// vectorized is the vectorized form of a kernel, or of one of the parts that it was split into.
type vectorized struct {
	lowering
	vir    *vir.Func
	report *widen.Report
}

// parts lists the parts of v: itself, or the immediate and the deferred part.
func (v *variant) parts() []*vectorized {
	if v.deferred.kernel == nil {
		return []*vectorized{&v.vectorized}
	}
	return []*vectorized{&v.vectorized, &v.deferred}
}

// vectorizeParts vectorizes a kernel that was split into an immediate and a deferred part.
func (v *variant) vectorizeParts(p *postpone.Parts, verify bool) (err error) {
	part := func(f *kernel.Func) (vectorized, error) {
		return v.vectorizePart(v.k.cfg, f, divergence.Analyze(f, v.k.cfg.divergence()), verify)
	}
	if v.vectorized, err = part(p.Now); err != nil {
		return err
	}
	if v.deferred, err = part(p.Later); err != nil {
		return err
	}
	v.stats.Add("regions deferred", 1)
	q := widen.Queue{FirstArg: postpone.FirstArg, Fields: p.Fields}
	if v.k.cfg.counting {
		q.Counted = len(v.kernel.Blocks)
	}
	v.vir = widen.Postpone(v.vectorized.vir, v.deferred.vir, q)
	control.Control(v.vir, viropt.Stats(v.stats))
	return verifyVIR(v.vir, verify, "after joining the deferred part")
}

// vectorizeRefill vectorizes a kernel whose lanes fetch work-items themselves. To queries of the
// work-item, all lanes are one.
func (v *variant) vectorizeRefill(f *kernel.Func, verify bool) (err error) {
	c := v.k.cfg
	c.lanes = Iterations
	v.shapes = divergence.Analyze(f, c.divergence())
	if v.vectorized, err = v.vectorizePart(c, f, v.shapes, verify); err != nil {
		return err
	}
	v.stats.Add("loops refilled", 1)
	v.vir = widen.Refill(v.vectorized.vir, refill.FirstArg)
	control.Control(v.vir, viropt.Stats(v.stats))
	return verifyVIR(v.vir, verify, "after adding the fetching of work-items")
}

// vectorizePart linearizes f, whose values have the given shapes, and runs the passes over the
// vector IR.
func (v *variant) vectorizePart(c config, f *kernel.Func, shapes *divergence.Info, verify bool) (p vectorized, err error) {
	p.lowering = lowering{f, shapes, c}.melded(v.stats)
	if verify {
		if err := kernel.Verify(p.kernel); err != nil {
			return p, fmt.Errorf("after melding: %w", err)
		}
	}
	if p.vir, p.report, err = c.linearizer.run(p.lowering); err != nil {
		return p, err
	}
	if err := verifyVIR(p.vir, verify, "after linearization"); err != nil {
		return p, err
	}
	if !c.overlap {
		p.vir.Apart = f.Buffers()
	}
	viropt.Run(p.vir, v.stats, c.target.passesDisabledFor(v.k.shared.prog.opt.Processor, c.width, c.vnni)...)
	return p, verifyVIR(p.vir, verify, "after the passes over vir")
}

func verifyVIR(f *vir.Func, verify bool, when string) error {
	if !verify {
		return nil
	}
	if err := vir.Verify(f); err != nil {
		return fmt.Errorf("%s: %w", when, err)
	}
	return nil
}
