package lower

import "github.com/simtc/simtc/kernel"

// defs holds the definitions of one variable by block: an open hash table
// whose entries keep key and value together, for lookups are most of what
// building SSA form does in large kernels, and a variable is in few blocks.
type defs struct {
	entries []def // a power of two, never full
	n       int
}

type def struct {
	block int32 // Block.ID + 1; 0 is free
	value *kernel.Value
}

// at returns where the definition in block is or goes.
func (d *defs) at(block int) *def {
	mask := uint32(len(d.entries) - 1)
	key := int32(block + 1)
	for i := uint32(key) * 0x9e3779b1 >> 7; ; i++ {
		if e := &d.entries[i&mask]; e.block == key || e.block == 0 {
			return e
		}
	}
}

// get returns the definition in block, or nil.
func (d *defs) get(block int) *kernel.Value {
	if d.n == 0 {
		return nil
	}
	return d.at(block).value
}

// set makes v the definition in block.
func (d *defs) set(block int, v *kernel.Value) {
	if 4*d.n >= 3*len(d.entries) {
		old := d.entries
		d.entries = make([]def, max(4, 2*len(old)))
		for _, e := range old {
			if e.block != 0 {
				*d.at(int(e.block - 1)) = e
			}
		}
	}
	e := d.at(block)
	if e.block == 0 {
		e.block = int32(block + 1)
		d.n++
	}
	e.value = v
}
