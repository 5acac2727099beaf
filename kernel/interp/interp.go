// Package interp executes the kernel IR one work-item at a time. It is the oracle: its results
// define correctness for every linearizer, width and target.
package interp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/internal/memory"
	"github.com/simtc/simtc/kernel"
)

// Launch describes a run over a range. Pointers in Args are addresses in Memory.
type Launch struct {
	Global [3]uint64 // work-items; 0 counts as 1
	Local  [3]uint64 // work-group size; 0: the whole range is one group
	Offset [3]uint64
	Dims   int
	Args   []byte // the argument block, laid out by kernel.Arg.Offset
	Memory *memory.Space
	Data   []uint64 // addresses of the kernel's Data; nil: Run places them

	// LocalSize is the local memory of a work-group in bytes: the kernel's own objects,
	// followed by those of arguments.
	LocalSize int
	// Strict makes it an error if work-items return while others of their group wait at a
	// barrier; otherwise the waiting ones continue without them.
	Strict bool
	// SubGroup is the number of work-items of a sub-group; 0 selects the size that the
	// kernel requires, or DefaultSubGroup. Sub-groups continue from each row of a work-group into the
	// next if all work-groups have the same size.
	SubGroup uint64

	// MaxSteps bounds the operations of one work-item; 0 is no bound.
	MaxSteps uint64
	// Visit, if set, is called for every block a work-item enters.
	Visit func(item [3]uint64, block int)
	// Trace, if set, is called for every value a work-item computes, block parameters
	// included, after Visit of its block.
	Trace func(item [3]uint64, v *kernel.Value, bits uint64)
}

// ErrSteps reports a work-item that exceeded Launch.MaxSteps.
var ErrSteps = errors.New("work-item exceeded the step limit")

// Run executes every work-item, dimension 0 fastest.
func Run(ctx context.Context, f *kernel.Func, l Launch) error {
	for d := range 3 {
		l.Global[d] = max(l.Global[d], 1)
		if l.Local[d] == 0 {
			l.Local[d] = l.Global[d]
		}
	}
	if l.SubGroup == 0 {
		l.SubGroup = DefaultSubGroup
		if n := f.ReqdSubGroupSize; n > 0 {
			l.SubGroup = uint64(n)
		}
	}
	m := newMachine(f, &l)
	if cooperative(f, &l) {
		return m.runGroups(ctx)
	}
	it := &item{regs: m.regs}
	for z := range l.Global[2] {
		for y := range l.Global[1] {
			for x := range l.Global[0] {
				if err := ctx.Err(); err != nil {
					return err
				}
				m.item = [3]uint64{x, y, z}
				for _, a := range m.allocas {
					clear(a.bytes)
				}
				it.restart(f)
				if _, err := m.run(ctx, it); err != nil {
					return m.located(m.item, err)
				}
			}
		}
	}
	return nil
}

// located adds the work-item to an error.
func (m *machine) located(id [3]uint64, err error) error {
	o := m.l.Offset
	return fmt.Errorf("work-item %d,%d,%d: %w", id[0]+o[0], id[1]+o[1], id[2]+o[2], err)
}

// machine holds one value slot for every value ID, more for loads of several components; slots of
// constants are initialized.
type machine struct {
	f       *kernel.Func
	l       *Launch
	item    [3]uint64 // relative to the offset
	slot    []int     // value ID -> first slot
	regs    []uint64
	args    uint64   // address of the argument block
	data    []uint64 // addresses of the module's data
	allocas []allocation
	place   []int    // value ID of an Alloca -> index in allocas
	initial []uint64 // registers before execution
	local   uint64   // address of the local memory
	state   []byte   // the words of the group's state
	stateAt uint64
	scratch []uint64 // edge arguments in flight
	line    *line    // nil: the kernel does not use sub-groups
	// spanRows means that sub-groups continue from each row of a work-group into the next: all work-groups
	// have the same size, and rows do not consist of whole sub-groups. Compiled code joins rows in the same
	// cases, and profiles count the blocks that depend on it.
	spanRows bool
}

type allocation struct {
	addr  uint64
	bytes []byte
}

