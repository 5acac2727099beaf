package simtc

import (
	"context"
	"math"
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/pipeline"
)

// Profile reports how often the blocks and lines of a kernel ran in a launch, and with how many
// active lanes.
type Profile struct {
	Kernel     string
	Target     string
	Linearizer string
	Width      int // 1 if the target has no lanes
	Blocks     []BlockProfile
	Lines      []LineProfile // by file and line, the main file first
}

// BlockProfile is the profile of one block of the kernel IR, as shown by Emit("kernel").
type BlockProfile struct {
	Name  string
	File  string // location of its first operation; "" if it has none
	Line  int
	Ops   int    // number of operations
	Runs  uint64 // executions, for all lanes at once
	Lanes uint64 // sum over these executions of the active lanes
	Width int    // lanes of its operations; 1 outside of loops whose iterations are lanes
}

// LineProfile is the profile of one line of the source that has operations. Those of a macro or
// a built-in function belong to the line that uses it, those of other functions to their own
// line, wherever they are called from.
type LineProfile struct {
	File  string
	Line  int
	Ops   int     // number of operations
	Runs  uint64  // executions of the most frequent part of the line
	Lanes float64 // average number of active lanes of its operations; for the tests of a switch, of the first
	// Active is the average share of active lanes in them, from 0 to 1.
	Active float64
	Share  float64 // share of all executed operations, from 0 to 1

	at diag.Pos
}

// Text returns the file and line that contain the text of the line. They differ from File and
// Line after #line.
func (l LineProfile) Text() (file string, line int) { return l.at.Written() }

// AvgLanes returns the average number of active lanes.
func (b BlockProfile) AvgLanes() float64 { return ratio(float64(b.Lanes), float64(b.Runs)) }

// Efficiency returns the SIMD efficiency: the average share of active lanes of executed
// operations, from 0 to 1.
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

// Profile is Launch with instrumented code. It is slower and has the same results.
func (k *Kernel) Profile(ctx context.Context, r Range, args ...any) (*Profile, error) {
	k, r, as, err := k.launching(r, args)
	if err != nil {
		return nil, err
	}
	e, strategy, blocks, err := k.k.Profiler()
	if err != nil {
		return nil, err
	}
	var counts []launch.Count
	err = k.withVariables(ctx, as, func(as []Arg) error {
		return k.around(ctx, r, as, func(as []Arg) (err error) {
			counts, err = e.Profile(ctx, r, as, k.threads)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	p := &Profile{Kernel: k.Name(), Target: strategy.Target, Linearizer: strategy.Linearizer, Width: strategy.Width}
	p.fill(blocks, counts)
	return p, nil
}

// work reports whether v is an operation that executes in its block. Arguments, addresses of
// objects and components of loads are not.
func work(v *kernel.Value) bool {
	switch v.Op {
	case kernel.Argument, kernel.ArgAddr, kernel.DataAddr, kernel.Alloca, kernel.Component:
		return false
	}
	return true
}

// operation is an executed operation of a block.
type operation struct {
	at diag.Pos
	op kernel.Op // alu.Invalid: a branch
}

// operations lists the operations of b.
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

// lineKey identifies a line.
type lineKey struct {
	file string
	line int
}

// lineSum accumulates the profile of a line.
type lineSum struct {
	at       diag.Pos
	ops      int
	own, all active           // lanes of its operations without those that the compiler added, and of all
	places   map[diag.Pos]int // position in the line -> index in parts
	parts    [][]part
	added    []int // blocks with operations of the line that the compiler added
}

// active accumulates the lanes of operations.
type active struct{ runs, lanes, slots float64 }

func (a *active) add(b BlockProfile) {
	a.runs += float64(b.Runs)
	a.lanes += float64(b.Lanes)
	a.slots += float64(b.Runs) * float64(b.Width)
}

// active returns the average number of active lanes and their share.
func (s *lineSum) active() (lanes, share float64) {
	a := s.own
	if len(s.parts) == 0 {
		a = s.all
	}
	return ratio(a.lanes, a.runs), ratio(a.lanes, a.slots)
}

// part is the set of operations of one position in one block.
type part struct {
	block int
	ops   string // the operations, one byte each
	later bool   // control has already reached the position
}

// fill computes the profiles of blocks and lines from the counts.
func (p *Profile) fill(f pipeline.Counted, counts []launch.Count) {
	sums := map[lineKey]*lineSum{}
	var order []lineKey
	files := map[string]int{f.File: 0}
	all := 0.0
	for i, b := range f.Blocks {
		c := counts[i]
		out := BlockProfile{Name: kernel.Label(b), Runs: c.Runs, Lanes: c.Lanes, Width: p.Width}
		if f.Once[i] {
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
	dom := cfg.Dominators(f.Graph)
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

// runs returns the number of times that control reached the most frequent position of the line.
// Operations of one position may be in several blocks. A block that no other dominates is the
// entry of the position, such as the first block of a built-in function. A block with the same
// operations is a copy of the entry, from a second call or an unrolled loop, unless it is a
// later part of a macro. Other blocks are nested. For a line with only added operations, such as
// recomputations after barriers, the least frequent is the most accurate; for a switch whose
// first test was removed, the next one is.
func (s *lineSum) runs(dom *cfg.DomTree, counts []launch.Count) uint64 {
	dominated := func(b int, by []int) bool {
		return slices.ContainsFunc(by, func(x int) bool { return x != b && dom.Dominates(x, b) })
	}
	highest := uint64(0)
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
		highest = max(highest, sum)
	}
	if len(s.parts) == 0 {
		highest = math.MaxUint64
		for _, b := range s.added {
			if !dominated(b, s.added) {
				highest = min(highest, counts[b].Runs)
			}
		}
	}
	return highest
}

// Source returns the text of a file that the program was compiled from, if known: a source or
// an included file.
func (p *Program) Source(file string) (text string, ok bool) {
	text, ok = p.sources[file]
	return text, ok
}
