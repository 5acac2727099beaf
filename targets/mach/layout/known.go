package layout

import (
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/mach"
)

// knownRegs is the set of known values of the integer registers at a point of scalar code.
type knownRegs [32]knownReg

// knownReg is the known value of a register: its low 32 bits, all 64, or nothing.
type knownReg struct {
	bits  int // 0, 32 or 64
	value uint64
}

// evaluator follows the values of registers.
type evaluator[I any] struct {
	*Machine[I]
	ops mach.Operands // of the current instruction
}

func (m *evaluator[I]) operands(in *I) []mach.Operand {
	m.ops.N = 0
	m.Operands(in, &m.ops)
	return m.ops.All()
}

// after updates k from the state before the instruction to the state after it.
func (m *evaluator[I]) after(k *knownRegs, in *I) {
	if x := m.Assignment(in); x.Dst != mach.NoReg {
		n := knownReg{64, uint64(x.Value)}
		if x.Src != mach.NoReg {
			n = k[x.Src.Num()]
		}
		if x.Bits == 32 && n.bits > 0 {
			n = knownReg{64, uint64(uint32(n.value))}
		}
		k[x.Dst.Num()] = n
		return
	}
	clobber := func(r mach.Reg, role mach.Role) {
		if role&mach.Write != 0 && r.Class() == m.Integers {
			k[r.Num()] = knownReg{}
		}
	}
	for _, x := range m.Info(in).Fixed {
		clobber(x.Reg, x.Role)
	}
	for _, o := range m.operands(in) {
		clobber(*o.Reg, o.Role)
	}
}

// passed is after, except that registers that the instruction sets to a constant become
// unknown: the edges after it start replications of their own, and would otherwise be
// followed from all earlier edges as well.
func (m *evaluator[I]) passed(k *knownRegs, in *I) {
	m.after(k, in)
	if x := m.Assignment(in); x.Dst != mach.NoReg && x.Src == mach.NoReg {
		k[x.Dst.Num()] = knownReg{}
	}
}

// through updates k for the edge from b to its i-th successor.
func (m *evaluator[I]) through(k *knownRegs, b *mach.Block[I], i int) {
	switch t := b.Term; {
	case t.Targets != nil:
		index, _ := m.TableJump(b.Insts)
		if index == mach.NoReg {
			return
		}
		only := -1 // the only entry that leads to the successor
		for at, e := range t.Entries {
			if e != i {
				continue
			}
			if only >= 0 {
				return
			}
			only = at
		}
		if only >= 0 {
			k[index.Num()] = knownReg{64, uint64(only)}
		}
	case t.Cond:
		at, test := m.lastTest(b)
		if at < 0 || i == 0 && t.On != m.Equal || i == 1 && t.On != m.Equal.Negate() {
			return
		}
		for j := range b.Insts[at+1:] { // moves
			for _, o := range m.operands(&b.Insts[at+1+j]) {
				if o.Role&mach.Write != 0 && *o.Reg == test.Reg {
					return
				}
			}
		}
		value, bits := uint64(test.Value), 64
		if test.Bits == 32 {
			value, bits = uint64(uint32(value)), 32
		}
		if x := &k[test.Reg.Num()]; x.bits < bits {
			*x = knownReg{bits, value}
		}
	}
}

// lastTest returns the comparison of a register with a constant that sets the flags at the
// end of b and its index, or -1 if another instruction sets them.
func (m *evaluator[I]) lastTest(b *mach.Block[I]) (int, Comparison) {
	for i := len(b.Insts) - 1; i >= 0; i-- {
		in := &b.Insts[i]
		if m.Info(in).Props&mach.WritesFlags == 0 {
			continue
		}
		if c := m.Comparison(in); c.Reg != mach.NoReg {
			return i, c
		}
		break
	}
	return -1, Comparison{}
}

// holds evaluates the condition of a test, if k determines it.
func (m *evaluator[I]) holds(k *knownRegs, on mach.Cond, test Comparison) (yes, ok bool) {
	n := k[test.Reg.Num()]
	if n.bits < test.Bits {
		return false, false
	}
	x, y := int64(n.value), test.Value
	if test.Bits == 32 {
		x, y = int64(int32(x)), int64(int32(y))
	}
	return m.Holds(on, x, y)
}

// knownAt returns the registers known at the start of each reachable block: those with
// the same value on all incoming edges.
func (m *evaluator[I]) knownAt(f *mach.Func[I], g *cfg.Graph) []knownRegs {
	at, reached := make([]knownRegs, len(f.Blocks)), make([]bool, len(f.Blocks))
	reached[0] = true
	order := g.ReversePostOrder()
	for changed := true; changed; {
		changed = false
		for _, id := range order {
			b := f.Blocks[id]
			k := at[id]
			for i := range b.Insts {
				m.after(&k, &b.Insts[i])
			}
			for i, s := range b.Succs() {
				edge := k
				m.through(&edge, b, i)
				if !reached[s] {
					at[s], reached[s], changed = edge, true, true
					continue
				}
				for r := range edge {
					if x := &at[s][r]; x.bits > 0 && *x != edge[r] {
						*x, changed = knownReg{}, true
					}
				}
			}
		}
	}
	return at
}
