package widen

import "github.com/simtc/simtc/kernel"

// Report describes the result of a linearizer, for statistics and remarks. Blocks are listed in
// the order in which they run.
type Report struct {
	Kept      []*kernel.Block // uniform branches that remain branches
	Folded    []Folded        // uniform branches that do not
	Divergent []*kernel.Block
	Guards    []*kernel.Block // blocks that begin with a required test for an active lane
	Bypasses  []*kernel.Block // blocks that begin with a test because skipping their region pays
	Copies    []*kernel.Block // regions with a second copy, for when all lanes are active
	Shared    int             // blocks that use the mask of another block
	Blends    int             // parameters set in some lanes only

	Tests   []Test    // Guards and Bypasses, and their reasons
	Private []Private // the private objects that are in memory

	TripCounts map[*kernel.Block]int // trip counts of loops by header, where they are constant
}

// Folded is a uniform branch that is linearized: control passes through both sides, and
// lanes wait at the edge they do not take.
type Folded struct {
	Block   *kernel.Block
	Waiting *kernel.Block // where other lanes wait and control goes first; nil: the end
	Aside   *kernel.Block // the header of a cycle that the branch enters at another block, though control enters at the header; nil if none
	Asked   bool          // the caller excludes uniform branches
}

// Test is a test at the beginning of a block whether any lane is active.
type Test struct {
	Block  *kernel.Block
	Reason TestReason
	Access *kernel.Value // ForAccess: the access that cannot be masked
	Loop   *kernel.Block // ForLoop, ForTripCount: the header of the loop
	Else   *kernel.Block // the next block if no lane is active; nil: the end
}

// TestReason is the reason for a Test.
type TestReason uint8

const (
	ForJoin      TestReason = iota // control reaches the block whether lanes wait there or not
	ForAccess                      // the region has a scalar access, which cannot be masked
	ForLoop                        // the region has a uniform loop that may not terminate without lanes
	ForTripCount                   // the region has a uniform loop whose trip count does not depend on the mask
	ForLeave                       // a loop's last lanes exit it before the block
	ForWorth                       // skipping the region pays
)

// Private is a private object of a work-item.
type Private struct {
	Object *kernel.Value // its Alloca
	// Interleaved reports that the lanes' elements are interleaved; otherwise every lane has
	// its own frame, unless the object is shared.
	Interleaved bool
	// Shared reports that all lanes use one copy, as they would write the same values.
	Shared bool
	// Taken is the memory of all lanes, in bytes: of the object, or of the frames.
	Taken int
}

// Counts lists the numbers of the report by name.
func (r *Report) Counts() map[string]int {
	return map[string]int{
		"uniform branches":      len(r.Kept) + len(r.Folded),
		"uniform branches kept": len(r.Kept),
		"divergent branches":    len(r.Divergent),
		"guards":                len(r.Guards),
		"all-zeros bypasses":    len(r.Bypasses),
		"all-ones bypasses":     len(r.Copies),
		"masks shared":          r.Shared,
		"parameters blended":    r.Blends,
	}
}
