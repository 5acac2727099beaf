package kernel

import "github.com/simtc/simtc/alu"

// The operations only the kernel IR has.
const (
	Const Op = alu.FirstIR + iota // floats above all blocks, interned in the Func
	Param                         // block parameter

	Argument // value of scalar or pointer argument Index
	ArgAddr  // ptr.constant to argument Index in the argument block (vectors, structs)
	DataAddr
	LocalAddr  // ptr.local to the local object Index
	GroupState // ptr.local to the words of GroupState*; only package workgroup makes it
	Alloca     // ptr.private to Size bytes; entry block only
	PtrAdd     // ptr, i64 bytes -> ptr

	Load      // ptr -> Count components of Type
	Component // component Index of a Load with Count > 1
	Store     // ptr, Count components

	Atomic  // ptr, x -> old: the memory becomes what Value.RMW makes of old and x
	CmpXchg // ptr, expected, x -> old: the memory becomes x if it is expected
	Fence   // accesses are not moved across it

	Barrier // every work-item of the group waits for the others

	GlobalID // work-item queries: i64, dimension in Index
	LocalID
	GroupID
	GlobalSize
	LocalSize
	NumGroups
	GlobalOffset
	WorkDim // i64

	// A sub-group is as many work-items of a work-group as run together, which
	// follow each other along dimension 0. Those of its lanes that come to an
	// operation together are the active ones there (see Convergent).
	Lane    // i32: the work-item's place in its sub-group
	Lanes   // i32: how many a sub-group has, the last of a row of the group may lack some
	Ballot  // i1 -> i64: which active lanes hold true, lane 0 in the lowest bit
	Shuffle // x, i32 lane -> the lane's x if it is active, else 0

	// i1 -> i1: true only if the operand is true for all lanes that run together, and
	// false whenever that is not known. Which lanes do is left open, so that kernels must
	// compute the same either way.
	AllLanes

	// x -> the x of a lane that runs together with this one, be there a work-item for it or
	// not, or of this one; the same for all of them if x is at even distances. Which lane
	// that is is left open likewise.
	FirstLane

	// i1: whether fewer than Few of the lanes that could run together are active. Which
	// could is left open, so that kernels must compute the same either way.
	FewLanes
)

// The words of the group state, as offsets in bytes; each is an i32. Package
// workgroup says how a group runs by them.
const (
	StatePhase    = 0  // what the work-items are to run
	StateReturned = 4  // not 0 once a work-item has returned
	StateFirst    = 8  // the least phase that one of them asked for, all ones if none did
	StateLast     = 12 // the greatest, 0 if none did; both may be written as one i64
	StateSplit    = 16 // the phase that others asked for when some had returned; 0 if that never was
	StateGroup    = 20 // which group of the run it is, counted along dimension 0
	StateSplitIn  = 24 // the group that StateSplit tells of
	StateSize     = 32
)

// Effect says what an operation does besides computing its result.
type Effect uint8

const (
	Pure   Effect = iota // same operands, same result; may be moved, merged, dropped
	Reads                // reads memory; may trap
	Writes               // writes memory, which it may have read; may trap; happens once, where it stands
)

// Few is how many of some lanes are needed not to be few: two thirds. To wait until half of them
// have left a loop takes longer, to wait for a quarter no less.
func Few(lanes int) int { return lanes * 2 / 3 }

// Convergent reports whether what op computes depends on which lanes of a
// sub-group come to it together: all that come to its block in the same round of
// every cycle around it. Such operations count as writing, so that they stay
// where they are; in addition no two of different blocks become one, and their
// blocks are not copied for some of the ways that lead there.
func Convergent(op Op) bool { return op == Ballot || op == Shuffle || op == FewLanes }

// Info is the table row of a kernel operation.
type Info struct {
	Name   string
	Args   int // -1: depends on Count
	Effect Effect
}

var table = map[Op]Info{
	Const:        {"const", 0, Pure},
	Param:        {"param", 0, Pure},
	Argument:     {"arg", 0, Pure},
	ArgAddr:      {"argaddr", 0, Pure},
	DataAddr:     {"dataaddr", 0, Pure},
	LocalAddr:    {"localaddr", 0, Pure},
	GroupState:   {"groupstate", 0, Pure},
	Alloca:       {"alloca", 0, Pure},
	PtrAdd:       {"ptradd", 2, Pure},
	Load:         {"load", 1, Reads},
	Component:    {"component", 1, Pure},
	Store:        {"store", -1, Writes},
	Atomic:       {"atomic", 2, Writes},
	CmpXchg:      {"cmpxchg", 3, Writes},
	Fence:        {"fence", 0, Writes},
	Barrier:      {"barrier", 0, Writes},
	GlobalID:     {"globalid", 0, Pure},
	LocalID:      {"localid", 0, Pure},
	GroupID:      {"groupid", 0, Pure},
	GlobalSize:   {"globalsize", 0, Pure},
	LocalSize:    {"localsize", 0, Pure},
	NumGroups:    {"numgroups", 0, Pure},
	GlobalOffset: {"globaloffset", 0, Pure},
	WorkDim:      {"workdim", 0, Pure},
	Lane:         {"lane", 0, Pure},
	Lanes:        {"lanes", 0, Pure},
	Ballot:       {"ballot", 1, Writes},
	Shuffle:      {"shuffle", 2, Writes},
	AllLanes:     {"alllanes", 1, Pure},
	FirstLane:    {"firstlane", 1, Pure},
	FewLanes:     {"fewlanes", 0, Writes},
}

var rows = func() [256]Info {
	var r [256]Info
	for op := alu.Invalid + 1; op < alu.NumPure; op++ {
		in := alu.InfoOf(op)
		r[op] = Info{in.Name, in.Args, Pure}
	}
	for op, in := range table {
		r[op] = in
	}
	return r
}()

// InfoOf returns the row of op, which has an empty Name if the kernel IR has
// no such operation.
func InfoOf(op Op) Info { return rows[op] }

// Ops lists every operation of the kernel IR.
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
