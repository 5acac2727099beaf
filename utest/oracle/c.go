package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/simtc/simtc/internal/ndarg"
	"github.com/simtc/simtc/utest/opencl"
	"github.com/simtc/simtc/utest/runfile"
)

// shim makes the scalar subset of OpenCL C compile as GNU C.
//
//go:embed shim.h
var shim string

// errNotC means that a kernel uses features that C lacks, mostly vectors.
var errNotC = errors.New("gcc rejects it")

// inC compiles the kernel of r as C with the address and undefined-behaviour sanitizers, runs
// its work-items one by one in descending order, and returns the checksums. Descending order
// exposes most races as differences.
func inC(f *runfile.File, r *runfile.Run) ([]runfile.Sum, error) {
	dir, err := os.MkdirTemp("", "oracle")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "shim.h"), []byte(shim), 0o644); err != nil {
		return nil, err
	}
	path, err := filepath.Abs(f.Path)
	if err != nil {
		return nil, err
	}
	if err := writeBuffers(path, r, dir); err != nil {
		return nil, err
	}
	main, flags, err := cProgram(path, r, dir)
	if err != nil {
		return nil, err
	}
	source, binary := filepath.Join(dir, "main.c"), filepath.Join(dir, "main")
	if err := os.WriteFile(source, []byte(main), 0o644); err != nil {
		return nil, err
	}
	args := append([]string{"-std=gnu11", "-O1", "-w", "-ffp-contract=off", "-fno-strict-aliasing",
		"-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-sanitize=shift-base", "-o", binary, source, "-lm"}, flags...)
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", errNotC, firstLine(string(out), "error"))
	}
	run := exec.Command(binary)
	run.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0")
	var stderr strings.Builder
	run.Stderr = &stderr
	out, err := run.Output()
	if err != nil {
		return nil, fmt.Errorf("the kernel as C: %w: %s", err, firstLine(stderr.String(), "error"))
	}
	var sums []runfile.Sum
	if err := json.Unmarshal(out, &sums); err != nil {
		return nil, err
	}
	return sums, nil
}

func firstLine(text, with string) string {
	for _, l := range strings.Split(text, "\n") {
		if strings.Contains(l, with) || strings.Contains(l, "ERROR") {
			return l
		}
	}
	return text
}

// writeBuffers writes the initial contents of every buffer argument of r.
func writeBuffers(path string, r *runfile.Run, dir string) error {
	c, err := opencl.Parse(path, r.Words)
	if err != nil {
		return err
	}
	for i, a := range c.Args {
		if a.Kind != ndarg.Buffer {
			continue
		}
		contents, err := a.New()
		if err != nil {
			return err
		}
		if err := os.WriteFile(bufferFile(dir, i), contents, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func bufferFile(dir string, argument int) string {
	return filepath.Join(dir, fmt.Sprintf("buffer%d", argument))
}

// cProgram writes the main program, which sets up the arguments of r and loops over its range.
func cProgram(path string, r *runfile.Run, dir string) (source string, flags []string, err error) {
	global, local, offset := [3]int{1, 1, 1}, [3]int{1, 1, 1}, [3]int{}
	kernel, dims := "", 1
	var types, params, setup, report []string
	argument := 0
	for i := 0; i < len(r.Words); i++ {
		w := r.Words[i]
		if strings.HasPrefix(w, "-") {
			i++
			v := ""
			if i < len(r.Words) {
				v = r.Words[i]
			}
			switch w {
			case "-k":
				kernel = v
			case "-g":
				dims = triple(v, &global)
			case "-l":
				triple(v, &local)
			case "--offset":
				triple(v, &offset)
			case "-D", "-I":
				flags = append(flags, w+v)
			default:
				return "", nil, fmt.Errorf("unknown flag %s", w)
			}
			continue
		}
		kind, value, _ := strings.Cut(w, ":")
		switch {
		case kind == "b":
			types = append(types, "void *")
			params = append(params, fmt.Sprintf("a%d", argument))
			file := bufferFile(dir, argument)
			setup = append(setup, fmt.Sprintf("size_t n%d; unsigned char *a%d = simtc_load(%q, &n%d);", argument, argument, file, argument))
			report = append(report, fmt.Sprintf("simtc_report(%d, a%d, n%d);", argument, argument, argument))
		case kind == "local":
			return "", nil, fmt.Errorf("%w: local memory", errNotC)
		default:
			if strings.Contains(value, ",") {
				return "", nil, fmt.Errorf("%w: vector argument", errNotC)
			}
			types = append(types, kind)
			params = append(params, "("+kind+")"+value)
		}
		argument++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "#include \"shim.h\"\n#include %q\n", path)
	fmt.Fprintf(&b, "int main(void) {\n  simtc_dims = %d;\n", dims)
	for d := range 3 {
		fmt.Fprintf(&b, "  simtc_gs[%d] = %d; simtc_ls[%d] = %d; simtc_go[%d] = %d;\n", d, global[d], d, local[d], d, offset[d])
	}
	for _, s := range setup {
		fmt.Fprintf(&b, "  %s\n", s)
	}
	b.WriteString("  for (long z = simtc_gs[2]; z-- > 0;) for (long y = simtc_gs[1]; y-- > 0;) for (long x = simtc_gs[0]; x-- > 0;) {\n")
	b.WriteString("    simtc_id[0] = x; simtc_id[1] = y; simtc_id[2] = z;\n")
	fmt.Fprintf(&b, "    ((void (*)(%s))%s)(%s);\n  }\n", strings.Join(types, ", "), kernel, strings.Join(params, ", "))
	b.WriteString("  simtc_begin();\n")
	for _, s := range report {
		fmt.Fprintf(&b, "  %s\n", s)
	}
	b.WriteString("  simtc_end();\n  return 0;\n}\n")
	return b.String(), flags, nil
}

// triple parses "x[,y[,z]]" into t and returns the number of components.
func triple(s string, t *[3]int) int {
	parts := strings.Split(s, ",")
	for i, p := range parts {
		if i < 3 {
			t[i], _ = strconv.Atoi(p)
		}
	}
	return len(parts)
}
