package lower

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/builtins"
)

// TestSpecials checks that every function whose table entry requires a special lowering
// has one.
func TestSpecials(t *testing.T) {
	for _, f := range builtins.Names() {
		if f.Special != "" {
			require.Contains(t, specials, f.Special, f.Name)
		}
	}
	for _, name := range []string{"convert", "as", "vload", "vstore", "vload_half", "vloada_half", "vstore_half", "vstorea_half"} {
		require.Contains(t, specials, name)
	}
}
