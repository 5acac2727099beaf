package joinpoints

import "github.com/simtc/simtc/cfg"

// Order returns the reachable blocks of g, whose cycle forest is forest, in a linear
// order:
//
//   - every cycle is contiguous, its header first;
//   - an edge leads backward only to the header of a cycle that contains both its ends,
//     also in irreducible graphs; all other edges lead forward;
//   - within these constraints, the blocks dominated by a block are contiguous (among the
//     blocks and cycles directly in one cycle, with an inner cycle counted as one block);
//   - a branch's first target precedes its second if the other rules permit either;
//   - a block without successors, if it is the only one, is last, regardless of
//     dominance.
//
// The order depends only on the graph. Nearly linear time.
func Order(g *cfg.Graph, forest *cfg.CycleForest) []int {
	n := g.Len()
	if n == 0 {
		return nil
	}
	levels := splitLevels(g, forest)
	order := make([]int, 0, n)
	type frame struct {
		level int
		items []int // in order
	}
	stack := []frame{{0, levels.sorted(0)}}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if len(f.items) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		item := f.items[0]
		f.items = f.items[1:]
		if item < n {
			order = append(order, item)
		} else {
			level := item - n + 1
			stack = append(stack, frame{level, levels.sorted(level)})
		}
	}

	if exits := g.Exits(); len(exits) == 1 {
		kept := order[:0]
		for _, b := range order {
			if b != exits[0] {
				kept = append(kept, b)
			}
		}
		order = append(kept, exits[0])
	}
	return order
}

// levels decomposes the graph: level 0 has the blocks and cycles outside all cycles,
// level 1+c those directly in cycle c. The edges of a level, without those to the cycle's
// header, form an acyclic graph. An item is a block's number, or the number of blocks
// plus a cycle's ID.
type levels struct {
	items [][]int   // in reverse postorder of their first blocks
	succs [][][]int // between the items of a level, by position in items
}

func splitLevels(g *cfg.Graph, forest *cfg.CycleForest) *levels {
	n := g.Len()
	l := &levels{
		items: make([][]int, len(forest.Cycles)+1),
		succs: make([][][]int, len(forest.Cycles)+1),
	}
	place := make([]int, n+len(forest.Cycles)) // position of an item in its level
	levelOf := func(c *cfg.Cycle) int {
		if c == nil {
			return 0
		}
		return c.ID + 1
	}
	add := func(c *cfg.Cycle, item int) {
		k := levelOf(c)
		place[item] = len(l.items[k])
		l.items[k] = append(l.items[k], item)
	}
	order := g.ReversePostOrder()
	for _, b := range order {
		c := forest.InnermostCycle(b)
		if c != nil && c.Header == b {
			add(c.Parent, n+c.ID) // the header is the first block of a cycle
		}
		add(c, b)
	}
	for k := range l.items {
		l.succs[k] = make([][]int, len(l.items[k]))
	}
	itemIn := func(c *cfg.Cycle, b int) int {
		if inner := forest.Child(c, b); inner != nil {
			return n + inner.ID
		}
		return b
	}
	for _, u := range order {
		for _, w := range g.Succs[u] {
			c := forest.Common(u, w)
			if c != nil && c.Header == w {
				continue
			}
			from, k := place[itemIn(c, u)], levelOf(c)
			l.succs[k][from] = append(l.succs[k][from], place[itemIn(c, w)])
		}
	}
	return l
}

// sorted returns the items of a level in the preorder of its dominator tree. The order is
// topological, as the level is acyclic, and dominated items are contiguous. The header
// reaches all items of a cycle.
func (l *levels) sorted(level int) []int {
	items := l.items[level]
	if len(items) <= 2 {
		return items
	}
	sorted := make([]int, 0, len(items))
	for _, i := range cfg.Dominators(cfg.NewGraph(l.succs[level])).Preorder {
		sorted = append(sorted, items[i])
	}
	return sorted
}
