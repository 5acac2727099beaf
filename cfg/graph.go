// Package cfg implements graph algorithms on control-flow graphs whose blocks are dense
// numbers: orders, dominators, cycles of arbitrary graphs, regions.
//
// It is independent of instructions; every IR provides a Graph.
package cfg

import "github.com/simtc/simtc/internal/grouped"

// Graph is a control-flow graph. Blocks are numbered 0..Len()-1, and block 0 is the
// entry. Parallel edges (a branch with equal targets) are kept in both Preds and Succs.
type Graph struct {
	Succs [][]int
	Preds [][]int
}

// NewGraph returns the graph with the given successor lists, which it retains.
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
