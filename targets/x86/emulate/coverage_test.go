package emulate

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/x86/asm"
)

// unsupported matches the ops without semantics, which the compiler does not emit. Some are
// estimates, whose results are defined by tables.
var unsupported = regexp.MustCompile(`^v(rcp14|rsqrt14|getexp|getmant|scalef|reduce|range|fixupimm|fpclass)[ps][sd]$`)

func TestEveryOpHasARow(t *testing.T) {
	n := 0
	for op := asm.INVALID + 1; op.Info().Name != "(bad)"; op++ {
		n++
		if !op.Is(asm.Pseudo) && (rows[op] == nil) != unsupported.MatchString(op.String()) {
			t.Errorf("%s: has a row: %v", op, rows[op] != nil)
		}
	}
	require.Greater(t, n, 600)
}

// The compiler's sources name no unsupported op.
func TestEmittedOpsHaveARow(t *testing.T) {
	names := map[string]bool{}
	var files []string
	for _, folder := range []string{"../../avx512", "../../avx2", "../isel"} {
		found, err := filepath.Glob(folder + "/*.go")
		require.NoError(t, err)
		require.NotEmpty(t, found)
		files = append(files, found...)
	}
	word := regexp.MustCompile(`\basm\.([A-Z][A-Z0-9]+)\b`)
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		for _, m := range word.FindAllSubmatch(text, -1) {
			names[strings.ToLower(string(m[1]))] = true
		}
	}
	require.True(t, names["vpaddd"] && names["kmovw"], "the pattern finds the ops that the sources name")
	for name := range names {
		require.False(t, unsupported.MatchString(name), "%s has no semantics", name)
	}
}

// Every form of every op is translated.
func TestEveryFormIsTranslated(t *testing.T) {
	require.Greater(t, len(shapes()), 2000)
	for _, s := range shapes() {
		in := s.example()
		_, err := Translate([]asm.Inst{in}, &asm.Code{})
		if unsupported.MatchString(s.op.String()) {
			require.ErrorContains(t, err, "unsupported instruction")
			continue
		}
		require.NoError(t, err)
	}
}
