package isel

import (
	"github.com/simtc/simtc/targets/mach"
	"github.com/simtc/simtc/targets/x86"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir/switches"
)

// Jump tables: switches become one jump through a table of offsets.

// minRanges is the number of ranges from which a table is faster than a tree of comparisons.
const minRanges = 6

// decision is a switch with a jump table.
type decision struct {
	*switches.Switch
	jump  *x86.Block // the indirect jump, after the range check
	table asm.ConstID
}

// findDecisions finds the switches that get a jump table.
func (s *Selector) findDecisions() {
	s.decisions, s.decided = map[int]*decision{}, make([]bool, len(s.F.Blocks))
	for root, w := range switches.Find(s.F, minRanges, s.known) {
		s.decisions[root] = &decision{Switch: w}
		s.decided[root] = true
		for _, i := range w.Inner {
			s.decided[i] = true
		}
	}
}

// tableJump emits the range check of x at the end of the root's machine block and creates the
// block that jumps.
func (s *Selector) tableJump(d *decision) {
	t := d.X.Type.Elem
	sz := size(t)
	r := s.extended(d.X, false)
	if d.Lo != 0 {
		x := s.M.NewReg(asm.ClassGPR)
		c := signedBits(t, -d.Lo)
		if t.Bits() < 32 { // values below Lo wrap to beyond all entries
			c = -int64(d.Lo)
		}
		if c == int64(int32(c)) {
			s.Emit(asm.Make(asm.LEA, x, asm.InMem).WithMem(asm.At(r, int32(c))).Bits(sz))
		} else {
			y := s.M.NewReg(asm.ClassGPR)
			s.Emit(asm.MoveImm(y, c))
			s.Emit(asm.Make(asm.LEA, x, asm.InMem).WithMem(asm.Indexed(r, y, 1, 0)).Bits(sz))
		}
		r = x
	} else if t.Bits() == 32 && s.known(d.X) > 32 {
		x := s.M.NewReg(asm.ClassGPR)
		s.Emit(asm.Make(asm.MOV, x, r).Bits(asm.Size32))
		r = x
	}
	if d.Checked {
		s.Emit(asm.Make(asm.CMP, r, asm.InImm).WithImm(int64(len(d.Entries) - 1)).Bits(sz))
	}
	s.flush()
	// The block's instructions are built in forward order, so they bypass the groups.
	table := s.M.Pool.AddTable(len(d.Entries))
	base, to := s.M.NewReg(asm.ClassGPR), s.M.NewReg(asm.ClassGPR)
	jump := &x86.Block{Insts: []asm.Inst{
		asm.Make(asm.LEA, base, asm.InMem).WithMem(asm.ConstMem(table)).Bits(asm.Size64),
		asm.Make(asm.MOVSXD, to, asm.InMem).WithMem(asm.Indexed(base, r, 4, 0)).Bits(asm.Size64),
		asm.Make(asm.ADD, to, base).Bits(asm.Size64),
		asm.Make(asm.JMPIND, to).Bits(asm.Size64),
	}}
	for i := range jump.Insts {
		jump.Insts[i].Line = s.line
	}
	d.jump, d.table = jump, table
}

// finishDecisions sets the targets of the tables, once edges with copies have blocks of
// their own.
func (s *Selector) finishDecisions(order []int) {
	for _, id := range order {
		d := s.decisions[id]
		if d == nil {
			continue
		}
		target := func(l switches.Edge) int {
			t := &s.M.Blocks[l.Block].Term
			if l.Index == 0 {
				return t.Yes
			}
			return t.No
		}
		end := x86.Terminator{Table: int32(d.table)}
		index := map[int]int{}
		for _, l := range d.Entries {
			to := target(l)
			k, ok := index[to]
			if !ok {
				k = len(end.Targets)
				index[to] = k
				end.Targets = append(end.Targets, to)
			}
			end.Entries = append(end.Entries, k)
		}
		root := s.M.Blocks[id]
		at := len(s.M.Blocks)
		s.M.Blocks = append(s.M.Blocks, d.jump)
		if d.Checked {
			root.Term = x86.Terminator{Cond: true, On: mach.Cond(asm.CondA), Yes: target(d.Other), No: at}
		} else {
			root.Term = x86.Terminator{Yes: at}
		}
		d.jump.Term = end
		for _, i := range d.Inner { // unreachable now
			s.M.Blocks[i].Term = x86.Terminator{Ret: true}
		}
	}
}
