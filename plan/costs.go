// Package plan estimates the cost of vector functions and picks the candidate that is
// cheapest per work-item. Candidates are one kernel linearized by several strategies at
// several widths, including width 1 (scalar code), as VPlan compares plans before any of
// them is executed.
//
// The target's descriptor, Costs, gives the cost of operations. This package must be free
// of target names, of the kernel IR and of the construction of candidates.
package plan

import (
	"math/bits"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/legalize"
)

// Costs is the cost model of a target. All costs are nanoseconds on the machine the table
// was measured on; only their ratios matter to the choice.
type Costs struct {
	// Widths are the candidate widths, ascending.
	Widths []int

	RegisterBits int // bits of a vector register
	Lanes        int // maximum lanes of one register, and of one mask
	// LanesOf overrides Lanes for the code of a function at some width; nil: always Lanes.
	LanesOf func(f *vir.Func, width int) int

	// Part is the minimum cost of an operation on part of a register, as a share of that on
	// a whole one.
	Part float64

	// Numbers of registers by class. With no mask registers, masks live in vector
	// registers, with lanes as wide as those of the compared values.
	VectorRegisters, ScalarRegisters, MaskRegisters int

	Spill      float64 // a store and a reload of a register
	MaskSpill  float64 // a mask kept in another kind of register
	Reload     float64 // a reload alone, or its use as a memory operand
	Branch     float64 // a correctly predicted branch on a scalar
	MaskBranch float64 // a branch on whether a mask is empty
	MaskExit   float64 // a branch on a mask that exits a loop
	Skip       float64 // minimum cost of a region that gets a bypass branch
	BackEdge   float64 // a loop's back edge, including the check for cancellation
	Mispredict float64 // a mispredicted branch
	Strips     float64 // cost of an iteration of the scalar loop over work-items, in mispredictions of an evenly taken branch

	// MaskedLoad and MaskedStore are the extra costs of a masked contiguous access per
	// register; MaskedOnce is the extra cost of a masked load of any width: the test for an
	// empty mask. MaskedPrivate replaces MaskedStore for stores to private memory: no one
	// else writes there, but the data is soon loaded again, and processors do not forward
	// masked stores.
	MaskedLoad, MaskedStore, MaskedPrivate, MaskedOnce float64

	// MaskedSmall is a further cost of a masked load of elements smaller than ScatterSize
	// bytes, which needs masks with other lane sizes.
	MaskedSmall float64

	// LaneShift is the extra cost per lane of a shift by a varying amount; 0: none.
	LaneShift float64

	// Near is the cost of a contiguous access to private memory, which is always in the L1
	// cache, as a share of the usual cost. NearLanes is the same for gathers and scatters;
	// 0 means the usual cost.
	Near, NearLanes float64

	// ScatterSize is the smallest element size in bytes with a scatter instruction. For
	// smaller elements Rows assumes that each lane stores with probability 1/2.
	ScatterSize int

	// Bandwidth is the memory bandwidth in bytes per ns of one thread of several.
	Bandwidth float64

	// Window is the size of the out-of-order window in operations. It determines how far
	// the next iteration overlaps with a chain of dependent operations.
	Window float64

	// Overlap is the exponent of the norm that combines the time of a loop's operations
	// with that of its dependence chains or spills: at infinity the smaller one is entirely
	// hidden.
	Overlap float64

	// ScalarWork is the cost of an operation in code of width 1, as a share of its usual
	// cost: other scalar operations run in parallel with it.
	ScalarWork float64

	// MaxLength is the function length (Estimate.Length) that the target certainly accepts; 0: any.
	MaxLength int

	// FoldsAddresses means that memory operands add a base, an index times 1, 2, 4 or 8 and
	// a constant for free.
	FoldsAddresses bool

	// Rows has a row for every operation of vir.
	Rows map[vir.Op]Row

	laneBits int // lane size of masks in vector registers, in the function being estimated
}

// Row is the cost of an operation. The arrays are indexed by the log2 of the element size
// in bytes, of the operand or the result, whichever is larger.
type Row struct {
	Scalar        [4]float64 // on scalars
	Vector        [4]float64 // per register
	Lane          [4]float64 // plus this per lane
	Once          float64    // plus this per vector of any width
	Mask          float64    // on masks, per register
	Latency       float64    // from vector operands to the result
	ScalarLatency float64
	Simple        bool // executes like integer sums and logic in vector units
	Kind          Kind
}

// Kind is the category of a cost in reports.
type Kind uint8

const (
	Arithmetic Kind = iota
	Division
	Masks
	Moves // between lanes and scalars
	Contiguous
	Gathers
	Scatters
	ScalarMemory
	// Costs that belong to no operation:
	Control
	Chains // latency of dependence chains
	Spills
	Streams // waiting for data that is streamed through once
	Waste   // lanes that idle while others iterate
	numKinds
)

var kindNames = [numKinds]string{
	"arithmetic", "divisions", "masks", "lane moves", "vector memory", "gathers", "scatters", "scalar memory",
	"control", "latency", "spills", "bandwidth", "idle lanes",
}

func (k Kind) String() string { return kindNames[k] }

// Same returns a row's array for operations that cost the same at all sizes.
func Same(ns float64) [4]float64 { return [4]float64{ns, ns, ns, ns} }

// registers returns the number of registers that hold a value of type t.
func (c *Costs) registers(t vir.Type) int {
	lanes := (t.Lanes + c.Lanes - 1) / c.Lanes
	if t.IsMask() && c.MaskRegisters > 0 {
		return lanes
	}
	size := t.Elem.Bits()
	if t.IsMask() {
		size = c.RegisterBits / c.Lanes
		if c.laneBits > 0 {
			return max(1, c.laneBits*t.Lanes/c.RegisterBits)
		}
	}
	return max(1, lanes, (size*t.Lanes+c.RegisterBits-1)/c.RegisterBits)
}

