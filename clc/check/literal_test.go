package check_test

import (
	"fmt"
	"testing"

	"github.com/simtc/simtc/clc/check"
	"github.com/simtc/simtc/clc/preprocess"
	"github.com/simtc/simtc/internal/diag"
	"github.com/stretchr/testify/require"
)

// TestCharacterConstants checks that a character constant has the same value in #if and
// in expressions.
func TestCharacterConstants(t *testing.T) {
	for _, c := range []struct {
		text  string
		value int32
	}{
		{`'a'`, 97}, {`'\xff'`, -1}, {`'ab'`, 24930}, {`'\0\xff'`, 255}, {`'abc'`, 6382179}, {`'\377abc'`, -10395037},
		{`'abcdef'`, 'c'<<24 | 'd'<<16 | 'e'<<8 | 'f'},
	} {
		_, errs := program("in", fmt.Sprintf("void f() { int a[%s == %d ? 1 : -1]; }", c.text, c.value), check.Options{})
		require.NoError(t, errs.Err(), c.text)
		var bad diag.List
		preprocess.Run("in", fmt.Sprintf("#if %s != %d\n#error differs\n#endif\n", c.text, c.value), preprocess.Options{}, &bad)
		require.NoError(t, bad.Err(), c.text)
	}
}
