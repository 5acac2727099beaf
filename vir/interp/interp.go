// Package interp executes vir lane by lane, exactly as its operations are defined. It is
// the reference for both targets, on any host.
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
	return New(f).Run(ctx, mem, context, maxSteps)
}

// Machine runs a function repeatedly and caches its translated blocks.
type Machine struct{ m machine }

// New makes a machine for f, which must not change while it is used. One goroutine at a
// time may use it.
func New(f *vir.Func) *Machine {
	return &Machine{machine{f: f, regs: make([][]uint64, f.NumValues()), code: make([][]inst, len(f.Blocks))}}
}

// Run executes the function like the package-level Run.
func (x *Machine) Run(ctx context.Context, mem *memory.Space, context uint64, maxSteps uint64) error {
	m := &x.m
	m.mem, m.context = mem, context
	b := m.f.Blocks[0]
	steps := uint64(0)
	for {
		code := m.code[b.ID]
		if code == nil {
			code = m.translate(b)
		}
		for i := range code {
			if err := m.exec(&code[i]); err != nil {
				v := code[i].v
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

// placeOf returns the position of b's terminator, or else of the last operation with a
// valid one, or of the loop that begins there.
func placeOf(b *vir.Block) diag.Pos {
	if b.Pos.IsValid() {
		return b.Pos
	}
	for i := len(b.Values) - 1; i >= 0; i-- {
		if at := b.Values[i].Pos; at.IsValid() {
			return at
		}
	}
	return b.At
}

type machine struct {
	f       *vir.Func
	mem     *memory.Space
	context uint64
	regs    [][]uint64 // by value ID, one word per lane; allocated on first use
	room    []uint64   // backing array for regs
	code    [][]inst   // by block ID; translated on first execution, as many blocks never run
	passed  []uint64   // the arguments passed by an edge, concatenated
}

// inst is an operation with the lanes that it reads and writes.
type inst struct {
	v       *vir.Value
	out     []uint64
	args    [][]uint64
	t, arg  alu.Type // of a pure operation: its own, and that of its operands
	op      vir.Op
	pure    bool
	uniform bool // a select whose scalar condition chooses for all lanes
}

// translate resolves the operands of b's operations.
func (m *machine) translate(b *vir.Block) []inst {
	n := 0
	for _, v := range b.Values {
		n += len(v.Args)
	}
	args := make([][]uint64, 0, n)
	code := make([]inst, len(b.Values))
	for i, v := range b.Values {
		from := len(args)
		for _, a := range v.Args {
			args = append(args, m.get(a))
		}
		c := inst{v: v, out: m.own(v), args: args[from:len(args):len(args)], op: v.Op, pure: v.Op.Pure()}
		if c.pure {
			c.t, c.arg = v.Type.Elem, v.Args[len(v.Args)-1].Type.Elem
			c.uniform = len(c.args) == 3 && len(c.args[0]) < len(c.args[1])
		}
		code[i] = c
	}
	m.code[b.ID] = code
	return code
}

// follow assigns the arguments of e to the parameters of its target, in parallel: an
// argument may be a parameter of the same block.
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

// own returns the lanes of v with their last contents.
func (m *machine) own(v *vir.Value) []uint64 {
	if m.regs[v.ID] == nil {
		m.regs[v.ID] = m.lanes(v.Type)
	}
	return m.regs[v.ID]
}

// lanes allocates the lanes of a value.
func (m *machine) lanes(t vir.Type) []uint64 {
	n := max(t.Lanes, 1)
	if len(m.room) < n {
		m.room = make([]uint64, max(n, min(n*m.f.NumValues(), roomWords)))
	}
	out := m.room[:n:n]
	m.room = m.room[n:]
	return out
}

// roomWords is the maximum number of words allocated at once.
const roomWords = 1024

// get is own, but initializes the lanes of constants.
func (m *machine) get(v *vir.Value) []uint64 {
	if m.regs[v.ID] == nil && v.Op == vir.Const {
		out := m.own(v)
		for l := range out {
			out[l] = v.Const
		}
	}
	return m.own(v)
}

func (m *machine) exec(c *inst) error {
	if !c.pure {
		clear(c.out)
		return m.compute(c.v, c.args, c.out)
	}
	switch {
	case c.uniform:
		from := c.args[2]
		if c.args[0][0]&1 != 0 {
			from = c.args[1]
		}
		copy(c.out, from)
	case len(c.args) == 1:
		alu.EvalLanes(c.op, c.t, c.arg, c.out, c.args[0], nil, nil)
	case len(c.args) == 2:
		alu.EvalLanes(c.op, c.t, c.arg, c.out, c.args[0], c.args[1], nil)
	default:
		alu.EvalLanes(c.op, c.t, c.arg, c.out, c.args[0], c.args[1], c.args[2])
	}
	return nil
}

// compute executes operations that are not pure; out is zero on entry.
func (m *machine) compute(v *vir.Value, args [][]uint64, out []uint64) error {
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
			out[l] = below
			below += on & 1
		}
	case vir.Compress:
		at := 0
		for l, on := range args[1] {
			if on&1 != 0 {
				out[at] = args[0][l]
				at++
			}
		}
	case vir.Expand:
		at := 0
		for l, on := range args[1] {
			if on&1 != 0 {
				out[l] = args[0][at]
				at++
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
	case vir.Resize: // a lane is 0 or 1 here
		copy(out, args[0])
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
