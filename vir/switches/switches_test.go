package switches

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// tree generates a function that compares a byte with constants in various forms, to a
// limited depth, and passes a different number on each path to its exit.
type tree struct {
	f     *vir.Func
	x     *vir.Value
	exit  *vir.Block
	rng   *rand.Rand
	leafs uint64
}

func newTree(rng *rand.Rand) *tree {
	f := &vir.Func{Name: "f", Width: 1}
	root := f.NewBlock("root")
	t := &tree{f: f, x: root.Append(vir.Load, vir.Scalar(alu.I8), root.Append(vir.Context, vir.Scalar(alu.I64))), rng: rng}
	t.exit = f.NewBlock("exit")
	t.exit.NewParam(vir.Scalar(alu.I32), "path")
	t.exit.Return()
	t.grow(root, 5)
	f.Renumber()
	return t
}

func (t *tree) grow(b *vir.Block, depth int) {
	x := t.x
	if t.rng.Intn(3) == 0 {
		x = b.Append([]vir.Op{alu.ZExt, alu.SExt}[t.rng.Intn(2)], vir.Scalar(alu.I32), x)
	}
	c := func() *vir.Value {
		n := t.rng.Uint64() & 0x1F // small numbers make dense tables
		if t.rng.Intn(16) == 0 {
			n = t.rng.Uint64()
		}
		return t.f.Const(x.Type, n&x.Type.Elem.Mask())
	}
	if t.rng.Intn(3) == 0 {
		x = b.Append(alu.Sub, x.Type, x, c())
	}
	ops := []vir.Op{alu.Ult, alu.Ule, alu.Slt, alu.Sle, alu.Eq, alu.Ne}
	args := []*vir.Value{x, c()}
	if t.rng.Intn(4) == 0 {
		args[0], args[1] = args[1], args[0]
	}
	cond := b.Append(ops[t.rng.Intn(len(ops))], vir.Scalar(alu.I1), args...)
	side := func() vir.Edge {
		if depth == 1 || t.rng.Intn(6) == 0 {
			t.leafs++
			return vir.Edge{To: t.exit, Args: []*vir.Value{t.f.Const(vir.Scalar(alu.I32), t.leafs)}}
		}
		next := t.f.NewBlock("test")
		t.grow(next, depth-1)
		return vir.Edge{To: next}
	}
	b.Branch(cond, side(), side())
}

// walk evaluates the tree for one x from an edge on.
func (t *tree) walk(x uint64, e vir.Edge) uint64 {
	for e.To != t.exit {
		b := e.To
		value := map[*vir.Value]uint64{t.x: x}
		of := func(v *vir.Value) uint64 {
			if v.Op == vir.Const {
				return v.Const
			}
			return value[v]
		}
		for _, v := range b.Values {
			switch {
			case !v.Op.Pure() || v.Op == vir.Context: // x and its operands
			case len(v.Args) == 1:
				value[v] = alu.Eval(v.Op, v.Type.Elem, v.Args[0].Type.Elem, of(v.Args[0]), 0, 0)
			default:
				value[v] = alu.Eval(v.Op, v.Type.Elem, v.Args[0].Type.Elem, of(v.Args[0]), of(v.Args[1]), 0)
			}
		}
		e = b.Edges[1]
		if value[b.Cond] != 0 {
			e = b.Edges[0]
		}
	}
	return e.Args[0].Const
}

// TestTablesMatchTrees compares each table with the tree for every value.
func TestTablesMatchTrees(t *testing.T) {
	tables, checked, offset := 0, 0, 0
	for seed := range int64(3000) {
		tr := newTree(rand.New(rand.NewSource(seed)))
		for root, w := range Find(tr.f, 4, func(v *vir.Value) int { return v.Type.Elem.Bits() }) {
			if root != 0 {
				continue // an inner block of a tree
			}
			tables++
			if w.Checked {
				checked++
			}
			if w.Lo > 0 {
				offset++
			}
			require.Same(t, tr.x, w.X)
			for x := range uint64(256) {
				e := w.Other
				if i := (x - w.Lo) & 0xFF; i < uint64(len(w.Entries)) {
					e = w.Entries[i]
				} else {
					require.True(t, w.Checked, "seed %d: %d is beyond the entries", seed, x)
				}
				require.Contains(t, w.Edges(), e)
				want := tr.walk(x, vir.Edge{To: tr.f.Blocks[0]})
				require.Equal(t, want, tr.walk(x, tr.f.Blocks[e.Block].Edges[e.Index]), "seed %d, x = %d", seed, x)
			}
		}
	}
	require.Greater(t, tables, 100)
	require.Greater(t, checked, 10)
	require.Greater(t, offset, 3)
}

// TestLongChains checks that a chain too long for a table is followed only once, and that
// the part at its end that is short enough becomes a table.
func TestLongChains(t *testing.T) {
	const n = 2000
	f := &vir.Func{Name: "f", Width: 1}
	b := f.NewBlock("root")
	x := b.Append(vir.Load, vir.Scalar(alu.I32), b.Append(vir.Context, vir.Scalar(alu.I64)))
	exit := f.NewBlock("exit")
	exit.NewParam(vir.Scalar(alu.I32), "path")
	exit.Return()
	for i := range uint64(n) {
		next := f.NewBlock("test")
		c := f.Const(vir.Scalar(alu.I32), i)
		b.Branch(b.Append(alu.Eq, vir.Scalar(alu.I1), x, c), vir.Edge{To: exit, Args: []*vir.Value{c}}, vir.Edge{To: next})
		b = next
	}
	b.Jump(exit, f.Const(vir.Scalar(alu.I32), n))
	f.Renumber()
	found := Find(f, 4, func(v *vir.Value) int { return 32 })
	require.Len(t, found, 1)
	for root, w := range found {
		require.Greater(t, root, n-maxEntries-2)
		require.Greater(t, len(w.Entries), maxEntries-4)
	}
}
