package remarks

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// copied is code that the kernel has twice, of which lanes that run together take one: for
// when all of them are away from borders, and for when some are not.
type copied struct {
	branch *kernel.Block
	arms   [2][]*kernel.Block
}

// copies lists the code that is there twice, what is inside of other such code first.
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

// votes reports whether v asks about all lanes.
func votes(v *kernel.Value) bool {
	return v.Op == kernel.AllLanes || v.Op == alu.And && slices.ContainsFunc(v.Args, votes)
}

// asked lists what v, which votes, asks of all lanes, and what else it depends on.
func asked(v *kernel.Value) []*kernel.Value {
	switch {
	case v.Op == kernel.AllLanes:
		return v.Args
	case v.Op == alu.And && votes(v):
		return append(asked(v.Args[0]), asked(v.Args[1])...)
	}
	return []*kernel.Value{v}
}

// once counts what equal drafts tell of: of code that is there twice, what one copy has.
func (c *collector) once(equal []*draft) int {
	if len(equal) == 1 {
		return equal[0].count
	}
	n := map[*kernel.Block]int{} // nil: in no known place
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
