package loops

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Limits of the registers that values hoisted out of one loop may occupy: bytes of vectors, masks
// and scalars. Beyond them, values would be spilled and reloaded in the loop.
const (
	maxVectorBytes = 12 * 64
	maxMaskValues  = 2
	maxScalars     = 10
)

// maxLimitDepth bounds the operations that a loop's limit depends on.
const maxLimitDepth = 8

// Hoist moves loop-invariant operations to preheaders, as far out as they are invariant. Pure
// operations are total and invariant loads never fault, so speculation is safe. Operations that
// are as cheap as a register stay.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes; a reducible graph stays so
func Hoist(f *vir.Func, stats edit.Stats) {
	h := newHoister(f, stats, func(*hoister, *cfg.Cycle) bool { return true })
	if h == nil {
		return
	}
	for _, id := range f.Graph().ReversePostOrder() {
		h.block(f.Blocks[id])
	}
	h.finish()
}

// Limits moves the invariant operand of a loop head's comparison out of the loop, loads included,
// in scalar code: passes that match counting loops run before Hoist.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes; a reducible graph stays so
func Limits(f *vir.Func, stats edit.Stats) {
	if f.Width != 1 {
		return
	}
	h := newHoister(f, stats, func(h *hoister, c *cfg.Cycle) bool { return h.limit(c) != nil })
	if h == nil {
		return
	}
	for i, c := range h.cycles.Cycles {
		if v := h.limit(c); v != nil && h.before[i] != nil {
			h.move(v, h.before[i], c)
		}
	}
	h.finish()
}

// limit returns the operand of the head's comparison that is computed in c but invariant; nil if
// there is none.
func (h *hoister) limit(c *cfg.Cycle) *vir.Value {
	head := h.f.Blocks[c.Header]
	if c.Depth == 1 || head.Kind != vir.Branch || alu.InfoOf(head.Cond.Op).Class != alu.Compare {
		return nil
	}
	for _, v := range head.Cond.Args {
		if h.inside(v, c) && h.isInvariant(v, c, maxLimitDepth) {
			return v
		}
	}
	return nil
}

// finish removes moved operations from their old blocks.
func (h *hoister) finish() {
	for _, b := range h.f.Blocks {
		kept := make([]*vir.Value, 0, len(b.Values))
		for _, v := range b.Values {
			if v.Block == b {
				kept = append(kept, v)
			}
		}
		b.Values = kept
	}
	h.f.Renumber()
}

func (h *hoister) inside(v *vir.Value, c *cfg.Cycle) bool {
	return v.Op != vir.Const && h.cycles.Contains(c, v.Block.ID)
}

// isInvariant reports whether v is invariant in c, with the operations that it depends on.
func (h *hoister) isInvariant(v *vir.Value, c *cfg.Cycle, depth int) bool {
	if !h.inside(v, c) {
		return true
	}
	if depth == 0 || v.Op == vir.Param || !analysis.IsMovable(v) && !h.canLoadEarly(v, c) {
		return false
	}
	return !slices.ContainsFunc(v.Args, func(a *vir.Value) bool { return !h.isInvariant(a, c, depth-1) })
}

// canLoadEarly reports whether the scalar load v may be executed once before c: the header
// executes it, or it is known to be within private memory, and c does not write that memory.
func (h *hoister) canLoadEarly(v *vir.Value, c *cfg.Cycle) bool {
	if v.Op != vir.Load || v.Volatile || v.Block.ID != c.Header && !h.inPrivateMemory(v) {
		return false
	}
	for _, id := range c.Blocks {
		for _, x := range h.f.Blocks[id].Values {
			if vir.InfoOf(x.Op).Effect == vir.Writes && !h.objects.Accessed(v).Distinct(h.objects.Accessed(x)) {
				return false
			}
		}
	}
	return true
}

// inPrivateMemory reports whether v loads from a constant offset within private memory.
func (h *hoister) inPrivateMemory(v *vir.Value) bool {
	return vir.IsPrivateBase(v.Args[0]) && v.Disp >= 0 && v.Disp+int64(v.Type.Bits()+7)/8 <= int64(h.f.Scratch)
}

type hoister struct {
	f      *vir.Func
	stats  edit.Stats
	cycles *cfg.CycleForest
	before []*vir.Block // by cycle ID: its preheader, nil for none
	budget []budget     // by cycle ID

	objects *analysis.Objects
}

type budget struct{ vectors, masks, scalars int }

