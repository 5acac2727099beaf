package workgroup

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// splitter builds the phases. Each phase has copies of the blocks that control reaches from the
// phase's start without passing a barrier.
type splitter struct {
	f    *kernel.Func
	live map[*kernel.Value][]bool // see liveness
	cuts []barrier

	uniform *uniformity // of the kernel to be split

	loops *cfg.CycleForest // of the kernel to be split, if reconvergence of lanes matters; else nil

	phaseOf    map[*kernel.Block]int           // block before a barrier -> the phase that follows
	slots      map[*kernel.Value]*kernel.Value // value live at a barrier -> the object that keeps it
	recomputed map[*kernel.Value]bool          // value live at a barrier that is recomputed instead

	entry    *kernel.Block
	state    *kernel.Value
	returned *kernel.Value // object: not 0 once the work-item has returned; nil if no phase has both returns and barriers
}

// recompute is the limit of costOf up to which a value is recomputed. A kept value is stored and
// loaded for every work-item, and nothing is known any more about its stride across work-items.
const recompute = 32

// Costs of recomputing an operation: for every work-item, or once for the group.
const (
	costVarying = 4
	costUniform = 1
)

// classify decides for each value that is live at a barrier whether it is kept or recomputed.
func (s *splitter) classify() {
	s.phaseOf = map[*kernel.Block]int{}
	s.slots, s.recomputed = map[*kernel.Value]*kernel.Value{}, map[*kernel.Value]bool{}
	for i, c := range s.cuts {
		s.phaseOf[c.before] = i + 1
	}
	cost := map[*kernel.Value]int{}
	for _, c := range s.cuts {
		for _, v := range s.liveAt(c.after) {
			if s.costOf(v, cost) <= recompute {
				s.recomputed[v] = true
			} else {
				s.slots[v] = nil
			}
		}
	}
}

// isLive reports whether v, which is live after some barrier, is live where b begins.
func (s *splitter) isLive(v *kernel.Value, b *kernel.Block) bool {
	at := s.live[v]
	return at != nil && at[b.ID]
}

// liveAt lists the values live where b begins, ordered by ID.
func (s *splitter) liveAt(b *kernel.Block) []*kernel.Value {
	var out []*kernel.Value
	for v, at := range s.live {
		if at[b.ID] {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, func(a, b *kernel.Value) int { return a.ID - b.ID })
	return out
}

// costOf returns the cost of computing v from values that are the same in all phases; more than
// recompute if that is not possible.
func (s *splitter) costOf(v *kernel.Value, known map[*kernel.Value]int) int {
	if n, ok := known[v]; ok {
		return n
	}
	known[v] = recompute + 1 // while it is being visited
	n, once := recompute+1, costUniform
	if s.uniform.Varies(v) {
		once = costVarying
	}
	switch {
	case v.Op == kernel.Const:
		n = 0
	case v.Op == kernel.Load:
		if v.Args[0].Type == alu.PtrConstant && !v.Volatile && v.Count == 1 {
			n = once + s.costOf(v.Args[0], known)
		}
	case v.Op == kernel.Component, v.Op == kernel.Param, v.Op == alu.UDiv, v.Op == alu.SDiv, v.Op == alu.URem, v.Op == alu.SRem:
	case kernel.InfoOf(v.Op).Effect == kernel.Pure:
		n = once
		if len(v.Args) == 0 {
			n = 0
		}
		for _, a := range v.Args {
			n += s.costOf(a, known)
		}
	}
	known[v] = min(n, recompute+1)
	return known[v]
}

// build replaces the blocks of f by the phases and the switch that selects one.
func (s *splitter) build() {
	f := s.f
	old := f.Blocks
	f.Blocks = nil
	s.entry = f.NewBlock("entry")
	for _, v := range old[0].Values {
		if v.Op == kernel.Alloca {
			v.Block = s.entry
			s.entry.Values = append(s.entry.Values, v)
		}
	}
	for _, v := range s.kept() {
		x := s.entry.Append(kernel.Alloca, alu.PtrPrivate)
		x.Size, x.Name = memType(v.Type).Size(), v.Name
		x.Align = x.Size
		s.slots[v] = x
		f.Kept = append(f.Kept, s.describe(v, x))
	}
	phases := make([]*phase, len(s.cuts)+1)
	for i := range phases {
		start := old[0]
		if i > 0 {
			start = s.cuts[i-1].after
		}
		phases[i] = s.reach(start)
	}
	if slices.ContainsFunc(phases, (*phase).splits) {
		s.returned = s.entry.Append(kernel.Alloca, alu.PtrPrivate)
		s.returned.Size, s.returned.Align, s.returned.Name = 4, 4, "returned"
		f.Kept = append(f.Kept, kernel.Kept{Object: s.returned})
	}
	s.state = s.entry.Append(kernel.GroupState, alu.PtrLocal)
	now := s.load(s.entry, s.word(s.entry, kernel.StatePhase), alu.I32)
	now.Name = "phase"
	s.entry.Kind, s.entry.Cond, s.entry.Pos = kernel.Switch, now, old[0].Pos
	s.entry.Pos.Added = true
	for i, p := range phases {
		s.entry.Edges = append(s.entry.Edges, kernel.Edge{To: s.phase(i, p)})
		if i > 0 {
			s.entry.Cases = append(s.entry.Cases, uint64(i))
		}
	}
}

// kept lists the values that have slots, ordered by ID.
func (s *splitter) kept() []*kernel.Value {
	out := make([]*kernel.Value, 0, len(s.slots))
	for v := range s.slots {
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b *kernel.Value) int { return a.ID - b.ID })
	return out
}

