package legalize

import (
	"fmt"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// expansion builds an operation out of others, which may in turn be expanded.
// It returns nil where it does not apply.
type expansion func(b *builder, t vir.Type, args []*vir.Value) *vir.Value

// expand appends op, or what stands for it on a target without it.
func (b *builder) expand(op vir.Op, t vir.Type, args ...*vir.Value) (*vir.Value, error) {
	if b.has(op, t, args...) {
		return b.op(op, t, args...), nil
	}
	for _, e := range expansions[op] {
		if v := e(b, t, args); v != nil {
			return v, nil
		}
	}
	return nil, fmt.Errorf("the target has no %s on %s and no expansion of it", alu.InfoOf(op).Name, args[len(args)-1].Type)
}

// must is expand for use in expansions, which stay within what is covered.
func (b *builder) must(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
	v, err := b.expand(op, t, args...)
	if err != nil {
		panic(missing{err})
	}
	return v
}

// missing carries an error out of nested expansions.
type missing struct{ err error }
