package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// program returns the block of README.md in a language, and the next block, which is its output.
func program(t *testing.T, language string) (source, output string) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	all := blocks(strings.Split(string(text), "\n"))
	for i, b := range all {
		if b.info == language {
			require.Equal(t, "text", all[i+1].info)
			return strings.Join(b.lines, "\n"), strings.Join(all[i+1].lines, "\n") + "\n"
		}
	}
	require.Fail(t, "README.md has no block in "+language)
	return "", ""
}

func TestProgramInGo(t *testing.T) {
	inRoot(t)
	source, output := program(t, "go")
	path := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(path, []byte(source), 0o666))
	out, err := exec.Command("go", "run", path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, output, string(out))
}

func TestProgramInJavaScript(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIPPED: node is not installed, the program in JavaScript does not run")
	}
	inRoot(t)
	source, output := program(t, "js")
	dir := t.TempDir()
	ok(t, "compile", "examples/collatz.cl", "--portable", "-o", filepath.Join(dir, "collatz.wasm"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "collatz.mjs"), []byte(source), 0o666))
	cmd := exec.Command(node, "collatz.mjs")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, output, string(out))
}
