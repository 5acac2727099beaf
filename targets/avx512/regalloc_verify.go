package avx512

import (
	"fmt"
	"maps"
	"slices"

	"github.com/simtc/simtc/targets/x86/asm"
)

// clone returns a deep copy of f's code.
func (f *machineFunc) clone() *machineFunc {
	c := *f
	c.blocks = make([]*machineBlock, len(f.blocks))
	for i, b := range f.blocks {
		d := *b
		d.insts, d.copies, d.preds = slices.Clone(b.insts), slices.Clone(b.copies), slices.Clone(b.preds)
		d.term.targets = slices.Clone(b.term.targets)
		c.blocks[i] = &d
	}
	return &c
}

// holding lists, sorted, the registers whose current values a place holds: virtual
// registers, and physical ones that the code names explicitly.
type holding []asm.Reg

func (h holding) has(r asm.Reg) bool { _, ok := slices.BinarySearch(h, r); return ok }

func (h holding) with(r asm.Reg) holding {
	i, ok := slices.BinarySearch(h, r)
	if ok {
		return h
	}
	return slices.Insert(slices.Clone(h), i, r)
}

func (h holding) without(r asm.Reg) holding {
	i, ok := slices.BinarySearch(h, r)
	if !ok {
		return h
	}
	return slices.Delete(slices.Clone(h), i, i+1)
}

// slotKey is a spill slot, identified by its address.
type slotKey struct{ offset, size int32 }

// machineState is the holding of every register and slot, and of every constant,
// identified by the instruction that makes it.
type machineState struct {
	regs   map[asm.Reg]holding
	slots  map[slotKey]holding
	consts map[asm.Inst]holding
}

func (s machineState) clone() machineState {
	return machineState{maps.Clone(s.regs), maps.Clone(s.slots), maps.Clone(s.consts)}
}

// meet intersects the holdings of both states and reports whether s changed.
func (s machineState) meet(o machineState) bool {
	regs, slots, consts := meet(s.regs, o.regs), meet(s.slots, o.slots), meet(s.consts, o.consts)
	return regs || slots || consts
}

func meet[K comparable](a, b map[K]holding) bool {
	changed := false
	for k, h := range a {
		var kept holding
		for _, r := range h {
			if b[k].has(r) {
				kept = append(kept, r)
			}
		}
		if len(kept) != len(h) {
			changed = true
			if a[k] = kept; len(kept) == 0 {
				delete(a, k)
			}
		}
	}
	return changed
}

// allocVerifier checks an allocation against the function before it, by
// tracking the holding of every place along all paths.
type allocVerifier struct {
	before, after *machineFunc
	origin        [][]int32
	constants     map[asm.Reg]asm.Inst // virtual register with a single definition -> that definition
	consts        map[asm.Inst]holding
	block         int
	spillBytes    int32
}

// verifyAllocation checks that f, which allocate made from before, is equivalent: every
// operand of every original instruction reads a register that holds the value of the
// operand's virtual register on every path; the only inserted instructions are moves,
// reloads, spills and rematerialized constants; and these preserve flags that are still
// needed.
func verifyAllocation(before, f *machineFunc, al *allocation) error {
	before, err := prepared(before, al)
	if err != nil {
		return err
	}
	v := &allocVerifier{before: before, after: f, origin: al.origin, spillBytes: int32(al.stats.SpillBytes)}
	v.findConstants()
	in := make([]*machineState, len(f.blocks))
	in[0] = &machineState{map[asm.Reg]holding{}, map[slotKey]holding{}, v.consts}
	for n := range 16 {
		in[0].regs[asm.GPR(n)] = holding{asm.GPR(n)}
	}
	work := []int{0}
	queued := make([]bool, len(f.blocks))
	for len(work) > 0 {
		b := work[0]
		work = work[1:]
		queued[b] = false
		out, err := v.walk(b, in[b].clone())
		if err != nil {
			return err
		}
		for _, s := range f.blocks[b].succs() {
			changed := in[s] == nil
			if changed {
				c := out.clone()
				in[s] = &c
			} else {
				changed = in[s].meet(out)
			}
			if changed && !queued[s] {
				queued[s] = true
				work = append(work, s)
			}
		}
	}
	return nil
}

