package simtc_test

import (
	"errors"
	"math/rand"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

const plainText = "// one\nkernel void k(global int *a) {\n  a[0] = 3;\n}\n"

// A binary file is one error, wherever it is used.
func TestBinaryFile(t *testing.T) {
	encode := func(text string, low, high int) string {
		var b []byte
		for _, u := range utf16.Encode([]rune(text)) {
			b = append(b, byte(u>>low), byte(u>>high))
		}
		return string(b)
	}
	random := make([]byte, 5000)
	rand.New(rand.NewSource(1)).Read(random)
	for _, c := range []struct{ text, says string }{
		{encode(plainText, 0, 8), "UTF-16"},
		{encode(plainText, 8, 0), "UTF-16"},
		{encode("\ufeff"+plainText, 0, 8), "UTF-16"},
		{encode("\ufeff"+plainText, 8, 0), "UTF-16"},
		{strings.Repeat("\x00", 3000), "not a text file: of the first 1000 bytes, 1000 are control characters"},
		{string(random), "not a text file"},
		{"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00", "not a text file"},
	} {
		for _, file := range []string{"k.cl", "k.simt"} {
			_, err := simtc.Compile(c.text, simtc.Options{File: file})
			var wrong *simtc.CompileError
			require.ErrorAs(t, err, &wrong)
			require.Len(t, wrong.Diagnostics, 1)
			require.Equal(t, file, wrong.Diagnostics[0].File)
			require.Contains(t, wrong.Diagnostics[0].Message, c.says)
			require.NotContains(t, wrong.Detail(), "^")
		}
		_, err := simtc.Compile("#include \"x.h\"\n", simtc.Options{Include: func(string, string, bool) (string, string, error) { return "x.h", c.text, nil }})
		require.ErrorContains(t, err, "kernel.cl:1:2: cannot include 'x.h': ")
		require.ErrorContains(t, err, c.says)
	}
	// Single control characters are reported with their location.
	_, err := simtc.Compile(plainText+"\x00", simtc.Options{})
	require.EqualError(t, err, "kernel.cl:5:1: stray control character 0x00")
	// The contents of comments do not matter.
	_, err = simtc.Compile("// "+strings.Repeat("\xe9\xe8", 2000)+"\n"+plainText, simtc.Options{})
	require.NoError(t, err)
}

// Lines may end in LF, CR LF or CR: the locations of errors are the same.
func TestEndsOfLines(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r"} {
		_, err := simtc.Compile(strings.ReplaceAll(plainText, "\n", end), simtc.Options{})
		require.NoError(t, err)
		_, err = simtc.Compile(strings.ReplaceAll("// one\n#define A 1 + \\\n  1\nkernel void k(global int *a) {\n  a[0] = b;\n}\n", "\n", end), simtc.Options{})
		var wrong *simtc.CompileError
		require.True(t, errors.As(err, &wrong))
		require.Equal(t, "kernel.cl:5:10: error: undeclared identifier 'b'\n      a[0] = b;\n             ^\n", wrong.Detail())
	}
}
