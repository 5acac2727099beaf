package boundscheck

import (
	"encoding/binary"
	"math"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/alu/interval"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// Launch describes a launch: its range and arguments.
type Launch struct {
	Dims                  int
	Global, Local, Offset [3]uint64 // 1, 1 and 0 in dimensions beyond Dims
	Args                  []Arg
	Reads                 bool // Certain allows reads after or before an object, but not through a null pointer
}

// Arg is an argument of a launch.
type Arg struct {
	Value []byte // of an argument by value
	Size  int64  // of a pointer: the size of its memory in bytes
	Null  bool   // of a pointer: it is null
}

// groups returns the number of work-groups in dimension d.
func (l *Launch) groups(d int) uint64 { return (l.Global[d] + l.Local[d] - 1) / l.Local[d] }

// query returns the bounds of a work-item query.
func (l *Launch) query(v *kernel.Value) (lo, hi uint64, ok bool) {
	d := min(v.Index, 2)
	switch v.Op {
	case kernel.GlobalID:
		return l.Offset[d], l.Offset[d] + l.Global[d] - 1, true
	case kernel.LocalID:
		return 0, l.Local[d] - 1, true
	case kernel.GroupID:
		return 0, l.groups(d) - 1, true
	case kernel.GlobalSize:
		return l.Global[d], l.Global[d], true
	case kernel.LocalSize:
		if l.Global[d]%l.Local[d] != 0 {
			return l.Global[d] % l.Local[d], l.Local[d], true
		}
		return l.Local[d], l.Local[d], true
	case kernel.NumGroups:
		return l.groups(d), l.groups(d), true
	case kernel.GlobalOffset:
		return l.Offset[d], l.Offset[d], true
	case kernel.WorkDim:
		return uint64(l.Dims), uint64(l.Dims), true
	}
	return 0, 0, false
}

// argument returns the bits of v if it reads an argument that is passed by value.
func (l *Launch) argument(v *kernel.Value) (bits uint64, ok bool) {
	at, part := v, 0
	if v.Op == kernel.Component {
		at, part = v.Args[0], v.Index*v.Type.Size()
	}
	switch at.Op {
	case kernel.Argument:
		return l.bytes(at.Index, 0, v.Type)
	case kernel.Load:
		if v.Op == kernel.Load && v.Count > 1 {
			return 0, false
		}
		p, off := at.Args[0], uint64(part)
		for p.Op == kernel.PtrAdd && p.Args[1].Op == kernel.Const {
			p, off = p.Args[0], off+p.Args[1].Const
		}
		if p.Op == kernel.ArgAddr && off < math.MaxInt32 {
			return l.bytes(p.Index, int(off), v.Type)
		}
	}
	return 0, false
}

// bytes reads a number of type t at byte at of argument i.
func (l *Launch) bytes(i, at int, t kernel.Type) (uint64, bool) {
	if i >= len(l.Args) || t.IsPtr() || t == alu.I1 {
		return 0, false
	}
	b := l.Args[i].Value
	if at < 0 || at+t.Size() > len(b) {
		return 0, false
	}
	var word [8]byte
	copy(word[:], b[at:at+t.Size()])
	return binary.LittleEndian.Uint64(word[:]), true
}

// size returns the size of x in bytes.
func (l *Launch) size(x *object) int64 {
	switch {
	case x.size >= 0:
		return x.size
	case x.index < len(l.Args):
		return l.Args[x.index].Size
	}
	return 0
}

// bounds returns the bounds of v in the launch, if v is a query, an argument or the start of an
// object.
func (l *Launch) bounds(v *kernel.Value) (interval.Bounds, bool) {
	switch v.Op {
	case kernel.Alloca, kernel.LocalAddr, kernel.DataAddr, kernel.ArgAddr, kernel.GroupState:
		return interval.Exactly(alu.I64, 0), true
	}
	if lo, hi, ok := l.query(v); ok {
		return interval.Unsigned(v.Type, lo&v.Type.Mask(), hi&v.Type.Mask()), true
	}
	switch {
	case v.Op == kernel.Argument && v.Type.IsPtr():
		return interval.Exactly(alu.I64, 0), true
	case v.Type.IsInt():
		if bits, ok := l.argument(v); ok {
			return interval.Exactly(v.Type, bits), true
		}
	}
	return interval.Bounds{}, false
}

// Analysis analyzes the accesses of a kernel. It is not safe for concurrent use.
type Analysis struct {
	f *kernel.Func
	o *objects
	e evaluator
}

// Of returns the analysis of f, which must not change afterwards.
func Of(f *kernel.Func) *Analysis { return &Analysis{f: f, o: pointees(f)} }

// Unproven lists the accesses, by ID in ascending order, that may be outside of their objects
// in a launch.
func (a *Analysis) Unproven(l *Launch) []int {
	ranges := opt.RangesOf(a.f, l.bounds)
	var list []int
	for _, b := range a.f.Blocks {
		for _, v := range b.Values {
			if bytes, ok := access(v); ok && !a.o.inside(v, bytes, l, ranges) {
				list = append(list, v.ID)
			}
		}
	}
	return sorted(list)
}

// inside reports whether the access v of n bytes is certain to lie in one of its objects.
func (o *objects) inside(v *kernel.Value, n int64, l *Launch, ranges *opt.Ranges) bool {
	p := v.Args[0]
	among, ok := o.of(p)
	if !ok {
		return true
	}
	if ranges == nil || o.from[p.ID].empty() || o.from[p.ID].has(anywhere) || p.Op == kernel.Const {
		return false
	}
	at, reached := ranges.At(p, v.Block)
	if !reached {
		return true
	}
	for _, i := range among {
		if size := l.size(&o.list[i]); at.SLo < 0 || at.SHi > size-n {
			return false
		}
	}
	return true
}

// Accesses lists all accesses of f, by ID in ascending order.
func Accesses(f *kernel.Func) []int {
	var list []int
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if _, ok := access(v); ok {
				list = append(list, v.ID)
			}
		}
	}
	return sorted(list)
}

// Null lists the accesses, by ID in ascending order, that may be made through a null pointer
// passed as an argument.
func (a *Analysis) Null(l *Launch) []int {
	o := a.o
	var list []int
	for _, b := range a.f.Blocks {
		for _, v := range b.Values {
			if _, ok := access(v); !ok || o.from[v.Args[0].ID].has(trusted) {
				continue
			}
			for i, x := range o.list {
				if x.op == kernel.Argument && o.from[v.Args[0].ID].has(first+i) && l.Args[x.index].Null {
					list = append(list, v.ID)
					break
				}
			}
		}
	}
	return sorted(list)
}
