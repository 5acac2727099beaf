package regalloc

import (
	"fmt"
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

// machineState is the holding of every place: registers first, then constants, then the
// spill slots seen so far. Clones share holdings, which are never changed in place.
type machineState struct{ places []holding }

func (s machineState) clone() *machineState { return &machineState{slices.Clone(s.places)} }

// hold sets the holding of a place.
func (s *machineState) hold(place int, h holding) {
	for place >= len(s.places) {
		s.places = append(s.places, nil)
	}
	s.places[place] = h
}

// held returns the holding of a place.
func (s *machineState) held(place int) holding {
	if place >= len(s.places) {
		return nil
	}
	return s.places[place]
}

// meet intersects the holdings of both states and reports whether s changed.
func (s *machineState) meet(o *machineState) bool {
	changed := false
	for place, h := range s.places {
		if len(h) == 0 {
			continue
		}
		other := o.held(place)
		if len(h) == len(other) && &h[0] == &other[0] {
			continue
		}
		missing := func(r mach.Reg) bool { return !other.has(r) }
		if slices.ContainsFunc(h, missing) {
			changed = true
			s.places[place] = slices.DeleteFunc(slices.Clone(h), missing)
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
	constants     map[mach.Reg]I  // virtual register with a single definition -> that definition
	consts        map[I]int       // place of the constant that an instruction makes
	slots         map[slotKey]int // place of a spill slot
	places        int
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
	in := make([]*machineState, len(f.Blocks))
	in[0] = v.initial()
	// Blocks are visited in order, so that most predecessors come first.
	queued := make([]bool, len(f.Blocks))
	queued[0] = true
	for b := 0; b >= 0; b = slices.Index(queued, true) {
		queued[b] = false
		out := in[b].clone()
		if err := v.walk(b, out); err != nil {
			return err
		}
		for _, s := range f.Blocks[b].Succs() {
			if in[s] == nil {
				in[s] = out.clone()
				queued[s] = true
			} else if in[s].meet(out) {
				queued[s] = true
			}
		}
	}
	return nil
}

// initial numbers the places and returns the state at the entry of the function.
func (v *allocVerifier[I]) initial() *machineState {
	s := &machineState{}
	v.slots = map[slotKey]int{}
	for c, class := range v.m.Classes {
		for n := range class.Count {
			if r := mach.Physical(mach.Class(c), n); class.Defined>>n&1 != 0 {
				s.hold(v.reg(r), holding{r})
			}
		}
		v.places += class.Count
	}
	v.findConstants(s)
	return s
}

// reg returns the place of a physical register.
func (v *allocVerifier[I]) reg(r mach.Reg) int { return int(v.regs.phys(r)) }

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
// a copy of it, and adds these constants to the places of s.
func (v *allocVerifier[I]) findConstants(s *machineState) {
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
	v.consts = map[I]int{}
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
				place, found := v.consts[made]
				if !found {
					place = v.places
					v.consts[made] = place
					v.places++
				}
				s.hold(place, s.held(place).with(r))
				changed = true
			}
		}
	}
}

// update replaces the holding of every place.
func (s *machineState) update(f func(h holding) holding) {
	for place, h := range s.places {
		if len(h) != 0 {
			s.places[place] = f(h)
		}
	}
}

// forget removes r from all places.
func (s *machineState) forget(r mach.Reg) {
	s.update(func(h holding) holding { return h.without(r) })
}

// rename applies parallel copies to all holdings.
func (s *machineState) rename(copies []mach.Copy) {
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

// walk applies the instructions of a block to s.
func (v *allocVerifier[I]) walk(bi int, s *machineState) error {
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
				return err
			}
			flags = flags && v.m.Info(in).Props&mach.WritesFlags == 0
			continue
		}
		if from < done {
			return v.errorf(in, "instruction %d comes after %d", from, done)
		}
		v.removed(s, old.Insts[done:from])
		if err := v.kept(s, &old.Insts[from], in); err != nil {
			return err
		}
		done = from + 1
		if info := v.m.Info(in); info.Props&mach.ReadsFlags != 0 && !flags {
			return v.errorf(in, "the flags that it reads were overwritten")
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
		return fmt.Errorf("block %d: the flags of its branch were overwritten", bi)
	}
	return nil
}