// prepared applies to before the changes that precede the assignment of registers.
func prepared(before *machineFunc, al *allocation) (*machineFunc, error) {
	f := before.clone()
	defs := map[asm.Reg]int{}
	for _, b := range f.blocks {
		for i := range b.insts {
			b.insts[i].Regs(func(r *asm.Reg, role asm.Role) {
				if role&asm.Write != 0 {
					defs[*r]++
				}
			})
		}
		for _, c := range b.copies {
			defs[c.dst]++
		}
	}
	stands := map[asm.Reg]asm.Reg{}
	for _, m := range al.merged {
		if defs[m.dst] != 1 || defs[m.src] != 1 {
			return nil, fmt.Errorf("%v and %v were merged, but have several definitions", m.dst, m.src)
		}
		stands[m.dst] = m.src
	}
	name := func(r *asm.Reg) {
		for s, ok := stands[*r]; ok; s, ok = stands[*r] {
			*r = s
		}
	}
	for _, b := range f.blocks {
		for i := range b.insts {
			in := &b.insts[i]
			if d := in.Args[0]; in.IsCopy() && stands[d] != asm.NoReg && in.Args[1] == stands[d] {
				delete(defs, d)
				*in = asm.Inst{}
				continue
			}
			in.Regs(func(r *asm.Reg, _ asm.Role) { name(r) })
		}
		for i := range b.copies {
			name(&b.copies[i].src)
		}
	}
	for _, m := range al.merged {
		if defs[m.dst] != 0 {
			return nil, fmt.Errorf("%v was merged with %v, but is not a copy of it", m.dst, m.src)
		}
	}
	for _, r := range al.reordered {
		old := f.blocks[r.block].insts
		insts := make([]asm.Inst, len(old))
		for i, from := range r.order {
			insts[i] = old[from]
		}
		f.blocks[r.block].insts = insts
	}
	for _, r := range al.retied {
		in := &f.blocks[r.block].insts[r.index]
		*in = r.inst
		in.Regs(func(r *asm.Reg, _ asm.Role) { name(r) })
	}
	return f, nil
}

// findConstants finds virtual registers that always hold one constant or
// a copy of it.
func (v *allocVerifier) findConstants() {
	defs := map[asm.Reg]int{}
	def := map[asm.Reg]asm.Inst{}
	for _, b := range v.before.blocks {
		for i := range b.insts {
			in := b.insts[i]
			in.Regs(func(r *asm.Reg, role asm.Role) {
				if role&asm.Write != 0 && r.IsVirtual() {
					defs[*r]++
					def[*r] = in
				}
			})
		}
		for _, c := range b.copies {
			defs[c.dst] += 2
		}
	}
	v.constants = map[asm.Reg]asm.Inst{}
	v.consts = map[asm.Inst]holding{}
	for changed := true; changed; {
		changed = false
		for r, in := range def {
			if _, known := v.constants[r]; known || defs[r] != 1 || in.Args[0] != r {
				continue
			}
			made, ok := v.constant(in)
			if ok {
				v.constants[r] = made
				v.consts[made] = v.consts[made].with(r)
				changed = true
			}
		}
	}
}

// constant returns the constant that in makes, in a form that is equal for equal constants.
func (v *allocVerifier) constant(in asm.Inst) (asm.Inst, bool) {
	if in.K != asm.NoReg {
		return in, false
	}
	in.Line, in.Args[0] = 0, asm.NoReg
	switch src := in.Args[1]; {
	case in.Op == asm.ZEROR:
		return asm.MoveImm(asm.NoReg, 0), true
	case in.Op == asm.ZEROV || in.Op == asm.ONESV || in.Op == asm.ZEROK || in.Op == asm.ONESK:
		return in, true
	case in.Op == asm.MOV && src == asm.InImm:
		return in, true
	case src.IsVirtual():
		made, ok := v.constants[src]
		switch {
		case !ok || !in.Op.Is(asm.Move):
		case in.IsCopy():
			return made, true
		case made.Op == asm.MOV && in.Op != asm.MOV:
			in.Args[1], in.Mem = asm.InMem, asm.ConstMem(v.before.pool.AddUint(uint64(made.Imm), int(in.Op.Info().Elem)))
			return in, true
		}
	case src == asm.InMem && in.Mem.Kind == asm.MemConst && !in.Args[2].IsReg() && in.RoleOf(1) == asm.Read:
		return in, true
	}
	return in, false
}

// update replaces the holding of every place.
func (s machineState) update(f func(h holding) holding) {
	for k, h := range s.regs {
		s.regs[k] = f(h)
	}
	for k, h := range s.slots {
		s.slots[k] = f(h)
	}
	for k, h := range s.consts {
		s.consts[k] = f(h)
	}
}

// forget removes r from all places.
func (s machineState) forget(r asm.Reg) {
	s.update(func(h holding) holding { return h.without(r) })
}

