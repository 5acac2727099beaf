package simtc

import (
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
	return k.k.Remarks()
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
