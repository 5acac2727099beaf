package simtc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/utest/fuzz"
)

// What the fuzzers run is what the compiler runs.
func TestFuzzersKnowThePasses(t *testing.T) {
	var names []string
	for _, p := range scalarPasses {
		names = append(names, p.Name)
	}
	require.Equal(t, names, fuzz.PassNames())
}
