package avx512

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/avx512/asm"
	"github.com/simtc/simtc/vir"
)

// Jump tables: a tree or chain of blocks that do nothing but compare one
// scalar with constants becomes one jump through a table of offsets.

// Limits of tables: the least number of ranges that go different ways, the
// most entries, the most entries for each such range, and how many entries at
// the beginning are fewer than it takes to subtract.
const (
	leastRanges  = 6
	mostEntries  = 512
	mostPerRange = 8
	fewEntries   = 8
)

// leaf is an edge out of a decision tree.
type leaf struct{ block, edge int }

// decision is a tree of comparisons of x with constants.
type decision struct {
	x       *vir.Value
	root    int
	inner   []int // its other blocks
	cuts    []uint64
	lo      uint64 // the value of the first entry
	checked bool   // x may lie beyond the entries, and goes to other if it does
	other   leaf
	entries []leaf
	jump    *machineBlock // what jumps, after the check
	table   asm.ConstID
}

// findDecisions finds the trees that are worth a table, by their root.
func (s *selector) findDecisions() {
	s.decisions, s.decided = map[int]*decision{}, make([]bool, len(s.f.Blocks))
	if !slices.ContainsFunc(s.f.Blocks, func(b *vir.Block) bool { return b.Kind == vir.Branch }) {
		return
	}
	preds := make([]int, len(s.f.Blocks))
	for _, b := range s.f.Blocks {
		for _, e := range b.Edges {
			preds[e.To.ID]++
		}
	}
	for _, id := range s.f.Graph().ReversePostOrder() {
		b := s.f.Blocks[id]
		x, ok := subject(b)
		if !ok || s.decided[id] {
			continue
		}
		d := &decision{x: x, root: id}
		d.collect(s, b, preds)
		if len(d.inner)+2 < leastRanges || !d.tabulate(s) {
			continue
		}
		s.decisions[id] = d
		s.decided[id] = true
		for _, i := range d.inner {
			s.decided[i] = true
		}
	}
}

// subject returns what the branch at the end of b compares with a constant.
func subject(b *vir.Block) (*vir.Value, bool) {
	if b.Kind != vir.Branch {
		return nil, false
	}
	c := b.Cond
	if alu.InfoOf(c.Op).Class != alu.Compare || c.Block != b {
		return nil, false
	}
	x, y := c.Args[0], c.Args[1]
	if x.Op == vir.Const {
		x, y = y, x
	}
	if y.Op != vir.Const || x.Op == vir.Const || !x.Type.IsScalar() || !x.Type.Elem.IsInt() || x.Type.Elem == alu.I1 {
		return nil, false
	}
	if x.Op == alu.Sub && x.Args[1].Op == vir.Const && x.Block == b && x.Args[0].Op != vir.Const {
		x = x.Args[0] // in a range
	}
	return unextended(x), true
}

// unextended is x without extensions: of the comparisons of one byte, some may
// be of 32 bits.
func unextended(x *vir.Value) *vir.Value {
	for (x.Op == alu.ZExt || x.Op == alu.SExt) && x.Args[0].Type.Elem.Bits() >= 8 && x.Args[0].Op != vir.Const {
		x = x.Args[0]
	}
	return x
}

// widened is what v is, an extension of x, when x is c.
func widened(v, x *vir.Value, c uint64) uint64 {
	if v == x {
		return c
	}
	from := v.Args[0]
	return alu.Eval(v.Op, v.Type.Elem, from.Type.Elem, widened(from, x, c), 0, 0)
}

// collect adds the blocks below b that do nothing but compare x.
func (d *decision) collect(s *selector, b *vir.Block, preds []int) {
	c := b.Cond
	limit, off := uint64(0), uint64(0)
	for _, a := range c.Args {
		switch {
		case a.Op == vir.Const:
			limit = a.Const
		case unextended(a) != d.x: // x - off
			off = a.Args[1].Const
		}
	}
	// Where comparisons change, signed ones too, the operand being x - off; and
	// where an extension by the sign leaps.
	sign := d.x.Type.Elem.Mask()>>1 + 1
	d.cuts = append(d.cuts, sign, off, off+sign, limit+off, limit+off+1)
	for _, e := range b.Edges {
		t := e.To
		if x, ok := subject(t); !ok || x != d.x || preds[t.ID] != 1 || len(t.Params) > 0 || len(d.inner) > mostEntries || t.ID == d.root {
			continue
		}
		own := true // nobody else needs what it computes
		for _, v := range t.Values {
			own = own && s.uses[v.ID] == 1 && (v == t.Cond || slices.Contains(t.Cond.Args, v) && v != d.x)
		}
		if own {
			d.inner = append(d.inner, t.ID)
			d.collect(s, t, preds)
		}
	}
}

// goal returns where control goes when x is c.
func (d *decision) goal(f *vir.Func, c uint64) leaf {
	for at := d.root; ; {
		b := f.Blocks[at]
		cond := b.Cond
		t := cond.Args[0].Type.Elem
		var args [2]uint64
		for i, a := range cond.Args {
			switch {
			case a.Op == vir.Const:
				args[i] = a.Const
			case unextended(a) == d.x:
				args[i] = widened(a, d.x, c)
			default:
				args[i] = (widened(a.Args[0], d.x, c) - a.Args[1].Const) & t.Mask()
			}
		}
		n := 1
		if alu.Eval(cond.Op, alu.I1, t, args[0], args[1], 0) != 0 {
			n = 0
		}
		to := b.Edges[n].To.ID
		if to == d.root || !slices.Contains(d.inner, to) {
			return leaf{at, n}
		}
		at = to
	}
}

