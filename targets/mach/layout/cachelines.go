package layout

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/mach"
)

// lineBytes is the size of a cache line, the unit of instruction fetch.
const lineBytes = 64

// maxKept is the size in bytes up to which code before a jump is kept in one line.
const maxKept = 32

// keepInLines finds the blocks in loops of scalar code that are jump targets and end
// with a jump after few bytes. If they crossed a cache line, they would need a second
// fetch, which is a large cost in a small loop. It sets the number of bytes
// from the start of such a block that must share a line. Innermost loops that fit in a
// line are kept in one line instead of being aligned.
func (l *layout[I]) keepInLines(f *mach.Func[I], forest *cfg.CycleForest, position []int) {
	l.whole = make([]int, len(f.Blocks))
	if !f.Scalar {
		return // vector code: its loops are long
	}
	preds := f.Graph().Preds
	for i, b := range l.order {
		c := forest.InnermostCycle(b)
		if c == nil || c.Parent == nil || l.cold[b] {
			continue
		}
		if l.align[b] > 0 {
			if l.align[b] == lineBytes/2 && len(c.Children) == 0 {
				if n := l.loopBytes(f, i, c, position); n <= lineBytes {
					l.align[b], l.whole[b] = 0, n
				}
			}
			continue
		}
		jumped := slices.ContainsFunc(preds[b], func(p int) bool { return position[p] != i-1 && forest.Contains(c, p) && !l.cold[p] })
		if n := l.bytesToJump(f, i, position); jumped && n <= maxKept {
			l.whole[b] = n
		}
	}
}

// bytesToJump estimates the size of the code from index i of the order to the
// next jump, up to about maxKept.
func (l *layout[I]) bytesToJump(f *mach.Func[I], i int, position []int) int {
	n := 0
	for ; i < len(l.order) && n <= maxKept; i++ {
		b := f.Blocks[l.order[i]]
		n += l.m.Bytes(b.Insts, maxKept)
		if jump := jumpBytes(b.Term, i, position); jump > 0 || b.Term.Ret || b.Term.Targets != nil {
			return n + jump
		}
	}
	return n
}

// loopBytes estimates the size of the loop c, which starts at index i of the order.
// It returns more than a line if the loop's blocks are not contiguous there.
func (l *layout[I]) loopBytes(f *mach.Func[I], i int, c *cfg.Cycle, position []int) int {
	n, blocks := 0, 0
	for _, b := range c.Blocks {
		if !l.cold[b] {
			blocks++
		}
	}
	for k := range blocks {
		if i+k == len(l.order) || !slices.Contains(c.Blocks, l.order[i+k]) || n > lineBytes {
			return lineBytes + 1
		}
		b := f.Blocks[l.order[i+k]]
		if b.Term.Targets != nil {
			return lineBytes + 1
		}
		n += l.m.Bytes(b.Insts, lineBytes) + jumpBytes(b.Term, i+k, position)
	}
	return n
}

// jumpBytes estimates the size of the jumps at the end of a block at index i,
// assuming short forms.
func jumpBytes(t mach.Terminator, i int, position []int) int {
	const short = 2
	switch {
	case t.Ret || t.Targets != nil || !t.Cond && position[t.Yes] == i+1:
		return 0
	case t.Cond && position[t.Yes] != i+1 && position[t.No] != i+1:
		return short + short
	}
	return short
}
