// Package iterations runs iterations of a loop, in place of work-items, as the lanes of a
// kernel.
package iterations

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// Options define the lanes.
type Options struct {
	// Width is the number of lanes.
	Width int
	// Extents means that launches pass the sizes of buffers (see kernel.Func.ExtentOffset),
	// so that an iteration may start before it is known whether the loop continues.
	Extents bool
	// Overlap means that buffers of different arguments may share memory.
	Overlap bool
	// Depth is the nesting depth of the loops whose iterations are lanes, from 1: see Depths. In a
	// nest without such a loop at this depth, and everywhere if it is 0, the loop is chosen by its
	// accesses.
	Depth int

	own map[*kernel.Value]bool // objects of which iterations of a transformed loop have their own
}

// Lanes returns a copy of f in which Width lanes run each work-item. All of them do the
// same outside of loops; in a loop each lane runs its own iteration:
//
//	for (k = a; k < n; k++)      for (c = a;; c += Width)    lane l has k = c + l
//	    if (s[k] == x)               each lane runs an iteration, or exits the loop
//	        return k;                if a lane exits: continue as the lowest such lane
//
// Work-items then do not wait for each other (a search ends at a different iteration in
// each), and iterations that access adjacent elements access contiguous memory. This
// vectorizes a scalar loop with any control flow in its body: the divergence is that of
// the loop's iterations (divergence.AnalyzeLoop), and package structurize or blockip
// linearizes it.
//
// Iterations may depend on each other only through counters, reductions whose order does
// not matter, and operations that run in iteration order at the end of a chunk (see
// serial). Memory that one writes must not be accessed by another (package dependence), or each
// must have its own (see findOwn). Lanes share other private memory (see share). Iterations after the one that exits have no effect. Where an
// iteration is speculative, its loads are checked: if a load would leave its object, the original
// loop runs some iterations from that one.
//
// requires: a prepared kernel for which Fit is positive; maintains: a prepared kernel
func Lanes(f *kernel.Func, o Options, st opt.Stats) *kernel.Func {
	f = kernel.Clone(f)
	n := thread(f)
	if st.Add("tests decided by earlier branches", n); n > 0 {
		opt.RemoveUnreachable(f, nil)
		prepare(f)
	}
	st.Add("sums moved after joins", splitSums(f))
	st.Add("trip counts computed before loops", len(countExits(f)))
	made := 0
	o.own = map[*kernel.Value]bool{}
	skip := skips{whole: map[*kernel.Block]bool{}, header: map[*kernel.Block]bool{}}
	for l := find(f, o, skip); l != nil && made < maxLoops; l = find(f, o, skip) {
		old := len(f.Blocks)
		skip.add(l)
		l.build()
		st.Add("distances of accesses tested", len(l.distances))
		st.Add("loads that the first lane must execute", l.led())
		if l.clamp != nil {
			st.Add("loads tested before loops", len(l.clamp.loads))
		}
		st.Add("recurrences across lanes", len(l.recurrences))
		for v, own := range l.own {
			o.own[v] = o.own[v] || own
		}
		for v := range l.shared {
			if !v.Shared {
				v.Shared = true
				st.Add("private objects shared by lanes", 1)
			}
		}
		for _, b := range f.Blocks[old:] {
			skip.whole[b] = true
		}
		opt.RemoveUnreachable(f, nil)
		f.Renumber()
		made++
	}
	st.Add("loops with iterations as lanes", made)
	prepare(f)
	return f
}

// prepare restores the form of a prepared kernel after changes to f.
func prepare(f *kernel.Func) {
	for _, p := range opt.Resize {
		p.Run(f, nil)
	}
}

// Fit reports whether f has such a loop, and no effects other than stores that must happen once per
// work-item.
func Fit(f *kernel.Func, o Options) bool {
	return fit(rewritten(f), o)
}

// rewritten returns f as splitSums and countExits change it, with the same blocks.
func rewritten(f *kernel.Func) *kernel.Func {
	if len(cfg.Cycles(f.Graph()).Cycles) == 0 {
		return f
	}
	f = kernel.Clone(f)
	splitSums(f)
	countExits(f)
	return f
}

// fit is Fit for a rewritten kernel.
func fit(f *kernel.Func, o Options) bool {
	if o.Width < 2 || f.ByGroup() || f.Uses(kernel.Atomic, kernel.CmpXchg, kernel.Fence) || find(f, o, skips{}) == nil {
		return false
	}
	return !f.Requires() || !slices.ContainsFunc(describe(f, o), func(d Description) bool { return d.Required && d.Refusal != "" })
}
