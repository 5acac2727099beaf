package fuzz

import (
	"errors"
	"fmt"

	"github.com/simtc/simtc/blockip"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/structurize"
	"github.com/simtc/simtc/widen"
)

// Explain prints the linearization of f at width w: shapes, block order and vector code.
func Explain(f *kernel.Func, w int) (out string) {
	defer func() {
		if r := recover(); r != nil {
			out += fmt.Sprintf("panic: %v\n", r)
		}
	}()
	f, err := Clone(f)
	if err != nil {
		return err.Error()
	}
	for _, p := range passes {
		p.Run(f, nil)
	}
	info := divergence.Analyze(f, divergence.Options{Width: w})
	out = info.String()
	s, err := blockip.Explain(f, info, blockip.Options{})
	if err != nil {
		return out + err.Error()
	}
	out += s
	if s, err = structurize.Explain(f, info, structurize.Options{Options: widen.Options{Width: w}}); err == nil {
		out += s
	}
	for _, l := range linearizers {
		v, err := l.run(f, info, widen.Options{Width: w})
		if errors.Is(err, structurize.ErrIrreducible) {
			break
		}
		if err != nil {
			return out + err.Error()
		}
		out += l.name + "\n" + v.String()
	}
	return out
}
