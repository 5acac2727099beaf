package layout

import "github.com/simtc/simtc/targets/mach"

// maxCopied bounds the instructions of a loop head that is copied to a latch.
const maxCopied = 3

// headCopy is a loop head copied to the end of another block.
type headCopy struct {
	block int
	end   mach.Terminator
}

// copiedHead returns the head of a loop in scalar code that the block at index i
// of the order jumps back to, if the head only tests whether to continue. The block
// can end with a copy of this test, which saves the jump (loop inversion).
func (l *layout[I]) copiedHead(f *mach.Func[I], block, i int, position []int) (headCopy, bool) {
	t := f.Blocks[block].Term
	if !f.Scalar || t.Cond || t.Ret || t.Targets != nil || position[t.Yes] >= i {
		return headCopy{}, false
	}
	h := f.Blocks[t.Yes]
	if !h.Term.Cond || len(h.Insts) > maxCopied {
		return headCopy{}, false
	}
	end := h.Term
	for _, s := range []int{end.Yes, end.No} {
		if position[s] <= position[t.Yes] {
			return headCopy{}, false // to an inner or outer loop
		}
	}
	if l.m.Unlikely(f.Blocks[t.Yes]) == end.Yes {
		end.Yes, end.No, end.On = end.No, end.Yes, end.On.Negate()
	}
	return headCopy{t.Yes, end}, true
}
