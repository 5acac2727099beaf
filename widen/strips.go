package widen

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/vir"
)

// Strips makes the loop over strips of W work-items and ends the function. body builds one strip
// from its first block and mask and returns the block where all lanes are done. With full it is
// called twice: strips with all lanes active have their own code, without the mask of the strip.
// Around it are, if the kernel uses local ids or memory, loops over the rows of a group, its
// phases, and the groups of the run.
func (w *Widener) Strips(body func(first *vir.Block, mask *vir.Value) *vir.Block, full bool) {
	strips := func(before *vir.Block) *vir.Block { return w.strips(before, body, full) }
	rows := func(before *vir.Block) *vir.Block { return w.rows(before, strips) }
	switch {
	case w.F.Phases:
		w.groups(func(before *vir.Block) (*vir.Block, *vir.Value) { return w.phases(before, rows) }).Return()
	case w.F.Groups:
		w.groups(func(before *vir.Block) (*vir.Block, *vir.Value) { return rows(before), nil }).Return()
	default:
		strips(w.entry).Return()
	}
	w.SSA.Finish()
}

// strips makes the loop over the strips of a row, after block before, and returns the block after
// the loop.
func (w *Widener) strips(before *vir.Block, body func(first *vir.Block, mask *vir.Value) *vir.Block, full bool) *vir.Block {
	i64, i1 := vir.Scalar(alu.I64), vir.Scalar(alu.I1)
	count, zero := w.field(vir.CtxCount), w.const64(0)
	// from makes the block where the strip of work-item i starts, which is the block's
	// parameter; build makes its code.
	from := func(name string) *vir.Block {
		b := w.F.NewBlock(name)
		b.Over = vir.OverStrips
		b.NewParam(i64, "strip")
		return b
	}
	build := func(first *vir.Block, mask func() *vir.Value) *vir.Block {
		w.strip = first.Params[0]
		w.SetBlock(first)
		w.stripMask = mask()
		last := body(first, w.stripMask)
		w.SetBlock(last)
		return last
	}
	prefix := func() *vir.Value {
		return w.append(vir.Prefix, vir.Mask(w.W), w.append(alu.Sub, i64, count, w.strip))
	}
	// begin connects a strip with its predecessor, the code before the loop. Variables do not
	// live from one strip to the next, so the back edge does not count.
	begin := func(before, first *vir.Block) {
		w.SSA.Connect(before, first)
		w.SSA.Seal(first)
	}
	// repeat continues with the next strip if cond holds for its first work-item.
	repeat := func(last, first, other *vir.Block, args func(next *vir.Value) []*vir.Value, cond func(next *vir.Value) *vir.Value) {
		next := w.append(alu.Add, i64, w.strip, w.const64(int64(w.F.Items())))
		last.Branch(cond(next), vir.Edge{To: first, Args: []*vir.Value{next}}, vir.Edge{To: other, Args: args(next)})
		w.SSA.Connect(last, other)
	}
	none := func(*vir.Value) []*vir.Value { return nil }
	more := func(next *vir.Value) *vir.Value { return w.append(alu.Slt, i1, next, count) }
	var exit *vir.Block
	switch {
	case w.F.Items() == 1 || !full || w.whole():
		strip := from("strip")
		begin(before, strip)
		before.Jump(strip, zero)
		mask := prefix
		if w.F.Items() == 1 || w.whole() {
			mask = w.True
		}
		last := build(strip, mask)
		exit = w.F.NewBlock("exit")
		repeat(last, strip, exit, none, more)
	default:
		// Full strips, then the remainder.
		strip, rest, tail := from("strip"), from("rest"), from("tail")
		exit = w.F.NewBlock("exit")
		w.SetBlock(before)
		limit := w.append(alu.Sub, i64, count, w.const64(int64(w.W)))
		fits := func(next *vir.Value) *vir.Value { return w.append(alu.Sle, i1, next, limit) }
		before.Branch(fits(zero), vir.Edge{To: strip, Args: []*vir.Value{zero}}, vir.Edge{To: rest, Args: []*vir.Value{zero}})
		begin(before, strip)
		w.SSA.Connect(before, rest)
		repeat(build(strip, w.True), strip, rest, func(next *vir.Value) []*vir.Value { return []*vir.Value{next} }, fits)
		w.SSA.Seal(rest)
		w.SetBlock(rest)
		w.strip = rest.Params[0]
		rest.Branch(more(w.strip), vir.Edge{To: tail, Args: []*vir.Value{w.strip}}, vir.Edge{To: exit})
		w.SSA.Connect(rest, tail)
		w.SSA.Connect(rest, exit)
		w.SSA.Seal(tail)
		report := w.Report // the second copy is not reported
		last := build(tail, prefix)
		w.Report = report
		w.Report.Copies = append(w.Report.Copies, w.K.Blocks[0])
		last.Jump(exit)
		w.SSA.Connect(last, exit)
	}
	w.SSA.Seal(exit)
	return exit
}

