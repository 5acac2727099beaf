// Package emulate executes the instructions of package asm, so that code for AVX-512 can be
// tested on machines without it. It implements the semantics of general-purpose registers,
// vectors, masks, flags and memory in the manual. It does not test the encoder.
//
// An instruction is translated once into a function with decoded operands, by the row of its
// op in one of the tables (table_*.go).
//
// Code that depends on undefined results is an error: a condition must not read flags that
// an instruction left undefined.
//
// The package must be free of launch contexts, of the compiler and of the purpose of code.
//
// Source of the semantics: Intel 64 and IA-32 Architectures Software Developer's
// Manual ("SDM"), volumes 1 and 2.
package emulate

import (
	"context"
	"fmt"

	"github.com/simtc/simtc/targets/x86/asm"
)

// CodeBase is the address of the code and its constants in the emulated address space.
const CodeBase = 1 << 46

// exec executes one instruction. It panics with a *Fault if the instruction faults.
type exec func(m *Machine)

// Program is translated code, which any number of machines can run.
type Program struct {
	insts  []asm.Inst // without pseudo-instructions
	code   []exec     // by instruction
	image  []byte     // at CodeBase
	at     []int32    // by offset in the image: the index of the instruction there, or -1
	counts [4]int     // of registers by asm.Class
}

