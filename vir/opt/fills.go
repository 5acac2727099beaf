package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// What a loop that fills memory becomes at most: stores one after the other.
const (
	fillBytes = 64 // of one store
	maxFills  = 32
)

// Fills makes loops of scalar code that do nothing but to store numbers that
// stay the same, or count, at all places from a constant one to a constant one
// stores of vectors, as arrays in private memory are cleared. The last store
// overlaps the one before it where it must.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes; removes loops
func Fills(f *vir.Func, stats Stats) {
	if f.Width != 1 {
		return
	}
	for fillOne(f) {
		stats.add("loops that fill", 1)
		vir.RemoveUnreachable(f)
		f.Renumber()
	}
}

// fillOne replaces one loop, if there is any such.
func fillOne(f *vir.Func) bool {
	cycles := cfg.Cycles(f.Graph())
	var in [][]inEdge
	var uses [][]use
	for _, c := range cycles.Cycles {
		if len(c.Blocks) != 2 || len(c.Children) > 0 {
			continue
		}
		if in == nil {
			in, uses = inEdges(f), usesOf(f)
		}
		lp := findLoop(f, cycles, in, c)
		if lp == nil || len(lp.entry) != 1 || len(lp.head.Params) != 1 {
			continue
		}
		x := filling{f: f, lp: lp, uses: uses}
		if x.counts() && x.onlyStores() {
			x.replace()
			return true
		}
	}
	return false
}

type filling struct {
	f    *vir.Func
	lp   *simpleLoop
	uses [][]use

	i        *vir.Value // the counter
	from, to int64      // its first value and that for which the loop is left
	stores   []*vir.Value
}

// counts reports whether the loop, which tests at its head, lets its parameter
// count by one from a constant to a constant.
func (x *filling) counts() bool {
	h, b := x.lp.head, x.lp.latch
	if h == b || h.Kind != vir.Branch || b.Kind != vir.Jump || h.Edges[0].To != b || h.Edges[1].To == h || len(b.Params) > 0 {
		return false
	}
	x.i = h.Params[0]
	first, by := x.lp.entry[0].edge().Args[0], stepOf(x.lp, x.i)
	if first.Op != vir.Const || by == nil || !isConst(by, 1) {
		return false
	}
	t := h.Cond
	last := int64(0)
	switch t.Op {
	case alu.Slt, alu.Ult:
	case alu.Sle, alu.Ule:
		last = 1
	default:
		return false
	}
	if t.Args[1].Op != vir.Const || t.Block != h {
		return false
	}
	n := t.Args[0]
	if n.Op == alu.Trunc {
		n = n.Args[0]
	}
	// Small numbers are the same, cut or not, signed or not.
	const most = 1 << 30
	x.from, x.to = int64(first.Const), int64(t.Args[1].Const)
	x.to += last
	if n != x.i || n.Type.Elem.Bits() < 32 || t.Args[0].Type.Elem.Bits() < 32 || uint64(x.from) > most || uint64(x.to) > most || x.from >= x.to {
		return false
	}
	for _, v := range append([]*vir.Value{x.i}, h.Values...) {
		for _, u := range x.uses[v.ID] {
			if u.block != h && u.block != b || u.by == nil && v != t {
				return false // passed on
			}
		}
	}
	return true
}

// onlyStores reports whether the loop stores what stays the same one behind the
// other and does nothing else, and notes the stores.
func (x *filling) onlyStores() bool {
	for _, v := range x.lp.head.Values {
		if !v.Op.Pure() {
			return false
		}
	}
	total := int64(0)
	for _, v := range x.lp.latch.Values {
		switch {
		case v.Op.Pure():
			continue
		case v.Op != vir.Store || v.Volatile || v.Args[1].Type.Elem == alu.I1:
			return false
		}
		if _, ok := x.counting(v.Args[1]); !ok && !x.steady(v.Args[1]) {
			return false
		}
		if _, step := x.place(v); step != int64(v.Args[1].Type.Elem.Size()) {
			return false
		}
		x.stores = append(x.stores, v)
		total += (x.size(v) + fillBytes - 1) / fillBytes
	}
	// Nothing may be stored in two ways: the order would change.
	for i, v := range x.stores {
		for _, w := range x.stores[:i] {
			a, _ := x.place(v)
			b, _ := x.place(w)
			if a != b || v.Disp < w.Disp+x.size(w) && w.Disp < v.Disp+x.size(v) {
				return false
			}
		}
	}
	return len(x.stores) > 0 && total <= maxFills
}

