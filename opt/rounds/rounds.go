// Package rounds has the pass that makes the lanes of a kernel rounds of its loops, in
// place of work-items.
package rounds

import (
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// Options say what the lanes are, and what they may do.
type Options struct {
	// Width is how many rounds run together.
	Width int
	// Extents tells that whoever runs the kernel says how large buffers are (see
	// kernel.Func.ExtentOffset), so that rounds may be begun before it is known
	// whether the loop goes on.
	Extents bool
}

// Lanes returns a copy of f of which each work-item is run by Width lanes, which do the
// same but for the rounds of loops:
//
//	for (k = a; k < n; k++)      for (c = a;; c += Width)    lane l has k = c + l
//	    if (s[k] == x)               each lane: a round, or where it leaves the loop
//	        return k;                if any lane leaves: as the first of them does
//
// Work-items are then spared what lanes of theirs cost that do not agree (a search that
// ends at another place in each), and what lies side by side for a round lies so in
// memory. It is Lanes(f) that vectorizing a loop of scalar code is, for any control
// flow in it: divergence is that of the loop's rounds (divergence.AnalyzeLoop), and
// package structurize or blockip does the rest.
//
// Rounds must not depend on each other but by counters, by what is put together in an
// order that does not matter, and by what is put together in their order when a chunk of
// them has ended (see serial). What they write must be their own (see ownObjects). The rounds behind the one in which the loop is left do
// nothing that counts. Where it is not certain before a round that it takes place, what
// it loads is looked at: should a load leave its object, the loop goes on round by
// round from there, and the loads are those of the source.
//
// requires: a prepared kernel, and that Fit says so; maintains: all of that
func Lanes(f *kernel.Func, o Options, st opt.Stats) *kernel.Func {
	f = kernel.Clone(f)
	n := thread(f)
	if st.Add("tests answered on the way", n); n > 0 {
		opt.RemoveUnreachable(f, nil)
		again(f)
	}
	made := 0
	done := map[*kernel.Block]bool{}
	for l := find(f, o, done); l != nil && made < mostLoops; l = find(f, o, done) {
		l.build()
		done[l.chunk], done[l.header] = true, true
		opt.RemoveUnreachable(f, nil)
		f.Renumber()
		made++
	}
	st.Add("loops whose rounds are lanes", made)
	again(f)
	return f
}

// again brings f, which is changed, into the form of a prepared kernel.
func again(f *kernel.Func) {
	for _, p := range opt.Resize {
		p.Run(f, nil)
	}
}

// Fit returns how many bytes the numbers have that such a loop of f loads, the largest;
// 0 if there is none, or if f does what must happen once for each work-item, besides
// storing.
func Fit(f *kernel.Func, o Options) int {
	if o.Width < 2 || f.ByGroup() || f.Uses(kernel.Atomic, kernel.CmpXchg, kernel.Fence) {
		return 0
	}
	l := find(f, o, nil)
	if l == nil {
		return 0
	}
	bytes := 0
	for _, v := range l.loads() {
		bytes = max(bytes, v.Type.Size())
	}
	return bytes
}

// mostLoops bounds the loops of a kernel that are looked for.
const mostLoops = 4

// find returns a loop whose rounds may be lanes, an outer one before those in it. One in
// another has a loop in itself: others go round a few times, as a rule, and what comes
// before and after costs as often. Those done, by their headers, are left out.
func find(f *kernel.Func, o Options, done map[*kernel.Block]bool) *loop {
	g := f.Graph()
	loops := cfg.Cycles(g)
	in, dom := opt.InEdges(f), cfg.Dominators(g)
	var look func(cs []*cfg.Cycle) *loop
	look = func(cs []*cfg.Cycle) *loop {
		for _, c := range cs {
			if done[f.Blocks[c.Header]] || c.Depth > 1 && len(c.Children) == 0 {
				continue
			}
			if l := newLoop(f, loops, dom, c, in, o); l != nil {
				return l
			}
			if l := look(c.Children); l != nil {
				return l
			}
		}
		return nil
	}
	return look(loops.Roots)
}
