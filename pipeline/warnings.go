package pipeline

import (
	"fmt"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/opt/lanes/refill"
)

// Warnings reports the requested choices that the kernel cannot be compiled with, and their
// replacements; nothing for a kernel that cannot be compiled.
func (k *Kernel) Warnings() []*diag.Error {
	if k.cfg.target.Scalar || k.cfg.linearizer == nil && k.cfg.bypass == "" && k.cfg.divergence == "" {
		return nil
	}
	c, err := k.shared.settle(k.cfg)
	if err != nil || c.width == 1 { // one lane needs no linearization
		return nil
	}
	var out []*diag.Error
	warn := func(format string, args ...any) {
		at := k.shared.raw.Pos
		if !at.IsValid() {
			at = diag.Pos{File: k.shared.prog.File}
		}
		out = append(out, diag.Errorf(at, "kernel %s: %s", k.Name(), fmt.Sprintf(format, args...)))
	}
	if requested := k.cfg.linearizer; requested != nil && requested != c.linearizer {
		warn("%s supports cycles with several entries only at width 1; using %s", requested.name, c.linearizer.name)
	}
	if requested := k.cfg.bypass; requested != "" && requested != c.bypass {
		warn("%s does not support bypass %s; using %s", c.linearizer.name, requested, c.bypass)
	}
	switch f := k.shared.raw; k.cfg.divergence {
	case Defer:
		if !k.shared.deferrable {
			warn("no region can be deferred; using masks")
		}
	case Refill:
		if why := refill.Why(f, divergence.Analyze(f, c.analysis()), refill.Options{Far: c.far}); why != "" {
			warn("no loop can be refilled, as %s; using masks", why)
		}
	}
	return out
}
