package launch

import (
	"slices"
	"sort"
	"unsafe"

	"github.com/simtc/simtc/kernel"
	wasmsimd "github.com/simtc/simtc/targets/wasm-simd"
	"github.com/simtc/simtc/vir"
)

// wasmLayout is the layout of a launch in the engine's memory.
type wasmLayout struct {
	contexts, scratches, locals, profiles uint64 // arrays with an element per worker
	scratch, counters                     uint64 // bytes per worker
	local                                 uint64 // bytes per worker, including the unused bytes after it

	objects []*object
	block   []byte // the arguments
	blockAt uint64
	data    []*object
	table   contextBlock // addresses of the module's data
	tableAt uint64
	kept    *keptPointers

	end uint64
}

// localFree is the number of unused bytes before and after a worker's local memory: a
// masked store at its start or end rewrites the bytes of inactive lanes.
const localFree = wasmsimd.LocalFree

// layOut assigns addresses from from on to all data of a launch except the printf buffer,
// whose address is log.
func (e *wasmExecutor) layOut(from, log uint64, space space, threads int, args []Arg) (*wasmLayout, error) {
	l := arena{next: from}
	out := &wasmLayout{
		scratch: (uint64(space.scratch) + 63) &^ 63, local: (uint64(space.local) + localFree + localAlign - 1) &^ (localAlign - 1), counters: uint64(e.counterBytes()),
	}
	n := uint64(threads)
	out.contexts = l.take(n * vir.CtxSize)
	out.scratches = l.take(n * out.scratch)
	l.next = (l.next + localAlign - 1) &^ (localAlign - 1)
	out.locals = l.take(localFree+n*out.local) + localFree
	out.profiles = l.take(n * out.counters)
	var placed []uint64
	out.objects, placed = placeBuffers(&l, log, e.memory, args)
	var err error
	out.block, err = layOut(e.Kernel, args, func(i int, b []byte) uint64 {
		if i >= 0 {
			return placed[i]
		}
		o := &object{bytes: b, at: l.take(uint64(len(b)))}
		out.objects = append(out.objects, o)
		return o.at
	})
	if err != nil {
		return nil, err
	}
	out.blockAt = l.take(uint64(len(out.block)))
	out.table = make(contextBlock, 8*max(len(e.Kernel.Data), 1))
	at := e.placeData(out.table, out.block, func(bytes []byte) uint64 {
		o := &object{bytes: bytes, at: l.take(uint64(len(bytes)))}
		out.data = append(out.data, o)
		return o.at
	})
	out.kept = e.keptPointers(args, at)
	out.tableAt = l.take(uint64(len(out.table)))
	out.end = l.next
	return out, nil
}

// inEngine reports whether some buffers lie in the engine's memory.
func (o *wasmLayout) inEngine() bool {
	return slices.ContainsFunc(o.objects, func(o *object) bool { return o.there })
}

// copyIn fills the memory before a launch.
func (o *wasmLayout) copyIn(memory []byte, e *wasmExecutor) {
	for _, x := range o.objects {
		switch {
		case x.there:
		case x.log:
			copy(memory[x.at:], x.bytes[:kernel.PrintfHeader])
		default:
			copy(memory[x.at:], x.bytes)
		}
	}
	copy(memory[o.blockAt:], o.block)
	copy(memory[o.tableAt:], o.table)
	for _, d := range o.data {
		copy(memory[d.at:], d.bytes)
	}
	if k := o.kept; k != nil {
		k.enter(memory[k.here[0]:])
	}
}

// copyOut copies back the memory that the kernel may have written.
func (o *wasmLayout) copyOut(memory []byte, e *wasmExecutor) {
	for _, x := range o.objects {
		switch {
		case x.there:
		case x.log:
			used := memory[x.at:][:logUsed(memory[x.at:][:len(x.bytes)])]
			copy(x.bytes, used)
			clear(used) // the next launch finds zeros
		case x.written(e.spared):
			copy(x.bytes, memory[x.at:])
		}
	}
	if o.kept != nil {
		o.kept.leave()
	}
}

// arena allocates ascending addresses, aligned to 64.
type arena struct{ next uint64 }

func (a *arena) take(n uint64) uint64 {
	at := a.next
	a.next = (at + n + 63) &^ 63
	return at
}

// object is a contiguous range of the caller's memory that contains buffers.
type object struct {
	bytes []byte
	at    uint64 // address in the engine's memory
	args  []int  // the arguments that point into it
	there bool   // it lies in the engine's memory, at that address
	log   bool   // it is a printf buffer: see Printf
}

// written reports whether the kernel may write to the object.
func (o *object) written(spared []bool) bool {
	for _, i := range o.args {
		if !spared[i] {
			return true
		}
	}
	return false
}

// placeBuffers assigns each buffer an address: its own if it lies in memory, else one of
// the arena, or log for the printf buffer. Buffers that overlap still do in the engine.
func placeBuffers(l *arena, log uint64, memory *EngineMemory, args []Arg) ([]*object, []uint64) {
	var order []int
	var logs []*object
	for i, a := range args {
		switch {
		case a.log:
			logs = append(logs, &object{bytes: a.Buffer, at: log, args: []int{i}, log: true})
		case len(a.Buffer) > 0:
			order = append(order, i)
		}
	}
	start := func(i int) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(args[i].Buffer))) }
	sort.SliceStable(order, func(a, b int) bool { return start(order[a]) < start(order[b]) })
	var objects []*object
	placed := make([]uint64, len(args))
	var base uintptr
	for _, i := range order {
		b := args[i].Buffer
		if n := len(objects); n > 0 && start(i) < base+uintptr(len(objects[n-1].bytes)) {
			o := objects[n-1]
			if end := start(i) - base + uintptr(len(b)); end > uintptr(len(o.bytes)) {
				// Overlapping slices belong to one allocation.
				o.bytes = unsafe.Slice(unsafe.SliceData(o.bytes), end)
			}
			o.args = append(o.args, i)
			continue
		}
		base = start(i)
		objects = append(objects, &object{bytes: b, args: []int{i}})
	}
	for _, o := range objects {
		if o.at, o.there = memory.address(o.bytes); !o.there {
			o.at = l.take(uint64(len(o.bytes)))
		}
		for _, i := range o.args {
			placed[i] = o.at + uint64(start(i)-start(o.args[0]))
		}
	}
	for _, o := range logs {
		placed[o.args[0]] = o.at
		objects = append(objects, o)
	}
	for i, a := range args {
		if a.isBuf && a.Buffer != nil && len(a.Buffer) == 0 {
			placed[i] = l.next // not null, and 64 bytes that nothing else uses
			l.take(64)
		}
	}
	return objects, placed
}
