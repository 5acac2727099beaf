package launch

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOverlap(t *testing.T) {
	b := make([]byte, 100)
	for _, c := range []struct {
		args []Arg
		want bool
	}{
		{nil, false},
		{[]Arg{Buffer(b)}, false},
		{[]Arg{Buffer(b), Buffer(b)}, true},
		{[]Arg{Buffer(b[50:]), Buffer(make([]byte, 100)), Buffer(b[:50])}, false},
		{[]Arg{Buffer(b[50:]), Bytes([]byte{1}), Buffer(b[:51])}, true},
		{[]Arg{Buffer(b[10:20]), Buffer(b), Buffer(nil), LocalMemory(100)}, true},
		{[]Arg{Buffer(b[:0]), Buffer(b), Buffer(nil), Buffer(b[50:50])}, false},
	} {
		require.Equal(t, c.want, Overlap(c.args), "%v", c.args)
	}
}
