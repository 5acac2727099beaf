package analysis

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// maskLogic compares masks as boolean functions of at most six atoms: a function is its
// truth table in 64 bits.
//
// It expands only operations in blocks of one loop that belong to no inner loop, where an
// atom has one value in an iteration.
type maskLogic struct {
	Cycles *cfg.CycleForest
	loop   *cfg.Cycle
	atoms  []*vir.Value
	failed bool
}

// atomTables holds the truth tables of the atoms.
var atomTables = [6]uint64{
	0xAAAAAAAAAAAAAAAA, 0xCCCCCCCCCCCCCCCC, 0xF0F0F0F0F0F0F0F0,
	0xFF00FF00FF00FF00, 0xFFFF0000FFFF0000, 0xFFFFFFFF00000000,
}

// table returns the truth table of the mask v. It sets failed if there are more atoms than
// a table can hold.
func (t *maskLogic) table(v *vir.Value) uint64 {
	if v.Op == vir.Const {
		if v.Const == 0 {
			return 0
		}
		return ^uint64(0)
	}
	if v.Type.IsMask() && t.Cycles.InnermostCycle(v.Block.ID) == t.loop && len(v.Args) == 2 && v.Args[0].Type == v.Type {
		switch v.Op {
		case alu.And:
			return t.table(v.Args[0]) & t.table(v.Args[1])
		case alu.Or:
			return t.table(v.Args[0]) | t.table(v.Args[1])
		case alu.Xor:
			return t.table(v.Args[0]) ^ t.table(v.Args[1])
		}
	}
	for i, a := range t.atoms {
		if a == v {
			return atomTables[i]
		}
	}
	if len(t.atoms) == len(atomTables) {
		t.failed = true
		return 0
	}
	t.atoms = append(t.atoms, v)
	return atomTables[len(t.atoms)-1]
}

// Leaving reports whether e is m &^ next and next is a subset of m.
func (t *maskLogic) Leaving(e, m, next *vir.Value) bool {
	t.atoms, t.failed = t.atoms[:0], false
	te, tm, tn := t.table(e), t.table(m), t.table(next)
	return !t.failed && te == tm&^tn && tn&^tm == 0
}

// Within reports whether the lanes of x are a subset of those of y.
func (t *maskLogic) Within(x, y *vir.Value) bool {
	t.atoms, t.failed = t.atoms[:0], false
	tx, ty := t.table(x), t.table(y)
	return !t.failed && tx&^ty == 0
}
