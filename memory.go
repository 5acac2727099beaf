package simtc

import (
	"fmt"
	"sync"

	"github.com/simtc/simtc/internal/hugepages"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

// Alloc returns zeroed memory of so many bytes for buffers of the kernel, and of the
// program's others on the same target. Any slice will do as a buffer; but a WebAssembly
// engine has a memory of its own, to and from which each launch copies the slices, unless
// they are of this memory. It is good until Free, or until the program is closed, and is
// not given back before.
func (k *Kernel) Alloc(bytes int) ([]byte, error) {
	if bytes < 0 || uint64(bytes) > mostMemory {
		return nil, fmt.Errorf("%d bytes of memory; there can be 0 to %d", bytes, uint64(mostMemory))
	}
	if err := k.open(); err != nil {
		return nil, err
	}
	if k.cfg.target.ownMemory {
		return k.shared.prog.engineMemory().Alloc(bytes)
	}
	return hugepages.Make(bytes)
}

// mostMemory bounds what is asked for at once, in bytes: more than that the Go runtime
// refuses in ways that end the program.
const mostMemory = 1 << 40

// Free gives back memory from Alloc, which no launch may be using, to be allotted again.
// Other memory is left alone.
func (k *Kernel) Free(b []byte) {
	if k.cfg.target.ownMemory {
		k.shared.prog.engineMemory().Free(b)
	}
}

// programMemory is made when it is first asked for: not all programs need an engine.
type programMemory struct {
	once   sync.Once
	memory *launch.EngineMemory
}

func (p *Program) engineMemory() *launch.EngineMemory {
	p.memory.once.Do(func() {
		host := engine()
		p.memory.memory = launch.NewEngineMemory(host, host.Features()&wasm.Threads != 0)
	})
	return p.memory.memory
}

// closeMemory frees what Alloc returned. The kernels are closed.
func (p *Program) closeMemory() error {
	if p.memory.memory == nil {
		return nil
	}
	return p.memory.memory.Close()
}
