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
	"regexp"
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

// slot is the space for one instruction in the comparison, in bytes. An instruction has at
// most 15.
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
			continue // as selects the one-byte form
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

// trim removes the padding of a slot.
func trim(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == 0xCC {
		b = b[:len(b)-1]
	}
	return b
}

// high matches vector registers that only AVX-512 has.
var high = regexp.MustCompile(`[xy]mm(1[6-9]|2[0-9]|3[01])`)

// TestLevels compares the level of instructions with their acceptance by as without AVX-512.
func TestLevels(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	opt := Options{AvoidEVEX: true}
	text := ".intel_syntax noprefix\n.arch .noavx512f; .arch .noavx_vnni\n"
	var levels []int
	for i := range forms {
		f := &forms[i]
		if f.op.Is(Pseudo) || f.args[0] == label {
			continue
		}
		for range 8 {
			in := randomInst(rng, f)
			text += string(AppendFormat(nil, &in, opt)) + "\n"
			code, err := Assemble([]Inst{in}, nil, opt)
			require.NoError(t, err)
			levels = append(levels, code.Level)
			require.Equal(t, f.op == VPDPBUSD || f.op == VPDPBUSDS, code.VNNI)
		}
	}
	_, rejected := tryGNUAs(t, text)
	lines := strings.Split(text, "\n")
	for i, level := range levels {
		msg, no := rejected[i+3]
		if level == V4 && high.MatchString(lines[i+2]) {
			continue // as accepts the upper registers without AVX-512
		}
		require.Equal(t, level == V4, no, "%s: level %d, as says %q", lines[i+2], level, msg)
	}
	require.Contains(t, levels, V3)
	require.NotEmpty(t, rejected)
}

// gnuAs assembles text and returns its .text section.
func gnuAs(t *testing.T, text string) []byte {
	t.Helper()
	code, rejected := tryGNUAs(t, text)
	lines := strings.Split(text, "\n")
	for n, msg := range rejected {
		t.Errorf("%s   %s", msg, lines[n-1])
	}
	require.Empty(t, rejected)
	return code
}

// tryGNUAs is gnuAs for text with lines that as may reject: it returns the error messages by
// line, numbered from 1.
func tryGNUAs(t *testing.T, text string) (code []byte, rejected map[int]string) {
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
		rejected = map[int]string{}
		for msg := range strings.Lines(string(out)) {
			var n int
			if _, err := fmt.Sscanf(strings.TrimPrefix(msg, src+":"), "%d: Error:", &n); err == nil {
				rejected[n] = msg
			}
		}
		require.NotEmpty(t, rejected, "%s", out)
		return nil, rejected
	}
	f, err := elf.Open(obj)
	require.NoError(t, err)
	defer f.Close()
	b, err := f.Section(".text").Data()
	require.NoError(t, err)
	return b, nil
}
