package opt

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// cell is an available memory location of one component: it holds value, or component
// part of value, a load of several components.
type cell struct {
	address
	size  int
	value *kernel.Value
	part  int // -1: value itself
}

// maxCells limits the locations that are tracked; the oldest are dropped.
const maxCells = 64

// overlaps reports whether an access of size bytes at a may touch the cell.
func (c *cell) overlaps(a address, size int) bool {
	if c.object != a.object {
		return false
	}
	return !c.sameBase(a) || c.at < a.at+size && a.at < c.at+c.size
}

func kill(cells *[]cell, a address, size int) {
	kept := (*cells)[:0]
	for _, c := range *cells {
		if !c.overlaps(a, size) {
			kept = append(kept, c)
		}
	}
	*cells = kept
}

func remember(cells *[]cell, c cell) {
	if len(*cells) >= maxCells {
		*cells = append((*cells)[:0], (*cells)[1:]...)
	}
	*cells = append(*cells, c)
}

func (fw *forwarding) store(v *kernel.Value, a address, t kernel.Type, cells *[]cell) {
	size := t.Size()
	kill(cells, a, v.Count*size)
	for j, x := range v.Args[1:] {
		c := cell{a, size, fw.r.Find(x), -1}
		c.at += j * size
		remember(cells, c)
	}
}

// learn returns the cells of the components of the load v and true if all are available;
// otherwise it makes them available.
func learn(v *kernel.Value, a address, cells *[]cell) ([]cell, bool) {
	size := v.Type.Size()
	found, all := make([]cell, v.Count), true
	for j := range found {
		at := a
		at.at += j * size
		c := lookup(*cells, at, size)
		if all = all && c != nil; c != nil {
			found[j] = *c
		}
	}
	if all {
		return found, true
	}
	for j := range found {
		if found[j].value == nil {
			c := cell{a, size, v, j}
			if v.Count == 1 {
				c.part = -1
			}
			c.at += j * size
			remember(cells, c)
		}
	}
	return nil, false
}

// lookup returns the cell at a, or nil.
func lookup(cells []cell, a address, size int) *cell {
	for i := range cells {
		if c := &cells[i]; c.at == a.at && c.size == size && c.sameBase(a) {
			return c
		}
	}
	return nil
}

// maxFlow limits the iterations of flow.
const maxFlow = 12

// flow computes the available cells at the start and the end of every block: at a join,
// the intersection over the predecessors. It starts optimistically and iterates to a fixed
// point; after maxFlow iterations nothing is available at joins.
func (fw *forwarding) flow(g *cfg.Graph) {
	order := g.ReversePostOrder()
	fw.in, fw.out = make([][]cell, len(fw.f.Blocks)), make([][]cell, len(fw.f.Blocks))
	reached := make([]bool, len(fw.f.Blocks))
	stale := make([]bool, len(fw.f.Blocks)) // the output of a predecessor changed
	for iteration := 0; ; iteration++ {
		changed := false
		for _, id := range order {
			if reached[id] && !stale[id] && iteration < maxFlow {
				continue
			}
			stale[id] = false
			b := fw.f.Blocks[id]
			cells, first := []cell(nil), true // shared with other blocks
			for _, p := range g.Preds[id] {
				switch {
				case iteration == maxFlow && len(g.Preds[id]) > 1:
					cells, first = nil, false
				case !reached[p]:
				case first:
					cells, first = fw.out[p], false
				default:
					cells = common(cells, fw.out[p])
				}
			}
			if reached[id] && iteration < maxFlow {
				cells = common(cells, fw.in[id])
			}
			if assumed := fw.assumed[b]; len(assumed) > 0 { // they override the values of the edges
				cells = slices.Clone(cells)
				for _, s := range assumed {
					if c := lookup(cells, s.address, s.size); c != nil {
						*c = s
					} else {
						cells = append(cells, s)
					}
				}
			}
			fw.in[id] = cells
			if fw.accesses(b) {
				cells = slices.Clone(cells)
				fw.transfer(b, &cells)
			}
			if !reached[id] || !same(cells, fw.out[id]) && !slices.Equal(cells, fw.out[id]) {
				changed = true
				for _, s := range g.Succs[id] {
					stale[s] = true
				}
			}
			fw.out[id], reached[id] = cells, true
		}
		if !changed || iteration == maxFlow {
			return
		}
	}
}

// common returns the intersection of a and b in the order of a, and a itself if it is a.
func common(a, b []cell) []cell {
	if same(a, b) {
		return a
	}
	next := 0 // index in b, if the order is the same
	in := func(c cell) bool {
		i := slices.Index(b[next:], c)
		if i >= 0 {
			i += next
		} else if i = slices.Index(b[:next], c); i < 0 {
			return false
		}
		next = i + 1
		return true
	}
	for i, c := range a {
		if in(c) {
			continue
		}
		kept := slices.Clone(a[:i])
		for _, c := range a[i+1:] {
			if in(c) {
				kept = append(kept, c)
			}
		}
		return kept
	}
	return a
}

// same reports whether a and b are the same slice.
func same(a, b []cell) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// accesses reports whether b accesses private objects.
func (fw *forwarding) accesses(b *kernel.Block) bool {
	return slices.ContainsFunc(b.Values, func(v *kernel.Value) bool { _, ok := fw.access(v); return ok })
}

// transfer applies the accesses of b to the available cells.
func (fw *forwarding) transfer(b *kernel.Block, cells *[]cell) {
	for _, v := range b.Values {
		a, ok := fw.access(v)
		switch {
		case !ok:
		case v.Op == kernel.Load && !v.Volatile:
			learn(v, a, cells)
		case v.Op == kernel.Store && v.Volatile:
			kill(cells, a, v.Count*v.Accessed().Size())
		case v.Op == kernel.Store:
			fw.store(v, a, v.Accessed(), cells)
		}
	}
}
