package avx512

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/avx512/asm"
)

// lineBytes is how much code is fetched at once.
const lineBytes = 64

// mostKept is how long a piece of code may be that is kept in one line.
const mostKept = 32

// keepInLines finds the blocks in loops of scalar code that jumps lead to and
// that soon end with a jump: lying in two lines they would take one fetch more,
// which in a small loop is a large part of the whole. It notes how many bytes
// from the beginning of a block must not part. Innermost loops that fit in a
// line are kept whole, instead of being aligned.
func (l *layout) keepInLines(f *machineFunc, forest *cfg.CycleForest, position []int) {
	l.whole = make([]int, len(f.blocks))
	if !f.scalar {
		return // lanes: their loops are long
	}
	preds := f.graph().Preds
	for i, b := range l.order {
		c := forest.InnermostCycle(b)
		if c == nil || c.Parent == nil || l.aside[b] {
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
		jumped := slices.ContainsFunc(preds[b], func(p int) bool { return position[p] != i-1 && forest.Contains(c, p) && !l.aside[p] })
		if n := l.pieceBytes(f, i, position); jumped && n <= mostKept {
			l.whole[b] = n
		}
	}
}

// pieceBytes is about how long the code is from place i of the order to the
// next jump, if not longer than mostKept.
func (l *layout) pieceBytes(f *machineFunc, i int, position []int) int {
	n := 0
	for ; i < len(l.order) && n <= mostKept; i++ {
		b := f.blocks[l.order[i]]
		n += bytesOfInsts(b.insts, f.encoding(), mostKept)
		if jump := jumpBytes(b.term, i, position); jump > 0 || b.term.ret || b.term.targets != nil {
			return n + jump
		}
	}
	return n
}

// loopBytes is about how long the code of the loop c is from place i of the order,
// more than a line if it does not lie there in one piece.
func (l *layout) loopBytes(f *machineFunc, i int, c *cfg.Cycle, position []int) int {
	n, blocks := 0, 0
	for _, b := range c.Blocks {
		if !l.aside[b] {
			blocks++
		}
	}
	for k := range blocks {
		if i+k == len(l.order) || !slices.Contains(c.Blocks, l.order[i+k]) || n > lineBytes {
			return lineBytes + 1
		}
		b := f.blocks[l.order[i+k]]
		if b.term.targets != nil {
			return lineBytes + 1
		}
		n += bytesOfInsts(b.insts, f.encoding(), lineBytes) + jumpBytes(b.term, i+k, position)
	}
	return n
}

// jumpBytes is about how long the jumps are at the end of a block at place i, all
// being short.
func jumpBytes(t terminator, i int, position []int) int {
	const short = 2
	switch {
	case t.ret || t.targets != nil || !t.cond && position[t.yes] == i+1:
		return 0
	case t.cond && position[t.yes] != i+1 && position[t.no] != i+1:
		return short + short
	}
	return short
}

// bytesOfInsts is how long instructions are, as far as up to a little more than
// most bytes.
func bytesOfInsts(insts []asm.Inst, opt asm.Options, most int) int {
	n := 0
	var buf [16]byte
	for i := range insts {
		code, err := asm.Encode(buf[:0], &insts[i], opt)
		if err != nil {
			n += 8 // a constant: its place is four bytes
			continue
		}
		if n += len(code); n > most {
			break
		}
	}
	return n
}