// describe returns the barriers across which v is kept in object x.
func (s *splitter) describe(v, x *kernel.Value) kernel.Kept {
	k := kernel.Kept{Object: x, Pos: v.Pos}
	for i, c := range s.cuts {
		if s.isLive(v, c.after) {
			k.Barriers = append(k.Barriers, s.f.Barriers[i])
		}
	}
	for i := 0; !k.Pos.IsValid() && i < len(v.Block.Values); i++ { // a parameter has no position
		k.Pos = v.Block.Values[i].Pos
	}
	return k
}

// word returns the address of a word of the group's state.
func (s *splitter) word(b *kernel.Block, at int) *kernel.Value {
	return b.Append(kernel.PtrAdd, alu.PtrLocal, s.state, s.f.Const(alu.I64, uint64(at)))
}

func (s *splitter) load(b *kernel.Block, p *kernel.Value, t kernel.Type) *kernel.Value {
	v := b.Append(kernel.Load, t, p)
	v.Count, v.Align = 1, t.Size()
	return v
}

func (s *splitter) store(b *kernel.Block, p, x *kernel.Value) {
	v := b.Append(kernel.Store, alu.Void, p, x)
	v.Count, v.Align, v.Pos = 1, x.Type.Size(), b.Pos
}

// phase is the code that control reaches from start without passing a barrier.
type phase struct {
	start   *kernel.Block
	blocks  []*kernel.Block // in the order of the kernel
	in      map[*kernel.Block]bool
	returns bool
	waits   bool // reaches a barrier

	together bool // all work-items end it in the same way

	copies map[*kernel.Block]*kernel.Block
	extra  map[*kernel.Block][]*kernel.Value // additional parameters of copied blocks
}

// splits reports whether some work-items may return while others wait.
func (p *phase) splits() bool { return p.returns && p.waits && !p.together }

func (s *splitter) reach(start *kernel.Block) *phase {
	p := &phase{start: start, in: map[*kernel.Block]bool{start: true}, copies: map[*kernel.Block]*kernel.Block{}, extra: map[*kernel.Block][]*kernel.Value{}}
	work := []*kernel.Block{start}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		p.blocks = append(p.blocks, b)
		p.returns = p.returns || b.Kind == kernel.Return
		if s.phaseOf[b] > 0 {
			p.waits = true
			continue
		}
		for _, e := range b.Edges {
			if !p.in[e.To] {
				p.in[e.To] = true
				work = append(work, e.To)
			}
		}
	}
	slices.SortFunc(p.blocks, func(a, b *kernel.Block) int { return a.ID - b.ID })
	p.together = s.uniform.together(p, s.phaseOf)
	return p
}

