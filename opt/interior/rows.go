package interior

import (
	"math"
	"math/bits"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// rows makes choices of quotients and remainders in the kernel, so that ids which count
// along the rows of an image have borders, too: where a row ends. With i in the first lane
// as f, and unless rows are too short for all lanes to be of one often,
//
//	i / w    becomes    i/w == f/w ? f/w : i/w
//	i % w    becomes    i/w == f/w ? i - f/w*w : i%w
//
// and away from ends of rows the one is the same for all lanes, the other at even distances.
type rows struct {
	lanes int
	tried map[int]bool           // by value ID: divisions that were looked at
	made  map[*kernel.Value]bool // choices
	same  map[*kernel.Value]bool // what they ask: whether the lane is of one row with the first
	chain map[*kernel.Value]bool // operations whose first operand stays what it is, though there is a choice for it
}

func newRows(lanes int) rows {
	made := func() map[*kernel.Value]bool { return map[*kernel.Value]bool{} }
	return rows{lanes, map[int]bool{}, made(), made(), made()}
}

// divided is a quotient or a remainder.
type divided struct {
	v     *kernel.Value
	steps int       // of how many operations it is the last, one on the other, of a number at even distances
	by    kernel.Op // that gives the quotient, of a remainder
}

// find lists those divisions of f whose dividend is at even distances in flat, which is f
// without borders.
func (r *rows) find(f, flat *kernel.Func, even *divergence.Info) []divided {
	var out []divided
	var feeds []bool // by value ID: nothing but operations that divide further use it
	for _, b := range flat.Blocks {
		for _, v := range b.Values {
			if _, ok := alu.Monotone[v.Op]; !ok && v.Op != alu.URem && v.Op != alu.SRem && v.Op != alu.And || r.tried[v.ID] || even.Shape(v).IsStrided() {
				continue
			}
			d := divided{v: v}
			switch v.Op {
			case alu.URem:
				d.by = alu.UDiv
			case alu.SRem:
				d.by = alu.SDiv
			case alu.And:
				if m := v.Args[1]; m.Op != kernel.Const || m.Const&(m.Const+1) != 0 {
					continue
				}
				d.by = alu.LShr
			}
			x := v.Args[0]
			if d.steps = 1; d.by != 0 {
				if !even.Uniform(v.Args[1]) || !linear(x, alu.Monotone[d.by].Signed, even) {
					continue
				}
			} else if x, d.steps = dividend(v, f, alu.Monotone[v.Op].Signed, even); x == nil {
				continue
			}
			if feeds == nil {
				feeds = feeding(flat)
			}
			if r.tried[v.ID] = true; len(r.made)+len(out) < mostRows && !feeds[v.ID] && divisor(v) >= 2*float64(r.lanes)*math.Abs(float64(even.Shape(x).Stride)) {
				out = append(out, d)
			}
		}
	}
	return out
}

// linear reports whether x differs between lanes, by even distances, and wraps nowhere.
func linear(x *kernel.Value, signed bool, even *divergence.Info) bool {
	s, b := even.Shape(x), even.Bounds[x.ID]
	return s.IsStrided() && !s.IsUniform() && (signed && b.SLinear || !signed && b.ULinear)
}

// dividend is what the quotient v is one of, by that many operations; nil if that is not at
// even distances, or if there are borders in between in f.
func dividend(v *kernel.Value, f *kernel.Func, signed bool, even *divergence.Info) (x *kernel.Value, steps int) {
	if m, ok := alu.Monotone[v.Op]; !ok || m.Signed != signed || !even.Uniform(v.Args[1]) {
		return nil, 0
	}
	x = v.Args[0]
	if linear(x, signed, even) {
		return x, 1
	}
	if f.Value(v.ID).Args[0].ID != x.ID {
		return nil, 0
	}
	x, steps = dividend(x, f, signed, even)
	return x, steps + 1
}

// divisor is what v divides by, or gives the remainder of, as far as constants tell; of
// others it is the greatest.
func divisor(v *kernel.Value) float64 {
	if _, ok := alu.Monotone[v.Op]; !ok && v.Op != alu.And && v.Op != alu.URem && v.Op != alu.SRem {
		return 1
	}
	c := v.Args[1]
	if c.Op != kernel.Const {
		return math.MaxUint64
	}
	by := math.Abs(float64(c.Type.Signed(c.Const)))
	switch v.Op {
	case alu.And:
		return float64(c.Const) + 1
	case alu.LShr, alu.AShr:
		by = math.Ldexp(1, int(c.Const))
	case alu.UMulHi:
		by = math.Ldexp(1, c.Type.Bits()) / float64(c.Const)
	case alu.SMulHi:
		by = math.Ldexp(1, c.Type.Bits()) / by
	}
	return by * divisor(v.Args[0])
}

// feeding tells, by value ID, of which values there are uses, all as what is divided further.
func feeding(f *kernel.Func) []bool {
	uses, feeds := opt.UsesOf(f), make([]bool, f.NumValues())
	further := make([]int, f.NumValues())
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if _, ok := alu.Monotone[v.Op]; ok {
				further[v.Args[0].ID]++
			}
		}
	}
	for id, n := range further {
		feeds[id] = n > 0 && n == uses[id]
	}
	return feeds
}

