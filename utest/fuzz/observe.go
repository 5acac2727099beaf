package fuzz

import (
	"context"
	"encoding/binary"

	"github.com/simtc/simtc/internal/memory"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/kernel/interp"
)

// observedSteps limits the operations of one observed work-item.
const observedSteps = 1 << 20

// Observe interprets the kernel of c, one work-item after another. It calls visit for each
// executed block, and trace, if not nil, with the result of each operation.
func (c *Case) Observe(visit func(item [3]uint64, block int), trace func(item [3]uint64, v *kernel.Value, bits uint64)) error {
	r, err := c.Range.Resolve(c.Kernel.ReqdWorkGroupSize)
	if err != nil {
		return err
	}
	var mem memory.Space
	var args []byte
	for i, b := range c.Memory() {
		value := c.Scalars[i]
		if value == nil {
			value = binary.LittleEndian.AppendUint64(nil, mem.Add(b))
		}
		at := c.Kernel.Args[i].Offset
		args = append(args, make([]byte, max(at+len(value)-len(args), 0))...)
		copy(args[at:], value)
	}
	return interp.Run(context.Background(), c.Kernel, interp.Launch{
		Global: r.Global, Local: r.Local, Offset: r.Offset, Dims: r.Dims, Args: args, Memory: &mem,
		MaxSteps: observedSteps, Visit: visit, Trace: trace,
	})
}
