package opt

import (
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// addressDepth bounds how far onlyAddress looks.
const addressDepth = 4

// onlyAddress reports whether v is for nothing but addresses.
func onlyAddress(uses [][]use, v *vir.Value, depth int) bool {
	for _, u := range uses[v.ID] {
		switch {
		case depth == 0 || u.by == nil && u.edge < 0:
			return false
		case u.by == nil: // parameters that are used for nothing else
			e := u.block.Edges[u.edge]
			for i, a := range e.Args {
				if a == v && !onlyAddress(uses, e.To.Params[i], depth-1) {
					return false
				}
			}
		case vir.InfoOf(u.by.Op).Memory && u.by.Args[0] == v && !slices.Contains(u.by.Args[1:], v):
		case u.by.Op == alu.Add || u.by.Op == alu.Shl || u.by.Op == alu.Mul:
			if !onlyAddress(uses, u.by, depth-1) {
				return false
			}
		default:
			return false
		}
	}
	return len(uses[v.ID]) > 0
}

// often is about how often a block runs.
func often(cycles *cfg.CycleForest, b *vir.Block) float64 {
	const rounds = 8
	return math.Pow(rounds, float64(cycles.Depth(b.ID)))
}
