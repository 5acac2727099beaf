package preprocess

// cond is an #if, #ifdef or #ifndef that is still open.
type cond struct {
	at      loc
	taken   bool // one of its groups was taken
	sawElse bool
	bad     bool // its directive was an error
}

// openCond begins a conditional; its first group is taken if holds returns true.
func (p *preprocessor) openCond(hash *tok, holds func() bool) {
	before := p.errs.Len()
	yes := holds()
	f := p.files[len(p.files)-1]
	f.conds = append(f.conds, cond{at: hash.loc, taken: yes, bad: p.errs.Len() > before})
	if !yes {
		p.skipGroups(f)
	}
}

// nextCond handles an #elif or #else after a group that was taken; the expression is not
// evaluated.
func (p *preprocessor) nextCond(t *tok) {
	f := p.files[len(p.files)-1]
	if len(f.conds) == 0 {
		p.errorf(t, "#%s without #if", t.text)
		return
	}
	p.checkElse(f, t)
	p.skipGroups(f)
}

// endCond handles an #endif.
func (p *preprocessor) endCond(t *tok) {
	f := p.files[len(p.files)-1]
	if len(f.conds) == 0 {
		p.errorf(t, "#endif without #if")
		return
	}
	f.conds = f.conds[:len(f.conds)-1]
}

// checkElse records an #else of the innermost conditional and reports an #elif or #else
// after it.
func (p *preprocessor) checkElse(f *file, t *tok) {
	c := &f.conds[len(f.conds)-1]
	if c.sawElse {
		p.errorf(t, "#%s after #else", t.text)
	}
	if t.sym.dir == dirElse {
		c.sawElse = true
	}
}

// skipGroups skips groups that are not taken, up to the end of the line of the directive
// that begins a taken one, or of the #endif. Only the names of directives in them are
// examined (C99 §6.10.1 paragraph 6).
func (p *preprocessor) skipGroups(f *file) {
	s := &f.scanner
	s.skipLine()
	depth := 0
	var t tok
	for {
		s.dir = false
		s.next(&t)
		if t.kind == kEOF {
			p.cut = true
			return // closeConds reports it
		}
		if t.kind != kHash || t.flags&fBOL == 0 {
			s.dir = true
			s.skipLine()
			continue
		}
		s.dir = true
		s.next(&t)
		if t.kind == kIdent {
			switch t.sym.dir {
			case dirIf, dirIfdef, dirIfndef:
				depth++
			case dirEndif:
				if depth == 0 {
					p.endCond(&t)
					return
				}
				depth--
			case dirElif, dirElse:
				if depth > 0 {
					break
				}
				p.checkElse(f, &t)
				c := &f.conds[len(f.conds)-1]
				if !c.taken && (t.sym.dir == dirElse || !c.sawElse && p.condition(&t)) {
					c.taken = true
					return
				}
			}
		}
		if p.fatal {
			return
		}
		s.skipLine()
	}
}

// closeConds reports the conditionals that are open at the end of the file, except after
// a graver error: an invalid #if, or an unterminated comment that includes the #endif.
func (p *preprocessor) closeConds() {
	f := p.files[len(p.files)-1]
	for _, c := range f.conds {
		if c.bad || f.open {
			continue
		}
		p.errorAt(c.at, nil, "unterminated conditional: there is no #endif")
	}
	f.conds = nil
}
