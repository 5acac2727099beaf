package kernel

import (
	"github.com/simtc/simtc/alu/interval"
)

// MaxItems bounds the work-items of a dimension, FarItems their sum with the offset, and NearItems
// that sum if ids are not wide: launches guarantee this. An int has room for slightly more than a
// near id, such as the end of a window around it, and a long for slightly more than a wide id, as in
// lanes after the last work-item.
const (
	MaxItems  = 1 << 31
	FarItems  = 1<<63 - 1<<16
	NearItems = MaxItems - 1<<16
)

// QueryBounds returns the bounds of the work-item query v; with far, global ids may reach NearItems
// and more.
func (f *Func) QueryBounds(v *Value, far bool) interval.Bounds {
	group := uint64(MaxItems)
	if n := f.ReqdWorkGroupSize[min(v.Index, 2)]; n > 0 {
		group = uint64(n)
	}
	lo, hi := uint64(0), uint64(MaxItems)
	switch v.Op {
	case GlobalID:
		if hi = NearItems - 1; far {
			hi = FarItems - 1
		}
	case GlobalOffset:
		if far {
			hi = FarItems - 1
		}
	case LocalID:
		hi = group - 1
	case GroupID:
		hi = MaxItems - 1
	case LocalSize:
		lo, hi = 1, group
	case GlobalSize, NumGroups:
		lo = 1
	case WorkDim:
		lo, hi = 1, 3
	}
	return interval.Unsigned(v.Type, lo, hi)
}

// IsQuery reports whether op queries the work-item's position in the launch.
func IsQuery(op Op) bool {
	switch op {
	case GlobalID, LocalID, GroupID, GlobalSize, LocalSize, NumGroups, GlobalOffset, WorkDim:
		return true
	}
	return false
}

// MaxLanes bounds the lanes of a sub-group.
const MaxLanes = 64

// LaneBounds returns the bounds of Lane or Lanes.
func LaneBounds(v *Value) interval.Bounds {
	if v.Op == Lane {
		return interval.Unsigned(v.Type, 0, MaxLanes-1)
	}
	return interval.Unsigned(v.Type, 1, MaxLanes)
}
