package avx512

// maxRepeated bounds the instructions of a loop's head that are repeated.
const maxRepeated = 3

// repeated is a head of a loop as it ends another block.
type repeated struct {
	block int
	end   terminator
}

// repeatedHead returns the head of a loop of scalar code that the block at place i
// of the order jumps back to, if all that the head does is to test whether to go on:
// the block may do that itself and save the jump.
func repeatedHead(f *machineFunc, block, i int, position []int) (repeated, bool) {
	t := f.blocks[block].term
	if !f.scalar || t.cond || t.ret || t.targets != nil || position[t.yes] >= i {
		return repeated{}, false
	}
	h := f.blocks[t.yes]
	if !h.term.cond || len(h.insts) > maxRepeated {
		return repeated{}, false
	}
	end := h.term
	for _, s := range []int{end.yes, end.no} {
		if position[s] <= position[t.yes] {
			return repeated{}, false // a loop within, or one around
		}
	}
	if f.rareSide(t.yes) == end.yes {
		end.yes, end.no, end.on = end.no, end.yes, end.on.Negate()
	}
	return repeated{t.yes, end}, true
}
