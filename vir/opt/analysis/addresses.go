package analysis

import (
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// AddressDepth bounds the recursion of OnlyAddress.
const AddressDepth = 4

// OnlyAddress reports whether v is used only to compute addresses.
func OnlyAddress(uses [][]Use, v *vir.Value, depth int) bool {
	for _, u := range uses[v.ID] {
		switch {
		case depth == 0 || u.By == nil && u.Edge < 0:
			return false
		case u.By == nil: // block parameters with no other use
			e := u.Block.Edges[u.Edge]
			for i, a := range e.Args {
				if a == v && !OnlyAddress(uses, e.To.Params[i], depth-1) {
					return false
				}
			}
		case vir.InfoOf(u.By.Op).Memory && u.By.Args[0] == v && !slices.Contains(u.By.Args[1:], v):
		case u.By.Op == alu.Add || u.By.Op == alu.Shl || u.By.Op == alu.Mul:
			if !OnlyAddress(uses, u.By, depth-1) {
				return false
			}
		default:
			return false
		}
	}
	return len(uses[v.ID]) > 0
}

// Frequency estimates how often a block runs, relative to the entry.
func Frequency(cycles *cfg.CycleForest, b *vir.Block) float64 {
	const iterations = 8
	return math.Pow(iterations, float64(cycles.Depth(b.ID)))
}