func newMachine(f *kernel.Func, l *Launch) *machine {
	m := &machine{f: f, l: l, slot: make([]int, f.NumValues()), place: make([]int, f.NumValues())}
	place := func(v *kernel.Value) {
		m.slot[v.ID] = len(m.regs)
		m.regs = append(m.regs, v.Const)
		for i := 1; i < v.Count; i++ {
			m.regs = append(m.regs, 0)
		}
	}
	constant := func(vs ...*kernel.Value) {
		for _, v := range vs {
			if v != nil && v.Op == kernel.Const {
				place(v)
			}
		}
	}
	if f.SubGroups() {
		m.line = newLine(f)
		m.spanRows = l.Local[1]*l.Local[2] > 1 && l.Local[0]%l.SubGroup != 0
		for d, n := range l.Local {
			m.spanRows = m.spanRows && l.Global[d]%min(n, l.Global[d]) == 0
		}
	}
	m.args = l.Memory.Add(l.Args)
	m.local = l.Memory.Add(make([]byte, l.LocalSize))
	m.state = make([]byte, kernel.StateSize)
	m.stateAt = l.Memory.Add(m.state)
	if m.data = l.Data; m.data == nil {
		m.data = kernel.Place(f.Data, f.VariablesIn(l.Args), func(_ int, bytes []byte) uint64 { return l.Memory.Add(bytes) })
	}
	for _, b := range f.Blocks {
		for _, v := range b.Params {
			place(v)
		}
		for _, v := range b.Values {
			place(v)
			constant(v.Args...)
			if v.Op == kernel.Alloca {
				bytes := make([]byte, v.Size)
				m.place[v.ID] = len(m.allocas)
				m.allocas = append(m.allocas, allocation{l.Memory.Add(bytes), bytes})
			}
		}
		constant(b.Cond)
		for _, e := range b.Edges {
			constant(e.Args...)
		}
	}
	m.initial = slices.Clone(m.regs)
	return m
}

func (m *machine) get(v *kernel.Value) uint64 { return m.regs[m.slot[v.ID]] }

// run executes the operations of it up to a barrier or an operation of a sub-group, which is
// returned, or to its end. Its registers and private memory are the machine's.
func (m *machine) run(ctx context.Context, it *item) (*kernel.Value, error) {
	steps := it.steps
	for b, from := it.block, it.at; ; from = -1 {
		if from < 0 && m.l.Visit != nil {
			m.l.Visit(m.item, b.ID)
		}
		if from < 0 && m.l.Trace != nil {
			for _, p := range b.Params {
				m.l.Trace(m.item, p, m.get(p))
			}
		}
		for i := max(from, 0); i < len(b.Values); i++ {
			v := b.Values[i]
			if v.Op == kernel.Barrier {
				it.block, it.at, it.steps = b, i+1, steps
				return v, nil
			}
			if kernel.Convergent(v.Op) {
				it.block, it.at, it.steps = b, i, steps
				return v, nil
			}
			if err := m.exec(v); err != nil {
				return nil, &diag.Located{Pos: v.Pos, Err: err}
			}
			if m.l.Trace != nil && v.Type != alu.Void {
				m.l.Trace(m.item, v, m.get(v))
			}
		}
		before := steps
		steps += uint64(len(b.Values)) + 1
		if m.l.MaxSteps > 0 && steps > m.l.MaxSteps {
			return nil, &diag.Located{Pos: placeOf(b), Err: ErrSteps}
		}
		if steps>>16 != before>>16 && ctx.Err() != nil {
			return nil, &diag.Located{Pos: placeOf(b), Err: ctx.Err()}
		}
		e := m.leave(b)
		if e == nil {
			return nil, nil
		}
		m.scratch = m.scratch[:0]
		for _, a := range e.Args {
			m.scratch = append(m.scratch, m.get(a))
		}
		for i, p := range e.To.Params {
			m.regs[m.slot[p.ID]] = m.scratch[i]
		}
		if m.line != nil {
			m.line.advance(it, b.ID, e.To.ID)
		}
		b = e.To
	}
}

// placeOf is the source position of the end of b, or of the last operation that has one.
func placeOf(b *kernel.Block) diag.Pos {
	for i := len(b.Values) - 1; i >= 0 && !b.Pos.IsValid(); i-- {
		if at := b.Values[i].Pos; at.IsValid() {
			return at
		}
	}
	return b.Pos
}

// leave returns the edge taken, nil after a return.
func (m *machine) leave(b *kernel.Block) *kernel.Edge {
	switch b.Kind {
	case kernel.Branch:
		if m.get(b.Cond)&1 == 0 {
			return &b.Edges[1]
		}
	case kernel.Switch:
		c := m.get(b.Cond)
		for i, k := range b.Cases {
			if k == c {
				return &b.Edges[i+1]
			}
		}
	case kernel.Return:
		return nil
	}
	return &b.Edges[0]
}

