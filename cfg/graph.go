// Package cfg has graph algorithms over control-flow graphs whose blocks are
// dense numbers: orders, dominators, cycles of any graph, regions.
//
// It knows nothing of instructions; every IR hands it a Graph.
package cfg

import "github.com/simtc/simtc/internal/grouped"

// Graph is a control-flow graph. Blocks are 0..Len()-1 and block 0 is the
// entry. Parallel edges (a branch with both targets equal) are kept, in Preds
// as in Succs.
type Graph struct {
	Succs [][]int
	Preds [][]int
}

// NewGraph returns the graph with the given successor lists. It keeps succs.
func NewGraph(succs [][]int) *Graph {
	return &Graph{Succs: succs, Preds: grouped.Lists(len(succs), func(add func(int, int)) {
		for b, ss := range succs {
			for _, s := range ss {
				add(s, b)
			}
		}
	})}
}

// Len returns the number of blocks.
func (g *Graph) Len() int { return len(g.Succs) }
