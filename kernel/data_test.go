package kernel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/kernel"
)

const linked = `data a.0 align 8 05000000000000000000000000000000 address 8 data 1 plus 4
data b.1 align 4 0102030405060708

kernel k {
b0.entry:
  return
}
`

func TestDataAddresses(t *testing.T) {
	m, err := kernel.Parse("in.simt", linked)
	require.NoError(t, err)
	require.NoError(t, kernel.Verify(m.Funcs[0]))
	require.Equal(t, linked, m.String())

	var placed [][]byte
	kernel.Place(m.Data, 0, func(i int, b []byte) uint64 {
		placed = append(placed, b)
		return 0x1000 * uint64(i+1)
	})
	require.Equal(t, []byte{5, 0, 0, 0, 0, 0, 0, 0, 4, 0x20, 0, 0, 0, 0, 0, 0}, placed[0])
	require.Equal(t, make([]byte, 8), m.Data[0].Bytes[8:], "data is shared by launches")

	d := m.Data[0]
	for _, c := range []struct {
		at, size int
		held     bool
	}{{0, 8, false}, {4, 4, false}, {4, 8, true}, {8, 8, true}, {12, 1, true}, {16, 1, false}} {
		_, held := d.AddressIn(c.at, c.size)
		require.Equal(t, c.held, held, c)
	}
	for _, bad := range []kernel.DataAddress{{At: 9, Data: 1}, {At: -1, Data: 1}, {At: 8, Data: 2}, {At: 8, Data: -1}} {
		d.Addresses = []kernel.DataAddress{bad}
		require.Error(t, kernel.Verify(m.Funcs[0]), bad)
	}
}