// rename applies parallel copies to all holdings.
func (s machineState) rename(copies []regCopy) {
	if len(copies) == 0 {
		return
	}
	s.update(func(h holding) holding {
		out := h
		for _, c := range copies {
			if c.dst != c.src {
				out = out.without(c.dst)
			}
		}
		for _, c := range copies {
			if h.has(c.src) {
				out = out.with(c.dst)
			}
		}
		return out
	})
}

func (v *allocVerifier) walk(bi int, s machineState) (machineState, error) {
	v.block = bi
	var old *machineBlock
	if bi < len(v.before.blocks) {
		old = v.before.blocks[bi]
	} else {
		old = &machineBlock{}
	}
	done := 0        // number of original instructions visited
	flags := false   // the flags have the value of the original code
	renamed := false // the block's copies have been applied
	insts, origin := v.after.blocks[bi].insts, v.origin[bi]
	last := len(origin) // only inserted code follows from here on
	for last > 0 && origin[last-1] < 0 {
		last--
	}
	for i := range insts {
		in, from := &insts[i], int(origin[i])
		if i == last {
			v.removed(s, old.insts[done:])
			s.rename(old.copies)
			renamed = true
		}
		if from < 0 {
			if err := v.inserted(s, in); err != nil {
				return s, err
			}
			flags = flags && !in.Op.Is(asm.WritesFlags)
			continue
		}
		if from < done {
			return s, v.errorf(in, "instruction %d comes after %d", from, done)
		}
		v.removed(s, old.insts[done:from])
		if err := v.kept(s, &old.insts[from], in); err != nil {
			return s, err
		}
		done = from + 1
		if in.Op.Is(asm.ReadsFlags) && !flags {
			return s, v.errorf(in, "the flags that it reads were overwritten")
		}
		if in.Op.Is(asm.WritesFlags) {
			flags = true
		}
	}
	if !renamed {
		v.removed(s, old.insts[done:])
		s.rename(old.copies)
	}
	if v.after.blocks[bi].term.cond && !flags {
		return s, fmt.Errorf("block %d: the flags of its branch were overwritten", bi)
	}
	return s, nil
}

// removed applies instructions that were removed: copies, constants, dead code.
func (v *allocVerifier) removed(s machineState, insts []asm.Inst) {
	for _, in := range insts {
		if in.IsCopy() {
			s.rename([]regCopy{{in.Args[0], in.Args[1]}})
			continue
		}
		in.Regs(func(r *asm.Reg, role asm.Role) {
			if role&asm.Write != 0 {
				if _, constant := v.constants[*r]; !constant {
					s.forget(*r)
				}
			}
		})
	}
}

// kept checks an instruction against its original.
func (v *allocVerifier) kept(s machineState, old, in *asm.Inst) error {
	if old.Op != in.Op {
		return v.errorf(in, "the original op is %v", old.Op)
	}
	if err := v.folded(s, &old, in); err != nil {
		return err
	}
	type pair struct {
		virtual, physical asm.Reg
		role              asm.Role
	}
	var pairs []pair
	old.Regs(func(r *asm.Reg, role asm.Role) { pairs = append(pairs, pair{virtual: *r, role: role}) })
	k, bad := 0, false
	in.Regs(func(r *asm.Reg, role asm.Role) {
		if k >= len(pairs) || pairs[k].role != role || r.IsVirtual() || pairs[k].virtual.Class() != r.Class() {
			bad = true
			return
		}
		pairs[k].physical = *r
		k++
	})
	if bad || k != len(pairs) {
		return v.errorf(in, "the operands do not match those of %s", asm.Format(old))
	}
	for _, p := range pairs {
		switch {
		case p.virtual.IsPhysical() && p.virtual != p.physical:
			return v.errorf(in, "%v became %v", p.virtual, p.physical)
		case p.role&asm.Read != 0 && !s.regs[p.physical].has(p.virtual):
			return v.errorf(in, "%v does not hold %v", p.physical, p.virtual)
		case p.virtual.IsVirtual() && p.role&asm.Write != 0 && p.physical.Class() == asm.ClassGPR &&
			!usableGPRs.has(physOf(p.physical)):
			return v.errorf(in, "%v is reserved", p.physical)
		}
	}
	for _, fixed := range in.Op.Info().Fixed {
		if fixed.Role&asm.Read != 0 && !s.regs[fixed.Reg].has(fixed.Reg) {
			return v.errorf(in, "%v does not hold the value written to it", fixed.Reg)
		}
	}
	written := map[asm.Reg]bool{}
	for _, p := range pairs {
		if p.role&asm.Write == 0 {
			continue
		}
		if written[p.physical] {
			return v.errorf(in, "%v is written twice", p.physical)
		}
		written[p.physical] = true
		s.forget(p.virtual)
		s.regs[p.physical] = nil
	}
	for _, fixed := range in.Op.Info().Fixed {
		if fixed.Role&asm.Write != 0 {
			if written[fixed.Reg] {
				return v.errorf(in, "%v is written twice", fixed.Reg)
			}
			s.forget(fixed.Reg)
			s.regs[fixed.Reg] = holding{fixed.Reg}
		}
	}
	for _, p := range pairs {
		if p.role&asm.Write != 0 {
			s.regs[p.physical] = holding{p.virtual}
			if old.IsCopy() {
				for _, q := range pairs {
					if q.role == asm.Read && q.physical != p.physical {
						s.regs[p.physical] = s.regs[q.physical].with(p.virtual)
						s.regs[q.physical] = s.regs[q.physical].with(p.virtual)
					}
				}
			}
		}
	}
	return nil
}

