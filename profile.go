package simtc

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
)

// Profile tells how often the parts of a kernel ran in a launch, and how many
// lanes worked then.
type Profile struct {
	Kernel     string
	Target     string
	Linearizer string
	Width      int // 1 if the target has no lanes
	Blocks     []BlockProfile
	Lines      []LineProfile // the main file's first, in order
}

// BlockProfile is about one block of the kernel IR, as Emit("kernel") shows it.
type BlockProfile struct {
	Name  string
	File  string // where its first operation is; "" if it has none
	Line  int
	Ops   int    // operations in it
	Runs  uint64 // how often it ran, for all its lanes at once
	Lanes uint64 // how many lanes were active then, added up
	Width int    // lanes of its operations; 1 outside of the loops whose iterations are lanes
}

// LineProfile is about one line of the source that became operations. Those of
// a macro belong to the line that uses it, as those of a built-in function do;
// those of other functions belong to the line they stand on, wherever they are
// called from.
type LineProfile struct {
	File  string
	Line  int
	Ops   int     // operations the line became
	Runs  uint64  // how often control came to what runs most often in the line
	Lanes float64 // the average number of active lanes of its operations; of the tests of a switch, the first counts
	// Active is the share of the lanes that were active in them, from 0 to 1.
	Active float64
	Share  float64 // its share of all operations that ran, from 0 to 1

	at diag.Pos
}

// Text returns the file and line that hold the text of the line: others than File and
// Line where a #line says so.
func (l LineProfile) Text() (file string, line int) { return l.at.Written() }

// AvgLanes is the average number of active lanes.
func (b BlockProfile) AvgLanes() float64 { return ratio(float64(b.Lanes), float64(b.Runs)) }

