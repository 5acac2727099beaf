package simtc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/launch/wasmhost"
)

// What an engine of WebAssembly does with code that comes optimized. Which is faster differs
// from kernel to kernel by up to half, for no reason that could be told beforehand; launches
// try the other one of what is the fastest of all ways.
const (
	// Plain code is translated as it is.
	Plain = "plain"
	// Optimized code is optimized again: the address of the memory is not loaded for each
	// access, but more values live at once, and what only some ways use is computed on
	// each of them.
	Optimized = "optimized"
)

// engines lists what there is of both.
var engines = []string{Plain, Optimized}

// Engines lists what an engine of WebAssembly may do with code.
func Engines() []string { return slices.Clone(engines) }

// checkEngine reports a choice that is none, or that the target of c does not have.
func (c config) checkEngine() error {
	switch {
	case c.engine == "":
		return nil
	case !slices.Contains(engines, c.engine):
		return fmt.Errorf("an engine's code cannot be %q; there are auto, %s", c.engine, strings.Join(engines, ", "))
	case !c.target.ownMemory:
		return fmt.Errorf("target %s is run by no engine, so its code cannot be %q", c.target.name, c.engine)
	}
	return nil
}

// mostOptimized is how many operations scalar code has at most that is optimized without
// being asked for: longer code becomes slower, and takes long.
const mostOptimized = 1000

// optimize reports whether the engine is to optimize the code: that of vectors is slower
// then, mostly.
func (c wasmCode) optimize() bool {
	if c.engine == "" {
		return c.f.Width == 1 && c.f.NumValues() <= mostOptimized
	}
	return c.engine == Optimized
}

// otherEngine is c with what the engine does not do with its code if nobody asks, to be
// tried where the version with number base, which is c, is the fastest; of the first one
// in any case, as that may have lost to another by its engine alone.
func (s *kernelState) otherEngine(c config, base int) (configs []config, versions []launch.Version) {
	if !c.target.ownMemory {
		return nil, nil
	}
	if _, can := engine().(wasmhost.Optimizer); !can {
		return nil, nil
	}
	x := c
	if x.engine = Optimized; c.width == 1 {
		x.engine = Plain
	}
	after := base
	if base == 0 {
		after = launch.Always
	}
	return []config{x}, []launch.Version{{Kind: c.kind(), After: after, Make: func() (launch.Executor, error) {
		if made, ok := s.variant(c).code.(wasmCode); ok && made.optimize() == (x.engine == Optimized) {
			return nil, errSameCode
		}
		return s.settledExecutor(x)
	}}}
}
