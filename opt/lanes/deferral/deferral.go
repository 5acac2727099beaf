// Package deferral defers a heavy part of a kernel that few work-items need. It makes two
// kernels: the first only saves the state of such work-items in a queue, and the second
// runs the heavy part for full vectors of them.
package deferral

import (
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// Parts holds the two kernels.
//
//	x = in[i]                       now:  x = in[i]                   later:  i, x = queue[q]
//	if (rare(x))                          if (rare(x))                        for (...) x = ...
//	    for (...) x = ...                     queue[count++] = i, x           out[i] = x
//	out[i] = x                            else out[i] = x
//
// If the other arm only stores where the deferred work-items will store as well, now runs
// it for all lanes and needs no masks.
//
// Both kernels have additional arguments: a pointer to count, 32 bits that are initially 0,
// and a pointer to the array of each field of the queue. These lie from FirstArg on, 8
// bytes apart, and are supplied by the runtime. The work-items of later are the entries of
// the queue, numbered from 0 along dimension 0.
type Parts struct {
	Now, Later *kernel.Func
	Fields     []int // size of each field in bytes
}

// FirstArg is the offset of the count's argument in the argument block; those of the
// fields follow.
const FirstArg = 1 << 20

// Options describe the launch.
type Options struct {
	Far bool // ids may exceed 32 bits
	Any bool // accept any arm, heavy or not

	NoAlias bool // buffers of different arguments do not overlap
	Leave   bool // deferred work-items never run the other arm, so that profiles count them once
}

// maxFields limits the saved state of a work-item.
const maxFields = 8

// Fit reports whether Split finds an arm to defer in f, given the shapes of its values, and
// whether that arm is certainly heavy in every lane that takes it.
func Fit(f *kernel.Func, info *divergence.Info, o Options) (fits, certain bool) {
	s := find(f, info, o)
	return s != nil, s != nil && s.certain
}

// Split returns the two kernels, or nil. The deferred part is an arm of a branch outside of
// loops that depends on loaded or computed data, with a loop where the other arm has none.
// Work-items must be independent, since deferring changes their order.
//
// requires: a prepared kernel; maintains: f
func Split(f *kernel.Func, info *divergence.Info, o Options) *Parts {
	s := find(f, info, o)
	if s == nil {
		return nil
	}
	s.runsBoth = !o.Leave && s.canRunBoth()
	p := &Parts{Now: kernel.Clone(s.f), Later: kernel.Clone(s.f)}
	for _, v := range s.kept {
		p.Fields = append(p.Fields, s.field(v).Size())
	}
	s.now(p.Now)
	s.later(p.Later)
	for _, g := range []*kernel.Func{p.Now, p.Later} {
		opt.RemoveUnreachable(g, nil)
		g.Renumber()
		for _, pass := range opt.Resize {
			pass.Run(g, nil)
		}
	}
	p.Now.Note(f.Blocks[s.block].Pos, "deferred", "until enough work-items for all lanes need it")
	return p
}

// split describes the division of a kernel.
type split struct {
	f   *kernel.Func
	far bool

	noAlias bool

	block, edge int             // the branch, and the index of its edge to the deferred arm
	certain     bool            // the arm is heavy in every lane that takes it
	runsBoth    bool            // deferred work-items run the other arm, too
	after       []bool          // by block: reachable from the deferred arm
	kept        []*kernel.Value // the state to save
	made        []bool          // by value: recomputed from the saved state

	private map[*kernel.Value]bool // values derived from addresses of private objects
}