// folded checks an operand that was a register and is now a spill slot. It replaces
// old by its form with that operand in memory.
func (v *allocVerifier) folded(s machineState, old **asm.Inst, in *asm.Inst) error {
	for i := range in.Args {
		was := (*old).Args[i]
		if in.Args[i] != asm.InMem || was == asm.InMem {
			continue
		}
		key, ok := v.slot(in, (*old).VL, was.Class())
		if !ok || (*old).RoleOf(i) != asm.Read {
			return v.errorf(in, "not an access to the spill area")
		}
		for k, h := range s.slots {
			if k.offset == key.offset && k.size >= key.size && h.has(was) {
				changed := **old
				changed.Args[i], changed.Mem = asm.InMem, in.Mem
				*old = &changed
				return nil
			}
		}
		return v.errorf(in, "the slot does not hold %v", was)
	}
	return nil
}

// slot returns the spill slot that in accesses.
func (v *allocVerifier) slot(in *asm.Inst, vl asm.VL, class asm.Class) (slotKey, bool) {
	size := int32(8)
	if class == asm.ClassVec {
		size = int32(vl.Bytes())
	}
	key := slotKey{in.Mem.Disp, size}
	return key, in.Mem.Kind == asm.MemAddr && in.Mem.Base == asm.R14 && in.Mem.Index == asm.NoReg && !in.Mem.Broadcast &&
		-key.offset <= v.spillBytes && key.offset%key.size == 0 && key.offset+key.size <= 0
}

// inserted applies an inserted move, reload, spill or constant.
func (v *allocVerifier) inserted(s machineState, in *asm.Inst) error {
	dst, src := in.Args[0], in.Args[1]
	if dst.IsReg() && !v.after.registers().usable[dst.Class()].has(physOf(dst)) {
		return v.errorf(in, "%v is reserved", dst)
	}
	switch {
	case in.IsCopy(), in.Op == asm.KMOVQ && dst.IsReg() && src.IsReg(): // a mask may be kept in a general register
		s.regs[dst] = s.regs[src]
	case in.Op == asm.XCHG:
		s.regs[dst], s.regs[src] = s.regs[src], s.regs[dst]
	case in.Op.Is(asm.Move) && (dst == asm.InMem || src == asm.InMem) && in.Mem.Kind == asm.MemAddr:
		class := asm.ClassGPR
		if in.Op == asm.VMOVDQA64 {
			class = asm.ClassVec
		}
		key, ok := v.slot(in, in.VL, class)
		if !ok {
			return v.errorf(in, "not an access to the spill area")
		}
		if dst.IsReg() {
			s.regs[dst] = s.slots[key]
			return nil
		}
		for k := range s.slots {
			if k != key && k.offset < key.offset+key.size && key.offset < k.offset+k.size {
				delete(s.slots, k)
			}
		}
		s.slots[key] = s.regs[src]
	default:
		made := *in
		made.Line, made.Args[0] = 0, asm.NoReg
		if _, ok := v.consts[made]; !ok || in.Op.Is(asm.WritesFlags) {
			return v.errorf(in, "inserted, but makes no constant")
		}
		s.regs[dst] = s.consts[made]
	}
	return nil
}

func (v *allocVerifier) errorf(in *asm.Inst, format string, args ...any) error {
	return fmt.Errorf("block %d: %s: %s", v.block, asm.Format(in), fmt.Sprintf(format, args...))
}
