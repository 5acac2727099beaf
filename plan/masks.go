package plan

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// laneBitsOf returns the lane size of masks in vector registers: the size of the numbers
// that most masks of f are compared from or applied to; 0 if masks have registers of their
// own.
func (c *Costs) laneBitsOf(f *vir.Func) int {
	if c.MaskRegisters > 0 {
		return 0
	}
	var votes [4]int // by the log2 of the size in bytes
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			t := v.Accessed()
			switch {
			case alu.InfoOf(v.Op).Class == alu.Compare || v.Op == alu.Select:
				t = v.Args[len(v.Args)-1].Type
			case v.Op == vir.Gather, v.Op == vir.Scatter:
				t = t.With(alu.I32) // addresses
			case v.Op != vir.VLoad && v.Op != vir.VStore:
				continue
			}
			if t.Lanes > 1 && t.Elem != alu.I1 {
				votes[sizeOf(t)]++
			}
		}
	}
	best := 2
	for size, n := range votes {
		if n > votes[best] {
			best = size
		}
	}
	return 8 << best
}
