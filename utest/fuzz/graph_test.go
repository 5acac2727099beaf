package fuzz

import (
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// reducible reports whether every cycle of f has one entry.
func reducible(f *kernel.Func) bool {
	for _, c := range cfg.Cycles(f.Graph()).Cycles {
		if !c.Reducible() {
			return false
		}
	}
	return true
}
