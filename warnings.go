package simtc

import (
	"fmt"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/opt/refill"
)

// Warnings returns the warnings about the source, in its order.
func (p *Program) Warnings() []Diagnostic {
	var out []Diagnostic
	for _, w := range p.module.Warnings {
		d := diagnosticAt(w.Pos, w.Msg)
		if d.File == "" {
			d.File = p.opt.File
		}
		out = append(out, d)
	}
	if len(p.kernels) == 0 {
		out = append(out, Diagnostic{File: p.opt.File, Message: "the program has no kernel"})
	}
	return out
}

// Warnings tells what of the way that was asked for cannot be had, and what the
// kernel is compiled with instead; nothing of a kernel that cannot be compiled.
func (k *Kernel) Warnings() []Diagnostic {
	if k.cfg.target.scalar || k.cfg.linearizer == nil && k.cfg.bypass == "" {
		return nil
	}
	c, err := k.shared.settle(k.cfg)
	if err != nil || c.width == 1 { // one lane goes any way
		return nil
	}
	var out []Diagnostic
	warn := func(format string, args ...any) {
		at := k.shared.raw.Pos
		if !at.IsValid() {
			at = diag.Pos{File: k.shared.prog.opt.File}
		}
		out = append(out, diagnosticAt(at, fmt.Sprintf("kernel %s: %s", k.Name(), fmt.Sprintf(format, args...))))
	}
	if asked := k.cfg.linearizer; asked != nil && asked != c.linearizer {
		warn("%s does not take cycles of several entries, but for one lane; %s linearizes it", asked.name, c.linearizer.name)
	}
	if asked := k.cfg.bypass; asked != "" && asked != c.bypass {
		warn("%s has no bypass %s; it is compiled with %s", c.linearizer.name, asked, c.bypass)
	}
	switch f := k.shared.raw; k.cfg.bypass {
	case BypassPostpone:
		if !k.shared.postpones {
			warn("nothing of it can be put off; it is compiled with %s", BypassBoth)
		}
	case BypassRefill:
		if why := refill.Why(f, divergence.Analyze(f, c.divergence()), refill.Options{Far: c.far}); why != "" {
			warn("no loop of it is refilled, as %s; it is compiled with %s", why, BypassBoth)
		}
	}
	return out
}
