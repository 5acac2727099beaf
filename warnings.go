package simtc

// Warnings returns the warnings about the source, in its order.
func (p *Program) Warnings() []Diagnostic {
	var out []Diagnostic
	for _, w := range p.pipe.Module.Warnings {
		d := diagnosticAt(w.Pos, w.Msg)
		if d.File == "" {
			d.File = p.opt.File
		}
		out = append(out, d)
	}
	if len(p.kernels) == 0 && !p.opt.Library {
		out = append(out, Diagnostic{File: p.opt.File, Message: "the program has no kernel"})
	}
	return out
}