// whole reports whether all strips have Width work-items: if rows of work-groups are joined, all groups
// have the required size.
func (w *Widener) whole() bool {
	return w.K.Joined[0] > 0 && w.K.ReqdWorkGroupSize[0]%w.W == 0 && w.F.Groups
}

// loop makes a loop with the given variables, initialized by init, and returns its first block.
// repeat ends a block that continues the loop with next if cond holds, and returns the block
// after the loop.
func (w *Widener) loop(before *vir.Block, name string, init ...*vir.Value) (first *vir.Block, repeat func(last *vir.Block, cond *vir.Value, next ...*vir.Value) *vir.Block) {
	first = w.F.NewBlock(name)
	first.Over = vir.OverRows
	for range init {
		first.NewParam(vir.Scalar(alu.I64), name)
	}
	before.Jump(first, init...)
	w.SSA.Connect(before, first)
	return first, func(last *vir.Block, cond *vir.Value, next ...*vir.Value) *vir.Block {
		exit := w.F.NewBlock(name + "s")
		last.Branch(cond, vir.Edge{To: first, Args: next}, vir.Edge{To: exit})
		w.SSA.Connect(last, first)
		w.SSA.Connect(last, exit)
		w.SSA.Seal(first)
		w.SSA.Seal(exit)
		return exit
	}
}

// groups makes the loop over the groups of a run. body returns the block after a group, and, if
// the loop may end early, whether to continue.
func (w *Widener) groups(body func(before *vir.Block) (last *vir.Block, more *vir.Value)) *vir.Block {
	i64, i1 := vir.Scalar(alu.I64), vir.Scalar(alu.I1)
	group, repeat := w.loop(w.entry, "group", w.const64(0))
	w.group = group.Params[0]
	w.SetBlock(group)
	w.groupStart = w.append(alu.Add, i64, w.field(vir.CtxStart), w.append(alu.Mul, i64, w.group, w.field(vir.CtxLocalSize)))
	last, more := body(group)
	w.SetBlock(last)
	next := w.append(alu.Add, i64, w.group, w.const64(1))
	on := w.append(alu.Slt, i1, next, w.field(vir.CtxGroups))
	if more != nil {
		on = w.append(alu.And, i1, on, more)
	}
	return repeat(last, on, next)
}

