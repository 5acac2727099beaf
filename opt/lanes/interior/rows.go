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

// rows adds choices for quotients and remainders of ids that count along the rows of an
// image, which have their boundary where a row ends. If f is i in the first lane, and rows
// are long enough that all lanes are often in one,
//
//	i / w    becomes    i/w == f/w ? f/w : i/w
//	i % w    becomes    i/w == f/w ? i - f/w*w : i%w
//
// and away from the ends of rows the quotient is uniform and the remainder strided.
type rows struct {
	lanes int
	tried map[int]bool           // by value ID: divisions that were considered
	made  map[*kernel.Value]bool // the choices
	same  map[*kernel.Value]bool // their conditions: the lane is in the row of the first lane
	chain map[*kernel.Value]bool // operations whose first operand is not replaced by its choice
}

func newRows(lanes int) rows {
	made := func() map[*kernel.Value]bool { return map[*kernel.Value]bool{} }
	return rows{lanes, map[int]bool{}, made(), made(), made()}
}

// divided is a quotient or a remainder of a strided number.
type divided struct {
	v     *kernel.Value
	steps int       // length of the chain of operations that divide the number
	by    kernel.Op // for a remainder: the operation of its quotient
}

// find lists the divisions of f whose dividend is strided in flat, which is f without
// boundaries.
func (r *rows) find(f, flat *kernel.Func, strided *divergence.Info) []divided {
	var out []divided
	var feeds []bool // by value ID: all uses are as dividends
	for _, b := range flat.Blocks {
		for _, v := range b.Values {
			if _, ok := alu.Monotone[v.Op]; !ok && v.Op != alu.URem && v.Op != alu.SRem && v.Op != alu.And || r.tried[v.ID] || strided.Shape(v).IsStrided() {
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
				if !strided.Uniform(v.Args[1]) || !linear(x, alu.Monotone[d.by].Signed, strided) {
					continue
				}
			} else if x, d.steps = dividend(v, f, alu.Monotone[v.Op].Signed, strided); x == nil {
				continue
			}
			if feeds == nil {
				feeds = feeding(flat)
			}
			if r.tried[v.ID] = true; len(r.made)+len(out) < maxRows && !feeds[v.ID] && divisor(v) >= 2*float64(r.lanes)*math.Abs(float64(strided.Shape(x).Stride)) {
				out = append(out, d)
			}
		}
	}
	return out
}

// linear reports whether x is strided but not uniform, and does not wrap.
func linear(x *kernel.Value, signed bool, strided *divergence.Info) bool {
	s, b := strided.Shape(x), strided.Bounds[x.ID]
	return s.IsStrided() && !s.IsUniform() && (signed && b.SLinear || !signed && b.ULinear)
}

// dividend returns the strided number that v divides through a chain of operations, and
// the length of the chain. It returns nil if there is none, or if the chain has boundaries
// in f.
func dividend(v *kernel.Value, f *kernel.Func, signed bool, strided *divergence.Info) (x *kernel.Value, steps int) {
	if m, ok := alu.Monotone[v.Op]; !ok || m.Signed != signed || !strided.Uniform(v.Args[1]) {
		return nil, 0
	}
	x = v.Args[0]
	if linear(x, signed, strided) {
		return x, 1
	}
	if f.Value(v.ID).Args[0].ID != x.ID {
		return nil, 0
	}
	x, steps = dividend(x, f, signed, strided)
	return x, steps + 1
}

// divisor returns the total divisor of v, as far as it is constant, or else the largest
// number.
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

// feeding reports, by value ID, whether a value has uses and all of them divide it.
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

// choose adds the choice for d, which was found in a clone of f, and returns it with its
// boundary. Choices for dividends come before those for their quotients.
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
	var of func(*kernel.Value) *kernel.Value // a value in the first lane
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

// to maps the choices to their copies in f, a clone.
func (r *rows) to(f *kernel.Func) {
	made := map[*kernel.Value]bool{}
	for choice := range r.made {
		made[f.Value(choice.ID)] = true
	}
	r.made = made
}

// undo replaces choices that are left in f by their original values.
func (r *rows) undo(f *kernel.Func) {
	uses := opt.NewReplacer(f)
	for choice := range r.made {
		uses.Set(choice, choice.Args[2])
	}
	uses.Apply(f)
}
