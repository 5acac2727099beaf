package opt

import (
	"github.com/simtc/simtc/alu/interval"
	"github.com/simtc/simtc/kernel"
)

// NestAny is Nest without the test for profitability.
func NestAny(f *kernel.Func) int { return nestAll(f, 0) }

// RangesIn is BoundsOf for the result of RangesOf without given bounds.
func RangesIn(f *kernel.Func) func(v *kernel.Value, b *kernel.Block) interval.Bounds {
	r := RangesOf(f, func(*kernel.Value) (interval.Bounds, bool) { return interval.Bounds{}, false })
	if r == nil {
		return nil
	}
	return func(v *kernel.Value, b *kernel.Block) interval.Bounds {
		bounds, _ := r.At(v, b)
		return bounds
	}
}

// BoundsOf returns the bounds of the values of f by block, nil if the analysis did not
// converge.
func BoundsOf(f *kernel.Func) func(v *kernel.Value, b *kernel.Block) interval.Bounds {
	if k := boundsOf(f, true); k != nil {
		return k.at
	}
	return nil
}
