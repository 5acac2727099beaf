package avx512

import (
	"context"
	"encoding/binary"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/emulate"
)

var scalarRegs = []asm.Reg{asm.RAX, asm.RCX, asm.RDX}

// randomStates makes a function of random blocks that set, add to and test three physical
// registers, as after register allocation. Instructions whose execution is checked have a
// line of their own.
func randomStates(rng *rand.Rand) *machineFunc {
	f := &machineFunc{scalar: true, pool: &asm.Pool{}}
	n := 4 + rng.Intn(8)
	line := int32(0)
	for i := range n {
		b := &machineBlock{}
		reg := func() asm.Reg { return scalarRegs[rng.Intn(len(scalarRegs))] }
		for range rng.Intn(3) {
			line++
			size := []asm.Size{asm.Size32, asm.Size64}[rng.Intn(2)]
			switch rng.Intn(4) {
			case 0, 1:
				b.emit(asm.Make(asm.MOV, reg(), asm.InImm).WithImm(int64(rng.Intn(5) - 1)).Bits(size).AtLine(line))
			case 2:
				b.emit(asm.Make(asm.MOV, reg(), reg()).Bits(size).AtLine(line))
			default:
				b.emit(asm.Make(asm.ADD, reg(), asm.InImm).WithImm(int64(rng.Intn(3) - 1)).Bits(size).AtLine(line))
			}
		}
		block := func() int { return rng.Intn(n) }
		switch k := rng.Intn(8); {
		case i == n-1:
			b.term = terminator{ret: true}
		case k == 0:
			b.term = terminator{yes: block()}
		case k < 3:
			r := reg()
			line++
			b.emit(asm.Make(asm.AND, r, asm.InImm).WithImm(3).Bits(asm.Size32).AtLine(line))
			table := f.pool.AddTable(4)
			b.emit(asm.Make(asm.LEA, asm.RBX, asm.InMem).WithMem(asm.ConstMem(table)).Bits(asm.Size64))
			b.emit(asm.Make(asm.MOVSXD, asm.RSI, asm.InMem).WithMem(asm.Indexed(asm.RBX, r, 4, 0)).Bits(asm.Size64))
			b.emit(asm.Make(asm.ADD, asm.RSI, asm.RBX).Bits(asm.Size64))
			b.emit(asm.Make(asm.JMPIND, asm.RSI).Bits(asm.Size64))
			b.term = terminator{table: table}
			for range 4 {
				to, at := block(), -1
				for k, x := range b.term.targets {
					if x == to {
						at = k
					}
				}
				if at < 0 {
					at = len(b.term.targets)
					b.term.targets = append(b.term.targets, to)
				}
				b.term.entries = append(b.term.entries, at)
			}
		default:
			r := reg()
			size := []asm.Size{asm.Size32, asm.Size64}[rng.Intn(2)]
			if rng.Intn(4) == 0 {
				b.emit(asm.Make(asm.TEST, r, r).Bits(size))
			} else {
				b.emit(asm.Make(asm.CMP, r, asm.InImm).WithImm(int64(rng.Intn(5) - 1)).Bits(size))
			}
			on := []asm.Cond{asm.CondE, asm.CondNE, asm.CondB, asm.CondAE, asm.CondBE, asm.CondA, asm.CondL, asm.CondGE, asm.CondLE, asm.CondG, asm.CondS}
			b.term = terminator{cond: true, on: on[rng.Intn(len(on))], yes: block(), no: block()}
			if rng.Intn(3) == 0 { // after the test, like the moves of an edge
				line++
				b.emit(asm.Make(asm.MOV, reg(), reg()).Bits(asm.Size64).AtLine(line))
			}
		}
		f.blocks = append(f.blocks, b)
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
func logged(t *testing.T, f *machineFunc) *emulate.Program {
	insts := flat(f, func(in *asm.Inst) []asm.Inst {
		if in.Line == 0 {
			return nil
		}
		return []asm.Inst{
			asm.Make(asm.MOV, asm.InMem, asm.InImm).WithMem(asm.At(asm.RDI, 0)).WithImm(int64(in.Line)).Bits(asm.Size32),
			asm.Make(asm.LEA, asm.RDI, asm.InMem).WithMem(asm.At(asm.RDI, 4)).Bits(asm.Size64),
		}
	})
	code, err := asm.Assemble(insts, f.pool, asm.Options{})
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
		n := replicate(after)
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

// states is a state machine over bytes that counts words. Its states are: 0 between words,
// 1 in a word, 2 in a comment.
const states = `  %text = load.i64 %p disp 8 align 8
  jump loop(0:i64, 0:i32, 0:i32)
loop(%i: i64, %state: i32, %n: i32):
  %more = slt.i64 %i, 1000
  branch %more, body, done
body:
  %at = add.i64 %text, %i
  %c8 = load.i8 %at align 1
  %ch = zext.i32 %c8
  %is0 = eq.i32 %state, 0
  branch %is0, between, rest
rest:
  %is1 = eq.i32 %state, 1
  branch %is1, word, comment
between:
  %hash = eq.i32 %ch, 35
  branch %hash, next(2:i32, %n), start
start:
  %letter = ult.i32 64, %ch
  %n1 = add.i32 %n, 1
  branch %letter, next(1:i32, %n1), next(0:i32, %n)
word:
  %still = ult.i32 64, %ch
  branch %still, next(1:i32, %n), next(0:i32, %n)
comment:
  %end = eq.i32 %ch, 10
  branch %end, next(0:i32, %n), next(2:i32, %n)
next(%s: i32, %m: i32):
  %i1 = add.i64 %i, 1
  jump loop(%i1, %s, %m)
done:
  store.i32 %p, %n align 4
  return
`

// Each of the seven edges that set the state continues at the code of that state. Only the
// first iteration tests the state.
func TestStateTestsAreBypassed(t *testing.T) {
	text, code := scalarListing(t, states)
	require.Equal(t, 7, code.Stats.Replicas, "%s", text)
	require.Equal(t, 8, strings.Count(text, "BYTE PTR"), "%s", text)
	require.Equal(t, 1, strings.Count(text, "test esi, esi\n"), "%s", text)
	require.Equal(t, 1, strings.Count(text, "cmp esi, 1\n"), "%s", text)
}
