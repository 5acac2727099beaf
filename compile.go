package simtc

import (
	"fmt"

	"github.com/simtc/simtc/blockip"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/vir"
	viropt "github.com/simtc/simtc/vir/opt"
	"github.com/simtc/simtc/widen"
)

// prepare runs the scalar passes (opt.Passes) over f. With verify, the IR is checked after
// each, and an error names the pass that broke it.
func prepare(f *kernel.Func, stats opt.Stats, verify bool) (err error) {
	defer guard(&err)
	for _, p := range opt.Passes {
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

// vectorize turns a prepared kernel into a vector function of W lanes, which
// with counting counts the runs of the kernel's blocks. With verify, the vector
// IR is checked before and after its passes.
func vectorize(f *kernel.Func, width int, counting bool, stats opt.Stats, verify bool) (v *vir.Func, err error) {
	defer guard(&err)
	info := divergence.Analyze(f, divergence.Options{Width: width})
	if v, _, err = blockip.Linearize(f, info, widen.Options{Width: width, Count: counting}); err != nil {
		return nil, err
	}
	check := func(when string) error {
		if !verify {
			return nil
		}
		if err := vir.Verify(v); err != nil {
			return fmt.Errorf("%s: %w", when, err)
		}
		return nil
	}
	if err := check("after linearization"); err != nil {
		return nil, err
	}
	viropt.Run(v, stats)
	return v, check("after the passes over vir")
}
