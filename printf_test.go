package simtc_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

const printing = `__kernel void print(int x) { printf("<%d:%d>", x, (int)get_global_id(0)); }`

// Launches at once write to one writer, each all of its output without that of others in
// between, which go test -race checks, too.
func TestOneLaunchPrintsAtATime(t *testing.T) {
	var out bytes.Buffer
	p := compile(t, printing, simtc.Options{Target: simtc.Interpreter, Printf: &out})
	k, err := p.Kernel("")
	require.NoError(t, err)
	errs := make([]error, 8)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { errs[i] = k.Launch(context.Background(), simtc.NDRange(2), int32(i)) })
	}
	all.Wait()
	for i, err := range errs {
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(out.String(), strings.ReplaceAll("<i:0><i:1>", "i", string(rune('0'+i)))))
	}
}

type shortWriter struct{}

func (shortWriter) Write(b []byte) (int, error) { return len(b) / 2, nil }

// What a writer leaves out without an error is one of the launch.
func TestPrintfShortWrite(t *testing.T) {
	p := compile(t, printing, simtc.Options{Target: simtc.Interpreter, Printf: shortWriter{}})
	k, err := p.Kernel("")
	require.NoError(t, err)
	require.ErrorIs(t, k.Launch(context.Background(), simtc.NDRange(2), 1), io.ErrShortWrite)
}
