package edit

import "github.com/simtc/simtc/vir"

// Params removes block parameters that always have one value.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func Params(f *vir.Func, _ Stats) {
	vir.RemoveTrivialParams(f)
	f.Renumber()
}
