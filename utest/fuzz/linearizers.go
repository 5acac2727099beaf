package fuzz

import (
	"github.com/simtc/simtc/blockip"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/structurize"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/widen"
)

// linearizers are the ways to make control flow uniform that are compared.
var linearizers = []struct {
	name string
	run  func(f *kernel.Func, info *divergence.Info, o widen.Options) (*vir.Func, error)
}{
	{"blockip", func(f *kernel.Func, info *divergence.Info, o widen.Options) (*vir.Func, error) {
		v, _, err := blockip.Linearize(f, info, blockip.Options{Options: o})
		return v, err
	}},
	{"partial", partial(structurize.Options{Ones: structurize.OnesAuto})},
	{"partial, bypassed", partial(structurize.Options{Bypass: structurize.BypassAll, Ones: structurize.OnesAll})},
	{"partial, folded", partial(structurize.Options{Fold: true})},
}

func partial(opt structurize.Options) func(*kernel.Func, *divergence.Info, widen.Options) (*vir.Func, error) {
	return func(f *kernel.Func, info *divergence.Info, o widen.Options) (*vir.Func, error) {
		opt := opt
		opt.Options = o
		v, _, err := structurize.Linearize(f, info, opt)
		return v, err
	}
}
