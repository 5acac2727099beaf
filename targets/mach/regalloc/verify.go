package regalloc

import (
	"fmt"
	"maps"
	"slices"

	"github.com/simtc/simtc/targets/mach"
)

// holding lists, sorted, the registers whose current values a place holds: virtual
// registers, and physical ones that the code names explicitly.
type holding []mach.Reg

func (h holding) has(r mach.Reg) bool { _, ok := slices.BinarySearch(h, r); return ok }

func (h holding) with(r mach.Reg) holding {
	i, ok := slices.BinarySearch(h, r)
	if ok {
		return h
	}
	return slices.Insert(slices.Clone(h), i, r)
}

func (h holding) without(r mach.Reg) holding {
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
type machineState[I comparable] struct {
	regs   map[mach.Reg]holding
	slots  map[slotKey]holding
	consts map[I]holding
}

func (s machineState[I]) clone() machineState[I] {
	return machineState[I]{maps.Clone(s.regs), maps.Clone(s.slots), maps.Clone(s.consts)}
}

// meet intersects the holdings of both states and reports whether s changed.
func (s machineState[I]) meet(o machineState[I]) bool {
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
type allocVerifier[I comparable] struct {
	m             *Machine[I]
	regs          *registerFile
	before, after *mach.Func[I]
	origin        [][]int32
	constants     map[mach.Reg]I // virtual register with a single definition -> that definition
	consts        map[I]holding
	block         int
	spillBytes    int32
}

// Verify checks that f, which Allocate made from before, is equivalent: every
// operand of every original instruction reads a register that holds the value of the
// operand's virtual register on every path; the only inserted instructions are moves,
// reloads, spills and rematerialized constants; and these preserve flags that are still
// needed.
func Verify[I comparable](before, f *mach.Func[I], al *Allocation[I], m *Machine[I]) error {
	v := &allocVerifier[I]{m: m, regs: newRegisterFile(&m.Classes), after: f, origin: al.origin, spillBytes: int32(al.Stats.SpillBytes)}
	if err := v.prepare(before, al); err != nil {
		return err
	}
	v.findConstants()
	in := make([]*machineState[I], len(f.Blocks))
	in[0] = &machineState[I]{map[mach.Reg]holding{}, map[slotKey]holding{}, v.consts}
	for c, class := range m.Classes {
		for n := range class.Count {
			if r := mach.Physical(mach.Class(c), n); class.Defined>>n&1 != 0 {
				in[0].regs[r] = holding{r}
			}
		}
	}
	work := []int{0}
	queued := make([]bool, len(f.Blocks))
	for len(work) > 0 {
		b := work[0]
		work = work[1:]
		queued[b] = false
		out, err := v.walk(b, in[b].clone())
		if err != nil {
			return err
		}
		for _, s := range f.Blocks[b].Succs() {
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

// prepare sets v.before to the function before the assignment of registers, after the
// changes that precede it.
func (v *allocVerifier[I]) prepare(before *mach.Func[I], al *Allocation[I]) error {
	f := before.Clone()
	v.before = f
	defs := map[mach.Reg]int{}
	for _, b := range f.Blocks {
		for i := range b.Insts {
			for _, o := range v.operands(&b.Insts[i]) {
				if o.Role&mach.Write != 0 {
					defs[*o.Reg]++
				}
			}
		}
		for _, c := range b.Copies {
			defs[c.Dst]++
		}
	}
	stands := map[mach.Reg]mach.Reg{}
	for _, m := range al.merged {
		if defs[m.Dst] != 1 || defs[m.Src] != 1 {
			return fmt.Errorf("%v and %v were merged, but have several definitions", m.Dst, m.Src)
		}
		stands[m.Dst] = m.Src
	}
	name := func(r *mach.Reg) {
		for s, ok := stands[*r]; ok; s, ok = stands[*r] {
			*r = s
		}
	}
	for _, b := range f.Blocks {
		for i := range b.Insts {
			in := &b.Insts[i]
			if d, s, ok := v.m.Copy(in); ok && stands[d] != mach.NoReg && s == stands[d] {
				delete(defs, d)
				var none I
				*in = none
				continue
			}
			for _, o := range v.operands(in) {
				name(o.Reg)
			}
		}
		for i := range b.Copies {
			name(&b.Copies[i].Src)
		}
	}
	for _, m := range al.merged {
		if defs[m.Dst] != 0 {
			return fmt.Errorf("%v was merged with %v, but is not a copy of it", m.Dst, m.Src)
		}
	}
	for _, r := range al.reordered {
		old := f.Blocks[r.block].Insts
		insts := make([]I, len(old))
		for i, from := range r.order {
			insts[i] = old[from]
		}
		f.Blocks[r.block].Insts = insts
	}
	for _, r := range al.retied {
		in := &f.Blocks[r.block].Insts[r.index]
		*in = r.inst
		for _, o := range v.operands(in) {
			name(o.Reg)
		}
	}
	return nil
}

// operands lists the registers that in names.
func (v *allocVerifier[I]) operands(in *I) []mach.Operand {
	var ops mach.Operands
	v.m.Operands(in, &ops)
	return ops.All()
}

// findConstants finds virtual registers that always hold one constant or
// a copy of it.
func (v *allocVerifier[I]) findConstants() {
	defs := map[mach.Reg]int{}
	def := map[mach.Reg]I{}
	for _, b := range v.before.Blocks {
		for i := range b.Insts {
			for _, o := range v.operands(&b.Insts[i]) {
				if o.Role&mach.Write != 0 && o.Reg.IsVirtual() {
					defs[*o.Reg]++
					def[*o.Reg] = b.Insts[i]
				}
			}
		}
		for _, c := range b.Copies {
			defs[c.Dst] += 2
		}
	}
	v.constants = map[mach.Reg]I{}
	v.consts = map[I]holding{}
	known := func(r mach.Reg) (made I, ok bool) {
		made, ok = v.constants[r]
		return made, ok
	}
	for changed := true; changed; {
		changed = false
		for r, in := range def {
			if _, found := v.constants[r]; found || defs[r] != 1 || *v.m.Dest(&in) != r {
				continue
			}
			made, ok := v.m.Constant(&in, known)
			if _, s, copies := v.m.Copy(&in); copies {
				made, ok = known(s)
			}
			if ok {
				v.constants[r] = made
				v.consts[made] = v.consts[made].with(r)
				changed = true
			}
		}
	}
}

// update replaces the holding of every place.
func (s machineState[I]) update(f func(h holding) holding) {
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
func (s machineState[I]) forget(r mach.Reg) {
	s.update(func(h holding) holding { return h.without(r) })
}

// rename applies parallel copies to all holdings.
func (s machineState[I]) rename(copies []mach.Copy) {
	if len(copies) == 0 {
		return
	}
	s.update(func(h holding) holding {
		out := h
		for _, c := range copies {
			if c.Dst != c.Src {
				out = out.without(c.Dst)
			}
		}
		for _, c := range copies {
			if h.has(c.Src) {
				out = out.with(c.Dst)
			}
		}
		return out
	})
}

func (v *allocVerifier[I]) walk(bi int, s machineState[I]) (machineState[I], error) {
	v.block = bi
	var old *mach.Block[I]
	if bi < len(v.before.Blocks) {
		old = v.before.Blocks[bi]
	} else {
		old = &mach.Block[I]{}
	}
	done := 0        // number of original instructions visited
	flags := false   // the flags have the value of the original code
	renamed := false // the block's copies have been applied
	insts, origin := v.after.Blocks[bi].Insts, v.origin[bi]
	last := len(origin) // only inserted code follows from here on
	for last > 0 && origin[last-1] < 0 {
		last--
	}
	for i := range insts {
		in, from := &insts[i], int(origin[i])
		if i == last {
			v.removed(s, old.Insts[done:])
			s.rename(old.Copies)
			renamed = true
		}
		if from < 0 {
			if err := v.inserted(s, in); err != nil {
				return s, err
			}
			flags = flags && v.m.Info(in).Props&mach.WritesFlags == 0
			continue
		}
		if from < done {
			return s, v.errorf(in, "instruction %d comes after %d", from, done)
		}
		v.removed(s, old.Insts[done:from])
		if err := v.kept(s, &old.Insts[from], in); err != nil {
			return s, err
		}
		done = from + 1
		if info := v.m.Info(in); info.Props&mach.ReadsFlags != 0 && !flags {
			return s, v.errorf(in, "the flags that it reads were overwritten")
		}
		if v.m.Info(in).Props&mach.WritesFlags != 0 {
			flags = true
		}
	}
	if !renamed {
		v.removed(s, old.Insts[done:])
		s.rename(old.Copies)
	}
	if v.after.Blocks[bi].Term.Cond && !flags {
		return s, fmt.Errorf("block %d: the flags of its branch were overwritten", bi)
	}
	return s, nil
}

// removed applies instructions that were removed: copies, constants, dead code.
func (v *allocVerifier[I]) removed(s machineState[I], insts []I) {
	for i := range insts {
		if dst, src, ok := v.m.Copy(&insts[i]); ok {
			s.rename([]mach.Copy{{Dst: dst, Src: src}})
			continue
		}
		for _, o := range v.operands(&insts[i]) {
			if o.Role&mach.Write != 0 {
				if _, constant := v.constants[*o.Reg]; !constant {
					s.forget(*o.Reg)
				}
			}
		}
	}
}

// kept checks an instruction against its original.
func (v *allocVerifier[I]) kept(s machineState[I], old, in *I) error {
	if v.m.Info(old) != v.m.Info(in) {
		return v.errorf(in, "the original is %s", v.m.Format(old))
	}
	old, err := v.folded(s, old, in)
	if err != nil {
		return err
	}
	virtual, physical := v.operands(old), v.operands(in)
	bad := len(virtual) != len(physical)
	for k := 0; k < len(virtual) && !bad; k++ {
		p, q := virtual[k], physical[k]
		bad = p.Role != q.Role || q.Reg.IsVirtual() || p.Reg.Class() != q.Reg.Class()
	}
	if bad {
		return v.errorf(in, "the operands do not match those of %s", v.m.Format(old))
	}
	type pair struct {
		virtual, physical mach.Reg
		role              mach.Role
	}
	pairs := make([]pair, len(virtual))
	for k, o := range virtual {
		pairs[k] = pair{*o.Reg, *physical[k].Reg, o.Role}
	}
	for _, p := range pairs {
		switch {
		case p.virtual.IsPhysical() && p.virtual != p.physical:
			return v.errorf(in, "%v became %v", p.virtual, p.physical)
		case p.role&mach.Read != 0 && !s.regs[p.physical].has(p.virtual):
			return v.errorf(in, "%v does not hold %v", p.physical, p.virtual)
		case p.virtual.IsVirtual() && p.role&mach.Write != 0 && !v.usable(p.physical):
			return v.errorf(in, "%v is reserved", p.physical)
		}
	}
	fixed := v.m.Info(in).Fixed
	for _, f := range fixed {
		if f.Role&mach.Read != 0 && !s.regs[f.Reg].has(f.Reg) {
			return v.errorf(in, "%v does not hold the value written to it", f.Reg)
		}
	}
	written := map[mach.Reg]bool{}
	for _, p := range pairs {
		if p.role&mach.Write == 0 {
			continue
		}
		if written[p.physical] {
			return v.errorf(in, "%v is written twice", p.physical)
		}
		written[p.physical] = true
		s.forget(p.virtual)
		s.regs[p.physical] = nil
	}
	for _, f := range fixed {
		if f.Role&mach.Write != 0 {
			if written[f.Reg] {
				return v.errorf(in, "%v is written twice", f.Reg)
			}
			s.forget(f.Reg)
			s.regs[f.Reg] = holding{f.Reg}
		}
	}
	_, _, copies := v.m.Copy(old)
	for _, p := range pairs {
		if p.role&mach.Write != 0 {
			s.regs[p.physical] = holding{p.virtual}
			if copies {
				for _, q := range pairs {
					if q.role == mach.Read && q.physical != p.physical {
						s.regs[p.physical] = s.regs[q.physical].with(p.virtual)
						s.regs[q.physical] = s.regs[q.physical].with(p.virtual)
					}
				}
			}
		}
	}
	return nil
}

func (v *allocVerifier[I]) usable(r mach.Reg) bool {
	return v.regs.usable[r.Class()].has(v.regs.phys(r))
}

// folded checks an operand that was a register and is now a spill slot. It returns
// old in its form with that operand in memory.
func (v *allocVerifier[I]) folded(s machineState[I], old, in *I) (*I, error) {
	was, slot, changed := v.m.Folded(old, in)
	if was == mach.NoReg {
		return old, nil
	}
	key, ok := v.slot(slot)
	if !ok {
		return nil, v.errorf(in, "not an access to the spill area")
	}
	for k, h := range s.slots {
		if k.offset == key.offset && k.size >= key.size && h.has(was) {
			return &changed, nil
		}
	}
	return nil, v.errorf(in, "the slot does not hold %v", was)
}

// slot returns the key of a slot, if it is in the spill area.
func (v *allocVerifier[I]) slot(s Slot) (slotKey, bool) {
	return slotKey{s.Offset, s.Bytes}, s.Bytes > 0 && -s.Offset <= v.spillBytes && s.Offset%s.Bytes == 0 && s.Offset+s.Bytes <= 0
}

// inserted applies an inserted move, reload, spill or constant.
func (v *allocVerifier[I]) inserted(s machineState[I], in *I) error {
	e := v.m.Inserted(in)
	if e.Dst != mach.NoReg && !v.usable(e.Dst) {
		return v.errorf(in, "%v is reserved", e.Dst)
	}
	switch e.Kind {
	case Moves:
		s.regs[e.Dst] = s.regs[e.Src]
	case Exchanges:
		s.regs[e.Dst], s.regs[e.Src] = s.regs[e.Src], s.regs[e.Dst]
	case Reloads, Spills:
		key, ok := v.slot(e.Slot)
		if !ok {
			return v.errorf(in, "not an access to the spill area")
		}
		if e.Kind == Reloads {
			s.regs[e.Dst] = s.slots[key]
			return nil
		}
		for k := range s.slots {
			if k != key && k.offset < key.offset+key.size && key.offset < k.offset+k.size {
				delete(s.slots, k)
			}
		}
		s.slots[key] = s.regs[e.Src]
	default:
		made := *in
		*v.m.Line(&made), *v.m.Dest(&made) = 0, mach.NoReg
		if _, ok := v.consts[made]; !ok || v.m.Info(in).Props&mach.WritesFlags != 0 {
			return v.errorf(in, "inserted, but makes no constant")
		}
		s.regs[*v.m.Dest(in)] = s.consts[made]
	}
	return nil
}

func (v *allocVerifier[I]) errorf(in *I, format string, args ...any) error {
	return fmt.Errorf("block %d: %s: %s", v.block, v.m.Format(in), fmt.Sprintf(format, args...))
}