// removed applies instructions that were removed: copies, constants, dead code.
func (v *allocVerifier[I]) removed(s *machineState, insts []I) {
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
func (v *allocVerifier[I]) kept(s *machineState, old, in *I) error {
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
		case p.role&mach.Read != 0 && !s.held(v.reg(p.physical)).has(p.virtual):
			return v.errorf(in, "%v does not hold %v", p.physical, p.virtual)
		case p.virtual.IsVirtual() && p.role&mach.Write != 0 && !v.usable(p.physical):
			return v.errorf(in, "%v is reserved", p.physical)
		}
	}
	fixed := v.m.Info(in).Fixed
	for _, f := range fixed {
		if f.Role&mach.Read != 0 && !s.held(v.reg(f.Reg)).has(f.Reg) {
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
		s.hold(v.reg(p.physical), nil)
	}
	for _, f := range fixed {
		if f.Role&mach.Write != 0 {
			if written[f.Reg] {
				return v.errorf(in, "%v is written twice", f.Reg)
			}
			s.forget(f.Reg)
			s.hold(v.reg(f.Reg), holding{f.Reg})
		}
	}
	_, _, copies := v.m.Copy(old)
	for _, p := range pairs {
		if p.role&mach.Write != 0 {
			s.hold(v.reg(p.physical), holding{p.virtual})
			if copies {
				for _, q := range pairs {
					if q.role == mach.Read && q.physical != p.physical {
						s.hold(v.reg(p.physical), s.held(v.reg(q.physical)).with(p.virtual))
						s.hold(v.reg(q.physical), s.held(v.reg(q.physical)).with(p.virtual))
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
func (v *allocVerifier[I]) folded(s *machineState, old, in *I) (*I, error) {
	was, slot, changed := v.m.Folded(old, in)
	if was == mach.NoReg {
		return old, nil
	}
	key, ok := v.slot(slot)
	if !ok {
		return nil, v.errorf(in, "not an access to the spill area")
	}
	for k, place := range v.slots {
		if k.offset == key.offset && k.size >= key.size && s.held(place).has(was) {
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
func (v *allocVerifier[I]) inserted(s *machineState, in *I) error {
	e := v.m.Inserted(in)
	if e.Dst != mach.NoReg && !v.usable(e.Dst) {
		return v.errorf(in, "%v is reserved", e.Dst)
	}
	switch e.Kind {
	case Moves:
		s.hold(v.reg(e.Dst), s.held(v.reg(e.Src)))
	case Exchanges:
		dst, src := v.reg(e.Dst), v.reg(e.Src)
		held := s.held(dst)
		s.hold(dst, s.held(src))
		s.hold(src, held)
	case Reloads, Spills:
		key, ok := v.slot(e.Slot)
		if !ok {
			return v.errorf(in, "not an access to the spill area")
		}
		place, known := v.slots[key]
		if !known {
			place = v.places
			v.slots[key] = place
			v.places++
		}
		if e.Kind == Reloads {
			s.hold(v.reg(e.Dst), s.held(place))
			return nil
		}
		for k, other := range v.slots {
			if k.offset < key.offset+key.size && key.offset < k.offset+k.size {
				s.hold(other, nil)
			}
		}
		s.hold(place, s.held(v.reg(e.Src)))
	default:
		made := *in
		*v.m.Line(&made), *v.m.Dest(&made) = 0, mach.NoReg
		place, ok := v.consts[made]
		if !ok || v.m.Info(in).Props&mach.WritesFlags != 0 {
			return v.errorf(in, "inserted, but makes no constant")
		}
		s.hold(v.reg(*v.m.Dest(in)), s.held(place))
	}
	return nil
}

func (v *allocVerifier[I]) errorf(in *I, format string, args ...any) error {
	return fmt.Errorf("block %d: %s: %s", v.block, v.m.Format(in), fmt.Sprintf(format, args...))
}
