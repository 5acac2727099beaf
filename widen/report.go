package widen

import "github.com/simtc/simtc/kernel"

// Report tells what a linearizer did, for statistics and remarks. Blocks are
// listed in the order in which they are run.
type Report struct {
	Kept      []*kernel.Block // uniform branches that still choose where control goes
	Folded    []*kernel.Block // uniform branches whose sides are both run
	Divergent []*kernel.Block
	Guards    []*kernel.Block // heads that ask if a lane is there because they must
	Bypasses  []*kernel.Block // heads that ask because the region behind is worth skipping
	Copies    []*kernel.Block // regions that exist a second time, for when no lane is missing
	Shared    int             // blocks that use the mask of another block
	Blends    int             // parameters set for some lanes only
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
