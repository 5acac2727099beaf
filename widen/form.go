package widen

import (
	"fmt"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// CheckForm tests the form that linearizers require of a kernel whose blocks
// are laid out in the given order: no switch, one return, every block
// reachable, and only headers are gone back to, each by one edge.
func CheckForm(k *kernel.Func, g *cfg.Graph, order []int) error {
	pos := cfg.Positions(order, g.Len())
	loops := cfg.Cycles(g)
	placed := make([]bool, g.Len())
	for _, b := range order {
		placed[b] = true
	}
	returns := 0
	for _, b := range k.Blocks {
		switch {
		case b.Kind == kernel.Switch:
			return fmt.Errorf("kernel %s: %s: a switch is left", k.Name, kernel.Label(b))
		case b.Kind == kernel.Return:
			returns++
		case !placed[b.ID]:
			return fmt.Errorf("kernel %s: %s is not reachable", k.Name, kernel.Label(b))
		}
		if loops.IsHeader(b.ID) {
			forward, back := 0, 0
			for _, p := range g.Preds[b.ID] {
				if pos[p] >= pos[b.ID] {
					back++
				} else {
					forward++
				}
			}
			if forward > 1 || back != 1 {
				return fmt.Errorf("kernel %s: header %s has %d entering and %d back edges", k.Name, kernel.Label(b), forward, back)
			}
		}
		for _, t := range g.Succs[b.ID] {
			if pos[t] <= pos[b.ID] && !loops.IsHeader(t) {
				return fmt.Errorf("kernel %s: %s goes back to %s, which heads no cycle", k.Name, kernel.Label(b), kernel.Label(k.Blocks[t]))
			}
		}
	}
	if returns > 1 {
		return fmt.Errorf("kernel %s has %d return blocks", k.Name, returns)
	}
	return nil
}