func (m *machine) exec(v *kernel.Value) error {
	at := m.slot[v.ID]
	if v.Op.Pure() {
		var a [3]uint64
		for i, x := range v.Args {
			a[i] = m.get(x)
		}
		arg := v.Args[len(v.Args)-1].Type
		m.regs[at] = alu.Eval(v.Op, v.Type, arg, a[0], a[1], a[2])
		return nil
	}
	d := v.Index
	if m.f.LaneDim != 0 && kernel.IsQuery(v.Op) {
		d = m.f.SourceDimension(d)
	}
	switch v.Op {
	case kernel.Load:
		addr := m.get(v.Args[0])
		size := v.Type.Size()
		for i := range v.Count {
			x, err := m.l.Memory.Load(addr+uint64(i*size), size)
			if err != nil {
				return err
			}
			m.regs[at+i] = x
		}
	case kernel.Store:
		addr := m.get(v.Args[0])
		size := v.Args[1].Type.Size()
		for i, x := range v.Args[1:] {
			if err := m.l.Memory.Store(addr+uint64(i*size), size, m.get(x)); err != nil {
				return err
			}
		}
	case kernel.Atomic, kernel.CmpXchg:
		return m.atomic(v)
	case kernel.Fence:
	case kernel.Component:
		m.regs[at] = m.regs[m.slot[v.Args[0].ID]+v.Index]
	case kernel.PtrAdd:
		m.regs[at] = m.get(v.Args[0]) + m.get(v.Args[1])
	case kernel.Argument:
		a := m.f.Args[v.Index]
		x, err := m.l.Memory.Load(m.args+uint64(a.Offset), v.Type.Size())
		if err != nil {
			return err
		}
		if a.Kind == kernel.ArgLocal {
			x += m.local
		}
		m.regs[at] = x
	case kernel.ArgAddr:
		m.regs[at] = m.args + uint64(m.f.Args[v.Index].Offset)
	case kernel.DataAddr:
		m.regs[at] = m.data[v.Index]
	case kernel.LocalAddr:
		m.regs[at] = m.local + uint64(m.f.Locals[d].Offset)
	case kernel.InLocal:
		m.regs[at] = within(m.get(v.Args[0]), m.local, m.l.LocalSize)
	case kernel.InPrivate:
		m.regs[at] = 0
		for _, a := range m.allocas {
			m.regs[at] |= within(m.get(v.Args[0]), a.addr, len(a.bytes))
		}
	case kernel.GroupState:
		m.regs[at] = m.stateAt
	case kernel.Alloca:
		m.regs[at] = m.allocas[m.place[v.ID]].addr
	case kernel.GlobalID:
		m.regs[at] = m.item[d] + m.l.Offset[d]
	case kernel.LocalID:
		m.regs[at] = m.item[d] % m.l.Local[d]
	case kernel.GroupID:
		m.regs[at] = m.item[d] / m.l.Local[d]
	case kernel.GlobalSize:
		m.regs[at] = m.l.Global[d]
	case kernel.LocalSize:
		// The last group of a dimension may be smaller.
		first := m.item[d] / m.l.Local[d] * m.l.Local[d]
		m.regs[at] = min(m.l.Local[d], m.l.Global[d]-first)
	case kernel.NumGroups:
		m.regs[at] = (m.l.Global[d] + m.l.Local[d] - 1) / m.l.Local[d]
	case kernel.GlobalOffset:
		m.regs[at] = m.l.Offset[d]
	case kernel.Lane:
		m.regs[at] = m.lane(m.item)
	case kernel.Lanes:
		m.regs[at] = m.l.SubGroup
	case kernel.SpanRows:
		m.regs[at] = 0
		if m.spanRows {
			m.regs[at] = 1
		}
	case kernel.AllLanes, kernel.FirstLane, kernel.ActiveLane:
		m.regs[at] = m.get(v.Args[0])
	case kernel.WorkDim:
		m.regs[at] = uint64(max(m.l.Dims, 1))
	default:
		return fmt.Errorf("the interpreter has no rule for %s", kernel.InfoOf(v.Op).Name)
	}
	return nil
}

// within reports as 0 or 1 whether p lies in the size bytes at start, or just after them.
func within(p, start uint64, size int) uint64 {
	if p-start <= uint64(size) {
		return 1
	}
	return 0
}

// atomic executes a read-modify-write or a compare-exchange.
func (m *machine) atomic(v *kernel.Value) error {
	addr, size := m.get(v.Args[0]), v.Type.Size()
	old, err := m.l.Memory.Load(addr, size)
	if err != nil {
		return err
	}
	m.regs[m.slot[v.ID]] = old
	if v.Op == kernel.Atomic {
		return m.l.Memory.Store(addr, size, v.RMW().Apply(v.Type, old, m.get(v.Args[1])))
	}
	if old != m.get(v.Args[1]) {
		return nil
	}
	return m.l.Memory.Store(addr, size, m.get(v.Args[2]))
}
