package simtc

import "fmt"

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
		d := Diagnostic{File: k.shared.prog.opt.File, Message: fmt.Sprintf("kernel %s: %s", k.Name(), fmt.Sprintf(format, args...))}
		if at := k.shared.raw.Pos; at.IsValid() {
			d.File, d.Line, d.Column = at.File, at.Line, at.Col
		}
		out = append(out, d)
	}
	if asked := k.cfg.linearizer; asked != nil && asked != c.linearizer {
		warn("%s does not take cycles of several entries, but for one lane; %s linearizes it", asked.name, c.linearizer.name)
	}
	if asked := k.cfg.bypass; asked != "" && asked != c.bypass {
		warn("%s has no bypass %s; it is compiled with %s", c.linearizer.name, asked, c.bypass)
	}
	return out
}
