package x86

import (
	"math/rand"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/internal/pass"
	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/mach/layout"
	"github.com/simtc/simtc/targets/x86/asm"
)

func layOut(f *Func) []asm.Inst {
	return layout.Order(&f.Func, f.Layout(), nil, layout.Options{}).Insts
}

func TestThreadJumps(t *testing.T) {
	w := newWriter(7)
	w.b.Emit(asm.Make(asm.CMP, asm.RDI, asm.InImm).Bits(asm.Size64).WithImm(1))
	w.branch(asm.CondE, 1, 3)
	for from, to := range map[int]int{1: 2, 2: 4, 3: 5, 5: 6, 6: 5} {
		w.at(from)
		w.jump(to)
	}
	w.at(4)
	w.ret()
	insts := layOut(w.f)
	require.Equal(t, 4, w.f.Blocks[0].Term.Yes)
	require.Contains(t, []int{5, 6}, w.f.Blocks[0].Term.No, "an endless loop remains one")
	require.NotEmpty(t, insts)
}

// Rarely run blocks of inner loops are placed after all others.
func TestColdBlocksAreLast(t *testing.T) {
	const rare, common, latch, last = 3, 4, 5, 7
	for _, inside := range []bool{true, false} {
		w := newWriter(8)
		w.f.Scalar = true
		compare := func(to asm.Cond, yes, no int) {
			w.b.Emit(asm.Make(asm.CMP, asm.RDI, asm.InImm).Bits(asm.Size64).WithImm(1))
			w.branch(to, yes, no)
		}
		w.jump(1)
		w.at(1)
		w.b.Emit(asm.Make(asm.INC, asm.RDX).Bits(asm.Size64))
		w.jump(2)
		w.at(2)
		compare(asm.CondE, rare, common)
		for _, arm := range []int{rare, common} {
			w.at(arm)
			w.b.Emit(asm.Make(asm.INC, asm.RSI).Bits(asm.Size64))
			w.jump(latch)
		}
		w.at(latch)
		if inside {
			compare(asm.CondL, 2, 6)
		} else {
			w.jump(6)
		}
		w.at(6)
		compare(asm.CondL, 1, last)
		w.at(last)
		w.ret()
		var order []int
		for _, in := range layOut(w.f) {
			if in.Op == asm.LABEL {
				order = append(order, int(in.Target))
			}
		}
		if inside {
			require.Equal(t, rare, order[len(order)-1])
			require.Equal(t, slices.Index(order, common)+1, slices.Index(order, latch))
		} else {
			require.Equal(t, last, order[len(order)-1], "the loop over work-items alone")
		}
	}
}

func TestListingAssembles(t *testing.T) {
	f := makeRandom(rand.New(rand.NewSource(5)), shapes[2])
	code, err := Emit(f, "random_kernel", &pass.Context{Stats: pass.Stats{}})
	require.NoError(t, err)
	other, err := Emit(makeRandom(rand.New(rand.NewSource(6)), shapes[2]), "another", &pass.Context{Stats: pass.Stats{}})
	require.NoError(t, err)
	require.Contains(t, other.Listing(), "\n.L0:\n")
	assembles(t, Listing([]*Code{code, other}, diag.Pos.String)) // labels are not those of the first
	code.Places.Number(diag.Pos{File: "random.cl", Line: 7})
	text := Listing([]*Code{code}, diag.Pos.String)
	require.Contains(t, text, "# random.cl:7\n")
	require.Contains(t, text, "random_kernel:\n")
	require.NotEmpty(t, code.Lines)
	require.Equal(t, code.Stats.Instructions, strings.Count(text, "\n\t")-strings.Count(text, "\n\t.")-strings.Count(text, "\n\t#"))
	assembles(t, text)
}

// assembles checks that GNU as takes a listing.
func assembles(t *testing.T, text string) {
	if _, err := exec.LookPath("as"); err != nil {
		t.Skip("SKIPPED: GNU as is not installed")
	}
	as := exec.Command("as", "--64", "-o", t.TempDir()+"/x.o", "-")
	as.Stdin = strings.NewReader(text)
	out, err := as.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestCodeIsDeterministic(t *testing.T) {
	for i, sh := range shapes {
		var first *Code
		for range 3 {
			code, err := Emit(makeRandom(rand.New(rand.NewSource(int64(i))), sh), "kernel", &pass.Context{Stats: pass.Stats{}})
			require.NoError(t, err)
			if first == nil {
				first = code
			}
			require.Equal(t, first.Bytes, code.Bytes)
			require.Equal(t, first.Stats, code.Stats)
		}
	}
}
