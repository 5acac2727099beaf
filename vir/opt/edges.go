package opt

import (
	"github.com/simtc/simtc/internal/grouped"
	"github.com/simtc/simtc/vir"
)

// inEdge is one edge by its source.
type inEdge struct {
	from *vir.Block
	n    int
}

func (e inEdge) edge() *vir.Edge { return &e.from.Edges[e.n] }

// inEdges lists the edges to every block, by block ID, in block order.
func inEdges(f *vir.Func) [][]inEdge {
	return grouped.Lists(len(f.Blocks), func(add func(int, inEdge)) {
		for _, b := range f.Blocks {
			for i, e := range b.Edges {
				add(e.To.ID, inEdge{b, i})
			}
		}
	})
}