// Translate translates instructions. Code is their assembled form, which determines the
// addresses of labels and constants. Code without instructions, but with the constants,
// suffices if the instructions take no address of code; registers may be virtual then.
func Translate(insts []asm.Inst, code *asm.Code) (*Program, error) {
	p := &Program{image: code.Bytes, counts: [4]int{asm.ClassGPR: noGPR + 1, asm.ClassVec: 32, asm.ClassMask: 8}}
	t := &translator{p: p, code: code, labels: map[asm.Label]int{}}
	assembled := len(code.Offsets) == len(insts)+1
	if assembled {
		p.at = make([]int32, len(code.Bytes))
		for i := range p.at {
			p.at[i] = -1
		}
	}
	for i := range insts {
		in := &insts[i]
		switch {
		case in.Op == asm.LABEL:
			t.labels[in.Target] = len(p.insts)
		case !in.Op.Is(asm.Pseudo):
			if assembled {
				p.at[code.Offsets[i]] = int32(len(p.insts))
			}
			p.insts = append(p.insts, *in)
		}
	}
	p.code = make([]exec, len(p.insts))
	for i := range p.insts {
		var err error
		if p.code[i], err = t.translate(&p.insts[i]); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// translator translates the instructions of a program. The first error in an instruction is
// recorded in err.
type translator struct {
	p      *Program
	code   *asm.Code
	labels map[asm.Label]int // the instruction that follows each
	err    error
}

// translate translates one instruction.
func (t *translator) translate(in *asm.Inst) (exec, error) {
	build := rows[in.Op]
	if build == nil {
		return nil, fmt.Errorf("emulate: %s: unsupported instruction", asm.Format(in))
	}
	t.err = nil
	e := build(t, in)
	if t.err != nil {
		return nil, fmt.Errorf("emulate: %s: %w", asm.Format(in), t.err)
	}
	return e, nil
}

func (t *translator) fail(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf(format, args...)
	}
}

// register numbers a register of class c; virtual ones follow the physical.
func (t *translator) register(r asm.Reg, c asm.Class) int {
	if !r.IsReg() || r.Class() != c {
		t.fail("operand %s is not a %s register", r, c)
		return 0
	}
	n := r.Num()
	if r.IsVirtual() {
		n += [4]int{asm.ClassGPR: noGPR + 1, asm.ClassVec: 32, asm.ClassMask: 8}[c]
	}
	t.p.counts[c] = max(t.p.counts[c], n+1)
	return n
}

// Machine is the state of a processor that runs a program.
type Machine struct {
	Steps uint64 // instructions executed so far

	p     *Program
	pc    int // the next instruction
	gpr   []uint64
	vec   []vector
	mask  []uint64
	flags flags
	undef flags // the undefined ones
	mxcsr uint32
	envs  [5]floatEnv // the environment of mxcsr, then one for each embedded rounding

	memory memory

	in  [3]lanes // sources of a vector instruction
	out lanes    // its result
}

// vector is a vector register.
type vector [64]byte

// noGPR is the number of a register that is always 0, for missing base and index registers.
const noGPR = 16

// returned is the pc of a machine whose code has returned.
const returned = -1

// NewMachine returns a machine that runs p on memory. All registers are 0.
func NewMachine(p *Program, regions []Region) (*Machine, error) {
	m := &Machine{
		p: p, gpr: make([]uint64, p.counts[asm.ClassGPR]), vec: make([]vector, p.counts[asm.ClassVec]),
		mask: make([]uint64, p.counts[asm.ClassMask]),
	}
	m.setMXCSR(defaultMXCSR)
	all := append([]Region{{Address: CodeBase, Bytes: p.image, ReadOnly: true}}, regions...)
	return m, m.memory.set(all)
}

// GPR returns general-purpose register n in encoding order.
func (m *Machine) GPR(n int) uint64 { return m.gpr[n] }

// SetGPR sets general-purpose register n.
func (m *Machine) SetGPR(n int, v uint64) { m.gpr[n] = v }

// Mask returns mask register n.
func (m *Machine) Mask(n int) uint64 { return m.mask[n] }

// SetMask sets mask register n.
func (m *Machine) SetMask(n int, v uint64) { m.mask[n] = v }

// Vector returns the bytes of vector register n, which may be changed.
func (m *Machine) Vector(n int) *[64]byte { return (*[64]byte)(&m.vec[n]) }

// Flags returns rflags, and which of its bits are undefined.
func (m *Machine) Flags() (value, undefined uint64) { return uint64(m.flags), uint64(m.undef) }

// SetFlags sets the arithmetic flags to those of v.
func (m *Machine) SetFlags(v uint64) { m.flags, m.undef = flags(v)&allFlags, 0 }

// MXCSR returns the control and status register of float instructions. Exceptions are not
// recorded in it.
func (m *Machine) MXCSR() uint32 { return m.mxcsr }

// Spoil fills all registers except rsp and rbp with garbage, on which code must not depend.
func (m *Machine) Spoil() {
	const garbage = 0xA5C3A5C3A5C3A5C3
	for i := range m.gpr {
		if i != 4 && i != 5 && i != noGPR {
			m.gpr[i] = garbage
		}
	}
	for i := range m.mask {
		m.mask[i] = garbage
	}
	for i := range m.vec {
		for j := range m.vec[i] {
			m.vec[i][j] = 0xA5
		}
	}
	m.undef = allFlags
}

// pollEvery is the number of instructions between two checks of Run's context.
const pollEvery = 1 << 16

// StepsError is the error of a run that exceeds its limit of instructions.
type StepsError struct{ Steps uint64 }

func (e *StepsError) Error() string {
	return fmt.Sprintf("emulated code has not returned after %d instructions", e.Steps)
}

// Run executes the program from its first instruction until it returns, faults, ctx ends or,
// unless steps is 0, steps instructions were executed.
func (m *Machine) Run(ctx context.Context, steps uint64) (err error) {
	m.pc = 0
	defer func() {
		if value := recover(); value != nil {
			f, ok := value.(*Fault)
			if !ok {
				panic(value)
			}
			if m.pc > 0 {
				f.Inst = m.p.insts[m.pc-1]
			}
			err = f
		}
	}()
	start := m.Steps
	for {
		n := uint64(pollEvery)
		if steps > 0 {
			n = min(n, steps-(m.Steps-start))
		}
		switch m.step(n); {
		case m.pc == returned:
			return nil
		case m.pc >= len(m.p.code):
			m.pc = len(m.p.code)
			panic(&Fault{Kind: EndOfCode})
		case steps > 0 && m.Steps-start >= steps:
			return &StepsError{steps}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// Next returns the instruction at which Run stopped, or a zero Inst after the last one.
func (m *Machine) Next() asm.Inst {
	if uint(m.pc) < uint(len(m.p.insts)) {
		return m.p.insts[m.pc]
	}
	return asm.Inst{}
}

// step executes up to n instructions.
func (m *Machine) step(n uint64) {
	code := m.p.code
	left := n
	defer func() { m.Steps += n - left }()
	for ; left > 0 && uint(m.pc) < uint(len(code)); left-- {
		run := code[m.pc]
		m.pc++
		run(m)
	}
}
