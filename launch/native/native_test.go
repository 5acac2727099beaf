package native

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLoadAgreesWithAvailable runs on every platform.
func TestLoadAgreesWithAvailable(t *testing.T) {
	for _, level := range []Level{V3, V4, VNNI} {
		ok, reason := Available(level)
		code, err := Load(Image{Text: []byte{0xC3}, Entries: []int{0}, Level: level})
		if ok {
			require.Empty(t, reason)
			require.NoError(t, err)
			require.NoError(t, code.Close())
			continue
		}
		require.NotEmpty(t, reason)
		require.ErrorIs(t, err, ErrUnavailable)
		require.ErrorContains(t, err, reason)
	}
}

func TestFaultMessages(t *testing.T) {
	for _, test := range []struct {
		fault Fault
		want  string
	}{
		{Fault{Kind: DivideFault}, "native code: integer division fault"},
		{Fault{}, "native code: memory fault at an address below 4096"},
		{Fault{AddressKnown: true}, "native code: memory fault at a non-canonical address, or a privileged instruction"},
		{Fault{AddressKnown: true, Address: 0x12340}, "native code: memory fault at address 0x12340"},
	} {
		require.EqualError(t, &test.fault, test.want)
	}
}