// tabulate decides on the entries; it reports false if a table is not worth it.
func (d *decision) tabulate(s *selector) bool {
	t := d.x.Type.Elem
	for i := range d.cuts {
		d.cuts[i] &= t.Mask()
	}
	d.cuts = append(d.cuts, 0)
	slices.Sort(d.cuts)
	d.cuts = slices.Compact(d.cuts)
	type span struct {
		lo uint64
		to leaf
	}
	var spans []span
	for _, c := range d.cuts {
		if to := d.goal(s.f, c); len(spans) == 0 || spans[len(spans)-1].to != to {
			spans = append(spans, span{c, to})
		}
	}
	if len(spans) < leastRanges {
		return false
	}
	end := func(i int) uint64 { // the last value of a span
		if i+1 < len(spans) {
			return spans[i+1].lo - 1
		}
		return t.Mask()
	}
	last, top := len(spans)-1, uint64(0)
	if n := s.known(d.x); n < 10 && 1<<n <= min(mostEntries, mostPerRange*len(spans)) {
		top = 1<<n - 1
	} else {
		d.checked, d.other = true, spans[last].to
		if spans[1].lo > fewEntries && (spans[0].to == d.other || s.sameGoal(spans[0].to, d.other)) {
			d.lo = spans[1].lo
		}
		top = spans[last].lo - 1
	}
	if top-d.lo >= mostEntries || int(top-d.lo) >= mostPerRange*len(spans) {
		return false
	}
	i := 0
	for c := d.lo; c <= top; c++ {
		for end(i) < c {
			i++
		}
		d.entries = append(d.entries, spans[i].to)
	}
	return len(d.entries) > 1
}

// sameGoal reports whether two edges do the same.
func (s *selector) sameGoal(a, b leaf) bool {
	x, y := s.f.Blocks[a.block].Edges[a.edge], s.f.Blocks[b.block].Edges[b.edge]
	return x.To == y.To && slices.Equal(x.Args, y.Args)
}

// tableJump checks x at the end of the root's machine block and makes the block
// that jumps.
func (s *selector) tableJump(d *decision) {
	t := d.x.Type.Elem
	sz := size(t)
	r := s.extended(d.x, false)
	if d.lo != 0 {
		x := s.m.newReg(asm.ClassGPR)
		c := signedBits(t, -d.lo)
		if t.Bits() < 32 { // what lies below wraps to beyond all entries
			c = -int64(d.lo)
		}
		if c == int64(int32(c)) {
			s.emit(asm.Make(asm.LEA, x, asm.InMem).WithMem(asm.At(r, int32(c))).Bits(sz))
		} else {
			y := s.m.newReg(asm.ClassGPR)
			s.emit(asm.MoveImm(y, c))
			s.emit(asm.Make(asm.LEA, x, asm.InMem).WithMem(asm.Indexed(r, y, 1, 0)).Bits(sz))
		}
		r = x
	} else if t.Bits() == 32 && s.known(d.x) > 32 {
		x := s.m.newReg(asm.ClassGPR)
		s.emit(asm.Make(asm.MOV, x, r).Bits(asm.Size32))
		r = x
	}
	if d.checked {
		s.emit(asm.Make(asm.CMP, r, asm.InImm).WithImm(int64(len(d.entries) - 1)).Bits(sz))
	}
	s.flush()
	// The jump is a block of its own, whose instructions keep their order.
	table := s.m.pool.AddTable(len(d.entries))
	base, to := s.m.newReg(asm.ClassGPR), s.m.newReg(asm.ClassGPR)
	jump := &machineBlock{insts: []asm.Inst{
		asm.Make(asm.LEA, base, asm.InMem).WithMem(asm.ConstMem(table)).Bits(asm.Size64),
		asm.Make(asm.MOVSXD, to, asm.InMem).WithMem(asm.Indexed(base, r, 4, 0)).Bits(asm.Size64),
		asm.Make(asm.ADD, to, base).Bits(asm.Size64),
		asm.Make(asm.JMPIND, to).Bits(asm.Size64),
	}}
	for i := range jump.insts {
		jump.insts[i].Line = s.line
	}
	d.jump, d.table = jump, table
}

// finishDecisions fills in where the tables lead, once the edges that copy have
// blocks of their own.
func (s *selector) finishDecisions(order []int) {
	for _, id := range order {
		d := s.decisions[id]
		if d == nil {
			continue
		}
		goal := func(l leaf) int {
			t := &s.m.blocks[l.block].term
			if l.edge == 0 {
				return t.yes
			}
			return t.no
		}
		end := terminator{table: d.table}
		index := map[int]int{}
		for _, l := range d.entries {
			to := goal(l)
			k, ok := index[to]
			if !ok {
				k = len(end.targets)
				index[to] = k
				end.targets = append(end.targets, to)
			}
			end.entries = append(end.entries, k)
		}
		root := s.m.blocks[id]
		at := len(s.m.blocks)
		s.m.blocks = append(s.m.blocks, d.jump)
		if d.checked {
			root.term = terminator{cond: true, on: asm.CondA, yes: goal(d.other), no: at}
		} else {
			root.term = terminator{yes: at}
		}
		d.jump.term = end
		for _, i := range d.inner { // cannot be reached any more
			s.m.blocks[i].term = terminator{ret: true}
		}
	}
}
