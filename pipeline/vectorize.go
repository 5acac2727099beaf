package pipeline

import (
	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt/lanes/deferral"
	"github.com/simtc/simtc/opt/lanes/refill"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/widen"
)

// prepare runs the scalar passes over f, which all strategies share.
func prepare(f *kernel.Func, c *pass.Context) (err error) {
	defer Guard(&err)
	list := scalarPasses
	if f.Prepared || f.Uses(kernel.GroupState) {
		list = preparedPasses
	}
	if err := list.Run(f, c); err != nil {
		return err
	}
	f.Prepared = true
	return nil
}

// vectorize converts a prepared kernel to a vector function: the passes that depend on the
// lanes, linearization, and the passes over vir, for each part of the kernel.
func (v *variant) vectorize(f *kernel.Func, c *pass.Context) (err error) {
	defer Guard(&err)
	u := &unit{cfg: v.k.cfg, parts: []lowering{{kernel: f, cfg: v.k.cfg}}}
	if err := lanePasses.Run(u, c); err != nil {
		return err
	}
	v.shapes = u.shapes
	parts := make([]vectorized, len(u.parts))
	for i, in := range u.parts {
		if parts[i], err = v.linearize(in, c); err != nil {
			return err
		}
		if err := vectorPasses.Run(parts[i].vir, c); err != nil {
			return err
		}
	}
	v.vectorized, v.vir = parts[0], parts[0].vir
	if len(parts) > 1 {
		v.deferred = parts[1]
	}
	return v.join(u, c)
}

// linearize makes the control flow of a part uniform.
func (v *variant) linearize(in lowering, c *pass.Context) (p vectorized, err error) {
	p.lowering = in
	p.vir, err = pass.Convert(c, linearizeStage, in.cfg.linearizer.name, func() (f *vir.Func, err error) {
		if f, p.report, err = in.cfg.linearizer.run(in); err != nil {
			return f, err
		}
		f.NoAlias = in.kernel.Buffers()
		if in.cfg.overlap {
			f.NoAlias = in.kernel.Unaliased()
		}
		return f, nil
	}, vir.Verify)
	return p, err
}

// join adds the code around the parts: the queue of deferred work-items, or the fetching of
// work-items.
func (v *variant) join(u *unit, c *pass.Context) error {
	switch {
	case u.split != nil:
		q := widen.Queue{FirstArg: deferral.FirstArg, Fields: u.split.Fields}
		if v.k.cfg.counting {
			q.Counted = len(v.kernel.Blocks)
		}
		v.vir = widen.Defer(v.vectorized.vir, v.deferred.vir, q)
	case u.refilled:
		v.vir = widen.Refill(v.vectorized.vir, refill.FirstArg)
	default:
		return nil
	}
	return joinPasses.Run(v.vir, c)
}

// finish runs the passes between planning and code generation.
func (v *variant) finish(f *vir.Func) (_ *vir.Func, err error) {
	defer v.timing()()
	defer Guard(&err)
	f = vir.Clone(f)
	return f, finalPasses.Run(f, v.passes())
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
