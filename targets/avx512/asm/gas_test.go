package asm

import (
	"bytes"
	"debug/elf"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var long = flag.Bool("long", false, "compare many more random instructions")

// TestAgainstGNUAs prints random instructions of every row, lets GNU as
// assemble the text and compares the bytes: it checks the encoder and Format
// against each other and against as.
func TestAgainstGNUAs(t *testing.T) {
	for _, opt := range []Options{{}, {ForceEVEX: true}} {
		t.Run(fmt.Sprintf("ForceEVEX=%v", opt.ForceEVEX), func(t *testing.T) {
			rng := rand.New(rand.NewSource(1))
			perRow := 13
			if *long {
				perRow = 400
			}
			var list []Inst
			for i := range forms {
				f := &forms[i]
				if f.op.Is(Pseudo) || f.args[0] == label {
					continue
				}
				for n := 0; n < perRow; n++ {
					list = append(list, randomInst(rng, f))
				}
			}
			compareWithAs(t, list, opt)
			t.Logf("%d instructions agree", len(list))
		})
	}
}

// slot is the room for one instruction in the comparison; none has more than
// 15 bytes.
const slot = 16

func compareWithAs(t *testing.T, list []Inst, opt Options) {
	var text strings.Builder
	text.WriteString(".intel_syntax noprefix\n")
	var want []byte
	kept := list[:0]
	for _, in := range list {
		b, err := Encode(nil, &in, opt)
		require.NoError(t, err)
		require.Less(t, len(b), slot)
		if in.Op == XCHG && in.Size != Size8 && (in.Args[0] == RAX || in.Args[1] == RAX) {
			continue // as takes the one-byte form
		}
		kept = append(kept, in)
		want = append(want, b...)
		want = append(want, bytes.Repeat([]byte{0xCC}, slot-len(b))...)
		text.Write(AppendFormat(nil, &in, opt))
		text.WriteString("\n.balign 16, 0xcc\n")
	}
	got := gnuAs(t, text.String())
	bad := 0
	for i := range kept {
		g, w := got[i*slot:(i+1)*slot], want[i*slot:(i+1)*slot]
		if !bytes.Equal(g, w) {
			bad++
			if bad <= 40 {
				t.Errorf("%s\n  as  %x\n  got %x", AppendFormat(nil, &kept[i], opt), trim(g), trim(w))
			}
		}
	}
	require.Zero(t, bad, "differences of %d", len(kept))
	require.Equal(t, len(want), len(got))
}

// trim drops the filling of a slot.
func trim(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == 0xCC {
		b = b[:len(b)-1]
	}
	return b
}

// gnuAs assembles text and returns its .text section.
func gnuAs(t *testing.T, text string) []byte {
	t.Helper()
	path, err := exec.LookPath("as")
	if err != nil {
		t.Skip("SKIPPED: GNU as is not installed, the encoder is not compared with it")
	}
	if v, err := exec.Command(path, "--version").Output(); err != nil || !bytes.Contains(v, []byte("GNU assembler")) {
		t.Skip("SKIPPED: as is not GNU as, the encoder is not compared with it")
	}
	dir := t.TempDir()
	src, obj := filepath.Join(dir, "a.s"), filepath.Join(dir, "a.o")
	require.NoError(t, os.WriteFile(src, []byte(text), 0o644))
	out, err := exec.Command(path, "--64", "-o", obj, src).CombinedOutput()
	if err != nil {
		lines := strings.Split(text, "\n")
		for i, msg := range strings.Split(string(out), "\n") {
			if i > 40 {
				break
			}
			var n int
			if _, err := fmt.Sscanf(strings.TrimPrefix(msg, src+":"), "%d:", &n); err == nil && n > 0 && n <= len(lines) {
				msg += "   " + lines[n-1]
			}
			t.Log(msg)
		}
	}
	require.NoError(t, err)
	f, err := elf.Open(obj)
	require.NoError(t, err)
	defer f.Close()
	b, err := f.Section(".text").Data()
	require.NoError(t, err)
	return b
}
