package simtc

import (
	"context"
	"fmt"
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
	Lanes uint64 // how many work-items ran it, added up
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
	Lanes float64 // the average number of active lanes of its operations
	Share float64 // its share of all operations that ran, from 0 to 1
}

// AvgLanes is the average number of active lanes.
func (b BlockProfile) AvgLanes() float64 { return ratio(float64(b.Lanes), float64(b.Runs)) }

// Efficiency is the SIMD efficiency: the share of lanes that were active, from
// 0 to 1, in the average operation that ran.
func (p *Profile) Efficiency() float64 {
	var active, all float64
	for _, b := range p.Blocks {
		active += float64(b.Lanes) * float64(b.Ops)
		all += float64(b.Runs) * float64(b.Ops) * float64(p.Width)
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
	e, f, err := k.profiler()
	if err != nil {
		return nil, err
	}
	as, err := launch.FromGo(k.shared.signature(), args)
	if err != nil {
		return nil, err
	}
	counts, err := e.Profile(ctx, r, as, k.shared.prog.opt.Threads)
	if err != nil {
		return nil, err
	}
	w, err := k.Way()
	if err != nil {
		return nil, err
	}
	p := &Profile{Kernel: k.Name(), Target: w.Target, Linearizer: w.Linearizer, Width: max(w.Width, 1)}
	p.fill(f, counts)
	return p, nil
}

// profiler returns the kernel in a form that runs and counts, and the kernel IR
// whose blocks are counted.
func (k *Kernel) profiler() (launch.Profiler, *kernel.Func, error) {
	c := k.cfg
	c.counting = true
	k = &Kernel{k.shared, c}
	e, err := k.executor()
	if err != nil {
		return nil, nil, err
	}
	p, ok := e.(launch.Profiler)
	if !ok {
		return nil, nil, fmt.Errorf("kernel %s: code for %s cannot count", k.Name(), k.Target())
	}
	if c.target.scalar {
		f, err := k.scalarForm()
		return p, f, err
	}
	v, err := k.variant()
	return p, v.kernel, err
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

// operations lists the places of what happens in b.
func operations(b *kernel.Block) []diag.Pos {
	var at []diag.Pos
	for _, v := range b.Values {
		if work(v) {
			at = append(at, v.Pos)
		}
	}
	if b.Kind == kernel.Branch {
		at = append(at, b.Pos)
	}
	return at
}

// lineKey names a line.
type lineKey struct {
	file string
	line int
}

// lineSum collects what is known of a line.
type lineSum struct {
	ops          int
	work, active float64          // runs and lanes of its operations, added up
	places       map[diag.Pos]int // blocks by the place in the line, an index into blocks
	blocks       [][]int
}

// fill works out blocks and lines of f from the counts.
func (p *Profile) fill(f *kernel.Func, counts []launch.Count) {
	sums := map[lineKey]*lineSum{}
	var order []lineKey
	files := map[string]int{f.Pos.File: 0}
	all := 0.0
	for i, b := range f.Blocks {
		c := counts[i]
		out := BlockProfile{Name: kernel.Label(b), Runs: c.Runs, Lanes: c.Lanes}
		for _, at := range operations(b) {
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
				s = &lineSum{places: map[diag.Pos]int{}}
				sums[key] = s
				order = append(order, key)
			}
			s.ops++
			s.work += float64(c.Runs)
			s.active += float64(c.Lanes)
			s.addBlock(at, i)
		}
		p.Blocks = append(p.Blocks, out)
	}
	dom := cfg.Dominators(f.Graph())
	for _, key := range order {
		s := sums[key]
		p.Lines = append(p.Lines, LineProfile{
			File: key.file, Line: key.line, Ops: s.ops, Runs: s.runs(dom, counts),
			Lanes: ratio(s.active, s.work), Share: ratio(s.work, all),
		})
	}
	slices.SortFunc(p.Lines, func(a, b LineProfile) int {
		if a.File != b.File {
			return files[a.File] - files[b.File]
		}
		return a.Line - b.Line
	})
}

func (s *lineSum) addBlock(at diag.Pos, block int) {
	n, ok := s.places[at]
	if !ok {
		n = len(s.blocks)
		s.places[at] = n
		s.blocks = append(s.blocks, nil)
	}
	if b := s.blocks[n]; len(b) == 0 || b[len(b)-1] != block {
		s.blocks[n] = append(b, block)
	}
}

// runs is how often control came to the part of the line that runs most often.
// What became of one place may be several blocks: those that one of them
// dominates are within it, as the loop of a built-in function is within its
// call; the others are copies, as those of a function called twice.
func (s *lineSum) runs(dom *cfg.DomTree, counts []launch.Count) uint64 {
	most := uint64(0)
	for _, blocks := range s.blocks {
		sum := uint64(0)
		for _, b := range blocks {
			within := slices.ContainsFunc(blocks, func(a int) bool { return a != b && dom.Dominates(a, b) })
			if !within {
				sum += counts[b].Runs
			}
		}
		most = max(most, sum)
	}
	return most
}

// Source returns the text of a file the program was made from, if it is known:
// the source itself and what it includes.
func (p *Program) Source(file string) (text string, ok bool) {
	text, ok = p.sources[file]
	return text, ok
}
