// Package refill transforms a divergent loop so that lanes which have left it take other
// work-items while the rest of the vector still runs it.
package refill

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// FirstArg is the offset in the argument block of additional arguments, which the runtime
// supplies, 8 bytes each: a pointer to the number of work-items taken (32 bits, initially
// 0), the first work-item along dimension 0, and their number.
const FirstArg = 1 << 20

// Options describe the launch.
type Options struct {
	Far bool // ids may exceed 32 bits
	Any bool // accept any loop, even one that lanes do not exit divergently
}

// Fit reports whether f, given the shapes of its values, has a loop that Loop accepts.
func Fit(f *kernel.Func, info *divergence.Info) bool {
	loop, _ := find(f, info, Options{})
	return loop != nil
}

// Why returns the reason why Loop accepts no loop of f, or "" if it accepts one.
func Why(f *kernel.Func, info *divergence.Info, o Options) string {
	_, why := begin(f, info, o)
	return why
}

// Loop returns a kernel that each lane runs once and that processes all work-items of a
// row. It returns nil if f has no loop with divergent exits.
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
// Lanes that have finished a work-item wait until a third of the lanes have, and then all of
// these take another one. A lane's state is held in parameters of the outer loop; values
// common to all work-items are computed before it. (Compare loop flattening: von Hanxleden and
// Kennedy, "Relaxing SIMD control flow constraints using loop transformations", PLDI 1992;
// and the refill of lanes in Lang et al., "Make the maxWork out of your SIMD investments:
// counter control flow divergence in compiled query pipelines", VLDB Journal 29, 2020.)
//
// requires: a prepared kernel; maintains: f
func Loop(f *kernel.Func, info *divergence.Info, o Options) *kernel.Func {
	b, _ := begin(f, info, o)
	if b == nil {
		return nil
	}
	at := b.f.Blocks[b.loop.Header].Pos
	g := b.build() // reuses the blocks of f
	g.Note(at, "refilled", "by new work-items once a third of the lanes have exited")
	opt.RemoveUnreachable(g, nil)
	g.Renumber()
	for _, pass := range opt.Resize {
		pass.Run(g, nil)
	}
	return g
}

// begin returns a builder for a copy of f and the loop to refill, or nil and the reason.
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
		return nil, "the state that a lane would have to keep is too large"
	}
	return b, ""
}

// id returns the type in which a work-item's id is kept.
func (b *builder) id() kernel.Type {
	if b.far {
		return alu.I64
	}
	return alu.I32
}
