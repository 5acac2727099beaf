// Package postpone has the pass that makes two kernels of one: of the work-items that
// need a heavy part of it, mostly few, the first only writes down what they know, and the
// second does their part, as many at a time as there are lanes.
package postpone

import (
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// Parts are the two kernels.
//
//	x = in[i]                       now:  x = in[i]                   later:  i, x = queue[q]
//	if (rare(x))                          if (rare(x))                        for (...) x = ...
//	    for (...) x = ...                     queue[count++] = i, x           out[i] = x
//	out[i] = x                            else out[i] = x
//
// If all that the others do is to store where those that are put off will store, now has no
// else: no lane waits then, and nothing is masked.
//
// Behind the arguments of the kernel both have one that points to count, a number of 32
// bits that is 0 at first, and one for each field of the queue, an array: these lie from
// FirstArg on, 8 bytes apart, and no launch gives them. In later the work-items are those
// of the queue, from 0 on along dimension 0.
type Parts struct {
	Now, Later *kernel.Func
	Fields     []int // bytes of each
}

// FirstArg is where in the argument block the argument for the count would be; those
// for the fields follow.
const FirstArg = 1 << 20

// Options say how the kernel will run.
type Options struct {
	Far bool // ids may not fit in 32 bits
	Any bool // any arm will do, heavy or not

	Apart bool // buffers of different arguments share no memory
	Leave bool // who is put off does nothing else before: so that it is counted once
}

// mostFields bounds what is kept of a work-item.
const mostFields = 8

// Fit reports whether f, with the shapes of its values, has a part that Split finds, and
// whether it is certain that it is heavy, for whoever needs it.
func Fit(f *kernel.Func, info *divergence.Info, o Options) (fits, certain bool) {
	s := find(f, info, o)
	return s != nil, s != nil && s.certain
}

// Split returns the two kernels, nil if f has no such part: an arm of a branch, in no
// loop, that lanes take by what they have loaded or computed, and that has a loop where
// the other arm has none. The work-items may not have to do with each other, since some of
// them are then done with before others that lie ahead.
//
// requires: a prepared kernel; maintains: f
func Split(f *kernel.Func, info *divergence.Info, o Options) *Parts {
	s := find(f, info, o)
	if s == nil {
		return nil
	}
	s.together = !o.Leave && s.runsOn()
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
	p.Now.Note(f.Blocks[s.block].Pos, "postponed", "until there are as many work-items that need it as lanes")
	return p
}

// split is where a kernel is divided.
type split struct {
	f   *kernel.Func
	far bool

	buffersApart bool

	block, edge int             // the branch, and the way to what is put off
	certain     bool            // much work for whoever goes it
	together    bool            // who goes it goes the other way, too, now
	behind      []bool          // by block: control may come there from that way
	kept        []*kernel.Value // what those who go it have computed before
	made        []bool          // by value: computed anew, from what is kept

	private map[*kernel.Value]bool // made of addresses of private objects
}
