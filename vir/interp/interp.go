// Package interp executes vir, lane by lane, exactly as its operations are
// defined: the reference for both targets, on any host.
package interp

import (
	"context"
	"errors"
	"fmt"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/internal/memory"
	"github.com/simtc/simtc/vir"
)

// ErrSteps reports a run that executed more than its limit of operations.
var ErrSteps = errors.New("the step limit is exceeded")

// Run executes f with the launch context at address context in mem. maxSteps
// bounds the operations executed; 0 is no bound.
func Run(ctx context.Context, f *vir.Func, mem *memory.Space, context uint64, maxSteps uint64) error {
	m := &machine{f: f, mem: mem, context: context, regs: make([][]uint64, f.NumValues())}
	b := f.Blocks[0]
	steps := uint64(0)
	for {
		for _, v := range b.Values {
			if err := m.exec(v); err != nil {
				return &diag.Located{Pos: v.Pos, Err: fmt.Errorf("%s: %w", vir.FormatValue(v), err)}
			}
		}
		before := steps
		steps += uint64(len(b.Values)) + 1
		if maxSteps > 0 && steps > maxSteps {
			return &diag.Located{Pos: placeOf(b), Err: ErrSteps}
		}
		if before>>14 != steps>>14 && ctx.Err() != nil {
			return &diag.Located{Pos: placeOf(b), Err: ctx.Err()}
		}
		var e vir.Edge
		switch b.Kind {
		case vir.Return:
			return nil
		case vir.Branch:
			e = b.Edges[1]
			if m.get(b.Cond)[0]&1 != 0 {
				e = b.Edges[0]
			}
		default:
			e = b.Edges[0]
		}
		m.follow(e)
		b = e.To
	}
}

// placeOf is where the end of b is, or the last operation that tells.
func placeOf(b *vir.Block) diag.Pos {
	for i := len(b.Values) - 1; i >= 0 && !b.Pos.IsValid(); i-- {
		if at := b.Values[i].Pos; at.IsValid() {
			return at
		}
	}
	return b.Pos
}

type machine struct {
	f       *vir.Func
	mem     *memory.Space
	context uint64
	regs    [][]uint64 // by value ID, one word a lane; each value has its own, made when it is first needed
	args    [][]uint64 // those of the operation at hand
	passed  []uint64   // what an edge passes, one argument after the other
}

// follow gives the parameters of the block that e leads to their arguments, all at once:
// an argument may be a parameter of the same block.
func (m *machine) follow(e vir.Edge) {
	m.passed = m.passed[:0]
	for _, a := range e.Args {
		m.passed = append(m.passed, m.get(a)...)
	}
	at := 0
	for _, p := range e.To.Params {
		at += copy(m.own(p), m.passed[at:])
	}
}

// own returns the lanes of v, which hold what they held last.
func (m *machine) own(v *vir.Value) []uint64 {
	if m.regs[v.ID] == nil {
		m.regs[v.ID] = make([]uint64, max(v.Type.Lanes, 1))
	}
	return m.regs[v.ID]
}

func (m *machine) get(v *vir.Value) []uint64 {
	if v.Op == vir.Const && m.regs[v.ID] == nil {
		m.regs[v.ID] = fill(v.Type.Lanes, v.Const)
	}
	return m.regs[v.ID]
}

func fill(n int, x uint64) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		out[i] = x
	}
	return out
}

func (m *machine) exec(v *vir.Value) error {
	m.args = m.args[:0]
	for _, a := range v.Args {
		m.args = append(m.args, m.get(a))
	}
	out := m.own(v)
	clear(out)
	return m.compute(v, m.args, out)
}

