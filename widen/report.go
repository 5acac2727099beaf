package widen

import "github.com/simtc/simtc/kernel"

// Report tells what a linearizer did, for statistics and remarks. Blocks are
// listed in the order in which they are run.
type Report struct {
	Kept      []*kernel.Block // uniform branches that still choose where control goes
	Folded    []Folded        // uniform branches that do not
	Divergent []*kernel.Block
	Guards    []*kernel.Block // heads that ask if a lane is there because they must
	Bypasses  []*kernel.Block // heads that ask because the region behind is worth skipping
	Copies    []*kernel.Block // regions that exist a second time, for when no lane is missing
	Shared    int             // blocks that use the mask of another block
	Blends    int             // parameters set for some lanes only

	Tests   []Test    // Guards and Bypasses, and why they ask
	Private []Private // the private objects that are in memory

	Rounds map[*kernel.Block]int // how often loops go round, by their headers, where that is a constant
}

// Folded is a branch on which all lanes agree, behind which control goes one way
// whatever they chose: they wait for it where they want to go.
type Folded struct {
	Block   *kernel.Block
	Waiting *kernel.Block // where other lanes wait, to which control goes first; nil: the end
	Aside   *kernel.Block // the header of a cycle that the branch enters elsewhere, though control does at the header; nil if none
	Asked   bool          // the caller wants no uniform branches
}

// Test is a block's head that asks whether any lane is there.
type Test struct {
	Block  *kernel.Block
	Reason TestReason
	Access *kernel.Value // ForAccess: the access that no mask prevents
	Loop   *kernel.Block // ForLoop, ForRounds: the header of the loop
	Else   *kernel.Block // where control goes if there is none; nil: the end
}

// TestReason says why a block's head asks whether any lane is there.
type TestReason uint8

const (
	ForJoin   TestReason = iota // control comes to the block whether lanes wait there or not
	ForAccess                   // the region accesses memory as a scalar, which no mask prevents
	ForLoop                     // the region has a uniform loop, which may not end without lanes
	ForRounds                   // the region has a uniform loop, which without lanes takes as many rounds as with them
	ForLeave                    // a loop's last lanes leave it before the block
	ForWorth                    // the region is worth skipping
)

// Private is a private object of a work-item.
type Private struct {
	Object *kernel.Value // its Alloca
	// Interleaved tells that the lanes' elements lie side by side; else every
	// lane has a frame of its own, unless it is shared.
	Interleaved bool
	// Shared tells that all lanes use one copy, as they would write the same.
	Shared bool
	// Taken is the memory of all lanes, in bytes: the object's, or that of the frames.
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
