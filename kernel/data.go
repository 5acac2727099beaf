package kernel

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
)

// AddressSize is how many bytes an address takes in memory.
const AddressSize = 8

// DataAddress is an address in program data, known when that is placed: Plus bytes
// from the start of data number Data, at byte At.
type DataAddress struct {
	At, Data int
	Plus     int64
}

// AddressIn returns the first address that overlaps the size bytes of d at byte at;
// ok is false if there is none.
func (d *Data) AddressIn(at, size int) (a DataAddress, ok bool) {
	i := sort.Search(len(d.Addresses), func(i int) bool { return d.Addresses[i].At+AddressSize > at })
	if i == len(d.Addresses) || d.Addresses[i].At >= at+size {
		return DataAddress{}, false
	}
	return d.Addresses[i], true
}

// Place puts program data into memory: place is given the bytes of each and returns
// their address. The bytes may still change until Place returns.
func Place(data []*Data, place func(i int, bytes []byte) uint64) {
	at := make([]uint64, len(data))
	bytes := make([][]byte, len(data))
	for i, d := range data {
		bytes[i] = d.Bytes
		if len(d.Addresses) > 0 {
			bytes[i] = slices.Clone(d.Bytes) // other launches share d
		}
		at[i] = place(i, bytes[i])
	}
	for i, d := range data {
		for _, a := range d.Addresses {
			binary.LittleEndian.PutUint64(bytes[i][a.At:], at[a.Data]+uint64(a.Plus))
		}
	}
}

// checkData reports addresses that are of nothing or lie in nothing.
func checkData(data []*Data) error {
	for _, d := range data {
		end := 0
		for _, a := range d.Addresses {
			if a.At < end || a.At > len(d.Bytes)-AddressSize || a.Data < 0 || a.Data >= len(data) {
				return fmt.Errorf("data %s: there is no room for address %d, or no data %d", d.Name, a.At, a.Data)
			}
			end = a.At + AddressSize
		}
	}
	return nil
}
