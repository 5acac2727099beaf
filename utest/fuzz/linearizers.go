package fuzz

import (
	"github.com/simtc/simtc/blockip"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt/lanes/deferral"
	"github.com/simtc/simtc/opt/lanes/refill"
	"github.com/simtc/simtc/structurize"
	"github.com/simtc/simtc/vir"
	viropt "github.com/simtc/simtc/vir/opt"
	"github.com/simtc/simtc/widen"
)

type linearize func(f *kernel.Func, info *divergence.Info, o widen.Options) (*vir.Func, error)

// linearizers are the linearizers and strategies to compare.
var linearizers = []struct {
	name string
	run  linearize
}{
	{"blockip", blocks(blockip.Options{})},
	{"blockip, folded", blocks(blockip.Options{Fold: true})},
	{"blockip, deferred", deferred(blocks(blockip.Options{FullStrips: true}))},
	{"blockip, refilled", refilled(blocks(blockip.Options{}))},
	{"partial", partial(structurize.Options{Ones: structurize.OnesAuto})},
	{"partial, bypassed", partial(structurize.Options{Bypass: structurize.BypassAll, Ones: structurize.OnesAll})},
	{"partial, folded", partial(structurize.Options{Fold: true})},
	{"partial, deferred", deferred(partial(structurize.Options{Bypass: structurize.BypassAuto}))},
	{"partial, refilled", refilled(partial(structurize.Options{Bypass: structurize.BypassAuto}))},
}

// deferred splits the kernel at a branch and defers one arm.
func deferred(run linearize) linearize {
	return func(f *kernel.Func, info *divergence.Info, o widen.Options) (*vir.Func, error) {
		parts := deferral.Split(f, info, deferral.Options{Far: true, Any: true, NoAlias: true})
		if parts == nil || o.Width == 1 || o.Iterations || o.Count {
			return run(f, info, o)
		}
		var made [2]*vir.Func
		for i, k := range []*kernel.Func{parts.Now, parts.Later} {
			if err := kernel.Verify(k); err != nil {
				return nil, err
			}
			v, err := run(k, divergence.Analyze(k, divergence.Options{Width: o.Width}), o)
			if err != nil {
				return nil, err
			}
			if err := vir.Verify(v); err != nil {
				return nil, err
			}
			viropt.Run(v, nil)
			made[i] = v
		}
		return widen.Defer(made[0], made[1], widen.Queue{FirstArg: deferral.FirstArg, Fields: parts.Fields}), nil
	}
}

// refilled lets lanes that have exited a loop take other work-items.
func refilled(run linearize) linearize {
	return func(f *kernel.Func, info *divergence.Info, o widen.Options) (*vir.Func, error) {
		g := refill.Loop(f, info, refill.Options{Far: true, Any: true})
		if g == nil || o.Width == 1 || o.Iterations || o.Count {
			return run(f, info, o)
		}
		if err := kernel.Verify(g); err != nil {
			return nil, err
		}
		o.Iterations = true
		v, err := run(g, divergence.Analyze(g, divergence.Options{Width: o.Width, Iterations: true}), o)
		if err != nil {
			return nil, err
		}
		if err := vir.Verify(v); err != nil {
			return nil, err
		}
		viropt.Run(v, nil)
		return widen.Refill(v, refill.FirstArg), nil
	}
}

func partial(opt structurize.Options) linearize {
	return func(f *kernel.Func, info *divergence.Info, o widen.Options) (*vir.Func, error) {
		opt := opt
		opt.Options = o
		v, _, err := structurize.Linearize(f, info, opt)
		return v, err
	}
}

func blocks(opt blockip.Options) linearize {
	return func(f *kernel.Func, info *divergence.Info, o widen.Options) (*vir.Func, error) {
		opt := opt
		opt.Options = o
		v, _, err := blockip.Linearize(f, info, opt)
		return v, err
	}
}
