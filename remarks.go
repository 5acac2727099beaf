package simtc

import (
	"fmt"
	"strings"

	"github.com/simtc/simtc/remarks"
)

// Remark reports the effect of vectorization on a branch, a memory access or a loop, and its
// reason.
type Remark = remarks.Remark

// RemarkKind describes a kind of remarks.
type RemarkKind = remarks.Kind

// RemarkKinds lists the kinds of remarks.
func RemarkKinds() []RemarkKind { return remarks.Kinds() }

// Remarks returns all remarks about the kernel, including quiet kinds, in source order. If the
// compiler chooses width 1, they still describe vectorized code, with about as many lanes as
// fill a register. Only remarks about vectors within a work-item and about spills always
// describe the code that runs. Not all targets report spills.
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
		return v.withDeferred(remarks.Of(in)), nil
	}
	if _, err := chosen.linearized(); err != nil {
		return nil, err
	}
	out := v.withDeferred(remarks.Of(in))
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

// ChooseRemarks filters remarks by kind: "" or "default" selects all that are not quiet,
// "all" selects all; otherwise kinds is a comma-separated list of names.
func ChooseRemarks(rs []Remark, kinds string) ([]Remark, error) {
	names := strings.Split(kinds, ",")
	for i, n := range names {
		names[i] = strings.TrimSpace(n)
	}
	return remarks.Choose(rs, strings.Join(names, ","))
}

// Remarks returns the remarks about all kernels, in source order.
func (p *Program) Remarks() ([]Remark, error) { return RemarksOf(p.kernels) }

// RemarksOf returns the remarks about several kernels, in source order.
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

// FormatRemarks formats remarks for a terminal, by line of the source, each followed by its
// explanation.
func (p *Program) FormatRemarks(rs []Remark) string { return remarks.Format(rs, p.Source) }

// reason returns the reason of the chosen strategy, "" if there was no choice.
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

// remarks returns the input of package remarks for a linearized part of a variant.
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

// withDeferred adds the remarks about the deferred part. A remark that both parts have is
// reported once.
func (v *variant) withDeferred(out []Remark) []Remark {
	if v.deferred.kernel == nil {
		return out
	}
	seen := map[string]bool{}
	about := func(r Remark) string { return fmt.Sprint(r.Kind, r.Line, r.Column, r.Text) }
	for _, r := range out {
		seen[about(r)] = true
	}
	for _, r := range remarks.Of(v.remarks(v.deferred)) {
		if !seen[about(r)] {
			out = append(out, r)
		}
	}
	remarks.Sort(out)
	return out
}

// reporter is implemented by code that reports its spills.
type reporter interface{ spills() []remarks.Spills }

// spills generates code and returns its spills, nil if the target does not report them.
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