// choose makes the choice for d, found in a clone of f, and returns it and the border that
// it is. Choices for what others divide come after theirs.
func (r *rows) choose(f *kernel.Func, d divided) (*kernel.Value, border) {
	v := f.Value(d.v.ID)
	x, b := v, v.Block
	for i := range d.steps {
		if i < d.steps-1 {
			r.chain[x] = true
		}
		x = x.Args[0]
	}
	var made []*kernel.Value
	place := func(op kernel.Op, t kernel.Type, args ...*kernel.Value) *kernel.Value {
		y := b.NewValue(op, t, args...)
		y.Pos = v.Pos
		made = append(made, y)
		return y
	}
	quotient, scale := v, v.Args[1]
	switch {
	case v.Op == alu.And:
		by := f.Const(v.Type, uint64(bits.Len64(scale.Const)))
		scale = f.Const(v.Type, scale.Const+1)
		quotient = place(d.by, v.Type, x, by)
	case d.by != 0:
		quotient = place(d.by, v.Type, x, scale)
	}
	first := place(kernel.FirstLane, x.Type, x)
	var of func(*kernel.Value) *kernel.Value // for the first lane
	of = func(v *kernel.Value) *kernel.Value {
		if v == x {
			return first
		}
		return place(v.Op, v.Type, of(v.Args[0]), v.Args[1])
	}
	inner := of(quotient)
	same := place(alu.Eq, alu.I1, quotient, inner)
	if d.by != 0 {
		inner = place(alu.Sub, v.Type, x, place(alu.Mul, v.Type, inner, scale))
	}
	choice := place(alu.Select, v.Type, same, inner, v)
	uses := opt.NewReplacer(f)
	uses.Set(v, choice)
	uses.Apply(f)
	for user := range r.chain {
		if user.Args[0] == choice {
			user.Args[0] = v
		}
	}
	b.Values = slices.Insert(b.Values, slices.Index(b.Values, v)+1, made...)
	r.tried[quotient.ID] = true
	r.made[choice], r.same[same] = true, true
	return choice, border{operand: 1, term: -1, holds: []condition{{op: alu.Ne, x: same}}}
}

// to goes on to f, a clone.
func (r *rows) to(f *kernel.Func) {
	made := map[*kernel.Value]bool{}
	for choice := range r.made {
		made[f.Value(choice.ID)] = true
	}
	r.made = made
}

// undo makes uses of choices that are left in f uses of what they were made for.
func (r *rows) undo(f *kernel.Func) {
	uses := opt.NewReplacer(f)
	for choice := range r.made {
		uses.Set(choice, choice.Args[2])
	}
	uses.Apply(f)
}
