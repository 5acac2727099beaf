package launch

import (
	"bytes"
	"errors"

	"github.com/simtc/simtc/launch/wasmhost"
)

// WebAssembly has memory at address 0. What is written there, by way of a null pointer, is
// noticed when a launch ends: the first nullBytes of the memory belong to nobody and hold
// nullByte.
const (
	nullBytes = 4096
	nullByte  = 0x55
)

var (
	nullContent = bytes.Repeat([]byte{nullByte}, nullBytes)
	errNull     = errors.New("invalid write at an address below 4096, that of a null pointer")
)

// newMemory makes a memory of so many pages, and at most max, in which checkNull notices
// writes.
func newMemory(host wasmhost.Host, pages, max uint32, shared bool) (wasmhost.Memory, error) {
	m, err := host.NewMemory(wasmhost.MemoryType{Min: pages, Max: max, Shared: shared})
	if err == nil {
		copy(m.Bytes(), nullContent)
	}
	return m, err
}

// checkNull returns an error if something was written where nothing is, which it undoes.
func checkNull(memory []byte) error {
	if bytes.Equal(memory[:nullBytes], nullContent) {
		return nil
	}
	copy(memory, nullContent)
	return errNull
}
