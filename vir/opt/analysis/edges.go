package analysis

import (
	"github.com/simtc/simtc/internal/grouped"
	"github.com/simtc/simtc/vir"
)

// InEdge identifies an edge by its source block and its index there.
type InEdge struct {
	From *vir.Block
	N    int // index in From.Edges
}

// Edge returns the edge.
func (e InEdge) Edge() *vir.Edge { return &e.From.Edges[e.N] }

// InEdges lists the incoming edges of every block, by block ID, in block order.
func InEdges(f *vir.Func) [][]InEdge {
	return grouped.Lists(len(f.Blocks), func(add func(int, InEdge)) {
		for _, b := range f.Blocks {
			for i, e := range b.Edges {
				add(e.To.ID, InEdge{b, i})
			}
		}
	})
}
