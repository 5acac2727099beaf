package vir

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/ssa"
)

// The operations specific to vir. W is the lane count of the vectors involved. Addresses
// are scalar i64; inactive lanes access no memory.
const (
	Const Op = ssa.Const // same bits in every lane; belongs to no block
	Param Op = ssa.Param // block parameter
)

const (
	Context Op = ssa.FirstOwn + iota // scalar i64: address of the launch context; entry block only

	Splat   // scalar -> vec or mask: the value in every lane
	Iota    // vec of ints: lane i holds Index+i
	Prefix  // scalar i64 n -> mask: lane i is set where Index+i < n (signed)
	Any     // mask -> scalar i1
	All     // mask -> scalar i1
	Count   // mask -> scalar i64: the number of active lanes
	Bits    // mask of up to 64 lanes -> scalar i64: lane i in bit i
	Unbits  // scalar i64 -> mask of up to 64 lanes: bit i in lane i
	Extract // vec or mask -> scalar: lane Index
	Insert  // vec, scalar -> vec: lane Index replaced
	First   // vec, mask -> scalar: value in the first active lane; lane 0 if none is
	Rank    // mask -> vec of i32: the number of active lanes below each lane

	Compress // vec, mask -> vec: the values of active lanes in order, from lane 0; the other lanes are zero
	Expand   // vec, mask -> vec: the active lanes hold those from lane 0 in order; inactive lanes are zero

	Part    // vec or mask of n*W -> of W: lanes [Index*W, Index*W+W)
	Concat  // k vecs or masks of W -> of k*W
	Shuffle // vec, vec -> vec of len(Lanes)
	Resize  // mask -> mask: the same lanes with another MaskBits

	Load    // addr -> scalar
	Store   // addr, scalar
	VLoad   // addr, mask -> vec: lane i from addr + i*size; inactive lanes are zero
	VStore  // addr, vec, mask
	Gather  // base, index vec (i32 or i64, signed), mask -> vec: lane i from base + index*Scale; inactive lanes are zero
	Scatter // base, index, vec, mask: later lanes win

	// Atomic accesses are naturally aligned. Active lanes execute in order of lane
	// numbers; each gets the previous contents as its result. Inactive lanes get zero.
	Atomic   // addr, x -> old: stores RMW(old, x)
	CmpXchg  // addr, expected, x -> old: stores x if old equals expected
	VAtomic  // base, index, vec, mask -> vec, addresses as in Gather
	VCmpXchg // base, index, expected vec, vec, mask -> vec
	Fence    // accesses must not be moved across it
)

// Effect is the side effect of an operation.
type Effect uint8

const (
	Pure   Effect = iota
	Reads         // reads memory; may trap in an active lane
	Writes        // writes memory, possibly after reading it; may trap in an active lane; executes exactly once, in its place
)

// Info is the table row of a vir operation.
type Info struct {
	Name   string
	Args   int // -1: any number
	Effect Effect
	Memory bool // has an address, Disp and Align
	Mask   int  // index of the mask operand of a masked operation; -1: none
}

var table = map[Op]Info{
	Const:   {"const", 0, Pure, false, -1},
	Param:   {"param", 0, Pure, false, -1},
	Context: {"context", 0, Pure, false, -1},
	Splat:   {"splat", 1, Pure, false, -1},
	Iota:    {"iota", 0, Pure, false, -1},
	Prefix:  {"prefix", 1, Pure, false, -1},
	Any:     {"any", 1, Pure, false, -1},
	All:     {"all", 1, Pure, false, -1},
	Count:   {"count", 1, Pure, false, -1},
	Bits:    {"bits", 1, Pure, false, -1},
	Unbits:  {"unbits", 1, Pure, false, -1},
	Extract: {"extract", 1, Pure, false, -1},
	Insert:  {"insert", 2, Pure, false, -1},
	First:   {"first", 2, Pure, false, -1},
	Rank:    {"rank", 1, Pure, false, -1},

	Compress: {"compress", 2, Pure, false, -1},
	Expand:   {"expand", 2, Pure, false, -1},

	Part:    {"part", 1, Pure, false, -1},
	Concat:  {"concat", -1, Pure, false, -1},
	Shuffle: {"shuffle", 2, Pure, false, -1},
	Resize:  {"resize", 1, Pure, false, -1},
	Load:    {"load", 1, Reads, true, -1},
	Store:   {"store", 2, Writes, true, -1},
	VLoad:   {"vload", 2, Reads, true, 1},
	VStore:  {"vstore", 3, Writes, true, 2},
	Gather:  {"gather", 3, Reads, true, 2},
	Scatter: {"scatter", 4, Writes, true, 3},

	Atomic:   {"atomic", 2, Writes, true, -1},
	CmpXchg:  {"cmpxchg", 3, Writes, true, -1},
	VAtomic:  {"vatomic", 4, Writes, true, 3},
	VCmpXchg: {"vcmpxchg", 5, Writes, true, 4},
	Fence:    {"fence", 0, Writes, false, -1},
}

var rows = func() [256]Info {
	var r [256]Info
	for op := alu.Invalid + 1; op < alu.NumPure; op++ {
		in := alu.InfoOf(op)
		r[op] = Info{in.Name, in.Args, Pure, false, -1}
	}
	for op, in := range table {
		r[op] = in
	}
	return r
}()

// InfoOf returns the row of op, with an empty Name if op is not an operation of vir.
func InfoOf(op Op) Info { return rows[op] }

// Indexed reports whether op has one index per lane.
func Indexed(op Op) bool {
	return op == Gather || op == Scatter || op == VAtomic || op == VCmpXchg
}

// AccessMaskBits returns the size of a mask lane of an access to lanes of type t, in functions
// with VectorMasks: that of the lane, but at least 32 bits where each lane has an index.
func AccessMaskBits(op Op, t Type) int {
	if Indexed(op) {
		return max(32, t.Elem.Bits())
	}
	return t.Elem.Bits()
}

// IsAtomic reports whether op is an atomic access; these write memory and have a result.
func IsAtomic(op Op) bool {
	return op == Atomic || op == CmpXchg || op == VAtomic || op == VCmpXchg
}

// Ops lists every operation of vir.
func Ops() []Op {
	var out []Op
	for op, in := range rows {
		if in.Name != "" {
			out = append(out, Op(op))
		}
	}
	return out
}

// ParseOp finds an operation by name.
func ParseOp(name string) (Op, bool) {
	op, ok := byName[name]
	return op, ok
}

var byName = func() map[string]Op {
	m := map[string]Op{}
	for _, op := range Ops() {
		m[rows[op].Name] = op
	}
	return m
}()
