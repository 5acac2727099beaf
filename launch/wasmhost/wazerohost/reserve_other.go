//go:build !unix && !windows

package wazerohost

// overcommits reports whether address space may be reserved that is never used.
const overcommits = false

// linear is a memory whose maximum is allocated from the start.
type linear struct{ buf []byte }

func reserve(max uint64) (*linear, error) {
	return &linear{make([]byte, max)}, nil
}

func (l *linear) Reallocate(size uint64) []byte {
	if size > uint64(len(l.buf)) {
		return nil
	}
	return l.buf[:size:len(l.buf)]
}

// Free is the engine's: it calls it when any instance over the memory closes,
// not only its owner, so it frees nothing.
func (l *linear) Free() {}

func (l *linear) release() { l.buf = nil }
