package kernel

import (
	"fmt"
	"strings"

	"github.com/simtc/simtc/internal/diag"
)

// BarrierFault is a barrier that only some work-items of a group reach (OpenCL C 1.2 §6.12.8:
// all must, or none).
type BarrierFault struct {
	Group    [3]uint64
	At       diag.Pos // the barrier; invalid if the source is unknown
	Other    diag.Pos // the barrier that others reached
	Returned bool     // others returned instead
}

// Error describes the fault, without its position.
func (b *BarrierFault) Error() string {
	s := fmt.Sprintf("the barrier is not reached by all work-items of work-group %d,%d,%d", b.Group[0], b.Group[1], b.Group[2])
	switch {
	case b.Returned:
		return s + ": some have returned"
	case b.Other.IsValid():
		return s + ": some are at the barrier at " + strings.TrimPrefix(b.Other.String(), b.At.File+":")
	}
	return s + ": some are at another"
}

// StateFault returns the fault recorded in the words of a group's state after the group has
// stopped, or nil. With strict it is also a fault if work-items returned while others waited.
func (f *Func) StateFault(group [3]uint64, first, last, split uint32, strict bool) error {
	at := func(phase uint32) (p diag.Pos) {
		if i := int(phase) - 1; i >= 0 && i < len(f.Barriers) {
			p = f.Barriers[i]
		}
		return p
	}
	switch {
	case last > 0 && first != last:
		return &BarrierFault{Group: group, At: at(first), Other: at(last)}
	case strict && split > 0:
		return &BarrierFault{Group: group, At: at(split), Returned: true}
	}
	return nil
}
