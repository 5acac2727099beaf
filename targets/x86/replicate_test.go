package x86

import (
	"context"
	"encoding/binary"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/mach"
	"github.com/simtc/simtc/targets/mach/layout"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/emulate"
)

var scalarRegs = []asm.Reg{asm.RAX, asm.RCX, asm.RDX}

// randomStates makes a function of random blocks that set, add to and test three physical
// registers, as after register allocation. Instructions whose execution is checked have a
// line of their own.
func randomStates(rng *rand.Rand) *Func {
	f := &Func{Pool: &asm.Pool{}, Func: mach.Func[asm.Inst]{Scalar: true}}
	n := 4 + rng.Intn(8)
	line := int32(0)
	for i := range n {
		b := &Block{}
		reg := func() asm.Reg { return scalarRegs[rng.Intn(len(scalarRegs))] }
		for range rng.Intn(3) {
			line++
			size := []asm.Size{asm.Size32, asm.Size64}[rng.Intn(2)]
			switch rng.Intn(4) {
			case 0, 1:
				b.Emit(asm.Make(asm.MOV, reg(), asm.InImm).WithImm(int64(rng.Intn(5) - 1)).Bits(size).AtLine(line))
			case 2:
				b.Emit(asm.Make(asm.MOV, reg(), reg()).Bits(size).AtLine(line))
			default:
				b.Emit(asm.Make(asm.ADD, reg(), asm.InImm).WithImm(int64(rng.Intn(3) - 1)).Bits(size).AtLine(line))
			}
		}
		block := func() int { return rng.Intn(n) }
		switch k := rng.Intn(8); {
		case i == n-1:
			b.Term = Terminator{Ret: true}
		case k == 0:
			b.Term = Terminator{Yes: block()}
		case k < 3:
			r := reg()
			line++
			b.Emit(asm.Make(asm.AND, r, asm.InImm).WithImm(3).Bits(asm.Size32).AtLine(line))
			table := f.Pool.AddTable(4)
			b.Emit(asm.Make(asm.LEA, asm.RBX, asm.InMem).WithMem(asm.ConstMem(table)).Bits(asm.Size64))
			b.Emit(asm.Make(asm.MOVSXD, asm.RSI, asm.InMem).WithMem(asm.Indexed(asm.RBX, r, 4, 0)).Bits(asm.Size64))
			b.Emit(asm.Make(asm.ADD, asm.RSI, asm.RBX).Bits(asm.Size64))
			b.Emit(asm.Make(asm.JMPIND, asm.RSI).Bits(asm.Size64))
			b.Term = Terminator{Table: int32(table)}
			for range 4 {
				to, at := block(), -1
				for k, x := range b.Term.Targets {
					if x == to {
						at = k
					}
				}
				if at < 0 {
					at = len(b.Term.Targets)
					b.Term.Targets = append(b.Term.Targets, to)
				}
				b.Term.Entries = append(b.Term.Entries, at)
			}
		default:
			r := reg()
			size := []asm.Size{asm.Size32, asm.Size64}[rng.Intn(2)]
			if rng.Intn(4) == 0 {
				b.Emit(asm.Make(asm.TEST, r, r).Bits(size))
			} else {
				b.Emit(asm.Make(asm.CMP, r, asm.InImm).WithImm(int64(rng.Intn(5) - 1)).Bits(size))
			}
			on := []asm.Cond{asm.CondE, asm.CondNE, asm.CondB, asm.CondAE, asm.CondBE, asm.CondA, asm.CondL, asm.CondGE, asm.CondLE, asm.CondG, asm.CondS}
			b.Term = Terminator{Cond: true, On: mach.Cond(on[rng.Intn(len(on))]), Yes: block(), No: block()}
			if rng.Intn(3) == 0 { // after the test, like the moves of an edge
				line++
				b.Emit(asm.Make(asm.MOV, reg(), reg()).Bits(asm.Size64).AtLine(line))
			}
		}
		f.Blocks = append(f.Blocks, b)
	}
	return f
}

// runStates executes p in the emulator for at most the given number of steps. It returns
// the lines that were executed, the final registers, and whether the function returned.
func runStates(t *testing.T, p *emulate.Program, regs [16]uint64, steps uint64) (lines []uint32, out [3]uint64, ended bool) {
	const logAt = 1 << 20
	log := make([]byte, 4*steps)
	m := emulator(t, p, emulate.Region{Address: logAt, Bytes: log})
	for i := range regs {
		m.SetGPR(i, regs[i])
	}
	m.SetGPR(asm.RDI.Num(), logAt)
	err := m.Run(context.Background(), steps)
	if err != nil {
		require.IsType(t, &emulate.StepsError{}, err)
	}
	for at := 0; uint64(at) < m.GPR(asm.RDI.Num())-logAt; at += 4 {
		lines = append(lines, binary.LittleEndian.Uint32(log[at:]))
	}
	for i, r := range scalarRegs {
		out[i] = m.GPR(r.Num())
	}
	return lines, out, err == nil
}

// logged assembles f with code that logs each executed line at rdi.
func logged(t *testing.T, f *Func) *emulate.Program {
	insts := flat(f, func(in *asm.Inst) []asm.Inst {
		if in.Line == 0 {
			return nil
		}
		return []asm.Inst{
			asm.Make(asm.MOV, asm.InMem, asm.InImm).WithMem(asm.At(asm.RDI, 0)).WithImm(int64(in.Line)).Bits(asm.Size32),
			asm.Make(asm.LEA, asm.RDI, asm.InMem).WithMem(asm.At(asm.RDI, 4)).Bits(asm.Size64),
		}
	})
	code, err := asm.Assemble(insts, f.Pool, asm.Options{})
	require.NoError(t, err)
	p, err := emulate.Translate(insts, code)
	require.NoError(t, err)
	return p
}

// Replicated code executes the same instructions in the same order as the original.
func TestReplicasAreEquivalent(t *testing.T) {
	edges, functions := 0, 0
	for seed := range int64(5000) {
		rng := rand.New(rand.NewSource(seed))
		before, after := randomStates(rng), randomStates(rand.New(rand.NewSource(seed)))
		n := layout.Replicate(&after.Func, after.Layout())
		edges += n
		if n == 0 {
			continue
		}
		functions++
		one, other := logged(t, before), logged(t, after)
		for range 4 {
			var regs [16]uint64
			for _, r := range scalarRegs {
				if regs[r.Num()] = uint64(rng.Intn(6) - 1); rng.Intn(4) == 0 {
					regs[r.Num()] += 1 << 32
				}
			}
			want, x, ended := runStates(t, one, regs, 400)
			got, y, endedToo := runStates(t, other, regs, 400)
			if !ended || !endedToo { // the step limit cuts them at different lines
				n := min(len(want), len(got))
				require.Equal(t, want[:n], got[:n], "seed %d", seed)
				continue
			}
			require.Equal(t, want, got, "seed %d", seed)
			require.Equal(t, x, y, "seed %d", seed)
		}
	}
	require.Greater(t, functions, 700)
	require.Greater(t, edges, functions)
}
