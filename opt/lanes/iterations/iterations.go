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
	made := 0
	done := map[*kernel.Block]bool{}
	o.own = map[*kernel.Value]bool{}
	for l := find(f, o, done); l != nil && made < maxLoops; l = find(f, o, done) {
		old := len(f.Blocks)
		l.build()
		st.Add("distances of accesses tested", len(l.distances))
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
			done[b] = true
		}
		for _, id := range l.cycle.Blocks {
			done[f.Blocks[id]] = true
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

// Fit returns the size in bytes of the largest values that such a loop of f loads or stores. It is 0
// if f has no such loop, or has effects other than stores that must happen once per
// work-item.
func Fit(f *kernel.Func, o Options) int {
	if o.Width < 2 || f.ByGroup() || f.Uses(kernel.Atomic, kernel.CmpXchg, kernel.Fence) {
		return 0
	}
	l := find(f, o, nil)
	if l == nil || f.Requires() && slices.ContainsFunc(Describe(f, o), func(d Description) bool { return d.Required && d.Refusal != "" }) {
		return 0
	}
	bytes := 0
	for _, v := range l.accessed() {
		bytes = max(bytes, v.Accessed().Size())
	}
	return bytes
}

// maxLoops limits the loops per kernel that are transformed.
const maxLoops = 4

// find returns a loop whose iterations may be lanes; outer loops come first. A nested loop
// must contain a loop itself, or store to contiguous memory: innermost loops mostly have short trip
// counts, and the code around the vector loop would dominate. Of a nest that stores, the loop whose
// iterations access the most contiguous memory is the best. Loops whose headers are in done are
// skipped. Where the source requires loops, these are the only ones.
func find(f *kernel.Func, o Options, done map[*kernel.Block]bool) *loop {
	g := f.Graph()
	loops := cfg.Cycles(g)
	in, dom := opt.InEdges(f), cfg.Dominators(g)
	// better returns l or a loop in it that accesses more contiguous memory.
	better := func(l *loop, c *cfg.Cycle) *loop {
		if f.Requires() || !l.stores() {
			return l
		}
		best := l
		for _, inner := range loops.Cycles {
			if inner == c || !loops.Encloses(c, inner) || done[f.Blocks[inner.Header]] {
				continue
			}
			if x := newLoop(f, loops, dom, inner, in, o); x.refusal == "" && x.stores() && x.contiguous() > best.contiguous() {
				best = x
			}
		}
		return best
	}
	var look func(cs []*cfg.Cycle) *loop
	look = func(cs []*cfg.Cycle) *loop {
		for _, c := range cs {
			b := f.Blocks[c.Header]
			request := f.Request(b)
			required := request != nil && !request.Forbidden
			switch {
			case done[b]:
				continue
			case f.Requires() && !required, request != nil && request.Forbidden:
			default:
				l := newLoop(f, loops, dom, c, in, o)
				inner := c.Depth > 1 && len(c.Children) == 0
				if l.refusal == "" && (required || !inner || l.stores() && l.contiguous() >= minContiguous) {
					return better(l, c)
				}
			}
			if l := look(c.Children); l != nil {
				return l
			}
		}
		return nil
	}
	return look(loops.Roots)
}
