package kernel

import (
	"fmt"
	"strings"

	"github.com/simtc/simtc/internal/diag"
)

// BarrierFault is a barrier that some work-items of a group came to and others
// did not (OpenCL C 1.2 §6.12.8: all must, or none).
type BarrierFault struct {
	Group    [3]uint64
	At       diag.Pos // the barrier; not valid where the source is unknown
	Other    diag.Pos // the barrier that others came to
	Returned bool     // others returned instead
}

// Error says what happened, without the place.
func (b *BarrierFault) Error() string {
	s := fmt.Sprintf("the barrier is not reached by all work-items of work-group %d,%d,%d", b.Group[0], b.Group[1], b.Group[2])
	switch {
	case b.Returned:
		return s + ": some have returned"
	case b.Other.IsValid():
		return s + ": some are at that of " + strings.TrimPrefix(b.Other.String(), b.At.File+":")
	}
	return s + ": some are at another"
}

// StateFault returns the fault that the words of a group's state tell of, as
// they are when the group has stopped, or nil. With strict it is also a fault
// if work-items returned while others waited.
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
