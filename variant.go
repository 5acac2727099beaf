package simtc

import (
	"fmt"
	"sync"
	"time"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/vir"
	viropt "github.com/simtc/simtc/vir/opt"
)

// variant is a kernel compiled in one settled way.
type variant struct {
	k *Kernel

	virOnce sync.Once
	vectorized
	later  vectorized       // what work-items do that are put off, if some are
	shapes *divergence.Info // of the prepared kernel, whole
	vir    *vir.Func        // of both
	stats  opt.Stats        // what the passes over vir did
	virErr error

	finalOnce sync.Once
	final     *vir.Func // what becomes code
	finalErr  error

	codeOnce sync.Once
	code     code
	codeErr  error

	execOnce sync.Once
	exec     launch.Executor
	execErr  error

	took time.Duration // to make all of it so far
}

// timing adds the time until what it returns is called to what the variant took.
func (v *variant) timing() func() {
	began := time.Now()
	return func() { v.took += time.Since(began) }
}

// variant finds or makes the kernel's variant.
func (k *Kernel) variant() (*variant, error) {
	c, err := k.shared.settle(k.cfg)
	if err != nil {
		return nil, err
	}
	return k.shared.variant(c), nil
}

// variant finds or makes the variant for a settled config.
func (s *kernelState) variant(c config) *variant {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.variants[c]
	if v == nil {
		v = &variant{k: &Kernel{s, c, nil}}
		s.variants[c] = v
	}
	return v
}

// built returns the variant for a settled config if there is one already.
func (s *kernelState) built(c config) *variant {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.variants[c]
}

// linearized returns the kernel as vector IR.
func (v *variant) linearized() (*vir.Func, error) {
	v.virOnce.Do(func() {
		if c := v.k.cfg; c.scalar != "" { // which only the code shows
			v.virErr = v.adopt(c)
			return
		}
		f, err := v.k.shared.prepared()
		if err == nil {
			defer v.timing()()
			v.stats = opt.Stats{}
			if err = v.vectorize(f, v.k.shared.prog.opt.Verify); err != nil {
				err = fmt.Errorf("kernel %s: %w", v.k.Name(), v.k.shared.prog.compileError(err))
			}
		}
		v.virErr = err
	})
	return v.vir, v.virErr
}

// finished returns the vector IR as it becomes code. What the plan looks at is that from
// before: there all phases of a group are in one loop over strips.
func (v *variant) finished() (*vir.Func, error) {
	v.finalOnce.Do(func() {
		f, err := v.linearized()
		c := v.k.cfg
		switch {
		case err != nil:
		case c.scalar != "":
			c.scalar = ""
			v.final, err = v.k.shared.variant(c).finished()
		default:
			v.final, err = v.finish(f)
		}
		v.finalErr = err
	})
	return v.final, v.finalErr
}

func (v *variant) finish(f *vir.Func) (_ *vir.Func, err error) {
	defer v.timing()()
	defer guard(&err)
	f = viropt.RunFinal(f, viropt.Stats(v.stats), v.k.cfg.target.without...)
	return f, verifyVIR(f, v.k.shared.prog.opt.Verify, "after the last passes over vir")
}

// adopt takes the vector IR of the variant that is c but for the form of scalar code.
func (v *variant) adopt(c config) error {
	c.scalar = ""
	same := v.k.shared.variant(c)
	f, err := same.linearized()
	v.vectorized, v.shapes, v.vir, v.stats = same.vectorized, same.shapes, f, same.stats
	return err
}

// generated compiles the variant to code.
func (v *variant) generated() error {
	v.codeOnce.Do(func() {
		f, err := v.finished()
		if err == nil {
			if v.code, err = v.generate(f); err != nil {
				err = fmt.Errorf("kernel %s: %w", v.k.Name(), v.k.shared.prog.compileError(err))
			}
		}
		v.codeErr = err
	})
	return v.codeErr
}

func (v *variant) generate(f *vir.Func) (_ code, err error) {
	defer v.timing()()
	defer guard(&err)
	return v.k.cfg.target.generate(v, f)
}

// program is what executors need to know.
func (v *variant) program() launch.Program {
	raw := v.k.shared.raw
	p := launch.Program{
		Kernel: raw, Width: v.vir.Width, Scratch: v.vir.Scratch, Groups: v.vir.Groups, Phases: v.vir.Phases,
		Strict: v.k.shared.prog.opt.StrictBarriers, Tiles: v.k.shared.apart,
	}
	if v.k.cfg.counting {
		p.Counters = v.counted().graph.Len()
	}
	return p
}

// interpreted returns what the interpreter runs: the kernel as the front end
// made it, or if blocks are counted the same blocks that the other targets run.
func (k *Kernel) interpreted() (*kernel.Func, error) {
	if k.cfg.counting {
		return k.shared.prepared()
	}
	return k.shared.lowered()
}

// executor returns the kernel in a form that runs.
func (k *Kernel) executor() (launch.Executor, error) {
	_, e, err := k.runnable()
	return e, err
}

// runnable returns the variant that runs here, and its executor. It is not Kernel.variant
// where the processor lacks AVX-512 and the code has one lane, nor, if the width is open,
// where the target refuses the code of the planned width.
func (k *Kernel) runnable() (*variant, launch.Executor, error) {
	for {
		v, err := k.variant()
		if err != nil {
			return nil, nil, err
		}
		if c := v.k.cfg.here(&k.shared.prog.opt); c != v.k.cfg {
			v = k.shared.variant(c)
		}
		e, err := k.executorOf(v)
		if !tooLong(err) {
			return v, e, err
		}
		if err := k.shared.narrow(k.cfg, v.k.cfg, err); err != nil {
			return nil, nil, err
		}
	}
}

// executorOf returns a variant of k in a form that runs.
func (k *Kernel) executorOf(v *variant) (launch.Executor, error) {
	v.execOnce.Do(func() {
		if k.cfg.target.scalar {
			f, err := k.interpreted()
			if err != nil {
				v.execErr = err
				return
			}
			v.exec = launch.NewSubGroupInterpreter(f, k.shared.prog.opt.MaxSteps, k.shared.prog.opt.StrictBarriers, v.k.cfg.width)
			return
		}
		if v.execErr = k.cfg.target.canRun(&k.shared.prog.opt, k.cfg.width); v.execErr != nil {
			return
		}
		if v.execErr = v.generated(); v.execErr != nil {
			return
		}
		defer v.timing()()
		v.exec, v.execErr = v.code.executor(v.program())
		if v.execErr != nil {
			v.execErr = fmt.Errorf("kernel %s: %w", k.Name(), v.execErr)
		}
	})
	return v.exec, v.execErr
}
