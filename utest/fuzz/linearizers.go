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
	run  func(f *kernel.Func, info *divergence.Info, w int) (*vir.Func, error)
}{
	{"blockip", func(f *kernel.Func, info *divergence.Info, w int) (*vir.Func, error) {
		v, _, err := blockip.Linearize(f, info, widen.Options{Width: w})
		return v, err
	}},
	{"partial", partial(structurize.BypassNone, true)},
	{"partial, bypassed", partial(structurize.BypassAll, false)},
}

func partial(bypass structurize.Bypass, full bool) func(*kernel.Func, *divergence.Info, int) (*vir.Func, error) {
	return func(f *kernel.Func, info *divergence.Info, w int) (*vir.Func, error) {
		v, _, err := structurize.Linearize(f, info, structurize.Options{Options: widen.Options{Width: w, Full: full}, Bypass: bypass})
		return v, err
	}
}
