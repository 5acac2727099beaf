package opt

import "github.com/simtc/simtc/kernel"

// RemoveUnreachable removes the blocks that control cannot reach.
//
// requires: nothing; maintains: everything
func RemoveUnreachable(f *kernel.Func, st Stats) {
	for i, b := range f.Blocks {
		b.ID = i
	}
	n := dropUnreachable(f)
	st.Add("unreachable blocks removed", n)
	if n == 0 { // otherwise dropUnreachable did
		f.Renumber()
	}
}

// dropUnreachable is RemoveUnreachable for a numbered function. It returns the number
// of removed blocks, and renumbers only if there are any.
func dropUnreachable(f *kernel.Func) int {
	reached := make([]bool, len(f.Blocks))
	reached[0] = true
	work := make([]*kernel.Block, 1, len(f.Blocks))
	work[0] = f.Blocks[0]
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range b.Edges {
			if !reached[e.To.ID] {
				reached[e.To.ID] = true
				work = append(work, e.To)
			}
		}
	}
	kept := f.Blocks[:0]
	for i, b := range f.Blocks {
		if reached[i] {
			kept = append(kept, b)
		}
	}
	n := len(f.Blocks) - len(kept)
	clear(f.Blocks[len(kept):])
	f.Blocks = kept
	if n > 0 {
		f.Renumber()
	}
	return n
}