// phase builds phase number n and returns its first block.
func (s *splitter) phase(n int, p *phase) *kernel.Block {
	f := s.f
	first := f.NewBlock(p.start.Name)
	if n > 0 {
		first.Name = "phase"
	}
	first.Pos = p.start.Pos
	first.Pos.Added = true
	at := first
	switch {
	case s.returned == nil:
	case n == 0:
		s.store(first, s.returned, f.Const(alu.I32, 0))
	default:
		// Work-items that returned while others waited skip the phase.
		was := first.Append(alu.Ne, alu.I1, s.load(first, s.returned, alu.I32), f.Const(alu.I32, 0))
		at = f.NewBlock("go")
		done := f.NewBlock("done")
		done.Return()
		first.Branch(was, kernel.Edge{To: done}, kernel.Edge{To: at})
	}

	// The phase begins with the values that were kept or are recomputed.
	begin := map[*kernel.Value]*kernel.Value{}
	var recur func(v *kernel.Value) *kernel.Value
	recur = func(v *kernel.Value) *kernel.Value {
		if v.Op == kernel.Const || v.Op == kernel.Alloca {
			return v
		}
		if x := begin[v]; x != nil {
			return x
		}
		args := make([]*kernel.Value, len(v.Args))
		for i, a := range v.Args {
			args[i] = recur(a)
		}
		x := at.AppendLike(v, args...)
		x.Pos.Added = true
		begin[v] = x
		return x
	}
	var varies []*kernel.Value // kept values that the phase may change
	if n > 0 {
		for _, v := range s.liveAt(p.start) {
			slot := s.slots[v]
			switch {
			case v.Op == kernel.Alloca:
			case slot == nil:
				recur(v)
			default:
				x := s.load(at, slot, memType(v.Type))
				x.Name = v.Name
				if v.Type == alu.I1 {
					x = at.Append(alu.Ne, alu.I1, x, f.Const(alu.I8, 0))
				}
				begin[v] = x
				if p.in[v.Block] && v.Block != p.start {
					varies = append(varies, v)
				}
			}
		}
	}
	for _, b := range p.blocks {
		c := f.NewBlock(b.Name)
		c.Unroll, c.Loop, c.At = b.Unroll, b.Loop, b.At
		p.copies[b] = c
		if b == p.start {
			continue
		}
		for _, v := range varies {
			if s.isLive(v, b) {
				p.extra[b] = append(p.extra[b], v)
			}
		}
	}
	at.Jump(p.copies[p.start])
	s.copyBlocks(p, begin)
	if s.loops != nil {
		s.enterByHeaders(p, at)
	}
	return first
}

// copyBlocks fills the copies of p's blocks. begin holds the values at the beginning of the phase.
func (s *splitter) copyBlocks(p *phase, begin map[*kernel.Value]*kernel.Value) {
	made := map[*kernel.Value]*kernel.Value{} // values defined by the phase
	own := map[*kernel.Block]map[*kernel.Value]*kernel.Value{}
	for _, b := range p.blocks {
		c := p.copies[b]
		own[b] = map[*kernel.Value]*kernel.Value{}
		for _, v := range b.Params {
			made[v] = c.NewParam(v.Type, v.Name)
		}
		for _, v := range p.extra[b] {
			own[b][v] = c.NewParam(v.Type, v.Name)
		}
		for _, v := range b.Values {
			if v.Op != kernel.Alloca {
				made[v] = c.AppendLike(v)
			}
		}
	}
	for _, b := range p.blocks {
		c := p.copies[b]
		// get returns the copy of v in b, after its definition if the phase has it.
		get := func(v *kernel.Value) *kernel.Value {
			switch {
			case v == nil || v.Op == kernel.Const || v.Op == kernel.Alloca:
				return v
			case own[b][v] != nil:
				return own[b][v]
			case begin[v] != nil && v.Block != b:
				return begin[v]
			}
			return made[v]
		}
		for _, v := range b.Values {
			x := made[v]
			if x == nil {
				continue
			}
			x.Args = make([]*kernel.Value, len(v.Args))
			for i, a := range v.Args {
				x.Args[i] = get(a)
			}
		}
		c.Pos = b.Pos
		if n := s.phaseOf[b]; n > 0 {
			s.wait(c, n, p, begin, get)
			continue
		}
		c.Kind, c.Cond, c.Cases = b.Kind, get(b.Cond), b.Cases
		for _, e := range b.Edges {
			x := kernel.Edge{To: p.copies[e.To], Rare: e.Rare}
			for _, a := range e.Args {
				x.Args = append(x.Args, get(a))
			}
			for _, v := range p.extra[e.To] {
				x.Args = append(x.Args, get(v))
			}
			c.Edges = append(c.Edges, x)
		}
		if b.Kind == kernel.Return && p.splits() {
			one := s.f.Const(alu.I32, 1)
			s.store(c, s.returned, one)
			s.store(c, s.word(c, kernel.StateReturned), one)
		}
	}
}