// rows makes the loops over the rows of a group.
func (w *Widener) rows(before *vir.Block, body func(before *vir.Block) *vir.Block) *vir.Block {
	i64, i1 := vir.Scalar(alu.I64), vir.Scalar(alu.I1)
	zero, one := w.const64(0), w.const64(1)
	frames := w.F.Phases && w.F.Scratch > 0
	start := []*vir.Value{zero}
	if frames {
		start = append(start, w.field(vir.CtxScratch))
	}
	plane, nextPlane := w.loop(before, "plane", start...)
	start = []*vir.Value{zero}
	if frames {
		start = append(start, plane.Params[1])
	}
	row, nextRow := w.loop(plane, "row", start...)
	w.row[1], w.row[2] = row.Params[0], plane.Params[0]
	if frames {
		w.rowFrame = row.Params[1]
	}
	// next ends a row or plane.
	next := func(last *vir.Block, v *vir.Value, size int64, frame *vir.Value, repeat func(*vir.Block, *vir.Value, ...*vir.Value) *vir.Block) *vir.Block {
		w.SetBlock(last)
		args := []*vir.Value{w.append(alu.Add, i64, v, one)}
		if frames {
			args = append(args, frame)
		}
		return repeat(last, w.append(alu.Slt, i1, args[0], w.field(size)), args...)
	}
	last := body(row)
	var frame *vir.Value
	if frames {
		w.SetBlock(last)
		all := w.append(alu.Add, i64, w.field(vir.CtxCount), w.const64(int64(w.W-1)))
		all = w.append(alu.And, i64, all, w.const64(-int64(w.W)))
		frame = w.append(alu.Add, i64, w.rowFrame, w.frameOf(all))
	}
	exit := next(last, w.row[1], vir.CtxLocalSize+8, frame, nextRow)
	return next(exit, w.row[2], vir.CtxLocalSize+16, frame, nextPlane)
}

// frameOf returns the size of the private memory of the strips before work-item i of a row, where
// i is a multiple of W.
func (w *Widener) frameOf(i *vir.Value) *vir.Value {
	return w.append(alu.Mul, vir.Scalar(alu.I64), i, w.const64(int64(w.F.Scratch/w.W)))
}

// scratch returns the address of the private memory of the strip.
func (w *Widener) scratch() *vir.Value {
	if w.rowFrame == nil {
		return w.field(vir.CtxScratch)
	}
	return w.append(alu.Add, vir.Scalar(alu.I64), w.rowFrame, w.frameOf(w.strip))
}

// phases makes the loop over the phases of a group (package workgroup), each of which body runs.
// It returns whether the group is done; otherwise its work-items wait at different barriers.
func (w *Widener) phases(before *vir.Block, body func(before *vir.Block) *vir.Block) (*vir.Block, *vir.Value) {
	i32, i1 := vir.Scalar(alu.I32), vir.Scalar(alu.I1)
	word := func(x *vir.Value, at int64) *vir.Value {
		x.Disp, x.Align = vir.CtxState+at, 4
		return x
	}
	load := func(at int64) *vir.Value { return word(w.append(vir.Load, i32, w.ctx), at) }
	store := func(at int64, x *vir.Value) { word(w.append(vir.Store, vir.Type{}, w.ctx, x), at) }
	zero := w.F.Const(i32, 0)
	w.SetBlock(before)
	store(kernel.StatePhase, zero)
	store(kernel.StateReturned, zero)
	number := w.append(alu.Trunc, i32, w.group)
	store(kernel.StateGroup, number)
	phase, repeat := w.loop(before, "phase")
	w.SetBlock(phase)
	store(kernel.StateFirst, w.F.Const(i32, 1<<32-1))
	store(kernel.StateLast, zero)
	last := body(phase)
	w.SetBlock(last)
	next := load(kernel.StateLast)
	waits := w.append(alu.Ne, i1, next, zero)
	// Some work-items have returned and others wait: for strict launches.
	split := w.append(alu.And, i1, w.append(alu.Ne, i1, load(kernel.StateReturned), zero), waits)
	store(kernel.StateSplit, w.append(alu.Select, i32, split, next, load(kernel.StateSplit)))
	store(kernel.StateSplitIn, w.append(alu.Select, i32, split, number, load(kernel.StateSplitIn)))
	store(kernel.StatePhase, next)
	more := w.append(alu.And, i1, w.append(alu.Eq, i1, load(kernel.StateFirst), next), waits)
	last = repeat(last, more)
	w.SetBlock(last)
	return last, w.append(alu.Eq, i1, next, zero)
}
