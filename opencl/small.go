package opencl

import (
	"math/bits"
	"sync"
)

// Memory of small objects is carved from mapped slabs and used again by objects of the same size
// class. It is not from Go's heap: an application may pass the address of an object that it has
// released, and the garbage collector does not accept pointers to free memory of its own.

const (
	smallMemory = 16 << 10 // the largest size class in bytes
	slabBytes   = 1 << 20
)

// small is the memory of small objects of the process.
var small struct {
	sync.Mutex
	slab []byte                  // the rest of the last one
	free [bits.UintSize][][]byte // by the logarithm of the size
}

// smallBlock returns zeroed memory of at least the given size, aligned to baseAlign, and a function
// that frees it.
func smallBlock(bytes int) ([]byte, func(), error) {
	class := bits.Len(uint(max(bytes, baseAlign) - 1))
	small.Lock()
	defer small.Unlock()
	var b []byte
	if n := len(small.free[class]) - 1; n >= 0 {
		b, small.free[class] = small.free[class][n], small.free[class][:n]
		clear(b)
	} else {
		size := 1 << class
		if skip := len(small.slab) % size; len(small.slab) >= size+skip {
			small.slab = small.slab[skip:] // blocks are at multiples of their size from the end
		} else {
			slab, err := mapMemory(slabBytes + readSlack)
			if err != nil {
				return nil, nil, err
			}
			small.slab = slab[:slabBytes]
		}
		b, small.slab = small.slab[:size:size], small.slab[size:]
	}
	return b, func() {
		small.Lock()
		defer small.Unlock()
		small.free[class] = append(small.free[class], b)
	}, nil
}
