package launch

import (
	"bytes"
	"errors"

	"github.com/simtc/simtc/launch/wasmhost"
)

// Address 0 is valid in WebAssembly. Writes through null pointers are detected at the end
// of a launch: the first nullBytes of a memory are unused and filled with nullByte.
const (
	nullBytes = 4096
	nullByte  = 0x55
)

var (
	nullContent = bytes.Repeat([]byte{nullByte}, nullBytes)
	errNull     = errors.New("invalid write at an address below 4096, through a null pointer")
)

// newMemory creates a memory of min to max pages in which checkNull detects writes.
func newMemory(host wasmhost.Host, pages, max uint32, shared bool) (wasmhost.Memory, error) {
	m, err := host.NewMemory(wasmhost.MemoryType{Min: pages, Max: max, Shared: shared})
	if err == nil {
		copy(m.Bytes(), nullContent)
	}
	return m, err
}

// checkNull returns an error if the null page was written, and restores it.
func checkNull(memory []byte) error {
	if bytes.Equal(memory[:nullBytes], nullContent) {
		return nil
	}
	copy(memory, nullContent)
	return errNull
}
