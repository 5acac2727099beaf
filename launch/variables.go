package launch

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch/native"
)

// Variables is the memory of a program's variables, shared by all launches of its kernels.
// Between launches, pointers in it have a canonical form: see home.
type Variables struct {
	mu   sync.Mutex // held by the launch that uses them
	data []*kernel.Data
	once sync.Once
	buf  []byte
}

// NewVariables returns the memory for the variables in data, nil if there are none.
func NewVariables(data []*kernel.Data) *Variables {
	if len(data) == 0 || !data[0].Variables {
		return nil
	}
	return &Variables{data: data}
}

// Size returns the size of the variables in bytes; 0 for nil.
func (v *Variables) Size() int {
	if v == nil {
		return 0
	}
	return len(v.data[0].Bytes)
}

// Hold waits until no other launch uses the variables or ctx ends. It returns the argument
// for them, which the caller owns until it calls release.
func (v *Variables) Hold(ctx context.Context) (a Arg, release func(), err error) {
	if err := v.lock(ctx); err != nil {
		return Arg{}, nil, err
	}
	v.once.Do(func() {
		v.buf = native.AlignedBytes(len(v.data[0].Bytes), localAlign)
		v.initialize()
	})
	return Buffer(v.buf), v.mu.Unlock, nil
}

// Reset restores the variables' initial values as soon as no launch uses them.
func (v *Variables) Reset(ctx context.Context) error {
	if err := v.lock(ctx); err != nil {
		return err
	}
	defer v.mu.Unlock()
	if v.buf != nil {
		v.initialize()
	}
	return nil
}

func (v *Variables) lock(ctx context.Context) error {
	if v.mu.TryLock() {
		return nil
	}
	locked := make(chan struct{})
	go func() {
		v.mu.Lock()
		close(locked)
	}()
	select {
	case <-locked:
		return nil
	case <-ctx.Done():
		go func() {
			<-locked
			v.mu.Unlock()
		}()
		return context.Cause(ctx)
	}
}

func (v *Variables) initialize() {
	at := home(v.data)
	copy(v.buf, v.data[0].Bytes)
	for _, a := range v.data[0].Addresses {
		binary.LittleEndian.PutUint64(v.buf[a.At:], at[a.Data]+uint64(a.Plus))
	}
}

// home returns the canonical addresses of data, used in pointers between launches: each
// launch may place the data elsewhere. They are valid on no processor or engine.
func home(data []*kernel.Data) []uint64 {
	at, next := make([]uint64, len(data)), uint64(1)<<63
	for i, d := range data {
		at[i] = next
		next += (uint64(len(d.Bytes)) + 4096) &^ 4095
	}
	return at
}

// placeData assigns addresses to the program's data for a launch with the given argument
// block. It returns them and writes them to table unless that is nil.
func (p *Program) placeData(table contextBlock, block []byte, place func(b []byte) uint64) []uint64 {
	at := kernel.Place(p.Kernel.Data, p.Kernel.VariablesIn(block), func(_ int, b []byte) uint64 { return place(b) })
	if table != nil {
		for i, x := range at {
			table.put(8*i, x)
		}
	}
	return at
}

// keptPointers relocates pointers in a program's variables: pointers to the program's data
// get the addresses of a launch, and their canonical ones after it. Other pointers are not
// changed.
type keptPointers struct {
	data  []*kernel.Data
	block []byte   // the variables
	here  []uint64 // addresses of the data in the launch
}

// keptPointers returns the relocation for a launch that has the data at here; nil if the
// variables hold no pointers or the kernel does not use them.
func (p *Program) keptPointers(args []Arg, here []uint64) *keptPointers {
	i := p.Kernel.VariablesArg()
	if i < 0 || i >= len(args) || len(args[i].Buffer) == 0 || len(p.Kernel.Data[0].Pointers) == 0 {
		return nil
	}
	return &keptPointers{p.Kernel.Data, args[i].Buffer, here}
}

// enter relocates pointers in b, the variables or a copy of them, for the launch.
func (k *keptPointers) enter(b []byte) { k.translate(b, home(k.data), k.here) }

// leave restores the canonical pointers in the variables.
func (k *keptPointers) leave() { k.translate(k.block, k.here, home(k.data)) }

func (k *keptPointers) translate(b []byte, from, to []uint64) {
	order := make([]int, len(from))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(from[i], from[j]) })
	for _, at := range k.data[0].Pointers {
		word := b[at : at+kernel.AddressSize]
		p := binary.LittleEndian.Uint64(word)
		i, found := slices.BinarySearchFunc(order, p, func(i int, p uint64) int { return cmp.Compare(from[i], p) })
		if !found {
			i--
		}
		if i < 0 {
			continue
		}
		// A pointer may be one past the end of its object.
		if d := order[i]; p-from[d] <= uint64(len(k.data[d].Bytes)) {
			binary.LittleEndian.PutUint64(word, p-from[d]+to[d])
		}
	}
}
