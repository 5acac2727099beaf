package iterations

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// maxLoops limits the loops per kernel that are transformed.
const maxLoops = 4

// maxDepths limits the depths of loops that are candidates.
const maxDepths = 3

// skips are headers of loops that are not transformed.
type skips struct {
	whole  map[*kernel.Block]bool // with the loops in them
	header map[*kernel.Block]bool // but perhaps loops in them
}

// add skips l, the loops in it and those around it.
func (s skips) add(l *loop) {
	for _, id := range l.cycle.Blocks {
		s.whole[l.f.Blocks[id]] = true
	}
	for c := l.cycle.Parent; c != nil; c = c.Parent {
		s.header[l.f.Blocks[c.Header]] = true
	}
}

// Depths returns the values of Options.Depth that choose different loops of f, beginning with the
// choice of depth 0. It is nil if f has no suitable loop.
func Depths(f *kernel.Func, o Options) []int {
	return depths(rewritten(f), o)
}

// depths is Depths for a rewritten kernel.
func depths(f *kernel.Func, o Options) []int {
	o.Depth = 0
	if !fit(f, o) {
		return nil
	}
	loops := cfg.Cycles(f.Graph())
	deepest := 0
	for _, c := range loops.Cycles {
		deepest = max(deepest, c.Depth)
	}
	if deepest < 2 || f.Requires() {
		return []int{0}
	}
	byDefault := chosen(f, o)
	out, sets := []int{0}, [][]*kernel.Block{byDefault}
	for o.Depth = 1; o.Depth <= min(deepest, maxDepths); o.Depth++ {
		set := chosen(f, o)
		switch n := slices.IndexFunc(sets, func(x []*kernel.Block) bool { return slices.Equal(x, set) }); {
		case n < 0:
			out, sets = append(out, o.Depth), append(sets, set)
		case out[n] == 0:
			out[n] = o.Depth
		}
	}
	if len(out) == 1 {
		return []int{0}
	}
	return out
}

// chosen returns the headers of the loops that Lanes transforms.
func chosen(f *kernel.Func, o Options) (headers []*kernel.Block) {
	skip := skips{whole: map[*kernel.Block]bool{}, header: map[*kernel.Block]bool{}}
	for l := find(f, o, skip); l != nil && len(headers) < maxLoops; l = find(f, o, skip) {
		headers = append(headers, l.header)
		skip.add(l)
	}
	return headers
}

// find returns a loop whose iterations may be lanes, and that skip does not exclude. Of a nest that
// stores, it is the loop at the depth of the options. Otherwise outer loops come first; a nested loop
// must contain a loop itself, or store to contiguous memory: innermost loops mostly have short trip
// counts, and the code around the vector loop would dominate. Of a nest that stores, the loop whose
// iterations access the most contiguous memory is the best. Where the source requires loops, these
// are the only ones.
func find(f *kernel.Func, o Options, skip skips) *loop {
	loops := cfg.Cycles(f.Graph())
	s := search{f: f, o: o, skip: skip, loops: loops, dom: cfg.Dominators(f.Graph()), in: opt.InEdges(f)}
	return s.among(loops.Roots)
}

// search is a search for a loop.
type search struct {
	f     *kernel.Func
	o     Options
	skip  skips
	loops *cfg.CycleForest
	dom   *cfg.DomTree
	in    [][]opt.InEdge
}

func (s *search) loop(c *cfg.Cycle) *loop { return newLoop(s.f, s.loops, s.dom, c, s.in, s.o) }

// skips reports whether the loop c is not transformed.
func (s *search) skips(c *cfg.Cycle) bool {
	b := s.f.Blocks[c.Header]
	request := s.f.Request(b)
	required := request != nil && !request.Forbidden
	return s.skip.whole[b] || s.skip.header[b] || s.f.Requires() && !required || request != nil && request.Forbidden
}

// among returns a loop of the cycles cs or in them.
func (s *search) among(cs []*cfg.Cycle) *loop {
	for _, c := range cs {
		if s.skip.whole[s.f.Blocks[c.Header]] {
			continue
		}
		if s.o.Depth > 0 && !s.f.Requires() && s.stores(c) {
			if l := s.atDepth(c); l != nil {
				return l
			}
		}
		if !s.skips(c) {
			l := s.loop(c)
			inner := c.Depth > 1 && len(c.Children) == 0
			if l.refusal == "" && (s.f.Requires() || !inner || l.stores() && l.contiguous() >= minContiguous) {
				return s.better(l)
			}
		}
		if l := s.among(c.Children); l != nil {
			return l
		}
	}
	return nil
}

// atDepth returns a loop at the depth of the options that is c or in it.
func (s *search) atDepth(c *cfg.Cycle) *loop {
	if c.Depth == s.o.Depth && !s.skips(c) {
		if l := s.loop(c); l.refusal == "" {
			return l
		}
	}
	if c.Depth >= s.o.Depth || s.skip.whole[s.f.Blocks[c.Header]] {
		return nil
	}
	for _, inner := range c.Children {
		if l := s.atDepth(inner); l != nil {
			return l
		}
	}
	return nil
}

// better returns l or a loop in it that accesses more contiguous memory.
func (s *search) better(l *loop) *loop {
	if s.f.Requires() || !l.stores() {
		return l
	}
	best := l
	for _, inner := range s.loops.Cycles {
		if inner == l.cycle || !s.loops.Encloses(l.cycle, inner) || s.skips(inner) {
			continue
		}
		if x := s.loop(inner); x.refusal == "" && x.stores() && x.contiguous() > best.contiguous() {
			best = x
		}
	}
	return best
}

// stores reports whether there is a store in c.
func (s *search) stores(c *cfg.Cycle) bool {
	return slices.ContainsFunc(c.Blocks, func(id int) bool {
		return slices.ContainsFunc(s.f.Blocks[id].Values, func(v *kernel.Value) bool { return v.Op == kernel.Store })
	})
}
