package preprocess

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"modernc.org/cc/v4"

	"github.com/simtc/simtc/clc/token"
	"github.com/simtc/simtc/internal/diag"
)

// oracle preprocesses text with cc, which implements the same published algorithm
// independently.
func oracle(t *testing.T, abi *cc.ABI, text string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cfg := &cc.Config{ABI: abi, ExpansionLimit: 200_000}
	err := cc.Preprocess(cfg, []cc.Source{{Name: "soup.c", Value: text}}, &out)
	return out.String(), err
}

func spellings(toks []token.Token) []string {
	var out []string
	for _, tk := range toks {
		if tk.Kind != token.EOF {
			out = append(out, tk.Text)
		}
	}
	return out
}

func TestAgainstAnotherPreprocessor(t *testing.T) {
	abi, err := cc.NewABI("linux", "amd64")
	require.NoError(t, err)
	n := 4000
	if testing.Short() {
		n = 500
	}
	compared := 0
	for seed := int64(0); seed < int64(n); seed++ {
		text := makeSoup(seed, false)
		var errs diag.List
		got := Run("soup.c", text, Options{}, &errs)
		if errs.Len() > 0 {
			continue // the set of errors differs, for example for an invalid paste
		}
		want, err := oracle(t, abi, text)
		if err != nil {
			continue
		}
		compared++
		// cc omits some spaces between tokens in its output, so compare without spaces.
		glue := func(s string) string { return strings.Join(strings.Fields(s), "") }
		require.Equal(t, glue(want), glue(strings.Join(spellings(got), " ")), "seed %d\n%s", seed, text)
	}
	t.Logf("compared %d of %d", compared, n)
	require.Greater(t, compared, n/4)
}

// TestAgainstGCC runs all soups through one gcc process, if gcc is installed.
func TestAgainstGCC(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc")
	}
	var all strings.Builder
	want := 0
	for seed := int64(0); seed < 2000; seed++ {
		text := makeSoup(seed, true)
		var errs diag.List
		Run("soup.c", text, Options{}, &errs)
		if errs.Len() > 0 {
			continue
		}
		for i := 0; i < 20; i++ {
			fmt.Fprintf(&all, "#undef M%d\n", i)
		}
		fmt.Fprintf(&all, "SEED %d\n%s", seed, text)
		want++
	}
	cmd := exec.Command(gcc, "-E", "-P", "-std=gnu99", "-w", "-x", "c", "-")
	cmd.Stdin = strings.NewReader(all.String())
	out, err := cmd.Output()
	require.NoError(t, err)
	var errs diag.List
	got := spellings(Run("soup.c", all.String(), Options{}, &errs))
	require.NoError(t, errs.Err())
	theirs := spellings(Run("gcc", string(out), Options{}, &errs))
	split := func(words []string) []string {
		for i, w := range words {
			if w[0] == '"' { // spaces from empty expansions differ
				words[i] = strings.ReplaceAll(w, " ", "")
			}
		}
		return strings.Split(strings.Join(words, " "), "SEED ")
	}
	a, b := split(theirs), split(got)
	require.Len(t, b, want+1)
	require.Len(t, a, want+1)
	for i := range a {
		require.Equal(t, a[i], b[i])
	}
	t.Logf("compared %d", want)
}
