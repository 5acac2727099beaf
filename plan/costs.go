// Package plan prices vector functions and picks the candidate that is
// cheapest for each work-item: one and the same kernel made uniform in several
// ways and widths, width 1 (plain scalar code) among them, as VPlan compares
// plans before any of them is carried out.
//
// What operations cost is said by the target's descriptor, Costs. It must not
// know any target by name, nor the kernel IR, nor how candidates are built.
package plan

import (
	"math/bits"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// Costs describes what code costs on a target. All costs are nanoseconds on
// the machine the table was made on; only their ratios matter to the choice.
type Costs struct {
	// Widths are the candidates, ascending.
	Widths []int

	RegisterBits int // bits of a vector register
	Lanes        int // most lanes of one register, and of one mask
	// LanesOf is what Lanes is for the code of a function at some width; nil: always Lanes.
	LanesOf func(f *vir.Func, width int) int

	// Part is the least share of a whole register's cost that an operation on
	// part of a register has.
	Part float64

	// Registers that values may live in at once, by class. No mask registers:
	// masks live in vector registers, a lane as wide as what they were
	// compared from.
	VectorRegisters, ScalarRegisters, MaskRegisters int

	Spill      float64 // a store and a reload of a register
	MaskSpill  float64 // a mask kept in another kind of register
	Reload     float64 // a reload alone, or its use as an operand in memory
	Branch     float64 // a branch on a scalar that is guessed right
	MaskBranch float64 // one on whether a mask is empty
	MaskExit   float64 // and on one by which a loop is left
	Skip       float64 // what a region must cost to be worth a look whether a lane needs it
	BackEdge   float64 // a loop's way back, with what lets it be stopped
	Mispredict float64 // a branch that is guessed wrong
	Strips     float64 // what a round of the loop over work-items one by one costs, in branches that go each way as often

	// MaskedLoad and MaskedStore are what a mask adds to a contiguous access, for
	// each register, and MaskedOnce what it adds to a load of any width: the
	// question whether there is a lane. MaskedPrivate takes MaskedStore's place for
	// a store to private memory: nobody else writes there, but it is soon loaded
	// again, and processors do not forward what a masked store stores.
	MaskedLoad, MaskedStore, MaskedPrivate, MaskedOnce float64

	// MaskedSmall is what a mask adds to a load of elements of fewer than ScatterSize bytes
	// besides: masks of other lanes are put together for it.
	MaskedSmall float64

	// LaneShift is what a shift of lanes by numbers of their own costs besides, for
	// each lane; 0: it costs what one by the same number does.
	LaneShift float64

	// Near is what share of its cost an access to a row of lanes has if it is to
	// private memory, which is always in the nearest cache, and NearLanes one to places
	// of the lanes' own; 0: all of it.
	Near, NearLanes float64

	// ScatterSize is the size in bytes of the least elements that one instruction
	// scatters. What Rows say of others is for lanes that store or not by chance.
	ScatterSize int

	// Bandwidth is how many bytes memory delivers in a ns, to one thread of several.
	Bandwidth float64

	// Window is how many operations the machine looks ahead: how much of the
	// next iteration it overlaps with a chain of dependent operations.
	Window float64

	// Overlap is the exponent by which the time that operations take and the time
	// that chains of them take, or spills, make up a loop's: at infinity, all of the
	// smaller is hidden behind the larger.
	Overlap float64

	// ScalarWork is the share of its cost that an operation has in code of width 1:
	// other scalar operations run beside it, not those of vectors.
	ScalarWork float64

	// MaxLength is what length of a function (Estimate.Length) the target surely
	// takes; 0: any.
	MaxLength int

	// FoldsAddresses says that memory operands add a base, an index times 1, 2,
	// 4 or 8 and a constant for nothing.
	FoldsAddresses bool

	// Rows has a row for every operation of vir.
	Rows map[vir.Op]Row

	laneBits int // of masks in vector registers, in the function that is priced
}

// Row is the cost of an operation. The arrays go by the log2 of the size in
// bytes of the elements: of the operand's or the result's, whichever is larger.
type Row struct {
	Scalar        [4]float64 // on scalars
	Vector        [4]float64 // for each register
	Lane          [4]float64 // and for each lane
	Once          float64    // and for a vector of any width
	Mask          float64    // on masks, for each register
	Latency       float64    // from vector operands to the result
	ScalarLatency float64
	Simple        bool // vector units take it as sums and logic of integers
	Kind          Kind
}

// Kind is what reports call an operation's cost.
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
	// What is no operation's cost.
	Control
	Chains // waiting for dependent operations
	Spills
	Streams // waiting for memory that is gone through once
	Waste   // lanes that idle while others go round a loop
	numKinds
)

