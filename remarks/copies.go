package remarks

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// copied is code with two versions, of which all lanes take one: for lanes that are all
// away from boundaries, and for any lanes.
type copied struct {
	branch *kernel.Block
	arms   [2][]*kernel.Block
}

// copies lists the code with two versions, inner code first.
func (c *collector) copies() []copied {
	var out []copied
	for _, b := range c.Kernel.Blocks {
		if b.Kind != kernel.Branch || !b.Edges[1].Rare || !votes(b.Cond) {
			continue
		}
		x := copied{branch: b}
		for i := range x.arms {
			x.arms[i] = c.arm(b, b.Edges[i].To)
		}
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(x, y copied) int {
		return len(x.arms[0]) + len(x.arms[1]) - len(y.arms[0]) - len(y.arms[1])
	})
	return out
}

// votes reports whether v is a vote of all lanes.
func votes(v *kernel.Value) bool {
	return v.Op == kernel.AllLanes || v.Op == alu.And && slices.ContainsFunc(v.Args, votes)
}

// votedOn lists the operands of the votes in v, and the other conditions of v.
func votedOn(v *kernel.Value) []*kernel.Value {
	switch {
	case v.Op == kernel.AllLanes:
		return v.Args
	case v.Op == alu.And && votes(v):
		return append(votedOn(v.Args[0]), votedOn(v.Args[1])...)
	}
	return []*kernel.Value{v}
}

// once counts the remarks that equal drafts stand for; code with two versions counts as the
// larger of them.
func (c *collector) once(equal []*draft) int {
	if len(equal) == 1 {
		return equal[0].count
	}
	n := map[*kernel.Block]int{} // nil: position unknown
	for _, d := range equal {
		n[d.block] += d.count
	}
	for _, x := range c.twice {
		var in [2]int
		for i, arm := range x.arms {
			for _, b := range arm {
				in[i] += n[b]
				delete(n, b)
			}
		}
		n[x.branch] += max(in[0], in[1])
	}
	sum := 0
	for _, k := range n {
		sum += k
	}
	return sum
}
