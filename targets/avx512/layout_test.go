package avx512

import (
	"encoding/binary"
	"math/rand"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/launch/native"
	"github.com/simtc/simtc/targets/avx512/asm"
)

// TestBackwardJumpsCountFuel looks at the finished list: a jump backwards must
// be the one that follows a decrement of r15, or lead to one.
func TestBackwardJumpsCountFuel(t *testing.T) {
	all := 0 // heads that count for those who jump to them
	for i, sh := range shapes {
		for seed := range 20 {
			f := makeRandom(rand.New(rand.NewSource(int64(seed*10+i))), sh)
			al, err := allocate(f)
			require.NoError(t, err)
			l := layOut(f, al.stats.SpillBytes)
			at := map[asm.Label]int{}
			counted := 0
			heads := map[asm.Label]bool{}
			counts := func(in asm.Inst) bool { return in.Op == asm.DEC && in.Args[0] == asm.R15 }
			for i := range l.insts {
				in := &l.insts[i]
				switch {
				case in.Op == asm.LABEL:
					require.NotContains(t, at, in.Target)
					at[in.Target] = i
				case in.Op == asm.JMP && in.Target != l.yield:
					require.NotContains(t, at, in.Target, "an uncounted jump backwards")
				case in.Op == asm.JCC:
					if to, back := at[in.Target]; back {
						if counts(l.insts[to+1]) {
							require.Equal(t, asm.JCC, l.insts[to+2].Op)
							require.Equal(t, asm.CondE, l.insts[to+2].Cond)
							heads[in.Target] = true
							continue
						}
						if in.Cond == asm.CondA { // CF was set before
							require.Equal(t, asm.CondAE, l.insts[i+1].Cond)
						} else {
							require.Equal(t, asm.CondNE, in.Cond)
						}
						require.True(t, counts(l.insts[i-1]))
						counted++
					}
				}
			}
			require.Equal(t, l.fuelled, counted+len(heads))
			require.Equal(t, l.yield >= 0, l.fuelled > 0)
			all += len(heads)
		}
	}
	require.Positive(t, all)
}

func TestThreadJumps(t *testing.T) {
	w := newWriter(7)
	w.b.emit(asm.Make(asm.CMP, asm.RDI, asm.InImm).Bits(asm.Size64).WithImm(1))
	w.branch(asm.CondE, 1, 3)
	for from, to := range map[int]int{1: 2, 2: 4, 3: 5, 5: 6, 6: 5} {
		w.at(from)
		w.jump(to)
	}
	w.at(4)
	w.ret()
	threadJumps(w.f)
	require.Equal(t, 4, w.f.blocks[0].term.yes)
	require.Contains(t, []int{5, 6}, w.f.blocks[0].term.no, "an endless loop stays one")
	l := layOut(w.f, 0)
	require.GreaterOrEqual(t, l.yield, asm.Label(0), "it counts fuel")
}

// TestLoopYields runs a loop with full registers long enough to run out of fuel.
func TestLoopYields(t *testing.T) {
	if ok, reason := native.Available(); !ok {
		t.Skipf("SKIPPED: native code cannot run: %s", reason)
	}
	const rounds = 900_000
	f := loopOf(
		func(w *writer, base asm.Reg) []asm.Reg {
			var list []asm.Reg
			for i := range 31 {
				list = append(list, load(w, base, int32(64*i)))
			}
			count := w.gpr()
			w.add(asm.MoveImm(count, 0))
			return append(list, count)
		},
		func(w *writer, base asm.Reg, now []asm.Reg) []asm.Reg {
			var next []asm.Reg
			for i := range 31 {
				next = append(next, w.vec())
				w.zmm(asm.VPADDD, next[i], now[i], now[(i+1)%31])
			}
			d := w.gpr()
			w.add(asm.Make(asm.LEA, d, asm.InMem).Bits(asm.Size64).WithMem(asm.At(now[31], 2)))
			return append(next, d)
		}, storeAll)
	for _, b := range f.blocks {
		for i := range b.insts {
			if b.insts[i].Imm == 100 {
				b.insts[i].Imm = rounds
			}
		}
	}
	code, err := emitCode(f, "loop")
	require.NoError(t, err)
	require.Positive(t, code.Resume)
	buffer := make([]byte, 32*64)
	var want [31][16]uint32
	for i := range want {
		for lane := range want[i] {
			want[i][lane] = uint32(i*lane + 1)
			binary.LittleEndian.PutUint32(buffer[64*i+4*lane:], want[i][lane])
		}
	}
	for range rounds {
		old := want
		for i := range want {
			for lane := range want[i] {
				want[i][lane] = old[i][lane] + old[(i+1)%31][lane]
			}
		}
	}
	require.True(t, runNative(t, code, buffer), "the loop did not yield")
	for i := range want {
		for lane := range want[i] {
			require.Equal(t, want[i][lane], binary.LittleEndian.Uint32(buffer[64*i+4*lane:]))
		}
	}
	require.EqualValues(t, 2*rounds, binary.LittleEndian.Uint64(buffer[64*31:]))
}

func TestListingAssembles(t *testing.T) {
	f := makeRandom(rand.New(rand.NewSource(5)), shapes[2])
	code, err := emitCode(f, "random_kernel")
	require.NoError(t, err)
	text := code.Listing("first line\nsecond line\n")
	require.Contains(t, text, "# 1: first line\n")
	require.Contains(t, text, "random_kernel:\n")
	require.NotEmpty(t, code.Lines)
	require.Equal(t, code.Stats.Instructions, strings.Count(text, "\n\t")-strings.Count(text, "\n\t.")-strings.Count(text, "\n\t#"))
	if _, err := exec.LookPath("as"); err != nil {
		t.Skip("SKIPPED: GNU as is not installed")
	}
	// What it jumps to when out of fuel is not part of the listing.
	as := exec.Command("as", "--64", "-o", t.TempDir()+"/x.o", "-")
	as.Stdin = strings.NewReader(text)
	out, err := as.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestCodeIsDeterministic(t *testing.T) {
	for i, sh := range shapes {
		var first *Code
		for range 3 {
			code, err := emitCode(makeRandom(rand.New(rand.NewSource(int64(i))), sh), "again")
			require.NoError(t, err)
			if first == nil {
				first = code
			}
			require.Equal(t, first.Bytes, code.Bytes)
			require.Equal(t, first.Stats, code.Stats)
		}
	}
}