var kindNames = [numKinds]string{
	"arithmetic", "divisions", "masks", "lane moves", "vector memory", "gathers", "scatters", "scalar memory",
	"control", "latency", "spills", "bandwidth", "idle lanes",
}

func (k Kind) String() string { return kindNames[k] }

// Same makes a row's array for operations that cost the same on all sizes.
func Same(ns float64) [4]float64 { return [4]float64{ns, ns, ns, ns} }

// registers is how many registers hold a value of type t.
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

// share is what an operation on t costs, in operations on a whole register.
func (c *Costs) share(t vir.Type) float64 {
	whole := c.registers(t)
	filled := float64(t.Bits()) / float64(whole*c.RegisterBits)
	if t.Elem == alu.I1 {
		filled = 1
	}
	return float64(whole) * max(c.Part, filled)
}

func sizeOf(t vir.Type) int { return bits.Len(uint(max(1, t.Elem.Size()))) - 1 }

// pricing is Costs for code of another width than that of the function that
// is looked at: each vector stands for one of times/per as many lanes.
type pricing struct {
	*Costs
	width, built int
}

// scaled is t in the code that is priced.
func (c *pricing) scaled(t vir.Type) vir.Type {
	if t.Lanes > 1 {
		t.Lanes = max(1, t.Lanes*c.width/c.built)
	}
	return t
}

// priced is the type that an operation's cost goes by: that of its widest
// value.
func (c *pricing) priced(v *vir.Value) vir.Type {
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
	return c.scaled(t)
}

// price returns the cost and the latency of an operation, and the row's kind.
func (c *pricing) price(v *vir.Value) (ns, latency float64, kind Kind) {
	op, t := v.Op, c.priced(v)
	if op == vir.CmpXchg && c.width > 1 {
		// At one address one lane a round succeeds, and the others try again.
		op, t = vir.VCmpXchg, vir.Vec(v.Type.Elem, c.width)
	}
	row := c.Rows[op]
	ns = c.Operation(op, t)
	switch op {
	case alu.Shl, alu.LShr, alu.AShr, alu.Rotl:
		if by := v.Args[1]; t.Lanes > 1 && by.Op != vir.Const && by.Op != vir.Splat {
			ns += c.LaneShift * float64(t.Lanes)
		}
	case vir.Shuffle:
		ns = row.Vector[sizeOf(t)] * c.shuffles(v)
	case vir.Concat:
		if n := c.perRegister(v.Type); !t.IsMask() && c.scaled(v.Args[0].Type).Lanes%n == 0 {
			ns = 0 // registers stay what they are
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

// perRegister is how many lanes of t a register holds.
func (c *pricing) perRegister(t vir.Type) int {
	return min(c.Lanes, c.RegisterBits/max(t.Elem.Bits(), 1))
}

// shuffles is how many shuffles of two registers make v: to take lanes out of n
// registers takes n-1, but at least one.
func (c *pricing) shuffles(v *vir.Value) float64 {
	per := min(c.perRegister(v.Type), len(v.Lanes))
	total := 0
	for from := 0; from < len(v.Lanes); from += per {
		var registers []int
		for _, l := range v.Lanes[from:min(from+per, len(v.Lanes))] {
			if !slices.Contains(registers, l/per) {
				registers = append(registers, l/per)
			}
		}
		total += max(1, len(registers)-1)
	}
	// Of the width that is priced, not of the one that was made.
	return float64(total*c.width) / float64(c.built)
}

// Operation is the cost of an operation on values of type t, in ns.
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

// masks is the kind of what an operation of kind k does to masks.
func masks(k Kind) Kind {
	if k == Arithmetic {
		return Masks
	}
	return k
}