// share returns the cost of an operation on t relative to one on a whole register.
func (c *Costs) share(t vir.Type) float64 {
	whole := c.registers(t)
	filled := float64(t.Bits()) / float64(whole*c.RegisterBits)
	if t.Elem == alu.I1 {
		filled = 1
	}
	return float64(whole) * max(c.Part, filled)
}

func sizeOf(t vir.Type) int { return bits.Len(uint(max(1, t.Elem.Size()))) - 1 }

// pricing is Costs for code of another width than that of the analyzed function: each
// vector stands for one of width/built times as many lanes.
type pricing struct {
	*Costs
	width, built int
}

// scaled returns t at the estimated width. Parts of vectors, such as rows of a tile, keep their
// length, and their number differs.
func (c *pricing) scaled(t vir.Type) vir.Type {
	if t.Lanes >= c.built {
		t.Lanes = max(1, t.Lanes*c.width/c.built)
	}
	return t
}

// parts returns how many operations stand for v: several, or less than one, for a part of a vector.
func (c *pricing) parts(v *vir.Value) float64 {
	if n := widest(v).Lanes; n > 1 && n < c.built {
		return float64(c.width) / float64(c.built)
	}
	return 1
}

// priced returns the type that determines an operation's cost, at the estimated width.
func (c *pricing) priced(v *vir.Value) vir.Type { return c.scaled(widest(v)) }

// widest returns the type of the widest value of v.
func widest(v *vir.Value) vir.Type {
	t := v.Type
	wider := func(u vir.Type) {
		if u.Lanes > t.Lanes || u.Lanes == t.Lanes && u.Bits() > t.Bits() {
			t = u
		}
	}
	switch v.Op {
	case vir.Store:
		t = v.Args[1].Type
	case vir.VStore:
		t = v.Args[1].Type
	case vir.Scatter:
		t = v.Args[2].Type
	case vir.VLoad, vir.Gather, vir.Load, vir.Context:
	default:
		for _, a := range v.Args {
			wider(a.Type)
		}
	}
	return t
}

// price returns the cost and the latency of an operation, and the row's kind.
func (c *pricing) price(v *vir.Value) (ns, latency float64, kind Kind) {
	op, t := v.Op, c.priced(v)
	if op == vir.CmpXchg && c.width > 1 {
		// With one address a single lane succeeds per iteration, and the others retry.
		op, t = vir.VCmpXchg, vir.Vec(v.Type.Elem, c.width)
	}
	row := c.Rows[op]
	ns = c.Operation(op, t) * c.parts(v)
	switch op {
	case alu.Shl, alu.LShr, alu.AShr, alu.Rotl:
		if by := v.Args[1]; t.Lanes > 1 && by.Op != vir.Const && by.Op != vir.Splat {
			ns += c.LaneShift * float64(t.Lanes)
		}
	case vir.Shuffle:
		ns = row.Vector[sizeOf(t)] * c.shuffles(v)
	case vir.Concat:
		if n := c.perRegister(v.Type); !t.IsMask() && c.scaled(v.Args[0].Type).Lanes%n == 0 {
			ns = 0 // no registers change
		}
	}
	switch {
	case t.IsScalar():
		return ns, row.ScalarLatency, row.Kind
	case t.IsMask():
		return ns, row.Latency, masks(row.Kind)
	}
	if n := vir.InfoOf(v.Op).Mask; n > 0 && n < len(v.Args) && v.Args[n].Op != vir.Const {
		switch v.Op {
		case vir.VLoad:
			ns += c.MaskedOnce + c.MaskedLoad*float64(c.registers(t))
			if t.Elem.Size() < c.ScatterSize {
				ns += c.MaskedSmall * float64(c.registers(t))
			}
		case vir.VStore:
			ns += c.MaskedStore * float64(c.registers(t))
		}
	}
	kind = row.Kind
	if kind == Arithmetic && alu.InfoOf(v.Op).Class == alu.Compare {
		kind = Masks
	}
	return ns, row.Latency, kind
}

// perRegister returns the number of lanes of t per register.
func (c *pricing) perRegister(t vir.Type) int {
	return min(c.Lanes, c.RegisterBits/max(t.Elem.Bits(), 1))
}

// shuffles returns the number of two-register shuffles that make v: taking lanes from n
// registers needs n-1, or log n if elements of structs are separated or interleaved, and at least one.
func (c *pricing) shuffles(v *vir.Value) float64 {
	per := min(c.perRegister(v.Type), len(v.Lanes))
	total := 0
	steps := legalize.InSteps(v)
	for from := 0; from < len(v.Lanes); from += per {
		var registers []int
		for _, l := range v.Lanes[from:min(from+per, len(v.Lanes))] {
			if !slices.Contains(registers, l/per) {
				registers = append(registers, l/per)
			}
		}
		n := len(registers) - 1
		if steps {
			n = bits.Len(uint(n))
		}
		total += max(1, n)
	}
	// at the estimated width, not the built one
	return float64(total*c.width) / float64(c.built)
}

// Operation returns the cost in ns of an operation on values of type t.
func (c *Costs) Operation(op vir.Op, t vir.Type) float64 {
	row, size := c.Rows[op], sizeOf(t)
	switch {
	case t.IsScalar():
		return row.Scalar[size]
	case t.IsMask():
		return row.Mask * float64(c.registers(t))
	}
	return row.Vector[size]*c.share(t) + row.Lane[size]*float64(t.Lanes) + row.Once
}

// masks returns the kind of an operation of kind k on masks.
func masks(k Kind) Kind {
	if k == Arithmetic {
		return Masks
	}
	return k
}