func (m *machine) compute(v *vir.Value, args [][]uint64, out []uint64) error {
	if v.Op.Pure() {
		t, arg := v.Type.Elem, v.Args[len(v.Args)-1].Type.Elem
		switch len(args) {
		case 1:
			for l, x := range args[0] {
				out[l] = alu.Eval(v.Op, t, arg, x, 0, 0)
			}
		case 2:
			for l, x := range args[0] {
				out[l] = alu.Eval(v.Op, t, arg, x, args[1][l], 0)
			}
		default:
			for l, y := range args[1] {
				x := args[0][min(l, len(args[0])-1)] // a scalar condition chooses for all lanes
				out[l] = alu.Eval(v.Op, t, arg, x, y, args[2][l])
			}
		}
		return nil
	}
	switch v.Op {
	case vir.Context:
		out[0] = m.context
	case vir.Splat:
		for l := range out {
			out[l] = args[0][0]
		}
	case vir.Iota:
		for l := range out {
			out[l] = uint64(v.Index+l) & v.Type.Elem.Mask()
		}
	case vir.Prefix:
		for l := range out {
			if int64(v.Index+l) < int64(args[0][0]) {
				out[l] = 1
			}
		}
	case vir.Any:
		for _, x := range args[0] {
			out[0] |= x & 1
		}
	case vir.All:
		out[0] = 1
		for _, x := range args[0] {
			out[0] &= x
		}
	case vir.Count:
		for _, x := range args[0] {
			out[0] += x & 1
		}
	case vir.Bits:
		for l, x := range args[0] {
			out[0] |= x & 1 << l
		}
	case vir.Unbits:
		for l := range out {
			out[l] = args[0][0] >> l & 1
		}
	case vir.Extract:
		out[0] = args[0][v.Index]
	case vir.Insert:
		copy(out, args[0])
		out[v.Index] = args[1][0]
	case vir.First:
		out[0] = args[0][0]
		for l, on := range args[1] {
			if on&1 != 0 {
				out[0] = args[0][l]
				break
			}
		}
	case vir.Rank:
		below := uint64(0)
		for l, on := range args[0] {
			if on&1 != 0 {
				out[l] = below
				below++
			}
		}
	case vir.Fence:
	case vir.Part:
		copy(out, args[0][v.Index*len(out):])
	case vir.Concat:
		at := 0
		for _, x := range args {
			at += copy(out[at:], x)
		}
	case vir.Shuffle:
		for l, from := range v.Lanes {
			if n := len(args[0]); from < n {
				out[l] = args[0][from]
			} else {
				out[l] = args[1][from-n]
			}
		}
	default:
		return m.access(v, args, out)
	}
	return nil
}

// access executes the memory operations.
func (m *machine) access(v *vir.Value, args [][]uint64, out []uint64) error {
	mask := func(l int) bool { return args[vir.InfoOf(v.Op).Mask][l]&1 != 0 }
	base := args[0][0] + uint64(v.Disp)
	index := func(l int) uint64 {
		x := args[1][l]
		if v.Args[1].Type.Elem == alu.I32 {
			x = uint64(int64(int32(x)))
		}
		return base + x*uint64(v.Scale)
	}
	read := func(l int, addr uint64) (err error) {
		out[l], err = m.mem.Load(addr, v.Type.Elem.Size())
		return err
	}
	each := func(lanes int, f func(l int) error) error {
		for l := range lanes {
			if mask(l) {
				if err := f(l); err != nil {
					return err
				}
			}
		}
		return nil
	}
	switch v.Op {
	case vir.Load:
		return read(0, base)
	case vir.Store:
		return m.mem.Store(base, v.Args[1].Type.Elem.Size(), args[1][0])
	case vir.VLoad:
		size := uint64(v.Type.Elem.Size())
		return each(len(out), func(l int) error { return read(l, base+uint64(l)*size) })
	case vir.Gather:
		return each(len(out), func(l int) error { return read(l, index(l)) })
	case vir.VStore:
		size := v.Args[1].Type.Elem.Size()
		return each(len(args[1]), func(l int) error {
			return m.mem.Store(base+uint64(l*size), size, args[1][l])
		})
	case vir.Atomic, vir.CmpXchg:
		return m.atomic(v, base, args, 0, 1, &out[0])
	case vir.VAtomic, vir.VCmpXchg:
		return each(len(out), func(l int) error { return m.atomic(v, index(l), args, l, 2, &out[l]) })
	case vir.Scatter:
		size := v.Args[2].Type.Elem.Size()
		return each(len(args[2]), func(l int) error { return m.mem.Store(index(l), size, args[2][l]) })
	}
	return fmt.Errorf("the interpreter has no rule for %s", vir.InfoOf(v.Op).Name)
}

// atomic executes the atomic access of lane l, whose operands in args begin at
// first.
func (m *machine) atomic(v *vir.Value, addr uint64, args [][]uint64, l, first int, out *uint64) error {
	t := v.Type.Elem
	old, err := m.mem.Load(addr, t.Size())
	if err != nil {
		return err
	}
	*out = old
	if v.Op == vir.Atomic || v.Op == vir.VAtomic {
		return m.mem.Store(addr, t.Size(), v.RMW().Apply(t, old, args[first][l]))
	}
	if old != args[first][l] {
		return nil
	}
	return m.mem.Store(addr, t.Size(), args[first+1][l])
}
