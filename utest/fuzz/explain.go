package fuzz

import (
	"fmt"

	"github.com/simtc/simtc/blockip"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/widen"
)

// Explain shows how f is linearized at width w: its shapes, the order of its
// blocks and the vector code.
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
	s, err := blockip.Explain(f, info)
	if err != nil {
		return out + err.Error()
	}
	out += s
	v, _, err := blockip.Linearize(f, info, widen.Options{Width: w})
	if err != nil {
		return out + err.Error()
	}
	return out + v.String()
}
