package simtc_test

import (
	"bytes"
	"debug/elf"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// TestSymbolsOfKernels compiles kernels whose names resemble the symbols that the compiler generates
// for callers. Every output defines each name once.
func TestSymbolsOfKernels(t *testing.T) {
	names := []string{"f"}
	for _, fact := range []string{"width", "x86_64_level", "spill_bytes", "private_bytes", "local_bytes", "groups", "phases", "defers", "data", "rows"} {
		names = append(names, "f_"+fact, fact+"_f", "simtc_"+fact+"_f", "_simtc_"+fact+"_f")
	}
	names = append(names, "code_f", "constants", "entry", "context", "memory")
	var source strings.Builder
	source.WriteString("__constant int table[2] = { 3, 4 };\n")
	for i, name := range names {
		fmt.Fprintf(&source, "__kernel void %s(__global int *p) { p[get_global_id(0)] += table[p[0] & 1] + %d; }\n", name, i)
	}
	p := compile(t, source.String(), simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512, Width: 1}})

	object, err := p.Emit("obj")
	require.NoError(t, err)
	file, err := elf.NewFile(bytes.NewReader(object))
	require.NoError(t, err)
	symbols, err := file.Symbols()
	require.NoError(t, err)
	functions, defined := 0, map[string]bool{}
	for _, s := range symbols {
		if s.Name == "" {
			continue
		}
		require.False(t, defined[s.Name], s.Name)
		defined[s.Name] = true
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			functions++
			require.Contains(t, names, s.Name)
		} else {
			require.Regexp(t, "^__simtc_", s.Name)
		}
	}
	require.Equal(t, len(names), functions)
	require.True(t, defined["__simtc_width_f"] && defined["__simtc_width_f_width"] && defined["__simtc_data_f"])

	assembly, err := p.Emit("goasm")
	require.NoError(t, err)
	defined = map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^(?:TEXT|GLOBL) (\S+)\(SB\)`).FindAllStringSubmatch(string(assembly), -1) {
		require.False(t, defined[m[1]], m[1])
		defined[m[1]] = true
	}
	for _, name := range names {
		require.True(t, defined["·"+name] && defined["·__simtc_width_"+name], name)
	}

	for _, kind := range []string{"asm", "wasm"} {
		_, err := p.Emit(kind)
		require.NoError(t, err, kind)
	}
}

// TestReservedNames checks that generated names are rejected for kernels, and that Go assembly is
// rejected for names that Go does not allow.
func TestReservedNames(t *testing.T) {
	for _, name := range []string{"__simtc_width_f", "__simtc_"} {
		_, err := simtc.Compile("\n__kernel void "+name+"(__global int *p) { p[0] = 1; }", simtc.Options{})
		require.ErrorContains(t, err, "kernel.cl:2:15: kernel '"+name+"': names that begin with __simtc_ are reserved")
	}
	for _, c := range []struct{ names, want string }{
		{"range", "Go has no function of the name range"},
		{"init", "Go has no function of the name init"},
		{"a$b a_b", "a$b and a_b are both a_b in Go, which has no $ in names"},
	} {
		source := ""
		for _, name := range strings.Fields(c.names) {
			source += "__kernel void " + name + "(__global int *p) { p[0] = 1; }\n"
		}
		p := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512, Width: 1}})
		_, err := p.Emit("goasm")
		require.ErrorContains(t, err, c.want)
		_, err = p.Emit("obj")
		require.NoError(t, err)
	}
}
