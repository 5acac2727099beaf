package asm

import (
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// minGoLines is the number of lines of the Go assembler's own AVX-512 tests that must be
// covered: all whose instruction is in the table.
const minGoLines = 10000

// TestAgainstGoAssembler encodes the instructions of the Go assembler's
// AVX-512 tests, which give the expected bytes in a comment.
func TestAgainstGoAssembler(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	dir := filepath.Join(strings.TrimSpace(string(root)), "src/cmd/asm/internal/asm/testdata/avx512enc")
	files, err := filepath.Glob(filepath.Join(dir, "avx512*.s"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("SKIPPED: the Go tree has no assembler tests at " + dir)
	}
	ops := goMnemonics()
	unknown := map[string]bool{}
	covered, bad := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, line := range strings.Split(string(text), "\n") {
			m := goLine.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			err := checkGoLine(ops, m[1], m[2], strings.Split(m[3], " or "))
			switch {
			case err == nil:
				covered++
			case err == errUnknown:
				unknown[strings.Split(m[1], ".")[0]] = true
			default:
				if bad++; bad < 40 {
					t.Errorf("%s: %v", strings.TrimSpace(line), err)
				}
			}
		}
	}
	names := make([]string, 0, len(unknown))
	for n := range unknown {
		names = append(names, n)
	}
	sort.Strings(names)
	t.Logf("%d lines agree, %d do not; %d mnemonics are not in the table: %s", covered, bad, len(names), strings.Join(names, " "))
	require.Zero(t, bad)
	require.GreaterOrEqual(t, covered, minGoLines)
}

var (
	goLine     = regexp.MustCompile(`^\t([A-Z0-9_.]+) (.*?) +// ([0-9a-f or]+)$`)
	goMem      = regexp.MustCompile(`^(-?\d*)\(([A-Z0-9]+)\)(?:\(([A-Z0-9]+)\*(\d)\))?$`)
	errUnknown = fmt.Errorf("mnemonic not in the table")
)

// goMnemonics indexes ops by the mnemonic of each of their forms.
func goMnemonics() map[string][]Op {
	ops := map[string][]Op{}
	for i := range forms {
		name := strings.ToUpper(forms[i].name)
		if o := ops[name]; len(o) == 0 || o[len(o)-1] != forms[i].op {
			ops[name] = append(o, forms[i].op)
		}
	}
	return ops
}

var goRounds = map[string]Round{"SAE": RoundSAE, "RN_SAE": RoundRN, "RD_SAE": RoundRD, "RU_SAE": RoundRU, "RZ_SAE": RoundRZ}

// checkGoLine parses one instruction in Go syntax, sources first, and compares
// its encoding with the expected ones.
func checkGoLine(ops map[string][]Op, mnemonic, operands string, want []string) error {
	parts := strings.Split(mnemonic, ".")
	in := Inst{}
	bcast := false
	for _, suffix := range parts[1:] {
		switch r, isRound := goRounds[suffix]; {
		case isRound:
			in.Round = r
		case suffix == "Z":
			in.Zeroing = true
		case suffix == "BCST":
			bcast = true
		default:
			return fmt.Errorf("suffix %s", suffix)
		}
	}
	name := parts[0]
	candidates := ops[name]
	sized := len(candidates) == 0
	if sized { // the last letter is a size
		last := len(name) - 1
		candidates = ops[name[:last]]
		switch name[last] {
		case 'X':
			in.VL = V128
		case 'Y':
			in.VL = V256
		case 'Z':
			in.VL = V512
		case 'L':
			in.Size = Size32
		case 'Q':
			in.Size = Size64
		}
	}
	if len(candidates) == 0 {
		return errUnknown
	}
	args := strings.Split(operands, ",")
	var regs []Reg
	for i := len(args) - 1; i >= 0; i-- {
		r, err := in.goOperand(strings.TrimSpace(args[i]))
		if err != nil {
			return err
		}
		regs = append(regs, r)
	}
	in.Mem.Broadcast = bcast
	for _, op := range candidates {
		try := in
		try.Op = op
		info := op.Info()
		list := regs
		if len(list) == info.Args+1 && list[1].Class() == ClassMask {
			try.K = list[1]
			list = append([]Reg{list[0]}, list[2:]...)
		}
		if len(list) != info.Args {
			continue
		}
		copy(try.Args[:], list)
		if try.Size == Size0 {
			try.Size = Size32
		}
		if forms[formRange[op][0]].args[0].kind() == kH && in.VL == V256 && !sized && list[1] == InMem && in.Mem.Index.Class() != ClassVec {
			try.VL = V512 // a narrowing load without a size suffix has the ymm as its destination
		}
		for _, b := range encodings(try) {
			for _, w := range want {
				if strings.TrimSpace(w) == hex.EncodeToString(b) {
					return nil
				}
			}
			in = try // for the message
		}
	}
	b, err := Encode(nil, &in, Options{ForceEVEX: true})
	return fmt.Errorf("%s: got %x, %v", Format(&in), b, err)
}

// encodings lists those of in that Go may choose: preferring VEX, EVEX, and for
// moves between registers the store form, where the registers are exchanged.
func encodings(in Inst) (list [][]byte) {
	for _, opt := range []Options{{}, {ForceEVEX: true}} {
		if b, err := Encode(nil, &in, opt); err == nil {
			list = append(list, b)
		}
	}
	last := in.Op.Info().Args - 1
	if (in.Op.Is(Move) || in.Op == VMOVSSR || in.Op == VMOVSDR) && in.Args[last].IsReg() {
		in.Args[0], in.Args[last] = in.Args[last], in.Args[0]
		if b, err := Encode(nil, &in, Options{ForceEVEX: true}); err == nil && b[0] == 0x62 {
			_, b[4] = reversed(enc(b[4]))
			list = append(list, b)
		}
	}
	return list
}

var goGPR = map[string]int{"AX": 0, "CX": 1, "DX": 2, "BX": 3, "SP": 4, "BP": 5, "SI": 6, "DI": 7}

// goReg parses a register; vl is set for vector registers.
func goReg(s string) (r Reg, vl VL, ok bool) {
	if n, isGPR := goGPR[s]; isGPR {
		return GPR(n), V0, true
	}
	n, err := strconv.Atoi(s[1:])
	if err != nil {
		return NoReg, V0, false
	}
	switch s[0] {
	case 'R':
		return GPR(n), V0, true
	case 'K':
		return Mask(n), V0, true
	case 'X':
		return Vec(n), V128, true
	case 'Y':
		return Vec(n), V256, true
	case 'Z':
		return Vec(n), V512, true
	}
	return NoReg, V0, false
}

// goOperand parses one operand into in and returns its entry in Args. The
// vector length is that of the widest register.
func (in *Inst) goOperand(s string) (Reg, error) {
	if strings.HasPrefix(s, "$") {
		v, err := strconv.ParseInt(s[1:], 0, 64)
		in.Imm = v
		return InImm, err
	}
	if m := goMem.FindStringSubmatch(s); m != nil {
		if m[1] != "" {
			d, err := strconv.ParseInt(m[1], 10, 32)
			if err != nil {
				return NoReg, err
			}
			in.Mem.Disp = int32(d)
		}
		in.Mem.Base, _, _ = goReg(m[2])
		if m[3] != "" {
			var vl VL
			in.Mem.Index, vl, _ = goReg(m[3])
			in.Mem.Scale = m[4][0] - '0'
			in.VL = max(in.VL, vl)
		}
		return InMem, nil
	}
	r, vl, ok := goReg(s)
	if !ok {
		return NoReg, fmt.Errorf("operand %q", s)
	}
	in.VL = max(in.VL, vl)
	return r, nil
}
