package masks

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Factors rewrites complements of disjunctions of masks that have one use:
//
//	mask & ~(a | b)        (mask & ~a) & ~b
//
// where a or b is a comparison. Each comparison is then made under the preceding mask, and
// scalar ones are recognized by the passes over loop counters.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func Factors(f *vir.Func, stats edit.Stats) {
	n := 0
	for {
		uses := analysis.UsesOf(f)
		once := func(v *vir.Value) bool { return len(uses[v.ID]) == 1 }
		changed := 0
		for _, b := range f.Blocks {
			for i := 0; i < len(b.Values); i++ {
				v := b.Values[i]
				if v.Op != alu.And || !v.Type.IsMask() {
					continue
				}
				for k, y := range v.Args {
					sum := analysis.Negation(y)
					if sum == nil || sum.Op != alu.Or || !once(y) || !once(sum) || !isComparison(sum.Args[0]) && !isComparison(sum.Args[1]) {
						continue
					}
					at := i
					first := insertComplement(f, b, &at, sum.Args[0])
					second := insertComplement(f, b, &at, sum.Args[1])
					rest := edit.InsertValue(b, &at, alu.And, v.Type, v.Args[1-k], first)
					rest.Pos = v.Pos
					v.Args = []*vir.Value{rest, second}
					i = slices.Index(b.Values, v)
					changed++
					break
				}
			}
		}
		if changed == 0 {
			break
		}
		n += changed
		f.Renumber()
		edit.Dead(f, stats)
	}
	stats.Add("mask disjunctions split", n)
}

// isComparison reports whether a mask is a comparison, of lanes or of a scalar.
func isComparison(v *vir.Value) bool {
	return v.Op == vir.Splat || alu.InfoOf(v.Op).Class == alu.Compare
}

// insertComplement inserts the complement of a mask or a scalar condition.
func insertComplement(f *vir.Func, b *vir.Block, at *int, v *vir.Value) *vir.Value {
	if v.Op == vir.Splat {
		return edit.InsertValue(b, at, vir.Splat, v.Type, insertComplement(f, b, at, v.Args[0]))
	}
	var n *vir.Value
	switch op := alu.Exchanged[v.Op]; {
	case op != 0:
		n = edit.InsertValue(b, at, op, v.Type, v.Args[1], v.Args[0])
	case v.Op == alu.Eq:
		n = edit.InsertValue(b, at, alu.Ne, v.Type, v.Args...)
	case v.Op == alu.Ne:
		n = edit.InsertValue(b, at, alu.Eq, v.Type, v.Args...)
	default:
		return edit.InsertValue(b, at, alu.Xor, v.Type, v, f.Const(v.Type, 1))
	}
	n.Pos = v.Pos
	return n
}
