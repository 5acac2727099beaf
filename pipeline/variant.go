package pipeline

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/targets"
	"github.com/simtc/simtc/vir"
)

// variant is a kernel compiled with a settled Choice.
type variant struct {
	k *Kernel

	virOnce sync.Once
	vectorized
	deferred vectorized       // the deferred part, if there is one
	shapes   *divergence.Info // of the whole prepared kernel
	vir      *vir.Func        // both parts
	stats    opt.Stats        // of the passes over vir
	virErr   error

	finalOnce sync.Once
	final     *vir.Func // after the last passes
	finalErr  error

	codeOnce sync.Once
	code     targets.Code
	codeErr  error

	execOnce sync.Once
	exec     launch.Executor
	execErr  error

	took time.Duration // compile time so far
}

// timing adds the time until the returned function is called to took.
func (v *variant) timing() func() {
	began := time.Now()
	return func() { v.took += time.Since(began) }
}

// variant returns the kernel's variant, creating it if needed.
func (k *Kernel) variant() (*variant, error) {
	c, err := k.shared.settle(k.cfg)
	if err != nil {
		return nil, err
	}
	return k.shared.variant(c), nil
}

// variant returns the variant for a settled Choice, creating it if needed.
func (s *state) variant(c Choice) *variant {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.variants[c]
	if v == nil {
		v = &variant{k: &Kernel{s, c}}
		s.variants[c] = v
	}
	return v
}

// built returns the variant for a settled Choice, or nil.
func (s *state) built(c Choice) *variant {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.variants[c]
}

// linearized returns the kernel as vector IR.
func (v *variant) linearized() (*vir.Func, error) {
	v.virOnce.Do(func() {
		if c := v.k.cfg; c.scalar != "" { // it affects only code generation
			v.virErr = v.adopt(c)
			return
		}
		f, err := v.k.shared.prepared()
		if err == nil {
			defer v.timing()()
			v.stats = opt.Stats{}
			if err = v.vectorize(f, v.passes()); err != nil {
				err = fmt.Errorf("kernel %s: %w", v.k.Name(), v.k.shared.prog.Located(err))
			}
		}
		v.virErr = err
	})
	return v.vir, v.virErr
}

// finished returns the vector IR from which code is generated. The plan uses the IR before
// the last passes, in which all phases of a group share one loop over strips.
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

// passes returns the context of the passes over the variant.
func (v *variant) passes() *pass.Context {
	c := v.k.shared.passes(v.stats)
	if disabled := v.k.cfg.target.DisabledPasses; disabled != nil {
		c.Disabled = append(c.Disabled, disabled(v.k.cfg.width, v.options())...)
	}
	return c
}

// options returns the options of the target, without the context of passes.
func (v *variant) options() targets.Options {
	return targets.Options{Processor: v.k.shared.prog.Processor, Form: v.k.cfg.scalar, VNNI: v.k.cfg.vnni}
}

// tooLong reports whether err says that code exceeds a limit of the target or of the engine that runs it.
func tooLong(err error) bool {
	var limit *targets.LimitError
	return errors.As(err, &limit) || errors.Is(err, wasmhost.ErrTooLarge)
}

// adopt copies the vector IR of the variant that differs only in the form of one-lane code.
func (v *variant) adopt(c Choice) error {
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
				err = fmt.Errorf("kernel %s: %w", v.k.Name(), v.k.shared.prog.Located(err))
			}
		}
		v.codeErr = err
	})
	return v.codeErr
}

func (v *variant) generate(f *vir.Func) (_ targets.Code, err error) {
	defer v.timing()()
	defer Guard(&err)
	o := v.options()
	o.Context = v.passes()
	return v.k.cfg.target.Compile(f, o)
}

// program returns the description for executors.
func (v *variant) program() launch.Program {
	raw, d := v.k.shared.raw, v.k.cfg.laneDim.dimension()
	p := launch.Program{
		Kernel: raw, Width: v.vir.Width, Scratch: v.vir.Scratch, Groups: v.vir.Groups, Phases: v.vir.Phases,
		Strict: v.k.shared.prog.StrictBarriers, LaneDim: d,
		Tiles: len(v.k.shared.lanesAlong(d).distant) > 0, Columns: v.k.shared.columns(d),
	}
	if v.k.cfg.laneDim == joinedRows {
		p.Joined = v.k.cfg.group
	}
	if len(cfg.Cycles(raw.Graph()).Cycles) == 0 {
		p.Straight = raw.NumValues() + 1
	}
	if v.k.cfg.counting {
		p.Counters = v.counted().Graph.Len()
	}
	return p
}

// interpreted returns the kernel for the interpreter: as lowered, or for profiles prepared,
// which has the blocks that other targets count.
func (k *Kernel) interpreted() (*kernel.Func, error) {
	if k.cfg.counting {
		return k.shared.prepared()
	}
	return k.shared.lowered()
}

// executor returns an executor for the kernel.
func (k *Kernel) executor() (launch.Executor, error) {
	_, e, err := k.runnable()
	return e, err
}

// runnable returns the variant that runs on the host, and its executor. It differs from
// Kernel.variant if the target rejects the code of the planned width and the width is open.
func (k *Kernel) runnable() (*variant, launch.Executor, error) {
	for {
		v, err := k.variant()
		if err != nil {
			return nil, nil, err
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

// executorOf returns an executor for a variant of k.
func (k *Kernel) executorOf(v *variant) (launch.Executor, error) {
	v.execOnce.Do(func() {
		if k.cfg.target.Scalar {
			f, err := k.interpreted()
			if err != nil {
				v.execErr = err
				return
			}
			v.exec = launch.NewSubGroupInterpreter(f, k.shared.prog.MaxSteps, k.shared.prog.StrictBarriers, v.k.cfg.width)
			return
		}
		if v.execErr = canRun(k.cfg.target, &k.shared.prog.Settings); v.execErr != nil {
			return
		}
		if v.execErr = v.generated(); v.execErr != nil {
			return
		}
		defer v.timing()()
		v.exec, v.execErr = v.load()
		if v.execErr != nil {
			v.execErr = fmt.Errorf("kernel %s: %w", k.Name(), v.execErr)
		}
	})
	return v.exec, v.execErr
}