// Efficiency is the SIMD efficiency: the share of lanes that were active, from
// 0 to 1, in the average operation that ran.
func (p *Profile) Efficiency() float64 {
	var active, all float64
	for _, b := range p.Blocks {
		active += float64(b.Lanes) * float64(b.Ops)
		all += float64(b.Runs) * float64(b.Ops) * float64(b.Width)
	}
	return ratio(active, all)
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// Profile is Launch with code that counts. It runs slower; what the kernel
// computes is the same.
func (k *Kernel) Profile(ctx context.Context, r Range, args ...any) (*Profile, error) {
	k, r, as, err := k.launching(r, args)
	if err != nil {
		return nil, err
	}
	e, p, blocks, err := k.profiler()
	if err != nil {
		return nil, err
	}
	var counts []launch.Count
	err = k.withVariables(ctx, as, func(as []Arg) error {
		return k.printing(r, as, func(as []Arg) error {
			return k.reporting(r, as, func(as []Arg) (err error) {
				counts, err = e.Profile(ctx, r, as, k.shared.prog.opt.Threads)
				return k.ended(ctx, k.shared.prog.runError(err))
			})
		})
	})
	if err != nil {
		return nil, err
	}
	p.fill(blocks, counts)
	return p, nil
}

// counted are the blocks whose runs are counted, of one kernel or of both that it was
// split into.
type counted struct {
	file   string // that the kernel is in
	blocks []*kernel.Block
	graph  *cfg.Graph
	// once reports, by block, whether all lanes do the same in it, as for one work-item.
	once []bool
}

// counted returns the blocks of the variant. Those of what is put off come after the
// one that does so.
func (v *variant) counted() counted {
	c := countedOf(v.kernel)
	if v.lowering.cfg.lanes == Rounds && v.k.cfg.width > 1 {
		c.once = outsideLanes(v.kernel, c.graph)
	}
	if v.later.kernel == nil {
		return c
	}
	succs, n := c.graph.Succs, len(c.blocks)
	for i, b := range c.blocks {
		if slices.ContainsFunc(b.Values, func(v *kernel.Value) bool { return v.Op == kernel.Atomic }) {
			succs[i] = append(slices.Clone(succs[i]), n)
		}
	}
	later := countedOf(v.later.kernel)
	for _, s := range later.graph.Succs {
		s = slices.Clone(s)
		for i := range s {
			s[i] += n
		}
		succs = append(succs, s)
	}
	n += len(later.blocks)
	return counted{c.file, append(slices.Clone(c.blocks), later.blocks...), cfg.NewGraph(succs), make([]bool, n)}
}

func countedOf(f *kernel.Func) counted {
	return counted{f.Pos.File, f.Blocks, f.Graph(), make([]bool, len(f.Blocks))}
}

// outsideLanes returns, by block, whether it is outside of the loops in which the lanes of f
// differ, which are iterations or work-items that lanes take by themselves. Such a loop
// contains, and no loop in it does, the ballot of the lanes that leave or the atomic addition
// by which lanes take work-items.
func outsideLanes(f *kernel.Func, g *cfg.Graph) []bool {
	once := make([]bool, len(f.Blocks))
	for i := range once {
		once[i] = true
	}
	loops := cfg.Cycles(g)
	for _, b := range f.Blocks {
		c := loops.InnermostCycle(b.ID)
		if c == nil || !slices.ContainsFunc(b.Values, func(v *kernel.Value) bool { return v.Op == kernel.Ballot || v.Op == kernel.Atomic }) {
			continue
		}
		for _, id := range c.Blocks {
			once[id] = false
		}
	}
	return once
}

// profiler returns the kernel in a form that runs and counts, the profile that is to be
// filled in, and the blocks that are counted.
func (k *Kernel) profiler() (e launch.Profiler, p *Profile, blocks counted, err error) {
	c := k.cfg
	c.counting = true
	k = &Kernel{k.shared, c, nil}
	v, running, err := k.runnable()
	if err != nil {
		return nil, nil, blocks, err
	}
	e, ok := running.(launch.Profiler)
	if !ok {
		return nil, nil, blocks, fmt.Errorf("kernel %s: code for %s cannot count", k.Name(), k.Target())
	}
	w := v.k.cfg.way()
	p = &Profile{Kernel: k.Name(), Target: w.Target, Linearizer: w.Linearizer, Width: max(w.Width, 1)}
	if c.target.scalar {
		p.Width = 1 // sub-groups have more, but run one by one
		f, err := k.interpreted()
		if err != nil {
			return nil, nil, blocks, err
		}
		return e, p, countedOf(f), nil
	}
	return e, p, v.counted(), nil
}

// work reports whether v stands for something that happens where it stands:
// arguments, addresses of objects and components of loads are names.
func work(v *kernel.Value) bool {
	switch v.Op {
	case kernel.Argument, kernel.ArgAddr, kernel.DataAddr, kernel.Alloca, kernel.Component:
		return false
	}
	return true
}

// operation is something that happens in a block.
type operation struct {
	at diag.Pos
	op kernel.Op // alu.Invalid: a branch
}

// operations lists what happens in b.
func operations(b *kernel.Block) []operation {
	var out []operation
	for _, v := range b.Values {
		if work(v) {
			out = append(out, operation{v.Pos, v.Op})
		}
	}
	if b.Kind == kernel.Branch {
		out = append(out, operation{at: b.Pos})
	}
	return out
}

// lineKey names a line.
type lineKey struct {
	file string
	line int
}

// lineSum collects what is known of a line.
type lineSum struct {
	at       diag.Pos
	ops      int
	own, all active           // lanes of its operations, but of those the compiler added, and of all
	places   map[diag.Pos]int // place in the line -> index in parts
	parts    [][]part
	added    []int // blocks that the compiler put operations of the line into
}

// active adds up lanes of operations.
type active struct{ runs, lanes, slots float64 }

func (a *active) add(b BlockProfile) {
	a.runs += float64(b.Runs)
	a.lanes += float64(b.Lanes)
	a.slots += float64(b.Runs) * float64(b.Width)
}

// active returns the average number of active lanes and their share of all.
func (s *lineSum) active() (lanes, share float64) {
	a := s.own
	if len(s.parts) == 0 {
		a = s.all
	}
	return ratio(a.lanes, a.runs), ratio(a.lanes, a.slots)
}

// part is what became of one place in one block.
type part struct {
	block int
	ops   string // the operations, a byte each
	later bool   // control has come to the place before
}

// fill works out blocks and lines from the counts.
func (p *Profile) fill(f counted, counts []launch.Count) {
	sums := map[lineKey]*lineSum{}
	var order []lineKey
	files := map[string]int{f.file: 0}
	all := 0.0
	for i, b := range f.blocks {
		c := counts[i]
		out := BlockProfile{Name: kernel.Label(b), Runs: c.Runs, Lanes: c.Lanes, Width: p.Width}
		if f.once[i] {
			out.Lanes, out.Width = c.Runs, 1
		}
		for _, o := range operations(b) {
			at := o.at
			out.Ops++
			all += float64(c.Runs)
			if !at.IsValid() {
				continue
			}
			if out.Line == 0 {
				out.File, out.Line = at.File, at.Line
			}
			if _, ok := files[at.File]; !ok {
				files[at.File] = len(files)
			}
			key := lineKey{at.File, at.Line}
			s := sums[key]
			if s == nil {
				s = &lineSum{at: at, places: map[diag.Pos]int{}}
				sums[key] = s
				order = append(order, key)
			}
			s.ops++
			s.all.add(out)
			if !at.Added {
				s.own.add(out)
			}
			s.add(o, i)
		}
		p.Blocks = append(p.Blocks, out)
	}
	dom := cfg.Dominators(f.graph)
	for _, key := range order {
		s := sums[key]
		lanes, share := s.active()
		p.Lines = append(p.Lines, LineProfile{
			File: key.file, Line: key.line, Ops: s.ops, Runs: s.runs(dom, counts),
			Lanes: lanes, Active: share, Share: ratio(s.all.runs, all), at: s.at,
		})
	}
	slices.SortFunc(p.Lines, func(a, b LineProfile) int {
		if a.File != b.File {
			return files[a.File] - files[b.File]
		}
		return a.Line - b.Line
	})
}

func (s *lineSum) add(o operation, block int) {
	if o.at.Added {
		s.added = append(s.added, block)
		return
	}
	place := o.at
	place.Later = false
	n, ok := s.places[place]
	if !ok {
		n = len(s.parts)
		s.places[place] = n
		s.parts = append(s.parts, nil)
	}
	parts := s.parts[n]
	if len(parts) == 0 || parts[len(parts)-1].block != block {
		parts = append(parts, part{block: block, later: true})
	}
	last := &parts[len(parts)-1]
	last.ops += string([]byte{byte(o.op)})
	last.later = last.later && o.at.Later
	s.parts[n] = parts
}

// runs is how often control came to the place in the line that runs most often.
// What became of one place may stand in several blocks. One that no other
// dominates is where the place begins, as the first block of a built-in
// function; one with the same operations is a copy of that, of a function that
// is called twice or a loop that was unrolled, unless it is a later one of a macro. The
// others are further in. Of a line that is only computed again, behind barriers, what runs
// least often tells the most, and of a switch whose first test is gone the next.
func (s *lineSum) runs(dom *cfg.DomTree, counts []launch.Count) uint64 {
	dominated := func(b int, by []int) bool {
		return slices.ContainsFunc(by, func(x int) bool { return x != b && dom.Dominates(x, b) })
	}
	most := uint64(0)
	for _, parts := range s.parts {
		if first := slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return p.later }); len(first) > 0 {
			parts = first
		}
		begins := map[string]bool{}
		blocks := make([]int, len(parts))
		for i, p := range parts {
			blocks[i] = p.block
		}
		for _, p := range parts {
			if !dominated(p.block, blocks) {
				begins[p.ops] = true
			}
		}
		sum := uint64(0)
		for _, p := range parts {
			if begins[p.ops] {
				sum += counts[p.block].Runs
			}
		}
		most = max(most, sum)
	}
	if len(s.parts) == 0 {
		most = math.MaxUint64
		for _, b := range s.added {
			if !dominated(b, s.added) {
				most = min(most, counts[b].Runs)
			}
		}
	}
	return most
}

// Source returns the text of a file the program was made from, if it is known:
// the source itself and what it includes.
func (p *Program) Source(file string) (text string, ok bool) {
	text, ok = p.sources[file]
	return text, ok
}
