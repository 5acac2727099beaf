package simtc

import (
	"fmt"

	"github.com/simtc/simtc/internal/hugepages"
)

// Alloc returns zeroed memory for buffers of the kernel and of the program's other kernels on
// the same target. Any slice can be a buffer, but a launch in a WebAssembly engine copies
// slices to and from the engine's own memory unless they come from Alloc. The memory is valid
// until Free or until the program is closed; the garbage collector does not free it earlier.
func (k *Kernel) Alloc(bytes int) ([]byte, error) {
	if bytes < 0 || uint64(bytes) > maxMemory {
		return nil, fmt.Errorf("cannot allocate %d bytes of memory: want 0 to %d", bytes, uint64(maxMemory))
	}
	if err := k.open(); err != nil {
		return nil, err
	}
	if k.k.OwnMemory() {
		return k.prog.pipe.EngineMemory().Alloc(bytes)
	}
	return hugepages.Make(bytes)
}

// maxMemory bounds an allocation in bytes: the Go runtime panics or exits for much larger
// ones.
const maxMemory = 1 << 40

// Free releases memory from Alloc for reuse. No launch may be using it. Other memory is
// ignored.
func (k *Kernel) Free(b []byte) {
	if k.k.OwnMemory() {
		k.prog.pipe.EngineMemory().Free(b)
	}
}
