package legalize

import (
	"github.com/simtc/simtc/vir"
)

// builder appends operations to one block, with the position of the operation
// being rewritten.
type builder struct {
	block *vir.Block
	pos   *vir.Value
	cut   map[cutKey]*vir.Value
	// permuted has steps of networks.
	permuted map[permuteKey]*vir.Value
}

type permuteKey struct {
	x, y  *vir.Value
	lanes string
}

type cutKey struct {
	v     *vir.Value
	lanes int
	index int
}

// enter continues in another block, where parts cut in other blocks may not be available.
func (b *builder) enter(block *vir.Block) {
	b.block, b.cut, b.permuted = block, map[cutKey]*vir.Value{}, map[permuteKey]*vir.Value{}
}

func (b *builder) op(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
	v := b.block.Append(op, t, args...)
	if b.pos != nil {
		v.Pos = b.pos.Pos
	}
	return v
}

func (b *builder) constant(t vir.Type, bits uint64) *vir.Value {
	return b.block.Func.Const(t, bits)
}

// regroup converts parts, all of one type, to parts of n lanes.
func (b *builder) regroup(parts []*vir.Value, n int) []*vir.Value {
	have := parts[0].Type.Lanes
	switch {
	case have == n:
		return parts
	case have > n:
		var out []*vir.Value
		for _, p := range parts {
			for i := range have / n {
				out = append(out, b.part(p, n, i))
			}
		}
		return out
	}
	k := n / have
	out := make([]*vir.Value, len(parts)/k)
	for i := range out {
		out[i] = b.concat(parts[i*k : (i+1)*k])
	}
	return out
}

// part returns lanes [i*n, i*n+n) of v.
func (b *builder) part(v *vir.Value, n, i int) *vir.Value {
	t := v.Type.Part(n)
	if v.Op == vir.Const {
		return b.constant(t, v.Const)
	}
	if v.Op == vir.Concat && v.Args[0].Type.Lanes == n {
		return v.Args[i]
	}
	k := cutKey{v, n, i}
	if p := b.cut[k]; p != nil {
		return p
	}
	op := vir.Part
	if n == 1 {
		op = vir.Extract
	}
	p := b.op(op, t, v)
	p.Index = i
	b.cut[k] = p
	return p
}

func (b *builder) concat(parts []*vir.Value) *vir.Value {
	t := parts[0].Type.Part(parts[0].Type.Lanes * len(parts))
	if first := parts[0]; first.Op == vir.Const {
		same := true
		for _, p := range parts {
			same = same && p == first
		}
		if same {
			return b.constant(t, first.Const)
		}
	}
	if first := parts[0]; (first.Op == vir.Part || first.Op == vir.Extract) && first.Args[0].Type == t {
		whole := true
		for i, p := range parts {
			whole = whole && p.Op == first.Op && p.Args[0] == first.Args[0] && p.Index == i
		}
		if whole {
			return first.Args[0]
		}
	}
	if parts[0].Type.Lanes == 1 {
		all := b.constant(t, 0)
		for i, p := range parts {
			all = b.op(vir.Insert, t, all, p)
			all.Index = i
		}
		return all
	}
	return b.op(vir.Concat, t, parts...)
}
