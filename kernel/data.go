package kernel

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
)

// AddressSize is the size of an address in memory, in bytes.
const AddressSize = 8

// DataAddress is an address in program data, known once data is placed: Plus bytes from the start
// of data number Data, stored at byte At.
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

// MaxVariables bounds the memory of a program's variables in bytes.
const MaxVariables = 256 << 20

// Place puts program data into memory and returns its addresses: place receives the bytes of each
// Data and returns their address. The bytes may still change until Place returns. Variables, if
// any, are already at the address variables.
func Place(data []*Data, variables uint64, place func(i int, bytes []byte) uint64) []uint64 {
	at := make([]uint64, len(data))
	bytes := make([][]byte, len(data))
	for i, d := range data {
		if d.Variables {
			at[i] = variables
			continue
		}
		bytes[i] = d.Bytes
		if len(d.Addresses) > 0 {
			bytes[i] = slices.Clone(d.Bytes) // other launches share d
		}
		at[i] = place(i, bytes[i])
	}
	for i, b := range bytes {
		if b == nil {
			continue
		}
		for _, a := range data[i].Addresses {
			binary.LittleEndian.PutUint64(b[a.At:], at[a.Data]+uint64(a.Plus))
		}
	}
	return at
}

// checkData reports addresses without a target or without space.
func checkData(data []*Data) error {
	for i, d := range data {
		if d.Variables && i > 0 {
			return fmt.Errorf("data %s: variables are data 0", d.Name)
		}
		last := -AddressSize
		for _, at := range d.Pointers {
			if !d.Variables || at < last+AddressSize || at > len(d.Bytes)-AddressSize {
				return fmt.Errorf("data %s: pointer %d is out of bounds", d.Name, at)
			}
			last = at
		}
		end := 0
		for _, a := range d.Addresses {
			if a.At < end || a.At > len(d.Bytes)-AddressSize || a.Data < 0 || a.Data >= len(data) {
				return fmt.Errorf("data %s: address %d is out of bounds, or data %d does not exist", d.Name, a.At, a.Data)
			}
			end = a.At + AddressSize
		}
	}
	return nil
}
