package launch

import (
	"context"
	"fmt"

	"github.com/simtc/simtc/launch/native"
	"github.com/simtc/simtc/targets/avx512/frame"
	"github.com/simtc/simtc/vir"
)

// nativeExecutor runs machine code in this process.
type nativeExecutor struct {
	Program
	code  *native.Code
	spill int
}

// NewNative loads machine code that is entered at offset entry and whose resume
// stub is at resume; spill is the spill space in bytes it needs.
func NewNative(p Program, text []byte, entry, resume, spill int) (Executor, error) {
	code, err := native.Load(native.Image{Text: text, Entries: []int{entry}, Resume: resume})
	if err != nil {
		return nil, err
	}
	return &nativeExecutor{p, code, spill}, nil
}

func (e *nativeExecutor) Close() error { return e.code.Close() }

func (e *nativeExecutor) Profile(ctx context.Context, r Range, args []Arg, threads int) ([]Count, error) {
	r, err := r.Resolve(e.Kernel.ReqdWorkGroupSize)
	if err != nil {
		return nil, err
	}
	space, err := e.room(r, args)
	if err != nil {
		return nil, err
	}
	var pins native.Pins
	defer pins.Release()
	block, err := layOut(e.Kernel, args, func(_ int, b []byte) uint64 { return uint64(pins.Bytes(b)) })
	if err != nil {
		return nil, err
	}
	table := make([]byte, 8*max(len(e.Kernel.Data), 1))
	for i, d := range e.Kernel.Data {
		contextBlock(table).put(8*i, uint64(pins.Bytes(d.Bytes)))
	}
	blockAt, tableAt := uint64(pins.Bytes(block)), uint64(pins.Bytes(table))
	total := newCounts(&e.Program)
	err = e.launch(ctx, r, space.workers(threads), func() (worker, error) {
		w := &nativeWorker{e: e, total: total, ctx: contextBlock(native.AlignedBytes(vir.CtxSize, 64))}
		w.area = frame.NewArea(e.spill)
		scratch := native.AlignedBytes(max(space.scratch, 64), 64)
		w.ctx.put(vir.CtxArgs, blockAt)
		w.ctx.put(vir.CtxData, tableAt)
		w.ctx.put(vir.CtxScratch, uint64(w.pins.Bytes(scratch)))
		if space.local > 0 {
			w.ctx.put(vir.CtxLocal, uint64(w.pins.Bytes(native.AlignedBytes(space.local, localAlign))))
		}
		w.ctx.put(vir.CtxSave, uint64(w.area.Address()))
		if e.Counters > 0 {
			w.counters = native.AlignedBytes(e.counterBytes(), 64)
			w.ctx.put(vir.CtxProfile, uint64(w.pins.Bytes(w.counters)))
		}
		w.at = w.pins.Bytes(w.ctx)
		return w, nil
	})
	return total.sum, err
}

type nativeWorker struct {
	e     *nativeExecutor
	ctx   contextBlock
	at    uintptr
	area  *frame.Area
	pins  native.Pins
	begun bool

	counters []byte
	total    *counts
}

func (w *nativeWorker) done() {
	w.total.add(w.counters)
	w.pins.Release()
}

// run sets from row to row only what differs: where they are. Kernels that ask
// for groups have no more than one.
func (w *nativeWorker) run(ctx context.Context, r Range, x run) error {
	if !w.begun {
		w.begun = true
		w.ctx.setRange(r)
	}
	w.ctx.setRun(r, x)
	row, end := x.start[1]+r.Offset[1], x.start[1]+r.Offset[1]+x.rows
	next := func() bool {
		row++
		w.ctx.put(vir.CtxStart+8, row)
		return row < end
	}
	if err := w.e.code.RunAll(ctx, 0, w.at, w.area, next); err != nil {
		return fmt.Errorf("kernel %s: %w", w.e.Kernel.Name, err)
	}
	return w.ctx.fault(&w.e.Program, x)
}