// wait ends c, a copy of a block before a barrier: live values are kept, and phase n is requested.
func (s *splitter) wait(c *kernel.Block, n int, p *phase, begin map[*kernel.Value]*kernel.Value, get func(*kernel.Value) *kernel.Value) {
	for _, v := range s.liveAt(s.cuts[n-1].after) {
		slot := s.slots[v]
		if slot == nil {
			continue
		}
		x := get(v)
		if x == begin[v] {
			continue // its slot is up to date
		}
		if x.Type == alu.I1 {
			x = c.Append(alu.ZExt, alu.I8, x)
		}
		s.store(c, slot, x)
	}
	if p.together {
		// All work-items request the same phase, so the last store decides.
		s.store(c, s.word(c, kernel.StateFirst), s.f.Const(alu.I64, uint64(n)<<32|uint64(n)))
		c.Return()
		return
	}
	phase := s.f.Const(alu.I32, uint64(n))
	for _, w := range []struct {
		at int
		op kernel.Op
	}{{kernel.StateFirst, alu.UMin}, {kernel.StateLast, alu.UMax}} {
		at := s.word(c, w.at)
		was := s.load(c, at, alu.I32)
		s.store(c, at, c.Append(w.op, alu.I32, was, phase))
		// Diverged work-items must not do this together.
		was.Volatile, c.Values[len(c.Values)-1].Volatile = true, true
	}
	c.Return()
}

// enterByHeaders makes a phase that starts within cycles enter them by their headers, which then
// branch to the phase's start: so diverged lanes run the same iterations together as in the
// kernel before it was split.
func (s *splitter) enterByHeaders(p *phase, at *kernel.Block) {
	to := kernel.Edge{To: p.copies[p.start]}
	for c := s.loops.InnermostCycle(p.start.ID); c != nil; c = c.Parent {
		header := p.header(c)
		if header == nil {
			continue
		}
		d := s.f.NewBlock("resume")
		pass := make([]*kernel.Value, len(header.Params))
		start := make([]*kernel.Value, len(header.Params), len(header.Params)+1)
		for i, v := range header.Params {
			pass[i], start[i] = d.NewParam(v.Type, v.Name), s.f.Const(v.Type, 0)
		}
		starts := d.NewParam(alu.I1, "starts")
		for _, b := range p.blocks {
			for i := range p.copies[b].Edges {
				if e := &p.copies[b].Edges[i]; e.To == header {
					*e = kernel.Edge{To: d, Args: append(e.Args, s.f.Const(alu.I1, 0))}
				}
			}
		}
		d.Branch(starts, to, kernel.Edge{To: header, Args: pass})
		d.Pos = header.Pos
		d.Pos.Added = true
		to = kernel.Edge{To: d, Args: append(start, s.f.Const(alu.I1, 1))}
	}
	at.Jump(to.To, to.Args...)
}

// header returns the copy of the header of c, nil if the phase does not reach it or starts there.
func (p *phase) header(c *cfg.Cycle) *kernel.Block {
	for _, b := range p.blocks {
		if b.ID == c.Header && b != p.start {
			return p.copies[b]
		}
	}
	return nil
}
