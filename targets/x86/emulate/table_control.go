package emulate

import "github.com/simtc/simtc/targets/x86/asm"

// Jumps, atomics and machine state.

var controlRows = []row{
	{asm.JMP, jump},
	{asm.JMPIND, jumpTo},
	{asm.JCC, jumpIf},
	{asm.RET, func(*translator, *asm.Inst) exec { return func(m *Machine) { m.pc = returned } }},
	{asm.UD2, func(*translator, *asm.Inst) exec { return func(m *Machine) { panic(&Fault{Kind: InvalidOpcode}) } }},
	{asm.NOP, nothing},
	{asm.MFENCE, nothing},
	{asm.VZEROUPPER, zeroUpper},

	{asm.LOCKCMPXCHG, compareExchange},
	{asm.LOCKXADD, exchangeAdd},
	{asm.LOCKADD, arithmetic(true, (*Machine).add)},
	{asm.LOCKSUB, arithmetic(true, (*Machine).sub)},
	{asm.LOCKAND, arithmetic(true, (*Machine).and)},
	{asm.LOCKOR, arithmetic(true, (*Machine).or)},
	{asm.LOCKXOR, arithmetic(true, (*Machine).xor)},
	{asm.LOCKINC, unary((*Machine).inc)},
	{asm.LOCKDEC, unary((*Machine).dec)},

	{asm.LDMXCSR, loadMXCSR},
	{asm.STMXCSR, storeMXCSR},
}

func nothing(*translator, *asm.Inst) exec { return func(*Machine) {} }

// destination returns the index of the instruction at the label of in.
func (t *translator) destination(in *asm.Inst) int {
	to, ok := t.labels[in.Target]
	if !ok {
		t.fail("its label is not bound")
	}
	return to
}

func jump(t *translator, in *asm.Inst) exec {
	to := t.destination(in)
	return func(m *Machine) { m.pc = to }
}

func jumpIf(t *translator, in *asm.Inst) exec {
	to, c := t.destination(in), in.Cond
	return func(m *Machine) {
		if m.holds(c) {
			m.pc = to
		}
	}
}

// jumpTo jumps to an address, which must be that of an instruction.
func jumpTo(t *translator, in *asm.Inst) exec {
	s := t.scalar(in, 0, 8)
	return func(m *Machine) {
		at := s.get(m)
		off := at - CodeBase
		if off >= uint64(len(m.p.at)) || m.p.at[off] < 0 {
			panic(&Fault{Kind: JumpFault, Address: at})
		}
		m.pc = int(m.p.at[off])
	}
}

// zeroUpper clears all but the low 128 bits of the first 16 vectors.
func zeroUpper(*translator, *asm.Inst) exec {
	return func(m *Machine) {
		for i := range m.vec[:16] {
			clear(m.vec[i][16:])
		}
	}
}

func compareExchange(t *translator, in *asm.Inst) exec {
	n := t.size(in)
	d, s := t.scalar(in, 0, n), t.scalar(in, 1, n)
	return func(m *Machine) {
		x := d.get(m)
		m.sub(truncate(m.gpr[0], n), x, n)
		if m.flags&zero != 0 {
			d.set(m, s.get(m))
			return
		}
		d.set(m, x) // written even if the comparison fails
		m.setGPR(0, n, x)
	}
}

func exchangeAdd(t *translator, in *asm.Inst) exec {
	n := t.size(in)
	d, s := t.scalar(in, 0, n), t.scalar(in, 1, n)
	return func(m *Machine) {
		x := d.get(m)
		r := m.add(x, s.get(m), n)
		d.set(m, r)
		s.set(m, x)
	}
}

func loadMXCSR(t *translator, in *asm.Inst) exec {
	a := t.address(in)
	return func(m *Machine) { m.setMXCSR(uint32(m.load(a.of(m), 4))) }
}

func storeMXCSR(t *translator, in *asm.Inst) exec {
	a := t.address(in)
	return func(m *Machine) { m.store(a.of(m), 4, uint64(m.mxcsr)) }
}
