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
	if k.cfg.target.Scalar || k.cfg.linearizer == nil && k.cfg.bypass == "" && k.cfg.divergence == "" && k.cfg.laneDim == 0 {
		return nil
	}
	c, err := k.shared.settle(k.cfg)
	if err != nil {
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
	if requested := k.cfg.laneDim.dimension(); requested != c.laneDim.dimension() {
		why := fmt.Sprintf("it has no position in dimension %d", requested)
		if k.shared.subGroups {
			why = "sub-groups are numbered along dimension 0"
		}
		warn("lanes cannot lie along dimension %d, as %s; using 0", requested, why)
	}
	if k.cfg.laneDim == joinedRows && c.unknownSizes {
		warn("lanes span rows of work-groups only in launches, which join the rows of the range; using dimension 0")
	}
	if c.width == 1 { // one lane needs no linearization
		return out
	}
	if requested := k.cfg.linearizer; requested != nil && requested != c.linearizer {
		warn("%s supports cycles with several entries only at width 1; using %s", requested.name, c.linearizer.name)
	}
	if requested := k.cfg.bypass; requested != "" && requested != c.bypass {
		warn("%s does not support bypass %s; using %s", c.linearizer.name, requested, c.bypass)
	}
	switch k.cfg.divergence {
	case Defer:
		if !k.shared.lanesOf(c).forms().deferrable {
			warn("no region can be deferred; using masks")
		}
	case Refill:
		f := c.alongLanes(k.shared.raw)
		if why := refill.Why(f, divergence.Analyze(f, c.analysis()), refill.Options{Far: c.far}); why != "" {
			warn("no loop can be refilled, as %s; using masks", why)
		}
	}
	return out
}
