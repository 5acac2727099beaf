//go:build !unix && !windows

package wazerohost

// overcommits reports whether unused address space may be reserved freely.
const overcommits = false

// linear is a memory whose maximum is allocated at the start.
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

// Free does nothing: the engine calls it when any instance over the memory closes, not only
// its owner.
func (l *linear) Free() {}

func (l *linear) release() { l.buf = nil }
