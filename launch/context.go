package launch

import (
	"context"
	"encoding/binary"

	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/vir"
)

// contextBlock is a launch context in memory; package vir defines its layout.
type contextBlock []byte

func (c contextBlock) put(offset int, v uint64) { binary.LittleEndian.PutUint64(c[offset:], v) }

func (c contextBlock) get(offset int) uint64 { return binary.LittleEndian.Uint64(c[offset:]) }

func (c contextBlock) put3(offset int, v [3]uint64) {
	for d := range 3 {
		c.put(offset+8*d, v[d])
	}
}

// setRange writes the fields that are constant for a launch.
func (c contextBlock) setRange(r Range) {
	c.put3(vir.CtxGlobalSize, r.Global)
	c.put3(vir.CtxGlobalOffset, r.Offset)
	for d := range 3 {
		c.put(vir.CtxNumGroups+8*d, (r.Global[d]+r.Local[d]-1)/r.Local[d])
	}
	c.put(vir.CtxWorkDim, uint64(r.Dims))
}

// setRun writes the fields that differ between runs.
func (c contextBlock) setRun(r Range, x run) {
	c.put(vir.CtxCount, x.count)
	c.put3(vir.CtxGroup, x.group)
	c.put(vir.CtxGroups, x.groups)
	c.put3(vir.CtxLocalSize, x.size)
	for d := range 3 {
		c.put(vir.CtxStart+8*d, x.start[d]+r.Offset[d])
		c.put(vir.CtxLocalStart+8*d, x.start[d]-x.group[d]*r.Local[d])
	}
	clear(c[vir.CtxState:][:kernel.StateSize])
}

// fault returns an error if the state of the group that has run shows that its
// work-items did not all reach the same barrier.
func (c contextBlock) fault(ctx context.Context, p *Program, x run) error {
	if !p.Phases {
		return nil
	}
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(c[vir.CtxState+at:]) }
	group := x.group
	if word(kernel.StateLast) == 0 {
		group[0] += uint64(word(kernel.StateSplitIn))
	} else {
		group[0] += uint64(word(kernel.StateGroup))
	}
	exchange(&group, p.LaneDim)
	err := p.Kernel.StateFault(group, word(kernel.StateFirst), word(kernel.StateLast), word(kernel.StateSplit), p.Strict)
	if err != nil {
		return fault(ctx, p.Kernel.Name, err)
	}
	return nil
}
