package edit

import (
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// Params removes block parameters that always have one value, and merges those of a block
// that always have the same value.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func Params(f *vir.Func, stats Stats) {
	before := countParams(f)
	mergeParams(f)
	vir.RemoveTrivialParams(f)
	stats.Add("params", before-countParams(f))
	f.Renumber()
}

func countParams(f *vir.Func) int {
	n := 0
	for _, b := range f.Blocks {
		n += len(b.Params)
	}
	return n
}

// mergeParams replaces a parameter by an earlier one of the same block that gets the same
// argument from every edge.
func mergeParams(f *vir.Func) {
	in := analysis.InEdges(f)
	same := map[*vir.Value]*vir.Value{}
	for _, b := range f.Blocks {
		if len(b.Params) < 2 || len(in[b.ID]) == 0 {
			continue
		}
		byFirst := map[*vir.Value][]*vir.Value{} // by the argument of the first edge
		for i, p := range b.Params {
			first := in[b.ID][0].Edge().Args[i]
			for _, q := range byFirst[first] {
				equal := true
				for _, e := range in[b.ID] {
					x, y := e.Edge().Args[i], e.Edge().Args[q.Index]
					equal = equal && (x == y || x == p && y == q)
				}
				if equal {
					same[p] = q
					break
				}
			}
			if same[p] == nil && len(byFirst[first]) < 8 {
				byFirst[first] = append(byFirst[first], p)
			}
		}
	}
	if len(same) == 0 {
		return
	}
	replace := func(vs []*vir.Value) {
		for i, v := range vs {
			if q := same[v]; q != nil {
				vs[i] = q
			}
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			replace(v.Args)
		}
		if q := same[b.Cond]; q != nil {
			b.Cond = q
		}
		for _, e := range b.Edges {
			replace(e.Args)
		}
	}
	Dead(f, nil)
}
