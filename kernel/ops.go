package kernel

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/ssa"
)

// The operations of the kernel IR that are not pure.
const (
	Const Op = ssa.Const // belongs to no block; interned in the Func
	Param Op = ssa.Param // block parameter
)

const (
	Argument Op = ssa.FirstOwn + iota // value of scalar or pointer argument Index
	ArgAddr                           // ptr.constant to argument Index in the argument block (vectors, structs)
	DataAddr
	LocalAddr  // ptr.local to the local object Index
	GroupState // ptr.local to the words of GroupState*; only package workgroup makes it
	Alloca     // ptr.private to Size bytes; entry block only
	PtrAdd     // ptr, i64 bytes -> ptr

	// ptr.generic -> i1: whether the pointer points into the local memory of the work-group, or the
	// private memory of the work-item; also just after an object there. Of null it is unspecified.
	InLocal
	InPrivate

	Load      // ptr -> Count components of Type
	Component // component Index of a Load with Count > 1
	Store     // ptr, Count components

	Atomic  // ptr, x -> old: stores Value.RMW of old and x
	CmpXchg // ptr, expected, x -> old: stores x if old equals expected
	Fence   // accesses must not be moved across it

	Barrier // every work-item of the group waits for the others

	GlobalID // work-item queries: i64, dimension in Index
	LocalID
	GroupID
	GlobalSize
	LocalSize
	NumGroups
	GlobalOffset
	WorkDim // i64

	// A sub-group is the set of work-items of a work-group that run together, consecutive in the order
	// of their linear ids or along dimension 0. Its active lanes at an operation are those that execute it together (see
	// Convergent).
	Lane  // i32: the number of the work-item in its sub-group
	Lanes // i32: the size of a sub-group; the last one of the group, or of a row of it, may be partial
	// i1: whether sub-groups continue from each row of a work-group into the next. If not, they lie
	// along dimension 0.
	SpanRows
	Ballot  // i1 -> i64: the active lanes where the operand is true, lane 0 in the lowest bit
	Shuffle // x, i32 lane -> the lane's x if it is active, else 0

	// i1 -> i1: true only if the operand is true in all lanes that run together, and false if
	// that is unknown. The set of these lanes is unspecified, so kernels must compute the same
	// results in either case.
	AllLanes

	// x -> the x of this lane or of a lane that runs together with it, with a work-item or
	// without; the same in all lanes if x is strided. The choice is unspecified, as above.
	FirstLane

	// x -> x, which must be the same in all active lanes: it is read from the first of them, once.
	ActiveLane

	// i1: whether fewer than Few of the lanes that could run together are active. The set of
	// these lanes is unspecified, so kernels must compute the same results in either case.
	FewLanes
)

// The words of the group state, as offsets in bytes; each is an i32. Package workgroup defines how a
// group runs by them.
const (
	StatePhase    = 0  // the phase to run
	StateReturned = 4  // not 0 once a work-item has returned
	StateFirst    = 8  // the minimum of the requested phases, all ones if there is none
	StateLast     = 12 // the maximum, 0 if there is none; both may be written as one i64
	StateSplit    = 16 // a phase requested after some work-items had returned; 0 if there is none
	StateGroup    = 20 // the number of the group in the run, counted along dimension 0
	StateSplitIn  = 24 // the group that StateSplit refers to
	StateSize     = 32
)

// Effect is an operation's effect besides its result.
type Effect uint8

const (
	Pure   Effect = iota // same operands, same result; may be moved, merged, dropped
	Reads                // reads memory; may trap
	Writes               // writes memory, which it may have read; may trap; executed exactly once, in place
)

// Few is the number of active lanes below which lanes are few: two thirds of the lanes. Waiting until
// half of them have left a loop takes longer; waiting for a quarter is no faster.
func Few(lanes int) int { return lanes * 2 / 3 }

// Convergent reports whether the result of op depends on which lanes of a sub-group execute it
// together: all that reach its block in the same iteration of every cycle around it. Such
// operations count as writing, so that they stay in place. In addition, two of them in different
// blocks are not merged, and their blocks are not duplicated for some of the incoming edges.
func Convergent(op Op) bool {
	return op == Ballot || op == Shuffle || op == ActiveLane || op == FewLanes
}

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
	InLocal:      {"inlocal", 1, Pure},
	InPrivate:    {"inprivate", 1, Pure},
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
	SpanRows:     {"spanrows", 0, Pure},
	Ballot:       {"ballot", 1, Writes},
	Shuffle:      {"shuffle", 2, Writes},
	AllLanes:     {"alllanes", 1, Pure},
	FirstLane:    {"firstlane", 1, Pure},
	ActiveLane:   {"activelane", 1, Writes},
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

// InfoOf returns the row of op, with an empty Name if the kernel IR has no such operation.
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
