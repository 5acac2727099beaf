package plan

import (
	"maps"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/legalize"
)

// WithExpansions returns c with a row for each pure operation that has none. Where the target
// has the operation, it costs as much as an addition, and elsewhere the sum of its expansion.
// Operations that have no expansion either remain without a row, as do conversions, comparisons and
// selects, whose operand and result types differ.
func (c Costs) WithExpansions(t legalize.Target) Costs {
	c.Rows = maps.Clone(c.Rows)
	for op := alu.Invalid + 1; op < alu.NumPure; op++ {
		if _, ok := c.Rows[op]; ok {
			continue
		}
		switch alu.InfoOf(op).Class {
		case alu.Unary, alu.Binary, alu.Ternary:
			if r, err := c.expansion(op, t); err == nil {
				c.Rows[op] = r
			}
		}
	}
	return c
}

// expansion returns the row of an operation of which t may lack some types.
func (c *Costs) expansion(op vir.Op, t legalize.Target) (r Row, err error) {
	for _, elem := range []alu.Type{alu.I8, alu.I16, alu.I64, alu.F64, alu.I32, alu.F32} { // the latencies are those of 32 bits
		if _, err := alu.ResultType(op, elem, elem); err != nil {
			continue
		}
		size := sizeOf(vir.Scalar(elem))
		if r.Scalar[size], r.ScalarLatency, err = c.legalized(op, vir.Scalar(elem), t); err != nil {
			return r, err
		}
		whole := vir.Vec(elem, min(c.Lanes, c.RegisterBits/elem.Bits()))
		if r.Vector[size], r.Latency, err = c.legalized(op, whole, t); err != nil {
			return r, err
		}
		r.Vector[size] /= c.share(whole)
	}
	return r, nil
}

// legalized returns the cost and the latency of an operation on t in the form that the target
// supports.
func (c *Costs) legalized(op vir.Op, t vir.Type, target legalize.Target) (ns, latency float64, err error) {
	f := &vir.Func{Width: t.Lanes}
	entry, b := f.NewBlock(""), f.NewBlock("")
	var none, args []*vir.Value
	for range alu.InfoOf(op).Args {
		none, args = append(none, f.Const(t, 0)), append(args, b.NewParam(t, ""))
	}
	entry.Jump(b, none...)
	b.Append(op, t, args...)
	b.Return()
	f.Renumber()
	if f, err = legalize.Func(f, target); err != nil {
		return 0, 0, err
	}
	p := &pricing{c, t.Lanes, t.Lanes}
	depth := make([]float64, f.NumValues())
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			cost, wait, _ := p.price(v)
			if v.Op == op {
				simple := vir.Op(alu.Add)
				if t.Elem.IsFloat() {
					simple = alu.FAdd
				}
				cost, wait = c.Operation(simple, v.Type), c.Rows[simple].Latency
				if v.Type.IsScalar() {
					wait = c.Rows[simple].ScalarLatency
				}
			}
			for _, a := range v.Args {
				depth[v.ID] = max(depth[v.ID], depth[a.ID])
			}
			depth[v.ID] += wait
			ns, latency = ns+cost, max(latency, depth[v.ID])
		}
	}
	return ns, latency, nil
}
