package launch

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/launch/native"
	"github.com/simtc/simtc/targets/x86/emulate"
)

// NewEmulated returns an executor that runs machine code in an emulator, on one core. The
// Line of an instruction is an index of places. The code needs spill bytes below its
// private memory. maxSteps bounds the instructions of one run of work-items; 0 means no
// bound. The number of executed instructions is added to executed.
func NewEmulated(p Program, code *emulate.Program, places *diag.Places, spill int, maxSteps uint64, executed *atomic.Uint64) Executor {
	return &nativeExecutor{Program: p, processor: &emulatedProcessor{code, places, maxSteps, executed}, spill: spill}
}

type emulatedProcessor struct {
	code     *emulate.Program
	places   *diag.Places
	maxSteps uint64
	executed *atomic.Uint64
}

// maxWorkers is 1: the emulator's memory accesses are not atomic.
func (p *emulatedProcessor) maxWorkers(int) int    { return 1 }
func (p *emulatedProcessor) newArea() *native.Area { return nil }
func (p *emulatedProcessor) close() error          { return nil }

func (p *emulatedProcessor) memory(base addresses) addresses {
	if base == nil {
		return &regions{next: firstAddress}
	}
	l := base.(*regions)
	return &regions{list: slices.Clip(l.list), next: l.next}
}

func (p *emulatedProcessor) runAll(ctx context.Context, w *nativeWorker, next func() bool) error {
	r := w.memory.(*regions)
	if r.machine == nil {
		stack := r.of(make([]byte, 8)) // the address to return to
		var err error
		if r.machine, err = emulate.NewMachine(p.code, r.list); err != nil {
			return err
		}
		r.machine.Spoil()
		r.machine.SetGPR(stackRegister, stack)
	}
	defer func(before uint64) { p.executed.Add(r.machine.Steps - before) }(r.machine.Steps)
	for {
		r.machine.SetGPR(argumentRegister, w.at)
		if err := r.machine.Run(ctx, p.maxSteps); err != nil {
			at := r.machine.Next()
			var f *emulate.Fault
			if errors.As(err, &f) {
				at = f.Inst
			}
			return located(p.places.At(int(at.Line)), err)
		}
		if !next() {
			return nil
		}
	}
}

const (
	argumentRegister = 7 // rdi
	stackRegister    = 4 // rsp
)

// regions gives each slice an address far from all others, so that an access outside of it
// faults.
type regions struct {
	list    []emulate.Region
	next    uint64
	machine *emulate.Machine // of the worker whose memory it is
}

const (
	firstAddress = 1 << 32
	regionGap    = 1 << 20
	pageBytes    = 4096
)

func (r *regions) fixed(b []byte) uint64 { return r.of(b) }

// of assigns b an address that has the alignment of b within a page.
func (r *regions) of(b []byte) uint64 {
	if len(b) == 0 {
		return 0
	}
	at := r.next + uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))%pageBytes)
	r.list = append(r.list, emulate.Region{Address: at, Bytes: b})
	r.next = (at+uint64(len(b))+pageBytes-1)&^(pageBytes-1) + regionGap
	return at
}

func (r *regions) release() {}
