// Package virtest generates random vir functions and the memory they run on, for tests of
// all packages that consume vir.
//
// It is independent of passes and targets.
package virtest

import (
	"encoding/binary"
	"math/rand"

	"github.com/simtc/simtc/vir"
)

// The buffers of an Image; all have BufferSize bytes. Functions address them
// through the launch context.
const (
	In      = iota // never written: invariant loads read it
	Data           // read and written
	Out            // receives the results at the end
	Scratch        // CtxScratch
	Buffers

	BufferSize = 64 << 10
)

// Image is the memory of one run.
type Image struct {
	Buffers [Buffers][]byte
	Context []byte
	args    []byte
	Count   int // work-items
}

// NewImage returns random memory that is determined by rng's seed.
func NewImage(rng *rand.Rand) *Image {
	m := &Image{Context: make([]byte, vir.CtxSize), args: make([]byte, 8*Buffers), Count: 1 + rng.Intn(70)}
	for i := range m.Buffers {
		m.Buffers[i] = make([]byte, BufferSize)
		if i == Out || i == Scratch {
			continue
		}
		for at := 0; at < BufferSize; at += 8 {
			x := rng.Uint64()
			switch rng.Intn(4) {
			case 0:
				x = uint64(rng.Intn(16)) * 0x0001000100010001
			case 1:
				x >>= rng.Intn(64)
			}
			binary.LittleEndian.PutUint64(m.Buffers[i][at:], x)
		}
	}
	return m
}

// Clone copies the memory.
func (m *Image) Clone() *Image {
	c := &Image{Count: m.Count, Context: append([]byte(nil), m.Context...), args: append([]byte(nil), m.args...)}
	for i, b := range m.Buffers {
		c.Buffers[i] = append([]byte(nil), b...)
	}
	return c
}

// Map fills in the launch context and returns its address. add maps a slice (aligned to
// 64 bytes if needed) and returns its address; the code must see the contents of m's
// slices.
func (m *Image) Map(add func([]byte) uint64) uint64 {
	put := func(to []byte, at int, x uint64) { binary.LittleEndian.PutUint64(to[at:], x) }
	for i, b := range m.Buffers {
		addr := add(b)
		put(m.args, 8*i, addr)
		if i == Scratch {
			put(m.Context, vir.CtxScratch, addr)
		}
	}
	put(m.Context, vir.CtxCount, uint64(m.Count))
	put(m.Context, vir.CtxStart, 3)
	put(m.Context, vir.CtxGlobalSize, 1000)
	put(m.Context, vir.CtxArgs, add(m.args))
	return add(m.Context)
}
