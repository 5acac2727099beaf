package golden

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

func upper(files map[string]string) map[string]string {
	return map[string]string{"out": strings.ToUpper(files["in"]), "errors": ""}
}

func TestRunComparesStoredSections(t *testing.T) {
	Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		require.Contains(t, files[Comment], "upper case")
		return upper(files)
	})
}

func TestCompare(t *testing.T) {
	ar := txtar.Parse([]byte("-- in --\nab\n-- out --\nAB\n"))
	require.Empty(t, compare(ar, upper(sections(ar))))
	require.Empty(t, compare(ar, map[string]string{"out": "AB"}), "a missing last newline is added")

	wrong := compare(ar, map[string]string{"out": "Ab\n", "more": "x"})
	require.Len(t, wrong, 2)
	require.Contains(t, wrong[0], "-AB\n+Ab\n")
	require.Contains(t, wrong[1], `section "more" is produced but not stored`)
}

func TestRewriteKeepsOrderAndInputs(t *testing.T) {
	ar := txtar.Parse([]byte("words\n-- out --\nold\n-- in --\nab\n"))
	text, err := rewrite(ar, map[string]string{"out": "AB", "z": "1\n", "b": "2\n", "empty": ""})
	require.NoError(t, err)
	require.Equal(t, "words\n-- out --\nAB\n-- in --\nab\n-- b --\n2\n-- z --\n1\n", text)

	_, err = rewrite(ar, map[string]string{"out": "x\n-- y --\nz\n"})
	require.ErrorContains(t, err, "txtar header")
}
