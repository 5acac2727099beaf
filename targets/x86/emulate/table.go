package emulate

import "github.com/simtc/simtc/targets/x86/asm"

// build translates an instruction.
type build func(t *translator, in *asm.Inst) exec

// row holds the semantics of an op.
type row struct {
	op    asm.Op
	build build
}

// rows holds the rows of all tables by op.
var rows = map[asm.Op]build{}

func init() {
	for _, table := range [][]row{gprRows, controlRows, moveRows, intRows, shuffleRows, floatRows, convertRows, maskRows, vectorMaskRows} {
		for _, r := range table {
			if rows[r.op] != nil {
				panic("emulate: two rows for " + r.op.String())
			}
			rows[r.op] = r.build
		}
	}
}

func concat(parts ...[]row) []row {
	var all []row
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}
