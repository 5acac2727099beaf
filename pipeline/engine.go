package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/launch/wasmhost/defaulthost"
)

// The compilers of a WebAssembly engine. Which one gives faster code differs from kernel to
// kernel by up to half and cannot be predicted. Launches try the other one for the fastest
// strategy.
const (
	// Plain translates code without optimizations.
	Plain = "plain"
	// Optimized runs the engine's optimizations: the address of the memory is not reloaded for
	// each access, but live ranges get longer, and some operations are duplicated on the paths
	// that use them.
	Optimized = "optimized"
)

// engine is the WebAssembly engine, started on first use.
var engine = sync.OnceValue(func() wasmhost.Host { return wasmhost.Sharing(defaulthost.New()) })

// fusedMadd reports whether the engine's relaxed multiply-add rounds once.
var fusedMadd = sync.OnceValues(func() (bool, error) { return wasmhost.FusedMadd(engine()) })

// Engine returns the name of this build's WebAssembly engine.
func Engine() string { return engine().Name() }

// engines lists the values of Strategy.Engine.
var engines = []string{Plain, Optimized}

// Engines lists the compilers of a WebAssembly engine.
func Engines() []string { return slices.Clone(engines) }

// checkEngine returns an error if the choice is unknown or the target of c does not support it.
func (c Choice) checkEngine() error {
	switch {
	case c.engine == "":
		return nil
	case !slices.Contains(engines, c.engine):
		return fmt.Errorf("invalid engine code %q: want auto, %s", c.engine, strings.Join(engines, ", "))
	case !c.target.Engine:
		return fmt.Errorf("target %s does not run in an engine, so it does not support engine code %q", c.target.Name, c.engine)
	}
	return nil
}

// maxOptimized is the number of operations up to which one-lane code is optimized by default:
// longer code gets slower, and takes long to compile.
const maxOptimized = 1000

// optimized reports whether the engine optimizes the code of v, which is generated. Optimized
// vector code is usually slower.
func (v *variant) optimized() bool {
	if v.k.cfg.engine == "" {
		return v.final.Width == 1 && v.final.NumValues() <= maxOptimized
	}
	return v.k.cfg.engine == Optimized
}

// otherEngine returns c with the compiler that is not the engine's default for it, to be tried
// if c, version base, is the fastest. For version 0 it is always tried, because the engine's
// compiler alone may have made it lose.
func (s *state) otherEngine(c Choice, base int) (configs []Choice, versions []launch.Version) {
	if !c.target.Engine {
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
	return []Choice{x}, []launch.Version{{Kind: c.kind(), After: after, Make: func() (launch.Executor, error) {
		if v := s.variant(c); v.code != nil && v.optimized() == (x.engine == Optimized) {
			return nil, errSameCode
		}
		return s.settledExecutor(x)
	}}}
}