// newHoister gives every wanted reducible cycle a preheader: a block outside that only jumps to
// the header and is its only predecessor outside. It returns nil if no cycle is wanted.
func newHoister(f *vir.Func, stats edit.Stats, wanted func(*hoister, *cfg.Cycle) bool) *hoister {
	cycles := cfg.Cycles(f.Graph())
	h := &hoister{f: f, stats: stats, cycles: cycles, objects: analysis.NewObjects(f)}
	any := false
	for _, c := range cycles.Cycles {
		if c.Reducible() && wanted(h, c) {
			addPreheader(f, cycles, c)
			any = true
		}
	}
	if !any {
		return nil
	}
	f.Renumber()
	cycles = cfg.Cycles(f.Graph())
	h = &hoister{f: f, stats: stats, cycles: cycles, objects: h.objects, before: make([]*vir.Block, len(cycles.Cycles)), budget: make([]budget, len(cycles.Cycles))}
	for i, c := range cycles.Cycles {
		h.budget[i] = budget{maxVectorBytes, maxMaskValues, maxScalars}
		if in := cycles.Entering(c); c.Reducible() && len(in) == 1 && f.Blocks[in[0].From].Kind == vir.Jump {
			h.before[i] = f.Blocks[in[0].From]
		}
	}
	return h
}

func addPreheader(f *vir.Func, cycles *cfg.CycleForest, c *cfg.Cycle) {
	in := cycles.Entering(c)
	if len(in) == 1 && f.Blocks[in[0].From].Kind == vir.Jump || len(in) == 0 {
		return
	}
	header := f.Blocks[c.Header]
	p := f.NewBlock("")
	if len(in) == 1 {
		e := &f.Blocks[in[0].From].Edges[in[0].Index]
		p.Jump(header, e.Args...)
		p.Pos = header.Pos
		e.To, e.Args = p, nil
		return
	}
	var args []*vir.Value
	for _, q := range header.Params {
		args = append(args, p.NewParam(q.Type, q.Name))
	}
	p.Jump(header, args...)
	p.Pos = header.Pos
	for _, e := range in {
		f.Blocks[e.From].Edges[e.Index].To = p
	}
}

func (h *hoister) block(b *vir.Block) {
	inner := h.cycles.InnermostCycle(b.ID)
	if inner == nil {
		return
	}
	for _, v := range b.Values {
		if v.Block == b && !cheap(v) {
			h.value(v, inner)
		}
	}
}

// value moves v as far out as possible, with the cheap operations it depends on.
func (h *hoister) value(v *vir.Value, inner *cfg.Cycle) {
	var to *vir.Block
	var left []*cfg.Cycle
	for c := inner; c != nil && h.before[c.ID] != nil && h.canLeave(v, c, maxAlong) && h.affords(v, c); c = c.Parent {
		to = h.before[c.ID]
		left = append(left, c)
	}
	if to == nil {
		return
	}
	for _, c := range left {
		h.spend(v, c)
	}
	h.move(v, to, left[len(left)-1])
}

// maxAlong bounds the chains of cheap operations that move with another one.
const maxAlong = 4

// canLeave reports whether v can move out of c: its operands are defined outside, or are cheap and
// can move as well.
func (h *hoister) canLeave(v *vir.Value, c *cfg.Cycle, along int) bool {
	if !analysis.IsMovable(v) && !h.canLoadEarly(v, c) {
		return false
	}
	for _, a := range v.Args {
		if !h.inside(a, c) {
			continue
		}
		if along == 0 || a.Op == vir.Param || !cheap(a) || !h.canLeave(a, c, along-1) {
			return false
		}
	}
	return true
}

// move moves v, after its operands within c, to the end of block to.
func (h *hoister) move(v *vir.Value, to *vir.Block, c *cfg.Cycle) {
	for _, a := range v.Args {
		if h.inside(a, c) {
			h.move(a, to, c)
		}
	}
	v.Block = to
	to.Values = append(to.Values, v)
	h.stats.Add("hoisted", 1)
}

// cheap reports whether recomputing v costs no more than keeping it in a register: it folds into
// the instructions that use it, or is no instruction. It leaves a loop only with its users.
func cheap(v *vir.Value) bool {
	switch v.Op {
	case vir.Iota, vir.Context:
		return true
	case alu.Bitcast:
		return true
	case vir.Part, vir.Extract:
		return v.Index == 0
	case alu.Trunc, alu.ZExt:
		return v.Type.Lanes == 1
	}
	if v.Type == vir.Scalar(alu.I1) {
		return true // fused with the branch or select that uses it
	}
	for _, a := range v.Args {
		if a.Op != vir.Const {
			return false
		}
	}
	return len(v.Args) > 0
}

// cost returns the registers that v occupies.
func cost(v *vir.Value) budget {
	switch {
	case v.Type.IsMask():
		return budget{masks: 1}
	case v.Op == vir.Splat: // one register for any number of lanes
		return budget{vectors: 64}
	case v.Type.Lanes > 1:
		return budget{vectors: max(v.Type.Bits()/8, 16)}
	}
	return budget{scalars: 1}
}

func (h *hoister) affords(v *vir.Value, c *cfg.Cycle) bool {
	b, x := &h.budget[c.ID], cost(v)
	return b.vectors >= x.vectors && b.masks >= x.masks && b.scalars >= x.scalars
}

func (h *hoister) spend(v *vir.Value, c *cfg.Cycle) {
	b, x := &h.budget[c.ID], cost(v)
	b.vectors -= x.vectors
	b.masks -= x.masks
	b.scalars -= x.scalars
}
