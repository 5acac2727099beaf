package kernel

import "github.com/simtc/simtc/alu"

// The operations only the kernel IR has.
const (
	Const Op = alu.FirstIR + iota // floats above all blocks, interned in the Func
	Param                         // block parameter

	Argument // value of scalar or pointer argument Index
	ArgAddr  // ptr.constant to argument Index in the argument block (vectors, structs)
	DataAddr
	Alloca // ptr.private to Size bytes; entry block only
	PtrAdd // ptr, i64 bytes -> ptr

	Load      // ptr -> Count components of Type
	Component // component Index of a Load with Count > 1
	Store     // ptr, Count components

	GlobalID // work-item queries: i64, dimension in Index
	LocalID
	GroupID
	GlobalSize
	LocalSize
	NumGroups
	GlobalOffset
	WorkDim // i64

	numOps
)

// Effect says what an operation does besides computing its result.
type Effect uint8

const (
	Pure   Effect = iota // same operands, same result; may be moved, merged, dropped
	Reads                // reads memory; may trap
	Writes               // writes memory; may trap
)

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
	Alloca:       {"alloca", 0, Pure},
	PtrAdd:       {"ptradd", 2, Pure},
	Load:         {"load", 1, Reads},
	Component:    {"component", 1, Pure},
	Store:        {"store", -1, Writes},
	GlobalID:     {"globalid", 0, Pure},
	LocalID:      {"localid", 0, Pure},
	GroupID:      {"groupid", 0, Pure},
	GlobalSize:   {"globalsize", 0, Pure},
	LocalSize:    {"localsize", 0, Pure},
	NumGroups:    {"numgroups", 0, Pure},
	GlobalOffset: {"globaloffset", 0, Pure},
	WorkDim:      {"workdim", 0, Pure},
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
