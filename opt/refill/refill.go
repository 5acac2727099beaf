// Package refill has the pass that lets lanes go on with other work-items when most of
// those that share a loop with them have left it.
package refill

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// FirstArg is where in the argument block the arguments lie of a kernel that takes
// work-items by itself, which no launch gives: 8 bytes apart, a pointer to how many are taken,
// 32 bits that are 0 at first, the first of them along dimension 0, and how many there are.
const FirstArg = 1 << 20

// Options say how the kernel will run.
type Options struct {
	Far bool // ids may not fit in 32 bits
	Any bool // any loop will do, whether lanes leave it apart or not
}

// Fit reports whether f, with the shapes of its values, has a loop that Loop may take.
func Fit(f *kernel.Func, info *divergence.Info) bool {
	loop, _ := find(f, info, Options{})
	return loop != nil
}

// Why tells why Loop takes no loop of f, "" if it takes one.
func Why(f *kernel.Func, info *divergence.Info, o Options) string {
	_, why := begin(f, info, o)
	return why
}

// Loop returns a kernel that each lane runs once and that does all work-items of a row; nil
// if f has no loop that lanes leave apart.
//
//	x = start(i)                 at = none
//	while (more(x))              for (;;) {
//	    x = step(x)                  if (at != looping) {          // this lane
//	finish(i, x)                         if (at == left) finish(i, x)
//	                                     i = taken++; if (i >= items) return
//	                                     x = start(i)
//	                                 }
//	                                 at = left
//	                                 while (more(x)) {
//	                                     x = step(x)
//	                                     if (few lanes are here) { at = looping; break }
//	                                 }
//	                             }
//
// Lanes that are done with a work-item wait until a third of them are, and then all take
// another one. What lanes know from one turn to the next are parameters of the outer loop;
// what all share is computed ahead of it. (Compare loop flattening: von Hanxleden and
// Kennedy, "Relaxing SIMD control flow constraints using loop transformations", PLDI 1992;
// and the refill of lanes in Lang et al., "Make the most out of your SIMD investments:
// counter control flow divergence in compiled query pipelines", VLDB Journal 29, 2020.)
//
// requires: a prepared kernel; maintains: f
func Loop(f *kernel.Func, info *divergence.Info, o Options) *kernel.Func {
	b, _ := begin(f, info, o)
	if b == nil {
		return nil
	}
	at := b.f.Blocks[b.loop.Header].Pos
	g := b.build() // of the blocks of f
	g.Note(at, "refilled", "by lanes that take another work-item when a third of them have left it")
	opt.RemoveUnreachable(g, nil)
	g.Renumber()
	for _, pass := range opt.Resize {
		pass.Run(g, nil)
	}
	return g
}

// begin returns the builder for the loop that is to be refilled, of a copy of f; nil, and why,
// if there is none.
func begin(f *kernel.Func, info *divergence.Info, o Options) (*builder, string) {
	if loop, why := find(f, info, o); loop == nil {
		return nil, why
	}
	f = kernel.Clone(f)
	opt.LCSSA(f, nil)
	info = divergence.Analyze(f, divergence.Options{Width: 16, Far: o.Far})
	loop, why := find(f, info, o)
	if loop == nil {
		return nil, why
	}
	b := &builder{f: f, info: info, loop: loop, far: o.Far}
	if !b.analyze() {
		return nil, "a lane would have too much to keep for its next turn in it"
	}
	return b, ""
}

// id is the type that the work-item's id is kept as.
func (b *builder) id() kernel.Type {
	if b.far {
		return alu.I64
	}
	return alu.I32
}
