package simtc

import (
	"fmt"
	"strings"

	"github.com/simtc/simtc/remarks"
)

// Remark tells what became of a branch, a memory access or a loop when a kernel
// was vectorized, and why.
type Remark = remarks.Remark

// RemarkKind describes a kind of remarks.
type RemarkKind = remarks.Kind

// RemarkKinds lists the kinds of remarks.
func RemarkKinds() []RemarkKind { return remarks.Kinds() }

// Remarks returns all remarks about the kernel, of quiet kinds too, in the order
// of the source. Where the compiler chooses to run each work-item by itself, they
// are about lanes still: about as many as fill a register. Only vectors within a
// work-item and spills are always those of the code that runs; only some targets
// report spills.
func (k *Kernel) Remarks() ([]Remark, error) {
	if err := k.made(); err != nil {
		return nil, err
	}
	if k.cfg.target.costs == nil {
		return nil, nil
	}
	chosen, err := k.variant()
	if err != nil {
		return nil, err
	}
	v, err := k.diverging()
	if err != nil {
		return nil, err
	}
	in := v.remarks(v.vectorized)
	if v == chosen {
		if in.Reason, err = k.reason(); err != nil {
			return nil, err
		}
		if in.Spills, err = v.spills(); err != nil {
			return nil, err
		}
		return v.withLater(remarks.Of(in)), nil
	}
	if _, err := chosen.linearized(); err != nil {
		return nil, err
	}
	out := v.withLater(remarks.Of(in))
	single := chosen.remarks(chosen.vectorized)
	if single.Reason, err = k.reason(); err != nil {
		return nil, err
	}
	if single.Spills, err = chosen.spills(); err != nil {
		return nil, err
	}
	for _, r := range remarks.Of(single) {
		switch r.Kind {
		case remarks.Width, remarks.Packed, remarks.Rounds, remarks.Spill:
			out = append(out, r)
		}
	}
	remarks.Sort(out)
	return out, nil
}

// ChooseRemarks returns the remarks of some kinds: "" or "default" is all that
// are not quiet, "all" is all, else names with commas between; blanks do not matter.
func ChooseRemarks(rs []Remark, kinds string) ([]Remark, error) {
	names := strings.Split(kinds, ",")
	for i, n := range names {
		names[i] = strings.TrimSpace(n)
	}
	return remarks.Choose(rs, strings.Join(names, ","))
}

// Remarks returns those about all kernels, in the order of the source.
func (p *Program) Remarks() ([]Remark, error) { return RemarksOf(p.kernels) }

// RemarksOf returns those about several kernels, in the order of the source.
func RemarksOf(ks []*Kernel) ([]Remark, error) {
	var all []Remark
	for _, k := range ks {
		rs, err := k.Remarks()
		if err != nil {
			return nil, err
		}
		all = append(all, rs...)
	}
	remarks.Sort(all)
	return all, nil
}

// FormatRemarks prints remarks for a terminal, by line of the source, each with
// what explains it below.
func (p *Program) FormatRemarks(rs []Remark) string { return remarks.Format(rs, p.Source) }

// reason says why the kernel is compiled as it is, "" if there was no choice.
func (k *Kernel) reason() (string, error) {
	s := k.shared
	if _, err := s.prepared(); err != nil {
		return "", err
	}
	if f := s.families(k.cfg); len(f) == 1 && len(f[0]) == 1 {
		return "", nil
	}
	p, err := s.planFor(k.cfg)
	if err != nil {
		return "", err
	}
	return p.Why(), nil
}

// remarks collects what is known about a part of a variant that is linearized.
func (v *variant) remarks(p vectorized) remarks.Input {
	c := v.cfg.target.costs
	in := remarks.Input{
		Kernel: p.kernel, Info: p.info, Report: p.report, Vector: p.vir, Costs: c, Weigh: p.weigh(c),
		Linearizer: v.cfg.linearizer.name,
	}
	if t := v.cfg.target; !v.k.shared.prog.opt.RelaxedSIMD {
		in.EmulatedFMA, in.FMAHelp = t.emulatedFMA, t.fmaHelp
	}
	if prog := v.k.shared.prog; !prog.opt.isIR() {
		in.Source = prog.Source
	}
	return in
}

// withLater adds the remarks about what is put off to those about the rest: what both
// run is told once.
func (v *variant) withLater(out []Remark) []Remark {
	if v.later.kernel == nil {
		return out
	}
	told := map[string]bool{}
	about := func(r Remark) string { return fmt.Sprint(r.Kind, r.Line, r.Column, r.Text) }
	for _, r := range out {
		told[about(r)] = true
	}
	for _, r := range remarks.Of(v.remarks(v.later)) {
		if !told[about(r)] {
			out = append(out, r)
		}
	}
	remarks.Sort(out)
	return out
}

// reporter is code of a target that tells of its spills.
type reporter interface{ spills() []remarks.Spills }

// spills generates code and returns what it spills; nothing for targets that
// do not tell.
func (v *variant) spills() ([]remarks.Spills, error) {
	if err := v.generated(); err != nil {
		return nil, err
	}
	if r, ok := v.code.(reporter); ok {
		return r.spills(), nil
	}
	return nil, nil
}

func (c nativeCode) spills() []remarks.Spills {
	var out []remarks.Spills
	for _, s := range c.Code.Spills {
		out = append(out, remarks.Spills{At: s.At, Depth: s.Depth, Strip: s.Strip, Stores: s.Stores, Reloads: s.Reloads})
	}
	return out
}
