package widen

import (
	"math"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
)

// frame is the placement of each private object of a work-item. A private pointer is the
// offset in the work-item's own private memory, the same in all lanes; only an access
// turns it into an address at CtxScratch:
//
//   - an interleaved object, all of whose accesses have one size s, keeps the
//     lanes' elements side by side: offset o of lane l is at o*W + l*s, so
//     that an access at a uniform offset is contiguous;
//   - the others lie in one frame a lane: offset o of lane l is at
//     start + l*stride + o - start/W, with start the place of the first frame.
//
// Offsets are numbered so that both kinds follow from o alone. The third kind is
// identified by its object, which every access to it names:
//
//   - an object with the same contents in all lanes (divergence.Info.Shared) has one
//     copy after the frames. A write to one address needs no mask, since all lanes take part
//     in it.
type frame struct {
	offset []int // Alloca ID -> offset in private memory
	unit   []int // Alloca ID -> s of an interleaved object, 0 for the others
	shared []int // Alloca ID -> offset of the only copy, 0 for the others
	flat   int   // offset of the first object that is not interleaved
	stride int   // bytes of one lane's frame of those
	size   int   // bytes of scratch for all lanes
	lanes  int
}

// layoutFrame places every Alloca of k.
func layoutFrame(k *kernel.Func, info *divergence.Info, w int) frame {
	f := frame{offset: make([]int, k.NumValues()), unit: accessUnits(k), shared: make([]int, k.NumValues()), lanes: w}
	one := func(v *kernel.Value) bool { return w > 1 && info.Shared(v) }
	at := 16 // 0 stays a null pointer
	objects := 0
	place := func(interleaved bool) {
		for _, v := range k.Blocks[0].Values {
			if v.Op == kernel.Alloca && !one(v) && (f.unit[v.ID] > 0) == interleaved {
				at = (at + max(v.Align, 16) - 1) &^ (max(v.Align, 16) - 1)
				f.offset[v.ID] = at
				at += v.Size
				objects++
			}
		}
	}
	place(true)
	at = (at + 63) &^ 63
	f.flat = at
	place(false)
	if k.Uses(kernel.InPrivate) {
		at++ // so that a pointer to the end of an object lies in the frame
	}
	f.stride = (at - f.flat + 63) &^ 63
	if f.stride > 0 && f.stride%4096 == 0 {
		f.stride += 64 // lanes a page apart would map to the same cache set
	}
	size := int64(0) // launches reject sizes above the range of an int of 32 bits
	if objects > 0 {
		size = int64(f.flat+f.stride) * int64(w)
	}
	end := max(size, 64) // offset 0 stays a null pointer here as well
	for _, v := range k.Blocks[0].Values {
		if v.Op == kernel.Alloca && one(v) {
			align, around := int64(max(v.Align, 16)), int64(0)
			if v.Shared { // a masked access of W lanes may access whole vectors
				around = int64(8 * w)
			}
			end = (end + around + align - 1) &^ (align - 1)
			f.shared[v.ID] = int(end)
			end += int64(v.Size) + around
			size = (end + 63) &^ 63
		}
	}
	f.size = int(min(size, math.MaxInt))
	return f
}

// objects lists the private objects for the report.
func (f frame) objects(k *kernel.Func) []Private {
	var out []Private
	for _, v := range k.Blocks[0].Values {
		if v.Op == kernel.Alloca {
			p := Private{Object: v, Interleaved: f.unit[v.ID] > 0 && f.shared[v.ID] == 0, Shared: f.shared[v.ID] > 0}
			switch {
			case p.Shared:
				p.Taken = v.Size
			case p.Interleaved:
				p.Taken = (v.Size + 15) &^ 15 * f.lanes // aligned to 16
			default:
				p.Taken = f.stride * f.lanes
			}
			out = append(out, p)
		}
	}
	return out
}

// accessUnits finds the objects that are only accessed directly (the address
// of an access leads to the Alloca through PtrAdds) and with one element
// size at multiples of it.
func accessUnits(k *kernel.Func) []int {
	unit := make([]int, k.NumValues())
	bad := make([]bool, k.NumValues())
	root := func(p *kernel.Value) *kernel.Value {
		for p.Op == kernel.PtrAdd {
			p = p.Args[0]
		}
		if p.Op == kernel.Alloca {
			return p
		}
		return nil
	}
	escape := func(p *kernel.Value) {
		if r := root(p); r != nil {
			bad[r.ID] = true
		}
	}
	for _, b := range k.Blocks {
		for _, v := range b.Values {
			args := v.Args
			switch v.Op {
			case kernel.Load, kernel.Store:
				size := v.Type.Size()
				if v.Op == kernel.Store {
					size = v.Args[1].Type.Size()
				}
				if r := root(args[0]); r != nil {
					if unit[r.ID] != 0 && unit[r.ID] != size || v.Align%size != 0 {
						bad[r.ID] = true
					}
					unit[r.ID] = size
				}
				args = args[1:]
			case kernel.PtrAdd:
				args = args[1:]
			}
			for _, a := range args {
				escape(a)
			}
		}
		if b.Cond != nil {
			escape(b.Cond)
		}
		for _, e := range b.Edges {
			for _, a := range e.Args {
				escape(a)
			}
		}
	}
	for id := range unit {
		if bad[id] {
			unit[id] = 0
		}
	}
	// Objects that are never accessed need no memory; give them a unit.
	for _, v := range k.Blocks[0].Values {
		if v.Op == kernel.Alloca && unit[v.ID] == 0 && !bad[v.ID] {
			unit[v.ID] = alu.I32.Size()
		}
	}
	return unit
}
