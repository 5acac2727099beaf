package frame

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestSaveLayoutMatchesOffsets(t *testing.T) {
	var s Save
	fromFrame := func(offset uintptr) int { return int(offset) - SaveSize }
	require.Equal(t, SaveSize, int(unsafe.Sizeof(s)))
	require.Equal(t, VectorsOffset, fromFrame(unsafe.Offsetof(s.Vectors)))
	require.Equal(t, MasksOffset, fromFrame(unsafe.Offsetof(s.Masks)))
	require.Equal(t, GPRsOffset, fromFrame(unsafe.Offsetof(s.GPRs)))
	require.Equal(t, ResumeOffset, fromFrame(unsafe.Offsetof(s.Resume)))
	require.Equal(t, FuelOffset, fromFrame(unsafe.Offsetof(s.Fuel)))
	require.Equal(t, StatusOffset, fromFrame(unsafe.Offsetof(s.Status)))
	require.Zero(t, SaveSize%Alignment)
}

func TestNewAreaIsAlignedAndInBounds(t *testing.T) {
	for _, spill := range []int{-1, 0, 1, 8, 63, 64, 65, 4096} {
		a := NewArea(spill)
		require.Zero(t, a.Address()%Alignment, "spill %d", spill)
		require.Equal(t, max(spill, 0), a.SpillSize())
		first := uintptr(unsafe.Pointer(&a.memory[0]))
		require.GreaterOrEqual(t, a.Address()-SaveSize, first)
		require.LessOrEqual(t, a.Address()+uintptr(a.SpillSize()), first+uintptr(len(a.memory)))
		require.Equal(t, a.Address()-SaveSize, uintptr(unsafe.Pointer(a.Save())))
	}
}

func TestStubsAreDeterministic(t *testing.T) {
	require.Equal(t, NewStubs(), NewStubs())
}

// stubSource is the stubs in GNU Intel syntax, written from the contract and
// not from the emitter.
func stubSource() string {
	gprs := strings.Fields("rax rcx rdx rbx - rbp rsi rdi r8 r9 r10 r11 r12 r13")
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(".intel_syntax noprefix")
	line("mov [r14%+d], r15", ResumeOffset)
	for n, r := range gprs {
		if r != "-" {
			line("mov [r14%+d], %s", GPRsOffset+8*n, r)
		}
	}
	for n := range MaskCount {
		line("kmovq [r14%+d], k%d", MasksOffset+8*n, n)
	}
	for n := range VectorCount {
		line("vmovdqa64 [r14%+d], zmm%d", VectorsOffset+64*n, n)
	}
	line("mov qword ptr [r14%+d], 1", StatusOffset)
	line("ret")
	line(".balign 16, 0xf4")
	line("mov r14, rdi")
	for n := range VectorCount {
		line("vmovdqa64 zmm%d, [r14%+d]", n, VectorsOffset+64*n)
	}
	for n := range MaskCount {
		line("kmovq k%d, [r14%+d]", n, MasksOffset+8*n)
	}
	for n, r := range gprs {
		if r != "-" {
			line("mov %s, [r14%+d]", r, GPRsOffset+8*n)
		}
	}
	line("mov r15, [r14%+d]", FuelOffset)
	line("jmp qword ptr [r14%+d]", ResumeOffset)
	return b.String()
}

func TestStubsMatchGNUAssembler(t *testing.T) {
	for _, tool := range []string{"as", "objcopy"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIPPED: GNU %s is not installed", tool)
		}
	}
	dir := t.TempDir()
	object, text := filepath.Join(dir, "stubs.o"), filepath.Join(dir, "stubs.bin")
	as := exec.Command("as", "--64", "-o", object, "-")
	as.Stdin = strings.NewReader(stubSource())
	out, err := as.CombinedOutput()
	if err != nil && bytes.Contains(out, []byte("unrecognized option")) {
		t.Skipf("SKIPPED: `as` is not an x86-64 assembler: %s", out)
	}
	require.NoError(t, err, "%s", out)
	out, err = exec.Command("objcopy", "-O", "binary", "-j", ".text", object, text).CombinedOutput()
	require.NoError(t, err, "%s", out)
	want, err := os.ReadFile(text)
	require.NoError(t, err)
	got := NewStubs().Code
	require.Equal(t, fmt.Sprintf("% x", want[:len(got)]), fmt.Sprintf("% x", got))
	for _, pad := range want[len(got):] { // section padding, if any
		require.Contains(t, []byte{0x00, 0x90}, pad)
	}
}
