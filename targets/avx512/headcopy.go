package avx512

// maxCopied bounds the instructions of a loop head that is copied to a latch.
const maxCopied = 3

// headCopy is a loop head copied to the end of another block.
type headCopy struct {
	block int
	end   terminator
}

// copiedHead returns the head of a loop in scalar code that the block at index i
// of the order jumps back to, if the head only tests whether to continue. The block
// can end with a copy of this test, which saves the jump (loop inversion).
func copiedHead(f *machineFunc, block, i int, position []int) (headCopy, bool) {
	t := f.blocks[block].term
	if !f.scalar || t.cond || t.ret || t.targets != nil || position[t.yes] >= i {
		return headCopy{}, false
	}
	h := f.blocks[t.yes]
	if !h.term.cond || len(h.insts) > maxCopied {
		return headCopy{}, false
	}
	end := h.term
	for _, s := range []int{end.yes, end.no} {
		if position[s] <= position[t.yes] {
			return headCopy{}, false // to an inner or outer loop
		}
	}
	if f.unlikelySucc(t.yes) == end.yes {
		end.yes, end.no, end.on = end.no, end.yes, end.on.Negate()
	}
	return headCopy{t.yes, end}, true
}