// steady reports whether v is the same in all rounds.
func (x *filling) steady(v *vir.Value) bool {
	return x.lp.outside(v) || v.Op.Pure() && v.Op != vir.Param && !slices.ContainsFunc(v.Args, func(a *vir.Value) bool { return !x.steady(a) })
}

// counting reports whether v is the counter, cut or extended, and a constant.
func (x *filling) counting(v *vir.Value) (plus int64, ok bool) {
	if v.Op == alu.Add && v.Args[1].Op == vir.Const {
		plus, v = v.Args[1].Signed(), v.Args[0]
	}
	if (v.Op == alu.Trunc || v.Op == alu.ZExt || v.Op == alu.SExt) && v.Args[0] == x.i {
		v = x.i
	}
	return plus, v == x.i && plus == int64(int32(plus))
}

// size is how many bytes the store v fills in all.
func (x *filling) size(v *vir.Value) int64 {
	return (x.to - x.from) * int64(v.Args[1].Type.Elem.Size())
}

// place takes the address of a store apart: what stays the same, and the bytes
// by which it grows from one round to the next, 0 if it is of another form.
func (x *filling) place(v *vir.Value) (base *vir.Value, step int64) {
	a := v.Args[0]
	if a.Op != alu.Add || x.steady(a) {
		return nil, 0
	}
	for k, index := range a.Args {
		base, step := a.Args[1-k], int64(1)
		if index.Op == alu.Shl && index.Args[1].Op == vir.Const && index.Args[1].Const < 4 {
			index, step = index.Args[0], 1<<index.Args[1].Const
		}
		if (index.Op == alu.SExt || index.Op == alu.ZExt) && index.Args[0] == x.i {
			index = x.i
		}
		if index == x.i && x.steady(base) {
			return base, step
		}
	}
	return nil, 0
}

// replace makes the head of the loop a block that stores and goes on.
func (x *filling) replace() {
	h := x.lp.head
	var kept []*vir.Value
	for _, v := range slices.Concat(h.Values, x.lp.latch.Values) {
		if v.Op.Pure() && x.steady(v) {
			v.Block = h
			kept = append(kept, v)
		}
	}
	h.Values, h.Params = kept, nil
	x.lp.entry[0].edge().Args = nil
	for _, v := range x.stores {
		base, step := x.place(v)
		val, size := v.Args[1], x.size(v)
		plus, counts := x.counting(val)
		all := map[vir.Type]*vir.Value{}
		for at := int64(0); at < size; {
			bytes := int64(fillBytes)
			for bytes > size {
				bytes /= 2
			}
			at = min(at, size-bytes)
			disp := v.Disp + x.from*step + at
			t := vir.Vec(val.Type.Elem, int(bytes/step))
			first := x.from + at/step + plus // of what counts
			if t.Lanes == 1 {
				if counts {
					val = x.f.Const(t, uint64(first))
				}
				s := h.Append(vir.Store, v.Type, base, val)
				s.Disp, s.Align, s.Pos = disp, v.Align, v.Pos
				at += bytes
				continue
			}
			switch {
			case counts:
				all[t] = h.Append(vir.Iota, t)
				all[t].Index = int(first)
			case all[t] != nil:
			case val.Op == vir.Const:
				all[t] = x.f.Const(t, val.Const)
			default:
				all[t] = h.Append(vir.Splat, t, val)
			}
			s := h.Append(vir.VStore, v.Type, base, all[t], x.f.Const(t.With(alu.I1), 1))
			s.Disp, s.Align, s.Pos = disp, v.Align, v.Pos
			at += bytes
		}
	}
	out := h.Edges[1]
	h.Jump(out.To, out.Args...)
}
